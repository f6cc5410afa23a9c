"""GPU names of price tables, matched exactly: one digit more is another card, so nothing here is fuzzy."""

from __future__ import annotations

import re
from collections.abc import Callable

from bot.hardware.catalogue import Catalogue
from bot.text import fold

_FILLERS = re.compile(
    r"\b(nvidia|geforce|tesla|amd|radeon|instinct|intel|graphics card|generation|blackwell|workstation|pcie|edition)\b"
)
_SIZE = re.compile(r"[\s(]*\b(\d+(?:\.\d+)?)\s*gb\)?$")
_PIECES = re.compile(r"[\s_()/-]+")


def _key(name: str) -> str:
    text = _FILLERS.sub(" ", fold(name))
    text = re.sub(r"(\d)\s+gb\b", r"\1gb", text)
    return _PIECES.sub("", text)


def name_resolver(catalogue: Catalogue) -> Callable[[str], str | None]:
    """A function from a written name ("GeForce RTX 3090 24GB", "Tesla V100 32GB") to the canonical one, or None.

    Makers' and product line words, case and spaces do not matter. A memory size must be that of the card; without
    one a group's default variant is meant.
    """
    known: dict[str, str] = {}
    for gpu in catalogue.gpus:
        for alias in gpu.aliases:
            known.setdefault(_key(alias), gpu.name)
    for group, variants in catalogue.groups.items():
        known[_key(group)] = variants[0].name
    for gpu in catalogue.gpus:
        known[_key(gpu.name)] = gpu.name

    def resolve(name: str) -> str | None:
        found = known.get(_key(name))
        if found is not None:
            return found
        size = _SIZE.search(fold(name))
        if size is None:
            return None
        base = known.get(_key(fold(name)[: size.start()]))
        gpu = catalogue.get(base) if base else None
        if gpu is None:
            return None
        wanted = float(size.group(1))
        for variant in catalogue.groups.get(gpu.group, (gpu,)):
            if variant.memory_gb == wanted and (variant is gpu or variant.cooler != "module"):
                return variant.name
        return None

    return resolve

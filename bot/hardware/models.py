"""The models people ask about: their sizes and shapes, found by name, by alias or by size alone."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from itertools import pairwise, product
from typing import Literal

from bot.tables import DataError, Row, read_rows
from bot.text import fold

Kind = Literal[
    "llm", "vlm", "encoder", "encdec", "vision", "speech", "image", "video", "robotics", "bio", "3d", "other"
]
KINDS: tuple[Kind, ...] = (
    "llm", "vlm", "encoder", "encdec", "vision", "speech", "image", "video", "robotics", "bio", "3d", "other",
)  # fmt: skip
ATTENTION = ("full", "sliding", "mla", "hybrid", "unknown")
MODEL_COLUMNS = (
    "name", "kind", "family", "params_b", "active_b", "layers", "hidden", "ffn", "heads", "kv_heads", "head_dim",
    "vocab", "context", "attention", "full_layers", "window", "kv_rank", "full_kv_width", "experts",
    "experts_active", "mlp", "tied", "acts_m", "components", "needs", "checkpoint", "aliases", "source", "as_of",
    "differs", "note",
)  # fmt: skip
FAMILY_COLUMNS = ("name", "default", "members", "aliases")
_SIZE = re.compile(r"(?:(\d{1,2})x)?(\d+(?:\.\d+)?) ?(b|m|t)(?:illion)?(?:[- ]?a(\d+(?:\.\d+)?)b)?")
_GAP = re.compile(r"[-_ ]+")


@dataclass(frozen=True, slots=True)
class Need:
    """Reported memory of one task, GB. `uncertain`: recalled from the named documentation."""

    low_gb: float
    likely_gb: float
    high_gb: float
    uncertain: bool = False


@dataclass(frozen=True, slots=True)
class Model:
    """One model. Parameters in billions. None or "" means unknown or not applicable.

    `generic`: only a size is known ("a 30B model"); its shape is then a guess from models of that size.
    """

    name: str
    kind: Kind
    family: str
    params_b: float | None
    active_b: float | None = None
    """Parameters used per token of a mixture of experts: speed, never memory."""
    layers: int = 0
    hidden: int = 0
    ffn: int = 0
    heads: int = 0
    kv_heads: int = 0
    head_dim: int = 0
    vocab: int = 0
    context: int | None = None
    attention: str = ""
    full_layers: int = 0
    """Layers whose cache grows with the whole context; all of them for full attention."""
    window: int = 0
    kv_rank: int = 0
    """Width of the compressed cache of multi-head latent attention, with its rotary part."""
    full_kv_width: int = 0
    """kv_heads * head_dim of the full-attention layers where it differs from the other layers."""
    experts: int = 0
    experts_active: int = 0
    gated: bool = True
    tied: bool = False
    acts_m: float | None = None
    """Millions of activations per image of 224 pixels (CNNs)."""
    components: Mapping[str, float] = field(default_factory=dict)
    """Parts of a diffusion pipeline, billions of parameters."""
    needs: Mapping[str, Need] = field(default_factory=dict)
    checkpoint: str = ""
    """Number format that the weights are published in, where it is not 16 bits."""
    aliases: tuple[str, ...] = ()
    source: str = ""
    as_of: str = ""
    differs: str = ""
    """Why the parameters do not follow from the configuration by the plain formula."""
    note: str = ""
    generic: bool = False
    line: int = 0

    @property
    def moe(self) -> bool:
        return self.active_b is not None

    @property
    def embedding_params(self) -> float:
        """Parameters of the embedding and, where untied, of the output matrix."""
        return float(self.vocab * self.hidden * (1 if self.tied else 2))

    def recomputed_params(self) -> float | None:
        """Parameters by the plain transformer formula; None where the configuration is not known."""
        if not (self.hidden and self.layers and self.heads):
            return None
        attention = 2 * self.hidden * self.head_dim * (self.heads + self.kv_heads)
        mlp = (3 if self.gated else 2) * self.hidden * self.ffn * max(self.experts, 1)
        total = float(self.layers * (attention + mlp))
        if self.kind == "encdec":  # as many decoder layers, each with a second attention
            total = 2 * total + self.layers * attention
        total += self.embedding_params
        if self.kind == "encoder" or (self.kind == "llm" and self.context == 1024 and not self.gated):
            total += (self.context or 0) * self.hidden  # learned positions
        return total


@dataclass(frozen=True, slots=True)
class Family:
    """A name that stands for several models ("Llama 2", "BERT")."""

    name: str
    default: str
    members: tuple[str, ...]
    aliases: tuple[str, ...] = ()


class ModelTable:
    """Models and families by name. Lookups are on folded text with any of space, hyphen or nothing between parts."""

    def __init__(self, models: tuple[Model, ...], families: tuple[Family, ...]) -> None:
        self.models: Mapping[str, Model] = {m.name: m for m in models}
        self.families: Mapping[str, Family] = {f.name: f for f in families}
        self._keys: dict[str, str] = {}
        self._names: dict[str, str] = {}
        # Own names first, so that no alias takes the name of another model.
        everything: list[Model | Family] = [*models, *families]
        for named in everything:
            self._add(named.name, named.name)
        for named in everything:
            for alias in named.aliases:
                self._add(alias, named.name)
        self._sizes = _size_shapes(self.models)
        self._siblings: dict[str, list[Model]] = {}
        for model in sorted(models, key=lambda m: -(m.params_b or 0.0)):
            self._siblings.setdefault(model.family, []).append(model)

    def _add(self, written: str, canonical: str) -> None:
        text = fold(written)
        if _key(text) in self._keys and self._keys[_key(text)] != canonical:
            return
        self._keys[_key(text)] = canonical
        for variant in _variants(text):
            self._names.setdefault(variant, canonical)

    def names(self) -> Mapping[str, str]:
        """Every folded spelling -> the canonical name of a model or family."""
        return self._names

    def get(self, name: str) -> Model | None:
        """The model of this name or alias; None for a family, a bare size or an unknown name."""
        return self.models.get(self.canonical(name) or "")

    def canonical(self, name: str) -> str | None:
        """The canonical name of a model or family, or None."""
        return self._keys.get(_key(fold(name)))

    def family(self, name: str) -> Family | None:
        """The family of this name or alias."""
        return self.families.get(self.canonical(name) or "")

    def members(self, name: str) -> tuple[Model, ...]:
        """A family's models, smallest first; empty for an unknown family."""
        found = self.family(name)
        models = [self.models[m] for m in found.members] if found else []
        return tuple(sorted(models, key=lambda m: m.params_b or 0.0))

    def siblings(self, model: Model) -> tuple[Model, ...]:
        """The models of the same family, largest first; none for a generic model."""
        return tuple(self._siblings.get(model.family, ())) if model.family else ()

    def resolve(self, name: str) -> Model | None:
        """The model meant by a name: a row, a family's default, a family with a size, or a bare size ("70B").

        A size that no row has comes back as a `generic` model whose shape is that of models of that size.
        """
        text = fold(name).strip()
        size = parse_size(text)
        canonical = self._canonical_or_shorter(text)
        if canonical is not None and canonical in self.models:
            return self.models[canonical]
        if canonical is not None and size is None:
            return self.models[self.families[canonical].default]
        if size is None:
            return None
        for model in self._same_family(text):
            if model.params_b and abs(model.params_b - size[0]) <= max(0.04 * size[0], 0.35 if size[0] > 3 else 0.06):
                return model
        return self.generic(size[0], size[1], name.strip())

    def generic(self, params_b: float, active_b: float | None = None, name: str | None = None) -> Model:
        """A language model of which only the size is known. `params_b` > 0."""
        shape = min(self._sizes, key=lambda m: abs(math.log((m.params_b or 1.0) / params_b)))
        return replace(
            shape, name=name or size_name(params_b), family="", params_b=params_b, active_b=active_b, aliases=(),
            generic=True, differs="only the size is known", note="", context=None, source="",
        )  # fmt: skip

    def _canonical_or_shorter(self, text: str) -> str | None:
        """The name itself, or what is left without trailing words that are not sizes ("-instruct", "-2409")."""
        while True:
            found = self._keys.get(_key(text))
            cut = max(text.rfind(" "), text.rfind("-"), text.rfind("_"))
            if found is not None or cut <= 0 or _SIZE.search(text[cut:]):
                return found
            text = text[:cut]

    def _same_family(self, text: str) -> tuple[Model, ...]:
        rest = _SIZE.sub("", text).strip(" -_")
        found = self.family(rest) if rest else None
        return self.members(found.name)[::-1] if found else ()


def size_name(params_b: float) -> str:
    """ "70B", "1.5B", "350M"."""
    return f"{params_b:g}B" if params_b >= 1 else f"{params_b * 1000:g}M"


def parse_size(text: str) -> tuple[float, float | None] | None:
    """Billions of parameters, and active ones where written, of "70b", "30b-a3b", "8x7b", "350m"; else None."""
    match = _SIZE.search(fold(text))
    if not match:
        return None
    times, number, unit, active = match.groups()
    size = float(number) * {"b": 1.0, "m": 0.001, "t": 1000.0}[unit]
    if times:  # experts share their attention: 8x7B holds 47 B
        size *= int(times) * 0.83
    return (size, float(active) if active else None) if 0.001 <= size <= 20000 else None


def _key(folded: str) -> str:
    """Without gaps, except between two digits: "Qwen2 7B" is not "Qwen 27B"."""
    return _GAP.sub(lambda m: " " if _between_digits(folded, m.start(), m.end()) else "", folded)


def _between_digits(text: str, start: int, end: int) -> bool:
    return start > 0 and end < len(text) and text[start - 1].isdigit() and text[end].isdigit()


def _variants(folded: str) -> set[str]:
    """Spellings with a space, a hyphen or nothing between the parts; letters and digits count as parts."""
    parts = [p for p in _GAP.split(folded) if p]
    if len(parts) > 4:
        return {folded, " ".join(parts), "-".join(parts)}
    joints = [
        (" ", "-") if left[-1].isdigit() and right[0].isdigit() else (" ", "-", "") for left, right in pairwise(parts)
    ]
    return {"".join(a + b for a, b in zip(parts, (*gaps, ""), strict=True)) for gaps in product(*joints)}


def _size_shapes(models: Mapping[str, Model]) -> tuple[Model, ...]:
    wanted = ("Qwen2.5 0.5B", "Qwen2.5 1.5B", "Llama 3.2 3B", "Llama 3.1 8B", "Qwen2.5 14B", "Qwen2.5 32B",
              "Llama 3.1 70B", "Mistral Large 123B", "Llama 3.1 405B")  # fmt: skip
    return tuple(models[n] for n in wanted if n in models) or tuple(m for m in models.values() if m.layers)


def parse_models(text: str, where: str) -> tuple[Model, ...]:
    """The rows of data/models.csv. Raises DataError."""
    models = tuple(_model(row) for row in read_rows(text, where, MODEL_COLUMNS))
    seen: set[str] = set()
    for model in models:
        if model.name in seen:
            raise DataError(where, model.line, "name", f"{model.name!r} stands twice", "Keep one of the rows")
        seen.add(model.name)
    return models


def parse_families(text: str, where: str, models: tuple[Model, ...]) -> tuple[Family, ...]:
    """The rows of data/model_families.csv; members default to the models of that family. Raises DataError."""
    known = {m.name for m in models}
    families = []
    for row in read_rows(text, where, FAMILY_COLUMNS):
        name = row.required("name")
        members = row.items("members") or tuple(m.name for m in models if m.family == name)
        for member in (*members, row.required("default")):
            if member not in known:
                raise row.fail("members", f"{member!r} is not in the models table", "Write a name of data/models.csv")
        families.append(Family(name, row.required("default"), members, row.items("aliases")))
    return tuple(families)


def _model(row: Row) -> Model:
    def whole(column: str) -> int:
        return row.whole(column) or 0

    attention = row.choice("attention", ATTENTION) if row.text("attention") else ""
    kind: Kind = next(k for k in KINDS if k == row.choice("kind", KINDS))
    full_layers = row.whole("full_layers")
    return Model(
        name=row.required("name"), kind=kind, family=row.text("family"), params_b=row.number("params_b", 1e-4, 5000),
        active_b=row.number("active_b", 0.01, 1000), context=row.whole("context"), attention=attention,
        full_layers=whole("layers") if full_layers is None else full_layers,
        gated=row.text("mlp") != "plain", tied=row.flag("tied"), acts_m=row.number("acts_m"),
        components=_parts(row), needs=_needs(row), checkpoint=row.text("checkpoint"), aliases=row.items("aliases"),
        source=row.required("source"), as_of=row.year_month("as_of"), differs=row.text("differs"),
        note=row.text("note"), line=row.line, layers=whole("layers"), hidden=whole("hidden"), ffn=whole("ffn"),
        heads=whole("heads"), kv_heads=whole("kv_heads"), head_dim=whole("head_dim"), vocab=whole("vocab"),
        window=whole("window"), kv_rank=whole("kv_rank"), full_kv_width=whole("full_kv_width"),
        experts=whole("experts"), experts_active=whole("experts_active"),
    )  # fmt: skip


def _parts(row: Row) -> dict[str, float]:
    parts = {}
    for item in row.items("components"):
        name, _, size = item.partition(":")
        parts[name] = _figure(row, "components", size)
    return parts


def _needs(row: Row) -> dict[str, Need]:
    uncertain = row.mark("needs") == "uncertain"
    needs = {}
    for item in row.items("needs"):
        task, _, figures = item.rstrip("?").partition(":")
        low, likely, high = ([_figure(row, "needs", f) for f in figures.split("/")] * 3)[:3]
        if task not in ("inference", "lora", "qlora", "full") or not low <= likely <= high:
            raise row.fail("needs", f"{item!r} is not task:low/likely/high", "Write for example inference:6/8/12")
        needs[task] = Need(low, likely, high, uncertain)
    return needs


def _figure(row: Row, column: str, text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise row.fail(column, f"{text!r} is not a number", "Write for example text:4.76 or inference:6/8/12") from None

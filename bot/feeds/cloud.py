"""Rental prices by the hour from three published catalogues: gpuhunt, SkyPilot, RunPod. Off by default."""

from __future__ import annotations

import csv
import io
import json
import re
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from statistics import median
from typing import Any

from bot.feeds.formats import parse_json
from bot.feeds.source import Haul, Progress, SourceError
from bot.feeds.web import CSV, JSON, ZIP, Web
from bot.hardware.catalogue import Catalogue
from bot.market.cloud import CloudKind, CloudPrice

GPUHUNT = "https://dstack-gpu-pricing.s3.eu-west-1.amazonaws.com/v3"
SKYPILOT = "https://raw.githubusercontent.com/skypilot-org/skypilot-catalog/master/catalogs/v8"
RUNPOD = "https://api.runpod.io/graphql"
GPUHUNT_PROVIDERS = ("aws", "azure", "gcp", "lambdalabs", "nebius", "oci", "verda")
SKYPILOT_CLOUDS = ("aws", "azure", "lambda", "nebius")
HYPERSCALERS = frozenset({"aws", "azure", "gcp", "oci"})
ONLY_MODULES = frozenset({"aws", "gcp", "oci", "nebius"})
"""Providers whose A100, H100 and V100 are SXM modules; elsewhere a name that does not say so is left out."""
LOWEST, HIGHEST = 0.005, 200.0
PLACEHOLDERS = frozenset({0.0, 0.5})
"""RunPod's prices for what it does not offer."""
MAX_UNPACKED, MAX_RATIO, MAX_CSV = 32 * 1024 * 1024, 100, 16 * 1024 * 1024
MAX_ROWS = 200_000
_QUERY = "query{gpuTypes{id displayName memoryInGb secureCloud communityCloud securePrice communityPrice}}"


@dataclass(frozen=True, slots=True)
class Rented:
    """One offer: dollars for one GPU for one hour."""

    gpu: str
    provider: str
    kind: CloudKind
    usd: float


@dataclass(frozen=True)
class CloudSource:
    """`catalogues`: any of gpuhunt, skypilot, runpod."""

    catalogues: Sequence[str]
    find: Callable[[str, float | None, bool], str | None]
    """(name, memory in GB, whether a module is meant) -> the catalogue's name."""
    today: Callable[[], date]
    gpuhunt: str = GPUHUNT
    skypilot: str = SKYPILOT
    runpod: str = RUNPOD
    name: str = "cloud"
    market_place: bool = False
    cooldown_seconds: int = 6 * 3600

    async def fetch(self, web: Web, progress: Progress) -> Haul:
        """All that can be had. Raises SourceError when nothing can."""
        rented: list[Rented] = []
        refused: list[str] = []
        for catalogue in self.catalogues:
            jobs = {"gpuhunt": GPUHUNT_PROVIDERS, "skypilot": SKYPILOT_CLOUDS, "runpod": ("runpod",)}[catalogue]
            for provider in jobs:
                progress(f"{self.name}: {catalogue}, {provider}")
                try:
                    rented += await getattr(self, f"_{catalogue}")(web, provider)
                except SourceError as error:
                    refused.append(str(error))
        if not rented:
            raise SourceError("; ".join(refused) or "the catalogues hold no known GPU")
        source = f"Published catalogues ({', '.join(self.catalogues)})"
        return Haul(hourly=medians(rented, self.today().isoformat(), source), refused=refused)

    async def _gpuhunt(self, web: Web, provider: str) -> list[Rented]:
        what = f"gpuhunt {provider}"
        types = ("text/plain", "application/octet-stream", "binary/octet-stream")
        version = (await web.get(f"{self.gpuhunt}/{provider}/version", what, types)).text(what).strip()
        if not re.fullmatch(r"[0-9]{8}(-[0-9]{1,6})?", version):
            raise SourceError(f"{what}: the version {version[:20]!r} is no date")
        page = await web.get(f"{self.gpuhunt}/{provider}/{version}/catalog.zip", what, ZIP, max_bytes=MAX_CSV)
        return list(self._rows_of_gpuhunt(unzip(page.body, what), provider, what))

    def _rows_of_gpuhunt(self, text: str, provider: str, what: str) -> Iterator[Rented]:
        for row in read_csv(text, what, ("price", "gpu_count", "gpu_name", "gpu_memory", "spot")):
            if row["spot"].lower() == "true" or not row["gpu_name"]:
                continue
            yield from self._rented(row["gpu_name"], row["gpu_memory"], row["price"], row["gpu_count"], provider)

    async def _skypilot(self, web: Web, provider: str) -> list[Rented]:
        what = f"SkyPilot {provider}"
        text = (await web.get(f"{self.skypilot}/{provider}/vms.csv", what, CSV, max_bytes=MAX_CSV)).text(what)
        rows: list[Rented] = []
        for row in read_csv(text, what, ("AcceleratorName", "AcceleratorCount", "Price", "GpuInfo")):
            if row["AcceleratorName"]:
                size = re.search(r"SizeInMiB'?\"?:\s*(\d{1,7})", row["GpuInfo"])
                memory = str(round(int(size[1]) / 1024)) if size else ""
                rows += self._rented(row["AcceleratorName"], memory, row["Price"], row["AcceleratorCount"], provider)
        return rows

    async def _runpod(self, web: Web, provider: str) -> list[Rented]:
        body = json.dumps({"query": _QUERY}).encode()
        page = await web.post(self.runpod, "RunPod", JSON, body, headers={"Content-Type": "application/json"})
        data: Any = parse_json(page.text("RunPod"), "RunPod")
        types = data.get("data", {}).get("gpuTypes") if isinstance(data, dict) and data.get("data") else None
        if not isinstance(types, list):
            raise SourceError("RunPod: answers in another form")
        found: list[Rented] = []
        for entry in types:
            if not isinstance(entry, dict) or "MIG" in str(entry.get("id")):
                continue
            gpu = self.find(str(entry.get("displayName")), _float(entry.get("memoryInGb")), False)
            kinds: tuple[tuple[str, CloudKind], ...] = (("secure", "cloud"), ("community", "marketplace"))
            for word, kind in kinds:
                usd = _float(entry.get(f"{word}Price"))
                offered = entry.get(f"{word}Cloud") is True
                if gpu and offered and usd is not None and usd not in PLACEHOLDERS and LOWEST <= usd <= HIGHEST:
                    found.append(Rented(gpu, "runpod", kind, usd))
        return found

    def _rented(self, name: str, memory: str, price: str, count: str, provider: str) -> list[Rented]:
        total, number = _float(price), _float(count)
        gpu = self.find(name, _float(memory), provider in ONLY_MODULES)
        # A share of a GPU (count below one) is not a GPU.
        if gpu is None or not total or not number or number < 1 or number != int(number):
            return []
        usd = total / number
        kind: CloudKind = "hyperscaler" if provider in HYPERSCALERS else "cloud"
        return [Rented(gpu, provider, kind, usd)] if LOWEST <= usd <= HIGHEST else []


def medians(rented: Iterable[Rented], as_of: str, source: str) -> list[CloudPrice]:
    """Of each provider its cheapest offer; over the providers the median and the range."""
    cheapest: dict[tuple[str, CloudKind], dict[str, float]] = {}
    for one in rented:
        mine = cheapest.setdefault((one.gpu, one.kind), {})
        mine[one.provider] = min(one.usd, mine.get(one.provider, one.usd))
    return [
        CloudPrice(
            gpu, kind, round(median(by.values()), 4), round(min(by.values()), 4), round(max(by.values()), 4), len(by),
            as_of, source,
        )
        for (gpu, kind), by in sorted(cheapest.items())
    ]  # fmt: skip


def name_finder(catalogue: Catalogue) -> Callable[[str, float | None, bool], str | None]:
    """Names as clouds write them ("H100", "RTX3090", "A100-80GB", "A100 SXM") with their memory to ours; None where
    the form or the size stays open. Exact: clouds' sizes may differ from ours by 7 %, as they count differently."""
    known: dict[str, list[tuple[str, float, bool]]] = {}
    for gpu in catalogue.gpus:
        if gpu.segment in ("laptop", "system"):
            continue
        for written in (gpu.name, gpu.group or gpu.name):
            entry = (gpu.name, gpu.memory_gb, gpu.cooler == "module")
            if entry not in known.setdefault(_key(written), []):
                known[_key(written)].append(entry)

    def find(name: str, memory: float | None, module: bool) -> str | None:
        size = re.search(r"(\d+)\s*GB$", name)
        memory = memory or (float(size[1]) if size else None)
        key = _key(name)
        found = known.get(key) or known.get("rtx" + key) or known.get("quadro" + key) or []
        if not found and (form := re.fullmatch(r"(\w+?)(pcie|sxm\d?)", key)):
            found = [one for one in known.get(form[1], []) if one[2] == (form[2] != "pcie")]
        if memory:
            found = [one for one in found if abs(one[1] - memory) <= 0.07 * one[1]]
        if len(found) > 1:
            found = [one for one in found if one[2]] if module else []
        return found[0][0] if len(found) == 1 else None

    return find


def _key(name: str) -> str:
    name = re.sub(r"[\s(-]*\d+(\.\d+)?\s*gb\)?$", "", name.lower())
    name = re.sub(r"\b(nvidia|geforce|amd|instinct|tesla|generation|blackwell|workstation|edition)\b", "", name)
    return re.sub(r"[^a-z0-9]", "", name)


def read_csv(text: str, what: str, needed: Sequence[str]) -> Iterator[Mapping[str, str]]:
    """Rows by header, whatever the order of columns. Raises SourceError."""
    reader = csv.DictReader(io.StringIO(text), strict=True)
    missing = [name for name in needed if name not in (reader.fieldnames or ())]
    if missing:
        raise SourceError(f"{what}: the columns {', '.join(missing)} are missing")
    try:
        for number, row in enumerate(reader):
            if number >= MAX_ROWS:
                raise SourceError(f"{what}: has more than {MAX_ROWS} rows")
            yield {name: (row[name] or "").strip() for name in needed}
    except csv.Error:
        raise SourceError(f"{what}: is not CSV") from None


def unzip(body: bytes, what: str) -> str:
    """The one file of a zip, as text. Bombs, several files and damage raise SourceError."""
    try:
        with zipfile.ZipFile(io.BytesIO(body)) as archive:
            members = archive.infolist()
            if len(members) != 1:
                raise SourceError(f"{what}: holds {len(members)} files, not one")
            if members[0].file_size > min(MAX_UNPACKED, MAX_RATIO * max(len(body), 1024)):
                raise SourceError(f"{what}: unpacks to too much")
            with archive.open(members[0]) as member:
                # What the head of the archive says of the size need not be true.
                raw = member.read(MAX_UNPACKED + 1)
    except (zipfile.BadZipFile, zlib.error, NotImplementedError, RuntimeError, EOFError, OSError):
        raise SourceError(f"{what}: is a damaged zip") from None
    if len(raw) > MAX_UNPACKED:
        raise SourceError(f"{what}: unpacks to too much")
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise SourceError(f"{what}: is not UTF-8") from None


def _float(value: Any) -> float | None:
    """A plain finite number, or None."""
    if isinstance(value, bool) or not re.fullmatch(r"\d{1,7}(\.\d{1,9})?", str(value)):
        return None
    return float(value)

"""Numbers with their units: memory, watts, parameters, context, batch, dates ... everything but money.

Each number of the text is read once; what stands behind it decides what it is.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field
from typing import NamedTuple

from bot.language.normalise import ascii_pattern

_MOST = 40
"""Sizes looked at in one text."""


class Size(NamedTuple):
    """A memory size in GB and what holds it: gpu, system, model, disk; `each`/`total`/`wanted` as the text says."""

    gb: float
    kind: str
    start: int
    end: int
    weight: int = 0


@dataclass(slots=True)
class Quantities:
    """What numbers say, apart from money. Units in the names."""

    sizes: list[Size] = field(default_factory=list)
    watts: list[int] = field(default_factory=list)
    context_tokens: int | None = None
    batch: int | None = None
    users: int | None = None
    resolution_px: int | None = None
    slots: int | None = None
    hours_per_week: float | None = None
    keep_years: float | None = None
    as_of: str | None = None
    multiplied: list[int] = field(default_factory=list)
    """Counts of cards written as a product with a memory size: 8*24G."""
    taken: list[tuple[int, int]] = field(default_factory=list)
    """Places of every number read here: none of them is money."""


_DIGIT = ascii_pattern(r"\d")
_NUMBER = r"(\d{1,7}(?:\.\d{1,3})?)"
_SIZE = ascii_pattern(
    r"(?<![\w.])(?:(\d{1,2})\s?[x*]\s?)?(>=?\s*)?(?:(\d{1,3})\s?(?:-|/|or|to|and|或|到|和)\s?)?"
    r"(\d{1,4}(?:\.\d)?)\s?(tb|gib|gb|gigs?|gigabytes?|go\b|g(?![a-z0-9])|个\s?g\b)(?!\s?(?:/s|ps|bps|bit|e\b|hz))"
)
_GLUED_SIZE = ascii_pattern(r"(?<=[a-z][a-z])-?(\d{1,3})\s?(gb|g(?![a-z0-9]))(?!\s?/s)")
_SYSTEM_AFTER = ascii_pattern(
    r"\s*(?:of\s)?\s*(?:system\s|normal\s|pc\s|host\s|main\s|cpu\s)?(?:ddr[345]?|ram\b(?! on the gpu)|lpddr|"
    r"dimm|ecc ram|内存|记忆体|运存)"
)
_SYSTEM_BEFORE = ascii_pattern(
    r"(?:(?<!v)ram|ddr[345]x?|系统内存|内存|主机记忆体|配)\s*(?:is|of|:|=|就|有|只有)?\s*(?:\d{1,7}\s?[x*]\s?)?$"
)
_GPU_AFTER = ascii_pattern(
    r"\s*(?:of\s|的)?\s*(?:gpu|vram|video|graphics|card|gddr\d|hbm|显存|显卡|显示|统一|unified|卡|gpu ram|each|"
    r"apiece|per (?:card|gpu))"
)
_MODEL_AFTER = ascii_pattern(
    r"\s*(?:of\s|worth of\s|的)?\s*(?:weights?|model|checkpoint|file|gguf|safetensors|download|模型|权重|文件)"
)
_DISK_AFTER = ascii_pattern(
    r"\s*(?:of\s|的)?\s*(?:ssd|nvme|hdd|disk|drive|storage|dataset|data\b|images|photos|硬盘|固态|数据|m\.2)"
)
_CPU_BEFORE = ascii_pattern(
    r"(?:ryzen|threadripper|epyc|xeon|core i\d|\bi[3579]|cpu|cores?|锐龙)(?:[ \w-]{0,16})[,/+&;]?\s*(?:and |"
    r"with |w/ )?$"
)
_WANTED_BEFORE = ascii_pattern(
    r"(?:wants?|needs?|requires?|recommends?|says?|at least|minimum|>=?|超过|要求|需要)\s*(?:a |an |about )?>?=?\s*$"
)
_EACH_AFTER = ascii_pattern(r"\s*(?:gpu|vram|card|ram)?\s*(?:each|apiece|per card|per gpu|每张|每卡|一张)")
_TOTAL_NEAR = ascii_pattern(r"(?:total|combined|both|altogether|sum|一共|总共|合计|加起来)[^.;?!]{0,14}$")

_OTHER = ascii_pattern(
    r"(?<![\w.])(\d{1,7}(?:\.\d{1,3})?)\s?"
    r"(?:(?P<watt>w|watts?|瓦|千瓦|kw)(?![a-z])|(?P<hz>hz|ghz|mhz|khz|fps|帧)|(?P<res>p|px|pixels?)\b|(?P<volt>v|volts?|kv|伏|amps?)(?![a-z])|"
    r"(?P<ctx>k)\s?(?:tokens?\s)?(?:token\s)?(?:的)?(?:context|ctx|上下文|token|长度)|(?P<tok>tokens?|"
    r"token)\b(?!\s?(?:/|per|a s))|"
    r"(?P<users>concurrent|users?|people|persons|clients|requests|employees|sessions|并发|个人用|人用|个用户|"
    r"路并发|人同时|个并发|人)|"
    r"(?P<years>\s?[~-]\s?\d{1,7}\s?(?:years?|yrs?|年)|years?|yrs?|年)|(?P<hours>hours?|hrs?|h|小时)\b|"
    r"(?P<slot>slots?|槽)|(?P<percent>%|percent)|(?P<tflops>tflops?|tops)|(?P<bw>gb/s|tb/s|gbps|gbit|mb/s)|"
    r"(?P<aa>aa|proteins?|rows|images|photos|pictures|epochs?|steps|samples|cores|threads|days?|weeks?|months?|"
    r"minutes?|"
    r"mins?|seconds?|secs?|ms|cm|mm|inch(?:es)?|layers|pages|files|videos|frames|classes|"
    r"条|张图|张照片|步|轮|帧|核|天|周|个月|分钟|秒|页|层|寸|款|代|系)|"
    r"(?P<bits>bits?|位))"
)
_PART = ascii_pattern(
    r"(?:\b(?:ryzen|threadripper|epyc|xeon|athlon|pentium|celeron|core|i[3579]|r[3579]|ultra)|锐龙|酷睿|至强|撕裂者)"
    r"(?:[ -](?:pro|gold|silver|bronze|platinum|ai|max|ultra|i?[3579]|[ew][357]?|cpu)\b)*[ -]?(\d{3,5})"
    r"(?!\d|\s?(?:[$€£]|usd|eur))|\bddr[345]x?[ -](\d{4})\b"
    r"|\b(?:psu|power supply|电源)[ :]{0,2}(\d{3,4})\b(?!\s?(?:[$€£]|usd|eur|quid|bucks|dollars))"
    r"|(?<![\w.$€£])(\d{3,4})\s?(?:psu|power supply|platinum psu|gold psu)\b"
)
"""Numbers that are the names of other parts of a computer."""
_COMPUTE = ascii_pattern(r"int8|npu|jetson|orin|\bcompute|sparse|ai tops|算力")
_COUNTED = ascii_pattern(
    r"(?<![\w.$€£])\d{1,7}\s(?:[a-z]{2,8}\s)?(?:scans?|volumes|patients|cases|residues|slices|clips|recordings|"
    r"documents|pdfs|queries|samples|classes|objects|atoms|particles|spectra|songs|episodes|tracks|cameras|cams)\b|"
    r"(?<![\w.])\d{1,7}(?:\.\d{1,3})?\s?[kmw万千]\s?(?:images?|photos?|pictures?|rows|samples|steps|tokens?|张图|"
    r"张照片|张|条|个|步|轮|屏|视频|分辨率|画质|\d{2,3}帧|hz)"
)
_CONTEXT = ascii_pattern(
    r"(?:context(?: length| size| window)?(?: of)?|ctx|max_seq_len|seq_len|seq len|sequence length|"
    r"上下文(?:长度)?)\s?[=:]?\s?(\d{1,7})\s?(k)?\b"
)
_CONTEXT_K = ascii_pattern(r"(?<![\w.])(\d{1,4})\s?k\b(?=\s?(?:full\s|的)?(?:context|ctx|上下文|token|长度|tokens))")
_BATCH = ascii_pattern(r"(?:batch(?:[ _]?size)?|max_batch_size|\bbs|批次|批大小)\s?(?:of|=|:|is)?\s?(\d{1,5})\b")
_PIXELS = ascii_pattern(r"(?<![\d.])(\d{3,4})\s?(?:x|\*)\s?(\d{3,4})(?!\s?(?:gb|g\b))")
_AT_PIXELS = ascii_pattern(r"\bat (256|512|768|1024|1536|2048)\b")
_DATE = ascii_pattern(
    r"(?:\b(?:as of|in|since|by|back in|during|until|from|of|for|for a|early|late|mid|year)\s(?:(?P<month>jan|"
    r"feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?\s)?"
    r"(?P<year>20[012]\d)\b(?!\s?(?:gb|g\b|w\b|usd|eur|euro|dollars|\$|€|mhz))|"
    r"(?<!\d)(?P<zh>20[012]\d)\s?年(?:\s?(?P<zm>1[0-2]|0?[1-9])\s?月)?|"
    r"\b(?P<iso>20[012]\d)-(?P<im>0[1-9]|1[0-2])\b|(?:march|april|february|january)\s(?P<my>20[012]\d))"
)
_MONTH_NAMES = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTHS = {m: f"{i:02d}" for i, m in enumerate(_MONTH_NAMES, 1)}
_HOURS = ascii_pattern(
    r"(?<![\w.])(\d{1,7}(?:\.\d{1,3})?)\s?(?:hours?|hrs?|h|个?小时)\s?(?:/|per|a|each|every|一|每)?\s?(?P<per>day|week|month|天|"
    r"周|星期|月|晚|night)"
)
_HOURS_ZH = ascii_pattern(r"(?:每|一)(?P<per>天|周|星期|月|晚)[^\d,.]{0,4}(\d{1,7}(?:\.\d{1,3})?)\s?个?(?:小时|h)")
_PER_WEEK = {
    "day": 7.0,
    "night": 7.0,
    "天": 7.0,
    "晚": 7.0,
    "week": 1.0,
    "周": 1.0,
    "星期": 1.0,
    "month": 7 / 30.4,
    "月": 7 / 30.4,
}
_YEARS = ascii_pattern(
    r"(?:last|keep|for|next|hold|use it|用个?|撑|再战|战)\s?(?:me |it |at least |about |another |"
    r"the next )?(\d{1,2})(?:\s?[~-]\s?(\d{1,2}))?\s?(?:years?|yrs?|年)"
)


def read_quantities(text: str, covered: bytearray) -> Quantities:
    """All numbers of the folded text that are not money. `covered` marks the places of card names."""
    found = Quantities()
    if not _DIGIT.search(text):
        return found
    _read_sizes(text, found)
    take = found.taken.append
    for match in itertools.islice(_PART.finditer(text), _MOST):
        take(match.span())
    for match in itertools.islice(_COUNTED.finditer(text), _MOST):
        take(match.span())
    for match in itertools.islice(_CONTEXT.finditer(text), _MOST):
        take(match.span())
        found.context_tokens = int(match[1]) * (1024 if match[2] else 1)
    for match in itertools.islice(_CONTEXT_K.finditer(text), _MOST):
        take(match.span())
        found.context_tokens = int(match[1]) * 1024
    for match in itertools.islice(_BATCH.finditer(text), _MOST):
        take(match.span())
        found.batch = int(match[1])
    for match in itertools.islice(_PIXELS.finditer(text), _MOST):
        take(match.span())
        found.resolution_px = max(int(match[1]), int(match[2]))
    for match in itertools.islice(_AT_PIXELS.finditer(text), _MOST):
        take(match.span())
        found.resolution_px = int(match[1])
    for match in itertools.islice(_DATE.finditer(text), _MOST):
        take(match.span())
        year = match["year"] or match["zh"] or match["iso"] or match["my"]
        month = _MONTHS.get(match["month"] or "", "") or match["im"] or (match["zm"] or "").zfill(2).replace("00", "")
        found.as_of = f"{year}-{month}" if month else year
    for match in itertools.islice(_HOURS.finditer(text), _MOST):
        take(match.span())
        found.hours_per_week = round(float(match[1]) * _PER_WEEK[match["per"]], 1)
    for match in itertools.islice(_HOURS_ZH.finditer(text), _MOST):
        take(match.span())
        found.hours_per_week = round(float(match[2]) * _PER_WEEK[match["per"]], 1)
    for match in itertools.islice(_YEARS.finditer(text), _MOST):
        take(match.span())
        found.keep_years = float(match[2] or match[1])
    _read_units(text, found, covered)
    return found


def _read_units(text: str, found: Quantities, covered: bytearray) -> None:
    for match in itertools.islice(_OTHER.finditer(text), _MOST):
        unit = match.lastgroup
        start = match.start()
        if covered[start]:
            continue
        value = float(match[1])
        if (
            unit == "tflops"
            and text[match.start("tflops") : match.end("tflops")] == "tops"
            and not _COMPUTE.search(text)
        ):
            continue  # "250 tops" is a limit, unless the talk is of operations a second
        if unit == "watt":
            # 20w in talk of money is 200,000; three figures are watts.
            if text[match.start("watt") : match.end("watt")] == "w" and value < 60:
                continue
            found.watts.append(int(value))
        elif unit == "users" and value < 1e6:
            found.users = int(value)
        elif unit == "slot":
            found.slots = int(value)
        elif unit == "res":
            found.resolution_px = found.resolution_px or int(value)
        elif unit == "tok" and value >= 256:
            found.context_tokens = found.context_tokens or int(value)
        found.taken.append(match.span())


def _read_sizes(text: str, found: Quantities) -> None:
    for match in itertools.islice(_SIZE.finditer(text), _MOST):
        gb = float(match[4]) * (1024 if match[5] == "tb" else 1)
        before, after = text[max(0, match.start() - 40) : match.start()], text[match.end() : match.end() + 30]
        kind, weight = _kind_of_size(before, after, gb)
        if match[5] == "tb" and kind == "gpu":
            kind = "disk"
        if match[1] and gb <= 192 and kind == "gpu":
            found.multiplied.append(int(match[1]))
        if match[2]:
            weight = -1
        if match[3] and float(match[3]) < gb and kind == "gpu":
            found.sizes.append(Size(float(match[3]), kind, match.start(), match.end(), weight))
        found.sizes.append(Size(gb, kind, match.start(4), match.end(), weight))
        found.taken.append(match.span())
    for match in itertools.islice(_GLUED_SIZE.finditer(text), _MOST):
        if not any(a <= match.start() < b for a, b in found.taken):
            found.sizes.append(Size(float(match[1]), "gpu", match.start(), match.end()))
            found.taken.append(match.span())


def _kind_of_size(before: str, after: str, gb: float) -> tuple[str, int]:
    """What holds a size, by the words around it; the weight prefers the card's own size to a wish or a total."""
    if _MODEL_AFTER.match(after) and not _GPU_AFTER.match(after):
        return "model", 0
    if _DISK_AFTER.match(after):
        return "disk", 0
    if _GPU_AFTER.match(after):
        return "gpu", 2 if _EACH_AFTER.match(after) else 1
    if _SYSTEM_AFTER.match(after):
        # 显示记忆体 and "video ram" were caught above; a plain RAM word is the system's.
        return "system", 0
    if _SYSTEM_BEFORE.search(before) or _CPU_BEFORE.search(before):
        return "system", 0
    if _EACH_AFTER.match(after):
        return "gpu", 2
    if _WANTED_BEFORE.search(before) or _TOTAL_NEAR.search(before):
        return "gpu", -1
    return "gpu", 0

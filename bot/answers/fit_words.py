"""Codes of fits, power and cost said in the asker's language, from data/wording/fit.yaml."""

from __future__ import annotations

import string
from collections.abc import Mapping

from bot.advice.fit import FitResult, Note
from bot.advice.fit_codes import ASSUMPTIONS, COSTS, NOTES, REMEDIES
from bot.advice.fit_remedies import Remedy
from bot.hardware.memory import Assumption, MemoryEstimate
from bot.tables import DataError, LineDict, read_yaml

_FORMATTER = string.Formatter()
_SHORT = {
    "q8_0": "Q8_0 (8-bit)", "q6_k": "Q6_K (6-bit)", "q5_k_m": "Q5_K_M (5-bit)", "q4_k_m": "Q4_K_M (4-bit)",
    "q3_k_m": "Q3_K_M (3-bit)", "q2_k": "Q2_K (2-bit)", "awq": "AWQ (4-bit)", "gptq": "GPTQ (4-bit)",
    "nf4": "NF4 (4-bit)", "nf4-dq": "NF4 (4-bit)", "mxfp4": "MXFP4 (4-bit)", "int4": "INT4", "int8": "INT8",
}  # fmt: skip


class FitWords:
    """Wordings by code. `language`: "en", or anything beginning with "zh" (Simplified; the caller converts)."""

    def __init__(self, wording: Mapping[str, Mapping[str, str]]) -> None:
        self._wording = wording

    def say(self, code: str, language: str, **values: object) -> str:
        """The wording of a code, filled in."""
        text = self._wording[code]["zh" if language.startswith("zh") else "en"]
        return text.format(**{name: shown(name, value) for name, value in values.items()})

    def assumption(self, assumption: Assumption, language: str) -> str:
        code, values = assumption
        key = f"assume.{code}"
        if code == "checkpointing":
            key += ".on" if values["on"] else ".off"
        elif code == "reported":
            key += ".uncertain" if values["uncertain"] else ".measured"
        return self.say(key, language, **values)

    def remedy(self, remedy: Remedy, language: str) -> str:
        """What to change and what it costs."""
        values = dict(remedy.parameters)
        if remedy.code == "offload":
            values["share"] = round(100 * float(str(values["share"])))
        text = self.say(f"remedy.{remedy.code}", language, **values)
        cost = self.say(f"costs.{remedy.cost}", language)
        return f"{text}（{cost}）" if language.startswith("zh") else f"{text} ({cost})"

    def note(self, note: Note, language: str) -> str:
        return self.say(f"note.{note[0]}", language, **note[1])

    def deciding(self, estimate: MemoryEstimate, language: str) -> str:
        """The sentence that names what decides where in the range the truth lies."""
        return self.say("deciding", language, what=self.say(f"decides.{estimate.deciding}", language))

    def verdict(self, result: FitResult, language: str) -> str:
        """One line: need, what is usable, verdict. A range where one figure would be a lie."""
        e = result.estimate
        word = self.say(f"verdict.{result.verdict}", language)
        key = "verdict.line" if e.one_figure else "verdict.range"
        return self.say(
            key, language, model=result.model, precision=e.precision, gb=result.need_gb, low=e.low_gb, high=e.high_gb,
            usable=result.usable_gb, verdict=word,
        )  # fmt: skip


def shown(name: str, value: object) -> str:
    """Figures as people write them: GB with one decimal below 20, whole above; formats in their usual spelling."""
    if isinstance(value, float):
        if name in ("total_b", "active_b", "megapixels", "compute", "needed", "per_kwh", "gbs", "hours"):
            return f"{value:g}" if name != "hours" or value < 100 else f"{value:,.0f}"
        return f"{value:.1f}" if abs(value) < 20 else f"{value:,.0f}"
    if name == "kind":  # of a cache: its short name says enough
        return str(value).upper()
    if name == "precision":
        text = str(value)
        return _SHORT.get(text, text.upper() if text[:2] in ("fp", "bf") else text)
    if isinstance(value, list | tuple):
        return ", ".join(str(v) for v in value)
    return f"{value:,}" if isinstance(value, int) and name != "year" else str(value)


def parse_fit_words(text: str, where: str) -> FitWords:
    """data/wording/fit.yaml. Every code must be there, in both languages, with known placeholders. Raises DataError."""
    data = read_yaml(text, where)
    known: dict[str, tuple[str, ...]] = {f"remedy.{c}": p for c, p in REMEDIES.items()}
    known |= {f"note.{c}": p for c, p in NOTES.items()}
    known |= {f"assume.{c}": p for c, p in ASSUMPTIONS.items() if c not in ("checkpointing", "reported")}
    known |= {f"costs.{c}": () for c in COSTS}
    for code in known:
        if code not in data:
            raise DataError(where, None, code, "this code has no wording", "Add en and zh")
    for code, entry in data.items():
        line = data.lines.get(code) if isinstance(data, LineDict) else None
        if set(entry) != {"en", "zh"}:
            raise DataError(where, line, code, "the languages are not en and zh", "Give both")
        used = [{f for _, f, _, _ in _FORMATTER.parse(entry[lang]) if f} for lang in ("en", "zh")]
        if used[0] != used[1]:
            raise DataError(where, line, code, "en and zh use different placeholders", "Use the same in both")
        if code in known and not used[0] <= set(known[code]):
            extra = ", ".join(sorted(used[0] - set(known[code])))
            raise DataError(
                where, line, code, f"{extra} is not a parameter of this code", "See bot/advice/fit_codes.py"
            )
    return FitWords(data)

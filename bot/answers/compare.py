"""Cards side by side, told: which one for these needs and why, then figures and dated prices."""

from __future__ import annotations

from collections.abc import Callable

from bot.advice.compare import Comparison, Side
from bot.advice.reasons import Reason
from bot.advice.world import World
from bot.answers.blocks import Table
from bot.answers.draft import Draft, price_tag
from bot.answers.figures import field_name, figure, marked
from bot.answers.labels import LABELS
from bot.answers.numbers import money_text
from bot.answers.spec import card_remarks

_FIELDS = ("memory_gb", "bandwidth_gbs", "fp16_tensor_tflops", "fp32_tflops", "tdp_w", "nvlink_gbs", "architecture")
_ASKED = {"cuda_cores": "cuda_cores", "fp8": "fp8_tflops", "int8": "int8_tops", "msrp": "launch_price_usd"}
MAX_SIDES = 5


def compare(draft: Draft, found: Comparison, world: World, say: Callable[[Reason], str], currency: str) -> None:
    """Title: the winner and the reason, or that the difference does not matter. Then the table."""
    sides = found.sides[:MAX_SIDES]
    if found.reasons:
        draft.title = _sentence(draft, [say(reason) for reason in found.reasons])
    else:
        draft.title = " / ".join(_name(side) for side in sides)
    for extra in found.notes:
        draft.note(say(extra))
    _fastest(draft, found, sides)
    draft.blocks.append(_table(draft, sides, world, currency))
    if not draft.request.workloads and not draft.request.models:
        draft.note(draft.say("compare.no_work"), "assumption")
    if marked(tuple(side.gpu for side in sides), _FIELDS):
        draft.note(draft.say("spec.uncertain"))
    for side in sides:
        card_remarks(draft, side.gpu)
    draft.gpu_sources(*(side.gpu for side in sides))
    if len(sides) > 1:
        english = draft.request.language == "en"
        winner = found.winner or sides[0].gpu.name
        question = f"{winner} price" if english else draft.local(f"{winner}多少钱？")
        draft.suggest(draft.say("suggest.price"), question)
    draft.confidence = 0.85 if found.winner else 0.7


def _fastest(draft: Draft, found: Comparison, sides: tuple[Side, ...]) -> None:
    """Where something else decides, a faster card that the title does not name is named all the same."""
    known = sorted((side for side in sides if side.task_speed and not side.owned), key=lambda s: -(s.task_speed or 0.0))
    if len(known) < 3 or _name(known[0]) in draft.title:
        return
    winner = next((side for side in known if side.gpu.name == found.winner), None)
    if winner is not None and (known[0].task_speed or 0) > 1.08 * (winner.task_speed or 0):
        gain = (known[0].task_speed or 0.0) / (winner.task_speed or 1.0) - 1
        fast, slow = _name(known[0]), _name(winner)
        winner = next((side for side in sides if side.gpu.name == found.winner), None)
        if winner is not None and known[0].job_memory_gb < winner.job_memory_gb:
            memory = f"{known[0].job_memory_gb:g} GB"
            draft.note(
                draft.say("compare.faster_smaller", gpu=fast, other=slow, percent=round(100 * gain), memory=memory)
            )
        else:
            draft.note(draft.say("compare.fastest", gpu=fast, other=slow, percent=round(100 * gain)))


def _table(draft: Draft, sides: tuple[Side, ...], world: World, currency: str) -> Table:
    language = draft.request.language
    rows: list[tuple[str, ...]] = []
    extra = tuple(field for ask, field in _ASKED.items() if ask in (*draft.request.asks, draft.request.precision))
    for field in dict.fromkeys((*_FIELDS, *extra, "cuda_cores") if len(sides) == 2 else (*_FIELDS, *extra)):
        cells = tuple(_counted(side, figure(side.gpu, field), field) or "–" for side in sides)
        if any(cell != "–" for cell in cells):
            rows.append((draft.local(field_name(field, language)), *cells))
    formats = tuple(", ".join(name.upper() for name, state in side.formats if state == "yes") or "–" for side in sides)
    rows.append((draft.say("compare.formats"), *formats))
    speeds = tuple(_speed(draft, side) for side in sides)
    if any(cell != "–" for cell in speeds):
        rows.append((draft.say("compare.speed"), *speeds))
    rows.append((LABELS[language].columns[4], *(_price(draft, side, world, currency) for side in sides)))
    if sum(side.perf_per_dollar is not None for side in sides) > 1:
        values = (f"{side.perf_per_dollar:.0%}" if side.perf_per_dollar is not None else "–" for side in sides)
        rows.append((draft.say("compare.value"), *values))
    return Table(("", *(_name(side) for side in sides)), tuple(rows))


def _counted(side: Side, text: str, field: str) -> str:
    """ "2 x 24 GB GDDR6X" where the person speaks of two."""
    return f"{side.count} x {text}" if side.count > 1 and text and field in ("memory_gb", "tdp_w") else text


def _speed(draft: Draft, side: Side) -> str:
    if side.speed is None:
        return "–"
    basis = "measured" if side.speed_basis == "measured" else "estimated"
    off = 0.0
    if side.speed_high and side.speed_low:
        off = (side.speed_high - side.speed_low) / 2 / side.speed
    return draft.say(f"speed.{basis}", value=f"{side.speed:.2f}", percent=round(100 * off))


def _price(draft: Draft, side: Side, world: World, currency: str) -> str:
    points = [point for point in (side.point, side.used_point) if point is not None]
    if not points:
        return LABELS[draft.request.language].no_price
    shown = []
    for point in points:
        tag = price_tag(draft, point, draft.question.today, lambda money: world.rates.convert(money, currency))
        condition = LABELS[draft.request.language].conditions.get(tag.condition, "")
        label = draft.say("compare.msrp") if tag.kind == "msrp" else condition
        if tag.from_ebay:
            shown.append(f"{label} {LABELS[draft.request.language].on_ebay}".strip())
        else:
            shown.append(f"{label} {money_text(tag.money)} ({tag.as_of})")
    return "; ".join(shown)


def _name(side: Side) -> str:
    return f"{side.count}x {side.gpu.name}" if side.count > 1 else side.gpu.name


def _sentence(draft: Draft, parts: list[str]) -> str:
    """The reason and its clauses as one sentence, with a capital and a full stop."""
    english = draft.request.language == "en"
    text = ("; " if english else "；").join(parts)
    return text[:1].upper() + text[1:] + ("." if english else "。")

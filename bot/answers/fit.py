"""Will it fit, told: the verdict first, what decides it, what to change; what a card runs; what a model needs."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from bot.advice.fit import FitResult, Needed, Runs
from bot.answers.blocks import Table
from bot.answers.draft import Draft
from bot.answers.fit_words import FitWords
from bot.answers.fit_words import shown as figure
from bot.hardware.gpu import Gpu
from bot.hardware.memory import MemoryEstimate
from bot.hardware.models import Model

MAX_REMEDIES = 4
MAX_RUNS = 6
Cards = str
"""Cards as named in a sentence: "2x RTX 3090"."""


def verdict(draft: Draft, result: FitResult, cards: Cards, words: FitWords, task: str = "inference") -> None:
    """One model on one set of cards."""
    word = _word(draft, words)
    estimate = result.estimate
    draft.title = _title(draft, result, cards, task)
    refused = next((note for note in result.notes if note[0] == "vllm_compute"), None)
    if refused is not None:
        # Memory does not matter where the program does not run on the card at all.
        memory, why = draft.title, draft.local(words.note(refused, draft.request.language))
        draft.title = draft.say("fit.refused", why=why)
        draft.paragraph(memory)
    elif result.also_speed is not None:
        draft.paragraph(speed_text(draft, result.also_speed))
    _assumed(draft, estimate, words)
    if result.verdict != "fits":
        for remedy in result.remedies[:MAX_REMEDIES]:
            draft.note(draft.say("fit.change", change=draft.local(words.remedy(remedy, draft.request.language))))
    if len(result.ladder) > 1:
        rows = tuple(
            (figure("precision", name), f"{figure('gb', gb)} GB", word(f"verdict.{state}"))
            for name, gb, state in result.ladder
        )
        draft.blocks.append(Table((draft.say("fit.format"), draft.say("fit.memory"), cards), rows))
    for note in result.notes:
        draft.note(draft.local(words.note(note, draft.request.language)))
    draft.confidence = {"fits": 0.85, "tight": 0.7, "no": 0.85}[result.verdict]


def _title(draft: Draft, result: FitResult, cards: Cards, task: str) -> str:
    estimate = result.estimate
    model = result.model if task == "inference" else f"{result.model} ({draft.say('task.' + task)})"
    shard = next((remedy for remedy in result.remedies if remedy.code == "shard"), None)
    if result.verdict == "no" and shard is not None:
        return draft.say(
            "fit.sharded", model=model, cards=cards, low=figure("gb", estimate.low_gb),
            high=figure("gb", estimate.high_gb), gb=figure("gb", float(str(dict(shard.parameters)["gb"]))),
        )  # fmt: skip
    usable = figure("gb", result.usable_gb)
    if estimate.one_figure:
        return draft.say(
            f"fit.{result.verdict}", model=model, cards=cards, usable=usable, gb=figure("gb", result.need_gb),
            precision=figure("precision", estimate.precision),
        )  # fmt: skip
    return draft.say(
        f"fit.range.{result.verdict}", model=model, cards=cards, usable=usable,
        low=figure("gb", estimate.low_gb), high=figure("gb", estimate.high_gb),
    )  # fmt: skip


def several(draft: Draft, results: Sequence[tuple[Cards, str, FitResult]], words: FitWords) -> None:
    """Several cards, models or ways of training (task): the first verdict is the title, all of them are a table."""
    cards, task, result = results[0]
    verdict(draft, result, cards, words, task)
    other = next((one for _, _, one in results[1:] if one.verdict == "fits" and one.model != result.model), None)
    if result.verdict == "no" and other is not None:
        gb, precision = figure("gb", other.need_gb), figure("precision", other.estimate.precision)
        draft.title += draft.say("fit.but", model=other.model, precision=precision, gb=gb)
    word = _word(draft, words)
    rows = []
    for cards, task, result in results:
        estimate = result.estimate
        low = figure("gb", estimate.low_gb if not estimate.one_figure else result.need_gb)
        need = f"{low} GB" if estimate.one_figure else f"{low} – {figure('gb', estimate.high_gb)} GB"
        way = figure("precision", estimate.precision) if task == "inference" else draft.say(f"task.{task}")
        rows.append((cards, f"{result.model}, {way}", need, word(f"verdict.{result.verdict}")))
    columns = ("", draft.say("fit.model"), draft.say("fit.memory"), "")
    # The format ladder belongs to the first only; here it would repeat the table.
    draft.blocks = [block for block in draft.blocks if not isinstance(block, Table)]
    draft.blocks.insert(0, Table(columns, tuple(rows)))


def stand_in(draft: Draft, mine: tuple[Gpu, int], theirs: tuple[Gpu, int]) -> None:
    """Something ran on other cards: can these take their place? Judged by the memory of each card and of all."""
    (gpu, count), (other, others) = mine, theirs
    more = "more" if gpu.memory_gb > other.memory_gb else "same" if gpu.memory_gb == other.memory_gb else "less"
    draft.title = draft.say(
        f"stand_in.{more}",
        gpu=gpu.name,
        memory=f"{gpu.memory_gb:g} GB",
        other=other.name,
        their=f"{other.memory_gb:g} GB",
    )
    totals = (
        f"{count} x {gpu.memory_gb:g} = {count * gpu.memory_gb:g} GB",
        f"{others} x {other.memory_gb:g} = {others * other.memory_gb:g} GB",
    )
    if count * others > 1:
        draft.note(draft.say("stand_in.total", mine=totals[0], theirs=totals[1]))
    if count < others:
        draft.note(draft.say("stand_in.accumulate", factor=f"{others / count:g}"))
    draft.confidence = 0.75


def needed(draft: Draft, found: Sequence[Needed], words: FitWords) -> None:
    """What one or more models take, by format or by way of training, and which cards hold that."""
    word = _word(draft, words)
    rows = []
    for need in found:
        for row in need.rows:
            estimate = row.estimate
            what = f"{need.model}, {draft.say('task.' + need.task)}, {figure('precision', row.precision)}"
            cards = ", ".join(word("need.cards", count=count, size=size) for count, size in row.cards) or "–"
            rows.append((what, _range(estimate), cards))
    first = found[0]
    last = first.rows[0] if (draft.request.users or 1) > 1 else first.rows[-1]
    draft.title = draft.say(
        "need.title" if last.estimate.one_figure else "need.title.range",
        model=first.model, task=draft.say("task." + first.task), gb=_range(last.estimate),
        precision=figure("precision", last.precision),
    )  # fmt: skip
    draft.blocks.append(Table((draft.say("fit.model"), draft.say("fit.memory"), draft.say("fit.cards")), tuple(rows)))
    _assumed(draft, last.estimate, words)
    draft.confidence = 0.8


def runs(draft: Draft, found: Sequence[Runs], largest: Runs | None, cards: Cards, words: FitWords) -> None:
    """What these cards run, largest first."""
    word = _word(draft, words)
    if not found and largest is None:
        draft.title = draft.say("runs.nothing", cards=cards)
        return
    if largest is not None:
        draft.title = draft.say(
            "runs.size", cards=cards, size=largest.model, precision=figure("precision", largest.precision)
        )
    else:
        draft.title = draft.say("runs.largest", cards=cards, model=found[0].model)
    rows = tuple(
        (run.model, figure("precision", run.precision), f"{figure('gb', run.gb)} GB", word(f"verdict.{run.verdict}"))
        for run in found[:MAX_RUNS]
    )
    columns = (draft.say("fit.model"), draft.say("fit.format"), draft.say("fit.memory"), "")
    draft.blocks.append(Table(columns, rows))
    draft.note(draft.say("runs.context"), "assumption")
    draft.confidence = 0.8


def sizes(draft: Draft, found: Sequence[tuple[Cards, Runs]], words: FitWords) -> None:
    """Several cards or memory sizes by the largest language model that each runs; the first is the title."""
    draft.title = " ".join(
        draft.say("runs.size", cards=cards, size=run.model, precision=figure("precision", run.precision))
        for cards, run in found[:2]
    )
    rows = tuple(
        (cards, run.model, figure("precision", run.precision), f"{figure('gb', run.gb)} GB") for cards, run in found
    )
    columns = ("", draft.say("fit.model"), draft.say("fit.format"), draft.say("fit.memory"))
    draft.blocks.append(Table(columns, rows))
    draft.note(draft.say("runs.context"), "assumption")
    draft.confidence = 0.75


def speed_text(draft: Draft, speed: object) -> str:
    """ "about 14 to 18 tokens/s (estimated, ±15 %)"."""
    value, low, high = (float(getattr(speed, name)) for name in ("value", "low", "high"))
    basis = str(getattr(speed, "basis", "estimated"))
    source = str(getattr(speed, "source", ""))
    if basis == "measured":
        draft.cited(source)
        return draft.say("speed.tokens.measured", value=_rounded(value))
    return draft.say("speed.tokens.estimated", low=_rounded(low), high=_rounded(high))


def _rounded(value: float) -> str:
    """Two figures: 3.4, 16, 150."""
    if value < 10:
        return f"{value:.1f}"
    step = 10 if value >= 100 else 1
    return f"{round(value / step) * step:,.0f}"


def model_sources(draft: Draft, models: Sequence[Model]) -> None:
    """Where the shape of each model is from."""
    for model in models:
        if model.source and not model.generic:
            draft.source(f"{model.name}: {model.source}", "", model.as_of)


def _assumed(draft: Draft, estimate: MemoryEstimate, words: FitWords) -> None:
    language = draft.request.language
    stop = "; " if language == "en" else "；"
    parts = [draft.local(words.assumption(assumption, language)) for assumption in estimate.assumptions]
    if parts:
        draft.note(draft.say("fit.assumed", parts=stop.join(parts)), "assumption")
    if not estimate.one_figure:
        draft.note(draft.local(words.deciding(estimate, language)))
    for source in estimate.sources:
        draft.cited(source)


def _range(estimate: MemoryEstimate) -> str:
    if estimate.one_figure:
        return f"{figure('gb', estimate.likely_gb)} GB"
    return f"{figure('gb', estimate.low_gb)} – {figure('gb', estimate.high_gb)} GB"


def _word(draft: Draft, words: FitWords) -> Callable[..., str]:
    def word(code: str, **values: object) -> str:
        return draft.local(words.say(code, draft.request.language, **values))

    return word

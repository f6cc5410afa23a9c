"""Will it fit, told: the verdict first, what decides it, what to change; what a card runs; what a model needs."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from bot.advice.fit import FitResult, Needed, Runs
from bot.answers.blocks import Table
from bot.answers.draft import Draft
from bot.answers.fit_words import FitWords
from bot.answers.fit_words import shown as figure
from bot.hardware.memory import MemoryEstimate
from bot.hardware.models import Model

MAX_REMEDIES = 4
MAX_RUNS = 6
Cards = str
"""Cards as named in a sentence: "2x RTX 3090"."""


def verdict(draft: Draft, result: FitResult, cards: Cards, words: FitWords) -> None:
    """One model on one set of cards."""
    say = _say(draft, words)
    estimate = result.estimate
    key = "fit" if estimate.one_figure else "fit.range"
    values = {
        "model": result.model, "cards": cards, "precision": figure("precision", estimate.precision),
        "usable": figure("gb", result.usable_gb),
    }  # fmt: skip
    if estimate.one_figure:
        draft.title = draft.say(f"{key}.{result.verdict}", gb=figure("gb", result.need_gb), **values)
    else:
        values.pop("precision")
        draft.title = draft.say(
            f"{key}.{result.verdict}", low=figure("gb", estimate.low_gb), high=figure("gb", estimate.high_gb), **values
        )
    if result.also_speed is not None:
        draft.paragraph(speed_text(draft, result.also_speed))
    _assumed(draft, estimate, words)
    if result.verdict != "fits":
        for remedy in result.remedies[:MAX_REMEDIES]:
            draft.note(draft.say("fit.change", change=draft.local(words.remedy(remedy, draft.request.language))))
    if len(result.ladder) > 1:
        rows = tuple(
            (figure("precision", name), f"{figure('gb', gb)} GB", say(f"verdict.{word}"))
            for name, gb, word in result.ladder
        )
        draft.blocks.append(Table((draft.say("fit.format"), draft.say("fit.memory"), cards), rows))
    for note in result.notes:
        draft.note(draft.local(words.note(note, draft.request.language)))
    draft.confidence = {"fits": 0.85, "tight": 0.7, "no": 0.85}[result.verdict]


def several(draft: Draft, results: Sequence[tuple[Cards, FitResult]], words: FitWords) -> None:
    """Several cards or several models: the first verdict is the title, all of them are a table."""
    verdict(draft, results[0][1], results[0][0], words)
    say = _say(draft, words)
    rows = []
    for cards, result in results:
        estimate = result.estimate
        low = figure("gb", estimate.low_gb if not estimate.one_figure else result.need_gb)
        need = f"{low} GB" if estimate.one_figure else f"{low} – {figure('gb', estimate.high_gb)} GB"
        shown_format = figure("precision", estimate.precision)
        rows.append((cards, f"{result.model}, {shown_format}", need, say(f"verdict.{result.verdict}")))
    columns = ("", draft.say("fit.model"), draft.say("fit.memory"), "")
    # The format ladder belongs to the first only; here it would repeat the table.
    draft.blocks = [block for block in draft.blocks if not isinstance(block, Table)]
    draft.blocks.insert(0, Table(columns, tuple(rows)))


def needed(draft: Draft, found: Sequence[Needed], words: FitWords) -> None:
    """What one or more models take, by format or by way of training, and which cards hold that."""
    say = _say(draft, words)
    rows = []
    for need in found:
        for row in need.rows:
            estimate = row.estimate
            what = f"{need.model}, {draft.say('task.' + need.task)}, {figure('precision', row.precision)}"
            cards = ", ".join(say("need.cards", count=count, size=size) for count, size in row.cards) or "–"
            rows.append((what, _range(estimate), cards))
    first = found[0]
    last = first.rows[-1]
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
    say = _say(draft, words)
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
        (run.model, figure("precision", run.precision), f"{figure('gb', run.gb)} GB", say(f"verdict.{run.verdict}"))
        for run in found[:MAX_RUNS]
    )
    columns = (draft.say("fit.model"), draft.say("fit.format"), draft.say("fit.memory"), "")
    draft.blocks.append(Table(columns, rows))
    draft.note(draft.say("runs.context"), "assumption")
    draft.confidence = 0.8


def speed_text(draft: Draft, speed: object) -> str:
    """ "about 14 to 18 tokens/s (estimated, ±15 %)"."""
    value, low, high = (float(getattr(speed, name)) for name in ("value", "low", "high"))
    basis = str(getattr(speed, "basis", "estimated"))
    source = str(getattr(speed, "source", ""))
    if basis == "measured":
        draft.cited(source)
        return draft.say("speed.tokens.measured", value=f"{value:.0f}")
    return draft.say("speed.tokens.estimated", low=f"{low:.2g}", high=f"{high:.2g}")


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


def _say(draft: Draft, words: FitWords) -> Callable[..., str]:
    def say(code: str, **values: object) -> str:
        return draft.local(words.say(code, draft.request.language, **values))

    return say

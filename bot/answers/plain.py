"""The whole answer as plain text: for pipes, for the log, for screen readers."""

from __future__ import annotations

from bot.answers.blocks import Answer, Bars, Note, Paragraph, Pick, Picks, Table
from bot.answers.labels import LABELS, Labels
from bot.answers.numbers import money_text

_NOTE_MARK = {"warning": "! ", "correction": "! ", "info": "- ", "assumption": "- ", "then": "- "}


def pick_headline(pick: Pick, labels: Labels) -> str:
    """ "2x RTX 3090, used, 24 GB: USD 990 (2026-07, old)"."""
    count = f"{pick.count}x " if pick.count > 1 else ""
    condition = labels.conditions[pick.condition]
    text = f"{count}{pick.gpu}, {condition}, {pick.memory_gb:g} GB"
    if pick.role == "rent":
        text = f"{count}{pick.gpu}, {pick.memory_gb:g} GB"
    return f"{text}: {price_text(pick, labels)}"


def price_text(pick: Pick, labels: Labels) -> str:
    """The price of a pick with its age, or that none is known."""
    if pick.price is None:
        return labels.no_price
    if pick.price.from_ebay:
        return labels.on_ebay
    shown = money_text(pick.price.money)
    if pick.role == "rent":
        shown += labels.per_hour
    elif pick.count > 1 and pick.total is not None:
        shown = f"{money_text(pick.total)} ({pick.count} x {shown})"
    return f"{shown} ({pick.price.age_text})"


def plain_text(answer: Answer) -> str:
    """Title, blocks, how current the prices are, sources and suggestions, a line each."""
    labels = LABELS[answer.language]
    lines = [answer.title]
    for block in answer.blocks:
        match block:
            case Paragraph(text):
                lines += ["", text]
            case Note(text, tone):
                lines.append(_NOTE_MARK[tone] + text)
            case Picks(picks):
                lines.append("")
                for pick in picks:
                    lines.append(f"[{labels.roles[pick.role]}] {pick_headline(pick, labels)}")
                    lines += [f"    + {reason}" for reason in pick.reasons]
                    lines += [f"    - {warning}" for warning in pick.warnings]
            case Table(columns, rows, title):
                lines.append("")
                if title:
                    lines.append(title)
                lines += [" | ".join(columns), *(" | ".join(row) for row in rows)]
            case Bars(title, items):
                lines += ["", title, *(f"  {label}: {shown}" for label, _, shown in items)]
    if answer.price_footer:
        lines += ["", answer.price_footer]
    if answer.sources:
        lines += ["", labels.sources + ":"]
        lines += [f"  {s.title} ({s.as_of})" + (f" {s.ref}" if s.ref else "") for s in answer.sources]
    if answer.suggestions:
        lines += ["", (labels.choose if answer.abstained else labels.next) + ":"]
        lines += [f"  {suggestion.question}" for suggestion in answer.suggestions]
    return "\n".join(lines)

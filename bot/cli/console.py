"""The answer in a terminal: headline, table of picks, bars, notes, dated sources."""

from __future__ import annotations

from rich import box
from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.table import Table as RichTable
from rich.text import Text

from bot.answers.blocks import Answer, Bars, Note, Paragraph, Pick, Picks, Table
from bot.answers.labels import LABELS, Labels
from bot.answers.numbers import gbs
from bot.answers.plain import price_text

_NOTE_STYLE = {
    "info": ("·", "default"),
    "warning": ("!", "yellow"),
    "correction": ("≠", "yellow"),
    "assumption": ("·", "dim"),
    "then": ("·", "cyan"),
}
_BAR_WIDTH = 24
_MAX_WIDTH = 100


def render(answer: Answer) -> RenderableType:
    """The answer as something a rich console prints. Text is never read as markup."""
    labels = LABELS[answer.language]
    parts: list[RenderableType] = [Text(answer.title, style="bold")]
    for block in answer.blocks:
        match block:
            case Paragraph(text):
                parts += [Text(), Text(text)]
            case Note(text, tone):
                mark, style = _NOTE_STYLE[tone]
                parts.append(Padding(Text(f"{mark} {text}", style=style), (0, 0, 0, 2)))
            case Picks(picks):
                parts += [Text(), _picks_table(picks, labels), *_why(picks, labels)]
            case Table():
                parts += [Text(), _table(block)]
            case Bars():
                parts += [Text(), _bars(block)]
    if answer.price_footer:
        parts += [Text(), Text(answer.price_footer, style="italic")]
    if answer.sources:
        parts += [Text(), Text(labels.sources, style="dim bold")]
        for source in answer.sources:
            reference = f"  {source.ref}" if source.ref else ""
            parts.append(Padding(Text(f"{source.title} ({source.as_of}){reference}", style="dim"), (0, 0, 0, 2)))
    if answer.suggestions:
        parts += [Text(), Text(labels.choose if answer.abstained else labels.next, style="dim bold")]
        parts += [Padding(Text(s.question, style="green"), (0, 0, 0, 2)) for s in answer.suggestions]
    return Group(*parts)


def print_answer(answer: Answer, console: Console | None = None) -> None:
    """Print the answer, never wider than is comfortable to read."""
    console = console or Console(highlight=False)
    console.print(render(answer), width=min(console.width, _MAX_WIDTH))


def _picks_table(picks: tuple[Pick, ...], labels: Labels) -> RichTable:
    table = RichTable(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
    for index, column in enumerate(labels.columns):
        table.add_column(column, justify="right" if index in (2, 3) else "left", overflow="fold")
    for pick in picks:
        count = f"{pick.count}x " if pick.count > 1 else ""
        table.add_row(
            Text(labels.roles[pick.role], style="bold green" if pick.role == "best" else "default"),
            Text(f"{count}{pick.gpu}" + (f" ({labels.conditions[pick.condition]})" if pick.role != "rent" else "")),
            Text(f"{pick.memory_gb:g} GB"),
            Text(gbs(pick.bandwidth_gbs) if pick.bandwidth_gbs else ""),
            Text(price_text(pick, labels), style="yellow" if pick.check_price_first else "default"),
        )
    return table


def _why(picks: tuple[Pick, ...], labels: Labels) -> list[RenderableType]:
    parts: list[RenderableType] = []
    for pick in picks:
        if not pick.reasons and not pick.warnings:
            continue
        parts.append(Text(pick.gpu, style="bold" if pick.role == "best" else "default"))
        parts += [Padding(Text(f"+ {reason}"), (0, 0, 0, 2)) for reason in pick.reasons]
        parts += [Padding(Text(f"- {warning}", style="yellow"), (0, 0, 0, 2)) for warning in pick.warnings]
    return parts


def _table(block: Table) -> RichTable:
    table = RichTable(
        box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False, title=block.title or None, title_justify="left"
    )
    for column in block.columns:
        table.add_column(column, overflow="fold")
    for row in block.rows:
        table.add_row(*(Text(cell) for cell in row))
    return table


def _bars(block: Bars) -> RenderableType:
    top = max((value for _, value, _ in block.items), default=0.0) or 1.0
    table = RichTable(box=None, pad_edge=False, show_header=False)
    for _ in range(3):
        table.add_column()
    for label, value, shown in block.items:
        table.add_row(Text(label), Text("█" * max(1, round(_BAR_WIDTH * value / top)), style="blue"), Text(shown))
    return Group(Text(block.title, style="italic"), table)

"""An Answer as an embed: the headline answers, picks with price and age, aligned figures, sources, how current it is.

`render` is a pure function of the answer. `full` shows every reason, remark and source (the button "Why?").
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from bot.answers.blocks import Answer, Bars, Block, Note, Paragraph, Pick, Picks, SourceRef, Table
from bot.answers.labels import LABELS, Labels
from bot.answers.numbers import gbs
from bot.answers.plain import plain_text, price_text
from bot.discord_app.blocks_text import bars_text, table_text
from bot.discord_app.escape import clean, escape, plain
from bot.discord_app.limits import BLANK, EMBED_TITLE, FIELD_VALUE, clip, fit_content, fit_embed, length
from bot.request import Kind

COLOURS: dict[Kind, int] = {
    "recommend": 0x2E9E6B, "compare": 0x3B82F6, "spec": 0x3B82F6, "fit": 0x8B5CF6, "price": 0xD9932B,
    "concept": 0x14919B,
}  # fmt: skip
GREY = 0x80848E
ROLE_SIGNS = {
    "best": "🏆", "cheaper": "💸", "more_memory": "🧠", "faster": "⚡", "used": "♻️", "several": "🧩", "rent": "☁️",
}  # fmt: skip
NOTE_SIGNS = {"warning": "⚠️ ", "correction": "✏️ ", "then": "🕰️ ", "info": "", "assumption": ""}
REASONS, WARNINGS, OTHER_WARNINGS, REMARKS, SOURCES, CHOICES = 3, 2, 1, 4, 3, 6
"""How many of each the short form shows: reasons and warnings of the best pick, warnings of the others, remarks,
sources, choices where the bot asks back."""
SOURCE = 60
"""Units of a source's title in the short form."""
PARAGRAPHS = 900
"""Units of running text in the short form."""


def render(answer: Answer, *, full: bool = False) -> dict[str, Any]:
    """The embed as Discord's JSON, inside every limit."""
    labels = LABELS[answer.language]
    text = _Text()
    fields: list[dict[str, Any]] = []
    title = clean(answer.title)
    if length(title) > EMBED_TITLE:
        # A headline too long for a title is the first paragraph instead.
        text.add("**" + escape(title) + "**")
        title = ""
    for block in answer.blocks:
        if isinstance(block, Note) and block.tone == "correction":
            text.add(NOTE_SIGNS["correction"] + escape(block.text))
    room = 10_000 if full else PARAGRAPHS
    for block in answer.blocks:
        if isinstance(block, Paragraph) and room > 80:
            shown = clip(escape(block.text), room)
            room -= length(shown)
            text.add(shown)
    for block in answer.blocks:
        fields += _block_fields(block, labels, full)
    if answer.abstained and len(answer.suggestions) > 1 and not full:
        # The menu shows its choices only when it is opened.
        text.add("\n".join(f"• {escape(clip(choice.label, 90))}" for choice in answer.suggestions[:CHOICES]))
    remarks = _remarks(answer.blocks, full)
    sources = _sources(answer.sources, full)
    if not full:
        # One field for both: each field without a name leaves a gap above it.
        remarks += ["-# " + " · ".join(sources)] if sources else []
        sources = []
    if remarks:
        fields += _chunked(BLANK, remarks)
    if sources:
        fields += _chunked(labels.sources, sources)
    embed: dict[str, Any] = {
        "type": "rich",
        "title": escape(title) if length(escape(title)) <= EMBED_TITLE else plain(title),
        "description": text.joined(),
        "color": GREY if answer.abstained else COLOURS.get(answer.kind, GREY),
        "fields": fields,
        "footer": {"text": plain(answer.price_footer)},
    }
    return fit_embed(embed)


def as_content(answer: Answer) -> str:
    """The answer as message text, where embeds may not be sent."""
    return fit_content(escape(plain_text(answer)))


class _Text:
    def __init__(self) -> None:
        self._parts: list[str] = []

    def add(self, text: str) -> None:
        if text:
            self._parts.append(text)

    def joined(self) -> str:
        return "\n\n".join(self._parts)


def _block_fields(block: Block, labels: Labels, full: bool) -> list[dict[str, Any]]:
    match block:
        case Picks(picks):
            return [_pick_field(pick, labels, first=place == 0, full=full) for place, pick in enumerate(picks)]
        case Table():
            return _chunked(plain(block.title) or BLANK, table_text(block).split("\n"))
        case Bars():
            return _chunked(plain(block.title) or BLANK, bars_text(block).split("\n"))
    return []


def _pick_field(pick: Pick, labels: Labels, *, first: bool, full: bool) -> dict[str, Any]:
    count = f"{pick.count}× " if pick.count > 1 else ""
    role = labels.roles[pick.role]
    condition = "" if pick.role == "rent" else labels.conditions[pick.condition]
    if condition:
        condition = f" ({condition})" if condition.isascii() else f"（{condition}）"
    name = f"{ROLE_SIGNS[pick.role]} {role[:1].upper()}{role[1:]}{_colon(role)}{count}{plain(pick.gpu)}{condition}"
    price, age = _price_parts(pick, labels)
    figures = [f"**{escape(price)}**", f"{pick.memory_gb:g} GB"]
    if pick.bandwidth_gbs:
        figures.append(gbs(pick.bandwidth_gbs))
    lines = [" · ".join(figures)]
    if age:
        lines.append(f"-# {'⚠️ ' if pick.check_price_first else ''}{escape(age)}")
    reasons = pick.reasons if full else pick.reasons[: REASONS if first else REASONS - 1]
    warnings = pick.warnings if full else pick.warnings[: WARNINGS if first else OTHER_WARNINGS]
    lines += [f"• {escape(reason)}" for reason in reasons]
    lines += [f"△ {escape(warning)}" for warning in warnings]
    return {"name": name, "value": "\n".join(lines), "inline": not first and not full}


def _colon(word: str) -> str:
    return ": " if word.isascii() else "："


def _price_parts(pick: Pick, labels: Labels) -> tuple[str, str]:
    """The price and its age apart, as the plain text says them together."""
    if pick.price is None or pick.price.from_ebay:
        return price_text(pick, labels), ""
    text = price_text(pick, labels)
    return text.removesuffix(f" ({pick.price.age_text})"), pick.price.age_text


def _remarks(blocks: Sequence[Block], full: bool) -> list[str]:
    notes = [block for block in blocks if isinstance(block, Note) and block.tone != "correction"]
    loud = [f"{NOTE_SIGNS[note.tone]}{escape(note.text)}" for note in notes if note.tone in ("warning", "then")]
    quiet = [f"-# {escape(note.text)}" for note in notes if note.tone in ("info", "assumption")]
    return (loud + quiet) if full else (loud[:REMARKS] + quiet[: max(1, REMARKS - len(loud))])


def _sources(sources: Sequence[SourceRef], full: bool) -> list[str]:
    lines = []
    most = 20 if full else SOURCES
    for source in sources[:most]:
        title = source.title
        if not full and length(title) > SOURCE:
            title = clip(title.split(" (")[0], SOURCE)
        title = escape(clip(title, 200))
        if source.ref.startswith("https://") and " " not in source.ref and ")" not in source.ref:
            title = f"[{title}]({source.ref})"
        lines.append(f"{title} ({escape(source.as_of)})")
    if len(sources) > most:
        lines.append(f"+{len(sources) - most}")
    return lines


def _chunked(name: str, lines: Sequence[str]) -> list[dict[str, Any]]:
    """Lines in as few fields as hold them; a code block that is parted is closed and opened again."""
    chunks: list[list[str]] = [[]]
    size, in_block = 0, False
    for line in lines:
        line = clip(line, FIELD_VALUE - 16)
        if size + length(line) + 1 > FIELD_VALUE - 8 and chunks[-1]:
            if in_block:
                chunks[-1].append("```")
            chunks.append(["```"] if in_block else [])
            size = 4 if in_block else 0
        if line.count("```") % 2:
            in_block = not in_block
        chunks[-1].append(line)
        size += length(line) + 1
    return [
        {"name": name if place == 0 else BLANK, "value": "\n".join(chunk), "inline": False}
        for place, chunk in enumerate(chunks)
        if any(line.strip() for line in chunk)
    ]

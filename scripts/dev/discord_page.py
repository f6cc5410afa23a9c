"""A message as Discord's client shows it, as an HTML page: the part of Discord's Markdown that the bot uses, embeds,
buttons, menus; light and dark, desktop and phone."""

from __future__ import annotations

import html
import re
from collections.abc import Mapping, Sequence
from typing import Any, Literal

Theme = Literal["dark", "light"]

STYLE = """
* { box-sizing: border-box; margin: 0; }
body { font: 16px/22px "gg sans", "Noto Sans", "Noto Sans CJK SC", "Helvetica Neue", Helvetica, Arial, sans-serif; }
body.dark { --page: #1a1a1e; --embed: #242429; --edge: #2f2f35; --text: #dfe0e2; --strong: #f2f2f3; --faint: #94959c;
  --code: #1d1d21; --button: #2c2c33; --link: #7cb2f5; --blurple: #5865f2; }
body.light { --page: #ffffff; --embed: #ffffff; --edge: #dedfe2; --text: #2f3035; --strong: #17181a; --faint: #686a72;
  --code: #f2f2f4; --button: #e7e8ea; --link: #006ce7; --blurple: #5865f2; }
body { background: var(--page); color: var(--text); }
.page { padding: 16px 16px 18px; }
.asked { font-size: 14px; line-height: 18px; color: var(--faint); margin: 0 0 4px 56px; }
.asked b { color: var(--strong); font-weight: 500; }
.message { display: grid; grid-template-columns: 40px minmax(0, 1fr); column-gap: 16px; }
.avatar { width: 40px; height: 40px; border-radius: 50%; background: #2e9e6b; color: #fff; font: 700 13px/40px
  "Noto Sans", Arial, sans-serif; text-align: center; letter-spacing: -.3px; }
.who { line-height: 22px; } .who b { color: var(--strong); font-weight: 500; }
.who i { font: 500 10px/15px "Noto Sans", Arial, sans-serif; background: var(--blurple); color: #fff;
  border-radius: 4px; padding: 0 4px; margin: 0 6px 0 4px; display: inline-block; vertical-align: 1px; }
.who time { font-size: 12px; color: var(--faint); }
.embed { border: 1px solid var(--edge); border-left: 4px solid var(--colour); border-radius: 4px;
  background: var(--embed); max-width: 516px; padding: 8px 16px 14px 12px; margin-top: 4px; font-size: 14px;
  line-height: 18px; }
.title { font-size: 16px; line-height: 22px; font-weight: 600; color: var(--strong); margin-top: 8px; }
.description { margin-top: 8px; }
.fields { display: grid; grid-template-columns: repeat(12, 1fr); gap: 8px; margin-top: 8px; }
.field { min-width: 0; } .name { font-weight: 600; color: var(--strong); min-height: 18px; margin-bottom: 2px; }
.footer { font-size: 12px; line-height: 16px; color: var(--faint); margin-top: 8px; }
pre { font: 12px/16px "DejaVu Sans Mono", "Noto Sans Mono CJK SC", Consolas, monospace; background: var(--code);
  border: 1px solid var(--edge); border-radius: 4px; padding: 7px; margin-top: 6px; white-space: pre-wrap;
  overflow-wrap: anywhere; }
code { font: 12px "DejaVu Sans Mono", "Noto Sans Mono CJK SC", Consolas, monospace; background: var(--code);
  border-radius: 4px; padding: 0 3px; }
small { font-size: 12px; line-height: 16px; color: var(--faint); display: block; }
a { color: var(--link); text-decoration: none; }
.row { display: flex; flex-wrap: wrap; gap: 8px; margin-top: 8px; }
.button { background: var(--button); border: 1px solid var(--edge); border-radius: 8px; padding: 4px 11px;
  min-height: 32px; font-size: 14px; font-weight: 500; color: var(--strong); }
.menu { width: 400px; max-width: 100%; background: var(--code); border: 1px solid var(--edge); border-radius: 8px;
  padding: 8px 12px; color: var(--faint); display: flex; justify-content: space-between; }
.phone .page { padding: 12px 12px 14px; } .phone .message { column-gap: 12px; } .phone .asked { margin-left: 52px; }
.phone .field { grid-column: 1 / -1 !important; }
"""

_INLINE = (
    (re.compile(r"`([^`\n]+)`"), r"<code>\1</code>"),
    (re.compile(r"\[([^\]\n]+)\]\((https://[^)\s]+)\)"), r'<a href="\2">\1</a>'),
    (re.compile(r"\*\*(.+?)\*\*", re.DOTALL), r"<b>\1</b>"),
    (re.compile(r"(?<![\w*])\*([^*\n]+)\*(?![\w*])"), r"<i>\1</i>"),
    (re.compile(r"~~(.+?)~~"), r"<s>\1</s>"),
)
_ESCAPED = re.compile(r"\\([\\`*_~|>#\-\[\]().:<+@])")


def markdown(text: str) -> str:
    """Discord's Markdown as HTML: emphasis, code, links, small print, lists; escaped signs stay what they are."""
    parts = re.split(r"```(?:\w*\n)?(.*?)```\n?", text, flags=re.DOTALL)
    made = []
    for place, part in enumerate(parts):
        if place % 2:
            made.append(f"<pre>{html.escape(part.rstrip(chr(10)))}</pre>")
        elif part:
            made.append(_prose(part))
    return "".join(made)


def _prose(text: str) -> str:
    kept: list[str] = []

    def keep(found: re.Match[str]) -> str:
        kept.append(html.escape(found[1]))
        return f"\ue000{len(kept) - 1}\ue001"

    shown = html.escape(_ESCAPED.sub(keep, text), quote=False)
    for pattern, replacement in _INLINE:
        shown = pattern.sub(replacement, shown)
    lines = []
    for line in shown.strip("\n").split("\n"):
        lines.append(f"<small>{line[3:]}</small>" if line.startswith("-# ") else f"<div>{line or '&nbsp;'}</div>")
    return re.sub("\ue000(\\d+)\ue001", lambda found: kept[int(found[1])], "".join(lines))


def embed_html(embed: Mapping[str, Any]) -> str:
    """One embed."""
    parts = []
    if embed.get("title"):
        parts.append(f'<div class="title">{markdown(embed["title"])}</div>')
    if embed.get("description"):
        parts.append(f'<div class="description">{markdown(embed["description"])}</div>')
    fields = embed.get("fields") or []
    if fields:
        cells = "".join(
            f'<div class="field" style="grid-column: {columns}"><div class="name">{markdown(field["name"])}</div>'
            f"{markdown(field['value'])}</div>"
            for field, columns in zip(fields, _columns(fields), strict=True)
        )
        parts.append(f'<div class="fields">{cells}</div>')
    footer = (embed.get("footer") or {}).get("text")
    if footer:
        parts.append(f'<div class="footer">{html.escape(footer)}</div>')
    colour = f"#{int(embed.get('color') or 0x80848E):06x}"
    return f'<div class="embed" style="--colour: {colour}">{"".join(parts)}</div>'


def _columns(fields: Sequence[Mapping[str, Any]]) -> list[str]:
    """Inline fields share a row, three at most, as Discord lays them out."""
    columns: list[str] = []
    place = 0
    while place < len(fields):
        run = 1
        if fields[place].get("inline"):
            while run < 3 and place + run < len(fields) and fields[place + run].get("inline"):
                run += 1
        width = 12 // run
        columns += [f"{1 + number * width} / {1 + (number + 1) * width}" for number in range(run)]
        place += run
    return columns


def components_html(rows: Sequence[Mapping[str, Any]]) -> str:
    """Buttons and menus."""
    made = []
    for row in rows:
        cells = []
        for part in row["components"]:
            if part["type"] == 3:
                text = html.escape(part.get("placeholder") or "")
                cells.append(f'<div class="menu"><span>{text}</span><span>⌄</span></div>')
            else:
                emoji = (part.get("emoji") or {}).get("name") or ""
                cells.append(
                    f'<div class="button">{html.escape(" ".join((emoji, part.get("label") or "")).strip())}</div>'
                )
        made.append(f'<div class="row">{"".join(cells)}</div>')
    return "".join(made)


def page(body: Mapping[str, Any], asked: str, theme: Theme, *, phone: bool = False) -> str:
    """A message and the question it answers."""
    shown = markdown(body.get("content") or "")
    shown += "".join(embed_html(embed) for embed in body.get("embeds") or [])
    shown += components_html(body.get("components") or [])
    return (
        f'<!doctype html><meta charset="utf-8"><style>{STYLE}</style>'
        f'<body class="{theme}{" phone" if phone else ""}"><div class="page">'
        f'<div class="asked"><b>reader</b> used <b>/ask</b> {html.escape(asked)}</div>'
        f'<div class="message"><div class="avatar">GPU</div><div><div class="who"><b>whichgpu</b><i>APP</i>'
        f"<time>12:00</time></div>{shown}</div></div></div>"
        "<script>const page = document.querySelector('.page').getBoundingClientRect();"
        "document.title = Math.ceil(page.height)</script></body>"
    )

"""Discord's limits: `fit_*` bring content inside them, `faults` names what a payload breaks.

Lengths are counted in UTF-16 units, the longest of the ways Discord may count. Source of the figures: Discord's API
documentation (2026-08) and its OpenAPI description (2026-07); those marked "seen" are not documented.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

CONTENT = 2000
EMBED_TITLE, EMBED_DESCRIPTION, EMBED_AUTHOR, EMBED_FOOTER = 256, 4096, 256, 2048
EMBED_FIELDS, FIELD_NAME, FIELD_VALUE = 25, 256, 1024
EMBEDS, EMBEDS_TOTAL = 10, 6000
CHOICES, CHOICE_NAME, CHOICE_VALUE = 25, 100, 100
COMMAND_NAME, DESCRIPTION, OPTIONS, COMMAND_TOTAL = 32, 100, 25, 8000
ROWS, BUTTONS, BUTTON_LABEL, CUSTOM_ID, URL = 5, 5, 80, 100, 512
SELECT_OPTIONS, OPTION_LABEL, OPTION_VALUE, OPTION_DESCRIPTION, PLACEHOLDER = 25, 100, 100, 100, 150
MODAL_TITLE, MODAL_ITEMS, INPUT_LABEL, INPUT_TEXT = 45, 5, 45, 4000
V2_COMPONENTS, V2_TEXT = 40, 4000
V2_FLAG = 1 << 15
NAME = re.compile(r"[-_'\w]{1,32}")
BLANK = "\u200b"
"""What stands where Discord refuses an empty text."""


def length(text: str) -> int:
    """Length in UTF-16 units."""
    return len(text) if text.isascii() else len(text.encode("utf-16-le", "surrogatepass")) // 2


def fits(text: str, most: int) -> bool:
    """Whether a text has at most `most` units; most texts are told without counting."""
    return len(text) * 2 <= most or length(text) <= most


def clip(text: str, most: int) -> str:
    """At most `most` units, cut at a word where one is near, ending in an ellipsis; open code blocks are closed."""
    if fits(text, most):
        return text
    if most <= 1:
        return "…"[:most]
    cut = _shortened(text, most - 1)
    if cut.count("```") % 2:
        cut = _shortened(text, max(0, most - 5))
        if cut.count("```") % 2:
            cut += "\n```"
    return cut + "…"


def _shortened(text: str, most: int) -> str:
    """The beginning of a text that is too long, cut at a word where one is near, never inside a character."""
    cut = text[:most]
    while length(cut) > most:
        cut = cut[: -max(1, (length(cut) - most) // 2)]
    space = max(cut.rfind(" "), cut.rfind("\n"))
    if space > len(cut) * 0.8:
        cut = cut[:space]
    # Neither half a fence nor a joiner without its second half may stand at the end.
    cut = cut.rstrip("`").rstrip() if not cut.endswith("```") else cut
    cut = cut.rstrip("\u200d\ufe0f").rstrip()
    # An odd number of backslashes at the end would escape what follows.
    return cut[:-1] if (len(cut) - len(cut.rstrip("\\"))) % 2 else cut


def fit_embed(embed: dict[str, Any]) -> dict[str, Any]:
    """An embed as Discord takes it: nothing too long, nothing empty, 6,000 units in all.

    What is cut first when the whole is too long: the last fields, then the description.
    """
    fitted = dict(embed)
    for key, most in (("title", EMBED_TITLE), ("description", EMBED_DESCRIPTION)):
        text = str(fitted.get(key) or "").strip()
        if text:
            fitted[key] = clip(text, most)
        else:
            fitted.pop(key, None)
    for key, inner, most in (("author", "name", EMBED_AUTHOR), ("footer", "text", EMBED_FOOTER)):
        part = fitted.get(key)
        if part and str(part.get(inner) or "").strip():
            fitted[key] = {**part, inner: clip(part[inner], most)}
        else:
            fitted.pop(key, None)
    fields: list[dict[str, Any]] = []
    for field in list(fitted.get("fields") or ())[:EMBED_FIELDS]:
        name = clip(str(field.get("name") or "").strip() or BLANK, FIELD_NAME)
        value = clip(str(field.get("value") or "").strip() or BLANK, FIELD_VALUE)
        if (name, value) != (BLANK, BLANK):
            fields.append({"name": name, "value": value, "inline": bool(field.get("inline"))})
    fitted["fields"] = fields
    total = embed_length(fitted)
    while fields and total > EMBEDS_TOTAL:
        last = fields.pop()
        total -= length(last["name"]) + length(last["value"])
    if not fields:
        del fitted["fields"]
    over = total - EMBEDS_TOTAL
    if over > 0:
        fitted["description"] = clip(fitted["description"], max(1, length(fitted["description"]) - over))
    return fitted


def embed_length(embed: Mapping[str, Any]) -> int:
    """The units that count towards the 6,000."""
    return sum(length(text) for text in _embed_texts(embed))


def _embed_texts(embed: Mapping[str, Any]) -> Iterator[str]:
    yield str(embed.get("title") or "")
    yield str(embed.get("description") or "")
    yield str((embed.get("author") or {}).get("name") or "")
    yield str((embed.get("footer") or {}).get("text") or "")
    for field in embed.get("fields") or ():
        yield str(field.get("name") or "")
        yield str(field.get("value") or "")


def fit_content(text: str) -> str:
    """Message text: at most 2,000 units, never empty."""
    return clip(text.strip() or BLANK, CONTENT)


def fit_choices(pairs: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
    """Autocomplete choices (name, value): at most 25, none blank, names clipped. A value too long to send is left out:
    cut, it would mean something else."""
    fitted: list[tuple[str, str]] = []
    seen: set[str] = set()
    for name, value in pairs:
        name = clip(name.strip(), CHOICE_NAME)
        if name and value and length(value) <= CHOICE_VALUE and value not in seen:
            seen.add(value)
            fitted.append((name, value))
    return fitted[:CHOICES]


# --- what a payload breaks ---


def faults(body: Mapping[str, Any]) -> list[str]:
    """What Discord would refuse in a message body (of a callback, follow-up, edit or channel message). [] is good."""
    found: list[str] = []
    v2 = bool(int(body.get("flags") or 0) & V2_FLAG)
    content, embeds, components = body.get("content") or "", body.get("embeds") or [], body.get("components") or []
    if length(content) > CONTENT:
        found.append(f"content has {length(content)} of {CONTENT}")
    if len(embeds) > EMBEDS:
        found.append(f"{len(embeds)} embeds")
    for embed in embeds:
        found += embed_faults(embed)
    if sum(embed_length(embed) for embed in embeds) > EMBEDS_TOTAL:
        found.append(f"embeds hold over {EMBEDS_TOTAL} in all")
    if v2 and (content or embeds or body.get("poll")):
        found.append("components V2 forbid content, embeds and polls")
    if not any(
        (content.strip(), embeds, components, body.get("attachments"), body.get("sticker_ids"), body.get("poll"))
    ):
        found.append("the message is empty")  # 50006; seen
    mentions = body.get("allowed_mentions")
    if mentions is not None and any(
        kind in mentions.get("parse", ()) and mentions.get(kind) for kind in ("users", "roles")
    ):
        found.append("allowed_mentions names and parses the same kind")
    found += component_faults(components, v2)
    return found


def embed_faults(embed: Mapping[str, Any]) -> list[str]:
    """What Discord would refuse in one embed."""
    found = [
        f"embed {name} has {length(text)} of {most}"
        for name, text, most in (
            ("title", embed.get("title") or "", EMBED_TITLE),
            ("description", embed.get("description") or "", EMBED_DESCRIPTION),
            ("author", (embed.get("author") or {}).get("name") or "", EMBED_AUTHOR),
            ("footer", (embed.get("footer") or {}).get("text") or "", EMBED_FOOTER),
        )
        if not fits(text, most)
    ]
    fields = embed.get("fields") or []
    if len(fields) > EMBED_FIELDS:
        found.append(f"embed has {len(fields)} fields")
    for field in fields:
        for key, most in (("name", FIELD_NAME), ("value", FIELD_VALUE)):
            text = field.get(key) or ""
            if not text.strip():
                found.append(f"embed field {key} is empty")  # seen
            if not fits(text, most):
                found.append(f"embed field {key} has {length(text)} of {most}")
    if not any(text.strip() for text in _embed_texts(embed)) and not embed.get("image"):
        found.append("embed is empty")
    return found


def component_faults(components: Sequence[Mapping[str, Any]], v2: bool) -> list[str]:
    """What Discord would refuse in the components of a message."""
    found: list[str] = []
    every = list(_walk(components))
    if v2:
        if len(every) > V2_COMPONENTS:
            found.append(f"{len(every)} components")
        if sum(length(part.get("content") or "") for part in every if part.get("type") == 10) > V2_TEXT:
            found.append(f"text components hold over {V2_TEXT}")
    elif len(components) > ROWS or any(part.get("type") != 1 for part in components):
        found.append(f"{len(components)} components at the top, or other than rows")
    ids = [part["custom_id"] for part in every if part.get("custom_id") is not None]
    if len(ids) != len(set(ids)):
        found.append("a custom_id stands twice")
    found += [f"custom_id has {length(one)}" for one in ids if not 1 <= length(one) <= CUSTOM_ID]
    for part in every:
        kind, inner = part.get("type"), part.get("components") or ()
        if kind == 1 and not 1 <= len(inner) <= BUTTONS:
            found.append(f"a row of {len(inner)}")
        if kind == 2:
            if length(part.get("label") or "") > BUTTON_LABEL or not (part.get("label") or part.get("emoji")):
                found.append("a button's label is too long or missing")
            if length(part.get("url") or "") > URL:
                found.append("a button's url is too long")
        if kind == 3:
            found += _select_faults(part)
    return found


def _select_faults(part: Mapping[str, Any]) -> list[str]:
    options = part.get("options") or []
    found = []
    if not 1 <= len(options) <= SELECT_OPTIONS:
        found.append(f"a menu of {len(options)}")
    values = [option["value"] for option in options]
    if len(values) != len(set(values)):
        found.append("a menu value stands twice")
    for option in options:
        for key, most in (("label", OPTION_LABEL), ("value", OPTION_VALUE), ("description", OPTION_DESCRIPTION)):
            text = option.get(key) or ""
            if length(text) > most or (key != "description" and not text):
                found.append(f"a menu {key} is empty or has {length(text)} of {most}")
    if length(part.get("placeholder") or "") > PLACEHOLDER:
        found.append("a menu's placeholder is too long")
    return found


def _walk(components: Sequence[Mapping[str, Any]]) -> Iterator[Mapping[str, Any]]:
    for part in components:
        yield part
        yield from _walk(part.get("components") or ())
        for key in ("accessory", "component"):
            if part.get(key):
                yield from _walk([part[key]])


def choice_faults(choices: Sequence[Mapping[str, Any]]) -> list[str]:
    """What Discord would refuse in autocomplete choices."""
    found = [f"{len(choices)} choices"] if len(choices) > CHOICES else []
    for choice in choices:
        if not 1 <= length(str(choice.get("name") or "").strip()) <= CHOICE_NAME:
            found.append("a choice's name is blank or too long")
        if length(str(choice.get("value"))) > CHOICE_VALUE:
            found.append("a choice's value is too long")
    return found


def modal_faults(modal: Mapping[str, Any]) -> list[str]:
    """What Discord would refuse in a modal."""
    found = []
    if not 1 <= length(modal.get("title") or "") <= MODAL_TITLE:
        found.append("a modal's title is empty or too long")
    if not 1 <= len(modal.get("components") or ()) <= MODAL_ITEMS:
        found.append("a modal of too many or no items")
    if not 1 <= length(modal.get("custom_id") or "") <= CUSTOM_ID:
        found.append("a modal's custom_id is empty or too long")
    for part in _walk(modal.get("components") or ()):
        if part.get("type") in (4, 18) and length(part.get("label") or "") > INPUT_LABEL:
            found.append("an input's label is too long")
    return found


def command_faults(command: Mapping[str, Any]) -> list[str]:
    """What Discord would refuse in a command as it is uploaded, its translations included."""
    found = _named_faults(command, slash=command.get("type", 1) == 1)
    total = _command_total(command)
    if total > COMMAND_TOTAL:
        found.append(f"{command['name']}: {total} of {COMMAND_TOTAL} in all")
    return found


def _named_faults(part: Mapping[str, Any], *, slash: bool, path: str = "") -> list[str]:
    path = f"{path} {part['name']}".strip()
    found = []
    for name in (part["name"], *(part.get("name_localizations") or {}).values()):
        good = NAME.fullmatch(name) and name == name.lower() if slash else 1 <= length(name) <= COMMAND_NAME
        if not good:
            found.append(f"{path}: {name!r} cannot be a name")
    texts = (part.get("description") or "", *(part.get("description_localizations") or {}).values())
    if slash and not all(1 <= length(text) <= DESCRIPTION for text in texts):
        found.append(f"{path}: a description is empty or over {DESCRIPTION}")
    options = part.get("options") or []
    if len(options) > OPTIONS:
        found.append(f"{path}: {len(options)} options")
    for locale in {"", *(key for option in options for key in option.get("name_localizations") or {})}:
        names = [(option.get("name_localizations") or {}).get(locale, option["name"]) for option in options]
        if len(names) != len(set(names)):
            found.append(f"{path}: two options share a name in {locale or 'the default language'}")
    if len(part.get("choices") or ()) > CHOICES:
        found.append(f"{path}: too many choices")
    found += [f"{path}: {fault}" for fault in choice_faults(part.get("choices") or ())]
    for option in options:
        found += _named_faults(option, slash=slash, path=path)
    return found


def _command_total(part: Mapping[str, Any]) -> int:
    total = 0
    for key in ("name", "description"):
        texts = (part.get(key) or "", *(part.get(f"{key}_localizations") or {}).values())
        total += max(length(text) for text in texts)
    total += sum(length(str(choice["name"])) + length(str(choice["value"])) for choice in part.get("choices") or ())
    return total + sum(_command_total(option) for option in part.get("options") or ())

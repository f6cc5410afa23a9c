"""Writes the table of settings into docs/configuration.md and README: `python -m scripts.dev.configuration_table`."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

from bot.settings import PREFIX, SETTINGS, Setting

ROOT = Path(__file__).parents[2]
BEGIN, END = "<!-- settings: begin, written by scripts/dev/configuration_table.py -->", "<!-- settings: end -->"
IN_README = ("DISCORD_TOKEN", "HOME_GUILD", "STATE_DIR", "LOG_DAYS", "USER_LIMIT", "LOG_LEVEL", "PRIVACY_URL")


def full_name(setting: Setting) -> str:
    """The name as it is set; the token is best known without the prefix."""
    return setting.name if setting.name == "DISCORD_TOKEN" else PREFIX + setting.name


def table(wanted: Callable[[Setting], bool] = lambda _: True) -> str:
    """The settings as a Markdown table."""
    rows = ["| setting | default | meaning |", "| --- | --- | --- |"]
    for setting in filter(wanted, SETTINGS):
        default = f"`{setting.default}`" if setting.default else "(empty)"
        secret = " Secret." if setting.secret else ""
        rows.append(f"| `{full_name(setting)}` | {default} | {setting.description}{secret} |")
    return "\n".join(rows)


def with_table(text: str, rows: str) -> str:
    """The text with the table between its two marks."""
    return re.sub(f"{re.escape(BEGIN)}.*?{re.escape(END)}", lambda _: f"{BEGIN}\n{rows}\n{END}", text, flags=re.DOTALL)


def pages() -> dict[Path, str]:
    """Each page with its table as it should be."""
    tables = {"docs/configuration.md": table(), "README.md": table(lambda setting: setting.name in IN_README)}
    return {ROOT / name: with_table((ROOT / name).read_text(encoding="utf-8"), rows) for name, rows in tables.items()}


if __name__ == "__main__":
    for path, text in pages().items():
        path.write_text(text, encoding="utf-8")

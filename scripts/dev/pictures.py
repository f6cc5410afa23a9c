"""Typical answers as pictures, as Discord shows them: `python -m scripts.dev.pictures [--out FOLDER] [NAME ...]`.

Needs Chromium (`--chromium` names it); nothing is fetched. Each answer comes in dark and light and at phone width.
"""

from __future__ import annotations

import argparse
import re
import shutil
import subprocess
import sys
import tempfile
from datetime import date
from pathlib import Path
from typing import Any

from bot.discord_app.components import controls
from bot.discord_app.locales import load_locales
from bot.discord_app.render import render
from bot.loading import load_assistant
from bot.request import Question
from scripts.dev.discord_page import Theme, page

ASKED = {
    "recommend": ("which GPU for NLP under $800?", "en-US"),
    "compare": ("compare the 4090, the 3090 and the 5080 for LLMs", "en-US"),
    "fit": ("can two 3090s run a 70B model?", "en-US"),
    "spec": ("4070 Ti Super specs", "en-US"),
    "which": ("how fast is the rtx 6000?", "en-US"),
    "chinese": ("预算8000元，跑大模型买什么显卡？", "zh-CN"),
}
WIDTHS = {False: 720, True: 390}


def body_of(asked: str, locale: str, today: date) -> dict[str, Any]:
    """The message that the bot sends."""
    answer = load_assistant().answer(Question(asked, today, locale=locale))
    view = controls(answer, "0" * 10, 1, load_locales(), answer.language)
    return {"embeds": [render(answer)], "components": view.to_components()}


def shoot(chromium: str, text: str, out: Path, width: int) -> None:
    """A page as a PNG of its own height, at one and a half times the density. Raises subprocess.CalledProcessError."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "page.html"
        file.write_text(text, encoding="utf-8")
        common = [chromium, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
                  f"--user-data-dir={folder}/profile"]  # fmt: skip
        first = [*common, f"--window-size={width},600", "--dump-dom", file.as_uri()]
        seen = subprocess.run(first, capture_output=True, text=True, check=True)  # noqa: S603
        found = re.search(r"<title>(\d+)</title>", seen.stdout)
        height = int(found[1]) if found else 900
        second = [*common, f"--window-size={width},{height}", "--force-device-scale-factor=1.5", f"--screenshot={out}",
                  file.as_uri()]  # fmt: skip
        subprocess.run(second, capture_output=True, check=True)  # noqa: S603


def main() -> int:
    """Write the pictures; exit code 1 without Chromium."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", default=list(ASKED), help="which of: " + ", ".join(ASKED))
    parser.add_argument("--out", type=Path, default=Path("docs/pictures"))
    parser.add_argument("--chromium", default=shutil.which("chromium") or shutil.which("chromium-browser"))
    parser.add_argument("--today", type=date.fromisoformat, default=date(2026, 12, 1))
    parser.add_argument("--only", choices=["dark", "light", "phone"], help="one of the three")
    options = parser.parse_args()
    if not options.chromium:
        print("Chromium is not installed; name another with --chromium.", file=sys.stderr)
        return 1
    options.out.mkdir(parents=True, exist_ok=True)
    kinds: dict[str, tuple[Theme, bool]] = {"dark": ("dark", False), "light": ("light", False), "phone": ("dark", True)}
    for name in options.names:
        asked, locale = ASKED[name]
        body = body_of(asked, locale, options.today)
        for kind, (theme, phone) in kinds.items():
            if options.only in (None, kind):
                out = options.out / f"{name}-{kind}.png"
                shoot(options.chromium, page(body, asked, theme, phone=phone), out.absolute(), WIDTHS[phone])
                print(out)
    return 0


if __name__ == "__main__":
    sys.exit(main())

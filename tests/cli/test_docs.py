"""What README, CONTRIBUTING and --help say is true."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from bot.cli.main import COMMANDS, build_parser, main

ROOT = Path(__file__).parents[2]
TEXTS = ["README.md", "CONTRIBUTING.md", "CHANGELOG.md", "docs/architecture.md", "docs/measurements.md"]


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help_with_examples(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stop:
        main([command, "--help"])
    assert stop.value.code == 0
    shown = capsys.readouterr().out
    assert "example" in shown.lower()
    assert f"whichgpu {command}" in shown


def test_the_overview_lists_every_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "100")
    shown = build_parser().format_help()
    assert all(re.search(rf"^    {command}\b", shown, re.MULTILINE) for command in COMMANDS)


def test_readme_names_every_command_and_no_other() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    named = set(re.findall(r"^\| `whichgpu ([a-z]+)", readme, re.MULTILINE))
    assert named == set(COMMANDS)


def test_readme_shows_the_two_commands_that_the_makefile_has() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    targets = set(re.findall(r"(?:^    |`)make ([a-z]+)", readme, re.MULTILINE))
    assert targets >= {"ask", "test", "install"}
    for target in targets:
        assert re.search(rf"^{target}:", makefile, re.MULTILINE), target


@pytest.mark.parametrize("name", TEXTS)
def test_files_and_folders_named_in_the_texts_exist(name: str) -> None:
    text = (ROOT / name).read_text(encoding="utf-8")
    for path in re.findall(r"[(`]((?:bot|data|knowledge|docs|tests|benchmarks)/[\w./-]*)[`)]", text):
        assert (ROOT / path).exists(), f"{name} names {path}"


def test_the_wheel_target_ships_data_and_knowledge() -> None:
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    assert '"knowledge" = "bot/_files/knowledge"' in text
    assert '"data" = "bot/_files/data"' in text


def test_asking_imports_neither_discord_nor_a_database() -> None:
    heavy = ("discord", "aiosqlite", "sqlalchemy", "asyncio", "rich", "numpy")
    program = (
        "import sys; from bot.cli.main import main; main(['ask', 'hi']);"
        f"print([name for name in {heavy} if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, cwd=ROOT)  # noqa: S603
    assert done.stdout.splitlines()[-1] == "[]"


def test_python_m_bot_is_the_command() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "bot", "--version"], capture_output=True, text=True, check=True, cwd=ROOT
    )
    assert done.stdout.startswith("whichgpu ")


def test_a_broken_data_file_is_told_without_a_traceback(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from bot import loading
    from bot.cli import refreshed
    from bot.tables import DataError

    def broken() -> None:
        raise DataError("data/gpus.csv", 7, "tdp_w", "'x' is not a number", "Write a plain number")

    monkeypatch.setattr(loading, "load_assistant", broken)
    refreshed.load_assistant.cache_clear()
    assert main(["ask", "hi"]) == 3
    assert "data/gpus.csv, line 7, field tdp_w: 'x' is not a number." in capsys.readouterr().err

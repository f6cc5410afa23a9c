"""Whatever is wrong in a data file, the program says file, line or field, and the mend; never a traceback."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from bot import loading
from bot.cli import refreshed
from bot.cli.main import main
from bot.tables import DataError

ROOT = Path(__file__).parents[1]
TABLES = sorted(path.relative_to(ROOT).as_posix() for path in (ROOT / "data").rglob("*.csv"))
DOCUMENTS = sorted(
    path.relative_to(ROOT).as_posix()
    for path in [*(ROOT / "data").rglob("*.yaml"), *(ROOT / "knowledge").rglob("*.yaml")]
)
NOT_READ_TO_ANSWER = ("data/backtest.yaml", "data/listing_titles.yaml", "data/locales/")
"""Read by other commands only."""


def forget() -> None:
    refreshed.load_assistant.cache_clear()
    for name in dir(loading):
        getattr(getattr(loading, name), "cache_clear", lambda: None)()


@pytest.fixture
def copy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A copy of data/ and knowledge/ that the program reads, and may be broken."""
    shutil.copytree(ROOT / "data", tmp_path / "data")
    shutil.copytree(ROOT / "knowledge", tmp_path / "knowledge")
    monkeypatch.setattr(loading, "files_root", lambda: tmp_path)
    monkeypatch.setenv("WHICHGPU_CACHE", "off")
    forget()
    yield tmp_path
    forget()


def first_row(text: str) -> int:
    """The index of the first line after the header."""
    lines = text.splitlines()
    header = next(i for i, line in enumerate(lines) if line.strip() and not line.startswith("#"))
    return next(i for i in range(header + 1, len(lines)) if lines[i].strip() and not lines[i].startswith("#"))


def with_line(text: str, index: int, change: Callable[[str], str]) -> str:
    lines = text.splitlines()
    lines[index] = change(lines[index])
    return "\n".join(lines) + "\n"


TABLE_FAULTS: dict[str, Callable[[str], str]] = {
    "empty": lambda text: "",
    "a cell too many": lambda text: with_line(text, first_row(text), lambda line: line + ",extra"),
    "an open quote": lambda text: with_line(text, first_row(text), lambda line: '"' + line),
    "a column renamed": lambda text: with_line(text, first_row(text) - 1, lambda line: "x" + line),
}


@pytest.mark.parametrize(
    ("name", "fault"),
    [("data/gpus.csv", fault) for fault in TABLE_FAULTS] + [(name, "a cell too many") for name in TABLES[::-1]],
)
def test_a_broken_table_is_told_with_its_name_and_the_mend(copy: Path, name: str, fault: str) -> None:
    path = copy / name
    path.write_text(TABLE_FAULTS[fault](path.read_text(encoding="utf-8")), encoding="utf-8")
    with pytest.raises(DataError) as caught:
        loading.load_assistant()
    assert caught.value.where == name
    assert caught.value.mend
    assert caught.value.line is not None or fault == "empty"


@pytest.mark.parametrize("name", [name for name in DOCUMENTS if not name.startswith(NOT_READ_TO_ANSWER)])
def test_a_broken_document_is_told_with_its_name_and_line(copy: Path, name: str) -> None:
    path = copy / name
    path.write_text(path.read_text(encoding="utf-8") + '\n"open: [\n', encoding="utf-8")
    read = loading.load_assistant
    if name.startswith("knowledge/"):  # what is read for them alone, so that the test is quick
        read = loading.load_guide_rows if name.endswith("guide_rows.yaml") else loading.load_knowledge  # type: ignore[assignment]
    with pytest.raises(DataError) as caught:
        read()
    assert caught.value.where == name
    assert caught.value.line
    assert caught.value.mend


def test_the_command_tells_the_fault_and_its_mend(copy: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = copy / "data/gpus.csv"
    text = path.read_text(encoding="utf-8")
    path.write_text(with_line(text, first_row(text), lambda line: line + ",extra"), encoding="utf-8")
    assert main(["ask", "hi"]) == 3
    shown = capsys.readouterr().err
    assert "data/gpus.csv, line " in shown
    assert "Look for a missing or extra comma" in shown
    assert "Traceback" not in shown


def test_a_file_that_is_missing_or_not_text_is_told(copy: Path) -> None:
    (copy / "data/prices.csv").unlink()
    with pytest.raises(DataError, match=r"data/prices\.csv: the file is missing\. Restore it"):
        loading.load_assistant()
    (copy / "data/prices.csv").write_bytes(b"gpu\n\xff\xfe\n")
    forget()
    with pytest.raises(DataError, match="the text is not UTF-8") as caught:
        loading.load_assistant()
    assert (caught.value.where, caught.value.line) == ("data/prices.csv", 2)


@pytest.mark.parametrize(
    ("name", "old", "new", "told"),
    [
        ("data/prices.csv", ",used,", ",borrowed,", "condition"),
        ("data/gpus.csv", "NVIDIA,", "NVIDA,", "vendor"),
        ("knowledge/guide_rows.yaml", "level: research", "level: wizard", "level"),
        ("knowledge/concepts/memory.yaml", "{RTX 3090|", "{RTX 9090|", "RTX 9090"),
        ("data/exchange_rates.csv", "JPY", "YENS", "currency"),
    ],
)
def test_a_wrong_value_is_told_where_it_stands(copy: Path, name: str, old: str, new: str, told: str) -> None:
    path = copy / name
    text = path.read_text(encoding="utf-8")
    if old not in text:
        old, new = old.lower(), new.lower()
    assert old in text, f"{name} no longer holds {old!r}"
    path.write_text(text.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(DataError) as caught:
        loading.load_assistant()
    assert caught.value.where == name
    assert told in str(caught.value)

"""Traditional Chinese: script by OpenCC, words by the glossary, longest first."""

from __future__ import annotations

import pytest

from bot.facts.traditional import Traditional, parse_glossary, to_traditional
from bot.loading import files_root, load_traditional, read_file
from bot.tables import DataError


def _glossary() -> dict[str, str]:
    root = files_root()
    return parse_glossary(*read_file(root / "data/vocabulary/taiwan_glossary.yaml", root))


def test_the_longest_word_wins_and_a_word_can_protect_itself() -> None:
    convert = Traditional({"显存": "顯示記憶體", "显存带宽": "記憶體頻寬", "数据": "資料", "大数据": "大數據"}).convert
    assert convert("显存带宽与显存") == "記憶體頻寬與顯示記憶體"
    assert convert("数据与大数据") == "資料與大數據"


def test_neighbours_do_not_change_a_word() -> None:
    assert Traditional({"并行": "平行"}).convert("但不并行，里面") == "但不平行，裡面"


def test_without_a_glossary_only_the_script_changes() -> None:
    assert Traditional({}).convert("显存带宽") == "顯存帶寬"
    assert Traditional({}).convert("plain text") == "plain text"


@pytest.mark.parametrize(("mainland", "taiwan"), sorted(_glossary().items()))
def test_each_term_of_the_glossary_is_used(mainland: str, taiwan: str) -> None:
    load_traditional()
    assert to_traditional(f"，{mainland}。") == f"，{taiwan}。"


@pytest.mark.parametrize("text", ["", "[]", "terms: 3", "terms: {显存: }", "terms: {显存: 7}"])
def test_a_broken_glossary_is_told(text: str) -> None:
    with pytest.raises(DataError):
        parse_glossary(text, "g.yaml")

"""The knowledge files themselves: sound, complete, found by other people's words, silent on other subjects.

Even places of the labelled lists were used to fit the confidence; odd places only score it. The aims stand here.
"""

from __future__ import annotations

import re
from collections import Counter
from datetime import date
from pathlib import Path
from typing import Any

import pytest
import yaml

from bot.facts.entries import Entry
from bot.facts.lint import FACTS, lint
from bot.facts.search import Search
from bot.facts.traditional import parse_glossary
from bot.loading import files_root, knowledge_files, load_catalogue, load_knowledge, load_search_words, read_file
from bot.text import to_simplified

HERE = Path(__file__).parent
Question = tuple[str, str]


def lists(key: str, field: str) -> list[tuple[str, str, int]]:
    """(question, entry, place) of one list of the paraphrase files, in both languages."""
    found = []
    for path in sorted(HERE.glob("paraphrases_*.yaml")):
        data: Any = yaml.safe_load(path.read_text(encoding="utf-8"))
        for place, item in enumerate(data.get(key) or []):
            found += [(item[language], item[field], place) for language in ("en", "zh") if item.get(language)]
    return found


def rate(search: Search, questions: list[tuple[str, str, int]], among: int = 1) -> float:
    """Share of the questions whose entry is among the first `among` hits."""
    right = sum(entry in [hit.entry.id for hit in search.search(text, among)] for text, entry, _ in questions)
    return right / len(questions)


@pytest.fixture(scope="module")
def search() -> Search:
    """The search as the bot uses it."""
    return load_knowledge()


def test_the_lint_finds_no_error() -> None:
    root = files_root()
    rows = read_file(root / "knowledge/guide_rows.yaml", root)
    load_knowledge()
    report = lint(knowledge_files(), rows, load_catalogue().get, load_search_words(), date.today().isoformat())  # noqa: DTZ011
    assert [str(finding) for finding in report.findings if finding.level == "error"] == []
    assert report.entries >= 200
    assert report.left_out_right >= 0.68


def test_every_fact_of_the_guides_is_answered_by_an_entry(search: Search) -> None:
    told = {fact for entry in search.base.entries for fact in entry.facts}
    assert sorted(FACTS - told) == []
    assert len(FACTS) == 71


def test_every_fact_has_its_old_guide_beside_today(search: Search) -> None:
    without = [entry.id for entry in search.base.entries if entry.facts and not entry.then]
    assert without == []


def test_paraphrases_find_their_entry(search: Search) -> None:
    questions = lists("paraphrases", "id")
    assert len({entry for _, entry, _ in questions}) >= 200
    assert rate(search, questions) >= 0.92
    assert rate(search, [each for each in questions if each[2] % 2]) >= 0.90
    assert rate(search, questions, among=2) >= 0.95


def test_questions_for_a_fact_find_the_entry_that_tells_it(search: Search) -> None:
    questions = lists("facts", "entry")
    assert len(questions) >= 71
    assert rate(search, questions) >= 0.95
    assert rate(search, questions, among=2) >= 0.97


def test_roundabout_questions_are_rather_declined_than_answered_wrongly(search: Search) -> None:
    questions = lists("oblique", "id")
    if not questions:
        pytest.skip("there are no oblique paraphrases")
    wrong = sum(1 for text, entry, _ in questions if (hit := search.answer(text)) is not None and hit.entry.id != entry)
    assert wrong / len(questions) <= 0.04


def test_most_paraphrases_are_answered_and_few_wrongly(search: Search) -> None:
    questions = [each for each in lists("paraphrases", "id") if each[2] % 2]
    given = [(search.answer(text), entry) for text, entry, _ in questions]
    answered = [(hit, entry) for hit, entry in given if hit is not None]
    wrong = [(hit.entry.id, entry) for hit, entry in answered if hit.entry.id != entry]
    assert len(answered) / len(questions) >= 0.65
    assert len(wrong) / len(questions) <= 0.04


@pytest.mark.parametrize(("half", "aim"), [("fit", 0.97), ("test", 0.97)])
def test_other_subjects_are_declined(search: Search, half: str, aim: float) -> None:
    data: Any = yaml.safe_load((HERE / "out_of_scope.yaml").read_text(encoding="utf-8"))
    texts = [text for halves in data.values() for text in halves[half]]
    assert len(texts) >= 75
    answered = [text for text in texts if search.answer(text) is not None]
    assert 1 - len(answered) / len(texts) >= aim, answered


def test_the_halves_share_no_question() -> None:
    data: Any = yaml.safe_load((HERE / "out_of_scope.yaml").read_text(encoding="utf-8"))
    counts = Counter(text for halves in data.values() for texts in halves.values() for text in texts)
    assert [text for text, times in counts.items() if times > 1] == []


def test_no_paraphrase_is_a_phrasing(search: Search) -> None:
    asked = {text for entry in search.base.entries for chinese in (False, True) for text in entry.asked(chinese)}
    leaked = [text for key, field in (("paraphrases", "id"), ("oblique", "id")) for text, _, _ in lists(key, field)]
    assert [text for text in leaked if text in asked] == []


def _traditional(entry: Entry) -> str:
    note = entry.note.in_language("zh-TW") if entry.note else ""
    return "\n".join((entry.question_text("zh-TW"), entry.answer_text("zh-TW"), entry.then_text("zh-TW"), note))


def test_traditional_texts_hold_no_mainland_word_and_no_simplified_character(search: Search) -> None:
    root = files_root()
    glossary = parse_glossary(*read_file(root / "data/vocabulary/taiwan_glossary.yaml", root))
    # What is left of a word after its longer neighbours are taken out must not be a word of the mainland.
    kept = sorted(set(glossary.values()), key=len, reverse=True)
    known = re.compile("|".join(map(re.escape, kept)))
    left = []
    for entry in search.base.entries:
        text = _traditional(entry)
        rest = known.sub(" ", text)
        folded = to_simplified(rest)
        left += [(entry.id, word) for word in glossary if word in folded and glossary[word] not in (word, rest)]
        left += [
            (entry.id, simple)
            for simple in "显卡带宽训练内驱动张"
            if simple in text and simple != to_traditional_one(simple)
        ]
    assert left == []


def to_traditional_one(character: str) -> str:
    """One character by the script alone."""
    from bot.facts.traditional import Traditional

    return Traditional({}).convert(character)


def test_titles_are_unlike_each_other(search: Search) -> None:
    titles = Counter(entry.question.en.casefold() for entry in search.base.entries)
    assert [title for title, times in titles.items() if times > 1] == []

"""The lint finds every kind of fault, with file and line, and is silent on a sound file."""

from __future__ import annotations

import pytest

from bot.facts.lint import Report, lint
from bot.loading import load_traditional
from tests.facts.small import entry_text, find, small_words
from tests.facts.test_quotes import ROW

TODAY = "2026-12-01"
ROWS = ROW.replace("GTX 1060 6GB", "RTX 3090")


@pytest.fixture(autouse=True)
def _glossary() -> None:
    load_traditional()


def check(text: str, rows: str = ROWS) -> Report:
    """The lint of one file."""
    return lint([(text, "k.yaml")], (rows, "rows.yaml"), find, small_words(), TODAY)


def four(word: str, han: str) -> str:
    """Four phrasings in each language."""
    en = ", ".join(f'"{word} {place}"' for place in ("alpha", "bravo", "carol", "delta"))
    zh = ", ".join(f'"{han}{place}"' for place in "甲乙丙丁")
    return f"phrasings: {{en: [{en}], zh: [{zh}]}}"


def test_a_sound_file_has_no_findings() -> None:
    report = check(entry_text(phrasings=four("bandwidth", "带宽")) + entry_text("ecc", phrasings=four("ecc", "纠错")))
    assert report.findings == ()
    assert (report.entries, report.phrasings, report.errors) == (2, 20, 0)
    assert report.left_out_right == 1.0


THEN = 'then: {guides: [dettmers-2017-03], en: "%s", zh: "当时。"}'
LONG_SOURCES = "sources: [" + ", ".join(["{title: " + "t" * 250 + ", as_of: 2020}"] * 9) + "]"
FAULTS = [
    ({"colour": "colour: red"}, "this field is not known"),
    ({"answer": 'answer: {en: "only English"}'}, "answer.zh: it is missing"),
    ({"sources": ""}, "there is no source"),
    ({"as_of": "as_of: 2026-99"}, "not a date"),
    ({"as_of": "as_of: 2027-01"}, "lies in the future"),
    ({"sources": "sources: [{title: t, ref: r, as_of: 2031}]"}, "2031 lies in the future"),
    ({"see_also": "see_also: [nobody]"}, "no other entry 'nobody'"),
    ({"see_also": "see_also: [bandwidth]"}, "no other entry 'bandwidth'"),
    ({"supersedes": "supersedes: [nobody]"}, "no other entry 'nobody'"),
    ({"facts": "facts: [f17-038]"}, "'f17-038' is not a fact"),
    ({"then": 'then: {guides: [dettmers-1999], en: "x", zh: "y"}'}, "guide 'dettmers-1999'"),
    ({"note": 'note: {en: "x", zh: "y"}'}, "no `when` beside it"),
    ({"when": "when: {multi_gpu: true}"}, "no `note` beside it"),
    ({"answer": 'answer: {en: "TODO: write", zh: "写"}'}, "'TODO' looks like a placeholder"),
    ({"answer": 'answer: {en: "write", zh: "待补"}'}, "'待补' looks like a placeholder"),
    ({"answer": 'answer: {en: "%s", zh: "短"}' % ("x" * 901)}, "901 characters in en; at most 900"),
    ({"answer": 'answer: {en: "short", zh: "%s"}' % ("显存" * 300)}, "1500 characters in zh-TW; at most 900"),
    ({"then": THEN % ("x" * 4100)}, "answer and then have"),
    ({"then": THEN % ("x" * 3900), "sources": LONG_SOURCES}, "the whole is longer than 6000"),
    ({"answer": 'answer: {en: "{RTX 9999|memory_gb}", zh: "无"}'}, "not in the catalogue"),
]  # fmt: skip


@pytest.mark.parametrize(("changes", "message"), FAULTS)
def test_each_kind_of_error_is_found(changes: dict[str, str], message: str) -> None:
    text = entry_text(**({"phrasings": four("bandwidth", "带宽")} | changes)) + entry_text("ecc")
    report = check(text)
    findings = [finding for finding in report.findings if message in finding.message]
    assert findings, [str(finding) for finding in report.findings]
    assert findings[0].level == "error"
    assert str(findings[0]).startswith(f"k.yaml:{findings[0].line}: error: ")
    assert report.errors >= 1


WARNINGS = [
    ({"phrasings": 'phrasings: {en: ["one way"], zh: ["一种"]}'}, "write at least 4"),
    ({"answer": 'answer: {en: "It has 24 GB.", zh: "有48 GB。"}'}, "only one language has the figures 24, 48"),
    ({"answer": 'answer: {en: "x", zh: "%s"}' % ("很" * 200)}, "one language says much more"),
    ({"phrasings": 'phrasings: {en: ["same way", "Same way?"], zh: ["一", "二"]}'}, "phrasings are the same"),
]


@pytest.mark.parametrize(("changes", "message"), WARNINGS)
def test_each_kind_of_warning_is_found(changes: dict[str, str], message: str) -> None:
    report = check(entry_text(**changes))
    assert any(message in each.message and each.level == "warning" for each in report.findings)
    assert report.errors == 0


def test_ids_and_rows_are_checked_over_files() -> None:
    report = lint(
        [(entry_text(), "a.yaml"), (entry_text(), "b.yaml")], (ROW.replace("2017-03", "2027-03", 2), "rows.yaml"), find,
        small_words(), TODAY,
    )  # fmt: skip
    told = {(finding.where, finding.message.split(":")[0]) for finding in report.findings if finding.level == "error"}
    assert ("b.yaml", "id") in told
    assert any("lies in the future" in each.message and each.where == "rows.yaml" for each in report.findings)
    assert any("'GTX 1060 6GB' is not in the catalogue" in each.message for each in report.findings)


def test_the_same_question_in_two_entries_is_an_error() -> None:
    same = 'phrasings: {en: ["a peculiar way of asking"], zh: ["很特别的问法"]}'
    report = check(entry_text(phrasings=same) + entry_text("ecc", phrasings=same))
    assert any(each.level == "error" and "stands also in ecc" in each.message for each in report.findings)
    near = same.replace("peculiar way of", "peculiar ways of").replace("很特别", "特别")
    report = check(entry_text(phrasings=same) + entry_text("ecc", phrasings=near))
    assert any(each.level == "warning" and "is nearly one of ecc" in each.message for each in report.findings)


def test_an_entry_that_its_phrasings_do_not_find_is_told() -> None:
    # Everything that `stray` asks, another entry asks too, and nothing else.
    stray = {
        "question": 'question: {en: "google tensor processing unit", zh: "谷歌张量处理器"}',
        "phrasings": 'phrasings: {en: ["int4 weights", "rocm with pytorch"], zh: ["int4权重", "rocm支持pytorch吗"]}',
    }
    others = "".join(entry_text(each) for each in ("amd", "tpu", "quant"))
    messages = [each.message for each in check(others + entry_text("stray", **stray)).findings]
    assert any("'int4 weights' alone would find quant" in message for message in messages)
    assert any("most of its own phrasings find other entries" in message for message in messages)

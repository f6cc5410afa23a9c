"""The search on a small base: what finds an entry, what does not, and when it is sure."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.facts import search as search_module
from bot.facts.calibration import DEFAULT, FEATURES, Evidence, parse_calibration
from bot.facts.entries import KnowledgeBase
from bot.facts.features import features, normal_numbers, parse_words, stem
from bot.facts.search import Search
from bot.tables import DataError
from tests.facts.small import entry_text, request, small_base, small_words

SEARCH = Search(small_base(), small_words(), DEFAULT)


def first(text: str) -> str:
    """The id of the best entry, or ""."""
    hits = SEARCH.search(text, 1)
    return hits[0].entry.id if hits else ""


@pytest.mark.parametrize(
    ("text", "entry"),
    [
        ("why does memory bandwidth matter", "bandwidth"),
        ("quantisation of the weights", "quant"),
        ("how big should the video memory be", "vram-size"),
        ("which bloewr or open fan cooler", "cooling"),
        ("is quantisaton good", "quant"),
        ("显存纠错", "ecc"),
        ("顯存糾錯有必要嗎", "ecc"),
        ("ＲＯＣＭ怎么样", "amd"),
        ("谷歌的处理器", "tpu"),
    ],
)
def test_the_entry_is_found(text: str, entry: str) -> None:
    assert first(text) == entry


def test_a_phrasing_word_for_word_is_sure() -> None:
    hit = SEARCH.search("Blower, or open fan?", 1)[0]
    assert (hit.entry.id, hit.confidence) == ("cooling", DEFAULT.exact)
    assert SEARCH.answer("Blower, or open fan?") == hit


@pytest.mark.parametrize("text", ["", "   ", "?!", "xyzzy plugh", "🙂", "the of a", "\ud800"])
def test_nothing_known_gives_no_answer(text: str) -> None:
    assert SEARCH.answer(text) is None


def test_unknown_words_cost_confidence() -> None:
    sure = SEARCH.search("nvlink bridge", 1)[0].confidence
    unsure = SEARCH.search("nvlink bridge over the river where my grandmother lives", 1)[0].confidence
    assert unsure < sure / 2


def test_hits_come_best_first_and_no_more_than_asked_for() -> None:
    hits = SEARCH.search("memory bandwidth vram ecc", 3)
    assert len(hits) == 3
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)
    assert all(hit.confidence <= hits[0].confidence for hit in hits[1:])


def test_the_guide_that_is_named_is_preferred() -> None:
    then = 'then: {guides: [dettmers-2017-03], en: "Then.", zh: "当时。"}'
    plain = {
        "question": 'question: {en: "Which kepler card?", zh: "开普勒选哪张？"}',
        "phrasings": 'phrasings: {en: ["kepler card"], zh: ["开普勒卡"]}',
    }
    base = small_base(entry_text("kepler-now", **plain), entry_text("kepler-then", then=then, **plain))
    search = Search(base, small_words(), DEFAULT)
    assert search.search(request("a kepler"), 1)[0].entry.id == "kepler-now"
    assert search.search(request("a kepler", as_of="2017"), 1)[0].entry.id == "kepler-then"
    assert search.search(request("a kepler", guide="dettmers-2017-03"), 1)[0].entry.id == "kepler-then"
    assert search.search(request("a kepler", guide="lambda-2020-02"), 1)[0].entry.id == "kepler-now"


def test_bounding_the_candidates_keeps_the_best(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "error correcting memory for the quantisation of two gpus"
    unbounded = SEARCH.search(text, 1)[0]
    monkeypatch.setattr(search_module, "_ENOUGH", 1)
    bounded = SEARCH.search(text, 1)[0]
    assert bounded.entry.id == unbounded.entry.id


def test_an_empty_base_answers_nothing() -> None:
    assert Search(KnowledgeBase.of([]), small_words(), DEFAULT).search("bandwidth") == []


@given(st.text(max_size=300))
def test_any_text_is_survived(text: str) -> None:
    for hit in SEARCH.search(text, 2):
        assert 0.0 <= hit.confidence <= 1.0


@pytest.mark.parametrize(
    ("text", "normal"),
    [
        ("eight gigs", "8gb"), ("24 gb", "24gb"), ("八个g", "8gb"), ("十六g显存", "16gb 显存"), ("二十四g", "24gb"),
        ("ten-seventy", "1070"), ("thirty ninety", "3090"), ("一七年", "2017年"), ("19年", "2019年"),
        ("两张卡", "2张卡"), ("二手卡", "二手卡"), ("四五十个g", "四五十个g"),
    ],
)  # fmt: skip
def test_numbers_have_one_spelling(text: str, normal: str) -> None:
    assert normal_numbers(text).split() == normal.split()


@pytest.mark.parametrize(
    ("one", "other"), [("cards", "card"), ("training", "trained"), ("batches", "batch"), ("cheaper", "cheap")]
)
def test_endings_do_not_matter(one: str, other: str) -> None:
    assert stem(one) == stem(other)


def test_concepts_and_slots_join_languages_and_cards() -> None:
    words = small_words()
    english, chinese = features("rtx 3090 video memory", words), features("4090显存", words)
    assert {"@vram", "<gpu"} <= set(english)
    assert {"@vram", "<gpu"} <= set(chinese)


@pytest.mark.parametrize(
    "text", ["[]", "colours: 3", "concepts: {a: [b]}", "concepts: {a: {en: [1]}}", "slots: [{marker: a}]",
             "slots: [{marker: a, pattern: '('}]", "filler: {en: [yes]}"],
)  # fmt: skip
def test_broken_words_are_told(text: str) -> None:
    with pytest.raises(DataError):
        parse_words(text, "w.yaml")


GOOD = "threshold: 0.5\nweights:\n" + "".join(f"  {name}: {10 if name == 'score' else -3}\n" for name in FEATURES)


def test_a_calibration_is_read() -> None:
    calibration = parse_calibration(GOOD, "c.yaml")
    weak, strong = (
        calibration.confidence(Evidence(score, 0.0, 0.0, 1.0, 1.0, False, 0, False)) for score in (0.1, 3.9)
    )
    assert 0 < weak < 0.5 < strong < 1


@pytest.mark.parametrize(
    "text", ["", "[]", "threshold: 0.5", GOOD.replace("0.5", "2"), GOOD.replace("10", "ten"), GOOD.replace("bias", "b"),
             GOOD.replace("threshold: 0.5", "")],
)  # fmt: skip
def test_a_broken_calibration_is_told(text: str) -> None:
    with pytest.raises(DataError):
        parse_calibration(text, "c.yaml")

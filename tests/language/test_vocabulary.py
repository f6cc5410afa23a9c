"""Vocabulary files: forms, traps, longest match, and faults told with file and line."""

from __future__ import annotations

import pytest

from bot.language.intent import parse_kind_weights, weigh
from bot.language.models import parse_families
from bot.language.normalise import prepare, tokenise
from bot.language.vocabulary import Hit, Vocabulary, parse_ordinary_words, parse_vocabulary
from bot.language.workloads import parse_workloads
from bot.request import KINDS
from bot.tables import DataError


def scan(vocabulary: Vocabulary, text: str) -> list[Hit]:
    return vocabulary.scan(tokenise(prepare(text)))


def made(text: str, topic: str = "modes", known: frozenset[str] = frozenset()) -> Vocabulary:
    return Vocabulary(parse_vocabulary(text, "words.yaml", topic), known)


def test_forms_of_a_word() -> None:
    vocabulary = made("training: {en: train|trains a model}")
    assert [hit.value for hit in scan(vocabulary, "it trains a model")] == ["training"]
    assert scan(vocabulary, "it trains models") == []


def test_hyphens_and_blanks_are_one() -> None:
    assert len(scan(made("f: {en: fine tune}"), "Fine-Tune it, fine tune it")) == 2


def test_the_longest_phrase_of_a_topic_wins() -> None:
    vocabulary = made("any: {en: used or new}\nused: {en: used}\nnew: {en: new}")
    assert [hit.value for hit in scan(vocabulary, "used or new")] == ["any"]


def test_a_trap_silences_what_it_holds() -> None:
    words = [*parse_vocabulary("approx: {zh: 上下}", "a.yaml", "bounds")]
    words += parse_vocabulary("context: {zh: 上下文}", "t.yaml", "traps")
    vocabulary = Vocabulary(words)
    assert [hit.topic for hit in scan(vocabulary, "32k上下文")] == ["traps"]
    assert [hit.topic for hit in scan(vocabulary, "800上下")] == ["bounds"]


def test_places_are_those_of_the_text() -> None:
    (hit,) = scan(made("f: {zh: 微调}"), "想微調 7B")
    assert (hit.start, hit.end) == (1, 3)


def test_slips_are_mended_and_known_words_left() -> None:
    vocabulary = made("f: {en: inference}", known=parse_ordinary_words("# words\nconference influence"))
    assert vocabulary.correct("inferense") == "inference"
    assert vocabulary.correct("influence") == "influence"
    assert vocabulary.correct("xyz") == "xyz"


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("", "line 1"),
        ("a: 3", "line 1, field a"),
        ("a:\n  en: [x, y]", "line 2, field a.en"),
        ("a:\n  de: x", "line 2, field a.de"),
        ("a:\n  en: x,,y", "line 2, field a.en"),
    ],
)
def test_faults_say_where(text: str, place: str) -> None:
    with pytest.raises(DataError, match=rf"words.yaml, {place}"):
        parse_vocabulary(text, "words.yaml", "modes")


def test_a_family_needs_its_words() -> None:
    with pytest.raises(DataError, match=r"m.yaml, line 1, field llama"):
        parse_families("llama: {name: LLaMA}", "m.yaml")


def test_a_workload_needs_all_keys() -> None:
    with pytest.raises(DataError, match=r"w.yaml, line 1, field llm"):
        parse_workloads("llm: {name: x}", "w.yaml")


def test_weights_are_added_up() -> None:
    header = "feature," + ",".join(KINDS)
    weights = parse_kind_weights(f"{header}\nbias,0,0,0,0,0,0,0,0,0\ncue:fit,0,0,0,2,0,0,0,0,0\n", "k.csv")
    ranked = weigh(["cue:fit", "unknown"], weights)
    assert ranked[0][0] == "fit"
    assert sum(share for _, share in ranked) == pytest.approx(1)
    with pytest.raises(DataError, match="bias"):
        parse_kind_weights(f"{header}\ncue:fit,0,0,0,2,0,0,0,0,0\n", "k.csv")

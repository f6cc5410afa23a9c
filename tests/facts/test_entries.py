"""Entries are read strictly, and every fault says file, line, field and mend."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.facts.entries import parse_knowledge, read_knowledge
from bot.tables import DataError
from tests.facts.small import entry_text


def test_a_full_entry_is_read() -> None:
    text = entry_text(
        then='then: {guides: [dettmers-2017-03], en: "Then.", zh: "当时。"}',
        facts="facts: [f17-001]",
        see_also="see_also: [ecc]",
        when="when: {gpus: [RTX 3090], multi_gpu: true}",
        note='note: {en: "A note.", zh: "说明。"}',
    )
    (entry,) = parse_knowledge([(text, "k.yaml")]).entries
    assert entry.id == "bandwidth"
    assert entry.then is not None
    assert entry.then.guides == ("dettmers-2017-03",)
    assert entry.when is not None
    assert entry.when.lists == {"gpus": ("RTX 3090",)}
    assert entry.when.multi_gpu is True
    assert entry.sources[0].as_of == "2026-10"
    assert entry.asked(False) == ("Why does memory bandwidth matter?", "bandwidth and speed")
    assert entry.asked(True)[1] == "带宽决定速度吗"
    assert (entry.where, entry.line) == ("k.yaml", 1)


FAULTS = [
    ({"colour": "colour: red"}, "colour", "not known"),
    ({"id": ""}, "id", "missing"),
    ({"id": "id: Not An Id"}, "id", "not an id"),
    ({"id": "id: 7"}, "id", "not a text"),
    ({"topic": 'topic: " "'}, "topic", "blank"),
    ({"question": 'question: {en: "Only English?"}'}, "question.zh", "missing"),
    ({"question": "question: a text"}, "question", "not a mapping"),
    ({"phrasings": ""}, "phrasings", "missing"),
    ({"phrasings": "phrasings: {en: [a], zh: []}"}, "phrasings.zh", "empty"),
    ({"phrasings": "phrasings: {en: [1], zh: [b]}"}, "phrasings.en", "not a list of texts"),
    ({"answer": 'answer: {en: "x", zh: "y", fr: "z"}'}, "answer.fr", "not known"),
    ({"answer": 'answer: {zh: "只有中文"}'}, "answer.en", "missing"),
    ({"as_of": "as_of: yesterday"}, "as_of", "not a date"),
    ({"as_of": "as_of: 2026-13"}, "as_of", "not a date"),
    ({"as_of": ""}, "as_of", "missing"),
    ({"sources": ""}, "sources", "no source"),
    ({"sources": "sources: []"}, "sources", "no source"),
    ({"sources": "sources: [a]"}, "sources", "not a mapping"),
    ({"sources": "sources: [{title: t, ref: r}]"}, "sources.as_of", "missing"),
    ({"then": "then: {guides: [], en: a, zh: b}"}, "then.guides", "empty"),
    ({"then": "then: {guides: [g], en: a}"}, "then.zh", "missing"),
    ({"when": "when: {}"}, "when", "no condition"),
    ({"when": "when: {vendors: [nvidea]}"}, "when.vendors", "not known"),
    ({"when": "when: {multi_gpu: 2}"}, "when.multi_gpu", "neither true nor false"),
    ({"when": "when: {moon: [full]}"}, "when.moon", "not known"),
    ({"note": "note: {en: a}"}, "note.zh", "missing"),
    ({"facts": "facts: {a: b}"}, "facts", "not a list of texts"),
]


@pytest.mark.parametrize(("changes", "field", "problem"), FAULTS)
def test_a_fault_names_its_field_and_mend(changes: dict[str, str], field: str, problem: str) -> None:
    _, faults = read_knowledge([(entry_text(**changes), "k.yaml")])
    fault = next(fault for fault in faults if fault.field == field)
    assert problem in fault.problem
    assert fault.where == "k.yaml"
    assert fault.line
    assert fault.mend
    with pytest.raises(DataError):
        parse_knowledge([(entry_text(**changes), "k.yaml")])


def test_all_faults_are_found_at_once() -> None:
    text = entry_text(topic="", as_of="as_of: never") + entry_text("ecc", sources="")
    base, faults = read_knowledge([(text, "k.yaml")])
    assert {fault.field for fault in faults} == {"topic", "as_of", "sources"}
    assert [entry.id for entry in base.entries] == ["bandwidth", "ecc"]


def test_an_id_stands_once_over_all_files() -> None:
    _, faults = read_knowledge([(entry_text(), "a.yaml"), (entry_text(), "b.yaml")])
    assert len(faults) == 1
    assert faults[0].where == "b.yaml"
    assert "a.yaml, line 1" in faults[0].problem


@pytest.mark.parametrize("text", ["a: b", "- text", "- [1]", "3", "- {a: 1", "\tx"])
def test_other_shapes_are_refused(text: str) -> None:
    _, faults = read_knowledge([(text, "k.yaml")])
    assert faults


def test_an_empty_file_has_no_entries() -> None:
    assert parse_knowledge([("# nothing yet\n", "k.yaml")]).entries == ()


@given(st.text(max_size=80), st.sampled_from(["topic", "question", "phrasings", "answer", "sources", "when", "then"]))
def test_any_text_in_a_field_is_read_or_told(value: str, field: str) -> None:
    _, faults = read_knowledge([(entry_text(**{field: f"{field}: {value}"}), "k.yaml")])
    assert all(fault.where == "k.yaml" for fault in faults)

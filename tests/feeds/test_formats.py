"""Any text at all is a document or a told fault."""

import contextlib
import json

from hypothesis import given, settings
from hypothesis import strategies as st

from bot.feeds.cloud import unzip
from bot.feeds.formats import CSV_ALLOWED, MAX_DEPTH, _deeper, parse_feed, parse_json
from bot.feeds.fx import parse_ecb, parse_frankfurter
from bot.feeds.source import SourceError

_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(CSV_ALLOWED), inner, max_size=4),
    max_leaves=12,
)


@settings(max_examples=150, deadline=None)
@given(st.text(max_size=300) | _JSON.map(json.dumps))
def test_any_text_is_read_or_told(text: str) -> None:
    for parse in (lambda t: parse_feed(t, "x", "s"), parse_ecb, parse_frankfurter):
        with contextlib.suppress(SourceError):  # anything else fails the test
            parse(text)


@settings(max_examples=150, deadline=None)
@given(st.lists(_JSON, max_size=4))
def test_any_rows_are_taken_or_refused(rows: list[object]) -> None:
    text = json.dumps({"schema": "gpu-prices/1", "prices": rows})
    try:
        haul = parse_feed(text, "x", "s")
    except SourceError:
        return
    assert len(haul.offers) + len(haul.refused) == len(rows)


@settings(max_examples=100, deadline=None)
@given(_JSON)
def test_depth_is_that_of_the_value(value: object) -> None:
    def depth(one: object) -> int:
        inner = one.values() if isinstance(one, dict) else one if isinstance(one, list) else None
        return 0 if inner is None else 1 + max((depth(part) for part in inner), default=0)

    assert _deeper(json.dumps(value), MAX_DEPTH) == (depth(value) > MAX_DEPTH)


def test_brackets_in_texts_are_no_nesting() -> None:
    assert parse_json(json.dumps({"a": '[[[[[[[["\\' * 9}), "x")


@settings(max_examples=100, deadline=None)
@given(st.binary(max_size=300))
def test_any_bytes_are_a_zip_or_told(body: bytes) -> None:
    with contextlib.suppress(SourceError):
        unzip(body, "x")

"""Names of price tables: exact, whatever the makers' words around them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.loading import load_catalogue, load_name_resolver


@pytest.mark.parametrize(
    ("written", "name"),
    [
        ("Tesla V100 16GB", "V100 16GB"),
        ("GeForce RTX 3090", "RTX 3090"),
        ("RTX 3090 24GB", "RTX 3090"),
        ("RTX 3060", "RTX 3060 12GB"),
        ("RTX 4060 Ti 16 GB", "RTX 4060 Ti 16GB"),
        ("RTX 4070 SUPER 12GB", "RTX 4070 Super"),
        ("GTX Titan X (Maxwell)", "GTX Titan X (Maxwell)"),
        ("titan x (pascal)", "Titan X (Pascal)"),
        ("NVIDIA Tesla T4 16GB", "T4"),
        ("Quadro RTX 8000", "Quadro RTX 8000"),
        ("Radeon RX 7900 XTX 24GB", "RX 7900 XTX"),
    ],
)
def test_written_names_are_found(written: str, name: str) -> None:
    assert load_name_resolver()(written) == name


@pytest.mark.parametrize("written", ["RTX 3091", "RTX 3090 48GB", "RTX 9999", "", "V100 24GB", "RTX", "3090 Ti Super"])
def test_one_digit_or_size_off_is_no_card(written: str) -> None:
    assert load_name_resolver()(written) is None


def test_every_canonical_name_is_its_own() -> None:
    resolve = load_name_resolver()
    assert [gpu.name for gpu in load_catalogue().gpus if resolve(gpu.name) != gpu.name] == []


@given(st.text(max_size=40))
def test_any_text_is_a_known_card_or_none(text: str) -> None:
    found = load_name_resolver()(text)
    assert found is None or load_catalogue().get(found) is not None

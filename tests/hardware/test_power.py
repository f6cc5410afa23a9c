"""Power supplies: the published test vectors, and laws."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.hardware.gpu import Gpu
from bot.hardware.power import psu, which_fit
from bot.loading import load_catalogue, load_machine_rules

RULES = load_machine_rules().power


def gpu(name: str, watts: float | None = -1) -> Gpu:
    found = load_catalogue().get(name)
    assert found is not None
    return found if watts == -1 else replace(found, tdp_w=watts)


@pytest.mark.parametrize(
    ("name", "watts", "count", "cpu", "load", "size"),
    [
        ("RTX 3090", 300, 4, 205, 1505, 2000),  # Puget 2020-10: a 1600 W unit is not recommended
        ("RTX 3090", 245, 2, 190, 780, 1000),  # 896 W at the wall
        ("RTX 5090", 575, 1, 200, 875, 1200),  # NVIDIA: 1000 W at least
        ("RTX 3090", 350, 1, 75, 525, 650),  # d2l 2020: 600 W
    ],
)
def test_published_machines(name: str, watts: float, count: int, cpu: float, load: float, size: int) -> None:
    advice = psu([(gpu(name, watts), count)], RULES, cpu)
    assert (advice.load_w, advice.psu_w) == (load, size)


def test_wall_draw_is_close_to_the_measured_896_w() -> None:
    assert psu([(gpu("RTX 3090", 245), 2)], RULES, 190).wall_w == pytest.approx(896, rel=0.05)


def test_a_power_limit_lowers_the_load() -> None:
    free, limited = (psu([(gpu("RTX 3090"), 2)], RULES, 150, limit_w=w).load_w for w in (None, 280))
    assert free - limited == pytest.approx(2 * (350 - 280))


def test_older_supplies_must_bear_the_spikes() -> None:
    advice = psu([(gpu("RTX 3090"), 2)], RULES, 150)
    assert not advice.spikes_fit
    assert "spikes" in {code for code, _ in advice.notes}
    assert psu([(gpu("RTX 3090"), 2)], RULES, 150, atx3=True).spikes_fit


def test_a_450_w_supply_takes_only_the_smallest_of_four() -> None:
    found = {f.gpu: f.verdict for f in which_fit(
        [gpu("RTX 3090"), gpu("RTX 5060 Ti 16GB"), gpu("RTX 5070 Ti"), gpu("RTX 5080")], 450, RULES, 100)}  # fmt: skip
    assert found["RTX 5060 Ti 16GB"] in ("fits", "tight")
    assert found["RTX 3090"] == found["RTX 5080"] == found["RTX 5070 Ti"] == "no"


def test_unknown_power_is_said_and_never_guessed_to_fit() -> None:
    assert ("power_unknown", {"gpus": ["RTX 3090"]}) in psu([(gpu("RTX 3090", None), 1)], RULES).notes
    assert which_fit([gpu("RTX 3090", None)], 2000, RULES)[0].verdict == "unknown"


def test_too_much_for_one_supply() -> None:
    advice = psu([(gpu("RTX 5090"), 4)], RULES)
    assert advice.psu_w is None
    assert "two_supplies" in {code for code, _ in advice.notes}
    assert "120 V 15 A" not in advice.circuits


def test_connectors_are_added_up() -> None:
    advice = psu([(gpu("GTX 1080 Ti"), 2)], RULES)
    assert dict(advice.connectors) == {"6-pin": 2, "8-pin": 2}


@given(st.floats(30, 700), st.integers(1, 8), st.floats(35, 400))
def test_the_supply_always_has_its_margin(watts: float, count: int, cpu: float) -> None:
    advice = psu([(gpu("RTX 3090", watts), count)], RULES, cpu)
    assert advice.psu_w is None or advice.psu_w >= 1.2 * advice.load_w - 1e-6
    more = psu([(gpu("RTX 3090", watts), count + 1)], RULES, cpu)
    assert more.load_w > advice.load_w
    assert (more.psu_w or 10**6) >= (advice.psu_w or 10**6)

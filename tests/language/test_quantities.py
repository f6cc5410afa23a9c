"""Numbers with units: what holds a memory size, and what other numbers are."""

from __future__ import annotations

import pytest

from bot.language.parser import Understanding
from bot.language.understood import understood


@pytest.mark.parametrize(
    ("text", "memory", "system"),
    [
        ("rtx 4090 24GB + 64GB DDR4", (24,), 64),
        ("GPU-12GB (3060), Ryzen 5500, 64GB. which model?", (12,), 64),
        ("is 4 or 6 GB ok for sd", (4, 6), None),
        ("12G of video memory, still OOM", (12,), None),
        ("old pc, 4go ram and no gpu", (), 4),
        ("128Gb RAM, 2Tb nvme", (), 128),
        ("3090 配 64G 記憶體跑影片", (), 64),
        ("显存几个g够，32G内存", (), 32),
        ("M2 ultra w/ 192G", (192,), None),
    ],
)
def test_what_holds_a_memory_size(
    understanding: Understanding, text: str, memory: tuple[float, ...], system: float | None
) -> None:
    request = understanding.understand(text)
    assert request.memory_gb == memory
    assert request.system_memory_gb == system


def test_weights_are_no_gpu_memory(understanding: Understanding) -> None:
    request = understanding.understand("13 Gig of weights on a 12GB card")
    assert request.model_size_gb == 13
    assert request.memory_gb == (12,)


def test_the_card_s_own_memory_comes_before_a_wish(understanding: Understanding) -> None:
    request = understanding.understand("docs say it wants a >12G gpu. i have RTX2070 * 2, 8G each")
    assert understood(request)["memory_gb"] == 8
    assert request.count == 2


@pytest.mark.parametrize(
    ("text", "counts"),
    [
        ("dual 4090 or a single 4090", (2, 1)),
        ("1-2 Tesla P40", (1, 2)),
        ("RTX 2070 * 2 for bert", (2,)),
        ("qlora w/ 8*24G", (8,)),
        ("a pair of A30", (2,)),
        ("两张3090", (2,)),
        ("3090双卡", (2,)),
        ("8张4090", (8,)),
        ("sixteen A10", (16,)),
        ("do i need 2 gpus", (2,)),
    ],
)
def test_counts(understanding: Understanding, text: str, counts: tuple[int, ...]) -> None:
    assert understanding.understand(text).counts == counts


def test_numbers_of_many_kinds(understanding: Understanding) -> None:
    request = understanding.understand("8k context, batch size 4, 5 users, 650W psu, at 1024, keep it for 5 years")
    assert (request.context_tokens, request.batch, request.users) == (8192, 4, 5)
    assert (request.watts, request.resolution_px, request.keep_years) == ((650,), 1024, 5)


@pytest.mark.parametrize(
    ("text", "as_of"),
    [
        ("which gpu in 2019 for nlp", "2019"),
        ("best card as of 2020", "2020"),
        ("2017年买什么显卡", "2017"),
        ("in march 2017 what was good", "2017-03"),
        ("budget 2019 usd", None),
    ],
)
def test_dates(understanding: Understanding, text: str, as_of: str | None) -> None:
    assert understanding.understand(text).as_of == as_of


@pytest.mark.parametrize(
    ("text", "guide"),
    [
        ("what did dettmers 2017 say", "dettmers-2017-04"),
        ("tim dettmers guide", "dettmers-2019-04"),
        ("lambda 2020 benchmark", "lambda-2020-02"),
    ],
)
def test_guides(understanding: Understanding, text: str, guide: str) -> None:
    assert understanding.understand(text).guide == guide

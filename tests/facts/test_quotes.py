"""Guide rows are read strictly, and the row that fits is quoted."""

from __future__ import annotations

from typing import Any

import pytest

from bot.facts.quotes import parse_guide_rows, quotes, read_guide_rows
from bot.loading import load_guide_rows
from bot.request import Budget
from bot.tables import DataError
from tests.facts.small import request

ROW = """- id: r1
  guide: dettmers-2017-03
  as_of: 2017-03
  who: {en: "someone", zh: "某人"}
  workloads: [general]
  advice: {en: "Buy it.", zh: "买。"}
  gpus: [GTX 1060 6GB]
"""


def usd(amount: float) -> Budget:
    """A cap in USD."""
    return Budget(max=amount, currency="USD")


@pytest.mark.parametrize(
    ("asked", "first"),
    [
        ({"as_of": "2019", "workloads": ("kaggle",)}, "b19-05"),
        ({"as_of": "2019", "level": "kaggle"}, "b19-05"),
        ({"as_of": "2017", "workloads": ("kaggle",)}, "b17a-07"),
        ({"as_of": "2017", "guide": "dettmers-2019-04", "budget": usd(300)}, "b17a-05"),
        ({"guide": "lambda-2020-02", "level": "serious", "budget": usd(700)}, "b20-02"),
        ({"guide": "lambda-2020-02", "level": "serious", "budget": usd(1200)}, "b20-03"),
        ({"guide": "lambda-2020-02", "level": "hobby"}, "b20-01"),
        ({"guide": "lambda-2020-02", "deployment": "datacenter"}, "b20-06"),
        ({"guide": "dettmers-2019-04", "workloads": ("nlp",), "level": "research"}, "b19-08"),
        ({"guide": "dettmers-2019-04", "workloads": ("cv",), "level": "research"}, "b19-06"),
        ({"as_of": "2019-04", "deployment": "datacenter"}, "b19-09"),
        ({"as_of": "2017-04", "workloads": ("cv",), "large_data": True}, "b17b-05"),
        ({"guide": "dettmers-2017-04", "gpus": ("Titan Xp",)}, "b17b-09"),
        ({"as_of": "2017-04", "level": "hobby"}, "b17b-11"),
        ({"as_of": "2017-06", "workloads": ("kaggle",)}, "b17a-07"),
    ],
)
def test_the_row_that_fits_comes_first(asked: dict[str, Any], first: str) -> None:
    assert quotes(request(**asked), load_guide_rows())[0].id == first


@pytest.mark.parametrize(
    "asked",
    [
        {},
        {"workloads": ("kaggle",)},
        {"as_of": "2018"},
        {"as_of": "2023-01"},
        {"guide": "lambda-2020-02", "as_of": "2017"},
    ],
)
def test_nothing_is_quoted_where_nothing_fits(asked: dict[str, Any]) -> None:
    assert quotes(request(**asked), load_guide_rows()) == []


def test_a_budget_in_another_currency_is_not_compared_with_dollars() -> None:
    rows = load_guide_rows()
    yuan = request(as_of="2017", budget=Budget(max=300, currency="CNY"))
    assert quotes(yuan, rows) == quotes(request(as_of="2017"), rows)


def test_a_row_is_read() -> None:
    (row,) = parse_guide_rows(ROW, "rows.yaml")
    assert (row.id, row.gpus, row.level, row.value) == ("r1", ("GTX 1060 6GB",), None, False)


@pytest.mark.parametrize(
    ("more", "field"),
    [
        ("  colour: red\n", "colour"),
        ("  level: guru\n", "level"),
        ("  kind: song\n", "kind"),
        ("  value: 3\n", "value"),
        ("  budget_max_usd: lots\n", "budget_max_usd"),
        ("  budget_max_usd: -5\n", "budget_max_usd"),
        ("  prices: [1]\n", "prices"),
        ("  prices: {RTX 2070: dear}\n", "prices"),
    ],
)
def test_a_fault_in_a_row_is_told(more: str, field: str) -> None:
    _, faults = read_guide_rows(ROW + more, "rows.yaml")
    assert [fault.field for fault in faults] == [field]
    with pytest.raises(DataError):
        parse_guide_rows(ROW + more, "rows.yaml")


def test_an_id_stands_once() -> None:
    _, faults = read_guide_rows(ROW + ROW, "rows.yaml")
    assert [fault.field for fault in faults] == ["id"]

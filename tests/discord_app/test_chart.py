"""The picture of a price history: what is drawn, how large it is, that it reads on its panel."""

from __future__ import annotations

import io
from datetime import date

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image, ImageColor

from bot.discord_app.chart import COLOURS, PANEL, SIZE, TEXT, Spot, draw, spots
from bot.market.points import EBAY_ASKING, PointCondition, PointKind, PricePoint
from bot.request import Money

LARGEST = 40_000


def point(
    condition: PointCondition, amount: float, as_of: str, source: str = "a shop", kind: PointKind = "street"
) -> PricePoint:
    return PricePoint("RTX 3090", condition, Money(amount, "USD"), as_of, source, kind)


HISTORY = (point("used", 800, "2026-03"), point("used", 990, "2026-07"), point("new", 1500, "2026-05-12"))


def opened(png: bytes) -> Image.Image:
    assert png.startswith(b"\x89PNG\r\n\x1a\n")
    assert len(png) <= LARGEST
    picture = Image.open(io.BytesIO(png))
    picture.load()
    assert picture.size == SIZE
    return picture.convert("RGB")


def test_used_and_new_have_their_own_colours() -> None:
    colours = {colour for _, colour in opened(draw(spots(HISTORY))).getcolors(1000) or []}
    drawn = {name for name, colour in COLOURS.items() if ImageColor.getrgb(colour) in colours}
    assert drawn == {"used", "new"}


def _light(colour: str) -> float:
    parts = [part / 255 for part in ImageColor.getrgb(colour)[:3]]
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


@pytest.mark.parametrize("colour", [TEXT, *COLOURS.values()])
def test_it_reads_on_its_own_panel_whatever_is_around_it(colour: str) -> None:
    assert (_light(colour) + 0.05) / (_light(PANEL) + 0.05) >= 4.5


def test_oldest_first_in_the_askers_currency_each_date_once() -> None:
    twice = (point("used", 1, "2026-03"),)
    assert [(spot.as_of, spot.amount) for spot in spots((*HISTORY, *twice), 2.0)] == [
        ("2026-03", 1600), ("2026-05-12", 3000), ("2026-07", 1980),
    ]  # fmt: skip


def test_left_out_are_launch_prices_bare_years_and_ebay() -> None:
    other = (
        point("new", 1499, "2020-09-24", kind="msrp"), point("used", 700, "2025"),
        point("used", 900, "2026-11-30", f"{EBAY_ASKING} (EBAY_US)"),
    )  # fmt: skip
    assert spots((*HISTORY, *other)) == spots(HISTORY)


def test_too_few_points_make_no_picture() -> None:
    with pytest.raises(ValueError, match="2 points"):
        draw(spots(HISTORY[:2]))


@settings(deadline=None, max_examples=25)
@given(
    st.lists(
        st.builds(
            Spot, st.sampled_from(["new", "used", "any"]),
            st.dates(date(2015, 1, 1), date(2026, 12, 1)).map(lambda day: day.isoformat()),
            st.floats(0.5, 5e8),
        ),
        min_size=3, max_size=40,
    )
)  # fmt: skip
def test_any_history_makes_a_picture_of_that_size(history: list[Spot]) -> None:
    opened(draw(sorted(history, key=lambda spot: spot.day)))

"""A card's price history as a small picture: used orange with round marks, new blue with square ones.

Numbers and dates are the only text, so that any font will do. Lines join points that were observed; nothing is drawn
before the first or after the last of them.
"""

from __future__ import annotations

import io
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from math import floor, log10

from PIL import Image, ImageDraw, ImageFont

from bot.market.points import PricePoint, first_day

SIZE = (720, 320)
LEAST, MOST = 3, 40
"""Points that make a picture worth looking at, and the newest that are drawn."""
LEFT, TOP, RIGHT, BOTTOM = 100, 20, 30, 40
PANEL, GRID, TEXT = "#2b2d31", "#4e5058", "#dbdee1"
"""An opaque panel: it reads the same on Discord's dark and light backgrounds."""
COLOURS = {"used": "#f0883e", "new": "#58a6ff", "any": "#b5bac1"}
LINES = 4
FONT = 15
GAP = 14
"""Pixels between two dates on the axis."""

Box = tuple[float, float, float, float]


@dataclass(frozen=True, slots=True)
class Spot:
    """One price as drawn: its condition, what it is dated, the amount in the currency of the picture."""

    condition: str
    as_of: str
    amount: float

    @property
    def day(self) -> date:
        """Where it stands on the axis; a month stands at its first day."""
        return first_day(self.as_of)


def spots(points: Iterable[PricePoint], share: float = 1.0) -> tuple[Spot, ...]:
    """What of a history is drawn, oldest first; `share` is units of the asker's currency for a dollar.

    Left out: launch prices (nobody was seen paying them), eBay's asking prices (they may not stand among others), and
    dates of a year alone. Of one condition and date the first of `points` counts.
    """
    found: dict[tuple[str, str], Spot] = {}
    for point in points:
        if point.kind != "msrp" and not point.from_ebay and "-" in point.as_of:
            spot = Spot(point.condition, point.as_of, point.money.amount * share)
            found.setdefault((point.condition, point.as_of), spot)
    return tuple(sorted(found.values(), key=lambda spot: (spot.day, spot.condition))[-MOST:])


def draw(history: Sequence[Spot]) -> bytes:
    """The picture as PNG, SIZE pixels. Raises ValueError for fewer than LEAST points."""
    if len(history) < LEAST:
        raise ValueError(f"{len(history)} points make no chart")
    picture = Image.new("RGB", SIZE, PANEL)
    pen, font = ImageDraw.Draw(picture), ImageFont.load_default(FONT)
    ticks = _ticks(max(spot.amount for spot in history))
    first, last = history[0].day, history[-1].day
    width, height = SIZE[0] - LEFT - RIGHT, SIZE[1] - TOP - BOTTOM

    def x(day: date) -> float:
        return LEFT + (width * ((day - first).days / (last - first).days) if last > first else width / 2)

    def y(amount: float) -> float:
        return TOP + height * (1 - amount / ticks[-1])

    for tick in ticks:
        pen.line((LEFT, y(tick), SIZE[0] - RIGHT, y(tick)), fill=GRID)
        pen.text((LEFT - 10, y(tick)), f"{tick:,.10g}", fill=TEXT, font=font, anchor="rm")
    _dates(pen, font, {spot.as_of: x(spot.day) for spot in history})
    for condition, colour in COLOURS.items():
        places = [(x(spot.day), y(spot.amount)) for spot in history if spot.condition == condition]
        pen.line(places, fill=colour, width=3, joint="curve")
        for across, down in places:
            mark: Box = (across - 5, down - 5, across + 5, down + 5)
            (pen.rectangle if condition == "new" else pen.ellipse)(mark, fill=colour)
    out = io.BytesIO()
    picture.save(out, "PNG")
    return out.getvalue()


def _ticks(highest: float) -> list[float]:
    """Round amounts from 0 to the first at or above the highest price: a cut axis makes small moves look large."""
    rough = highest / LINES
    unit: float = 10.0 ** floor(log10(rough))
    step = next(unit * part for part in (1, 2, 2.5, 5, 10) if unit * part >= rough)
    count = next(number for number in range(1, LINES + 1) if step * number >= highest * 0.999)
    return [step * number for number in range(count + 1)]


def _dates(pen: ImageDraw.ImageDraw, font: ImageFont.ImageFont | ImageFont.FreeTypeFont, at: dict[str, float]) -> None:
    """The first and the last date, and of those between as many as have room."""
    taken: list[tuple[float, float]] = []
    names = list(at)
    for name in dict.fromkeys((names[0], names[-1], *names)):
        half = pen.textlength(name, font=font) / 2
        middle = min(max(at[name], half + 4), SIZE[0] - half - 4)
        if all(middle + half + GAP < low or middle - half - GAP > high for low, high in taken):
            taken.append((middle - half, middle + half))
            pen.line((at[name], SIZE[1] - BOTTOM, at[name], SIZE[1] - BOTTOM + 5), fill=TEXT)
            pen.text((middle, SIZE[1] - BOTTOM + 20), name, fill=TEXT, font=font, anchor="mm")

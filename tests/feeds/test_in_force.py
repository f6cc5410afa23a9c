"""What was fetched reaches the answers: prices, exchange rates, rental prices; read quickly, and never in the way."""

import sqlite3
from pathlib import Path

import pytest

from bot.cli import refreshed
from bot.feeds.desk import PriceDesk
from bot.feeds.in_force import InForce, read_file, with_hourly
from bot.feeds.source import Haul, Progress
from bot.feeds.web import Web
from bot.loading import load_cloud_prices, load_rates
from bot.market.cloud import CloudPrice
from bot.market.rates import Rate
from bot.market.validation import Offer
from bot.storage.engine import sqlite_url
from tests.feeds.loopback import TODAY, world


class _Everything:
    name, market_place, cooldown_seconds = "all", False, 0

    async def fetch(self, web: Web, progress: Progress) -> Haul:
        return Haul(
            [Offer("1", "RTX 3090", "used", "871", "USD", "2026-11-30", "my list")],
            [CloudPrice("RTX 3090", "cloud", 0.33, 0.3, 0.4, 3, "2026-11-30", "my clouds")],
            [Rate("GBP", 0.7501, "2026-11-30", "my bank"), Rate("EUR", 0.9, "2020-01-01", "an old one")],
        )


@pytest.fixture
def desk(tmp_path: Path) -> PriceDesk:
    made = PriceDesk(sqlite_url(tmp_path / "whichgpu.sqlite"), world(), [_Everything()], lambda: TODAY)
    made.refresh(lambda _: None)
    return made


def test_file_and_desk_say_the_same(desk: PriceDesk, tmp_path: Path) -> None:
    found = read_file(tmp_path / "whichgpu.sqlite", load_rates())
    there = desk.in_force()
    assert found.points == there.points
    assert found.hourly == there.hourly
    assert found.points[0].money.amount == 871
    assert found.rates
    assert there.rates
    for rates in (found.rates, there.rates):
        assert rates.rate("GBP") == Rate("GBP", 0.7501, "2026-11-30", "my bank")
        assert rates.rate("EUR") == load_rates().rate("EUR")  # the shipped one is newer


def test_hourly_prices_replace_those_of_the_same_kind() -> None:
    fetched = CloudPrice("RTX A6000", "cloud", 0.5, 0.5, 0.5, 1, "2026-11-30", "x")
    both = with_hourly(load_cloud_prices(), [fetched])
    assert fetched in both.of("RTX A6000")
    assert len(both.of("RTX A6000")) == len(load_cloud_prices().of("RTX A6000"))
    assert both.of("T4") == load_cloud_prices().of("T4")


def test_nothing_there_and_damage_mean_the_shipped_prices(tmp_path: Path) -> None:
    assert read_file(tmp_path / "none", load_rates()) == InForce()
    (tmp_path / "bad").write_bytes(b"no database" * 999)
    assert read_file(tmp_path / "bad", load_rates()) == InForce()
    sqlite3.connect(tmp_path / "empty").close()
    assert read_file(tmp_path / "empty", load_rates()) == InForce()


def test_command_line_answers_on_fetched_prices(
    desk: PriceDesk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WHICHGPU_STATE_DIR", str(tmp_path))
    for cached in (refreshed.in_force, refreshed.load_assistant):
        cached.cache_clear()
    try:
        book, rates, cloud = refreshed.load_book()
        assert book.history("RTX 3090")[0].money.amount == 871
        assert cloud.typical("RTX 3090") == desk.in_force().hourly[0]
        assert (rate := rates.rate("GBP"))
        assert rate.source == "my bank"
        world_of_answers = refreshed.load_assistant().library.world
        assert world_of_answers.book.history("RTX 3090")[0].money.amount == 871
        assert world_of_answers.rates.rate("GBP") == rate
    finally:
        for cached in (refreshed.in_force, refreshed.load_assistant):
            cached.cache_clear()

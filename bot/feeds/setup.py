"""The desk as the settings want it."""

from __future__ import annotations

from bot import loading
from bot.feeds.cloud import CloudSource, name_finder
from bot.feeds.desk import PriceDesk
from bot.feeds.ebay import EbaySource
from bot.feeds.files import FeedSource, FileSource
from bot.feeds.fx import RatesSource
from bot.feeds.refresh import World, utc_today
from bot.feeds.source import PriceSource
from bot.market.book import launches
from bot.settings import Settings
from bot.storage.engine import database_url


def sources(settings: Settings) -> list[PriceSource]:
    """The sources that are set up; everything that goes to a network is off by default. Raises DataError."""
    found: list[PriceSource] = []
    if settings.prices_file:
        found.append(FileSource(settings.prices_file))
    if settings.feed_url:
        found.append(FeedSource(settings.feed_url))
    if settings.fx == "on":
        found.append(RatesSource())
    if settings.ebay_client_id and settings.ebay_client_secret:
        found.append(
            EbaySource(
                settings.ebay_client_id, settings.ebay_client_secret, settings.ebay_marketplace.upper(),
                loading.load_prices().gpus, loading.load_title_reader(), utc_today,
            )
        )  # fmt: skip
    if settings.cloud:
        found.append(CloudSource(settings.cloud, name_finder(loading.load_catalogue()), utc_today))
    return found


def load_world() -> World:
    """What prices are checked with, from data/. Raises DataError."""
    return World(
        loading.load_name_resolver(), loading.load_rates(), loading.load_prices(),
        launches(loading.load_catalogue().gpus),
    )  # fmt: skip


def price_desk(settings: Settings) -> PriceDesk:
    """The desk over the database of the settings. Raises DataError."""
    url = database_url(settings.database_url.value, settings.state_dir)
    return PriceDesk(url, load_world(), sources(settings))

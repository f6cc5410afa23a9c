"""Figures as people write them."""

from __future__ import annotations

from bot.market.money import money_text

__all__ = ["gb", "gbs", "money_text"]


def gb(value: float) -> str:
    """ "24 GB", "1.4 TB", "0.5 GB"."""
    if value >= 1000:
        return f"{value / 1000:.2g} TB" if value < 9950 else f"{value / 1000:.0f} TB"
    return f"{value:.0f} GB" if value >= 20 or value == int(value) else f"{value:.1f} GB"


def gbs(value: float) -> str:
    """A bandwidth: "936 GB/s"."""
    return f"{value:,.0f} GB/s".replace(",", "")

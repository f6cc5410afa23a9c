"""Figures as people write them."""

from __future__ import annotations

from bot.request import Money

_SIGNS = {
    "USD": "${}", "EUR": "€{}", "GBP": "£{}", "CNY": "¥{}", "TWD": "NT${}", "HKD": "HK${}", "JPY": "JP¥{}",
    "INR": "₹{}", "CAD": "CA${}", "AUD": "AU${}",
}  # fmt: skip


def money_text(money: Money) -> str:
    """ "$1,066", "NT$24,990", "$0.44": cents only below 20."""
    digits = (
        f"{money.amount:,.2f}" if money.amount < 20 and money.amount != int(money.amount) else f"{money.amount:,.0f}"
    )
    return _SIGNS.get(money.currency, money.currency + " {}").format(digits)


def gb(value: float) -> str:
    """ "24 GB", "1.4 TB", "0.5 GB"."""
    if value >= 1000:
        return f"{value / 1000:.2g} TB" if value < 9950 else f"{value / 1000:.0f} TB"
    return f"{value:.0f} GB" if value >= 20 or value == int(value) else f"{value:.1f} GB"


def gbs(value: float) -> str:
    """A bandwidth: "936 GB/s"."""
    return f"{value:,.0f} GB/s".replace(",", "")

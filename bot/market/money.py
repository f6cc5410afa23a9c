"""Money as people write it."""

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

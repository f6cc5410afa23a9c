"""The fixed small words around an answer (column heads, roles), in each language."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from bot.request import Language


@dataclass(frozen=True, slots=True)
class Labels:
    roles: Mapping[str, str]
    conditions: Mapping[str, str]
    no_price: str
    on_ebay: str
    """Stands where a price would, when it is an eBay asking price: those have a table of their own."""
    per_hour: str
    sources: str
    next: str
    choose: str
    columns: tuple[str, str, str, str, str]


LABELS: Mapping[Language, Labels] = {
    "en": Labels(
        roles={
            "best": "pick", "cheaper": "cheaper", "more_memory": "more memory", "faster": "faster",
            "used": "used", "several": "several cards", "rent": "rent instead",
        },
        conditions={"new": "new", "used": "used"},
        no_price="no price known", on_ebay="on eBay, see below", per_hour="/hour", sources="Sources",
        next="You could ask next",
        choose="Choose or ask", columns=("", "GPU", "Memory", "Bandwidth", "Price"),
    ),
    "zh-CN": Labels(
        roles={
            "best": "首选", "cheaper": "更便宜", "more_memory": "显存更大", "faster": "更快",
            "used": "二手", "several": "多张卡", "rent": "改为租用",
        },
        conditions={"new": "全新", "used": "二手"},
        no_price="没有已知价格", on_ebay="eBay 价见下", per_hour="/小时", sources="来源", next="可以接着问",
        choose="请选择或再问", columns=("", "显卡", "显存", "带宽", "价格"),
    ),
    "zh-TW": Labels(
        roles={
            "best": "首選", "cheaper": "更便宜", "more_memory": "VRAM 更大", "faster": "更快",
            "used": "二手", "several": "多張卡", "rent": "改為租用",
        },
        conditions={"new": "全新", "used": "二手"},
        no_price="沒有已知價格", on_ebay="eBay 價見下", per_hour="/小時", sources="來源", next="可以接著問",
        choose="請選擇或再問", columns=("", "顯示卡", "VRAM", "頻寬", "價格"),
    ),
}  # fmt: skip

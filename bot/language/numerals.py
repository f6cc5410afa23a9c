"""Chinese numerals as they are written for money."""

from __future__ import annotations

_ZH_DIGITS = {c: i for i, c in enumerate("零一二三四五六七八九")} | {
    "两": 2,
    "俩": 2,
    "壹": 1,
    "贰": 2,
    "叁": 3,
    "肆": 4,
    "伍": 5,
}
_ZH_UNITS = {"十": 10, "百": 100, "千": 1000, "万": 10000, "仟": 1000, "佰": 100, "拾": 10, "萬": 10000}


def chinese_number(text: str) -> tuple[float, float] | None:
    """The value of a Chinese numeral as (low, high); equal unless two digits stand together (六七千). None: no
    amount. 三千五 is 3,500, 一万零五十 is 10,050, 半万 is 5,000."""
    total = section = 0.0
    digit: float | None = None
    value: float
    spread = 0.0
    last_unit, zero, largest = 1.0, False, 1
    for char in text:
        if char == "半":
            digit = 0.5
        elif char in _ZH_DIGITS:
            value = _ZH_DIGITS[char]
            if char == "零":
                zero = True
                continue
            if digit is not None:
                if value != digit + 1:
                    return None
                spread = 1.0
            digit = value if digit is None or spread == 0 else digit
        else:
            unit = _ZH_UNITS[char]
            if unit == 10000:
                total += (section + (digit if digit is not None else (0 if section else 1))) * unit
                section = 0
            else:
                section += (digit if digit is not None else 1) * unit
            spread *= unit
            digit, last_unit, zero, largest = None, float(unit), False, max(largest, unit)
    if digit is not None:
        tenth = last_unit / 10 if last_unit >= 100 and not zero and spread == 0 else 1.0
        section += digit * tenth
    value = total + section
    if largest < 100:
        return None
    return value, value + spread

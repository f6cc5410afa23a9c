"""Reasons and warnings as codes with parameters. The sentences are in data/wording/reasons.yaml, one per language."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from bot.tables import DataError, LineDict, read_yaml

Value = str | float | int


@dataclass(frozen=True, slots=True)
class Reason:
    """One reason, warning or assumption: a code of CODES and its parameters, ready to be worded."""

    code: str
    params: tuple[tuple[str, Value], ...] = ()

    def param(self, name: str) -> Value | None:
        return next((value for key, value in self.params if key == name), None)


def reason(code: str, **params: Value) -> Reason:
    """Shorthand for a Reason; parameters keep their order."""
    return Reason(code, tuple(params.items()))


CODES: Mapping[str, str] = {
    # Why this pick. Memory in GB, money as text with its currency code, speeds as ratios.
    "memory_fits": "memory need: the card holds what the stated model or wish needs",
    "memory_comfortable": "memory need: enough for most of today's work of this kind",
    "memory_ample": "memory need: far more than the stated model needs",
    "memory_as_asked": "memory need: the size that was asked for",
    "memory_tight": "memory need: below the comfortable size; smaller batches, quantised or smaller models",
    "memory_most_affordable": "memory: the most memory that the budget buys",
    "memory_adds_up": "count memory each: this work can be split over the cards",
    "best_value": "gpu: most speed and memory per money, the computer around it counted",
    "best_within_budget": "budget: best of what fits",
    "only_card_that_fits": "the only card in the price list that meets the needs",
    "fastest_known": "speed was all that was asked for",
    "cheapest_that_fits": "the lowest price among cards that meet the needs",
    "cheapest_for_pc": "the lowest price among cards that any desktop computer takes",
    "cheaper_than_best": "percent: that much cheaper than the first pick",
    "faster_than_best": "percent: that much faster than the first pick",
    "times_as_fast": "times: that many times as fast as the first pick, from twice on",
    "slower_than_best": "percent: that much slower than the first pick",
    "more_memory_than_best": "memory best: memory of this card against the first pick's",
    "less_memory_than_best": "memory best: the first pick has more",
    "used_saves": "percent: cheaper than the first pick, bought used",
    "used_gets_more": "used, and better than what the same money buys new",
    "several_cards": "count memory: that many of them, memory in all",
    "rent_instead": "gpu price as_of: renting by the hour, from the median of the offers",
    "upgrade_from": "gpu speed memory_from memory_to: against the card that is owned",
    "tensor_cores": "has matrix units for 16-bit training",
    "datacenter_licence": "GeForce drivers may not be used in data centres; this class may",
    "unified_memory": "memory: one pool shared with the processor",
    "laptop_rank": "the strongest laptop chip that machines of about this budget carry",
    # What it cannot do, or what to look out for.
    "no_bf16": "no BF16, train in FP16 with loss scaling",
    "no_fast_fp16": "no fast 16-bit arithmetic, slower, and needs more memory to train",
    "sixteen_bit_needed": "memory: train in 16 bit, or the memory runs short",
    "weak_fp64": "double precision is slow: for codes that need it take A100 or H100 class",
    "egpu_enclosure": "an external enclosure costs speed and money",
    "used_no_warranty": "bought used, no warranty, test it under load",
    "any_condition_price": "the price mixes new and used offers",
    "passive_cooler": "no fan, needs strong air flow through the case",
    "no_display": "no picture output",
    "blower_for_several": "several cards in one case, take versions with a blower cooler, or leave gaps",
    "psu_needed": "watts tdp: power supply to have at least",
    "rocm_needed": "AMD, needs ROCm; check that the software you use supports it",
    "xpu_needed": "Intel, needs PyTorch XPU, OpenVINO or Vulkan; many projects assume CUDA",
    "metal_needed": "Apple, MLX, Metal or llama.cpp; no CUDA",
    "software_ending": "architecture: support in PyTorch is ending",
    "software_dropped": "architecture: today's PyTorch builds no longer support it",
    "memory_not_pooled": "the cards do not become one; software must split the work",
    "no_nvlink": "no NVLink, traffic between the cards goes over PCIe",
    "price_old": "days: the price is that old and may be off by a quarter or more; check first",
    "price_msrp": "only the launch price is known; shops may ask more",
    "price_overtaken": "price as_of: used offers stood higher later than this new price",
    "price_smallest": "memory: the price is that of the smallest memory; the largest costs far more",
    "price_may_exceed": "budget high: today's price may lie above the budget",
    "fault": "text text_zh: what buyers must know",
    "laptop_chip_weaker": "a laptop chip is slower than the desktop card of the same name",
    "laptop_no_price": "laptop prices are not in the price list; tiers only",
    "rent_strangers": "gpu price: market places are cheaper still",
    "rent_marketplace": "market places, cheaper, less dependable, data on other people's machines",
    # Why not.
    "over_budget": "price budget: costs more than may be spent",
    "over_assumed": "price budget: above the sum that was taken for granted",
    "too_little_memory": "memory need: less than the need",
    "dominated": "by: costs no less, and is no faster and has no more memory than that card",
    "no_current_price": "no current price (out of production, or never in the list)",
    "outdated": "by times year: of that year, no current price, and that much slower than that card",
    "only_used": "worth it, yet only known used",
    "also_good": "not first, yet among the alternatives",
    "not_released": "date: not released on that day",
    "vendor_excluded": "vendor: ruled out",
    "vendor_not_asked": "vendor: not the default; say so if you want it",
    "vendor_default": "vendor: another maker than the one most software expects",
    "condition_not_wanted": "condition: only known in the condition that is not wanted",
    "not_a_card": "module, laptop chip or whole system, not a card for this computer",
    "not_sold_here": "made for another market",
    "licence": "GeForce class is not licensed for data centres",
    "has_fault": "text text_zh: a card not to buy, and why",
    "cut_down": "too little memory for its generation",
    "too_long": "slots have: takes more slots than there are",
    "too_hot": "tdp watts: more power than the supply or case allows",
    "excluded_by_you": "you ruled it out",
    "owned_already": "you have it",
    "slower_per_money": "by percent: less for the money than that card",
    "slower": "by percent: slower than that card at the price",
    "less_memory_than": "by memory other: less memory than that card",
    "not_in_catalogue": "unknown card",
    # What was taken for granted.
    "assumed_workload": "workload: none was stated",
    "assumed_new_or_used": "new preferred; used where it buys clearly more",
    "assumed_nvidia": "NVIDIA, since most software expects CUDA",
    "assumed_budget": "budget level: no budget stated; a sensible sum was taken",
    "assumed_usd": "no currency stated, US dollars",
    "unknown_currency": "currency: no exchange rate, so the budget could not be used",
    "assumed_host": "price: of the budget kept for the rest of the computer",
    "assumed_memory": "memory workload: typical need",
    "assumed_quantised": "need: the full size is out of reach, so smaller number formats are taken for granted",
    "assumed_as_of": "date: cards and prices of that day",
    "converted": "from to as_of: converted at the rate of that day, before local tax",
    "budget_raised": "from to: nothing fits below, so the assumed sum was raised",
    # No purchase.
    "none_affordable": "gpu price budget: the cheapest that fits costs more",
    "none_fits_memory": "memory: no single card within reach holds that much",
    "none_known": "no card in the price list meets all conditions",
    "keep_owned": "gpu: the card you have already does it",
    "relax_budget": "gpu price extra: that much more buys it",
    "relax_used": "gpu price: used, within the budget",
    "relax_memory": "gpu memory price: with less memory, within the budget",
    "relax_vendor": "gpu vendor price: from another maker, within the budget",
    "ask_budget": "the answer depends on the budget",
    "ask_workload": "the answer depends on the work",
    # Comparing. `winner`, `loser`, `fast` and `gpu` carry their count ("2x RTX 3090"); times is text ("1.6").
    "decides_memory": "need winner: only this one holds the work",
    "decides_more_memory": "winner loser memory other: clearly more memory, where the smaller is short of comfortable",
    "decides_together": "winner loser memory other: several cards hold more together, for work that is split",
    "decides_software": "winner loser: the other's software support has ended",
    "decides_ending": "winner loser: the other's software support is ending",
    "decides_cuda": "winner loser: this work expects CUDA",
    "decides_speed": "winner loser times: so many times as fast",
    "decides_throughput": "winner loser times: so much more throughput, several cards counted together",
    "decides_compute": "winner loser times: the same for one user, faster in prompts, batches and training",
    "decides_worth": "winner loser times price: faster, and worth the higher price",
    "decides_worth_asked": "winner loser times price: the same at the prices that the question names",
    "decides_value": "winner fast times price: more for the money, while the other is faster",
    "decides_value_asked": "winner fast times price: the same at the prices that the question names",
    "decides_price": "winner loser percent: speed and memory are close; this one costs less",
    "decides_launch": "winner loser price other: the same to a person; this one came out cheaper",
    "decides_count": "winner loser times: what several of the same card add",
    "decides_capacity": "winner loser memory: several of the same add room and no speed",
    "decides_upgrade": "winner loser times memory other: worth replacing the card that is owned",
    "decides_keep": "winner loser times memory other: the card that is owned stays",
    "about_equal": "winner loser: no difference that matters",
    "clause_speed": "gpu times: this one is so many times as fast",
    "clause_speed_too": "times: the winner is so many times as fast, too",
    "clause_memory_too": "memory other: the winner has more memory, too",
    "clause_price_too": "percent: the winner costs less, too",
    "clause_memory": "gpu memory other: this one has more memory",
    "clause_together": "gpu memory other: several cards have more memory together",
    "clause_price": "gpu percent: this one costs less",
    "clause_format": "gpu format: only this one has the number format",
    "clause_ending": "gpu: its software support is ending",
    "clause_cuda": "much software expects CUDA",
    "clause_dropped": "today's software supports none of them",
    "others_hold": "the others hold the work as well",
    "split_needed": "gpu count memory: the memory counts only when the software splits the model",
    "split_training": "gpu count memory: training sees all memory only when it is sharded",
    "per_card_memory": "gpu count memory: a single job sees the memory of one card",
}
"""Every code: "parameters: meaning", or only the meaning. data/wording/reasons.yaml words each of them."""


def parameters(code: str) -> frozenset[str]:
    """Names that a code's template may use."""
    before, colon, _ = CODES[code].partition(":")
    names = before.split()
    return frozenset(names if colon and all(name.isidentifier() for name in names) else ())


_ARTICLE = re.compile(r"\bthe (?=\d+x )")
"""The article does not go with a number: "2x RTX 3090"."""
_PLACEHOLDER = re.compile(r"{(\w+)}")


@dataclass(frozen=True, slots=True)
class Wording:
    """Templates by code and language."""

    templates: Mapping[str, Mapping[str, str]]

    def say(self, item: Reason, language: str = "en") -> str:
        """The sentence for a reason; "zh-CN" and "zh-TW" use the Chinese template."""
        params: dict[str, Value] = {}
        for name, value in item.params:
            params[name] = f"{round(value, 1):g}" if isinstance(value, float) else value
        if language.startswith("zh"):
            return self.templates[item.code]["zh"].format(**params)
        return _ARTICLE.sub("", self.templates[item.code]["en"].format(**params))


def parse_wording(text: str, where: str) -> Wording:
    """Templates from YAML {code: {en:, zh:}}. Raises DataError for a code that is unknown, missing or half worded."""
    content = read_yaml(text, where)
    if not isinstance(content, LineDict):
        raise DataError(where, 1, None, "this is not a mapping", "Write code: {en: ..., zh: ...}")
    for code, entry in content.items():
        line = content.lines[code]
        if code not in CODES:
            raise DataError(where, line, code, "this code is unknown", "Use a code of bot/advice/reasons.py")
        if not isinstance(entry, dict) or not all(isinstance(entry.get(key), str) for key in ("en", "zh")):
            raise DataError(where, line, code, "the wording needs en and zh", "Write {en: ..., zh: ...}")
        for template in (entry["en"], entry["zh"]):
            for name in _PLACEHOLDER.findall(template):
                if name not in parameters(code):
                    raise DataError(
                        where, line, code, f"{{{name}}} is no parameter of this code",
                        "Use: " + (", ".join(sorted(parameters(code))) or "none"),
                    )  # fmt: skip
    missing = sorted(set(CODES) - set(content))
    if missing:
        raise DataError(where, None, missing[0], "this code has no wording", "Add it with en and zh")
    return Wording({code: dict(entry) for code, entry in content.items()})

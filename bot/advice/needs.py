"""What a person needs, in one frozen record: all that the engine looks at."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from bot.request import Budget, Condition, FormFactor, Level, Mode, Money, Request, Vendor


@dataclass(frozen=True, slots=True)
class Needs:
    """The engine's whole input beside the world. Sizes in GB, power in watts; money keeps its currency."""

    workloads: tuple[str, ...] = ()
    mode: Mode | None = None
    model: str | None = None
    memory_need_gb: float | None = None
    """What a named model takes (from the memory model): no card or set of cards below it is picked."""
    shardable: bool = False
    """The memory need can be met by several cards together (inference of language models, FSDP)."""
    budget: Budget | None = None
    count: int | None = None
    """Exactly so many cards."""
    multi_gpu: bool = False
    """Several cards are wanted or considered, number open."""
    min_memory_gb: float | None = None
    vendors: tuple[Vendor, ...] = ()
    not_vendors: tuple[Vendor, ...] = ()
    condition: Condition | None = None
    form_factor: FormFactor | None = None
    slots: int | None = None
    psu_watts: int | None = None
    owned: tuple[str, ...] = ()
    excluded: tuple[str, ...] = ()
    considered: tuple[str, ...] = ()
    """Cards the person asks about: each gets a reason when it is not picked."""
    asked_prices: tuple[tuple[str, Money], ...] = ()
    """What the question says cards cost: (name, price of one)."""
    modded: tuple[tuple[str, float], ...] = ()
    """Cards spoken of with a memory size that modders solder on: (name, GB)."""
    level: Level | None = None
    value: bool = False
    cheapest: bool = False
    fastest: bool = False
    thrifty: bool = False
    """The computer around the card is bought second-hand or built from what there is: half the usual sum."""
    large_data: bool = False
    model_size: Literal["very_large"] | None = None
    deployment: Literal["datacenter", "cloud"] | None = None
    keep_years: float | None = None
    as_of: str | None = None
    currency: str | None = None
    """Currency to answer in; the budget's own currency comes first."""

    @property
    def workload(self) -> str:
        return self.workloads[0] if self.workloads else "general"

    @property
    def llm_inference(self) -> bool:
        """Plain use of a language model: where memory bandwidth counts and every maker's software works."""
        return "llm" in self.workloads and self.mode not in ("training", "finetuning")

    @property
    def cards(self) -> int:
        """Number of cards to buy at least."""
        return self.count or 1


_CARD_FORMS: tuple[FormFactor, ...] = ("egpu", "laptop", "small", "server", "desktop")


def needs_from_request(
    request: Request, *, memory_need_gb: float | None = None, shardable: bool | None = None, currency: str | None = None
) -> Needs:
    """The needs that a question states. `memory_need_gb` is what the memory model says of the model
    it names, `shardable` whether several cards can hold it together (bot/advice/model_need.py).

    A memory size in the text is taken as a wish only where no card is named beside it: otherwise it describes
    that card.
    """
    vendors, form = _wanted(request)
    by_role: dict[str, list[str]] = {"owned": [], "excluded": [], "candidate": [], "mentioned": []}
    for gpu in request.gpus:
        by_role[gpu.role].append(gpu.name)
    if "why_not" in request.asks:  # "why not the 4080": no exclusion, but a card to give a reason for
        by_role["candidate"] += by_role.pop("excluded") + by_role["mentioned"]
        by_role["excluded"] = []
    tight = request.wants_value and request.wants_cheapest  # "money is tight, what is the best value"
    wish = request.memory_gb[0] if len(request.memory_gb) == 1 and not request.gpus else None
    mode = request.modes[0] if request.modes else None
    workloads = request.workloads
    if not workloads and shardable:
        workloads = ("llm",)
    sharded = bool(shardable) or "llm" in workloads
    return Needs(
        workloads=workloads,
        mode=mode,
        model=request.models[0].name if request.models else None,
        memory_need_gb=memory_need_gb,
        shardable=sharded,
        budget=request.budget,
        count=request.count if request.count and request.count > 0 else None,
        multi_gpu=request.multi_gpu,
        min_memory_gb=wish,
        vendors=vendors,
        not_vendors=request.not_vendors,
        condition=request.condition,
        form_factor=form,
        slots=request.slots,
        psu_watts=min(request.watts) if "psu" not in request.asks and request.watts else None,
        owned=tuple(by_role["owned"]),
        excluded=tuple(by_role["excluded"]),
        considered=tuple(by_role["candidate"]),
        modded=tuple((gpu.name, gpu.modded_memory_gb) for gpu in request.gpus if gpu.modded_memory_gb),
        asked_prices=tuple((gpu.name, gpu.asking_price) for gpu in request.gpus if gpu.asking_price is not None),
        level=request.level or ("hobby" if tight and request.budget is None else None),
        value=request.wants_value,
        cheapest=request.wants_cheapest and not request.wants_value,
        fastest=request.wants_fastest and form != "egpu",
        large_data=request.large_data,
        deployment=request.deployment,
        keep_years=request.keep_years,
        as_of=request.as_of,
        currency=currency,
    )


_MAC = re.compile(r"M\d( Pro| Max| Ultra)?")


def _wanted(request: Request) -> tuple[tuple[Vendor, ...], FormFactor | None]:
    """Makers and form that are wanted, not those of the machine that is owned.

    A Mac that is owned, that trains too slowly, or that gets an external card does not make Apple the wanted maker,
    nor a laptop the form.
    """
    forms = request.form_factors
    vendors = request.vendors
    owned = {mention.name for mention in request.gpus if mention.role == "owned"}
    trains = bool({"training", "finetuning"} & set(request.modes))
    has_mac = any(_MAC.fullmatch(name) for name in owned)
    if "apple" in vendors and (has_mac or trains or "egpu" in forms or request.deployment == "cloud"):
        vendors = tuple(vendor for vendor in vendors if vendor != "apple")
        forms = tuple(form for form in forms if form != "laptop")
    return vendors, next((form for form in _CARD_FORMS if form in forms), None)

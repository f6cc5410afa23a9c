"""Which fit question is asked, from what the request names: a model and cards, only one of them, or power or cost."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from bot.advice.cost import break_even, machine_kw
from bot.advice.fit import FitResult, Fitter, Needed
from bot.advice.model_need import model_need
from bot.advice.world import World
from bot.answers import fit as told
from bot.answers.blocks import Table
from bot.answers.draft import Draft, price_tag
from bot.answers.fit_words import FitWords
from bot.answers.labels import LABELS
from bot.answers.numbers import money_text
from bot.answers.spec import figures_table
from bot.hardware.catalogue import Catalogue
from bot.hardware.gpu import Gpu
from bot.hardware.machine import machine_notes
from bot.hardware.memory import Options
from bot.hardware.models import Model
from bot.hardware.power import psu, which_fit
from bot.hardware.runtimes import UnknownOptionError
from bot.request import GpuMention, Money, Request

MAX_MODELS = 4
MAX_CARDS = 5
FAMILY_KINDS = ("llm", "vlm")
"""Kinds whose families span sizes that matter for the answer."""
PICTURES = {"image_gen": "image", "video_gen": "video"}
NOT_LANGUAGE = frozenset(
    {"cv", "speech", "asr", "tts", "voice", "3d", "rl", "go_engine", "deepfake", "simulation", "bio", "tabular", "gnn"}
)
SERVED_CONTEXT = 2048
"""Tokens of prompt and answer together that a request of many takes, where nothing is said."""
DEFAULT_KWH_USD = 0.17
"""Residential electricity, USD per kWh; said in the answer."""


@dataclass(frozen=True, slots=True)
class Engines:
    """What fit, power and cost answers are made from."""

    fitter: Fitter
    catalogue: Catalogue
    world: World
    words: FitWords


def fit(draft: Draft, engines: Engines) -> bool:
    """Answer the fit question; False when the request names neither a model nor memory to reason about."""
    request = draft.request
    sets = card_sets(request, engines.catalogue)
    models = named_models(request, engines.fitter)
    if request.watts and sets and not models:
        return power(draft, engines, sets)
    if not models:
        return bool(sets) and (_runs(draft, engines, sets) or _stand_in(draft, engines.catalogue))
    try:
        _with_models(draft, engines, sets, models)
    except UnknownOptionError:
        return False
    told.model_sources(draft, models)
    draft.gpu_sources(*(gpu for cards in sets for gpu, _ in cards if not gpu.name.endswith(" GB")))
    return True


def card_sets(request: Request, catalogue: Catalogue) -> list[list[tuple[Gpu, int]]]:
    """The cards to judge: what is owned together as one machine, or each candidate by itself.

    A bare memory size ("my 12 GB card") stands for a card of that size.
    """
    mentions = [mention for mention in request.gpus if mention.role != "excluded"]
    cards = [(mention, gpu) for mention in mentions if (gpu := catalogue.get(mention.name)) is not None]
    if not cards:
        return [[(_of_size(size, catalogue), request.count or 1)] for size in request.memory_gb[:3]]
    wanted = [pair for pair in cards if pair[0].role == "candidate"]
    owned = [pair for pair in cards if pair[0].role == "owned"]
    alone = len(cards) == 1
    if len(wanted) > 1 or (wanted and owned and not request.multi_gpu):
        return [[_counted(pair, request, False)] for pair in (wanted or cards)[:MAX_CARDS]]
    if owned and not wanted:
        return [[_counted(pair, request, len(owned) == 1) for pair in owned]]
    if alone or request.multi_gpu:
        return [[_counted(pair, request, alone) for pair in cards[:MAX_CARDS]]]
    return [[_counted(pair, request, False)] for pair in cards[:MAX_CARDS]]


def named_models(request: Request, fitter: Fitter) -> list[Model]:
    """The models named, each once, at most MAX_MODELS.

    A family without a size ("Vicuna", "R1") stands for its usual member first, and for others of it, so that the
    answer holds whichever was meant.
    """
    found: dict[str, Model] = {}
    families: list[str] = []
    for mention in request.models:
        model = fitter.models.resolve(mention.name)
        if model is None and mention.params_b:
            model = fitter.models.generic(mention.params_b, name=mention.name)
        if model is not None:
            found.setdefault(model.name, model)
        if mention.params_b is None and fitter.models.family(mention.name):
            families.append(mention.name)
    for family in families:
        members = [model for model in fitter.models.members(family) if model.kind in FAMILY_KINDS]
        # Spread over the sizes: the neighbours of the usual one say little.
        step = max(1, len(members) // MAX_MODELS)
        for model in members[::-1][::step]:
            found.setdefault(model.name, model)
    return list(found.values())[:MAX_MODELS]


def memory_need(request: Request, fitter: Fitter) -> tuple[float, bool] | None:
    """GB that the largest named model asks for, and whether several cards may share it."""
    needs = [
        need
        for mention in request.models
        if (need := model_need(fitter, mention.name, request.modes[0] if request.modes else None,
                               request.method, request.precision)) is not None
    ]  # fmt: skip
    if not needs:
        return None
    most = max(needs, key=lambda need: need.gb)
    return most.gb, most.shardable


def sizes(draft: Draft, engines: Engines) -> bool:
    """One card against a bare memory size ("a new 12 GB card or a used 3090"): what each runs."""
    request = draft.request
    if "llm" not in request.workloads:
        return False
    known = [gpu for mention in request.gpus if (gpu := engines.catalogue.get(mention.name)) is not None]
    extra = [size for size in request.memory_gb if all(gpu.memory_gb != size for gpu in known)]
    sets = [[(gpu, 1)] for gpu in (*known, *(_of_size(size, engines.catalogue) for size in extra))]
    found = [
        (cards_name(draft, cards), run) for cards in sets if (run := engines.fitter.largest_size(cards)) is not None
    ]
    if len(found) < 2:
        return False
    told.sizes(draft, found, engines.words)
    draft.gpu_sources(*known)
    return True


def power(draft: Draft, engines: Engines, sets: Sequence[Sequence[tuple[Gpu, int]]]) -> bool:
    """Which supply these cards want, or which of them a given supply takes."""
    if not sets:
        return False
    rules = engines.fitter.rules.power
    language = draft.request.language
    owned = {mention.name for mention in draft.request.gpus if mention.role == "owned"}
    gpus = [gpu for cards in sets for gpu, _ in cards if not gpu.name.endswith(" GB")]
    gpus = [gpu for gpu in gpus if gpu.name not in owned] or gpus
    if not gpus:
        return False
    given = min(draft.request.watts, default=0)
    if given and ("psu" not in draft.request.asks or len(gpus) > 1 or given < 2000):
        fits = which_fit(gpus, given, rules)
        names = [one.gpu for one in fits if one.verdict in ("fits", "tight")]
        least = min(fits, key=lambda one: one.advice.load_w)
        draft.title = (
            draft.say("psu.takes", watts=given, gpus=", ".join(names))
            if names
            else draft.say("psu.none", watts=given, gpu=least.gpu, load=f"{least.advice.load_w:.0f}")
        )
        rows = tuple(
            (
                one.gpu,
                f"{gpu.tdp_w:g} W" if gpu.tdp_w else "–",
                f"{one.advice.load_w:.0f} W",
                f"{one.advice.psu_w:g} W" if one.advice.psu_w else "–",
                draft.say(f"psu.{one.verdict}"),
            )
            for one, gpu in zip(fits, gpus, strict=True)
        )
        columns = ("", draft.say("psu.board"), draft.say("psu.load"), draft.say("psu.size"), f"{given} W")
        draft.blocks.append(Table(columns, rows))
        advice = fits[0].advice
    else:
        advice = psu(sets[0], rules)
        name = cards_name(draft, sets[0])
        size = f"{advice.psu_w:g}" if advice.psu_w else f"> {max(rules.sizes_w):g}"
        draft.title = draft.say("psu.title", cards=name, size=size, load=f"{advice.load_w:.0f}")
        notes = [*advice.notes]
        for gpu, count in sets[0]:
            notes += machine_notes(gpu, count, engines.fitter.rules)
        for note in notes:
            draft.note(draft.local(engines.words.note(note, language)))
    draft.note(
        draft.say("psu.assumed", cpu=f"{advice.cpu_w:g}", percent=round((rules.headroom - 1) * 100)), "assumption"
    )
    draft.source(advice.source, "", advice.as_of)
    draft.gpu_sources(*gpus)
    draft.confidence = 0.85
    return True


def cost(draft: Draft, engines: Engines, cards: Sequence[tuple[Gpu, int]], currency: str) -> bool:
    """Rent or buy the first card, at the asker's hours, electricity and cloud price where said."""
    if not cards:
        return False
    gpu, count = cards[0]
    world, request, today = engines.world, draft.request, draft.question.today
    point = world.book.best(gpu.name, "any", today)
    offer = world.cloud.typical(gpu.name) if world.cloud else None
    hourly = request.cloud_price_per_hour or (Money(offer.usd_per_hour, "USD") if offer else None)
    if point is None or hourly is None:
        return False
    price = world.rates.convert(Money(point.money.amount * count, point.money.currency), currency)
    per_hour = world.rates.convert(Money(hourly.amount * count, hourly.currency or "USD"), currency)
    electricity = request.electricity_per_kwh or Money(DEFAULT_KWH_USD, "USD")
    kwh = world.rates.convert(electricity, currency)
    result = break_even(
        price.amount, per_hour.amount, machine_kw(gpu.tdp_w, count), kwh.amount, hours_per_week=request.hours_per_week
    )

    def word(code: str, **values: object) -> str:
        return draft.local(engines.words.say(code, request.language, **values))

    if result.hours is None or result.days is None:
        draft.title = word("cost.never")
    else:
        draft.title = word(
            f"cost.{result.verdict}", hours=f"{result.hours:,.0f}", days=f"{result.days:,.0f}",
            per_week=f"{result.hours_per_week:g}",
        )  # fmt: skip
    tag = price_tag(draft, point, today, lambda money: world.rates.convert(money, currency))
    draft.note(
        draft.say(
            "cost.figures", gpu=cards_name(draft, cards), age=tag.age_text,
            price=LABELS[draft.request.language].on_ebay if tag.from_ebay else money_text(price),
            hourly=money_text(per_hour), power=money_text(Money(result.power_per_hour, currency)),
        )
    )  # fmt: skip
    for note in result.notes:
        draft.note(draft.local(engines.words.note(note, request.language)), "assumption")
    if request.electricity_per_kwh is None:
        draft.note(word("note.default_electricity", per_kwh=money_text(kwh)), "assumption")
    if offer is not None and request.cloud_price_per_hour is None:
        draft.source(offer.source, "", offer.as_of)
        draft.price_dates.append(offer.as_of)
    return True


def cards_name(draft: Draft, cards: Sequence[tuple[Gpu, int]]) -> str:
    """ "2x RTX 3090 + RTX 3060 12GB"."""
    names = []
    for gpu, count in cards:
        size = f"{gpu.memory_gb:g} GB"
        if gpu.name.endswith(" GB"):
            names.append(f"{count} x {size}" if count > 1 else draft.say("card_of_size", memory=size))
        elif gpu.name.endswith("GB"):
            names.append(f"{count}x {gpu.name}" if count > 1 else gpu.name)
        else:
            names.append(f"{count}x {gpu.name} ({count} x {size})" if count > 1 else f"{gpu.name} ({size})")
    return " + ".join(names)


# --- inside ---


def _with_models(
    draft: Draft, engines: Engines, sets: Sequence[Sequence[tuple[Gpu, int]]], models: Sequence[Model]
) -> None:
    request, fitter, words = draft.request, engines.fitter, engines.words
    # A bare size beside "how much does it need" is what failed, not what is asked.
    sized_only = all(gpu.name.endswith(" GB") for cards in sets for gpu, _ in cards)
    if not sets or "how_many" in request.asks or (sized_only and "memory" in request.asks):
        found: list[Needed] = []
        for model in models:
            for task in _tasks(request, model):
                try:
                    options = _options(request, task, model, fitter)
                    found.append(fitter.what_needed(model, task, options.precision, options))
                except UnknownOptionError:
                    continue
        if not found:
            raise UnknownOptionError("task", "", ())
        told.needed(draft, found, words)
        return
    several = len(models) * len(sets) > 2
    results: list[tuple[str, str, FitResult]] = [
        (cards_name(draft, cards), task, fitter.fit(model, cards, _options(request, task, model, fitter)))
        for model in models
        for cards in sets
        for task in (_tasks(request, model)[:1] if several else _tasks(request, model))
    ]
    if len(results) == 1:
        cards, task, result = results[0]
        told.verdict(draft, result, cards, words, task)
    else:
        told.several(draft, results[: MAX_MODELS + 2], words)


def _stand_in(draft: Draft, catalogue: Catalogue) -> bool:
    """ "The paper used 8 A100 40GB, we have 4 A6000": one side owned or meant, the other only mentioned."""
    request = draft.request
    pairs = [(mention, gpu) for mention in request.gpus if (gpu := catalogue.get(mention.name)) is not None]
    mine = [pair for pair in pairs if pair[0].role in ("owned", "candidate")]
    theirs = [pair for pair in pairs if pair[0].role == "mentioned"]
    if len(mine) != 1 or len(theirs) != 1:
        return False
    told.stand_in(draft, (mine[0][1], mine[0][0].count or 1), (theirs[0][1], theirs[0][0].count or 1))
    draft.blocks.append(figures_table(draft, (mine[0][1], theirs[0][1])))
    draft.gpu_sources(mine[0][1], theirs[0][1])
    return True


def _runs(draft: Draft, engines: Engines, sets: Sequence[Sequence[tuple[Gpu, int]]]) -> bool:
    request = draft.request
    pictures = tuple(kind for workload, kind in PICTURES.items() if workload in request.workloads)
    if not pictures and (
        NOT_LANGUAGE & set(request.workloads) or ("llm" not in request.workloads and not _asks_what(request))
    ):
        return False
    cards = sets[0]
    task = "inference"
    if request.modes and request.modes[0] == "finetuning" and not pictures:
        task = request.method if request.method in ("lora", "qlora", "full") else "qlora"
    found = engines.fitter.what_fits(cards, task, pictures or ("llm",))
    largest = None if pictures else engines.fitter.largest_size(cards, task)
    told.runs(draft, found, largest, cards_name(draft, cards), engines.words)
    draft.gpu_sources(*(gpu for gpu, _ in cards if not gpu.name.endswith(" GB")))
    for run in found[:3]:
        model = engines.fitter.models.get(run.model)
        if model is not None:
            told.model_sources(draft, [model])
    return True


def _asks_what(request: Request) -> bool:
    return "what_fits" in request.asks


def _tasks(request: Request, model: Model) -> tuple[str, ...]:
    """The ways of using the model that are asked about, the likeliest first."""
    if request.method in ("lora", "qlora", "full"):
        return (request.method,)
    language = model.kind in ("llm", "vlm") and (model.params_b or 0.0) >= 1
    if language:
        tuned: tuple[str, ...] = ("qlora", "lora", "full")
    elif model.components or {"lora", "full"} <= set(model.needs):
        tuned = ("lora", "full")
    else:
        tuned = ("full",)
    if "finetuning" in request.modes:
        return ("inference", *tuned[:2]) if "inference" in request.modes else tuned
    if "training" in request.modes:
        return ("inference", tuned[-1]) if "inference" in request.modes else tuned[-1:]
    return ("inference",)


def _options(request: Request, task: str, model: Model, fitter: Fitter) -> Options:
    users = request.users or 1
    context = request.context_tokens
    precision = request.precision if task == "inference" else None
    framework = _framework(request, fitter)
    if users > 1 and task == "inference":
        # Many requests at a time are short on average, and run in a server's formats.
        context = context or SERVED_CONTEXT
        precision = precision or model.checkpoint or "fp16"
        framework = framework or "vllm"
    return Options(
        task=task, precision=precision, batch=request.users or request.batch, context_tokens=context,
        framework=framework if task == "inference" else None,
    )  # fmt: skip


def _framework(request: Request, fitter: Fitter) -> str | None:
    """The program named, where its memory use is known."""
    if request.framework is None:
        return None
    try:
        return fitter.memory.runtimes.framework(request.framework).id
    except UnknownOptionError:
        return None


def _counted(pair: tuple[GpuMention, Gpu], request: Request, alone: bool) -> tuple[Gpu, int]:
    mention, gpu = pair
    if mention.modded_memory_gb:
        gpu = replace(gpu, memory_gb=mention.modded_memory_gb)
    return gpu, mention.count or (request.count if alone and request.count else 1)


def _of_size(memory_gb: float, catalogue: Catalogue) -> Gpu:
    """A stand-in for "a card with so much memory": nothing else of it is known."""
    like = catalogue.get("RTX 3060 12GB") or catalogue.gpus[0]
    return replace(
        like, name=f"{memory_gb:g} GB", memory_gb=memory_gb, bandwidth_gbs=None, tdp_w=None, fault="", fault_zh="",
        aliases=(), sources=(), marks={},
    )  # fmt: skip

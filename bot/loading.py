"""The only reader of knowledge/ and data/: once, at start. Everything after works on what was read."""

from __future__ import annotations

import gc
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from bot.advice.fit import Fitter
from bot.disk_cache import kept
from bot.facts.calibration import parse_calibration
from bot.facts.entries import parse_knowledge
from bot.facts.features import SearchWords, parse_words
from bot.facts.quotes import GuideRow, parse_guide_rows
from bot.facts.render import resolve
from bot.facts.search import Search
from bot.hardware.catalogue import Catalogue, parse_catalogue
from bot.hardware.machine import MachineRules, parse_machine_rules
from bot.hardware.measured import parse_llm, parse_training
from bot.hardware.memory import MemoryModel
from bot.hardware.models import ModelTable, parse_families, parse_models
from bot.hardware.name_vocabulary import parse_name_vocabulary
from bot.hardware.names import NameResolver
from bot.hardware.performance import PerformanceModel
from bot.hardware.performance_table import parse_performance
from bot.hardware.runtimes import Runtimes, parse_frameworks, parse_precisions
from bot.tables import DataError

if TYPE_CHECKING:
    from bot.advice.backtest import PeriodPrices
    from bot.advice.reasons import Wording as ReasonWording
    from bot.advice.world import World
    from bot.answers.fit_words import FitWords
    from bot.answers.wording import Wording
    from bot.assistant import Assistant
    from bot.language.parser import Understanding, Words
    from bot.language.workloads import Workloads
    from bot.market.book import PriceBook
    from bot.market.cloud import CloudPrices
    from bot.market.rates import Rates
    from bot.market.titles import TitleReader


def files_root() -> Path:
    """Where knowledge/ and data/ lie: the top of a checkout, or inside the installed package."""
    package = Path(__file__).parent
    for root in (package.parent, package / "_files"):
        if (root / "data").is_dir() and (root / "knowledge").is_dir():
            return root
    raise DataError("data/", None, None, "the data folder is missing", "Reinstall whichgpu, or run it in a checkout")


def read_file(path: Path, root: Path | None = None) -> tuple[str, str]:
    """A data file's text and the name that errors call it by. Raises DataError."""
    where = str(path.relative_to(root)) if root and path.is_relative_to(root) else str(path)
    try:
        return path.read_text(encoding="utf-8-sig"), where
    except FileNotFoundError:
        raise DataError(where, None, None, "the file is missing", "Restore it from the repository") from None
    except UnicodeDecodeError as error:
        line = path.read_bytes()[: error.start].count(b"\n") + 1
        raise DataError(where, line, None, "the text is not UTF-8", "Save the file as UTF-8") from None
    except OSError as error:
        raise DataError(where, None, None, f"the file cannot be read ({error.strerror})", "Check its rights") from None


@lru_cache(maxsize=1)
def load_catalogue() -> Catalogue:
    """data/gpus.csv with data/architectures.csv. Raises DataError."""
    root = files_root()
    gpus = read_file(root / "data/gpus.csv", root)
    return parse_catalogue(*gpus, *read_file(root / "data/architectures.csv", root))


@lru_cache(maxsize=1)
def load_models() -> ModelTable:
    """data/models.csv with data/model_families.csv. Raises DataError."""
    root = files_root()
    models = parse_models(*read_file(root / "data/models.csv", root))
    return ModelTable(models, parse_families(*read_file(root / "data/model_families.csv", root), models))


@lru_cache(maxsize=1)
def load_memory_model() -> MemoryModel:
    """The memory estimator on data/quantisations.csv and data/frameworks.yaml. Raises DataError."""
    root = files_root()
    precisions = parse_precisions(*read_file(root / "data/quantisations.csv", root))
    return MemoryModel(Runtimes(precisions, parse_frameworks(*read_file(root / "data/frameworks.yaml", root))))


@lru_cache(maxsize=1)
def load_traditional() -> None:
    """Installs data/vocabulary/taiwan_glossary.yaml, which Traditional texts are derived with. Raises DataError."""
    from bot.facts.traditional import install_glossary, parse_glossary

    root = files_root()
    install_glossary(parse_glossary(*read_file(root / "data/vocabulary/taiwan_glossary.yaml", root)))


def knowledge_files() -> list[tuple[str, str]]:
    """The entry files of knowledge/, (text, where), in the order of their names."""
    root = files_root()
    paths = sorted(path for path in (root / "knowledge").rglob("*.yaml") if path.name != "guide_rows.yaml")
    return [read_file(path, root) for path in paths]


@lru_cache(maxsize=1)
def load_search_words() -> SearchWords:
    """data/vocabulary/synonyms.yaml. Raises DataError."""
    root = files_root()
    return parse_words(*read_file(root / "data/vocabulary/synonyms.yaml", root))


@lru_cache(maxsize=1)
def load_knowledge() -> Search:
    """knowledge/, ready to search, its figures filled in from the catalogue; kept between starts. Raises DataError."""
    root = files_root()
    load_traditional()
    files = knowledge_files()
    calibration = read_file(root / "data/facts_calibration.yaml", root)
    names = ("data/vocabulary/synonyms.yaml", "data/gpus.csv", "data/architectures.csv")
    package = Path(__file__).parent
    code = [path for folder in ("facts", "hardware", "language") for path in sorted((package / folder).glob("*.py"))]
    made_from: list[str | bytes] = [
        *(part for file in files for part in file),
        calibration[0],
        *(read_file(root / name, root)[0] for name in names),
        *(path.read_bytes() for path in code),
    ]

    def build() -> Search:
        base, faults = resolve(parse_knowledge(files), load_catalogue().get)
        if faults:
            raise faults[0]
        return Search(base, load_search_words(), parse_calibration(*calibration))

    return kept("knowledge", Search, made_from, build)


@lru_cache(maxsize=1)
def load_guide_rows() -> tuple[GuideRow, ...]:
    """knowledge/guide_rows.yaml. Raises DataError."""
    root = files_root()
    return parse_guide_rows(*read_file(root / "knowledge/guide_rows.yaml", root))


@lru_cache(maxsize=1)
def load_name_resolver() -> Callable[[str], str | None]:
    """Written card names of price tables to canonical ones; exact, never fuzzy."""
    from bot.market.names import name_resolver

    return name_resolver(load_catalogue())


@lru_cache(maxsize=1)
def load_period_prices() -> PeriodPrices:
    """data/period_prices.csv: what cards cost when the guides were written. Raises DataError."""
    from bot.advice.backtest import parse_period_prices

    root = files_root()
    return parse_period_prices(*read_file(root / "data/period_prices.csv", root), load_name_resolver())


@lru_cache(maxsize=1)
def load_prices() -> PriceBook:
    """data/prices.csv, the prices of the guides' dates, and launch prices as the marked stand-in. Raises DataError."""
    from bot.market.book import PriceBook, launches
    from bot.market.points import parse_prices

    root = files_root()
    points = parse_prices(*read_file(root / "data/prices.csv", root), load_name_resolver())
    past = tuple(point for period in load_period_prices().by_date.values() for point in period)
    return PriceBook((*points, *past), launches(load_catalogue().gpus))


@lru_cache(maxsize=1)
def load_rates() -> Rates:
    """data/exchange_rates.csv. Raises DataError."""
    from bot.market.rates import parse_rates

    root = files_root()
    return parse_rates(*read_file(root / "data/exchange_rates.csv", root))


@lru_cache(maxsize=1)
def load_cloud_prices() -> CloudPrices:
    """data/cloud_prices.csv: renting by the hour. Raises DataError."""
    from bot.market.cloud import parse_cloud_prices

    root = files_root()
    return parse_cloud_prices(*read_file(root / "data/cloud_prices.csv", root), load_name_resolver())


@lru_cache(maxsize=1)
def load_title_reader() -> TitleReader:
    """What second-hand listings sell, by data/listing_titles.yaml. Raises DataError."""
    from bot.market.titles import TitleReader, parse_title_rules

    root = files_root()
    return TitleReader(load_catalogue(), parse_title_rules(*read_file(root / "data/listing_titles.yaml", root)))


@lru_cache(maxsize=1)
def load_reasons() -> ReasonWording:
    """data/wording/reasons.yaml. Raises DataError."""
    from bot.advice.reasons import parse_wording

    root = files_root()
    return parse_wording(*read_file(root / "data/wording/reasons.yaml", root))


_TOPICS = (
    "amounts", "asks", "bounds", "conditions", "countries", "follow_up", "form_factors", "frameworks", "guides",
    "intents", "levels", "methods", "modes", "negations", "openers", "precisions", "roles", "subjects", "systems",
    "traps", "vendors", "wishes",
)  # fmt: skip


@lru_cache(maxsize=1)
def load_workloads() -> Workloads:
    """data/workloads.yaml. Raises DataError."""
    from bot.language.workloads import parse_workloads

    root = files_root()
    return parse_workloads(*read_file(root / "data/workloads.yaml", root))


@lru_cache(maxsize=1)
def load_vocabulary() -> Words:
    """The words of data/vocabulary that questions are read with, and the kind weights. Raises DataError."""
    from bot.language import amounts, intent, parser, vocabulary
    from bot.language import models as model_words

    root = files_root()
    folder = root / "data/vocabulary"
    phrases = [
        phrase
        for topic in _TOPICS
        for phrase in vocabulary.parse_vocabulary(*read_file(folder / f"{topic}.yaml", root), topic)
    ]
    families, spellings = model_words.parse_families(*read_file(folder / "models.yaml", root))
    return parser.Words(
        phrases=(*phrases, *spellings),
        currencies=amounts.parse_currencies(*read_file(folder / "currencies.yaml", root)),
        families=families,
        workloads=load_workloads(),
        weights=intent.parse_kind_weights(*read_file(root / "data/kind_weights.csv", root)),
        known=vocabulary.parse_ordinary_words(read_file(folder / "ordinary_words.txt", root)[0]),
    )


@lru_cache(maxsize=1)
def load_machine_rules() -> MachineRules:
    """data/machine_rules.yaml. Raises DataError."""
    root = files_root()
    return parse_machine_rules(*read_file(root / "data/machine_rules.yaml", root))


@lru_cache(maxsize=1)
def load_fitter() -> Fitter:
    """The engine of fit questions. Raises DataError."""
    from bot.advice.fit_speed import decode_speed

    memory = load_memory_model()
    speed = decode_speed(load_performance(), memory.runtimes)
    return Fitter(memory, load_models(), load_machine_rules(), speed)


@lru_cache(maxsize=1)
def load_wording() -> Wording:
    """The sentences of the answers: data/wording/answers.yaml. Raises DataError."""
    from bot.answers.wording import parse_wording
    from bot.facts.traditional import to_traditional

    root = files_root()
    load_traditional()
    return parse_wording([read_file(root / "data/wording/answers.yaml", root)], to_traditional)


@lru_cache(maxsize=1)
def load_understanding() -> Understanding:
    """Reads questions: vocabulary, card names and model names together. Raises DataError."""
    from bot.language.parser import Understanding

    return Understanding(load_vocabulary(), load_resolver(), load_models())


@lru_cache(maxsize=1)
def load_assistant() -> Assistant:
    """The one door, with everything behind it read and ready. Raises DataError."""
    from bot.answers.fit_answer import Engines
    from bot.assistant import Assistant, Library

    # What is read here lives as long as the program: the collector need not look at it, now or later.
    gc.disable()
    assistant = Assistant(
        Library(
            understanding=load_understanding(),
            catalogue=load_catalogue(),
            world=load_world(),
            knowledge=load_knowledge(),
            guide_rows=load_guide_rows(),
            wording=load_wording(),
            reasons=load_reasons(),
            engines=Engines(load_fitter(), load_catalogue(), load_world(), load_fit_words()),
        )
    )
    gc.freeze()
    gc.enable()
    return assistant


@lru_cache(maxsize=1)
def load_resolver() -> NameResolver:
    """The resolver of card names, over the catalogue and data/gpu_names.yaml. Raises DataError."""
    root = files_root()
    vocabulary = parse_name_vocabulary(*read_file(root / "data/gpu_names.yaml", root))
    return NameResolver(load_catalogue(), vocabulary)


@lru_cache(maxsize=1)
def load_fit_words() -> FitWords:
    """data/wording/fit.yaml. Raises DataError."""
    from bot.answers.fit_words import parse_fit_words

    root = files_root()
    return parse_fit_words(*read_file(root / "data/wording/fit.yaml", root))


@lru_cache(maxsize=1)
def load_world() -> World:
    """All that the advice looks at: catalogue, prices, rates, speeds, constants. Raises DataError."""
    from bot.advice.engine import parse_engine
    from bot.advice.world import World

    root = files_root()
    return World(
        catalogue=load_catalogue(),
        book=load_prices(),
        rates=load_rates(),
        speed_of=load_performance().relative,
        engine=parse_engine(*read_file(root / "data/engine.yaml", root)),
        cloud=load_cloud_prices(),
    )


@lru_cache(maxsize=1)
def load_performance() -> PerformanceModel:
    """The performance model on data/performance.yaml and data/measured. Raises DataError."""
    root = files_root()
    find = load_catalogue().by_name.get
    training = parse_training(*read_file(root / "data/measured/training.csv", root), find)
    llm = parse_llm(*read_file(root / "data/measured/llm.csv", root), find)
    table = parse_performance(*read_file(root / "data/performance.yaml", root))
    reference = find(table.reference)
    if reference is None:
        raise DataError(
            "data/performance.yaml", None, "reference", f"{table.reference!r} is not a card of the catalogue",
            "Write a name of data/gpus.csv",
        )  # fmt: skip
    return PerformanceModel(table, training, llm, reference)

"""`whichgpu recommend`: the recommendation engine with stated needs, without the language part."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping
from datetime import date
from typing import TYPE_CHECKING, Any

from bot.cli.jsonl import UsageError, answer_lines
from bot.request import Budget

if TYPE_CHECKING:
    from bot.advice.choice import Choice, Recommendation
    from bot.advice.needs import Needs
    from bot.advice.reasons import Reason

HELP = "which GPU to buy for stated needs"
MODES = ("training", "finetuning", "inference")
CONDITIONS = ("new", "used", "any")
FORMS = ("laptop", "desktop", "server", "small", "egpu")
LEVELS = ("hobby", "beginner", "serious", "research", "kaggle")
PLACES = ("datacenter", "cloud")
VENDORS = ("nvidia", "amd", "intel", "apple", "google", "huawei", "other")


def configure(parser: argparse.ArgumentParser) -> None:
    """Options of the command."""
    parser.description = "Recommend a GPU for stated needs, with alternatives, prices and their dates."
    parser.epilog = """examples:
  whichgpu recommend --workload llm --budget 800 --condition used
  whichgpu recommend --workload cv --budget 1200 --currency EUR --level serious
  whichgpu recommend --workload nlp --level research --as-of 2019-04
  echo '{"id": 1, "workload": "kaggle", "budget": 400}' | whichgpu recommend --jsonl"""
    parser.add_argument(
        "--workload", action="append", help="what it is for: llm, cv, nlp, image_gen, kaggle ...; repeatable"
    )
    parser.add_argument("--mode", help=", ".join(MODES))
    parser.add_argument("--model", help="a model that has to fit, such as 'Llama 3 70B'")
    parser.add_argument("--budget", help="the most to spend, or a range such as 600-800")
    parser.add_argument("--currency", help="its currency (ISO code); USD when left out")
    parser.add_argument("--count", help="how many cards")
    parser.add_argument("--min-memory", help="memory needed, in GB")
    parser.add_argument("--condition", help=", ".join(CONDITIONS))
    parser.add_argument("--vendor", help="only this maker: " + ", ".join(VENDORS))
    parser.add_argument("--not-vendor", help="any maker but this")
    parser.add_argument("--form-factor", help=", ".join(FORMS))
    parser.add_argument("--level", help=", ".join(LEVELS))
    parser.add_argument("--value", action="store_true", help="value for money counts most")
    parser.add_argument("--multi-gpu", action="store_true", help="several cards are considered")
    parser.add_argument("--large-data", action="store_true", help="very large data sets, pictures or video")
    parser.add_argument("--deployment", help=", ".join(PLACES))
    parser.add_argument("--as-of", help="answer as of that month, such as 2019-04")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--jsonl", action="store_true", help="read JSON lines from standard input, write JSON lines")


def run(args: argparse.Namespace) -> int:
    """Recommend, and print it the way asked for."""
    if args.jsonl:
        return _lines()
    options = {key: value for key, value in vars(args).items() if value not in (None, False)}
    try:
        needs = needs_from_options(options)
    except UsageError as error:
        print(f"whichgpu recommend: {error}", file=sys.stderr)
        return 2
    from bot.advice.recommend import recommend
    from bot.loading import load_world

    result = recommend(needs, load_world(), date.today())  # noqa: DTZ011 - the user's own calendar day
    if args.json:
        print(json.dumps(as_json(result, None), ensure_ascii=False))
    else:
        _print(result)
    return 0


def needs_from_options(options: Mapping[str, Any]) -> Needs:
    """Needs from option names with underscores. Raises UsageError with a person's sentence."""
    from bot.advice.needs import Needs
    from bot.loading import load_world

    world = load_world()
    workloads = options.get("workload") or ()
    workloads = (workloads,) if isinstance(workloads, str) else tuple(str(part) for part in workloads)
    for workload in workloads:
        if workload not in world.engine.classes and workload not in world.workload_classes and workload != "llm":
            known = ", ".join(sorted({"llm", *world.engine.classes}))
            raise UsageError(f"--workload {workload!r} is not known. Use one of: {known}.")
    model, need, shardable = _model(options.get("model"), _choice(options, "mode", MODES))
    if shardable and not workloads:
        workloads = ("llm",)
    return Needs(
        workloads=tuple(w for w in workloads if w not in ("general", "general_dl")),
        mode=_choice(options, "mode", MODES),
        model=model,
        memory_need_gb=need,
        shardable=shardable or "llm" in workloads,
        budget=_budget(options),
        count=_whole(options, "count"),
        multi_gpu=_flag(options, "multi_gpu"),
        min_memory_gb=_number(options, "min_memory"),
        vendors=_vendors(options, "vendor"),
        not_vendors=_vendors(options, "not_vendor"),
        condition=_choice(options, "condition", CONDITIONS),
        form_factor=_choice(options, "form_factor", FORMS),
        level=_choice(options, "level", LEVELS),
        value=_flag(options, "value"),
        large_data=_flag(options, "large_data"),
        deployment=_choice(options, "deployment", PLACES),
        as_of=_month(options),
        currency=_currency(options),
    )


def _lines() -> int:
    from bot.advice.recommend import recommend
    from bot.loading import load_world

    world, today = load_world(), date.today()  # noqa: DTZ011 - the user's own calendar day

    def answer(request: dict[str, Any]) -> dict[str, Any]:
        return as_json(recommend(needs_from_options(request), world, today), request.get("id"))

    return answer_lines(answer, '{"workload": "kaggle", "budget": 400}')


# --- options ---


def _choice(options: Mapping[str, Any], name: str, allowed: tuple[str, ...]) -> Any:
    value = options.get(name)
    if value is None or value in allowed:
        return value
    raise UsageError(f"--{name.replace('_', '-')} {value!r} is not known. Use one of: {', '.join(allowed)}.")


def _flag(options: Mapping[str, Any], name: str) -> bool:
    value = options.get(name, False)
    if not isinstance(value, bool) and value is not None:
        raise UsageError(f"{name} is either true or false, not {value!r}.")
    return bool(value)


def _number(options: Mapping[str, Any], name: str) -> float | None:
    value = options.get(name)
    if value is None:
        return None
    try:
        number = float(str(value).replace(",", ""))
    except ValueError:
        raise UsageError(f"--{name.replace('_', '-')} {value!r} is not a number.") from None
    if not 0 < number < 1e9:
        raise UsageError(f"--{name.replace('_', '-')} {value!r} is out of range.")
    return number


def _whole(options: Mapping[str, Any], name: str) -> int | None:
    number = _number(options, name)
    if number is None:
        return None
    if number != int(number) or number > 64:
        raise UsageError(f"--{name} has to be a whole number up to 64, not {options[name]!r}.")
    return int(number)


def _budget(options: Mapping[str, Any]) -> Budget | None:
    value = options.get("budget")
    if value is None:
        return None
    low: float | None = None
    if isinstance(value, Mapping):
        low, high = (_number(value, key) for key in ("min", "max"))
    elif isinstance(value, str) and "-" in value.strip("-"):
        first, _, second = value.partition("-")
        low, high = _number({"budget": first}, "budget"), _number({"budget": second}, "budget")
    else:
        high = _number(options, "budget")
    return Budget(max=high, min=low, currency=_currency(options))


def _currency(options: Mapping[str, Any]) -> str | None:
    from bot.loading import load_rates

    value = options.get("currency")
    if value is None:
        return None
    code = str(value).upper()
    if not load_rates().knows(code):
        known = ", ".join(sorted(load_rates().currencies))
        raise UsageError(f"no exchange rate is known for {value!r}. Use one of: {known}.")
    return code


def _vendors(options: Mapping[str, Any], name: str) -> Any:
    value = _choice(options, name, VENDORS)
    return (value,) if value else ()


def _month(options: Mapping[str, Any]) -> str | None:
    import re

    value = options.get("as_of")
    if value is None or re.fullmatch(r"20[01]\d(-(0[1-9]|1[0-2]))?|202\d(-(0[1-9]|1[0-2]))?", str(value)):
        return str(value) if value is not None else None
    raise UsageError(f"--as-of {value!r} is not a month. Write it like 2019-04.")


def _model(name: Any, mode: Any) -> tuple[str | None, float | None, bool]:
    """(model, GB that it needs, can it be split) by the memory model; an unknown model is wrong use."""
    if name is None:
        return None, None, False
    from bot.advice.model_need import model_need
    from bot.loading import load_fitter

    found = model_need(load_fitter(), str(name), mode)
    if found is None:
        raise UsageError(f"--model {name!r} is not in the table of models.")
    return found.model, found.gb, found.shardable


# --- output ---


def as_json(result: Recommendation, ident: Any) -> dict[str, Any]:
    """The answer as an object, `picks` as the ask command prints them."""
    from bot.loading import load_reasons

    say = load_reasons().say
    sources = {
        (pick.point.source, pick.point.as_of) for pick in result.picks if pick.point is not None
    }  # a set: several picks share a source

    def texts(reasons: tuple[Reason, ...]) -> list[str]:
        return [say(item) for item in reasons]

    notes = texts(result.assumptions)
    for item in (result.none_reason, result.relaxation, *result.ask_back):
        if item is not None:
            notes.append(say(item))
    return {
        "id": ident,
        "picks": [_pick_json(pick, texts) for pick in result.picks],
        "rejected": {name: say(item) for name, item in result.rejected.items()},
        "abstained": not result.picks,
        "notes": notes,
        "sources": [{"title": title, "ref": title, "as_of": as_of} for title, as_of in sorted(sources)],
    }


def _pick_json(pick: Choice, texts: Any) -> dict[str, Any]:
    point = pick.point
    price = None
    if point is not None and pick.unit is not None:
        price = {
            "amount": round(pick.unit.amount, 2), "currency": pick.unit.currency, "as_of": point.as_of,
            "source": point.source, "kind": point.kind,
        }  # fmt: skip
    total = {"amount": round(pick.total.amount, 2), "currency": pick.total.currency} if pick.total else None
    return {
        "gpu": pick.gpu.name, "count": pick.count, "condition": pick.condition, "price": price, "total": total,
        "memory_gb": pick.memory_gb, "role": pick.role, "check_price_first": pick.check_price_first,
        "relative_speed": pick.speed, "perf_per_dollar": pick.perf_per_dollar, "reasons": texts(pick.reasons),
        "warnings": texts(pick.warnings),
    }  # fmt: skip


def _print(result: Recommendation) -> None:
    from bot.loading import load_reasons

    say = load_reasons().say
    if result.none_reason is not None:
        print(say(result.none_reason))
    for pick in result.picks:
        count = f"{pick.count} x " if pick.count > 1 else ""
        price = ""
        if pick.total is not None:
            dated = f", {pick.point.kind} price of {pick.point.as_of}" if pick.point else ""
            digits = 2 if pick.role == "rent" else 0
            unit = " an hour" if pick.role == "rent" else ""
            condition = "" if pick.role == "rent" else f" {pick.condition}"
            price = f"{condition}, {pick.total.currency} {pick.total.amount:,.{digits}f}{unit}{dated}"
        print(f"{pick.role.replace('_', ' ')}: {count}{pick.gpu.name}{price}")
        for item in pick.reasons:
            print(f"    + {say(item)}")
        for item in pick.warnings:
            print(f"    ! {say(item)}")
    if result.relaxation is not None:
        print(say(result.relaxation))
    for name, item in result.rejected.items():
        print(f"not {name}: {say(item)}")
    for item in (*result.assumptions, *result.ask_back):
        print(f"({say(item)})")

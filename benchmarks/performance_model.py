"""Fits the performance model to data/measured, and shows how well it predicts cards that it has not seen.

    python -m benchmarks.performance_model            # the leave-one-GPU-out table, beside two rules of thumb
    python -m benchmarks.performance_model --cards    # with every card's error
    python -m benchmarks.performance_model --guide CSV  # and how it ranks a guide's chart (gpu,cnn,transformer)
    python -m benchmarks.performance_model --write    # and write the `fitted` part of data/performance.yaml

Each card in turn is left out of the fit and then predicted. The rules of thumb, bandwidth alone and dense tensor rate
alone, get the best level per suite in the same way.
"""

from __future__ import annotations

import argparse
import csv
import statistics
from collections.abc import Callable, Iterator, Mapping, Sequence
from math import exp, log
from pathlib import Path

from bot.hardware.calibration import GROUP_OF, GROUPS, calibrate, observe
from bot.hardware.decode import DecodeFamily, fit_family, predict
from bot.hardware.gpu import Gpu
from bot.hardware.performance import PerformanceModel
from bot.hardware.throughput import Observation, matrix_rate, percent, residual
from bot.loading import files_root, load_catalogue, load_name_resolver, load_performance

MARK = "\n# Written by `python -m benchmarks.performance_model --write`; everything below is replaced.\n"
DECODE_FAMILIES = ("nvidia-gddr", "nvidia-hbm", "apple", "apple-m1")
"""Families with runs; the others of data/performance.yaml rest on judgement."""
ASSUMED = {
    "nvidia-pascal": (0.75, 3.1, 0.1, 25, "NVIDIA decode fit, slower by judgement: no run of Pascal cards (2026-12)"),
    "nvidia-gp100": (0.5, 5.4, 0.1, 30, "NVIDIA HBM decode fit, slower by judgement: no run of P100 (2026-12)"),
    "nvidia-old": (0.6, 5.0, 0.15, 35, "NVIDIA decode fit, slower by judgement: no run of these generations (2026-12)"),
    "amd-gddr": (0.75, 4.0, 0.1, 25, "NVIDIA decode fit, slower by judgement: no run of AMD cards (2026-12)"),
    "amd-hbm": (0.5, 5.4, 0.12, 35, "NVIDIA HBM decode fit, slower by judgement: no run of AMD cards (2026-12)"),
    "intel-gddr": (0.6, 4.0, 0.1, 30, "decode fit on one run of an Arc Pro B70 (2026-04)"),
    "intel-hbm": (0.4, 5.4, 0.12, 45, "NVIDIA HBM decode fit, slower by judgement: no run of Intel cards (2026-12)"),
}


def errors(model: PerformanceModel, name: str) -> list[tuple[str, str, float]]:
    """(card, level, log of predicted over measured) for each run of a benchmark or group, its card left out."""
    group = GROUP_OF.get(name, name)
    found = observe(model.training, model.llm)
    table = model.table
    wanted = [o for o in found[group] if o.shared and (o.benchmark == name or name == group)]
    out = []
    for card in sorted({o.gpu.name for o in wanted}):
        fitted = model.calibration_without(card).groups[group]
        for o in wanted:
            off = residual(fitted, o, table.assumptions) if o.gpu.name == card else None
            if off is not None:
                out.append((card, o.level, off))
    return out


def rule_errors(observations: Sequence[Observation], rule: Callable[[Gpu], float]) -> list[float]:
    """Errors of throughput = level * rule(card), the level from the other cards (median of logs)."""
    out = []
    for o in observations:
        others = [log(p.value / rule(p.gpu)) for p in observations if p.level == o.level and p.gpu.name != o.gpu.name]
        if others:
            out.append(percent(statistics.median(others) + log(rule(o.gpu)) - log(o.value)))
    return out


def decode_errors(model: PerformanceModel, family: str) -> Iterator[tuple[str, str, float]]:
    """(card, run, percent) of decode, each card left out."""
    runs = [r for r in model.llm if model.decode_family(r.gpu) == family]
    for card in sorted({r.gpu.name for r in runs}):
        others = [r for r in runs if r.gpu.name != card]
        if not others:
            continue
        fitted = fit_family(others)
        for run in runs:
            if run.gpu.name == card:
                yield card, f"{run.model} {run.quant} {run.tokens}", (predict(fitted, run) / run.decode - 1) * 100


def table(model: PerformanceModel, show_cards: bool) -> None:
    """Print the leave-one-GPU-out table."""
    found = observe(model.training, model.llm)
    print(f"{'':14}{'runs':>6}{'cards':>7}{'median':>9}{'p80':>8}{'bandwidth alone':>17}{'tensor rate alone':>19}")
    for name in (*GROUP_OF, "cnn", "prefill"):
        off = errors(model, name)
        group = GROUP_OF.get(name, name)
        same = [o for o in found[group] if o.shared and (o.benchmark == name or name == group)]
        by_bandwidth = rule_errors(same, lambda gpu: gpu.bandwidth_gbs or 1.0)
        by_rate = rule_errors(same, lambda gpu: matrix_rate(gpu) or 1.0)
        _line(name, [percent(e) for *_, e in off], {c for c, *_ in off}, by_bandwidth, by_rate)
        if show_cards:
            for card, level, e in sorted(off, key=lambda item: item[2]):
                print(f"    {card:22} {level:34} {(exp(e) - 1) * 100:+6.1f} %")
    for family in DECODE_FAMILIES:
        off_decode = list(decode_errors(model, family))
        runs = [r for r in model.llm if model.decode_family(r.gpu) == family]
        gb = [r.params_b * r.bytes_per_weight for r in runs]
        observations = [
            Observation(r.gpu, "", (r.tokens > 0 and "decode") or "", "fp16", r.decode * w, "")
            for r, w in zip(runs, gb, strict=True)
        ]
        by_bandwidth = rule_errors(observations, lambda gpu: gpu.bandwidth_gbs or 1.0)
        by_rate = rule_errors(observations, lambda gpu: matrix_rate(gpu) or 1.0)
        _line(family, [abs(e) for *_, e in off_decode], {c for c, *_ in off_decode}, by_bandwidth, by_rate)
        if show_cards:
            for card, run, e in sorted(off_decode, key=lambda item: item[2]):
                print(f"    {card:22} {run:34} {e:+6.1f} %")


def guide(model: PerformanceModel, path: Path) -> None:
    """Print Spearman's rank correlation with the columns cnn and transformer of a chart, not used in the fit."""
    with path.open(encoding="utf-8") as file:
        rows = [(load_name_resolver()(row["gpu"]), row) for row in csv.DictReader(file)]
    cards = [(load_catalogue().get(name), row) for name, row in rows if name]
    known = [(gpu, row) for gpu, row in cards if gpu is not None]
    for column in ("cnn", "transformer"):
        chart = [float(row[column]) for _, row in known]
        speeds: dict[str, list[float]] = {"model": [], "never measured": [], "bandwidth alone": [], "FP32 alone": []}
        for gpu, _ in known:
            for key, exclude in (("model", False), ("never measured", True)):
                found = model.relative(gpu, column, exclude_measured=exclude)
                speeds[key].append(found.value if found else 0.0)
            speeds["bandwidth alone"].append(gpu.bandwidth_gbs or 0.0)
            speeds["FP32 alone"].append(gpu.fp32_tflops or 0.0)
        text = ", ".join(f"{key} {spearman(values, chart):.3f}" for key, values in speeds.items())
        print(f"{path.stem}, {column}, {len(known)} cards, rank correlation: {text}")


def spearman(a: Sequence[float], b: Sequence[float]) -> float:
    """Rank correlation; ties share their mean rank."""

    def ranks(values: Sequence[float]) -> list[float]:
        order = sorted(values)
        return [order.index(v) + (order.count(v) - 1) / 2 for v in values]

    return statistics.correlation(ranks(a), ranks(b))


def _line(name: str, own: Sequence[float], cards: set[str], bandwidth: Sequence[float], rate: Sequence[float]) -> None:
    def middle(values: Sequence[float]) -> str:
        return f"{statistics.median(values):.1f} %" if values else "-"

    high = f"{sorted(own)[int(0.8 * (len(own) - 1))]:.1f} %" if own else "-"
    print(f"{name:14}{len(own):>6}{len(cards):>7}{middle(own):>9}{high:>8}{middle(bandwidth):>17}{middle(rate):>19}")


def fitted_part(model: PerformanceModel) -> str:
    """The `decode` and `fitted` parts of data/performance.yaml."""
    out = [MARK.strip("\n"), "decode:"]
    for family in DECODE_FAMILIES:
        runs = [r for r in model.llm if model.decode_family(r.gpu) == family]
        cards = {r.gpu.name for r in runs}
        off = sorted(abs(e) for *_, e in decode_errors(model, family))
        # Leaving out one of two cards says little: judgement there.
        error = max(8.0, round(off[int(0.8 * (len(off) - 1))])) if len(cards) > 2 else 25.0
        basis = f"decode fit on {len(runs)} llama.cpp runs of {len(cards)} cards (2024-05 to 2026-07)"
        out.append(_family(family, fit_family(runs, error, basis)))
    out += [_family(name, DecodeFamily(*values)) for name, values in ASSUMED.items()]
    found = observe(model.training, model.llm)
    calibration = calibrate(found, model.table.settings, model.table.assumptions)
    trained = {r.gpu.name for r in model.training}
    out.append("fitted:")
    out.append(
        f"  fitted_on: estimated by a log-linear fit on {len(model.training)} training runs of {len(trained)} cards "
        "(2017-04 to 2024-11)"
    )
    out.append("  cards:")
    out += [f"    {name}: {_flow(values)}" for name, values in calibration.cards.items()]
    out.append("  groups:")
    for group in GROUPS:
        coefficients = calibration.groups[group]
        out.append(f"    {group}:")
        out.append("      exponents: " + _flow(coefficients.exponents))
        out.append("      deviations:" + ("" if coefficients.deviations else " {}"))
        out += [f"        {name}: {_flow(values)}" for name, values in coefficients.deviations.items()]
        out.append("      architectures: " + _flow(coefficients.architectures))
        out.append("      levels:")
        out += [f"        {name}: {value:.4f}" for name, value in coefficients.levels.items()]
    return "\n".join(out) + "\n"


def _family(name: str, family: DecodeFamily) -> str:
    return (
        f"  {name}:\n"
        f"    efficiency: {family.efficiency:.3f}\n    attention: {family.attention:.2f}\n"
        f"    overhead_ms: {family.overhead_ms:.4f}\n    error_pct: {family.error_pct:g}\n"
        f'    basis: "{family.basis}"\n    architectures: {_flow(family.architectures)}'
    )


def _flow(values: Mapping[str, float]) -> str:
    return "{" + ", ".join(f"{name}: {value:.4f}" for name, value in values.items()) + "}"


def main() -> None:
    """Print, and write where asked to."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cards", action="store_true", help="show every card's error")
    parser.add_argument("--guide", type=Path, help="a chart of a guide as CSV: gpu, cnn, transformer")
    parser.add_argument("--write", action="store_true", help="write the fitted part of data/performance.yaml")
    args = parser.parse_args()
    model = load_performance()
    if args.write:
        path = files_root() / "data/performance.yaml"
        head = path.read_text(encoding="utf-8").split(MARK)[0].rstrip("\n") + "\n"
        path.write_text(head + MARK + fitted_part(model).split("\n", 1)[1], encoding="utf-8")
        load_performance.cache_clear()
        model = load_performance()
    table(model, args.cards)
    if args.guide:
        guide(model, args.guide)


if __name__ == "__main__":
    main()

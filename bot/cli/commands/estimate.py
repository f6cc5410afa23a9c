"""`whichgpu estimate`: how fast cards are, relative to an RTX 3090 or in tokens per second."""

from __future__ import annotations

import argparse
import json
import re
import sys
from typing import TYPE_CHECKING, Any

from bot.cli.jsonl import UsageError, answer_lines

if TYPE_CHECKING:
    from collections.abc import Callable

    from bot.hardware.gpu import Gpu
    from bot.hardware.performance import Estimate
    from bot.request import Mode

HELP = "relative speed or tokens per second"
WORKLOADS = ("cnn", "transformer", "rnn", "llm-decode", "llm-prefill", "diffusion")
BENCHMARKS = ("resnet50", "ssd", "bert_base", "bert_large", "gnmt")
MODES = ("training", "finetuning", "inference")
_SOCKETS = ((re.compile(r"\bSXM2/3\b"), "SXM2"), (re.compile(r"\bSXM[345]\b"), "SXM"))
"""Module names as sellers write them -> as the catalogue does."""
_ANSWER_KEYS = ("name", "relative", "tokens_per_s", "low", "high", "basis", "error_pct", "source")


def configure(parser: argparse.ArgumentParser) -> None:
    """Options of the command."""
    parser.description = (
        "How fast cards are: relative to an RTX 3090 (1.0), or in tokens per second where a language model is given. "
        "Measured where the project holds a measurement, else estimated; each figure says which."
    )
    parser.epilog = """examples:
  whichgpu estimate --workload transformer --gpu 'RTX 4090' 'RTX 5090' 'A100 80GB'
  whichgpu estimate --benchmark resnet50 --gpu 'RTX 3080' --exclude-measured --json
  whichgpu estimate --workload llm-decode --model 'Llama 3 8B' --quant q4_k_m --gpu 'RTX 3060'
  echo '{"workload": "cnn", "gpu": ["RTX 3090", "GTX 1080 Ti"]}' | whichgpu estimate --jsonl"""
    parser.add_argument("--workload", help="one of " + ", ".join(WORKLOADS))
    parser.add_argument("--benchmark", help="training throughput in one of " + ", ".join(BENCHMARKS))
    parser.add_argument("--gpu", nargs="+", action="extend", metavar="NAME", help="one card or more")
    parser.add_argument("--mode", help="training (usual), finetuning or inference")
    parser.add_argument("--model", help="a language model ('Llama 3 8B') or a size ('70B'): tokens per second")
    parser.add_argument("--quant", help="its number format: q4_k_m, q8_0, fp16 ... (q4_k_m)")
    parser.add_argument("--context", type=int, help="tokens in the context while it writes (512)")
    parser.add_argument(
        "--count", type=int, help="cards that share the model layer by layer: more room, not more speed"
    )
    parser.add_argument("--exclude-measured", action="store_true", help="estimate as if the cards were never measured")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--jsonl", action="store_true", help="read JSON lines from standard input, write JSON lines")


def run(args: argparse.Namespace) -> int:
    """Estimate, and print it the way asked for."""
    if args.jsonl:
        return answer_lines(lambda request: answer(request, lenient=True), '{"workload": "cnn", "gpu": ["RTX 3090"]}')
    try:
        found = answer({key: value for key, value in vars(args).items() if value is not None})
    except UsageError as error:
        print(f"whichgpu estimate: {error}", file=sys.stderr)
        return 2
    print(json.dumps(found, ensure_ascii=False) if args.json else _plain(found))
    return 0


def answer(request: dict[str, Any], lenient: bool = False) -> dict[str, Any]:
    """One request (option names with underscores) as the JSON answer. Raises UsageError.

    `lenient`: a card that is not known comes back without figures, and a note says so.
    """
    names = request.get("gpu") or request.get("gpus") or ()
    names = [names] if isinstance(names, str) else list(names)
    if not names:
        raise UsageError("which card? Example: --gpu 'RTX 3090' 'RTX 4090'.")
    notes: list[str] = []
    speed, what = _question(request, notes)
    entries: list[dict[str, Any]] = []
    sources: dict[str, None] = {}
    for written in names:
        gpu = _gpu(str(written), notes, lenient)
        estimate = speed(gpu) if gpu else None
        entries.append(_entry(gpu.name if gpu else str(written), estimate))
        if estimate:
            sources.update(dict.fromkeys(estimate.source.split("; ")))
        elif gpu:
            notes.append(
                f"{gpu.name}: nothing sensible can be said"
                + (", or the weights do not fit." if request.get("model") else ".")
            )
    return {
        "id": request.get("id"),
        "what": what,
        "gpus": entries,
        "sources": [{"title": source, "ref": "", "as_of": _date(source)} for source in sources],
        "notes": list(dict.fromkeys(notes)),
    }


def _question(request: dict[str, Any], notes: list[str]) -> tuple[Callable[[Gpu], Estimate | None], str]:
    """The function card -> estimate that the options ask for, and its name in words."""
    from bot.loading import load_performance

    performance = load_performance()
    exclude = bool(request.get("exclude_measured"))
    workload, benchmark = request.get("workload"), request.get("benchmark")
    if benchmark:
        if benchmark not in BENCHMARKS:
            raise UsageError(f"--benchmark {benchmark!r} is not known. Known: {', '.join(BENCHMARKS)}.")
        return (lambda gpu: performance.benchmark(gpu, benchmark, exclude)), f"{benchmark} training, RTX 3090 = 1"
    mode: Mode | None = request.get("mode") or "training"
    if mode not in MODES:
        raise UsageError(f"--mode {mode!r} is not known. Known: {', '.join(MODES)}.")
    if request.get("model") and workload in (None, "llm-decode"):
        return _decode(request, notes, exclude)
    if workload not in WORKLOADS:
        problem = f"--workload {workload!r} is not known." if workload else "for what? Give --workload or --benchmark."
        raise UsageError(f"{problem} Workloads: {', '.join(WORKLOADS)}; benchmarks: {', '.join(BENCHMARKS)}.")
    return (lambda gpu: performance.relative(gpu, workload, mode, exclude)), f"{workload}, RTX 3090 = 1"


def _decode(request: dict[str, Any], notes: list[str], exclude: bool) -> tuple[Callable[[Gpu], Estimate | None], str]:
    from bot.hardware.performance import DEFAULT_CONTEXT
    from bot.hardware.runtimes import UnknownOptionError
    from bot.loading import load_memory_model, load_models, load_performance

    name = str(request["model"])
    model = load_models().resolve(name)
    if model is None or not model.params_b:
        raise UsageError(f"the model {name!r} is not known. Give its size instead, such as --model 13B.")
    if model.kind not in ("llm", "vlm"):
        raise UsageError(
            f"{model.name} does not write token by token. Ask for --workload diffusion, cnn or transformer."
        )
    quant = request.get("quant")
    if not quant:
        notes.append("No number format was given: 4-bit (q4_k_m) is assumed.")
    try:
        bits = load_memory_model().runtimes.precision(str(quant or "q4_k_m")).bits
    except UnknownOptionError as error:
        raise UsageError(f"--quant {quant!r} is not known. Known: {', '.join(error.known[:30])}.") from None
    context = _whole(request, "context", 10_000_000) or DEFAULT_CONTEXT
    count = _whole(request, "count", 1024) or 1
    params, layers, active = model.params_b, model.layers or None, model.active_b

    def speed(gpu: Gpu) -> Estimate | None:
        return load_performance().tokens_per_s(
            gpu, params, bits / 8, layers, active_params_b=active, count=count, context_tokens=context,
            exclude_measured=exclude,
        )  # fmt: skip

    return speed, f"{model.name} in {quant or 'q4_k_m'}, one user, tokens per second"


def _whole(request: dict[str, Any], name: str, high: int) -> int | None:
    value = request.get(name)
    if value in (None, ""):
        return None
    try:
        number = int(float(str(value)))
    except (ValueError, OverflowError):
        raise UsageError(f"--{name} {value!r} is not a whole number.") from None
    if not 1 <= number <= high:
        raise UsageError(f"--{name} lies between 1 and {high:,}.")
    return number


def _gpu(written: str, notes: list[str], lenient: bool) -> Gpu | None:
    from bot.hardware.gpu import Gpu as Card
    from bot.loading import load_catalogue, load_name_resolver, load_resolver

    catalogue = load_catalogue()
    text = written
    for pattern, plain in _SOCKETS:
        text = pattern.sub(plain, text)
    exact = load_name_resolver()(text)
    found: Any = catalogue.get(exact) if exact else load_resolver().one(written)
    if isinstance(found, str):
        found = catalogue.get(found)
    if isinstance(found, Card):
        if written in catalogue.groups and len(catalogue.groups[written]) > 1:
            notes.append(f"{written} comes in several variants: {found.name} is shown.")
        return found
    near = tuple(getattr(found, "neighbours", ()) or getattr(found, "options", ()))
    hint = f" Near to it: {', '.join(near[:5])}." if near else " See: whichgpu catalogue list."
    if not lenient:
        raise UsageError(f"the card {written!r} is not in the catalogue.{hint}")
    notes.append(f"{written} is not in the catalogue.{hint}")
    return None


def _entry(name: str, estimate: Estimate | None) -> dict[str, Any]:
    if estimate is None:
        return {**dict.fromkeys(_ANSWER_KEYS), "name": name}
    tokens = estimate.unit == "tokens/s"
    return {
        "name": name,
        "relative": None if tokens else round(estimate.value, 4),
        "tokens_per_s": round(estimate.value, 3) if tokens else None,
        "low": round(estimate.low, 4),
        "high": round(estimate.high, 4),
        "basis": estimate.basis,
        "error_pct": round(estimate.error_pct, 1),
        "source": estimate.source,
    }


def _date(source: str) -> str | None:
    dates = re.findall(r"\b(?:19|20)\d\d(?:-\d\d)?\b", source)
    return dates[-1] if dates else None


def _plain(found: dict[str, Any]) -> str:
    lines = [found["what"]]
    width = max(len(entry["name"]) for entry in found["gpus"])
    for entry in found["gpus"]:
        value = entry["tokens_per_s"] if entry["relative"] is None else entry["relative"]
        if value is None:
            lines.append(f"  {entry['name']:{width}}  unknown")
            continue
        figure = f"{value:6.1f} tokens/s" if entry["relative"] is None else f"{value:6.2f}"
        how = "measured" if entry["basis"] == "measured" else f"estimated, about ±{entry['error_pct']:.0f} %"
        lines.append(f"  {entry['name']:{width}}  {figure}  {how}")
    lines += [f"Note: {note}" for note in found["notes"]]
    if found["sources"]:
        lines.append("Sources: " + "; ".join(source["title"] for source in found["sources"]))
    return "\n".join(lines)

"""`whichgpu fit`: how much memory a model needs, and whether it fits given cards."""

from __future__ import annotations

import argparse
import json
import re
import sys
from typing import TYPE_CHECKING, Any

from bot.cli.jsonl import UsageError, answer_lines

if TYPE_CHECKING:
    from bot.advice.fit import FitResult
    from bot.hardware.gpu import Gpu
    from bot.hardware.memory import MemoryEstimate, Options
    from bot.hardware.models import Model

HELP = "does a model fit a card, and what would make it fit"
_TASKS = {
    "full-finetune": "full", "full_finetune": "full", "finetune": "lora", "finetuning": "lora", "fine-tuning": "lora",
    "training": "train", "full-finetuning": "full", "run": "inference", "infer": "inference",
}  # fmt: skip
_CACHE = re.compile(r"\bkv[- _]?(q8_0|q4_0|int8|fp8|fp16|q8|q4)\b", re.I)
_COUNTED = re.compile(r"^\s*(?:(\d+)\s*[x×]\s*)?(.+?)(?:\s+[x×]\s*(\d+))?\s*$", re.I)
_SPREAD = re.compile(r"zero-?3|\bfsdp\b|\bx\d+$", re.I)
_APPLE = re.compile(r"^\s*(?:apple )?(m[1-9](?: (?:pro|max|ultra))?)\b.*?(\d+)\s*gb", re.I)
_SWITCH = {"on": True, "true": True, "yes": True, "1": True, "off": False, "false": False, "no": False, "0": False}


class UnknownCardError(UsageError):
    """A card that is not in the catalogue."""

    def __init__(self, name: str) -> None:
        self.name = name
        super().__init__(f"the card {name!r} is not in the catalogue. See: whichgpu catalogue list.")


def configure(parser: argparse.ArgumentParser) -> None:
    """Options of the command."""
    parser.description = "How much GPU memory a model needs (GB as card sellers count them), and whether it fits."
    parser.epilog = """What is left out is taken as unknown: the answer then gives a range and says what decides it.

examples:
  whichgpu fit --model 'llama 3 70b' --gpu 'RTX 3090' --count 2
  whichgpu fit --model 'Qwen2.5 7B' --task qlora --context 2048 --gpu 'RTX 3060 12GB'
  whichgpu fit --model 70B --precision q4_k_m --context 16384 --json
  echo '{"model": "SDXL", "task": "lora", "gpu": "RTX 3060"}' | whichgpu fit --jsonl"""
    parser.add_argument("--model", help="a model ('Llama 3 70B', 'SDXL') or a size ('70B')")
    parser.add_argument("--task", default="inference", help="inference, lora, qlora, full or train")
    parser.add_argument("--precision", help="fp16, q4_k_m, nf4, awq, fp8 ...")
    parser.add_argument("--batch", type=int, help="sequences or images at a time")
    parser.add_argument("--context", help="tokens of context or sequence; for pictures a size such as 1024px")
    parser.add_argument("--kv-cache", help="format of the KV cache: fp16, q8_0, fp8, q4_0")
    parser.add_argument("--framework", help="llama.cpp, vllm, hf, unsloth, litgpt, torchtune, diffusers ...")
    parser.add_argument("--gpu", action="append", help="a card; may be repeated, '2x RTX 3090' counts two")
    parser.add_argument("--count", type=int, help="how many of the card")
    parser.add_argument("--memory", type=float, help="GB of each card where it is not the usual (modded card, Mac)")
    parser.add_argument("--checkpointing", choices=("on", "off"), help="gradient checkpointing")
    parser.add_argument("--attention", help="flash, sdpa, eager or unfused")
    parser.add_argument("--optimizer", help="adamw, adamw_8bit, adafactor, sgd ...")
    parser.add_argument("--sharded", action="store_true", help="weights spread over the cards (FSDP, ZeRO-3)")
    parser.add_argument("--language", default="en", choices=("en", "zh"), help="language of the texts")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--jsonl", action="store_true", help="read JSON lines from standard input, write JSON lines")


def run(args: argparse.Namespace) -> int:
    """Estimate, and print it the way asked for."""
    if args.jsonl:
        return answer_lines(lambda request: answer(request, lenient=True), '{"model": "Llama 3 8B", "gpu": "RTX 3060"}')
    request = {k: v for k, v in vars(args).items() if v is not None}
    try:
        found = answer(request)
    except UsageError as error:
        print(f"whichgpu fit: {error}", file=sys.stderr)
        return 2
    print(json.dumps(found, ensure_ascii=False) if args.json else _plain(found))
    return 0


def answer(request: dict[str, Any], lenient: bool = False) -> dict[str, Any]:
    """One request (option names with underscores) as the JSON answer. Raises UsageError.

    `lenient`: a card that is not in the catalogue takes away the verdict, not the estimate.
    """
    from bot.hardware.runtimes import UnknownOptionError
    from bot.loading import load_fit_words, load_fitter, load_memory_model

    language = str(request.get("language") or "en")
    model = _model(request)
    options = _options(request, model)
    notes: list[tuple[str, dict[str, object]]] = []
    try:
        gpus = _gpus(request)
    except UnknownCardError as error:
        if not lenient:
            raise
        gpus = []
        notes.append(("gpu_unknown", {"name": error.name}))
    if options.framework and not load_memory_model().runtimes.knows_framework(options.framework):
        from dataclasses import replace

        notes.append(("framework_unknown", {"name": options.framework}))
        options = replace(options, framework=None)
    try:
        if gpus:
            result = load_fitter().fit(model, gpus, options)
            return _json(request, model, result.estimate, result, notes, language)
        estimate = load_memory_model().estimate(model, options)
    except UnknownOptionError as error:
        known = ", ".join(error.known[:40])
        raise UsageError(f"{error.option} {error.value!r} is not known. Known: {known}.") from None
    except ValueError as error:
        raise UsageError(str(error)) from None
    load_fit_words()
    return _json(request, model, estimate, None, notes, language)


def _model(request: dict[str, Any]) -> Model:
    from bot.loading import load_models

    name = str(request.get("model") or "").strip()
    if not name:
        raise UsageError("which model? Example: --model 'Llama 3 70B', or a size such as --model 70B.")
    model = load_models().resolve(name)
    if model is None and request.get("params_b"):
        model = load_models().generic(float(request["params_b"]), name=name)
    if model is None:
        raise UsageError(f"the model {name!r} is not known. Give its size instead, such as --model 13B.")
    return model


def _options(request: dict[str, Any], model: Model) -> Options:
    from bot.hardware.memory import Options

    task = str(request.get("task") or "inference").strip().lower()
    precision = str(request.get("precision") or "").strip() or None
    cache = str(request.get("kv_cache") or "").strip() or None
    if cache is None and precision and (found := _CACHE.search(precision)):
        cache = found[1]
    context, size = _length(request, model)
    checkpointing = request.get("checkpointing")
    if isinstance(checkpointing, str):
        checkpointing = _SWITCH.get(checkpointing.lower())
    lora = request.get("lora_params_m") or request.get("lora_m")
    count = _whole(request, "count", 1, 4096) or 1
    # "bf16 ZeRO-3 + CPU offload" says how it is spread, too
    sharded = bool(request.get("sharded")) or (count > 1 and bool(precision and _SPREAD.search(precision)))
    optimizer = request.get("optimizer") or None
    if optimizer is None and sharded and precision and "offload" in precision.lower():
        optimizer = "adamw_cpu_offload"
    return Options(
        task=_TASKS.get(task, task), precision=precision, batch=_whole(request, "batch", 1, 100_000),
        context_tokens=context, kv_cache=cache, framework=str(request.get("framework") or "").strip() or None,
        count=count, checkpointing=checkpointing,
        attention=request.get("attention") or None, loss=request.get("loss") or None,
        optimizer=optimizer, lora_params_m=float(lora) if lora else None,
        sharded=sharded, size=size,
    )  # fmt: skip


def _length(request: dict[str, Any], model: Model) -> tuple[int | None, str | None]:
    value = request.get("context")
    if value in (None, ""):
        return None, str(request["size"]) if request.get("size") else None
    picture = bool(model.components) or bool(model.acts_m)
    text = str(value).strip().lower()
    if picture or "px" in text or "x" in text:
        return None, text
    try:
        tokens = int(float(text[:-1]) * 1024) if text.endswith("k") else int(float(text))
    except ValueError:
        raise UsageError(f"--context {value!r} is not a number of tokens. Write it like 8192 or 32k.") from None
    if not 1 <= tokens <= 100_000_000:
        raise UsageError("--context lies between 1 and 100,000,000 tokens.")
    return tokens, None


def _whole(request: dict[str, Any], name: str, low: int, high: int) -> int | None:
    value = request.get(name)
    if value in (None, ""):
        return None
    try:
        number = int(float(str(value)))
    except (ValueError, OverflowError):
        raise UsageError(f"--{name} {value!r} is not a whole number.") from None
    if not low <= number <= high:
        raise UsageError(f"--{name} lies between {low} and {high:,}.")
    return number


def _gpus(request: dict[str, Any]) -> list[tuple[Gpu, int]]:
    asked = request.get("gpu") or ()
    names = [asked] if isinstance(asked, str) else list(asked)
    count = _whole(request, "count", 1, 4096)
    memory = request.get("memory")
    cards = []
    for name in names:
        counted = _COUNTED.match(str(name))
        written = int((counted and (counted[1] or counted[3])) or 0)
        number = written or ((count or 1) if len(names) == 1 else 1)
        cards.append((_gpu(counted[2] if counted else str(name), memory), number))
    return cards


def _gpu(name: str, memory: Any) -> Gpu:
    from bot.hardware.machine import modded
    from bot.loading import load_catalogue, load_name_resolver

    catalogue, resolve = load_catalogue(), load_name_resolver()
    text = name.replace("\u2011", "-").replace("SXM4", "SXM").replace("SXM5", "SXM")
    found = resolve(text)
    gpu = catalogue.get(found) if found else None
    if gpu is None and (apple := _APPLE.match(text)):
        # Memory decides; a chip that is not in the catalogue stands in by one that is.
        chip = resolve(apple[1]) or next((g.name for g in catalogue.gpus if g.vendor == "apple"), "")
        gpu, memory = catalogue.get(chip), memory or float(apple[2])
    if gpu is None:
        raise UnknownCardError(name)
    return modded(gpu, float(memory)) if memory else gpu


def _json(
    request: dict[str, Any], model: Model, estimate: MemoryEstimate, result: FitResult | None,
    notes: list[tuple[str, dict[str, object]]], language: str,
) -> dict[str, Any]:  # fmt: skip
    from bot.loading import load_fit_words

    words = load_fit_words()
    assumptions = [(c, p) for c, p in estimate.assumptions if not (notes and c == "framework")]
    assumptions += [(c, p) for c, p in notes]
    return {
        "id": request.get("id"),
        "model": model.name,
        "unit": "GB as card sellers count them (2^30 bytes)",
        "low_gb": round(estimate.low_gb, 3),
        "likely_gb": round(estimate.likely_gb, 3),
        "high_gb": round(estimate.high_gb, 3),
        "one_figure": estimate.one_figure,
        "parts": {name: round(gb, 3) for name, gb in estimate.parts.items()},
        "precision": estimate.precision,
        "context": estimate.context_tokens,
        "verdict": result.verdict if result else None,
        "usable_gb": round(result.usable_gb, 2) if result else None,
        "summary": words.verdict(result, language) if result else words.say(
            "need.line" if estimate.one_figure else "need.range", language, model=model.name,
            precision=estimate.precision, gb=estimate.likely_gb, low=estimate.low_gb, high=estimate.high_gb,
        ),
        "deciding": words.deciding(estimate, language),
        "assumptions": [{"code": c, "text": words.assumption((c, p), language)} for c, p in assumptions],
        "remedies": [
            {"code": r.code, "gb": round(r.gb, 2), "cost": r.cost, "text": words.remedy(r, language)}
            for r in (result.remedies if result else ())
        ],
        "sources": [{"title": source, "ref": "", "as_of": model.as_of or "2026-11"} for source in estimate.sources],
        "tokens_per_s": _speed(result),
        "notes": [words.note(n, language) for n in (result.notes if result else ())],
    }  # fmt: skip


def _speed(result: FitResult | None) -> dict[str, Any] | None:
    """The estimate of decode speed (bot/hardware/performance.py), where there is one."""
    speed: Any = result.also_speed if result else None
    if speed is None:
        return None
    return {"value": speed.value, "low": speed.low, "high": speed.high, "basis": speed.basis, "source": speed.source}


def _plain(found: dict[str, Any]) -> str:
    lines = [found["summary"], found["deciding"]]
    lines.append("Assumed: " + "; ".join(a["text"] for a in found["assumptions"]))
    if speed := found["tokens_per_s"]:
        how = (
            speed["basis"]
            if speed["low"] == speed["high"]
            else f"{speed['basis']}, {speed['low']:.0f} to {speed['high']:.0f}"
        )
        lines.append(f"Speed: about {speed['value']:.0f} tokens a second for one user ({how})")
    lines += [f"  - {r['text']}" for r in found["remedies"]]
    lines += [f"Note: {note}" for note in found["notes"]]
    lines.append("Sources: " + "; ".join(s["title"] for s in found["sources"]))
    return "\n".join(lines)

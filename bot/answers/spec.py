"""Figures and capabilities of one or more cards, from the catalogue."""

from __future__ import annotations

from bot.answers.blocks import Table
from bot.answers.draft import Draft
from bot.answers.figures import field_name, figure, headline_figures, marked
from bot.hardware.gpu import FORMATS, Gpu

_SHOWN = (
    "memory_gb", "bandwidth_gbs", "fp16_tensor_tflops", "fp32_tflops", "fp8_tflops", "tdp_w", "nvlink_gbs",
    "compute_capability", "architecture", "released", "launch_price_usd",
)  # fmt: skip
_ASKED_FIELDS = {
    "memory": ("memory_gb",),
    "bandwidth": ("bandwidth_gbs",),
    "tdp": ("tdp_w",),
    "tflops": ("fp16_tensor_tflops", "fp32_tflops"),
    "cuda_cores": ("cuda_cores",),
    "bus_width": ("bus_width_bits",),
    "compute_capability": ("compute_capability",),
    "connector": ("power_connector",),
    "slots": ("slots",),
    "cooler": ("cooler",),
    "released": ("released",),
    "msrp": ("launch_price_usd",),
}
MAX_CARDS = 4


def spec(draft: Draft, gpus: tuple[Gpu, ...], versions: tuple[Gpu, ...] = ()) -> None:
    """Title: what was asked of the first card. Then a table of figures for up to four cards, faults, software.

    `versions`: all cards that the name covers, where the question left open which; they share the table.
    """
    gpus = gpus[:MAX_CARDS]
    if versions and draft.request.gpus and not draft.title:
        names = ", ".join(gpu.name for gpu in versions)
        draft.note(draft.say("spec.group", group=draft.request.gpus[0].name, variants=names, gpu=gpus[0].name))
    asked = tuple(field for ask in draft.request.asks for field in _ASKED_FIELDS.get(ask, ()))
    shown = tuple(dict.fromkeys((*_SHOWN, *asked)))
    draft.title = draft.title or " ".join(_headline(draft, gpu) for gpu in gpus[: 2 if len(gpus) == 2 else 1])
    beside = tuple(gpu for gpu in versions if gpu not in gpus)
    draft.blocks.append(figures_table(draft, (*gpus, *beside)[:MAX_CARDS], shown))
    if marked(gpus, shown):
        draft.note(draft.say("spec.uncertain"))
    for gpu in gpus:
        card_remarks(draft, gpu)
    draft.gpu_sources(*gpus)


def figure_asked(draft: Draft) -> bool:
    """Whether the question wants a figure or a capability that the catalogue holds."""
    request = draft.request
    known = {*_ASKED_FIELDS, "nvlink", "tensor_cores", "specs"}
    return bool(known & set(request.asks)) or ("format" in request.asks and request.precision in FORMATS)


def sizes(draft: Draft, name: str, variants: tuple[Gpu, ...], asked_gb: float) -> None:
    """ "Does the 4060 Ti come in 12 GB?": the title, where the size asked for decides the answer."""
    known = sorted({gpu.memory_gb for gpu in variants})
    shown = " / ".join(f"{size:g}" for size in known) + " GB"
    key = "spec.size.yes" if asked_gb in known else "spec.size.no"
    draft.title = draft.say(key, gpu=name, asked=f"{asked_gb:g} GB", sizes=shown)


def card_remarks(draft: Draft, gpu: Gpu) -> None:
    """What a buyer must know: the card's own fault, and software support that is ending or gone."""
    english = draft.request.language == "en"
    fault = gpu.fault if english else gpu.fault_zh
    if fault:
        draft.note(f"{gpu.name}: {draft.local(fault)}", "warning")
    if gpu.architecture.software in ("ending", "dropped"):
        note = gpu.architecture.software_note if english else gpu.architecture.software_note_zh
        draft.note(f"{gpu.architecture.name}: {draft.local(note)}", "warning")
        draft.source(gpu.architecture.source, "", gpu.architecture.as_of)


def figures_table(draft: Draft, gpus: tuple[Gpu, ...], fields: tuple[str, ...] = _SHOWN) -> Table:
    """A column a card, a row a figure; rows that are empty for all are left out."""
    rows = []
    for field in fields:
        cells = tuple(figure(gpu, field) or "–" for gpu in gpus)
        if any(cell != "–" for cell in cells):
            rows.append((draft.local(field_name(field, draft.request.language)), *cells))
    return Table(("", *(gpu.name for gpu in gpus)), tuple(rows))


def _headline(draft: Draft, gpu: Gpu) -> str:
    request = draft.request
    if "nvlink" in request.asks:
        return (
            draft.say("spec.nvlink.yes", gpu=gpu.name, nvlink=figure(gpu, "nvlink_gbs"))
            if gpu.nvlink_gbs
            else draft.say("spec.nvlink.no", gpu=gpu.name)
        )
    if "tensor_cores" in request.asks:
        return _tensor_cores(draft, gpu)
    if "format" in request.asks and request.precision in FORMATS:
        return _format(draft, gpu, request.precision)
    fields = [field for ask in request.asks for field in _ASKED_FIELDS.get(ask, ())]
    if not fields:
        return draft.say("spec.title", gpu=gpu.name, figures=headline_figures(gpu))
    known = [
        f"{draft.local(field_name(field, request.language))} {figure(gpu, field)}"
        for field in fields
        if figure(gpu, field)
    ]
    if not known:
        return draft.say("spec.unknown_figure", gpu=gpu.name)
    return draft.say("spec.title", gpu=gpu.name, figures=", ".join(known))


def _tensor_cores(draft: Draft, gpu: Gpu) -> str:
    if gpu.fp16_tensor_tflops and gpu.architecture.tensor_cores:
        tflops = figure(gpu, "fp16_tensor_tflops").removesuffix(" TFLOPS")
        return draft.say("spec.tensor.yes", gpu=gpu.name, architecture=gpu.architecture.name, tflops=tflops)
    return draft.say(
        "spec.tensor.no", gpu=gpu.name, architecture=gpu.architecture.name, capability=gpu.compute_capability or "–"
    )


def _format(draft: Draft, gpu: Gpu, number_format: str) -> str:
    support = gpu.supports(number_format)
    if number_format == "fp16" and support == "yes" and not gpu.fp16_tensor_tflops and (gpu.fp16_tflops or 0) < 1:
        support = "slow"
    text = draft.say(
        f"spec.format.{support}", gpu=gpu.name, format=number_format.upper(), architecture=gpu.architecture.name
    )
    if number_format == "fp16" and gpu.fp16_tflops and gpu.fp32_tflops and gpu.fp16_tflops < gpu.fp32_tflops / 2:
        ratio = round(gpu.fp32_tflops / gpu.fp16_tflops)
        text += " " + draft.say(
            "spec.format.rate", fp16=f"{gpu.fp16_tflops:.2g}", fp32=f"{gpu.fp32_tflops:.3g}", ratio=ratio
        )
    return text

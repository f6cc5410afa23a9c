"""A small knowledge base for tests: ten entries, two cards, words of its own."""

from __future__ import annotations

from typing import Any

from bot.facts.entries import KnowledgeBase, parse_knowledge
from bot.facts.features import SearchWords, parse_words
from bot.hardware.gpu import Architecture, Gpu
from bot.request import GpuMention, Request

WORDS = """
concepts:
  vram: {en: [vram, video memory], zh: [显存]}
  cheap: {en: [cheap, inexpensive], zh: [便宜]}
  many: {en: [several cards, two gpus], zh: [多卡]}
filler: {en: [the, a, is, what, of, do, i, my, for], zh: [的, 吗, 是]}
common: {en: [need, good], zh: [好]}
slots:
  - {marker: gpu, pattern: '(?<![a-z0-9])(?:rtx\\s*)?[34]0[6-9]0(?![0-9])'}
"""

_TOPICS = [
    ("bandwidth", "Why does memory bandwidth matter?", "显存带宽为什么重要？", "bandwidth and speed", "带宽决定速度吗"),
    ("vram-size", "How much VRAM do I need?", "需要多大显存？", "is 8 GB of vram enough", "8g显存够用吗"),
    ("ecc", "Do I need ECC?", "需要ECC吗？", "error correcting memory", "显存纠错有必要吗"),
    ("nvlink", "What does NVLink bring?", "NVLink有什么用？", "bridge between two gpus", "两张卡要不要桥接"),
    ("cooling", "Which cooler for several cards?", "多卡用什么散热？", "blower or open fan", "涡轮还是风扇"),
    ("psu", "Which power supply is enough?", "电源要多少瓦？", "how many watts", "电源功率怎么选"),
    ("amd", "Does AMD work for training?", "AMD能训练吗？", "rocm with pytorch", "rocm支持pytorch吗"),
    ("cloud", "Rent or buy?", "租还是买？", "cloud instance per hour", "云服务器按小时租"),
    ("tpu", "What is a TPU?", "TPU是什么？", "google tensor processing unit", "谷歌张量处理器"),
    ("quant", "What is quantisation?", "量化是什么？", "int4 weights", "int4权重"),
]


def entry_text(entry_id: str = "bandwidth", **changes: str) -> str:
    """One entry as YAML; a change replaces a whole field, "" takes it away."""
    _, en, zh, phrasing_en, phrasing_zh = next((t for t in _TOPICS if t[0] == entry_id), _TOPICS[0])
    fields = {
        "id": f"id: {entry_id}",
        "topic": "topic: test",
        "question": f'question: {{en: "{en}", zh: "{zh}"}}',
        "phrasings": f'phrasings: {{en: ["{phrasing_en}"], zh: ["{phrasing_zh}"]}}',
        "answer": f'answer: {{en: "On {entry_id}.", zh: "关于{entry_id}。"}}',
        "as_of": "as_of: 2026-11",
        "sources": 'sources: [{title: "A title", ref: "a/ref", as_of: 2026-10}]',
        **changes,
    }
    return "- " + "\n  ".join(field for field in fields.values() if field) + "\n"


def small_base(*more: str) -> KnowledgeBase:
    """The ten entries, and more as YAML."""
    return parse_knowledge([("".join(entry_text(topic[0]) for topic in _TOPICS) + "".join(more), "small.yaml")])


def small_words() -> SearchWords:
    """The words above."""
    return parse_words(WORDS, "words.yaml")


AMPERE = Architecture("Ampere", "nvidia", "8.6", {"bf16": "yes"}, True, "full", "", "", "s", "2020")
CARDS = {
    "RTX 3090": Gpu(
        "RTX 3090", "nvidia", AMPERE, "consumer", "2020-09", 24.0, "GDDR6X", bandwidth_gbs=936.2, tdp_w=350.0,
        fp16_tensor_tflops=71.2, marks={"fp16_tensor_tflops": "computed"},
    ),
    "RTX 3060 12GB": Gpu(
        "RTX 3060 12GB", "nvidia", AMPERE, "consumer", "2021-02", 12.0, "GDDR6", bandwidth_gbs=360.0, group="RTX 3060",
    ),
}  # fmt: skip


def find(name: str) -> Gpu | None:
    """A card of CARDS; the group's name finds its variant."""
    return CARDS.get("RTX 3060 12GB" if name == "RTX 3060" else name)


def request(text: str = "", **fields: Any) -> Request:
    """A Request; `gpus` may be plain names."""
    names = fields.pop("gpus", ())
    gpus = tuple(GpuMention(str(name)) for name in names)
    defaults: dict[str, Any] = {"text": text, "language": "en", "kind": "concept", "gpus": gpus}
    return Request(**(defaults | fields))

"""Names as people write them: found, corrected, told apart, or left alone. Never guessed."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.hardware.gpu import Gpu
from bot.hardware.name_vocabulary import parse_name_vocabulary
from bot.hardware.names import Names
from bot.loading import files_root, load_catalogue, load_resolver
from bot.request import AmbiguousGpu, UnknownGpu
from bot.tables import DataError
from bot.text import fold

VOCABULARY = (files_root() / "data/gpu_names.yaml").read_text(encoding="utf-8")


def find(text: str) -> Names:
    return load_resolver().find(fold(text))


def cards(text: str) -> list[str]:
    return [mention.name for mention in find(text).mentions]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("RTX 3090", ["RTX 3090"]),
        ("rtx3090", ["RTX 3090"]),
        ("GeForce-RTX-3080-Ti", ["RTX 3080 Ti"]),
        ("rtx_a6000", ["RTX A6000"]),
        ("4060/5060 TI 16GB", ["RTX 4060 Ti 16GB", "RTX 5060 Ti 16GB"]),
        ("3090 / 5060 ti", ["RTX 3090", "RTX 5060 Ti"]),
        ("1660 S or Ti", ["GTX 1660 Super", "GTX 1660 Ti"]),
        ("2060S/2070/2070S", ["RTX 2060 Super", "RTX 2070", "RTX 2070 Super"]),
        ("quadro rtx 6000/8000", ["Quadro RTX 6000", "Quadro RTX 8000"]),
        ("3060/3060ti", ["RTX 3060", "RTX 3060 Ti"]),
        ("7900xt/xtx", ["RX 7900 XT", "RX 7900 XTX"]),
        ("4060 ti 8gb or 16gb", ["RTX 4060 Ti 8GB", "RTX 4060 Ti 16GB"]),
        ("gtx 970 or 980", ["GTX 970", "GTX 980"]),
        ("A100/H100", ["A100", "H100"]),
        ("2x4090, 8xA100-80GB, 3090*2, 3090x2", ["RTX 4090", "A100 80GB", "RTX 3090", "RTX 3090"]),
        ("RXT3060-12G", ["RTX 3060 12GB"]),
        ("3060m and MX-150", ["RTX 3060 Laptop", "MX150"]),
        ("tesla k40c", ["K40"]),
        ("maxwell titan x, pascal titan X", ["GTX Titan X (Maxwell)", "Titan X (Pascal)"]),
        ("titan xp, titanrtx, rtx titan, titan-v", ["Titan Xp", "Titan RTX", "Titan RTX", "Titan V"]),
        ("radeon 6600, intel 380, arc a750", ["RX 6600", "Arc A380", "Arc A750"]),
        ("6000 Ada, RTX pro 6000, RTX 6000 Pro", ["RTX 6000 Ada", "RTX PRO 6000", "RTX PRO 6000"]),
        ("M2 Ultra 192G", ["M2 Ultra"]),
        ("macbook with m1", ["M1"]),
        ("4090D, 5090D V2", ["RTX 4090 D", "RTX 5090 D V2"]),
        ("4070tis 4070s", ["RTX 4070 Ti Super", "RTX 4070 Super"]),
        ("泰坦RTX 特斯拉P40 昇腾910B", ["Titan RTX", "P40", "Ascend 910B"]),
        ("昇騰910B 摩爾線程S80", ["Ascend 910B", "MTT S80"]),
        ("V100 32G, 40HX, A100-SXM4-80GB", ["V100 32GB", "CMP 40HX", "A100 SXM 80GB"]),
        ("4060笔记本 3060本, laptop 4090", ["RTX 4060 Laptop", "RTX 3060 Laptop", "RTX 4090 Laptop"]),
        ("4090本地跑大模型", ["RTX 4090"]),
        ("gefroce 3060, qadro rtx 4000, telsa p40", ["RTX 3060", "Quadro RTX 4000", "P40"]),
        ("GPU-12GB (3060)", ["RTX 3060 12GB"]),
        ("4090 with 64gb ram", ["RTX 4090"]),
        ("3060 with 12gb vram", ["RTX 3060 12GB"]),
        ("two 2080s and 8 V100s", ["RTX 2080", "V100"]),
        ("is the 4090 super fast", ["RTX 4090"]),
        ("ryzen 9 7900 with RX 7900 XT", ["RX 7900 XT"]),
        ("ryzen ai max+ 395", ["Strix Halo"]),
        ("３０６０Ti 和 ４０９０", ["RTX 3060 Ti", "RTX 4090"]),
        ("dgx spark, tpu v3, a tpu", ["DGX Spark", "TPU v3", "TPU"]),
        ("RTX 2070 Max-Q, rtx pro 6000 max-q", ["RTX 2070 Laptop", "RTX PRO 6000 Max-Q"]),
        ("1066 or GTX 1063", ["GTX 1060 6GB", "GTX 1060 3GB"]),
    ],
)
def test_written_names(text: str, expected: list[str]) -> None:
    found = find(text)
    assert [mention.name for mention in found.mentions] == expected
    assert found.corrections == ()
    assert found.unknown == ()


@pytest.mark.parametrize(
    "text",
    [
        "$3060", "3060 usd", "3090元", "€4070", "1200W and 1200", "my budget is 3,060",
        "1080p, 1440p, 1920x1080, 2560 x 1080, play at 1080", "2060年", "in 2080", "since 2060",
        "i7-14700k, ryzen 7 7800x3d, 5600x, ryzen 5500, ryzen 5 5600, epyc 7702, xeon e5-2690, threadripper 3990x",
        "DDR4 3200/3600, ddr5 6000, 6000mhz", "B550 X570 Z790 B650", "RM850x", "970 evo, 980 pro, sn850x",
        "llama 3 70b, gpt-4, qwen2 72B, rtdetr, yolov8, q4_k_m, w4a16, t5-3b, flan-t5", "m.2 drive, m2 ssd",
        "p4d.24xlarge, g4dn, p3.2xlarge, g5.xlarge", "4090 images, 3080 samples, 3090 hours", "128k context",
        "rtx with 16 gb", "4000 euros", "a 4000 dollar pc", "i have 5000 photos", "apache spark", "",
    ],
)  # fmt: skip
def test_what_is_no_card(text: str) -> None:
    found = find(text)
    assert (found.mentions, found.ambiguous, found.unknown, found.corrections) == ((), (), (), ())


@pytest.mark.parametrize(
    ("text", "gpu", "said", "actual", "problem", "neighbour"),
    [
        ("12 GB 3060 Ti", "RTX 3060 Ti", "12 GB", "8 GB", "memory", "RTX 3060 12GB"),
        ("24G V100", "V100", "24 GB", "16 / 32 GB", "memory", "V100 32GB"),
        ("5060 16GB", "RTX 5060", "16 GB", "8 GB", "memory", "RTX 5060 Ti 16GB"),
        ("2060 8GB", "RTX 2060", "8 GB", "6 / 12 GB", "memory", "RTX 2060 Super"),
        ("4090 laptop 24gb", "RTX 4090 Laptop", "24 GB", "16 GB", "memory", "RTX 4090"),
        ("GTX 3080", "RTX 3080", "gtx 3080", "RTX 3080", "name", None),
        ("rtx 1080 ti", "GTX 1080 Ti", "rtx 1080 ti", "GTX 1080 Ti", "name", None),
        ("nvidia 7900 xtx", "RX 7900 XTX", "nvidia 7900 xtx", "RX 7900 XTX", "vendor", None),
    ],
)
def test_false_premises_are_corrected(
    text: str, gpu: str, said: str, actual: str, problem: str, neighbour: str | None
) -> None:
    found = find(text)
    (correction,) = found.corrections
    assert (correction.gpu, correction.said, correction.actual) == (gpu, said, actual)
    assert correction.problem == problem
    assert neighbour is None or neighbour in correction.neighbours
    assert [mention.name for mention in found.mentions] == [gpu]


def test_sizes_of_modified_cards() -> None:
    found = find("2080ti 22g 魔改, 3080 20g, 4090 48g")
    assert [(m.name, m.modded_memory_gb) for m in found.mentions] == [
        ("RTX 2080 Ti", 22), ("RTX 3080", 20), ("RTX 4090", 48),
    ]  # fmt: skip
    assert found.corrections == ()


@pytest.mark.parametrize("text", ["K80 12gb", "A16 16gb", "M3 Max 64gb", "T1000 8gb"])
def test_sizes_that_are_right_too(text: str) -> None:
    assert find(text).corrections == ()


@pytest.mark.parametrize(
    ("text", "options"),
    [
        ("RTX 6000", {"Quadro RTX 6000", "RTX 6000 Ada", "RTX PRO 6000"}),
        ("rtx 5000", {"Quadro RTX 5000", "RTX 5000 Ada", "RTX PRO 5000"}),
        ("titan x", {"Titan X (Pascal)", "GTX Titan X (Maxwell)"}),
        ("泰坦", {"Titan RTX", "Titan V", "Titan Xp"}),
    ],
)
def test_ambiguous_names_list_their_options(text: str, options: set[str]) -> None:
    found = find(text)
    assert found.mentions == ()
    (item,) = found.ambiguous
    assert options <= set(item.options)


def test_a_size_or_an_earlier_full_name_settles_an_ambiguous_one() -> None:
    assert cards("RTX 6000 48GB") == ["RTX 6000 Ada"]
    assert cards("RTX 6000 24GB") == ["Quadro RTX 6000"]
    assert find("RTX 6000 Ada (48 GB). One RTX 6000 or several?").ambiguous == ()


@pytest.mark.parametrize(
    ("text", "neighbour"),
    [
        ("RTX 4095", "RTX 4090"), ("rtx 6090", "RTX 5090"), ("RX 9990", "RX 9070"), ("GTX 2060 Ti", "RTX 2060"),
        ("4090 ti", "RTX 4090"), ("5080 super", "RTX 5080"), ("quadro k4000", "Quadro P4000"),
    ],
)  # fmt: skip
def test_unknown_names_are_offered_neighbours_and_never_resolved(text: str, neighbour: str) -> None:
    found = find(text)
    assert found.mentions == ()
    (item,) = found.unknown
    assert neighbour in item.neighbours


def test_families_and_generations() -> None:
    found = find("40xx cards, 50系, rtx 30 series, RX 9000 series or 7000 series, RTX 20/30 series; 图灵")
    assert [name for name, _, _ in found.series] == [
        "RTX 40", "RTX 50", "RTX 30", "RX 9000", "RX 7000", "RTX 20", "RTX 30",
    ]  # fmt: skip
    assert [name for name, _, _ in found.generations] == ["Turing"]
    assert found.mentions == ()


def test_places_cover_the_names() -> None:
    text = fold("两张3090 24G，再加 2x rtx 4060 ti 16gb")
    found = load_resolver().find(text)
    assert [text[m.start : m.end] for m in found.mentions] == ["3090 24g", "rtx 4060 ti 16gb"]
    assert found.spans == tuple((m.start, m.end) for m in found.mentions)


def test_one_name() -> None:
    one = load_resolver().one
    gpu = one("GeForce RTX 3060 12GB")
    assert isinstance(gpu, Gpu)
    assert gpu.name == "RTX 3060 12GB"
    assert one("rtx 3060") == "RTX 3060"
    title = one("ASUS Dual GeForce RTX 3060 V2 OC Edition graphics card, 12GB GDDR6")
    assert isinstance(title, Gpu)
    assert title.name == "RTX 3060 12GB"
    assert isinstance(one("rtx 6000"), AmbiguousGpu)
    wrong = one("RTX 3060 Ti 12GB")
    assert isinstance(wrong, UnknownGpu)
    assert "RTX 3060 12GB" in wrong.neighbours
    for text in ("RTX 4095", "nothing", "", "Huawei Ascend 970"):
        assert isinstance(one(text), UnknownGpu)
    assert "RTX 4090" in load_resolver().neighbours("RTX 4095")
    assert load_resolver().neighbours("nothing at all") == ()


NAMES = sorted({(gpu.name, name) for gpu in load_catalogue().gpus for name in (gpu.name, *gpu.aliases)})


@given(st.sampled_from(NAMES), st.sampled_from(["as is", "upper", "lower", "no spaces", "hyphens", "maker"]))
@settings(max_examples=400, deadline=None)
def test_each_name_and_alias_leads_to_its_card(pair: tuple[str, str], form: str) -> None:
    name, written = pair
    gpu = load_catalogue().by_name[name]
    if form in ("no spaces", "hyphens") and not written.replace(" ", "").isalnum():
        return
    changed = {
        "as is": written, "upper": written.upper(), "lower": written.lower(), "no spaces": written.replace(" ", ""),
        "hyphens": written.replace(" ", "-"), "maker": ("nvidia " if gpu.vendor == "nvidia" else "") + written,
    }[form]  # fmt: skip
    found = load_resolver().one(changed)
    assert found == gpu or (written != name and found == gpu.group)


@given(st.sampled_from(sorted(load_catalogue().groups)), st.sampled_from([str.upper, str.lower, str.title]))
def test_each_group_leads_to_itself(name: str, change: object) -> None:
    assert load_resolver().one(change(name)) == name  # type: ignore[operator]


PIECES = st.sampled_from(
    ["rtx", "gtx", "3060", "4090", "ti", "super", " ", "-", "/", "12g", "24 gb", "titan", "x", "a100", "系", "系列",
     "本", "ryzen", "$", "2x", "or", "和", "(", ")", "m2", "ultra", "quadro", "6000", "ada", "max-q", "40xx",
     "\U0001f600"]
)  # fmt: skip


@given(st.one_of(st.text(max_size=120), st.lists(PIECES, max_size=25).map("".join)))
@settings(max_examples=300, deadline=None)
def test_any_text_is_read(text: str) -> None:
    folded = fold(text)
    found = load_resolver().find(folded)
    assert all(0 <= start < end <= len(folded) for start, end in found.spans)
    catalogue = load_catalogue()
    assert all(catalogue.cards(mention.name) for mention in found.mentions)
    load_resolver().one(text)


@pytest.mark.parametrize(
    ("old", "new", "part"),
    [
        ("forgiven:", "forgivn:", "not known"),
        ("series_words:", "# series_words:", "missing"),
        ("{words: [gt], tag: gt", "{words: [gtx], tag: gt", "stands twice"),
        ("amd_talk: 'amd|", "amd_talk: 'amd(|", "no pattern"),
        ("leads:\n", "leads: nothing\nx:\n", "not known"),
    ],
)
def test_faults_in_the_vocabulary_are_told(old: str, new: str, part: str) -> None:
    assert old in VOCABULARY
    with pytest.raises(DataError, match=part):
        parse_name_vocabulary(VOCABULARY.replace(old, new, 1), "gpu_names.yaml")

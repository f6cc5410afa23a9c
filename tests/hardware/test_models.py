"""The model table: sizes recomputed from shapes, names as people write them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.hardware.models import MODEL_COLUMNS, ModelTable, parse_families, parse_models, parse_size
from bot.loading import load_models
from bot.tables import DataError

TABLE = load_models()
HEADER = ",".join(MODEL_COLUMNS)


def row(**cells: str) -> str:
    base = {"name": "X 1B", "kind": "llm", "params_b": "1", "source": "card", "as_of": "2026-11"}
    return HEADER + "\n" + ",".join((base | cells).get(c, "") for c in MODEL_COLUMNS)


def test_the_table_is_large_and_covers_every_kind() -> None:
    assert len(TABLE.models) >= 130
    assert {m.kind for m in TABLE.models.values()} >= {
        "llm", "vlm", "encoder", "encdec", "vision", "speech", "image", "video", "robotics", "bio", "3d",
    }  # fmt: skip


@pytest.mark.parametrize("name", [n for n, m in TABLE.models.items() if m.recomputed_params() and not m.differs])
def test_parameters_follow_from_the_configuration_within_two_percent(name: str) -> None:
    model = TABLE.models[name]
    recomputed = model.recomputed_params()
    assert recomputed is not None
    assert model.params_b is not None
    assert recomputed / 1e9 == pytest.approx(model.params_b, rel=0.02)


def test_a_row_that_differs_says_why_and_does_differ() -> None:
    for model in TABLE.models.values():
        recomputed = model.recomputed_params()
        if model.differs and recomputed and model.params_b:
            assert abs(recomputed / 1e9 / model.params_b - 1) > 0.02, f"{model.name} follows the formula after all"


def test_every_language_model_has_a_shape_for_its_cache() -> None:
    for model in TABLE.models.values():
        if model.kind in ("llm", "vlm") and model.layers:
            assert model.attention, model.name
            assert model.kv_rank or model.kv_heads, model.name
            assert 0 <= model.full_layers <= model.layers, model.name


@pytest.mark.parametrize(
    ("written", "canonical"),
    [
        ("Llama-3-70B", "Llama 3 70B"), ("llama3 70b", "Llama 3 70B"), ("llama 3.3 70b", "Llama 3.3 70B"),
        ("Qwen2-72B", "Qwen2 72B"), ("qwen2 7b", "Qwen2 7B"), ("r1 671b", "DeepSeek-R1 671B"),
        ("deepseek-r1 32b", "DeepSeek-R1-Distill-Qwen 32B"), ("8x7b", "Mixtral 8x7B"),
        ("bert-base-uncased", "BERT base"), ("sdxl 1.0", "SDXL"), ("flux.1-dev", "FLUX"), ("whisper", "Whisper large"),
        ("groot n1.5", "GR00T N1.5"), ("nn-unet", "nnU-Net"), ("通义千问", "Qwen3 8B"), ("满血 R1", "DeepSeek-R1 671B"),
        ("Mistral-Small-22B-2409", "Mistral Small 22B"), ("Qwen 27B", "Qwen3.5 27B"), ("llama 2", "Llama 2 7B"),
        ("Llama 3 8B Instruct", "Llama 3 8B"), ("混元视频", "HunyuanVideo"),
    ],
)  # fmt: skip
def test_names_as_people_write_them(written: str, canonical: str) -> None:
    found = TABLE.resolve(written)
    assert found is not None
    assert found.name == canonical


def test_a_size_of_another_model_is_never_taken_for_a_name() -> None:
    assert TABLE.canonical("qwen 27b") != "Qwen2 7B"
    sized = TABLE.resolve("llama 3 8000B")
    assert sized is not None
    assert sized.generic


@pytest.mark.parametrize(("text", "size"), [("70B", 70), ("a 1.5b model", 1.5), ("350M", 0.35), ("1T", 1000)])
def test_a_bare_size_gives_a_generic_model(text: str, size: float) -> None:
    model = TABLE.resolve(text)
    assert model is not None
    assert model.generic
    assert model.params_b == pytest.approx(size)
    assert model.layers


def test_a_bare_mixture_keeps_its_active_size() -> None:
    model = TABLE.resolve("500B-A20B")
    assert model is not None
    assert (model.params_b, model.active_b) == (500, 20)


def test_unknown_names_are_not_guessed() -> None:
    assert TABLE.resolve("frobnicate") is None
    assert TABLE.get("llama 2") is None
    assert TABLE.family("llama 2") is not None


def test_families_list_their_members_smallest_first() -> None:
    sizes = [m.params_b or 0 for m in TABLE.members("llama 2")]
    assert sizes == sorted(sizes)
    assert len(sizes) == 3


def test_every_name_and_spelling_leads_to_something_known() -> None:
    for written, canonical in TABLE.names().items():
        assert canonical in TABLE.models or canonical in TABLE.families
        assert TABLE.canonical(written) == canonical


@given(st.text(max_size=40))
def test_no_text_breaks_the_lookup(text: str) -> None:
    TABLE.resolve(text)
    size = parse_size(text)
    assert size is None or size[0] > 0


@pytest.mark.parametrize(
    ("cells", "field"),
    [
        ({"kind": "cat"}, "kind"), ({"params_b": "-3"}, "params_b"), ({"attention": "some"}, "attention"),
        ({"components": "unet"}, "components"), ({"needs": "inference:3/2/1"}, "needs"), ({"source": ""}, "source"),
        ({"needs": "inference:a"}, "needs"), ({"as_of": "soon"}, "as_of"),
    ],
)  # fmt: skip
def test_a_bad_row_says_file_line_and_field(cells: dict[str, str], field: str) -> None:
    with pytest.raises(DataError) as caught:
        parse_models(row(**cells), "data/models.csv")
    assert (caught.value.where, caught.value.line, caught.value.field) == ("data/models.csv", 2, field)


def test_a_name_given_twice_is_an_error() -> None:
    text = row() + "\n" + row().splitlines()[1]
    with pytest.raises(DataError, match="twice"):
        parse_models(text, "m")


def test_a_family_of_unknown_members_is_an_error() -> None:
    models = parse_models(row(), "m")
    with pytest.raises(DataError, match="not in the models table"):
        parse_families("name,default,members,aliases\nF,Y 2B,,", "f", models)
    assert ModelTable(models, ()).resolve("x-1b") is models[0]

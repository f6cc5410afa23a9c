"""Settings: read, refused kindly, documented."""

from __future__ import annotations

import dataclasses
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.settings import PREFIX, SETTINGS, SettingError, Settings, parse_env_file, read_settings, unknown_names
from scripts.dev.configuration_table import full_name, pages

ROOT = Path(__file__).parents[2]


def test_the_tables_in_readme_and_docs_are_those_of_the_settings() -> None:
    """If this fails: python -m scripts.dev.configuration_table"""
    for path, text in pages().items():
        assert path.read_text(encoding="utf-8") == text, path.name
        assert "DISCORD_TOKEN" in text


def test_every_setting_has_its_field_and_its_default() -> None:
    assert [setting.name.lower() for setting in SETTINGS] == [field.name for field in dataclasses.fields(Settings)]
    assert repr(read_settings({})) == repr(Settings())


def test_names_in_the_texts_are_settings() -> None:
    known = {full_name(setting) for setting in SETTINGS} | {f"{PREFIX}CACHE", f"{PREFIX}SHARED"}
    texts = ["README.md", "PRIVACY.md", ".env.example", "Dockerfile", "docker-compose.yml"]
    for path in [*(ROOT / name for name in texts), *(ROOT / "docs").glob("*.md")]:
        named = set(re.findall(rf"\b{PREFIX}[A-Z_]+[A-Z]\b", path.read_text(encoding="utf-8")))
        assert named <= known, f"{path.name}: {named - known}"


def test_the_environment_wins_over_the_file_and_the_token_needs_no_prefix() -> None:
    text = "export DISCORD_TOKEN='from file'\n# a remark\n\nWHICHGPU_LOG_DAYS=7 # a week\nWHICHGPU_LOG_FORMAT=json"
    settings = read_settings({"WHICHGPU_LOG_DAYS": "9"}, text)
    assert settings.discord_token.value == "from file"
    assert settings.log_days == 9
    assert settings.log_format == "json"


@pytest.mark.parametrize(
    ("name", "text", "word"),
    [
        ("HOME_GUILD", "my server", "digits"),
        ("OWNERS", "123", "digits"),
        ("LOG_DAYS", "0", "1 to 3650"),
        ("LOG_LEVEL", "loud", "debug"),
        ("USER_LIMIT", "5", "5/10"),
        ("USER_LIMIT", "0/10", "5/10"),
        ("PRIVACY_URL", "http://example.org", "https://"),
        ("SHARD_IDS", "0", "SHARD_COUNT"),
    ],
)
def test_a_setting_that_cannot_be_read_is_named_with_its_mend(name: str, text: str, word: str) -> None:
    with pytest.raises(SettingError) as error:
        read_settings({PREFIX + name: text})
    assert PREFIX + name in str(error.value)
    assert word in str(error.value)


def test_shards_of_one_process() -> None:
    settings = read_settings({"WHICHGPU_SHARD_COUNT": "4", "WHICHGPU_SHARD_IDS": "0, 3"})
    assert (settings.shard_count, settings.shard_ids) == (4, (0, 3))
    with pytest.raises(SettingError, match="smaller"):
        read_settings({"WHICHGPU_SHARD_COUNT": "4", "WHICHGPU_SHARD_IDS": "4"})


def test_secrets_show_nowhere() -> None:
    settings = read_settings({setting.name: "very-secret-value" for setting in SETTINGS if setting.secret})
    assert settings.discord_token.value == "very-secret-value"
    assert "very-secret-value" not in repr(settings) + str(settings) + f"{settings.discord_token}"
    with pytest.raises(SettingError) as error:
        parse_env_file("DISCORD_TOKEN: very-secret-value")
    assert "very-secret-value" not in str(error.value)
    assert "line 1" in str(error.value)


def test_slips_of_the_pen_are_found() -> None:
    assert unknown_names({"WHICHGPU_LOGDAYS": "3", "PATH": "x", "WHICHGPU_CACHE": "off"}, "WHICHGPU_LOG_DAYS=3") == [
        "WHICHGPU_LOGDAYS"
    ]


@given(st.text(max_size=200))
def test_any_env_file_is_read_or_refused(text: str) -> None:
    try:
        values = parse_env_file(text)
    except SettingError:
        return
    assert all(re.fullmatch(r"[A-Za-z_]\w*", name) for name in values)

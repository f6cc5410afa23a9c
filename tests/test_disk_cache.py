"""What is slow to build is kept between two starts, and never trusted when anything changed."""

from __future__ import annotations

from pathlib import Path

import pytest

from bot.disk_cache import folder, kept


class Builder:
    """Counts how often it builds."""

    def __init__(self) -> None:
        self.times = 0

    def __call__(self) -> dict[str, int]:
        self.times += 1
        return {"built": self.times}


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache folder of its own."""
    monkeypatch.setenv("WHICHGPU_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


def test_the_second_start_does_not_build(place: Path) -> None:
    build = Builder()
    assert kept("thing", dict, ["a", b"b"], build) == kept("thing", dict, ["a", b"b"], build) == {"built": 1}
    assert [path.name for path in place.iterdir()] == ["thing.cache"]


def test_changed_data_is_built_anew(place: Path) -> None:
    build = Builder()
    kept("thing", dict, ["ab", "c"], build)
    kept("thing", dict, ["a", "bc"], build)
    assert build.times == 2


@pytest.mark.parametrize("damage", [b"", b"short", bytes(200)])
def test_a_damaged_file_is_built_anew(place: Path, damage: bytes) -> None:
    build = Builder()
    kept("thing", dict, ["a"], build)
    content = (place / "thing.cache").read_bytes()
    for broken in (damage, content[:64] + damage, content[:-1] + b"x"):
        (place / "thing.cache").write_bytes(broken)
        assert kept("thing", dict, ["a"], build)["built"] > 1
    assert build.times == 4


def test_another_kind_of_thing_is_built_anew(place: Path) -> None:
    kept("thing", dict, ["a"], Builder())
    assert kept("thing", list, ["a"], lambda: [1]) == [1]


def test_a_folder_that_cannot_be_written_does_no_harm(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setenv("WHICHGPU_CACHE", str(tmp_path / "file"))
    assert kept("thing", dict, ["a"], Builder()) == {"built": 1}


def test_off_keeps_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WHICHGPU_CACHE", "off")
    build = Builder()
    kept("thing", dict, ["a"], build)
    kept("thing", dict, ["a"], build)
    assert build.times == 2
    assert folder() is None


def test_the_usual_folder_is_the_users_own(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("WHICHGPU_CACHE", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr("sys.platform", "linux")
    assert folder() == tmp_path / "whichgpu"

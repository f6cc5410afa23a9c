"""PRIVACY.md says what the schema holds; pseudonyms cannot be turned back."""

import hashlib
import hmac
import re
import stat
from pathlib import Path

import pytest

from bot.settings import Settings
from bot.storage.engine import BACKUP_DAYS, KEEP_BACKUPS
from bot.storage.schema import PERSONAL, metadata
from bot.storage.secret import KEY_FILE, load_key, pseudonym

TEXT = (Path(__file__).parents[2] / "PRIVACY.md").read_text(encoding="utf-8")


def test_the_policy_names_every_column_of_a_person_and_no_other() -> None:
    named = set(re.findall(r"^\| `(\w+\.\w+)`", TEXT, re.MULTILINE))
    kept = {f"{name}.{column.name}" for name in PERSONAL for column in metadata.tables[name].columns}
    assert named == kept


def test_every_table_that_leads_to_a_person_is_marked_as_such() -> None:
    leading = {
        name
        for name, table in metadata.tables.items()
        if {"user_key", "query_id"} & {column.name for column in table.columns}
    }
    assert leading == set(PERSONAL)


def test_the_policy_says_the_times_that_hold() -> None:
    assert f"{Settings().log_days} days, unless" in TEXT
    assert f"At most two copies are kept, for at most\n{BACKUP_DAYS} days" in TEXT
    assert KEEP_BACKUPS == 2


def test_pseudonym_needs_the_secret() -> None:
    known = 123_456_789_012_345_678
    name = pseudonym(b"k" * 32, known)
    # Whoever has the database and every id there is, but not the secret, finds nothing: neither by hashing the ids
    # plainly, nor with another key.
    for number in range(known - 2000, known + 2000):
        digits = str(number).encode()
        for guess in (hashlib.sha256(digits).hexdigest(), hmac.new(b"", digits, "sha256").hexdigest(),
                      pseudonym(b"j" * 32, number)):  # fmt: skip
            assert not guess.startswith(name)
    assert name == pseudonym(b"k" * 32, known)
    assert str(known) not in name


def test_the_secret_is_made_once_and_for_its_owner_only(tmp_path: Path) -> None:
    key = load_key(tmp_path / "state")
    assert len(key) == 32
    assert load_key(tmp_path / "state") == key
    assert load_key(tmp_path / "other") != key
    assert stat.S_IMODE((tmp_path / "state" / KEY_FILE).stat().st_mode) == 0o600
    assert [path.name for path in (tmp_path / "state").iterdir()] == [KEY_FILE]


def test_the_secret_can_be_set_and_must_be_long(tmp_path: Path) -> None:
    assert load_key(tmp_path, "s" * 16) == b"s" * 16
    assert not (tmp_path / KEY_FILE).exists()
    with pytest.raises(ValueError, match="16 characters"):
        load_key(tmp_path, "short")
    (tmp_path / KEY_FILE).write_bytes(b"")
    with pytest.raises(ValueError, match="holds no secret"):
        load_key(tmp_path)

"""The secret that pseudonyms are made with: from the settings, else made once and kept beside the database."""

from __future__ import annotations

import hashlib
import hmac
import os
import secrets
from pathlib import Path

LEAST = 16
"""Bytes below which a secret could be guessed."""


def load_key(state_dir: Path, setting: str = "") -> bytes:
    """The key's bytes. Raises ValueError for one that is too short, OSError when none can be kept.

    Losing the file means that nobody's old questions can be found again, by anyone; guessing ids without it is
    hopeless (256 bits).
    """
    if setting:
        if len(setting.encode()) < LEAST:
            raise ValueError(f"the secret for pseudonyms must have at least {LEAST} characters")
        return setting.encode()
    path = state_dir / "pseudonym.key"
    state_dir.mkdir(parents=True, exist_ok=True)
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        key = bytes.fromhex(path.read_text(encoding="ascii").strip())
        if len(key) < LEAST:
            raise ValueError(f"{path.name} holds no secret; restore it from a backup, or delete it") from None
        return key
    key = secrets.token_bytes(32)
    with os.fdopen(descriptor, "w", encoding="ascii") as out:
        out.write(key.hex() + "\n")
        out.flush()
        os.fsync(out.fileno())
    return key


def pseudonym(key: bytes, discord_id: int) -> str:
    """The name that the log knows a person or a server by."""
    return hmac.new(key, str(discord_id).encode(), hashlib.sha256).hexdigest()[:20]

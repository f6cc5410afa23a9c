"""The secret that pseudonyms are made with: from the settings, else made once and kept beside the database."""

from __future__ import annotations

import hashlib
import hmac
import os
import secrets
from pathlib import Path

KEY_FILE = "pseudonyms.key"
LEAST = 16
"""Bytes below which a secret could be guessed."""


def load_key(folder: Path, setting: str = "") -> bytes:
    """The key. Raises ValueError for one that is too short, OSError when none can be read or kept.

    Several processes of one bot need the same one: give it by the setting, or share the folder. Who loses it can no
    longer tell whose the kept questions are, and neither can anyone else: 256 bits are not guessed.
    """
    if setting:
        if len(setting.encode()) < LEAST:
            raise ValueError(f"the secret for pseudonyms must have at least {LEAST} characters")
        return setting.encode()
    path = folder / KEY_FILE
    folder.mkdir(parents=True, exist_ok=True)
    if not path.exists():
        part = path.with_suffix(f".{secrets.token_hex(4)}")
        with os.fdopen(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as out:
            out.write(secrets.token_bytes(32))
            out.flush()
            os.fsync(out.fileno())
        try:
            os.link(part, path)
        except FileExistsError:
            pass  # another process of the same installation was first
        finally:
            part.unlink()
    key = path.read_bytes()
    if len(key) < LEAST:
        raise ValueError(f"{KEY_FILE} holds no secret; restore it from a backup, or delete it to begin anew")
    return key


def pseudonym(key: bytes, discord_id: int) -> str:
    """The name that the log knows a person or a server by."""
    return hmac.new(key, str(discord_id).encode(), hashlib.sha256).hexdigest()[:20]

"""Keeps what is slow to build from the data files between two starts, in the user's own cache folder.

A cache and nothing more: whatever is wrong with it (missing, stale, damaged, not writable), the thing is built anew.
`WHICHGPU_CACHE` names another folder; `off` keeps nothing.
"""

from __future__ import annotations

import hashlib
import os
import pickle
import sys
import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TypeVar

T = TypeVar("T")


def folder() -> Path | None:
    """Where the cache lies, or None where there is to be none."""
    named = os.environ.get("WHICHGPU_CACHE")
    if named:
        return None if named == "off" else Path(named)
    base = os.environ.get("LOCALAPPDATA") if sys.platform == "win32" else os.environ.get("XDG_CACHE_HOME")
    try:
        return (Path(base) if base else Path.home() / ".cache") / "whichgpu"
    except RuntimeError:
        return None


def kept(name: str, wanted: type[T], made_from: Iterable[str | bytes], build: Callable[[], T]) -> T:
    """`build()`, or its result of an earlier start if all of `made_from` (texts of data and code) is unchanged."""
    place = folder()
    if place is None:
        return build()
    digest = hashlib.blake2b(f"{sys.version} {name}".encode(), digest_size=32)
    for part in made_from:
        raw = part.encode("utf-8", "surrogatepass") if isinstance(part, str) else part
        digest.update(len(raw).to_bytes(8, "big") + raw)
    key = digest.digest()
    path = place / f"{name}.cache"
    try:
        content = path.read_bytes()
        if content[: len(key)] == key and hashlib.blake2b(content[64:], digest_size=32).digest() == content[32:64]:
            found = pickle.loads(content[64:])  # noqa: S301 - a file that only this user can write, checked above
            if isinstance(found, wanted):
                return found
    except Exception:  # noqa: S110 - a cache that does not read is no cache
        pass
    built = build()
    _write(path, key, built)
    return built


def _write(path: Path, key: bytes, built: object) -> None:
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        body = pickle.dumps(built, protocol=pickle.HIGHEST_PROTOCOL)
        handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=path.name)
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(key + hashlib.blake2b(body, digest_size=32).digest() + body)
            os.replace(temporary, path)
        except BaseException:
            Path(temporary).unlink(missing_ok=True)
            raise
    except OSError:
        pass

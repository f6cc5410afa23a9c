"""One understanding for all tests of this folder: it is pure, so sharing it is safe."""

from __future__ import annotations

import pytest

from bot.language.parser import Understanding
from bot.loading import load_understanding


@pytest.fixture(scope="session")
def understanding() -> Understanding:
    """The product's own vocabulary, names and models."""
    return load_understanding()

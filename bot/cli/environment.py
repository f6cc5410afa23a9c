"""Settings as the commands read them: the environment, then .env in the working directory."""

from __future__ import annotations

import os
from pathlib import Path

from bot.settings import SettingError, Settings, read_settings

ENV_FILE = Path(".env")


def env_text() -> str:
    """The text of .env, or "". Raises SettingError."""
    try:
        return ENV_FILE.read_text(encoding="utf-8")
    except FileNotFoundError:
        return ""
    except (OSError, UnicodeDecodeError):
        raise SettingError(".env is there but cannot be read; check its rights and that it is plain text.") from None


def environment_settings() -> Settings:
    """The settings. Raises SettingError."""
    return read_settings(os.environ, env_text())

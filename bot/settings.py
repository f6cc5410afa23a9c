"""Settings from the environment and a .env file. SETTINGS drives docs/configuration.md, the doctor and a test."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path


class SettingError(Exception):
    """A setting is missing or cannot be read. The message never holds a secret's value."""


@dataclass(frozen=True, slots=True)
class Setting:
    """One setting as a person sees it. `parse` raises ValueError with a sentence."""

    name: str
    default: str
    description: str
    parse: Callable[[str], object]
    secret: bool = False


@dataclass(frozen=True, slots=True, repr=False)
class Secret:
    """A value that no log, error or repr shows."""

    value: str

    def __repr__(self) -> str:
        return "Secret(set)" if self.value else "Secret(empty)"

    __str__ = __repr__

    def __bool__(self) -> bool:
        return bool(self.value)


def _id(text: str) -> int | None:
    if not text:
        return None
    if not text.isdigit() or not 15 <= len(text) <= 20:
        raise ValueError("is not a Discord id; copy it with developer mode switched on (15 to 20 digits)")
    return int(text)


def _ids(text: str) -> tuple[int, ...]:
    found = (_id(part) for part in re.split(r"[,\s]+", text) if part)
    return tuple(one for one in found if one is not None)


def _whole(low: int, high: int) -> Callable[[str], int]:
    def parse(text: str) -> int:
        if not text.isdigit() or not low <= int(text) <= high:
            raise ValueError(f"must be a whole number from {low} to {high}")
        return int(text)

    return parse


def _one_of(*allowed: str) -> Callable[[str], str]:
    def parse(text: str) -> str:
        if text.lower() not in allowed:
            raise ValueError("must be one of: " + ", ".join(allowed))
        return text.lower()

    return parse


def _rate(text: str) -> tuple[int, float]:
    found = re.fullmatch(r"(\d{1,4})\s*/\s*(\d{1,5})", text)
    if not found or int(found[1]) < 1 or int(found[2]) < 1:
        raise ValueError("must be answers/seconds, such as 5/10")
    return int(found[1]), float(found[2])


def _address(text: str) -> str:
    if text and not re.fullmatch(r"https://\S+", text):
        raise ValueError("must begin with https://")
    return text


_clouds = _one_of("gpuhunt", "skypilot", "runpod")

SETTINGS: tuple[Setting, ...] = (
    Setting(
        "DISCORD_TOKEN",
        "",
        "The bot's token from the Developer Portal, page Bot. Needed by `run` and `sync` only.",
        Secret,
        secret=True,
    ),
    Setting("HOME_GUILD", "", "Id of the server that alone gets the /admin commands. Empty: no /admin.", _id),
    Setting(
        "OWNERS",
        "",
        "Ids of people who may use /admin, beside the application's owner or accepted team members.",
        _ids,
    ),
    Setting("STATE_DIR", "state", "Folder for the database, refreshed prices and the health file.", Path),
    Setting(
        "PRICES_FILE",
        "",
        "A CSV or JSON file with the columns of data/prices.csv that `/admin prices refresh` reads.",
        lambda text: Path(text) if text else None,
    ),
    Setting(
        "DATABASE_URL",
        "",
        "postgresql+asyncpg://user:password@host/name for several bot processes. Empty: SQLite in STATE_DIR.",
        Secret,
        secret=True,
    ),
    Setting(
        "PSEUDONYM_KEY",
        "",
        "Secret that people's names in the log are made with; the same for all processes. Empty: made in STATE_DIR.",
        Secret,
        secret=True,
    ),
    Setting("FEED_URL", "", "https address of a gpu-prices/1 document (JSON or CSV).", _address),
    Setting("FX", "off", "on: a refresh also fetches exchange rates (ECB, Frankfurter).", _one_of("on", "off")),
    Setting("EBAY_CLIENT_ID", "", "Your own eBay keyset; read docs/operating.md first. Empty: eBay is not asked.", str),
    Setting("EBAY_CLIENT_SECRET", "", "The secret of that keyset.", Secret, secret=True),
    Setting("EBAY_MARKETPLACE", "EBAY_US", "Which eBay is asked.", _one_of("ebay_us", "ebay_gb", "ebay_de", "ebay_au",
            "ebay_ca", "ebay_fr", "ebay_it", "ebay_es")),
    Setting(
        "CLOUD",
        "",
        "Rental prices to fetch: any of gpuhunt, skypilot, runpod, with commas. Empty: none.",
        lambda text: tuple(_clouds(part) for part in re.split(r"[,\s]+", text) if part),
    ),
    Setting("REFRESH_HOURS", "0", "Hours between refreshes by themselves; 0: only on command.", _whole(0, 720)),
    Setting("LOG_DAYS", "180", "Days that questions and answers are kept before they are deleted.", _whole(1, 3650)),
    Setting("USER_LIMIT", "6/20", "Answers per person: how many in how many seconds.", _rate),
    Setting("CHANNEL_LIMIT", "20/20", "Answers per channel: how many in how many seconds.", _rate),
    Setting(
        "LOG_LEVEL",
        "info",
        "How much the log says: debug, info, warning or error.",
        _one_of("debug", "info", "warning", "error"),
    ),
    Setting("LOG_FORMAT", "text", "text for people, json for log collectors.", _one_of("text", "json")),
    Setting("SHARD_COUNT", "", "Number of shards over all processes. Empty: as Discord recommends.",
            lambda text: _whole(1, 10000)(text) if text else None),
    Setting("SHARD_IDS", "", "Shards of this process, such as 0,1. Needs SHARD_COUNT. Empty: all.",
            lambda text: tuple(_whole(0, 9999)(part) for part in re.split(r"[,\s]+", text) if part)),
    Setting("PRIVACY_URL", "", "Where your privacy policy is published; linked in /privacy.", _address),
)  # fmt: skip
"""Names are written with the prefix WHICHGPU_ in the environment, the token also without it."""
PREFIX = "WHICHGPU_"
ELSEWHERE = ("WHICHGPU_CACHE", "WHICHGPU_SHARED")
"""Names that are read elsewhere: the folder for prepared data, the tests' reference material."""


@dataclass(frozen=True, slots=True)
class Settings:
    """What was set, read and checked."""

    discord_token: Secret = field(default_factory=lambda: Secret(""))
    home_guild: int | None = None
    owners: tuple[int, ...] = ()
    state_dir: Path = Path("state")
    prices_file: Path | None = None
    database_url: Secret = field(default_factory=lambda: Secret(""))
    pseudonym_key: Secret = field(default_factory=lambda: Secret(""))
    feed_url: str = ""
    fx: str = "off"
    ebay_client_id: str = ""
    ebay_client_secret: Secret = field(default_factory=lambda: Secret(""))
    ebay_marketplace: str = "ebay_us"
    cloud: tuple[str, ...] = ()
    refresh_hours: int = 0
    log_days: int = 180
    user_limit: tuple[int, float] = (6, 20.0)
    channel_limit: tuple[int, float] = (20, 20.0)
    log_level: str = "info"
    log_format: str = "text"
    shard_count: int | None = None
    shard_ids: tuple[int, ...] = ()
    privacy_url: str = ""


def parse_env_file(text: str) -> dict[str, str]:
    """NAME=value lines; comments, blank lines, `export` and quotes as usual. Other lines raise SettingError."""
    values: dict[str, str] = {}
    for number, line in enumerate(text.removeprefix("\ufeff").splitlines(), 1):
        line = line.strip()
        if not line or line.startswith("#"):
            continue
        name, equals, value = line.removeprefix("export ").partition("=")
        if not equals or not re.fullmatch(r"[A-Za-z_]\w*", name.strip()):
            raise SettingError(f".env, line {number}: this is not NAME=value.")
        value = value.strip()
        if len(value) > 1 and value[0] == value[-1] and value[0] in "'\"":
            value = value[1:-1]
        else:
            value = value.split(" #", 1)[0].strip()
        values[name.strip()] = value
    return values


def read_settings(environ: Mapping[str, str], env_file: str = "") -> Settings:
    """The settings; the environment wins over the .env text. Raises SettingError, naming the setting at fault."""
    values = parse_env_file(env_file) | dict(environ)
    read: dict[str, object] = {}
    for setting in SETTINGS:
        raw = values.get(PREFIX + setting.name)
        if raw is None and setting.secret:
            raw = values.get(setting.name)
        text = (raw or "").strip() or setting.default
        try:
            read[setting.name.lower()] = setting.parse(text)
        except ValueError as error:
            raise SettingError(f"{PREFIX}{setting.name} {error}.") from None
    settings = Settings(**read)  # type: ignore[arg-type]
    if settings.shard_ids and not settings.shard_count:
        raise SettingError(f"{PREFIX}SHARD_IDS needs {PREFIX}SHARD_COUNT, the number of shards over all processes.")
    if settings.shard_count and any(shard >= settings.shard_count for shard in settings.shard_ids):
        raise SettingError(f"{PREFIX}SHARD_IDS must be smaller than {PREFIX}SHARD_COUNT.")
    return settings


def unknown_names(environ: Mapping[str, str], env_file: str = "") -> list[str]:
    """Names that begin with the prefix and are no setting: likely slips of the pen."""
    known = {PREFIX + setting.name for setting in SETTINGS} | set(ELSEWHERE)
    return sorted(
        name for name in {**parse_env_file(env_file), **environ} if name.startswith(PREFIX) and name not in known
    )

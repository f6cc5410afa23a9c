"""What every surface calls: a text in, an answer with its number out; logged, remembered, limited."""

from __future__ import annotations

import hashlib
import hmac
import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, date, datetime

from bot.answers.blocks import Answer
from bot.discord_app.brain import Brain, Prepared
from bot.discord_app.conversations import TURNS, Conversations
from bot.discord_app.cooldowns import Cooldown
from bot.discord_app.locales import Locales, language_for
from bot.request import Language
from bot.settings import Settings
from bot.storage.querylog import Exchange, GuildSettings, QueryLog

NOTHING_SET = GuildSettings()


@dataclass(frozen=True, slots=True)
class Asker:
    """Who asks, and where."""

    id: int
    channel_id: int
    locale: str | None = None
    guild_id: int | None = None


@dataclass(frozen=True, slots=True)
class Told:
    """An answer that is about to be sent, and its exchange in the log."""

    exchange: Exchange
    prepared: Prepared

    @property
    def answer(self) -> Answer:
        """The answer itself."""
        return self.prepared.answer


@dataclass
class Service:
    """The shell's state. `clock` gives seconds that never go back, `now` the time of day."""

    brain: Brain
    log: QueryLog
    locales: Locales
    settings: Settings
    key: bytes
    """Secret that pseudonyms are made with; without it nobody can tell who a pseudonym is."""
    clock: Callable[[], float] = time.monotonic
    now: Callable[[], datetime] = field(default=lambda: datetime.now(UTC))

    def __post_init__(self) -> None:
        self.conversations = Conversations(self.clock)
        self.per_user = Cooldown(*self.settings.user_limit, self.clock)
        self.per_channel = Cooldown(*self.settings.channel_limit, self.clock)

    def today(self) -> date:
        """The day that prices are aged by, in UTC."""
        return self.now().date()

    def pseudonym(self, user_id: int) -> str:
        """The name the log knows a person by."""
        return hmac.new(self.key, str(user_id).encode(), hashlib.sha256).hexdigest()[:20]

    def guild(self, guild_id: int | None) -> GuildSettings:
        """A server's settings; in direct messages nothing is set."""
        return NOTHING_SET if guild_id is None else self.log.guild(guild_id)

    def language(self, asker: Asker) -> Language:
        """The language the shell speaks to this asker."""
        return language_for(asker.locale, self.guild(asker.guild_id).language)

    def say(self, asker: Asker, key: str, /, **values: object) -> str:
        """A text of the shell in the asker's language."""
        return self.locales.say(self.language(asker), key, **values)

    def wait(self, asker: Asker) -> int:
        """Seconds this asker has to wait; 0 counts the question."""
        wait = max(self.per_user.wait(asker.id), self.per_channel.wait(asker.channel_id))
        if not wait:
            self.per_user.use(asker.id)
            self.per_channel.use(asker.channel_id)
        return wait

    def tell(
        self,
        text: str,
        asker: Asker,
        surface: str,
        turns_before: tuple[str, ...] = (),
        currency: str | None = None,
    ) -> Told:
        """Answer and keep the exchange. Never waits."""
        server = self.guild(asker.guild_id)
        locale, currency = server.language or asker.locale, currency or server.currency
        turns = turns_before[-TURNS:]
        start = time.perf_counter()
        prepared = self.brain.answer(text, self.today(), turns, locale, currency)
        prepared.embed()
        took_ms = (time.perf_counter() - start) * 1000
        answer = prepared.answer
        exchange = Exchange(
            id=secrets.token_hex(5),
            at=int(self.now().timestamp()),
            user=self.pseudonym(asker.id),
            surface=surface,
            question=text,
            turns_before=turns,
            locale=locale,
            currency=currency,
            language=answer.language,
            kind=answer.kind,
            confidence=round(answer.confidence, 3),
            abstained=answer.abstained,
            took_ms=round(took_ms, 3),
            answer=prepared.json,
        )
        self.log.record(exchange)
        return Told(exchange, prepared)

    def again(self, exchange: Exchange) -> Prepared:
        """The answer of an exchange, worked out anew; nothing is logged."""
        return self.brain.answer(
            exchange.question, self.today(), exchange.turns_before, exchange.locale, exchange.currency
        )

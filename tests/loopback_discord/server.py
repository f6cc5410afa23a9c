"""The server: what Discord does of REST and gateway, as far as the bot and discord.py use it.

Every body that leaves the bot is checked against our own limits and, where present, against Discord's description;
faults collect in `Server.faults`, which the fixtures look at after every test.
"""

from __future__ import annotations

import asyncio
import itertools
import json
import re
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, TypeVar

from aiohttp import BodyPartReader, WSMsgType, web

from bot.discord_app.limits import choice_faults, command_faults, faults, modal_faults
from tests.loopback_discord.spec import spec_faults

APP, BOT, GUILD, OTHER_GUILD, CHANNEL, DM, GROUP_DM = (1100000000000000000 + number for number in (1, 2, 3, 4, 5, 6, 7))
OWNER, ASKER, STRANGER = (1200000000000000000 + number for number in (1, 2, 3))
S = TypeVar("S", bound="Server")
ALL = (1 << 53) - 1
ATTACH_FILES = 1 << 15
EMBED_LINKS, MANAGE_GUILD, SEND_MESSAGES, VIEW = 1 << 14, 1 << 5, 1 << 11, 1 << 10


@dataclass
class Call:
    """One REST call of the bot."""

    method: str
    path: str
    body: Any
    files: list[str] = field(default_factory=list)
    headers: dict[str, str] = field(default_factory=dict)
    at: float = 0.0
    uploads: list[bytes] = field(default_factory=list)
    """The files as they came; `files` has them as text."""


@dataclass
class Rule:
    """What the server answers instead, `times` times."""

    method: str
    path: re.Pattern[str]
    status: int
    body: Any
    headers: dict[str, str]
    times: int


def user(user_id: int, name: str = "someone", *, bot: bool = False) -> dict[str, Any]:
    """A user as Discord sends it."""
    return {
        "id": str(user_id), "username": name, "discriminator": "0", "global_name": name, "avatar": None, "bot": bot,
        "public_flags": 0, "flags": 0,
    }  # fmt: skip


class Server:
    """Start with `async with serving() as server`."""

    def __init__(self) -> None:
        self.base = ""
        self.calls: list[Call] = []
        self.faults: list[str] = []
        self.application: dict[str, Any] = {"integration_types_config": {"0": {}, "1": {}}}
        self.guilds_listed: list[dict[str, Any]] = [{"id": str(GUILD), "name": "lab", "permissions": str(ALL)}]
        self.rules: list[Rule] = []
        self.sockets: dict[int, web.WebSocketResponse] = {}
        self.identifies: list[dict[str, Any]] = []
        self.resumes: list[dict[str, Any]] = []
        self.sequence: dict[int, int] = {}
        self.sessions: dict[str, int] = {}
        self.sent: dict[int, list[dict[str, Any]]] = {}
        self.shards = 1
        self.accept_identify: Callable[[dict[str, Any]], int | None] = lambda _data: None
        """Returns a close code to refuse with."""
        self.team: dict[str, Any] | None = None
        self.bot_rights = ALL
        self.messages: dict[int, dict[str, Any]] = {}
        self.registered: dict[str, list[dict[str, Any]]] = {}
        self.buckets: dict[str, float] = {}
        self.validate = True
        self.token_users: dict[str, int] = {}
        self._ids = itertools.count(1300000000000000000)
        self._changed = asyncio.Condition()
        self._tokens: dict[str, int] = {}
        self._states: dict[str, str] = {}
        self.ephemeral_tokens: set[str] = set()

    def new_id(self) -> int:
        """A fresh snowflake."""
        return next(self._ids)

    # --- waiting ---

    async def _notify(self) -> None:
        async with self._changed:
            self._changed.notify_all()

    async def until(self, ready: Callable[[], Any], timeout: float = 5.0) -> Any:
        """Wait until `ready()` is true, looked at after every call and gateway event."""
        async with asyncio.timeout(timeout):
            async with self._changed:
                await self._changed.wait_for(lambda: bool(ready()))
        return ready()

    async def call(self, method: str, pattern: str, after: int = 0, timeout: float = 5.0) -> Call:
        """The first call of that kind among those after number `after`."""

        def found() -> Call | None:
            return next(
                (one for one in self.calls[after:] if one.method == method and re.search(pattern, one.path)), None
            )

        result: Call = await self.until(found, timeout)
        return result

    def fail(self, method: str, pattern: str, status: int, body: Any = None, *, times: int = 1, **headers: str) -> None:
        """Answer the next calls of that kind with an error."""
        body = body if body is not None else {"message": "refused", "code": 0}
        self.rules.append(
            Rule(method, re.compile(pattern), status, body, {k.replace("_", "-"): v for k, v in headers.items()}, times)
        )

    # --- REST ---

    async def rest(self, request: web.Request) -> web.StreamResponse:
        """Every REST call."""
        path = request.path.removeprefix("/api/v10")
        body, uploads = await _read(request)
        files = [upload.decode("utf-8", "replace") for upload in uploads]
        at = asyncio.get_running_loop().time()
        call = Call(request.method, path, body, files, dict(request.headers), at, uploads)
        for rule in self.rules:
            if rule.times and rule.method == request.method and rule.path.search(path):
                rule.times -= 1
                self.calls.append(call)
                await self._notify()
                return _json(rule.body, rule.status, rule.headers)
        if self.validate and body is not None:
            self._check(request.method, path, body)
        self.calls.append(call)
        answer, status = self._answer(request, path, body)
        await self._notify()
        if status == 204:
            return web.Response(status=204)
        return _json(answer, status, self._limit_headers(path))

    def _limit_headers(self, path: str) -> dict[str, str]:
        for pattern, wait in self.buckets.items():
            if re.search(pattern, path):
                return {
                    "X-RateLimit-Limit": "1", "X-RateLimit-Remaining": "0", "X-RateLimit-Reset-After": str(wait),
                    "X-RateLimit-Reset": "0", "X-RateLimit-Bucket": pattern,
                }  # fmt: skip
        return {}

    def _check(self, method: str, path: str, body: Any) -> None:
        where = f"{method} {path}"
        found = spec_faults(method, path, body)
        if path.endswith("/callback"):
            data, kind = body.get("data") or {}, body["type"]
            if kind in (4, 7):
                found += faults(data) if kind == 4 else []
            elif kind == 8:
                found += choice_faults(data.get("choices") or [])
            elif kind == 9:
                found += modal_faults(data)
        elif path.endswith("/messages") or path.startswith("/webhooks/"):
            found += faults(body)
        elif path.endswith("/commands"):
            for command in body:
                found += command_faults(command)
        mentions = (body.get("data") or {}) if path.endswith("/callback") else body
        message = (
            path.endswith("/messages")
            or path.startswith("/webhooks/")
            or (path.endswith("/callback") and body["type"] in (4, 7))
        )
        if message and (mentions.get("allowed_mentions") or {}).get("parse") != []:
            found.append("allowed_mentions does not switch everything off")
        self.faults += [f"{where}: {fault}" for fault in found]

    def _answer(self, request: web.Request, path: str, body: Any) -> tuple[Any, int]:
        if path == "/users/@me/guilds":
            return self.guilds_listed, 200
        if path == "/users/@me":
            return user(BOT, "whichgpu", bot=True), 200
        if path == "/oauth2/applications/@me" or path == "/applications/@me":
            return self._application(), 200
        if path == "/gateway/bot":
            limit = {"total": 1000, "remaining": 1000, "reset_after": 0, "max_concurrency": 16}
            return {"url": self.base.replace("http", "ws") + "/gateway/", "shards": self.shards,
                    "session_start_limit": limit}, 200  # fmt: skip
        if match := re.fullmatch(r"/interactions/(\d+)/([\w.-]+)/callback", path):
            return self._callback(match[1], match[2], body, request.query.get("with_response") in ("1", "true"))
        if match := re.fullmatch(rf"/webhooks/{APP}/([\w.-]+)", path):
            return self.message(self._tokens.get(match[1], CHANNEL), body, bot_message=True), 200
        if match := re.fullmatch(rf"/webhooks/{APP}/([\w.-]+)/messages/(@original|\d+)", path):
            if request.method == "DELETE":
                return None, 204
            return self.message(self._tokens.get(match[1], CHANNEL), body or {}, bot_message=True), 200
        if match := re.fullmatch(r"/channels/(\d+)/messages", path):
            return self.message(int(match[1]), body, bot_message=True), 200
        if path.endswith("/commands"):
            if request.method == "PUT":
                self.registered[path] = [{**one, "id": str(self.new_id()), "application_id": str(APP),
                                          "version": "1"} for one in body]  # fmt: skip
            return self.registered.get(path, []), 200
        return {"message": f"no such route: {path}", "code": 0}, 404

    def _application(self) -> dict[str, Any]:
        return {
            "id": str(APP), "name": "whichgpu", "icon": None, "description": "", "bot_public": True,
            "bot_require_code_grant": False, "verify_key": "00", "owner": user(OWNER, "owner"), "team": self.team,
            "summary": "", "flags": 0, "hook": False, **self.application,
        }  # fmt: skip

    def _callback(self, interaction_id: str, token: str, body: Any, full: bool) -> tuple[Any, int]:
        if self._states.get(token) == "gone" or token not in self._tokens:
            return {"message": "Unknown interaction", "code": 10062}, 404
        if self._states.get(token) == "answered":
            return {"message": "Interaction has already been acknowledged.", "code": 40060}, 400
        self._states[token] = "answered"
        if not full:
            return None, 204
        data = body.get("data") or {}
        ephemeral = bool(int(data.get("flags") or 0) & 64)
        interaction: dict[str, Any] = {
            "id": interaction_id, "type": 2, "response_message_loading": body["type"] == 5,
            "response_message_ephemeral": ephemeral,
        }  # fmt: skip
        resource = {}
        if body["type"] in (4, 7):
            message = self.message(self._tokens[token], data, bot_message=True)
            interaction["response_message_id"] = message["id"]
            resource = {"resource": {"type": body["type"], "message": message}}
        return {"interaction": interaction, **resource}, 200

    def message(self, channel: int, body: dict[str, Any], *, bot_message: bool = False, **more: Any) -> dict[str, Any]:
        """A message as Discord keeps it."""
        made = {
            "id": str(self.new_id()), "channel_id": str(channel), "content": body.get("content") or "",
            "author": user(BOT, "whichgpu", bot=True) if bot_message else user(ASKER, "asker"),
            "timestamp": "2026-12-01T00:00:00+00:00", "edited_timestamp": None, "tts": False, "pinned": False,
            "mention_everyone": False, "mentions": [], "mention_roles": [], "attachments": [],
            "embeds": body.get("embeds") or [], "components": _numbered(body.get("components") or []),
            "flags": int(body.get("flags") or 0), "type": 0, **more,
        }  # fmt: skip
        self.messages[int(made["id"])] = made
        while len(self.messages) > 500:
            del self.messages[next(iter(self.messages))]
        return made

    # --- gateway ---

    async def gateway(self, request: web.Request) -> web.StreamResponse:
        """One gateway connection."""
        socket = web.WebSocketResponse()
        await socket.prepare(request)
        await socket.send_json({"op": 10, "d": {"heartbeat_interval": 41_250}})
        async for raw in socket:
            if raw.type is not WSMsgType.TEXT:
                continue
            data = json.loads(raw.data)
            if data["op"] == 1:
                await socket.send_json({"op": 11})
            elif data["op"] == 2:
                self.identifies.append(data["d"])
                refused = self.accept_identify(data["d"])
                if refused:
                    await socket.close(code=refused)
                    break
                await self._welcome(socket, data["d"])
            elif data["op"] == 6:
                self.resumes.append(data["d"])
                await self._resume(socket, data["d"])
            await self._notify()
        return socket

    async def _welcome(self, socket: web.WebSocketResponse, identify: dict[str, Any]) -> None:
        shard, count = identify.get("shard", (0, 1))
        session = f"session-{self.new_id()}"
        self.sockets[shard], self.sessions[session], self.sequence[shard] = socket, shard, 0
        self.sent[shard] = []
        guilds = [guild for guild in (GUILD, OTHER_GUILD) if (guild >> 22) % count == shard]
        await self.dispatch("READY", {
            "v": 10, "user": user(BOT, "whichgpu", bot=True), "session_id": session, "shard": [shard, count],
            "guilds": [{"id": str(guild), "unavailable": True} for guild in guilds],
            "resume_gateway_url": self.base.replace("http", "ws") + "/gateway/",
            "application": {"id": str(APP), "flags": 0}, "private_channels": [], "relationships": [],
        }, shard)  # fmt: skip
        for guild in guilds:
            await self.dispatch("GUILD_CREATE", self.guild(guild), shard)

    async def _resume(self, socket: web.WebSocketResponse, resume: dict[str, Any]) -> None:
        shard = self.sessions.get(resume["session_id"])
        if shard is None:
            await socket.send_json({"op": 9, "d": False})
            return
        self.sockets[shard] = socket
        for event in self.sent[shard]:
            if event["s"] > resume["seq"]:
                await socket.send_json(event)
        await self.dispatch("RESUMED", {}, shard)

    async def dispatch(self, name: str, data: Any, shard: int = 0) -> None:
        """Send an event; it is kept for a resume."""
        self.sequence[shard] += 1
        event = {"op": 0, "t": name, "s": self.sequence[shard], "d": data}
        kept = self.sent[shard]
        kept.append(event)
        del kept[:-100]
        socket = self.sockets[shard]
        if not socket.closed:
            await socket.send_json(event)

    async def close_socket(self, code: int, shard: int = 0) -> None:
        """Drop the connection."""
        await self.sockets[shard].close(code=code)

    async def gateway_op(self, op: int, data: Any = None, shard: int = 0) -> None:
        """Send a bare gateway operation (7 reconnect, 9 invalid session)."""
        await self.sockets[shard].send_json({"op": op, "d": data})

    def guild(self, guild_id: int) -> dict[str, Any]:
        """A server with one channel and the bot in it."""
        role = {
            "id": str(guild_id), "name": "@everyone", "permissions": str(self.bot_rights), "position": 0, "color": 0,
            "colors": {"primary_color": 0, "secondary_color": None, "tertiary_color": None}, "hoist": False,
            "managed": False, "mentionable": False, "flags": 0,
        }  # fmt: skip
        channel = {"id": str(CHANNEL), "type": 0, "name": "gpus", "position": 0, "permission_overwrites": [],
                   "nsfw": False, "parent_id": None, "topic": None}  # fmt: skip
        me = {"user": user(BOT, "whichgpu", bot=True), "roles": [], "joined_at": "2026-01-01T00:00:00+00:00",
              "deaf": False, "mute": False, "flags": 0}  # fmt: skip
        return {
            "id": str(guild_id), "name": "lab", "owner_id": str(STRANGER), "roles": [role], "emojis": [],
            "features": [], "channels": [channel], "members": [me], "threads": [],
            "voice_states": [], "presences": [], "stickers": [],
            "stage_instances": [], "guild_scheduled_events": [], "member_count": 2, "joined_at": me["joined_at"],
            "large": False, "unavailable": False, "icon": None, "description": None, "afk_timeout": 300,
            "verification_level": 0, "default_message_notifications": 0, "explicit_content_filter": 0, "mfa_level": 0,
            "nsfw_level": 0, "premium_tier": 0, "preferred_locale": "en-US", "system_channel_flags": 0,
        }  # fmt: skip

    def open_token(self, channel: int, state: str = "open") -> str:
        """A token for an interaction. "gone": Discord no longer knows it."""
        token = f"token-{self.new_id()}"
        self._tokens[token], self._states[token] = channel, state
        while len(self._tokens) > 5000:
            old = next(iter(self._tokens))
            del self._tokens[old], self._states[old]
        return token


async def _read(request: web.Request) -> tuple[Any, list[bytes]]:
    if not request.can_read_body:
        return None, []
    if request.content_type == "application/json":
        return await request.json(), []
    body, files = None, list[bytes]()
    async for part in await request.multipart():
        assert isinstance(part, BodyPartReader)
        if part.name == "payload_json":
            body = json.loads(await part.text())
        else:
            files.append(bytes(await part.read()))
    return body, files


def _json(body: Any, status: int = 200, headers: dict[str, str] | None = None) -> web.Response:
    # discord.py reads JSON only from exactly this content type; "via" tells its 429 from a block by Cloudflare.
    everything = {"Content-Type": "application/json", "Via": "1.1 loopback", **(headers or {})}
    everything = {key: value for key, value in everything.items() if value}
    return web.Response(body=json.dumps(body).encode(), status=status, headers=everything)


def _numbered(components: list[Any]) -> list[Any]:
    """Components as they come back: each has a number."""
    made = []
    for place, row in enumerate(components, 1):
        parts = [dict(part, id=place * 10 + number) for number, part in enumerate(row.get("components") or [])]
        made.append({**row, "id": place, "components": parts} if parts else row)
    return made


@asynccontextmanager
async def serving(kind: type[S] = Server) -> AsyncIterator[S]:  # type: ignore[assignment]
    """A server on a free port of 127.0.0.1."""
    server = kind()
    app = web.Application(client_max_size=30_000_000)
    app.router.add_get("/gateway/", server.gateway)
    app.router.add_route("*", "/api/v10/{rest:.*}", server.rest)
    runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    server.base = f"http://127.0.0.1:{runner.addresses[0][1]}"
    try:
        yield server
    finally:
        await runner.cleanup()

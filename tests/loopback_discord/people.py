"""People who use the bot: each method does what a person does in Discord, and waits for what comes back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tests.loopback_discord.server import (
    ALL,
    APP,
    ASKER,
    BOT,
    CHANNEL,
    DM,
    GROUP_DM,
    GUILD,
    MANAGE_GUILD,
    Call,
    Server,
    user,
)  # fmt: skip

CONTEXTS = {"guild": 0, "dm": 1, "private": 2, "foreign": 0}
"""guild: a server with the bot; dm: with the bot; private: between people; foreign: a server without the bot."""
FOREIGN = 1100000000000000099


@dataclass
class Reply:
    """What the bot answered to an interaction."""

    call: Call
    token: str

    @property
    def kind(self) -> int:
        """4 message, 5 thinking, 6 nothing yet, 8 choices, 9 modal."""
        return int(self.call.body["type"])

    @property
    def data(self) -> dict[str, Any]:
        return dict(self.call.body.get("data") or {})

    @property
    def embed(self) -> dict[str, Any]:
        return dict((self.data.get("embeds") or [{}])[0])

    @property
    def text(self) -> str:
        """Everything a person can read in it."""
        return read(self.data)

    @property
    def ephemeral(self) -> bool:
        return bool(int(self.data.get("flags") or 0) & 64)

    @property
    def ids(self) -> dict[str, str]:
        """Action -> custom_id of the buttons and menus."""
        return ids(self.data)


def ids(body: dict[str, Any]) -> dict[str, str]:
    """Action -> custom_id."""
    parts = [part for row in body.get("components") or [] for part in row["components"]]
    return {part["custom_id"].split(":")[1]: part["custom_id"] for part in parts if "custom_id" in part}


def read(body: dict[str, Any]) -> str:
    """Content, and everything in embeds."""
    parts = [body.get("content") or ""]
    for embed in body.get("embeds") or []:
        parts += [
            embed.get("title") or "",
            embed.get("description") or "",
            (embed.get("footer") or {}).get("text") or "",
        ]
        for one in embed.get("fields") or []:
            parts += [one["name"], one["value"]]
    return "\n".join(part for part in parts if part)


class Person:
    """Someone in Discord."""

    def __init__(
        self,
        server: Server,
        user_id: int = ASKER,
        *,
        where: str = "guild",
        locale: str = "en-US",
        rights: int = ALL & ~MANAGE_GUILD & ~8,
        guild_id: int = GUILD,
    ) -> None:
        self.server, self.id, self.where, self.locale, self.rights = server, user_id, where, locale, rights
        self.guild_id = FOREIGN if where == "foreign" else guild_id

    @property
    def channel(self) -> int:
        return {"guild": CHANNEL, "foreign": CHANNEL + 90, "dm": DM, "private": GROUP_DM}[self.where]

    def _interaction(self, kind: int, data: dict[str, Any], **more: Any) -> dict[str, Any]:
        state = more.pop("state", "open")
        in_guild = self.where in ("guild", "foreign")
        channel_type = {"guild": 0, "foreign": 0, "dm": 1, "private": 3}[self.where]
        channel: dict[str, Any] = {"id": str(self.channel), "type": channel_type, "permissions": str(self.rights),
                                   "name": "gpus", "position": 0}  # fmt: skip
        installed = {"0": str(self.guild_id)} if self.where == "guild" else {"1": str(self.id)}
        made: dict[str, Any] = {
            "id": str(self.server.new_id()), "application_id": str(APP), "type": kind, "data": data, "version": 1,
            "token": self.server.open_token(self.channel, state), "channel_id": str(self.channel), "channel": channel,
            "locale": self.locale, "app_permissions": str(self.server.bot_rights), "entitlements": [],
            "authorizing_integration_owners": installed,
            "context": CONTEXTS[self.where], "attachment_size_limit": 10_485_760,
        }  # fmt: skip
        if in_guild:
            made |= {"guild_id": str(self.guild_id), "guild_locale": "en-US",
                     "guild": {"id": str(self.guild_id), "locale": "en-US", "features": []},
                     "member": {"user": user(self.id, "asker"), "roles": [], "joined_at": "2026-01-01T00:00:00+00:00",
                                "permissions": str(self.rights), "deaf": False, "mute": False, "flags": 0}}  # fmt: skip
        else:
            channel["recipients"] = [user(self.id, "asker")]
            made["user"] = user(self.id, "asker")
        return made | more

    async def _send(self, interaction: dict[str, Any]) -> Reply:
        after = len(self.server.calls)
        await self.server.dispatch("INTERACTION_CREATE", interaction)
        call = await self.server.call("POST", f"/interactions/{interaction['id']}/", after)
        return Reply(call, interaction["token"])

    async def slash(self, command: str, /, state: str = "open", **options: Any) -> Reply:
        """Use a command: "ask", or "admin prices refresh"."""
        return await self._send(self._interaction(2, self._named(command, options), state=state))

    def _named(self, command: str, options: dict[str, Any]) -> dict[str, Any]:
        """/admin is a command of the home server; Discord says so in each call, wherever it may come from."""
        data = _command(command, options)
        return {**data, "guild_id": str(GUILD)} if command.startswith("admin") else data

    async def suggest(self, command: str, focused: str, text: str, /, **options: Any) -> list[dict[str, Any]]:
        """Type into an option; the choices that come back."""
        data = _command(command, {**options, focused: text})
        inner = data
        while inner.get("options") and inner["options"][0]["type"] in (1, 2):
            inner = inner["options"][0]
        for option in inner["options"]:
            if option["name"] == focused:
                option["focused"] = True
        reply = await self._send(self._interaction(4, data))
        assert reply.kind == 8
        return list(reply.data["choices"])

    async def press(self, custom_id: str, message: dict[str, Any]) -> Reply:
        """Press a button."""
        return await self._send(self._interaction(3, {"component_type": 2, "custom_id": custom_id}, message=message))

    async def choose(self, custom_id: str, value: str, message: dict[str, Any]) -> Reply:
        """Choose in a menu."""
        data = {"component_type": 3, "custom_id": custom_id, "values": [value]}
        return await self._send(self._interaction(3, data, message=message))

    async def submit(self, modal: dict[str, Any], text: str, message: dict[str, Any]) -> Reply:
        """Fill in and send a modal."""
        parts = []
        for part in modal["components"]:
            inner = part.get("component") or part["components"][0]
            parts.append({"type": 18, "id": 1, "component": {"type": 4, "id": 2, "custom_id": inner["custom_id"],
                                                             "value": text}})  # fmt: skip
        data = {"custom_id": modal["custom_id"], "components": parts}
        return await self._send(self._interaction(5, data, message=message))

    async def menu(self, name: str, message: dict[str, Any]) -> Reply:
        """Use a message's context menu."""
        data = {"id": str(self.server.new_id()), "name": name, "type": 3, "target_id": message["id"],
                "resolved": {"messages": {message["id"]: message}}}  # fmt: skip
        return await self._send(self._interaction(2, data))

    async def write(self, content: str, **more: Any) -> dict[str, Any]:
        """Write a message; returns it without waiting for an answer."""
        body = self.server.message(self.channel, {"content": content})
        body["author"] = user(self.id, "asker")
        if self.where == "guild":
            body["guild_id"] = str(self.guild_id)
            body["member"] = {"roles": [], "joined_at": "2026-01-01T00:00:00+00:00", "deaf": False, "mute": False,
                              "flags": 0}  # fmt: skip
        if f"<@{BOT}>" in content:
            body["mentions"] = [user(BOT, "whichgpu", bot=True)]
        body |= more
        await self.server.dispatch("MESSAGE_CREATE", body)
        return body

    async def say(self, content: str, **more: Any) -> dict[str, Any]:
        """Write a message and get the body of the bot's answer."""
        after = len(self.server.calls)
        await self.write(content, **more)
        call = await self.server.call("POST", f"/channels/{self.channel}/messages", after)
        return dict(call.body)

    async def reply_to(self, answer: dict[str, Any], content: str, **more: Any) -> dict[str, Any]:
        """Reply to a message of the bot."""
        reference = {"message_id": answer["id"], "channel_id": answer["channel_id"]}
        return await self.say(content, type=19, message_reference=reference, referenced_message=answer, **more)


def _command(command: str, options: dict[str, Any]) -> dict[str, Any]:
    name, *inner = command.split()
    made = [{"name": key.rstrip("_"), "type": _type(value), "value": value} for key, value in options.items()]
    for depth, part in enumerate(reversed(inner)):
        made = [{"name": part, "type": 1 if depth == 0 else 2, "options": made}]
    return {"id": "1400000000000000001", "name": name, "type": 1, "options": made}


def _type(value: object) -> int:
    if isinstance(value, bool):
        return 5
    return {str: 3, int: 4, float: 10}[type(value)]

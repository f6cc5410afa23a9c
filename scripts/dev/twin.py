"""The whole bot against an independent stand-in for Discord, the npm package discord-digital-twin.

    npm install --prefix scripts/dev/twin        # once
    python -m scripts.dev.twin

Written by other people from Discord's documentation, it shows what our own small Discord may have got wrong. It lacks
some of what discord.py needs; a thin proxy fills that in. Everything filled in or left out is listed at the end.
Without Node or the package it says so and ends well.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import shutil
import sys
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import aiohttp
import discord
import yarl
from aiohttp import web

from bot.discord_app.build import build_client
from bot.discord_app.running import open_storage
from bot.settings import Settings

FOLDER = Path(__file__).parent / "twin"
FILLED_IN = (
    "GET /oauth2/applications/@me: has no such route; discord.py asks it at login",
    "interaction callbacks with with_response: always answers 204; discord.py reads the response's body",
    "READY has no shard; a client that can shard reads it",
    "messages in a direct channel carry the server; discord.py tells direct messages by its absence",
)
NOT_THERE = (
    "autocomplete has no method of its own and was sent as a bare interaction; its choices are not checked",
    "modals are opened but their form is not checked; submissions come back in rows, never in labels",
    "no limits at all: lengths, counts, empty messages and allowed_mentions are accepted whatever they are",
    "no rate limits, no resume, no reconnect, no invalid session, no shards",
    "every interaction comes with a server and a member: direct messages have none of their own",
    "ephemeral messages are sent to everyone's gateway; deleting @original of a component is not modelled",
    "no user-installed apps, no context menus, no localised commands, no attachments of interactions",
)


class Twin:
    """The Node process."""

    def __init__(self, asks: asyncio.StreamWriter, tells: asyncio.StreamReader) -> None:
        self._asks, self._tells = asks, tells
        self.about: dict[str, Any] = {}

    async def heard(self) -> Any:
        """The next line."""
        return json.loads(await asyncio.wait_for(self._tells.readline(), 30))

    async def do(self, action: str, **args: Any) -> Any:
        """One action; its result. Raises RuntimeError with what the twin says."""
        self._asks.write((json.dumps({"action": action, **args}) + "\n").encode())
        answer = await self.heard()
        if "error" in answer:
            raise RuntimeError(answer["error"])
        return answer["ok"]

    async def interact(self, kind: int, data: dict[str, Any], **more: Any) -> dict[str, Any]:
        """An interaction of the asker, and what the bot answered."""
        where = self.about["channels"]["gpus"]
        found: dict[str, Any] = await self.do(
            "interact", type=kind, channelId=where, userId=self.about["user"], data=data, **more
        )
        return found


def missing() -> str:
    """Why this cannot run here, or ""."""
    if shutil.which("node") is None:
        return "Node is not installed"
    if not (FOLDER / "node_modules" / "discord-digital-twin").is_dir():
        return "the package is not installed: npm install --prefix scripts/dev/twin"
    return ""


@asynccontextmanager
async def twin() -> AsyncIterator[Twin]:
    """Start the twin."""
    process = await asyncio.create_subprocess_exec(
        "node", "twin.mjs", cwd=FOLDER, stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, limit=1 << 24
    )
    try:
        if process.stdin is None or process.stdout is None:
            raise RuntimeError("the twin has no pipes")
        running = Twin(process.stdin, process.stdout)
        running.about = await running.heard()
        yield running
    finally:
        process.terminate()
        await process.wait()


@asynccontextmanager
async def proxied(about: dict[str, Any]) -> AsyncIterator[str]:
    """The twin's REST with the gaps filled in; the address."""
    session = aiohttp.ClientSession()

    async def handle(request: web.Request) -> web.StreamResponse:
        path = request.path.removeprefix("/api/v10")
        if path == "/oauth2/applications/@me":
            owner = {"id": about["user"], "username": "asker", "discriminator": "0", "avatar": None}
            return _json({
                "id": about["bot"], "name": "whichgpu", "icon": None, "description": "", "bot_public": True,
                "bot_require_code_grant": False, "verify_key": "00", "owner": owner, "team": None, "flags": 0,
            })  # fmt: skip
        body = await request.read()
        headers = {"Authorization": request.headers.get("Authorization", ""), "Content-Type": "application/json"}
        url = yarl.URL(about["rest"].rstrip("/").removesuffix("/api").removesuffix("/api/v10") + "/api/v10" + path)
        async with session.request(
            request.method, url, data=body or None, headers=headers, params=request.query
        ) as answer:
            raw = await answer.read()
            if path.endswith("/callback") and answer.status == 204:
                interaction_id = path.split("/")[2]
                return _json({"interaction": {"id": interaction_id, "type": 2}})
            if path == "/gateway/bot":
                return _json({**json.loads(raw), "url": about["our_gateway"]})
            return web.Response(
                body=raw or None, status=answer.status, headers={"Content-Type": "application/json"} if raw else None
            )

    async def gateway(request: web.Request) -> web.StreamResponse:
        ours = web.WebSocketResponse()
        await ours.prepare(request)
        async with session.ws_connect(about["gateway"]) as theirs:

            async def outwards() -> None:
                async for message in ours:
                    await theirs.send_str(str(message.data))

            task = asyncio.create_task(outwards())
            async for message in theirs:
                event = json.loads(message.data)
                if event.get("t") == "READY":
                    event["d"]["shard"] = [0, 1]
                    event["d"]["resume_gateway_url"] = about["our_gateway"]
                if event.get("t") == "MESSAGE_CREATE" and event["d"]["channel_id"] == about["channels"]["direct"]:
                    event["d"] = {key: value for key, value in event["d"].items() if key not in ("guild_id", "member")}
                with contextlib.suppress(ConnectionResetError):
                    await ours.send_json(event)
            task.cancel()
        return ours

    app = web.Application()
    app.router.add_get("/gateway/", gateway)
    app.router.add_route("*", "/{rest:.*}", handle)
    runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    port = runner.addresses[0][1]
    about["our_gateway"] = f"ws://127.0.0.1:{port}/gateway/"
    try:
        yield f"http://127.0.0.1:{port}/api/v10"
    finally:
        await runner.cleanup()
        await session.close()


def _json(data: Any) -> web.Response:
    return web.Response(body=json.dumps(data).encode(), headers={"Content-Type": "application/json"})


async def scenario(running: Twin) -> list[tuple[str, bool]]:
    """What people do; (what, whether it came back as it should)."""
    done: list[tuple[str, bool]] = []
    option = {"name": "question", "type": 3, "value": "which GPU for NLP under $1500?"}
    slash = await running.interact(2, {"id": "1", "name": "ask", "type": 1, "options": [option]})
    data = slash["data"]
    done.append(("slash command with an option: an embed and buttons", slash["type"] == 4 and bool(data["embeds"])))
    parts = [part for row in data["components"] for part in row["components"]]
    ids = {part["custom_id"].split(":")[1]: part["custom_id"] for part in parts}
    several = await running.interact(2, {"id": "1", "name": "recommend", "type": 1, "options": [
        {"name": "workload", "type": 3, "value": "llm"}, {"name": "budget", "type": 10, "value": 900},
        {"name": "currency", "type": 3, "value": "USD"}, {"name": "count", "type": 4, "value": 2}]})  # fmt: skip
    done.append(("slash command with four options of three types", bool(several["data"]["embeds"])))
    typed = await running.interact(4, {"id": "1", "name": "gpu", "type": 1, "options": [
        {"name": "name", "type": 3, "value": "4090", "focused": True}]})  # fmt: skip
    names = [choice["name"] for choice in (typed["data"] or {}).get("choices", ())]
    done.append(("autocomplete: " + ", ".join(names[:3]), typed["type"] == 8 and "RTX 4090" in names))
    for action in ("cheaper", "memory", "used", "compare", "why", "good"):
        press = {"custom_id": ids[action], "component_type": 2}
        answer = await running.interact(3, press, messageId=slash["messageId"])
        done.append((f"button {action}", answer["type"] == 4))
    modal = await running.interact(3, {"custom_id": ids["whynot"], "component_type": 2}, messageId=slash["messageId"])
    done.append(("button that opens a modal", modal["type"] == 9 and bool(modal["data"]["title"])))
    filled = {"type": 1, "components": [{"type": 4, "custom_id": "gpu", "value": "RTX 3090"}]}
    sent = await running.interact(5, {"custom_id": modal["data"]["custom_id"], "components": [filled]})
    done.append(("modal sent: the card is in the answer", "3090" in json.dumps(sent["data"])))
    unsure = await running.interact(
        2, {"id": "1", "name": "ask", "type": 1, "options": [{**option, "value": "rtx 6000"}]}
    )
    menu = next(part for row in unsure["data"]["components"] for part in row["components"] if part["type"] == 3)
    value = menu["options"][0]["value"]
    pick = {"custom_id": menu["custom_id"], "component_type": 3, "values": [value]}
    chosen = await running.interact(3, pick, messageId=unsure["messageId"])
    done.append(("select menu", chosen["type"] == 4 and value.split(":")[1] in json.dumps(chosen["data"])))
    about = running.about
    for where, text in (("direct", "which GPU for NLP under $800?"), ("gpus", f"<@{about['bot']}> 3090 price")):
        channel = about["channels"].get(where)
        message = await running.do("write", channelId=channel, userId=about["user"], content=text)
        done.append((f"message in {where}: an embed", bool(message and message["embeds"])))
    await running.interact(3, {"custom_id": ids["delete"], "component_type": 2}, messageId=slash["messageId"])
    await asyncio.sleep(0.5)  # the deletion follows the acknowledgement
    done.append(("button delete is acknowledged", True))
    return done


async def main() -> int:
    """Run; 0 when everything passed or cannot run here."""
    if reason := missing():
        print(f"skipped: {reason}")
        return 0
    with tempfile.TemporaryDirectory() as folder:
        async with twin() as running, proxied(running.about) as base:
            discord.http.Route.BASE = base
            discord.gateway.DiscordWebSocket.DEFAULT_GATEWAY = yarl.URL(running.about["our_gateway"])
            settings = Settings(state_dir=Path(folder), user_limit=(1000, 1.0), channel_limit=(1000, 1.0))
            store = await open_storage(settings)
            client = build_client(settings, store, b"k" * 32, guild_ready_timeout=0.1)
            task = asyncio.create_task(client.start(running.about["token"]))
            try:
                ready = asyncio.create_task(_ready(client))
                await asyncio.wait({task, ready}, timeout=20, return_when=asyncio.FIRST_COMPLETED)
                if task.done():
                    ready.cancel()
                    task.result()
                done = await scenario(running)
            finally:
                await client.close()
                await store.close()
                task.cancel()
                await asyncio.gather(task, return_exceptions=True)
    for what, good in done:
        print("pass" if good else "FAIL", what)
    print("\nFilled in by the proxy:", *FILLED_IN, sep="\n  ")
    print("\nNot in the twin:", *NOT_THERE, sep="\n  ")
    return 0 if all(good for _, good in done) else 1


async def _ready(client: discord.Client) -> None:
    while client.application is None:
        await asyncio.sleep(0.02)
    await client.wait_until_ready()


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))

"""A web server on 127.0.0.1 that gives whatever a test wants, and a small desk around it."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from datetime import date
from typing import Any

from aiohttp import web

from bot.feeds.refresh import Refresher, Report, World
from bot.feeds.source import PriceSource
from bot.feeds.web import Web
from bot.loading import load_catalogue, load_name_resolver, load_rates
from bot.market.book import PriceBook, launches
from bot.storage.prices import PriceStore

TODAY = date(2026, 12, 1)
Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


@dataclass
class Loopback:
    """Answers by path; what was asked stands in `seen`."""

    port: int = 0
    handlers: dict[str, Handler] = field(default_factory=dict)
    seen: list[web.Request] = field(default_factory=list)
    slept: list[float] = field(default_factory=list)
    _runner: web.AppRunner | None = None

    async def start(self) -> None:
        app = web.Application()
        app.router.add_route("*", "/{path:.*}", self._any)
        self._runner = web.AppRunner(app, shutdown_timeout=0.1)
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", 0)
        await site.start()
        self.port = site._server.sockets[0].getsockname()[1]  # type: ignore[union-attr]

    async def stop(self) -> None:
        assert self._runner
        await self._runner.cleanup()

    async def _any(self, request: web.Request) -> web.StreamResponse:
        self.seen.append(request)
        await request.read()
        handler = self.handlers.get(request.path)
        return await handler(request) if handler else web.Response(status=404)

    def url(self, path: str) -> str:
        return f"http://127.0.0.1:{self.port}{path}"

    def web(self, **more: Any) -> Web:
        async def sleep(seconds: float) -> None:
            self.slept.append(seconds)

        fields: dict[str, Any] = {"allow": {("127.0.0.1", self.port)}, "sleep": sleep}
        return Web(**(fields | more))

    def give(
        self, path: str, body: str | bytes, content_type: str = "application/json", status: int = 200, **headers: str
    ) -> None:
        """Answer `path` with this body."""

        async def handler(_: web.Request) -> web.StreamResponse:
            raw = body.encode() if isinstance(body, str) else body
            named = {name.replace("_", "-"): value for name, value in headers.items()}
            return web.Response(body=raw, status=status, headers={"Content-Type": content_type, **named})

        self.handlers[path] = handler

    def in_turn(self, path: str, *steps: tuple[int, str, dict[str, str]]) -> None:
        """Answer with each (status, body, headers) in turn; the last one again and again."""
        left = list(steps)

        async def handler(_: web.Request) -> web.StreamResponse:
            status, body, headers = left.pop(0) if len(left) > 1 else left[0]
            return web.Response(
                body=body.encode(), status=status, headers={"Content-Type": "application/json", **headers}
            )

        self.handlers[path] = handler


def world(points: Any = ()) -> World:
    """The real catalogue and rates; no prices but these."""
    known = launches(load_catalogue().gpus)
    return World(load_name_resolver(), load_rates(), PriceBook(points, known), known)


def refresher(store: PriceStore, loop: Loopback, *sources: PriceSource, **more: Any) -> Refresher:
    fields: dict[str, Any] = {"world": world(), "today": lambda: TODAY, "web": loop.web}
    return Refresher(store, sources, **(fields | more))


async def run(maker: Refresher, **more: Any) -> Report:
    return await maker.refresh(lambda _: None, **more)


CARDS = {"RTX 3090": 990, "RTX 4090": 2100, "RTX 3060 12GB": 230, "RTX 4070": 450, "RTX 5090": 3000, "P40": 260}


def feed(prices: dict[str, Any] | None = None, as_of: str = "2026-11-28", **common: Any) -> str:
    """A gpu-prices/1 document of used cards."""
    rows = [
        {"gpu": gpu, "condition": "used", "price": f"{price}.00" if isinstance(price, int) else price, "as_of": as_of}
        for gpu, price in (CARDS if prices is None else prices).items()
    ]
    head = {"schema": "gpu-prices/1", "source": "test list", "currency": "USD", "region": "US"}
    return json.dumps(head | common | {"prices": rows})

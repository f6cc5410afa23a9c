"""Fetching from broken and hostile hosts."""

import asyncio
import gzip
import inspect
import time
import zlib
from typing import Any

import pytest
from aiohttp import web

from bot.feeds import setup
from bot.feeds.source import SourceError
from bot.feeds.web import JSON, MAX_BYTES, UnauthorizedError, Web, is_public
from bot.settings import read_settings
from tests.feeds.loopback import Loopback


async def _get(loop: Loopback, path: str = "/x", types: Any = JSON, **more: Any) -> bytes:
    fetcher = loop.web(**{k: more.pop(k) for k in ("total_seconds", "resolve") if k in more})
    try:
        return (await fetcher.get(loop.url(path) if path.startswith("/") else path, "the host", types, **more)).body
    finally:
        await fetcher.close()


async def _fails(loop: Loopback, path: str = "/x", **more: Any) -> str:
    with pytest.raises(SourceError) as caught:
        await _get(loop, path, **more)
    return str(caught.value)


async def test_a_good_page(loop: Loopback) -> None:
    loop.give("/x", "{}")
    assert await _get(loop) == b"{}"
    assert loop.seen[0].headers["User-Agent"].startswith("whichgpu/")
    assert "Cookie" not in loop.seen[0].headers


async def test_packed_page(loop: Loopback) -> None:
    loop.give("/x", gzip.compress(b"{}" * 5000), Content_Encoding="gzip")
    assert await _get(loop) == b"{}" * 5000


@pytest.mark.parametrize(
    ("address", "public"),
    [
        ("93.184.216.34", True), ("2606:2800:220:1:248:1893:25c8:1946", True), ("127.0.0.1", False),
        ("10.0.0.1", False), ("172.16.0.1", False), ("192.168.1.1", False), ("169.254.169.254", False),
        ("100.64.0.1", False), ("224.0.0.1", False), ("240.0.0.1", False), ("0.0.0.0", False),  # noqa: S104
        ("255.255.255.255", False), ("::1", False), ("::", False), ("fe80::1", False), ("fe80::1%eth0", False),
        ("fc00::1", False), ("ff02::1", False), ("::ffff:127.0.0.1", False), ("::ffff:8.8.8.8", False),
        ("64:ff9b::7f00:1", False), ("2002:7f00:1::", False), ("2001:db8::1", False), ("192.0.2.1", False),
        ("127.1", False), ("0x7f000001", False), ("2130706433", False), ("", False),
    ],
)  # fmt: skip
def test_public_addresses(address: str, public: bool) -> None:
    assert is_public(address) is public


@pytest.mark.parametrize(
    "target",
    [
        "https://169.254.169.254/latest/meta-data", "https://[::1]/", "file:///etc/passwd", "http://example.com/",
        "https://example.com:8443/", "https://user:pass@example.com/", "https://2130706433/", "https://127.1/",
        "ftp://example.com/x", "https://[::ffff:127.0.0.1]/", "https://", "https://[broken/",
    ],
)  # fmt: skip
async def test_redirects_to_forbidden_places_are_not_followed(loop: Loopback, target: str) -> None:
    loop.give("/x", "", status=302, Location=target)
    await _fails(loop)
    assert len(loop.seen) == 1


async def test_good_redirect_is_followed_and_a_loop_ends(loop: Loopback) -> None:
    loop.give("/x", "", status=301, Location="/y")
    loop.give("/y", "{}")
    assert await _get(loop) == b"{}"
    loop.give("/x", "", status=302, Location="/x")
    assert "redirects" in await _fails(loop)
    assert len(loop.seen) == 2 + 4


async def test_a_call_with_a_key_is_never_redirected(loop: Loopback) -> None:
    loop.give("/x", "", status=302, Location="/y")
    assert "carries a key" in await _fails(loop, token=True, headers={"Authorization": "Bearer s3cret"})
    assert len(loop.seen) == 1


async def test_name_that_resolves_to_a_private_address_is_refused(loop: Loopback) -> None:
    async def resolve(host: str, port: int) -> list[str]:
        return ["93.184.216.34", "10.0.0.7"]

    loop.give("/x", "", status=302, Location="https://rebinding.example/")
    assert "cannot be reached" in await _fails(loop, resolve=resolve)


async def test_name_is_resolved_for_each_connection_and_only_checked_addresses_are_used(loop: Loopback) -> None:
    answers = [["127.0.0.1"], ["10.0.0.7"]]
    asked: list[str] = []

    async def resolve(host: str, port: int) -> list[str]:
        asked.append(host)
        return answers.pop(0)

    port = loop.port
    loop.give("/x", "{}")
    # The name is allowed by hand here, its address as well: the second answer is not.
    fetcher = loop.web(allow={("127.0.0.1", port), ("rebind.test", port)}, resolve=resolve)
    assert (await fetcher.get(f"http://rebind.test:{port}/x", "the host", JSON)).body == b"{}"
    with pytest.raises(SourceError, match="cannot be reached"):
        await fetcher.get(f"http://rebind.test:{port}/x", "the host", JSON)
    await fetcher.close()
    assert asked == ["rebind.test", "rebind.test"]
    assert len(loop.seen) == 1


async def test_production_allows_nothing_private() -> None:
    assert Web().allow == ()
    settings = read_settings({"WHICHGPU_FEED_URL": "https://example.com/p.json"})
    assert setup.price_desk(settings).web().allow == ()
    with pytest.raises(SourceError, match="only https"):
        await Web().get("http://127.0.0.1:9/", "the host", JSON)
    assert "allow" not in inspect.getsource(setup)


@pytest.mark.parametrize("body", [b"a" * (MAX_BYTES + 1), gzip.compress(b"0" * 50_000_000)], ids=["long", "bomb"])
async def test_too_long_and_gzip_bombs(loop: Loopback, body: bytes) -> None:
    packed: Any = {"Content_Encoding": "gzip"} if body[:2] == b"\x1f\x8b" else {}
    loop.give("/x", body, **packed)
    assert "longer than" in await _fails(loop)


async def test_endless_body_is_cut_while_it_streams(loop: Loopback) -> None:
    async def handler(request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse(headers={"Content-Type": "application/json"})
        await response.prepare(request)
        try:
            while True:
                await response.write(b"x" * 65_536)
        except ConnectionError:
            pass
        return response

    loop.handlers["/x"] = handler
    assert "longer than" in await _fails(loop)


@pytest.mark.parametrize("body", [b"\x1f\x8bnot gzip", gzip.compress(b"{}" * 999)[:-9]], ids=["no gzip", "cut off"])
async def test_damaged_packing(loop: Loopback, body: bytes) -> None:
    loop.give("/x", body, Content_Encoding="gzip")
    assert ("damaged" in (told := await _fails(loop))) or "cut off" in told


async def test_packing_that_was_not_asked_for(loop: Loopback) -> None:
    loop.give("/x", zlib.compress(b"{}"), Content_Encoding="br")
    assert "packed as br" in await _fails(loop)


@pytest.mark.parametrize("content_type", ["text/html", "image/png", "application/x-sh", ""])
async def test_wrong_types(loop: Loopback, content_type: str) -> None:
    loop.give("/x", "<html>", content_type or "application/unknown")
    assert "sends" in await _fails(loop)


async def test_hanging_and_dripping_hosts(loop: Loopback) -> None:
    async def drip(request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse(headers={"Content-Type": "application/json"})
        await response.prepare(request)
        for _ in range(100):
            await response.write(b" ")
            await asyncio.sleep(0.05)
        return response

    async def hang(request: web.Request) -> web.StreamResponse:
        await asyncio.sleep(5)
        return web.Response()

    for handler in (drip, hang):
        loop.handlers["/x"] = handler
        assert "no whole answer" in await _fails(loop, total_seconds=0.2)


async def test_busy_host_is_asked_again_after_the_pause_it_wants(loop: Loopback) -> None:
    loop.in_turn("/x", (429, "", {"Retry-After": "7"}), (503, "", {}), (200, "{}", {}))
    assert await _get(loop) == b"{}"
    assert loop.slept == [7.0, 4.0]


async def test_long_pause_is_not_waited_for(loop: Loopback) -> None:
    loop.in_turn("/x", (429, "", {"Retry-After": "3600"}))
    assert "wait 3600 s" in await _fails(loop)
    assert loop.slept == []
    late = time.strftime("%a, %d %b %Y %H:%M:%S GMT", time.gmtime(time.time() + 7200))
    loop.in_turn("/x", (503, "", {"Retry-After": late}))
    assert "asks to wait" in await _fails(loop)


async def test_failing_host_is_tried_three_times(loop: Loopback) -> None:
    loop.give("/x", "", status=500)
    assert "3 times" in await _fails(loop)
    assert len(loop.seen) == 3
    loop.give("/x", "", status=418)
    assert "418" in await _fails(loop)


async def test_key_refused(loop: Loopback) -> None:
    loop.give("/x", "", status=401)
    with pytest.raises(UnauthorizedError):
        await _get(loop)


async def test_closed_port() -> None:
    server = Loopback()
    await server.start()
    await server.stop()
    assert "cannot be reached" in await _fails(server)


async def test_proxies_of_the_environment_are_not_used(loop: Loopback, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "https_proxy", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:1/")
        monkeypatch.setenv(name.upper(), "http://127.0.0.1:1/")
    loop.give("/x", "{}")
    assert await _get(loop) == b"{}"

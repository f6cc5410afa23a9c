"""Fetching from hosts that may be broken, slow or hostile. Every source goes through here, and only here.

https on port 443 to public addresses, checked after the name is resolved and again at every redirect; caps on time,
size and redirects; no proxies, cookies or sign-ins from the environment; nothing of a key in any message.
"""

from __future__ import annotations

import asyncio
import ipaddress
import socket
import zlib
from collections.abc import Awaitable, Callable, Collection, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any
from urllib.parse import urljoin, urlsplit

import aiohttp
from aiohttp.abc import AbstractResolver, ResolveResult

from bot import __version__
from bot.feeds.source import SourceError

CONNECT_SECONDS, TOTAL_SECONDS = 5.0, 20.0
MAX_BYTES = 2 * 1024 * 1024
REDIRECTS = 3
TRIES = 3
LONGEST_WAIT = 30.0
"""A host that asks for a longer pause is asked again at the next refresh, not in this one."""
BACK_OFF = (1.0, 4.0)
JSON = ("application/json", "text/json", "text/plain")
CSV = ("text/csv", "text/plain", "application/csv", "application/octet-stream")
XML = ("application/xml", "text/xml")
ZIP = ("application/zip", "application/x-zip-compressed", "application/octet-stream", "binary/octet-stream")
AGENT = f"whichgpu/{__version__} (price refresh of a Discord bot)"

Resolve = Callable[[str, int], Awaitable[list[str]]]


async def system_resolve(host: str, port: int) -> list[str]:
    """The addresses of a host, as the system's resolver gives them."""
    found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(entry[4][0]) for entry in found))


def is_public(address: str) -> bool:
    """Whether an address may be asked: no loopback, private, link-local, shared, multicast or reserved one, also
    not inside an IPv6 form of it."""
    try:
        ip = ipaddress.ip_address(address.split("%", 1)[0])
    except ValueError:
        return False
    if isinstance(ip, ipaddress.IPv6Address):
        inner = ip.ipv4_mapped or ip.sixtofour or (ip.teredo[1] if ip.teredo else None)
        if inner is not None or ip in _NAT64:
            return False
    return ip.is_global and not ip.is_multicast and not ip.is_reserved


_NAT64 = ipaddress.ip_network("64:ff9b::/96")


@dataclass(frozen=True, slots=True)
class Page:
    """A response that may be used: status 200, the right type, not too long."""

    body: bytes
    content_type: str

    def text(self, what: str) -> str:
        """The body as UTF-8. Raises SourceError."""
        try:
            return self.body.decode("utf-8-sig")
        except UnicodeDecodeError:
            raise SourceError(f"{what}: the answer is not UTF-8") from None


class UnauthorizedError(SourceError):
    """The host wants another token (401)."""


class _RetryError(Exception):
    def __init__(self, problem: str, wait: float | None) -> None:
        super().__init__(problem)
        self.wait = wait


@dataclass
class Web:
    """Fetches. `allow` names (address, port) pairs that tests serve from; production never gives any."""

    allow: Collection[tuple[str, int]] = ()
    resolve: Resolve = system_resolve
    sleep: Callable[[float], Awaitable[Any]] = asyncio.sleep
    total_seconds: float = TOTAL_SECONDS
    connect_seconds: float = CONNECT_SECONDS
    _session: aiohttp.ClientSession | None = field(default=None, repr=False)

    async def get(
        self, url: str, what: str, types: Collection[str], *, max_bytes: int = MAX_BYTES,
        headers: Mapping[str, str] | None = None, token: bool = False,
    ) -> Page:  # fmt: skip
        """GET. `what` names the host in errors; `token` says that the headers hold one: then no redirect is
        followed. Raises SourceError."""
        return await self._tried("GET", url, what, types, max_bytes, headers, token, None)

    async def post(
        self, url: str, what: str, types: Collection[str], body: bytes, *, headers: Mapping[str, str] | None = None,
    ) -> Page:  # fmt: skip
        """POST; never redirected. Raises SourceError."""
        return await self._tried("POST", url, what, types, MAX_BYTES, headers, True, body)

    async def close(self) -> None:
        """Close the connections."""
        if self._session is not None:
            await self._session.close()
            self._session = None

    async def _tried(
        self, method: str, url: str, what: str, types: Collection[str], max_bytes: int,
        headers: Mapping[str, str] | None, token: bool, body: bytes | None,
    ) -> Page:  # fmt: skip
        for attempt in range(TRIES):
            try:
                async with asyncio.timeout(self.total_seconds):
                    return await self._followed(method, url, what, types, max_bytes, headers, token, body)
            except _RetryError as fault:
                wait = fault.wait if fault.wait is not None else BACK_OFF[min(attempt, len(BACK_OFF) - 1)]
                if wait > LONGEST_WAIT:
                    raise SourceError(f"{what}: {fault}; it asks to wait {wait:.0f} s, try again later") from None
                if attempt == TRIES - 1:
                    raise SourceError(f"{what}: {fault}, {TRIES} times") from None
                await self.sleep(wait)
            except TimeoutError:
                raise SourceError(f"{what}: no whole answer within {self.total_seconds:g} s") from None
            except aiohttp.ClientError as error:
                raise SourceError(f"{what}: cannot be reached ({type(error).__name__})") from None
            except OSError as error:
                raise SourceError(f"{what}: cannot be reached ({type(error).__name__})") from None
        raise AssertionError("unreachable")

    async def _followed(
        self, method: str, url: str, what: str, types: Collection[str], max_bytes: int,
        headers: Mapping[str, str] | None, token: bool, body: bytes | None,
    ) -> Page:  # fmt: skip
        for _ in range(REDIRECTS + 1):
            self._check_url(url, what)
            async with self._open().request(
                method, url, data=body, headers={"Accept-Encoding": "gzip", **(headers or {})}, allow_redirects=False
            ) as response:
                if response.status in (301, 302, 303, 307, 308):
                    if token:
                        raise SourceError(f"{what}: redirects a call that carries a key; not followed")
                    try:
                        url = urljoin(url, response.headers.get("Location", ""))
                    except ValueError:
                        raise SourceError(f"{what}: redirects to an address that cannot be read") from None
                    continue
                return await self._read(response, what, types, max_bytes)
        raise SourceError(f"{what}: more than {REDIRECTS} redirects")

    def _open(self) -> aiohttp.ClientSession:
        if self._session is None:
            connector = aiohttp.TCPConnector(
                resolver=_Guard(self.resolve, self.allow), use_dns_cache=False, limit=4, force_close=True
            )
            self._session = aiohttp.ClientSession(
                connector=connector,
                auto_decompress=False,
                trust_env=False,
                cookie_jar=aiohttp.DummyCookieJar(),
                headers={"User-Agent": AGENT},
                timeout=aiohttp.ClientTimeout(total=None, sock_connect=self.connect_seconds),
            )
        return self._session

    def _check_url(self, url: str, what: str) -> None:
        try:
            parts = urlsplit(url)
            host, port = parts.hostname or "", parts.port
        except ValueError:
            raise SourceError(f"{what}: leads to an address that cannot be read") from None
        if (host, port) in self.allow and parts.scheme in ("http", "https"):
            return
        if parts.scheme != "https" or port not in (None, 443) or not host:
            raise SourceError(f"{what}: only https on port 443 is asked")
        if parts.username or parts.password:
            raise SourceError(f"{what}: an address must not hold a name or password")
        if (host[-1:].isdigit() or ":" in host) and not is_public(host):
            raise SourceError(f"{what}: leads to an address that is not public")

    async def _read(self, response: aiohttp.ClientResponse, what: str, types: Collection[str], max_bytes: int) -> Page:
        status = response.status
        if status == 401:
            raise UnauthorizedError(f"{what}: refuses the key (401)")
        if status in (429, 503):
            raise _RetryError(f"has too much to do ({status})", _retry_after(response.headers.get("Retry-After")))
        if status >= 500:
            raise _RetryError(f"fails ({status})", None)
        if status != 200:
            raise SourceError(f"{what}: answers with status {status}")
        content_type = (response.headers.get("Content-Type") or "").split(";", 1)[0].strip().lower()
        if content_type not in types:
            raise SourceError(f"{what}: sends {content_type[:40] or 'no type'}, not {types_told(types)}")
        return Page(await _body(response, what, max_bytes), content_type)


def types_told(types: Collection[str]) -> str:
    return next(iter(types)).split("/", 1)[1]


async def _body(response: aiohttp.ClientResponse, what: str, max_bytes: int) -> bytes:
    """The body, unpacked while it arrives: neither the packed nor the unpacked length can pass the cap."""
    encoding = (response.headers.get("Content-Encoding") or "identity").strip().lower()
    if encoding not in ("identity", "gzip", "deflate"):
        raise SourceError(f"{what}: is packed as {encoding[:20]}, which is not asked for")
    unpack = zlib.decompressobj(47) if encoding != "identity" else None
    too_long = SourceError(f"{what}: is longer than {max_bytes // 1024} KiB; nothing of it is used")
    if (response.content_length or 0) > max_bytes:
        raise too_long
    parts: list[bytes] = []
    size = packed = 0
    async for chunk in response.content.iter_chunked(65_536):
        packed += len(chunk)
        if unpack is not None:
            try:
                chunk = unpack.decompress(chunk, max_bytes + 1 - size)
            except zlib.error:
                raise SourceError(f"{what}: is damaged") from None
        parts.append(chunk)
        size += len(chunk)
        if max(size, packed) > max_bytes:
            raise too_long
    if unpack is not None and (not unpack.eof or unpack.unconsumed_tail):
        raise SourceError(f"{what}: is cut off")
    return b"".join(parts)


def _retry_after(value: str | None) -> float | None:
    if not value:
        return None
    if value.isdigit():
        return float(value)
    try:
        return max(0.0, (parsedate_to_datetime(value) - datetime.now(UTC)).total_seconds())
    except (ValueError, TypeError):
        return None


class _Guard(AbstractResolver):
    """Resolves a name once and hands on addresses only when all of them are public: what was checked is what is
    connected to."""

    def __init__(self, resolve: Resolve, allow: Collection[tuple[str, int]]) -> None:
        self._resolve, self._allow = resolve, allow

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_UNSPEC
    ) -> list[ResolveResult]:
        addresses = await self._resolve(host, port)
        bad = [address for address in addresses if (address, port) not in self._allow and not is_public(address)]
        if bad or not addresses:
            raise OSError(None, f"{host} has no address that may be asked")
        return [
            ResolveResult(
                hostname=host, host=address, port=port, proto=0, flags=socket.AI_NUMERICHOST,
                family=socket.AF_INET6 if ":" in address else socket.AF_INET,
            )
            for address in addresses
        ]  # fmt: skip

    async def close(self) -> None:
        """Nothing is held."""

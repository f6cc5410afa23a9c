"""A private PostgreSQL cluster on a free port, for as long as the tests need it."""

from __future__ import annotations

import contextlib
import os
import pwd
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any


def binaries() -> Path | None:
    """The folder with initdb and postgres, or None."""
    for folder in sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True):
        if (folder / "initdb").exists() and (folder / "postgres").exists():
            return folder
    found = shutil.which("initdb")
    return Path(found).parent if found else None


def why_not() -> str:
    """Why no cluster can be started here, or ""."""
    if binaries() is None:
        return "PostgreSQL's server binaries are not installed"
    try:
        import asyncpg  # noqa: F401
    except ImportError:
        return "asyncpg is not installed (pip install 'whichgpu[postgres]')"
    if os.geteuid() == 0 and _other_user() is None:
        return "PostgreSQL does not run as root, and there is no other user to run it as"
    return ""


def _other_user() -> pwd.struct_passwd | None:
    for name in ("postgres", "nobody"):
        with contextlib.suppress(KeyError):
            return pwd.getpwnam(name)
    return None


@contextlib.contextmanager
def cluster() -> Iterator[str]:
    """Starts a cluster; gives the address of its server, to be followed by a database's name."""
    folder = binaries()
    assert folder
    data = Path(tempfile.mkdtemp(prefix="whichgpu-pg-"))
    run_as: dict[str, Any] = {}
    if os.geteuid() == 0:
        user = _other_user()
        assert user
        os.chown(data, user.pw_uid, user.pw_gid)
        run_as = {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []}
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    common: dict[str, Any] = {"cwd": data, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, **run_as}
    try:
        subprocess.run(  # noqa: S603
            [folder / "initdb", "-D", data / "c", "-U", "bot", "-A", "trust", "-E", "UTF8", "--locale=C", "-N"],
            check=True, **common,
        )  # fmt: skip
        options = {"port": port, "listen_addresses": "127.0.0.1", "unix_socket_directories": str(data), "fsync": "off",
                   "shared_buffers": "16MB", "max_connections": 40}  # fmt: skip
        server = subprocess.Popen(  # noqa: S603
            [folder / "postgres", "-D", data / "c", *(f"--{name}={value}" for name, value in options.items())], **common
        )
        try:
            subprocess.run(  # noqa: S603
                [folder / "pg_isready", "-h", "127.0.0.1", "-p", str(port), "-U", "bot", "-t", "20"],
                check=False,
                **common,
            )
            _wait(port)
            yield f"postgresql+asyncpg://bot@127.0.0.1:{port}/"
        finally:
            server.send_signal(2)  # SIGINT: fast shutdown
            try:
                server.wait(10)
            except subprocess.TimeoutExpired:
                server.kill()
                server.wait()
    finally:
        shutil.rmtree(data, ignore_errors=True)


def _wait(port: int) -> None:
    import asyncio

    import asyncpg

    async def connect() -> None:
        for _ in range(200):
            try:
                connection = await asyncpg.connect(host="127.0.0.1", port=port, user="bot", database="postgres")
            except (OSError, asyncpg.PostgresError):
                await asyncio.sleep(0.05)
            else:
                await connection.close()
                return
        raise RuntimeError("the private cluster does not answer")

    asyncio.run(connect())


async def fresh_database(server: str, name: str) -> str:
    """An empty database; its address."""
    import asyncpg

    connection = await asyncpg.connect(server.replace("postgresql+asyncpg", "postgresql") + "postgres")
    await connection.execute(f'DROP DATABASE IF EXISTS "{name}" WITH (FORCE)')
    await connection.execute(f'CREATE DATABASE "{name}"')
    await connection.close()
    return server + name

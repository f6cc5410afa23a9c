"""Dockerfile and compose file keep what they promise."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[2]
DOCKERFILE = (ROOT / "Dockerfile").read_text(encoding="utf-8")
COMPOSE = yaml.safe_load((ROOT / "docker-compose.yml").read_text(encoding="utf-8"))


def test_the_container_has_no_rights_and_one_volume() -> None:
    bot = COMPOSE["services"]["bot"]
    assert bot["read_only"] is True
    assert bot["cap_drop"] == ["ALL"]
    assert "no-new-privileges:true" in bot["security_opt"]
    assert bot["restart"] == "unless-stopped"
    assert bot["volumes"] == ["state:/state"]
    assert list(COMPOSE["volumes"]) == ["state"]
    last_stage = DOCKERFILE.rsplit("FROM ", 1)[1]
    assert re.search(r"^USER whichgpu$", last_stage, re.MULTILINE)
    assert "VOLUME /state" in last_stage
    assert "pip" not in last_stage


def test_the_container_is_checked_and_stopped_by_its_own_commands() -> None:
    from bot.cli.main import COMMANDS

    check = re.search(r"HEALTHCHECK .*CMD (\[.*\])", DOCKERFILE)
    start = re.findall(r"^CMD (\[.*\])", DOCKERFILE, re.MULTILINE)
    assert check is not None
    assert json.loads(check[1])[1] in COMMANDS
    assert json.loads(start[0])[0] in COMMANDS
    assert "STOPSIGNAL SIGTERM" in DOCKERFILE


def test_everything_copied_is_let_through_to_the_builder() -> None:
    let_through = (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines()
    for line in re.findall(r"^COPY (?!--from)(.*) \S+$", DOCKERFILE, re.MULTILINE):
        for name in line.split():
            assert f"!{name}" in let_through
            assert (ROOT / name).exists()
    assert "*" in let_through
    assert not [line for line in let_through if line.startswith("!.env")]


def test_no_secret_is_built_in() -> None:
    assert "TOKEN" not in DOCKERFILE
    assert "TOKEN" not in json.dumps(COMPOSE)


def test_docker_compose_accepts_the_file(tmp_path: Path) -> None:
    docker = shutil.which("docker")
    if docker is None:
        pytest.skip("docker is not installed")
    for name in ("docker-compose.yml", "Dockerfile"):
        (tmp_path / name).write_text((ROOT / name).read_text(encoding="utf-8"), encoding="utf-8")
    environment = {"PATH": os.environ["PATH"], "HOME": os.environ.get("HOME", str(tmp_path))}
    probe = subprocess.run([docker, "compose", "version"], capture_output=True, check=False, env=environment)  # noqa: S603
    if probe.returncode:
        pytest.skip("docker has no compose plugin")
    done = subprocess.run(  # noqa: S603
        [docker, "compose", "config", "--quiet"],
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
        env=environment,
    )
    assert done.returncode == 0, done.stderr

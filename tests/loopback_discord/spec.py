"""REST bodies against Discord's OpenAPI description, where the reference material is present."""

from __future__ import annotations

import json
import os
import re
from functools import lru_cache
from pathlib import Path
from typing import Any

SHARED = Path(os.environ.get("WHICHGPU_SHARED", Path(__file__).resolve().parents[3] / "shared"))
FILE = SHARED / "reference-data/discord-openapi.json"


@lru_cache(maxsize=1)
def spec() -> dict[str, Any] | None:
    """The description, relaxed in two places: discord.py sends some snowflakes as numbers, which Discord takes; and it
    offers media channels (type 16 of Discord's documentation), which the description leaves out."""
    if not FILE.is_file():
        return None
    data: dict[str, Any] = json.loads(FILE.read_text(encoding="utf-8"))
    data["components"]["schemas"]["SnowflakeType"] = {"type": ["string", "integer"]}
    data["components"]["schemas"]["ChannelTypes"]["oneOf"].append({"title": "GUILD_MEDIA", "const": 16})
    return data


@lru_cache(maxsize=1)
def _routes() -> list[tuple[re.Pattern[str], str, int]]:
    found = []
    for path in (spec() or {"paths": {}})["paths"]:
        pattern = re.sub(r"\\\{\w+\\\}", r"[^/]+", re.escape(path))
        found.append((re.compile(pattern), path, path.count("{")))
    return sorted(found, key=lambda one: one[2])


@lru_cache(maxsize=64)
def _validator(path: str, method: str) -> Any:
    import jsonschema
    import referencing
    from referencing.jsonschema import DRAFT202012

    data = spec()
    assert data is not None
    operation = data["paths"][path].get(method.lower())
    content = (operation or {}).get("requestBody", {}).get("content", {})
    schema = (content.get("application/json") or next(iter(content.values()), None) or {}).get("schema")
    if schema is None:
        return None
    resource = referencing.Resource.from_contents(data, default_specification=DRAFT202012)
    registry: Any = referencing.Registry().with_resource("urn:discord", resource)
    schema = json.loads(json.dumps(schema).replace('"#/components', '"urn:discord#/components'))
    return jsonschema.Draft202012Validator(schema, registry=registry)


def spec_faults(method: str, path: str, body: Any) -> list[str]:
    """What the description says against a body; [] also where it is absent or knows no such route."""
    for pattern, name, _ in _routes():
        if pattern.fullmatch(path):
            validator = _validator(name, method)
            if validator is not None:
                return [f"{error.json_path}: {error.message[:300]}" for error in validator.iter_errors(body)]
    return []

"""Every command where it may be used, and what people write."""

from __future__ import annotations

from tests.loopback_discord.people import Person


async def test_ask_answers_at_once_with_an_embed(asker: Person) -> None:
    """Fault #1 (Hackster#173): one callback, no deferral."""
    reply = await asker.slash("ask", question="which GPU for NLP under $800?")
    assert reply.kind == 4
    assert reply.embed["title"]
    assert {"cheaper", "memory", "why", "good", "bad", "delete"} <= set(reply.ids)
    assert not reply.ephemeral

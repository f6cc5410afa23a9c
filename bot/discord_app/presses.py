"""What happens when a button is pressed, a menu chosen or the modal sent."""

from __future__ import annotations

import asyncio
import contextlib
from typing import TYPE_CHECKING

import discord

from bot.discord_app.components import chosen_question, modal_text, payload, whynot_modal
from bot.discord_app.next_steps import next_question
from bot.discord_app.send import Outgoing, respond
from bot.storage.querylog import Exchange

if TYPE_CHECKING:
    from bot.discord_app.client import WhichGpuClient

    Interaction = discord.Interaction[WhichGpuClient]

KEPT_WITHIN = 2.0
"""Seconds that a thumb may take to reach the disk."""


async def pressed(interaction: Interaction, action: str, answer_id: str, asker: int) -> None:
    """A button. Thumbs and delete need no memory of the answer; the others do."""
    service = interaction.client.service
    person = interaction.client.asker(interaction)
    if action == "delete":
        await _delete(interaction, asker)
        return
    if action in ("good", "bad"):
        kept = service.log.feedback(answer_id, service.pseudonym(person.id), action == "good")
        # Nobody is thanked for what may be lost. Discord waits for three seconds.
        done = False
        with contextlib.suppress(TimeoutError):
            done = await asyncio.wait_for(asyncio.shield(asyncio.ensure_future(kept)), KEPT_WITHIN)
        text = service.say(person, f"thanks.{action}" if done else "thanks.not_kept")
        await respond(interaction, Outgoing(content=text), private=True)
        return
    exchange = await service.log.exchange(answer_id)
    if exchange is None:
        await respond(interaction, Outgoing(content=service.say(person, "forgotten")), private=True)
        return
    if action == "whynot":
        modal = whynot_modal(answer_id, asker, service.locales, service.language(person))
        await interaction.response.send_modal(modal)
        return
    if action == "why":
        prepared = service.again(exchange)
        await respond(interaction, Outgoing(embed=prepared.embed(full=True)), private=True)
        return
    await _ask_next(interaction, exchange, action, asker)


async def chosen(interaction: Interaction, value: str, answer_id: str, asker: int) -> None:
    """A choice in the menu."""
    service = interaction.client.service
    person = interaction.client.asker(interaction)
    exchange = await service.log.exchange(answer_id)
    answer = service.again(exchange).answer if exchange else None
    question = chosen_question(answer, value) if answer else None
    if exchange is None or answer is None or question is None:
        await respond(interaction, Outgoing(content=service.say(person, "forgotten")), private=True)
        return
    # A choice of what is meant replaces the question; a next question leans on it.
    turns = exchange.turns_before if answer.abstained else (*exchange.turns_before, exchange.question)
    private = _private(interaction, asker)
    await interaction.client.answer_interaction(
        interaction, question, "button", turns, private=private, currency=exchange.currency
    )


async def topic_chosen(interaction: Interaction, entry_id: str) -> None:
    """A question of a topic."""
    client = interaction.client
    person = client.asker(interaction)
    question = client.shelf.question(entry_id, client.service.language(person))
    if question is None:
        await respond(interaction, Outgoing(content=client.service.say(person, "forgotten")), private=True)
        return
    ephemeral = interaction.message is not None and interaction.message.flags.ephemeral
    await client.answer_interaction(interaction, question, "button", private=ephemeral)


async def modal_sent(interaction: Interaction, answer_id: str, asker: int) -> None:
    """ "Why not …" with the card filled in."""
    service = interaction.client.service
    person = interaction.client.asker(interaction)
    exchange = await service.log.exchange(answer_id)
    gpu = modal_text(payload(interaction))
    if exchange is None or not gpu:
        await respond(interaction, Outgoing(content=service.say(person, "forgotten")), private=True)
        return
    await _ask_next(interaction, exchange, "whynot", asker, gpu)


async def _ask_next(interaction: Interaction, exchange: Exchange, action: str, asker: int, gpu: str = "") -> None:
    service = interaction.client.service
    found = next_question(action, exchange, service.again(exchange).answer, service.locales, gpu)
    if found is None:
        person = interaction.client.asker(interaction)
        await respond(interaction, Outgoing(content=service.say(person, "forgotten")), private=True)
        return
    text, turns = found
    await interaction.client.answer_interaction(
        interaction, text, "button", turns, private=_private(interaction, asker), currency=exchange.currency
    )


def _private(interaction: Interaction, asker: int) -> bool:
    """Others who press a button of someone's answer get theirs alone, as do answers under a private one."""
    message = interaction.message
    return interaction.user.id != asker or (message is not None and message.flags.ephemeral)


async def _delete(interaction: Interaction, asker: int) -> None:
    """The asker takes an answer away."""
    service = interaction.client.service
    if interaction.user.id != asker:
        person = interaction.client.asker(interaction)
        await respond(interaction, Outgoing(content=service.say(person, "delete.not_yours")), private=True)
        return
    await interaction.response.defer()
    try:
        await interaction.delete_original_response()
    except discord.NotFound:
        return

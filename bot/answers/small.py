"""Answers that recommend nothing: greetings, other subjects, questions that lack what they are about."""

from __future__ import annotations

from bot.answers.draft import Draft
from bot.answers.figures import headline_figures
from bot.answers.numbers import gbs
from bot.hardware.gpu import Gpu

SMALLTALK = {"who": "who", "thanks": "thanks", "greeting": "hello", "abuse": "grumble"}
"""Ask of the vocabulary -> sentence."""
OTHER_SUBJECTS = {"cpu": "cpu", "games": "gaming", "mining": "mining", "finance": "investing", "coding": "coding"}
_STARTERS = {
    "en": ("which GPU for NLP under $800?", "does a 70B model fit two 3090s?", "what can I run on 12 GB?"),
    "zh": ("3000元预算，入门深度学习买什么卡？", "两张3090能跑70B吗？", "12G显存能跑什么模型？"),
}


def starters(draft: Draft) -> None:
    """Offer the three example questions."""
    language = "en" if draft.request.language == "en" else "zh"
    for question in map(draft.local, _STARTERS[language]):
        draft.suggest(question, question)


def smalltalk(draft: Draft) -> None:
    """One line; examples only after a greeting or when asked who this is."""
    key = next((sentence for ask, sentence in SMALLTALK.items() if ask in draft.request.asks), "smalltalk")
    draft.title = draft.say(key)
    if key in ("hello", "who", "smalltalk"):
        starters(draft)


def out_of_scope(draft: Draft, gpu: Gpu | None) -> None:
    """Says so, names the subject where it is known, and offers what it can say of a card that was named."""
    subject = next((key for ask, key in OTHER_SUBJECTS.items() if ask in draft.request.asks), None)
    draft.title = draft.say(f"out_of_scope.{subject}" if subject else "out_of_scope")
    draft.abstained = True
    if gpu is not None:
        speed = f", {gbs(gpu.bandwidth_gbs)}" if gpu.bandwidth_gbs else ""
        draft.paragraph(draft.say("card_in_passing", gpu=gpu.name, memory=f"{gpu.memory_gb:g} GB", bandwidth=speed))
        draft.gpu_sources(gpu)
    starters(draft)


def ambiguous(draft: Draft, gpu: Gpu | None, year: int) -> None:
    """A card without a question gets its short facts; a question without a subject gets asked back."""
    request = draft.request
    draft.abstained = True
    draft.confidence = 0.6
    if gpu is not None:
        draft.title = draft.say("spec.title", gpu=gpu.name, figures=headline_figures(gpu))
        draft.paragraph(draft.say("what_about_card", gpu=gpu.name))
        draft.gpu_sources(gpu)
        _card_questions(draft, gpu.name)
        return
    about_model = "memory" in request.asks or bool(request.memory_gb) or "what_fits" in request.asks
    draft.title = draft.say("ask_model" if about_model else "ask_needs")
    draft.paragraph(draft.say("tiers", year=year))
    starters(draft)


def _card_questions(draft: Draft, name: str) -> None:
    if draft.request.language == "en":
        questions = (f"what can I run on a {name}?", f"{name} price", f"is the {name} good for training?")
    else:
        questions = (f"{name}能跑什么模型？", f"{name}多少钱？", f"{name}适合训练吗？")
    for question in map(draft.local, questions):
        draft.suggest(question, question)

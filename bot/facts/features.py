"""A text as the features that entries are found by: words, Han characters and pairs, concepts, slots.

Concepts (vram = video memory = 显存) and slots (any card, any amount) let one phrasing stand for many. Both come from
data/vocabulary/synonyms.yaml.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache

from bot.language.normalise import prepare
from bot.tables import DataError, LineDict, read_yaml
from bot.text import fold

_TOKEN = re.compile(r"[a-z0-9]+(?:[.'][a-z0-9]+)*|[\u3400-\u9fff\uf900-\ufaff]+|[^\W_]+")
_HAN = re.compile(r"[\u3400-\u9fff\uf900-\ufaff]")
_LETTERS_DIGITS = re.compile(r"\d+|[a-z]+")
_GLUED = re.compile(r"(?:rtx|gtx|gt|rx)\d.*|\d+[a-z]+\d*")
"""rtx3090, 3090ti, 4x3090 part into letters and digits, for people write them both ways; fp16 and a100 stay."""
_NUMBER_WORDS = {
    "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10, "eleven": 11,
    "twelve": 12, "dozen": 12, "sixteen": 16, "twenty": 20, "twenty-four": 24, "twenty four": 24, "thirty-two": 32,
    "thirty two": 32, "forty": 40, "forty-eight": 48, "forty eight": 48, "sixty-four": 64, "eighty": 80,
    "ninety-six": 96, "hundred": 100,
}  # fmt: skip
_ENGLISH_NUMBER = re.compile(r"\b(?:" + "|".join(sorted(_NUMBER_WORDS, key=len, reverse=True)) + r")\b")
_TENS = {"twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70, "eighty": 80, "ninety": 90}
_SPOKEN_CARD = re.compile(r"\b(nine|ten|sixteen|twenty|thirty|forty|fifty)[- ](fifty|sixty|seventy|eighty|ninety)\b")
"""ten-seventy -> 1070, nine eighty -> 980, thirty-ninety -> 3090."""
_HAN_YEAR = re.compile(r"(?<![\d一二三四五六七八九])([12一二])([0-9一二三四五六七八九零])年")
_HAN_DIGITS = {
    "一": 1,
    "二": 2,
    "两": 2,
    "俩": 2,
    "双": 2,
    "三": 3,
    "四": 4,
    "五": 5,
    "六": 6,
    "七": 7,
    "八": 8,
    "九": 9,
}
_HAN_NUMBER = re.compile(
    r"(?<![一二两三四五六七八九十百千万几])[一二两三四五六七八九]?十?[一二两三四五六七八九]?(?=个?g(?![a-z])|张|块|卡|倍|位)"
)
_SIZE = re.compile(r"(?<![a-z0-9.])(\d{1,3})\s*个?-?\s*(?:gb|gigabytes?|gigs?|g)(?![a-z])")

WORD, HAN, HAN_PAIR, CONCEPT, SLOT = "w", "h", "b", "@", "<"
"""The first letter of a feature says its kind."""


@dataclass(frozen=True, slots=True)
class SearchWords:
    """The synonyms, ready to look up."""

    english: Mapping[str, tuple[str, ...]]
    """Stems joined by blanks -> concepts."""
    chinese: Mapping[str, tuple[str, ...]]
    english_starts: Mapping[str, int]
    """First stem of a phrase -> words in the longest phrase that begins with it."""
    chinese_starts: Mapping[str, tuple[int, ...]]
    """First character of a phrase -> the lengths of the phrases that begin with it."""
    filler: frozenset[str]
    """Stems and Han characters that carry no subject."""
    common: frozenset[str]
    """Stems and Han characters of everyday language."""
    slots: tuple[tuple[str, re.Pattern[str]], ...]
    stems: frozenset[str]
    """Every English stem of a concept."""


@lru_cache(maxsize=20_000)
def stem(word: str) -> str:
    """An English word without its commonest endings; rough, the same for questions and phrasings."""
    if len(word) < 4 or not word.isalpha():
        return word
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    for ending in ("ings", "ing", "edly", "ers", "ed", "er", "ly", "es", "s"):
        if word.endswith(ending) and len(word) - len(ending) >= 3 and not word.endswith("ss"):
            word = word[: -len(ending)]
            break
    if len(word) > 3 and word[-1] == word[-2] and word[-1] not in "sl":
        word = word[:-1]
    return word[:-1] if len(word) > 3 and word.endswith("e") else word


def parse_words(text: str, where: str) -> SearchWords:
    """The synonyms file. Raises DataError."""
    data = read_yaml(text, where)
    if not isinstance(data, LineDict):
        raise DataError(where, 1, None, "the file is not a mapping", "Write concepts:, filler: and slots:")
    for key in data:
        if key not in ("concepts", "filler", "common", "slots"):
            raise DataError(
                where, data.lines[key], key, "this field is not known", "Use concepts, filler, common, slots"
            )
    english: dict[str, tuple[str, ...]] = {}
    chinese: dict[str, tuple[str, ...]] = {}
    concepts = data.get("concepts") or LineDict()
    for concept, words in concepts.items():
        for phrase in (*_list(words, "en", where, concept), *_list(words, "zh", where, concept)):
            folded = fold(phrase)
            chosen = chinese if _HAN.search(folded) else english
            key = folded if chosen is chinese else " ".join(map(stem, _TOKEN.findall(folded)))
            if concept not in chosen.get(key, ()):
                chosen[key] = (*chosen.get(key, ()), concept)
    slots = []
    for slot in data.get("slots") or ():
        try:
            slots.append((str(slot["marker"]), re.compile(slot["pattern"])))
        except (KeyError, TypeError, re.error) as error:
            line = getattr(slot, "line", None)
            raise DataError(
                where, line, "slots", f"the slot does not read ({error})", "Give marker and pattern"
            ) from None
    english_starts: dict[str, int] = {}
    for joined in english:
        parts = joined.split(" ")
        english_starts[parts[0]] = max(english_starts.get(parts[0], 0), len(parts))
    lengths: dict[str, set[int]] = {}
    for phrase in chinese:
        lengths.setdefault(phrase[0], set()).add(len(phrase))
    chinese_starts = {character: tuple(sorted(each)) for character, each in lengths.items()}
    return SearchWords(
        english=english,
        chinese=chinese,
        english_starts=english_starts,
        chinese_starts=chinese_starts,
        filler=_plain_words(data, "filler", where),
        common=_plain_words(data, "common", where),
        slots=tuple(slots),
        stems=frozenset(word for joined in english for word in joined.split(" ")),
    )


def _plain_words(data: LineDict, key: str, where: str) -> frozenset[str]:
    lists = data.get(key) or LineDict()
    return frozenset(map(stem, _list(lists, "en", where, key))) | frozenset(_list(lists, "zh", where, key))


def _list(data: object, key: str, where: str, field: str) -> list[str]:
    if not isinstance(data, LineDict):
        raise DataError(where, None, field, "this is not a mapping", "Write {en: [...], zh: [...]}")
    values = data.get(key) or []
    if not isinstance(values, list) or not all(isinstance(value, str) for value in values):
        problem = "this is not a list of words"
        raise DataError(where, data.line, f"{field}.{key}", problem, "Put yes, no, on, off, true and numbers in quotes")
    return values


def _han_value(match: re.Match[str]) -> str:
    written = match.group()
    if not written:
        return ""
    tens, ten, ones = written.partition("十")
    if not ten:
        return str(_HAN_DIGITS[written]) if len(written) == 1 else written
    return str((_HAN_DIGITS[tens] if tens else 1) * 10 + (_HAN_DIGITS[ones] if ones else 0))


def _digit(character: str) -> str:
    return str(_HAN_DIGITS.get(character, 0)) if character > "9" else character


def _spoken(word: str) -> int:
    return _TENS.get(word) or {"nine": 9, "ten": 10, "sixteen": 16}[word]


def normal_numbers(folded: str) -> str:
    """Number words as figures where they count things, and memory sizes in one spelling: 八个g, eight gigs -> 8gb."""
    if folded.isascii():
        folded = _SPOKEN_CARD.sub(lambda match: f"{_spoken(match.group(1))}{_TENS[match.group(2)]}", folded)
        folded = _ENGLISH_NUMBER.sub(lambda match: str(_NUMBER_WORDS[match.group()]), folded)
    else:
        folded = _HAN_YEAR.sub(lambda match: f"20{_digit(match.group(1))}{_digit(match.group(2))}年", folded)
        folded = _HAN_NUMBER.sub(_han_value, folded)
    return _SIZE.sub(r" \1gb ", folded)


def features(text: str, words: SearchWords, correct: Callable[[str], str] | None = None) -> dict[str, float]:
    """The features of a text and how often each occurs. The text need not be folded.

    `correct` mends a stem that nothing knows (a typo); phrasings are taken as written.
    """
    folded = normal_numbers(prepare(text))
    found: dict[str, float] = {}
    for marker, pattern in words.slots:
        if pattern.search(folded):
            found[SLOT + marker] = 1.0
    run: list[str] = []
    for token in _TOKEN.findall(folded):
        if token[0] >= "\u3400":
            if run:
                _english(run, words, found, correct)
                run = []
            _chinese(token, words, found)
        elif _GLUED.fullmatch(token) and not token.endswith("gb"):
            run.extend(_LETTERS_DIGITS.findall(token))
        else:
            run.append(token)
    if run:
        _english(run, words, found, correct)
    return found


def _english(
    tokens: list[str], words: SearchWords, found: dict[str, float], correct: Callable[[str], str] | None
) -> None:
    stems = [stem(token) for token in tokens]
    if correct:
        stems = [correct(word) for word in stems]
    for index, word in enumerate(stems):
        found[WORD + word] = found.get(WORD + word, 0.0) + 1.0
        joined = word
        for length in range(1, words.english_starts.get(word, 0) + 1):
            for concept in words.english.get(joined, ()):
                found[CONCEPT + concept] = found.get(CONCEPT + concept, 0.0) + 1.0
            if index + length >= len(stems):
                break
            joined = f"{joined} {stems[index + length]}"


def _chinese(run: str, words: SearchWords, found: dict[str, float]) -> None:
    for index, character in enumerate(run):
        key = HAN + character
        found[key] = found.get(key, 0.0) + 1.0
        pair = run[index : index + 2]
        if len(pair) == 2:
            key = HAN_PAIR + pair
            found[key] = found.get(key, 0.0) + 1.0
        for length in words.chinese_starts.get(character, ()):
            for concept in words.chinese.get(run[index : index + length], ()):
                key = CONCEPT + concept
                found[key] = found.get(key, 0.0) + 1.0

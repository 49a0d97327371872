"""Reads a move that a language model wrote, where it can mean one legal move only.

Nothing is guessed from prose: after the mendings below, the whole text must be exactly one of the moves. Each mending
has a name, so that they can be counted. The API itself accepts moves only as they are listed.
"""

from __future__ import annotations

import json
import re
from collections.abc import Container, Iterator, Sequence
from itertools import islice, product
from typing import Final, NamedTuple

from engine.cards import CARD_OF_TEXT, RANKS, SUITS
from engine.game import Game

LONGEST: Final = 400
"""The longest text that is read as a move, in characters."""
MOST_READINGS: Final = 256
"""The most readings of one text that are compared with the moves. Each letter can have two."""

MOST_SPELLINGS: Final = 6
"""The most spellings that are tried of a move that was perhaps made before."""

MENDINGS: Final = {
    "fence": "a code fence or backticks around the move",
    "json": 'a JSON object with only `move`: `{"move": "take"}`',
    "quotes": "quotation marks around the move",
    "blanks": "blanks or line breaks around it, or several between its words",
    "mark": "a trailing full stop, comma, semicolon, colon, exclamation or question mark",
    "case": "capital or small letters",
    "sign": "a suit as a sign: `8♦`",
    "ten": "`10` for `T`: `10D`",
    "words": "a card in words: `8 of diamonds`, `ace of spades`, `8 бубен`, `туз пик`",
    "order": "the suit before the rank: `D8`",
    "cyrillic": "Cyrillic letters: those that look like Latin ones (`ТН`), or Russian ranks and suits (`ДБ`)",
}
"""By name, what is mended. docs/agents.md has the same table."""

_FENCE: Final = re.compile(r"```[A-Za-z]*\s*\n?(.*?)\n?\s*```|`([^`]*)`", re.DOTALL)
_QUOTES: Final = {'"': '"', "'": "'", "“": "”", "«": "»", "‘": "’"}
_MARKS: Final = ".,;:!?"
_SIGNS: Final = str.maketrans("♣♧♦♢♥♡♠♤", "CCDDHHSS", "\ufe0e\ufe0f")
_LOOKALIKES: Final = str.maketrans("АВЕКМНОРСТУХавекмнорстух", "ABEKMHOPCTYXabekmhopctyx")
_RUSSIAN_RANKS: Final = {"В": "J", "Д": "Q", "К": "K", "Т": "A"}
_RUSSIAN_SUITS: Final = {"Т": "C", "К": "C", "Б": "D", "Ч": "H", "П": "S"}


def _by_word(*lines: str) -> dict[str, str]:
    """Return, by each word of the lines in small letters, the first word of its line."""
    return {word.lower(): line.split()[0] for line in lines for word in line.split()}


_RANK_WORDS: Final = _by_word(
    *("2 two двойка", "3 three тройка", "4 four четвёрка четверка", "5 five пятёрка пятерка"),
    *("6 six шестёрка шестерка", "7 seven семёрка семерка", "8 eight восьмёрка восьмерка", "9 nine девятка"),
    *("T ten 10 десятка", "J jack knave валет", "Q queen дама", "K king король", "A ace туз"),
)
_SUIT_WORDS: Final = _by_word(
    *("C club clubs треф трефы крестей", "D diamond diamonds бубен бубны бубей"),
    *("H heart hearts червей червы черв", "S spade spades пик пики"),
)
_IN_WORDS: Final = re.compile(
    rf"\b({'|'.join(sorted(_RANK_WORDS, key=len, reverse=True))})\s+(?:of\s+)?"
    rf"({'|'.join(sorted(_SUIT_WORDS, key=len, reverse=True))})\b",
    re.IGNORECASE,
)
_CYRILLIC: Final = re.compile(r"[\u0400-\u04ff]")


class ReadMove(NamedTuple):
    """A move as it is listed, and the names of the mendings that led to it."""

    move: str
    mended: tuple[str, ...] = ()


class UnclearMove(ValueError):
    """A text that is no move, or could be several. The message says which."""


class WrittenMoves:
    """All texts that are written like a move of a game, for matches that list no moves."""

    def __init__(self, game: type[Game]) -> None:
        self._game = game

    def __contains__(self, text: object) -> bool:
        verb, *words = str(text).split(" ")
        possible = verb in self._game.verbs and len(words) <= self._game.most_cards
        return possible and all(word in CARD_OF_TEXT or word in self._game.words for word in words)


def read_move(text: str, moves: Container[str]) -> ReadMove:
    """Return the one move of `moves` that the text can mean. Raise `UnclearMove`."""
    if text in moves:
        return ReadMove(text)
    if len(text) > LONGEST:
        raise UnclearMove(f"a move has at most {LONGEST} characters")
    bare, mended = _unwrapped(text)
    found: dict[str, tuple[str, ...]] = {}
    for reading, more in _readings(bare):
        if reading in moves:
            found.setdefault(reading, tuple(dict.fromkeys((*mended, *more))))
    if len(found) > 1:
        raise UnclearMove(f"it can mean {' or '.join(found)}")
    if not found:
        raise UnclearMove("it is none of the moves")
    ((move, names),) = found.items()
    return ReadMove(move, names)


def spellings(text: str) -> list[str]:
    """Return what a text can be as a move, whatever the moves are."""
    if len(text) > LONGEST:
        return []
    bare, _ = _unwrapped(text)
    return list(dict.fromkeys([text, *(reading for reading, _ in _readings(bare))]))[:MOST_SPELLINGS]


def _unwrapped(text: str) -> tuple[str, list[str]]:
    """Return the text without what stands around a move, and the mendings."""
    mended: list[str] = []
    while True:
        before = text
        if text != (text := text.strip()):
            mended.append("blanks")
        if (fenced := _FENCE.fullmatch(text)) is not None:
            text = fenced[1] if fenced[1] is not None else fenced[2]
            mended.append("fence")
        elif (inner := _from_json(text)) is not None:
            text = inner
            mended.append("json")
        elif len(text) > 1 and _QUOTES.get(text[0]) == text[-1]:
            text = text[1:-1]
            mended.append("quotes")
        elif text and text[-1] in _MARKS:
            text = text[:-1]
            mended.append("mark")
        if text == before:
            return text, mended


def _from_json(text: str) -> str | None:
    """Return the move of an object with only `move`."""
    if not text.startswith("{"):
        return None
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    if isinstance(value, dict) and list(value) == ["move"] and isinstance(value["move"], str):
        return value["move"]
    return None


def _readings(text: str) -> Iterator[tuple[str, list[str]]]:
    """Yield what the text can be as a move, each with its mendings."""
    mended: list[str] = []
    if text != (text := " ".join(text.split())):
        mended.append("blanks")
    if text != (text := _IN_WORDS.sub(_card_of_words, text)):
        mended.append("words")
    if text != (text := text.translate(_SIGNS)):
        mended.append("sign")
    choices = [_word_readings(word, at) for at, word in enumerate(text.split(" "))]
    for words in islice(product(*choices), MOST_READINGS):
        names = [name for _, more in words for name in more]
        yield " ".join(word for word, _ in words), [*mended, *names]


def _card_of_words(found: re.Match[str]) -> str:
    return _RANK_WORDS[found[1].lower()] + _SUIT_WORDS[found[2].lower()]


def _word_readings(word: str, at: int) -> Sequence[tuple[str, list[str]]]:
    """Return the readings of one word: the first is a verb, the others cards or words such as `last`."""
    names: list[str] = []
    if at and word[-1:] in _MARKS and word != (word := word.rstrip(_MARKS)):
        names.append("mark")
    spellings = [(word, names)]
    if _CYRILLIC.search(word):
        spellings = [(each, [*names, "cyrillic"]) for each in _latin(word)]
    found: dict[str, list[str]] = {}
    for spelling, more in spellings:
        for reading, extra in _verb(spelling) if at == 0 else _card(spelling):
            found.setdefault(reading, [*more, *extra])
    return list(found.items())


def _latin(word: str) -> Iterator[str]:
    """Yield the Latin spellings of a word with Cyrillic letters."""
    alike = word.translate(_LOOKALIKES)
    if not _CYRILLIC.search(alike):
        yield alike
    capital = word.upper()
    rank, suit = capital[:-1], capital[-1:]
    # Never both: no Russian suit looks like a Latin one.
    if suit in _RUSSIAN_SUITS and (rank in _RUSSIAN_RANKS or rank.isdecimal()):
        yield _RUSSIAN_RANKS.get(rank, rank) + _RUSSIAN_SUITS[suit]


def _verb(word: str) -> list[tuple[str, list[str]]]:
    return [(word, [])] if word.islower() else [(word.lower(), ["case"])]


def _card(word: str) -> list[tuple[str, list[str]]]:
    """Return the readings of a word after the verb."""
    found: list[tuple[str, list[str]]] = [(word, [])]
    capital, names = word.upper(), [] if word == word.upper() else ["case"]
    if capital != (capital := capital.replace("10", "T")):
        names = [*names, "ten"]
    if len(capital) == 2 and capital[0] in SUITS and capital[1] in RANKS:
        capital, names = capital[::-1], [*names, "order"]
    found.append((capital, names))
    if word != word.lower():
        found.append((word.lower(), ["case"]))  # `declare last`
    return found

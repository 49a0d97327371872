"""Turns of played deals, and a reader of turns in words that returns what they say."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from random import Random
from typing import Any

from bots.house import HEURISTICS, GreedyBot
from engine.game import CHANCE, Event, Game
from engine.match import Match
from records.match.events import started
from records.page.language import languages
from records.page.words import WORDS
from records.words.fields import FieldKind, kinds_of, label
from records.words.phrases import PHRASES
from tests.engine.lines import LineOfPlay, legal_texts

Json = dict[str, Any]


def table_of(game: Game) -> Json:
    return {"game": game.id, "seats": game.seats, "options": dict(game.options)}


def turn_at(line: LineOfPlay, step: int, seat: int) -> tuple[Json, list[Json]]:
    """Return the turn of a seat at a step of a deal, and the events that it has seen of this deal."""
    game, state = line.game, line.states[step]
    events = [Event({"type": "deal", "deal": line.number, "dealer": line.dealer}), *line.events(0)]
    for at, (mover, text) in enumerate(line.texts()[:step], start=1):
        events += [Event({"type": "move", "seat": mover, "move": text}), *line.events(at)]
    free = [game.text(state, move) for move in game.free_moves(state, seat)]
    observation = {
        "game": game.id,
        "deal": line.number,
        "deals": line.number + 1,
        "dealer": line.dealer,
        "scores": [0] * game.seats,
        **game.observe(state, seat),
        "legal_moves": [text for text in legal_texts(game, state, seat) if text not in free],
        "free_moves": free,
    }
    return turn_of(observation, step + 1), [event.view(seat) for event in events]


def turn_of(observation: Json, number: int) -> Json:
    """Return the observation as a turn with distinct clocks."""
    return {
        "match": "17hq2k4m9x0c",
        "turn": number,
        "deal": observation["deal"],
        "seat": observation["seat"],
        "observation": observation,
        "clocks": [
            {"bank_ms": 30000 - 7 * seat * number, "strikes": seat % 2}
            for seat in range(len(observation["scores"]))
        ],
        "deadline": "2026-11-21T18:00:37.000Z" if number % 5 else None,
        "now": "2026-11-21T18:00:02.250Z",
    }


def sensible_turns(game: Game, seed: int) -> Iterator[tuple[Json, list[Json]]]:
    """Yield the turns of a match of greedy bots, each with the events of its seat so far."""
    rng, bot = Random(seed), GreedyBot(HEURISTICS)
    match = Match(game, None, rng.randrange(game.seats))
    state, happened, number = match.begin(), [started(match)], 0
    while not state.over:
        if state.to_move == CHANCE:
            deck = list(game.pack)
            rng.shuffle(deck)
            happened.append(Event({"type": "deal", "deal": state.number, "dealer": state.dealer}))
            state = match.deal(state, deck)
            happened += match.deal_events(state)
            continue
        number, seat = number + 1, state.to_move
        view = match.view(state, seat)
        turn = turn_of(view, number)
        turn["clocks"] = [{"bank_ms": 30000, "strikes": 0} for _ in range(game.seats)]
        yield turn, [event.view(seat) for event in happened]
        move = match.parse(state, seat, bot.choose(game, view, view["legal_moves"], rng))
        after = match.play(state, seat, move)
        happened += match.events(state, seat, move, after)
        state = after


class WordedTurn:
    """What a turn in words says."""

    def __init__(self, text: str, game: Game, language: str) -> None:
        self.text, self.game, self.language = text, game, language
        self.words = PHRASES[language]
        self.lines = text.split("\n")
        translated = languages()[language].messages.gettext
        self.values = {
            translated(word): key.removeprefix("value ")
            for key, word in WORDS.items()
            if key.startswith("value ")
        }

    def after(self, key: str) -> str | None:
        """Return the rest of the line that begins with these words."""
        head = f"{self.words[key]}: "
        return next((line.removeprefix(head) for line in self.lines if line.startswith(head)), None)

    def head(self) -> Json:
        pattern = re.escape(self.words["head"]).replace(r"\#", "#")
        pattern = re.sub(r"\\\{(\w+)\\\}", r"(?P<\1>.+?)", pattern)
        found = re.fullmatch(pattern, self.lines[0])
        assert found is not None, self.lines[0]
        values: Json = found.groupdict()
        assert values.pop("game") == self.game.title[self.language]
        scores = [int(score) for score in values.pop("scores").split(" ")]
        return {
            "match": values.pop("match"),
            "scores": scores,
            **{name: int(text) for name, text in values.items()},
        }

    def observation(self) -> Json:
        kinds, head = kinds_of(type(self.game)), self.head()
        seen: Json = {name: self._absent(name, kind) for name, kind in kinds.items()}
        table = self.after("table")
        assert table is not None
        for part in table.split("; "):
            name, text = self._field(part)
            if name == "moves_made":
                seen["moves_made"], seen["turn_limit"] = map(int, text.split("/"))
            else:
                seen[name] = self._value(name, kinds[name], text)
        hand = sorted(cards_of(self.after("hand") or "-"))
        seen |= {"hand": hand, "hand_sizes": [0] * self.game.seats, "question": self._question()}
        seen["hand_sizes"][head["seat"]] = len(hand)
        for line in self.lines:
            if (found := re.match(r"#(\d+)(?: \(\w+\))?: ", line)) is not None:
                self._add_seat(seen, int(found[1]), line[found.end() :].split("; "))
        seen["legal_moves"], seen["free_moves"] = self._moves()
        return seen

    def clocks(self) -> tuple[int | None, list[Json]]:
        """Return the time left in ms, and the clocks."""
        left, banks, strikes = (self.after("time") or "").split("; ")
        both = [
            part.removeprefix(self.words[key] + " ").split(" ")
            for key, part in (("banks", banks), ("strikes", strikes))
        ]
        bank, strike = (part * self.game.seats if len(part) == 1 else part for part in both)
        clocks = [
            {"bank_ms": round(float(one) * 1000), "strikes": int(other)}
            for one, other in zip(bank, strike, strict=True)
        ]
        return None if left == self.words["no limit"] else round(float(left.split(" ")[0]) * 1000), clocks

    def _absent(self, name: str, kind: FieldKind) -> Any:
        seats = range(self.game.seats)
        if kind is FieldKind.SCALAR:
            return False if name in ("taking", "miser", "whole_pile") else None
        if kind is FieldKind.BY_SEAT:
            return [0 for _ in seats]
        if kind is FieldKind.CARDS_BY_SEAT:
            return [[] for _ in seats]
        return []

    def _field(self, part: str) -> tuple[str, str]:
        labels = {label(self.language, name): name for name in kinds_of(type(self.game))}
        found = max((each for each in labels if part.startswith(each + " ")), key=len)
        return labels[found], part.removeprefix(found + " ")

    def _value(self, name: str, kind: FieldKind, text: str) -> Any:
        if kind is FieldKind.SCALAR:
            if name in ("taking", "miser", "whole_pile"):
                return True
            text = self.values.get(text, text)
            return int(text) if text.isdigit() and name != "lowest_rank" else text
        if kind is FieldKind.CARDS:
            return text.split(" ")
        if kind is FieldKind.SEATS:
            return [int(seat) for seat in text.split(" ")]
        if kind is FieldKind.GROUPS:
            return [[int(seat) for seat in group.split(" ")] for group in text.split(", ")]
        return [
            [int(cell) if cell.isdigit() else None if cell == "-" else cell for cell in row.split("/")]
            for row in text.split(", ")
        ]

    def _add_seat(self, seen: Json, seat: int, parts: list[str]) -> None:
        size = re.escape(self.words["hand size"]).replace(r"\{count\}", r"(\d+)")
        for part in parts:
            if (count := re.fullmatch(size, part)) is not None:
                seen["hand_sizes"][seat] = int(count[1])
                continue
            name, text = self._field(part)
            cards = kinds_of(type(self.game))[name] is FieldKind.CARDS_BY_SEAT
            seen[name][seat] = sorted(cards_of(text)) if cards else text if text.isalpha() else int(text)

    def _question(self) -> str:
        questions = {
            self.words["question"].format(question=words): key.removeprefix("ask ")
            for key, words in self.words.items()
            if key.startswith("ask ")
        }
        return next(questions[line] for line in self.lines if line in questions)

    def _moves(self) -> tuple[list[str], list[str]]:
        lines = self.lines[self.lines.index(self.words["moves"]) + 1 :]
        free = [
            line.removeprefix(self.words["free"] + " ")
            for line in lines
            if line.startswith(self.words["free"])
        ]
        legal = [line for line in lines if not line.startswith(self.words["free"])]
        return moves_in(legal, self.language), moves_in(free, self.language)


def moves_in(lines: Sequence[str], language: str) -> list[str]:
    """Return the moves that lines state, in ascending order."""
    return sorted(move for line in lines for move in _listed(line, language))


def _listed(line: str, language: str) -> list[str]:
    form, *sets = line.split(", ")
    if not sets:
        return line.split(" | ")
    verb, *letters = form.split(" ")
    heads = [PHRASES[language][key].split("{letter}")[1].split("{cards}")[0] for key in ("set", "another")]
    cards = {
        part[0]: cards_of(next(part[1:].removeprefix(head) for head in heads if head in part))
        for part in sets
    }
    places = [cards.get(letter, [letter]) for letter in letters]
    return [" ".join([verb, *each]) for each in product(*places) if len(set(each)) == len(each)]


def cards_of(text: str) -> list[str]:
    """Return the cards of a text such as `C 79 H T`."""
    words = [] if text == "-" else text.split(" ")
    return [rank + suit for suit, ranks in zip(words[::2], words[1::2], strict=True) for rank in ranks]


def comparable(observation: Mapping[str, Any]) -> Json:
    """Return an observation as `WordedTurn.observation` returns it: sets of cards are sorted, rows are lists."""
    game_kinds = {"game", "deal", "deals", "dealer", "scores", "seat", "to_move"}
    found = {name: value for name, value in observation.items() if name not in game_kinds}
    for name in ("hand", "legal_moves", "free_moves"):
        found[name] = sorted(found[name])
    for name, value in found.items():
        if isinstance(value, list) and value and isinstance(value[0], dict):
            found[name] = [list(row.values()) for row in value]
        elif name in ("known", "taken", "hands") and value:
            found[name] = [sorted(cards) for cards in value]
    return {name: _or_nothing(value) for name, value in found.items()}


def _or_nothing(value: Any) -> Any:
    """Return `None` for a list that says nothing: the words leave it out, as they do a null."""
    return None if isinstance(value, list) and not any(each != [] for each in value) else value

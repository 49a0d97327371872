"""A turn as one message of plain text that needs no earlier message.

It says what the turn's JSON says, in the same numbers, and what follows from the events of the deal: what happened
since the seat's last move, which cards are out of sight, and which the seat has not seen.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, Final

from engine.cards import SUITS
from engine.game import Game
from engine.registry import GAMES
from records.match.assist import LETTERS, MoveForm, shown_moves
from records.page.language import languages
from records.page.words import TableText
from records.words.fields import FieldKind, by_suits, kinds_of, label, seat_text, value_text
from records.words.past import seen_cards, since_own_move
from records.words.phrases import PHRASES

BETWEEN: Final = " | "


def move_lines(language: str, forms: Sequence[MoveForm]) -> list[str]:
    """Return lines that state exactly these moves."""
    single = [form.move for form in forms if not form.cards]
    several = [_line(language, form) for form in forms if form.cards]
    return [*([BETWEEN.join(single)] if single else []), *several]


def _line(language: str, form: MoveForm) -> str:
    words = PHRASES[language]
    sets = [
        words["set" if letter == LETTERS[0] else "another"].format(letter=letter, cards=by_suits(cards))
        for letter, cards in form.cards.items()
    ]
    return ", ".join([form.move, *sets])


Json = Mapping[str, Any]
MOST_EVENTS: Final = 24
"""The latest events that a message tells."""
_UNTOLD: Final = frozenset({"bout", "started", "dealt", "trick_over", "out"})
"""Events that say nothing beyond the table below them."""


def turn_text(turn: Json, table: Json, events: Sequence[Json], language: str = "en") -> str:
    """Return a turn in words, without empty lines.

    `turn` is a turn as the service sends it, and `table` has the `game`, the number of `seats` and the `options`.
    `events` are those that the seat has seen: of the current deal, and any before since its last move. If the first
    events of the deal are missing, nothing is said of cards out of sight.
    """
    game = GAMES[table["game"]].table(table["seats"], table["options"])
    return "\n".join(_TurnWords(turn, game, events, language).lines())


class _TurnWords:
    def __init__(self, turn: Json, game: Game, events: Sequence[Json], language: str) -> None:
        self.turn, self.game, self.events, self.language = turn, game, events, language
        self.seen: Json = turn["observation"]
        self.seat: int = turn["seat"]
        self.words = PHRASES[language]
        self.kinds = kinds_of(type(game))
        names = [f"#{seat}" for seat in range(game.seats)]
        self.told = _PlainText(languages()[language], names, game=game.id)

    def lines(self) -> Iterator[str]:
        """Yield the lines of the message."""
        turn, seen, words = self.turn, self.seen, self.words
        yield words["head"].format(
            game=self.game.title[self.language],
            match=turn["match"],
            turn=turn["turn"],
            deal=seen["deal"],
            deals=seen["deals"],
            seat=self.seat,
            seats=self.game.seats,
            dealer=seen["dealer"],
            scores=" ".join(map(str, seen["scores"])),
        )
        yield self._since()
        question = seen["question"]
        yield words["question"].format(question=words.get(f"ask {question}", question))
        yield f"{words['hand']}: {by_suits(seen['hand'])}"
        yield f"{words['table']}: " + "; ".join(self._table())
        yield from self._seats()
        yield from self._hidden()
        yield f"{words['time']}: {self._time()}; {self._clocks()}"
        moves = move_lines(self.language, shown_moves(seen))
        yield words["moves" if moves else "moves unlisted"]
        yield from moves
        if seen["free_moves"]:
            yield f"{words['free']} " + " | ".join(seen["free_moves"])

    def _table(self) -> Iterator[str]:
        for name, kind in self.kinds.items():
            if kind not in (FieldKind.BY_SEAT, FieldKind.CARDS_BY_SEAT):
                text = value_text(self.told, kind, self.seen[name])
                if name == "moves_made":
                    text = f"{text}/{self.seen['turn_limit']}"
                if text is not None and name != "turn_limit":
                    yield f"{label(self.language, name)} {text}"

    def _seats(self) -> Iterator[str]:
        for seat in range(self.game.seats):
            parts = list(self._seat(seat))
            if seat != self.seat:
                size = self.words["hand size"].format(count=self.seen["hand_sizes"][seat])
                yield f"#{seat}: {'; '.join([size, *parts])}"
            elif parts:
                yield f"#{seat} ({self.words['you']}): {'; '.join(parts)}"

    def _seat(self, seat: int) -> Iterator[str]:
        """Yield what the fields by seat say of one."""
        for name, kind in self.kinds.items():
            if kind in (FieldKind.BY_SEAT, FieldKind.CARDS_BY_SEAT) and self.seen[name] is not None:
                text = seat_text(kind, self.seen[name][seat])
                if text is not None:
                    yield f"{label(self.language, name)} {text}"

    def _clocks(self) -> str:
        clocks = self.turn["clocks"]
        banks = _each([_seconds(clock["bank_ms"]) for clock in clocks])
        strikes = _each([str(clock["strikes"]) for clock in clocks])
        return f"{self.words['banks']} {banks}; {self.words['strikes']} {strikes}"

    def _time(self) -> str:
        deadline = self.turn["deadline"]
        if deadline is None:
            return self.words["no limit"]
        left = datetime.fromisoformat(deadline) - datetime.fromisoformat(self.turn["now"])
        return _seconds(max(0, round(left.total_seconds() * 1000))) + f" {self.words['seconds']}"

    def _since(self) -> str:
        """Return what happened after the seat's last move."""
        since = since_own_move(self.events, self.seat)
        told = [text for event in since if (text := self._event(event))]
        omitted = len(told) - MOST_EVENTS
        if omitted > 0:
            told = [self.words["omitted"].format(count=omitted), *told[omitted:]]
        has_moved = bool(since) and since[0]["type"] == "move" and since[0]["seat"] == self.seat
        head = self.words["since" if has_moved else "since deal"]
        return f"{head} {'; '.join(told) or self.words['nothing']}."

    def _event(self, event: Json) -> str:
        if event["type"] in _UNTOLD:
            return ""
        text = self.told.event(event)
        if event["type"] == "drawn":
            if event.get("cards"):
                text += f": {' '.join(event['cards'])}"
            elif event.get("trump_card"):
                text += f", {self.words['drew'].format(card=event['trump_card'])}"
        return text

    def _hidden(self) -> Iterator[str]:
        """Yield what the events of the deal say of cards that the table does not show."""
        found = seen_cards(self.game, self.seen, self.events)
        if found is None:
            return
        if found.gone:
            key = "gone durak" if "discard" in self.seen else "gone pile" if "pile" in self.seen else "gone"
            yield f"{self.words[key]}: {by_suits(found.gone)}"
        if found.unseen:
            key = "unseen" if found.holder is None else "deduced"
            yield f"{self.words[key].format(seat=found.holder)}: {by_suits(found.unseen)}"


class _PlainText(TableText):
    """Events in words, with cards and suits in the protocol's notation."""

    def card(self, card: str) -> str:
        return card

    def move(self, text: str, seat: int | None = None) -> str:
        return text

    def value(self, value: object) -> str:
        return value if isinstance(value, str) and value in SUITS else super().value(value)


def _seconds(ms: int) -> str:
    return f"{ms / 1000:.3f}".rstrip("0").rstrip(".")


def _each(values: Sequence[str]) -> str:
    """Return the values by seat, or one value that all seats have."""
    return values[0] if len(set(values)) == 1 else " ".join(values)

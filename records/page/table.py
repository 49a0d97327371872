"""One place in a match as text, for its page without scripts; the data of the card table; the score sheet."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from engine.games.king import CONTRACTS, King
from records.match.frames import Frame
from records.page.words import END, TableText

_FIELD: Final = "field "


class MovePlace(NamedTuple):
    """A deal and the number of a move in it, from 1; 0 stands for the moment before the first."""

    deal: int
    move: int


class PlacedFrame(NamedTuple):
    """A frame and where it stands."""

    frame: Frame
    place: MovePlace


class MoveLine(NamedTuple):
    """A line in the list of moves."""

    place: MovePlace
    who: str
    text: str
    ms: int | None
    charged: int
    note: str


class SeatLine(NamedTuple):
    """A seat at the shown place."""

    name: str
    cards: str
    hidden: int
    score: int
    to_move: bool
    bank_ms: int
    strikes: int


def table_data(words: Mapping[str, Any], **fields: Any) -> dict[str, Any]:
    """Return what `static/table.js` reads from a page: `TableText.to_json` and these fields; the others are empty."""
    nothing = dict.fromkeys(("address", "source", "stream", "seat", "deal", "move", "clock"))
    return {**nothing, "live": False, "all": False, "hides": False, **words, **fields}


def key_of_move(seat: int, turn: int | None, deal: int | None, move: str) -> str:
    """Return the key of a move in its match: its turn, or for a free move its seat, deal and text."""
    return f"{seat} {deal} {move}" if turn is None else str(turn)


def whole(text: str | None, most: int) -> int | None:
    """Return the whole number from 0 to `most` that a part of an address denotes; `None` for anything else."""
    if text is None or not (text.isascii() and text.isdigit() and len(text) < 10):
        return None
    return int(text) if int(text) <= most else None


def placed(frames: Sequence[Frame]) -> list[PlacedFrame]:
    """Return frames with their places. The first of them must be the first of its deal."""
    found: list[PlacedFrame] = []
    place = MovePlace(0, 0)
    for frame in frames:
        deal = frame.observation["deal"]
        moves = sum(event["type"] == "move" for event in frame.events)
        place = MovePlace(deal, (place.move if place.deal == deal else 0) + moves)
        found.append(PlacedFrame(frame, place))
    return found


class TablePage:
    """A deal of a match at one of its moves."""

    def __init__(
        self,
        text: TableText,
        frames: Sequence[Frame],
        move: int,
        seat: int | None,
        thoughts: Mapping[str, str] = MappingProxyType({}),
    ) -> None:
        """`frames` are those of one deal. `move` is clamped to its moves; `seat` is only part of links. `thoughts` are
        those of the bots by `key_of_move`."""
        self.text, self.seat, self._thoughts = text, seat, thoughts
        self.frames = placed(frames)
        later = (found for found in self.frames if found.place.move >= move and _dealt(found.frame))
        self.shown = next(later, self.frames[-1])
        self.deals: int = self.frame.observation["deals"]

    @property
    def frame(self) -> Frame:
        """The shown frame."""
        return self.shown.frame

    @property
    def deal(self) -> int:
        """The shown deal."""
        return self.shown.place.deal

    @property
    def move(self) -> int:
        """The number of the last move before the shown table."""
        return self.shown.place.move

    @property
    def at(self) -> int | str:
        """What names the shown step in its deal: its move, or `END`."""
        return END if _ends(self.frame) else self.move

    @property
    def before(self) -> int | None:
        """The move of the step before; `None` at the start of the deal."""
        return self.move if self.at == END else self.move - 1 if self.move else None

    @property
    def after(self) -> int | str | None:
        """What names the step after, as `at` does; `None` at the end of the deal so far."""
        if self.move < self.frames[-1].place.move:
            return self.move + 1
        return END if _ends(self.frames[-1].frame) and self.at != END else None

    def link(self, deal: int, move: int | str) -> str:
        """Return the query of a place in the match; `move` may be `END`."""
        seat = "" if self.seat is None else f"&seat={self.seat}"
        return f"?deal={deal}&move={move}{seat}"

    def happened(self) -> list[str]:
        """Return what happened in the shown step, and the notes on it."""
        texts = [self.text.event(event) for event in self.frame.events]
        notes = [event["note"] for event in self.frame.events if "note" in event]
        return [text for text in [*texts, *notes] if text]

    def thoughts(self) -> str:
        """Return what the bot thought that moved in the shown step; empty if that is unknown."""
        moves = (event for event in self.frame.events if event["type"] == "move")
        keys = (key_of_move(each["seat"], each.get("turn"), self.deal, each["move"]) for each in moves)
        return next((self._thoughts[key] for key in keys if key in self._thoughts), "")

    def seats(self) -> list[SeatLine]:
        """Return the seats with their cards, as far as the frame has them."""
        seen = self.frame.observation
        return [
            SeatLine(
                name,
                *self._cards(seen, seat),
                score=seen["scores"][seat],
                to_move=seen.get("to_move") == seat,
                bank_ms=self.frame.clocks.bank[seat],
                strikes=self.frame.clocks.strikes[seat],
            )
            for seat, name in enumerate(self.text.seats)
        ]

    def facts(self) -> Iterator[tuple[str, str]]:
        """Yield what else is open at the table: its names and values."""
        for name, value in self.frame.observation.items():
            label = self.text.words.get(_FIELD + name)
            if label is not None and value is not None and value != []:
                is_seat = name in ("attacker", "defender")
                yield label, self.text.seat(value) if is_seat else self._value(value)

    def moves(self) -> list[MoveLine]:
        """Return the moves of the deal."""
        return [
            MoveLine(
                place,
                short(self.text.seat(event["seat"])),
                self.text.move(event["move"], event["seat"])
                + (f" ({self.text.words['by ' + event['by']]})" if "by" in event else ""),
                event.get("ms"),
                frame.charged,
                event.get("note", ""),
            )
            for frame, place in self.frames
            for event in frame.events
            if event["type"] == "move"
        ]

    def _cards(self, seen: Mapping[str, Any], seat: int) -> tuple[str, int]:
        """Return the visible cards of a seat as text, and the number of the others."""
        size = seen.get("hand_sizes", [0] * len(self.text.seats))[seat]
        if seen.get("hands") is not None:
            cards = seen["hands"][seat]
        elif seen.get("seat") == seat:
            cards = seen["hand"]
        else:
            cards = seen.get("known", [[]] * len(self.text.seats))[seat]
        return self.text.value(cards), size - len(cards)

    def _value(self, value: Any) -> str:
        if isinstance(value, list) and value and isinstance(value[0], list):
            return ", ".join(self._pair(pair) for pair in value)
        return self.text.value(value)

    def _pair(self, pair: Sequence[Any]) -> str:
        first, second = pair
        if isinstance(first, int):
            return f"{self.text.seat(first)} {self.text.value(second)}"
        return " / ".join(self.text.value(card) for card in pair)


def _ends(frame: Frame) -> bool:
    return any(event["type"] == "match_over" for event in frame.events)


def _dealt(frame: Frame) -> bool:
    return frame.observation.get("hand_sizes") is not None


def short(name: str) -> str:
    """Return a bot's name without its owner."""
    return name.partition("/")[2] or name


def short_names(names: Sequence[str]) -> list[str]:
    """Return names without their owners, where that leaves no two alike."""
    shorts = [short(name) for name in names]
    return [one if shorts.count(one) == 1 else whole for one, whole in zip(shorts, names, strict=True)]


MOST_DEALS: Final = 24
"""Up to how many deals a match has a sheet."""


class DealLine(NamedTuple):
    """A deal."""

    number: int
    contract: str
    """What is played for, in King; else empty."""
    returns: Sequence[int] | None
    """By seat; `None` until the deal is over."""


class ScoreSheet:
    """The deals of a match, those that are still to be played too, and the sums."""

    def __init__(
        self, text: TableText, deals: int, scores: Sequence[int], events: Iterable[Mapping[str, Any]]
    ) -> None:
        """`events` are those of the match, of which only the ends of deals count."""
        self._text, self.scores = text, scores
        self.names = short_names(text.seats)
        contracts = [text.value(each.name) for each in CONTRACTS] if text.game == King.id else [""] * deals
        returns = {event["deal"]: event["returns"] for event in events if event["type"] == "deal_over"}
        self.lines = [
            DealLine(number, contract, returns.get(number)) for number, contract in enumerate(contracts, 1)
        ]

    def word(self, key: str) -> str:
        """Return a word of the table in the reader's language."""
        return self._text.words[key]

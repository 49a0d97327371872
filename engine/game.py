"""The contract between a game and everything round it.

A **game** here is one set of rules at one table: a number of seats and complete options, fixed. It turns
states into states and keeps none. A **state** is one deal in progress: an immutable `NamedTuple` that has at
least the fields of `State`. The deck enters as a move of chance, so a deal is determined by
game, seats, options, number in the match, dealer, deck and moves (rules page, "Common to all").

Two kinds of moves:

* an **answer** is one of `state.legal`, the moves that answer the question asked of `state.to_move`;
* a **free move** (`exchange`) answers no question, on turn or off (`Game.free_moves`).

Legality is membership in these generated tuples and nothing else.
"""

from __future__ import annotations

import abc
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, ClassVar, Final, NamedTuple, Protocol, Self

from engine.quoting import quoted
from engine.relabelling import ALL_RELABELLINGS, Suits

NOBODY: Final = -2
"""`to_move` of a state that is over."""
CHANCE: Final = -1
"""`to_move` of a match that waits for a deck."""

Move = int
"""A move inside: a small int whose meaning belongs to the game and the state. Text at the edge."""
Options = Mapping[str, Any]


class State(Protocol):
    """What every game's state of a deal has. Games add their own fields and read those of no other."""

    @property
    def to_move(self) -> int:
        """The seat asked, or `NOBODY` when the deal is over."""

    @property
    def legal(self) -> tuple[Move, ...]:
        """All answers to the question now asked; empty exactly when the deal is over."""


class Event(NamedTuple):
    """Something that happened, as all may see it, and what single seats see besides.

    Every viewer receives every event, so that numbers betray nothing; only the fields differ. An event is
    therefore only made of facts that anybody at the table notices (that two cards were drawn, not which).
    """

    public: dict[str, Any]
    private: Mapping[int, dict[str, Any]] = MappingProxyType({})

    def view(self, seat: int | None) -> dict[str, Any]:
        """The event as this seat sees it; `None` is a spectator."""
        own = self.private.get(seat) if seat is not None else None
        return {**self.public, **own} if own else self.public


class Refusal(ValueError):
    """Base of everything that the rules refuse. Nothing has changed."""


class BadTable(Refusal):
    """A table that the game does not have. `field` is the option (or `seats`, `deals`, `dealer`), `value` what
    was given, `expected` what would be right, in words."""

    def __init__(self, field: str, value: object, expected: str) -> None:
        super().__init__(f"{field}: {quoted(value)} is refused; right would be {expected}")
        self.field, self.value, self.expected = field, value, expected


class NotAMove(Refusal):
    """A text that is no move of this game in any state. The message says what a move looks like."""


class IllegalMove(Refusal):
    """A move of the game that is not legal now. The message gives the reason."""


class BadDeck(Refusal):
    """A deck that is not the game's whole pack, each card once."""


class Game:
    """One game at one table. Make one with `Game.table(seats, options)`; it is immutable and may be shared.

    Class attributes describe the game to people and to forms; the methods are its rules. What is marked abstract a
    game must define. (No `abc.ABC`: mypyc lets its subclasses share the answers to `isinstance`.)
    """

    id: ClassVar[str]
    title: ClassVar[Mapping[str, str]]
    """The game's name by language, at least `en` and `ru`."""
    rules_version: ClassVar[str]
    """Changes whenever the same moves could mean another game: `1`, `2`, …"""
    seat_counts: ClassVar[tuple[int, ...]]
    fixed_deals: ClassVar[int | None] = None
    """The deals of a match where the rules fix them (King: 12); else a match takes 1 to 1000."""
    option_schemas: ClassVar[Mapping[str, Mapping[str, Any]]]
    """JSON Schema (2020-12) of each option with `title`, `description` and, where it is constant, `default`."""
    observation: ClassVar[type]
    """A `TypedDict` of the types of `engine.seen`, each with a description: what `observe` returns."""
    free_move_texts: ClassVar[frozenset[str]] = frozenset()
    """The texts of moves that can be free (`exchange`): they are sent for a deal instead of a turn."""
    safe_move_text: ClassVar[str]
    """The safe move in one English sentence."""
    verbs: ClassVar[tuple[str, ...]]
    """The first words of all its moves, ascending. What follows is cards, or one of `words`."""
    words: ClassVar[tuple[str, ...]] = ()
    """What can follow a verb and is no card."""
    most_cards: ClassVar[int] = 2
    """No move names more cards than this."""
    hands_bind: ClassVar[bool] = False
    """Whether what a hand holds forbids it other moves (following suit), so that a move tells what it does not hold."""
    zero_sum: ClassVar[bool] = False
    """Whether the scores of a whole match always sum to 0."""

    seats: int
    options: Mapping[str, Any]
    """Every option that applies, with its value, defaults too. Nothing else."""
    pack: tuple[int, ...]
    """The whole pack in ascending order."""
    sides: tuple[int, ...]
    """By seat, the number of its side; single players are each their own side."""
    most_moves: int
    """No deal has more moves than this, free ones among them."""

    # 1. The table

    @classmethod
    @abc.abstractmethod
    def table(cls, seats: object, options: Options) -> Self:
        """The game with this many seats and these options, defaults filled in.

        Raises `BadTable` for a number of seats the game does not have and for an option that is unknown, of a
        wrong value or type (`True` is no number), or contradicts another.
        """

    # 2. A deal

    @abc.abstractmethod
    def deal(self, number: int, dealer: int, deck: Sequence[int]) -> Any:
        """The state after chance has dealt `deck` (whole pack, in the order in which cards leave it) in the
        match's deal `number` (from 1). Raises `BadDeck`."""

    @abc.abstractmethod
    def play(self, state: Any, seat: int, move: Move) -> Any:
        """The state after `seat` made `move`: an answer if the seat is to move, else a free move.

        Raises `IllegalMove` if it is neither; `state` never changes.
        """

    def free_moves(self, state: Any, seat: int) -> tuple[Move, ...]:
        """The moves that `seat` may make now without being asked. They are never among `state.legal`."""
        return ()

    @abc.abstractmethod
    def safe_move(self, state: Any) -> Move:
        """The answer that the referee gives for the seat to move when its time is up (design page, Clocks)."""

    # 3. The end of a deal

    @abc.abstractmethod
    def returns(self, state: Any) -> tuple[int, ...]:
        """The deal's scores by seat, of a state that is over."""

    def deal_points(self, number: int) -> tuple[int, int]:
        """The least and the most that the match's deal of this number can bring one seat."""
        return -1, 0

    @abc.abstractmethod
    def next_dealer(self, state: Any) -> int:
        """The dealer of the deal after this one, of a state that is over."""

    def cut_short(self, state: Any, forfeited: Sequence[int]) -> tuple[int, ...]:
        """The scores of a deal that the referee ended because of forfeits: -1 to each forfeited seat."""
        return tuple(-1 if seat in forfeited else 0 for seat in range(self.seats))

    # 4. Text

    @abc.abstractmethod
    def text(self, state: Any, move: Move) -> str:
        """The one text of a legal answer or free move of `state`."""

    @abc.abstractmethod
    def refusal(self, state: Any, seat: int, text: str) -> Refusal:
        """Why `text`, which is not the text of a legal move of `seat` in `state`, is refused: a `NotAMove` if
        it is no move of this game at all, else an `IllegalMove` with the reason in words that tell `seat`
        nothing but what its own observation tells."""

    def parse(self, state: Any, seat: int, text: str) -> Move:
        """The legal answer or free move of `seat` with this text. Raises `NotAMove` or `IllegalMove`."""
        answers: tuple[Move, ...] = state.legal if state.to_move == seat else ()
        for move in (*answers, *self.free_moves(state, seat)):
            if self.text(state, move) == text:
                return move
        raise self.refusal(state, seat, text)

    # 5. What a seat sees

    @abc.abstractmethod
    def observe(self, state: Any, seat: int | None) -> dict[str, Any]:
        """What the person on this chair sees (`None`: what every chair sees), JSON-ready, built up from what
        is visible. Equal for two states that differ only in cards hidden from the seat. A fresh dict."""

    @abc.abstractmethod
    def deal_events(self, state: Any) -> list[Event]:
        """What the table notices of the deal itself; `state` is what `deal` returned."""

    @abc.abstractmethod
    def events(self, before: Any, seat: int, move: Move, after: Any) -> list[Event]:
        """What the table notices of a move besides the move itself: draws, the end of a bout, shown cards."""

    # 6. Symmetries

    def suit_symmetries(self) -> tuple[Suits, ...]:
        """The relabellings of suits (by suit, what it becomes) that turn this table's rules into those of the
        table `relabelled`. The identity is among them. Order within a rank is no rule: batches are written, and
        safe moves chosen among equals, in the order C D H S after relabelling as before."""
        return ALL_RELABELLINGS

    def relabelled(self, suits: Suits) -> Game:
        """The table at which the relabelled deal is played, for one of `suit_symmetries`."""
        return self


def check_deck(deck: Sequence[int], pack: Sequence[int]) -> None:
    """Raises `BadDeck` unless `deck` is the pack in some order."""
    if sorted(deck) != list(pack):
        raise BadDeck(f"a deck is all {len(pack)} cards of the pack, each once")

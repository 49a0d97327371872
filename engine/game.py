"""The interface of a game.

A **game** is a set of rules at one table, with a fixed number of seats and complete options. It is a set of
pure functions from states to states. A **state** is one deal in progress: an immutable `NamedTuple` with at
least the fields of `State`. The deck enters as a move of chance, so a deal is determined by the game, the seats,
the options, its number in the match, the dealer, the deck and the moves.

There are two kinds of moves:

* An **answer** is one of `state.legal`, the legal moves of the seat `state.to_move`.
* A **free move** (`exchange`) may be made on turn or off, and leaves the question open (`Game.free_moves`).

A move is legal if and only if it is in one of these generated sequences.
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
"""`to_move` of a match that waits for its next deck."""

Move = int
"""A move inside the engine: a small int that only the game can interpret, given the state."""
Options = Mapping[str, Any]


class State(Protocol):
    """The fields that the states of all games share. Each game adds its own."""

    @property
    def to_move(self) -> int:
        """The seat to move, or `NOBODY` when the deal is over."""

    @property
    def legal(self) -> Sequence[Move]:
        """All legal answers of the seat to move. Empty if and only if the deal is over."""


class Event(NamedTuple):
    """Something that happened at the table: the public fields, and by seat the fields that only it sees.

    Every viewer receives every event, so that the number of events reveals nothing; only the fields differ.
    An event therefore states only what anybody at the table notices: that two cards were drawn, not which.
    """

    public: dict[str, Any]
    private: Mapping[int, dict[str, Any]] = MappingProxyType({})

    def view(self, seat: int | None) -> dict[str, Any]:
        """Return the event as `seat` sees it. `None` is a spectator."""
        own = self.private.get(seat) if seat is not None else None
        return {**self.public, **own} if own else self.public


class Refusal(ValueError):
    """Base of the errors that the rules raise. No state has changed."""


class BadTable(Refusal):
    """A table that the game does not support.

    `field` is the name of the option (or `seats`, `deals`, `dealer`), `value` the refused value, and `expected`
    describes the accepted values. If it is `unknown`, the game has no such option.
    """

    def __init__(self, field: str, value: object, expected: str, *, unknown: bool = False) -> None:
        wrong = f"there is no option {quoted(field)}" if unknown else f"{field}: {quoted(value)} is refused"
        super().__init__(f"{wrong}; expected {expected}")
        self.field, self.value, self.expected = field, value, expected


class NotAMove(Refusal):
    """A text that is never a move of this game. The message describes the notation."""


class IllegalMove(Refusal):
    """A move of the game that is not legal in this state. The message gives the reason."""


class BadDeck(Refusal):
    """A deck that is not a permutation of the game's pack."""


class Game:
    """One game at one table. Create it with `Game.table(seats, options)`. It is immutable and may be shared.

    Class attributes describe the game to people and to forms; methods are its rules. A game must define the methods
    marked abstract. (There is no `abc.ABC`, because mypyc lets its subclasses share cached `isinstance` results.)
    """

    id: ClassVar[str]
    title: ClassVar[Mapping[str, str]]
    """The name of the game by language, with at least `en` and `ru`."""
    rules_version: ClassVar[str]
    """`1`, `2`, … It changes whenever the same moves could lead to another result."""
    seat_counts: ClassVar[tuple[int, ...]]
    fixed_deals: ClassVar[int | None] = None
    """The number of deals in a match where the rules fix it (King: 12); otherwise a match has 1 to 1000."""
    option_schemas: ClassVar[Mapping[str, Mapping[str, Any]]]
    """By option, its JSON Schema (2020-12) with `title`, `description` and any constant `default`."""
    later_options: ClassVar[frozenset[str]] = frozenset()
    """The options that a record may lack. It was played with their defaults."""
    observation: ClassVar[type]
    """The type that `observe` returns: a `TypedDict` of the types in `engine.seen`, each with a description."""
    free_move_texts: ClassVar[frozenset[str]] = frozenset()
    """The texts of the moves that can be free (`exchange`). Bots send them for a deal instead of a turn."""
    safe_move_text: ClassVar[str]
    """One English sentence that describes the safe move."""
    verbs: ClassVar[tuple[str, ...]]
    """The first words of all moves, in ascending order. Cards, or one of `words`, may follow a verb."""
    words: ClassVar[tuple[str, ...]] = ()
    """The words other than cards that can follow a verb."""
    most_cards: ClassVar[int] = 2
    """The highest number of cards in a move."""
    hands_bind: ClassVar[bool] = False
    """Whether the cards of a hand restrict its moves (following suit), so that a move reveals cards it lacks."""
    zero_sum: ClassVar[bool] = False
    """Whether the scores of a match always sum to 0."""

    seats: int
    options: Mapping[str, Any]
    """The value of every option that applies, including defaults."""
    pack: tuple[int, ...]
    """The whole pack in ascending order."""
    sides: tuple[int, ...]
    """By seat, the number of its side. A single player is a side."""
    most_moves: int
    """The highest number of moves in a deal, including free moves."""

    # 1. The table

    @classmethod
    @abc.abstractmethod
    def table(cls, seats: object, options: Options) -> Self:
        """Return the game with this number of seats and these options, filling in the defaults.

        Raise `BadTable` for a number of seats that the game does not support, and for an option that is unknown,
        has a wrong value or type (`True` is not a number), or contradicts another.
        """

    # 2. A deal

    @abc.abstractmethod
    def deal(self, number: int, dealer: int, deck: Sequence[int]) -> Any:
        """Return the first state of a deal.

        `number` counts the deals of the match from 1. `deck` is the whole pack in the order in which the cards
        leave it. Raise `BadDeck` for any other list of cards.
        """

    @abc.abstractmethod
    def play(self, state: Any, seat: int, move: Move) -> Any:
        """Return the state after `move`, an answer or a free move of `seat`.

        Raise `IllegalMove` if it is neither. `state` does not change.
        """

    def free_moves(self, state: Any, seat: int) -> tuple[Move, ...]:
        """Return the free moves of `seat`. They are never in `state.legal`."""
        return ()

    @abc.abstractmethod
    def safe_move(self, state: Any) -> Move:
        """Return the answer that the referee plays for the seat to move when its time runs out."""

    # 3. The end of a deal

    @abc.abstractmethod
    def returns(self, state: Any) -> tuple[int, ...]:
        """Return the scores by seat of a deal that is over."""

    def deal_points(self, number: int) -> tuple[int, int]:
        """Return the lowest and the highest score of a seat in the match's deal `number`."""
        return -1, 0

    @abc.abstractmethod
    def next_dealer(self, state: Any) -> int:
        """Return the dealer of the deal that follows this one, which is over."""

    def cut_short(self, state: Any, forfeited: Sequence[int]) -> tuple[int, ...]:
        """Return the scores of a deal that forfeits ended: -1 for each forfeited seat, 0 for the others."""
        return tuple(-1 if seat in forfeited else 0 for seat in range(self.seats))

    # 4. Text

    @abc.abstractmethod
    def text(self, state: Any, move: Move) -> str:
        """Return the text of a legal answer or free move in `state`."""

    @abc.abstractmethod
    def refusal(self, state: Any, seat: int, text: str) -> Refusal:
        """Return the error for `text`, which is no legal move of `seat` in `state`.

        It is a `NotAMove` if `text` is never a move of this game, else an `IllegalMove` with the reason. The reason
        tells `seat` no more than its own observation does.
        """

    def parse(self, state: Any, seat: int, text: str) -> Move:
        """Return the legal answer or free move of `seat` with this text. Raise `NotAMove` or `IllegalMove`."""
        answers: Sequence[Move] = state.legal if state.to_move == seat else ()
        for move in (*answers, *self.free_moves(state, seat)):
            if self.text(state, move) == text:
                return move
        raise self.refusal(state, seat, text)

    # 5. What a seat sees

    @abc.abstractmethod
    def observe(self, state: Any, seat: int | None) -> dict[str, Any]:
        """Return a new, JSON-ready dict of what `seat` sees. `None` is a spectator, who sees what all seats see.

        It is built from what is visible, never cut down from the full state. Two states that differ only in
        cards hidden from the seat give equal observations.
        """

    def glance(self, state: Any, seat: int | None, known: dict[str, Any]) -> Mapping[str, Any]:
        """Return the fields of `observe`, and the fields `known`, for a bot in this process that reads few of them.

        What it returns holds nothing that the seat does not see.
        """
        return self.observe(state, seat) | known

    @abc.abstractmethod
    def deal_events(self, state: Any) -> list[Event]:
        """Return the events of the deal itself. `state` is the result of `deal`."""

    @abc.abstractmethod
    def events(self, before: Any, seat: int, move: Move, after: Any) -> list[Event]:
        """Return what else happens with a move: draws, the end of a bout, shown cards."""

    # 6. Symmetries

    def suit_symmetries(self) -> tuple[Suits, ...]:
        """Return the relabellings of suits that turn the rules of this table into those of `relabelled`.

        The identity is among them. The order of suits within a rank is not a rule: after a relabelling, too, batches
        are written and ties between safe moves are broken in the order C D H S.
        """
        return ALL_RELABELLINGS

    def relabelled(self, suits: Suits) -> Game:
        """Return the table at which the relabelled deal is played. `suits` is one of `suit_symmetries`."""
        return self


def check_deck(deck: Sequence[int], pack: Sequence[int]) -> None:
    """Raise `BadDeck` unless `deck` is a permutation of the pack."""
    if sorted(deck) != list(pack):
        raise BadDeck(f"a deck must hold each of the {len(pack)} cards of the pack exactly once")

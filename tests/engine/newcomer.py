"""A game unknown to the server. `test_a_newcomer` adds this file to the games.

Three players, 36 cards, twelve tricks, no trumps; players follow suit. Dealer's left calls `even` or `odd` and leads.
A player who has taken such a number of tricks in the end scores a point. No other game has its words, most of its
fields, or its scores.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Annotated, Any, ClassVar, Literal, NamedTuple, Self, TypedDict

from engine.cards import CARD_OF_TEXT, CARD_TEXT, SUIT_MASK, cards_of, mask_of, pack_from, texts_of
from engine.game import NOBODY, Event, Game, IllegalMove, Move, NotAMove, Options, Refusal, check_deck
from engine.options import checked_options, checked_seats
from engine.seen import Card, Count, Play, Seat

CALL = 60
"""A move is a card, or this plus the index of the word."""


class NewcomerState(NamedTuple):
    to_move: int
    legal: tuple[Move, ...]
    hands: tuple[int, ...]
    trick: tuple[int, ...]
    taken: tuple[int, ...]
    dealer: int
    called: int


class NewcomerObservation(TypedDict):
    """The observation of a seat."""

    seat: Annotated[Seat | None, "Who sees this"]
    to_move: Annotated[Seat | None, "Who is asked"]
    question: Annotated[Literal["call", "put"] | None, "What is asked"]
    hand: Annotated[list[Card], "Your cards"]
    hand_sizes: Annotated[list[Count], "By seat"]
    middle: Annotated[list[Play], "The trick so far"]
    tricks_by_seat: Annotated[list[Count], "By seat"]
    called: Annotated[Literal["even", "odd"] | None, "What was called"]


class Newcomer(Game):
    """The newcomer at one table."""

    id = "newcomer"
    title: ClassVar[Mapping[str, str]] = MappingProxyType({"en": "Newcomer", "ru": "Новичок"})
    rules_version = "1"
    observation = NewcomerObservation
    verbs = ("call", "put")
    words = ("even", "odd")
    hands_bind = True
    safe_move_text = "Calls even, or puts the lowest card."
    seat_counts = (3,)
    option_schemas: ClassVar[Mapping[str, Mapping[str, Any]]] = MappingProxyType(
        {
            "worth": {
                "type": "integer",
                "minimum": 1,
                "maximum": 9,
                "title": "Worth",
                "description": "The points for being right.",
                "default": 1,
            }
        }
    )
    pack = pack_from("6")

    @classmethod
    def table(cls, seats: object, options: Options) -> Self:
        return cls(checked_seats(cls.seat_counts, seats), checked_options(cls.option_schemas, options))

    def __init__(self, seats: int, options: Options) -> None:
        self.seats, self.options = seats, MappingProxyType(dict(options))
        self.sides = (0, 1, 2)
        self.most_moves = len(self.pack) + 1

    def deal(self, number: int, dealer: int, deck: Sequence[int]) -> NewcomerState:
        check_deck(deck, self.pack)
        left = (dealer + 1) % 3
        hands = tuple(mask_of(deck[(seat - left) % 3 :: 3]) for seat in range(3))
        return NewcomerState(left, (CALL, CALL + 1), hands, (), (0, 0, 0), dealer, -1)

    def play(self, state: NewcomerState, seat: int, move: Move) -> NewcomerState:
        if seat != state.to_move or move not in state.legal:
            raise IllegalMove("not now")
        if move >= CALL:
            return state._replace(called=move - CALL, legal=cards_of(state.hands[seat]))
        hands = tuple(
            hand & ~(1 << move) if holder == seat else hand for holder, hand in enumerate(state.hands)
        )
        trick, taken, asked = (*state.trick, move), state.taken, (seat + 1) % 3
        if len(trick) == 3:
            best = max(card for card in trick if card & 3 == trick[0] & 3)
            asked = (seat + 1 + trick.index(best)) % 3
            taken = tuple(tricks + (taker == asked) for taker, tricks in enumerate(taken))
            trick = ()
        hand = hands[asked]
        legal = cards_of((hand & SUIT_MASK[trick[0] & 3] if trick else 0) or hand)
        return NewcomerState(
            asked if legal else NOBODY, legal, hands, trick, taken, state.dealer, state.called
        )

    def safe_move(self, state: NewcomerState) -> Move:
        return state.legal[0]

    def returns(self, state: NewcomerState) -> tuple[int, ...]:
        return tuple(self.options["worth"] * (tricks % 2 == state.called) for tricks in state.taken)

    def deal_points(self, number: int) -> tuple[int, int]:
        return 0, self.options["worth"]

    def next_dealer(self, state: NewcomerState) -> int:
        return (state.dealer + 1) % 3

    def text(self, state: NewcomerState, move: Move) -> str:
        return f"call {self.words[move - CALL]}" if move >= CALL else f"put {CARD_TEXT[move]}"

    def refusal(self, state: NewcomerState, seat: int, text: str) -> Refusal:
        verb, _, what = text.partition(" ")
        if (verb == "call" and what in self.words) or (verb == "put" and CARD_OF_TEXT.get(what) in self.pack):
            return IllegalMove("not now")
        return NotAMove("a move is `call even`, `call odd` or `put C`, as in `put TH`")

    def observe(self, state: NewcomerState, seat: int | None) -> dict[str, Any]:
        over = state.to_move == NOBODY
        leader = (state.to_move - len(state.trick)) % 3
        return {
            "seat": seat,
            "to_move": None if over else state.to_move,
            "question": None if over else "call" if state.called < 0 else "put",
            "hand": [] if seat is None else texts_of(state.hands[seat]),
            "hand_sizes": [hand.bit_count() for hand in state.hands],
            "middle": [[(leader + nth) % 3, CARD_TEXT[card]] for nth, card in enumerate(state.trick)],
            "tricks_by_seat": list(state.taken),
            "called": None if state.called < 0 else self.words[state.called],
        }

    def deal_events(self, state: NewcomerState) -> list[Event]:
        own = {seat: {"hand": texts_of(hand)} for seat, hand in enumerate(state.hands)}
        return [Event({"type": "dealt", "each": 12}, own)]

    def events(self, before: Any, seat: int, move: Move, after: Any) -> list[Event]:
        return []

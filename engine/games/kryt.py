"""Kryt'-navalivat': covering and piling up.

Source: the page on Kryt'-navalivat' of a well-known collection of card game rules. (*) marks a point that the
source leaves open; this rule book settles it. Leading, beating with two cards, picking up, going out and the
end are common to all pile games (`engine/pile.py`, sections 1 to 8). This file states the rest.

1. The table
   Two to eleven players, each for themselves. 36 cards, 6 low, ace high. The last player to hold cards loses.

2. The deal
   Each player gets three cards, one at a time from the dealer's left. The next card is turned up and names
   the trump suit. It lies face up under the stock and is the stock's last card.

3. Beating
   A higher card of the suit beats a card; a trump also beats any card that is not a trump.

4. Picking up
   The top card alone if it is not a trump; three cards if it is a trump but not the ace; the whole pile if it
   is the ace of trumps.

5. Drawing
   After a lead or a beat, once both cards of a beat are played, a player with fewer than three cards draws to
   three while the stock lasts. The upturned trump is drawn last. Nothing is drawn after a pickup.

6. The exchange
   While the stock is not empty, the holder of the 6 of trumps, whether dealt, drawn or picked up (*), may
   exchange it for the upturned trump, on turn or off. The upturned card alone is still a stock (*). The 6
   then lies face up under the stock and is drawn last.

7. Fixed trumps
   With `trumps: fixed` no card is turned up and nobody can exchange. Diamonds are trumps. Spades are
   anti-trumps: only a higher spade beats a spade, and a spade beats nothing but spades. If the top card is a
   spade, even the ace, a player picks up that one card.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Annotated, Any, ClassVar, Final, Self

from engine.cards import CARD_TEXT, HIGHER, SUITS, mask_of, pack_from, texts_of
from engine.game import (
    NOBODY,
    Event,
    IllegalMove,
    Move,
    Options,
    Refusal,
    check_deck,
)
from engine.options import checked_options, checked_seats
from engine.pile import (
    TURN_LIMIT,
    WHOLE_PILE,
    Dealt,
    PileGame,
    PileObservation,
    PileState,
    beaters_with,
    deal_round,
)
from engine.relabelling import ALL_RELABELLINGS, Suits
from engine.seen import Card, Count, Suit

PACK: Final = pack_from("6")
HAND: Final = 3
DIAMONDS: Final = SUITS.index("D")
SPADES: Final = SUITS.index("S")
EXCHANGE: Final = 53


class KrytObservation(PileObservation):
    """What one seat, or a spectator, sees of a deal of Kryt'-navalivat'."""

    trump: Annotated[Suit, "The trump suit: C, D, H or S"]
    anti_trump: Annotated[Suit | None, "The suit that no trump beats: S with fixed trumps, else null"]
    trump_card: Annotated[
        Card | None, "The upturned card that lies under the stock; null with no stock, or with fixed trumps"
    ]
    stock: Annotated[Count, "Cards left to draw, the upturned one among them"]


class Kryt(PileGame):
    """Kryt'-navalivat' at one table."""

    id = "kryt"
    title: ClassVar[Mapping[str, str]] = MappingProxyType(
        {"en": "Kryt'-navalivat'", "ru": "Крыть-наваливать"}
    )
    rules_version = "1"
    verbs = ("beat", "exchange", "lead", "pickup")
    free_move_texts = frozenset({"exchange"})
    observation = KrytObservation
    move_forms = "`lead C`, `beat B C`, `beat B`, `pickup` or `exchange`, as in `beat 7H TH`"

    # 1. The table

    seat_counts = tuple(range(2, 12))
    option_schemas: ClassVar[Mapping[str, Mapping[str, Any]]] = MappingProxyType(
        {
            "trumps": {
                "type": "string",
                "enum": ["turned", "fixed"],
                "title": "Trumps",
                "description": "`turned`: the card turned up under the stock names the trump suit. "
                "`fixed`: diamonds are trumps and spades anti-trumps, which no trump beats.",
                "default": "turned",
            },
            "turn_limit": TURN_LIMIT,
        }
    )
    pack = PACK

    @classmethod
    def table(cls, seats: object, options: Options) -> Self:
        seats = checked_seats(cls.seat_counts, seats)
        values = checked_options(cls.option_schemas, options)
        fixed = values["trumps"] == "fixed"
        return cls(seats, values, _FIXED_BEATERS if fixed else _BEATERS, _PICKUPS)

    def suit_symmetries(self) -> tuple[Suits, ...]:
        if not self._fixed:
            return ALL_RELABELLINGS
        return tuple(
            suits for suits in ALL_RELABELLINGS if suits[DIAMONDS] == DIAMONDS and suits[SPADES] == SPADES
        )

    # 2. The deal

    def deal(self, number: int, dealer: int, deck: Sequence[int]) -> PileState:
        check_deck(deck, PACK)
        count = HAND * self.seats
        hands, rest = deal_round(self.seats, dealer, deck[:count]), tuple(deck[count:])
        if self._fixed:
            return self.begin(hands, rest, 0, Dealt(dealer, (DIAMONDS,) * self.seats, hands, ()))
        turned_up, *stock = rest
        dealt = Dealt(dealer, (turned_up & 3,) * self.seats, hands, ())
        return self.begin(hands, (*stock, turned_up), 1 << turned_up, dealt)

    @property
    def _fixed(self) -> bool:
        return bool(self.options["trumps"] == "fixed")

    # 5. Drawing

    def fill_up(self, hand: int, stock: tuple[int, ...]) -> tuple[int, tuple[int, ...]]:
        wanted = HAND - hand.bit_count()
        if wanted <= 0:
            return hand, stock
        for card in stock[:wanted]:
            hand |= 1 << card
        return hand, stock[wanted:]

    # 6. The exchange

    def free_moves(self, state: PileState, seat: int) -> tuple[Move, ...]:
        if self._fixed or state.to_move == NOBODY or not state.stock:
            return ()
        return (EXCHANGE,) if state.hands[seat] >> _six(state) & 1 else ()

    def play_free(self, state: PileState, seat: int, move: Move) -> PileState:
        """Put the 6 of trumps under the stock. The same seat stays on turn."""
        _, _, hands, pile, stock, seen, free, _, moves, dealt = state
        six = _six(state)
        hand = hands[seat] ^ (1 << six | 1 << stock[-1])
        hands = (*hands[:seat], hand, *hands[seat + 1 :])
        return self.ask(
            state.to_move, hands, pile, (*stock[:-1], six), seen | 1 << six, free, moves + 1, dealt
        )

    def text(self, state: PileState, move: Move) -> str:
        return "exchange" if move == EXCHANGE else super().text(state, move)

    def refusal(self, state: PileState, seat: int, text: str) -> Refusal:
        if text != "exchange":
            return super().refusal(state, seat, text)
        if self._fixed:
            return IllegalMove("with fixed trumps there is no upturned card to exchange")
        if state.to_move == NOBODY:
            return IllegalMove("the deal is over")
        if not state.stock:
            return IllegalMove("the stock is empty")
        return IllegalMove(f"{CARD_TEXT[_six(state)]} is not in your hand")

    # 8. What is seen

    def observe(self, state: PileState, seat: int | None) -> dict[str, Any]:
        seen: KrytObservation = {
            **self.observe_pile(state, seat),
            "trump": SUITS[state.dealt.trumps[0]],
            "anti_trump": SUITS[SPADES] if self._fixed else None,
            "trump_card": self._trump_card(state),
            "stock": len(state.stock),
        }
        return dict(seen)

    def _trump_card(self, state: PileState) -> str | None:
        return CARD_TEXT[state.stock[-1]] if state.stock and not self._fixed else None

    def deal_events(self, state: PileState) -> list[Event]:
        public = {
            "type": "dealt",
            "trump": SUITS[state.dealt.trumps[0]],
            "trump_card": self._trump_card(state),
            "stock": len(state.stock),
            "hand_sizes": [HAND] * self.seats,
        }
        return [Event(public, {seat: {"hand": texts_of(hand)} for seat, hand in enumerate(state.hands)})]

    def events(self, before: PileState, seat: int, move: Move, after: PileState) -> list[Event]:
        events = super().events(before, seat, move, after)
        if move == EXCHANGE:
            given, received = CARD_TEXT[after.stock[-1]], CARD_TEXT[before.stock[-1]]
            events.append(Event({"type": "exchanged", "seat": seat, "given": given, "received": received}))
        count = len(before.stock) - len(after.stock)
        if count:
            drawn = {
                "type": "drawn",
                "seat": seat,
                "count": count,
                "trump_card": None if after.stock else self._trump_card(before),
            }
            events.append(Event(drawn, {seat: {"cards": texts_of(mask_of(before.stock[:count]))}}))
        return events


# 3. Beating

_BEATERS: Final = tuple(beaters_with(trump) for trump in range(4))


# 4. Picking up


def _pickups(trump: int) -> tuple[int, ...]:
    """Return, by top card, the number of cards in a pickup."""
    return tuple(1 if top & 3 != trump else WHOLE_PILE if not HIGHER[top] else 3 for top in range(52))


_PICKUPS: Final = tuple(_pickups(trump) for trump in range(4))


# 6. The exchange


def _six(state: PileState) -> int:
    """Return the 6 of trumps."""
    return PACK[state.dealt.trumps[0]]


# 7. Fixed trumps. Only the row of diamonds is used. A spade, being no trump, is picked up alone by section 4.

_FIXED_BEATERS: Final = tuple(
    tuple(HIGHER[top] if top & 3 == SPADES else beaters[top] for top in range(52)) for beaters in _BEATERS
)

"""Svoi Kozyri: every player has a different trump suit. Besikovich's game is one of its layouts.

Source: the page on Svoi Kozyri of a well-known collection of card game rules. (*) marks a point that the
source leaves open; this rule book settles it. Leading, beating with two cards, picking up, going out and the
end are common to all pile games (`engine/pile.py`, sections 1 to 8). This file states the rest.

1. The table
   Two to four players, each for themselves. Each has a different trump suit (`trumps`: one letter a seat, by
   default the first of S C D H). 36 cards, 6 low, ace high; with `lowest_rank` the pack begins at another
   rank from 2 to T. The last player to hold cards loses.

2. The deal
   The whole pack is dealt, one card at a time from the dealer's left. If it does not come out even, the
   players served first get one card more (*). Then each 6 goes, in view of all, to the player whose trump
   suit it is. A 6 dealt to its owner is not shown (*), and the 6 of a suit that nobody owns stays where it is
   (*). In another pack, its lowest rank is given (*).

3. Beating
   A higher card of the suit beats a card; a card of the player's own trump suit also beats any card of
   another suit. The trumps of the others mean nothing in a player's turn.

4. Picking up
   Three cards if the top card is not one of the player's own trumps; five if it is one but not the ace; the
   whole pile if it is the ace of the player's own trumps. With `pickup: whole_pile`, as in the 19th century,
   always the whole pile.

5. Besikovich's game
   With `layout: besikovich` two players play with open hands that mirror each other, and `pickup` is
   `whole_pile`. The pack is dealt as usual, but only two things of that deal count: the ranks that the dealer
   was dealt in the dealer's own trump suit (A) and in the first free suit (X). The two suits that are
   nobody's trumps are free, in the order C D H S. The dealer then has the ranks A of the own trumps, all but
   A of the opponent's trumps, X of the first free suit and all but X of the second. The opponent has the
   rest. No 6 is given. The dealer's opponent leads.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Annotated, Any, ClassVar, Final, Self, TypedDict

from engine.cards import CARD_TEXT, HIGHER, RANKS, SUIT_MASK, SUITS, mask_of, pack_from, texts_of
from engine.game import BadTable, Event, Options, check_deck
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
from engine.seen import FIXED, AtMost, Card, Seat, Suit

TRUMPS: Final = "SCDH"


class Given(TypedDict):
    """A card that its holder gave away after the deal."""

    giver: Annotated[Seat, "The seat that gave the card"]
    receiver: Annotated[Seat, "The seat that got it"]
    card: Annotated[Card, "The card"]


class SvoiKozyriObservation(PileObservation):
    """What one seat, or a spectator, sees of a deal of Svoi Kozyri."""

    trumps: Annotated[list[Suit], "By seat, the suit of that player's trumps"]
    lowest_rank: Annotated[str, FIXED, "The lowest rank of the pack"]
    whole_pile: Annotated[bool, FIXED, "Whether a pickup always takes the whole pile"]
    given: Annotated[
        list[Given], AtMost(4), "The cards that were given to the owners of their suits after the deal"
    ]
    hands: Annotated[
        list[list[Card]] | None, "All hands where they lie open, by seat; null where they do not"
    ]


class SvoiKozyri(PileGame):
    """Svoi Kozyri at one table."""

    id = "svoi_kozyri"
    title: ClassVar[Mapping[str, str]] = MappingProxyType({"en": "Svoi Kozyri", "ru": "Свои козыри"})
    rules_version = "1"
    observation = SvoiKozyriObservation

    # 1. The table

    seat_counts = (2, 3, 4)
    option_schemas: ClassVar[Mapping[str, Mapping[str, Any]]] = MappingProxyType(
        {
            "trumps": {
                "type": "string",
                "pattern": r"^(?!.*(.).*\1)[CDHS]{2,4}$",
                "title": "Trumps",
                "description": "The suit of each player's trumps, one letter a seat, all different, as in "
                "`SC`. By default the first letters of `SCDH`.",
            },
            "layout": {
                "type": "string",
                "enum": ["dealt", "besikovich"],
                "title": "Layout",
                "description": "`dealt`: the cards as they fall, then each lowest card to the owner of its suit. "
                "`besikovich`: two players, open hands that mirror each other.",
                "default": "dealt",
            },
            "pickup": {
                "type": "string",
                "enum": ["modern", "whole_pile"],
                "title": "Picking up",
                "description": "`modern`: three cards, five or the whole pile, by the top card. `whole_pile`: "
                "always the whole pile. By default `modern`; with the layout `besikovich` it is `whole_pile` and "
                "nothing else.",
            },
            "lowest_rank": {
                "type": "string",
                "enum": list(RANKS[: RANKS.index("T") + 1]),
                "title": "Lowest rank",
                "description": "The rank at which the pack begins, each suit going up to the ace.",
                "default": "6",
            },
            "turn_limit": TURN_LIMIT,
        }
    )

    @classmethod
    def table(cls, seats: object, options: Options) -> Self:
        seats = checked_seats(cls.seat_counts, seats)
        values = checked_options(cls.option_schemas, options)
        besikovich = values["layout"] == "besikovich"
        if besikovich and seats != 2:
            raise BadTable(
                "layout", "besikovich", f"dealt with {seats} players: Besikovich's game is for two"
            )
        values.setdefault("trumps", TRUMPS[:seats])
        values.setdefault("pickup", "whole_pile" if besikovich else "modern")
        if besikovich and values["pickup"] != "whole_pile":
            raise BadTable("pickup", values["pickup"], "whole_pile, or no value, with the layout besikovich")
        if len(values["trumps"]) != seats or not _all_different_suits(values["trumps"]):
            raise BadTable(
                "trumps", values["trumps"], f"{seats} different letters of CDHS, one for each seat"
            )
        return cls(seats, {name: values[name] for name in cls.option_schemas})

    def __init__(self, seats: int, options: Options) -> None:
        """Set up a table from valid arguments. Call `table`, which validates them."""
        self.pack = pack_from(options["lowest_rank"])
        super().__init__(seats, options, _BEATERS, _PICKUPS[options["pickup"]])
        self._trumps = tuple([SUITS.index(suit) for suit in options["trumps"]])
        self._open = options["layout"] == "besikovich"

    def suit_symmetries(self) -> tuple[Suits, ...]:
        if not self._open:
            return ALL_RELABELLINGS
        # Section 5 orders the two free suits, so a symmetry must keep their order.
        first, second = (suit for suit in range(4) if suit not in self._trumps)
        return tuple(suits for suits in ALL_RELABELLINGS if suits[first] < suits[second])

    def relabelled(self, suits: Suits) -> SvoiKozyri:
        trumps = "".join([SUITS[suits[suit]] for suit in self._trumps])
        return type(self).table(self.seats, {**self.options, "trumps": trumps})

    # 2. The deal

    def deal(self, number: int, dealer: int, deck: Sequence[int]) -> PileState:
        check_deck(deck, self.pack)
        hands = deal_round(self.seats, dealer, deck)
        if self._open:
            hands = self._mirrored(dealer, hands[dealer])
            return self.begin(hands, (), mask_of(self.pack), Dealt(dealer, self._trumps, hands, ()))
        given = self._given(hands)
        held = list(hands)
        for giver, receiver, card in given:
            held[giver] ^= 1 << card
            held[receiver] ^= 1 << card
        shown = mask_of([card for _, _, card in given])
        return self.begin(tuple(held), (), shown, Dealt(dealer, self._trumps, hands, given))

    def _given(self, hands: tuple[int, ...]) -> tuple[tuple[int, int, int], ...]:
        """Return the lowest cards that were not dealt to the owners of their suits: giver, receiver, card."""
        owner = {suit: seat for seat, suit in enumerate(self._trumps)}
        return tuple(
            (giver, owner[card & 3], card)
            for card in self.pack[:4]
            for giver, hand in enumerate(hands)
            if hand >> card & 1 and owner.get(card & 3, giver) != giver
        )

    # 5. Besikovich's game

    def _mirrored(self, dealer: int, dealt: int) -> tuple[int, ...]:
        """Return the hands that follow from the cards `dealt` to the dealer."""
        own, other = self._trumps[dealer], self._trumps[1 - dealer]
        first, second = (suit for suit in range(4) if suit not in (own, other))
        a, x = _ranks_of(dealt, own), _ranks_of(dealt, first)
        whole = mask_of(self.pack)
        hand = (a << own) | (x << first)
        hand |= (SUIT_MASK[other] & whole & ~(a << other)) | (SUIT_MASK[second] & whole & ~(x << second))
        return (hand, whole ^ hand) if dealer == 0 else (whole ^ hand, hand)

    # 8. What is seen

    def observe(self, state: PileState, seat: int | None) -> dict[str, Any]:
        seen: SvoiKozyriObservation = {
            **self.observe_pile(state, seat),
            "trumps": list(self.options["trumps"]),
            "lowest_rank": self.options["lowest_rank"],
            "whole_pile": self.options["pickup"] == "whole_pile",
            "given": [_given_text(*given) for given in state.dealt.given],
            "hands": [texts_of(hand) for hand in state.hands] if self._open else None,
        }
        return dict(seen)

    def deal_events(self, state: PileState) -> list[Event]:
        hands = state.dealt.hands
        public = {
            "type": "dealt",
            "trumps": list(self.options["trumps"]),
            "hand_sizes": [hand.bit_count() for hand in hands],
            "hands": [texts_of(hand) for hand in hands] if self._open else None,
        }
        dealt = Event(public, {seat: {"hand": texts_of(hand)} for seat, hand in enumerate(hands)})
        return [dealt, *[Event({"type": "given", **_given_text(*given)}) for given in state.dealt.given]]


# 1. The table


def _all_different_suits(letters: str) -> bool:
    return len(set(letters)) == len(letters) and set(letters) <= set(SUITS)


# 3. Beating

_BEATERS: Final = tuple(beaters_with(trump) for trump in range(4))


# 4. Picking up


def _modern(trump: int) -> tuple[int, ...]:
    """Return, by top card, the number of cards in a pickup by the owner of these trumps."""
    return tuple(3 if top & 3 != trump else WHOLE_PILE if not HIGHER[top] else 5 for top in range(52))


_PICKUPS: Final[Mapping[str, tuple[tuple[int, ...], ...]]] = MappingProxyType(
    {
        "modern": tuple(_modern(trump) for trump in range(4)),
        "whole_pile": ((WHOLE_PILE,) * 52,) * 4,
    }
)


# 5. Besikovich's game


def _ranks_of(cards: int, suit: int) -> int:
    """Return the ranks of the cards of a suit, as the mask of the clubs of these ranks."""
    return (cards & SUIT_MASK[suit]) >> suit


# 8. What is seen


def _given_text(giver: int, receiver: int, card: int) -> Given:
    return {"giver": giver, "receiver": receiver, "card": CARD_TEXT[card]}

"""Positions of Svoi Kozyri for two, in which nothing is hidden, and playouts from them.

Compiled, a round of the tree search is some ten times as fast with them as with states of the engine. Hands are masks
of cards. They fit into 62 bits, which the compiler keeps without objects.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Final

from bots.search.policies._piles import DARING, PileView
from engine.cards import SUIT_MASK
from engine.game import Move
from engine.pile import ALONE, PICKUP

IN_PROGRESS: Final = 2
"""The result of a deal that is not over."""

BEATERS: Final = 4
"""The number of beating cards to consider, the cheapest first."""
TOPS: Final = 6
"""The number of cards to consider on top of each of them."""
LONGEST: Final = 400
"""The number of moves after which a playout counts as a draw."""


class PileRules:
    """What is constant during a deal, by seat."""

    def __init__(self, trumps: Sequence[int], views: Sequence[PileView], rng: Random) -> None:
        """`views` are those of each seat on the other."""
        self.trumps = [SUIT_MASK[trump] for trump in trumps]
        self.prices = [[int(price) for price in view.price] for view in views]
        self.beaters = [list(view.own_beaters) for view in views]
        self.burdens = [list(view.burden) for view in views]
        """By top card, the number of cards that the other seat picks up."""
        self.random = rng.random

    def safe(self, seat: int, own: int, other: int) -> int:
        """Return the cards of a seat that the other hand cannot beat."""
        trump = self.trumps[1 - seat]
        if other & trump:
            return own & trump & -(1 << (other & trump).bit_length())
        safe = 0
        for suit in SUIT_MASK:
            safe |= own & suit & -(1 << (other & suit).bit_length())
        return safe

    def cheapest(self, seat: int, cards: int) -> int:
        """Return the card with the lowest price, as a mask."""
        plain = cards & ~self.trumps[seat]
        if plain:
            cards = plain
        return cards & -cards

    def picked_up(self, seat: int, own: int, pile: list[int]) -> int:
        """Take a pickup from the pile, and return the hand with it."""
        for _ in range(min(self.burdens[1 - seat][pile[-1]], len(pile))):
            own |= 1 << pile.pop()
        return own

    def result(self, seat: int, card: int, other: int) -> int:
        """Return the lead of a seat that has gone out with this card on top: 0 if the other's last card beats it."""
        return 0 if not other & other - 1 and other & self.beaters[1 - seat][card] else 1


class OpenPiles:
    """A position: the hands of the seat to move and of the other, and the pile from the bottom to the top."""

    def __init__(self, rules: PileRules, seat: int, own: int, other: int, pile: list[int], left: int) -> None:
        """`left` is the number of moves until the deal is a draw."""
        self._rules, self._seat, self._own, self._other = rules, seat, own, other
        self._pile, self._left = pile, left
        self.result = IN_PROGRESS
        """At the end of the deal 1, 0 or -1: by how much the points of the seat that moved last exceed the other's."""

    def copy(self) -> OpenPiles:
        return OpenPiles(self._rules, self._seat, self._own, self._other, self._pile[:], self._left)

    def play(self, move: Move) -> None:
        """Make a legal move."""
        own, other, seat, pile = self._own, self._other, self._seat, self._pile
        self._left -= 1
        if move == PICKUP:
            own = self._rules.picked_up(seat, own, pile)
        else:
            if move > PICKUP:
                beater = (move >> 6) - 1
                own ^= 1 << beater
                pile.append(beater)
            card = move & 63
            if card != ALONE:
                own ^= 1 << card
                pile.append(card)
            if not own:
                self.result = 1 if card == ALONE else self._rules.result(seat, card, other)
        if not self._left and self.result == IN_PROGRESS:
            self.result = 0
        self._own, self._other, self._seat = other, own, 1 - seat

    def candidates(self) -> list[Move]:
        """Return the moves to consider, the most promising first. A possible pickup is among the first two."""
        own, seat, pile, rules = self._own, self._seat, self._pile, self._rules
        tops = self._tops()
        if not pile:
            return [top & 63 for top in tops]
        beaters = own & rules.beaters[seat][pile[-1]]
        if not beaters:
            return [PICKUP]
        if len(tops) == 1:
            return [beaters.bit_length() << 6 | ALONE, PICKUP]
        pairs: list[int] = []
        for _ in range(BEATERS):
            if beaters:
                bit = rules.cheapest(seat, beaters)
                beaters ^= bit
                beater = bit.bit_length() - 1
                price, left = rules.prices[seat][beater], TOPS
                for top in tops:
                    card = top & 63
                    if card != beater and left:
                        pairs.append((top >> 6) + price << 12 | beater + 1 << 6 | card)
                        left -= 1
        pairs.sort()
        moves = [pair & 4095 for pair in pairs]
        moves.insert(1, PICKUP)
        return moves

    def count(self) -> int:
        """Return the number of legal moves."""
        own, pile = self._own, self._pile
        size = own.bit_count()
        if not pile:
            return size
        beaters = (own & self._rules.beaters[self._seat][pile[-1]]).bit_count()
        return 1 + beaters * max(1, size - 1)

    def _tops(self) -> list[int]:
        """Return the cards of the hand, the cheapest on top first: 64 times the cost of each, plus the card."""
        rules, seat, rest = self._rules, self._seat, self._own
        prices, burdens, depth = rules.prices[seat], rules.burdens[seat], len(self._pile) + 2
        safe = rules.safe(seat, self._own, self._other)
        tops: list[int] = []
        while rest:
            bit = rest & -rest
            rest ^= bit
            card = bit.bit_length() - 1
            gain = min(burdens[card], depth) if bit & safe else 0
            tops.append(prices[card] - gain << 6 | card)
        tops.sort()
        return tops

    def play_on(self) -> int:
        """Play to the end of the deal by the policy of `PilePlayer`, and return what the seat to move gets more.

        The policy is somewhat simpler here: of its random moves only the card on top is random.
        """
        rules, random, first = self._rules, self._rules.random, self._seat
        seat, own, other, pile = first, self._own, self._other, self._pile[:]
        for _ in range(min(self._left, LONGEST)):
            if pile:
                beaters = own & rules.beaters[seat][pile[-1]]
                if not beaters:
                    own, other, seat = other, rules.picked_up(seat, own, pile), 1 - seat
                    continue
                bit = rules.cheapest(seat, beaters)
                own ^= bit
                if not own:
                    return 1 if seat == first else -1
                pile.append(bit.bit_length() - 1)
            if random() < DARING:
                bit = _nth(own, int(random() * own.bit_count()))
            else:
                bit = self._top(seat, own, other, len(pile) + 1)
            own ^= bit
            card = bit.bit_length() - 1
            if not own:
                result = rules.result(seat, card, other)
                return result if seat == first else -result
            pile.append(card)
            own, other, seat = other, own, 1 - seat
        return 0

    def _top(self, seat: int, own: int, other: int, depth: int) -> int:
        """Return the card that costs least on top of a pile that it makes `depth` deep, as a mask."""
        rules = self._rules
        prices, burdens = rules.prices[seat], rules.burdens[seat]
        best = rules.cheapest(seat, own)
        least = prices[best.bit_length() - 1]
        safe = rules.safe(seat, own, other)
        while safe:
            bit = safe & -safe
            safe ^= bit
            card = bit.bit_length() - 1
            cost = prices[card] - min(burdens[card], depth)
            if cost < least:
                best, least = bit, cost
        return best


def _nth(cards: int, place: int) -> int:
    """Return one of the cards, counted from the lowest, as a mask."""
    for _ in range(place):
        cards &= cards - 1
    return cards & -cards

"""Besikovich's game from the deal on, for packs of few ranks: all layouts are solved.

    value = pack_value(3)                # the pack of aces, kings and queens
    value.first, value.draw, value.second

A pile is played once: cards leave it only when it is picked up, and then the other player leads. So the positions in
which somebody leads, one for each hand, determine each other through piles that end. A lead is won if its player wins
every pile that follows, by going out or by reaching a lead that is won already. Sweeps over all leads find the wins
until a sweep finds none. The rest are draws: nobody can end them, or they end with a card that beats the last lead.

The rules allow packs down to the ten, of five ranks. A rank more takes about 300 times as long.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from math import comb
from typing import NamedTuple

from engine.cards import cards_of


class PackValue(NamedTuple):
    """How deals of a pack end with best play: the shares of deals that each result has. The dealer's opponent leads."""

    ranks: int
    first: Fraction
    """The dealer's opponent wins."""
    draw: Fraction
    second: Fraction

    @property
    def value(self) -> Fraction:
        """How many points the dealer's opponent is ahead on average."""
        return self.first - self.second


def pack_value(ranks: int) -> PackValue:
    """Return how deals of the pack of the highest `ranks` ranks end."""
    solver = PackSolver(ranks)
    solver.sweep()
    shares = {1: Fraction(), 0: Fraction(), -1: Fraction()}
    for a, x in product(range(1 << ranks), repeat=2):
        # The rest of the dealer's cards are of the two other suits.
        deals = comb(2 * ranks, 2 * ranks - a.bit_count() - x.bit_count())
        shares[solver.value(solver.layout(a, x))] += Fraction(deals, comb(4 * ranks, 2 * ranks))
    return PackValue(ranks, shares[1], shares[0], shares[-1])


class PackSolver:
    """Solves all leads of a pack.

    Suit 0 is trumps of the leader, 1 of the other player; 2 and 3 are free. A suit takes `ranks` bits of a hand.
    """

    def __init__(self, ranks: int) -> None:
        self._ranks, self._suit = ranks, (1 << ranks) - 1
        self._whole = (1 << 4 * ranks) - 1
        self._beaters = [[self._beating(seat, card) for card in range(4 * ranks)] for seat in range(2)]
        self._won: list[set[int]] = [set(), set()]
        """The hands with which a leader wins, and the hands with which it loses."""
        self._goal = 0
        self._seen: dict[int, bool] = {}

    def layout(self, a: int, x: int) -> int:
        """Return the leader's hand if the dealer was dealt these ranks of the own trumps and of the first free suit."""
        suit = self._suit
        return a | (suit & ~a) << self._ranks | (suit & ~x) << 2 * self._ranks | x << 3 * self._ranks

    def value(self, hand: int) -> int:
        """Return what a lead of this hand is worth for the leader. Call `sweep` first."""
        key = self._key(hand, 0)
        return (key in self._won[0]) - (key in self._won[1])

    def sweep(self) -> None:
        """Solve all leads."""
        leads = [hand for hand in range(1, self._whole) if self._key(hand, 0) == hand]
        found = True
        while found:
            found = False
            for hand, goal in product(leads, (0, 1)):
                if hand not in self._won[goal] and self._leads(hand, goal):
                    self._won[goal].add(hand)
                    found = True

    def _leads(self, hand: int, goal: int) -> bool:
        """Return whether player `goal` wins a lead of player 0, by the leads that are known to be won."""
        self._goal = goal
        self._seen.clear()
        mine, other = goal == 0, self._whole ^ hand
        for card in cards_of(hand):
            rest = hand ^ 1 << card
            if (self._answer(1, other, rest, card) if rest else self._out(0, other, card)) == mine:
                return mine
        return not mine

    def _answer(self, seat: int, own: int, other: int, top: int) -> bool:
        """Return whether the goal is reached when this player is asked to beat the top card."""
        place = (((own << 20 | other) << 5) + top << 1) + seat
        if place in self._seen:
            return self._seen[place]
        mine = seat == self._goal
        found = mine
        picked_up = self._key(other, 1 - seat) in self._won[mine]
        if picked_up != mine:
            found = self._beats(seat, own, other, top)
        self._seen[place] = found
        return found

    def _beats(self, seat: int, own: int, other: int, top: int) -> bool:
        """Return whether the goal is reached by beating, for a player who does not want to pick up."""
        mine = seat == self._goal
        for beater in cards_of(own & self._beaters[seat][top]):
            hand = own ^ 1 << beater
            if not hand:
                return mine
            for card in cards_of(hand):
                rest = hand ^ 1 << card
                if (
                    self._answer(1 - seat, other, rest, card) if rest else self._out(seat, other, card)
                ) == mine:
                    return mine
        return not mine

    def _out(self, seat: int, other: int, led: int) -> bool:
        """Return whether the goal is reached by going out with this card on top. A last card that beats it draws."""
        drawn = other.bit_count() == 1 and other & self._beaters[1 - seat][led]
        return seat == self._goal and not drawn

    def _key(self, hand: int, leader: int) -> int:
        """Return the hand of a leader in its own suits, with the free suits in one of their orders."""
        ranks, suit = self._ranks, self._suit
        first, second, third, fourth = [hand >> ranks * place & suit for place in range(4)]
        if leader:
            first, second = second, first
        if third < fourth:
            third, fourth = fourth, third
        return first | second << ranks | third << 2 * ranks | fourth << 3 * ranks

    def _beating(self, seat: int, card: int) -> int:
        """Return the cards that beat a card in the turn of this player."""
        suit, rank = divmod(card, self._ranks)
        higher = (self._suit >> rank + 1 << rank + 1) << suit * self._ranks
        return higher if suit == seat else higher | self._suit << seat * self._ranks

"""Deals of King in progress, and the choice of a card by a sum of weighted features.

A playout of a deal is much faster here than by states of the engine. The numbers fit into 62 bits, which the compiler
keeps without objects. A set of cards is as in a hand of `KingState`: a byte for each suit, and in it a bit for each
rank from the 7. The place of a card is the number of its bit. In a miser the ranks are turned round, so that the higher
one takes.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Final

from engine.games.king import (
    CONTRACTS,
    HEART,
    MISER,
    NO_TRUMP,
    PACK,
    PLAYERS,
    TRICKS,
    Contract,
    KingState,
    points_of,
)

_ALL: Final = (1 << 32) - 1
_NO_HEARTS: Final = _ALL ^ 255 << 8 * HEART
_KING_OF_HEARTS: Final = 1 << 8 * HEART + 6
_CARDS: Final = [PACK[0] + 4 * rank + suit for suit in range(4) for rank in range(8)]
"""The cards by place."""
_COUNT: Final = bytes([byte.bit_count() for byte in range(256)])
_TURNED: Final = bytes([sum([128 >> rank for rank in range(8) if byte >> rank & 1]) for byte in range(256)])

_UNBEATEN: Final = [[(1 - behind / 3) ** over for over in range(10)] for behind in range(4)]
"""By the players behind, and the unseen cards that beat a card: the probability that it takes the trick."""
_TRUMP_KEPT: Final = [0.9 ** (1 + over) for over in range(9)]
_KEPT: Final = [0.5**over for over in range(9)]


_ROWS: Final[Sequence[Sequence[float]]] = (
    # 0: takes, times the points of the trick
    (1, 1, 0.65, 1, 3.25, 2.24, 2.53, 2.29, 2.04, 1.56, 1.51),
    # 1: keeps, times the points of a later trick
    (-1, -1, -1.08, -1.04, -1.05, -0.9, -0.72, -0.94, -0.82, -0.98, -1.05),
    # 2: the points of the card
    (-0.25, -0.25, -0.7, -0.25, 0.01, -0.09, -0.92, -0.26, -0.03, -0.25, 0.04),
    # 3: keeps, times the points of the card
    (-0.5, -0.5, -0.03, -0.39, -0.39, -0.24, 0.19, 0.21, -0.24, -0.34, 0.65),
    # 4: 1 / length of the suit in hand
    (1, 0, 1.94, 1.05, 2.29, 3.04, 0.78, 0.99, 9.92, 0, 2.28),
    # 5: as 1, with a lower card of the suit in hand
    (0, 0, 0.66, 0.02, -0.07, 0.37, 0.16, -0.12, 0.08, 0.14, 0.07),
    # 6: takes
    (0, 0, 0, 0, -0.88, -0.09, -0.13, 1.12, 10.14, -0.02, -3.23),
    # 7: takes, times the unseen points of the suit
    (0, 0, 0.02, 1.12, -0.38, 0.17, 0, 0, -0.4, -0.55, 0.2),
    # 8: keeps, times the unseen points of the suit
    (0, 0, -0.45, 0.05, 0.1, -0.27, -0.26, -0.08, 0.03, 0.1, -0.38),
    # 9: the only card of its suit in hand
    (0, 0, -0.41, 0.72, 0, -0.66, -0.18, 0.37, 0.42, -0.05, -0.98),
    # 10: the rank of a card that can't take, from 0 to 1
    (0, 0, 1.6, 0.55, 0.65, 0.73, 0, 0.67, 4.4, -1.71, -1.15),
    # 11: the rank of the last card of a trick, if it takes
    (0, 0, -0.01, -0.17, 1.1, -0.12, 0.38, 0.44, 1.02, -0.42, -0.53),
    # 12: leads a suit that nobody else holds
    (0, 0, 0.73, -0.96, -2.32, -2.27, -3.34, -3.36, -1.19, 2.12, 9.55),
    # 13: leads: the unseen cards of the suit, as a share of the suit
    (0, 0, 2.26, 1.02, 0.59, 1.85, 0.17, -0.14, 8.21, -0.11, -3.18),
    # 14: takes squared
    (0, 0, -1.4, 0, -1.25, -1.42, 0.39, -0.9, -7.15, 1.92, -0.31),
    # 15: a trump
    (0, 0, 0, 0, 0, 0, 0, 0, 0, 0.07, 0),
    # 16: leads a trump while others hold some
    (0, 0, 0, 0, 0, 0, 0, 0, 0, 0.66, 0),
)
"""The weights of the features of a card, by number. `takes` is the probability that it takes the trick, `keeps` that it
would take a later one. The columns are those of `_COLUMNS`."""

_COLUMNS: Final = ["greedy_negative", "greedy_positive", *dict.fromkeys([each.name for each in CONTRACTS])]
"""The weights of `bots.house.greedy.king`, and by contract those with which a player gains most among three that play
as `greedy`."""


class KingTerms:
    """What is constant during the play of a deal, as the policy uses it."""

    def __init__(self, contract: Contract, trump: int, fitted: bool) -> None:
        self.contract, self.trump = contract, trump
        greedy = "greedy_positive" if contract.trick > 0 else "greedy_negative"
        column = _COLUMNS.index(contract.name if fitted else greedy)
        self.weights = [float(row[column]) for row in _ROWS]
        self.wanted, self.miser, self.trumps = contract.trick > 0, trump == MISER, trump < NO_TRUMP
        self.worths = [points_of(contract, 1, [card]) - contract.trick for card in _CARDS]
        """The points of each place."""
        self.sums = [
            [
                sum([self.worths[8 * suit + rank] for rank in range(8) if byte >> rank & 1])
                for byte in range(256)
            ]
            for suit in range(4)
        ]
        """By suit and byte, the points of the cards."""


terms_of: Final = cache(KingTerms)


class KingDeal:
    """A deal after its declaration, played with the fitted weights or those of `greedy`."""

    def __init__(self, state: KingState, fitted: bool) -> None:
        self._terms = terms = terms_of(state.terms.contract, state.terms.trump, fitted)
        self._hands = [state.hands >> 32 * seat & _ALL for seat in range(PLAYERS)]
        places = [8 * (card & 3) + (card - PACK[0] >> 2) for card in state.trick[1:]]
        if terms.miser:
            self._hands = [_turned(hand) for hand in self._hands]
            places = [place ^ 7 for place in places]
        self._live = self._hands[0] | self._hands[1] | self._hands[2] | self._hands[3]
        self._left = TRICKS - len(state.tricks)
        self._lead(state.trick[0])
        for place in places:
            self._lay(place)

    def _lead(self, seat: int) -> None:
        self._seat = self._taker = seat
        self._led, self._suit, self._rank = -1, -1, -1
        """The suit led, and the card that takes the trick so far."""
        self._behind, self._gained = PLAYERS - 1, 0
        """The players after this one, and the points of the cards in the trick."""

    def _lay(self, place: int) -> None:
        """Add a card to the trick."""
        suit, rank = place >> 3, place & 7
        if self._led < 0:
            self._led = suit
        if self._suit < 0 or (rank > self._rank if suit == self._suit else suit == self._terms.trump):
            self._suit, self._rank, self._taker = suit, rank, self._seat
        bit = 1 << place
        self._hands[self._seat] &= ~bit
        self._live &= ~bit
        self._gained += self._terms.worths[place]
        self._behind -= 1
        self._seat = self._seat + 1 & 3

    def play_on(self, scores: Sequence[int]) -> list[float]:
        """Play to the end by the policy, and return the points by seat. `scores` are those of the tricks taken."""
        points = [float(score) for score in scores]
        contract = self._terms.contract
        trick, last_two = contract.trick, contract.last_two
        while self._left:
            legal = self._legal()
            self._lay(self._choice(legal) if legal & legal - 1 else legal.bit_length() - 1)
            if self._behind < 0:
                points[self._taker] += self._gained + trick + (last_two if self._left <= 2 else 0)
                self._left -= 1
                self._lead(self._taker)
        return points

    def card(self) -> int:
        """Return the card that the policy plays."""
        place = self._choice(self._legal())
        return _CARDS[place ^ 7 if self._terms.miser else place]

    def _legal(self) -> int:
        own, contract = self._hands[self._seat], self._terms.contract
        if self._led < 0:
            return own & _NO_HEARTS or own if contract.hearts_last else own
        follow = own & 255 << 8 * self._led
        if follow:
            return follow
        return own & _KING_OF_HEARTS or own if contract.king_forced else own

    def _choice(self, legal: int) -> int:
        """Return the place of the card with the highest value."""
        terms, own, left = self._terms, self._hands[self._seat], self._left - 1
        contract, wanted, trump = terms.contract, terms.wanted, terms.trump
        led, behind, best_suit, best_rank = self._led, self._behind, self._suit, self._rank
        worths, sums = terms.worths, terms.sums
        # Together the other three hands are public knowledge: the unseen cards.
        unseen = self._live & ~own
        hidden = sums[0][unseen & 255] + sums[1][unseen >> 8 & 255]
        hidden += sums[2][unseen >> 16 & 255] + sums[3][unseen >> 24]
        per_card = hidden / (3 * left + behind) if unseen else 0.0
        now = contract.trick + (contract.last_two if left < 2 else 0) + per_card * behind + self._gained
        later = contract.trick + 3 * per_card
        if left:
            later += contract.last_two * min(left, 2) / left
        trumps_out = terms.trumps and unseen >> 8 * trump & 255 != 0
        weights = terms.weights
        best, chosen = -1e9, 0
        for suit in range(4):
            byte = legal >> 8 * suit & 255
            if not byte:
                continue
            same, mine = unseen >> 8 * suit & 255, own >> 8 * suit & 255
            count, points = _COUNT[same], sums[suit][same]
            common = self._of_suit(suit, count, _COUNT[mine], trumps_out)
            for rank in range(8):
                bit = 1 << rank
                if not byte & bit:
                    continue
                under = _COUNT[same & bit - 1]
                over = count - under
                if led < 0:
                    takes = _leads(over, under, wanted, trumps_out and suit != trump)
                elif rank < best_rank if suit == best_suit else suit != trump:
                    takes = 0.0
                elif behind:
                    rivals = over if wanted else min(over, 2)
                    if wanted and trumps_out and suit == led != trump:
                        rivals += 1
                    takes = _UNBEATEN[behind][rivals]
                else:
                    takes = 1.0
                if not wanted:
                    keeps = under / count if count else 0.5
                elif suit == trump:
                    keeps = _TRUMP_KEPT[over]
                else:
                    keeps = _KEPT[over] * (0.7 if terms.trumps else 0.9)
                worth = worths[8 * suit + rank]
                value = takes * (
                    weights[0] * (now + worth) + weights[6] + weights[7] * points + weights[14] * takes
                )
                value += keeps * (weights[1] * later + weights[8] * points)
                value += worth * (weights[2] + weights[3] * keeps)
                value += common
                if mine & bit - 1:
                    value += weights[5] * keeps * later
                if takes == 0.0:
                    value += weights[10] * rank / 7
                elif not behind:
                    value += weights[11] * rank / 7
                if value > best:
                    best, chosen = value, 8 * suit + rank
        return chosen

    def _of_suit(self, suit: int, unseen: int, length: int, trumps_out: bool) -> float:
        """Return the value that all cards of a suit have in common."""
        weights = self._terms.weights
        value = weights[4] / length
        if length == 1:
            value += weights[9]
        if self._led < 0:
            value += weights[13] * unseen / 8
            if not unseen:
                value += weights[12]
        if suit == self._terms.trump:
            value += weights[15]
            if trumps_out and self._led < 0:
                value += weights[16]
        return value


def _leads(over: int, under: int, wanted: bool, ruffs: bool) -> float:
    """Return the probability that a card takes the trick that it leads."""
    if not wanted:
        return under / (over + under) if over + under else 1.0
    if over:
        return 0.25 / over
    return min(1.0, 0.3 + 0.15 * under) if ruffs else 1.0


def _turned(hand: int) -> int:
    """Return a hand with its ranks turned round."""
    turned = 0
    for suit in range(4):
        turned |= _TURNED[hand >> 8 * suit & 255] << 8 * suit
    return turned

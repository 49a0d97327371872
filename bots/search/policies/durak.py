"""Durak: reading its events, and the heuristic of `greedy` on the engine's own ints as playout policy."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from random import Random
from typing import Any, Final

from bots.search.determinization import DeckKnowledge, Events
from bots.search.policies._estimates import expected
from engine.cards import CARD_OF_TEXT, HIGHER, RANK_MASK, SUIT_MASK, SUITS, cards_of
from engine.game import Game, Move
from engine.games.durak import (
    ATTACK,
    BATCH,
    CLAIM,
    DEFEND,
    EXCHANGE,
    HAND,
    PASS,
    TAKE,
    THROW,
    TRANSFER,
    UNBEATEN,
    DurakState,
    talon_of,
)

TRUMP: Final = 9
PAIR: Final = 2.5
PAY: Final = 14
EARLY: Final = 5
DARING: Final = 0.05
"""The probability of a random move in a playout."""
THRIFTY: Final[Sequence[float]] = (8.5, 7.5, 5.5)
"""The price of the cards that are too dear to throw in: without a talon, late in the deal, and early."""
BOLD: Final[Sequence[float]] = (99.0, 13.5, 8.5)
"""The same in the search for three players or more, while the defender does not take and must beat every card."""


# The deck


def read(knowledge: DeckKnowledge, events: Events) -> None:
    """Read a deal of six cards each, one at a time, with the next card turned up, or the dealer's last card shown."""
    seats, dealt = knowledge.game.seats, HAND * knowledge.game.seats
    hands = [
        knowledge.receive(seat, range((seat - knowledge.dealer - 1) % seats, dealt, seats))
        for seat in range(seats)
    ]
    latest, following = list(hands), dealt + 1
    shown: list[str] = []
    trumps, size, table = 0, len(knowledge.game.pack), _SeenBout()
    for event in events:
        kind = event["type"]
        if kind == "move":
            knowledge.move(event)
            table.move(knowledge, event["seat"], event["move"], trumps)
        elif kind == "dealt":
            trumps = SUIT_MASK[SUITS.index(event["trump"])]
            knowledge.locate(event["hand"], hands[knowledge.seat])
            knowledge.locate([event["trump_card"]], 1 << dealt)
        elif kind == "shown":
            shown.append(event["card"])
            if event["seat"] == knowledge.dealer and dealt == size and len(shown) == 1:
                knowledge.places[CARD_OF_TEXT[event["card"]]] = 1 << dealt - 1
            knowledge.reveal(event["seat"], [event["card"]])
        elif kind in ("taken", "beaten_off"):
            table = _SeenBout()
        elif kind == "drawn":
            seat, new = event["seat"], event["count"] - (event["trump_card"] is not None)
            latest[seat] = knowledge.receive(seat, range(following, following + new))
            following += new
            knowledge.locate(event.get("cards", ()), latest[seat])
        elif kind == "exchanged":
            seat = event["seat"]
            knowledge.locate(
                [event["given"]], latest[seat] if event["from"] is not None else knowledge.received[seat]
            )
    if knowledge.number == 1 and knowledge.game.options["first_attacker"] == "lowest_trump":
        lowest = shown[1:] if dealt == size else shown
        below = (1 << CARD_OF_TEXT[lowest[0]]) - 1 if lowest else -1
        knowledge.exclude(cards_of(trumps & below & (1 << 52) - 1), (1 << dealt) - 1)


_BELOW_KINGS: Final = (1 << CARD_OF_TEXT["KC"]) - 1


class _SeenBout:
    """The cards of a bout, for doubts about players who could have beaten or thrown in and did not."""

    def __init__(self) -> None:
        self._ranks = 0
        self._unbeaten: list[int] = []

    def move(self, knowledge: DeckKnowledge, seat: int, text: str, trumps: int) -> None:
        """Add a move. A trump that was kept back says nothing, and neither does a king or an ace not thrown in."""
        verb, *words = text.split(" ")
        cards = [CARD_OF_TEXT[word] for word in words]
        hand = knowledge.received[seat]
        if verb == "take" and len(self._unbeaten) == 1:
            knowledge.doubt(HIGHER[self._unbeaten[0]] & ~trumps, hand)
        elif verb == "pass":
            knowledge.doubt(self._ranks & _BELOW_KINGS & ~trumps, hand)
        elif verb == "beat":
            self._unbeaten.remove(cards[0])
        else:
            self._unbeaten += cards
        for card in cards:
            self._ranks |= RANK_MASK[card >> 2]


def redeal(
    game: Game,
    state: DurakState,
    seat: int,
    before: Sequence[int],
    after: Sequence[int],
    received: Sequence[int],
) -> DurakState | None:
    """Return the state with another deck, if `seat` is to move and there is no exchange after the last draw.

    What has entered and left the hands since the deal is public, so hands differ only in the cards received.
    """
    bout = state.bout
    if bout.claim is not None or state.to_move != seat:
        return None
    hands = []
    for hand, places in zip(state.hands, received, strict=True):
        for place in cards_of(places):
            hand ^= 1 << before[place] ^ 1 << after[place]
        hands.append(hand)
    dealt = HAND * game.seats
    deal = bout.deal._replace(talon=talon_of(after, dealt))
    if deal.trump_card >= 0 and deal.trump_card != after[dealt]:
        deal = deal.exchanged()
    return state._replace(hands=tuple(hands), bout=bout._replace(deal=deal))


# The moves


def candidates(game: Game, state: DurakState, most: int) -> Sequence[Move]:
    """Return free moves, then the answers, single cards first."""
    return (*game.free_moves(state, state.to_move), *state.legal)[:most]


def default(game: Game, state: DurakState) -> Move | None:
    """Return the bold move, except at tables for two."""
    return None if game.seats == 2 else DurakPlayer(game, Random(), BOLD).sober(state)


@cache
def _prices(trump: int) -> list[float]:
    return [(card >> 2) - 4 + (TRUMP if card & 3 == trump else 0.0) for card in range(52)]


class DurakPlayer:
    """The playout policy, following `bots.house.greedy.durak`."""

    def __init__(self, game: Game, rng: Random, limits: Sequence[float]) -> None:
        """`limits` are those of a throw at a defender who has beaten all cards."""
        self._game, self._random, self._limits = game, rng.random, limits

    def __call__(self, state: DurakState) -> Move:
        legal = state.legal
        if len(legal) == 1:
            return legal[0]
        chance = self._random()
        if chance < DARING:
            return legal[int(chance / DARING * len(legal))]
        return self.sober(state)

    def sober(self, state: DurakState) -> Move:
        """Return the move without any chance."""
        seat, legal, question, hands, table, _, _, bout = state
        prices, left = _prices(bout.deal.trump), bout.left
        if question == DEFEND:
            return self._defend(state, prices, left)
        if question == CLAIM:
            return EXCHANGE if EXCHANGE in legal else PASS
        if question == ATTACK:
            if left and EXCHANGE in self._game.free_moves(state, seat):
                return EXCHANGE
            hand = hands[seat]
            best, chosen = 1e9, legal[0]
            for card in cards_of(hand):
                price = prices[card] - PAIR * (hand & RANK_MASK[card >> 2]).bit_count()
                if price < best:
                    best, chosen = price, card
            return chosen
        hand = hands[seat]
        limits = self._limits if question == THROW else THRIFTY
        most = limits[2 if left > EARLY else 1 if left else 0]
        if not left and hand.bit_count() <= 2:
            most = 99.0
        best, chosen = most, PASS
        for card in cards_of(hand & table[4]):
            if prices[card] < best:
                best, chosen = prices[card], card
        return chosen

    def _defend(self, state: DurakState, prices: Sequence[float], left: int) -> Move:
        legal, unbeaten = state.legal, state.table[UNBEATEN]
        if legal[-1] >= TRANSFER:
            passed_on = [move for move in legal if TRANSFER <= move < BATCH]
            cheapest = min(passed_on, key=lambda move: prices[move & 63])
            if not left or prices[cheapest & 63] < TRUMP:
                return cheapest
        if len(unbeaten) > 1 and not self._can_beat_all(state):
            return TAKE
        best, chosen, paid = 1e9, TAKE, 0.0
        for move in legal:
            if move == TAKE:
                continue
            if move >= TRANSFER:
                break
            price = prices[move & 63]
            cost = price - prices[unbeaten[move >> 6]] / 4
            if cost < best:
                best, chosen, paid = cost, move, price
        return TAKE if left > EARLY and paid > PAY else chosen

    @staticmethod
    def _can_beat_all(state: DurakState) -> bool:
        hand, beaters = state.hands[state.to_move], state.bout.beaters
        unbeaten = state.table[UNBEATEN]
        return hand.bit_count() >= len(unbeaten) and all(hand & beaters[card] for card in unbeaten)


def player(game: Game, rng: Random) -> Any:
    return DurakPlayer(game, rng, THRIFTY)


def racer(game: Game, rng: Random) -> Any:
    return DurakPlayer(game, rng, THRIFTY if game.seats == 2 else BOLD)


# The value of a position

DEPTH: Final = 1
"""The number of moves after which a playout may end at an estimate."""

_PLAIN: Final[Sequence[Sequence[float]]] = (
    (0.36, 0.30, 0.29, 0.22, 0.15, 0.12, 0.08, 0.02, -0.03),
    (0.16, 0.14, 0.12, 0.07, 0.06, 0.04, 0.03, -0.01, -0.04),
    (0.08, 0.06, 0.06, 0.03, 0.03, 0.02, 0.02, 0.01, -0.01),
)
"""The weights of the ranks from the 6 on: with at most six cards in the talon, with at most twelve, and with more."""
_TRUMPS: Final[Sequence[Sequence[float]]] = (
    (-0.26, -0.20, -0.23, -0.24, -0.25, -0.25, -0.27, -0.33, -0.52),
    (-0.20, -0.17, -0.16, -0.17, -0.18, -0.17, -0.19, -0.26, -0.38),
    (-0.11, -0.08, -0.07, -0.09, -0.10, -0.09, -0.13, -0.15, -0.23),
)
"""The weights of the trumps, in the same order."""
_TURN: Final[Sequence[float]] = (-0.12, -0.09, -0.06)
"""The weight of the attack, in the same order."""
_SURPLUS: Final = -0.05
"""The weight of each card beyond six."""


@cache
def _weights(trump: int, stage: int) -> list[float]:
    plain, trumps = _PLAIN[stage], _TRUMPS[stage]
    return [(trumps if card & 3 == trump else plain)[max(0, (card >> 2) - 4)] for card in range(52)]


def estimate(game: Game, state: DurakState) -> Sequence[float] | None:
    """Return the expected points of two players where a bout begins and the talon is not empty."""
    bout = state.bout
    left = bout.left
    if game.seats > 2 or not left or state.question != ATTACK:
        return None
    stage = 0 if left <= 6 else 1 if left <= 12 else 2
    weights = _weights(bout.deal.trump, stage)
    burdens = []
    for seat, hand in enumerate(state.hands):
        burden = _TURN[stage] if seat == bout.attacker else 0.0
        cards = cards_of(hand)
        for card in cards:
            burden += weights[card]
        burdens.append(burden + _SURPLUS * max(0, len(cards) - HAND))
    return expected(game, burdens)

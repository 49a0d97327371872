"""Durak: reading its events, and the heuristic of `greedy` on the engine's own ints as playout policy."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from random import Random
from typing import Final

from bots.search.determinization import DeckKnowledge, Events
from engine.cards import CARD_OF_TEXT, RANK_MASK, SUIT_MASK, SUITS, cards_of
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
    TRANSFER,
    UNBEATEN,
    DurakState,
)

TRUMP: Final = 9
PAIR: Final = 2.5
PAY: Final = 14
EARLY: Final = 5
DARING: Final = 0.05
"""The probability of a random move in a playout."""


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
    trumps, size = 0, len(knowledge.game.pack)
    for event in events:
        kind = event["type"]
        if kind == "move":
            knowledge.move(event)
        elif kind == "dealt":
            trumps = SUIT_MASK[SUITS.index(event["trump"])]
            knowledge.locate(event["hand"], hands[knowledge.seat])
            knowledge.locate([event["trump_card"]], 1 << dealt)
        elif kind == "shown":
            shown.append(event["card"])
            if event["seat"] == knowledge.dealer and dealt == size and len(shown) == 1:
                knowledge.places[CARD_OF_TEXT[event["card"]]] = 1 << dealt - 1
            knowledge.reveal(event["seat"], [event["card"]])
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


# The moves


def candidates(game: Game, state: DurakState, most: int) -> Sequence[Move]:
    """Return free moves, then the answers, single cards first."""
    return (*game.free_moves(state, state.to_move), *state.legal)[:most]


@cache
def _prices(trump: int) -> list[float]:
    return [(card >> 2) - 4 + (TRUMP if card & 3 == trump else 0.0) for card in range(52)]


class DurakPlayer:
    """The playout policy, following `bots.house.greedy.durak`."""

    def __init__(self, game: Game, rng: Random) -> None:
        self._game, self._random = game, rng.random

    def __call__(self, state: DurakState) -> Move:
        seat, legal, question, hands, table, _, _, bout = state
        if len(legal) == 1:
            return legal[0]
        chance = self._random()
        if chance < DARING:
            return legal[int(chance / DARING * len(legal))]
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
        most = 5.5 if left > EARLY else 7.5 if left else 8.5
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


player = DurakPlayer

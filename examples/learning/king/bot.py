"""A bot that plays King with learned networks, and the other games as `search`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from random import Random
from typing import Any, Final

import numpy as np

from bots.search import Iterations, SearchBot
from engine.cards import CARD_OF_TEXT, CARD_TEXT, SUITS
from engine.game import Game
from engine.games.king import PLAYERS, TRICKS
from examples.learning.king.network import SCALE, Networks, load, values
from examples.learning.king.tables import (
    CARDS,
    KINDS,
    Bools,
    DealKind,
    Floats,
    Ints,
    Tables,
    engine_card,
    swapped,
    table_card,
)

CONSIDERED: Final = 4
"""The number of cards to try, the best by the network."""
WEIGHT: Final = 6
"""The number of playouts that the value of the network is worth."""
HANDS: Final = 100
"""The number of hands over which a declaration is valued."""
_KINDS: Final = {kind.name: kind for kind in KINDS}

Events = Sequence[Mapping[str, Any]]


class LearnedBot(SearchBot):
    """A bot that looks ahead with its networks. It is stateless."""

    def __init__(self, name: str, playouts: int, networks: Networks) -> None:
        super().__init__(name, Iterations(playouts))
        self._playouts, self._networks = playouts, networks

    def think(
        self,
        game: Game,
        observation: Mapping[str, Any],
        legal_moves: Sequence[str],
        history: Events,
        rng: Random,
    ) -> str:
        """Return a legal or free move. `history` holds the seat's events, at least those of the deal in progress."""
        if game.id != "king":
            return super().think(game, observation, legal_moves, history, rng)
        if observation["question"] == "declare":
            return self._declaration([table_card(CARD_OF_TEXT[text]) for text in observation["hand"]], rng)
        if len(legal_moves) == 1:
            return legal_moves[0]
        table, trump = replayed(observation, history)
        scores = self._scores(table)[0] * (table.kind.total / SCALE)
        cards = np.argsort(-scores)[: min(CONSIDERED, len(legal_moves))]
        hands = table.imagined(self._playouts // len(cards), np.random.default_rng(rng.getrandbits(64)))
        sums = WEIGHT * scores[cards] + self._look_ahead(table, hands, cards)
        return f"play {CARD_TEXT[engine_card(int(swapped(cards[sums.argmax()], trump)))]}"

    def _look_ahead(self, table: Tables, hands: Bools, cards: Ints) -> Floats:
        """Return by card the sum, over these hands, of the points that the seat takes from here on.

        All seats play by their networks, until the seat is to move in the next trick. What the network expects there
        stands for the rest of the deal.
        """
        seat, trick = table.to_move[0], table.cards // PLAYERS
        tables = table.dealt_again(np.repeat(hands, len(cards), axis=0))
        points = np.empty(len(hands) * len(cards), np.float32)
        tables.play(np.tile(cards, len(hands)))
        while tables.cards // PLAYERS < trick + 2 and tables.cards < CARDS:
            scores = self._scores(tables)
            if tables.cards // PLAYERS > trick:
                own = tables.to_move == seat
                points[own] = tables.taken[own, seat] + scores[own].max(1) * (table.kind.total / SCALE)
            tables.play(scores.argmax(1))
        if tables.cards == CARDS:
            points = tables.taken[:, seat]
        sums: Floats = points.reshape(-1, len(cards)).sum(0)
        return sums

    def _scores(self, tables: Tables) -> Floats:
        """Return by deal the value of each legal card, and minus infinity for the others."""
        legal = tables.legal()
        return np.where(legal, values(self._networks[tables.kind.name], tables.features(legal)), -np.inf)

    def _declaration(self, hand: Sequence[int], rng: Random) -> str:
        """Return the declaration with the best leads, over random hands that begin with these three cards."""
        rest = [card for card in range(CARDS) if card not in hand]
        hands = np.array([[*hand, *rng.sample(rest, TRICKS - len(hand))] for _ in range(HANDS)])
        last = hands[:, -1]
        worths = {suit: self._leads("trumps", swapped(hands, trump)) for trump, suit in enumerate(SUITS)}
        worths["miser"] = self._leads("miser", hands)
        turned = last // 8
        worths["last"] = self._leads("trumps", swapped(hands, turned[:, None]), swapped(last, turned))
        return f"declare {max(worths, key=worths.__getitem__)}"

    def _leads(self, kind: str, hands: Ints, shown: Ints | None = None) -> float:
        """Return the mean value of the best lead from these hands. `shown` holds a card that everybody has seen."""
        leader = np.zeros(len(hands), np.int64)
        tables = Tables(_KINDS[kind], _held(hands), leader)
        if shown is not None:
            tables.show(leader, shown)
        return float(self._scores(tables).max(1).mean()) / SCALE


class Learned(LearnedBot):
    """The bot with 128 playouts and the weights in the current folder, for `kozyr play`."""

    def __init__(self) -> None:
        super().__init__("learned", 128, load(Path("king.npz")))


def _held(hands: Ints) -> Bools:
    held = np.zeros((len(hands), PLAYERS, CARDS), bool)
    np.put_along_axis(held[:, 0], hands, True, axis=1)
    return held


def kind_of(seen: Mapping[str, Any]) -> DealKind:
    """Return the kind of the deal that a seat sees."""
    declared = "miser" if seen["miser"] else "trumps"
    return _KINDS[declared if seen["contract"] == "khvalenka" else seen["contract"]]


def replayed(seen: Mapping[str, Any], history: Events) -> tuple[Tables, int]:
    """Return the deal as its seat has seen it, and the suit that is swapped with clubs. The other hands are empty."""
    trump = SUITS.index(seen["trump"]) if seen["trump"] else 0

    def cards(texts: Sequence[str]) -> list[int]:
        return [int(swapped(table_card(CARD_OF_TEXT[text]), trump)) for text in texts]

    begun = max(at for at, event in enumerate(history) if event["type"] == "deal")
    moves = [
        (event["seat"], event["move"].split(" ")) for event in history[begun:] if event["type"] == "move"
    ]
    played = [(seat, cards([word])[0]) for seat, (verb, word) in moves if verb == "play"]
    first = np.array([(history[begun]["dealer"] + 1) % PLAYERS])
    hands = np.zeros((1, PLAYERS, CARDS), bool)
    own = [card for seat, card in played if seat == seen["seat"]]
    hands[0, seen["seat"], cards(seen["hand"]) + own] = True
    table = Tables(kind_of(seen), hands, first)
    if seen["trump_card"]:
        table.show(first, np.array(cards([seen["trump_card"]])))
    for _, card in played:
        table.play(np.array([card]))
    return table, trump

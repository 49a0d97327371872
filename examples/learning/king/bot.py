"""A bot that plays King with learned networks, and the other games as `search`."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from pathlib import Path
from random import Random
from typing import Any, Final

import numpy as np

from bots.search import Determinizer, Iterations, NoDeterminization, SearchBot
from bots.search.policies import POLICIES
from engine.cards import CARD_OF_TEXT, CARD_TEXT, SUITS
from engine.game import Game
from engine.games.king import PLAYERS, TRICKS, KingState
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

log = logging.getLogger(__name__)


class LearnedBot(SearchBot):
    """A bot that plays deals out with its networks, and adds what they expect. It is stateless."""

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
        try:
            determinizer = Determinizer(game, POLICIES["king"].read, observation, history)
            hands = [_hands(determinizer.draw(rng), trump) for _ in range(self._playouts // len(cards))]
        except NoDeterminization as why:
            log.warning("playing a card of King without playouts: %s", why)
            hands = []
        sums = WEIGHT * scores[cards]
        if hands:
            sums += self._play_out(table, np.array(hands), cards)
        return f"play {CARD_TEXT[engine_card(int(swapped(cards[sums.argmax()], trump)))]}"

    def _play_out(self, table: Tables, hands: Bools, cards: Ints) -> Floats:
        """Return by card the sum of the seat's points from here on, with each of these hands."""
        tables = table.dealt_again(np.repeat(hands, len(cards), axis=0))
        tables.play(np.tile(cards, len(hands)))
        while tables.cards < CARDS:
            tables.play(self._chosen(tables))
        sums: Floats = tables.taken[:, table.to_move[0]].reshape(-1, len(cards)).sum(0)
        return sums

    def _chosen(self, tables: Tables) -> Ints:
        """Return by deal the card with the highest value."""
        legal = tables.legal()
        cards: Ints = legal.argmax(1)
        rows = np.flatnonzero(legal.sum(1) > 1)
        if len(rows):
            worths = values(self._networks[tables.kind.name], tables.features(legal)[rows])
            cards[rows] = np.where(legal[rows], worths, -np.inf).argmax(1)
        return cards

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
    """The bot with 64 playouts and the weights in the current folder, for `kozyr play`."""

    def __init__(self) -> None:
        super().__init__("learned", 64, load(Path("king.npz")))


def _hands(state: KingState, trump: int) -> Bools:
    """Return by seat the cards of a state, which numbers them as tables do."""
    cards = np.frombuffer(state.hands.to_bytes(PLAYERS * CARDS // 8, "little"), np.uint8)
    hands = np.unpackbits(cards, bitorder="little").astype(bool).reshape(PLAYERS, 4, -1)
    hands[:, [0, trump]] = hands[:, [trump, 0]]
    return hands.reshape(PLAYERS, CARDS)


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

"""Positions of the pile games for two, with an empty stock: all cards are in the two hands and in the pile.

They can go round for ever, so `bots.solver.graph` solves them.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any, Final

from bots.solver.errors import HiddenCards, Unsolvable
from bots.solver.graph import Bounds, GraphSearch
from bots.solver.positions import refuse_impossible
from engine.cards import SUIT_MASK, mask_of
from engine.game import Game, Move
from engine.games.kryt import DIAMONDS, SPADES
from engine.pile import PileState

_CLUBS: Final = SUIT_MASK[0]


def bounds(game: Game, state: Any, most_nodes: int, open_hands: bool = False) -> dict[Move, Bounds]:
    """Return the bounds of the value of each legal move. With two players, all hands are known by elimination."""
    _refuse(game, state)
    return GraphSearch(game, key_of(game, state), most_nodes).bounds(state)


def lines(game: Game, state: Any, most_nodes: int) -> dict[Move, list[Move]]:
    """Return the moves of best play after each legal move, as `bots.solver.lines` does."""
    _refuse(game, state)
    return GraphSearch(game, key_of(game, state), most_nodes).lines(state)


def _refuse(game: Game, state: Any) -> None:
    """Raise `Unsolvable` if this position has hidden cards, can't arise, or has more than two sides."""
    if game.seats != 2:
        raise Unsolvable("only the pile games for two have a solver")
    if state.stock:
        raise HiddenCards(f"cards are hidden: {len(state.stock)} in the stock")
    refuse_impossible(game, (*state.hands, *[1 << card for card in state.pile]))
    if mask_of(state.pile) | state.hands[0] | state.hands[1] != mask_of(game.pack):
        raise Unsolvable("this position can't arise: cards are missing, and none leaves the game")


def key_of(game: Game, state: Any) -> Callable[[Any], Hashable]:
    """Return a function from the states of a deal to a key that does not depend on the names of the free suits."""
    ruled = {DIAMONDS, SPADES} if game.options["trumps"] == "fixed" else set(state.dealt.trumps)
    free = [suit for suit in range(4) if suit not in ruled]
    whole_pile = game.options.get("pickup") == "whole_pile"

    def key(state: PileState) -> Hashable:
        first, second = state.hands
        # Of a pile that is always taken whole, only the top and the cards count. The hands tell the cards.
        pile = state.pile[-1:] if whole_pile else state.pile
        order = sorted(free, key=lambda suit: (first >> suit & _CLUBS) | (second >> suit & _CLUBS) << 1)
        if order != free:
            names = list(range(4))
            for name, suit in zip(free, order, strict=True):
                names[suit] = name
            first, second = _renamed(first, names), _renamed(second, names)
            pile = tuple([card & ~3 | names[card & 3] for card in pile])
        return (state.to_move, state.free, first, second, pile)

    return key


def _renamed(cards: int, names: list[int]) -> int:
    """Return the cards after the suits have changed their names."""
    return sum([(cards >> suit & _CLUBS) << name for suit, name in enumerate(names)])

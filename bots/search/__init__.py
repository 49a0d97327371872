"""`search`: the house bot that thinks. Hidden worlds that fit all it has seen are drawn at random, and the deal is
played on in each of them by quick players, to see which move does best.

It imports the rules and the quick house bots alone, and is given its seat's observation, legal moves and events. Every
state that it looks at is one that it has dealt itself.

* `puzzle`, `worlds`: what a seat knows of the deck, and states that fit;
* `race`, `tree`: two ways to search; `score`: what the end of a deal is worth;
* `minds`: for each game how to read its events, and its quick player;
* `budget`: how long.
"""

from __future__ import annotations

from collections.abc import Mapping
from random import Random
from typing import Any, Final

from bots.search import race
from bots.search.bot import SearchBot
from bots.search.budget import Budget, Iterations, Seconds
from bots.search.minds import MINDS
from bots.search.puzzle import NoWorld
from bots.search.worlds import Worlds
from engine.game import Game
from engine.registry import GAMES

LONGEST: Final = 100_000
"""More moves than a deal has: each game has a limit of its own."""


def table(game: str, seats: int, options: Mapping[str, Any]) -> Game:
    """The table that `SearchBot.think` is to be told of: a match's game, number of seats and options."""
    return GAMES[game].table(seats, options)


def playout(game: Game, state: Any, rng: Random) -> tuple[int, ...]:
    """The points by seat of this deal when the quick players of the search play it to its end at all seats; where
    the search does not know the game, at random."""
    mind = MINDS.get(game.id)
    player = mind.player(game, rng) if mind is not None else lambda here: rng.choice(here.legal)
    return game.returns(race.playout(game, state, player, LONGEST))


__all__ = ["Budget", "Iterations", "NoWorld", "SearchBot", "Seconds", "Worlds", "playout", "table"]

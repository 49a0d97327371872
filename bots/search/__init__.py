"""`search`: the house bot that searches.

It draws determinizations at random: full deals that agree with everything its seat has seen. It plays each of them
to the end with a fast playout policy, and picks the move with the best results.

It imports only the rules and the heuristics of `greedy`, and receives the observation, the legal moves and the events
of its seat. It never sees a real state: it deals every state itself.

* `determinization`: what a seat knows of the deck, and states that agree with it.
* `race`: the search, and its playouts. `tree`: the search where nothing is hidden.
* `policies`: for each game, how to read its events, its playout policy and its estimates.
* `budget`: how long to search.
"""

from __future__ import annotations

from collections.abc import Mapping
from random import Random
from typing import Any, Final

from bots.search import race
from bots.search.bot import SearchBot
from bots.search.budget import Budget, Iterations, Seconds
from bots.search.determinization import Determinizer, NoDeterminization
from bots.search.policies import POLICIES
from engine.game import Game
from engine.registry import GAMES

LONGEST: Final = 100_000
"""The highest number of moves in a playout. Every game's own limit is lower or equal."""


def table(game: str, seats: int, options: Mapping[str, Any]) -> Game:
    """Return the table for `SearchBot.think` from the game, the number of seats and the options of a match."""
    return GAMES[game].table(seats, options)


def playout(game: Game, state: Any, rng: Random) -> tuple[int, ...]:
    """Play a deal to its end with the playout policy, and return the points by seat.

    In a game without a policy, all moves are random.
    """
    policy = POLICIES.get(game.id)
    player = policy.player(game, rng) if policy is not None else lambda here: rng.choice(here.legal)
    return game.returns(race.playout(game, state, player, LONGEST))


__all__ = [
    "Budget",
    "Determinizer",
    "Iterations",
    "NoDeterminization",
    "SearchBot",
    "Seconds",
    "playout",
    "table",
]

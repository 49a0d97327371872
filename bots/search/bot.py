"""The bot that thinks: see the package. Where it cannot make a world that fits, it says so in the log and plays as
`greedy` does."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from random import Random
from typing import Any

from bots.house.greedy import GreedyBot
from bots.search.budget import Budget, Meter
from bots.search.minds import MINDS, Mind
from bots.search.puzzle import Events, NoWorld
from bots.search.race import Race
from bots.search.tree import Tree
from bots.search.worlds import Worlds
from engine.game import Game

VERSION = "1"

log = logging.getLogger(__name__)


class SearchBot:
    """Information-set Monte Carlo within a budget that is always used up. Safe to share: it keeps nothing."""

    def __init__(self, name: str, budget: Budget, settings: Mapping[str, Any] | None = None) -> None:
        """`settings` change those of every game; for experiments."""
        self.name = name
        self.version = VERSION
        self._budget = budget
        self._settings = dict(settings or {})
        self._greedy = GreedyBot()

    def think(
        self,
        game: Game,
        observation: Mapping[str, Any],
        legal_moves: Sequence[str],
        history: Events,
        rng: Random,
    ) -> str:
        """One of `legal_moves`, or of the observation's `free_moves`. `history` are the seat's own events, at least
        those of the deal in progress."""
        meter = self._budget.start()
        quick = self._greedy.choose(game, observation, legal_moves, rng)
        mind = MINDS.get(game.id)
        found = quick
        if mind is not None:
            try:
                worlds = Worlds(game, mind.read, observation, history)
                found = self._search(mind, worlds, quick, rng, meter)
            except NoWorld as why:
                log.warning("a move of %s is played as greedy does: %s", game.id, why)
        meter.finish()
        return found if found in legal_moves or found in observation.get("free_moves", ()) else quick

    def _search(self, mind: Mind, worlds: Worlds, quick: str, rng: Random, meter: Meter) -> str:
        game, settings = worlds.game, mind.settings._replace(**self._settings)
        state = worlds.draw(rng)
        moves = list(mind.candidates(game, state, settings.most))
        safe = game.parse(state, worlds.seat, quick)
        moves = [safe, *[move for move in moves if move != safe]]
        player = mind.player(game, rng)
        if settings.tree:
            tree = Tree(game, worlds.seat, moves, player, mind.candidates, settings)
            return game.text(state, tree.run(lambda: worlds.draw(rng), meter))
        race = Race(game, worlds.seat, moves, player, settings)
        return game.text(state, race.run(lambda: worlds.draw(rng), meter))

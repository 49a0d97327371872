"""Every game as a PettingZoo AEC environment: `env("durak", seats=3)`.

Each seat is an agent: `player_0`, `player_1`, … An episode is a match, of one deal unless `deals` gives another number
(King: twelve). The reward is the score of each deal, when the deal is over; with `zero_sum` it is the score less the
mean of all. At the end of the match all agents terminate; episodes are never truncated. The seed of `reset` and the
actions determine the episode.
"""

from __future__ import annotations

import json
import random
from collections.abc import Mapping
from typing import Any

import gymnasium
import numpy as np
from gymnasium.utils import EzPickle
from pettingzoo import AECEnv
from pettingzoo.utils import wrappers

from adapters.encoding import Encoding
from adapters.table import AdapterPosition, AdapterTable, centred
from engine.game import CHANCE, NOBODY


def env(game: str, **table: Any) -> AECEnv[str, Any, Any]:
    """Return a `KozyrEnv` in PettingZoo's wrappers that check the range and the order of actions.

    An illegal action raises `IllegalMove` and changes nothing. To end the match instead, add PettingZoo's
    `TerminateIllegalWrapper`.
    """
    raw = KozyrEnv(game, **table)
    return wrappers.OrderEnforcingWrapper(wrappers.AssertOutOfBoundsWrapper(raw))


class KozyrEnv(AECEnv[str, Any, Any], EzPickle):
    """A PettingZoo environment for a game at one table."""

    def __init__(
        self,
        game: str,
        seats: int | None = None,
        options: Mapping[str, Any] | None = None,
        deals: int | None = None,
        dealer: int = 0,
        render_mode: str | None = None,
        zero_sum: bool = False,
    ) -> None:
        """Create an environment, by default with the fewest seats. Raise `BadTable` for any other table."""
        EzPickle.__init__(self, game, seats, options, deals, dealer, render_mode, zero_sum)
        super().__init__()
        if render_mode not in (None, "ansi"):
            raise ValueError(f"render_mode {render_mode!r} is refused; expected 'ansi' or None")
        self.table = AdapterTable.get(game, seats, options, deals, dealer)
        self.metadata: dict[str, Any] = {
            "name": f"kozyr_{game}_v{self.table.game.rules_version}",
            "render_modes": ["ansi"],
            "is_parallelizable": False,
        }
        self.render_mode = render_mode
        self._zero_sum = zero_sum
        self.possible_agents = [f"player_{seat}" for seat in range(self.table.game.seats)]
        self._encoding = Encoding(self.table)
        self._random = random.Random()
        self.observation_spaces = {agent: self._observations() for agent in self.possible_agents}
        actions = len(self.table.actions.texts)
        self.action_spaces = {agent: gymnasium.spaces.Discrete(actions) for agent in self.possible_agents}

    def _observations(self) -> gymnasium.spaces.Dict:
        box = gymnasium.spaces.Box
        actions = len(self.table.actions.texts)
        return gymnasium.spaces.Dict(
            {
                "observation": box(-1.0, 1.0, (self._encoding.size,), np.float32),
                "action_mask": box(0, 1, (actions,), np.int8),
            }
        )

    def observation_space(self, agent: str) -> Any:
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> Any:
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Start a new match. Without a seed its decks are random. `options` are ignored."""
        if seed is not None:
            self._random.seed(int(seed))
        self.agents = list(self.possible_agents)
        self.rewards: dict[str, float] = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self._skip_agent_selection = None
        self.position = self._dealt(self.table.start())
        self.agent_selection = self.possible_agents[self.position.to_move]

    def step(self, action: int | None) -> None:
        """Take an action. Raise `IllegalMove` for an illegal one, without changing anything."""
        agent = self.agent_selection
        if self.terminations[agent]:
            self._was_dead_step(action)
            return
        if action is None:
            raise ValueError(f"{agent} must take an action; None is for agents that have terminated")
        before = self.position.state.scores
        self.position = self._dealt(self.position.after(int(action)))
        self._cumulative_rewards[agent] = 0.0
        won = [now - then for now, then in zip(self.position.state.scores, before, strict=True)]
        rewards = centred(won) if self._zero_sum else map(float, won)
        self.rewards = dict(zip(self.possible_agents, rewards, strict=True))
        self._accumulate_rewards()
        if self.position.to_move == NOBODY:
            self.terminations = dict.fromkeys(self.agents, True)
            self._deads_step_first()
        else:
            self.agent_selection = self.possible_agents[self.position.to_move]

    def observe(self, agent: str) -> dict[str, Any]:
        """Return the encoded observation and the mask of legal actions, which is zero unless the seat is to move."""
        seat = self.possible_agents.index(agent)
        mask = np.zeros(len(self.table.actions.texts), np.int8)
        if seat == self.position.to_move:
            mask[self.position.legal()] = 1
        return {"observation": self._encoding.row(self.position.observe(seat)), "action_mask": mask}

    def render(self) -> str | None:
        """Return what a spectator sees, one field per line, or `None` unless the render mode is `ansi`."""
        if self.render_mode is None:
            gymnasium.logger.warn("render() needs the render mode `ansi`")
            return None
        seen = self.position.observe(None)
        return "\n".join(f"{name}: {json.dumps(value)}" for name, value in seen.items())

    def close(self) -> None:
        """Do nothing: there is nothing to release."""

    def _dealt(self, position: AdapterPosition) -> AdapterPosition:
        """Return the position after dealing the cards, if chance is to move."""
        if position.to_move != CHANCE:
            return position
        places = list(range(len(self.table.game.pack)))
        self._random.shuffle(places)
        for place in places:
            position = position.after(place)
        return position

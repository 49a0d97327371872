"""Kozyr's games in Kaggle's harness, through OpenSpiel: python examples/arenas/kaggle_game.py

Kaggle's environment for OpenSpiel games deals, asks the agents and scores. `KozyrHarness` asks a language model: it
writes the prompt of a turn and reads the answer. Kaggle's `create_agent_fn` calls the model.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from kaggle_environments import make, register
from kaggle_environments.core_harness import ParseResult
from kaggle_environments.envs.open_spiel_env import open_spiel_env

import adapters.open_spiel  # noqa: F401 - registers the games with OpenSpiel
from records.words.digest import digest
from records.words.reading import UnclearMove, read_move

Agent = Callable[[Any, dict[str, Any]], Any]


class KozyrHarness:
    """What Kaggle's harness asks of a game."""

    def get_legal_moves(self, observation: Mapping[str, Any]) -> dict[int, str]:
        """Return the text of each legal action. Kaggle's first call comes before there are any."""
        actions, texts = observation.get("legalActions", ()), observation.get("legalActionStrings", ())
        return dict(zip(actions, texts, strict=True))

    def make_prompt(
        self,
        observation: Mapping[str, Any],
        move_history: list[str],
        previous_response: str | None = None,
        previous_action: str | None = None,
    ) -> str:
        """Return a turn as one message: rules, what the seat sees, and its moves."""
        seen = json.loads(observation["observationString"])
        lines = [digest(seen["game"]), f"You are seat #{observation['playerId']}. You see:", json.dumps(seen)]
        if previous_response is not None:
            lines.append(f"Your answer {previous_action!r} is no move.")
        moves = self.get_legal_moves(observation).values()
        return "\n".join([*lines, "Answer with one move and nothing else:", " | ".join(moves)])

    def parse_response(
        self, response: str, legal_action_strings: Sequence[str] | None, *, observation: Mapping[str, Any]
    ) -> ParseResult:
        """Read a move as the tools of Kozyr's service read it (docs/agents.md)."""
        try:
            return ParseResult(read_move(response, legal_action_strings or ()).move, response.strip())
        except UnclearMove:
            return ParseResult(raw_action=response.strip())


def play(game: str, agents: Sequence[str | Agent], seed: int) -> list[dict[str, Any]]:
    """Play a match of an OpenSpiel game, such as `kozyr_durak(seats=3)`. Return the last state of each agent."""
    made = open_spiel_env._build_env(game)  # Kaggle's own games go the same way
    register(made["specification"]["name"], made)
    configuration = {"seed": seed, "includeLegalActions": True}
    env = make(made["specification"]["name"], configuration)
    env.run(list(agents))
    last: list[dict[str, Any]] = env.steps[-1]
    return last


if __name__ == "__main__":
    for agent in play("kozyr_durak", ["random", "random"], seed=1):
        print(agent["status"], agent["reward"])

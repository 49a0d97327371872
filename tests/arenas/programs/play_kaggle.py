"""Play a match of the game in the arguments with a scripted model in all seats. Print the last state of each."""

from __future__ import annotations

import json
import sys

import kaggle_game
import scripted
from kaggle_environments.core_harness import create_agent_fn


def model(observation: object, configuration: dict[str, object]) -> object:
    """Ask the scripted model as Kaggle asks a real one, and check what it sees."""
    assert "serializedGameAndState" not in vars(observation), "it shows the cards of the others"
    return agent(observation, configuration)


scripted.HEAD = "Answer with one move and nothing else:\n"
endpoint = {"api_base": scripted.serve(), "api_key": "none"}
agent = create_agent_fn(kaggle_game.KozyrHarness(), model_override=("openai/scripted", endpoint))
ends = kaggle_game.play(sys.argv[1], [model] * int(sys.argv[2]), seed=1)
print(json.dumps([[end["status"], end["reward"]] for end in ends]))

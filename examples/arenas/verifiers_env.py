"""Kozyr's games as a verifiers environment: seeded matches of a model against `greedy`.

    PYTHONPATH=examples/arenas vf-eval verifiers-env -n 20 -m MODEL --env.taskset.game king

The model has seat 0. The reward is the share of the other seats that it beats, where equal scores count one half. A
text that is no move is answered with the reason and the moves, `error_allowance` times in a row.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from random import Random

import verifiers.v1 as vf
from text_table import TextTable

from bots.house import HOUSE_BOTS
from engine.registry import GAMES
from records.words.reading import UnclearMove

__all__ = ["HouseMatchEnv", "KozyrTaskset"]

MODEL_SEAT = 0
PROMPT = (
    "Answer each message with one of its moves and nothing else. Each message says all that you need to know."
)


class KozyrTasksetConfig(vf.TasksetConfig):
    """Which table is played."""

    game: str = "durak"
    seats: int | None = None
    """The fewest that the game allows, unless set."""


class KozyrData(vf.TaskData):
    """The table of a match. Its seed determines the decks."""

    game: str
    seats: int
    seed: int


class KozyrTask(vf.Task[KozyrData, vf.State, vf.TaskConfig]):
    """A match. `HouseMatchEnv` sends the turns, so the task has no prompt."""


class KozyrTaskset(vf.Taskset[KozyrTask, KozyrTasksetConfig]):
    """A match for each seed from 0 on."""

    INFINITE = True

    def load(self) -> Iterator[KozyrTask]:
        """Yield the matches."""
        game = self.config.game
        seats = self.config.seats or min(GAMES[game].seat_counts)
        for seed in itertools.count():
            data = KozyrData(name=f"{game}#{seed}", system_prompt=PROMPT, game=game, seats=seats, seed=seed)
            yield KozyrTask(data, self.config.task)


class HouseMatchEnvConfig(vf.EnvConfig):
    """Who plays."""

    player: vf.AgentConfig = vf.AgentConfig(harness={"id": "null"})
    opponent: str = "greedy"
    error_allowance: int = 3


class HouseMatchEnv(vf.Env[HouseMatchEnvConfig]):
    """Plays a match: the model at seat 0, house bots at the others."""

    async def run(self, task: KozyrTask, agents: vf.Agents) -> None:
        """Play until the match is over, or the model has written no move too often."""
        table = TextTable(task.data.game, task.data.seats, task.data.seed)
        rng = Random(task.data.seed)
        errors, head = 0, f"{table.rules}\n"
        async with agents.player.interaction(task) as interaction:
            while self._until_model(table, rng) and errors <= self.config.error_allowance:
                segment = await interaction.turn(f"{head}\n{table.text()}")
                if segment.terminated:
                    break
                try:
                    table.play(segment.last_reply)
                except UnclearMove as why:
                    errors, head = errors + 1, f"Your move was not made: {why}."
                else:
                    errors, head = 0, ""
        interaction.trace.record_reward("beaten", _beaten(table.scores) if table.over else 0.0, 1.0)

    def _until_model(self, table: TextTable, rng: Random) -> bool:
        """Play for the other seats until the model has a turn. Return whether it has."""
        bot = HOUSE_BOTS[self.config.opponent]
        while not table.over and table.seat != MODEL_SEAT:
            seen = table.observation()
            table.play(bot.choose(table.game, seen, seen["legal_moves"], rng))
        return not table.over


def _beaten(scores: tuple[int, ...]) -> float:
    own, *others = scores
    return sum(0.5 if own == other else own > other for other in others) / len(others)

"""Kozyr's games as a TextArena environment: python examples/arenas/textarena_env.py

Rewards are those of TextArena: 1 for the best score, -1 for the worst, 0 for all seats between them. A text that is no
move costs the seat one of its allowed errors; after the last one the match ends against it.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from typing import Any

import textarena as ta
from text_table import TextTable

from engine.registry import GAMES
from records.words.reading import UnclearMove


class TextArenaMatch(ta.Env):
    """A match of one game. Arguments of `ta.make` replace those of the registration."""

    def __init__(self, game: str, deals: int | None = None, error_allowance: int = 3, **options: Any) -> None:
        self._game, self._deals, self._options = game, deals, options
        self._errors = error_allowance

    def reset(self, num_players: int, seed: int | None = None) -> None:
        """Begin a match. Equal seeds deal equal decks."""
        seed = random.randrange(2**31) if seed is None else seed
        self.table = TextTable(self._game, num_players, seed, self._deals, **self._options)
        self.state = ta.FFAMultiPlayerState(num_players, seed, error_allowance=self._errors)
        self.state.reset(player_prompt_function=lambda player_id, game_state: self.table.rules)
        self._ask()

    def step(self, action: str) -> tuple[bool, dict[str, Any]]:
        """Make the move of the player on turn."""
        try:
            self.table.play(action)
        except UnclearMove as why:
            self._refuse(str(why))
        else:
            if self.table.over:
                self.state.set_game_outcome(self._rewards(), f"Scores: {self.table.scores}.")
            else:
                self._ask()
        return self.state.step(rotate_player=False)

    def _refuse(self, why: str) -> None:
        seat = self.table.seat
        if self.state.set_invalid_move(f"{why}."):
            rewards = {each: -1 if each == seat else 1 for each in range(self.state.num_players)}
            self.state.set_game_outcome(rewards, f"Player {seat} wrote no legal move.")
        else:
            self._ask(f"Your move was not made: {why}.\n")

    def _ask(self, head: str = "") -> None:
        seat, board = self.table.seat, ta.ObservationType.GAME_BOARD
        self.state.manually_set_current_player_id(seat)
        self.state.add_observation(head + self.table.text(), to_id=seat, observation_type=board)

    def _rewards(self) -> dict[int, int]:
        scores = self.table.scores
        return {seat: (score == max(scores)) - (score == min(scores)) for seat, score in enumerate(scores)}


for name in GAMES:
    # The turn needs no earlier message, so the wrapper shows the rules and the latest turn alone.
    ta.register(f"Kozyr-{name}-v0", TextArenaMatch, [ta.wrappers.GameBoardObservationWrapper], game=name)


def play(env_id: str, agents: list[Callable[[str], str]], seed: int) -> dict[int, int]:
    """Play a match with an agent for each seat, as any program with TextArena does. Return the rewards."""
    env = ta.make(env_id)
    env.reset(num_players=len(agents), seed=seed)
    done = False
    while not done:
        player, observation = env.get_observation()
        done, _ = env.step(agents[player](observation))
    rewards: dict[int, int] = env.close()[0]
    return rewards


def first_move(observation: str) -> str:
    """Answer as a model could: with the first move of the list."""
    moves = observation.rpartition("Answer with one move:\n")[2]
    return re.split(r" \| |\n", moves)[0]


if __name__ == "__main__":
    print(play("Kozyr-durak-v0", [first_move, first_move], seed=1))

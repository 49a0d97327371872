"""Play Durak online with a policy that train.py has learned: python examples/learning/play.py policy.json

KOZYR_URL and KOZYR_TOKEN name the service and the bot. The bot plays until it is interrupted.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

from policy import Policy

from kozyr_client import Client, Finished, Turn


def player(path: Path) -> Callable[[Turn], str]:
    """Return a function that chooses the move of a turn by the policy in this file."""
    policy = Policy.load(path)

    def choose(turn: Turn) -> str:
        return policy.best(turn.observation, [*turn.legal_moves, *turn.free_moves])

    return choose


def report(finished: Finished) -> None:
    """Print a line for each finished match."""
    print(f"{finished.match}: place {finished.places[finished.seat]}, scores {finished.scores}", flush=True)


def main() -> None:
    """Play until interrupted."""
    with Client() as client:
        client.play(player(Path(sys.argv[1])), on_finished=report)


if __name__ == "__main__":
    main()

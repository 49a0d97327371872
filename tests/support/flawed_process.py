"""The rigged processes, which fail when a test says so, and whose house bots log their arguments.

    python -m tests.support.flawed_process api|clock|worker

A fault is on while the file `flaw` in the deck folder has its name: `fault` or `fault in a job`.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any

from engine.game import Game
from engine.seen import LazyObservation
from tests.support import rigged_process

if TYPE_CHECKING:
    from flask import Flask

    from records.match.loaded_match import LoadedMatch
    from referee.feed import Feed

HANDED = "handed"
"""The file in the deck folder in which house bots log their arguments, one JSON line per move."""


def set_flaw(folder: Path, name: str) -> None:
    """Turn on this fault and no other. An empty name turns all off."""
    (folder / "flaw").write_text(name)


def _folder() -> Path:
    return Path(os.environ[rigged_process.FOLDER])


def _on(flaw: str) -> bool:
    try:
        return (_folder() / "flaw").read_text() == flaw
    except FileNotFoundError:
        return False


class Scribe:
    """A house bot that logs its arguments and makes the first legal move."""

    version = "1"

    def __init__(self, name: str) -> None:
        self.name = name

    def pick(self, moves: int, rng: Random) -> int | None:
        return None

    def choose(
        self, game: Game, observation: Mapping[str, Any], legal_moves: Sequence[str], rng: Random
    ) -> str:
        return self.think(game, observation, legal_moves, [], rng)

    def think(
        self,
        game: Game,
        observation: Mapping[str, Any],
        legal_moves: Sequence[str],
        history: Sequence[Mapping[str, Any]],
        rng: Random,
    ) -> str:
        if _on("fault in a job"):
            raise RuntimeError(f"the hand is {observation['hand']}")
        reported = {**observation, "held": _held(observation)}
        handed = [self.name, game.id, game.seats, dict(game.options), reported, legal_moves, history]
        with (_folder() / HANDED).open("a") as file:
            file.write(json.dumps(handed) + "\n")
        return legal_moves[0]


def _held(observation: Mapping[str, Any]) -> str:
    """Return what a view holds to compute its fields from, which a bot in the process could reach."""
    if not isinstance(observation, LazyObservation):
        return ""
    visible = observation._visible
    return repr({name: getattr(visible, name) for name in dir(visible) if not name.startswith("__")})


def spoil() -> None:
    """Install the faults and the logging house bots in this process."""
    from records.match import views
    from referee.feed import Feed
    from server import house

    house.HOUSE_BOTS = {name: Scribe(name) for name in house.HOUSE_BOTS}
    house.THINKERS = {name: Scribe(name) for name in house.THINKERS}
    feed, match_view = Feed.__call__, views.match_view

    def failing_feed(self: Feed, loaded_matches: Sequence[LoadedMatch]) -> None:
        if _on("fault"):
            raise _whole(loaded_matches[0])
        feed(self, loaded_matches)

    def failing_view(loaded: LoadedMatch, *more: Any, **named: Any) -> dict[str, Any]:
        if _on("fault"):
            raise _whole(loaded)
        return match_view(loaded, *more, **named)

    views.match_view, Feed.__call__ = failing_view, failing_feed  # type: ignore[method-assign]


def _whole(loaded: LoadedMatch) -> Exception:
    return RuntimeError(f"the complete match: {loaded.log} {loaded.secret.hex()}")


def create() -> Flask:
    """Return the API application for a gunicorn worker."""
    spoil()
    return rigged_process.create()


def _part(name: str) -> None:
    spoil()
    getattr(rigged_process, name)()


if __name__ == "__main__":
    parts = {name: partial(_part, name) for name in ("clock", "worker")}
    rigged_process.main("tests.support.flawed_process", parts)

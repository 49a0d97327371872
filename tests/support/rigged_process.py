"""The processes of the service with decks that tests choose.

    python -m tests.support.rigged_process api|clock|worker

The environment variable `RIG` names the deck folder, which has a JSON file of decks for each rigged match. The file is
named after the first entropy of the match, or `no entropy`, and maps deal numbers to decks. Other deals are shuffled as
usual. Seat 0 deals first in a rigged match that names no dealer. Tables of duplicate groups relabel their
suits in the order of the game's symmetries.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from flask import Flask

    from engine.relabelling import Suits

FOLDER = "RIG"
NO_ENTROPY = "no entropy"


def write_decks(folder: Path, name: str, decks: Sequence[Sequence[int]]) -> None:
    """Deal these decks, in order, in matches with this entropy."""
    table = {str(number): list(deck) for number, deck in enumerate(decks, 1)}
    (folder / f"{name}.json").write_text(json.dumps(table))


def rig() -> None:
    """Make this process deal the decks that tests wrote."""
    from records.match import shuffle
    from records.match.session import table_of
    from referee.groups.model import Group

    shuffled, drawn = shuffle.deck, shuffle.first_dealer

    def decks(entropy: Sequence[str | None]) -> dict[str, list[int]]:
        name = next((text for text in entropy if text is not None), NO_ENTROPY)
        try:
            found: dict[str, list[int]] = json.loads((Path(os.environ[FOLDER]) / f"{name}.json").read_text())
        except FileNotFoundError:
            return {}
        return found

    def deck(secret: bytes, entropy: Sequence[str | None], number: int, *more: Any) -> tuple[int, ...]:
        found = decks(entropy).get(str(number))
        return shuffled(secret, entropy, number, *more) if found is None else tuple(found)

    def first_dealer(secret: bytes, entropy: Sequence[str | None], seats: int) -> int:
        return 0 if decks(entropy) else drawn(secret, entropy, seats)

    def suits(self: Group, slot: int) -> Suits:
        game = table_of(self.game, len(self.tables[0]), self.options)
        return game.suit_symmetries()[slot % len(game.suit_symmetries())]

    shuffle.deck, shuffle.first_dealer, Group.suits = deck, first_dealer, suits


def create() -> Flask:
    """Return the API application for a gunicorn worker."""
    from server import gunicorn_worker as server

    rig()
    read_load_each_time()
    return server.create()


def read_load_each_time() -> None:
    """Show the load of this moment in `/metrics`. The two worlds would remember it for different seconds."""
    from api import metrics

    metrics.LOAD_AGE_S = 0.0  # type: ignore[misc]  # A test may change a constant.


def clock() -> None:
    """Run the deadline loop."""
    from server.commands.shared import attached_settings
    from server.processes import run_clock

    rig()
    run_clock(attached_settings())


def worker() -> None:
    """Run the worker."""
    from server.commands.shared import attached_settings
    from server.processes import run_worker

    rig()
    run_worker(attached_settings())


def main(module: str, parts: Mapping[str, Callable[[], None]]) -> None:
    """Run the process that the command line names. The API is `create` of `module`."""
    if sys.argv[1] == "api":
        from server.commands.shared import attached_settings
        from server.launch import serve

        settings = attached_settings()
        os.environ.update(settings.environment())
        serve(settings, f"{module}:create()")
    parts[sys.argv[1]]()


if __name__ == "__main__":
    main("tests.support.rigged_process", {"clock": clock, "worker": worker})

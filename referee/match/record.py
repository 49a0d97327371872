"""The record: what a match leaves behind, one JSON document, stable and versioned (design page, The record)."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Final, NamedTuple

from engine.game import Game
from engine.registry import GAMES
from engine.relabelling import suits_text
from referee.instants import text_of
from referee.match import shuffle
from referee.match.log import record_moves
from referee.match.session import Head, Setup, places, table_of

FORMAT: Final = 1
BESIDE: Final = frozenset({"proof", "remarks"})
"""What stands beside a record when it is read, and is no part of it."""


class Record(NamedTuple):
    """A finished match."""

    setup: Setup
    head: Head
    secret: bytes
    log: str

    def to_json(self) -> dict[str, Any]:
        """The document."""
        setup, head = self.setup, self.head
        return {
            "format": FORMAT,
            "id": setup.id,
            "game": setup.game,
            "options": setup.options,
            "preset": preset_of_match(setup),
            "rules": rules_of_match(setup),
            "deals": setup.deals,
            "dealer": head.first_dealer,
            "seats": [
                seat and {"bot": seat.bot, "id": seat.id, "version": seat.version} for seat in setup.seats
            ],
            "clock": setup.clock.to_json(),
            "rated": setup.rated,
            "ladder": setup.ladder,
            **({} if setup.season is None else {"round": setup.round, "season": setup.season}),
            "group": setup.group and setup.group.id,
            "started": head.started and text_of(head.started),
            "ended": text_of(head.ended or 0),
            "moves": record_moves(self.log),
            "scores": list(head.scores),
            "places": places(head.scores, head.forfeits),
            "forfeits": sorted(head.forfeits),
            "ending": head.ending,
            "shuffle": self._shuffle(),
        }

    def _shuffle(self) -> dict[str, Any]:
        setup = self.setup
        said = {
            "algorithm": shuffle.ALGORITHM,
            "commitment": shuffle.commitment(self.secret, setup.id),
            "secret": self.secret.hex(),
            "entropy": list(setup.entropy),
            "dealer": "drawn" if setup.dealer is None else "given",
        }
        if setup.group is not None:
            said["suits"] = suits_text(setup.group.suits)
        return said


def rules_of(game: str) -> str:
    """The version of a game's rules, as in `durak-1`."""
    return f"{game}-{GAMES[game].rules_version}"


def rules_of_match(setup: Setup) -> str:
    """The rules as they were when the match was made: what its record says never changes."""
    return setup.rules or rules_of(setup.game)


def preset_of_match(setup: Setup) -> str:
    """The preset, the same."""
    return setup.preset or preset_of(setup.base)


@lru_cache(maxsize=1024)
def preset_of(game: Game) -> str:
    """The name of what is rated together: game, seats, and the options that are not their defaults."""
    usual = table_of(game.id, game.seats, {}).options
    special = [
        f"{name}={_plain(value)}" for name, value in sorted(game.options.items()) if usual.get(name) != value
    ]
    return "/".join([game.id, str(game.seats), *special])


def _plain(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)

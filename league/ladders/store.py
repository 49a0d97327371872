"""What the stores of ladders, rounds and luck take and return."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple

from league.ladders.totals import TotalsDelta


class LadderResult(NamedTuple):
    """What a match adds to the totals of its ladder."""

    ladder: str
    round: int
    match: str
    played: bool
    """Whether it counts. A match that does not count adds nothing, but ends its table."""
    sums: Mapping[str, TotalsDelta]
    """By bot id, what its standing gains."""
    cross: Mapping[str, Mapping[str, TotalsDelta]]
    """By bot id and opponent's id, what the cell gains."""
    group: str | None = None
    """The id of its duplicate group."""
    season: int = 1
    """The season in which it counts."""


class RoundOpened(NamedTuple):
    """The result of opening a round, and the number of the round that it concerns.

    `what` is `opened`, `exists` (this due instant has its round), `running` (another round is under way), `state`
    (the ladder's state forbids it) or `again` (another writer was faster).
    """

    what: str
    number: int


class Lease(NamedTuple):
    """The lease of a round. `held`: the caller has it. `clean`: no worker or helper before left work unfinished."""

    held: bool
    clean: bool
    epoch: int
    in_hand: int = 0
    """How many tables helpers are playing now."""


class ResultCounted(NamedTuple):
    """The result of counting or holding a match. `new`: it had not been counted or held before."""

    new: bool
    done: bool = False
    """Whether this match ended the round."""
    wants_more: bool = False
    """Whether the round has tables left to make."""
    epoch: int = 0
    leased: bool = False
    """Whether a worker holds its lease."""


SCHEDULES: Final = "schedules"

ROUNDS: Final = "rounds"

SEASONS: Final = "seasons"

LUCK: Final = "luck"

DUE: Final = (SCHEDULES, ROUNDS, SEASONS, LUCK)
"""What ladders are checked for: a due round, a round under way, a due season end, luck to be computed."""

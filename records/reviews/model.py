"""The values of mistake reviews, and those that their store takes and returns. docs/review.md describes the method."""

from __future__ import annotations

import enum
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from engine.game import Game

MOST_DECISIONS: Final = 1_000
"""How many decisions of a match are reviewed, from its start."""


class Decision(NamedTuple):
    """A move for which its seat had a choice, with everything that the seat knew and nothing else."""

    number: int
    """Its number among the decisions of the match, from 0."""
    deal: int
    move: int
    """Its number among the moves of its deal, from 1, as in the links of the match's page."""
    seat: int
    played: str
    game: Game
    observation: Mapping[str, Any]
    history: Sequence[Mapping[str, Any]]
    """The events of the deal before the move, as the seat saw them."""


class Regret(NamedTuple):
    """How much better another move would have been, in points per deal ahead of the opponents."""

    mean: float
    low: float
    """The ends of the 95 % interval. None of the three is below 0."""
    high: float
    best: str
    """The best move: the played one, unless another is estimated to be better."""
    mistake: bool
    """Whether the interval lies above the threshold."""
    worlds: int
    """The number of sampled deals that the interval is based on."""
    value: float | None = None
    """The points per deal, ahead of the opponents, after the played move; `None` if nothing was compared."""
    margin: float | None = None
    """Half of the 95 % interval of `value`."""
    costs: Mapping[str, float] = MappingProxyType({})
    """For a mistake, what each compared move costs against the best: the regret of the played one, and estimates of the
    screening for the others."""


class Advice(NamedTuple):
    """The best move of a decision before it is made, from what its seat knows."""

    best: str
    second: str | None
    """The best of the other moves; `None` if there is only one move."""
    lead: float
    """How much better the best move is than the second, in points of the deal ahead of the opponents."""
    certain: bool
    """Whether the 95 % interval of the lead is above 0."""
    exact: bool
    """Whether nothing is hidden and the solver knows the values."""


class ReviewedMove(NamedTuple):
    """A decision with its regret. Without one, no deal agreed with what the seat saw."""

    deal: int
    move: int
    seat: int
    played: str
    regret: Regret | None

    def to_json(self) -> list[Any]:
        regret = None if self.regret is None else [*self.regret[:-1], dict(self.regret.costs)]
        return [self.deal, self.move, self.seat, self.played, regret]

    def to_row(self) -> dict[str, Any]:
        """Return the move with the fields of its regret beside it, as in `GET /v1/matches/{match}/review`."""
        regret = self.regret
        return {
            **{name: value for name, value in self._asdict().items() if name != "regret"},
            "best": regret and regret.best,
            "regret": regret and regret.mean,
            "low": regret and regret.low,
            "high": regret and regret.high,
            "mistake": regret is not None and regret.mistake,
            "worlds": 0 if regret is None else regret.worlds,
            "value": regret and regret.value,
            "margin": regret and regret.margin,
            "costs": {} if regret is None else dict(regret.costs),
        }

    @classmethod
    def from_json(cls, row: Sequence[Any]) -> ReviewedMove:
        deal, move, seat, played, regret = row
        return cls(deal, move, seat, played, None if regret is None else Regret(*regret))


Evaluate = Callable[[Decision, str], Regret | None]
"""Returns the regret of a decision from the decision and a seed. The same arguments give the same result on every
machine."""


class ReviewState(enum.StrEnum):
    """The states of a review."""

    WAITING = "waiting"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"


class ReviewFailure(enum.StrEnum):
    """Why a review failed."""

    RECORD = "record"
    """This release can't replay the record."""
    ERRORS = "errors"
    """The computation of one decision failed several times, or its worker ended each time."""


class Review(NamedTuple):
    """A review and how far it is. The moves are those reviewed so far."""

    match: str
    state: ReviewState
    requested: int
    """In ms since 1970, as is `finished`."""
    finished: int | None
    total: int | None
    """How many decisions are to be reviewed; `None` until the first job has counted them."""
    truncated: bool
    """Whether the match has more decisions than `MOST_DECISIONS`."""
    moves: Sequence[ReviewedMove]
    failure: ReviewFailure | None = None
    """Why it failed; `None` unless it did."""

    @property
    def mistakes(self) -> int:
        return sum(move.regret is not None and move.regret.mistake for move in self.moves)


class SeatReview(NamedTuple):
    """The sums of a seat."""

    seat: int
    decisions: int
    mistakes: int
    regret: float
    """The sum of its mistakes' regrets, in points."""


def by_seat(moves: Sequence[ReviewedMove], seats: int) -> list[SeatReview]:
    """Return the sums by seat."""
    found = []
    for seat in range(seats):
        own = [move.regret for move in moves if move.seat == seat and move.regret is not None]
        wrong = [regret.mean for regret in own if regret.mistake]
        found.append(SeatReview(seat, len(own), len(wrong), round(sum(wrong), 4)))
    return found


class ReviewLease(NamedTuple):
    """A review that a worker works on, alone until the lease expires."""

    match: str
    worker: str
    owner: str
    done: int
    """How many of its decisions are reviewed."""
    total: int | None
    attempt: int
    """How many leases it has had since a decision was last stored, with this one."""


class ReviewProgress(NamedTuple):
    """How far a review is after a step of its work."""

    state: ReviewState
    total: int
    truncated: bool
    failure: ReviewFailure | None = None

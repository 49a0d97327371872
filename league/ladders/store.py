"""What ladders and rounds need of a store: the port, and what goes through it. `league.ladders.redis` is its Redis
form."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple, Protocol

from league.ladders.model import Ladder, LadderEntry, Round, Season
from league.ladders.totals import Totals, TotalsDelta
from league.results.group_result import GroupResult
from league.results.group_statistics import Estimate


class LadderResult(NamedTuple):
    """What a match adds to its ladder's sums."""

    ladder: str
    round: int
    match: str
    played: bool
    """Whether it counts. One that does not adds nothing, but its round is done with it too."""
    sums: Mapping[str, TotalsDelta]
    """By bot id, what its standing grows by."""
    cross: Mapping[str, Mapping[str, TotalsDelta]]
    """By bot id and opponent's id, what the cell grows by."""
    group: str | None = None
    """The id of its duplicate group."""
    season: int = 1
    """Whose sums these are."""


class RoundOpened(NamedTuple):
    """What became of opening a round: `opened`, `exists` (for this due instant), `running` (another one),
    `state` (the ladder's forbids it) or `again` (somebody else was faster); and the round's number."""

    what: str
    number: int


class Lease(NamedTuple):
    """A round's lease. `held`: it is ours now. `clean`: whoever had it before gave it back in good order."""

    held: bool
    clean: bool
    epoch: int


class ResultCounted(NamedTuple):
    """What became of counting or holding a match. `new`: it had not been counted, or held."""

    new: bool
    done: bool = False
    """Whether the round is done with it."""
    wants_more: bool = False
    """Whether the round has tables left to make."""
    epoch: int = 0
    leased: bool = False
    """Whether a worker has its lease."""


class LadderStore(Protocol):
    """What ladders and rounds need of a store: the port. `league.ladders.redis` is its Redis form. It knows what
    time it is (`now`), and every method that needs to know uses that same clock."""

    def now(self) -> int:
        """Ms since 1970."""

    def is_away(self, error: Exception) -> bool:
        """Whether this error means that a store was away or refused for a time: the same step may succeed later."""

    # Ladders
    def add(self, ladder: Ladder) -> bool:
        """Store a new ladder. Return whether it was stored: not if a ladder with its id exists."""

    def ladder(self, ladder: str) -> Ladder | None:
        """The ladder of this id."""

    def change(self, before: Ladder, after: Ladder) -> bool:
        """Put `after` in the place of `before`; false, and nothing done, if that is not what stands there."""

    def listed(self, before: str | None, limit: int) -> list[tuple[str, str]]:
        """Cursors and ids of ladders, the newest first, after this cursor."""

    def entries(self, ladder: str) -> list[LadderEntry]:
        """All that ever entered."""

    def put_entry(self, ladder: str, entry: LadderEntry) -> None:
        """The entry as it is now."""

    # Rounds
    def open_round(self, new: Round, states: Sequence[str], at_a_time: int = 1) -> RoundOpened:
        """The round, if it is the ladder's next and of its present season, fewer than so many are under way, none was
        opened for its due instant, and the ladder is in one of these states. One with a `reason` is failed at once."""

    def rounds(self, ladder: str, numbers: Sequence[int]) -> list[Round | None]:
        """These rounds."""

    def last_round(self, ladder: str) -> int:
        """The number of the last round, 0 if there is none."""

    def rounds_under_way(self, ladder: str) -> list[int]:
        """Their numbers, rising."""

    def take_lease(self, ladder: str, number: int, worker: str, lease_ms: int) -> Lease:
        """The lease, if nobody has it or it has run out, and the round is not done."""

    def give_lease(self, ladder: str, number: int, worker: str, clean: bool) -> None:
        """It is free again, if it is this worker's."""

    def broke_off(self, ladder: str, number: int, worker: str, wait_ms: int) -> int:
        """A step raised: nobody gets the lease for this long. Returns how many steps in a row have raised, 0, and
        nothing done, if the lease is lost."""

    def fail_round(self, ladder: str, number: int, worker: str, reason: str) -> bool:
        """The round is failed, if it is running and the lease is this worker's. Matches that were made stay open."""

    def made(self, ladder: str, number: int, planned: int) -> list[bool]:
        """By table, whether it has been dealt with."""

    def open_matches(self, ladder: str, number: int) -> dict[str, int]:
        """Matches of the round that are not over, with their tables; in a group their first attempts stand for them."""

    def unsettled(self, rounds: Sequence[Round]) -> list[set[int]]:
        """By round, its tables that were not dealt with, whose matches are not over, or over in groups that are not."""

    def make(
        self,
        of: Round,
        worker: str,
        lease_ms: int,
        tables: Mapping[int, str | None],
    ) -> list[int] | None:
        """Deal with these tables, each once: a match id puts it among the open matches, `None` drops it. Renews the
        lease. Returns the tables that had not been dealt with, or `None`, and nothing done, if the lease is lost."""

    def hold(self, held: Sequence[tuple[str, int, str]]) -> list[ResultCounted]:
        """These matches (ladder, round, match) are over, but their groups are not: their bots have room for others, and
        they are counted later. In one round trip."""

    def count(self, results: Sequence[LadderResult]) -> list[ResultCounted]:
        """Add the results of matches to the sums, each once; a round is done with its last. In one round trip."""

    def take_back(self, results: Sequence[LadderResult]) -> None:
        """Take the results of matches from the sums again, each once, if they were counted; they count as aborted from
        now on. In one round trip."""

    def rerun(self, ladder: str, number: int, match: str, again: str, table: int) -> str:
        """The match `again` takes the place of a match of this table that did not count, once. Returns the id of the
        match that has the place."""

    def reruns(self, ladder: str, number: int) -> dict[str, str]:
        """Matches of the round that were played again, and by which."""

    def put_outcomes(
        self, ladder: str, season: int, outcomes: Sequence[GroupResult], most: int | None = None
    ) -> None:
        """What groups of the ladder came to; of the season's the last `most` are kept, or all. In one round trip."""

    def drop_outcome(self, ladder: str, season: int, group: str) -> None:
        """The group is void."""

    def outcomes(self, ladder: str, season: int) -> list[GroupResult]:
        """What the groups of a season came to, in the order (ended, id)."""

    # Seasons
    def end_season(self, before: Ladder, after: Ladder, ended: Season) -> bool:
        """Keep the season that ended and put `after` in the place of `before`; false, and nothing done, if that is
        not what stands there or a round after the season's last was opened."""

    def seasons(self, ladder: str, numbers: Sequence[int]) -> list[Season | None]:
        """These seasons, of those that ended."""

    # Sums
    def standings(self, ladder: str, season: int) -> dict[str, Totals]:
        """By bot id."""

    def cross(self, ladder: str, season: int, bots: Sequence[str]) -> dict[str, dict[str, Totals]]:
        """By bot id and opponent's id."""

    # What is due
    def set_due(self, what: str, ladder: str, at: int | None) -> None:
        """In the list `what` (see `DUE`), when to look at the ladder; `None`: never."""

    def move_due(self, what: str, ladder: str, seen: int, at: int | None) -> bool:
        """The same if it is still due when we saw it to be."""

    def due(self, what: str, most: int) -> tuple[int, list[tuple[str, int]]]:
        """Now, and the ladders to be looked at with the instant since which they are due, the earliest first."""

    def due_at(self, what: str, ladder: str) -> int | None:
        """When to look at the ladder."""


SCHEDULES: Final = "schedules"

ROUNDS: Final = "rounds"

SEASONS: Final = "seasons"

LUCK: Final = "luck"

DUE: Final = (SCHEDULES, ROUNDS, SEASONS, LUCK)
"""What ladders are looked at for: a round that is due, a round under way, a season that is due to end, luck that is to
be reckoned."""


class LuckStore(Protocol):
    """What is needed of a store: the port. `league.ladders.redis_luck` is its Redis form."""

    def waiting(self, ladder: str, most: int) -> dict[str, int]:
        """Some of the units that wait, with the stamps that they wait with."""

    def wait(self, ladder: str) -> bool:
        """Whether any does."""

    def put(
        self,
        ladder: str,
        season: int,
        unit: str,
        stamp: int,
        fold: int,
        lines: Sequence[tuple[str, Sequence[int]]],
    ) -> bool:
        """Add a unit's figures by bot, and let it wait no more; false, and nothing done, if it does not wait with that
        stamp."""

    def adjusted(self, ladder: str, season: int, bots: Sequence[str]) -> list[Estimate | None]:
        """What follows for each of these bots from what was added (`league.results.luck.adjusted`); `None` if nothing
        was."""

    def usual(self, kind: str, parts: int) -> list[int | None]:
        """The parts of an average slant that are known."""

    def put_usual(self, kind: str, part: int, slants: int) -> None:
        """One of them."""

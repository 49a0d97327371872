"""The stores of ladders and rounds, and of luck in their totals. `league.ladders.redis` and
`league.ladders.redis_luck` implement them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple, Protocol

from league.ladders.access import AccessStore
from league.ladders.model import Ladder, LadderEntry, Round, Season
from league.ladders.totals import Totals, TotalsDelta
from league.results.group_result import GroupResult
from league.results.group_statistics import Estimate


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


class LadderStore(AccessStore, Protocol):
    """The store of ladders and rounds. Its clock (`now`) is the time of every method."""

    def now(self) -> int:
        """Return the current time in ms since 1970."""

    def is_away(self, error: Exception) -> bool:
        """Return whether the error means that a store was unreachable or refused for a time, so a retry may
        succeed."""

    # Ladders
    def add(self, ladder: Ladder) -> bool:
        """Store a new ladder. Return whether it was stored: not if a ladder with its id exists."""

    def ladder(self, ladder: str) -> Ladder | None:
        """Return the ladder with this id."""

    def change(self, before: Ladder, after: Ladder) -> bool:
        """Replace `before` with `after`. Return false, without effect, if the stored ladder is not `before`."""

    def listed(self, before: str | None, limit: int) -> list[tuple[str, str]]:
        """Return cursors and ids of ladders after this cursor, the newest first."""

    def entries(self, ladder: str) -> list[LadderEntry]:
        """Return all entries, withdrawn ones included."""

    def put_entry(self, ladder: str, entry: LadderEntry) -> None:
        """Store an entry in place of the bot's previous one."""

    # Rounds
    def open_round(self, new: Round, states: Sequence[str], at_a_time: int = 1) -> RoundOpened:
        """Open a round if it is the ladder's next one in its current season, fewer than `at_a_time` rounds are under
        way, its due instant has no round, and the ladder is in one of `states`. A round with a `reason` fails at
        once."""

    def rounds(self, ladder: str, numbers: Sequence[int]) -> list[Round | None]:
        """Return the rounds with these numbers."""

    def last_round(self, ladder: str) -> int:
        """Return the number of the last round, or 0."""

    def rounds_under_way(self, ladder: str) -> list[int]:
        """Return the numbers of the rounds under way, ascending."""

    def take_lease(self, ladder: str, number: int, worker: str, lease_ms: int) -> Lease:
        """Take the lease of a running round if it is free or has expired."""

    def give_lease(self, ladder: str, number: int, worker: str, clean: bool) -> None:
        """Release the lease if this worker holds it."""

    def help_round(self, ladder: str, number: int, helper: str, lease_ms: int) -> bool:
        """Give a helper of a running round a lease of its own, with which it may `make` tables. Return whether the
        round runs."""

    def leave_round(self, ladder: str, number: int, helper: str, *, clean: bool) -> None:
        """Release a helper's lease. After an unclean release, or none, the round's next worker looks for unfinished
        work."""

    def broke_off(self, ladder: str, number: int, worker: str, wait_ms: int) -> int:
        """Count a failed step and keep the lease for `wait_ms`. Return how many steps failed in a row, or 0, without
        effect, if the lease is lost."""

    def fail_round(self, ladder: str, number: int, worker: str, reason: str) -> bool:
        """Fail a running round whose lease this worker holds. Existing matches stay open. Return whether it failed."""

    def made(self, ladder: str, number: int, planned: int) -> list[bool]:
        """Return by table whether it has been handled."""

    def open_matches(self, ladder: str, number: int) -> dict[str, int]:
        """Return the round's matches that have not ended, with their tables; in a group by their first attempts."""

    def unsettled(self, rounds: Sequence[Round]) -> list[set[int]]:
        """Return by round its unsettled tables: those not handled, whose matches have not ended, or whose groups have
        not ended."""

    def make(
        self,
        round_: Round,
        worker: str,
        lease_ms: int,
        tables: Mapping[int, str | None],
    ) -> list[int] | None:
        """Handle these tables, each once: a match id opens the match, `None` drops the table. Renew the lease. Return
        the tables not handled before, or `None`, without effect, if the lease of this worker or helper is lost."""

    def hold(self, held: Sequence[tuple[str, int, str]]) -> list[ResultCounted]:
        """Hold these matches (ladder, round, match), which have ended before their groups. Their bots have room for
        others; the matches count later. Takes one round trip."""

    def count(self, results: Sequence[LadderResult]) -> list[ResultCounted]:
        """Add the results of matches to the totals, each once. The last match ends its round. Takes one round trip."""

    def take_back(self, results: Sequence[LadderResult]) -> None:
        """Subtract the results of matches that were counted, each once. They count as aborted from now on. Takes one
        round trip."""

    def rerun(self, ladder: str, number: int, match: str, again: str, table: int) -> str:
        """Replace a match of this table that did not count with the match `again`, once. A round that was done is
        under way again. Return the id of the replacement."""

    def reruns(self, ladder: str, number: int) -> dict[str, str]:
        """Return the replaced matches of the round with their replacements."""

    def put_outcomes(
        self, ladder: str, season: int, outcomes: Sequence[GroupResult], most: int | None = None
    ) -> None:
        """Store the results of groups. Keep the season's last `most` results, or all of them. Takes one round trip."""

    def drop_outcome(self, ladder: str, season: int, group: str) -> None:
        """Remove the result of a void group."""

    def outcomes(self, ladder: str, season: int) -> list[GroupResult]:
        """Return the results of a season's groups in the order (ended, id)."""

    # Seasons
    def end_season(self, before: Ladder, after: Ladder, ended: Season) -> bool:
        """Store a season that ended and replace `before` with `after`. Return false, without effect, if the stored
        ladder is not `before`, or a round was opened after the season's last."""

    def seasons(self, ladder: str, numbers: Sequence[int]) -> list[Season | None]:
        """Return these seasons; `None` for one that has not ended."""

    # Sums
    def standings(self, ladder: str, season: int) -> dict[str, Totals]:
        """Return the totals by bot id."""

    def cross(self, ladder: str, season: int, bots: Sequence[str]) -> dict[str, dict[str, Totals]]:
        """Return the totals by bot id and opponent's id."""

    # What is due
    def set_due(self, what: str, ladder: str, at: int | None) -> None:
        """Set when to check the ladder for `what` (see `DUE`); `None` for never."""

    def move_due(self, what: str, ladder: str, seen: int, at: int | None) -> bool:
        """Set when to check the ladder, unless its due instant is no longer `seen`."""

    def due(self, what: str, most: int) -> tuple[int, list[tuple[str, int]]]:
        """Return the current time, and the ladders that are due with their due instants, the earliest first."""

    def due_later(self, what: str, than: int) -> list[tuple[str, int]]:
        """Return all ladders that are due later than this, with their due instants."""

    def due_at(self, what: str, ladder: str) -> int | None:
        """Return when the ladder is to be checked."""


SCHEDULES: Final = "schedules"

ROUNDS: Final = "rounds"

SEASONS: Final = "seasons"

LUCK: Final = "luck"

DUE: Final = (SCHEDULES, ROUNDS, SEASONS, LUCK)
"""What ladders are checked for: a due round, a round under way, a due season end, luck to be computed."""


class LuckStore(Protocol):
    """The store of luck by unit and of the sums by bot."""

    def waiting(self, ladder: str, most: int) -> dict[str, int]:
        """Return some of the waiting units with their stamps."""

    def wait(self, ladder: str) -> bool:
        """Return whether any unit waits."""

    def put(
        self,
        ladder: str,
        season: int,
        unit: str,
        stamp: int,
        fold: int,
        lines: Sequence[tuple[str, Sequence[int]]],
    ) -> bool:
        """Add a unit's figures by bot and end its waiting. Return false, without effect, unless it waits with this
        stamp."""

    def adjusted(self, ladder: str, season: int, bots: Sequence[str]) -> list[Estimate | None]:
        """Return the adjusted points of each bot (`league.results.luck.adjusted`); `None` without figures."""

    def usual(self, kind: str, parts: int) -> list[int | None]:
        """Return the stored parts of an average slant."""

    def put_usual(self, kind: str, part: int, slants: int) -> None:
        """Store a part of an average slant."""

"""Runs a local tournament: plays matches in the order of the plan, counts and stores them, and stops at a verdict."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import tee
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from bots.house import HOUSE_BOTS
from kozyr.local.bots import LocalBot
from kozyr.local.match import LocalResult, play
from kozyr.local.plan import Fixture, LocalPlan
from kozyr.reading.file import RecordFile, record_errors
from records.results.points import Tally
from records.results.record_fields import dealt, group_of
from records.results.sprt import Hypotheses, Sprt

if TYPE_CHECKING:
    from kozyr.local.workers import Workers


class Inline:
    """Plays house bots in this process, as `kozyr.local.workers.Workers` plays all bots in others.

    A single job needs no second process for bots that never fail.
    """

    def __init__(self, plan: LocalPlan) -> None:
        self._plan = plan

    def __enter__(self) -> Inline:
        return self

    def __exit__(self, *why: object) -> None:
        """Do nothing: no match is under way between two results."""

    def play(self, fixtures: Iterable[Fixture], stop: Callable[[], bool]) -> Iterator[LocalResult]:
        """Yield these matches in order until `stop` returns true."""
        for fixture in fixtures:
            if stop():
                return
            yield play(self._plan, fixture, HOUSE_BOTS, {})

    def left(self) -> list[LocalResult]:
        """Return the finished matches that were held back: none."""
        return []


Record = Mapping[str, Any]

COUNTED: Final = ("id", "group", "preset", "deals", "seats", "scores", "forfeits", "ending", "ended")
"""The fields of a record that are needed to count it, besides its moves."""
HOPELESS: Final = 3
"""A bot that failed in this many matches and never gave a usable answer will give none."""


class WrongRecordFile(ValueError):
    """The file holds records of another tournament."""


class Tournament:
    """A tournament and its results so far. Matches that the record file has are not played again."""

    def __init__(
        self, plan: LocalPlan, file: RecordFile | None = None, tested: Hypotheses | None = None
    ) -> None:
        """`tested` are the hypotheses of a test of the first bot against the second. Raise `WrongRecordFile`."""
        self.plan, self.file = plan, file
        self.tally = Tally()
        self.sprt = None if tested is None else Sprt(tested)
        self.matches = 0
        """The number of counted matches."""
        self.forfeits: Counter[str] = Counter()
        """The number of matches with a forfeit, by bot id."""
        self.failures: Counter[str] = Counter()
        """The number of missing answers, by bot."""
        self.reasons: dict[str, str] = {}
        """The reason of the first missing answer, by bot."""
        self._answered: set[str] = set()
        self._failed: Counter[str] = Counter()
        """The number of matches with a missing answer, by bot."""
        self._kept: dict[str, Record] = {}
        if file is not None:
            with record_errors(f"a record of {file.path}"):
                self._kept = {record["id"]: _slim(record) for record in file.records()}
        self._check()

    @property
    def silent(self) -> list[str]:
        """The bots that were asked and never gave a usable answer."""
        return sorted(self.failures.keys() - self._answered)

    def play(
        self,
        bots: Sequence[LocalBot],
        jobs: int,
        logs: Path,
        step: Callable[[], None],
        stop: Callable[[], bool],
    ) -> None:
        """Play the missing matches until `stop` returns true, the test has a verdict, or fewer than two bots can play.

        Call `step` after each counted match. Finished matches are always counted and stored. Raise `WorkerDied`.
        """
        planned, ahead = tee(self.plan.fixtures())
        missing = (fixture for fixture in ahead if fixture.id not in self._kept)
        jobs = min(jobs, self.plan.matches - len(self._kept))
        with self._pool(bots, jobs, logs) as pool:
            played, decided = pool.play(missing, stop), False
            try:
                for fixture in planned:
                    record = self._kept.get(fixture.id)
                    if record is None:
                        match = next(played, None)
                        if match is None:
                            break
                        record = self._keep(match)
                    self._count(record)
                    decided = self._judge(fixture.number, record) or self._is_hopeless()
                    step()
                    if decided:
                        break
            finally:
                # Matches beyond the deciding one depend on the number of processes, so they are not counted.
                if not decided:
                    for match in pool.left():
                        self._count(self._keep(match))

    def _pool(self, bots: Sequence[LocalBot], jobs: int, logs: Path) -> Inline | Workers:
        """Return what plays the matches: this process, or `jobs` others."""
        if jobs <= 1 and all(bot.kind == "house" for bot in bots):
            return Inline(self.plan)
        from kozyr.local.workers import Workers

        return Workers(self.plan, bots, jobs, logs)

    def _is_hopeless(self) -> bool:
        """Return whether bots that never answer leave fewer than two others to compare."""
        broken = sum(self._failed[bot] >= HOPELESS for bot in self.silent)
        return broken > 0 and len(self.plan.bots) - broken < 2

    def _check(self) -> None:
        known = {fixture.id for fixture in self.plan.fixtures()} if self._kept else set()
        strange = [match for match in self._kept if match not in known]
        if strange:
            assert self.file is not None
            raise WrongRecordFile(
                f"{self.file.path} has {len(strange)} records that are not of this tournament (game, table, options,"
                " bots and their versions, seed, clock, duplicates, no fewer deals): give it the same words as before,"
                " or another file"
            )

    def _keep(self, match: LocalResult) -> Record:
        if self.file is not None:
            self.file.write(match.record)
        self._answered |= match.answered
        self._failed.update({failure.bot for failure in match.failures})
        for failure in match.failures:
            self.failures[failure.bot] += 1
            self.reasons.setdefault(failure.bot, failure.reason)
        return match.record

    def _count(self, record: Record) -> None:
        self.tally.add(record)
        self.matches += 1
        self.forfeits.update({record["seats"][seat]["id"] for seat in record["forfeits"]})

    def _judge(self, number: int, record: Record) -> bool:
        """Add a group to the test after its last match. Return whether there is a verdict."""
        if self.sprt is None:
            return False
        if (number + 1) % self.plan.tables_of_group == 0:
            one, other = (bot.id for bot in self.plan.bots[:2])
            self.sprt.add(self.tally.lead(group_of(record), one, other))
        return self.sprt.verdict is not None


def _slim(record: Record) -> Record:
    # Only the number of deals is counted from the moves.
    return {**{field: record[field] for field in COUNTED}, "moves": [{"seat": None}] * dealt(record)}

"""Seasons of a ladder. Each has standings, a cross table and pairings of its own; past ones stay readable.

A season ends by hand or by schedule, and the next begins at once. Rounds under way are played to their end and count
in the season in which they were opened. Entries stay. Ratings stay too, since they belong to presets. A season
without a round does not end.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Final

from league.errors import Overtaken, SeasonEmpty, WrongLadderState
from league.ladders.due import each_due, report_again
from league.ladders.model import HAS_SEASONS, SEASONS, LadderState, Season, Standing
from league.ladders.service import Ladders
from league.pairing.formats.bracket import Bracket
from referee.after_commit import AfterCommitStep
from referee.storage import paging

_ATTEMPTS: Final = 16


class Seasons:
    """Seasons of ladders. Safe to share between greenlets and threads."""

    def __init__(
        self,
        ladders: Ladders,
        *,
        report: Callable[[str, int], None],
        ended_by_schedule: Callable[[str, int], None],
    ) -> None:
        """`report` takes seasons that have ended; `ended_by_schedule` takes each that the schedule ended."""
        self._ladders, self._store = ladders, ladders.store
        self._report, self._ended_by_schedule = report, ended_by_schedule

    def end(self, ladder_id: str, due: int | None = None) -> Season:
        """End the current season, by hand or for a due instant, and return the one that begins. If another season has
        begun after the due instant, return that one.

        Raise `SeasonEmpty`, `WrongLadderState` or `NoSuchLadder`.
        """
        for _ in range(_ATTEMPTS):
            ladder = self._ladders.get(ladder_id)
            present = self._ladders.season(ladder, ladder.season)
            if due is not None and present.number > 1 and present.began >= due:
                return present
            if ladder.state not in HAS_SEASONS:
                states = " or ".join(sorted(HAS_SEASONS))
                raise WrongLadderState(
                    f"the ladder is {ladder.state}; seasons end while it is {states}",
                    state=ladder.state.value,
                )
            last = self._store.last_round(ladder_id)
            if last < ladder.season_first:
                raise SeasonEmpty(
                    f"season {ladder.season} has no round, so it can't end", season=ladder.season
                )
            bracket = self._ladders.bracket(ladder, ladder.season)
            walkovers = None if bracket is None else bracket.walkovers
            now = self._store.now()
            after = replace(ladder, season=ladder.season + 1, season_began=now, season_first=last + 1)
            ended = present._replace(ended=now, last_round=last, walkovers=walkovers)
            report_again(self._store, ladder_id, ended.number)
            if self._store.change(ladder, after, ended=ended):
                self._ladders.after_commit.run(AfterCommitStep.ROUND, lambda: self._tell(ended, due), None)  # noqa: B023 -- called at once
                return self._ladders.season(after, after.season)
        raise Overtaken("too many rounds were opened at the same time; retry the request")

    def _tell(self, ended: Season, due: int | None) -> None:
        if due is not None:
            self._ended_by_schedule(ended.ladder, ended.number)
        self._report(ended.ladder, ended.number)

    def get(self, ladder_id: str, number: int) -> Season:
        """Return a season. Raise `NoSuchLadder` or `NoSuchSeason`."""
        return self._ladders.season(self._ladders.get(ladder_id), number)

    def page(
        self, ladder_id: str, before: int | None = None, limit: int = paging.PAGE_LIMIT
    ) -> tuple[Sequence[Season], int | None]:
        """Return seasons before this number, the latest first, and the number for the next page (`None` at the end).

        A page may hold fewer than `limit` seasons, but at least one, since the winners of each are searched among all
        entries.
        """
        ladder = self._ladders.get(ladder_id)
        entries = len(self._store.entries(ladder_id))
        limit = max(1, min(limit, paging.MOST_EXAMINED // max(1, entries)))
        top = ladder.season if before is None else before - 1
        numbers = range(top, max(top - limit, 0), -1)
        found = [self._ladders.season(ladder, ladder.season)] if ladder.season in numbers else []
        past = self._store.seasons(ladder_id, [number for number in numbers if number < ladder.season])
        found += [each for each in past if each is not None]
        return found, numbers[-1] if numbers and numbers[-1] > 1 else None

    def is_over(self, season: Season) -> bool:
        """Return whether the season has ended, the ladder is closed or its format is complete, and the last match is
        counted."""
        last = season.last_round
        if last is None:
            if self._store.last_round(season.ladder) < season.first_round:
                return False
            if self._store.rounds_under_way(season.ladder):
                return False
            ladder = self._ladders.get(season.ladder)
            return ladder.state is LadderState.CLOSED or self._ladders.is_complete(ladder)
        return all(number > last for number in self._store.rounds_under_way(season.ladder))

    def leaders(self, season: Season) -> Sequence[Standing]:
        """Return the bots that have won by the standings (`Rank.won`)."""
        return [each for each in self._ladders.standings(season.ladder, season.number) if each.rank.won]

    def without_winner_out(self, ladder_id: str, season: int | None, bracket: Bracket) -> Bracket:
        """Return a bracket without its winner, if that is out of the season's places."""
        if bracket.winner is None:
            return bracket
        won = {each.bot for each in self._ladders.standings(ladder_id, season) if each.rank.won}
        return bracket if bracket.winner.id in won else bracket._replace(winner=None)

    def tick(self, most: int = 100) -> int:
        """End the seasons that are due. Several processes may call it at once. Missed ends become one. Return the
        number of ladders checked."""
        return each_due(self._store, SEASONS, most, self._due)

    def _due(self, ladder_id: str, due: int, now: int) -> None:
        ladder = self._store.ladder(ladder_id)
        following: int | None = None
        if ladder is not None and ladder.season_schedule is not None and ladder.state in HAS_SEASONS:
            # A season that can't end goes on.
            with suppress(SeasonEmpty, WrongLadderState):
                self.end(ladder_id, due)
            (following,) = ladder.season_schedule.after(now)
        self._store.move_due(SEASONS, ladder_id, due, following)

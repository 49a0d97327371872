"""Seasons of a ladder: standings, cross table and pairings start anew, the old ones stay to be read.

A season ends by hand or by a schedule of its own, and the next begins with it. What is under way then is played out and
counts in the season in which its round was opened. Entries stay, and so do ratings, which are a preset's and no
ladder's. A season without a round does not end: there would be nothing to keep of it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Final, NamedTuple

from league.errors import NoSuchSeason, Overtaken, SeasonEmpty, WrongLadderState
from league.ladders.model import HAS_SEASONS, Ladder, Season
from league.ladders.service import Ladders
from league.ladders.store import SEASONS
from league.pairing.formats.knock_out import Bracket
from referee.storage import paging

_ATTEMPTS: Final = 16


class Winner(NamedTuple):
    """A bot that won a season."""

    bot: str
    """Its id."""
    name: str


class Seasons:
    """See the module. Safe to share between greenlets and threads."""

    def __init__(self, ladders: Ladders, bracket: Callable[[str, int], Bracket]) -> None:
        """`bracket` tells how the knock-out of a ladder stands, or stood in a season."""
        self._ladders, self._store, self._bracket = ladders, ladders.store, bracket

    def end(self, ladder_id: str, due: int | None = None) -> Season:
        """The present season ends, by hand or for a due instant. Returns the one that begins; for an instant after
        which another has begun already, that one.

        Raises `SeasonEmpty`, `WrongLadderState`, `NoSuchLadder`.
        """
        for _ in range(_ATTEMPTS):
            ladder = self._ladders.get(ladder_id)
            present = self.present(ladder)
            if due is not None and present.number > 1 and present.began >= due:
                return present
            if ladder.state not in HAS_SEASONS:
                said = " or ".join(sorted(HAS_SEASONS))
                raise WrongLadderState(
                    f"the ladder is {ladder.state}; seasons end while it is {said}", state=ladder.state.value
                )
            last = self._store.last_round(ladder_id)
            if last < ladder.season_first:
                raise SeasonEmpty(
                    f"no round of season {ladder.season} was opened: it goes on", season=ladder.season
                )
            now = self._store.now()
            after = ladder._replace(season=ladder.season + 1, season_began=now, season_first=last + 1)
            if self._store.end_season(ladder, after, present._replace(ended=now, last_round=last)):
                return self.present(after)
        raise Overtaken("rounds were opened too many times meanwhile; send the request again")

    def present(self, ladder: Ladder) -> Season:
        """The season in which rounds are opened now."""
        began = ladder.created if ladder.season_began is None else ladder.season_began
        return Season(ladder.id, ladder.season, began, ladder.season_first)

    def get(self, ladder_id: str, number: int) -> Season:
        """Raises `NoSuchLadder`, `NoSuchSeason`."""
        ladder = self._ladders.get(ladder_id)
        if number == ladder.season:
            return self.present(ladder)
        (found,) = self._store.seasons(ladder_id, [number])
        if found is None:
            raise NoSuchSeason(f"the ladder has no season {number}; the present one is {ladder.season}")
        return found

    def page(
        self, ladder_id: str, before: int | None = None, limit: int = 50
    ) -> tuple[Sequence[Season], int | None]:
        """Seasons, the last first, and the number before which to go on (`None` at the end). The winners
        of each season are found among all entries of the ladder, so a page may have fewer than `limit`, but one."""
        ladder = self._ladders.get(ladder_id)
        entries = len(self._store.entries(ladder_id))
        limit = max(1, min(limit, paging.MOST_EXAMINED // max(1, entries)))
        top = ladder.season if before is None else before - 1
        numbers = range(top, max(top - limit, 0), -1)
        found = [self.present(ladder)] if ladder.season in numbers else []
        past = self._store.seasons(ladder_id, [number for number in numbers if number < ladder.season])
        found += [each for each in past if each is not None]
        return found, numbers[-1] if numbers and numbers[-1] > 1 else None

    def is_over(self, season: Season) -> bool:
        """Whether it has ended and the last of its matches is counted."""
        last = season.last_round
        if last is None:
            return False
        return all(number > last for number in self._store.rounds_under_way(season.ladder))

    def leaders(self, season: Season) -> Sequence[Winner]:
        """Those in the first place of its standings, of a knock-out whoever is left: its winners when it is over."""
        if self._ladders.get(season.ladder).format_class.has_bracket:
            left = self._bracket(season.ladder, season.number).winner
            return [] if left is None else [Winner(left.id, left.name)]
        standings = self._ladders.standings(season.ladder, season.number)
        return [Winner(each.bot, each.name) for each in standings if each.place == 1 and each.line.deals]

    def tick(self, most: int = 100) -> int:
        """End the seasons that are due to; safe to do by several at once. However many ends were missed, they become
        one. Returns the number of ladders that were looked at."""
        now, due = self._store.due(SEASONS, most)
        for ladder_id, at in due:
            self._due(ladder_id, at, now)
        return len(due)

    def _due(self, ladder_id: str, due: int, now: int) -> None:
        ladder = self._store.ladder(ladder_id)
        following: int | None = None
        if ladder is not None and ladder.season_schedule is not None and ladder.state in HAS_SEASONS:
            # Where it can't end it goes on.
            with suppress(SeasonEmpty, WrongLadderState):
                self.end(ladder_id, due)
            (following,) = ladder.season_schedule.after(now)
        self._store.move_due(SEASONS, ladder_id, due, following)

"""What leaves Redis besides finished matches: rated groups, and rounds that ended.

Each write to the archive adds a file, so small batches wait for a day.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from league.ladders.redis import RedisLadderStore
from league.ladders.redis_archive import ArchivedLadders
from league.ratings.redis import RedisRatingStore

DAY_MS: Final = 86_400_000
LADDERS_AT_ONCE: Final = 100


class LeagueArchiver:
    """Moves them to the archive. Several processes may do so at once."""

    def __init__(
        self, ratings: RedisRatingStore, ladders: RedisLadderStore, archived: ArchivedLadders
    ) -> None:
        self._ratings, self._ladders, self._archived = ratings, ladders, archived
        self._place: str | None = None
        """The cursor of the last ladder of which everything has left."""

    def work(self, until: int, has_time: Callable[[], bool], *, partial: bool) -> None:
        """Move what ended before this instant (ms). Stop when `has_time` returns false; the next call continues. With
        `partial`, move small batches too."""
        while has_time() and self._ratings.archive(until, partial=partial):
            pass
        # A due instant must not open its round again, so it stays for a day.
        until = min(until, self._ladders.now() - DAY_MS)
        while found := self._ladders.listed(self._place, LADDERS_AT_ONCE):
            for place, ladder in found:
                if not self._moved(ladder, until, has_time, partial=partial):
                    return
                self._place = place
        self._place = None

    def _moved(self, ladder: str, until: int, has_time: Callable[[], bool], *, partial: bool) -> bool:
        """Move what a ladder leaves. Return false if the time was up before."""
        while has_time():
            if not self._archived.archive_rounds(ladder, until, partial=partial):
                return True
        return False

"""Replays of matches for readers, and a cache of positions, so that no reader replays a long match from its start."""

from __future__ import annotations

from bisect import bisect_right
from collections import OrderedDict
from collections.abc import Iterator
from io import StringIO
from typing import Final

from records.match.events import Position, Step, replayed
from records.match.loaded_match import LoadedMatch
from records.match.session import match_of
from referee.errors import EventsNotReady
from referee.greenlets import with_pauses
from referee.running.writer import MatchWriter

CAPACITY: Final = 20_000
"""The most positions that are kept: some 10 MB. The match that was read least recently is dropped first."""
MOST_SKIPPED: Final = 20_000
"""How many events one reader replays before the first one that it wants. It stops at the next end of a deal."""
PAUSE_EVERY: Final = 200
"""After how many steps other requests run. A deal may have a hundred thousand."""
EVERYTHING: Final = 10**9
"""More events than a match has."""


class _Positions:
    """Known positions of a match: the ends of its deals from the first on, and the furthest one."""

    __slots__ = ("ends", "head")

    def __init__(self) -> None:
        self.ends: list[Position] = []
        self.head: Position | None = None

    def __len__(self) -> int:
        return 1 + len(self.ends)

    def before(self, after: int) -> Position | None:
        """Return the last known position with at most `after` events."""
        head = self.head
        if head is not None and head.number <= after:
            return head
        place = bisect_right(self.ends, after, key=lambda end: end.number)
        return self.ends[place - 1] if place else None

    def add_end(self, end: Position) -> bool:
        """Add the end of a deal. Return whether it was unknown."""
        if self.ends and end.number <= self.ends[-1].number:
            return False
        self.ends.append(end)
        return True


class Replays:
    """Replays matches from the nearest known position. Safe to share between greenlets and threads."""

    def __init__(self, writer: MatchWriter) -> None:
        self._writer = writer
        self._known: OrderedDict[str, _Positions] = OrderedDict()
        self._count = 0

    def clear(self) -> None:
        """Forget all positions: the store may have lost moves."""
        self._known.clear()
        self._count = 0

    def steps(self, loaded: LoadedMatch, after: int) -> Iterator[Step]:
        """Yield the steps of the match so far, from the last known position with at most `after` events.

        Raises `EventsNotReady` if too many events come before. What was replayed is kept, so that the next reader gets
        further.
        """
        known = self._positions(loaded.id)
        begun = at = known.before(after)
        match = match_of(loaded.config, loaded.progress.first_dealer or 0)
        log = StringIO(self._writer.log_after(loaded, begun))
        skipped_from = 0 if begun is None else begun.number
        try:
            for step in with_pauses(replayed(match, log, loaded.config.clocks(), begun), PAUSE_EVERY):
                at = step.after
                if step.entry is not None and at.read == 0:
                    if known.add_end(at) and self._known.get(loaded.id) is known:
                        self._count += 1
                    if at.number < after:
                        self._check(loaded, at.number, skipped_from)
                yield step
        finally:
            if at is not None and (known.head is None or at.number > known.head.number):
                known.head = at

    def before_deal(self, loaded: LoadedMatch, deal: int) -> int:
        """Return the number of events before a deal, of all events if it was not dealt. Raises `EventsNotReady`."""
        ends, number = self._positions(loaded.id).ends, 0
        if len(ends) < deal - 1:
            for step in self.steps(loaded, EVERYTHING):
                number = step.after.number
                if len(ends) >= deal - 1:
                    break
        return 0 if deal < 2 else ends[deal - 2].number if len(ends) >= deal - 1 else number

    def _check(self, loaded: LoadedMatch, number: int, skipped_from: int) -> None:
        """Raise `EventsNotReady` if this reader has replayed its share."""
        if number - skipped_from >= MOST_SKIPPED:
            raise EventsNotReady(
                f"match {loaded.id} is long, and was replayed up to event {number} so far; ask again"
            )

    def _positions(self, match: str) -> _Positions:
        known = self._known.get(match)
        if known is None:
            known = self._known[match] = _Positions()
            self._count += 1
        self._known.move_to_end(match)
        while self._count > CAPACITY and len(self._known) > 1:
            _, dropped = self._known.popitem(last=False)
            self._count -= len(dropped)
        return known

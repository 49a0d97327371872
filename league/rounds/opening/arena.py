"""The bots that a new round of an arena can seat: those that are online and free.

Rounds of an arena overlap, so that a slow match delays only its players. A bot is free if it sits at no table of a
round under way whose group has not ended, and its match policy permits one more match. House bots are always online,
and sit at one table at a time like all others, so that all bots play equally often.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from league.ladders.model import Ladder
from league.ladders.service import Ladders
from league.pairing.plan import Entrant
from league.rounds.entrants import Running
from league.rounds.tables import PlannedMatches

MOST_AT_A_TIME: Final = 500
"""The maximum number of concurrent rounds of an arena."""

Online = Callable[[Sequence[str]], set[str]]
"""Returns the ids of those of these remote bots that are online."""


class ArenaRounds:
    """Finds the free bots of an arena."""

    def __init__(
        self, ladders: Ladders, tables: PlannedMatches, online: Online | None, running: Running | None
    ) -> None:
        """Without `online` all bots are online; without `running` all have room."""
        self._ladders, self._store = ladders, ladders.store
        self._tables, self._online, self._running = tables, online, running

    def free(self, ladder: Ladder, entrants: Sequence[Entrant]) -> tuple[Entrant, ...]:
        bots = self._ladders.accounts.bots_by_ids([each.id for each in entrants if not each.house])
        remote = [bot for bot in bots if bot is not None]
        gone = self._seated(ladder)
        if self._online is not None:
            gone |= {bot.id for bot in remote} - self._online([bot.id for bot in remote])
        if self._running is not None:
            playing = self._running([bot.id for bot in remote])
            gone |= {bot.id for bot in remote if playing.get(bot.id, 0) >= bot.match_policy.max_matches}
        return tuple(each for each in entrants if each.id not in gone)

    def _seated(self, ladder: Ladder) -> set[str]:
        """Return the bots at tables of rounds under way whose groups have not ended."""
        found: set[str] = set()
        rounds = self._store.rounds(ladder.id, self._store.rounds_under_way(ladder.id))
        under_way = [each for each in rounds if each is not None]
        for round_, unsettled in zip(under_way, self._store.unsettled(under_way), strict=True):
            tables = self._tables.plan(ladder, round_).tables
            found |= {entrant.id for table in unsettled for entrant in tables[table].entrants}
        return found

"""Who can be seated in a new round of an arena: whoever is online and free.

An arena's rounds overlap, so that a slow match holds up nobody but those who play it. A new round takes those who are
online, sit at no table of a round under way whose group is not over, and have room for a match by what they accept.
House bots are always online, and sit at one table at a time like everybody else: all are to play equally often.
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
"""How many rounds of an arena are under way at most."""

Online = Callable[[Sequence[str]], set[str]]
"""The ids of those of these remote bots that are online."""


class ArenaRounds:
    """See the module."""

    def __init__(
        self, ladders: Ladders, tables: PlannedMatches, online: Online | None, running: Running | None
    ) -> None:
        """Without `online` everybody is; without `running` everybody has room."""
        self._ladders, self._store = ladders, ladders.store
        self._tables, self._online, self._running = tables, online, running

    def free(self, ladder: Ladder, entrants: Sequence[Entrant]) -> tuple[Entrant, ...]:
        """Those of these entrants who can be seated now."""
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
        """Who sits at a table of a round under way whose group is not over."""
        found: set[str] = set()
        rounds = self._store.rounds(ladder.id, self._store.rounds_under_way(ladder.id))
        under_way = [of for of in rounds if of is not None]
        for of, unsettled in zip(under_way, self._store.unsettled(under_way), strict=True):
            tables = self._tables.plan(ladder, of).tables
            found |= {entrant.id for table in unsettled for entrant in tables[table].entrants}
        return found

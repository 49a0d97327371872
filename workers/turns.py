"""Whose turn it is among the matches that wait for house bots.

A match waits in the list of the owner who requested it, and owners have turns one after the other, so the matches of
one delay nobody else by more than a turn each. A turn is a job of a second or two; a match that needs more waits again
behind the owner's others. Matches of ladders come first, by the ladder's owner, but leave every `SHARE`-th turn to
others. A match in which somebody waits for the answer of a house bot precedes the owner's matches among house bots.

The lists are in the Redis of the job queue, which may lose them: the deadline of the house bots lets each match wait
again.

    NAME:turns:taken        string  how many turns were taken
    NAME:turns:waiting      hash    match -> class and owner
    NAME:turns:CLASS        list    owners with waiting matches, the next one first
    NAME:turns:CLASS:OWNER  list    waiting matches of an owner, the next one first
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

from league.container.options import WaitingMatches
from records.match.session import MatchConfig
from redisio.scripts import Script

SHARE: Final = 4
"""Every such turn is not a ladder's, if another match waits."""
MOST_OWNERS: Final = 1000
"""How many owners are looked at to count the turns before a match's."""
_LADDERS: Final = "ladders"
_OTHERS: Final = "others"
_ADD: Final = Script("workers", "turn_add.lua")
_TAKE: Final = Script("workers", "turn_take.lua")
_AHEAD: Final = Script("workers", "turn_ahead.lua")


class HouseTurn(NamedTuple):
    """A match that waits for its house bots."""

    match: str
    owner: str = ""
    """Whose turns it uses."""
    is_of_ladder: bool = False
    is_awaited: bool = False
    """Whether somebody waits for the answer of the house bots."""

    @classmethod
    def of(cls, config: MatchConfig) -> HouseTurn:
        """Return the turn of a match. Without a known requester it is that of the first owner with a seat."""
        guests = [seat.bot.partition("/")[0] for seat in config.seats if seat is not None and not seat.house]
        owner = config.requested_by or next(iter(guests), "")
        return cls(config.id, owner, config.ladder is not None, bool(guests))


class HouseTurns:
    """The matches that wait. Methods raise `RedisError`."""

    def __init__(self, connection: Any, name: str) -> None:
        self._prefix, self._connection = f"{name}:turns:", connection
        self._add, self._take, self._ahead = (
            connection.register_script(script.text) for script in (_ADD, _TAKE, _AHEAD)
        )

    def add(self, turn: HouseTurn) -> bool:
        """Let a match wait, and return whether it did not before."""
        kind = _LADDERS if turn.is_of_ladder else _OTHERS
        keys = [self._prefix + kind, f"{self._prefix}{kind}:{turn.owner}", f"{self._prefix}waiting"]
        return bool(self._add(keys, [turn.match, turn.owner, kind, int(turn.is_awaited)]))

    def take(self) -> str | None:
        """Take the match whose turn it is; `None` if none waits."""
        keys = [f"{self._prefix}taken", f"{self._prefix}waiting"]
        match = self._take(keys, [self._prefix, SHARE, _LADDERS, _OTHERS])
        return None if match is None else str(match.decode())

    def waiting(self, owner: str) -> int:
        """Return how many matches of an owner wait, without those of ladders."""
        return int(self._connection.llen(f"{self._prefix}{_OTHERS}:{owner}"))

    def by_owner(self) -> list[WaitingMatches]:
        """Return for each of the next `MOST_OWNERS` owners how many matches wait."""
        kinds = (_LADDERS, _OTHERS)
        owners = [
            (kind, owner.decode())
            for kind in kinds
            for owner in self._connection.lrange(self._prefix + kind, 0, MOST_OWNERS - 1)
        ]
        pipeline = self._connection.pipeline(transaction=False)
        for kind, owner in owners:
            pipeline.llen(f"{self._prefix}{kind}:{owner}")
        counts = zip(owners, pipeline.execute(), strict=True)
        return [WaitingMatches(owner, kind == _LADDERS, count) for (kind, owner), count in counts]

    def ahead(self, match: str) -> int | None:
        """Return how many turns come before that of a match; `None` if it does not wait."""
        keys = [f"{self._prefix}waiting"]
        found = self._ahead(keys, [self._prefix, SHARE, _LADDERS, _OTHERS, match, MOST_OWNERS])
        return None if found is None else int(found)

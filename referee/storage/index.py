"""What spans matches: which matches a bot plays, which ended, and lists by filter. The port.

An index is fed from the outboxes, after the commit, once or more often and in any order, and can be rebuilt
from the matches. So it may lag a moment behind and name a match that has moved on: who reads it looks at the
match itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol

from referee.match.session import MatchConfig, MatchProgress, Status
from referee.polling.hub import Probe


class MatchFilter(NamedTuple):
    """Which matches a list is of. `None` filters nothing. `bot` is a bot's id, `result` an ending; `since` and
    `until` (ms, both ends in) are about the end of finished matches and the creation of others."""

    game: str | None = None
    bot: str | None = None
    ladder: str | None = None
    status: Status | None = None
    result: str | None = None
    since: int | None = None
    until: int | None = None
    void: bool | None = None
    """Whether it is over and does not count."""


class MatchPage(NamedTuple):
    """A part of a list, and the cursor of what follows, `None` at the end. At most `paging.MOST_EXAMINED` matches were
    examined for it, so it may have fewer than were asked for, or none, and a cursor."""

    ids: list[str]
    cursor: str | None


class BotMatches(NamedTuple):
    """How things stand for a bot."""

    epoch: bytes
    """Eight bytes that stay as long as the stored data do."""
    active: list[str]
    """The matches that are not over in which the bot has a seat. May name one that is over since."""
    finished: list[tuple[int, str]]
    """Finished matches with running numbers, oldest first. Numbers count the bot's own finished matches and
    nothing else; the last 1000 are kept."""
    probe: Probe
    """The command that reads a value which changes with every `feed` about the bot."""
    seen: object
    """That value."""


class ListedMatch(NamedTuple):
    """How a match stands. What is not `listed` is known to its own bots alone: a match of a duplicate group that is not
    over."""

    setup: MatchConfig
    head: MatchProgress
    listed: bool = True


class MatchIndex(Protocol):
    """A page of a list takes two round trips for every `paging.AT_ONCE` matches, every other method one or two."""

    def feed(self, shown: Sequence[ListedMatch]) -> None:
        """Take in how matches stand. Safe to repeat; an old standing fed late does no lasting harm."""

    def mine(self, bot_id: str, after: int | None, most: int) -> BotMatches:
        """How things stand for a bot, in one round trip; finished matches with numbers above `after`, oldest
        first, or with `None` the last `most`."""

    def probe(self, match: str) -> Probe:
        """The command that reads what changes with every commit of a match."""

    def seen(self, version: int) -> object:
        """What `probe` answers at this version of the match."""

    def matches(self, wanted: MatchFilter, cursor: str | None, most: int) -> MatchPage:
        """Matches newest first: those not over by creation, then the finished by end. Raises `BadCursor`."""

    def unfinished(self) -> dict[str, int]:
        """How many matches are not over, by status."""

    def ended(self, wanted: MatchFilter, cursor: str | None, most: int) -> MatchPage:
        """Finished matches in the order (ended, id), oldest first. Raises `BadCursor`."""


def facets(setup: MatchConfig) -> Sequence[str]:
    """The lists that a match is in."""
    bots = sorted({f"bot:{seat.id}" for seat in setup.seats if seat is not None})
    ladder = [f"ladder:{setup.ladder}"] if setup.ladder else []
    return ["all", f"game:{setup.game}", *ladder, *bots]

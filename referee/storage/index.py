"""The port of the index that spans matches: which matches a bot plays, which ended, and lists by filter.

The index is fed from the outboxes, after the commit, once or more often and in any order. It can be rebuilt from the
matches. So it may lag behind and name a match that has moved on; readers look at the match itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol, Self

from referee.match.loaded_match import LoadedMatch
from referee.match.session import MatchConfig, MatchProgress, Status

Probe = tuple[object, ...]
"""A command of the store whose reply changes when a waiter should look again."""


class MatchFilter(NamedTuple):
    """What a list of matches is filtered by. `None` filters nothing."""

    game: str | None = None
    bot: str | None = None
    """A bot's id."""
    ladder: str | None = None
    status: Status | None = None
    result: str | None = None
    """An ending."""
    since: int | None = None
    """The earliest end of finished matches, and the earliest creation of others, in ms."""
    until: int | None = None
    """The latest one, in ms, inclusive."""
    void: bool | None = None
    """Whether the match is over and doesn't count."""

    def fits(self, match: LoadedMatch) -> bool:
        """Return whether the match itself still passes the filter; the index may lag."""
        progress = match.progress
        return (
            self.status in (None, progress.status)
            and self.result in (None, progress.ending)
            and self.void in (None, match.void)
        )


class MatchPage(NamedTuple):
    """One page of a list.

    The store examines at most `paging.MOST_EXAMINED` matches for a page. So a page may have fewer matches than asked
    for, or none, and still a cursor.
    """

    ids: list[str]
    cursor: str | None
    """The cursor of the next page; `None` at the end of the list."""


class BotMatches(NamedTuple):
    """The matches of a bot."""

    epoch: bytes
    """Eight bytes that stay as long as the stored data do."""
    active: list[str]
    """Matches in which the bot has a seat. Some may be over already."""
    finished: list[tuple[int, str]]
    """Finished matches with running numbers, oldest first. Each bot's matches are numbered separately, and the last
    1000 are kept."""
    probe: Probe
    """The command that reads a value which changes with every `feed` about the bot."""
    seen: object
    """That value."""


class ListedMatch(NamedTuple):
    """A match as the index takes it."""

    config: MatchConfig
    progress: MatchProgress
    listed: bool = True
    """Whether it appears in lists. A match of a duplicate group that isn't over is known to its own bots only."""
    archived: bool = False
    """Whether the archive lists it."""

    @classmethod
    def of(cls, loaded: LoadedMatch) -> Self:
        """Return a match that appears in lists."""
        return cls(loaded.config, loaded.progress, archived=loaded.archived)


class MatchIndex(Protocol):
    """Lists of matches.

    A page takes two round trips for every `paging.AT_ONCE` matches examined, every other method one or two.
    """

    def feed(self, shown: Sequence[ListedMatch]) -> None:
        """Take in matches and wake their bots' waiters. Safe to repeat; an old state fed late does no lasting harm."""

    def mine(self, bot_id: str, after: int | None, most: int) -> BotMatches:
        """Return a bot's matches in one round trip.

        Includes at most `most` finished matches: the oldest ones with numbers above `after`, or the last ones if it is
        `None`.
        """

    def probe(self, match: str) -> Probe:
        """Return the command that reads a value which changes with every commit of a match."""

    def seen(self, version: int) -> object:
        """Return the reply to `probe` at this version of the match."""

    def matches(self, wanted: MatchFilter, cursor: str | None, most: int) -> MatchPage:
        """Return matches, newest first: active ones by creation, then finished ones by end. Raises `BadCursor`."""

    def unfinished(self) -> dict[str, int]:
        """Return by status how many matches aren't over."""

    def ended(self, wanted: MatchFilter, cursor: str | None, most: int) -> MatchPage:
        """Return finished matches in the order (ended, id), oldest first. Raises `BadCursor`."""


def facets(config: MatchConfig) -> Sequence[str]:
    """Return the names of the lists that contain this match."""
    bots = sorted({f"bot:{seat.id}" for seat in config.seats if seat is not None})
    ladder = [f"ladder:{config.ladder}"] if config.ladder else []
    return ["all", f"game:{config.game}", *ladder, *bots]

"""What the index that spans matches takes and returns: which matches a bot plays, which ended, and lists by filter.

The index is fed from the outboxes, after the commit, once or more often and in any order. It can be rebuilt from the
matches. So it may lag behind and name a match that has moved on; readers look at the match itself.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple, Self

from records.match.loaded_match import LoadedMatch
from records.match.session import MatchConfig, MatchProgress, Status
from redisio.sorted_sets import Place

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
    opponent: str | None = None
    """The id of a bot that has a seat too."""

    def fits(self, match: LoadedMatch) -> bool:
        """Return whether the match itself passes the filter, except for its dates; the index may lag."""
        config, progress = match.config, match.progress
        return (
            self.game in (None, config.game)
            and self.ladder in (None, config.ladder)
            and all(bot is None or config.seat_of(bot) is not None for bot in (self.bot, self.opponent))
            and self.status in (None, progress.status)
            and self.result in (None, progress.ending)
            and self.void in (None, match.void)
        )


class Pointer(NamedTuple):
    """The place of an archived match."""

    segment: int
    """The position of its segment in the register, from 0."""
    offset: int
    """Where its frame begins."""
    length: int
    """The bytes of its frame."""
    line: int
    """Its line in the frame, from 0."""


class ListedPlace(NamedTuple):
    """A place in a list, with what the list shows of the match."""

    place: Place
    config: MatchConfig
    progress: MatchProgress
    pointer: Pointer


KnownPlace = Pointer | ListedPlace
"""What a reader of a list knows of an archived match already."""
NOTHING_KNOWN: Final[Mapping[str, KnownPlace]] = {}


class MatchPage(NamedTuple):
    """One page of a list.

    The store examines at most `paging.MOST_EXAMINED` matches for a page. So a page may have fewer matches than asked
    for, or none, and still a cursor.
    """

    ids: list[str]
    cursor: str | None
    """The cursor of the next page; `None` at the end of the list."""
    archived: Mapping[str, ListedPlace] = {}
    """Those of the archive, with all that a list shows of them."""

    def pointers(self) -> dict[str, Pointer]:
        """Return where the records of the archived matches are."""
        return {match: listed.pointer for match, listed in self.archived.items()}


class BotMatches(NamedTuple):
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
        return cls(loaded.config, loaded.progress, archived=loaded.archived)


def facets(config: MatchConfig) -> Sequence[str]:
    bots = sorted({f"bot:{seat.id}" for seat in config.seats if seat is not None})
    ladder = [f"ladder:{config.ladder}"] if config.ladder else []
    return ["all", f"game:{config.game}", *ladder, *bots]

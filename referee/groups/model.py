"""Duplicate groups: the same decks at several tables, and nothing of it for anybody's eyes before the last is over.

A group has one secret, so one deck and one dealer (King: its twelve decks), and a table for each of its matches. The
tables differ in who sits where, and in how the suits are relabelled, by the symmetries of the game's rules; their
commitments differ too, since each match has an id of its own. So nobody is told which matches belong together. A
program with a memory may still recognise a hand: relabelling is a hindrance and no more.

Whether a no-show costs a seat or the whole group is decided once, by whoever comes first (`GroupStore.decide`): with
the first deal of any of its matches a deck has been seen, and from then on a bot that does not come forfeits its seat;
before it the group is aborted. A match that became void is played again with the same deck at the same table; when
that happens too often, the group is void.
"""

from __future__ import annotations

import enum
import hashlib
from functools import lru_cache
from typing import Any, Final, NamedTuple

from engine.game import BadTable
from engine.match import Match
from engine.registry import GAMES
from engine.relabelling import Suits
from referee.ids import derived_match_id
from referee.match.clock import ClockRule
from referee.match.session import GroupSeating, Seat, table_of, table_relabelled
from referee.storage.decoding import decoded

ATTEMPTS: Final = 3
"""How often the match of one table may become void before the group does."""
MOST_TABLES: Final = 1000
"""The most tables of one group."""


class GroupKind(enum.StrEnum):
    """How the bots of a group meet its deck."""

    ROTATED = "rotated"
    """All of them at every table, in another seat each time."""
    ONCE_ONLY = "once_only"
    """Each once, in the same seat, against the same house bots."""


class GroupStatus(enum.StrEnum):
    """Where a group is in its life."""

    RUNNING = "running"
    OVER = "over"
    ABORTED = "aborted"
    """A bot did not come before the first deal: no deck was seen."""
    VOID = "void"


class Phase(enum.StrEnum):
    """What was decided of a group that runs."""

    DEALT = "dealt"
    ABORTED = "aborted"


class Group(NamedTuple):
    """What is agreed before the first deal. Never changed once made."""

    id: str
    kind: GroupKind
    game: str
    options: dict[str, Any]
    """Before any relabelling."""
    bots: tuple[Seat, ...]
    tables: tuple[tuple[int, ...], ...]
    """By table and seat, the number of the bot that sits there. Once-only, the bot of a table's own number is the one
    that meets the deck there; the others are house bots, the same at all tables."""
    entropy: tuple[str | None, ...]
    """By bot."""
    clock: ClockRule
    dealer: int | None
    """The first dealer where the group names one; else it is drawn from the secret."""
    secret: bytes
    created: int
    rated: bool = False
    ladder: str | None = None
    round: int | None = None
    season: int | None = None

    def to_json(self) -> dict[str, Any]:
        """For the store."""
        said = self._asdict()
        said["bots"] = [seat._asdict() for seat in self.bots]
        said["clock"] = self.clock.to_json()
        said["secret"] = self.secret.hex()
        return said

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Group:
        """From the store."""
        data["kind"] = GroupKind(data["kind"])
        data["bots"] = tuple(decoded(Seat, seat) for seat in data["bots"])
        data["tables"] = tuple(tuple(table) for table in data["tables"])
        data["entropy"] = tuple(data["entropy"])
        data["clock"] = ClockRule.from_json(data["clock"])
        data["secret"] = bytes.fromhex(data["secret"])
        return decoded(cls, data)

    def suits(self, slot: int) -> Suits:
        """How the suits are relabelled at this table. No two tables have the same as long as there are others."""
        game = table_of(self.game, len(self.tables[0]), self.options)
        known = _in_order(game.suit_symmetries(), self.secret)
        return known[slot % len(known)]

    def match_id(self, slot: int, attempt: int) -> str:
        """The id of this table's match; nobody can guess it who does not know the secret."""
        return derived_match_id("group", self.secret.hex(), self.id, slot, attempt)


class GroupProgress(NamedTuple):
    """How far a group is. For the service itself: nothing of it is shown before the group is over."""

    status: GroupStatus
    attempts: dict[int, int]
    """By table, which attempt counts, where it is not the first."""
    over: frozenset[int]
    """The tables whose match is over."""
    ended: int | None
    """When the last match ended."""
    ended_by: int | None
    """The table whose match ended the group; `None` too where a round that failed did."""


NO_PROGRESS: Final = GroupProgress(GroupStatus.RUNNING, {}, frozenset(), None, None)
"""How far a new group is."""


class TableEnd(NamedTuple):
    """How an attempt at a table of a group ended."""

    group: str
    slot: int
    attempt: int
    """From 0."""
    ending: str
    ended: int
    """In ms."""


@lru_cache(maxsize=256)
def _in_order(known: tuple[Suits, ...], secret: bytes) -> tuple[Suits, ...]:
    """Relabellings in the order in which a group's tables take them."""
    by_secret = {suits: hashlib.sha256(b"kozyr-suits" + secret + bytes(suits)).digest() for suits in known}
    return tuple(sorted(known, key=by_secret.__getitem__))


def checked(group: Group) -> Group:
    """The group with all of its options. Raises `BadTable` for what does not fit the game or itself."""
    if group.game not in GAMES:
        raise BadTable("game", group.game, "one of " + ", ".join(GAMES))
    if not 1 <= len(group.tables) <= MOST_TABLES:
        raise BadTable("tables", len(group.tables), f"1 to {MOST_TABLES} tables")
    seats = len(group.tables[0])
    game = table_of(group.game, seats, group.options)
    Match(game, dealer=group.dealer or 0)
    return group._replace(options=dict(game.options))


def place_of(group: Group, slot: int) -> tuple[GroupSeating, dict[str, Any], list[Seat]]:
    """What a table's match is made of: its place in the group, its options with their suits relabelled, its seats."""
    suits = group.suits(slot)
    game = table_of(group.game, len(group.tables[slot]), group.options)
    members = group.tables[slot]
    compared = members.index(slot) if group.kind is GroupKind.ONCE_ONLY else None
    return (
        GroupSeating(group.id, slot, suits, members, compared),
        dict(table_relabelled(game, suits).options),
        [group.bots[member] for member in members],
    )

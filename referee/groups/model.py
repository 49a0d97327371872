"""Duplicate groups: several matches on the same decks, hidden from everybody but their seats until the last is over.

A group has one secret, and so one deck and one dealer (in King, twelve decks), and a table for each of its matches. The
tables differ in their seating and in the relabelling of suits, by the symmetries of the game's rules. Their commitments
differ too, because each match has its own id. So nobody can tell which matches belong together. A program with a memory
may still recognise a hand: relabelling makes that harder, not impossible.

The first decision settles whether a no-show costs a seat or the whole group (`RedisGroupStore.decide`). The first deal
of any of its matches exposes a deck; from then on a bot that doesn't show up forfeits its seat. Before it, the group is
aborted. A void match is played again with the same deck at the same table. After too many void matches the group is
void.
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
from records.decoding import decoded
from records.ids import derived_match_id
from records.match.assist import LIST, Assist
from records.match.clock import ClockRule
from records.match.session import GroupSeating, Seat, table_of, table_relabelled

ATTEMPTS: Final = 3
"""How many attempts at one table may become void before the group does."""
MOST_TABLES: Final = 1000
"""The most tables of one group."""


class GroupKind(enum.StrEnum):
    """How the bots of a group play its deck."""

    ROTATED = "rotated"
    """Every bot plays at every table, each time in another seat."""
    ONCE_ONLY = "once_only"
    """Every bot plays once, in the same seat, against the same house bots."""


class GroupStatus(enum.StrEnum):
    RUNNING = "running"
    OVER = "over"
    ABORTED = "aborted"
    """A bot did not show up before the first deal, so no deck was seen."""
    VOID = "void"


class Phase(enum.StrEnum):
    """What was decided about a running group."""

    DEALT = "dealt"
    ABORTED = "aborted"


class Group(NamedTuple):
    """What is agreed before the first deal. Immutable."""

    id: str
    kind: GroupKind
    game: str
    options: dict[str, Any]
    """Before any relabelling."""
    bots: tuple[Seat, ...]
    tables: tuple[tuple[int, ...], ...]
    """By table and seat, the number of the bot that sits there. In a once-only group, the table with number n compares
    bot n; the others are house bots, the same at all tables."""
    entropy: tuple[str | None, ...]
    """By bot."""
    clock: ClockRule
    dealer: int | None
    """The first dealer if the group names one; else it is drawn from the secret."""
    secret: bytes
    created: int
    rated: bool = False
    ladder: str | None = None
    round: int | None = None
    season: int | None = None
    since: int | None = None
    """How many records there were before anybody used its id (`referee.storage.store.Commit`); `None` if unknown."""
    requested_by: str = ""
    start_ms: int | None = None
    assist: Assist = LIST
    """All three as in `records.match.session.MatchConfig`."""

    def to_json(self) -> dict[str, Any]:
        data = self._asdict()
        data["bots"] = [seat.to_json() for seat in self.bots]
        data["clock"] = self.clock.to_json()
        data["secret"] = self.secret.hex()
        return data

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Group:
        data["kind"] = GroupKind(data["kind"])
        data["bots"] = tuple(map(Seat.from_json, data["bots"]))
        data["tables"] = tuple(tuple(table) for table in data["tables"])
        data["entropy"] = tuple(data["entropy"])
        data["clock"] = ClockRule.from_json(data["clock"])
        data["secret"] = bytes.fromhex(data["secret"])
        return decoded(cls, data)

    def suits(self, slot: int) -> Suits:
        """Return the relabelling of suits at this table. Tables share one only when all are in use."""
        game = table_of(self.game, len(self.tables[0]), self.options)
        symmetries = _in_order(game.suit_symmetries(), self.secret)
        return symmetries[slot % len(symmetries)]

    def match_id(self, slot: int, attempt: int) -> str:
        """Return the id of this table's match. Nobody can guess it without the secret."""
        return derived_match_id("group", self.secret.hex(), self.id, slot, attempt)


class GroupProgress(NamedTuple):
    """The progress of a group. The service keeps it to itself until the group is over."""

    status: GroupStatus
    attempts: dict[int, int]
    """By table, the number of the current attempt, if it isn't the first."""
    over: frozenset[int]
    """The tables whose match is over."""
    ended: int | None
    """When the last match ended."""
    ended_by: int | None
    """The table whose match ended the group; `None` also if a failed round ended it."""
    dealt: bool = False
    """Whether a deck was seen: from then on a bot that doesn't show up forfeits its seat."""


NO_PROGRESS: Final = GroupProgress(GroupStatus.RUNNING, {}, frozenset(), None, None)
"""The progress of a new group."""


class TableEnd(NamedTuple):
    """The end of an attempt at a table of a group."""

    group: str
    slot: int
    attempt: int
    """From 0."""
    ending: str
    ended: int
    """In ms since 1970."""


@lru_cache(maxsize=256)
def _in_order(symmetries: tuple[Suits, ...], secret: bytes) -> tuple[Suits, ...]:
    """Return the relabellings in the order in which the tables of a group use them."""
    by_secret = {
        suits: hashlib.sha256(b"kozyr-suits" + secret + bytes(suits)).digest() for suits in symmetries
    }
    return tuple(sorted(symmetries, key=by_secret.__getitem__))


def checked(group: Group) -> Group:
    """Return the group with all options filled in. Raises `BadTable` if it doesn't fit the game."""
    if group.game not in GAMES:
        raise BadTable("game", group.game, "one of " + ", ".join(GAMES))
    if not 1 <= len(group.tables) <= MOST_TABLES:
        raise BadTable("tables", len(group.tables), f"1 to {MOST_TABLES} tables")
    seats = len(group.tables[0])
    game = table_of(group.game, seats, group.options)
    Match(game, dealer=group.dealer or 0)
    return group._replace(options=dict(game.options))


def place_of(group: Group, slot: int) -> tuple[GroupSeating, dict[str, Any], list[Seat]]:
    """Return what a table's match is made of: its place in the group, its relabelled options, its seats."""
    suits = group.suits(slot)
    game = table_of(group.game, len(group.tables[slot]), group.options)
    members = group.tables[slot]
    compared = members.index(slot) if group.kind is GroupKind.ONCE_ONLY else None
    return (
        GroupSeating(group.id, slot, suits, members, compared),
        dict(table_relabelled(game, suits).options),
        [group.bots[member] for member in members],
    )

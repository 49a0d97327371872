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
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, Final, NamedTuple, Protocol

from engine.game import BadTable
from engine.match import Match
from engine.registry import GAMES
from engine.relabelling import Suits
from referee.clock import ClockRule
from referee.errors import GroupRunning
from referee.ids import derived_match_id
from referee.stored import decoded
from referee.table import Grouped, Seat, Setup, table_of, table_relabelled

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


class Progress(NamedTuple):
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


NO_PROGRESS: Final = Progress(GroupStatus.RUNNING, {}, frozenset(), None, None)
"""How far a new group is."""


class End(NamedTuple):
    """How an attempt at a table of a group ended."""

    group: str
    slot: int
    attempt: int
    """From 0."""
    ending: str
    ended: int
    """In ms."""


class GroupStore(Protocol):
    """What groups need of a store: the port. `referee.redis_groups` is its Redis form."""

    def add(self, groups: Sequence[Group]) -> list[Group]:
        """New groups; the one that is there, where there is one of this id. In one round trip."""

    def groups(self, groups: Sequence[str]) -> list[Group | None]:
        """The groups of these ids."""

    def progress(self, groups: Sequence[str]) -> list[Progress]:
        """How far they are; `running` for one that is not known."""

    def decide(self, groups: Sequence[str], phase: Phase) -> list[Phase]:
        """The phases that hold from now on: the first that was decided of each. In one round trip."""

    def settle(self, ends: Sequence[End]) -> dict[str, Progress]:
        """Note, each once, how these attempts ended. Returns by group how far it is then. In one round trip."""

    def void(self, groups: Sequence[str], at: int) -> list[GroupStatus]:
        """Make those of these groups void that are running. Returns their statuses then. In one round trip."""

    def statuses(self, groups: Sequence[str]) -> list[GroupStatus]:
        """Of several groups at once; `running` for one that is not known."""

    def unfinished(self, most: int, before: int) -> list[str]:
        """Groups, looked at by nobody since then, of which not all tables were seen to have their match."""

    def looked(self, group: str, at: int | None) -> None:
        """Somebody has looked at the group now; `None`: nobody need look again."""


class _Remembered:
    """The last so many groups of which something is true for good."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._groups: dict[str, None] = {}

    def __contains__(self, group: str) -> bool:
        return group in self._groups

    def add(self, group: str) -> None:
        self._groups[group] = None
        if len(self._groups) > self._most:
            del self._groups[next(iter(self._groups))]


class GroupGate:
    """Which groups are dealt and which are over, remembered once they are. What is not over belongs to nobody but its
    seats."""

    def __init__(self, store: GroupStore) -> None:
        self.store = store
        self._dealt = _Remembered(1024)
        self._open = _Remembered(65_536)

    def dealt(self, groups: Sequence[str]) -> list[bool]:
        """Decide for each of these groups that its deck may be seen from now on; whether that holds, or it was aborted
        before."""
        asked = [group for group in groups if group not in self._dealt]
        for group, phase in zip(asked, self.store.decide(asked, Phase.DEALT) if asked else [], strict=True):
            if phase is Phase.DEALT:
                self._dealt.add(group)
        return [group in self._dealt for group in groups]

    def readable(self, setups: Sequence[Setup]) -> list[bool]:
        """Of each of these matches, whether its group, if it has one, is over."""
        asked = list({setup.group.id for setup in setups if setup.group and setup.group.id not in self._open})
        for group, status in zip(asked, self.store.statuses(asked) if asked else [], strict=True):
            if status is not GroupStatus.RUNNING:
                self._open.add(group)
        return [setup.group is None or setup.group.id in self._open for setup in setups]

    def is_masked(self, setup: Setup) -> bool:
        """Whether the match belongs to a group that is not over."""
        return not self.readable([setup])[0]

    def check(self, setups: Sequence[Setup]) -> None:
        """Raises `GroupRunning` if one of these matches is masked. In one round trip."""
        if not all(self.readable(setups)):
            raise GroupRunning(
                "the match belongs to a duplicate group that is not over; until then its seats alone see it"
            )


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


def place_of(group: Group, slot: int) -> tuple[Grouped, dict[str, Any], list[Seat]]:
    """What a table's match is made of: its place in the group, its options with their suits relabelled, its seats."""
    suits = group.suits(slot)
    game = table_of(group.game, len(group.tables[slot]), group.options)
    members = group.tables[slot]
    compared = members.index(slot) if group.kind is GroupKind.ONCE_ONLY else None
    return (
        Grouped(group.id, slot, suits, members, compared),
        dict(table_relabelled(game, suits).options),
        [group.bots[member] for member in members],
    )

"""A table of friends as a value: who sits where, and what may happen before its match.

A table waits for friends, plays a match, and waits again for the next one with the same friends.
"""

from __future__ import annotations

import enum
import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from league.accounts.model import Bot, is_reserved
from league.people import guest_of, person_of
from records.decoding import decoded
from records.match.clock import ClockRule
from records.match.session import GUEST
from records.names import current_name

CLOCKS: Final[Mapping[str, ClockRule]] = MappingProxyType(
    {
        "quick": ClockRule(move_ms=30_000, bank_ms=120_000, grace_ms=1_000, strikes=2),
        "calm": ClockRule(move_ms=120_000, bank_ms=300_000, grace_ms=1_000, strikes=2),
        "slow": ClockRule(move_ms=1_800_000, bank_ms=0, grace_ms=1_000, strikes=1),
    }
)
"""The clock rules that a host can choose. A player who left forfeits the seat after one or two timeouts."""
MOST_NAME: Final = 16
_NAME: Final = re.compile(r"[A-Za-z0-9]+(?:[ -][A-Za-z0-9]+)*|[А-Яа-яЁё0-9]+(?:[ -][А-Яа-яЁё0-9]+)*")
"""A name in one alphabet, so that none imitates another by letters that look the same."""


class TableRefusal(enum.Enum):
    """Why a table does not allow something, in English; the catalogues of the site translate it."""

    GONE = "It was left by everybody, or did not start within half an hour. Open another one."
    STARTED = "The match has begun. Wait for the next one."
    FULL = "All seats are taken."
    SEAT = "Somebody else has just taken the seat."
    NAME = "Choose a name of 2 to 16 letters and digits, in one alphabet, that does not suggest the service."
    NAME_TAKEN = "Somebody at the table has this name."
    HOST = "Only the host of the table can do this."
    ALONE = "Wait until somebody has joined."
    BUSY = "Somebody at the table plays too many other matches."
    TABLES = "You have opened too many tables in the last half hour. Leave one."
    CROWDED = "Too many tables are open. Try again in half an hour."


class TableRefused(Exception):
    """A table does not allow something; `reason` says why. Nothing has changed."""

    def __init__(self, reason: TableRefusal) -> None:
        super().__init__(reason.value)
        self.reason = reason


class Friend(NamedTuple):
    """A person at a table of friends."""

    id: str
    """The id of the person's seats (`league.people`)."""
    owner: str
    """The owner's id, or `GUEST`."""
    name: str
    """The owner's name, or the one that the guest chose for this table."""
    ready: bool = True
    """Whether the person takes part in the next match. After a match, everybody has to ask for another one."""

    @property
    def is_guest(self) -> bool:
        """Whether the person has not signed in."""
        return self.owner == GUEST

    @property
    def person(self) -> Bot:
        """The person as a player."""
        return guest_of(self.id.partition("-")[2]) if self.is_guest else person_of(self.owner, self.name)


class FriendsTable(NamedTuple):
    """A table and the link to it. Immutable."""

    id: str
    """The secret in the link."""
    game: str
    options: Mapping[str, Any]
    deals: int
    levels: tuple[str, ...]
    """By seat, the house bot that sits there if nobody else does."""
    clock: str
    """Which of `CLOCKS` it has."""
    host: str
    """The id of the friend who starts its match."""
    seats: tuple[Friend | None, ...]
    match: str | None = None
    """The match that it plays or has played last; `None` while it waits for the next one."""

    def seat_of(self, person: str) -> int | None:
        """Return the seat of a person, or `None`."""
        return next((number for number, each in enumerate(self.seats) if each and each.id == person), None)

    @property
    def friends(self) -> list[Friend]:
        """The people at the table, by seat."""
        return [each for each in self.seats if each is not None]

    def sat(self, person: Bot, name: str, seat: int | None = None) -> FriendsTable:
        """Return the table after somebody sat down, under this name if it is a guest, or moved to another seat. That
        person takes part in the next match. Without `seat`, it is the present one or the first free one."""
        self.check_waits()
        seats = list(self.seats)
        present = self.seat_of(person.id)
        friend = None if present is None else seats[present]
        if present is not None:
            seats[present] = None
        if seat is None:
            seat = present if present is not None else seats.index(None) if None in seats else -1
        if not 0 <= seat < len(seats) or seats[seat] is not None:
            raise TableRefused(TableRefusal.SEAT if None in self.seats else TableRefusal.FULL)
        if friend is None:
            friend = friend_of(person, name)
            taken = [*(each.name for each in self.friends), *self.levels]
            if friend.is_guest and friend.name.casefold() in map(str.casefold, taken):
                raise TableRefused(TableRefusal.NAME_TAKEN)
        seats[seat] = friend._replace(ready=True)
        return self._replace(seats=tuple(seats))

    def left(self, person: str) -> FriendsTable | None:
        """Return the table after somebody left it; `None` if nobody sits there any more."""
        self.check_waits()
        stays = self._replace(
            seats=tuple(each if each and each.id != person else None for each in self.seats)
        )
        if not stays.friends:
            return None
        first = next((each for each in stays.friends if each.ready), stays.friends[0])
        return stays._replace(host=first.id) if person == self.host else stays

    def begun(self, person: str, match: str) -> FriendsTable:
        """Return the table after its host began this match, with those who are ready and the host. A begun table stays
        as it is."""
        if person != self.host:
            raise TableRefused(TableRefusal.HOST)
        if self.match is not None:
            return self
        ready = tuple(each if each and (each.ready or each.id == person) else None for each in self.seats)
        if len([each for each in ready if each]) < 2:
            raise TableRefused(TableRefusal.ALONE)
        return self._replace(seats=ready, match=match)

    def again(self, person: str, match: str) -> FriendsTable:
        """Return the table after somebody asked for another match. The first who does becomes the host, and everybody
        sits a seat further on."""
        table = self
        if self.match == match:
            away = [each and each._replace(ready=False) for each in self.seats]
            seats, levels = ((each[-1], *each[:-1]) for each in (away, self.levels))
            table = self._replace(seats=seats, levels=levels, host=person, match=None)
        table.check_waits()
        ready = [each and each._replace(ready=each.ready or each.id == person) for each in table.seats]
        return table._replace(seats=tuple(ready))

    def sitting(self) -> list[Bot | str]:
        """Return by seat the person, or the name of the house bot that fills it."""
        return [
            level if each is None else each.person
            for each, level in zip(self.seats, self.levels, strict=True)
        ]

    def check_waits(self) -> None:
        """Raise `TableRefused` unless the table waits for its next match."""
        if self.match is not None:
            raise TableRefused(TableRefusal.STARTED)

    def to_json(self) -> dict[str, Any]:
        """Return the stored form."""
        return {**self._asdict(), "seats": [each and each._asdict() for each in self.seats]}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> FriendsTable:
        """Return the value of its stored form, with the present names of its owners."""
        seats = tuple(
            each and decoded(Friend, {**each, "name": current_name(each["owner"], each["name"])})
            for each in data["seats"]
        )
        return decoded(cls, {**data, "levels": tuple(data["levels"]), "seats": seats})


def friend_of(person: Bot, name: str) -> Friend:
    """Return a person as a friend: an owner under its own name, a guest under this one. Raise `TableRefused`."""
    if person.owner != GUEST:
        return Friend(person.id, person.owner, person.owner_name)
    chosen = " ".join(name.split())
    if not 2 <= len(chosen) <= MOST_NAME or not _NAME.fullmatch(chosen) or is_reserved(chosen.casefold()):
        raise TableRefused(TableRefusal.NAME)
    return Friend(person.id, GUEST, chosen)

"""Tables of friends: a link, seats, and one casual match after the other. Safe to share between greenlets and threads.

    kozyr:{friends}:table:ID      text  the table (JSON). It expires half an hour after it was opened or has last waited
                                        for a rematch, or `KEPT_S` after its match began
    kozyr:{friends}:match:MATCH   text  the id of the table that plays the match
    kozyr:{friends}:of:PERSON     zset  tables that a person opened, by the instant (ms) until which they count
    kozyr:{friends}:open          zset  the same of all people

Every process may change a table: it replaces what it has read, unless somebody else was faster.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

import orjson

from engine.game import BadTable
from engine.match import checked_deals
from league.accounts.model import Bot
from league.errors import BotUnavailable, Overtaken
from league.friends.model import CLOCKS, FriendsTable, TableRefusal, TableRefused
from league.people import People
from records.ids import new_match_id, random_text
from records.match.loaded_match import LoadedMatch
from records.match.new_match import game_named
from records.match.session import MatchConfig, table_of
from redisio.connection import Redis
from redisio.scripts import Script

OPEN: Final = Script("league.friends", "redisio:time.lua", "friends_open.lua")
SWAP: Final = Script("league.friends", "friends_swap.lua")

WAITS_S: Final = 1_800
"""For how long a table waits for its host to start it."""
KEPT_S: Final = 3 * 86_400
"""For how long a table whose match has begun is kept."""
MOST_TABLES: Final = 3
"""How many tables a person may open in `WAITS_S`, without those that everybody left."""
MOST_OPEN: Final = 1_000
"""How many tables all people together may open in `WAITS_S`. For guests, the limit of an address on new matches counts
too."""
_TRIES: Final = 8
_TAG: Final = "kozyr:{friends}:"
_OPEN: Final = f"{_TAG}open"


class Friends:
    """Opens, fills and starts tables of friends."""

    def __init__(self, redis: Redis, people: People, clock: Callable[[], int] | None = None) -> None:
        """The clock is Redis's, or `clock` in tests."""
        self._redis, self._people, self._clock = redis, people, clock

    def open(
        self,
        person: Bot,
        name: str,
        game: str,
        *,
        opponents: Sequence[str],
        options: Mapping[str, Any],
        deals: int | None,
        clock: str,
    ) -> FriendsTable:
        """Open a table, with the person in seat 0 and a seat for each opponent, which a friend may take.

        Raise `TableRefused`, or `BadTable` for a table or a house bot that does not exist.
        """
        table_of(game, 1 + len(opponents), options)
        self._people.seats(person, opponents)
        table = FriendsTable(
            id=random_text(26),
            game=game,
            options=options,
            deals=checked_deals(game_named(game), deals),
            levels=(opponents[-1], *opponents),
            clock=clock,
            host=person.id,
            seats=(None,) * (1 + len(opponents)),
        ).sat(person, name, 0)
        keys = (_table(table.id), _own(person.id), _OPEN)
        now = "" if self._clock is None else self._clock()
        call = OPEN.call(keys, now, table.id, _text(table), WAITS_S * 1000, MOST_TABLES, MOST_OPEN)
        done = self._redis.one(*call)
        if done != 1:
            raise TableRefused(TableRefusal.CROWDED if done else TableRefusal.TABLES)
        return table

    def find(self, table: str) -> FriendsTable:
        """Return a table. Raise `TableRefused` if it is gone."""
        return self._read(table)[1]

    def of_match(self, match: str) -> FriendsTable | None:
        """Return the table that has played a match, or `None`."""
        ident = self._redis.one("GET", _match(match))
        stored = ident and self._redis.one("GET", _table(ident.decode()))
        return FriendsTable.from_json(orjson.loads(stored)) if stored else None

    def guests(self, config: MatchConfig) -> Mapping[int, str]:
        """Return by seat the names that guests chose for a match, as long as their table is known."""
        table = self.of_match(config.id) if config.has_company else None
        found = [] if table is None else [each for each in table.friends if each.is_guest]
        seats = {config.seat_of(each.id): each.name for each in found}
        return {seat: name for seat, name in seats.items() if seat is not None}

    def sit(self, table: str, person: Bot, name: str, seat: int | None = None) -> None:
        """Let a person sit down, or move to another seat. A guest chooses a name. Raise `TableRefused`."""
        self._change(table, lambda found: found.sat(person, name, seat))

    def leave(self, table: str, person: Bot) -> None:
        """Let a person leave before the match. Raise `TableRefused`."""
        if self._change(table, lambda found: found.left(person.id)) is None:
            self._redis.run([("ZREM", key, table) for key in (_own(person.id), _OPEN)])

    def begin(self, table: str, person: Bot) -> LoadedMatch:
        """Start the match of a table. Repeating it returns the same match.

        Raise `TableRefused`.
        """
        fresh, waiting = new_match_id(), list[FriendsTable]()

        def start(found: FriendsTable) -> FriendsTable:
            waiting.append(found)
            return found.begun(person.id, fresh)

        begun = self._change(table, start, KEPT_S)
        assert begun is not None
        assert begun.match is not None
        self._redis.one("SET", _match(begun.match), table, "EX", KEPT_S)
        try:
            return self._people.together(
                begun.sitting(),
                game=begun.game,
                options=begun.options,
                deals=begun.deals,
                clock=CLOCKS[begun.clock],
                match=begun.match,
            )
        except (BotUnavailable, BadTable) as error:
            self._change(table, lambda found: found._replace(match=None, seats=waiting[-1].seats), WAITS_S)
            raise TableRefused(TableRefusal.BUSY) from error

    def again(self, match: LoadedMatch, person: Bot) -> FriendsTable:
        """Let a person ask for another match at the table of this one. Raise `TableRefused`."""
        table = self.of_match(match.id)
        if table is None:
            raise TableRefused(TableRefusal.GONE)
        if not match.finished:
            raise TableRefused(TableRefusal.STARTED)
        changed = self._change(table.id, lambda found: found.again(person.id, match.id), WAITS_S)
        assert changed is not None
        return changed

    def _change(
        self, table: str, change: Callable[[FriendsTable], FriendsTable | None], kept_s: int | None = None
    ) -> FriendsTable | None:
        """Replace a table by what `change` makes of it, `None` to delete it, and return that."""
        kept_ms = "" if kept_s is None else kept_s * 1000
        for _ in range(_TRIES):
            stored, found = self._read(table)
            changed = change(found)
            if changed == found:
                return found
            new = b"" if changed is None else _text(changed)
            if self._redis.one(*SWAP.call((_table(table),), stored, new, kept_ms)):
                return changed
        raise Overtaken("others changed the table at the same time; try again")

    def _read(self, table: str) -> tuple[bytes, FriendsTable]:
        stored = self._redis.one("GET", _table(table))
        if stored is None:
            raise TableRefused(TableRefusal.GONE)
        return stored, FriendsTable.from_json(orjson.loads(stored))


def _text(table: FriendsTable) -> bytes:
    return orjson.dumps(table.to_json())


def _table(ident: str) -> str:
    return f"{_TAG}table:{ident}"


def _match(match: str) -> str:
    return f"{_TAG}match:{match}"


def _own(person: str) -> str:
    return f"{_TAG}of:{person}"

"""Stored matches and groups of renamed bots: they get the present names, where an operator forgets an owner.

Each value is replaced by compare-and-set, so every step may be repeated or interrupted anywhere.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Any, Final

import orjson

from records.names import renew_seats
from redisio.connection import Redis, scan
from redisio.scripts import Command, Script
from redisio.sorted_sets import SortedSetPages
from referee.archive_index.index import Renewals
from referee.errors import Busy
from referee.groups.model import ATTEMPTS, Group
from referee.storage import paging
from referee.storage.packing import DAMAGE, compressed, decompressed
from referee.storage.redis import finished_key, match_key
from referee.storage.redis_index import list_key

SWAP_CONFIG: Final = Script("referee.storage", "config_swap.lua")
SWAP: Final = Script("referee.storage", "value_swap.lua")
_TRIES: Final = 64


def renew_names(redis: Redis, bots: Collection[str]) -> None:
    """Store the present names of these bots in the groups and matches in Redis. Raise `Busy`."""
    matches = list(dict.fromkeys([*_renewed_groups(redis, bots), *_matches_of(redis, bots)]))
    for first in range(0, len(matches), paging.AT_ONCE):
        left = matches[first : first + paging.AT_ONCE]
        for _ in range(_TRIES):
            left = _overtaken(redis, left)
            if not left:
                break
        else:
            raise Busy("a match changed too many times meanwhile; repeat the command")


def renew_fields(
    redis: Redis, key: str, fields: Mapping[bytes, bytes], renewed: Callable[[bytes], bytes]
) -> None:
    """Replace these fields of a hash by what `renewed` makes of them, where they are as they were read."""
    swaps = [
        SWAP.call((key,), raw, new, field) for field, raw in fields.items() if (new := renewed(raw)) != raw
    ]
    redis.all(swaps)  # a field that changed was written under the present names, or is gone


def _renewed_groups(redis: Redis, bots: Collection[str]) -> Iterator[str]:
    """Renew the groups that name one of these bots. Yield the ids that their matches may have."""
    idents = [bot.encode() for bot in bots]
    for keys in scan(redis, "kozyr:{group:*}"):
        raws = redis.all([("HGET", key, "doc") for key in keys])
        found = {key: raw for key, raw in zip(keys, raws, strict=True) if raw is not None}
        docs = {key: raw for key, raw in found.items() if any(ident in raw for ident in idents)}
        swaps = [SWAP.call((key,), raw, renewed(raw, "bots"), "doc") for key, raw in docs.items()]
        redis.all(swaps)  # a group that changed has left Redis
        for group in (Group.from_json(orjson.loads(raw)) for raw in docs.values()):
            for slot in range(len(group.tables)):
                yield from (group.match_id(slot, attempt) for attempt in range(ATTEMPTS + 1))


def _matches_of(redis: Redis, bots: Collection[str]) -> Iterator[str]:
    for bot in bots:
        keys = [
            *(list_key(f"bot:{bot}", part) for part in ("live", "ended")),
            f"kozyr:{{bot:{bot}}}:finished",
        ]
        for pages in (SortedSetPages(redis, key) for key in keys):
            place = None
            while chunk := pages.after(place, paging.AT_ONCE):
                place = chunk[-1]
                yield from (each.member for each in chunk)
        yield from (match.decode() for match in redis.one("SMEMBERS", f"kozyr:{{bot:{bot}}}:active"))


def _overtaken(redis: Redis, matches: Sequence[str]) -> list[str]:
    """Renew these matches. Return those that changed meanwhile."""
    raws = redis.all([command for match in matches for command in _read(match)])
    swaps = {
        match: swap
        for match, running, packed in zip(matches, raws[::2], raws[1::2], strict=True)
        if (swap := _swap(match, running, packed)) is not None
    }
    answers = redis.all(list(swaps.values()))
    return [match for match, answer in zip(swaps, answers, strict=True) if not answer]


def _read(match: str) -> tuple[Command, Command]:
    return ("HMGET", match_key(match), "version", "config"), ("GET", finished_key(match))


def _swap(match: str, running: Sequence[bytes | None], packed: bytes | None) -> Command | None:
    """Return the command that renews a match; `None` if nothing is to be renewed."""
    if packed is not None:
        try:
            new = _repacked(packed)
        except DAMAGE:
            return None  # readers note it
        return None if new is None else SWAP.call((finished_key(match),), packed, new, "")
    version, config = running
    if version is None or config is None or (new := renewed(config, "seats")) == config:
        return None
    return SWAP_CONFIG.call((match_key(match),), version, new)


def _repacked(packed: bytes) -> bytes | None:
    head, line, log = decompressed(packed).partition(b"\n")
    data: dict[str, Any] = orjson.loads(head)
    renew_seats(data["config"], "seats")
    new = orjson.dumps(data)
    return None if new == head else compressed(new + line + log)


def renewed(raw: bytes, seats: str) -> bytes:
    """Return a stored config or group with the present names in its `seats`."""
    data = orjson.loads(raw)
    renew_seats(data, seats)
    return orjson.dumps(data)


def _renewed_place(value: bytes) -> bytes:
    """Return a value of `referee.storage.archived.list_entries` with present names."""
    config, *rest = orjson.loads(value)
    renew_seats(config, "seats")
    return orjson.dumps([config, *rest])


def _renewed_group(value: bytes) -> bytes:
    """Return an archived group (`referee.groups.redis`) with present names."""
    fields = orjson.loads(value)
    fields["doc"] = renewed(fields["doc"].encode(), "bots").decode()
    return orjson.dumps(fields)


RENEWALS: Final[Renewals] = {b"~l": _renewed_place, b"=g": _renewed_group}
"""For the values of the archive's index."""

"""The archived part of the rating book: the first groups of a log, in the index of the archive.

    =r P GROUP            the result of a group (JSON)
    ~r P ENDED GROUP      the log, by the place of each group, its end (ms) and its id: the result again, so that a
                          fit reads neighbours
    ~b P BOT ENDED GROUP  the bot's rating as published after the group (JSON); empty if none was

Redis keeps the place of the last archived group (`top` in `kozyr:{ratings:P}:head`). All groups of one millisecond are
archived together. A writer checks the version of the log between reading the manifest of the index and changing it. So
one that was delayed cannot override what was written after the change.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

import orjson

from records.ratings.model import preset_id
from records.results.group_result import GroupResult
from redisio.connection import Redis
from redisio.scripts import Script
from referee.archive_index.index import PARTIAL_MS, ArchiveIndex

ARCHIVE: Final = Script("league.ratings", "rating_archive.lua")
_LATEST: Final = 10**15 - 1
_LAST: Final = "~"
"""Follows the ids of all groups."""
AT_ONCE: Final = 512
"""How many groups one step archives or reads. Each step of the archive writes a file."""


class ArchivedPosition(NamedTuple):
    """The head of a log, as far as the archive is concerned."""

    version: int
    fits: int
    top: str


class ArchivedRatings:
    """The archived groups of all presets."""

    def __init__(self, redis: Redis, index: ArchiveIndex) -> None:
        self._redis, self._index = redis, index

    # 1. Reading

    def position(self, preset: str) -> ArchivedPosition:
        version, fits, top = self._redis.one("HMGET", key_of(preset, "head"), "version", "fits", "top")
        return ArchivedPosition(int(version or 0), int(fits or 0), (top or b"").decode())

    def all(self, preset: str) -> Iterator[GroupResult]:
        """Yield the results of all archived groups."""
        place, top = "", self.position(preset).top
        while outcomes := self._log(preset, place, top, AT_ONCE) if top else []:
            yield from outcomes
            place = place_of(outcomes[-1].ended, outcomes[-1].id)

    def results(self, preset: str, groups: Sequence[str]) -> list[GroupResult]:
        raws = self._index.get([_result_key(preset, group) for group in groups])
        return [GroupResult.from_json(orjson.loads(raw)) for raw in raws if raw is not None]

    def history(
        self, preset: str, bot: str, before: tuple[int, str] | None, limit: int
    ) -> list[tuple[tuple[int, str], bytes]]:
        """Return the places and ratings (JSON) of a bot's archived groups before this one, the latest first."""
        top = self.position(preset).top
        if not top:
            return []
        end = _bot_key(preset, bot, top) + b"\0"
        if before is not None:
            end = min(end, _bot_key(preset, bot, place_of(*before)))
        rows = self._index.scan(_bot_key(preset, bot, ""), end, limit, descending=True)
        found = [(key.decode().split(" ")[3:], value) for key, value in rows]
        return [((int(ended), group), value) for (ended, group), value in found]

    # 2. Moving groups to the archive

    def archive(self, preset: str, until: int, *, partial: bool) -> int:
        """Move at most `AT_ONCE` groups that ended before this instant to the archive. Return how many. Without
        `partial`, fewer wait for a day. Safe to repeat, and to run while groups are fitted or removed."""
        position = self.position(preset)
        most = min(self._redis.one("ZCARD", key_of(preset, "log")), AT_ONCE)
        if not most:
            return 0
        flat = self._redis.one("ZRANGE", key_of(preset, "log"), 0, most, "WITHSCORES")
        pairs = [
            (group.decode(), int(float(ended))) for group, ended in zip(flat[::2], flat[1::2], strict=True)
        ]
        if len(pairs) < most:
            return 0  # removed or archived meanwhile
        is_full = most == AT_ONCE and pairs[most - 1][1] < until
        if not (partial or is_full or pairs[0][1] < until - PARTIAL_MS):
            return 0
        until = min([until, *(ended for _, ended in pairs[most:])])
        groups = [group for group, ended in pairs[:most] if ended < until]
        if not groups:
            return 0
        raws = self._redis.one("HMGET", key_of(preset, "outcomes"), *groups)
        if None in raws:
            return 0  # removed meanwhile
        outcomes = [GroupResult.from_json(orjson.loads(raw)) for raw in raws]
        played = [(outcome, player.id) for outcome in outcomes for player in outcome.players]
        fields = [f"{outcome.id} {bot}" for outcome, bot in played]
        after = self._redis.one("HMGET", key_of(preset, "after"), *fields)
        top = place_of(outcomes[-1].ended, _LAST)
        stale = self._stale(preset, position.top, top)
        entries: dict[bytes, bytes | None] = dict.fromkeys(stale)
        for outcome, raw in zip(outcomes, raws, strict=True):
            entries |= _entries(preset, outcome, raw)
        for (outcome, bot), rating in zip(played, after, strict=True):
            entries[_bot_key(preset, bot, place_of(outcome.ended, outcome.id))] = rating or b""

        def is_current() -> bool:
            return self.position(preset) == position and self._stale(preset, position.top, top) == stale

        if not self._index.write(entries, is_current):
            return 0
        keys = [key_of(preset, what) for what in ("head", "log", "outcomes", "after")]
        keys += [key_of(preset, f"of:{bot}") for _, bot in played]
        arguments: list[Any] = [position.version, position.fits, top, len(groups), *groups]
        for outcome, bot in played:
            arguments += (outcome.id, bot)
        return len(groups) if self._redis.one(*ARCHIVE.call(keys, *arguments)) else 0

    def _stale(self, preset: str, floor: str, top: str) -> list[bytes]:
        """Return the keys of groups that an interrupted run wrote and that may have been removed since."""
        return [key for outcome in self._log(preset, floor, top, 10**6) for key in _keys(preset, outcome)]

    def _log(self, preset: str, floor: str, top: str, most: int) -> list[GroupResult]:
        """Return the archived groups after `floor`, up to `top`."""
        rows = self._index.scan(_log_key(preset, floor) + b"\0", _log_key(preset, top) + b"\0", most)
        return [GroupResult.from_json(orjson.loads(raw)) for _, raw in rows]

    # 3. Late and void groups

    def add(self, outcome: GroupResult) -> None:
        """Add a late group, or replace the result of an archived one. Safe to repeat."""
        preset = outcome.preset
        for known in self.results(preset, [outcome.id]):
            if known == outcome:
                return
            self.remove(preset, known.id)
        bots = dict.fromkeys(_keys(preset, outcome), b"")
        self._write(preset, {**bots, **_entries(preset, outcome, orjson.dumps(outcome.to_json()))})

    def remove(self, preset: str, group: str) -> bool:
        """Remove an archived group. Return whether it was there."""
        for outcome in self.results(preset, [group]):
            if place_of(outcome.ended, outcome.id) > self.position(preset).top:
                return False
            self._write(preset, dict.fromkeys(_keys(preset, outcome)))
            return True
        return False

    def _write(self, preset: str, entries: Mapping[bytes, bytes | None]) -> None:
        """Change archived groups, so that the ratings are fitted again."""
        head = key_of(preset, "head")
        self._redis.one("HINCRBY", head, "version", 1)  # in case this process dies after the next line
        self._index.write(entries)
        self._redis.one("HINCRBY", head, "version", 1)  # a fit may have read the log since the first time


def key_of(preset: str, what: str) -> str:
    return f"kozyr:{{ratings:{preset_id(preset)}}}:{what}"


def place_of(ended: int, group: str) -> str:
    """Return the place of a group in its log. Places are in order as texts."""
    return f"{min(max(ended, 0), _LATEST):015d} {group}"


def _entries(preset: str, outcome: GroupResult, raw: bytes) -> dict[bytes, bytes | None]:
    place = place_of(outcome.ended, outcome.id)
    return {_result_key(preset, outcome.id): raw, _log_key(preset, place): raw}


def _keys(preset: str, outcome: GroupResult) -> list[bytes]:
    place = place_of(outcome.ended, outcome.id)
    bots = [_bot_key(preset, player.id, place) for player in outcome.players]
    return [_result_key(preset, outcome.id), _log_key(preset, place), *bots]


def _result_key(preset: str, group: str) -> bytes:
    return f"=r {preset_id(preset)} {group}".encode()


def _log_key(preset: str, place: str) -> bytes:
    return f"~r {preset_id(preset)} {place}".encode()


def _bot_key(preset: str, bot: str, place: str) -> bytes:
    return f"~b {preset_id(preset)} {bot} {place}".encode()

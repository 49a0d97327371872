"""The archived part of the rating book: the first groups of a log, in the index of the archive.

    =r P GROUP            the result of a group (JSON)
    ~r P ENDED GROUP      the log, by the place of each group, its end (ms) and its id: the result again, so that a
                          replay reads neighbours
    ~b P BOT ENDED GROUP  the bot's rating after the group (JSON)

Redis keeps a snapshot, each bot's rating after the archived groups, and two places (`kozyr:{ratings:P}:head`): `top`,
the end of the archived part, and `floor`, the last place that the snapshot contains. They differ while archived groups
are rated again: after another rating model, a late group, or a void one. All groups of one millisecond are archived
together.

Every change of the log raises its version. A writer of results or ratings checks the version between reading the
manifest of the index and changing it. So one that was delayed cannot override what was written after the change.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

import orjson

from records.ratings.model import Rating, preset_id
from records.results.group_result import GroupResult
from redisio.connection import Redis
from redisio.errors import checked
from redisio.scripts import Script
from referee.archive_index.index import PARTIAL_MS, ArchiveIndex

ARCHIVE: Final = Script("league.ratings", "rating_archive.lua")
REWIND: Final = Script("league.ratings", "rating_rewind.lua")
REPLAY: Final = Script("league.ratings", "rating_replay.lua")
SETTLE: Final = Script("league.ratings", "rating_settle.lua")
_LATEST: Final = 10**15 - 1
_LAST: Final = "~"
"""Follows the ids of all groups."""
AT_ONCE: Final = 512
"""How many groups one step archives, or rates again. Each step writes a file."""


class ArchivedPosition(NamedTuple):
    """The head of a log, as far as the archive is concerned."""

    version: int
    rated: int
    mark: str
    floor: str
    top: str


class ArchivedRatings:
    """The archived groups of all presets."""

    def __init__(self, redis: Redis, index: ArchiveIndex) -> None:
        self._redis, self._index = redis, index

    # 1. Reading

    def position(self, preset: str) -> ArchivedPosition:
        raws = self._redis.one("HMGET", _key(preset, "head"), "version", "rated", "mark", "floor", "top")
        version, rated, *texts = raws
        mark, floor, top = ((raw or b"").decode() for raw in texts)
        return ArchivedPosition(int(version or 0), int(rated or 0), mark, floor, top)

    def waiting(self, preset: str, floor: str, top: str) -> list[GroupResult]:
        """Return the archived groups that are to be rated again next, at most `AT_ONCE`."""
        return self._log(preset, floor, top, AT_ONCE)

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

    def archive(self, preset: str, mark: str, until: int, *, partial: bool) -> int:
        """Move at most `AT_ONCE` groups that ended before this instant, and are rated, to the archive. Return how many.
        Without `partial`, fewer wait for a day. Safe to repeat, and to run while groups are rated or removed."""
        position = self.position(preset)
        if position.mark != mark or position.floor != position.top or not position.rated:
            return 0
        most = min(position.rated, AT_ONCE)
        flat = self._redis.one("ZRANGE", _key(preset, "log"), 0, most, "WITHSCORES")
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
        raws = self._redis.one("HMGET", _key(preset, "outcomes"), *groups)
        if None in raws:
            return 0  # removed meanwhile
        outcomes = [GroupResult.from_json(orjson.loads(raw)) for raw in raws]
        rated = [(outcome, player.id) for outcome in outcomes for player in outcome.players]
        fields = [f"{outcome.id} {bot}" for outcome, bot in rated]
        after = self._redis.one("HMGET", _key(preset, "after"), *fields)
        if None in after:
            return 0
        top = place_of(outcomes[-1].ended, _LAST)
        stale = self._stale(preset, position.top, top)
        entries: dict[bytes, bytes | None] = dict.fromkeys(stale)
        for outcome, raw in zip(outcomes, raws, strict=True):
            entries |= _entries(preset, outcome, raw)
        for (outcome, bot), rating in zip(rated, after, strict=True):
            entries[_bot_key(preset, bot, place_of(outcome.ended, outcome.id))] = rating

        def is_current() -> bool:
            is_same = self.position(preset).version == position.version
            return is_same and self._stale(preset, position.top, top) == stale

        if not self._index.write(entries, is_current):
            return 0
        keys = [_key(preset, what) for what in ("head", "log", "outcomes", "after", "base")]
        keys += [_key(preset, f"of:{bot}") for _, bot in rated]
        arguments: list[Any] = [position.version, top, len(groups), *groups]
        for (outcome, bot), rating in zip(rated, after, strict=True):
            arguments += (outcome.id, bot, rating)
        return len(groups) if self._redis.one(*ARCHIVE.call(keys, *arguments)) else 0

    def _stale(self, preset: str, floor: str, top: str) -> list[bytes]:
        """Return the keys of groups that an interrupted run wrote and that may have been removed since."""
        return [key for outcome in self._log(preset, floor, top, 10**6) for key in _keys(preset, outcome)]

    def _log(self, preset: str, floor: str, top: str, most: int) -> list[GroupResult]:
        """Return the archived groups after `floor`, up to `top`."""
        rows = self._index.scan(_log_key(preset, floor) + b"\0", _log_key(preset, top) + b"\0", most)
        return [GroupResult.from_json(orjson.loads(raw)) for _, raw in rows]

    # 3. Rating archived groups again

    def add(self, outcome: GroupResult) -> None:
        """Add a late group, or replace the result of an archived one. Safe to repeat."""
        preset, place = outcome.preset, place_of(outcome.ended, outcome.id)
        for known in self.results(preset, [outcome.id]):
            if known != outcome:
                self.remove(preset, known.id)
            elif self._rated(known):
                return
        self.rewind(preset, place)
        self._index.write(_entries(preset, outcome, orjson.dumps(outcome.to_json())))
        self.rewind(preset, place)  # archived groups may have been rated since the first time

    def remove(self, preset: str, group: str) -> bool:
        """Remove an archived group. Return whether it was there."""
        for outcome in self.results(preset, [group]):
            place = place_of(outcome.ended, outcome.id)
            if place > self.position(preset).top:
                return False
            self.rewind(preset, place)
            self._index.write(dict.fromkeys(_keys(preset, outcome)))
            self.rewind(preset, place)
            return True
        return False

    def restart(self, preset: str, mark: str) -> None:
        """Make all groups wait for ratings of the model with this mark."""
        while (position := self.position(preset)).mark != mark:
            keys = [_key(preset, what) for what in ("head", "base")]
            self._redis.one(*REWIND.call(keys, position.version, mark, ""))

    def rewind(self, preset: str, place: str) -> None:
        """Make the archived groups from this place on wait for their ratings."""
        while True:
            # A process that rates them now must read the log again.
            self._redis.one("HINCRBY", _key(preset, "head"), "version", 1)
            position = self.position(preset)
            if position.floor < place:
                return
            bots = self._redis.one("HKEYS", _key(preset, "names"))
            ratings = {bot: self.history(preset, bot.decode(), _before(place), 1) for bot in bots}
            base = [part for bot, found in ratings.items() if found for part in (bot, found[0][1])]
            floor = self._predecessor(preset, place)
            keys = [_key(preset, what) for what in ("head", "base")]
            if self._redis.one(*REWIND.call(keys, position.version, position.mark, floor, *base)):
                return

    def replayed(
        self, preset: str, version: int, after: Sequence[tuple[GroupResult, Mapping[str, Rating]]]
    ) -> bool:
        """Store the ratings after the next archived groups. Return false, without effect, if the log changed."""
        entries: dict[bytes, bytes | None] = {}
        base: dict[str, bytes] = {}
        for outcome, ratings in after:
            for bot, rating in ratings.items():
                base[bot] = orjson.dumps(list(rating))
                entries[_bot_key(preset, bot, place_of(outcome.ended, outcome.id))] = base[bot]
        if not self._index.write(entries, lambda: self.position(preset).version == version):
            return False
        self._index.compact()  # a replay writes many files, faster than the jobs of the archive compact them
        last = place_of(after[-1][0].ended, after[-1][0].id)
        return self._replayed(preset, version, last, [part for pair in base.items() for part in pair])

    def finish(self, preset: str, version: int, top: str) -> bool:
        """Note that all archived groups are rated again. Return false if the log changed, so that it waits again."""
        # Current ratings first: after a kill in between, the log still waits, and this is repeated.
        keys = [_key(preset, what) for what in ("base", "now", "order")]
        bots = [raw.decode() for raw in self._redis.one("HKEYS", _key(preset, "names"))]
        head = _key(preset, "head")
        commands = [SETTLE.call([*keys, _key(preset, f"of:{bot}"), head], bot) for bot in bots]
        for answer in self._redis.run(commands):
            checked(answer)
        return self._replayed(preset, version, top, [])

    def _replayed(self, preset: str, version: int, place: str, base: Sequence[Any]) -> bool:
        keys = [_key(preset, what) for what in ("head", "base")]
        return bool(self._redis.one(*REPLAY.call(keys, version, place, *base)))

    def _rated(self, outcome: GroupResult) -> bool:
        place = place_of(outcome.ended, outcome.id)
        key = _bot_key(outcome.preset, outcome.players[0].id, place)
        return bool(self._index.scan(key, key + b"\0", 1))

    def _predecessor(self, preset: str, place: str) -> str:
        rows = self._index.scan(_log_key(preset, ""), _log_key(preset, place), 1, descending=True)
        return "".join(key.decode().split(" ", 2)[2] for key, _ in rows)


def place_of(ended: int, group: str) -> str:
    """Return the place of a group in its log. Places are in order as texts."""
    return f"{min(max(ended, 0), _LATEST):015d} {group}"


def _before(place: str) -> tuple[int, str]:
    ended, _, group = place.partition(" ")
    return int(ended), group


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


def _key(preset: str, what: str) -> str:
    return f"kozyr:{{ratings:{preset_id(preset)}}}:{what}"

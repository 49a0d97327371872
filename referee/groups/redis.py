"""Duplicate groups in Redis. Each step touches one hash, so that groups spread over the nodes of a Redis Cluster.

The one key that spans groups can be rebuilt from them.

    kozyr:{group:ID}   hash  doc (JSON); status, phase, left, ended, ended_by; over:TABLE, attempt:TABLE
    kozyr:{group:ID}:adding  set  attempts to add the group: its removal ends them, so that none restores it
    kozyr:groups:open  zset  groups with missing matches, by the instant of the last attempt to create them

A group that is not running moves to the index of the archive with its matches: `=g ID` has the hash as JSON.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, Final

import orjson

from records.match.session import MatchConfig
from redisio.connection import Redis
from redisio.scripts import Command, Script
from referee.archive_index.index import ArchiveIndex
from referee.groups.model import ATTEMPTS, Group, GroupProgress, GroupStatus, Phase, TableEnd
from referee.proofs.redis import ARCHIVED

ADD: Final = Script("referee.groups", "group_add.lua")
DECIDE: Final = Script("referee.groups", "group_decide.lua")
SETTLE: Final = Script("referee.groups", "group_settle.lua")
VOID: Final = Script("referee.groups", "group_void.lua")
ATTEMPT: Final = Script("referee.groups", "group_attempt.lua")
FORGET: Final = Script("referee.groups", "group_forget.lua")
ATTEMPT_MS: Final = 60_000
"""How long an attempt to add a group may take. After that it begins again."""

_OPEN: Final = "kozyr:groups:open"


class RedisGroupStore:
    def __init__(self, redis: Redis, index: ArchiveIndex | None = None) -> None:
        self.redis, self._index = redis, index

    def add(self, groups: Sequence[Group]) -> list[Group]:
        """Add groups in one round trip. Returns the stored groups; one that existed under its id stays as it is."""
        docs: dict[str, bytes] = {}
        while new := [group for group in groups if group.id not in docs]:
            attempt = self._attempt(new)
            archived = self._archived(self._unsure(new))
            commands = [
                ("SREM", _attempts_key(group.id), attempt)
                if group.id in archived
                else _addition(group, attempt)
                for group in new
            ]
            for group, raw in zip(new, self.redis.all(commands), strict=True):
                doc = archived[group.id][b"doc"] if group.id in archived else raw
                if doc is not None:
                    docs[group.id] = doc
        return [_group(docs[group.id]) for group in groups]

    def groups(self, groups: Sequence[str]) -> list[Group | None]:
        """Return the groups with these ids; `None` for an id that no group has."""
        answers = self.redis.all([("HGET", _key(group), "doc") for group in groups])
        found = dict(zip(groups, answers, strict=True))
        archived = self._archived([group for group, raw in found.items() if raw is None])
        found |= {group: fields[b"doc"] for group, fields in archived.items()}
        return [None if found[group] is None else _group(found[group]) for group in groups]

    def progress(self, groups: Sequence[str]) -> list[GroupProgress]:
        """Return the progress of these groups; `NO_PROGRESS` for an unknown one."""
        answers = self.redis.all([("HGETALL", _key(each)) for each in groups])
        found = {group: _pairs(raw) for group, raw in zip(groups, answers, strict=True)}
        found |= self._archived([group for group, fields in found.items() if not fields])
        return [_progress(found[group]) for group in groups]

    def decide(self, groups: Sequence[str], phase: Phase) -> list[Phase]:
        """Decide the phase of these groups in one round trip. Returns the first decision for each, which holds."""
        answers = self.redis.all([DECIDE.call((_key(group),), phase.value) for group in groups])
        decided = dict(zip(groups, answers, strict=True))
        archived = self._archived([group for group, raw in decided.items() if not raw])
        decided |= {group: fields.get(b"phase", b"") for group, fields in archived.items()}
        # An unknown group has nothing to protect, and an archived one was decided long ago.
        return [Phase((decided[group] or phase.value.encode()).decode()) for group in groups]

    def settle(self, ends: Sequence[TableEnd]) -> dict[str, GroupProgress]:
        """Note the ends of attempts, each once, in one round trip. Returns the progress afterwards by group."""
        arguments: dict[str, list[Any]] = {}
        for end in ends:
            arguments.setdefault(end.group, [ATTEMPTS]).extend((end.slot, end.attempt, end.ending, end.ended))
        answers = self.redis.all([SETTLE.call((_key(group),), *noted) for group, noted in arguments.items()])
        found = {group: _pairs(raw) for group, raw in zip(arguments, answers, strict=True)}
        found |= self._archived([group for group, fields in found.items() if not fields])
        return {group: _progress(fields) for group, fields in found.items()}

    def void(self, groups: Sequence[str], at: int) -> list[GroupStatus]:
        """Void the running ones among these groups in one round trip. Returns all statuses afterwards."""
        return self._statuses(groups, self.redis.all([VOID.call((_key(group),), at) for group in groups]))

    def statuses(self, groups: Sequence[str]) -> list[GroupStatus]:
        """Return the statuses of these groups; `running` for an unknown one."""
        return self._statuses(groups, self.redis.all([("HGET", _key(group), "status") for group in groups]))

    def unfinished(self, most: int, before: int) -> list[str]:
        """Return at most `most` groups that may lack matches and were last checked before this instant."""
        raws = self.redis.one("ZRANGEBYSCORE", _OPEN, "-inf", before, "LIMIT", 0, most)
        return [raw.decode() for raw in raws]

    def looked(self, group: str, at: int | None) -> None:
        """Note that the group was checked at this instant, or with `None` that it has all of its matches."""
        if at is None:
            self.redis.one("ZREM", _OPEN, group)
        else:
            self.redis.one("ZADD", _OPEN, at, group)

    # `referee.archive.redis.Leftovers`

    def entries(self, matches: Sequence[MatchConfig]) -> dict[bytes, bytes]:
        groups = list(dict.fromkeys(match.group.id for match in matches if match.group is not None))
        answers = self.redis.all([("HGETALL", _key(group)) for group in groups])
        found = {group: _pairs(raw) for group, raw in zip(groups, answers, strict=True)}
        return {
            _index_key(group): orjson.dumps(
                {name.decode(): value.decode() for name, value in sorted(fields.items())}
            )
            for group, fields in found.items()
            if fields.get(b"status", b"running") != b"running"
        }

    def remove(self, entries: Mapping[bytes, bytes]) -> None:
        commands = []
        for key, value in entries.items():
            flat = [part for pair in orjson.loads(value).items() for part in pair]
            group = key.decode().split(" ")[1]
            commands.append(FORGET.call((_key(group), _attempts_key(group)), *flat))
        self.redis.all(commands)

    def _attempt(self, groups: Sequence[Group]) -> str:
        """Begin to add groups, before the look into the archive. Return the name of the attempt."""
        if self._index is None:
            return ""
        attempt = secrets.token_hex(8)
        begun = [ATTEMPT.call((_attempts_key(group.id),), attempt, ATTEMPT_MS) for group in groups]
        self.redis.all(begun)
        return attempt

    def _unsure(self, groups: Sequence[Group]) -> list[str]:
        """Return those of these groups that may be archived by now. A group moves with the first of its matches, whose
        record is newer than the group."""
        if self._index is None:
            return []
        archived = int(self.redis.one("GET", ARCHIVED) or 0)
        return [group.id for group in groups if group.since is None or group.since < archived]

    def _statuses(self, groups: Sequence[str], answers: Sequence[Any]) -> list[GroupStatus]:
        """Return the statuses that Redis has answered, and those of archived groups. A group that is in neither place
        counts as running."""
        found: dict[str, bytes | None] = dict(zip(groups, answers, strict=True))
        archived = self._archived([group for group, raw in found.items() if not raw])
        found |= {group: fields[b"status"] for group, fields in archived.items()}
        return [GroupStatus((found[group] or b"running").decode()) for group in groups]

    def _archived(self, groups: Sequence[str]) -> dict[str, dict[bytes, bytes]]:
        if self._index is None or not groups:
            return {}
        raws = zip(groups, self._index.get([_index_key(group) for group in groups]), strict=True)
        return {
            group: {name.encode(): value.encode() for name, value in orjson.loads(raw).items()}
            for group, raw in raws
            if raw is not None
        }


def _addition(group: Group, attempt: str) -> Command:
    keys = (_key(group.id), _attempts_key(group.id))
    return ADD.call(keys, orjson.dumps(group.to_json()), len(group.tables), attempt)


@lru_cache(maxsize=1024)
def _group(raw: bytes) -> Group:
    return Group.from_json(orjson.loads(raw))


def _pairs(flat: list[bytes]) -> dict[bytes, bytes]:
    return dict(zip(flat[::2], flat[1::2], strict=True))


def _progress(raw: Mapping[bytes, bytes]) -> GroupProgress:
    fields = {name.decode(): value.decode() for name, value in raw.items()}
    attempts, over = {}, set()
    for name, value in fields.items():
        what, _, table = name.partition(":")
        if what == "attempt":
            attempts[int(table)] = int(value)
        elif what == "over":
            over.add(int(table))
    ended, ended_by = fields.get("ended"), fields.get("ended_by")
    return GroupProgress(
        GroupStatus(fields.get("status", "running")),
        attempts,
        frozenset(over),
        None if ended is None else int(ended),
        None if ended_by is None else int(ended_by),
        fields.get("phase") == Phase.DEALT,
    )


def _key(group: str) -> str:
    return f"kozyr:{{group:{group}}}"


def _attempts_key(group: str) -> str:
    return f"{_key(group)}:adding"


def _index_key(group: str) -> bytes:
    return f"=g {group}".encode()

"""Duplicate groups in Redis. Each step touches one hash, so that groups spread over the nodes of a Redis Cluster.

The one key that spans groups can be rebuilt from them.

    kozyr:{group:ID}   hash  doc (JSON); status, phase, left, ended, ended_by; over:TABLE, attempt:TABLE
    kozyr:groups:open  zset  groups with missing matches, by the instant of the last attempt to create them
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, Final

import orjson

from redisio.connection import Redis
from redisio.errors import checked
from redisio.scripts import Script
from referee.groups.model import ATTEMPTS, Group, GroupProgress, GroupStatus, Phase, TableEnd

ADD: Final = Script("referee.groups", "group_add.lua")
DECIDE: Final = Script("referee.groups", "group_decide.lua")
SETTLE: Final = Script("referee.groups", "group_settle.lua")
VOID: Final = Script("referee.groups", "group_void.lua")

_OPEN: Final = "kozyr:groups:open"


class RedisGroupStore:
    """Duplicate groups in Redis."""

    def __init__(self, redis: Redis) -> None:
        self.redis = redis

    def add(self, groups: Sequence[Group]) -> list[Group]:
        answers = self.redis.run(
            [
                ADD.call((_key(group.id),), orjson.dumps(group.to_json()), len(group.tables))
                for group in groups
            ]
        )
        return [_group(checked(raw)) for raw in answers]

    def groups(self, groups: Sequence[str]) -> list[Group | None]:
        raws = self.redis.run([("HGET", _key(group), "doc") for group in groups])
        return [None if checked(raw) is None else _group(raw) for raw in raws]

    def progress(self, groups: Sequence[str]) -> list[GroupProgress]:
        return [
            _progress(checked(raw)) for raw in self.redis.run([("HGETALL", _key(each)) for each in groups])
        ]

    def decide(self, groups: Sequence[str], phase: Phase) -> list[Phase]:
        answers = self.redis.run([DECIDE.call((_key(group),), phase.value) for group in groups])
        return [Phase(checked(raw).decode()) for raw in answers]

    def settle(self, ends: Sequence[TableEnd]) -> dict[str, GroupProgress]:
        arguments: dict[str, list[Any]] = {}
        for end in ends:
            arguments.setdefault(end.group, [ATTEMPTS]).extend((end.slot, end.attempt, end.ending, end.ended))
        answers = self.redis.run([SETTLE.call((_key(group),), *noted) for group, noted in arguments.items()])
        return {group: _progress(checked(raw)) for group, raw in zip(arguments, answers, strict=True)}

    def void(self, groups: Sequence[str], at: int) -> list[GroupStatus]:
        answers = self.redis.run([VOID.call((_key(group),), at) for group in groups])
        return [GroupStatus(checked(answer).decode()) for answer in answers]

    def statuses(self, groups: Sequence[str]) -> list[GroupStatus]:
        answers = self.redis.run([("HGET", _key(group), "status") for group in groups])
        return [GroupStatus((checked(answer) or b"running").decode()) for answer in answers]

    def unfinished(self, most: int, before: int) -> list[str]:
        raws = self.redis.one("ZRANGEBYSCORE", _OPEN, "-inf", before, "LIMIT", 0, most)
        return [raw.decode() for raw in raws]

    def looked(self, group: str, at: int | None) -> None:
        if at is None:
            self.redis.one("ZREM", _OPEN, group)
        else:
            self.redis.one("ZADD", _OPEN, at, group)


@lru_cache(maxsize=1024)
def _group(raw: bytes) -> Group:
    return Group.from_json(orjson.loads(raw))


def _progress(flat: list[Any]) -> GroupProgress:
    fields = {name.decode(): value.decode() for name, value in zip(flat[::2], flat[1::2], strict=True)}
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
    )


def _key(group: str) -> str:
    return f"kozyr:{{group:{group}}}"

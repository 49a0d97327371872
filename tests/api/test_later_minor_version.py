"""Stored data with fields that a later minor version of the format may add."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import orjson

from league.fitness.model import FaultMet, Passed, Suspended
from records.results.group_result import GroupResult, ResultPlayer, SideResult
from redisio.connection import Redis
from referee.storage.packing import compressed, decompressed
from tests.api.conftest import ApiWorld, Person

LATER = "from_a_later_version"
FREE = frozenset({"options", "parameters", "counts", "sums", "times"})
"""Objects whose names are no fields."""
ROWS = ("outcomes", "after", "fit", "check-met:")
"""Keys whose JSON arrays are fields in order."""


def extended(value: Any, rows: bool) -> Any:
    """Return the value with one more field in each object, and one more item in arrays that are rows."""
    if isinstance(value, dict):
        inner = {name: each if name in FREE else extended(each, False) for name, each in value.items()}
        return {**inner, LATER: {"any": ["thing"]}}
    if isinstance(value, list):
        found = [extended(each, False) for each in value]
        return [*found, LATER] if rows else found
    return value


def rewritten(key: str, raw: bytes) -> bytes | None:
    """Return a stored value as a later version might write it, or `None` if it is not JSON."""
    if ":finished:" in key:
        return repacked(raw)
    if raw[:1] not in b"{[":
        return None
    try:
        value = orjson.loads(raw)
    except orjson.JSONDecodeError:
        return None
    return orjson.dumps(extended(value, key.endswith(ROWS) or ROWS[-1] in key))


def repacked(raw: bytes) -> bytes:
    whole, _, log = decompressed(raw).partition(b"\n")
    return compressed(orjson.dumps(extended(orjson.loads(whole), False)) + b"\n" + log)


def extend_all(redis: Redis) -> set[str]:
    """Rewrite everything in Redis. Return the kinds of keys with changed values."""
    changed = set()
    for raw_key in redis.one("KEYS", "kozyr:*"):
        key = raw_key.decode()
        for command in rewriting(redis, key):
            redis.one(*command)
            changed.add(key.rpartition("}:")[2].partition(":")[0] or key)
    return changed


def rewriting(redis: Redis, key: str) -> Iterator[tuple[Any, ...]]:
    kind = redis.one("TYPE", key)
    kind = kind if isinstance(kind, str) else kind.decode()
    if kind == "string":
        after = rewritten(key, redis.one("GET", key))
        if after is not None:
            yield ("SET", key, after)
    elif kind == "hash":
        flat = redis.one("HGETALL", key)
        for name, raw in zip(flat[::2], flat[1::2], strict=True):
            after = rewritten(key, raw)
            if after is not None:
                yield ("HSET", key, name, after)
    elif kind == "list":
        for place, raw in enumerate(redis.one("LRANGE", key, 0, -1)):
            after = rewritten(key, raw)
            if after is not None:
                yield ("LSET", key, place, after)


def test_fields_of_a_later_minor_version_are_accepted_in_every_stored_value(world: ApiWorld) -> None:
    services, redis = world.services, world.services.store.redis
    owner, admin = world.owner(), world.admin()
    bot, ladder = peopled(world, owner, admin)
    over, running = (world.match(bot)["id"] for _ in range(2))
    services.referee.void(over, "a test")
    tested = world.bot(owner)
    check = tested("POST", "/v1/checks", {"game": "durak"}).json["match"]
    services.checks.store.note(check, [FaultMet(1, "castle", "not_a_move")])
    health = f"kozyr:{{accounts}}:health:{bot.id}"
    redis.one("HSET", health, "passed", orjson.dumps(Passed(check, "1", 1)._asdict()))
    redis.one("HSET", health, "suspended", orjson.dumps(Suspended("a test", 1)._asdict()))
    paths = [
        "/v1/owners/me",
        "/v1/bots?limit=200",
        "/v1/tokens",
        "/v1/matches?limit=200",
        f"/v1/matches/{over}",
        f"/v1/matches/{over}/events",
        "/v1/ladders",
        *(f"{ladder}{each}" for each in ("", "/entries", "/rounds", "/standings", "/crosstable", "/seasons")),
        f"{ladder}/rounds/1",
        "/v1/ratings?preset=durak/2",
        f"/v1/bots/{bot.name}",
        f"/v1/bots/{bot.name}/health",
        f"/v1/bots/{bot.name}/ratings",
        f"/v1/checks/{check}",
    ]
    response = {path: owner("GET", path).json for path in paths}
    audit, records = admin("GET", "/v1/audit").json, world.client.get("/v1/records").data
    changed = extend_all(redis)
    kinds = "owners bots token match finished annotations doc entries round seasons"
    assert {*kinds.split(), "outcomes", "after", "fit", "health", "check"} <= changed
    clear_caches()
    for path in paths:
        # Service time goes on meanwhile.
        found = owner("GET", path).json
        assert {**found, "now": None} == {**response[path], "now": None}, path
    assert [line["id"] for line in admin("GET", "/v1/audit").json["entries"]] == [
        line["id"] for line in audit["entries"]
    ]
    assert world.client.get("/v1/records").data == records
    bot.move(next(each for each in bot.turns() if each["match"] == running))
    assert owner("PATCH", f"/v1/bots/{bot.name}", {"version": "2"}).json["version"] == "2"
    assert owner("PATCH", ladder, {"state": "paused"}).json["state"] == "paused"


def peopled(world: ApiWorld, owner: Person, admin: Person) -> tuple[Person, str]:
    """Create a bot, and a ladder with a round, an ended season and ratings, and an entry in the audit log."""
    bot = world.bot(owner)
    admin("POST", f"/v1/bots/{bot.name}/enable", {"reason": "a test"})
    rival = world.bot()
    ladder = world.ladder(owner, bot, "house/random", rival, schedule={"cron": "0 0 1 1 *"})
    world.play_round(owner, ladder)
    for _ in range(20):
        for each in (bot, rival):
            for turn in each.turns():
                each("POST", f"/v1/matches/{turn['match']}/resign")
    assert owner("POST", f"{ladder}/seasons").status_code == 201
    sides = [SideResult((ResultPlayer(each.id, each.name, "1"),), 0, False) for each in (bot, rival)]
    outcome = GroupResult("durak/2", "g1", 1_000, tuple(sorted(sides)))
    world.services.ratings.store.add([outcome])
    world.services.ratings.catch_up("durak/2")
    return bot, ladder


def clear_caches() -> None:
    """Clear this process's caches of stored bytes."""
    from league.ladders import redis as redis_ladders
    from league.ratings import redis as redis_ratings
    from referee.groups import redis as redis_groups
    from referee.storage import redis as redis_store

    for each in (redis_ladders._entry, redis_ratings._rating, redis_groups._group):
        each.cache_clear()
    redis_store.config_of.cache_clear()

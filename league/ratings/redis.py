"""The rating book in Redis. All keys of a preset share its id (`league.ratings.model.preset_id`) as their hash tag.

kozyr:{ratings:P}:head      hash    rated: how many groups of the log are rated; version; mark of the model
kozyr:{ratings:P}:log       zset    group ids by end: the order (ended, id)
kozyr:{ratings:P}:outcomes  hash    group id -> result (JSON)
kozyr:{ratings:P}:after     hash    `group bot` -> the bot's rating after the group (JSON)
kozyr:{ratings:P}:of:BOT    zset    the bot's group ids by end
kozyr:{ratings:P}:now       hash    bot id -> rating (JSON)
kozyr:{ratings:P}:order     zset    bot ids by mu
kozyr:{ratings:P}:names     hash    bot id -> `owner/bot`
kozyr:ratings:presets       hash    preset id -> preset
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, Final

import orjson

from league.ratings.model import Rating, preset_id
from league.ratings.store import PastRating, RatingLog
from league.results.group_result import GroupResult
from redisio.connection import Redis
from redisio.errors import checked
from redisio.scripts import Script
from redisio.walk import Place, Walk
from referee.decoding import decoded_row

ADD: Final = Script("league.ratings", "rating_add.lua")
REMOVE: Final = Script("league.ratings", "rating_remove.lua")
LOG: Final = Script("league.ratings", "rating_log.lua")
BEFORE: Final = Script("league.ratings", "rating_before.lua")
STEP: Final = Script("league.ratings", "rating_step.lua")

REMEMBERED: Final = 16_384
"""How many ratings a process caches by their bytes."""
_PRESETS: Final = "kozyr:ratings:presets"


class RedisRatingStore:
    """`RatingStore` in Redis."""

    def __init__(self, redis: Redis) -> None:
        self._redis = redis

    def add(self, outcomes: Sequence[GroupResult]) -> None:
        names: dict[str, dict[str, str]] = {}
        added = []
        for outcome in outcomes:
            preset, players = outcome.preset, outcome.players
            names.setdefault(preset, {}).update({player.id: player.name for player in players})
            keys = [_key(preset, what) for what in ("head", "log", "outcomes")]
            keys += [_key(preset, f"of:{player.id}") for player in players]
            added.append(ADD.call(keys, outcome.id, outcome.ended, orjson.dumps(outcome.to_json())))
        # Names first: a crash in between leaves a preset without groups, not groups that no preset lists.
        commands: list[tuple[Any, ...]] = []
        for preset, bots in names.items():
            commands.append(("HSET", _PRESETS, preset_id(preset), preset))
            commands.append(
                ("HSET", _key(preset, "names"), *(part for pair in bots.items() for part in pair))
            )
        answers = [checked(answer) for answer in self._redis.run([*commands, *added])][len(commands) :]
        changed = [outcome for outcome, done in zip(outcomes, answers, strict=True) if done < 0]
        for outcome in changed:
            self.remove(outcome.preset, outcome.id)
        if changed:
            self.add(changed)

    def remove(self, preset: str, group: str) -> bool:
        raw = self._redis.one("HGET", _key(preset, "outcomes"), group)
        if raw is None:
            return False
        bots = [player.id for player in GroupResult.from_json(orjson.loads(raw)).players]
        keys = [_key(preset, what) for what in ("head", "log", "outcomes", "after", "now", "order")]
        keys += [_key(preset, f"of:{bot}") for bot in bots]
        return bool(self._redis.one(*REMOVE.call(keys, group, raw, *bots)))

    def log(self, preset: str, mark: str, most: int) -> RatingLog:
        keys = [_key(preset, what) for what in ("head", "log", "outcomes")]
        version, rated, raws = self._redis.one(*LOG.call(keys, mark, most))
        return RatingLog(version, rated, [GroupResult.from_json(orjson.loads(raw)) for raw in raws])

    def before(self, outcome: GroupResult) -> dict[str, Rating]:
        bots = [player.id for player in outcome.players]
        keys = [_key(outcome.preset, "after"), *(_key(outcome.preset, f"of:{bot}") for bot in bots)]
        raws = self._redis.one(*BEFORE.call(keys, outcome.id, *bots))
        return {bot: _rating(raw) for bot, raw in zip(bots, raws, strict=True) if raw}

    def step(
        self,
        preset: str,
        position: RatingLog,
        mark: str,
        after: Sequence[tuple[GroupResult, Mapping[str, Rating]]],
    ) -> bool:
        keys = [_key(preset, what) for what in ("head", "after", "now", "order")]
        arguments: list[Any] = [position.version, mark, position.rated + len(after)]
        for outcome, ratings in after:
            for bot, rating in ratings.items():
                keys.append(_key(preset, f"of:{bot}"))
                arguments += (outcome.id, bot, orjson.dumps(list(rating)), repr(rating.mu))
        return bool(self._redis.one(*STEP.call(keys, *arguments)))

    def presets(self) -> list[str]:
        return sorted(raw.decode() for raw in self._redis.one("HVALS", _PRESETS))

    def behind(self, presets: Sequence[str], marks: Sequence[str]) -> list[str]:
        heads = self._redis.run([("HMGET", _key(preset, "head"), "rated", "mark") for preset in presets])
        logs = self._redis.run([("ZCARD", _key(preset, "log")) for preset in presets])
        found = []
        for preset, mark, head, count in zip(presets, marks, heads, logs, strict=True):
            rated, known = checked(head)
            if checked(count) and (known is None or known.decode() != mark or int(rated) < count):
                found.append(preset)
        return found

    def page(self, preset: str, after: tuple[float, str] | None, limit: int) -> list[tuple[str, str, Rating]]:
        walk = Walk(self._redis, _key(preset, "order"), descending=True)
        found = walk.after(None if after is None else Place(*after), limit)
        return self._named(preset, [each.member for each in found])

    def of_bots(self, preset: str, bots: Sequence[str]) -> list[Rating | None]:
        raws = self._redis.one("HMGET", _key(preset, "now"), *bots) if bots else []
        return [raw and _rating(raw) for raw in raws]

    def of_bot(self, presets: Sequence[str], bot: str) -> list[Rating | None]:
        raws = self._redis.run([("HGET", _key(preset, "now"), bot) for preset in presets])
        return [raw and _rating(checked(raw)) for raw in raws]

    def history(
        self, preset: str, bot: str, before: tuple[int, str] | None, limit: int
    ) -> tuple[list[PastRating], tuple[int, str] | None]:
        walk = Walk(self._redis, _key(preset, f"of:{bot}"), descending=True)
        places = walk.after(None if before is None else Place(*before), limit + 1)
        found = [(place.member, int(place.score)) for place in places[:limit]]
        then = (found[-1][1], found[-1][0]) if len(places) > limit else None
        fields = [f"{group} {bot}" for group, _ in found]
        raws = self._redis.one("HMGET", _key(preset, "after"), *fields) if found else []
        # An unrated group has no rating yet.
        rated = [
            PastRating(group, ended, _rating(raw))
            for (group, ended), raw in zip(found, raws, strict=True)
            if raw
        ]
        return rated, then

    def last(self, preset: str, bot: str, most: int) -> list[GroupResult]:
        groups = self._redis.one("ZREVRANGE", _key(preset, f"of:{bot}"), 0, most - 1)
        raws = self._redis.one("HMGET", _key(preset, "outcomes"), *groups) if groups else []
        # A group removed between the two reads is missing.
        return [GroupResult.from_json(orjson.loads(raw)) for raw in raws if raw is not None]

    def _named(self, preset: str, bots: Sequence[str]) -> list[tuple[str, str, Rating]]:
        if not bots:
            return []
        answers = self._redis.run([("HMGET", _key(preset, what), *bots) for what in ("names", "now")])
        names, ratings = (checked(answer) for answer in answers)
        return [
            (bot, name.decode(), _rating(rating))
            for bot, name, rating in zip(bots, names, ratings, strict=True)
        ]


def _key(preset: str, what: str) -> str:
    return f"kozyr:{{ratings:{preset_id(preset)}}}:{what}"


@lru_cache(maxsize=REMEMBERED)
def _rating(raw: bytes) -> Rating:
    return decoded_row(Rating, orjson.loads(raw))

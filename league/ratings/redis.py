"""The rating book in Redis. All keys of a preset share its id (`records.ratings.model.preset_id`) as their hash tag.

kozyr:{ratings:P}:head      hash    version: of the log; fitted: the version that the published ratings are for; model:
                                    theirs; fits: their number; due: when the next fit may follow (ms); top: the place
                                    of the last archived group (`league.ratings.redis_archive`)
kozyr:{ratings:P}:log       zset    group ids by end: the order (ended, id)
kozyr:{ratings:P}:outcomes  hash    group id -> result (JSON)
kozyr:{ratings:P}:new       zset    ids of the groups since the last fit, by end
kozyr:{ratings:P}:after     hash    `group bot` -> the bot's rating (JSON) as published when the group was new
kozyr:{ratings:P}:of:BOT    zset    the bot's group ids by end
kozyr:{ratings:P}:fit       hash    bot id -> its published rating (JSON); `#BOT` -> its place among the ids; `~BOT` ->
                                    the standard deviations of its differences from each bot (floats of 4 bytes)
kozyr:{ratings:P}:order     zset    bot ids by mu
kozyr:{ratings:P}:names     hash    bot id -> `owner/bot`
kozyr:ratings:presets       hash    preset id -> preset
"""

from __future__ import annotations

import math
from array import array
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any, Final, NamedTuple

import orjson

from league.ratings.redis_archive import ArchivedRatings, key_of
from records.decoding import decoded_row
from records.names import current_name, renewed_result
from records.ratings.fit import FittedRatings
from records.ratings.model import MODEL, PastRating, Rating, preset_id
from records.results.group_result import GroupResult
from redisio.connection import Redis
from redisio.scripts import Script
from redisio.sorted_sets import Place, SortedSetPages
from referee.archive_index.index import ArchiveIndex
from referee.stored_names import renew_fields

ADD: Final = Script("league.ratings", "rating_add.lua")
REMOVE: Final = Script("league.ratings", "rating_remove.lua")
PUBLISH: Final = Script("league.ratings", "rating_publish.lua")

REMEMBERED: Final = 16_384
"""How many ratings a process caches by their bytes."""
AT_ONCE: Final = 1000
"""How many results are read in one round trip."""
_PRESETS: Final = "kozyr:ratings:presets"
_CHANGED, _LATE = -1, -2
"""The results of lua/rating_add.lua for a group that has another result, and for one among archived groups."""


class LogState(NamedTuple):
    version: int
    fitted: bool
    """Whether the published ratings are for this version."""
    due: int
    """When the next fit may follow, in ms since 1970."""
    new: Sequence[str]
    """The ids of the groups since the last fit."""


class Rated(NamedTuple):
    """A bot's rating in a preset, for pages."""

    bot: str
    """Its id."""
    name: str
    rating: Rating


class RedisRatingStore:
    """The store of logs and ratings by preset."""

    def __init__(self, redis: Redis, index: ArchiveIndex | None = None) -> None:
        """`index` takes the oldest groups; without it all groups stay in Redis."""
        self._redis = redis
        self._archive = None if index is None else ArchivedRatings(redis, index)

    def add(self, outcomes: Sequence[GroupResult]) -> None:
        """Add each result to its preset's log. A stored result is skipped; another result of the same group replaces
        it. Takes one round trip, except for replacements."""
        names: dict[str, dict[str, str]] = {}
        added = []
        for outcome in outcomes:
            preset, players = outcome.preset, outcome.players
            names.setdefault(preset, {}).update({player.id: player.name for player in players})
            keys = [key_of(preset, what) for what in ("head", "log", "outcomes", "new")]
            keys += [key_of(preset, f"of:{player.id}") for player in players]
            added.append(ADD.call(keys, outcome.id, outcome.ended, orjson.dumps(outcome.to_json())))
        # Names first: a crash in between leaves a preset without groups, not groups that no preset lists.
        commands: list[tuple[Any, ...]] = []
        for preset, bots in names.items():
            commands.append(("HSET", _PRESETS, preset_id(preset), preset))
            commands.append(
                ("HSET", key_of(preset, "names"), *(part for pair in bots.items() for part in pair))
            )
        answers = self._redis.all([*commands, *added])[len(commands) :]
        changed = [outcome for outcome, done in zip(outcomes, answers, strict=True) if done == _CHANGED]
        late = [outcome for outcome, done in zip(outcomes, answers, strict=True) if done == _LATE]
        if late:
            assert self._archive is not None, "ratings that were archived need the archive"
            for outcome in late:
                self._archive.add(outcome)
        for outcome in changed:
            self.remove(outcome.preset, outcome.id)
        if changed:
            self.add(changed)

    def remove(self, preset: str, group: str) -> bool:
        """Remove a group from its preset's log. Return whether it was there."""
        # Again if the group was replaced, or archived, between the reading and the script.
        while (raw := self._redis.one("HGET", key_of(preset, "outcomes"), group)) is not None:
            bots = [player.id for player in GroupResult.from_json(orjson.loads(raw)).players]
            keys = [key_of(preset, what) for what in ("head", "log", "outcomes", "new", "after")]
            keys += [key_of(preset, f"of:{bot}") for bot in bots]
            if self._redis.one(*REMOVE.call(keys, group, raw, *bots)):
                return True
        return self._archive is not None and self._archive.remove(preset, group)

    def renew_names(self, bots: Collection[str]) -> None:
        """Store the present names of these bots in the results in Redis."""
        for preset in self.presets():
            key = key_of(preset, "outcomes")
            for bot in bots:
                groups = self._redis.one("ZRANGE", key_of(preset, f"of:{bot}"), 0, -1)
                for first in range(0, len(groups), AT_ONCE):
                    some = groups[first : first + AT_ONCE]
                    raws = zip(some, self._redis.one("HMGET", key, *some), strict=True)
                    found = {group: raw for group, raw in raws if raw is not None}
                    renew_fields(self._redis, key, found, renewed_result)

    def state(self, preset: str) -> LogState:
        fields = ("version", "fitted", "model", "due")
        # The head first: a group that is added meanwhile counts as new in this fit and in the next.
        version, fitted, model, due = self._redis.one("HMGET", key_of(preset, "head"), *fields)
        new = [raw.decode() for raw in self._redis.one("ZRANGE", key_of(preset, "new"), 0, -1)]
        return LogState(int(version or 0), _is_fitted(version, fitted, model), int(due or 0), new)

    def postpone(self, preset: str, due: int) -> None:
        """Let the next fit of a preset begin no earlier than at this instant."""
        self._redis.one("HSET", key_of(preset, "head"), "due", due)

    def results(self, preset: str) -> Iterator[GroupResult]:
        """Yield the results of all groups of a preset, each once."""
        known, cursor = set[str](), b"0"
        while True:
            # Redis before the archive: a group that is archived meanwhile is in both.
            cursor, flat = self._redis.one("HSCAN", key_of(preset, "outcomes"), cursor, "COUNT", AT_ONCE)
            for raw in flat[1::2]:
                outcome = GroupResult.from_json(orjson.loads(raw))
                if outcome.id not in known:
                    known.add(outcome.id)
                    yield outcome
            if int(cursor) == 0:
                break
        if self._archive is not None:
            yield from (each for each in self._archive.all(preset) if each.id not in known)

    def publish(
        self, preset: str, version: int, fit: FittedRatings, new: Sequence[GroupResult], due: int
    ) -> bool:
        """Publish ratings that were fitted to this version of the log, and note them beside new groups. Return false,
        without effect, if newer ones are published."""
        keys = [key_of(preset, what) for what in ("head", "fit", "order", "outcomes", "after", "new")]
        arguments: list[Any] = [version, MODEL, due, len(fit.ratings)]
        rows: dict[str, bytes] = {}
        for bot, rating in fit.ratings.items():
            rows[bot] = orjson.dumps(list(rating))
            apart = (fit.deviation(bot, other) for other in fit.ratings)
            deviations = array("f", (math.nan if each is None else each for each in apart))
            arguments += (bot, repr(rating.mu), rows[bot], deviations.tobytes())
        for outcome in new:
            for player in outcome.players:
                arguments += (outcome.id, player.id, rows[player.id])
        return bool(self._redis.one(*PUBLISH.call(keys, *arguments)))

    def presets(self) -> list[str]:
        """Return the names of the presets that have a log, sorted."""
        return sorted(raw.decode() for raw in self._redis.one("HVALS", _PRESETS))

    def behind(self, presets: Sequence[str], now: int) -> list[str]:
        """Return those of the presets whose ratings are to be fitted at this instant."""
        fields = ("version", "fitted", "model", "due")
        heads = self._redis.all([("HMGET", key_of(preset, "head"), *fields) for preset in presets])
        found = []
        for preset, (version, fitted, model, due) in zip(presets, heads, strict=True):
            if version is not None and not _is_fitted(version, fitted, model) and int(due or 0) <= now:
                found.append(preset)
        return found

    def page(self, preset: str, after: tuple[float, str] | None, limit: int) -> list[Rated]:
        """Return the bots after this mu and id, by descending mu, then descending id."""
        walk = SortedSetPages(self._redis, key_of(preset, "order"), descending=True)
        bots = [each.member for each in walk.after(None if after is None else Place(*after), limit)]
        if not bots:
            return []
        names, ratings = self._redis.all(
            [("HMGET", key_of(preset, what), *bots) for what in ("names", "fit")]
        )
        return [
            Rated(bot, current_name(bot, name.decode()), _rating(rating))
            for bot, name, rating in zip(bots, names, ratings, strict=True)
            if rating is not None  # gone in a fit that was published after `bots` were listed
        ]

    def of_bots(self, preset: str, bots: Sequence[str]) -> list[Rating | None]:
        raws = self._redis.one("HMGET", key_of(preset, "fit"), *bots) if bots else []
        return [raw and _rating(raw) for raw in raws]

    def of_bot(self, presets: Sequence[str], bot: str) -> list[Rating | None]:
        raws = self._redis.all([("HGET", key_of(preset, "fit"), bot) for preset in presets])
        return [raw and _rating(raw) for raw in raws]

    def deviations(self, preset: str, groups: Sequence[Sequence[str]]) -> dict[tuple[str, str], float]:
        """Return the standard deviation of each difference of two ratings of the same group of bots, by the ids, where
        they are comparable. Takes one round trip."""
        bots = [bot for group in groups for bot in group]
        if not bots:
            return {}
        fields = [f"{mark}{bot}" for mark in "#~" for bot in bots]
        raws = self._redis.one("HMGET", key_of(preset, "fit"), *fields)
        places = {bot: int(raw) for bot, raw in zip(bots, raws, strict=False) if raw is not None}
        rows = {
            bot: array("f", raw) for bot, raw in zip(bots, raws[len(bots) :], strict=True) if raw is not None
        }
        return {
            (bot, other): found
            for group in groups
            for bot in group
            for other in group
            if bot in rows and other in places and not math.isnan(found := rows[bot][places[other]])
        }

    def history(
        self, preset: str, bot: str, before: tuple[int, str] | None, limit: int
    ) -> tuple[list[PastRating], tuple[int, str] | None]:
        """Return a bot's groups and ratings before this end and group, the latest first, and the position of the next
        page. Groups after which no ratings were published are skipped, so there may be fewer."""
        walk = SortedSetPages(self._redis, key_of(preset, f"of:{bot}"), descending=True)
        places = walk.after(None if before is None else Place(*before), limit + 1)
        fields = [f"{place.member} {bot}" for place in places]
        raws = self._redis.one("HMGET", key_of(preset, "after"), *fields) if places else []
        found = {(int(place.score), place.member): raw for place, raw in zip(places, raws, strict=True)}
        # The archive is read last: it has what left Redis meanwhile.
        if self._archive is not None and len(places) <= limit:
            found |= dict(self._archive.history(preset, bot, before, limit + 1))
        latest = sorted(found, reverse=True)
        then = latest[limit - 1] if len(latest) > limit else None
        rated = [
            PastRating(group, ended, _rating(raw))
            for ended, group in latest[:limit]
            if (raw := found[ended, group])
        ]
        return rated, then

    def last(self, preset: str, bot: str, most: int) -> list[GroupResult]:
        raw_groups = self._redis.one("ZREVRANGE", key_of(preset, f"of:{bot}"), 0, most - 1)
        raws = self._redis.one("HMGET", key_of(preset, "outcomes"), *raw_groups) if raw_groups else []
        # A group removed between the two reads is missing.
        found = [GroupResult.from_json(orjson.loads(raw)) for raw in raws if raw is not None]
        if self._archive is not None and len(found) < most:
            known = {outcome.id for outcome in found}
            older = [group for (_, group), _ in self._archive.history(preset, bot, None, most)]
            found += self._archive.results(preset, [group for group in older if group not in known])
        return found[:most]

    def archive(self, until: int, *, partial: bool) -> int:
        """Move groups of one preset that ended before this instant to the archive. Return how many. Without `partial`,
        small batches wait for a day."""
        if self._archive is None:
            return 0
        for preset in self.presets():
            if moved := self._archive.archive(preset, until, partial=partial):
                return moved
        return 0

    def put_names(self, names: Mapping[str, str]) -> None:
        """Store the present names of these bots where they are rated."""
        for preset in self.presets():
            known = self._redis.one("HMGET", key_of(preset, "names"), *names) if names else []
            pairs = [(bot, names[bot]) for bot, name in zip(names, known, strict=True) if name is not None]
            if pairs:
                self._redis.one("HSET", key_of(preset, "names"), *(part for pair in pairs for part in pair))


def version_command(preset: str) -> tuple[str, ...]:
    """Return the command that reads the version of a preset's published ratings."""
    return ("HMGET", key_of(preset, "head"), "fits")


def _is_fitted(version: bytes | None, fitted: bytes | None, model: bytes | None) -> bool:
    return fitted == version and model == MODEL.encode()


@lru_cache(maxsize=REMEMBERED)
def _rating(raw: bytes) -> Rating:
    return decoded_row(Rating, orjson.loads(raw))

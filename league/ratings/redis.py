"""The rating book in Redis. All keys of a preset share its id (`records.ratings.model.preset_id`) as their hash tag.

kozyr:{ratings:P}:head      hash    rated: how many groups of the log are rated; version; mark of the model; floor, top:
                                    of the archived groups before the log (`league.ratings.redis_archive`); settled:
                                    how often a rating became the current one without a new version
kozyr:{ratings:P}:log       zset    group ids by end: the order (ended, id)
kozyr:{ratings:P}:outcomes  hash    group id -> result (JSON)
kozyr:{ratings:P}:after     hash    `group bot` -> the bot's rating after the group (JSON)
kozyr:{ratings:P}:base      hash    bot id -> rating (JSON) after the archived groups up to `floor`
kozyr:{ratings:P}:of:BOT    zset    the bot's group ids by end
kozyr:{ratings:P}:now       hash    bot id -> rating (JSON)
kozyr:{ratings:P}:order     zset    bot ids by mu
kozyr:{ratings:P}:names     hash    bot id -> `owner/bot`
kozyr:ratings:presets       hash    preset id -> preset
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any, Final

import orjson

from league.ratings.redis_archive import ArchivedRatings
from records.decoding import decoded_row
from records.ratings.model import PastRating, Rating, RatingLog, preset_id
from records.results.group_result import GroupResult
from redisio.connection import Redis
from redisio.errors import checked
from redisio.scripts import Script
from redisio.sorted_sets import Place, SortedSetPages
from referee.archive_index.index import ArchiveIndex

ADD: Final = Script("league.ratings", "rating_add.lua")
REMOVE: Final = Script("league.ratings", "rating_remove.lua")
LOG: Final = Script("league.ratings", "rating_log.lua")
BEFORE: Final = Script("league.ratings", "rating_before.lua")
STEP: Final = Script("league.ratings", "rating_step.lua")

REMEMBERED: Final = 16_384
"""How many ratings a process caches by their bytes."""
_PRESETS: Final = "kozyr:ratings:presets"
_CHANGED, _LATE = -1, -2
"""The results of lua/rating_add.lua for a group that has another result, and for one among archived groups."""


class RedisRatingStore:
    """The store of logs and ratings by preset."""

    def __init__(self, redis: Redis, index: ArchiveIndex | None = None) -> None:
        """`index` takes the oldest groups; without it all groups stay in Redis."""
        self._redis = redis
        self._archive = None if index is None else ArchivedRatings(redis, index)

    def add(self, outcomes: Sequence[GroupResult]) -> None:
        """Add each result to its preset's log; groups after it are no longer rated. A stored result is skipped;
        another result of the same group replaces it. Takes one round trip, except for replacements."""
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
        answers = self._redis.all([*commands, *added])[len(commands) :]
        changed = [outcome for outcome, done in zip(outcomes, answers, strict=True) if done == _CHANGED]
        late = [outcome for outcome, done in zip(outcomes, answers, strict=True) if done == _LATE]
        for outcome in late:
            self._archived().add(outcome)
        for outcome in changed:
            self.remove(outcome.preset, outcome.id)
        if changed:
            self.add(changed)

    def remove(self, preset: str, group: str) -> bool:
        """Remove a group from its preset's log. Return whether it was there."""
        # Again if the group was replaced, or archived, between the reading and the script.
        while (raw := self._redis.one("HGET", _key(preset, "outcomes"), group)) is not None:
            bots = [player.id for player in GroupResult.from_json(orjson.loads(raw)).players]
            keys = [
                _key(preset, what) for what in ("head", "log", "outcomes", "after", "now", "order", "base")
            ]
            keys += [_key(preset, f"of:{bot}") for bot in bots]
            if self._redis.one(*REMOVE.call(keys, group, raw, *bots)):
                return True
        return self._archive is not None and self._archive.remove(preset, group)

    def log(self, preset: str, mark: str, most: int) -> RatingLog:
        """Return the position of the log and the next groups to rate; at most `most`, unless they are archived. Ratings
        of a model with another mark do not count."""
        keys = [_key(preset, what) for what in ("head", "log", "outcomes")]
        while True:
            version, rated, raws, *texts = self._redis.one(*LOG.call(keys, mark, most))
            known, floor, top = (text.decode() for text in texts)
            if top and known != mark:
                self._archived().restart(preset, mark)
            elif floor == top:
                return RatingLog(version, rated, [GroupResult.from_json(orjson.loads(raw)) for raw in raws])
            elif waiting := self._archived().waiting(preset, floor, top):
                return RatingLog(version, 0, waiting, archived=True)
            else:
                self._archived().finish(preset, version, top)

    def before(self, outcome: GroupResult) -> dict[str, Rating]:
        """Return the ratings of the group's bots before it. Bots that had not played are missing."""
        bots = [player.id for player in outcome.players]
        keys = [_key(outcome.preset, what) for what in ("after", "base")]
        keys += [_key(outcome.preset, f"of:{bot}") for bot in bots]
        raws = self._redis.one(*BEFORE.call(keys, outcome.id, *bots))
        return {bot: _rating(raw) for bot, raw in zip(bots, raws, strict=True) if raw}

    def step(
        self,
        preset: str,
        position: RatingLog,
        mark: str,
        after: Sequence[tuple[GroupResult, Mapping[str, Rating]]],
    ) -> bool:
        """Store the ratings after the log's next groups. Return false, without effect, if the log is no longer
        `position`."""
        if position.archived:
            return self._archived().replayed(preset, position.version, after)
        keys = [_key(preset, what) for what in ("head", "after", "now", "order")]
        arguments: list[Any] = [position.version, mark, position.rated + len(after)]
        for outcome, ratings in after:
            for bot, rating in ratings.items():
                keys.append(_key(preset, f"of:{bot}"))
                arguments += (outcome.id, bot, orjson.dumps(list(rating)), repr(rating.mu))
        return bool(self._redis.one(*STEP.call(keys, *arguments)))

    def presets(self) -> list[str]:
        """Return the names of the presets that have a log, sorted."""
        return sorted(raw.decode() for raw in self._redis.one("HVALS", _PRESETS))

    def behind(self, presets: Sequence[str], marks: Sequence[str]) -> list[str]:
        """Return those of the presets that have groups to rate."""
        fields = ("rated", "mark", "floor", "top")
        heads = self._redis.run([("HMGET", _key(preset, "head"), *fields) for preset in presets])
        logs = self._redis.run([("ZCARD", _key(preset, "log")) for preset in presets])
        found = []
        for preset, mark, head, count in zip(presets, marks, heads, logs, strict=True):
            rated, known, floor, top = checked(head)
            groups = checked(count)
            rated_all = known is not None and known.decode() == mark and int(rated or 0) >= groups
            if ((groups or top) and not rated_all) or floor != top:
                found.append(preset)
        return found

    def page(self, preset: str, after: tuple[float, str] | None, limit: int) -> list[tuple[str, str, Rating]]:
        """Return ids, names and ratings after this mu and id, by descending mu, then descending id."""
        walk = SortedSetPages(self._redis, _key(preset, "order"), descending=True)
        found = walk.after(None if after is None else Place(*after), limit)
        return self._named(preset, [each.member for each in found])

    def of_bots(self, preset: str, bots: Sequence[str]) -> list[Rating | None]:
        raws = self._redis.one("HMGET", _key(preset, "now"), *bots) if bots else []
        return [raw and _rating(raw) for raw in raws]

    def of_bot(self, presets: Sequence[str], bot: str) -> list[Rating | None]:
        """Return a bot's ratings in these presets."""
        raws = self._redis.run([("HGET", _key(preset, "now"), bot) for preset in presets])
        return [raw and _rating(checked(raw)) for raw in raws]

    def history(
        self, preset: str, bot: str, before: tuple[int, str] | None, limit: int
    ) -> tuple[list[PastRating], tuple[int, str] | None]:
        """Return a bot's groups and ratings before this end and group, the latest first, and the position of the next
        page. Unrated groups are skipped, so there may be fewer."""
        walk = SortedSetPages(self._redis, _key(preset, f"of:{bot}"), descending=True)
        places = walk.after(None if before is None else Place(*before), limit + 1)
        fields = [f"{place.member} {bot}" for place in places]
        raws = self._redis.one("HMGET", _key(preset, "after"), *fields) if places else []
        found = {(int(place.score), place.member): raw for place, raw in zip(places, raws, strict=True)}
        # The archive is read last: it has what left Redis meanwhile.
        if self._archive is not None and len(places) <= limit:
            found |= dict(self._archive.history(preset, bot, before, limit + 1))
        latest = sorted(found, reverse=True)
        then = latest[limit - 1] if len(latest) > limit else None
        # An unrated group has no rating yet.
        rated = [
            PastRating(group, ended, _rating(raw))
            for ended, group in latest[:limit]
            if (raw := found[ended, group])
        ]
        return rated, then

    def last(self, preset: str, bot: str, most: int) -> list[GroupResult]:
        raw_groups = self._redis.one("ZREVRANGE", _key(preset, f"of:{bot}"), 0, most - 1)
        raws = self._redis.one("HMGET", _key(preset, "outcomes"), *raw_groups) if raw_groups else []
        # A group removed between the two reads is missing.
        found = [GroupResult.from_json(orjson.loads(raw)) for raw in raws if raw is not None]
        if self._archive is not None and len(found) < most:
            known = {outcome.id for outcome in found}
            older = [group for (_, group), _ in self._archive.history(preset, bot, None, most)]
            found += self._archive.results(preset, [group for group in older if group not in known])
        return found[:most]

    def archive(self, until: int, mark_of: Callable[[str], str], *, partial: bool) -> int:
        """Move groups of one preset that ended before this instant, and are rated, to the archive. Return how many.
        `mark_of` returns the mark of a preset's model. Without `partial`, small batches wait for a day."""
        if self._archive is None:
            return 0
        for preset in self.presets():
            if moved := self._archive.archive(preset, mark_of(preset), until, partial=partial):
                return moved
        return 0

    def _archived(self) -> ArchivedRatings:
        assert self._archive is not None, "ratings that were archived need the archive"
        return self._archive

    def _named(self, preset: str, bots: Sequence[str]) -> list[tuple[str, str, Rating]]:
        if not bots:
            return []
        answers = self._redis.run([("HMGET", _key(preset, what), *bots) for what in ("names", "now")])
        names, ratings = (checked(answer) for answer in answers)
        return [
            (bot, name.decode(), _rating(rating))
            for bot, name, rating in zip(bots, names, ratings, strict=True)
        ]


def version_command(preset: str) -> tuple[str, ...]:
    """Return the command that reads the version of a preset's current ratings."""
    return ("HMGET", _key(preset, "head"), "version", "settled")


def _key(preset: str, what: str) -> str:
    return f"kozyr:{{ratings:{preset_id(preset)}}}:{what}"


@lru_cache(maxsize=REMEMBERED)
def _rating(raw: bytes) -> Rating:
    return decoded_row(Rating, orjson.loads(raw))

"""Ladders in Redis.

All keys of a ladder share its id as their hash tag, so ladders spread over a Redis Cluster. Lists that span ladders
have one key each and hold only what could be computed again.

    kozyr:{ladder:ID}:doc        string  settings and state (JSON)
    kozyr:{ladder:ID}:entries    hash    bot id -> JSON
    kozyr:{ladder:ID}:version    string  version of the standings: raised with each change of entries, results or totals
    kozyr:{ladder:ID}:access     hash    name of an owner or bot -> rule (JSON)
    kozyr:{ladder:ID}:rounds     hash    `last` number; `running`: numbers of rounds under way, separated by spaces;
                                         `kept`: the first number that may not be archived (redis_archive.py)
    kozyr:{ladder:ID}:dues       hash    due instant -> number of its round
    kozyr:{ladder:ID}:round:N    hash    doc (JSON), state, counts, ended, reason; worker, until and epoch of its lease;
                                         `groups`: how often its duplicate groups were played again (JSON);
                                         `raised`: how many steps failed in a row; `helper:W`: end of the lease of
                                         helper W and how many tables it has in hand
    kozyr:{ladder:ID}:made:N     string  bitmap of handled tables
    kozyr:{ladder:ID}:open:N     hash    match id -> table, of matches that have not ended
    kozyr:{ladder:ID}:held:N     hash    match id -> table, of ended matches whose groups have not ended
    kozyr:{ladder:ID}:frozen     set     groups whose results are withheld by a freeze
    kozyr:{ladder:ID}:void:N     set     ids of matches that were counted and taken back
    kozyr:{ladder:ID}:reruns:N   hash    match id -> id of its replacement
    kozyr:{ladder:ID}:seasons    hash    number -> JSON, of past seasons
    kozyr:{ladder:ID}:results:S  list    versions of the result of season S (published.py)
    kozyr:{ladder:ID}:outcomes   hash    group id -> result (JSON), where the format uses results
    kozyr:{ladder:ID}:sums       hash    bot id -> line of totals (lua/totals.lua)
    kozyr:{ladder:ID}:sums:BOT   hash    opponent's id -> line of totals
    kozyr:{ladder:ID}:season:S:… these two and the results of season S, from the second on
    kozyr:ladders                zset    `created-id`, all with score 0, for pages
    kozyr:ladders:of:OWNER       zset    ids of the last ladders of an owner or its bots, by when it came to them
    kozyr:due:schedules          zset    ladder ids by the due instant of their next round
    kozyr:due:rounds             zset    ladder ids by the next check of their rounds under way
    kozyr:due:seasons            zset    ladder ids by the due end of their season
    kozyr:due:results            zset    `ladder season` by when to publish its result again, `ladder season version` by
                                         when to report that version again
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any, Final

import orjson
from redis.exceptions import ConnectionError as LostConnection
from redis.exceptions import TimeoutError as LateAnswer

from league.ladders.model import (
    AccessRule,
    AccessVerdict,
    Disqualification,
    Ladder,
    LadderEntry,
    LadderResult,
    Lease,
    ResultCounted,
    Round,
    RoundOpened,
    RoundState,
    Season,
    Totals,
    stored_walkovers,
    walkovers_of,
)
from league.ladders.redis_archive import ROUNDS_AT_ONCE, ArchivedLadders
from league.ladders.redis_totals import (
    REMEMBERED,
    counting,
    in_batches,
    key_of,
    round_keys,
    season_key,
    taking_back,
    unpacked,
    version_key,
)
from league.pairing.formats.field import MeetingReason
from league.pairing.plan import Entrant
from records.decoding import decoded, decoded_row
from records.names import current_name, renewed_result
from records.results.group_result import GroupResult
from redisio.connection import Redis
from redisio.scripts import Command, Script
from referee.object_store import ArchiveAway
from referee.storage import paging
from referee.stored_names import SWAP, renew_fields

ACCESS_PUT: Final = Script("league.ladders", "access_put.lua")
CHANGE: Final = Script("league.ladders", "ladder_change.lua")
OPEN_ROUND: Final = Script("league.ladders", "under_way.lua", "round_open.lua")
TAKE: Final = Script("league.ladders", "redisio:time.lua", "round_take.lua")
HELP: Final = Script("league.ladders", "redisio:time.lua", "round_help.lua")
LEAVE: Final = Script("league.ladders", "round_leave.lua")
BROKE_OFF: Final = Script("league.ladders", "redisio:time.lua", "round_broke_off.lua")
FAIL: Final = Script("league.ladders", "redisio:time.lua", "under_way.lua", "round_fail.lua")
MAKE: Final = Script("league.ladders", "redisio:time.lua", "under_way.lua", "round_make.lua")
HOLD: Final = Script("league.ladders", "redisio:time.lua", "round_hold.lua")
RERUN: Final = Script("league.ladders", "under_way.lua", "round_rerun.lua")
RERUN_GROUP: Final = Script("league.ladders", "under_way.lua", "round_rerun_group.lua")
DUE: Final = Script("league.ladders", "redisio:time.lua", "due.lua")
PUT_OUTCOME: Final = Script("league.ladders", "outcome_put.lua")
ADD_RESULT: Final = Script("league.ladders", "result_add.lua")
MOVE_DUE: Final = Script("league.ladders", "due_move.lua")

_KEPT_AS_IS: Final = ("due", "started", "repeats", "meetings", "season", "since", "out", "seats_had")
"""What the document of a round has as it is."""
_COUNTS: Final = ("planned", "made", "over", "aborted", "dropped", "epoch")
_LISTED: Final = "kozyr:ladders"
_MOST_OWN: Final = 100
"""How many ladders of an owner are listed."""


class RedisLadderStore:
    """The store of ladders and rounds. Its clock is Redis's, or `clock` in tests."""

    def __init__(
        self,
        redis: Redis,
        clock: Callable[[], int] | None = None,
        archive: ArchivedLadders | None = None,
    ) -> None:
        self._redis, self._archive = redis, archive
        self._clock = clock

    def now(self) -> int:
        """Return the current time in ms since 1970."""
        return self._clock() if self._clock is not None else self.due("schedules", 0)[0]

    def is_away(self, error: Exception) -> bool:
        """Return whether the error means that a store was unreachable or refused for a time, so a retry may
        succeed."""
        return isinstance(error, (LostConnection, LateAnswer, ArchiveAway))

    def add(self, ladder: Ladder) -> bool:
        """Store a new ladder. Return whether it was stored: not if a ladder with its id exists."""
        raw = orjson.dumps(ladder.to_json())
        # Listed first: a crash in between leaves a list entry without a ladder, not a ladder that no list shows.
        listed = ("ZADD", _LISTED, 0, f"{ladder.created:015d}-{ladder.id}")
        self._redis.all([listed, *_listing(ladder.id, ladder.created, ladder.owner)])
        if self._redis.one("SETNX", key_of(ladder.id, "doc"), raw):
            return True
        existing = self.ladder(ladder.id)
        if existing is not None and existing.created != ladder.created:
            self._redis.one("ZREM", _LISTED, f"{ladder.created:015d}-{ladder.id}")
        return False

    def ladder(self, ladder: str) -> Ladder | None:
        raw = self._redis.one("GET", key_of(ladder, "doc"))
        return None if raw is None else Ladder.from_json(orjson.loads(raw))

    def change(
        self, before: Ladder, after: Ladder, last_round: int | None = None, ended: Season | None = None
    ) -> bool:
        """Replace `before` with `after`, and store a season that ended. Return false, without effect, if the stored
        ladder is not `before`, a round was opened after the season's last, or, with `last_round`, a later round was
        opened or one is under way."""
        key = key_of(before.id, "doc")
        raw = self._redis.one("GET", key)
        if raw is None or Ladder.from_json(orjson.loads(raw)) != before:
            return False
        if new := set(after.organisers) - set(before.organisers):
            self._redis.all(_listing(before.id, self.now(), *new))
        # Compare with the stored bytes: a document of an older version has fewer fields than ours.
        keys = (key, *(key_of(before.id, what) for what in ("rounds", "seasons")))
        expected = "" if last_round is None else last_round
        of_season = () if ended is None else (ended.last_round, ended.number, orjson.dumps(ended.to_json()))
        call = CHANGE.call(keys, raw, orjson.dumps(after.to_json()), expected, *of_season)
        return bool(self._redis.one(*call))

    def listed(self, before: str | None, limit: int) -> list[tuple[str, str]]:
        """Return cursors and ids of ladders after this cursor, the newest first."""
        top = "+" if before is None else f"({before}"
        found = self._redis.one("ZREVRANGEBYLEX", _LISTED, top, "-", "LIMIT", 0, limit)
        return [(raw.decode(), raw.decode().partition("-")[2]) for raw in found]

    def each(self) -> Iterator[Ladder]:
        """Yield all ladders, the newest first."""
        before: str | None = None
        while page := self.listed(before, paging.AT_ONCE):
            before = page[-1][0]
            yield from (found for _, ident in page if (found := self.ladder(ident)) is not None)

    def of_owner(self, owner: str, most: int) -> list[Ladder]:
        """Return the last ladders that an owner runs, or has run, and those that its bots have entered, the newest
        first."""
        ids = self._redis.one("ZREVRANGE", _own(owner), 0, most - 1)
        raws = self._redis.all([("GET", key_of(raw.decode(), "doc")) for raw in ids])
        return [Ladder.from_json(orjson.loads(raw)) for raw in raws if raw is not None]

    def entries(self, ladder: str) -> list[LadderEntry]:
        """Return all entries, withdrawn ones included."""
        raws = self._redis.one("HVALS", key_of(ladder, "entries"))
        entries = [_entry(raw) for raw in raws]
        return [entry._replace(name=current_name(entry.bot, entry.name)) for entry in entries]

    def put_entry(self, ladder: str, entry: LadderEntry) -> None:
        """Store an entry in place of the bot's previous one."""
        stored = {**entry._asdict(), "disqualified": [list(each) for each in entry.disqualified]}
        put = ("HSET", key_of(ladder, "entries"), entry.bot, orjson.dumps(stored))
        self._redis.all([*_listing(ladder, entry.entered, entry.owner), put, ("INCR", version_key(ladder))])

    def access_rules(self, ladder: str) -> list[AccessRule]:
        """Return the rules of a ladder by the present names of owners and bots."""
        raws = self._redis.one("HVALS", key_of(ladder, "access"))
        rules = [_access_rule(raw) for raw in raws]
        return sorted(rule._replace(name=current_name(rule.about, rule.name)) for rule in rules)

    def put_access_rules(self, ladder: str, rules: Sequence[AccessRule], most: int) -> bool:
        """Store rules in place of those with their names. Return false, without effect, if the ladder would then have
        more than `most` rules."""
        pairs = [part for rule in rules for part in (rule.name, orjson.dumps(rule._asdict()))]
        return bool(self._redis.one(*ACCESS_PUT.call((key_of(ladder, "access"),), most, *pairs)))

    def drop_access_rules(self, ladder: str, names: Sequence[str]) -> None:
        """Remove the rules for these names, as far as there are any."""
        raws, key = self._redis.one("HVALS", key_of(ladder, "access")), key_of(ladder, "access")
        stored = [
            rule.name for raw in raws if current_name((rule := _access_rule(raw)).about, rule.name) in names
        ]
        self._redis.one("HDEL", key, *names, *stored)

    def renew_access_rules(self, ladder: str, ids: Collection[str], in_words: Callable[[str], str]) -> None:
        """Store the rules for these owners and bots under their present names, and their reasons as `in_words` has
        them."""
        key = key_of(ladder, "access")
        commands: list[Command] = []
        for rule in map(_access_rule, self._redis.one("HVALS", key)):
            if rule.about in ids:
                new = rule._replace(name=current_name(rule.about, rule.name), reason=in_words(rule.reason))
                commands.append(("HSET", key, new.name, orjson.dumps(new._asdict())))
                if new.name != rule.name:
                    commands.append(("HDEL", key, rule.name))
        self._redis.all(commands)

    def open_round(
        self, new: Round, states: Sequence[str], at_a_time: int = 1, *, revision: int = 0
    ) -> RoundOpened:
        """Open a round if it is the ladder's next one in its current season, fewer than `at_a_time` rounds are under
        way, its due instant has no round, and the ladder is in one of `states` and has this `revision`. A round with a
        `reason` fails at once."""
        keys = (
            key_of(new.ladder, "doc"),
            key_of(new.ladder, "rounds"),
            key_of(new.ladder, "dues"),
            key_of(new.ladder, f"round:{new.number}"),
        )
        doc = {
            **{name: getattr(new, name) for name in _KEPT_AS_IS},
            "entrants": [list(entrant) for entrant in new.entrants],
            "left_out": new.excluded,
            "walkovers": stored_walkovers(new.walkovers),
            "reasons": None if new.reasons is None else [list(reason) for reason in new.reasons],
        }
        what, number = self._redis.one(
            *OPEN_ROUND.call(
                keys,
                new.number,
                "" if new.due is None else new.due,
                orjson.dumps(doc),
                new.planned,
                new.season,
                at_a_time,
                new.reason or "",
                "" if new.ended is None else new.ended,
                revision,
                *states,
            )
        )
        return RoundOpened(what.decode(), int(number))

    def rounds(self, ladder: str, numbers: Sequence[int]) -> list[Round | None]:
        fields = ("doc", "state", *_COUNTS, "ended", "reason", "groups")
        commands = [("HMGET", key_of(ladder, f"round:{number}"), *fields) for number in numbers]
        answers = dict(zip(numbers, self._redis.all(commands), strict=True))
        missing = [number for number, raw in answers.items() if raw[0] is None]
        if missing and self._archive is not None:
            archived = self._archive.rounds(ladder, missing)
            answers |= {number: [each.get(name) for name in fields] for number, each in archived.items()}
        return [_round(ladder, number, answers[number]) for number in numbers]

    def renew_names(self, ladder: Ladder) -> None:
        """Store the present names of the bots in the rounds and results in Redis."""
        for season in range(1, ladder.season + 1):
            key = season_key(ladder.id, season, "outcomes")
            flat = self._redis.one("HGETALL", key)
            renew_fields(self._redis, key, dict(zip(flat[::2], flat[1::2], strict=True)), renewed_result)
        numbers = range(1, self.last_round(ladder.id) + 1)
        keys = [key_of(ladder.id, f"round:{number}") for number in numbers]
        for first in range(0, len(keys), ROUNDS_AT_ONCE):
            some = keys[first : first + ROUNDS_AT_ONCE]
            raws = self._redis.all([("HGET", key, "doc") for key in some])
            swaps = [
                SWAP.call((key,), raw, new, "doc")
                for key, raw in zip(some, raws, strict=True)
                if raw is not None and (new := renewed_round(raw)) != raw
            ]
            self._redis.all(swaps)  # a round that changed has left Redis

    def last_round(self, ladder: str) -> int:
        """Return the number of the last round, or 0."""
        return int(self._redis.one("HGET", key_of(ladder, "rounds"), "last") or 0)

    def rounds_under_way(self, ladder: str) -> list[int]:
        """Return the numbers of the rounds under way, ascending."""
        raw = self._redis.one("HGET", key_of(ladder, "rounds"), "running") or b""
        return [int(number) for number in raw.split()]

    def take_lease(self, ladder: str, number: int, worker: str, lease_ms: int) -> Lease:
        """Take the lease of a running round if it is free or has expired."""
        keys = (key_of(ladder, f"round:{number}"),)
        held, clean, epoch, in_hand = self._redis.one(*TAKE.call(keys, worker, lease_ms, self._given()))
        return Lease(bool(held), bool(clean), int(epoch), int(in_hand))

    def help_round(self, ladder: str, number: int, helper: str, lease_ms: int) -> bool:
        """Give a helper of a running round a lease of its own, with which it may `make` tables. Return whether the
        round runs."""
        keys = (key_of(ladder, f"round:{number}"),)
        return bool(self._redis.one(*HELP.call(keys, helper, lease_ms, self._given())))

    def leave_round(self, ladder: str, number: int, worker: str, *, clean: bool) -> None:
        """Release the lease of a worker or helper. After an unclean release, or none, the round's next worker looks for
        unfinished work."""
        self._redis.one(*LEAVE.call((key_of(ladder, f"round:{number}"),), worker, int(clean)))

    def broke_off(self, ladder: str, number: int, worker: str, wait_ms: int) -> int:
        """Count a failed step and keep the lease for `wait_ms`. Return how many steps failed in a row, or 0, without
        effect, if the lease is lost."""
        keys = (key_of(ladder, f"round:{number}"),)
        return int(self._redis.one(*BROKE_OFF.call(keys, worker, wait_ms, self._given())))

    def fail_round(self, ladder: str, number: int, worker: str, reason: str) -> bool:
        """Fail a running round whose lease this worker holds. Existing matches stay open. Return whether it failed."""
        keys = (key_of(ladder, f"round:{number}"), key_of(ladder, "rounds"))
        return bool(self._redis.one(*FAIL.call(keys, worker, reason, self._given())))

    def unsettled(self, rounds: Sequence[Round]) -> list[set[int]]:
        """Return by round its unsettled tables: those not handled, whose matches have not ended, or whose groups have
        not ended."""
        commands = [
            (command, key_of(round_.ladder, f"{what}:{round_.number}"))
            for round_ in rounds
            for command, what in (("GET", "made"), ("HVALS", "open"), ("HVALS", "held"))
        ]
        answers = iter(self._redis.all(commands) if commands else [])
        found = []
        for round_, bits, *tables in zip(rounds, answers, answers, answers, strict=False):
            made = _bits(bits, round_.planned)
            waiting = {table for table in range(round_.planned) if not made[table]}
            found.append(waiting | {int(table) for each in tables for table in each})
        return found

    def made(self, ladder: str, number: int, planned: int) -> list[bool]:
        """Return by table whether it has been handled."""
        return _bits(self._redis.one("GET", key_of(ladder, f"made:{number}")), planned)

    def open_matches(self, ladder: str, number: int) -> dict[str, int]:
        """Return the round's matches that have not ended, with their tables; in a group by their first attempts."""
        flat = self._redis.one("HGETALL", key_of(ladder, f"open:{number}"))
        return {match.decode(): int(table) for match, table in zip(flat[::2], flat[1::2], strict=True)}

    def make(
        self, round_: Round, worker: str, lease_ms: int, tables: Mapping[int, str | None]
    ) -> list[int] | None:
        """Handle these tables, each once: a match id opens the match, `None` drops the table. Renew the lease. Return
        the tables not handled before, or `None`, without effect, if the lease of this worker or helper is lost."""
        ladder, number = round_.ladder, round_.number
        keys = (*round_keys(ladder, number), key_of(ladder, f"made:{number}"))
        pairs = [part for table, match in tables.items() for part in (table, match or "")]
        lost, fresh = self._redis.one(*MAKE.call(keys, worker, lease_ms, self._given(), *pairs))
        return None if lost else [int(table) for table in fresh]

    def hold(self, held: Sequence[tuple[str, int, str]]) -> list[ResultCounted]:
        """Hold these matches (ladder, round, match), which have ended before their groups. Their bots have room for
        others; the matches count later. Takes one round trip."""
        commands = []
        for ladder, number, match in held:
            round_, open_, _ = round_keys(ladder, number)
            commands.append(
                HOLD.call((round_, open_, key_of(ladder, f"held:{number}")), match, self._given())
            )
        answers = self._redis.all(commands)
        return [
            ResultCounted(bool(new), False, bool(more), int(epoch), bool(leased))
            for new, more, epoch, leased in answers
        ]

    def count(self, results: Sequence[LadderResult]) -> list[ResultCounted]:
        """Add results to the totals, each once. The last one ends its round. Takes one round trip."""
        batches = list(in_batches(results))
        answers = self._redis.all([counting(each, self._given()) for each in batches])
        found: dict[tuple[str, ...], ResultCounted] = {}
        for each, (last, more, epoch, leased, counted) in zip(batches, answers, strict=True):
            for result in each:
                match = result.matches[0].encode()
                found.setdefault(
                    result.matches,
                    ResultCounted(match in counted, match == last, bool(more), epoch, bool(leased)),
                )
        # A result that occurs twice in one call is new once.
        return [found.pop(result.matches, ResultCounted(False)) for result in results]

    def take_back(self, results: Sequence[LadderResult]) -> None:
        """Subtract results that were counted, each once. Their matches count as aborted from now on. Takes one round
        trip."""
        if self._archive is not None:
            for ladder, number in dict.fromkeys((result.ladder, result.round) for result in results):
                self._archive.restore_round(ladder, number)
        self._redis.all([taking_back(result) for result in results])

    def rerun(self, ladder: str, number: int, match: str, again: str, table: int) -> str:
        """Replace a match of this table that did not count with the match `again`, once. A round that was done is
        under way again. Return the id of the replacement."""
        if self._archive is not None:
            self._archive.restore_round(ladder, number)
        keys = [*round_keys(ladder, number), key_of(ladder, f"reruns:{number}")]
        placed: bytes = self._redis.one(*RERUN.call(keys, match, again, table))
        return placed.decode()

    def rerun_group(self, round_: Round, group: int, tables: Sequence[int]) -> bool:
        """Let the round make the tables of a group again, which did not count, unless it was rerun since the round was
        read. A round that was done is under way again. Return false, without effect, if the round has failed."""
        if self._archive is not None:
            self._archive.restore_round(round_.ladder, round_.number)
        round_key, _, rounds_key = round_keys(round_.ladder, round_.number)
        keys = (round_key, rounds_key, key_of(round_.ladder, f"made:{round_.number}"))
        times = round_.group_reruns.get(group, 0)
        return bool(self._redis.one(*RERUN_GROUP.call(keys, group, times, *tables)))

    def reruns(self, ladder: str, number: int) -> dict[str, str]:
        if self._archive is not None:
            self._archive.restore_round(ladder, number)
        flat = self._redis.one("HGETALL", key_of(ladder, f"reruns:{number}"))
        return {match.decode(): again.decode() for match, again in zip(flat[::2], flat[1::2], strict=True)}

    def put_outcomes(
        self, ladder: str, season: int, outcomes: Sequence[GroupResult], most: int | None = None
    ) -> None:
        """Store the results of groups. Keep the season's last `most` results, or all of them. Takes one round trip."""
        keys = (season_key(ladder, season, "outcomes"), season_key(ladder, season, "outcomes-order"))
        commands: list[tuple[Any, ...]] = []
        for outcome in outcomes:
            raw = orjson.dumps(outcome.to_json())
            if most is None:
                commands.append(("HSET", keys[0], outcome.id, raw))
            else:
                commands.append(PUT_OUTCOME.call(keys, outcome.id, outcome.ended, raw, most))
        # Some formats rank by results.
        self._redis.all([*commands, ("INCR", version_key(ladder))])

    def drop_outcome(self, ladder: str, season: int, group: str) -> None:
        self._redis.all(
            [
                ("HDEL", season_key(ladder, season, "outcomes"), group),
                ("ZREM", season_key(ladder, season, "outcomes-order"), group),
                ("INCR", version_key(ladder)),
            ]
        )

    def outcomes(self, ladder: str, season: int) -> list[GroupResult]:
        """Return the results of a season's groups in the order (ended, id)."""
        raws = self._redis.one("HVALS", season_key(ladder, season, "outcomes"))
        found = [GroupResult.from_json(orjson.loads(raw)) for raw in raws]
        return sorted(found, key=lambda outcome: (outcome.ended, outcome.id))

    def hold_groups(self, ladder: str, groups: Collection[str]) -> None:
        """Add groups to those whose results a freeze withholds."""
        self._redis.one("SADD", key_of(ladder, "frozen"), *groups)

    def held_groups(self, ladder: str) -> list[str]:
        return sorted(group.decode() for group in self._redis.one("SMEMBERS", key_of(ladder, "frozen")))

    def release_groups(self, ladder: str, groups: Collection[str]) -> None:
        """Remove groups from those whose results a freeze withholds."""
        self._redis.one("SREM", key_of(ladder, "frozen"), *groups)

    def seasons(self, ladder: str, numbers: Sequence[int]) -> list[Season | None]:
        raws = self._redis.one("HMGET", key_of(ladder, "seasons"), *numbers) if numbers else ()
        return [None if raw is None else Season.from_json(orjson.loads(raw)) for raw in raws]

    def put_season(self, season: Season) -> None:
        """Store a past season in place of the one with its number."""
        raw = orjson.dumps(season.to_json())
        self._redis.one("HSET", key_of(season.ladder, "seasons"), season.number, raw)

    def result_versions(self, ladder: str, season: int, most: int) -> list[bytes]:
        """Return the last versions of a season's result, as stored, the latest last."""
        found: list[bytes] = self._redis.one("LRANGE", key_of(ladder, f"results:{season}"), -most, -1)
        return found

    def rewrite_results(self, ladder: str, season: int, rewritten: Callable[[bytes], bytes]) -> None:
        """Rewrite the stored versions of a season's result."""
        key = key_of(ladder, f"results:{season}")
        for at, raw in enumerate(self._redis.one("LRANGE", key, 0, -1)):
            new = rewritten(raw)
            if new != raw:
                self._redis.one("LSET", key, at, new)

    def result_count(self, ladder: str, season: int) -> int:
        """Return how many versions the result of a season has."""
        return int(self._redis.one("LLEN", key_of(ladder, f"results:{season}")))

    def add_result(self, ladder: str, season: int, version: bytes, count: int) -> bool:
        """Add a version to a season's result. Return false, without effect, unless it has `count` versions."""
        call = ADD_RESULT.call((key_of(ladder, f"results:{season}"),), version, count)
        return bool(self._redis.one(*call))

    def standings(self, ladder: str, season: int) -> dict[str, Totals]:
        return _lines(self._redis.one("HGETALL", season_key(ladder, season, "sums")))

    def cross(self, ladder: str, season: int, bots: Sequence[str]) -> dict[str, dict[str, Totals]]:
        """Return the totals by bot id and opponent's id."""
        answers = self._redis.all([("HGETALL", season_key(ladder, season, f"sums:{bot}")) for bot in bots])
        return {bot: _lines(flat) for bot, flat in zip(bots, answers, strict=True)}

    def set_due(self, what: str, ladder: str, at: int | None) -> None:
        """Set when to check the ladder for `what` (see `DUE`); `None` for never."""
        if at is None:
            self._redis.one("ZREM", _due_key(what), ladder)
        else:
            self._redis.one("ZADD", _due_key(what), at, ladder)

    def move_due(self, what: str, ladder: str, seen: int, at: int | None) -> bool:
        """Set when to check the ladder, unless its due instant is no longer `seen`."""
        return bool(
            self._redis.one(*MOVE_DUE.call((_due_key(what),), ladder, seen, "" if at is None else at))
        )

    def due(self, what: str, most: int) -> tuple[int, list[tuple[str, int]]]:
        """Return the current time, and the ladders that are due with their due instants, the earliest first."""
        now, flat = self._redis.one(*DUE.call((_due_key(what),), self._given(), most))
        return int(now), _instants(flat)

    def due_later(self, what: str, than: int) -> list[tuple[str, int]]:
        """Return all ladders that are due later than this, with their due instants."""
        return _instants(self._redis.one("ZRANGEBYSCORE", _due_key(what), f"({than}", "+inf", "WITHSCORES"))

    def due_at(self, what: str, ladder: str) -> int | None:
        raw = self._redis.one("ZSCORE", _due_key(what), ladder)
        return None if raw is None else int(float(raw))

    def _given(self) -> int | str:
        return "" if self._clock is None else self._clock()


def _bits(raw: bytes | None, count: int) -> list[bool]:
    """Return the first `count` bits of a string."""
    data = raw or b""
    return [index // 8 < len(data) and bool(data[index // 8] & (128 >> index % 8)) for index in range(count)]


def _due_key(what: str) -> str:
    return f"kozyr:due:{what}"


def _instants(flat: Sequence[bytes]) -> list[tuple[str, int]]:
    return [(member.decode(), int(float(at))) for member, at in zip(flat[::2], flat[1::2], strict=True)]


def _round(ladder: str, number: int, raw: list[Any]) -> Round | None:
    if raw[0] is None:
        return None
    doc, (_, state, *counts, ended, reason, groups) = orjson.loads(raw[0]), raw
    meetings, reasons, out = (doc.get(name) for name in ("meetings", "reasons", "out"))
    more = {
        "ladder": ladder,
        "number": number,
        "entrants": tuple(map(_entrant, doc["entrants"])),
        "excluded": doc["left_out"],
        "state": RoundState(state.decode()),
        "ended": None if ended is None else int(ended),
        "meetings": None if meetings is None else tuple(map(tuple, meetings)),
        "reason": None if reason is None else reason.decode(),
        "walkovers": walkovers_of(doc.get("walkovers", ())),
        "group_reruns": {int(group): times for group, times in orjson.loads(groups or b"{}").items()},
        "reasons": None if reasons is None else [decoded_row(MeetingReason, each) for each in reasons],
        "out": None if out is None else tuple(out),
        **{name: int(count or 0) for name, count in zip(_COUNTS, counts, strict=True)},
    }
    return decoded(Round, {**doc, **more})


def renewed_round(raw: bytes) -> bytes:
    """Return a stored round (its `doc`) with the present names of its bots."""
    doc = orjson.loads(raw)
    doc["entrants"] = [list(_entrant(row)) for row in doc["entrants"]]
    return orjson.dumps(doc)


def renewed_archived_round(value: bytes) -> bytes:
    """Return an archived round (`league.ladders.redis_archive`) with the present names of its bots."""
    stored = orjson.loads(value)
    fields = [bytes.fromhex(part) for part in stored["round"]]
    at = fields.index(b"doc") + 1
    stored["round"][at] = renewed_round(fields[at]).hex()
    return orjson.dumps(stored)


def _entrant(row: Sequence[Any]) -> Entrant:
    stored = decoded_row(Entrant, row)
    return stored._replace(name=current_name(stored.id, stored.name))


def _own(owner: str) -> str:
    return f"{_LISTED}:of:{owner}"


def _listing(ladder: str, at: int, *owners: str) -> list[Command]:
    """Return the commands that list a ladder for these owners."""
    return [
        command
        for key in map(_own, owners)
        for command in (("ZADD", key, "NX", at, ladder), ("ZREMRANGEBYRANK", key, 0, -1 - _MOST_OWN))
    ]


@lru_cache(maxsize=REMEMBERED)
def _entry(raw: bytes) -> LadderEntry:
    entry = decoded(LadderEntry, orjson.loads(raw))
    return entry._replace(
        disqualified=tuple(decoded_row(Disqualification, each) for each in entry.disqualified)
    )


def _access_rule(raw: bytes) -> AccessRule:
    rule = decoded(AccessRule, orjson.loads(raw))
    return rule._replace(verdict=AccessVerdict(rule.verdict))


def _lines(flat: list[bytes]) -> dict[str, Totals]:
    return {name.decode(): unpacked(line) for name, line in zip(flat[::2], flat[1::2], strict=True)}

"""Matches in Redis. Each step is one Lua script.

All keys of a match have its bucket as their hash tag, so that matches spread over the nodes of a Redis Cluster.

    kozyr:{17}:match:ID     hash    version, config, progress, asked, deadline, secret of a match that isn't over
    kozyr:{17}:log:ID       string  log of its deal in progress
    kozyr:{17}:past:ID      list    logs of its closed deals, compressed
    kozyr:{17}:finished:ID  string  the whole finished match, compressed, until it moves to the archive
    kozyr:{17}:annotations:ID  list  annotations of the finished match (JSON), also of an archived one
    kozyr:{17}:deadlines    zset    match ids by the service time at which they are due
    kozyr:{17}:outbox       list    work that follows a commit, as `kind match version`
    kozyr:{17}:clock        hash    service time (lua/clock.lua)
    kozyr:{17}:grants       string  what remembered tokens rely on (redis_grants.py)
    kozyr:{17}:confirmed    string  empty; written to wait until the replicas have all before it
"""

from __future__ import annotations

import zlib
from collections.abc import Mapping, Sequence
from functools import lru_cache, partial
from typing import Any, Final, NamedTuple

import orjson
from redis.exceptions import RedisError

from records.decoding import decoded
from records.ids import bucket_of, buckets
from records.match.loaded_match import LoadedMatch
from records.match.session import MatchConfig, MatchProgress
from records.match.snapshot import Annotation
from redisio.connection import Pipeline, Redis
from redisio.scripts import Script
from referee.errors import Busy
from referee.storage.archived import ArchivedMatches
from referee.storage.index import NOTHING_KNOWN, KnownPlace, ListedPlace, Pointer
from referee.storage.packing import DAMAGE, MOST_MATCH, Unreadable, inflated, pack, unpack
from referee.storage.redis_grants import Grants, grants_key
from referee.storage.store import Allowance, Commit, Committed, Due, PendingReply, ReadPipeline

READ: Final = Script("referee.storage", "clock.lua", "snapshot.lua", "read.lua")
COMMIT: Final = Script("referee.storage", "clock.lua", "commit_step.lua", "commit.lua")
COMMIT_NEW: Final = Script("referee.storage", "clock.lua", "commit_step.lua", "commit_new.lua")
COMMIT_OR_READ: Final = Script(
    "referee.storage", "clock.lua", "snapshot.lua", "commit_step.lua", "commit_or_read.lua"
)
DUE: Final = Script("referee.storage", "clock.lua", "due.lua")
BEAT: Final = Script("referee.storage", "clock.lua", "clock_floor.lua", "beat.lua")
HOLD: Final = Script("referee.storage", "clock.lua", "clock_floor.lua", "hold.lua")
ANNOTATE: Final = Script("referee.storage", "clock.lua", "annotate.lua")

EVERYBODY: Final = "*"
"""Begins a message that wakes all waiters, followed by number and name of a decision on the state of the service."""


_MISSING: Final = 3
"""The length of a snapshot's reply for a match that Redis does not have (lua/snapshot.lua)."""
_OVER: Final = 4
"""The length of a snapshot's reply for a match that is over (lua/snapshot.lua)."""
_RUNNING: Final = 10
"""The length of a snapshot's reply while the match isn't over (lua/snapshot.lua)."""
_LATE_MS: Final = 100
"""How late a commit on a remembered match may run, by the writer's estimate of service time, in ms."""
ATTEMPTS: Final = 64
"""How often a writer looks for a new match in the archive while matches move there."""


class _Moved(NamedTuple):
    """What has moved from a bucket to the archive."""

    matches: int
    """How many of its matches."""
    archived: int
    """The records of these matches have at most this number."""


_NONE_MOVED: Final = _Moved(0, 0)


def keys_of(match: str) -> tuple[str, str, str, str, str, str, str]:
    """Return the keys that one commit touches, in the order of lua/commit.lua."""
    bucket = bucket_of(match)
    tag = f"kozyr:{{{bucket}}}:"
    return (
        match_key(match),
        f"{tag}log:{match}",
        f"{tag}past:{match}",
        f"{tag}deadlines",
        f"{tag}outbox",
        clock_key(bucket),
        f"{tag}finished:{match}",
    )


def match_key(match: str) -> str:
    return f"kozyr:{{{bucket_of(match)}}}:match:{match}"


def finished_key(match: str) -> str:
    return keys_of(match)[6]


def annotations_key(match: str) -> str:
    return f"kozyr:{{{bucket_of(match)}}}:annotations:{match}"


def clock_key(bucket: str) -> str:
    return f"kozyr:{{{bucket}}}:clock"


class RedisMatchStore:
    def __init__(self, redis: Redis, archived: ArchivedMatches | None = None) -> None:
        """`archived` reads matches that have moved to the archive; without it there are none."""
        self.redis, self._archived = redis, archived
        self.unreadable = Unreadable()
        self._grants = Grants()
        self._moved: dict[str, _Moved] = {}
        """By bucket, what moved to the archive, as this process last heard."""

    def ask(self, pipeline: ReadPipeline, match: str) -> PendingReply[LoadedMatch | None]:
        return pipeline.ask(partial(self._readable, match), _read_command(match))

    def read(
        self, ids: Sequence[str], since: int | None = None, known: Mapping[str, KnownPlace] = NOTHING_KNOWN
    ) -> list[LoadedMatch | None]:
        """Return a snapshot of each match; `None` for an id that no match has, and for an unreadable match. `since` is
        that of `Commit`, if all ids have the same. An archived match that is `known` from a list is not looked up. With
        a whole `ListedPlace`, its snapshot has no log and no secret."""
        raws = self.redis.all([_read_command(match) for match in ids])
        missing = [
            match for match, raw in zip(ids, raws, strict=True) if len(raw) == _MISSING and match not in known
        ]
        if (
            missing
            and since is not None
            and self._archived is not None
            and self._archived.archived() <= since
        ):
            missing = []
        places = {**known, **self._pointers(missing)}
        return [self._readable(match, raw, places) for match, raw in zip(ids, raws, strict=True)]

    def ask_commit(
        self, pipeline: ReadPipeline, commit: Commit, asked_at: float, sent: int
    ) -> PendingReply[Committed | LoadedMatch | None] | None:
        """Add a commit to a pipeline whose writer has read neither its match nor its token, but remembers both.

        `asked_at` is the `time.monotonic()` before the look-up of the token, `sent` the present service time by the
        writer's estimate. The reply is a snapshot, and nothing was written, if match, token or service time are not
        as remembered. Return `None`, and add nothing, if the token has to be looked up again.
        """
        grants = self._grants.for_token(commit.match, asked_at)
        if grants is None:
            return None
        command = _commit_or_read_command(commit, grants, sent)
        return pipeline.ask(partial(self._committed_or_readable, commit.match), command)

    def commit(self, commits: Sequence[Commit]) -> list[Committed | Exception | None]:
        """Make these steps, each atomically. `None` for a step that was not made because its match had changed, and the
        error for one that may be lost because a part of the store failed."""
        made: list[Committed | Exception | None] = [None] * len(commits)
        waiting = list(range(len(commits)))
        for _ in range(ATTEMPTS):
            # The counts first: a match that leaves Redis after the look into the archive changes one.
            moved = dict(self._moved)
            archived = self._pointers(
                [commits[at].match for at in waiting if _may_be_archived(commits[at], moved)]
            )
            pipeline = Pipeline(self.redis)
            replies = {
                at: pipeline.ask(list, self._commit_command(commits[at], moved))
                for at in waiting
                if commits[at].match not in archived
            }
            pipeline.go(partly=True)
            waiting, counts = [], {}
            for at, reply in replies.items():
                try:
                    answer = reply.answer
                except RedisError as failure:
                    made[at] = failure
                    continue
                made[at] = _committed(answer)
                if not answer[0] and len(answer) > 1:
                    counts[bucket_of(commits[at].match)] = int(answer[1])
                    waiting.append(at)
            if not waiting:
                return made
            assert self._archived is not None, "nothing moves without an archive"
            # After the counts: what they count is in the archive up to this record.
            archived_to = self._archived.archived()
            self._moved |= {bucket: _Moved(count, archived_to) for bucket, count in counts.items()}
        raise Busy("too many matches moved to the archive meanwhile; send the request again")

    def _commit_command(self, commit: Commit, moved: Mapping[str, _Moved]) -> tuple[Any, ...]:
        keys, arguments = keys_of(commit.match), _commit_arguments(commit)
        if commit.version == 0 and self._archived is not None:
            return COMMIT_NEW.call(keys, *arguments, moved.get(bucket_of(commit.match), _NONE_MOVED).matches)
        return COMMIT.call(keys, *arguments)

    def recorded(self) -> int | None:
        """Return how many records there are (`Commit.since`); `None` if no match is ever archived."""
        return None if self._archived is None else self._archived.recorded()

    def confirm(self, matches: Sequence[str]) -> list[Exception | None]:
        """Make every change of these matches so far as safe as an acknowledged commit. Return the error of each match
        for which that failed.

        A read may show a commit that was not acknowledged and may still be lost.
        """
        if not self.redis.wait_replicas:
            return [None] * len(matches)
        # This write is answered once the replicas have it, and with it everything before.
        commands = [("SET", f"kozyr:{{{bucket_of(match)}}}:confirmed", b"") for match in matches]
        answers = self.redis.run(commands, partly=True)
        return [answer if isinstance(answer, RedisError) else None for answer in answers]

    def times(self, matches: Sequence[str]) -> list[int]:
        """Return the service time of each match's bucket."""
        one_each = {bucket_of(match): match for match in matches}
        answers = self.redis.all([_read_command(match) for match in one_each.values()])
        now = {bucket: int(raw[0]) for bucket, raw in zip(one_each, answers, strict=True)}
        return [now[bucket_of(match)] for match in matches]

    def past(self, match: str, first: int = 0, end: int | None = None) -> list[str]:
        """Return the logs of the closed deals of a running match, from number `first`, counted from 0, to before
        `end`."""
        chunks = self.redis.one("LRANGE", keys_of(match)[2], first, -1 if end is None else end - 1)
        return [inflated(chunk, MOST_MATCH).decode() for chunk in chunks]

    def due(self, settle_ms: int, most: int) -> list[Due]:
        """Return the work of each bucket: at most `most` matches and entries each.

        A match is due when `settle_ms` have passed since its deadline and grace.
        """
        pipeline = Pipeline(self.redis)
        replies = []
        for bucket in buckets():
            tag = f"kozyr:{{{bucket}}}:"
            keys = (f"{tag}deadlines", f"{tag}outbox", clock_key(bucket))
            replies.append(pipeline.ask(_due, DUE.call(keys, settle_ms, most)))
        pipeline.go()
        return [reply.answer for reply in replies]

    def done(self, entries: Sequence[str]) -> None:
        commands = []
        for entry in entries:
            match = entry.split(" ")[1]
            commands.append(("LREM", keys_of(match)[4], 1, entry))
        self.redis.run(commands, partly=True)

    def heartbeat(self, late_ms: int = 0) -> int:
        """Record a heartbeat: all API processes served `late_ms` ago.

        Returns the ms credited to running clocks, usually 0; the longest credit of any bucket. Returns -1 if no
        deadline is set in any bucket: then there is no clock to credit.
        """
        pipeline = Pipeline(self.redis)
        replies = [
            pipeline.ask(int, BEAT.call((clock_key(bucket), f"kozyr:{{{bucket}}}:deadlines"), late_ms))
            for bucket in buckets()
        ]
        pipeline.go()
        return max(reply.answer for reply in replies)

    def pause(self, on: bool, decision: int = 0) -> bool:
        """Pause service time, or resume it. Returns whether that changed anything.

        Decisions may arrive in any order; the one with the highest number holds.
        """
        pipeline = Pipeline(self.redis)
        replies = [
            pipeline.ask(int, HOLD.call((clock_key(bucket),), int(on), decision)) for bucket in buckets()
        ]
        pipeline.go()
        return any(reply.answer for reply in replies)

    def annotate(self, match: str, what: str, reason: str) -> tuple[Annotation, ...] | None:
        """Annotate a finished match, once for each kind `what`, and leave an `index` entry in the outbox.

        Returns all annotations of the match; `None` if it isn't over.
        """
        all_keys = keys_of(match)
        keys = (all_keys[6], annotations_key(match), all_keys[4], all_keys[5])
        over, *annotations = self.redis.one(*ANNOTATE.call(keys, match, what, reason, 0))
        if not over and self._pointers([match]):
            over, *annotations = self.redis.one(*ANNOTATE.call(keys, match, what, reason, 1))
        return _annotations(annotations[0]) if over else None

    def annotations(self, matches: Sequence[str]) -> list[tuple[Annotation, ...]]:
        answers = self.redis.all([("LRANGE", annotations_key(match), 0, -1) for match in matches])
        return [_annotations(answer) for answer in answers]

    def _pointers(self, ids: Sequence[str]) -> Mapping[str, Pointer]:
        return self._archived.pointers(ids) if self._archived is not None and ids else {}

    def _committed_or_readable(self, match: str, raw: list[Any]) -> Committed | LoadedMatch | None:
        return _committed(raw) or self._readable(match, raw[1])

    def _readable(
        self, match: str, raw: list[Any], places: Mapping[str, KnownPlace] | None = None
    ) -> LoadedMatch | None:
        if len(raw) == _RUNNING:
            self._grants.note(match, raw[-1])
        try:
            if len(raw) == _MISSING:
                found = self._pointers([match]) if places is None else places
                return self._archived_snapshot(raw, found.get(match))
            return _snapshot(raw)
        except DAMAGE as error:
            self.unreadable.note(match, error)
            return None

    def _archived_snapshot(self, raw: list[Any], place: KnownPlace | None) -> LoadedMatch | None:
        if place is None or self._archived is None:
            return None
        if isinstance(place, ListedPlace):
            return _finished(raw, place.config, place.progress, b"", "")._replace(archived=True)
        return _finished(raw, *self._archived.match(place))._replace(archived=True)


def _may_be_archived(commit: Commit, moved: Mapping[str, _Moved]) -> bool:
    """Return whether the match of a first commit may be among those that have moved from its bucket."""
    if commit.version:
        return False
    return commit.since is None or moved.get(bucket_of(commit.match), _NONE_MOVED).archived > commit.since


def _read_command(match: str) -> tuple[Any, ...]:
    keys = keys_of(match)
    grants = grants_key(bucket_of(match))
    return READ.call((keys[0], keys[1], keys[5], keys[6], annotations_key(match), grants))


def _commit_or_read_command(commit: Commit, grants: bytes, sent: int) -> tuple[Any, ...]:
    match = commit.match
    keys = (*keys_of(match), annotations_key(match), grants_key(bucket_of(match)))
    return COMMIT_OR_READ.call(keys, *_commit_arguments(commit), grants, sent, _LATE_MS)


def _commit_arguments(commit: Commit) -> tuple[Any, ...]:
    finished = b""
    if commit.finished:
        finished = pack(commit.config, commit.progress, commit.secret, commit.log)
    progress = commit.progress
    allowance = commit.allowance.value if isinstance(commit.allowance, Allowance) else commit.allowance
    grace = commit.config.clock.grace_ms if progress.started is not None else 0
    return (
        commit.match,
        commit.version,
        b"" if finished else orjson.dumps(progress.to_json()),
        orjson.dumps(commit.config.to_json()) if commit.config_changed and not finished else b"",
        commit.secret.hex() if commit.version == 0 else "",
        "" if finished else commit.log if commit.closed else commit.appended,
        allowance,
        grace,
        " ".join(commit.outbox),
        wake_message(commit),
        finished,
        *([] if finished else [zlib.compress(log.encode(), 6) for log in commit.closed]),
    )


def wake_message(commit: Commit) -> str:
    """Return the wake-up message of a commit: the match and the bot to move.

    Empty for a match that is created and finished in one commit, since nobody waits for it.
    """
    if commit.finished and commit.version == 0:
        return ""
    to_move = commit.progress.to_move
    seat = commit.config.seats[to_move] if to_move is not None else None
    if seat is None or seat.house:
        return commit.match
    return f"{commit.match} {seat.id}"


def _finished(
    raw: list[Any], config: MatchConfig, progress: MatchProgress, secret: bytes, log: str
) -> LoadedMatch:
    config.table()  # raises for a game or an option that this release doesn't know
    return LoadedMatch(
        now=int(raw[0]),
        version=0,
        config=config,
        progress=progress,
        asked=None,
        deadline=None,
        secret=secret,
        log=log,
        runs=bool(raw[1]),
        annotations=_annotations(raw[-1]),
    )


def _snapshot(raw: list[Any]) -> LoadedMatch:
    now, runs = int(raw[0]), bool(raw[1])
    if len(raw) == _OVER:
        return _finished(raw, *unpack(raw[2]))
    _, _, version, config_raw, head_raw, asked, deadline, secret_raw, log_raw, _ = raw
    return LoadedMatch(
        now=now,
        version=int(version),
        config=config_of(config_raw),
        progress=MatchProgress.from_json(orjson.loads(head_raw)),
        asked=_instant(asked),
        deadline=_instant(deadline),
        secret=bytes.fromhex(secret_raw.decode()),
        log=log_raw.decode(),
        runs=runs,
    )


def _annotations(raws: list[bytes]) -> tuple[Annotation, ...]:
    return tuple(decoded(Annotation, orjson.loads(raw)) for raw in raws)


@lru_cache(maxsize=1024)  # some 5 MB
def config_of(raw: bytes) -> MatchConfig:
    return MatchConfig.from_json(orjson.loads(raw))


def _committed(raw: list[Any]) -> Committed | None:
    if not raw[0]:
        return None
    return Committed(int(raw[1]), int(raw[2]), _instant(raw[3]), _instant(raw[4]))


def _due(raw: list[Any]) -> Due:
    now, matches, entries, wait = raw
    return Due(
        int(now),
        [match.decode() for match in matches],
        [entry.decode() for entry in entries],
        None if int(wait) < 0 else int(wait),
    )


def _instant(raw: bytes | None) -> int | None:
    return int(raw) if raw else None

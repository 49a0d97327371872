"""The long polls of bots: open turns of all their matches, the next turn of one match, and events.

A cursor says what the bot already has: the state of the service, its finished matches up to a number, and open turns
as digests of (match, turn). It contains the store's epoch, so that a cursor from older data returns everything, and a
seal, so that the service refuses forged ones.
"""

from __future__ import annotations

import hashlib
import hmac
import time
from collections.abc import Callable, Generator, Mapping, Sequence
from typing import Any, Final, NamedTuple

from records.errors import RefereeError
from records.match import views
from records.match.loaded_match import LoadedMatch, MoveResult
from records.match.session import Status
from referee import base64url
from referee.errors import BadCursor
from referee.groups.model import Group, GroupKind, GroupProgress, GroupStatus
from referee.groups.redis import RedisGroupStore
from referee.polling.hub import Hub
from referee.polling.waiter import Pause, Waiter
from referee.referee import Referee
from referee.service.state import ServiceState
from referee.storage.index import Probe
from referee.storage.redis_index import RedisMatchIndex

MOST_FINISHED: Final = 50
_DIGEST: Final = 6
_SEAL: Final = 10
_STATES: Final = tuple(ServiceState)
"""Cursors store the index of a state in this tuple, so append new states."""


class PollCursor(NamedTuple):
    """What a bot already has."""

    epoch: bytes
    finished: int | None
    turns: frozenset[bytes]
    service: ServiceState = ServiceState.RUNNING


NOTHING: Final = PollCursor(b"", None, frozenset())


class PollNews(NamedTuple):
    """What a bot has not seen yet."""

    turns: list[dict[str, Any]]
    finished: list[dict[str, Any]]
    cursor: PollCursor
    running: int
    """How many matches the bot still plays: they have begun, begin as soon as the other bots show up, or are to come in
    a duplicate group that has begun; the last only with `leaving`."""


class Turns:
    """Answers long polls."""

    def __init__(
        self,
        referee: Referee,
        index: RedisMatchIndex,
        hub: Hub,
        groups: RedisGroupStore,
        key: bytes,
        monotonic: Callable[[], float] = time.monotonic,
        leaves: Callable[[str], bool] = lambda bot_id: False,
    ) -> None:
        """`key` seals cursors. Any secret of the service will do. `monotonic` measures how long a poll waits, in
        seconds. `leaves` returns whether a bot finishes its matches and begins none."""
        self.referee, self.index, self.hub, self._groups = referee, index, hub, groups
        self._monotonic, self._leaves = monotonic, leaves
        self._key = hashlib.sha256(b"kozyr cursor" + key).digest()

    def poll(
        self,
        bot_id: str,
        wait_s: float,
        since: str | None = None,
        made: Sequence[MoveResult | RefereeError] = (),
        *,
        leaving: bool = False,
    ) -> Generator[Pause, None, dict[str, Any]]:
        """Return the bot's open turns and newly finished matches; with `since`, only those that the bot lacks.

        Pauses up to `wait_s` seconds for news, or for a change of the service's state. A poll also makes the bot show
        up for its matches. With `leaving` it begins nothing; the response then counts the `running` matches, and the
        wait ends when there are none. `made` are the moves of the same request, whose matches need no further read.
        Raises `BadCursor`.
        """
        known = self._read(since, bot_id)
        fresh = {
            moved.match: moved.loaded
            for moved in made
            if isinstance(moved, MoveResult) and moved.loaded is not None
        }
        until = self._monotonic() + wait_s
        reported = self.hub.service if since is None else known.service
        has_waited = False
        with self.hub.waiter(bot_id, bot_id, poll=True) as waiter:
            while True:
                waiter.clear()
                service = self.hub.service
                found = self._collect(bot_id, known, waiter, fresh, leaving=leaving, has_waited=has_waited)
                turns, finished, cursor, running = found
                news = turns or finished or service is not reported or (leaving and not running)
                rest = until - self._monotonic()
                if news or rest <= 0 or self.hub.must_answer(waiter):
                    following = self._write(cursor._replace(service=service), bot_id)
                    answer = {"turns": turns, "finished": finished, "since": following, "service": service}
                    return {**answer, "running": running} if leaving else answer
                if not fresh:
                    yield Pause(waiter, rest)
                    has_waited = True
                # These matches were read before the waiter registered: good for news, too old to wait on.
                fresh = {}

    def open_turns(
        self, bot_id: str, known: PollCursor, waiter: Waiter
    ) -> tuple[list[dict[str, Any]], PollCursor]:
        """Return the bot's open turns that `known` lacks, and what the bot has with them.

        Makes the bot show up for its matches, and sets the waiter's probes.
        """
        found = self._collect(bot_id, known, waiter, {})
        return found.turns, found.cursor

    def nothing_yet(self, bot_id: str, since: str | None) -> dict[str, Any]:
        """Return the response to a poll that could not read the store. The next poll returns everything."""
        since = since or self._write(PollCursor(bytes(8), None, frozenset()), bot_id)
        return {"turns": [], "finished": [], "since": since, "service": self.hub.service}

    def no_next(self) -> dict[str, Any]:
        """Return the response of `after_move` if nothing came in time."""
        return self._next_response(None, None)

    def after_move(
        self, bot_id: str, moved: MoveResult, wait_s: float
    ) -> Generator[Pause, None, dict[str, Any]]:
        """Return the bot's next turn of this match, or its end.

        Pauses up to `wait_s` seconds for either, or for a change of the service's state.
        """
        news = None if moved.loaded is None else self._news(moved.loaded, moved.seat)
        if news is not None or (wait_s <= 0 and moved.loaded is not None):
            return news or self.no_next()
        until, service = self._monotonic() + wait_s, self.hub.service
        with self.hub.waiter(moved.match, bot_id) as waiter:
            while True:
                waiter.clear()
                loaded = self.referee.look(moved.match)
                news = self._news(loaded, moved.seat)
                rest = until - self._monotonic()
                changed = self.hub.service is not service
                if news is not None or changed or rest <= 0 or self.hub.must_answer(waiter):
                    return news or self.no_next()
                waiter.probes = {self.index.probe(moved.match): self.index.seen(loaded.version)}
                yield Pause(waiter, rest)

    def check(self, bot_id: str, since: str | None) -> None:
        """Raise `BadCursor` for a cursor that was not issued to this bot."""
        self._read(since, bot_id)

    def _news(self, loaded: LoadedMatch, seat: int) -> dict[str, Any] | None:
        if loaded.finished:
            return self._next_response(None, views.finished_view(loaded, seat))
        if loaded.asks(seat):
            return self._next_response(views.turn_view(loaded, seat), None)
        return None

    def _next_response(
        self, following: dict[str, Any] | None, finished: dict[str, Any] | None
    ) -> dict[str, Any]:
        return {"next": following, "finished": finished, "service": self.hub.service}

    def events(
        self, match: str, bot_id: str | None, after: int, wait_s: float, most: int, holder: str = ""
    ) -> dict[str, Any]:
        """Return at most `most` events with numbers above `after`, as this bot sees them.

        Waits up to `wait_s` seconds for the first one. `over` says that no more will follow. `holder` is the bot or
        address that waits. Raises `NoSuchMatch` or `GroupRunning`.
        """
        until = self._monotonic() + wait_s
        with self.hub.waiter(match, holder) as waiter:
            while True:
                waiter.clear()
                loaded = self.referee.look(match)
                viewer = loaded.config.seat_of(bot_id) if bot_id is not None else None
                if viewer is None:
                    self.referee.check_open(loaded)
                events = self.referee.events(loaded, viewer, after, most + 1)
                rest = until - self._monotonic()
                if events or loaded.finished or rest <= 0 or self.hub.must_answer(waiter):
                    return {"events": events[:most], "over": loaded.finished and len(events) <= most}
                waiter.probes = {self.index.probe(match): self.index.seen(loaded.version)}
                waiter.wait(rest)

    def _collect(
        self,
        bot_id: str,
        known: PollCursor,
        waiter: Waiter,
        fresh: Mapping[str, LoadedMatch],
        *,
        leaving: bool = False,
        has_waited: bool = False,
    ) -> PollNews:
        mine = self.index.mine(bot_id, known.finished, MOST_FINISHED)
        if mine.epoch != known.epoch and known is not NOTHING:
            known = NOTHING
            mine = self.index.mine(bot_id, None, MOST_FINISHED)
        active, ended = mine.active, mine.finished
        probes: dict[Probe, object] = {mine.probe: mine.seen}
        turns: list[dict[str, Any]] = []
        open_turns: list[bytes] = []
        running = 0
        # The result of a move is out of date if its match is over by now: the cursor would skip the end.
        over = {match for _, match in ended}
        fresh = {match: loaded for match, loaded in fresh.items() if match not in over}
        unknown = [match for match in [*active, *over] if match not in fresh]
        loaded_matches = {**dict(zip(unknown, self.referee.look_at(unknown), strict=True)), **fresh}
        begun = self._begun_groups(bot_id, [loaded_matches[match] for match in active]) if leaving else {}
        for match in active:
            loaded = loaded_matches[match]
            if loaded is None or loaded.finished:
                continue
            seat = loaded.config.seat_of(bot_id)
            if seat is None:
                continue
            if loaded.progress.status is Status.WAITING and seat not in loaded.progress.shown:
                goes_on = loaded.config.group is not None and loaded.config.group.id in begun
                # The bot may have given up a poll that has waited, to leave.
                if not goes_on and (leaving or (has_waited and self._leaves(bot_id))):
                    continue
                loaded = self.referee.show_up(match, bot_id)
            plays = seat not in loaded.progress.forfeits
            running += plays and loaded.progress.status in (Status.WAITING, Status.RUNNING)
            probes[self.index.probe(match)] = self.index.seen(loaded.version)
            if not loaded.asks(seat):
                continue
            digest = _digest(loaded)
            open_turns.append(digest)
            if digest not in known.turns:
                turns.append(views.turn_view(loaded, seat))
        finished = []
        for _, match in ended:
            loaded = loaded_matches[match]
            seat = None if loaded is None else loaded.config.seat_of(bot_id)
            if loaded is not None and loaded.finished and seat is not None:
                finished.append(views.finished_view(loaded, seat))
        running += sum(len(left.difference(active)) for left in begun.values())
        waiter.probes = probes
        number = ended[-1][0] if ended else known.finished or 0
        return PollNews(turns, finished, PollCursor(mine.epoch, number, frozenset(open_turns)), running)

    def _begun_groups(self, bot_id: str, active: Sequence[LoadedMatch | None]) -> dict[str, set[str]]:
        """Return by id the duplicate groups in which the bot has several tables and has seen a deck, each with the
        matches that are not over, or do not exist yet. A bot that leaves plays them, since it would forfeit them."""
        over = [match for _, match in self.index.mine(bot_id, None, MOST_FINISHED).finished]
        matches = [*active, *self.referee.look_at(over)]
        ids = list({each.config.group.id: None for each in matches if each and each.config.group})
        found = zip(self._groups.groups(ids), self._groups.progress(ids), strict=True)
        return {
            group.id: _unfinished(group, progress).difference(over)
            for group, progress in found
            if group is not None
            and group.kind is GroupKind.ROTATED
            and progress.dealt
            and progress.status is GroupStatus.RUNNING
        }

    def _write(self, cursor: PollCursor, bot_id: str) -> str:
        number = 0 if cursor.finished is None else cursor.finished + 1
        state = _STATES.index(cursor.service).to_bytes(1, "big") + number.to_bytes(5, "big")
        body = cursor.epoch + state + b"".join(sorted(cursor.turns))
        return base64url.encode(self._sealed(body, bot_id) + body)

    def _read(self, text: str | None, bot_id: str) -> PollCursor:
        if text is None:
            return NOTHING
        try:
            raw = base64url.decode(text)
        except ValueError:
            raw = b""
        seal, body = raw[:_SEAL], raw[_SEAL:]
        if not hmac.compare_digest(seal, self._sealed(body, bot_id)) or len(body) < 14:
            raise BadCursor("this `since` was not issued to your bot; leave it out to get everything")
        service, number = _STATES[body[8]], int.from_bytes(body[9:14], "big")
        digests = (body[at : at + _DIGEST] for at in range(14, len(body), _DIGEST))
        return PollCursor(body[:8], None if number == 0 else number - 1, frozenset(digests), service)

    def _sealed(self, body: bytes, bot_id: str) -> bytes:
        return hmac.digest(self._key, bot_id.encode() + b"\0" + body, "sha256")[:_SEAL]


def _digest(loaded: LoadedMatch) -> bytes:
    """Return the digest of an open turn. It depends on match and turn only: a turn is one question, sent once."""
    return hashlib.sha256(f"{loaded.id} {loaded.progress.turn}".encode()).digest()[:_DIGEST]


def _unfinished(group: Group, progress: GroupProgress) -> set[str]:
    """Return the matches of a group that are not over, as far as the group knows."""
    left = set(range(len(group.tables))) - progress.over
    return {group.match_id(slot, progress.attempts.get(slot, 0)) for slot in left}

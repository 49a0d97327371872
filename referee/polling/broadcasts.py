"""Streams: the events or frames of matches as they happen, for any number of watchers.

The watchers of one view of a match share a `Broadcast`. Its own greenlet or thread reads the match after each wake-up,
and replays and encodes what is new once for all of them. A watcher that lacks more than a broadcast remembers reads
what it lacks itself, page by page.

A match of a hidden group has no updates for spectators until the group is over. Then it has all of them.
"""

from __future__ import annotations

import enum
import logging
import threading
import time
from collections import deque
from collections.abc import Callable, Generator, Iterator, Sequence
from typing import Any, Final, NamedTuple, TypeVar

import orjson

from records.match.frames import Frame, coded_after
from records.match.loaded_match import LoadedMatch
from referee.errors import EventsNotReady, GroupRunning
from referee.polling.hub import Hub
from referee.polling.waiter import Pause, Waiter
from referee.referee import Referee
from referee.service.state import ServiceState
from referee.storage.redis_index import RedisMatchIndex

log = logging.getLogger(__name__)

T = TypeVar("T")

REMEMBERED: Final = 32
"""How many updates a broadcast remembers."""
PAGE: Final = 500
"""The most updates that are read at once."""
HEARTBEAT_S: Final = 15.0
"""How long a stream may be silent. Writing to a client that has gone ends its stream."""
LOOK_S: Final = 30.0
"""How often a broadcast looks without a wake-up."""


class View(NamedTuple):
    """What a watcher sees of a match."""

    match: str
    seat: int | None
    """`None` for a spectator."""
    frames: bool
    """Whether updates are frames instead of events."""

    @property
    def key(self) -> str:
        """The key of its watchers in the hub."""
        return f"stream {self.match} {self.seat} {self.frames}"


class Sent(NamedTuple):
    """An update for one watcher."""

    place: int
    """The place of its match in the stream."""
    number: int
    """The number of its event, or of the last event of its frame."""
    data: bytes
    """Its JSON."""


class StreamEnd(enum.Enum):
    """Why a stream ends."""

    OVER = "over"
    """All matches are over, and everything was sent."""
    TIME = "time"
    """It was open for as long as agreed."""
    STOPPING = "stopping"
    """The process stops."""
    PAUSED = "paused"
    """The service is paused."""
    REPLACED = "replaced"
    """The watcher opened too many newer streams."""
    REVOKED = "revoked"
    """The watcher's token is no longer valid."""
    FAILED = "failed"
    """The match can't be read, for example because the store is unavailable."""
    LIMITED = "limited"
    """The watcher has received more than its rate limit allows."""


class Permission:
    """Whether a stream's client may still watch, looked up every `HEARTBEAT_S` seconds."""

    def __init__(self, allowed: Callable[[], bool] | None, monotonic: Callable[[], float]) -> None:
        """`allowed` looks it up. It is `None` where everybody may watch."""
        self._allowed, self.monotonic, self._asked = allowed, monotonic, monotonic()

    def ended(self) -> bool:
        """Return whether the client may no longer watch. Raise the errors of the store."""
        if self._allowed is None or (now := self.monotonic()) - self._asked < HEARTBEAT_S:
            return False
        self._asked = now
        return not self._allowed()


def stream(
    hub: Hub,
    waiter: Waiter,
    permission: Permission,
    until: float,
    news: Callable[[], Iterator[list[T]]],
    ended: Callable[[], StreamEnd | None] = lambda: None,
) -> Iterator[list[T] | StreamEnd | Pause]:
    """Yield what `news` yields, whenever the waiter is woken, and last why the stream ends.

    An empty list is a heartbeat. The caller waits at each `Pause`. The stream ends when `ended` returns a reason, at
    `until`, or for a reason that all streams share.
    """
    heard = permission.monotonic()
    while True:
        waiter.clear()
        service = hub.service
        if permission.ended():
            yield StreamEnd.REVOKED
            return
        for updates in news():
            yield updates
            heard = permission.monotonic()
        now = permission.monotonic()
        end = ended()
        if end is None and hub.closed:
            end = StreamEnd.STOPPING
        elif end is None and waiter.gives_way:
            end = StreamEnd.REPLACED
        elif end is None and service is ServiceState.PAUSED:
            end = StreamEnd.PAUSED
        elif end is None and now >= until:
            end = StreamEnd.TIME
        if end is not None:
            yield end
            return
        if now - heard >= HEARTBEAT_S:
            heard = now
            yield []
        yield Pause(waiter, min(until, heard + HEARTBEAT_S) - now)


class _Update:
    """An event or a frame, encoded when it is first sent."""

    __slots__ = ("_changes", "_forms", "number")

    def __init__(self, number: int, whole: dict[str, Any], changes: dict[str, Any] | None = None) -> None:
        """`changes` is the form for watchers that have the update before; `None` if it does not differ."""
        self.number = number
        self._forms: list[dict[str, Any] | bytes] = [whole] if changes is None else [whole, changes]

    def encoded(self, *, follows: bool) -> bytes:
        """Return its JSON, for a watcher that has the update before if it `follows`."""
        place = len(self._forms) - 1 if follows else 0
        form = self._forms[place]
        if not isinstance(form, bytes):
            form = self._forms[place] = orjson.dumps(form)
        return form


def _updates(
    page: Sequence[dict[str, Any] | Frame], before: dict[str, Any] | Frame | None = None
) -> Iterator[_Update]:
    """Yield events or frames as updates. `before` is what was sent before them."""
    for each in page:
        if isinstance(each, Frame):
            changes = coded_after(each, before) if isinstance(before, Frame) else None
            yield _Update(each.number, coded_after(each, None), changes)
        else:
            yield _Update(each["n"], each)
        before = each


class Broadcast:
    """What all watchers of a view get. It begins where its first watcher has caught up with the match."""

    def __init__(self, streams: Streams, view: View) -> None:
        self.view = view
        self.watchers = 0
        self.over = False
        """Whether the match is over and all updates were added."""
        self.failed = False
        self.number = 0
        """The number of the last update."""
        self._streams = streams
        self._beginning = threading.Lock()
        self._base: int | None = None
        """The number before the oldest remembered update; `None` before the broadcast begins."""
        self._recent: deque[_Update] = deque()
        self._before: dict[str, Any] | Frame | None = None
        self._stopped = False
        self._waiter: Waiter | None = None

    def begin(self, number: int) -> None:
        """Begin after the update with this number, once."""
        with self._beginning:
            if self._base is not None:
                return
            self._base = self.number = number
        threading.Thread(target=self._run, name=f"broadcast {self.view.match}", daemon=True).start()

    def after(self, number: int) -> list[_Update] | None:
        """Return the remembered updates with higher numbers; `None` if earlier ones may be forgotten."""
        if self._base is not None and number >= self.number:
            return []  # most looks of a watcher find nothing
        recent, base = list(self._recent), self._base
        if base is None or number < base:
            return None
        return [update for update in recent if update.number > number]

    def stop(self) -> None:
        self._stopped = True
        if self._waiter is not None:
            self._waiter.wake()

    def _run(self) -> None:
        hub, key = self._streams.hub, self.view.key
        try:
            with hub.registered(self.view.match) as waiter:
                self._waiter = waiter
                while not (self._stopped or hub.closed or self.over):
                    waiter.clear()
                    if self._look(waiter):
                        hub.wake(key)
                        if not self.over:
                            waiter.wait(LOOK_S)
        except Exception as error:
            # Mostly an outage of the store. The watchers' clients reconnect.
            log.warning("the stream of match %s ends: %s", self.view.match, error)
            self.failed = True
        finally:
            self._streams.forget(self)
            hub.wake(key)

    def _look(self, waiter: Waiter) -> bool:
        """Add what is new. Return false if a long match needs another look."""
        streams, view = self._streams, self.view
        loaded = streams.referee.look(view.match)
        waiter.probes = {streams.index.probe(view.match): streams.index.seen(loaded.version)}
        try:
            while page := streams.read(loaded, view, self.number, PAGE):
                for update in _updates(page, self._before):
                    self._add(update)
                self._before = page[-1]
        except GroupRunning:
            return True
        except EventsNotReady:
            return False
        self.over = loaded.finished
        return True

    def _add(self, update: _Update) -> None:
        self._recent.append(update)
        if len(self._recent) > REMEMBERED:
            # The base moves first: a watcher must not take a list with a gap for complete.
            self._base = self._recent[0].number
            self._recent.popleft()
        self.number = update.number


class _Followed:
    """One match of a stream."""

    __slots__ = ("broadcast", "number", "over", "sent")

    def __init__(self, broadcast: Broadcast, number: int) -> None:
        self.broadcast, self.number = broadcast, number
        self.sent = False
        """Whether the stream has had an update of this match."""
        self.over = False


class Streams:
    """Streams of matches. Safe to share between greenlets and threads."""

    def __init__(
        self,
        referee: Referee,
        index: RedisMatchIndex,
        hub: Hub,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        """`monotonic` measures heartbeats and the age of streams, in seconds."""
        self.referee, self.index, self.hub = referee, index, hub
        self._monotonic = monotonic
        self._broadcasts: dict[View, Broadcast] = {}
        self._lock = threading.Lock()

    def is_over(self, loaded: LoadedMatch, view: View, number: int) -> bool:
        """Return whether no updates follow this number, now and later."""
        if not loaded.finished:
            return False
        try:
            return not self.read(loaded, view, number, 1)
        except (EventsNotReady, GroupRunning):
            return False

    def follow(
        self,
        views: Sequence[View],
        after: Sequence[int],
        wait_s: float,
        holder: str,
        allowed: Callable[[], bool] | None = None,
    ) -> Generator[list[Sent] | StreamEnd | Pause, None, None]:
        """Yield updates of these views with numbers above `after`, by view, as they come, and last why the stream ends.

        An empty list is a heartbeat. The caller waits at each `Pause`. The stream ends after `wait_s` seconds, if not
        before; also when `allowed`, which is asked every `HEARTBEAT_S` seconds, returns false. `holder` is the bot or
        address that watches. Raises what the referee and the store raise while the watcher catches up.
        """
        permission = Permission(allowed, self._monotonic)
        followed = [_Followed(self._join(view), number) for view, number in zip(views, after, strict=True)]
        try:
            keys = [view.key for view in views]
            with self.hub.waiter(keys[0], holder, also=keys[1:]) as waiter:
                yield from self._updates(followed, waiter, permission, self._monotonic() + wait_s)
        finally:
            for one in followed:
                self._leave(one.broadcast)

    def _updates(
        self, followed: Sequence[_Followed], waiter: Waiter, permission: Permission, until: float
    ) -> Iterator[list[Sent] | StreamEnd | Pause]:
        def news() -> Iterator[list[Sent]]:
            for place, one in enumerate(followed):
                while sent := self._news(place, one):
                    yield sent

        def ended() -> StreamEnd | None:
            if all(one.over for one in followed):
                return StreamEnd.OVER
            return StreamEnd.FAILED if any(one.broadcast.failed for one in followed) else None

        return stream(self.hub, waiter, permission, until, news, ended)

    def read(
        self, loaded: LoadedMatch, view: View, after: int, most: int
    ) -> Sequence[dict[str, Any] | Frame]:
        """Return at most `most` events or frames above `after`. Raises `GroupRunning` or `EventsNotReady`."""
        if view.seat is None:
            self.referee.check_open(loaded)
        if view.frames:
            return self.referee.frames(loaded, view.seat, after, most)
        return self.referee.events(loaded, view.seat, after, most)

    def forget(self, broadcast: Broadcast) -> None:
        """Give later watchers another broadcast."""
        with self._lock:
            self._forget(broadcast)

    def _forget(self, broadcast: Broadcast) -> None:
        if self._broadcasts.get(broadcast.view) is broadcast:
            del self._broadcasts[broadcast.view]

    def _news(self, place: int, one: _Followed) -> list[Sent]:
        """Return the next updates of a match, if there are any."""
        updates = one.broadcast.after(one.number)
        if updates is None:
            updates = self._catch_up(one)
        else:
            one.over = one.broadcast.over and not updates and one.number >= one.broadcast.number
        sent = []
        for update in updates:
            sent.append(Sent(place, update.number, update.encoded(follows=one.sent)))
            one.number, one.sent = update.number, True
        return sent

    def _catch_up(self, one: _Followed) -> list[_Update]:
        """Read updates that the broadcast lacks. Begin it where there are no more."""
        view = one.broadcast.view
        loaded = self.referee.look(view.match)
        try:
            page = self.read(loaded, view, one.number, PAGE)
        except (EventsNotReady, GroupRunning):
            one.broadcast.begin(one.number)
            return []
        if not page:
            one.over = loaded.finished
            if not one.over:
                one.broadcast.begin(one.number)
        return list(_updates(page))

    def _join(self, view: View) -> Broadcast:
        with self._lock:
            broadcast = self._broadcasts.setdefault(view, Broadcast(self, view))
            broadcast.watchers += 1
            return broadcast

    def _leave(self, broadcast: Broadcast) -> None:
        with self._lock:
            broadcast.watchers -= 1
            if broadcast.watchers == 0:
                self._forget(broadcast)
                broadcast.stop()

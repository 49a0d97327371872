"""Logs the requests of bots whose owners watch, for fifteen minutes at a time.

Every process remembers which bots are watched and asks the store again every second (`tick`). So a request costs one
look into a mapping that is mostly empty. Requests of watched bots wait in memory until the next `tick` stores them;
what is not stored when a process ends is lost.

kozyr:watched      zset  bot ids by the instant (ms) until which they are watched; dropped when another is added
kozyr:watched:BOT  list  its requests as JSON arrays, the latest first; expires
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Callable, Mapping, Sequence
from typing import Final, NamedTuple

import orjson

from league.accounts.model import Bot
from league.errors import BadValue
from redisio.connection import Redis

WATCH_MS: Final = 15 * 60_000
"""How long a bot is watched."""
MOST_BOTS: Final = 50
"""How many bots are watched at the same time."""
MOST_OF_OWNER: Final = 5
"""How many bots of an owner are watched at the same time."""
MOST_REQUESTS: Final = 200
"""How many requests of a bot are kept."""
MOST_WAITING: Final = 2_000
"""How many requests of a process wait to be stored. Further ones replace the oldest."""
KEPT_S: Final = 3600
"""How long requests are kept after the latest one, in seconds."""
_WATCHED: Final = "kozyr:watched"


class WatchedRequest(NamedTuple):
    """A request of a watched bot, with its response. Both bodies are cut off where they are too long."""

    at: int
    """When it was answered, in ms since 1970."""
    ms: float
    """From its arrival to its response, with the wait of a long poll."""
    method: str
    target: str
    """The path and the query."""
    status: int
    sent: str
    """The body of the request."""
    received: str
    """The body of the response."""


class RequestWatch:
    """The watched bots and their requests. Safe to share between greenlets and threads."""

    def __init__(
        self,
        redis: Redis,
        now: Callable[[], int],
        bots_by_ids: Callable[[Sequence[str]], Sequence[Bot | None]],
    ) -> None:
        self._redis, self.now, self._bots_by_ids = redis, now, bots_by_ids
        self.bots: Mapping[str, int] = {}
        """The watched bots as this process knows them."""
        self._waiting: deque[tuple[str, WatchedRequest]] = deque(maxlen=MOST_WAITING)

    def begin(self, bot: Bot) -> int:
        """Watch a bot from now on. Return until when, in ms since 1970. Raise `BadValue` if too many are watched."""
        now = self.now()
        others = sorted(self._watched(now).keys() - {bot.id})
        own = [each for each in self._bots_by_ids(others) if each is not None and each.owner == bot.owner]
        if len(own) >= MOST_OF_OWNER:
            raise BadValue("watch", len(own) + 1, f"at most {MOST_OF_OWNER} of your bots at the same time")
        if len(others) >= MOST_BOTS:
            raise BadValue(
                "watch", len(others) + 1, f"at most {MOST_BOTS} bots at the same time; try again later"
            )
        self._redis.all(
            [("ZREMRANGEBYSCORE", _WATCHED, "-inf", now), ("ZADD", _WATCHED, now + WATCH_MS, bot.id)]
        )
        return now + WATCH_MS

    def end(self, bot: str) -> None:
        self._redis.one("ZREM", _WATCHED, bot)

    def until(self, bot: str) -> int | None:
        return self._watched(self.now()).get(bot)

    def note(self, bot: str, request: WatchedRequest) -> None:
        self._waiting.append((bot, request))

    def requests(self, bot: str) -> list[WatchedRequest]:
        lines = self._redis.one("LRANGE", f"{_WATCHED}:{bot}", 0, -1)
        return [WatchedRequest(*orjson.loads(line)) for line in lines]

    def tick(self) -> None:
        """Store what was logged, and ask which bots are watched. Call it every second."""
        found: dict[str, list[WatchedRequest]] = defaultdict(list)
        while self._waiting:
            bot, request = self._waiting.popleft()
            found[bot].append(request)
        for bot, requests in found.items():
            key, lines = f"{_WATCHED}:{bot}", [orjson.dumps([*each]) for each in requests]
            self._redis.all(
                [("LPUSH", key, *lines), ("LTRIM", key, 0, MOST_REQUESTS - 1), ("EXPIRE", key, KEPT_S)]
            )
        self.bots = self._watched(self.now())

    def _watched(self, now: int) -> Mapping[str, int]:
        """Return by bot until when it is watched, in ms since 1970, without those whose time is up."""
        flat = self._redis.one("ZRANGEBYSCORE", _WATCHED, f"({now}", "+inf", "WITHSCORES")
        return {bot.decode(): int(until) for bot, until in zip(flat[::2], flat[1::2], strict=True)}

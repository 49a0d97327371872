"""Replays that people look at together: a leader shows steps of a finished match, and others follow.

kozyr:together:SESSION  string  the match, who leads, and what the leader shows, as a JSON array; expires
"""

from __future__ import annotations

import re
import secrets
from typing import Final, NamedTuple

import orjson

from redisio.connection import Redis

KEPT_S: Final = 3600
"""How long a shared replay lasts after the last step that its leader showed, in seconds."""
_KEY: Final = "kozyr:together:"
_SESSION: Final = re.compile(r"[\w-]{16}", re.ASCII)


class ShownStep(NamedTuple):
    """What the leader of a shared replay shows."""

    deal: int
    move: str
    """The number of a move of the deal, or `end` (`records.page.words.END`)."""
    seat: str
    """The number of the seat whose view is shown; empty for all hands."""
    marks: list[str]
    """The cards and the numbers of the seats that the leader points at."""


class SharedReplay(NamedTuple):
    """A replay with a leader."""

    match: str
    leader: str
    """What identifies the browser of the leader, and nobody else knows."""
    shown: ShownStep


class SharedReplays:
    """The shared replays. Safe to share between greenlets and threads."""

    def __init__(self, redis: Redis) -> None:
        self._redis = redis

    def begin(self, match: str, leader: str, shown: ShownStep) -> str:
        """Share the replay of a match. Return the session, which is secret to those without the link."""
        session = secrets.token_urlsafe(12)
        self._redis.one("SET", _KEY + session, _coded(SharedReplay(match, leader, shown)), "EX", KEPT_S)
        return session

    def find(self, session: str, match: str) -> SharedReplay | None:
        """Return the shared replay of this match; `None` for one that is over or never was."""
        found = self._redis.one("GET", _KEY + session) if _SESSION.fullmatch(session) else None
        if found is None:
            return None
        stored, leader, shown = orjson.loads(found)
        return SharedReplay(stored, leader, ShownStep(*shown)) if stored == match else None

    def show(self, session: str, match: str, leader: str, shown: ShownStep) -> bool:
        """Show another step. Return whether the replay goes on and this is its leader."""
        found = self.find(session, match)
        if found is None or not secrets.compare_digest(found.leader, leader):
            return False
        now_shown = _coded(found._replace(shown=shown))
        return self._redis.one("SET", _KEY + session, now_shown, "EX", KEPT_S, "XX") is not None


def _coded(replay: SharedReplay) -> bytes:
    return orjson.dumps([replay.match, replay.leader, [*replay.shown]])

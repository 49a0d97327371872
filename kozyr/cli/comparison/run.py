"""Plays the groups of a comparison: starts them on the service, several at a time, and waits for their results."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple

from kozyr.cli.comparison.result import Comparison, ComparisonEnding, outcome_of
from kozyr.cli.errors import may_come_back
from kozyr_client import Client, KozyrError
from kozyr_client.http import api_path

Json = dict[str, Any]

LOOK_S: Final = 0.5
"""The shortest pause between two looks at the running groups, in seconds."""
SHARE: Final = 0.5
"""The largest share of the rate `requests` that looking takes."""
PATIENCE_S: Final = 75.0
"""How long the client retries one request, in seconds: longer than the longest `Retry-After` that it follows."""
AWAY_S: Final = 600.0
"""After this many seconds without an answer the comparison ends."""
_WAITED_FOR: Final = frozenset({"rate_limited", "service_paused", "service_draining"})
"""Refusals that a comparison waits for without a limit."""


class GroupRequest(NamedTuple):
    """What `POST /v1/groups` is asked for."""

    game: str
    options: Mapping[str, Any]
    clock: Mapping[str, Any]
    names: tuple[str, str]
    """The bots that are compared."""
    against: tuple[str, ...]
    """House bots on the other seats. Without any, the two bots play each other."""
    assist: str | None = None

    @property
    def matches(self) -> int:
        """How many matches of a group each of the bots plays."""
        return 1 if self.against else len(self.names)

    def body(self, number: int) -> Json:
        """Return the body for group number `number`. With house bots, the seat changes from group to group."""
        body: Json = {"game": self.game, "bots": list(self.names)}
        if self.options:
            body["options"] = dict(self.options)
        if self.clock:
            body["clock"] = dict(self.clock)
        if self.assist:
            body["assist"] = self.assist
        if self.against:
            seat = number % (len(self.against) + 1)
            body |= {"kind": "once_only", "against": list(self.against), "seat": seat}
        return body


class ComparisonRun:
    """Plays a comparison. It can be interrupted anywhere; groups that have started go on without it."""

    def __init__(
        self,
        client: Client,
        request: GroupRequest,
        comparison: Comparison,
        at_once: int,
        *,
        sleep: Callable[[float], object] = time.sleep,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.request, self.comparison = request, comparison
        self.running: dict[str, int] = {}
        """The running groups by id, with their numbers."""
        self.started = 0
        """How many groups have started."""
        self.unsure = False
        """Whether one more group may have started, because its answer was lost."""
        self.offline: list[str] = []
        """The bots that were offline when the comparison began, of those for which the caller may know."""
        self.waits_for: KozyrError | None = None
        """Why nothing can be started or read at present."""
        self._client, self._at_once, self._sleep, self._clock = client, at_once, sleep, clock
        self._answered = clock()
        self._key = secrets.token_hex(12)

    def play(self, step: Callable[[], object], stop: Callable[[], bool] = lambda: False) -> None:
        """Play until the comparison ends or `stop` returns true. Call `step` after each look. Raise `KozyrError` for a
        refusal, or after `AWAY_S` without an answer."""
        self._client.patience_s = PATIENCE_S
        rate = self._client.limits().get("rates", {}).get("requests")
        bots = [
            self._client.request("GET", api_path("bots", *name.split("/"))) for name in self.request.names
        ]
        self.offline = [bot["bot"] for bot in bots if bot.get("online") is False]
        while self.comparison.ending is None:
            self.waits_for = None
            self._start_groups()
            self._look()
            step()
            if stop():
                self.comparison.end(ComparisonEnding.INTERRUPTED)
            if self.comparison.ending is None:
                pace = len(self.running) * rate["window_s"] / rate["limit"] / SHARE if rate else 0.0
                self._sleep(max(LOOK_S, pace))

    def _start_groups(self) -> None:
        """Start groups until enough are running, or the service takes no more at present."""
        while len(self.running) < self._at_once and self.comparison.wants_more_than(self.started):
            # The number is part of the key: after a lost answer the next attempt finds the same group.
            key, body = f"{self._key}-{self.started}", self.request.body(self.started)
            self.unsure = True
            try:
                group = self._ask("POST", "/v1/groups", body=body, key=key)
            except KozyrError as why:
                self.unsure = False
                if not self._has_room_later(why):
                    raise
                self.waits_for = why
                return
            if group is None:
                self.unsure = self.waits_for is None or self.waits_for.code not in _WAITED_FOR
                return
            self.unsure = False
            self.running[group["id"]] = self.started
            self.started += 1

    def _look(self) -> None:
        """Add the groups that have ended."""
        for ident in list(self.running):
            group = self._ask("GET", api_path("groups", ident))
            if group is None:
                return
            if group["status"] != "running":
                self.comparison.add(self.running.pop(ident), outcome_of(group, self.request.names))

    def _ask(self, method: str, path: str, **more: Any) -> Json | None:
        """Return the document, or `None` if the service has none at present. Raise `KozyrError`."""
        try:
            found: Json = self._client.request(method, path, **more)
        except KozyrError as why:
            away = self._clock() - self._answered
            if not may_come_back(why) or (why.code not in _WAITED_FOR and away > AWAY_S):
                raise
            self.waits_for = why
            return None
        self._answered = self._clock()
        return found

    def _has_room_later(self, why: KozyrError) -> bool:
        """Return whether a refusal only says that a bot has no free slot now, and could have enough of them."""
        policy = why.problem.get("match_policy") or {}
        return why.problem.get("reason") == "busy" and policy.get("max_matches", 0) >= self.request.matches

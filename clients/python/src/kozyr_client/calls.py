"""The calls of the service that both clients share, other than `play`."""

from __future__ import annotations

import os
import ssl
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any, Final, Generic, TypeVar
from urllib.parse import urlsplit

import httpx

from kozyr_client.bounds import HEADERS
from kozyr_client.errors import KozyrError
from kozyr_client.facts import facts_field
from kozyr_client.http import (
    TEXT,
    Backoff,
    DeprecationWarnings,
    RetryLater,
    api_path,
    new_key,
    proves_service,
    read_json,
    read_text,
    unreachable,
    without_none,
)
from kozyr_client.loop import MOST_MOVES, LoopState, TurnsRequest, note_field
from kozyr_client.opponents import QueueRequest
from kozyr_client.turns import Json
from kozyr_client.version import __version__

WAIT_S: Final = 25.0
"""How long a poll waits for news, in seconds, if the service allows it."""
READ_MARGIN_S: Final = 10.0
"""The read timeout of a request, in addition to its `wait`."""
PATIENCE_S: Final = 60.0
"""How long calls other than `play` are retried, in seconds."""
ENDING_S: Final = 5.0
"""How long a stopping loop retries to send the moves already chosen."""

J = TypeVar("J")
C = TypeVar("C")


@cache
def certificates() -> ssl.SSLContext:
    """Return the certificates that all clients of this process trust. To load them takes 20 ms and 0.8 MB.

    `SSL_CERT_FILE` and `SSL_CERT_DIR` may name others.
    """
    return httpx.create_ssl_context()


def checked_address(url: str) -> str:
    """Return the address of a service without slashes at its end. Raise `ValueError` unless requests can go there."""
    if "@" in url:
        raise ValueError("the address has a user name or a password: leave them out, and give a token")
    try:
        parts = urlsplit(url)
        is_whole = bool(httpx.URL(url).host) and parts.port != 0 and not any(map(str.isspace, url.strip()))
        is_http = is_whole and parts.scheme in ("http", "https")
    except (ValueError, httpx.InvalidURL):
        is_http = False
    if not is_http:
        raise ValueError(f"{url!r} is not an http address")
    return url.rstrip("/")


def network_settings(url: str) -> dict[str, Any]:
    """Return the arguments of httpx that make requests to an address trust the certificates of the environment, and
    use its proxy unless the address is of this machine."""
    parts = urlsplit(url)
    own = parts.hostname in {"127.0.0.1", "::1", "localhost"}
    # Without https and a proxy there is no TLS, and certificates take time and memory. No redirect is followed to it.
    return {"trust_env": not own, "verify": False if own and parts.scheme == "http" else certificates()}


class BaseClient(ABC, Generic[J]):
    """The calls of the service other than `play`.

    Every method returns the JSON of the response; `AsyncClient` returns an awaitable. All calls are safe to repeat,
    and the client retries them for `patience_s` seconds.
    """

    def __init__(
        self,
        url: str | None,
        token: str | None,
        wait: float,
        patience_s: float,
        clock: Callable[[], float],
        jitter: Callable[[], float],
        *,
        fail_fast: bool,
    ) -> None:
        if url is None:
            # A token from the environment must not reach any service but the one from the environment.
            url, token = os.environ.get("KOZYR_URL"), token or os.environ.get("KOZYR_TOKEN")
        if not url:
            raise ValueError("give the address of the service, or set KOZYR_URL")
        self.url = checked_address(url)
        self.wait = wait
        self.patience_s = patience_s
        self._clock, self._jitter = clock, jitter
        self._retries_connecting = not fail_fast
        self._known = False
        """Whether a Kozyr service has answered. From then on, failures of other kinds are taken to heal."""
        self._deprecations = DeprecationWarnings()
        self._headers = {"User-Agent": f"kozyr-client/{__version__}", "Accept": "application/json"}
        if token is not None:
            token = token.strip()
            if not (token.isascii() and token.isprintable() and " " not in token):
                raise ValueError("the token has characters that no token has: copy it again")
            self._headers["Authorization"] = f"Bearer {token}"

    @abstractmethod
    def request(
        self,
        method: str,
        path: str,
        *,
        body: Any = None,
        params: Mapping[str, Any] | None = None,
        key: str | None = None,
        wait: float = 0.0,
    ) -> J:
        """Send a request and return the JSON of the response.

        `key` is the Idempotency-Key of a creating request. `wait` is the time in seconds that the request asks the
        service to wait, and extends the timeout. Raise `KozyrError`.
        """

    def create(self, path: str, body: Mapping[str, Any] | None = None) -> J:
        """Send a POST that creates something, with an Idempotency-Key of its own. Raise `KozyrError`."""
        return self.request("POST", path, body=None if body is None else dict(body), key=new_key())

    # 5.1 Owners, bots, games

    def register_owner(self, name: str, invitation: str | None = None) -> J:
        """Register an owner. The response shows the token, which is never shown again."""
        body = without_none(name=name, invitation=invitation)
        return self.request("POST", api_path("owners"), body=body, key=new_key())

    def create_bot(self, name: str, version: str | None = None, **more: Any) -> J:
        """Create a bot of this token's owner. The response shows the bot's token, which is never shown again."""
        body = {"name": name, **without_none(version=version), **more}
        return self.request("POST", api_path("bots"), body=body, key=new_key())

    def games(self) -> J:
        """List all games with their options."""
        return self.request("GET", api_path("games"))

    def limits(self) -> J:
        """Read the limits of the service."""
        return self.request("GET", api_path("limits"))

    # 5.2 Matches and ladders

    def create_match(
        self,
        game: str,
        seats: Sequence[str | None],
        *,
        options: Mapping[str, Any] | None = None,
        deals: int | None = None,
        clock: Mapping[str, int] | None = None,
        assist: str | None = None,
        **more: Any,
    ) -> J:
        """Create a casual match. A seat is `owner/bot`, or `None` for an open seat."""
        body = {
            "game": game,
            "seats": list(seats),
            **without_none(options=options, deals=deals, clock=clock, assist=assist),
            **more,
        }
        return self.request("POST", api_path("matches"), body=body, key=new_key())

    def join(self, match: str, seat: int | None = None, entropy: str | None = None) -> J:
        """Take this open seat, or the first one."""
        body = without_none(seat=seat, entropy=entropy)
        return self.request("POST", api_path("matches", match, "join"), body=body)

    def join_queue(self, game: str, **more: Any) -> J:
        """Look for an opponent that wants the same game. `more` are other fields of `POST /v1/queue`, for example
        `options`, `deals`, `clock` and `rating_band`. Return the bot's entry, which may have a `match` already."""
        return self.create(api_path("queue"), {"game": game, **more})

    def queue_entry(self) -> J:
        """Read the bot's last entry in the queue."""
        return self.request("GET", api_path("queue"))

    def leave_queue(self) -> J:
        """Leave the queue. A bot that was matched meanwhile keeps its match, which the response names."""
        return self.request("DELETE", api_path("queue"))

    def resign(self, match: str) -> J:
        """Resign. Repeating it has no effect."""
        return self.request("POST", api_path("matches", match, "resign"))

    def match(self, match: str) -> J:
        """Read a match as this bot may see it."""
        return self.request("GET", api_path("matches", match))

    def events(self, match: str, after: int = 0, wait: float = 0.0) -> J:
        """Read the events after number `after` as this bot may see them, and whether the match is `over`."""
        params = {"after": after, **({"wait": wait} if wait else {})}
        return self.request("GET", api_path("matches", match, "events"), params=params, wait=wait)

    def record(self, match: str) -> J:
        """Read the record of a finished match."""
        return self.request("GET", api_path("matches", match, "record"))

    def standings(self, ladder: str) -> J:
        """Read the standings of a ladder."""
        return self.request("GET", api_path("ladders", ladder, "standings"))

    # 5.3 Turns, for loops of your own

    def move(
        self,
        match: str,
        move: str,
        *,
        turn: int | None = None,
        deal: int | None = None,
        note: str = "",
        facts: Mapping[str, Any] | None = None,
        wait: float = 0.0,
    ) -> J:
        """Make one move, exactly once however often it is sent.

        Give `turn` for an answer, or `deal` for a free move (`exchange`), on turn or off. With `wait` the response
        also brings the next turn of this match. `note` is your own note, and `facts` are those of `Turn.facts`; others
        see both when the match may be read.
        """
        body = {
            **without_none(turn=turn, deal=deal),
            "move": move,
            **note_field(note),
            **facts_field(facts or {}),
        }
        params = {"wait": wait} if wait else None
        return self.request("POST", api_path("matches", match, "moves"), body=body, params=params, wait=wait)

    def turns(
        self, moves: Sequence[Mapping[str, Any]] = (), *, wait: float = 0.0, since: str | None = None
    ) -> J:
        """Send many moves and poll for open turns. Return `results`, `turns`, `finished` and the next `since`."""
        body = {"moves": list(moves), "wait": wait, **without_none(since=since)}
        return self.request("POST", api_path("turns"), body=body, wait=wait)

    # 5.4 Internals

    def _backoff(self, patience_s: float | None) -> Backoff:
        return Backoff(patience_s, self._clock, self._jitter)

    def _read_response(self, response: httpx.Response, call: Json) -> Any:
        """Return the JSON or the text of the response to a call, and note whether a service runs at this address.

        Raise as `read_json` does.
        """
        self._retries_connecting = True
        method, path = call["method"], call["url"]
        self._deprecations.look_at(response, method, path)
        try:
            if call.get("headers", {}).get("Accept") == TEXT:
                answer: Any = read_text(response, known=self._known)
            else:
                answer = read_json(response, method, path, known=self._known)
        except (KozyrError, RetryLater):
            self._known |= not response.is_success and proves_service(response, method, path)
            raise
        self._known |= proves_service(response, method, path)
        return answer

    def _pause(self, backoff: Backoff, failure: RetryLater) -> float:
        """Return the seconds until the next attempt.

        Raise the failure's error after `patience_s` seconds, and with `fail_fast` if the first connection fails.
        """
        if not self._retries_connecting and isinstance(
            failure.__cause__, httpx.ConnectError | httpx.ConnectTimeout
        ):
            raise failure.error from failure.__cause__
        self._retries_connecting = True
        return backoff.pause(failure)

    def _http_settings(self, transport: Any, hooks: Mapping[str, Any]) -> Json:
        settings: Json = {
            "base_url": self.url,
            "headers": HEADERS | self._headers,
            **network_settings(self.url),
        }
        settings["event_hooks"] = hooks
        settings |= {"timeout": READ_MARGIN_S, "limits": httpx.Limits(keepalive_expiry=30.0)}
        return settings if transport is None else {**settings, "transport": transport}

    @staticmethod
    def _connected(kind: Callable[..., C], settings: Json) -> C:
        """Return a client of httpx. Raise `KozyrError` if the proxy of the environment can't be used."""
        try:
            return kind(**settings)
        except (ImportError, ValueError, httpx.InvalidURL) as error:
            raise unreachable(f"the proxy of the environment can't be used: {error}") from error

    @staticmethod
    def _call(
        method: str,
        path: str,
        body: Any = None,
        params: Mapping[str, Any] | None = None,
        key: str | None = None,
        wait: float = 0.0,
        margin: float = READ_MARGIN_S,
    ) -> Json:
        call: Json = {"method": method, "url": path}
        call["timeout"] = httpx.Timeout(margin, read=wait + margin)
        if body is not None:
            call["json"] = body
        if params:
            call["params"] = params
        if key is not None:
            call["headers"] = {"Idempotency-Key": key}
        return call

    def _recover_join(self, call: Json, error: KozyrError, backoff: Backoff) -> Json:
        """Return the call that replaces a repeated join, whose first response was lost. Raise any other error."""
        if error.code == "already_seated" and backoff.failures:
            return self._call("GET", call["url"].removesuffix("/join"))
        raise error

    def _queue_call(self, request: QueueRequest, margin: float) -> Json:
        return self._call(request.method, api_path("queue"), request.wish, key=request.key, margin=margin)

    def _turns_call(self, request: TurnsRequest) -> Json:
        wait, margin = request.body["wait"], request.margin_s
        return self._call("POST", api_path("turns"), request.body, wait=wait, margin=margin)

    @staticmethod
    def _lengthened(call: Json, failure: RetryLater) -> Json:
        """Return a call with twice the time for its response, if that came too late: the service may be slow."""
        if not isinstance(failure.__cause__, httpx.TimeoutException):
            return call
        before: httpx.Timeout = call["timeout"]
        margin, read = before.connect or 0.0, before.read or 0.0
        longer = max(margin, min(READ_MARGIN_S, 2 * margin))
        return {**call, "timeout": httpx.Timeout(longer, read=read - margin + longer)}

    def _apply_limits(self, limits: Json, state: LoopState) -> float:
        """Set the limits of the loop, and return the longest wait of a poll in seconds."""
        state.most_moves = min(MOST_MOVES, limits["max_moves"])
        return min(self.wait, float(limits.get("max_wait_s", self.wait)))

    def _recover_cursor(self, state: LoopState, request: TurnsRequest, error: KozyrError) -> None:
        """Reset the cursor if the service does not know it. Raise any other error."""
        state.resend(request)
        if error.code != "bad_cursor" or "since" not in request.body:
            raise error
        state.reset()

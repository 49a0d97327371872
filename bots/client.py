"""A client for bots, in one file that depends on httpx only.

    from bots.client import Client

    Client("http://127.0.0.1:8000", token).play(lambda turn: turn.legal_moves[0])

`play` is the main loop of a bot. It polls for turns, calls `choose` for each, and sends the moves, for any number
of matches at once with one request at a time. `AsyncClient` does the same and chooses for many turns concurrently.

1. Guarantees
   No move is lost and none is made twice. After a timeout, a broken connection or a 502, the client cannot know
   whether a move was made. It sends the same moves again with the same turn numbers, and the service answers
   `replayed` for those it had made. `choose` is called once for each turn.
   A refusal never causes a loop. After a 409 the client drops the turn and polls without a cursor, which lists all
   open turns. An illegal move raises an error; with `on_illegal="first"` it logs a warning and sends the first
   legal move.
   A move from `turn.free_moves` (`exchange`) answers no turn. The client sends it for the deal, and then calls
   `choose` again with the updated turn.
   After a 429 or 5xx the client waits as long as `Retry-After` says, and at least for its own growing backoff.

2. Time
   A monotonic clock counts `turn.seconds_left` down from the arrival of the turn, so the date of your machine may
   be wrong. It does not include network latency: keep a margin.
   `Client` chooses for one turn after another, the most urgent first, and sends the moves so far after `BATCH_S`
   seconds. A single slow `choose` still delays all other matches of the bot. With slow search in many matches, use
   `AsyncClient` with `asyncio.to_thread` or a process pool.
"""

from __future__ import annotations

import asyncio
import contextlib
import email.utils
import inspect
import json
import logging
import os
import random
import secrets
import time
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from types import TracebackType
from typing import Any, Final, Generic, Literal, NamedTuple, Self, TypeVar
from urllib.parse import quote, urlsplit

import httpx

__all__ = ["AsyncClient", "Client", "Finished", "KozyrError", "MoveRefused", "Turn"]

Json = dict[str, Any]
OnIllegal = Literal["raise", "first"]
Choose = Callable[["Turn"], str]
AsyncChoose = Callable[["Turn"], str | Awaitable[str]]
OnFinished = Callable[["Finished"], object]

WAIT_S: Final = 25.0
"""How long a poll waits for news, in seconds, if the service allows it."""
BATCH_S: Final = 0.2
"""`Client` sends the moves chosen so far after this many seconds."""
GATHER_S: Final = 0.005
"""How long `AsyncClient` waits for quick choices in new turns, to send them in one request."""
MOST_MOVES: Final = 256
"""The highest number of moves in a request. The service's limits may lower it."""
MOST_NOTE: Final = 200
"""The longest note on a move, in characters. The client cuts longer ones."""
READ_MARGIN_S: Final = 10.0
"""The read timeout of a request, in addition to its `wait`."""
FIRST_PAUSE_S: Final = 0.1
LONGEST_PAUSE_S: Final = 5.0
LONGEST_RETRY_AFTER_S: Final = 60.0
ENDING_S: Final = 5.0
"""How long a stopping loop retries to send the moves already chosen."""
REMEMBERED: Final = 2000
"""The number of finished matches to remember, so that none is reported twice."""

RETRIED: Final = frozenset({408, 425, 429, 500, 502, 503, 504})
"""Statuses to retry when the response itself has no `retryable`."""

log = logging.getLogger("kozyr.client")


# 1. Errors


class KozyrError(Exception):
    """The service refused a request or could not be reached.

    `code` is a problem code of the service, `unreachable`, or `http_<status>` for a response from elsewhere, such as
    a proxy. `problem` is the whole problem document.
    """

    def __init__(self, code: str, status: int | None, problem: Mapping[str, Any] | None = None) -> None:
        self.code = code
        self.status = status
        self.problem: Json = dict(problem or {})
        super().__init__(code, status, self.problem)

    def __str__(self) -> str:
        detail = self.problem.get("detail") or self.problem.get("title") or "no details"
        errors = self.problem.get("errors")
        return f"{self.code}: {detail}{f' {errors}' if errors else ''}"


class MoveRefused(KozyrError):
    """`choose` returned a move that is not legal in its turn. The clock keeps running."""

    def __init__(self, turn: Turn, move: str, problem: Mapping[str, Any] | None = None) -> None:
        self.turn = turn
        self.move = move
        self.legal_moves: list[str] = list((problem or {}).get("legal_moves") or turn.legal_moves)
        detail = f"{move!r} is not legal in turn {turn.number} of {turn.match}; legal: {self.legal_moves}"
        code = str((problem or {}).get("code", "illegal_move"))
        super().__init__(code, 422, {"code": code, "detail": detail, **(problem or {})})


class _Retry(Exception):
    """A failure to retry, `after` seconds later if the service sent `Retry-After`."""

    def __init__(self, error: KozyrError, after: float | None = None) -> None:
        super().__init__(error)
        self.error, self.after = error, after


# 2. Turns and finished matches


class Turn(dict[str, Any]):
    """A turn of this bot: the service's JSON object, with properties for its main fields."""

    def __init__(self, data: Mapping[str, Any], clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__(data)
        self.note = ""
        """Your own note on the move; set it in `choose`. Others see it when the match may be read."""
        self._clock, self._arrived = clock, clock()
        self._budget_s = float("inf")
        if self.deadline is not None and data.get("now"):
            self._budget_s = (self.deadline - _instant(data["now"])).total_seconds()

    @property
    def match(self) -> str:
        """The id of the match."""
        return str(self["match"])

    @property
    def number(self) -> int:
        """The number of the turn in its match, which a move must quote."""
        return int(self["turn"])

    @property
    def seat(self) -> int:
        """The seat of this bot."""
        return int(self["seat"])

    @property
    def observation(self) -> Json:
        """Everything that this seat sees."""
        seen: Json = self["observation"]
        return seen

    @property
    def legal_moves(self) -> list[str]:
        """The legal answers to this turn."""
        moves: list[str] = self.observation["legal_moves"]
        return moves

    @property
    def free_moves(self) -> list[str]:
        """The moves that do not answer this turn. After one of them `choose` is called again."""
        moves: list[str] = self.observation.get("free_moves", [])
        return moves

    @property
    def deadline(self) -> datetime | None:
        """The deadline in service time, or `None`. Compare it with this object's `now`, never with your own clock."""
        text = self.get("deadline")
        return None if text is None else _instant(text)

    @property
    def seconds_left(self) -> float:
        """The seconds until the deadline, with the bank and without the grace. Infinite without a deadline."""
        return self._budget_s - (self._clock() - self._arrived)

    @property
    def has_run_out(self) -> bool:
        """Whether the deadline passed after the turn had arrived."""
        return self.seconds_left <= 0 < self._budget_s


class Finished(dict[str, Any]):
    """A finished match of this bot."""

    @property
    def match(self) -> str:
        """The id of the match."""
        return str(self["match"])

    @property
    def seat(self) -> int:
        """The seat of this bot."""
        return int(self["seat"])

    @property
    def ending(self) -> str:
        """How the match ended: `rules`, `forfeit`, `resigned`, `aborted` or `void`."""
        return str(self["ending"])

    @property
    def scores(self) -> list[int]:
        """The scores by seat."""
        scores: list[int] = self["scores"]
        return scores

    @property
    def places(self) -> list[int]:
        """The places by seat, from 1. Equal scores share a place."""
        places: list[int] = self["places"]
        return places


def _instant(text: str) -> datetime:
    return datetime.fromisoformat(text)


# 3. The state of the loop, without I/O


class _Chosen(NamedTuple):
    """A chosen move that has no result yet."""

    turn: Turn
    move: str
    fell_back: bool = False

    @property
    def is_free(self) -> bool:
        """Whether this is a free move, which answers no turn."""
        return self.move in self.turn.free_moves

    def body(self) -> Json:
        """Return the move in its JSON form."""
        turn = self.turn
        key = {"deal": turn["deal"]} if self.is_free else {"turn": turn.number}
        return {"match": turn.match, **key, "move": self.move, **_note_field(turn.note)}


def _note_field(note: str) -> Json:
    """Return the note as a field of a move, cut to what the service accepts, so that no note costs a move."""
    text = "".join(each if each.isprintable() else " " for each in note)[:MOST_NOTE]
    return {"note": text} if text else {}


class _Request(NamedTuple):
    """A request to `/v1/turns`."""

    moves: list[_Chosen]
    body: Json
    number: int
    """The number of this request in its loop, from 1."""
    resets: int
    """The number of cursor resets before this request."""


class _Settled(NamedTuple):
    """The last turn of a match with a result."""

    turn: int
    requests: int
    """The number of requests by then. The response to an earlier request is out of date for this turn."""


_OVER: Final = 1 << 62
"""The turn number that stands for the end of the match."""


class _LoopState:
    """The turns received and the moves to send.

    `known` holds a turn under its match from its arrival until its move has a result. Meanwhile the turn is either in
    `open` (no move yet), with a running `choose`, in `ready` (its move is chosen), or in a request.
    """

    def __init__(self, on_illegal: OnIllegal, clock: Callable[[], float]) -> None:
        self.on_illegal = on_illegal
        self.most_moves = MOST_MOVES
        self.open: list[Turn] = []
        self.ready: list[_Chosen] = []
        self.known: dict[str, Turn] = {}
        self._clock = clock
        self._since: str | None = None
        self._resets = 0
        self._requests = 0
        self._settled: dict[str, _Settled] = {}
        self._made: dict[str, tuple[int, str]] = {}
        self._over: dict[str, None] = {}

    def next_turn(self) -> Turn | None:
        """Take the most urgent open turn, or return `None`.

        A turn that has expired here is dropped and polled for again, because the service may have credited time.
        """
        while self.open:
            turn = min(self.open, key=lambda turn: turn.seconds_left)
            self.open.remove(turn)
            if not turn.has_run_out:
                return turn
            _warn_late(turn)
            self._drop_and_reset(turn)
        return None

    def choose(self, turn: Turn, move: object) -> None:
        """Queue the move chosen for a turn, unless the turn is over by now.

        Raise `MoveRefused` for an illegal move and `TypeError` for a move that is not a string.
        """
        if not isinstance(move, str):
            raise TypeError(f"choose returned {move!r} in turn {turn.number} of {turn.match}: not a string")
        if self.is_known(turn):
            chosen = _Chosen(turn, move)
            possible = move in turn.legal_moves or chosen.is_free
            self.ready.append(chosen if possible else self._fallback(chosen, None))

    def next_request(self, wait: float) -> _Request:
        """Return the next request, with as many ready moves as it may hold.

        Its `wait` is 0 while there are more moves to send or turns to choose for.
        """
        moves, self.ready = self.ready[: self.most_moves], self.ready[self.most_moves :]
        body: Json = {
            "moves": [chosen.body() for chosen in moves],
            "wait": 0 if self.ready or self.open else wait,
        }
        if self._since is not None:
            body["since"] = self._since
        self._requests += 1
        return _Request(moves, body, self._requests, self._resets)

    def resend(self, request: _Request) -> None:
        """Queue the moves of a failed request again."""
        self.ready = [*request.moves, *self.ready]

    def reset(self) -> None:
        """Drop the cursor, so that the next request lists all open turns."""
        self._since = None
        self._resets += 1

    def apply(self, request: _Request, answer: Json) -> tuple[list[Finished], bool]:
        """Apply the response to a request.

        Return the newly finished matches, and whether to pause because the next request repeats a move. Raise
        `MoveRefused`, after applying the rest of the response.
        """
        # A cursor from before the last reset would skip turns.
        if request.resets == self._resets:
            self._since = answer.get("since")
        results = answer.get("results") or []
        unanswered = request.moves[len(results) :]
        self.ready += unanswered
        must_pause = bool(unanswered)
        refusal: MoveRefused | None = None
        for chosen, result in zip(request.moves, results, strict=False):
            try:
                must_pause |= self._apply_result(chosen, result)
            except MoveRefused as error:
                refusal = refusal or error
        for turn in answer.get("turns") or []:
            must_pause |= self._add_turn(turn, request)
        over = self._add_finished(answer.get("finished") or [])
        if refusal is not None:
            raise refusal
        return over, must_pause

    def _apply_result(self, chosen: _Chosen, result: Json) -> bool:
        turn, move, _ = chosen
        problem = result.get("problem")
        if problem is None:
            self._mark_settled(turn)
            if not chosen.is_free:
                self._made[turn.match] = (turn.number, move)
            return False
        if not self.is_known(turn):
            return False
        if problem.get("retryable"):
            self.ready.append(chosen)
            return True
        code = str(problem.get("code", ""))
        if code in ("illegal_move", "not_a_move"):
            del self.known[turn.match]
            self.ready.append(self._fallback(chosen, problem))
            self.known[turn.match] = turn
            return False
        if turn.has_run_out and code in ("stale_turn", "match_over"):
            _warn_late(turn)
        else:
            # A match may end while its bot chooses a move, for example when the opponent resigns.
            report = log.info if code == "match_over" else log.warning
            report(
                "turn %s of match %s is not open: %s", turn.number, turn.match, problem.get("detail", code)
            )
        self._mark_settled(turn)
        self.reset()
        return False

    def _mark_settled(self, turn: Turn) -> None:
        if self.is_known(turn):
            del self.known[turn.match]
        before = self._settled.get(turn.match)
        if before is None or before.turn != _OVER:
            self._settled[turn.match] = _Settled(turn.number, self._requests)

    def _fallback(self, chosen: _Chosen, problem: Json | None) -> _Chosen:
        error = MoveRefused(chosen.turn, chosen.move, problem)
        if self.on_illegal == "raise" or chosen.fell_back or not error.legal_moves:
            raise error
        log.warning("%s; sending %s instead", error, error.legal_moves[0])
        return _Chosen(chosen.turn, error.legal_moves[0], True)

    def _add_turn(self, data: Json, request: _Request) -> bool:
        """Add a turn. Return whether it already had a result, which calls for a pause."""
        turn = Turn(data, self._clock)
        known, settled = self.known.get(turn.match), self._settled.get(turn.match)
        if known is not None and known.number >= turn.number:
            # A duplicate, or an older turn. If the known turn is the wrong one, the result of its move will show it.
            return False
        if settled is not None and settled.turn >= turn.number and settled.requests >= request.number:
            # This response is out of date, and its cursor would skip the turn.
            self.reset()
            return False
        if known is not None:
            if known.has_run_out:
                _warn_late(known)
            self._drop(known)
        self.known[turn.match] = turn
        number, move = self._made.get(turn.match, (0, ""))
        if number == turn.number and move in turn.legal_moves:
            # The service lost the move, for example by restoring a backup. Send the same move again.
            self.ready.append(_Chosen(turn, move))
            return True
        self.open.append(turn)
        return settled is not None and settled.turn == turn.number

    def _add_finished(self, listed: list[Json]) -> list[Finished]:
        news = []
        for data in listed:
            finished = Finished(data)
            known = self.known.get(finished.match)
            if known is not None:
                if known.has_run_out:
                    _warn_late(known)
                self._drop(known)
            if finished.match not in self._over:
                self._over[finished.match] = None
                self._made.pop(finished.match, None)
                self._settled[finished.match] = _Settled(_OVER, self._requests)
                news.append(finished)
        for match in list(self._over)[:-REMEMBERED]:
            del self._over[match]
            self._settled.pop(match, None)
        return news

    def is_known(self, turn: Turn) -> bool:
        """Return whether the turn still has no result."""
        return self.known.get(turn.match) is turn

    def _drop_and_reset(self, turn: Turn) -> None:
        self._drop(turn)
        self.reset()

    def _drop(self, turn: Turn) -> None:
        if self.is_known(turn):
            del self.known[turn.match]
        self.open = [other for other in self.open if other is not turn]
        self.ready = [chosen for chosen in self.ready if chosen.turn is not turn]


def _warn_late(turn: Turn) -> None:
    """Log that a turn ran out of time. Without logging configuration the warning goes to stderr."""
    log.warning(
        "turn %s of match %s was late by %.2f s; the service played the safe move and counted a strike",
        turn.number,
        turn.match,
        -turn.seconds_left,
    )


class _Goal:
    """The condition that ends a loop, and the matches that it has seen finish."""

    def __init__(self, until_finished: str | Iterable[str] | None, matches: int | None) -> None:
        ids = [until_finished] if isinstance(until_finished, str) else until_finished
        self.missing = None if ids is None else set(ids)
        self.matches = matches
        self.finished: list[Finished] = []
        self._begun = False

    @property
    def reached(self) -> bool:
        """Whether the loop may end."""
        if self.missing is not None:
            return not self.missing
        return self.matches is not None and len(self.finished) >= self.matches

    def add_polled(self, over: list[Finished]) -> list[Finished]:
        """Return the matches of a poll to report. Of the first poll, these are only the awaited ones."""
        news = [each for each in over if self._begun or each.match in (self.missing or ())]
        self._begun = True
        return [each for each in news if self._count(each)]

    def add_view(self, view: Json) -> list[Finished]:
        """Return the match of this view if it is awaited and finished."""
        if view["status"] != "finished" or view["id"] not in (self.missing or ()):
            return []
        fields = ("seat", "ending", "scores", "places", "forfeits", "ended")
        finished = Finished({"match": view["id"], **{name: view.get(name) for name in fields}})
        self._count(finished)
        return [finished]

    def _count(self, finished: Finished) -> bool:
        if self.missing is not None:
            if finished.match not in self.missing:
                return not any(finished.match == each.match for each in self.finished)
            self.missing.discard(finished.match)
        if self.missing is not None or self.matches is not None:
            self.finished.append(finished)
        return True


# 4. Responses and retries


class _Backoff:
    """The pauses between the attempts of a request, for `patience_s` seconds in all."""

    def __init__(
        self, patience_s: float | None, clock: Callable[[], float], jitter: Callable[[], float]
    ) -> None:
        self._until = None if patience_s is None else clock() + patience_s
        self._clock, self._jitter = clock, jitter
        self.failures = 0

    def pause(self, failure: _Retry) -> float:
        """Return the seconds until the next attempt. Raise the failure's error after `patience_s` seconds."""
        self.failures += 1
        longest = min(LONGEST_PAUSE_S, FIRST_PAUSE_S * 2.0 ** min(self.failures - 1, 30))
        pause = longest * (0.5 + self._jitter() / 2)
        if failure.after is not None:
            pause = max(pause, min(failure.after, LONGEST_RETRY_AFTER_S) * (1 + self._jitter() / 10))
        if self._until is not None and self._clock() + pause > self._until:
            raise failure.error from failure.__cause__
        report = log.warning if self.failures == 1 else log.info
        report("%s; attempt %d in %.2f s", failure.error, self.failures + 1, pause)
        return pause


def _read(response: httpx.Response) -> Any:
    """Return the JSON of a response. Raise `_Retry`, or `KozyrError` for a refusal."""
    _check(response)
    if not response.content:
        return {}
    try:
        return response.json()
    except ValueError as error:
        kind = response.headers.get("Content-Type", "")
        if kind and "json" not in kind:
            # Not a broken response, but one from something else, such as a web page.
            detail = f"the response is {kind}, not JSON"
            raise KozyrError(
                f"http_{response.status_code}", response.status_code, {"detail": detail}
            ) from error
        raise _Retry(_unreachable(f"the response is not JSON: {error}")) from error


def _check(response: httpx.Response) -> None:
    if response.is_success:
        return
    try:
        problem = response.json()
    except ValueError:
        problem = None
    problem = problem if isinstance(problem, dict) else {}
    status = response.status_code
    error = KozyrError(str(problem.get("code") or f"http_{status}"), status, problem)
    if problem.get("retryable", status in RETRIED):
        raise _Retry(error, retry_after(response.headers.get("Retry-After")))
    raise error


def retry_after(text: str | None) -> float | None:
    """Return the seconds that a `Retry-After` header asks for, in either form, or `None`."""
    if not text:
        return None
    with contextlib.suppress(ValueError):
        return max(0.0, float(text))
    with contextlib.suppress(ValueError):
        return max(0.0, (email.utils.parsedate_to_datetime(text) - datetime.now(UTC)).total_seconds())
    return None


def _unreachable(detail: str) -> KozyrError:
    return KozyrError("unreachable", None, {"detail": detail})


@contextlib.contextmanager
def _retryable_errors() -> Iterator[None]:
    """Convert transport errors of httpx into `_Retry`, except those that no retry can fix."""
    try:
        yield
    except (httpx.UnsupportedProtocol, httpx.LocalProtocolError, httpx.TooManyRedirects):
        raise
    except httpx.RequestError as error:
        raise _Retry(_unreachable(f"{type(error).__name__} {error}".strip())) from error


def _incomplete(request: _Request) -> _Retry:
    return _Retry(_unreachable(f"{len(request.moves)} moves did not all get a result"))


def _path(*parts: str) -> str:
    return "/v1/" + "/".join(quote(part, safe="") for part in parts)


def _without_none(**values: Any) -> Json:
    """Return the values that are not `None`. The service fills in the defaults."""
    return {name: value for name, value in values.items() if value is not None}


def _new_key() -> str:
    return secrets.token_hex(16)


class _RecordPages:
    """A stream of pages of records. It yields each record once, even if a page breaks off and is read again."""

    def __init__(self, filters: Mapping[str, Any]) -> None:
        self.params = dict(filters)
        self._seen: set[str] = set()

    def records(self, line: str) -> list[Json]:
        """Return the record of a line, unless it was yielded before. Raise `_Retry` for an incomplete line."""
        if not line.strip():
            return []
        try:
            record: Json = json.loads(line)
        except ValueError as error:
            raise _Retry(_unreachable(f"an incomplete line: {error}")) from error
        if record["id"] in self._seen:
            return []
        self._seen.add(record["id"])
        return [record]

    def has_next(self, response: httpx.Response) -> bool:
        """Return whether another page follows this one, and set its cursor."""
        cursor = response.headers.get("Kozyr-Cursor")
        if not cursor:
            return False
        self._seen.clear()
        self.params["cursor"] = cursor
        return True


# 5. The calls of both clients

J = TypeVar("J")


class _BaseClient(ABC, Generic[J]):
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
            url, token = os.environ["KOZYR_URL"], token or os.environ.get("KOZYR_TOKEN")
        self.url = url.rstrip("/")
        self.wait = wait
        self.patience_s = patience_s
        self._clock, self._jitter = clock, jitter
        self._retries_connecting = not fail_fast
        self._stopping = False
        self._headers = {"User-Agent": "kozyr-client/1", "Accept": "application/json"}
        if token is not None:
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
        return self.request("POST", path, body=None if body is None else dict(body), key=_new_key())

    # 5.1 Owners, bots, games

    def register_owner(self, name: str, invitation: str | None = None) -> J:
        """Register an owner. The response shows the token, which is never shown again."""
        body = _without_none(name=name, invitation=invitation)
        return self.request("POST", _path("owners"), body=body, key=_new_key())

    def create_bot(self, name: str, version: str | None = None, **more: Any) -> J:
        """Create a bot of this token's owner. The response shows the bot's token, which is never shown again."""
        body = {"name": name, **_without_none(version=version), **more}
        return self.request("POST", _path("bots"), body=body, key=_new_key())

    def games(self) -> J:
        """List all games with their options."""
        return self.request("GET", _path("games"))

    def limits(self) -> J:
        """Read the limits of the service."""
        return self.request("GET", _path("limits"))

    # 5.2 Matches and ladders

    def create_match(
        self,
        game: str,
        seats: Sequence[str | None],
        *,
        options: Mapping[str, Any] | None = None,
        deals: int | None = None,
        clock: Mapping[str, int] | None = None,
        **more: Any,
    ) -> J:
        """Create a casual match. A seat is `owner/bot`, or `None` for an open seat."""
        body = {
            "game": game,
            "seats": list(seats),
            **_without_none(options=options, deals=deals, clock=clock),
            **more,
        }
        return self.request("POST", _path("matches"), body=body, key=_new_key())

    def join(self, match: str, seat: int | None = None, entropy: str | None = None) -> J:
        """Take this open seat, or the first one."""
        body = _without_none(seat=seat, entropy=entropy)
        return self.request("POST", _path("matches", match, "join"), body=body)

    def resign(self, match: str) -> J:
        """Resign. Repeating it has no effect."""
        return self.request("POST", _path("matches", match, "resign"))

    def match(self, match: str) -> J:
        """Read a match as this bot may see it."""
        return self.request("GET", _path("matches", match))

    def events(self, match: str, after: int = 0, wait: float = 0.0) -> J:
        """Read the events after number `after` as this bot may see them, and whether the match is `over`."""
        params = {"after": after, **({"wait": wait} if wait else {})}
        return self.request("GET", _path("matches", match, "events"), params=params, wait=wait)

    def record(self, match: str) -> J:
        """Read the record of a finished match."""
        return self.request("GET", _path("matches", match, "record"))

    def standings(self, ladder: str) -> J:
        """Read the standings of a ladder."""
        return self.request("GET", _path("ladders", ladder, "standings"))

    # 5.3 Turns, for loops of your own

    def move(
        self,
        match: str,
        move: str,
        *,
        turn: int | None = None,
        deal: int | None = None,
        note: str = "",
        wait: float = 0.0,
    ) -> J:
        """Make one move, exactly once however often it is sent.

        Give `turn` for an answer, or `deal` for a free move (`exchange`), on turn or off. With `wait` the response
        also brings the next turn of this match. `note` is your own note, which others see when the match may be read.
        """
        body = {**_without_none(turn=turn, deal=deal), "move": move, **_note_field(note)}
        params = {"wait": wait} if wait else None
        return self.request("POST", _path("matches", match, "moves"), body=body, params=params, wait=wait)

    def turns(
        self, moves: Sequence[Mapping[str, Any]] = (), *, wait: float = 0.0, since: str | None = None
    ) -> J:
        """Send many moves and poll for open turns. Return `results`, `turns`, `finished` and the next `since`."""
        body = {"moves": list(moves), "wait": wait, **_without_none(since=since)}
        return self.request("POST", _path("turns"), body=body, wait=wait)

    # 5.4 Internals

    def _backoff(self, patience_s: float | None) -> _Backoff:
        return _Backoff(patience_s, self._clock, self._jitter)

    def _read_response(self, response: httpx.Response) -> Any:
        """Return the JSON of a response, and note that a service runs at this address. Raise as `_read` does."""
        self._retries_connecting = True
        return _read(response)

    def _pause(self, backoff: _Backoff, failure: _Retry) -> float:
        """Return the seconds until the next attempt.

        Raise the failure's error after `patience_s` seconds, and with `fail_fast` if the first connection fails.
        """
        if not self._retries_connecting and isinstance(
            failure.__cause__, httpx.ConnectError | httpx.ConnectTimeout
        ):
            raise failure.error from failure.__cause__
        self._retries_connecting = True
        return backoff.pause(failure)

    def _http_settings(self, transport: Any) -> Json:
        # Connections to this machine bypass any proxy from the environment.
        own = urlsplit(self.url).hostname in {"127.0.0.1", "::1", "localhost"}
        settings: Json = {"base_url": self.url, "headers": self._headers, "trust_env": not own}
        settings |= {"timeout": READ_MARGIN_S, "limits": httpx.Limits(keepalive_expiry=30.0)}
        return settings if transport is None else {**settings, "transport": transport}

    @staticmethod
    def _call(
        method: str,
        path: str,
        body: Any = None,
        params: Mapping[str, Any] | None = None,
        key: str | None = None,
        wait: float = 0.0,
    ) -> Json:
        call: Json = {"method": method, "url": path}
        call["timeout"] = httpx.Timeout(READ_MARGIN_S, read=wait + READ_MARGIN_S)
        if body is not None:
            call["json"] = body
        if params:
            call["params"] = params
        if key is not None:
            call["headers"] = {"Idempotency-Key": key}
        return call

    def _recover_join(self, call: Json, error: KozyrError, backoff: _Backoff) -> Json:
        """Return the call that replaces a repeated join, whose first response was lost. Raise any other error."""
        if error.code == "already_seated" and backoff.failures:
            return self._call("GET", call["url"].removesuffix("/join"))
        raise error

    def _turns_call(self, request: _Request) -> Json:
        return self._call("POST", _path("turns"), request.body, wait=request.body["wait"])

    def _apply_limits(self, limits: Json, state: _LoopState) -> float:
        """Set the limits of the loop, and return the longest wait of a poll in seconds."""
        state.most_moves = min(MOST_MOVES, int(limits.get("max_moves", MOST_MOVES)))
        return min(self.wait, float(limits.get("max_wait_s", self.wait)))

    def _recover_cursor(self, state: _LoopState, request: _Request, error: KozyrError) -> None:
        """Reset the cursor if the service does not know it. Raise any other error."""
        state.resend(request)
        if error.code != "bad_cursor" or "since" not in request.body:
            raise error
        state.reset()


# 6. The client


class Client(_BaseClient[Json]):
    """The synchronous client. Close it, or use it as a context manager.

    Without a URL, both URL and token come from the environment: `KOZYR_URL` and `KOZYR_TOKEN`. `wait` is the wait of a
    poll in seconds. `patience_s` is how long calls other than `play` are retried. With `fail_fast` a failure of the
    first connection is an error at once; otherwise the client waits for the service to start. `transport`, `sleep`,
    `clock` and `jitter` are for tests.
    """

    def __init__(
        self,
        url: str | None = None,
        token: str | None = None,
        *,
        wait: float = WAIT_S,
        patience_s: float = 60.0,
        fail_fast: bool = False,
        transport: httpx.BaseTransport | None = None,
        sleep: Callable[[float], object] = time.sleep,
        clock: Callable[[], float] = time.monotonic,
        jitter: Callable[[], float] = random.random,
    ) -> None:
        super().__init__(url, token, wait, patience_s, clock, jitter, fail_fast=fail_fast)
        self._sleep = sleep
        self._http = httpx.Client(**self._http_settings(transport))

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the connections."""
        self._http.close()

    def request(
        self,
        method: str,
        path: str,
        *,
        body: Any = None,
        params: Mapping[str, Any] | None = None,
        key: str | None = None,
        wait: float = 0.0,
    ) -> Any:
        return self._repeat(self._call(method, path, body, params, key, wait), self.patience_s)

    def records(self, **filters: Any) -> Iterator[Json]:
        """Yield whole records, oldest first.

        The filters are `game`, `bot`, `ladder`, `result`, `void`, `since` and `until`.
        """
        pages, backoff = _RecordPages(filters), self._backoff(self.patience_s)
        accept = {"Accept": "application/x-ndjson"}
        while True:
            try:
                with (
                    _retryable_errors(),
                    self._http.stream(
                        "GET", _path("records"), params=pages.params, headers=accept
                    ) as response,
                ):
                    if not response.is_success:
                        response.read()
                        _check(response)
                    for line in response.iter_lines():
                        yield from pages.records(line)
            except _Retry as failure:
                self._sleep(self._pause(backoff, failure))
                continue
            if not pages.has_next(response):
                return
            backoff = self._backoff(self.patience_s)

    def play(
        self,
        choose: Choose,
        *,
        until_finished: str | Iterable[str] | None = None,
        matches: int | None = None,
        on_finished: OnFinished | None = None,
        on_illegal: OnIllegal = "raise",
        patience_s: float | None = None,
    ) -> list[Finished]:
        """Play all matches of this bot, for ever or until one of the conditions below, or `stop`, ends the loop.

        `until_finished` names matches to wait for; `matches` is a number of finished matches. Return these matches.
        `choose` takes a `Turn` and returns one of its legal or free moves. `on_finished` receives each match that
        finishes meanwhile. An exception from `choose` ends the loop; calling `play` again takes up every open turn.
        `patience_s` limits how long the service may be unreachable; `None` is for ever. Raise `KozyrError`.
        """
        state, goal = _LoopState(on_illegal, self._clock), _Goal(until_finished, matches)
        self._stopping = False
        try:
            self._loop(state, goal, choose, on_finished, patience_s)
        finally:
            self._stopping = False
        return goal.finished

    def _loop(
        self,
        state: _LoopState,
        goal: _Goal,
        choose: Choose,
        on_finished: OnFinished | None,
        patience_s: float | None,
    ) -> None:
        wait = self._apply_limits(self._repeat(self._call("GET", _path("limits")), patience_s), state)
        idle = True
        backoff = self._backoff(patience_s)
        while True:
            if idle:
                self._notify(self._check_matches(goal), on_finished)
            ending = self._stopping or goal.reached
            if ending and not state.ready:
                return
            if not ending:
                self._think(state, choose)
            request = state.next_request(0 if ending or self._stopping else wait)
            try:
                answer = self._repeat(self._turns_call(request), ENDING_S if ending else patience_s)
            except KozyrError as error:
                if ending or not self._stopping:
                    self._recover_cursor(state, request, error)
                else:
                    state.resend(request)
                continue
            over, must_pause = state.apply(request, answer)
            self._notify(goal.add_polled(over), on_finished)
            idle = not over and not state.known and not request.moves
            if must_pause:
                self._sleep(backoff.pause(_incomplete(request)))
            else:
                backoff = self._backoff(patience_s)

    def stop(self) -> None:
        """End `play` without choosing for more turns, after sending the moves already chosen.

        From another thread, it takes effect when the pending poll returns.
        """
        self._stopping = True

    def _think(self, state: _LoopState, choose: Choose) -> None:
        began = self._clock()
        while not self._stopping and (turn := state.next_turn()) is not None:
            state.choose(turn, choose(turn))
            if self._clock() - began >= BATCH_S:
                return

    def _check_matches(self, goal: _Goal) -> list[Finished]:
        """Return the awaited matches that are already finished, which a poll may not list."""
        return [each for match in sorted(goal.missing or ()) for each in goal.add_view(self.match(match))]

    @staticmethod
    def _notify(over: list[Finished], on_finished: OnFinished | None) -> None:
        for each in over:
            if on_finished is not None:
                on_finished(each)

    def _repeat(self, call: Json, patience_s: float | None) -> Any:
        backoff = self._backoff(patience_s)
        while True:
            try:
                with _retryable_errors():
                    return self._read_response(self._http.request(**call))
            except _Retry as failure:
                pause = self._pause(backoff, failure)
                if self._stopping and patience_s != ENDING_S:
                    raise failure.error from failure.__cause__
                self._sleep(pause)
            except KozyrError as error:
                call = self._recover_join(call, error, backoff)


# 7. The client for asyncio


class AsyncClient(_BaseClient[Awaitable[Json]]):
    """The client for asyncio: the same calls as coroutines, and a `play` that chooses for many turns concurrently."""

    def __init__(
        self,
        url: str | None = None,
        token: str | None = None,
        *,
        wait: float = WAIT_S,
        patience_s: float = 60.0,
        fail_fast: bool = False,
        transport: httpx.AsyncBaseTransport | None = None,
        sleep: Callable[[float], Awaitable[object]] = asyncio.sleep,
        clock: Callable[[], float] = time.monotonic,
        jitter: Callable[[], float] = random.random,
    ) -> None:
        super().__init__(url, token, wait, patience_s, clock, jitter, fail_fast=fail_fast)
        self._sleep = sleep
        self._http = httpx.AsyncClient(**self._http_settings(transport))
        self._stop = asyncio.Event()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """Close the connections."""
        await self._http.aclose()

    async def request(
        self,
        method: str,
        path: str,
        *,
        body: Any = None,
        params: Mapping[str, Any] | None = None,
        key: str | None = None,
        wait: float = 0.0,
    ) -> Any:
        return await self._repeat(self._call(method, path, body, params, key, wait), self.patience_s)

    async def records(self, **filters: Any) -> AsyncIterator[Json]:
        """Yield whole records, oldest first, with the filters of `Client.records`."""
        pages, backoff = _RecordPages(filters), self._backoff(self.patience_s)
        accept = {"Accept": "application/x-ndjson"}
        while True:
            try:
                with _retryable_errors():
                    async with self._http.stream(
                        "GET", _path("records"), params=pages.params, headers=accept
                    ) as response:
                        if not response.is_success:
                            await response.aread()
                            _check(response)
                        async for line in response.aiter_lines():
                            for record in pages.records(line):
                                yield record
            except _Retry as failure:
                await self._sleep(self._pause(backoff, failure))
                continue
            if not pages.has_next(response):
                return
            backoff = self._backoff(self.patience_s)

    async def play(
        self,
        choose: AsyncChoose,
        *,
        until_finished: str | Iterable[str] | None = None,
        matches: int | None = None,
        on_finished: OnFinished | None = None,
        on_illegal: OnIllegal = "raise",
        patience_s: float | None = None,
    ) -> list[Finished]:
        """Play as `Client.play` does, with a `choose` that may be a coroutine function.

        It runs for all open turns concurrently, and each move is sent when it is ready. A plain function, or a
        coroutine that never awaits, blocks all other matches.
        """
        state, goal = _LoopState(on_illegal, self._clock), _Goal(until_finished, matches)
        self._stop.clear()
        wait = self._apply_limits(await self._repeat(self._call("GET", _path("limits")), patience_s), state)
        await self._check_matches(goal, on_finished)
        tasks = _PlayTasks(self, state, choose, wait, patience_s)
        backoff = self._backoff(patience_s)
        try:
            while not goal.reached and not self._stop.is_set():
                await tasks.fill()
                for request, answer in await tasks.answers():
                    if isinstance(answer, KozyrError):
                        self._recover_cursor(state, request, answer)
                        continue
                    over, must_pause = state.apply(request, answer)
                    self._notify(goal.add_polled(over), on_finished)
                    if not over and not state.known and not request.moves:
                        await self._check_matches(goal, on_finished)
                    if must_pause:
                        await self._sleep(backoff.pause(_incomplete(request)))
                    else:
                        backoff = self._backoff(patience_s)
        finally:
            await tasks.close()
        while state.ready:
            request = state.next_request(0)
            over, must_pause = state.apply(request, await self._repeat(self._turns_call(request), ENDING_S))
            self._notify(goal.add_polled(over), on_finished)
            if must_pause:
                await self._sleep(backoff.pause(_incomplete(request)))
        return goal.finished

    def stop(self) -> None:
        """End `play`: cancel all running `choose` calls, and send the moves already chosen.

        Call it in the thread of the event loop.
        """
        self._stop.set()

    async def _check_matches(self, goal: _Goal, on_finished: OnFinished | None) -> None:
        for match in sorted(goal.missing or ()):
            self._notify(goal.add_view(await self.match(match)), on_finished)

    _notify = staticmethod(Client._notify)

    async def _repeat(self, call: Json, patience_s: float | None) -> Any:
        backoff = self._backoff(patience_s)
        while True:
            try:
                with _retryable_errors():
                    return self._read_response(await self._http.request(**call))
            except _Retry as failure:
                await self._sleep(self._pause(backoff, failure))
            except KozyrError as error:
                call = self._recover_join(call, error, backoff)


class _PlayTasks:
    """The concurrent tasks of `AsyncClient.play`.

    They are a waiting poll, a request for the moves that become ready meanwhile, and the calls of `choose`. When no
    `choose` is running, the moves go out with the poll.
    """

    def __init__(
        self,
        client: AsyncClient,
        state: _LoopState,
        choose: AsyncChoose,
        wait: float,
        patience_s: float | None,
    ) -> None:
        self._client, self._state, self._choose = client, state, choose
        self._wait, self._patience_s = wait, patience_s
        self._thinking: dict[asyncio.Task[object], Turn] = {}
        self._poll: asyncio.Task[Any] | None = None
        self._requests: dict[asyncio.Task[Any], _Request] = {}
        self._stopped = asyncio.create_task(client._stop.wait())

    async def fill(self) -> None:
        """Start new tasks, and cancel `choose` for turns that are over."""
        for task, turn in self._thinking.items():
            if not self._state.is_known(turn):
                task.cancel()
        fresh = set()
        while (new := self._state.next_turn()) is not None:
            task = asyncio.create_task(self._think(new))
            self._thinking[task] = new
            fresh.add(task)
        if fresh:
            await asyncio.wait(fresh, timeout=GATHER_S)
            self._take_moves()
        if self._poll is None:
            self._poll = self._start(self._wait)
        elif self._state.ready and len(self._requests) == 1:
            self._start(0)

    async def answers(self) -> list[tuple[_Request, Json | KozyrError]]:
        """Wait until a task is done, and return the responses that have arrived."""
        running = {*self._thinking, *self._requests, self._stopped}
        done, _ = await asyncio.wait(running, return_when=asyncio.FIRST_COMPLETED)
        self._take_moves()
        responses: list[tuple[_Request, Json | KozyrError]] = []
        for task in [task for task in self._requests if task in done]:
            request = self._requests.pop(task)
            if task is self._poll:
                self._poll = None
            try:
                responses.append((request, task.result()))
            except KozyrError as error:
                responses.append((request, error))
        return responses

    async def close(self) -> None:
        """Cancel all tasks, and queue the moves without a result again."""
        tasks = [*self._thinking, *self._requests, self._stopped]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        for request in self._requests.values():
            self._state.resend(request)
        self._requests.clear()
        self._thinking.clear()

    def _start(self, wait: float) -> asyncio.Task[Any]:
        request = self._state.next_request(wait)
        call = self._client._turns_call(request)
        task = asyncio.create_task(self._client._repeat(call, self._patience_s))
        self._requests[task] = request
        return task

    def _take_moves(self) -> None:
        for task in [task for task in self._thinking if task.done()]:
            turn = self._thinking.pop(task)
            if not task.cancelled():
                self._state.choose(turn, task.result())

    async def _think(self, turn: Turn) -> object:
        move = self._choose(turn)
        return await move if inspect.isawaitable(move) else move

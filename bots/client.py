"""The client: what a bot needs to play at a Kozyr server, in one file that needs nothing but httpx.

    from bots.client import Client

    Client("http://127.0.0.1:8000", token).play(lambda turn: turn.legal_moves[0])

`play` is the whole loop of a bot: it waits for turns, asks `choose` for a move, sends it, and goes on, in any
number of matches at once, one request a round. `AsyncClient` does the same, thinking about many turns at a time.

1. What it promises
   A move is never lost and never made twice. An answer that does not come (a time limit, a broken connection, a 502)
   leaves open whether the move was made; so the same moves go out again with the same turn numbers, and the
   service answers `replayed` where it had made them. `choose` is asked once for a turn.
   A refusal never loops: a turn that is over (409) is forgotten and everything that is open is asked for afresh; a
   move that is not legal is an error, or with `on_illegal="first"` a warning and the first legal move.
   A move from `turn.free_moves` (`exchange`) answers no turn: it is sent for the deal, and `choose` is asked again with
   the turn that takes its place.
   Trouble of the service (429, 5xx) is waited out, as long as `Retry-After` says and with growing pauses.

2. Time
   `turn.seconds_left` runs down by a monotonic clock from the moment the turn arrived; the clock of your machine may
   be wrong. It does not know how long answers travel: keep a margin.
   `Client` thinks about one turn after another, the most urgent first, and sends what it has after `BATCH_S` seconds of
   thinking. A single slow `choose` still holds up all other matches of the bot: with slow thinking in many
   matches use `AsyncClient`, and there `asyncio.to_thread` or a pool for what keeps the processor busy.
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

__all__ = ["AsyncClient", "Client", "Finished", "IllegalMove", "KozyrError", "Turn"]

Json = dict[str, Any]
OnIllegal = Literal["raise", "first"]
Choose = Callable[["Turn"], str]
AsyncChoose = Callable[["Turn"], str | Awaitable[str]]
OnFinished = Callable[["Finished"], object]

WAIT_S: Final = 25.0
"""How long a poll waits for something to do, if the service allows that long."""
BATCH_S: Final = 0.2
"""After so many seconds of thinking the moves found so far are sent."""
GATHER_S: Final = 0.005
"""How long `AsyncClient` waits for quick answers to new turns, so that they travel together."""
MOST_MOVES: Final = 256
"""Moves in one request, unless the service's limits say otherwise."""
READ_MARGIN_S: Final = 10.0
"""How much longer than the wait that was asked for an answer may take before it counts as lost."""
FIRST_PAUSE_S: Final = 0.1
LONGEST_PAUSE_S: Final = 5.0
LONGEST_RETRY_AFTER_S: Final = 60.0
ENDING_S: Final = 5.0
"""How long a loop that is to end tries to deliver the moves already chosen."""
REMEMBERED: Final = 2000
"""How many finished matches are remembered, so that none is told twice."""

RETRIED: Final = frozenset({408, 425, 429, 500, 502, 503, 504})
"""Statuses after which the same request is sent again, if the answer itself does not say (`retryable`)."""

log = logging.getLogger("kozyr.client")


# 1. Errors


class KozyrError(Exception):
    """The service refused, or could not be reached. `code` is one of the service's closed list, or `unreachable`,
    or `http_<status>` for an answer that is not the service's own (a proxy's); `problem` is the whole document."""

    def __init__(self, code: str, status: int | None, problem: Mapping[str, Any] | None = None) -> None:
        self.code = code
        self.status = status
        self.problem: Json = dict(problem or {})
        super().__init__(code, status, self.problem)

    def __str__(self) -> str:
        said = self.problem.get("detail") or self.problem.get("title") or "no details"
        errors = self.problem.get("errors")
        return f"{self.code}: {said}{f' {errors}' if errors else ''}"


class IllegalMove(KozyrError):
    """`choose` answered with a move that is not legal in its turn. The clock runs on."""

    def __init__(self, turn: Turn, move: str, problem: Mapping[str, Any] | None = None) -> None:
        self.turn = turn
        self.move = move
        self.legal_moves: list[str] = list((problem or {}).get("legal_moves") or turn.legal_moves)
        detail = f"{move!r} is not legal in turn {turn.number} of {turn.match}; legal: {self.legal_moves}"
        code = str((problem or {}).get("code", "illegal_move"))
        super().__init__(code, 422, {"code": code, "detail": detail, **(problem or {})})


class _Lost(Exception):
    """No answer, or one that says: again, after `after` seconds if it says so."""

    def __init__(self, error: KozyrError, after: float | None = None) -> None:
        super().__init__(error)
        self.error, self.after = error, after


# 2. What a bot is handed


class Turn(dict[str, Any]):
    """A question asked of my seat: the service's own object, with names for what a bot needs of it."""

    def __init__(self, data: Mapping[str, Any], clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__(data)
        self._clock, self._arrived = clock, clock()
        self._given = float("inf")
        if self.deadline is not None and data.get("now"):
            self._given = (self.deadline - _instant(data["now"])).total_seconds()

    @property
    def match(self) -> str:
        """The match's id."""
        return str(self["match"])

    @property
    def number(self) -> int:
        """The turn's number in its match: what a move is sent with."""
        return int(self["turn"])

    @property
    def seat(self) -> int:
        """My seat."""
        return int(self["seat"])

    @property
    def observation(self) -> Json:
        """All that my seat sees."""
        seen: Json = self["observation"]
        return seen

    @property
    def legal_moves(self) -> list[str]:
        """Every answer to the turn."""
        moves: list[str] = self.observation["legal_moves"]
        return moves

    @property
    def free_moves(self) -> list[str]:
        """Every move that my seat may make without answering the turn; after one `choose` is asked again."""
        moves: list[str] = self.observation.get("free_moves", [])
        return moves

    @property
    def deadline(self) -> datetime | None:
        """When time is up, in service time: to be compared with this object's `now`, never with your own clock."""
        text = self.get("deadline")
        return None if text is None else _instant(text)

    @property
    def seconds_left(self) -> float:
        """What is left until the deadline by now; the bank is in it, the grace is not. Infinite without a deadline."""
        return self._given - (self._clock() - self._arrived)

    @property
    def has_run_out(self) -> bool:
        """Whether its time ran out here, and not on the way."""
        return self.seconds_left <= 0 < self._given


class Finished(dict[str, Any]):
    """A match of mine that is over."""

    @property
    def match(self) -> str:
        """The match's id."""
        return str(self["match"])

    @property
    def seat(self) -> int:
        """My seat."""
        return int(self["seat"])

    @property
    def ending(self) -> str:
        """`rules`, `forfeit`, `resigned`, `aborted`, `void`."""
        return str(self["ending"])

    @property
    def scores(self) -> list[int]:
        """By seat."""
        scores: list[int] = self["scores"]
        return scores

    @property
    def places(self) -> list[int]:
        """By seat, from 1; equal scores share a place."""
        places: list[int] = self["places"]
        return places


def _instant(text: str) -> datetime:
    return datetime.fromisoformat(text)


# 3. A bot's desk: what the loop knows, without any input or output


class _Chosen(NamedTuple):
    """A move on its way."""

    turn: Turn
    move: str
    fell_back: bool = False

    @property
    def is_free(self) -> bool:
        """Whether the move answers no turn."""
        return self.move in self.turn.free_moves

    def body(self) -> Json:
        """The move as it is sent."""
        turn = self.turn
        key = {"deal": turn["deal"]} if self.is_free else {"turn": turn.number}
        return {"match": turn.match, **key, "move": self.move}


class _Exchange(NamedTuple):
    """One request of the loop."""

    moves: list[_Chosen]
    body: Json
    number: int
    """Of the loop's requests, from 1."""
    resets: int
    """How often everything had been asked for afresh when it was made."""


class _Settled(NamedTuple):
    """The last turn of a match that got a result."""

    turn: int
    exchanges: int
    """How many requests had been made by then: what an older one says of this turn is out of date."""


_OVER: Final = 1 << 62
"""As a turn: the match is over, and so are all its turns."""


class _Desk:
    """The turns that have come and the moves that go.

    A turn is `known` by its match from its arrival until its move has a result. In between it is in `open` (to be
    thought about), with whoever thinks, in `ready` (its move is chosen), or in an exchange.
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
        self._exchanges = 0
        self._settled: dict[str, _Settled] = {}
        self._made: dict[str, tuple[int, str]] = {}
        self._over: dict[str, None] = {}

    def next_turn(self) -> Turn | None:
        """The most urgent turn to think about. One that ran out of time lying here is dropped, and asked for
        afresh: it is over, or the service has given it more time."""
        while self.open:
            turn = min(self.open, key=lambda turn: turn.seconds_left)
            self.open.remove(turn)
            if not turn.has_run_out:
                return turn
            _warn_late(turn)
            self._forget(turn)
        return None

    def choose(self, turn: Turn, move: object) -> None:
        """What was chosen in a turn. A move for a turn that is over by now goes nowhere. Raises `IllegalMove`, and
        `TypeError` for what is no text."""
        if not isinstance(move, str):
            raise TypeError(f"choose answered {move!r} in turn {turn.number} of {turn.match}: not a text")
        if self.is_known(turn):
            chosen = _Chosen(turn, move)
            possible = move in turn.legal_moves or chosen.is_free
            self.ready.append(chosen if possible else self._instead(chosen, None))

    def exchange(self, wait: float) -> _Exchange:
        """The next request, with the moves that are ready, as many as one request may hold. It waits for nothing
        while there is something to do here."""
        moves, self.ready = self.ready[: self.most_moves], self.ready[self.most_moves :]
        body: Json = {
            "moves": [chosen.body() for chosen in moves],
            "wait": 0 if self.ready or self.open else wait,
        }
        if self._since is not None:
            body["since"] = self._since
        self._exchanges += 1
        return _Exchange(moves, body, self._exchanges, self._resets)

    def lost(self, exchange: _Exchange) -> None:
        """An exchange came to nothing: its moves are to be sent again."""
        self.ready = [*exchange.moves, *self.ready]

    def ask_afresh(self) -> None:
        """Have the next request ask for all that is open."""
        self._since = None
        self._resets += 1

    def settle(self, exchange: _Exchange, answer: Json) -> tuple[list[Finished], bool]:
        """Takes in an answer: the matches that are newly over, and whether the same has to be said again, which is
        worth a pause. Raises `IllegalMove` after everything else was taken in."""
        # A cursor counts unless everything was asked for afresh since its request was made.
        if exchange.resets == self._resets:
            self._since = answer.get("since")
        results = answer.get("results") or []
        unanswered = exchange.moves[len(results) :]
        self.ready += unanswered
        again = bool(unanswered)
        refusal: IllegalMove | None = None
        for chosen, result in zip(exchange.moves, results, strict=False):
            try:
                again |= self._result(chosen, result)
            except IllegalMove as error:
                refusal = refusal or error
        for turn in answer.get("turns") or []:
            again |= self._arrive(turn, exchange)
        over = self._finish(answer.get("finished") or [])
        if refusal is not None:
            raise refusal
        return over, again

    def _result(self, chosen: _Chosen, result: Json) -> bool:
        turn, move, _ = chosen
        problem = result.get("problem")
        if problem is None:
            self._settle(turn)
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
            self.ready.append(self._instead(chosen, problem))
            self.known[turn.match] = turn
            return False
        if turn.has_run_out and code in ("stale_turn", "match_over"):
            _warn_late(turn)
        else:
            # A match may end while its bot thinks, as when the opponent resigns.
            said = log.info if code == "match_over" else log.warning
            said("turn %s of match %s is not open: %s", turn.number, turn.match, problem.get("detail", code))
        self._settle(turn)
        self.ask_afresh()
        return False

    def _settle(self, turn: Turn) -> None:
        if self.is_known(turn):
            del self.known[turn.match]
        before = self._settled.get(turn.match)
        if before is None or before.turn != _OVER:
            self._settled[turn.match] = _Settled(turn.number, self._exchanges)

    def _instead(self, chosen: _Chosen, problem: Json | None) -> _Chosen:
        error = IllegalMove(chosen.turn, chosen.move, problem)
        if self.on_illegal == "raise" or chosen.fell_back or not error.legal_moves:
            raise error
        log.warning("%s; %s is sent instead", error, error.legal_moves[0])
        return _Chosen(chosen.turn, error.legal_moves[0], True)

    def _arrive(self, data: Json, exchange: _Exchange) -> bool:
        """Takes in a turn; whether it had a result before, so that something is amiss."""
        turn = Turn(data, self._clock)
        known, settled = self.known.get(turn.match), self._settled.get(turn.match)
        if known is not None and known.number >= turn.number:
            # Handed over again; or older than what is known, and if that is wrong its own move will bring it out.
            return False
        if settled is not None and settled.turn >= turn.number and settled.exchanges >= exchange.number:
            # An answer that was overtaken. But its cursor says that we have the turn now, so it can't be used.
            self.ask_afresh()
            return False
        if known is not None:
            if known.has_run_out:
                _warn_late(known)
            self._drop(known)
        self.known[turn.match] = turn
        number, move = self._made.get(turn.match, (0, ""))
        if number == turn.number and move in turn.legal_moves:
            # The service forgot the move, as after its data were restored: it gets the same again.
            self.ready.append(_Chosen(turn, move))
            return True
        self.open.append(turn)
        return settled is not None and settled.turn == turn.number

    def _finish(self, listed: list[Json]) -> list[Finished]:
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
                self._settled[finished.match] = _Settled(_OVER, self._exchanges)
                news.append(finished)
        for match in list(self._over)[:-REMEMBERED]:
            del self._over[match]
            self._settled.pop(match, None)
        return news

    def is_known(self, turn: Turn) -> bool:
        """Whether the turn still waits for a result."""
        return self.known.get(turn.match) is turn

    def _forget(self, turn: Turn) -> None:
        self._drop(turn)
        self.ask_afresh()

    def _drop(self, turn: Turn) -> None:
        if self.is_known(turn):
            del self.known[turn.match]
        self.open = [other for other in self.open if other is not turn]
        self.ready = [chosen for chosen in self.ready if chosen.turn is not turn]


def _warn_late(turn: Turn) -> None:
    """Tell the author of a bot that a turn ran out of time, on stderr unless logging is set up otherwise."""
    log.warning(
        "turn %s of match %s was late by %.2f s; out of time the service plays a safe move and counts a strike",
        turn.number,
        turn.match,
        -turn.seconds_left,
    )


class _Goal:
    """When a loop ends by itself, and whom it tells of matches that end."""

    def __init__(self, until_finished: str | Iterable[str] | None, matches: int | None) -> None:
        ids = [until_finished] if isinstance(until_finished, str) else until_finished
        self.missing = None if ids is None else set(ids)
        self.matches = matches
        self.finished: list[Finished] = []
        self._begun = False

    @property
    def reached(self) -> bool:
        """Whether what was to be waited for has come."""
        if self.missing is not None:
            return not self.missing
        return self.matches is not None and len(self.finished) >= self.matches

    def polled(self, over: list[Finished]) -> list[Finished]:
        """Which of the matches that a poll lists are news: of the first poll's only those that are waited for."""
        news = [each for each in over if self._begun or each.match in (self.missing or ())]
        self._begun = True
        return [each for each in news if self._count(each)]

    def looked(self, view: Json) -> list[Finished]:
        """The same for a match that is waited for and was looked at."""
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


# 4. Answers and second tries


class _Tries:
    """The pauses between the tries of one request; gives up when `patience_s` seconds have passed."""

    def __init__(
        self, patience_s: float | None, clock: Callable[[], float], jitter: Callable[[], float]
    ) -> None:
        self._until = None if patience_s is None else clock() + patience_s
        self._clock, self._jitter = clock, jitter
        self.failures = 0

    def pause(self, lost: _Lost) -> float:
        """How long to wait before the next try. Raises the error if patience is over."""
        self.failures += 1
        longest = min(LONGEST_PAUSE_S, FIRST_PAUSE_S * 2.0 ** min(self.failures - 1, 30))
        pause = longest * (0.5 + self._jitter() / 2)
        if lost.after is not None:
            pause = max(pause, min(lost.after, LONGEST_RETRY_AFTER_S) * (1 + self._jitter() / 10))
        if self._until is not None and self._clock() + pause > self._until:
            raise lost.error from lost.__cause__
        said = log.warning if self.failures == 1 else log.info
        said("%s; try %d in %.2f s", lost.error, self.failures + 1, pause)
        return pause


def _read(response: httpx.Response) -> Any:
    """The JSON of an answer. Raises `_Lost`, or `KozyrError` for a refusal."""
    _check(response)
    if not response.content:
        return {}
    try:
        return response.json()
    except ValueError as error:
        raise _Lost(_gone(f"an answer that is no JSON: {error}")) from error


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
        raise _Lost(error, retry_after(response.headers.get("Retry-After")))
    raise error


def retry_after(text: str | None) -> float | None:
    """The seconds that a header `Retry-After` asks for, in either of its forms; `None` for none."""
    if not text:
        return None
    with contextlib.suppress(ValueError):
        return max(0.0, float(text))
    with contextlib.suppress(ValueError):
        return max(0.0, (email.utils.parsedate_to_datetime(text) - datetime.now(UTC)).total_seconds())
    return None


def _gone(detail: str) -> KozyrError:
    return KozyrError("unreachable", None, {"detail": detail})


@contextlib.contextmanager
def _losses() -> Iterator[None]:
    """Turns what httpx says of a broken exchange into `_Lost`. What no repetition puts right goes through."""
    try:
        yield
    except (httpx.UnsupportedProtocol, httpx.LocalProtocolError, httpx.TooManyRedirects):
        raise
    except httpx.RequestError as error:
        raise _Lost(_gone(f"{type(error).__name__} {error}".strip())) from error


def _again(exchange: _Exchange) -> _Lost:
    return _Lost(_gone(f"{len(exchange.moves)} moves were not all answered"))


def _path(*parts: str) -> str:
    return "/v1/" + "/".join(quote(part, safe="") for part in parts)


def _given(**values: Any) -> Json:
    """Without what is None: the service has the defaults."""
    return {name: value for name, value in values.items() if value is not None}


def _new_key() -> str:
    return secrets.token_hex(16)


class _Pages:
    """A stream of records, page after page, each record once even if a page is cut short and asked for again."""

    def __init__(self, filters: Mapping[str, Any]) -> None:
        self.params = dict(filters)
        self._seen: set[str] = set()

    def records(self, line: str) -> list[Json]:
        """The record of a line, unless it was handed out. Raises `_Lost` for half a line."""
        if not line.strip():
            return []
        try:
            record: Json = json.loads(line)
        except ValueError as error:
            raise _Lost(_gone(f"a line that was cut short: {error}")) from error
        if record["id"] in self._seen:
            return []
        self._seen.add(record["id"])
        return [record]

    def has_next(self, response: httpx.Response) -> bool:
        """Whether to ask on after a page that was read to its end."""
        cursor = response.headers.get("Kozyr-Cursor")
        if not cursor:
            return False
        self._seen.clear()
        self.params["cursor"] = cursor
        return True


# 5. The calls, the same for both clients

J = TypeVar("J")


class _Calls(ABC, Generic[J]):
    """What can be asked of the service besides playing. Every method answers with the service's JSON, and
    with `AsyncClient` is awaited for it. All may be repeated safely, and are for `patience_s` seconds."""

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
            # A token from the environment is for the service of the environment and for no other.
            url, token = os.environ["KOZYR_URL"], token or os.environ.get("KOZYR_TOKEN")
        self.url = url.rstrip("/")
        self.wait = wait
        self.patience_s = patience_s
        self._clock, self._jitter = clock, jitter
        self._is_patient = not fail_fast
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
        """Any call, as JSON. `key` is the Idempotency-Key of one that creates something; `wait` says how long the
        service was asked to wait. Raises `KozyrError`."""

    # 5.1 Owners, bots, games

    def register_owner(self, name: str, invitation: str | None = None) -> J:
        """A new owner, with a token that is shown this once."""
        body = _given(name=name, invitation=invitation)
        return self.request("POST", _path("owners"), body=body, key=_new_key())

    def create_bot(self, name: str, version: str | None = None, **more: Any) -> J:
        """A new bot of the owner whose token this is, with a token of its own that is shown this once."""
        body = {"name": name, **_given(version=version), **more}
        return self.request("POST", _path("bots"), body=body, key=_new_key())

    def games(self) -> J:
        """All games with their options."""
        return self.request("GET", _path("games"))

    def limits(self) -> J:
        """The limits that the service keeps to."""
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
        """A new casual match; `seats` are `owner/bot`, None for an open one."""
        body = {
            "game": game,
            "seats": list(seats),
            **_given(options=options, deals=deals, clock=clock),
            **more,
        }
        return self.request("POST", _path("matches"), body=body, key=_new_key())

    def join(self, match: str, seat: int | None = None, entropy: str | None = None) -> J:
        """Take an open seat: this one, or the first."""
        body = _given(seat=seat, entropy=entropy)
        return self.request("POST", _path("matches", match, "join"), body=body)

    def resign(self, match: str) -> J:
        """Give up. Doing it twice is doing it once."""
        return self.request("POST", _path("matches", match, "resign"))

    def match(self, match: str) -> J:
        """A match as I may see it."""
        return self.request("GET", _path("matches", match))

    def events(self, match: str, after: int = 0, wait: float = 0.0) -> J:
        """What happened after event number `after`, as I may know it: `events`, and whether the match is `over`."""
        params = {"after": after, **({"wait": wait} if wait else {})}
        return self.request("GET", _path("matches", match, "events"), params=params, wait=wait)

    def record(self, match: str) -> J:
        """The record of a match that is over."""
        return self.request("GET", _path("matches", match, "record"))

    def standings(self, ladder: str) -> J:
        """How a ladder stands."""
        return self.request("GET", _path("ladders", ladder, "standings"))

    # 5.3 Turns, for loops of your own

    def move(
        self, match: str, move: str, *, turn: int | None = None, deal: int | None = None, wait: float = 0.0
    ) -> J:
        """One move, made exactly once however often it is sent: the answer to `turn`, or with `deal` a free move
        (`exchange`), which is possible off turn too. With `wait` the answer brings my next turn of this match."""
        body = {**_given(turn=turn, deal=deal), "move": move}
        params = {"wait": wait} if wait else None
        return self.request("POST", _path("matches", match, "moves"), body=body, params=params, wait=wait)

    def turns(
        self, moves: Sequence[Mapping[str, Any]] = (), *, wait: float = 0.0, since: str | None = None
    ) -> J:
        """Many moves at once, and the turns that are open: `results`, `turns`, `finished` and the next `since`."""
        body = {"moves": list(moves), "wait": wait, **_given(since=since)}
        return self.request("POST", _path("turns"), body=body, wait=wait)

    # 5.4 Inside

    def _tries(self, patience_s: float | None) -> _Tries:
        return _Tries(patience_s, self._clock, self._jitter)

    def _taken(self, response: httpx.Response) -> Any:
        """The JSON of an answer, which shows that there is a service at this address. Raises as `_read`."""
        self._is_patient = True
        return _read(response)

    def _pause(self, tries: _Tries, lost: _Lost) -> float:
        """How long to wait before the next try. Raises the error if patience is over, and with `fail_fast` if nothing
        can be reached at this address and nothing ever was."""
        if not self._is_patient and isinstance(lost.__cause__, httpx.ConnectError | httpx.ConnectTimeout):
            raise lost.error from lost.__cause__
        self._is_patient = True
        return tries.pause(lost)

    def _http_settings(self, transport: Any) -> Json:
        # A proxy that the environment names has no business between a bot and its own machine.
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

    def _done_before(self, call: Json, error: KozyrError, tries: _Tries) -> Json:
        """What to ask instead after a seat was found taken by this bot itself: the join whose answer was lost took it.
        Raises other errors."""
        if error.code == "already_seated" and tries.failures:
            return self._call("GET", call["url"].removesuffix("/join"))
        raise error

    def _turns_call(self, exchange: _Exchange) -> Json:
        return self._call("POST", _path("turns"), exchange.body, wait=exchange.body["wait"])

    def _keep_to(self, limits: Json, desk: _Desk) -> float:
        """The longest wait of this loop."""
        desk.most_moves = min(MOST_MOVES, int(limits.get("max_moves", MOST_MOVES)))
        return min(self.wait, float(limits.get("max_wait_s", self.wait)))

    def _begin_again(self, desk: _Desk, exchange: _Exchange, error: KozyrError) -> None:
        """After a cursor that the service does not know, everything is asked for afresh. Raises other errors."""
        desk.lost(exchange)
        if error.code != "bad_cursor" or "since" not in exchange.body:
            raise error
        desk.ask_afresh()


# 6. The client


class Client(_Calls[Json]):
    """The client for programs without asyncio. Close it, or use it with `with`.

    Without a URL, both URL and token are those of the environment: `KOZYR_URL` and `KOZYR_TOKEN`. `wait` is how long a
    poll waits, `patience_s` how long a call other than `play` is tried. With `fail_fast` a first connection that cannot
    be made is an error at once; without it the client waits for a service that is still to start. `transport`, `sleep`,
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
        """Closes the connections."""
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
        """See `_Calls.request`."""
        return self._repeat(self._call(method, path, body, params, key, wait), self.patience_s)

    def records(self, **filters: Any) -> Iterator[Json]:
        """Whole records, oldest first; `game`, `bot`, `ladder`, `result`, `void`, `since`, `until` filter them."""
        pages, tries = _Pages(filters), self._tries(self.patience_s)
        accept = {"Accept": "application/x-ndjson"}
        while True:
            try:
                with (
                    _losses(),
                    self._http.stream(
                        "GET", _path("records"), params=pages.params, headers=accept
                    ) as response,
                ):
                    if not response.is_success:
                        response.read()
                        _check(response)
                    for line in response.iter_lines():
                        yield from pages.records(line)
            except _Lost as lost:
                self._sleep(self._pause(tries, lost))
                continue
            if not pages.has_next(response):
                return
            tries = self._tries(self.patience_s)

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
        """Plays all my matches: for ever, or until these matches are over, or so many, or `stop` is called.

        `choose` gets a `Turn` and answers with one of its `legal_moves`; `on_finished` gets each match that ends
        meanwhile. What `choose` raises ends the loop; called again, `play` takes up every open turn. `patience_s` is
        how long the service may be out of reach before that is an error; None: for ever. Answers with the matches
        that were waited for. Raises `KozyrError`.
        """
        desk, goal = _Desk(on_illegal, self._clock), _Goal(until_finished, matches)
        self._stopping = False
        try:
            self._loop(desk, goal, choose, on_finished, patience_s)
        finally:
            self._stopping = False
        return goal.finished

    def _loop(
        self,
        desk: _Desk,
        goal: _Goal,
        choose: Choose,
        on_finished: OnFinished | None,
        patience_s: float | None,
    ) -> None:
        wait = self._keep_to(self._repeat(self._call("GET", _path("limits")), patience_s), desk)
        idle = True
        tries = self._tries(patience_s)
        while True:
            if idle:
                self._tell(self._looked(goal), on_finished)
            ending = self._stopping or goal.reached
            if ending and not desk.ready:
                return
            if not ending:
                self._think(desk, choose)
            exchange = desk.exchange(0 if ending or self._stopping else wait)
            try:
                answer = self._repeat(self._turns_call(exchange), ENDING_S if ending else patience_s)
            except KozyrError as error:
                if ending or not self._stopping:
                    self._begin_again(desk, exchange, error)
                else:
                    desk.lost(exchange)
                continue
            over, again = desk.settle(exchange, answer)
            self._tell(goal.polled(over), on_finished)
            idle = not over and not desk.known and not exchange.moves
            if again:
                self._sleep(tries.pause(_again(exchange)))
            else:
                tries = self._tries(patience_s)

    def stop(self) -> None:
        """Ends `play`: no more turns are thought about, the moves already chosen are delivered. From another
        thread it takes effect when the poll under way is answered."""
        self._stopping = True

    def _think(self, desk: _Desk, choose: Choose) -> None:
        began = self._clock()
        while not self._stopping and (turn := desk.next_turn()) is not None:
            desk.choose(turn, choose(turn))
            if self._clock() - began >= BATCH_S:
                return

    def _looked(self, goal: _Goal) -> list[Finished]:
        """Matches that are waited for and over already, which no poll might tell."""
        return [each for match in sorted(goal.missing or ()) for each in goal.looked(self.match(match))]

    @staticmethod
    def _tell(over: list[Finished], on_finished: OnFinished | None) -> None:
        for each in over:
            if on_finished is not None:
                on_finished(each)

    def _repeat(self, call: Json, patience_s: float | None) -> Any:
        tries = self._tries(patience_s)
        while True:
            try:
                with _losses():
                    return self._taken(self._http.request(**call))
            except _Lost as lost:
                pause = self._pause(tries, lost)
                if self._stopping and patience_s != ENDING_S:
                    raise lost.error from lost.__cause__
                self._sleep(pause)
            except KozyrError as error:
                call = self._done_before(call, error, tries)


# 7. The client for asyncio


class AsyncClient(_Calls[Awaitable[Json]]):
    """The client for asyncio: the same calls, awaited, and a `play` that thinks about many turns at a time."""

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
        """Closes the connections."""
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
        """See `_Calls.request`."""
        return await self._repeat(self._call(method, path, body, params, key, wait), self.patience_s)

    async def records(self, **filters: Any) -> AsyncIterator[Json]:
        """See `Client.records`."""
        pages, tries = _Pages(filters), self._tries(self.patience_s)
        accept = {"Accept": "application/x-ndjson"}
        while True:
            try:
                with _losses():
                    async with self._http.stream(
                        "GET", _path("records"), params=pages.params, headers=accept
                    ) as response:
                        if not response.is_success:
                            await response.aread()
                            _check(response)
                        async for line in response.aiter_lines():
                            for record in pages.records(line):
                                yield record
            except _Lost as lost:
                await self._sleep(self._pause(tries, lost))
                continue
            if not pages.has_next(response):
                return
            tries = self._tries(self.patience_s)

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
        """As `Client.play`, but `choose` may be a coroutine function: all turns that have come are thought about at
        the same time, and each move goes out when it is ready, whatever the others do. A plain function, or a
        coroutine that does not await, holds up everything else, as always with asyncio."""
        desk, goal = _Desk(on_illegal, self._clock), _Goal(until_finished, matches)
        self._stop.clear()
        wait = self._keep_to(await self._repeat(self._call("GET", _path("limits")), patience_s), desk)
        await self._look(goal, on_finished)
        lanes = _Lanes(self, desk, choose, wait, patience_s)
        tries = self._tries(patience_s)
        try:
            while not goal.reached and not self._stop.is_set():
                await lanes.fill()
                for exchange, answer in await lanes.answers():
                    if isinstance(answer, KozyrError):
                        self._begin_again(desk, exchange, answer)
                        continue
                    over, again = desk.settle(exchange, answer)
                    self._tell(goal.polled(over), on_finished)
                    if not over and not desk.known and not exchange.moves:
                        await self._look(goal, on_finished)
                    if again:
                        await self._sleep(tries.pause(_again(exchange)))
                    else:
                        tries = self._tries(patience_s)
        finally:
            await lanes.close()
        while desk.ready:
            exchange = desk.exchange(0)
            over, again = desk.settle(exchange, await self._repeat(self._turns_call(exchange), ENDING_S))
            self._tell(goal.polled(over), on_finished)
            if again:
                await self._sleep(tries.pause(_again(exchange)))
        return goal.finished

    def stop(self) -> None:
        """Ends `play`: what is being thought about is cancelled, the moves already chosen are delivered. To be called
        in the loop's own thread."""
        self._stop.set()

    async def _look(self, goal: _Goal, on_finished: OnFinished | None) -> None:
        for match in sorted(goal.missing or ()):
            self._tell(goal.looked(await self.match(match)), on_finished)

    _tell = staticmethod(Client._tell)

    async def _repeat(self, call: Json, patience_s: float | None) -> Any:
        tries = self._tries(patience_s)
        while True:
            try:
                with _losses():
                    return self._taken(await self._http.request(**call))
            except _Lost as lost:
                await self._sleep(self._pause(tries, lost))
            except KozyrError as error:
                call = self._done_before(call, error, tries)


class _Lanes:
    """What runs beside each other in `AsyncClient.play`: a poll that waits; a delivery for moves that are ready
    meanwhile; and the thinking. While nobody thinks, moves travel with the poll."""

    def __init__(
        self, client: AsyncClient, desk: _Desk, choose: AsyncChoose, wait: float, patience_s: float | None
    ) -> None:
        self._client, self._desk, self._choose = client, desk, choose
        self._wait, self._patience_s = wait, patience_s
        self._thinking: dict[asyncio.Task[object], Turn] = {}
        self._poll: asyncio.Task[Any] | None = None
        self._exchanges: dict[asyncio.Task[Any], _Exchange] = {}
        self._stopped = asyncio.create_task(client._stop.wait())

    async def fill(self) -> None:
        """Starts whatever can be started, and ends the thinking about turns that are over."""
        for task, turn in self._thinking.items():
            if not self._desk.is_known(turn):
                task.cancel()
        fresh = set()
        while (new := self._desk.next_turn()) is not None:
            task = asyncio.create_task(self._think(new))
            self._thinking[task] = new
            fresh.add(task)
        if fresh:
            await asyncio.wait(fresh, timeout=GATHER_S)
            self._take_moves()
        if self._poll is None:
            self._poll = self._start(self._wait)
        elif self._desk.ready and len(self._exchanges) == 1:
            self._start(0)

    async def answers(self) -> list[tuple[_Exchange, Json | KozyrError]]:
        """Waits until something has come of something; the answers that have come."""
        running = {*self._thinking, *self._exchanges, self._stopped}
        done, _ = await asyncio.wait(running, return_when=asyncio.FIRST_COMPLETED)
        self._take_moves()
        found: list[tuple[_Exchange, Json | KozyrError]] = []
        for task in [task for task in self._exchanges if task in done]:
            exchange = self._exchanges.pop(task)
            if task is self._poll:
                self._poll = None
            try:
                found.append((exchange, task.result()))
            except KozyrError as error:
                found.append((exchange, error))
        return found

    async def close(self) -> None:
        """Ends everything; moves whose result is not known are to be sent again."""
        tasks = [*self._thinking, *self._exchanges, self._stopped]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        for exchange in self._exchanges.values():
            self._desk.lost(exchange)
        self._exchanges.clear()
        self._thinking.clear()

    def _start(self, wait: float) -> asyncio.Task[Any]:
        exchange = self._desk.exchange(wait)
        call = self._client._turns_call(exchange)
        task = asyncio.create_task(self._client._repeat(call, self._patience_s))
        self._exchanges[task] = exchange
        return task

    def _take_moves(self) -> None:
        for task in [task for task in self._thinking if task.done()]:
            turn = self._thinking.pop(task)
            if not task.cancelled():
                self._desk.choose(turn, task.result())

    async def _think(self, turn: Turn) -> object:
        move = self._choose(turn)
        return await move if inspect.isawaitable(move) else move

"""The synchronous client."""

from __future__ import annotations

import contextlib
import random
import signal
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from types import FrameType, TracebackType
from typing import Any, Final, Self

import httpx

from kozyr_client.bounds import HOOKS
from kozyr_client.calls import ENDING_S, PATIENCE_S, WAIT_S, BaseClient
from kozyr_client.errors import KozyrError
from kozyr_client.http import (
    TEXT,
    RecordPages,
    RetryLater,
    api_path,
    check_status,
    incomplete,
    retryable_errors,
)
from kozyr_client.loop import LoopGoal, LoopState, OnIllegal
from kozyr_client.opponents import OpponentSearch
from kozyr_client.turns import Finished, Json, Turn
from kozyr_client.updates import Account, UpdateStream

Choose = Callable[[Turn], str]
OnFinished = Callable[[Finished], object]

SIGNALS: Final = (signal.SIGINT, signal.SIGTERM)

BATCH_S: Final = 0.2
"""`Client` sends the moves chosen so far after this many seconds."""


class FinishRequested(BaseException):
    """A signal came during a request or a pause of `play`."""


class Client(BaseClient[Json]):
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
        patience_s: float = PATIENCE_S,
        fail_fast: bool = False,
        transport: httpx.BaseTransport | None = None,
        sleep: Callable[[float], object] = time.sleep,
        clock: Callable[[], float] = time.monotonic,
        jitter: Callable[[], float] = random.random,
    ) -> None:
        super().__init__(url, token, wait, patience_s, clock, jitter, fail_fast=fail_fast)
        self._sleep = sleep
        self._http = self._connected(httpx.Client, self._http_settings(transport, HOOKS))
        self._stopping = self._finishing = self._interruptible = False

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

    def turns_in_words(self, language: str = "en") -> str:
        """Read the open turns in words, each with an empty line after it, in English or with `ru` in Russian."""
        call = self._call("GET", api_path("turns"))
        call["headers"] = {"Accept": TEXT, "Accept-Language": language}
        text: str = self._repeat(call, self.patience_s)
        return text

    def records(self, **filters: Any) -> Iterator[Json]:
        """Yield whole records, oldest first.

        The filters are `game`, `bot`, `ladder`, `result`, `void`, `since` and `until`.
        """
        pages, backoff = RecordPages(filters), self._backoff(self.patience_s)
        accept = {"Accept": "application/x-ndjson"}
        while True:
            try:
                with (
                    retryable_errors(known=self._known),
                    self._http.stream(
                        "GET", api_path("records"), params=pages.params, headers=accept
                    ) as response,
                ):
                    if not response.is_success:
                        response.read()
                        check_status(response, known=self._known)
                    for line in response.iter_lines():
                        yield from pages.records(line)
            except RetryLater as failure:
                self._sleep(self._pause(backoff, failure))
                continue
            if not pages.has_next(response):
                return
            backoff = self._backoff(self.patience_s)

    def updates(self, account: Account, *, after: int | None = None, turns: bool = False) -> Iterator[Json]:
        """Yield the events of the bot or owner of the token, for ever: `id`, `type`, `timestamp` and `data`.

        Begins after the event with number `after`, or now, and continues without a gap after interruptions. An update
        of the type `gap` says that earlier events are lost. With `turns` a bot's turns are among the updates, and the
        bot counts as online. Raise `KozyrError`.
        """
        stream, backoff = UpdateStream(account, after, turns=turns), self._backoff(self.patience_s)
        while True:
            try:
                with retryable_errors(known=self._known), self._http.stream(**stream.call) as response:
                    if not response.is_success:
                        response.read()
                        check_status(response, known=self._known)
                    backoff = self._backoff(self.patience_s)
                    for line in response.iter_lines():
                        yield from stream.updates(line)
            except RetryLater as failure:
                self._sleep(self._pause(backoff, failure))
            else:
                self._sleep(stream.retry_s)

    def play(
        self,
        choose: Choose,
        *,
        until_finished: str | Iterable[str] | None = None,
        matches: int | None = None,
        find: Mapping[str, Any] | None = None,
        on_finished: OnFinished | None = None,
        on_illegal: OnIllegal = "raise",
        patience_s: float | None = None,
    ) -> list[Finished]:
        """Play all matches of this bot, for ever or until one of the conditions below, or `stop`, ends the loop.

        `until_finished` names matches to wait for; `matches` is a number of finished matches. Return these matches.
        With `find`, the body of `POST /v1/queue` such as `{"game": "durak"}`, the bot looks for an opponent whenever it
        has no match from the queue. `choose` takes a `Turn` and returns one of its legal or free moves. `on_finished`
        receives each match that finishes meanwhile. An exception from `choose` ends the loop; calling `play` again
        takes up every open turn. `patience_s` limits how long the service may be unreachable; `None` is for ever.
        Raise `KozyrError`.
        """
        state, goal = LoopState(on_illegal, self._clock), LoopGoal(until_finished, matches)
        try:
            self._loop(state, goal, OpponentSearch(find), choose, on_finished, patience_s)
        finally:
            self._stopping = self._finishing = False
        return goal.finished

    def _loop(
        self,
        state: LoopState,
        goal: LoopGoal,
        search: OpponentSearch,
        choose: Choose,
        on_finished: OnFinished | None,
        patience_s: float | None,
    ) -> None:
        try:
            limits = self._repeat(self._call("GET", api_path("limits")), patience_s, until_finish=True)
        except FinishRequested:
            return
        except KozyrError:
            if self._stopping:
                return
            raise
        wait = self._apply_limits(limits, state)
        idle, left, backoff = True, False, self._backoff(patience_s)
        while True:
            if idle:
                self._notify(self._check_matches(goal), on_finished)
            ending = self._stopping or left or goal.reached
            if ending and not state.ready:
                self._leave(search)
                return
            if not ending:
                self._think(state, choose)
                self._find(search, state)
            state.leaving = self._finishing
            request = state.next_request(0 if ending or self._stopping else min(wait, search.longest_wait))
            try:
                answer = self._repeat(
                    self._turns_call(request),
                    ENDING_S if ending else patience_s,
                    until_finish=not state.leaving,
                )
            except FinishRequested:
                state.resend(request)
                continue
            except KozyrError as error:
                if ending or not self._stopping:
                    self._recover_cursor(state, request, error)
                else:
                    state.resend(request)
                continue
            over, must_pause = state.apply(request, answer)
            self._notify(goal.add_polled(over), on_finished)
            left = answer.get("running") == 0
            idle = not over and not state.known and not request.moves
            search.polled(over, idle=idle)
            if must_pause:
                self._sleep(backoff.pause(incomplete(request)))
            else:
                backoff = self._backoff(patience_s)

    def stop(self) -> None:
        """End `play` without choosing for more turns, after sending the moves already chosen.

        Before `play`, it ends `play` at once. From another thread, it takes effect when the pending poll returns.
        """
        self._stopping = True

    def finish(self) -> None:
        """Begin no new match, leave the queue, and end `play` when the running matches are over.

        Before `play`, it ends `play` at once. From another thread, it takes effect when the pending poll returns.
        """
        self._finishing = True

    def finish_on_signals(self) -> None:
        """Let the first SIGINT or SIGTERM call `finish`. The second one ends the program at once.

        Call it in the main thread.
        """
        before = {number: signal.getsignal(number) for number in SIGNALS}

        def first(number: int, frame: FrameType | None) -> None:
            for each, handler in before.items():
                signal.signal(each, handler or signal.SIG_DFL)
            self.finish()
            if self._interruptible:
                self._interruptible = False
                raise FinishRequested

        for number in SIGNALS:
            signal.signal(number, first)

    @contextlib.contextmanager
    def _until_finish(self) -> Iterator[None]:
        """Raise `FinishRequested` in this block when a signal calls `finish`."""
        self._interruptible = threading.current_thread() is threading.main_thread()
        try:
            if self._finishing:
                raise FinishRequested
            yield
        finally:
            self._interruptible = False

    def _think(self, state: LoopState, choose: Choose) -> None:
        began = self._clock()
        while not self._stopping and (turn := state.next_turn()) is not None:
            state.choose(turn, choose(turn))
            if self._clock() - began >= BATCH_S:
                return

    def _find(self, search: OpponentSearch, state: LoopState) -> None:
        """Send the requests to the queue that are due."""
        while not self._stopping and (request := search.next_request(ending=self._finishing)) is not None:
            try:
                search.take(self._once(self._queue_call(request, state.margin_s)))
            except RetryLater as failure:
                search.postpone(failure)
                return
            except KozyrError as error:
                search.take_refusal(error)

    def _leave(self, search: OpponentSearch) -> None:
        """Leave the queue if the bot may wait there."""
        if (request := search.next_request(ending=True)) is not None:
            try:
                self._repeat(self._queue_call(request, ENDING_S), ENDING_S)
            except KozyrError as error:
                search.take_refusal(error)

    def _check_matches(self, goal: LoopGoal) -> list[Finished]:
        """Return the awaited matches that are already finished, which a poll may not list."""
        return [each for match in sorted(goal.missing or ()) for each in goal.add_view(self.match(match))]

    @staticmethod
    def _notify(over: list[Finished], on_finished: OnFinished | None) -> None:
        for each in over:
            if on_finished is not None:
                on_finished(each)

    def _once(self, call: Json) -> Any:
        with retryable_errors(known=self._known):
            return self._read_response(self._http.request(**call), call)

    def _repeat(self, call: Json, patience_s: float | None, *, until_finish: bool = False) -> Any:
        """Send a request until it gets a response. `until_finish` also ends it, as `_until_finish` does."""
        backoff = self._backoff(patience_s)
        until = self._until_finish if until_finish else contextlib.nullcontext
        while True:
            try:
                with until():
                    return self._once(call)
            except RetryLater as failure:
                pause = self._pause(backoff, failure)
                if self._stopping and patience_s != ENDING_S:
                    raise failure.error from failure.__cause__
                call = self._lengthened(call, failure)
                with until():
                    self._sleep(pause)
            except KozyrError as error:
                call = self._recover_join(call, error, backoff)

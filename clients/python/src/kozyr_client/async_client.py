"""The client for asyncio."""

from __future__ import annotations

import asyncio
import inspect
import random
import signal
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Iterable, Mapping
from types import TracebackType
from typing import Any, Final, Self

import httpx

from kozyr_client.bounds import ASYNC_HOOKS
from kozyr_client.calls import ENDING_S, PATIENCE_S, WAIT_S, BaseClient
from kozyr_client.client import SIGNALS, OnFinished
from kozyr_client.errors import KozyrError
from kozyr_client.http import RecordPages, RetryLater, api_path, check_status, incomplete, retryable_errors
from kozyr_client.loop import LoopGoal, LoopState, OnIllegal, TurnsRequest
from kozyr_client.opponents import OpponentSearch
from kozyr_client.turns import Finished, Json, Turn
from kozyr_client.updates import Account, UpdateStream

AsyncChoose = Callable[[Turn], str | Awaitable[str]]

GATHER_S: Final = 0.005
"""How long `AsyncClient` waits for quick choices in new turns, to send them in one request."""


class AsyncClient(BaseClient[Awaitable[Json]]):
    """The client for asyncio: the same calls as coroutines, and a `play` that chooses for many turns concurrently."""

    def __init__(
        self,
        url: str | None = None,
        token: str | None = None,
        *,
        wait: float = WAIT_S,
        patience_s: float = PATIENCE_S,
        fail_fast: bool = False,
        transport: httpx.AsyncBaseTransport | None = None,
        sleep: Callable[[float], Awaitable[object]] = asyncio.sleep,
        clock: Callable[[], float] = time.monotonic,
        jitter: Callable[[], float] = random.random,
    ) -> None:
        super().__init__(url, token, wait, patience_s, clock, jitter, fail_fast=fail_fast)
        self._sleep = sleep
        self._http = self._connected(httpx.AsyncClient, self._http_settings(transport, ASYNC_HOOKS))
        self._stop, self._finish = asyncio.Event(), asyncio.Event()

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
        pages, backoff = RecordPages(filters), self._backoff(self.patience_s)
        accept = {"Accept": "application/x-ndjson"}
        while True:
            try:
                with retryable_errors(known=self._known):
                    async with self._http.stream(
                        "GET", api_path("records"), params=pages.params, headers=accept
                    ) as response:
                        if not response.is_success:
                            await response.aread()
                            check_status(response, known=self._known)
                        async for line in response.aiter_lines():
                            for record in pages.records(line):
                                yield record
            except RetryLater as failure:
                await self._sleep(self._pause(backoff, failure))
                continue
            if not pages.has_next(response):
                return
            backoff = self._backoff(self.patience_s)

    async def updates(
        self, account: Account, *, after: int | None = None, turns: bool = False
    ) -> AsyncIterator[Json]:
        """Yield the events of the bot or owner of the token, as `Client.updates` does."""
        stream, backoff = UpdateStream(account, after, turns=turns), self._backoff(self.patience_s)
        while True:
            try:
                with retryable_errors(known=self._known):
                    async with self._http.stream(**stream.call) as response:
                        if not response.is_success:
                            await response.aread()
                            check_status(response, known=self._known)
                        backoff = self._backoff(self.patience_s)
                        async for line in response.aiter_lines():
                            for update in stream.updates(line):
                                yield update
            except RetryLater as failure:
                await self._sleep(self._pause(backoff, failure))
            else:
                await self._sleep(stream.retry_s)

    async def play(
        self,
        choose: AsyncChoose,
        *,
        until_finished: str | Iterable[str] | None = None,
        matches: int | None = None,
        find: Mapping[str, Any] | None = None,
        on_finished: OnFinished | None = None,
        on_illegal: OnIllegal = "raise",
        patience_s: float | None = None,
    ) -> list[Finished]:
        """Play as `Client.play` does, with a `choose` that may be a coroutine function.

        It runs for all open turns concurrently, and each move is sent when it is ready. A plain function, or a
        coroutine that never awaits, blocks all other matches.
        """
        state, goal = LoopState(on_illegal, self._clock), LoopGoal(until_finished, matches)
        try:
            await self._loop(state, goal, OpponentSearch(find), choose, on_finished, patience_s)
        finally:
            self._stop.clear()
            self._finish.clear()
        return goal.finished

    async def _loop(
        self,
        state: LoopState,
        goal: LoopGoal,
        search: OpponentSearch,
        choose: AsyncChoose,
        on_finished: OnFinished | None,
        patience_s: float | None,
    ) -> None:
        limits = await self._unless_ended(self._repeat(self._call("GET", api_path("limits")), patience_s))
        if limits is None:
            return
        wait = self._apply_limits(limits, state)
        await self._check_matches(goal, on_finished)
        tasks = PlayTasks(self, state, choose, patience_s)
        left, backoff = False, self._backoff(patience_s)
        try:
            while not goal.reached and not self._stop.is_set() and not left:
                await self._find(search, state)
                await tasks.fill(min(wait, search.longest_wait))
                for request, answer in await tasks.answers():
                    if isinstance(answer, KozyrError):
                        self._recover_cursor(state, request, answer)
                        continue
                    over, must_pause = state.apply(request, answer)
                    left |= answer.get("running") == 0
                    self._notify(goal.add_polled(over), on_finished)
                    idle = not over and not state.known and not request.moves
                    search.polled(over, idle=idle)
                    if idle:
                        await self._check_matches(goal, on_finished)
                    if must_pause:
                        await self._sleep(backoff.pause(incomplete(request)))
                    else:
                        backoff = self._backoff(patience_s)
        finally:
            await tasks.close()
        while state.ready:
            request = state.next_request(0)
            over, must_pause = state.apply(request, await self._repeat(self._turns_call(request), ENDING_S))
            self._notify(goal.add_polled(over), on_finished)
            if must_pause:
                await self._sleep(backoff.pause(incomplete(request)))
        await self._leave(search)

    async def _unless_ended(self, call: Coroutine[Any, Any, Any]) -> Any:
        """Return the result of a call, or `None` if `stop` or `finish` is called first."""
        calling, *ends = (
            asyncio.create_task(each) for each in (call, self._stop.wait(), self._finish.wait())
        )
        try:
            await asyncio.wait([calling, *ends], return_when=asyncio.FIRST_COMPLETED)
            return calling.result() if calling.done() else None
        finally:
            for task in (calling, *ends):
                task.cancel()
            await asyncio.gather(calling, *ends, return_exceptions=True)

    def stop(self) -> None:
        """End `play`: cancel all running `choose` calls, and send the moves already chosen.

        Call it in the thread of the event loop.
        """
        self._stop.set()

    def finish(self) -> None:
        """Begin no new match, leave the queue, and end `play` when the running matches are over.

        Call it in the thread of the event loop.
        """
        self._finish.set()

    def finish_on_signals(self) -> None:
        """Let the first SIGINT or SIGTERM call `finish`. The second one ends the program at once.

        Call it in the main thread, inside the event loop.
        """
        loop = asyncio.get_running_loop()

        def first(number: int, frame: object) -> None:
            for each, handler in before.items():
                signal.signal(each, handler)
            loop.call_soon_threadsafe(self.finish)

        # Windows has no signal handlers of event loops.
        before = {number: signal.signal(number, first) for number in SIGNALS}

    async def _find(self, search: OpponentSearch, state: LoopState) -> None:
        """Send the requests to the queue that are due."""
        while (
            not self._stop.is_set()
            and (request := search.next_request(ending=self._finish.is_set())) is not None
        ):
            try:
                search.take(await self._once(self._queue_call(request, state.margin_s)))
            except RetryLater as failure:
                search.postpone(failure)
                return
            except KozyrError as error:
                search.take_refusal(error)

    async def _leave(self, search: OpponentSearch) -> None:
        """Leave the queue if the bot may wait there."""
        if (request := search.next_request(ending=True)) is not None:
            try:
                await self._repeat(self._queue_call(request, ENDING_S), ENDING_S)
            except KozyrError as error:
                search.take_refusal(error)

    async def _check_matches(self, goal: LoopGoal, on_finished: OnFinished | None) -> None:
        for match in sorted(goal.missing or ()):
            self._notify(goal.add_view(await self.match(match)), on_finished)

    @staticmethod
    def _notify(over: list[Finished], on_finished: OnFinished | None) -> None:
        for each in over:
            if on_finished is not None:
                on_finished(each)

    async def _once(self, call: Json) -> Any:
        with retryable_errors(known=self._known):
            return self._read_response(await self._http.request(**call), call)

    async def _repeat(self, call: Json, patience_s: float | None) -> Any:
        backoff = self._backoff(patience_s)
        while True:
            try:
                return await self._once(call)
            except RetryLater as failure:
                await self._sleep(self._pause(backoff, failure))
                call = self._lengthened(call, failure)
            except KozyrError as error:
                call = self._recover_join(call, error, backoff)


class PlayTasks:
    """The concurrent tasks of `AsyncClient.play`.

    They are a waiting poll, a request for the moves that become ready meanwhile, and the calls of `choose`. When no
    `choose` is running, the moves go out with the poll.
    """

    def __init__(
        self,
        client: AsyncClient,
        state: LoopState,
        choose: AsyncChoose,
        patience_s: float | None,
    ) -> None:
        self._client, self._state, self._choose = client, state, choose
        self._patience_s = patience_s
        self._thinking: dict[asyncio.Task[object], Turn] = {}
        self._poll: asyncio.Task[Any] | None = None
        self._requests: dict[asyncio.Task[Any], TurnsRequest] = {}
        self._stopped = asyncio.create_task(client._stop.wait())
        self._finishing = asyncio.create_task(client._finish.wait())

    async def fill(self, wait: float) -> None:
        """Start new tasks, among them a poll with this wait, and cancel `choose` for turns that are over."""
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
        await self._begin_to_leave()
        if self._poll is None:
            self._poll = self._start(wait)
        elif self._state.ready and len(self._requests) == 1:
            self._start(0)

    async def answers(self) -> list[tuple[TurnsRequest, Json | KozyrError]]:
        """Wait until a task is done, and return the responses that have arrived."""
        running = {*self._thinking, *self._requests, self._stopped}
        if not self._state.leaving:
            running.add(self._finishing)
        done, _ = await asyncio.wait(running, return_when=asyncio.FIRST_COMPLETED)
        self._take_moves()
        responses: list[tuple[TurnsRequest, Json | KozyrError]] = []
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
        tasks = [*self._thinking, *self._requests, self._stopped, self._finishing]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        for request in self._requests.values():
            self._state.resend(request)
        self._requests.clear()
        self._thinking.clear()

    async def _begin_to_leave(self) -> None:
        """Cancel the poll after `finish`, and send its moves again: it would begin new matches."""
        if self._state.leaving or not self._client._finish.is_set():
            return
        self._state.leaving = True
        poll, self._poll = self._poll, None
        if poll is not None:
            poll.cancel()
            await asyncio.gather(poll, return_exceptions=True)
            self._state.resend(self._requests.pop(poll))

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

"""The load of seats in matches of their own: all the moves they can make, a fixed rate, or moves until a kill."""

from __future__ import annotations

import contextlib
import selectors
import time
from collections import deque
from collections.abc import Callable, Sequence
from typing import NamedTuple

from bench.support.load import Load, _Connection

PATIENCE_S = 5.0
"""How long the load waits for moves that are still open at its end."""


class LoadSeat(_Connection):
    """A connection that makes moves in its own match. `receive` returns whether the next turn has come."""

    turn: int
    """The number of the open turn, which grows with every move."""

    def stored_turn(self) -> int:
        """Return the turn that the server has stored as open in this match, 0 if it has no such match."""
        raise NotImplementedError


class Offered(NamedTuple):
    """What a fixed rate of moves found."""

    latencies: list[float]
    """Seconds from the time when a move was due to its answer, for unanswered moves to the end of the run."""
    unanswered: int


class SeatsLoad(Load):
    """A load of seats that speak any protocol."""

    def __init__(self, url: str, seats: Sequence[LoadSeat]) -> None:
        super().__init__(url, ())
        self.seats = tuple(seats)
        self._connections += self.seats
        for seat in self.seats:
            self._selector.register(seat.sock, selectors.EVENT_READ, seat)

    def offer(self, rate: float, seconds: float) -> Offered:
        """Offer `rate` moves a second, spread evenly over the seats.

        A move that is due before its seat has the last answer waits, and its latency includes the wait. The loop never
        sleeps, because a timer would be late by up to a millisecond.
        """
        seats = self.seats
        waiting: dict[LoadSeat, deque[float]] = {seat: deque() for seat in seats}
        latencies: list[float] = []
        moves, offered = round(rate * seconds), 0
        start = time.perf_counter()
        while len(latencies) < moves and (now := time.perf_counter() - start) < seconds + PATIENCE_S:
            while offered < moves and offered / rate <= now:
                seat = seats[offered % len(seats)]
                waiting[seat].append(start + offered / rate)
                offered += 1
                if len(waiting[seat]) == 1:
                    seat.send()
            for key, _ in self._selector.select(0):
                if key.data.receive():
                    dues = waiting[key.data]
                    latencies.append(time.perf_counter() - dues.popleft())
                    if dues:
                        key.data.send()
        end = time.perf_counter()
        late = [end - due for dues in waiting.values() for due in dues]
        return Offered([*latencies, *late], len(late))

    def run_until_killed(self, seconds: float, kill: Callable[[], object]) -> None:
        """Make moves, kill the server while moves are open, and take the answers that it had sent."""
        for seat in self.seats:
            seat.send()
        start = time.perf_counter()
        while time.perf_counter() - start < seconds:
            for key, _ in self._selector.select(1.0):
                if key.data.receive():
                    key.data.send()
        kill()
        for seat in self.seats:
            with contextlib.suppress(RuntimeError, ConnectionError):
                while True:
                    seat.receive()

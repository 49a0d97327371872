"""Responses whose size is not known in advance, charged by what they send.

Every `CHARGED_BYTES` of a stream count like the requests that they are worth. A request that has begun can't get a 429
any more. So beyond the limit a list goes on at the rate of the limit, which further requests are refused by, and a
stream of events ends; the client continues it from its last event.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Final

from flask import request

from api.limits.rates import BYTES_PER_REQUEST, CountedRequest, Rates, RateScope, rates

if TYPE_CHECKING:
    from collections.abc import Callable

CHARGED_BYTES: Final = 8 * BYTES_PER_REQUEST


class ByteMeter:
    """Charges one stream to the limit that its request counted for."""

    open_streams: Final[Counter[tuple[RateScope, str]]] = Counter()
    """How many streams of each client are open in this process: they share its rate."""

    def __init__(self, counts: Rates, counted: CountedRequest) -> None:
        self._rates, self._uncharged = counts, 0
        self._key = (counted.scope, counted.client)
        self._is_open = False

    def sent(self, size: int) -> float:
        """Charge sent bytes. Return how long to wait before the next ones, in seconds: 0 within the limit."""
        if not self._is_open:
            self._is_open = True
            self.open_streams[self._key] += 1
        self._uncharged += size
        return self._charge() if self._uncharged >= CHARGED_BYTES else 0.0

    def close(self) -> None:
        """Charge the rest."""
        if self._is_open:
            self._is_open = False
            self._charge()
            self.open_streams[self._key] -= 1
            if not self.open_streams[self._key]:
                del self.open_streams[self._key]

    def _charge(self) -> float:
        cost, self._uncharged = divmod(self._uncharged, BYTES_PER_REQUEST)
        now = self._rates.count(*self._key, cost) if cost else None
        if now is None or not now.over:
            return 0.0
        return cost * now.rate.window_s / now.rate.limit * self.open_streams[self._key]


def meter_of(counts: Rates, counted: Iterable[CountedRequest]) -> ByteMeter | None:
    """Return the meter of a response to a request that counted for these limits; `None` if it counted for none."""
    last = [each for each in counted if each.scope is not RateScope.REFUSED_MOVES]
    return ByteMeter(counts, last[-1]) if last else None


def current() -> ByteMeter | None:
    """Return the meter of the response to the current request, which was counted."""
    return meter_of(rates(), request.environ.get("kozyr.counted", ()))


def metered(
    pieces: Iterable[bytes], meter: ByteMeter, wait: Callable[[float], object] = time.sleep
) -> Iterator[bytes]:
    """Yield the pieces of a stream, as fast as its meter allows."""
    try:
        for piece in pieces:
            yield piece
            if seconds := meter.sent(len(piece)):
                wait(seconds)
    finally:
        meter.close()
        close = getattr(pieces, "close", None)
        if close is not None:
            close()

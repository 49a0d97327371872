"""A service that is busy, over a rate or away for a moment is asked again, when it says and not for ever."""

from __future__ import annotations

import contextlib
import json
import time
from collections.abc import Callable, Iterator, Mapping
from itertools import count
from typing import Final

import httpx

from bots.client import retry_after

AGAIN: Final = frozenset({429, 503})
"""Statuses that say: come again."""
PATIENCE_S: Final = 300.0
"""For so long an answer is waited for; the limits of a service have windows of an hour at most, mostly a minute."""
LONGEST_PAUSE_S: Final = 30.0
"""The longest pause where the service names none; the first is a second, and each is twice the one before."""


class TooBusy(Exception):
    """The service was busy for too long, or says that it will be. The text says what it said last."""


@contextlib.contextmanager
def opened(
    http: httpx.Client,
    url: httpx.URL | str,
    headers: Mapping[str, str],
    tell: Callable[[str], object],
    *,
    sleep: Callable[[float], object] = time.sleep,
    clock: Callable[[], float] = time.monotonic,
) -> Iterator[httpx.Response]:
    """The answer to a GET, whatever it is but one that says to come again, not read yet. What is waited for is told.
    Raises `TooBusy`, and what httpx does."""
    began = clock()
    for tries in count(1):
        with http.stream("GET", url, headers=dict(headers)) as answer:
            if answer.status_code not in AGAIN:
                yield answer
                return
            said = refusal(answer)
            named = retry_after(answer.headers.get("Retry-After"))
        pause = min(LONGEST_PAUSE_S, 2.0 ** (tries - 1)) if named is None else named
        if clock() + pause > began + PATIENCE_S:
            raise TooBusy(
                f"{said} (asked {tries} times in {clock() - began:.0f} s; it is to be asked again in {pause:.0f} s)"
            )
        tell(f"{said}; asked again in {pause:.0f} s")
        sleep(pause)


def refusal(answer: httpx.Response) -> str:
    """What an answer that is no success says, in words."""
    try:
        detail = json.loads(answer.read())["detail"]
    except (ValueError, KeyError, TypeError):
        detail = answer.reason_phrase
    return f"{answer.status_code}: {detail}"

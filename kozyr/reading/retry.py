"""Retry GET requests to a service that is busy or limits rates, for a limited time."""

from __future__ import annotations

import contextlib
import json
import time
from collections.abc import Callable, Iterator, Mapping
from itertools import count
from typing import Final

import httpx

from kozyr_client import retry_after

AGAIN: Final = frozenset({429, 503})
"""Statuses after which a request is retried."""
PATIENCE_S: Final = 300.0
"""How long requests are retried, in seconds. Rate windows of a service are a minute, and an hour at most."""
LONGEST_PAUSE_S: Final = 30.0
"""The longest pause without a `Retry-After`, in seconds. Pauses start at one second and double."""


class TooBusy(Exception):
    """The service was busy for too long, or will be. The text holds its last refusal."""


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
    """Send a GET and yield its unread response once its status is not one of `AGAIN`. Report each pause to `tell`.
    Raise `TooBusy`, or an error of httpx."""
    began = clock()
    for tries in count(1):
        with http.stream("GET", url, headers=dict(headers)) as answer:
            if answer.status_code not in AGAIN:
                yield answer
                return
            reason = refusal(answer)
            named = retry_after(answer.headers.get("Retry-After"))
        pause = min(LONGEST_PAUSE_S, 2.0 ** (tries - 1)) if named is None else named
        if clock() + pause > began + PATIENCE_S:
            raise TooBusy(
                f"{reason} (gave up after {tries} requests in {clock() - began:.0f} s; "
                f"the next would be in {pause:.0f} s)"
            )
        tell(f"{reason}; retrying in {pause:.0f} s")
        sleep(pause)


def refusal(answer: httpx.Response) -> str:
    """Return the status and detail of a response that is not a success."""
    try:
        detail = json.loads(answer.read())["detail"]
    except (ValueError, KeyError, TypeError):
        detail = answer.reason_phrase
    return f"{answer.status_code}: {detail}"

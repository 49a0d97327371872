"""Responses, retries and streams of records."""

from __future__ import annotations

import contextlib
import email.utils
import json
import logging
import secrets
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime
from typing import Any, Final
from urllib.parse import quote

import httpx

from kozyr_client.errors import KozyrError
from kozyr_client.loop import TurnsRequest
from kozyr_client.turns import Json

FIRST_PAUSE_S: Final = 0.1
LONGEST_PAUSE_S: Final = 5.0
LONGEST_RETRY_AFTER_S: Final = 60.0
RETRIED: Final = frozenset({408, 425, 429, 500, 502, 503, 504})
"""Statuses to retry when the response itself has no `retryable`."""

log = logging.getLogger("kozyr.client")


class RetryLater(Exception):
    """A failure to retry, `after` seconds later if the service sent `Retry-After`."""

    def __init__(self, error: KozyrError, after: float | None = None) -> None:
        super().__init__(error)
        self.error, self.after = error, after


class Backoff:
    """The pauses between the attempts of a request, for `patience_s` seconds in all."""

    def __init__(
        self, patience_s: float | None, clock: Callable[[], float], jitter: Callable[[], float]
    ) -> None:
        self._until = None if patience_s is None else clock() + patience_s
        self._clock, self._jitter = clock, jitter
        self.failures = 0

    def pause(self, failure: RetryLater) -> float:
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


def read_json(response: httpx.Response) -> Any:
    """Return the JSON of a response. Raise `RetryLater`, or `KozyrError` for a refusal."""
    check_status(response)
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
        raise RetryLater(unreachable(f"the response is not JSON: {error}")) from error


def check_status(response: httpx.Response) -> None:
    if response.is_success:
        return
    if response.is_redirect:
        target = response.headers.get("Location", "")
        detail = f"the service is not at this address, which redirects to {target!r}; set the address of the service"
        raise KozyrError(f"http_{response.status_code}", response.status_code, {"detail": detail})
    try:
        problem = response.json()
    except ValueError:
        problem = None
    if not isinstance(problem, dict):
        kind = response.headers.get("Content-Type", "without a type")
        problem = {"detail": f"the response is {kind}, not a problem of a Kozyr service"}
    status = response.status_code
    error = KozyrError(str(problem.get("code") or f"http_{status}"), status, problem)
    if problem.get("retryable", status in RETRIED):
        raise RetryLater(error, retry_after(response.headers.get("Retry-After")))
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


def unreachable(detail: str) -> KozyrError:
    return KozyrError("unreachable", None, {"detail": detail})


@contextlib.contextmanager
def retryable_errors() -> Iterator[None]:
    """Convert transport errors of httpx into `RetryLater`, except those that no retry can fix."""
    try:
        yield
    except (httpx.UnsupportedProtocol, httpx.LocalProtocolError, httpx.TooManyRedirects):
        raise
    except httpx.RequestError as error:
        raise RetryLater(unreachable(f"{type(error).__name__} {error}".strip())) from error


def incomplete(request: TurnsRequest) -> RetryLater:
    return RetryLater(unreachable(f"{len(request.moves)} moves did not all get a result"))


def api_path(*parts: str) -> str:
    return "/v1/" + "/".join(quote(part, safe="") for part in parts)


def without_none(**values: Any) -> Json:
    """Return the values that are not `None`. The service fills in the defaults."""
    return {name: value for name, value in values.items() if value is not None}


def new_key() -> str:
    return secrets.token_hex(16)


class DeprecationWarnings:
    """Warns once for each deprecated route (RFC 9745)."""

    def __init__(self) -> None:
        self._warned: set[tuple[str, str]] = set()

    def look_at(self, response: httpx.Response, method: str, path: str) -> None:
        """Log a warning if the response says that its route is deprecated."""
        # Ids in the path differ; what is left names the route well enough.
        route = method, "/".join(path.split("/")[:3])
        if "Deprecation" not in response.headers or route in self._warned:
            return
        self._warned.add(route)
        sunset = response.headers.get("Sunset")
        until = f" and may end on {sunset}" if sunset else ""
        log.warning("%s %s is deprecated%s: upgrade kozyr-client", method, path, until)


class RecordPages:
    """A stream of pages of records. It yields each record once, even if a page breaks off and is read again."""

    def __init__(self, filters: Mapping[str, Any]) -> None:
        self.params = dict(filters)
        self._seen: set[str] = set()

    def records(self, line: str) -> list[Json]:
        """Return the record of a line, unless it was yielded before. Raise `RetryLater` for an incomplete line."""
        if not line.strip():
            return []
        try:
            record: Json = json.loads(line)
        except ValueError as error:
            raise RetryLater(unreachable(f"an incomplete line: {error}")) from error
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

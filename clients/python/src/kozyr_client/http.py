"""Responses, retries and streams of records."""

from __future__ import annotations

import contextlib
import email.utils
import json
import logging
import secrets
import ssl
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
WARN_AGAIN_S: Final = 60.0
"""How long a failure must last for another warning."""
RETRIED: Final = frozenset({408, 425, 429})
"""Statuses below 500 that are retried, also from a proxy."""
TEXT: Final = "text/plain"
SHAPES: Final[Mapping[tuple[str, str], Mapping[str, type]]] = {
    ("GET", "/v1/limits"): {"max_moves": int},
    ("POST", "/v1/turns"): {"results": list, "turns": list, "finished": list, "since": str},
    ("POST", "/v1/queue"): {"state": str},
    ("GET", "/v1/queue"): {"state": str},
    ("DELETE", "/v1/queue"): {"state": str},
}
"""Fields that show that a response comes from a Kozyr service, by method and path."""

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
        self._warn_at = clock()
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
        is_news = self._clock() >= self._warn_at
        if is_news:
            self._warn_at = self._clock() + WARN_AGAIN_S
        report = log.warning if is_news else log.info
        report("%s; attempt %d in %.2f s", failure.error, self.failures + 1, pause)
        return pause


def read_json(response: httpx.Response, method: str, path: str, *, known: bool) -> Any:
    """Return the JSON of a response.

    Raise `KozyrError` for a refusal of the service, and `RetryLater` for one that is retryable. A response from
    elsewhere, such as a proxy's page, also raises `RetryLater` if the service is `known`, that is, has answered before.
    """
    check_status(response, known=known)
    try:
        answer = response.json() if response.content else {}
    except ValueError as error:
        if is_json(response):
            raise RetryLater(unreachable(f"the response is not JSON: {error}")) from error
        answer = None
    shape = SHAPES.get((method, path), {})
    fits = isinstance(answer, dict) and all(
        isinstance(answer.get(name), kind) for name, kind in shape.items()
    )
    if answer is None or (shape and not fits):
        raise _from_elsewhere(response, known=known)
    return answer


def read_text(response: httpx.Response, *, known: bool) -> str:
    """Return the text of a response. Raise as `read_json` does."""
    check_status(response, known=known)
    if not response.headers.get("Content-Type", "").startswith(TEXT):
        raise _from_elsewhere(response, known=known)
    return response.text


def check_status(response: httpx.Response, *, known: bool) -> None:
    """Raise an error, as `read_json` does, unless the request succeeded."""
    if response.is_success:
        return
    problem = problem_of(response)
    if problem is None:
        raise _from_elsewhere(response, known=known)
    status = response.status_code
    error = KozyrError(problem["code"], status, problem)
    if problem.get("retryable", status in RETRIED or status >= 500):
        raise _later(error, response)
    raise error


def problem_of(response: httpx.Response) -> Json | None:
    """Return the problem document of a response, or `None` if it has none of a Kozyr service."""
    if not response.headers.get("Content-Type", "").startswith("application/problem+json"):
        return None
    try:
        problem = response.json()
    except ValueError:
        return None
    is_ours = isinstance(problem, dict) and str(problem.get("type")).endswith(f"#{problem.get('code')}")
    return problem if is_ours else None


def is_json(response: httpx.Response) -> bool:
    """Return whether the response claims to be JSON, or claims nothing."""
    kind = response.headers.get("Content-Type", "")
    return not kind or "json" in kind


def proves_service(response: httpx.Response, method: str, path: str) -> bool:
    """Return whether a response that `read_json` accepted can only come from a Kozyr service."""
    return (method, path) in SHAPES if response.is_success else problem_of(response) is not None


def _from_elsewhere(response: httpx.Response, *, known: bool) -> Exception:
    """Return the error for a response that is not one of a Kozyr service."""
    status = response.status_code
    if response.is_redirect:
        target = response.headers.get("Location", "")
        detail = f"the service is not at this address, which redirects to {target!r}; set the address of the service"
    else:
        kind = response.headers.get("Content-Type", "without a type")
        what = "response" if response.is_success else "problem"
        detail = f"the response is {kind}, not a {what} of a Kozyr service"
    error = KozyrError(f"http_{status}", status, {"detail": detail})
    return _later(error, response) if known or status in RETRIED or status >= 500 else error


def _later(error: KozyrError, response: httpx.Response) -> RetryLater:
    return RetryLater(error, retry_after(response.headers.get("Retry-After"), response.headers.get("Date")))


def retry_after(text: str | None, now: str | None = None) -> float | None:
    """Return the seconds that a `Retry-After` header asks for, in either form, or `None`.

    A date counts from `now`, the response's `Date`, or else from the clock of this machine.
    """
    if not text:
        return None
    with contextlib.suppress(ValueError):
        return max(0.0, float(text))
    with contextlib.suppress(ValueError, TypeError):
        since = email.utils.parsedate_to_datetime(now) if now else datetime.now(UTC)
        return max(0.0, (email.utils.parsedate_to_datetime(text) - since).total_seconds())
    return None


def unreachable(detail: str) -> KozyrError:
    return KozyrError("unreachable", None, {"detail": detail})


@contextlib.contextmanager
def retryable_errors(*, known: bool) -> Iterator[None]:
    """Convert transport errors of httpx into `RetryLater`, and those that no retry can fix into `KozyrError`.

    A certificate is wrong for good only if the service is not `known`: later, something on the way may be at fault.
    """
    try:
        yield
    except KozyrError as error:
        if known and error.code == "response_refused":
            raise RetryLater(error) from error
        raise
    except (
        httpx.InvalidURL,
        httpx.UnsupportedProtocol,
        httpx.LocalProtocolError,
        httpx.TooManyRedirects,
    ) as error:
        raise unreachable(f"the request can't be sent: {error}") from error
    except httpx.RequestError as error:
        trouble = tls_trouble(error)
        if trouble is not None and not known:
            raise unreachable(trouble) from error
        raise RetryLater(unreachable(trouble or f"{type(error).__name__} {error}".strip())) from error


def tls_trouble(error: BaseException) -> str | None:
    """Return what is wrong with the service's TLS, in a sentence, or `None` if it was not TLS that failed."""
    why: BaseException | None = error
    while why is not None:
        if isinstance(why, ssl.SSLCertVerificationError):
            return (
                f"the certificate is not trusted ({why.verify_message}); check the address, or name the file with"
                " your own CA in SSL_CERT_FILE"
            )
        if isinstance(why, ssl.SSLError) and not isinstance(why, ssl.SSLEOFError | ssl.SSLZeroReturnError):
            return f"TLS fails ({why.reason or why}); check whether the address needs http or https"
        why = why.__cause__ or why.__context__
    return None


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

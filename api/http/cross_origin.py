"""Cross-origin requests (CORS) for origins that the operator allows; for none by default.

Cookies are never accepted from other origins (no `Access-Control-Allow-Credentials`), so a page there can do only what
its user's token permits, and only if the user gives it the token.
"""

from __future__ import annotations

from typing import Final

from flask import Request, Response

from api.http.headers import Headers

ANY: Final = "*"
_REQUEST_HEADERS: Final = (
    "Accept-Language, Authorization, Content-Type, Idempotency-Key, If-None-Match, If-Range, Last-Event-ID, "
    "Range"
)
_RESPONSE_HEADERS: Final = (
    "Accept-Ranges, Content-Language, Content-Range, Deprecation, ETag, Idempotency-Replayed, Kozyr-Cursor, Location, "
    "RateLimit, RateLimit-Policy, Retry-After, Sunset, X-Request-Id"
)
_PREFLIGHT_AGE_S: Final = 600


def of_origins(origins: frozenset[str]) -> Headers:
    """Return the headers of every response if these origins may read responses, also for a request without one."""
    return (("Vary", "Origin"),) if origins and ANY not in origins else ()


def of_origin(origin: str | None, origins: frozenset[str]) -> Headers:
    """Return the headers with which pages of this origin may read a response; none if it is not among `origins`, which
    may have `ANY`."""
    if origin is None or not (ANY in origins or origin in origins):
        return ()
    return (
        ("Access-Control-Allow-Origin", ANY if ANY in origins else origin),
        ("Access-Control-Expose-Headers", _RESPONSE_HEADERS),
    )


def allow_origin(request: Request, response: Response, origins: frozenset[str]) -> None:
    """Let pages of these origins read the response, and answer a preflight. `origins` may have `ANY`."""
    if ANY not in origins:
        response.vary.add("Origin")
    allowed = of_origin(request.headers.get("Origin"), origins)
    headers = response.headers
    headers.extend(allowed)
    if allowed and request.method == "OPTIONS" and "Access-Control-Request-Method" in request.headers:
        headers["Access-Control-Allow-Methods"] = headers.get("Allow", "")
        headers["Access-Control-Allow-Headers"] = _REQUEST_HEADERS
        headers["Access-Control-Max-Age"] = str(_PREFLIGHT_AGE_S)

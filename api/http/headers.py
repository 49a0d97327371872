"""Headers of every response, from the application or from the server before it.

By default there is no CORS, so scripts of other origins can't read responses. Bots are not browsers, a token does not
belong on another site's page, and a service inside a network must not be readable through its users' browsers. An
operator may allow origins (`api.http.cross_origin`).

This module imports nothing of ours, because gunicorn's master imports it before gevent patches the standard library.
"""

from __future__ import annotations

from typing import Final

Headers = tuple[tuple[str, str], ...]

PAGE_POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; "
    "font-src 'self' data:; connect-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"
)
"""For the documentation, where Swagger UI writes its own style sheets."""
_DATA_POLICY: Final = "default-src 'none'; frame-ancestors 'none'"
_ALL: Final[Headers] = (
    ("X-Content-Type-Options", "nosniff"),
    ("Referrer-Policy", "no-referrer"),
)
_OWN_PAGES_ONLY: Final = ("Cross-Origin-Resource-Policy", "same-origin")
_ANY_PAGE: Final = ("Cross-Origin-Resource-Policy", "cross-origin")
_TLS: Final[Headers] = (("Strict-Transport-Security", "max-age=31536000"),)


def of_pages(behind_tls: bool) -> Headers:
    """Return the headers of an HTML page."""
    return (*_ALL, _OWN_PAGES_ONLY, ("Content-Security-Policy", PAGE_POLICY), *(_TLS if behind_tls else ()))


def of_data(behind_tls: bool) -> Headers:
    """Return the headers of data, which no browser may run or show in a frame."""
    return (*_ALL, _OWN_PAGES_ONLY, ("Content-Security-Policy", _DATA_POLICY), *(_TLS if behind_tls else ()))


def of_pictures(behind_tls: bool) -> Headers:
    """Return the headers of a picture. Pages of any origin may embed it (`<img>`), but their scripts can't read it."""
    return (*_ALL, _ANY_PAGE, ("Content-Security-Policy", _DATA_POLICY), *(_TLS if behind_tls else ()))

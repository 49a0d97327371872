"""Headers that every answer has, whoever gives it: the application, or the server before it.

There is no CORS: pages of other origins may not read the answers. Bots are no pages, tokens belong into no page
of others, and a service inside a network should not be readable through the browser of whoever is inside. Who
wants to show standings elsewhere serves his page from the same origin, or fetches them on his server.

Imports nothing, since gunicorn's master imports it before gevent has patched anything.
"""

from __future__ import annotations

from typing import Final

Headers = tuple[tuple[str, str], ...]

PAGE_POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; "
    "font-src 'self' data:; connect-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"
)
"""For the pages of the documentation, whose style sheets Swagger UI writes itself."""
_DATA_POLICY: Final = "default-src 'none'; frame-ancestors 'none'"
_ALL: Final[Headers] = (
    ("X-Content-Type-Options", "nosniff"),
    ("Referrer-Policy", "no-referrer"),
)
_OWN_PAGES_ONLY: Final = ("Cross-Origin-Resource-Policy", "same-origin")
_ANY_PAGE: Final = ("Cross-Origin-Resource-Policy", "cross-origin")
_TLS: Final[Headers] = (("Strict-Transport-Security", "max-age=31536000"),)


def of_pages(behind_tls: bool) -> Headers:
    """For a page that people look at."""
    return (*_ALL, _OWN_PAGES_ONLY, ("Content-Security-Policy", PAGE_POLICY), *(_TLS if behind_tls else ()))


def of_data(behind_tls: bool) -> Headers:
    """For everything else: nothing in it is to be run or shown in a frame."""
    return (*_ALL, _OWN_PAGES_ONLY, ("Content-Security-Policy", _DATA_POLICY), *(_TLS if behind_tls else ()))


def of_pictures(behind_tls: bool) -> Headers:
    """For a picture, which pages of any origin may embed (`<img>`); their scripts still cannot read it."""
    return (*_ALL, _ANY_PAGE, ("Content-Security-Policy", _DATA_POLICY), *(_TLS if behind_tls else ()))

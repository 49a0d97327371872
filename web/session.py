"""Who looks at a page, and the protection of forms against requests from other sites (CSRF).

A session is a cookie with the owner's token, which scripts can't read. It ends with the token. A form holds a code
that derives from the cookie; a visitor without a session gets a cookie with a random text for it. In addition a
browser's own headers must not say that the request comes from another site.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
from dataclasses import dataclass, field
from typing import Final
from urllib.parse import urlsplit

from flask import Response, g, request
from werkzeug.exceptions import Forbidden

from league.accounts.tokens import Scope, Token, TokenKind
from web.languages import COOKIE as LANGUAGE_COOKIE
from web.languages import Language, chosen
from web.services import services

_SESSION: Final = "kozyr_session"
_VISITOR: Final = "kozyr_visitor"
_YEAR_S: Final = 365 * 86_400
_MONTH_S: Final = 30 * 86_400


class SignInNeeded(Exception):
    """The page is for signed-in owners only."""


@dataclass(slots=True)
class Viewer:
    """Who looks at a page."""

    language: Language
    token: Token | None = None
    """The token of a signed-in owner."""
    secret: str = ""
    """The text of the cookie from which the codes of forms derive."""
    cookies: dict[str, tuple[str, int]] = field(default_factory=dict)
    """Cookies to set: their texts and ages in s. An age of 0 deletes the cookie."""

    @property
    def owner(self) -> str | None:
        """The id of the signed-in owner."""
        return None if self.token is None else self.token.owner

    @property
    def form_code(self) -> str:
        """The code that forms contain."""
        if not self.secret:
            self.secret = secrets.token_urlsafe(24)
            self.cookies[_name(_VISITOR)] = (self.secret, 0x7FFFFFFF)
        key = hashlib.sha256(b"kozyr-form\0" + services().secret.encode()).digest()
        return hmac.new(key, self.secret.encode(), hashlib.sha256).hexdigest()

    def sign_in(self, text: str) -> None:
        """Begin a session with the text of a valid token."""
        self.cookies[_name(_SESSION)] = (text, _MONTH_S)

    def sign_out(self) -> None:
        """End the session."""
        self.cookies[_name(_SESSION)] = ("", 0)
        self.token = None


def open_viewer() -> Viewer:
    """Return who looks at the requested page, without counting the request."""
    cookies = request.cookies
    asked = request.args.get("lang")
    viewer = Viewer(chosen(asked, cookies.get(LANGUAGE_COOKIE), request.accept_languages))
    if asked == viewer.language.code:
        viewer.cookies[LANGUAGE_COOKIE] = (asked, _YEAR_S)
    text = cookies.get(_name(_SESSION))
    if text:
        viewer.token = valid_owner_token(text)
        if viewer.token is None:
            viewer.sign_out()
    viewer.secret = (text if viewer.token else cookies.get(_name(_VISITOR))) or ""
    g.viewer = viewer
    return viewer


def viewer() -> Viewer:
    """Return who looks at the page of the current request."""
    current: Viewer = g.viewer
    return current


def count() -> None:
    """Count the request for its owner or its address. Raise the refusal over a limit."""
    token = viewer().token
    if token is None:
        services().counter.anonymous()
    else:
        services().counter.signed_in(token)


def signed_in() -> Token:
    """Return the token of the signed-in owner. Raise `SignInNeeded`."""
    token = viewer().token
    if token is None:
        raise SignInNeeded
    return token


def valid_owner_token(text: str) -> Token | None:
    """Return the valid owner token with this text, which may act for its owner, or `None`."""
    trip = services().trip()
    pending = services().accounts.ask_token(trip, text)
    trip.go()
    token = pending.answer
    if token is None or token.kind is not TokenKind.OWNER or Scope.READ not in token.scopes:
        return None
    return token


def check_form() -> None:
    """Raise `Forbidden` for a form that is not from a page of this site."""
    origin = request.headers.get("Origin")
    if request.headers.get("Sec-Fetch-Site", "same-origin") not in ("same-origin", "none"):
        raise Forbidden("the form was sent from another site")
    if origin is not None and urlsplit(origin).netloc != request.host:
        raise Forbidden("the form was sent from another site")
    current = viewer()
    if not current.secret or not hmac.compare_digest(
        current.form_code.encode(), request.form.get("code", "").encode()
    ):
        raise Forbidden("the form is too old; load the page again and send it once more")


def set_cookies(response: Response) -> None:
    """Set the viewer's new cookies."""
    for name, (text, age_s) in viewer().cookies.items():
        response.set_cookie(
            name,
            text,
            max_age=None if age_s == 0x7FFFFFFF else age_s,
            secure=services().behind_tls,
            httponly=True,
            samesite="Lax",
        )


def _name(cookie: str) -> str:
    """Return the name of a cookie. `__Host-` makes browsers refuse it over HTTP and from subdomains."""
    return f"__Host-{cookie}" if services().behind_tls else cookie

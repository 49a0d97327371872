"""Who looks at a page, and the protection of forms against requests from other sites (CSRF).

Signing in with a token creates another token for the browser alone, in a cookie that scripts can't read. Signing out
revokes it. A form holds a code that derives from the cookie; a visitor without a session gets a cookie with a random
text for it. Each page has its own code, which recognises a form that is sent twice, as by a double click. In addition a
browser's own headers must not say that the request comes from another site.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from flask import Response, g, request

from api.limits import rates
from api.limits.rates import RateScope
from api.services import services
from league.accounts.service import SESSION_S
from league.accounts.tokens import Scope, Token, TokenKind
from league.permissions import check_scope
from web.errors import FormRefused, SignInNeeded
from web.languages import COOKIE as LANGUAGE_COOKIE
from web.languages import chosen

if TYPE_CHECKING:
    from records.page.language import Language

_SESSION: Final = "kozyr_session"
_VISITOR: Final = "kozyr_visitor"
_SPOILERS: Final = "kozyr_spoilers"
_YEAR_S: Final = 365 * 86_400
_GUEST_S: Final = 3 * 86_400
_PAGE: Final = 24
"""How many characters of a form's code name its page. The others prove whose form it is."""


@dataclass(slots=True)
class Viewer:
    """Who looks at a page."""

    language: Language
    token: Token | None = None
    """The token of a signed-in owner or admin."""
    spoilers: bool = True
    """Whether pages say how matches ended to those who have not played them through."""
    has_ended: bool = False
    """Whether the browser has shown a session that is over."""
    secret: str = ""
    """The text of the cookie from which the codes of forms derive."""
    page: str = field(default_factory=lambda: secrets.token_hex(_PAGE // 2))
    """The random text that distinguishes the forms of this page from those of others."""
    cookies: dict[str, tuple[str, int | None]] = field(default_factory=dict)
    """Cookies to set: their texts and ages in s. `None` lasts until the browser ends, and 0 deletes the cookie."""

    @property
    def owner(self) -> str | None:
        """The id of the signed-in owner; `None` for admins too."""
        return self.token.owner if self.token is not None and self.token.kind is TokenKind.OWNER else None

    @property
    def is_admin(self) -> bool:
        """Whether an admin has signed in."""
        return self.token is not None and self.token.kind is TokenKind.ADMIN

    @property
    def needs_invitation(self) -> bool:
        """Whether signing up requires an invitation."""
        return not services().limits.open_registration

    @property
    def form_code(self) -> str:
        """The code that the forms of this page contain."""
        if not self.secret:
            self.secret = secrets.token_urlsafe(24)
            self.cookies[_name(_VISITOR)] = (self.secret, None)
        return self.code_of(self.page)

    def code_of(self, page: str) -> str:
        """Return the code of the forms of a page that was made for the holder of this secret."""
        key = hashlib.sha256(b"kozyr-form\0" + services().secret.encode()).digest()
        return page + hmac.new(key, f"{page} {self.secret}".encode(), hashlib.sha256).hexdigest()[_PAGE:]

    @property
    def guest_key(self) -> str:
        """What identifies a visitor who plays without signing in. The text of the cookie does not follow from it."""
        key = hashlib.sha256(b"kozyr-guest\0" + services().secret.encode()).digest()
        return hmac.new(key, self.secret.encode(), hashlib.sha256).hexdigest()[:26]

    def keep_guest(self) -> None:
        """Let the browser remember a guest for `_GUEST_S`, also after it was closed."""
        if self.token is None:
            self.cookies[_name(_VISITOR)] = (self.secret, _GUEST_S)

    def sign_in(self, token: Token) -> None:
        """Begin a session for the holder of this token."""
        self.token = token
        self.secret = services().accounts.issue_session(token)
        self.cookies[_name(_SESSION)] = (self.secret, SESSION_S)

    def sign_out(self) -> None:
        """Forget the session."""
        self.cookies[_name(_SESSION)] = ("", 0)
        self.token, self.secret = None, ""


def open_viewer() -> Viewer:
    """Return who looks at the requested page, without counting the request."""
    cookies = request.cookies
    asked = request.args.get("lang")
    viewer = Viewer(chosen(asked, cookies.get(LANGUAGE_COOKIE), request.accept_languages))
    if asked == viewer.language.code:
        viewer.cookies[LANGUAGE_COOKIE] = (asked, _YEAR_S)
    g.viewer = viewer  # the page of a failure shows it too
    spoilers = request.args.get("spoilers")
    if spoilers in ("yes", "no"):
        viewer.cookies[_SPOILERS] = (spoilers, None)
    viewer.spoilers = (spoilers or cookies.get(_SPOILERS)) != "no"
    text = cookies.get(_name(_SESSION))
    if text:
        viewer.token = valid_token(text)
        if viewer.token is None:
            viewer.sign_out()
            viewer.has_ended = True
    viewer.secret = (text if viewer.token else cookies.get(_name(_VISITOR))) or ""
    return viewer


def viewer() -> Viewer:
    """Return who looks at the page of the current request."""
    current: Viewer = g.viewer
    return current


def count() -> None:
    """Count the request for its owner or its address. Raise the refusal over a limit."""
    token = viewer().token
    if token is None:
        rates.check_address(RateScope.ANONYMOUS)
    else:
        rates.check_token(token, RateScope.REQUESTS)


def signed_in(*scopes: Scope) -> Token:
    """Return the token of the signed-in owner. Raise `SignInNeeded`, or `ScopeMissing` without one of the scopes."""
    token = viewer().token
    if token is None or token.kind is not TokenKind.OWNER:
        raise SignInNeeded("this page is for somebody who has signed in")
    for scope in scopes:
        check_scope(token, scope)
    return token


def creating(*scopes: Scope) -> Token:
    """Count what the signed-in owner creates. Return its token. Raise what `signed_in` does, or the refusal over a
    limit."""
    token = signed_in(*scopes)
    rates.check_token(token, RateScope.CREATIONS)
    return token


def signed_in_admin() -> Token:
    """Return the token of the signed-in admin. Raise `SignInNeeded`."""
    token = viewer().token
    if token is None or not viewer().is_admin:
        raise SignInNeeded("this page is for somebody who has signed in")
    check_scope(token, Scope.ADMIN)
    return token


def valid_token(text: str) -> Token | None:
    """Return the valid token of an owner or admin with this text, or `None`. Bots don't sign in."""
    pipeline = services().pipeline()
    pending = services().accounts.ask_token(pipeline, text)
    pipeline.go()
    token = pending.answer
    return None if token is None or token.kind is TokenKind.BOT else token


def check_form() -> None:
    """Raise `FormRefused` for a form that is not from a page of this site, and `SignInNeeded` if its session is
    over."""
    origin = request.headers.get("Origin")
    if request.headers.get("Sec-Fetch-Site", "same-origin") not in ("same-origin", "none"):
        raise FormRefused("the form was sent from another site")
    if origin is not None and origin.partition("://")[2] != request.host:
        raise FormRefused("the form was sent from another site")
    current = viewer()
    if current.has_ended:
        raise SignInNeeded("the session is over")
    code = request.form.get("code", "")
    if not current.secret or not hmac.compare_digest(current.code_of(code[:_PAGE]).encode(), code.encode()):
        raise FormRefused("the form is too old; load the page again and send it once more")


def form_seed(*fields: str) -> str:
    """Return a text for what the form creates: the same if the same form of a page is sent again."""
    return "\0".join(("form", request.form["code"], *fields))


def set_cookies(response: Response) -> None:
    """Set the viewer's new cookies."""
    for name, (text, age_s) in viewer().cookies.items():
        response.set_cookie(
            name,
            text,
            max_age=age_s,
            secure=services().behind_tls,
            httponly=True,
            samesite="Lax",
            path=request.script_root or "/",
        )


def _name(cookie: str) -> str:
    """Return the name of a cookie. `__Host-` makes browsers refuse it over HTTP and from subdomains.

    A cookie below a path prefix can only have `__Secure-`.
    """
    if not services().behind_tls:
        return cookie
    return f"__Secure-{cookie}" if request.script_root else f"__Host-{cookie}"

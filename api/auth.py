"""Authentication: the bearer token of a request, and what it permits."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Final

from flask import request

from api.host_and_accept import check_accept
from api.limits import rates
from api.limits.rates import RateScope
from api.problems import Problem
from api.services import services
from api.wire import known_query
from league.accounts.tokens import Scope, Token, TokenKind
from league.operators.audit import AuditActor
from league.permissions import check_scope
from referee.storage.store import PendingReply, ReadPipeline

if TYPE_CHECKING:
    from collections.abc import Callable

    from _typeshed.wsgi import WSGIEnvironment

    from api.contract.describe import RouteSpec
    from api.limits.rates import Rates
    from league.accounts.service import Accounts

_SCHEME: Final = "bearer "
_IDENTIFIED: Final = "kozyr.token"
"""The entry of the environment that has the token which `identify` looked up."""


def bearer(environ: WSGIEnvironment) -> str | None:
    """Return the text of the request's token, or `None` without one. Raise `Problem` for another scheme."""
    header: str | None = environ.get("HTTP_AUTHORIZATION")
    if header is None:
        return None
    if header[:7].lower() != _SCHEME:
        raise Problem("token_invalid", "send the token as `Authorization: Bearer …`")
    return header[7:].strip()


def token_missing() -> Problem:
    """Return the refusal of a request without a token."""
    return Problem("token_missing", "send your token as `Authorization: Bearer …`")


def token_invalid(environ: WSGIEnvironment, counted: Rates) -> Problem:
    """Return the refusal of an invalid token, and count it for the client's address."""
    try:
        counted.check_address(environ, RateScope.BAD_TOKENS)
    except Problem as too_many:
        return too_many
    return Problem("token_invalid", "the token is unknown, revoked or expired")


def count_reader() -> None:
    """Count a request to an endpoint that needs no token: for a valid token's bot or owner, else for the address.

    Raise `Problem` over the limit.
    """
    token: Token | None = None
    with contextlib.suppress(Problem, *services().store_errors):
        token = None if bearer(request.environ) is None else _look_up()
    if token is None:
        rates.check_address(RateScope.ANONYMOUS)
    else:
        rates.check_token(token, RateScope.REQUESTS)


def identify() -> None:
    """Look up the request's token for all that follows. Raise `Problem` for an invalid one."""
    token = _look_up()
    if token is None:
        raise token_invalid(request.environ, rates.rates())
    request.environ[_IDENTIFIED] = token


def guard(environ: WSGIEnvironment, spec: RouteSpec, counted: Rates) -> None:
    """Check what the specification of a route demands: a token, a supported `Accept`, no query. Raise `Problem`.

    Count requests of handlers without authentication, and requests that lack a token.
    """
    if spec.scope is not None and "HTTP_AUTHORIZATION" not in environ:
        counted.check_address(environ, RateScope.PAGES)
        raise token_missing()
    if spec.counts_reader:
        count_reader()
    check_accept(spec.kinds, environ)
    if spec.takes_no_query and environ.get("QUERY_STRING"):
        known_query(environ)


def count_refused() -> None:
    """Count a request that was refused before its handler counted it. Raise `Problem` over the limit."""
    if "kozyr.whom" not in request.environ and "kozyr.counted" not in request.environ:
        count_reader()


def ask(accounts: Accounts, pipeline: ReadPipeline, environ: WSGIEnvironment) -> PendingReply[Token | None]:
    """Add the look-up of the request's token to a pipeline. Raise `Problem` without a token."""
    text = bearer(environ)
    if text is None:
        raise token_missing()
    return accounts.ask_token(pipeline, text)


def checked(token: Token | None, scope: Scope, environ: WSGIEnvironment, counted: Rates) -> Token:
    """Return the token if it is valid and has the scope. If not, count the request, and raise `Problem` or
    `ScopeMissing`."""
    if token is None:
        raise token_invalid(environ, counted)
    if scope not in token.scopes:
        counted.check_token(environ, token, RateScope.REQUESTS)
        check_scope(token, scope)
    return token


def caller(scope: Scope, rate_scope: RateScope = RateScope.REQUESTS) -> Token:
    """Return the request's token, which needs this scope, and count the request. Raise `Problem`."""
    token = checked(_look_up(), scope, request.environ, rates.rates())
    rates.check_token(token, rate_scope)
    return token


def anybody(rate_scope: RateScope = RateScope.REQUESTS) -> Token:
    """Return the request's token, whatever its scopes, and count the request. Raise `Problem`."""
    token = _look_up()
    if token is None:
        raise token_invalid(request.environ, rates.rates())
    rates.check_token(token, rate_scope)
    return token


def reader() -> str | None:
    """Return the id of the calling bot, for what everybody may read and a bot sees its own view of.

    Return `None` without a token and for other tokens. Raise `Problem` for an invalid token.
    """
    token = asker()
    if token is None:
        return None
    if token.bot is not None and not token.scopes & {Scope.READ, Scope.PLAY}:
        raise Problem("scope_missing", "this requires a token with the scope `read`", scope=Scope.READ.value)
    return token.bot


def asker() -> Token | None:
    """Return the token of a request that needs none, or `None`. Raise `Problem` for an invalid token."""
    if bearer(request.environ) is None:
        rates.check_address(RateScope.ANONYMOUS)
        return None
    return anybody()


def bot_of(token: Token) -> str:
    """Return the id of the token's bot. Raise `Problem` for another kind of token."""
    if token.bot is None:
        raise Problem("wrong_token_kind", "this requires a bot's token", expected=TokenKind.BOT.value)
    return token.bot


def actor(token: Token) -> AuditActor:
    """Return the holder of a token, for the audit log."""
    return AuditActor(token.id, token.name)


def still_valid() -> Callable[[], bool]:
    """Return a function that looks up whether the request's token is still valid. It may be called after the
    request's handler has returned, and raises the errors of the store."""
    parts, text = services(), bearer(request.environ) or ""

    def look_up() -> bool:
        pipeline = parts.pipeline()
        pending = parts.accounts.ask_token(pipeline, text)
        pipeline.go()
        return pending.answer is not None

    return look_up


def _look_up() -> Token | None:
    known: Token | None = request.environ.get(_IDENTIFIED)
    if known is not None:
        return known
    pipeline = services().pipeline()
    pending = ask(services().accounts, pipeline, request.environ)
    pipeline.go()
    return pending.answer

"""Who asks: the bearer token of a request, and what it may do."""

from __future__ import annotations

import contextlib
from typing import Final

from flask import request

from api.limits import rates
from api.limits.rates import RateScope
from api.problems import Problem
from api.services import services
from league.accounts.tokens import Scope, Token, TokenKind
from referee.storage.store import PendingReply, ReadPipeline

_SCHEME: Final = "bearer "


def bearer() -> str | None:
    """The text of the request's token, or `None` where it sends none. Raises `Problem` for another scheme."""
    header = request.headers.get("Authorization")
    if header is None:
        return None
    if header[:7].lower() != _SCHEME:
        raise Problem("token_invalid", "the token is to be sent as `Authorization: Bearer …`")
    return header[7:].strip()


def token_missing() -> Problem:
    """The refusal of a request without a token."""
    return Problem("token_missing", "send your token as `Authorization: Bearer …`")


def token_invalid() -> Problem:
    """The refusal of a token that is not good, counted for the address that it came from."""
    try:
        rates.check_address(RateScope.BAD_TOKENS)
    except Problem as too_many:
        return too_many
    return Problem("token_invalid", "the token is unknown, revoked or expired")


def count_reader() -> None:
    """Count a request for what anybody may read and nobody has to be known for: by its token if that is good, else by
    its address. Raises `Problem` for one too many."""
    token: Token | None = None
    with contextlib.suppress(Problem, *services().store_errors):
        token = None if bearer() is None else _look_up()
    if token is None:
        rates.check_address(RateScope.ANONYMOUS)
    else:
        rates.check_token(token, RateScope.REQUESTS)


def ask(trip: ReadPipeline) -> PendingReply[Token | None]:
    """Add the look-up of the request's token to a trip. Raises `Problem` where there is none."""
    text = bearer()
    if text is None:
        raise token_missing()
    return services().accounts.ask_token(trip, text)


def checked(token: Token | None, scope: Scope) -> Token:
    """The token, if it is good and has the scope. Raises `Problem`."""
    if token is None:
        raise token_invalid()
    if scope not in token.scopes:
        raise Problem("scope_missing", f"this takes a token with the scope `{scope}`", scope=scope.value)
    return token


def caller(scope: Scope, of: RateScope = RateScope.REQUESTS) -> Token:
    """Who asks, with this scope, counted as `of`. Raises `Problem`."""
    token = checked(_look_up(), scope)
    rates.check_token(token, of)
    return token


def anybody(of: RateScope = RateScope.REQUESTS) -> Token:
    """Who asks, with whatever scopes, counted as `of`. Raises `Problem`."""
    token = _look_up()
    if token is None:
        raise token_invalid()
    rates.check_token(token, of)
    return token


def reader() -> str | None:
    """The id of the bot that asks, for what everybody may read and a bot sees its own view of. Without a token, or
    with one that is not a bot's, `None`. Raises `Problem` for a token that is not good."""
    token = asker()
    if token is None:
        return None
    if token.bot is not None and not token.scopes & {Scope.READ, Scope.PLAY}:
        raise Problem("scope_missing", "this takes a token with the scope `read`", scope=Scope.READ.value)
    return token.bot


def asker() -> Token | None:
    """Who asks for what everybody may read and some see more of; `None` without a token. Raises `Problem` for a token
    that is not good."""
    if bearer() is None:
        rates.check_address(RateScope.ANONYMOUS)
        return None
    return anybody()


def bot_of(token: Token) -> str:
    """The id of the bot for which a token speaks. Raises `Problem` for a token that is not a bot's."""
    if token.bot is None:
        raise Problem("wrong_token_kind", "this takes the token of a bot", expected=TokenKind.BOT.value)
    return token.bot


def owner_of(token: Token) -> str:
    """The id of the owner for whom a token speaks. Raises `Problem` for a token that is not an owner's."""
    if token.kind is not TokenKind.OWNER:
        raise Problem("wrong_token_kind", "this takes the token of an owner", expected=TokenKind.OWNER.value)
    return token.owner


def _look_up() -> Token | None:
    trip = services().trip()
    asked = ask(trip)
    trip.go()
    return asked.answer

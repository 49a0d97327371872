"""Matches as they happen, and the events of bots and owners."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from flask import Response, request

from api import auth, waits
from api.blueprint import Blueprint
from api.contract.describe import LAST_EVENT_ID, ResponseSpec, stream_of
from api.http.server_sent import stream_response
from api.limits import metering
from api.limits.rates import RateScope
from api.problems import Problem
from api.resources.matches import look
from api.schemas import streams as schemas
from api.services import services
from engine.quoting import quoted
from league.accounts.tokens import Token
from league.notifications.account_streams import AccountUpdate
from league.notifications.model import Account
from league.permissions import acting_owner
from records.names import first_owner
from referee.polling.broadcasts import Sent, View

blueprint = Blueprint("streams", __name__, description="Matches as they happen.")

Body = dict[str, Any]
_NO_MORE: Final = ResponseSpec("Nothing follows: every match is over. Browsers do not reconnect", status=204)
_PROBLEMS: Final = ("no_such_match", "invalid_header")


@blueprint.serve(
    "GET /v1/matches/<match>/stream",
    stream_of("Messages, each with one event or frame as `data`, and its number as `id`"),
    _NO_MORE,
    token_optional=True,
    problems=[*_PROBLEMS],
    query=schemas.MatchStreamQuery,
    parameters=[LAST_EVENT_ID],
)
def stream_match(query: Body, match: str) -> object:
    """Stream a match as the caller may see it.

    The events or frames of the match so far, then each new one as it happens. The stream ends with the match. If it
    is cut, continue with the `id` of the last message as `Last-Event-ID` or `after`. A match of a duplicate group
    that is not over is silent for spectators; when the group ends, they get all of it.
    """
    return _stream([match], query, last_numbers(1) or [query["after"]], wrapped=False)


@blueprint.serve(
    "GET /v1/stream",
    stream_of(
        "Messages. `data` has the `match`, and its `event` or `frame`. `id` has a number for each match"
    ),
    _NO_MORE,
    token_optional=True,
    problems=_PROBLEMS,
    query=schemas.PageStreamQuery,
    parameters=[LAST_EVENT_ID],
)
def stream_matches(query: Body) -> object:
    """Stream several matches in one connection, as the caller may see them.

    Browsers allow six connections to a host, so a page with many matches needs this. It works like the stream of
    one match, and ends with the last of them.
    """
    matches = list(dict.fromkeys(query["matches"].split(",")))
    return _stream(
        matches,
        query,
        last_numbers(len(matches)) or schemas.numbers_of(query["after"], len(matches)),
        wrapped=True,
    )


def _stream(matches: Sequence[str], query: Body, after: Sequence[int], *, wrapped: bool) -> Response:
    parts, bot = services(), auth.reader()
    frames = query["kind"] == schemas.StreamKind.FRAMES
    loaded_matches = [look(match) for match in matches]
    views = [
        View(loaded.id, loaded.config.seat_of(bot) if bot else None, frames) for loaded in loaded_matches
    ]
    if all(map(parts.streams.is_over, loaded_matches, views, after)):
        return Response(status=204)
    wait = 0.0 if waits.is_abandoned(request.environ) else min(query["seconds"], parts.limits.max_stream_s)
    holder = bot or parts.addresses.of(request.environ)
    # What a spectator sees needs no token.
    allowed = auth.still_valid() if any(view.seat is not None for view in views) else None
    numbers, prefixes = list(after), [_prefix(view) for view in views] if wrapped else None
    return stream_response(
        parts.streams.follow(views, after, wait, holder, allowed),
        lambda sent: _message(sent, numbers, prefixes),
        parts.store_errors,
        metering.current(),
    )


def last_numbers(count: int) -> list[int] | None:
    """Return the numbers in the request's `Last-Event-ID`, missing ones as 0; `None` without this header. Raise
    `Problem` for one that is no id of a message."""
    text = request.headers.get("Last-Event-ID", "")
    try:
        return schemas.numbers_of(text, count) if text else None
    except ValueError:
        raise Problem("invalid_header", f"Last-Event-ID: {quoted(text)} is not the id of a message") from None


def _prefix(view: View) -> bytes:
    """Return the beginning of the JSON of a message about this match."""
    return f'{{"match":"{view.match}","{"frame" if view.frames else "event"}":'.encode()


def _message(sent: Sent, numbers: list[int], prefixes: Sequence[bytes] | None) -> bytes:
    """Return the bytes of a message. `numbers` are those before it, `prefixes` wrap the data by match."""
    numbers[sent.place] = sent.number
    ident = "-".join(map(str, numbers)).encode()
    if prefixes is None:
        return b"id: %b\ndata: %b\n\n" % (ident, sent.data)
    return b"id: %b\ndata: %b%b}\n\n" % (ident, prefixes[sent.place], sent.data)


account_streams = Blueprint(
    "account-streams", __name__, description="Events of bots and owners as they happen."
)


@account_streams.serve(
    "GET /v1/bot/stream",
    stream_of("Messages. `data` has `type`, `timestamp` and `data`; `id` is the number of the event"),
    scope="play",
    rate=RateScope.POLLS,
    problems=["invalid_header"],
    query=schemas.BotStreamQuery,
    parameters=[LAST_EVENT_ID],
)
def stream_bot(query: Body, caller: Token) -> object:
    """Stream the events of your bot, and its turns.

    The stream begins with all open turns, and sends each new one as `turn.waiting`. Turns have no `id`. Events have
    numbers; send the last one as `Last-Event-ID` or `after` to continue without a gap. If the log does not reach back
    that far, the stream begins with a `gap`.
    """
    return _stream_account(Account("bot", auth.bot_of(caller)), query, plays=query["turns"])


@account_streams.serve(
    "GET /v1/owner/stream",
    stream_of("Messages. `data` has `type`, `timestamp` and `data`; `id` is the number of the event"),
    scope="league",
    rate=RateScope.POLLS,
    problems=["invalid_header"],
    query=schemas.OwnerStreamQuery,
    parameters=[LAST_EVENT_ID],
)
def stream_owner(query: Body, caller: Token) -> object:
    """Stream the events of your bots and ladders.

    Each message is a webhook's message in the standard format. Continue the stream like that of a bot.
    """
    acting_owner(caller)
    return _stream_account(Account("owner", first_owner(caller.name)), query, plays=False)


def _stream_account(account: Account, query: Body, *, plays: bool) -> Response:
    parts, sent = services(), last_numbers(1)
    after = sent[0] if sent else query.get("after")
    wait = 0.0 if waits.is_abandoned(request.environ) else min(query["seconds"], parts.limits.max_stream_s)
    follows = parts.account_streams.follow(account, after, wait, plays=plays, allowed=auth.still_valid())
    return stream_response(follows, _account_message, parts.store_errors, metering.current())


def _account_message(update: AccountUpdate) -> bytes:
    """Return the bytes of a message. Without an id, the last one stays valid."""
    if update.number is None:
        return b"data: %b\n\n" % update.data
    return b"id: %d\ndata: %b\n\n" % (update.number, update.data)

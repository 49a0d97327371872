"""What happens to a bot or an owner, as it happens."""

from __future__ import annotations

from typing import Any

from flask import Response, request

from api import auth, waits
from api.blueprint import Blueprint
from api.contract.describe import LAST_EVENT_ID, describe, stream_of
from api.http.server_sent import stream_response
from api.limits import metering
from api.limits.rates import RateScope
from api.resources.streams import last_numbers
from api.schemas.streams import BotStreamQuery, OwnerStreamQuery
from api.services import services
from league.accounts.tokens import Scope
from league.notifications.account_streams import AccountUpdate
from league.notifications.model import Account
from records.names import first_owner

blueprint = Blueprint("account-streams", __name__, description="Events of bots and owners as they happen.")

Body = dict[str, Any]


@blueprint.route("/v1/bot/stream")
@describe(
    "streamBot",
    {200: stream_of("Messages. `data` has `type`, `timestamp` and `data`; `id` is the number of the event")},
    scope="play",
    headers=[LAST_EVENT_ID],
    problems=["wrong_token_kind", "invalid_header"],
    query=BotStreamQuery,
)
def stream_bot(query: Body) -> Response:
    """Stream the events of your bot, and its turns.

    The stream begins with all open turns, and sends each new one as `turn.waiting`. Turns have no `id`. Events have
    numbers; send the last one as `Last-Event-ID` or `after` to continue without a gap. If the log does not reach back
    that far, the stream begins with a `gap`.
    """
    token = auth.caller(Scope.PLAY, RateScope.POLLS)
    return _stream(Account("bot", auth.bot_of(token)), query, plays=query["turns"])


@blueprint.route("/v1/owner/stream")
@describe(
    "streamOwner",
    {200: stream_of("Messages. `data` has `type`, `timestamp` and `data`; `id` is the number of the event")},
    scope="league",
    headers=[LAST_EVENT_ID],
    problems=["wrong_token_kind", "invalid_header"],
    query=OwnerStreamQuery,
)
def stream_owner(query: Body) -> Response:
    """Stream the events of your bots and ladders.

    Each message is a webhook's message in the standard format. Continue the stream like that of a bot.
    """
    token = auth.caller(Scope.LEAGUE, RateScope.POLLS)
    auth.owner_of(token)
    return _stream(Account("owner", first_owner(token.name)), query, plays=False)


def _stream(account: Account, query: Body, *, plays: bool) -> Response:
    parts, sent = services(), last_numbers(1)
    after = sent[0] if sent else query.get("after")
    wait = 0.0 if waits.is_abandoned(request.environ) else min(query["seconds"], parts.limits.max_stream_s)
    follows = parts.account_streams.follow(account, after, wait, plays=plays, allowed=auth.still_valid())
    return stream_response(follows, _message, parts.store_errors, metering.current())


def _message(update: AccountUpdate) -> bytes:
    """Return the bytes of a message. Without an id, the last one stays valid."""
    if update.number is None:
        return b"data: %b\n\n" % update.data
    return b"id: %d\ndata: %b\n\n" % (update.number, update.data)

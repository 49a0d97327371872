"""Owners, bots and tokens."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from flask import Response

from api import auth
from api.blueprint import Blueprint
from api.contract.describe import Created, ResponseSpec, created
from api.idempotency import NOBODYS_KEY, once
from api.limits import rates
from api.limits.rates import RateScope
from api.schemas import accounts as schemas
from api.schemas.responses import dump
from api.services import services
from api.tables import table_of
from api.wire import answer
from league.accounts.model import Bot, MatchPolicy, Owner
from league.accounts.service import checked_real_name
from league.accounts.tokens import SCOPES, Token, TokenKind, grantable
from league.permissions import acting_owner, check_changes_token, check_grants, check_own_bot

blueprint = Blueprint("accounts", __name__, description="Owners, their bots, and tokens.")

Body = dict[str, Any]


@blueprint.serve(
    "POST /v1/owners",
    created("The owner and the text of its token", "CreatedOwner"),
    problems=["bad_invitation", "name_taken", "bad_value"],
    body=schemas.NewOwnerSchema,
    keyed=NOBODYS_KEY,
)
def create_owner(body: Body) -> object:
    """Create an owner.

    Registration is open, or requires an invitation: see `open_registration` in `GET /v1/limits`. By registering, the
    owner agrees that the records of its bots' matches are published under CC0-1.0, when they may be read. The token is
    shown only in this response. The `Idempotency-Key` has at least 16 characters here, because anybody who
    knows it can request the same response again.
    """

    rates.check_registration(invited=services().accounts.is_invited(body["invitation"]))

    def create(seed: str | None) -> Response:
        owner, token = services().accounts.create_owner(
            body["name"],
            invitation=body["invitation"],
            real_name=body["real_name"],
            note=body["note"],
            seed=seed,
        )
        created = dump(schemas.CreatedOwnerSchema, {"owner": owner, "token": token})
        return answer(created, 201, {"Location": "/v1/owners/me"})

    return once(None, create)


@blueprint.serve(
    "GET /v1/owners/me",
    ResponseSpec("The owner and its bots", schemas.MeSchema),
    scope="any",
    problems=["wrong_token_kind", "no_such_owner"],
)
def get_me(caller: Token) -> object:
    """Get the owner that the token belongs to, and its bots.

    Requires an owner's token. Each bot carries `online`, which other callers don't see.
    """
    owner = services().accounts.owner(acting_owner(caller))
    bots = services().accounts.bots(owner.name, None, 200).bots
    return {"owner": _as_it_sees_itself(owner), "bots": _own(_shown(bots))}


@blueprint.serve(
    "PATCH /v1/owners/me",
    ResponseSpec("The owner", schemas.OwnOwnerSchema),
    scope="league",
    rate=RateScope.CREATIONS,
    problems=["no_such_owner", "name_taken", "bad_value", "overtaken"],
    body=schemas.OwnerChangeSchema,
)
def change_me(body: Body, caller: Token) -> object:
    """Rename yourself, and with you all of your bots, or change your real name.

    Records, standings and ratings show the new name. Requests with the old name find the owner and its bots. The real
    name is in none of them.
    """
    accounts, owner_id = services().accounts, acting_owner(caller)
    owner = accounts.owner(owner_id)
    if "real_name" in body:  # first, so that a refusal changes nothing
        checked_real_name(owner, body["real_name"])
    if "name" in body:
        owner = accounts.rename_owner(owner_id, body["name"])
    if "real_name" in body:
        owner = accounts.set_real_name(owner_id, body["real_name"])
    return _as_it_sees_itself(owner)


@blueprint.serve("GET /v1/bots", table_of("Bots", schemas.BotPageSchema), query=schemas.BotsQuery)
def list_bots(query: Body) -> object:
    """List all bots by name.

    House bots are included. Use `owner` to list the bots of one owner.
    """
    cursor = services().cursors.of("bots", query)
    page = services().accounts.bots(query.get("owner"), cursor.place, query["limit"])
    return {"bots": _shown(page.bots), "cursor": cursor.then(page.cursor)}


@blueprint.serve(
    "POST /v1/bots",
    created("The bot and the text of its token", schemas.CreatedBotSchema),
    scope="league",
    problems=["name_taken", "bad_value", "no_such_owner"],
    body=schemas.NewBotSchema,
    keyed=1,
)
def create_bot(body: Body, caller: Token, seed: str | None) -> object:
    """Create a bot.

    The response holds the bot's first token, which is shown only once. Give that token to the program that
    plays: it identifies the bot in every request.
    """
    owner = acting_owner(caller)
    bot, secret = services().accounts.create_bot(
        owner,
        body["name"],
        body["version"],
        description=body["description"],
        match_policy=_accepts(body["match_policy"]),
        agent=body["agent"],
        note=body["note"],
        scopes=sorted(grantable(caller.scopes, TokenKind.BOT)),
        seed=seed,
    )
    return Created({"bot": bot, "token": secret}, f"/v1/bots/{bot.full_name}")


@blueprint.serve(
    "GET /v1/bots/<owner>/<bot>", ResponseSpec("The bot", schemas.BotSchema), token_optional=True
)
def get_bot(owner: str, bot: str) -> object:
    """Get a bot.

    `online` is shown only to the bot and its owner. Other callers could use it to recognise the bot behind a
    hidden name.
    """
    token, (found,) = auth.asker(), _shown([services().accounts.bot(owner, bot)])
    mine = token is not None and token.owner == found.owner and token.bot in (None, found.id)
    return _own([found])[0] if mine else found


@blueprint.serve(
    "PATCH /v1/bots/<owner>/<bot>",
    ResponseSpec("The bot", schemas.BotSchema),
    scope="league",
    problems=["not_your_bot", "name_taken", "bad_value", "overtaken"],
    body=schemas.BotChangeSchema,
)
def change_bot(body: Body, caller: Token, owner: str, bot: str) -> object:
    """Change one of your bots.

    Fields that you leave out keep their values. A bot's id never changes. Requests with an old name find the bot.
    """
    if "name" in body:  # an old name stays taken, so a rename counts as a creation too
        rates.check_token(caller, RateScope.CREATIONS)
    found = _mine(caller, owner, bot)
    if "match_policy" in body:
        body["match_policy"] = _accepts(body["match_policy"])
    return services().accounts.update_bot(found.id, **body)


@blueprint.serve("GET /v1/token", ResponseSpec("The token", schemas.TokenSchema), scope="any", player=True)
def get_token(caller: Token) -> object:
    """Get the token of this request.

    Shows the bot or owner that the token identifies, its scopes and when it expires. Useful to test a new
    token.
    """
    return caller


@blueprint.serve(
    "GET /v1/tokens",
    ResponseSpec("Tokens, without their texts", schemas.TokenListSchema),
    scope="any",
    problems=["no_such_bot", "wrong_token_kind"],
    query=schemas.TokensQuery,
)
def list_tokens(query: Body, caller: Token) -> object:
    """List your valid tokens.

    A bot's token lists the bot's own tokens. An owner's token lists the owner's own, or with `bot` those of one
    of its bots.
    """
    subject = _mine(caller, caller.name, query["bot"]).id if "bot" in query else caller.subject
    return {"tokens": services().accounts.tokens(subject)}


@blueprint.serve(
    "POST /v1/tokens",
    ResponseSpec("The token and its text", schemas.CreatedTokenSchema, status=201),
    scope="league",
    problems=["no_such_bot", "no_such_owner", "not_your_bot", "bad_value"],
    body=schemas.NewTokenSchema,
    keyed=1,
)
def create_token(body: Body, caller: Token, seed: str | None) -> object:
    """Create another token for yourself or one of your bots.

    The token's text is shown only in this response. A token can't grant scopes that it lacks, except `play`,
    which every bot may have.
    """
    acting_owner(caller)
    subject: Owner | Bot
    if body["bot"] is None:
        subject = services().accounts.owner(caller.owner)
    else:
        subject = _mine(caller, caller.name, body["bot"])
    kind = TokenKind.OWNER if isinstance(subject, Owner) else TokenKind.BOT
    scopes = body["scopes"] or sorted(grantable(caller.scopes, kind))
    check_grants(caller, kind, frozenset(scopes) & SCOPES[kind])
    created, secret = services().accounts.issue_token(subject, scopes, body["expires"], body["note"], seed)
    return {"details": created, "token": secret}


@blueprint.serve(
    "POST /v1/tokens/<token>/rotate",
    ResponseSpec("The token and its text", schemas.CreatedTokenSchema, status=201),
    scope="any",
    problems=["scope_missing", "not_your_token", "bad_value"],
    body=schemas.RotateSchema,
    keyed=1,
)
def rotate_token(body: Body, caller: Token, seed: str | None, token: str) -> object:
    """Replace a token with a new one.

    The old token stays valid for `overlap_s` seconds. A token can rotate itself. An owner's token with `league`
    can also rotate other tokens of the owner and its bots, if it has their scopes.
    """
    found = _my_token(caller, token)
    check_grants(caller, found.kind, frozenset() if found.id == caller.id else found.scopes)
    created, secret = services().accounts.rotate(token, body.get("overlap_s", 0), seed)
    return {"details": created, "token": secret}


@blueprint.serve(
    "DELETE /v1/tokens/<token>",
    ResponseSpec("The token is revoked", status=204),
    scope="any",
    problems=["scope_missing", "not_your_token"],
)
def revoke_token(caller: Token, token: str) -> None:
    """Revoke one of your tokens.

    A token can revoke itself. An owner's token with `league` can also revoke other tokens of the owner and its
    bots.
    """
    _my_token(caller, token)
    services().accounts.revoke(token)


def _as_it_sees_itself(owner: Owner) -> Body:
    return {**owner._asdict(), "names_for": services().accounts.asked_by(owner)}


def _mine(token: Token, owner: str, bot: str) -> Bot:
    """Return the bot. Raise `NotYourBot` if the calling owner doesn't own it."""
    acting_owner(token)
    found = services().accounts.bot(owner, bot)
    check_own_bot(token, found)
    return found


def _my_token(caller: Token, token_id: str) -> Token:
    """Return the token. Raise `NotYourToken` or `ScopeMissing` if the caller may not change it."""
    found = services().accounts.token(token_id)
    check_changes_token(caller, found)
    return found


def _accepts(body: Body) -> MatchPolicy:
    return MatchPolicy.from_json(body)


def _shown(bots: Sequence[Bot]) -> list[Bot]:
    """Return the bots as they are shown: those of a disabled owner are disabled."""
    off = services().accounts.unavailable(bots)
    return [bot._replace(disabled=bot.disabled or bot.id in off) for bot in bots]


def _own(bots: Sequence[Bot]) -> list[schemas.OwnBot]:
    """Return the bots with their presence. Only they and their owner may see it."""
    online = services().presence.online([bot.id for bot in bots])
    return [schemas.OwnBot(bot, bot.id in online) for bot in bots]

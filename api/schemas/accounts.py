"""Owners, bots and tokens."""

from __future__ import annotations

from typing import Any, Final

from marshmallow import fields, validate

from api.schemas.common import (
    DAY_MS,
    NAME,
    VISIBLE,
    Flag,
    Instant,
    Json,
    PageQuery,
    Strict,
    Text,
    Whole,
    flag,
    instant,
    listed,
    nullable,
    obj,
    page_of,
    ref,
    text,
    whole,
)
from league.accounts.model import Bot, Owner
from league.accounts.names import RESERVED
from league.accounts.policy import MOST_OWNERS, MatchKind
from league.accounts.presence import ONLINE_MS
from league.accounts.tokens import Scope, Token, TokenKind
from referee.instants import text_of

_NAME: Final = {"description": "2 to 32 of a-z, 0-9 and -, the first no -", "example": "example"}
_OWNER_NAME: Final = {
    **_NAME,
    "description": f"{_NAME['description']}. `name_taken` refuses reserved words ({', '.join(sorted(RESERVED))}) and "
    "names that read like one: digits for letters, hyphens, a number before or after it",
}
_VERSION: Final = {
    "description": "Of your program, printable characters that are not all blank; matches remember it",
    "pattern": VISIBLE,
    "example": "1.2",
}
_DESCRIPTION: Final = {"description": "For other people to read"}
_NOTE: Final = {"description": "What the token is for, for your own list"}


class NewOwnerSchema(Strict):
    """A new owner."""

    name = Text(NAME, required=True, metadata=_OWNER_NAME)
    invitation = fields.String(
        load_default=None,
        allow_none=True,
        validate=validate.Length(1, 200),
        metadata={"description": "An invitation's code, where the service takes owners by invitation"},
    )
    note = fields.String(load_default="", validate=validate.Length(0, 200), metadata=_NOTE)


class MatchPolicyInputSchema(Strict):
    """What a bot can be seated for."""

    games = fields.List(
        fields.String(validate=validate.Length(1, 64)),
        allow_none=True,
        load_default=None,
        metadata={"description": "The games it plays; null: all"},
    )
    max_matches = Whole(
        1, 1000, load_default=16, metadata={"description": "Matches at the same time, at most"}
    )
    min_move_ms = Whole(0, DAY_MS, load_default=0, metadata={"description": "The shortest `move_ms`"})
    min_bank_ms = Whole(0, DAY_MS, load_default=0, metadata={"description": "The smallest `bank_ms`"})
    kinds = fields.List(
        fields.String(validate=validate.OneOf([kind.value for kind in MatchKind])),
        allow_none=True,
        load_default=None,
        metadata={"description": "The kinds of match it plays; null: all"},
    )
    owners = fields.List(
        Text(NAME),
        allow_none=True,
        load_default=None,
        validate=validate.Length(max=MOST_OWNERS),
        metadata={
            "description": "The only owners whose bots and challenges it accepts, besides its own; `house` has the "
            "house bots. Null: all"
        },
    )
    excluded_owners = fields.List(
        Text(NAME),
        load_default=list,
        validate=validate.Length(max=MOST_OWNERS),
        metadata={"description": "Owners whose bots and challenges it does not accept"},
    )


class NewBotSchema(Strict):
    """A bot."""

    name = Text(NAME, required=True, metadata={**_NAME, "example": "fool"})
    version = fields.String(load_default="1", validate=validate.Length(1, 64), metadata=_VERSION)
    description = fields.String(load_default="", validate=validate.Length(0, 500), metadata=_DESCRIPTION)
    match_policy = fields.Nested(MatchPolicyInputSchema, load_default=dict)
    note = fields.String(load_default="", validate=validate.Length(0, 200), metadata=_NOTE)


class BotChangeSchema(Strict):
    """The fields to change. Omitted fields keep their values."""

    version = fields.String(validate=validate.Length(1, 64), metadata=_VERSION)
    description = fields.String(validate=validate.Length(0, 500), metadata=_DESCRIPTION)
    match_policy = fields.Nested(MatchPolicyInputSchema)
    disabled = Flag(metadata={"description": "Whether to disable the bot: its tokens stop working"})


class BotsQuery(PageQuery):
    """Which bots."""

    owner = Text(NAME, metadata={"description": "Only this owner's"})


class NewTokenSchema(Strict):
    """Another token, for the named bot or for the caller itself."""

    bot = Text(
        NAME,
        load_default=None,
        allow_none=True,
        metadata={"description": "The name of one of your bots; leave it out for a token of your own"},
    )
    scopes = fields.List(
        fields.String(validate=validate.OneOf([scope.value for scope in Scope])),
        load_default=None,
        allow_none=True,
        validate=validate.Length(min=1),
        metadata={"description": "The scopes; if omitted, all that it can have"},
    )
    expires = Instant(
        load_default=None,
        allow_none=True,
        metadata={"format": "date-time", "description": "When it expires; null: never"},
    )
    note = fields.String(load_default="", validate=validate.Length(0, 200), metadata=_NOTE)


class RotateSchema(Strict):
    """A new token in place of an old one."""

    may_be_absent = True

    overlap_s = Whole(
        0,
        30 * 86_400,
        load_default=0,
        metadata={"description": "Seconds for which the old token stays valid"},
    )


class TokensQuery(Strict):
    """Whose tokens."""

    bot = Text(NAME, metadata={"description": "The name of one of your bots, for its tokens; else your own"})


def owner_view(owner: Owner) -> Json:
    """An owner as it sees itself."""
    return {
        "id": owner.id,
        "name": owner.name,
        "created": text_of(owner.created),
        "disabled": owner.disabled,
        "reason": owner.reason,
    }


def bot_view(bot: Bot, online: bool | None = None) -> Json:
    """A bot as everybody sees it, and as its owner does, who is told whether it is online."""
    return {
        "id": bot.id,
        "bot": bot.full_name,
        "owner": bot.owner_name,
        "name": bot.name,
        "version": bot.version,
        "description": bot.description,
        "created": text_of(bot.created),
        "match_policy": bot.match_policy.to_json(),
        "disabled": bot.off,
        "disabled_reason": bot.disabled_reason,
        "house": bot.house,
        **({} if online is None else {"online": online}),
    }


def token_view(token: Token) -> Json:
    """A token without its text, as its owner sees it."""
    return {
        "id": token.id,
        "kind": token.kind,
        "name": token.name,
        "scopes": sorted(token.scopes),
        "created": text_of(token.created),
        "expires": None if token.expires is None else text_of(token.expires),
        "note": token.note,
    }


_TOKEN: Final[dict[str, Any]] = {
    "id": text("The token's id, used to rotate and revoke it"),
    "kind": text(
        "Whether it identifies an owner, a bot or an admin", enum=[kind.value for kind in TokenKind]
    ),
    "name": text("The bot's `owner/bot`, the owner's name, or the admin's"),
    "scopes": listed(ref("Scope"), "What it may do"),
    "created": instant("When it was made"),
    "expires": nullable(instant("When it expires; null: never")),
    "note": text("What it is for"),
}
_TEXT: Final = text("The token, sent as `Authorization: Bearer …`. Shown only once")

COMPONENTS: Final[dict[str, Json]] = {
    "Scope": text(
        "play: show up, join, move, resign; challenge: create matches; read: read as the bot sees it; league: create "
        "bots, tokens and ladders, enter bots; admin: run the service",
        enum=[scope.value for scope in Scope],
    ),
    "Owner": obj(
        {
            "id": text("The owner's id"),
            "name": text("The owner's name"),
            "created": instant("When it was made"),
            "disabled": flag("Whether it is disabled: its tokens don't work"),
            "reason": text("Why it is disabled"),
        }
    ),
    "CreatedOwner": obj({"owner": ref("Owner"), "token": _TEXT}),
    "Me": obj({"owner": ref("Owner"), "bots": listed(ref("Bot"), "Your bots, the first 200 by name")}),
    "MatchPolicy": obj(
        {
            "games": nullable(listed({"type": "string"}, "The games it plays; null: all")),
            "max_matches": whole("Matches at the same time, at most", 1),
            "min_move_ms": whole("The shortest `move_ms`"),
            "min_bank_ms": whole("The smallest `bank_ms`"),
            "kinds": nullable(
                listed(
                    text("", enum=[kind.value for kind in MatchKind]),
                    "The kinds of match it plays; null: all",
                )
            ),
            "owners": nullable(
                listed(
                    {"type": "string"},
                    "The only owners, besides its own, that it plays with; null: all",
                )
            ),
            "excluded_owners": listed({"type": "string"}, "Owners that it does not play with"),
        }
    ),
    "Bot": obj(
        {
            "id": text("The bot's id, which never changes"),
            "bot": text("`owner/bot`"),
            "owner": text("The owner's name"),
            "name": text("The bot's name"),
            "version": text("Set by the owner"),
            "description": text("In the owner's words"),
            "created": instant("When it was made"),
            "match_policy": ref("MatchPolicy"),
            "disabled": flag("Whether it is disabled: its tokens don't work and it gets no new matches"),
            "disabled_reason": nullable(text("Why an admin disabled it; null: not disabled by an admin")),
            "house": flag("Whether it is a house bot"),
            "online": flag(
                f"Whether it has asked for its turns, or moved, within {ONLINE_MS // 1000} s, or is waiting in a "
                "poll. Arenas seat only online bots. Shown only to the bot and its owner"
            ),
        },
        optional=("online",),
    ),
    "CreatedBot": obj({"bot": ref("Bot"), "token": _TEXT}),
    "BotPage": page_of("Bot", "bots", "By name"),
    "Token": obj(_TOKEN),
    "CreatedToken": obj({"details": ref("Token"), "token": _TEXT}),
    "TokenList": obj({"tokens": listed(ref("Token"), "The oldest first")}),
}

"""Owners, bots and tokens."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

from marshmallow import fields, post_load, pre_dump

from api.schemas.common import (
    DAY_MS,
    NAME,
    OPTIONAL,
    VISIBLE,
    Choice,
    Flag,
    Instant,
    Json,
    PageQuery,
    Several,
    Strict,
    String,
    Text,
    Whole,
    flag,
    instant,
    listed,
    ref,
    text,
    whole,
)
from api.schemas.responses import Listed, Nested, Output, ResponseSchema, listing
from league.accounts.model import (
    MOST_DECLARED,
    MOST_OWNERS,
    MOST_REAL_NAME,
    RESERVED,
    Bot,
    DeclaredAgent,
    MatchKind,
    MatchPolicy,
)
from league.accounts.presence import ONLINE_MS
from league.accounts.tokens import Scope, Token, TokenKind

_NAME: Final = {
    "description": "2 to 32 characters of a-z, 0-9 and -; the first is not -",
    "example": "example",
}
_OWNER_NAME: Final = {
    **_NAME,
    "description": f"{_NAME['description']}. `name_taken` refuses reserved words ({', '.join(sorted(RESERVED))}) and "
    "names that read like one: digits for letters, hyphens, a number before or after it",
}
_VERSION: Final = {
    "description": "The version of your program: printable characters, not only blanks. Matches record it",
    "pattern": VISIBLE,
    "example": "1.2",
}
_DESCRIPTION: Final = {"description": "A description for other people"}
_DECLARED: Final[Json] = {
    "model": "The language model that plays",
    "provider": "Who runs the model",
    "harness": "The program that asks the model",
    "effort": "How much it is to think",
}
_NOTE: Final = {"description": "What the token is for, for your own list"}
_REAL_NAME: Final = (
    "Only you and the organisers of `names_for` in whose ladders your bots play see it. May be empty"
)


class NewOwnerSchema(Strict):
    """A new owner."""

    name = Text(NAME, required=True, metadata=_OWNER_NAME)
    invitation = String(1, 200, "An invitation's code. Required if registration is not open", **OPTIONAL)
    real_name = String(
        0, MOST_REAL_NAME, f"Your real name, if the invitation asks for it. {_REAL_NAME}", load_default=""
    )
    note = String(0, 200, load_default="", metadata=_NOTE)


class MatchPolicyInputSchema(Strict):
    """The matches that a bot accepts."""

    games = Several(String(1, 64), "The games it plays; null: all", **OPTIONAL)
    max_matches = Whole(1, 1000, "Matches at the same time, at most", load_default=MatchPolicy().max_matches)
    min_move_ms = Whole(0, DAY_MS, "The shortest `move_ms`", load_default=0)
    min_bank_ms = Whole(0, DAY_MS, "The smallest `bank_ms`", load_default=0)
    kinds = Several(
        Choice([kind.value for kind in MatchKind]), "The kinds of match it plays; null: all", **OPTIONAL
    )
    owners = Several(
        Text(NAME),
        "The only owners whose bots and challenges it accepts, besides its own; `house` has the "
        "house bots. Null: all",
        most=MOST_OWNERS,
        **OPTIONAL,
    )
    excluded_owners = Several(
        Text(NAME), "Owners whose bots and challenges it does not accept", most=MOST_OWNERS, load_default=list
    )


class AgentInputSchema(Strict):
    """What you declare about the language model that plays. Omitted texts become empty."""

    model, provider, harness, effort = (
        String(0, MOST_DECLARED, says, load_default="") for says in _DECLARED.values()
    )

    @post_load
    def _make(self, data: dict[str, str], **_: Any) -> DeclaredAgent:
        return DeclaredAgent(**data)


class NewBotSchema(Strict):
    """A bot."""

    name = Text(NAME, required=True, metadata={**_NAME, "example": "fool"})
    version = String(1, 64, load_default="1", metadata=_VERSION)
    description = String(0, 500, load_default="", metadata=_DESCRIPTION)
    match_policy = fields.Nested(MatchPolicyInputSchema, load_default=dict)
    agent = fields.Nested(AgentInputSchema, load_default=DeclaredAgent)
    note = String(0, 200, load_default="", metadata=_NOTE)


class BotChangeSchema(Strict):
    """The fields to change. Omitted fields keep their values."""

    name = Text(NAME, "A new name. The old one leads to it, and nobody else can take it")
    version = String(1, 64, metadata=_VERSION)
    description = String(0, 500, metadata=_DESCRIPTION)
    match_policy = fields.Nested(MatchPolicyInputSchema)
    agent = fields.Nested(AgentInputSchema)
    disabled = Flag("Whether to disable the bot: its tokens stop working")


class OwnerChangeSchema(Strict):
    """A new name of yours, or a new real name."""

    name = Text(NAME, "The new name. The old one leads to it, and nobody else can take it")
    real_name = String(
        0, MOST_REAL_NAME, "The new real name, which your invitation asked for; empty to delete it"
    )


class BotsQuery(PageQuery):
    """Filters and page of the bots."""

    owner = Text(NAME, "Only bots of this owner")


class NewTokenSchema(Strict):
    """A further token, for one of your bots or for yourself."""

    bot = Text(NAME, "The name of one of your bots; if omitted, the token is your own", **OPTIONAL)
    scopes = Several(
        Choice([scope.value for scope in Scope]),
        "The scopes; if omitted, all that the token can have",
        least=1,
        **OPTIONAL,
    )
    expires = Instant("When it expires; null: never", **OPTIONAL)
    note = String(0, 200, load_default="", metadata=_NOTE)


class RotateSchema(Strict):
    """A new token in place of an old one."""

    may_be_absent = True

    overlap_s = Whole(0, 30 * 86_400, "Seconds for which the old token stays valid", load_default=0)


class TokensQuery(Strict):
    """Whose tokens to list."""

    bot = Text(NAME, "The name of one of your bots, to list its tokens; if omitted, your own")


_SCOPE: Final = text(
    "play: show up, join, move, resign; challenge: create matches; read: read what the bot can see; league: create "
    "bots, tokens and ladders, enter bots; admin: run the service",
    enum=[scope.value for scope in Scope],
)
_SECRET: Final = text("The token, sent as `Authorization: Bearer …`. Shown only once")


class OwnerSchema(ResponseSchema):
    """An owner."""

    id = text("The owner's id")
    name = text("The owner's name")
    created = instant("When it was created")
    disabled = flag("Whether it is disabled: its tokens don't work")
    reason = text("Why it is disabled")


class OwnOwnerSchema(OwnerSchema):
    """An owner, as it sees itself."""

    real_name = text(f"Your real name. {_REAL_NAME}")
    names_for = text(
        "The owner for whose organisers an invitation asked you for it; null if none did", null=True
    )


class MatchPolicySchema(ResponseSchema):
    """The matches that a bot accepts."""

    games = listed({"type": "string"}, "The games it plays; null: all", null=True)
    max_matches = whole("Matches at the same time, at most", 1)
    min_move_ms = whole("The shortest `move_ms`")
    min_bank_ms = whole("The smallest `bank_ms`")
    kinds = listed(
        text("", enum=[kind.value for kind in MatchKind]), "The kinds of match it plays; null: all", null=True
    )
    owners = listed(
        {"type": "string"}, "The only owners, besides its own, that it plays with; null: all", null=True
    )
    excluded_owners = listed({"type": "string"}, "Owners that it does not play with")


class AgentSchema(ResponseSchema):
    """The language model that plays as a bot."""

    doc = "What the owner declares; empty texts by default. Nobody verifies it"

    model, provider, harness, effort = map(text, _DECLARED.values())


class OwnBot(NamedTuple):
    """A bot as it and its owner see it."""

    bot: Bot
    online: bool


class BotSchema(ResponseSchema):
    """A bot. The model is a `Bot`, or for the bot and its owner an `OwnBot`, which shows `online`."""

    id = text("The bot's id, which never changes")
    bot = Output(text("`owner/bot`"), "full_name")
    owner = Output(text("The owner's name"), "owner_name")
    name = text("The bot's name")
    version = text("The version, set by the owner")
    description = text("The owner's description")
    created = instant("When it was created")
    match_policy = Nested(MatchPolicySchema)
    agent = Nested(AgentSchema)
    disabled = Output(flag("Whether it is disabled: its tokens don't work and it gets no new matches"), "off")
    disabled_reason = text("Why an admin disabled it; null if no admin did", null=True)
    house = flag("Whether it is a house bot")
    online = Output(
        flag(
            f"Whether it asked for its turns or moved within {ONLINE_MS // 1000} s, or is waiting in a poll. Arenas "
            "seat only online bots. Shown only to the bot and its owner"
        ),
        optional=True,
    )

    @pre_dump
    def _add_online(self, model: Bot | OwnBot, **_: Any) -> Bot | dict[str, Any]:
        if isinstance(model, Bot):
            return model
        bot = model.bot
        derived = {"full_name": bot.full_name, "off": bot.off, "house": bot.house}
        return {**bot._asdict(), **derived, "online": model.online}


class TokenSchema(ResponseSchema):
    """A token without its text."""

    id = text("The token's id, used to rotate and revoke it")
    kind = text("Whether it identifies an owner, a bot or an admin", enum=[kind.value for kind in TokenKind])
    name = text("The bot's `owner/bot`, the owner's name, or the admin's")
    scopes = listed(ref("Scope"), "What it may do")
    created = instant("When it was created")
    expires = instant("When it expires; null: never", null=True)
    note = text("What it is for")

    @pre_dump
    def _sort_scopes(self, token: Token, **_: Any) -> dict[str, Any]:
        return {**token._asdict(), "scopes": sorted(token.scopes)}


class CreatedOwnerSchema(ResponseSchema):
    """A new owner and its token."""

    owner = Nested(OwnerSchema)
    token = _SECRET


class CreatedBotSchema(ResponseSchema):
    """A new bot and its token."""

    bot = Nested(BotSchema)
    token = _SECRET


class CreatedTokenSchema(ResponseSchema):
    """A new token and its text."""

    details = Nested(TokenSchema)
    token = _SECRET


TokenListSchema: Final = listing("TokenList", TokenSchema, "tokens", "The oldest first")


class MeSchema(ResponseSchema):
    """An owner and its bots, as it sees them."""

    owner = Nested(OwnOwnerSchema)
    bots = Listed(BotSchema, "Your bots, the first 200 by name")


BotPageSchema: Final = listing("BotPage", BotSchema, "bots", "By name", paged=True)


COMPONENTS: Final[dict[str, Json]] = {
    "Scope": _SCOPE,
}

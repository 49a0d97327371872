"""What the holder of a token may do with bots, ladders and tokens."""

from __future__ import annotations

from league.accounts.model import Bot
from league.accounts.tokens import Scope, Token, TokenKind, grantable
from league.errors import NotYourBot, NotYourLadder, NotYourToken, ScopeMissing, WrongTokenKind
from league.ladders.model import Ladder


def check_scope(token: Token, scope: Scope) -> None:
    """Raise `ScopeMissing` for a token without this scope."""
    if scope not in token.scopes:
        raise ScopeMissing(f"this requires a token with the scope `{scope}`", scope=scope.value)


def acting_owner(token: Token) -> str:
    """Return the id of the owner that the token acts for. Raise `WrongTokenKind` for another kind of token."""
    if token.kind is not TokenKind.OWNER:
        raise WrongTokenKind("this requires an owner's token", expected=TokenKind.OWNER.value)
    return token.owner


def check_own_bot(token: Token, bot: Bot) -> None:
    """Raise `NotYourBot` unless the token's owner owns the bot."""
    if bot.owner != acting_owner(token):
        raise NotYourBot(f"{bot.full_name} belongs to another owner")


def check_own_ladder(token: Token, ladder: Ladder) -> None:
    """Raise `NotYourLadder` unless the token's owner is one of the ladder's organisers."""
    if not ladder.is_run_by(acting_owner(token)):
        raise NotYourLadder("the ladder belongs to another owner")


def check_governs(token: Token, ladder: Ladder | None) -> None:
    """Raise `ScopeMissing`, `WrongTokenKind` or `NotYourLadder` unless the token is an admin's, or its owner is one of
    the ladder's organisers. What belongs to no ladder is for admins alone."""
    if ladder is None:
        check_scope(token, Scope.ADMIN)
    elif Scope.ADMIN not in token.scopes:
        check_scope(token, Scope.LEAGUE)
        check_own_ladder(token, ladder)


def check_enters(token: Token, ladder: Ladder, bot: Bot) -> None:
    """Raise `NotYourBot` unless it is a bot of the token's owner, or a house bot and the owner runs the ladder."""
    mine = acting_owner(token)
    if bot.owner != mine and not (bot.house and ladder.is_run_by(mine)):
        raise NotYourBot(f"{bot.full_name} is not yours to enter here")


def check_withdraws(token: Token, ladder: Ladder, bot: Bot) -> None:
    """Raise `NotYourBot` unless the token's owner owns the bot or runs the ladder."""
    mine = acting_owner(token)
    if bot.owner != mine and not ladder.is_run_by(mine):
        raise NotYourBot(f"{bot.full_name} and the ladder belong to other owners")


def check_changes_token(caller: Token, token: Token) -> None:
    """Raise `NotYourToken` or `ScopeMissing` unless the token is the caller's own, or the caller has `league` and the
    token belongs to the same owner or one of its bots."""
    if token.id == caller.id:
        return
    if token.owner != caller.owner:
        raise NotYourToken("the token belongs to another owner")
    if Scope.LEAGUE not in caller.scopes:
        raise ScopeMissing("a token without `league` can change only itself", scope=Scope.LEAGUE.value)


def check_grants(caller: Token, kind: TokenKind, scopes: frozenset[Scope]) -> None:
    """Raise `ScopeMissing` for scopes that the caller cannot grant to a token of this kind."""
    lacking = sorted(scopes - grantable(caller.scopes, kind))
    if lacking:
        raise ScopeMissing(f"a token cannot grant a scope that it lacks: `{lacking[0]}`", scope=lacking[0])


def sees_statistics(token: Token, bot: Bot) -> bool:
    """Return whether the token's holder may see the bot's statistics: the bot, its owner and admins."""
    return (bot.owner == token.owner and token.bot in (None, bot.id)) or Scope.ADMIN in token.scopes

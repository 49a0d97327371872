"""An owner's own pages: bots, tokens and conformance checks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any, Final, NamedTuple

import orjson
from flask import Response
from werkzeug.exceptions import BadRequest

from api.services import services
from engine.registry import GAMES
from league.accounts.model import Bot, DeclaredAgent
from league.accounts.tokens import Scope, Token, TokenKind, grantable
from league.fitness.statistics import Activity
from league.ladders.model import Ladder, Standing
from league.notifications.model import Account
from league.people import person_of
from league.permissions import check_changes_token, check_grants, check_own_bot
from records.ids import new_match_id
from records.instants import ms_of
from records.match.clock import ClockRule
from records.match.session import Status
from records.names import first_owner
from referee.service.admission import admit
from referee.storage.index import MatchFilter
from web.fields import field, number, pace, ticked
from web.pages import Pages, show, to
from web.play import own_results
from web.services import site
from web.session import creating, form_seed, signed_in
from web.views.matches import summaries

pages = Pages("site_mine", __name__)

_OPPONENT: Final = "house/greedy"
_MOST_BOTS: Final = 200
_MOST_NEWS: Final = 20
_LADDERS: Final = 10
_MATCHES: Final = 50
"""How many of the owner's last matches at a table count in the results."""


@pages.page("/me")
def show_me() -> str:
    """Show the owner's bots and tokens, and the form for a new bot."""
    return show("me.html", **_me(signed_in()), refusal=None)


def _my_page() -> tuple[str, dict[str, Any]]:
    return "me.html", _me(signed_in())


def _new_bot_page() -> tuple[str, dict[str, Any]]:
    sent = {"name": field("name", 100), "version": field("version", 64) or "1"}
    return "me.html", _me(signed_in()) | sent


def _bot_page(name: str) -> tuple[str, dict[str, Any]]:
    return "my_bot.html", _own_bot(signed_in(), name)


@pages.form("/me/name", again=_my_page)
def rename() -> Response:
    """Rename the owner."""
    token = creating(Scope.LEAGUE)
    services().accounts.rename_owner(token.owner, field("name", 100))
    return to("/me")


@pages.form("/me/real-name", again=_my_page)
def change_real_name() -> Response:
    """Change the owner's real name, or delete it with an empty one."""
    token = creating(Scope.LEAGUE)
    services().accounts.set_real_name(token.owner, field("real_name", 200))
    return to("/me")


@pages.form("/me/bots", again=_new_bot_page)
def create_bot() -> str:
    """Create a bot and show its token."""
    token = creating(Scope.LEAGUE)
    name, version, about = field("name", 100), field("version", 64) or "1", field("description", 500)
    bot, secret = services().accounts.create_bot(
        token.owner,
        name,
        version,
        description=about,
        scopes=sorted(grantable(token.scopes, TokenKind.BOT)),
        seed=form_seed(name, version, about),
    )
    return _shown(bot.full_name, secret, f"/me/bots/{bot.name}")


@pages.form("/me/tokens")
def create_owner_token() -> str:
    """Create another token of the owner and show it."""
    token = creating(Scope.LEAGUE)
    owner = services().accounts.owner(token.owner)
    scopes = sorted(grantable(token.scopes, TokenKind.OWNER))
    _, secret = services().accounts.issue_token(owner, scopes, None, field("note", 200))
    return _shown(owner.name, secret, "/me")


@pages.form("/me/tokens/<token_id>/rotate")
def rotate_token(token_id: str) -> str:
    """Replace a token and show the new one."""
    caller = creating()
    found = _changeable(caller, token_id)
    check_grants(caller, found.kind, frozenset() if found.id == caller.id else found.scopes)
    new, secret = services().accounts.rotate(token_id, 60 * number("overlap", 0, 43_200, 0))
    return _shown(new.name, secret, _home_of(new))


@pages.form("/me/tokens/<token_id>/revoke")
def revoke_token(token_id: str) -> Response:
    """Revoke a token."""
    found = _changeable(signed_in(), token_id)
    services().accounts.revoke(token_id)
    return to(_home_of(found))


@pages.page("/me/bots/<name>")
def show_own_bot(name: str) -> str:
    """Show the settings, tokens and checks of a bot."""
    return show("my_bot.html", **_own_bot(signed_in(), name), refusal=None)


@pages.form("/me/bots/<name>", again=_bot_page)
def change_bot(name: str) -> Response:
    """Change a bot's version, description and limits."""
    token = signed_in(Scope.LEAGUE)
    bot = _own(token, name)
    policy = bot.match_policy._replace(max_matches=number("max_matches", 1, 1000))
    changed = services().accounts.update_bot(
        bot.id,
        version=field("version", 100),
        description=field("description", 600),
        match_policy=policy,
        agent=DeclaredAgent(*(field(name, 100) for name in DeclaredAgent._fields)),
        disabled=ticked("disabled"),
        name=field("name", 100) or None,
    )
    return to(f"/me/bots/{changed.name}")


@pages.form("/me/bots/<name>/tokens")
def create_bot_token(name: str) -> str:
    """Create another token of a bot and show it."""
    token = creating(Scope.LEAGUE)
    bot = _own(token, name)
    scopes = sorted(grantable(token.scopes, TokenKind.BOT))
    _, secret = services().accounts.issue_token(bot, scopes, None, field("note", 200))
    return _shown(bot.full_name, secret, f"/me/bots/{bot.name}")


@pages.form("/me/matches", again=lambda: _bot_page(field("bot", 32)))
def request_match() -> Response:
    """Create a casual match of a bot against another one. House bots take the other seats."""
    token = creating(Scope.CHALLENGE)
    bot = _own(token, field("bot", 32))
    game, clock, match = _game(), pace() or ClockRule(), new_match_id()
    owner, _, name = (field("opponent", 65) or _OPPONENT).partition("/")
    admit(services().service)
    others = [services().accounts.bot(*_OPPONENT.split("/"))] * (GAMES[game].seat_counts[0] - 2)
    bots = [bot, services().accounts.bot(owner, name), *others]
    services().eligibility.check(bots, game, clock, token.owner_name)
    with services().eligibility.reserved(match, bots):
        seats = [each.seat for each in bots]
        services().referee.create(game, seats, {}, clock=clock, match_id=match, requested_by=token.owner_name)
    return to(f"/matches/{match}")


def _game() -> str:
    """Return the game that the form names. Raise `BadRequest`."""
    game = field("game", 64)
    if game not in GAMES:
        raise BadRequest("choose a game")
    return game


@pages.form("/me/bots/<name>/checks", again=_bot_page)
def begin_check(name: str) -> Response:
    """Start a conformance check, or go on to the one that runs."""
    bot, game = _own(creating(Scope.LEAGUE), name), _game()
    admit(services().service)
    check, _ = services().checks.begin(bot, game)
    return to(f"/checks/{check.match}")


@pages.page("/checks/<match>")
def show_check(match: str) -> str:
    """Show the report of a conformance check to the bot's owner."""
    token = signed_in()
    check, loaded = services().checks.look(match)
    bot = services().accounts.bot_by_id(check.bot)
    check_own_bot(token, bot)
    return show("check.html", check=check, live=loaded, bot=bot)


class OwnLadder(NamedTuple):
    """A ladder that the owner runs or that one of its bots has entered."""

    ladder: Ladder
    is_run: bool
    standings: Sequence[Standing]
    """Those of the owner's bots."""


def _me(token: Token) -> dict[str, Any]:
    bots = services().accounts.bots(token.name, None, _MOST_BOTS).bots
    totals = services().statistics.totals([bot.id for bot in bots]) if bots else []
    owner = services().accounts.owner(token.owner)
    return {
        "real_name": owner.real_name,
        "names_for": services().accounts.asked_by(owner),
        "bots": bots,
        "results": [sum(each.values(), Counter()) for each in totals],
        "own_results": _own_results(token),
        "ladders": _ladders(token),
        "followed": _followed(token),
        "off": services().accounts.unavailable(bots),
        "online": services().presence.online([bot.id for bot in bots]) if bots else set(),
        "tokens": services().accounts.tokens(token.owner),
        "news": _news(token),
        "waiting": services().eligibility.waiting_matches(token.name),
        "name": "",
        "version": "1",
    }


def _news(token: Token) -> list[dict[str, Any]]:
    """Return what happened last to the owner's bots and ladders, the newest first. The log of events begins with the
    first visit, and is kept for a week after the last."""
    logs, account = services().event_logs, Account("news", first_owner(token.name))
    unread, last = logs.unread(account), logs.mark_read(account)
    logged = logs.read(account, max(0, last - _MOST_NEWS), _MOST_NEWS).events
    return [
        {
            **event["data"],
            "type": event["type"],
            "at": ms_of(event["timestamp"]),
            "is_new": place < unread,
        }
        for place, event in enumerate(map(orjson.loads, reversed(logged)))
    ]


def _ladders(token: Token) -> list[OwnLadder]:
    found = []
    for ladder in services().ladders.store.of_owner(token.owner, _LADDERS):
        rows = services().standings.table(ladder.id).rows
        own = [row.standing for row in rows if row.standing.name.startswith(f"{token.name}/")]
        found.append(OwnLadder(ladder, ladder.is_run_by(token.owner), own))
    return found


def _followed(token: Token) -> list[tuple[Bot, Activity]]:
    """Return the bots that the owner follows with their activity, the one that played last first."""
    ids = services().following.bots(token.owner)
    bots, known = services().accounts.bots_by_ids(ids), services().statistics.activity(ids)
    found = [(bot, each) for bot, each in zip(bots, known, strict=True) if bot is not None]
    return sorted(found, key=lambda pair: pair[1].last or 0, reverse=True)


def _own_results(token: Token) -> tuple[int, int]:
    """Return how many of the owner's last matches at a table are over, and how many of these it has won."""
    wanted = MatchFilter(bot=person_of(token.owner, token.name).id, status=Status.FINISHED)
    found = summaries(services().index.matches(wanted, None, _MATCHES), wanted, own=True)
    results = own_results(found, str(wanted.bot))
    return sum(each.played for each in results), sum(each.won for each in results)


def _own(token: Token, name: str) -> Bot:
    """Return the owner's bot with this name. Raise `NoSuchBot` or a refusal."""
    bot = services().accounts.bot(token.name, name)
    check_own_bot(token, bot)
    return bot


def _own_bot(token: Token, name: str) -> dict[str, Any]:
    bot = _own(token, name)
    return {
        "bot": bot,
        "tokens": services().accounts.tokens(bot.id),
        "health": services().ladders.fitness.of([bot.id])[bot.id],
        "games": GAMES,
        "online": bot.id in services().presence.online([bot.id]),
    }


def _changeable(caller: Token, token_id: str) -> Token:
    found = services().accounts.token(token_id)
    check_changes_token(caller, found)
    return found


def _home_of(token: Token) -> str:
    """Return the address of the page that lists this token."""
    return "/me" if token.bot is None else "/me/bots/" + token.name.partition("/")[2]


def _shown(name: str, secret: str, goes_on: str) -> str:
    return show(
        "token_shown.html",
        name=name,
        secret=secret,
        next=goes_on,
        is_owner="/" not in name,
        starters=site().starters,
    )

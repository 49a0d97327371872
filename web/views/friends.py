"""Tables of friends: opening one, its link, sitting down, and starting the match."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from flask import Response, request

from api.services import services
from engine.game import BadTable
from engine.registry import GAMES
from league.errors import LeagueError
from league.friends.model import CLOCKS, MOST_NAME, FriendsTable, TableRefusal, TableRefused
from records.errors import RefereeError
from records.match import views
from records.match.loaded_match import LoadedMatch
from referee.errors import NoSuchMatch
from web.errors import SignInNeeded
from web.fields import field, number
from web.pages import Pages, again, show, to
from web.play import option_choices, option_text
from web.queries import at
from web.session import viewer
from web.views.play import choices, chosen_game, chosen_table, creating_player, may_play, player

pages = Pages("site_friends", __name__, for_players=True)


@pages.form("/friends", again=lambda: ("play_new.html", choices(*chosen_game())))
def open_table() -> Response:
    """Open a table, with the viewer in seat 0."""
    game, seats = chosen_game()
    clock = field("clock", 16)
    if clock not in CLOCKS:
        raise BadTable("clock", clock, ", ".join(CLOCKS))
    chosen = chosen_table(game, seats)
    table = services().friends.open(creating_player(), field("name", 100), game.id, clock=clock, **chosen)
    viewer().keep_guest()
    return to(f"/friends/{table.id}")


@pages.page("/friends")
def choose_game() -> Response:
    """Lead to the games. The page of a refused form comes here when it is loaded again."""
    return to("/play")


@pages.page("/friends/<table>")
def show_table(table: str) -> str | Response:
    """Show who sits at a table. Lead the players of its match on to the match."""
    found = services().friends.find(table)
    match = _match_of(found)
    if match is not None and not match.finished and match.config.seat_of(player().id) is not None:
        if "HX-Request" in request.headers:
            return Response(headers={"HX-Redirect": at(f"/play/{match.id}")})
        return to(f"/play/{match.id}")
    return show("friends.html", **_shown(found, match), refusal=None)


@pages.form("/friends/<table>/sit")
def sit_down(table: str) -> Response:
    """Let the viewer sit down, or move to another seat."""
    if not may_play():
        raise SignInNeeded("guests can't play here: registration requires an invitation")
    seat = number("seat", 0, 16) if field("seat", 12) else None
    viewer().keep_guest()
    return _after(table, lambda: services().friends.sit(table, player(), field("name", 100), seat))


@pages.form("/friends/<table>/leave")
def leave_table(table: str) -> Response:
    """Let the viewer leave a table that waits."""
    return _after(table, lambda: services().friends.leave(table, player()), "/play")


@pages.form("/friends/<table>/start")
def start_table(table: str) -> Response:
    """Start the match of the viewer's table."""
    return _after(table, lambda: services().friends.begin(table, creating_player()))


def _after(table: str, change: Callable[[], object], then: str | None = None) -> Response:
    """Change a table and go on to its page or to another one. Show the table again if it does not allow the change."""
    try:
        change()
    except (LeagueError, RefereeError, TableRefused) as error:
        if isinstance(error, TableRefused) and error.reason is TableRefusal.GONE:
            raise
        found = services().friends.find(table)
        return again("friends.html", error, **_shown(found, _match_of(found)))
    return to(then or f"/friends/{table}")


def _match_of(table: FriendsTable) -> LoadedMatch | None:
    """Return the match of a table; `None` also if the process that started it ended before it was created."""
    try:
        return None if table.match is None else services().referee.look(table.match)
    except NoSuchMatch:
        return None


def _shown(table: FriendsTable, match: LoadedMatch | None) -> dict[str, Any]:
    """Return what the page of a table shows."""
    game, translate = GAMES[table.game], viewer().language.messages.gettext
    chosen = [
        (option.label, dict(option.values)[option_text(table.options[option.name])])
        for option in option_choices(game, len(table.seats), translate)
        if option.name in table.options
    ]
    return {
        "table": table,
        "game": game,
        "options": chosen,
        "own": table.seat_of(player().id),
        "is_host": player().id == table.host,
        "ready": sum(each.ready for each in table.friends),
        "match": match and views.match_summary(match),
        "may_play": may_play(),
        "most_name": MOST_NAME,
        "chosen": request.form,
    }

"""People at a table: choosing a match, playing it, and playing on from a position of another match."""

from __future__ import annotations

from typing import Any, Final

import orjson
from flask import Response, request
from werkzeug.exceptions import BadRequest

from api.limits import rates
from api.limits.rates import RateScope
from api.services import services
from engine.game import Game
from engine.quoting import quoted
from engine.registry import GAMES
from league.accounts.model import Bot
from league.accounts.tokens import Scope
from league.friends.model import CLOCKS, MOST_NAME
from league.hints import has_hints
from league.people import guest_of, person_of
from records.errors import RefereeError
from records.match import views
from records.match.frames import Hands, coded
from records.match.loaded_match import LoadedMatch
from records.match.move_requests import MoveRequest
from records.page.table import TablePage, table_data, whole
from records.page.words import TableText
from referee.errors import NotYourMatch
from referee.service.admission import admit
from referee.storage.index import MatchFilter
from web import queries
from web.errors import SignInNeeded
from web.fields import field, number
from web.hints import shown
from web.pages import Pages, again, refusal_of, show, to
from web.play import by_strength, chosen_options, level_text, move_buttons, option_choices, own_results
from web.session import creating, viewer
from web.views.match import clock_of, look, outcome_of, result_of, sheet_of, table_text, ways_of
from web.views.matches import summaries

pages = Pages("site_play", __name__, for_players=True)

_MOST_FRAMES: Final = 20_000
_PAGE: Final = 1000
_MINE: Final = 20
"""How many of a person's matches are listed."""
_COUNTED: Final = 60
"""How many of a person's last matches count in the results."""
_MOST_DEALS: Final = 20
_LEVEL: Final = "greedy"
PRIVATE: Final = {"Cache-Control": "no-store"}
JSON: Final = "application/json"


@pages.page("/play")
def choose_match() -> str:
    """Show the games that a person can play, or the choices for one of them."""
    name = queries.among("game", GAMES)
    if name is None:
        return show("play_games.html", games=GAMES.values(), **_mine(), may_play=may_play())
    game = GAMES[name]
    seats = queries.whole("seats", 16) or game.seat_counts[0]
    if seats not in game.seat_counts:
        raise BadRequest(f"seats is none of {', '.join(map(str, game.seat_counts))}")
    return show("play_new.html", **choices(game, seats), refusal=None)


@pages.form("/play", again=lambda: ("play_new.html", choices(*chosen_game())))
def start_match() -> Response:
    """Create a match."""
    game, seats = chosen_game()
    loaded = services().people.start(creating_player(), game.id, **chosen_table(game, seats))
    return to(f"/play/{loaded.id}")


def chosen_game() -> tuple[type[Game], int]:
    """Return the game and the number of seats that a form chose. Raise `BadRequest`."""
    name = field("game", 64)
    if name not in GAMES:
        raise BadRequest(f"there is no game {quoted(name)}")
    game, seats = GAMES[name], number("seats", 2, 16)
    if seats not in game.seat_counts:
        raise BadRequest(f"seats is none of {', '.join(map(str, game.seat_counts))}")
    return game, seats


def chosen_table(game: type[Game], seats: int) -> dict[str, Any]:
    """Return the opponents, options and deals that a form chose. Raise `BadTable` or `BadRequest`."""
    return {
        "opponents": [field(f"level{seat}", 64) or _LEVEL for seat in range(1, seats)],
        "options": chosen_options(game, request.form),
        "deals": None if game.fixed_deals else number("deals", 1, _MOST_DEALS, 1),
    }


@pages.page("/play/<match>")
def show_play(match: str) -> Response:
    """Show a person's match with the buttons of its legal moves. Everybody else gets the page of the match."""
    loaded = look(match)
    seat = loaded.config.seat_of(player().id)
    if seat is None:
        return to(f"/matches/{loaded.id}")
    return Response(
        show("play.html", **_played(loaded, seat), refusal=None), headers=PRIVATE, mimetype="text/html"
    )


@pages.page("/play/<match>/frames")
def play_frames(match: str) -> Response:
    """Return the frames of a person's match as its seat sees them, and the turn that it has to answer."""
    loaded = look(match)
    seat = own_seat(loaded)
    after = queries.whole("after") or 0
    limit = min(_PAGE, queries.whole("limit") or _PAGE)
    found = services().referee.frames(loaded, seat, after, limit)
    document = {
        "frames": list(coded(found)),
        "seat": seat,
        "over": loaded.finished and len(found) < limit,
        "turn": loaded.progress.turn if loaded.asks(seat) else None,
        "deal": loaded.progress.number,
    }
    if loaded.finished:
        text = _words(loaded, seat)
        document |= {"result": result_of(loaded, text), **ways_of(loaded, text)}
    return Response(orjson.dumps(document), headers=PRIVATE, mimetype=JSON)


@pages.form("/play/<match>/moves")
def make_play_move(match: str) -> Response:
    """Make a move of a person: an answer with `turn`, or a free move with `deal`."""
    loaded = look(match)
    seat = own_seat(loaded)
    turn = number("turn", 1, 999_999_999) if field("turn", 12) else None
    deal = number("deal", 1, 1000) if turn is None else None
    wants_json = request.accept_mimetypes.best_match(["text/html", JSON]) == JSON
    try:
        made = services().referee.moves.move(
            player().id, MoveRequest(loaded.id, field("move", 200), turn, deal)
        )
    except RefereeError as error:
        if wants_json:
            refusal = refusal_of(error)
            title = viewer().language.messages.gettext(refusal.title)
            return _json({"code": refusal.code, "title": title, "detail": refusal.detail}, refusal.status)
        return again("play.html", error, **_played(look(match), seat))
    return _json(views.moved_view(made)) if wants_json else to(f"/play/{loaded.id}#your-move")


def _play_page(match: str) -> tuple[str, dict[str, Any]]:
    loaded = look(match)
    return "play.html", _played(loaded, own_seat(loaded))


@pages.form("/play/<match>/again", again=_play_page)
def play_again(match: str) -> Response:
    """Create a person's match once more, with everybody a seat further on."""
    loaded = look(match)
    own_seat(loaded)
    if loaded.config.has_company:
        return to(f"/friends/{services().friends.again(loaded, player()).id}")
    made = services().people.again(creating_player(), loaded)
    return to(f"/play/{made.id}")


@pages.form("/play/<match>/resign")
def resign_play(match: str) -> Response:
    """Give a person's match up."""
    loaded = look(match)
    own_seat(loaded)
    services().referee.resign(loaded.id, player().id)
    return to(f"/play/{loaded.id}")


@pages.page("/matches/<match>/play-on")
def choose_position(match: str) -> str:
    """Show the choices for a match that begins at a position of this one."""
    return show("play_on.html", **_position(look(match)), refusal=None)


@pages.form("/matches/<match>/play-on", again=lambda match: ("play_on.html", _position(look(match))))
def play_on(match: str) -> Response:
    """Create a match that begins at a position of this one."""
    loaded = look(match)
    count = len(loaded.config.seats)
    seat = number("seat", 0, count - 1)
    made = services().people.play_on(
        creating_player(),
        loaded,
        number("deal", 1, 1000),
        number("move", 0, _MOST_FRAMES),
        seat=seat,
        opponents=[field(f"level{each}", 64) or _LEVEL for each in range(count) if each != seat],
    )
    return to(f"/play/{made.id}")


def player() -> Bot:
    """Return the player that the viewer is: an owner who has signed in, or a guest."""
    token = viewer().token
    if token is not None and viewer().owner is not None:
        return person_of(token.owner, token.name)
    return guest_of(viewer().guest_key)


def may_play() -> bool:
    """Return whether the viewer may start a match. Guests may where anybody may register."""
    return viewer().owner is not None or not viewer().needs_invitation


def creating_player() -> Bot:
    """Count a new match and return its player. Raise `SignInNeeded`, or the refusal over a limit."""
    if not may_play():
        raise SignInNeeded("guests can't play here: registration requires an invitation")
    if viewer().owner is None:
        rates.check_address(RateScope.REGISTRATIONS)
    else:
        creating(Scope.CHALLENGE)
    admit(services().service)
    return player()


def own_seat(loaded: LoadedMatch) -> int:
    """Return the viewer's seat. Raise `NotYourMatch`."""
    seat = loaded.config.seat_of(player().id)
    if seat is None:
        raise NotYourMatch("you have no seat in this match")
    return seat


def _mine() -> dict[str, Any]:
    """Return the viewer's own matches, those that run first, and how the last ones ended."""
    if not viewer().secret:
        return {"mine": [], "results": []}
    wanted = MatchFilter(bot=player().id)
    found = summaries(services().index.matches(wanted, None, _COUNTED), wanted, own=True)
    return {"mine": found[:_MINE], "results": own_results(found, player().id)}


def _levels() -> list[tuple[str, str]]:
    translate = viewer().language.messages.gettext
    names = by_strength([bot.name for bot in services().people.levels(player())])
    return [(name, level_text(name, translate)) for name in names]


def choices(game: type[Game], seats: int) -> dict[str, Any]:
    translate = viewer().language.messages.gettext
    return {
        "game": game,
        "seats": seats,
        "options": list(option_choices(game, seats, translate)),
        "levels": _levels(),
        "level": _LEVEL,
        "most_deals": _MOST_DEALS,
        "friends": "friends" in request.args or request.path == "/friends",
        "clocks": list(CLOCKS),
        "most_name": MOST_NAME,
        "may_play": may_play(),
        "chosen": request.form,
    }


def _position(loaded: LoadedMatch) -> dict[str, Any]:
    """Return what the form for a position shows. Raise `RecordNotReady` or `GroupRunning`."""
    services().referee.record(loaded)
    asked = {**request.args, **request.form}
    seats, levels, text = loaded.config.seats, _levels(), table_text(loaded)
    deal, move = (
        whole(asked.get("deal"), loaded.config.deals) or 1,
        whole(asked.get("move"), _MOST_FRAMES) or 0,
    )
    seat = whole(asked.get("seat"), len(seats) - 1)
    known = {name for name, _ in levels}
    return {
        "match": views.match_summary(loaded),
        "names": text.seats,
        "deal": deal,
        "move": move,
        "seat": _to_move(loaded, deal, move, text) if seat is None else seat,
        "levels": levels,
        "chosen": [
            asked.get(f"level{number}")
            or (each.name if each and each.house and each.name in known else _LEVEL)
            for number, each in enumerate(seats)
        ],
        "may_play": may_play(),
        "fixed": GAMES[loaded.config.game].fixed_deals,
    }


def _words(loaded: LoadedMatch, seat: int) -> TableText:
    """Return the texts of a match for a person in it, who sees the names that guests chose."""
    return table_text(loaded, seat, services().friends.guests(loaded.config))


def _to_move(loaded: LoadedMatch, deal: int, move: int, text: TableText) -> int:
    """Return the seat that moves at a position; 0 if nobody does."""
    frames = services().referee.frames(loaded, Hands.ALL, 0, _MOST_FRAMES, deal=deal)
    return (TablePage(text, frames, move, None).frame.observation.get("to_move") if frames else None) or 0


def _played(loaded: LoadedMatch, seat: int) -> dict[str, Any]:
    text = _words(loaded, seat)
    legal, free = move_buttons(loaded, seat, text)
    asked, hint = loaded.asks(seat), services().hints.of(loaded, player().id)
    told = hint and shown(hint, text, seat)
    deal = whole(request.args.get("deal"), loaded.progress.number) or loaded.progress.number
    frames = services().referee.frames(loaded, seat, 0, _MOST_FRAMES, deal=deal)
    move = whole(request.args.get("move"), _MOST_FRAMES)
    return {
        "match": views.match_summary(loaded),
        "table": TablePage(text, frames, _MOST_FRAMES if move is None else move, None) if frames else None,
        "data": _data(loaded, seat, text.to_json()) | {"hint": told and told.to_json()},
        "hint": told,
        "clock": text,
        "outcome": outcome_of(loaded, text),
        **ways_of(loaded, text),
        "sheet": sheet_of(loaded, text),
        "turn": loaded.progress.turn if asked else None,
        "waits_for": None if asked or loaded.progress.to_move is None else text.seat(loaded.progress.to_move),
        "legal": legal,
        "free": free,
        "seat": seat,
        "company": loaded.config.has_company,
    }


def _data(loaded: LoadedMatch, seat: int, words: dict[str, Any]) -> dict[str, Any]:
    """Return what `static/table.js` and `static/play.js` read from the page."""
    return table_data(
        words,
        replay=queries.at(f"/matches/{loaded.id}"),
        source=queries.at(f"/play/{loaded.id}/frames"),
        hints=queries.at(f"/play/{loaded.id}/hint") if has_hints(loaded) else None,
        stream=None if loaded.finished else queries.at(f"/v1/matches/{loaded.id}/stream"),
        live=True,
        clock=clock_of(loaded),
        seat=seat,
        signed_in=viewer().token is not None,
    )


def _json(document: dict[str, Any], status: int = 200) -> Response:
    return Response(orjson.dumps(document), status, headers=PRIVATE, mimetype=JSON)


@pages.page("/play/<match>/hint")
def show_hint(match: str) -> Response:
    """Return the hint for the open question of a person's match."""
    loaded = look(match)
    own_seat(loaded)
    return _shown_hint(loaded)


@pages.form("/play/<match>/hint")
def ask_for_hint(match: str) -> Response:
    """Ask for a hint for the open question."""
    loaded = look(match)
    own_seat(loaded)
    services().hints.request(loaded, player().id)
    wants_json = request.accept_mimetypes.best_match(["text/html", JSON]) == JSON
    return _shown_hint(loaded) if wants_json else to(f"/play/{loaded.id}#hint")


def _shown_hint(loaded: LoadedMatch) -> Response:
    seat = own_seat(loaded)
    hint = services().hints.of(loaded, player().id)
    document = hint and shown(hint, table_text(loaded, seat), seat).to_json()
    return Response(orjson.dumps(document), headers=PRIVATE, mimetype=JSON)

"""A position of a finished match with its exact value, and moves to try against best play."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final
from urllib.parse import urlencode

from flask import Response
from werkzeug.exceptions import BadRequest

from api.services import services
from engine.game import BadTable
from league.accounts.tokens import Scope
from league.reviews.studies import MOST_LINE, MOST_MOVES, StudyPlace, StudyResult, line_of
from records.match.frames import coded
from records.match.loaded_match import LoadedMatch
from records.page.table import TablePage, table_data
from web import queries
from web.fields import field, number
from web.pages import Pages, show, to
from web.puzzles import known_moves
from web.session import creating, viewer
from web.views.match import look, table_text

pages = Pages("site_study", __name__)

_MOST_DEALS: Final = 10_000


@pages.page("/matches/<match>/ending")
def show_ending(match: str) -> str | Response:
    """Show a position of a finished match with its exact value. With `?try=` play a move and the best replies."""
    loaded = look(match)
    deal, move = queries.whole("deal", _MOST_DEALS) or 1, queries.whole("move", MOST_MOVES) or 0
    place = StudyPlace(loaded.id, deal, move, line_of(queries.text("line", MOST_LINE) or ""))
    found = _refused(lambda: services().studies.find(loaded, place))
    tried = queries.text("try")
    if tried is not None and found.solution is not None and tried in found.solution.values:
        line = (*place.line, *found.study.with_replies(found.solution, tried))
        return to(_address(place._replace(line=line)))
    return show("study.html", **_shown(loaded, place, found))


@pages.form("/matches/<match>/ending")
def solve_ending(match: str) -> Response:
    """Let a worker solve a position that is too large for a page."""
    token = creating(Scope.CHALLENGE)
    loaded = look(match)
    deal, move = number("deal", 1, _MOST_DEALS), number("move", 0, MOST_MOVES)
    place = StudyPlace(loaded.id, deal, move, line_of(field("line", MOST_LINE)))
    _refused(lambda: services().studies.request(loaded, place, token.owner))
    return to(_address(place))


def _refused(call: Callable[[], StudyResult]) -> StudyResult:
    try:
        return call()
    except BadTable as refusal:
        raise BadRequest(str(refusal)) from refusal


def _address(place: StudyPlace) -> str:
    line = {"line": ",".join(place.line)} if place.line else {}
    return f"/matches/{place.match}/ending?" + urlencode({"deal": place.deal, "move": place.move, **line})


def _shown(loaded: LoadedMatch, place: StudyPlace, found: StudyResult) -> dict[str, Any]:
    study = found.study
    last = study.steps[-1].entry
    seat = last.seat if study.over and last is not None else study.state.to_move
    text = table_text(loaded, seat)
    text.house = [True] * len(text.seats)  # no clock runs
    frames, move = study.frames(seat), place.move + len(place.line)
    return {
        "match": {"deal": place.deal, "id": loaded.id, "game": loaded.config.game},
        "name": table_text(loaded).seat(seat),
        "place": place,
        "state": found.state,
        "may_solve": viewer().owner is not None,
        "moves": [] if found.solution is None else known_moves(found.solution.values, text),
        "address": queries.at(_address(place)),
        "table": TablePage(text, frames, move, None),
        "data": table_data(text.to_json(), deal=place.deal, move=move, speed=1, frames=list(coded(frames))),
    }

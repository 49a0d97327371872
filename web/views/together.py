"""Replays that people look at together: the leader's steps, which the pages of the others ask for."""

from __future__ import annotations

import re
from typing import Final

import orjson
from flask import Response, request
from werkzeug.exceptions import BadRequest, NotFound

from api.limits import rates
from api.limits.rates import RateScope
from api.services import services
from league.together import ShownStep
from records.match import views
from records.match.loaded_match import LoadedMatch
from records.page.words import END
from web.fields import field, number
from web.pages import Pages, show, to
from web.session import viewer
from web.views.match import MOST_FRAMES, look, table_text

pages = Pages("site_together", __name__)

_MARK: Final = re.compile(r"[2-9TJQKA][CDHS]|1?\d", re.ASCII)
_MOST_MARKS: Final = 12
_FIRST: Final = {"deal": "1", "move": "0", "seat": ""}


@pages.page("/matches/<match>/together")
def offer_together(match: str) -> str:
    """Offer to show the replay of a match to others, from the place that the address names."""
    loaded = _finished(match)
    return show(
        "together.html",
        match=views.match_summary(loaded),
        names=table_text(loaded).seats,
        place={name: request.args.get(name, usual) for name, usual in _FIRST.items()},
    )


@pages.form("/matches/<match>/together")
def begin_together(match: str) -> Response:
    """Begin to show the replay of a match to others, from the place that the form names."""
    loaded = _finished(match)
    token = viewer().token
    if token is None:
        rates.check_address(RateScope.REGISTRATIONS)
    else:
        rates.check_token(token, RateScope.CREATIONS)
    session = services().together.begin(loaded.id, viewer().guest_key, _shown())
    return to(f"/matches/{loaded.id}?together={session}")


@pages.form("/matches/<match>/together/<session>")
def show_step(match: str, session: str) -> Response:
    """Show another step to those who follow. Only the browser that began can."""
    if not services().together.show(session, match, viewer().guest_key, _shown()):
        raise NotFound
    return Response(status=204)


@pages.route("/matches/<match>/together/<session>", provide_automatic_options=False)
def shown_step(match: str, session: str) -> Response:
    """Return what the leader shows. Followers ask every second, so this is no page: it looks up no viewer, and is
    counted as a static file is."""
    found = services().together.find(session, match)
    if found is None:
        raise NotFound
    response = Response(orjson.dumps(found.shown._asdict()), mimetype="application/json")
    response.headers["Cache-Control"] = "private, no-cache"
    response.add_etag()
    response.make_conditional(request)
    return response


def _finished(match: str) -> LoadedMatch:
    """Return a match whose hands everybody may see. Raise `RecordNotReady` before its end."""
    loaded = look(match)
    services().referee.record(loaded)
    return loaded


def _shown() -> ShownStep:
    """Return the step that a form shows. Raise `BadRequest`."""
    move, seat, marks = field("move", 5), field("seat", 2), field("marks", 60).split()
    if len(marks) > _MOST_MARKS or not all(map(_MARK.fullmatch, marks)):
        raise BadRequest(f"marks are not at most {_MOST_MARKS} cards or seats")
    return ShownStep(
        number("deal", 1, 1000),
        move if move == END else str(number("move", 0, MOST_FRAMES)),
        seat and str(number("seat", 0, 99)),
        marks,
    )

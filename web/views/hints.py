"""Hints in a person's match: asked for by a form or by `static/hints.js`."""

from __future__ import annotations

import orjson
from flask import Response, request

from records.match.loaded_match import LoadedMatch
from web.hints import shown
from web.pages import Pages, to
from web.services import services
from web.views.match import look, table_text
from web.views.play import JSON, PRIVATE, own_seat, player

pages = Pages("site_hints", __name__, for_players=True)


@pages.page("/play/<match>/hint")
def show_hint(match: str) -> Response:
    """Return the hint for the open question of a person's match."""
    loaded = look(match)
    own_seat(loaded)
    return _json(loaded)


@pages.form("/play/<match>/hint")
def ask_for_hint(match: str) -> Response:
    """Ask for a hint for the open question."""
    loaded = look(match)
    own_seat(loaded)
    services().hints.request(loaded, player().id)
    wants_json = request.accept_mimetypes.best_match(["text/html", JSON]) == JSON
    return _json(loaded) if wants_json else to(f"/play/{loaded.id}#hint")


def _json(loaded: LoadedMatch) -> Response:
    seat = own_seat(loaded)
    hint = services().hints.of(loaded, player().id)
    document = hint and shown(hint, table_text(loaded, seat), seat).to_json()
    return Response(orjson.dumps(document), headers=PRIVATE, mimetype=JSON)

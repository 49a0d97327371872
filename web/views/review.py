"""The mistake review of a match as a table, and the form that requests it."""

from __future__ import annotations

from typing import Final

from flask import Response, request

from engine.registry import GAMES
from league.accounts.tokens import Scope
from records.match import views
from records.reviews.model import Effort, by_seat
from web.pages import Pages, show, to
from web.services import services, site
from web.session import signed_in, viewer
from web.views.match import look, table_text

pages = Pages("site_review", __name__)
_EFFORT: Final = Effort.STANDARD


@pages.page("/matches/<match>/review")
def show_review(match: str) -> str:
    """Show the mistakes of a match with their regrets, or with `?moves=all` every decision."""
    loaded = look(match)
    review = services().reviews.find(loaded, _EFFORT)
    moves = [] if review is None else list(review.moves)
    wanted = "all" if request.args.get("moves") == "all" else "mistakes"
    shown = [move for move in moves if wanted == "all" or (move.regret is not None and move.regret.mistake)]
    return show(
        "review.html",
        match=views.match_summary(loaded),
        title=GAMES[loaded.config.game].title[viewer().language.code],
        review=review,
        sums=by_seat(moves, len(loaded.config.seats)),
        moves=shown,
        wanted=wanted,
        text=table_text(loaded),
        may_review=viewer().owner is not None,
    )


@pages.form("/matches/<match>/review")
def request_review(match: str) -> Response:
    """Request the review of a match."""
    token = signed_in(Scope.CHALLENGE)
    site().counter.creation(token)
    loaded = look(match)
    services().reviews.request(loaded, _EFFORT, token.owner)
    return to(f"/matches/{loaded.id}/review")

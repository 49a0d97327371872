"""The mistake review of a match as a table, the form that requests it, and practice on the mistakes."""

from __future__ import annotations

from itertools import takewhile
from typing import Any, Final

from flask import Response, request

from api.services import services
from league.accounts.tokens import Scope
from records.match import views
from records.match.frames import coded
from records.match.loaded_match import LoadedMatch
from records.page.table import TablePage, placed, table_data, whole
from records.reviews.model import Review, ReviewedMove, by_seat
from web.pages import Pages, show, to
from web.session import creating, viewer
from web.views.match import look, table_text

pages = Pages("site_review", __name__)
_MOST_FRAMES: Final = 20_000
_MOST_PRACTISED: Final = 20


@pages.page("/matches/<match>/review")
def show_review(match: str) -> str:
    """Show the mistakes of a match with their regrets, or with `?moves=all` every decision."""
    loaded = look(match)
    review = services().reviews.find(loaded)
    moves = [] if review is None else list(review.moves)
    wanted = "all" if request.args.get("moves") == "all" else "mistakes"
    shown = [move for move in moves if wanted == "all" or (move.regret is not None and move.regret.mistake)]
    return show(
        "review.html",
        match=views.match_summary(loaded),
        review=review,
        sums=by_seat(moves, len(loaded.config.seats)),
        moves=shown,
        wanted=wanted,
        text=table_text(loaded),
        may_review=viewer().owner is not None,
    )


@pages.page("/matches/<match>/practice")
def practise(match: str) -> str:
    """Show the position before one of the worst mistakes, of all seats or of one, as its seat saw it. With `?chosen=`
    show what the review's moves cost."""
    loaded = look(match)
    review, seat = services().reviews.find(loaded), _asked("seat", len(loaded.config.seats) - 1)
    worst = _worst(review, seat)
    number = min(_asked("number", _MOST_PRACTISED) or 1, len(worst))
    return show(
        "practice.html",
        match={"deal": 0, "id": loaded.id, "game": loaded.config.game},
        seat=seat,
        number=number,
        total=len(worst),
        **(_exercise(loaded, worst[number - 1]) if worst else {"mistake": None}),
    )


def _asked(name: str, most: int) -> int | None:
    return whole(request.args.get(name), most)


def _worst(review: Review | None, seat: int | None) -> list[ReviewedMove]:
    """Return the mistakes of a seat, or of all, with the highest regrets first."""
    moves = [] if review is None else review.moves
    mistakes = [move for move in moves if move.regret and move.regret.mistake and seat in (None, move.seat)]
    return sorted(mistakes, key=lambda move: -(move.regret.mean if move.regret else 0))[:_MOST_PRACTISED]


def _exercise(loaded: LoadedMatch, mistake: ReviewedMove) -> dict[str, Any]:
    """Return the position before a mistake, with what its seat saw and nothing later, and what each move costs."""
    assert mistake.regret is not None
    text, seat, before = table_text(loaded, mistake.seat), mistake.seat, mistake.move - 1
    frames = services().referee.frames(loaded, seat, 0, _MOST_FRAMES, deal=mistake.deal)
    earlier = [each.frame for each in takewhile(lambda each: each.place.move <= before, placed(frames))]
    # A review of an earlier release has the costs of two moves only.
    costs = mistake.regret.costs or {mistake.played: mistake.regret.mean, mistake.regret.best: 0.0}
    chosen = request.args.get("chosen")
    return {
        "mistake": mistake,
        "name": loaded.config.seats[seat].bot,  # type: ignore[union-attr]  # it has moved
        "table": TablePage(text, earlier, before, seat),
        "data": table_data(
            text.to_json(), seat=seat, deal=mistake.deal, move=before, frames=list(coded(earlier))
        ),
        "costs": sorted(costs.items(), key=lambda cost: cost[::-1]),
        "chosen": chosen if chosen in costs else None,
    }


@pages.form("/matches/<match>/review")
def request_review(match: str) -> Response:
    """Request the review of a match."""
    token = creating(Scope.CHALLENGE)
    loaded = look(match)
    services().reviews.request(loaded, token.owner)
    return to(f"/matches/{loaded.id}/review")

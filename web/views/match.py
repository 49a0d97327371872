"""The page of a match: its table live or step by step, alone and embedded in other sites."""

from __future__ import annotations

from typing import Any, Final

from flask import request

from engine.quoting import quoted
from engine.registry import GAMES
from league.reviews.model import Effort
from referee.errors import NoSuchMatch
from referee.ids import is_match_id
from referee.match import views
from referee.match.frames import Hands, Viewer
from referee.match.loaded_match import LoadedMatch
from web.pages import Pages, show
from web.services import services
from web.session import viewer
from web.table import TablePage, whole
from web.words import TableText

pages = Pages("site_match", __name__)
_MOST_FRAMES: Final = 20_000
_ANYWHERE: Final = {"frame-ancestors": "*"}


@pages.page("/matches/<match>")
def match_page(match: str) -> str:
    """Show a match: live while it runs, then step by step with all hands."""
    return _page("match.html", match)


@pages.page("/matches/<match>/embed", policy=_ANYWHERE)
def embedded_match(match: str) -> str:
    """Show only the table of a match, for other sites to embed."""
    return _page("embed.html", match)


def look(match: str) -> LoadedMatch:
    """Return a match that everybody may see. Raise `NoSuchMatch` or `GroupRunning`."""
    if not is_match_id(match):
        raise NoSuchMatch(f"there is no match {quoted(match)}")
    live = services().referee.look(match)
    services().referee.check_open(live)
    return live


def table_text(live: LoadedMatch) -> TableText:
    """Return the texts of a match in the viewer's language."""
    return TableText(
        viewer().language,
        [seat.bot if seat else "–" for seat in live.config.seats],
        {number for number, seat in enumerate(live.config.seats) if seat is not None and seat.person},
    )


def _page(template: str, match: str) -> str:
    live = look(match)
    text = table_text(live)
    seat = whole(request.args.get("seat"), len(text.seats) - 1) if live.finished else None
    return show(
        template,
        match=views.match_summary(live),
        title=GAMES[live.config.game].title[viewer().language.code],
        group=live.config.group.id if live.finished and live.config.group else None,
        table=_table(live, text, seat),
        data=_data(live, text, seat),
        may_review=live.finished and viewer().owner is not None,
        clock=text,
        luck=services().luck.of_match(live) if live.finished else None,
    )


def _table(live: LoadedMatch, text: TableText, seat: int | None) -> TablePage | None:
    """Return the linked place; `None` before the match has started."""
    whose: Viewer = None if not live.finished else Hands.ALL if seat is None else seat
    deals = live.progress.number
    deal, move = whole(request.args.get("deal"), deals), whole(request.args.get("move"), _MOST_FRAMES)
    at = max(1, deals if deal is None and not live.finished else deal or 1)
    frames = services().referee.frames(live, whose, 0, _MOST_FRAMES, deal=at)
    if not frames:
        return None
    shown = _MOST_FRAMES if move is None and not live.finished else move or 0
    return TablePage(text, frames, shown, seat)


def _data(live: LoadedMatch, text: TableText, seat: int | None) -> dict[str, Any]:
    """Return what `static/table.js` reads from the page."""
    return {
        **text.to_json(),
        "address": f"/matches/{live.id}" + ("/embed" if request.path.endswith("/embed") else ""),
        "source": f"/v1/matches/{live.id}/frames",
        "review": _review(live),
        "stream": None if live.finished else f"/v1/matches/{live.id}/stream",
        "live": not live.finished,
        "all": live.finished,
        "seat": seat,
        "deal": whole(request.args.get("deal"), live.progress.number),
        "move": whole(request.args.get("move"), _MOST_FRAMES),
    }


def _review(live: LoadedMatch) -> str | None:
    """Return where `static/table.js` reads the match's review, if there is one."""
    found = services().reviews.find(live, Effort.STANDARD) if live.finished else None
    return None if found is None else f"/v1/matches/{live.id}/review"

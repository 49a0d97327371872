"""The home page and the help page."""

from __future__ import annotations

from typing import Final

from flask import request

from engine.registry import GAMES
from league.ladders.model import Ladder, LadderState, Standing
from referee.storage.index import MatchFilter
from web.pages import Pages, show
from web.services import services, site
from web.views.matches import summaries

pages = Pages("site_home", __name__)
ENDPOINT: Final = "site_home.home_get"
"""Also answers `/`, for browsers."""

_LADDERS: Final = 6
_LEADERS: Final = 3
_MATCHES: Final = 10
_OVER: Final = (LadderState.DRAFT, LadderState.CLOSED)


@pages.page("/home")
def home() -> str:
    """Show what the service is, its ladders and games, and its latest matches."""
    page = services().index.matches(MatchFilter(), None, _MATCHES)
    return show("home.html", ladders=_ladders(), games=GAMES, matches=summaries(page))


@pages.page("/help")
def help_page() -> str:
    """Show how to write a bot, and where the documentation is."""
    return show("help.html", base=request.url_root.rstrip("/"), starters=site().starters)


def _ladders() -> list[tuple[Ladder, list[Standing]]]:
    """Return the newest ladders that are played, with the first of their standings."""
    ladders, _ = services().ladders.page(None, 3 * _LADDERS)
    played = [each for each in ladders if each.state not in _OVER][:_LADDERS]
    return [
        (
            each,
            [
                row.standing
                for row in services().standings.table(each.id).rows[:_LEADERS]
                if row.standing.line.deals
            ],
        )
        for each in played
    ]

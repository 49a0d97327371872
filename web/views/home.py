"""The home page and the help page."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

from flask import request

from api.services import services
from engine.registry import GAMES
from league.ladders.model import Ladder, LadderState, Standing
from records.match.frames import Hands, coded
from records.match.loaded_match import LoadedMatch
from records.match.session import Ending, Status
from records.page.table import table_data
from referee.storage.index import MatchFilter
from web.pages import Pages, show
from web.services import site
from web.views.match import result_of, table_text
from web.views.matches import is_private, summaries

pages = Pages("site_home", __name__)
ENDPOINT: Final = "site_home.home_get"
"""Also answers `/`, for browsers."""

_LADDERS: Final = 6
_LEADERS: Final = 3
_MATCHES: Final = 10
_OVER: Final = (LadderState.DRAFT, LadderState.CLOSED)
_MOST_FRAMES: Final = 400
_MOVES_A_SECOND: Final = 1


class MatchInMotion(NamedTuple):
    """A finished match whose last deal the page plays."""

    match: str
    title: str
    result: str
    """How it ended, or for a viewer without spoilers who played."""
    data: dict[str, Any]
    """What `static/table.js` reads."""


@pages.page("/home")
def home() -> str:
    """Show what the service is, its ladders and games, and its latest matches."""
    page = services().index.matches(MatchFilter(), None, _MATCHES)
    return show(
        "home.html",
        ladders=_ladders(),
        games=GAMES,
        matches=summaries(page),
        in_motion=match_in_motion(MatchFilter(status=Status.FINISHED)),
    )


@pages.page("/help")
def help_page() -> str:
    """Show how to write a bot, and where the documentation is."""
    return show("help.html", base=request.url_root.rstrip("/"), starters=site().starters)


def match_in_motion(wanted: MatchFilter) -> MatchInMotion | None:
    """Return the last of these finished matches that was played to its end, unless it is archived."""
    page = services().index.matches(wanted, None, _MATCHES)
    ids = [match for match in page.ids if match not in page.archived]
    for loaded in services().referee.look_at(ids):
        if loaded is None or loaded.void or is_private(loaded):
            continue
        if loaded.progress.ending is Ending.RULES:
            services().referee.check_open(loaded)
            return _played(loaded)
    return None


def _played(loaded: LoadedMatch) -> MatchInMotion:
    deal, text = loaded.progress.number, table_text(loaded)
    frames = services().referee.frames(loaded, Hands.ALL, 0, _MOST_FRAMES, deal=deal)
    data = table_data(
        text.to_json(),
        all=True,
        deal=deal,
        move=0,
        speed=_MOVES_A_SECOND,
        plays=True,
        frames=list(coded(frames)),
    )
    title = GAMES[loaded.config.game].title[text.language.code]
    return MatchInMotion(loaded.id, title, result_of(loaded) or " – ".join(text.seats), data)


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

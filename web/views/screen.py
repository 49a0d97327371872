"""A ladder on the projector of a class: standings with movements, the next round, and one table."""

from __future__ import annotations

from typing import Final, NamedTuple

from api.services import services
from league.ladders.model import Standing
from records.match.session import Status
from referee.storage.index import MatchFilter
from web.pages import Pages, show
from web.queries import among
from web.views.home import match_in_motion
from web.views.ladders import LadderFrame, in_zone_of, ladder_frame, next_meetings
from web.views.tv import live_tables, shared_words, stream_of

pages = Pages("site_screen", __name__)

ROWS: Final = 30
"""Bots of the standings."""
_MEETINGS: Final = 6
"""Meetings of the next round."""


class ScreenRow(NamedTuple):
    """A line of the standings."""

    standing: Standing
    moved: int | None
    """By how many places it has moved up since the last round; `None` if it had no place before."""


@pages.page("/ladders/<ladder_id>/screen")
def show_screen(ladder_id: str) -> str:
    """Show a ladder in large letters. The page refreshes itself. Organisers who ask for it see real names."""
    frame = ladder_frame(ladder_id)
    with_names = among("names", ("yes",)) is not None and frame.sees_names
    rounds, _ = services().ladders.rounds(ladder_id, None, 1)
    tables = live_tables(MatchFilter(ladder=ladder_id, status=Status.RUNNING), 1)
    replay = None if tables else match_in_motion(MatchFilter(ladder=ladder_id, status=Status.FINISHED))
    forecast = services().rounds.forecast(ladder_id)
    return show(
        "screen.html",
        frame=frame,
        real_names=services().ladders.real_names(frame.ladder) if with_names else {},
        rows=_rows(frame, rounds[0].number if rounds else 0),
        round=rounds[0] if rounds else None,
        forecast=forecast,
        next_round=next(iter(in_zone_of(forecast.next_rounds, frame.ladder.schedule)), None),
        meetings=next_meetings(frame.ladder, _MEETINGS),
        tables=tables,
        replay=replay,
        shared=shared_words(),
        stream=stream_of(tables) if tables else "",
    )


def _rows(frame: LadderFrame, last_round: int) -> list[ScreenRow]:
    before = services().standings.places_before(frame.ladder.id, last_round)
    rows = []
    for standing, _ in services().standings.table(frame.ladder.id, frame.season).rows[:ROWS]:
        old = before.get(standing.bot)
        moved = None if old is None or standing.place is None else old - standing.place
        rows.append(ScreenRow(standing, moved))
    return rows

"""Ladders: the list, and a ladder's standings, cross table, bracket, rounds and schedule."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Any, Final, NamedTuple, TypeVar
from zoneinfo import ZoneInfo

from flask import Response

from api.cursors import PageCursor
from api.services import services
from engine.registry import GAMES
from league.accounts.model import Bot
from league.accounts.tokens import Scope
from league.errors import LeagueError
from league.ladders.model import (
    HAS_SEASONS,
    TAKES_ENTRIES,
    Ladder,
    LadderEntry,
    RoundState,
    StandingPosition,
    Totals,
)
from league.ladders.schedule import Schedule
from league.ladders.service import MOST_CELLS
from league.ladders.standings import NamedBot, RankedBot
from league.pairing.formats.field import MeetingReason
from league.pairing.plan import Entrant
from league.permissions import check_own_ladder
from league.spreadsheets import BOM, csv_text
from records.match.session import Status
from referee.storage.index import MatchFilter
from web.intervals import ends_of
from web.pages import Pages, show
from web.queries import PAGE, among, cursor, following, text, whole
from web.session import signed_in, viewer
from web.views.tv import TvTable, live_tables, shared_words, stream_of

_SHADES: Final = 4
_FULL: Final = 1.0
"""The distance from the ladder's average, in points per deal, that has the strongest shade."""


class HeatCell(NamedTuple):
    """A cell of the cross table."""

    mean: float
    """Points per deal."""
    reach: float | None
    """Half the width of the 95 % interval."""
    matches: int
    win_share: float
    shade: int
    """From -4, far below the average of the ladder, to 4."""


def heat_cell(line: Totals | None, average: float) -> HeatCell | None:
    """Return the cell of these totals; `None` before the first deal."""
    if line is None or line.estimate is None:
        return None
    estimate = line.estimate
    reach = None if estimate.high is None else estimate.high - estimate.mean
    part = max(-1.0, min(1.0, (estimate.mean - average) / _FULL))
    return HeatCell(estimate.mean, reach, line.matches, line.wins / line.matches, round(part * _SHADES))


pages = Pages("site_ladders", __name__)

T = TypeVar("T")

_ROWS: Final = 100
"""Bots of a page of standings."""
_SORTS: Final[Mapping[str, Callable[[RankedBot], Any]]] = {
    "name": lambda row: row.standing.name,
    "points": lambda row: _falling(row.standing.line.points_per_deal),
    "matches": lambda row: -row.standing.line.matches,
    "wins": lambda row: -row.standing.line.wins,
    "rating": lambda row: _falling(row.rating and row.rating.mu),
}
"""By what standings can be sorted besides the place."""
_ENTRY_SORTS: Final[Mapping[str, Callable[[LadderEntry], Any]]] = {
    "entered": lambda entry: -entry.entered,
    "withdrawn": lambda entry: -(entry.withdrawn or 0),
}
"""By what entries can be sorted besides the name."""
_MEETINGS: Final = 500
"""Meetings of a round's page."""
_MOST_PAIRED: Final = 100
"""In a ladder with more entries, pairing the next round would take the page too long."""
_SIDE: Final = 25
"""Bots on each side of a page of the cross table."""


class LadderFrame(NamedTuple):
    """What all pages of a ladder show."""

    ladder: Ladder
    organisers: Sequence[str]
    """The names of its organisers, its owner first."""
    season: int
    """The season of the page."""
    mine: bool
    """Whether the viewer is one of its organisers."""
    sees_names: bool
    """Whether the viewer sees real names too: an organiser whose token has `league`."""
    takes_entries: bool
    has_bracket: bool
    has_seasons: bool


@pages.page("/ladders")
def list_ladders() -> str:
    """Show the ladders, the newest first."""
    at = cursor("ladders")
    ladders, then = services().ladders.page(at.place, PAGE)
    names = {owner: services().accounts.owner(owner).name for owner in {each.owner for each in ladders}}
    return show("ladders.html", ladders=ladders, owners=names, games=GAMES, next=following(at.then(then)))


@pages.page("/ladders/<ladder_id>")
def show_standings(ladder_id: str) -> str:
    """Show the standings of a ladder."""
    frame = ladder_frame(ladder_id)
    sort, named = among("sort", _SORTS), text("bot", 65)
    at = cursor(f"standings {ladder_id}", {"season": frame.season, "sort": sort, "bot": named})
    standings = services().standings.table(ladder_id, frame.season)
    if sort is None and named is None:
        place = at.place
        page, then = standings.page(place and StandingPosition(*place), _ROWS)
        shown, following_ = standings.rows[page], at.then(then)
    else:
        found = [row for row in standings.rows if (named or "") in row.standing.name]
        shown, following_ = _part(sorted(found, key=_SORTS[sort]) if sort else found, at)
    rounds, _ = services().ladders.rounds(ladder_id, None, 1)
    first, estimates = at.place is None, [each.standing.line.estimate for each in shown]
    live = _live(frame) if first else []
    return show(
        "ladder_standings.html",
        frame=frame,
        real_names=services().ladders.real_names(frame.ladder) if frame.sees_names else {},
        live=live,
        shared=shared_words(),
        stream=stream_of(live),
        rows=shown,
        drawn=ends_of((each.low, each.high) for each in estimates if each),
        names=standings.names,
        numbers=sorted({line.round for row in shown for line in row.standing.rank.rounds or ()}),
        round=rounds[0] if rounds else None,
        entries=_own_entries(frame),
        next=following(following_),
        first=first,
        sort=sort or "place",
        named=named,
        is_published=services().ladders.store.result_count(ladder_id, frame.season) > 0,
    )


@pages.page("/ladders/<ladder_id>/names.csv")
def download_real_names(ladder_id: str) -> Response:
    """Return the standings with real names as CSV, to organisers."""
    ladder = services().ladders.get(ladder_id)
    check_own_ladder(signed_in(Scope.LEAGUE), ladder)
    rows = services().standings.with_real_names(ladder, whole("season"))
    headers = {"Content-Disposition": f'attachment; filename="{ladder_id}-names.csv"'}
    return Response(BOM + csv_text([NamedBot._fields, *rows]), mimetype="text/csv", headers=headers)


def _live(frame: LadderFrame) -> list[TvTable]:
    """Return the running match that is worth watching most; none on the page of an earlier season."""
    if frame.season != frame.ladder.season:
        return []
    return live_tables(MatchFilter(ladder=frame.ladder.id, status=Status.RUNNING), 1)


@pages.page("/ladders/<ladder_id>/cross")
def show_cross_table(ladder_id: str) -> str:
    """Show a part of the cross table: the bots from `row` on against those from `column` on."""
    frame = ladder_frame(ladder_id)
    standings = [each.standing for each in services().standings.table(ladder_id, frame.season).rows]
    row, column = whole("row") or 0, whole("column") or 0
    height = max(1, min(_SIDE, MOST_CELLS // max(1, len(standings))))
    bots, opponents = standings[row : row + height], standings[column : column + _SIDE]
    cells = {
        (cell.bot, cell.opponent): cell.line
        for cell in services().ladders.cross_table(ladder_id, [each.bot for each in bots], frame.season)
    }
    deals = sum(each.line.deals for each in standings)
    average = sum(each.line.points for each in standings) / deals if deals else 0.0
    table: list[list[HeatCell | None]] = [
        [heat_cell(cells.get((bot.bot, other.bot)), average) for other in opponents] for bot in bots
    ]
    return show(
        "ladder_cross.html",
        frame=frame,
        bots=bots,
        opponents=opponents,
        table=table,
        row=row,
        column=column,
        height=height,
        side=_SIDE,
        total=len(standings),
    )


@pages.page("/ladders/<ladder_id>/bracket")
def show_bracket(ladder_id: str) -> str:
    """Show the bracket of a knock-out ladder."""
    frame = ladder_frame(ladder_id)
    bracket = services().rounds.bracket(ladder_id, frame.season)
    bracket = services().seasons.without_winner_out(ladder_id, frame.season, bracket)
    return show("ladder_bracket.html", frame=frame, bracket=bracket)


@pages.page("/ladders/<ladder_id>/rounds")
def list_rounds(ladder_id: str) -> str:
    """Show the rounds of a ladder, the newest first."""
    frame = ladder_frame(ladder_id)
    at = cursor(f"rounds {ladder_id}")
    rounds, then = services().ladders.rounds(ladder_id, at.place, 20)
    return show(
        "ladder_rounds.html",
        frame=frame,
        rounds=rounds,
        next=following(at.then(then)),
    )


@pages.page("/ladders/<ladder_id>/rounds/<int(max=999999999):number>")
def show_round(ladder_id: str, number: int) -> str:
    """Show a round with its entrants, unless they are hidden."""
    frame = ladder_frame(ladder_id)
    round_ = services().ladders.round(ladder_id, number)
    entrants = None if frame.ladder.hides_entrants(round_) else [each.name for each in round_.entrants]
    shown = round_.tables if frame.ladder.shows_pairing(round_) else None
    reasons = round_.reasons or [MeetingReason()] * len(shown or ())
    return show(
        "ladder_round.html",
        frame=frame,
        round=round_,
        entrants=entrants,
        meetings=list(zip(shown or (), reasons, strict=bool(shown)))[:_MEETINGS],
        sitting_out=round_.sitting_out if shown else None,
        running=round_.state is RoundState.RUNNING,
    )


@pages.page("/ladders/<ladder_id>/schedule")
def show_schedule(ladder_id: str) -> str:
    """Show when the next rounds and seasons begin."""
    frame = ladder_frame(ladder_id)
    forecast = services().rounds.forecast(ladder_id)
    return show(
        "ladder_schedule.html",
        frame=frame,
        forecast=forecast,
        rounds=in_zone_of(forecast.next_rounds, frame.ladder.schedule),
        seasons=in_zone_of(forecast.next_seasons, frame.ladder.season_schedule),
        meetings=next_meetings(frame.ladder, _MEETINGS, to_organiser=frame.mine),
    )


def next_meetings(ladder: Ladder, most: int, *, to_organiser: bool = False) -> Sequence[Sequence[Entrant]]:
    """Return the first meetings of the next round, if there is one and the viewer may see them."""
    if ladder.hides_pairings and not to_organiser:
        return ()
    return services().recent.get(("meetings", ladder.id), lambda: _planned(ladder.id))[:most]


def _planned(ladder_id: str) -> Sequence[Sequence[Entrant]]:
    if len(services().ladders.entries(ladder_id)) > _MOST_PAIRED:
        return ()
    try:
        return services().rounds.dry_run(ladder_id).meetings[:_MEETINGS]
    except LeagueError:  # nothing to play, or a round is under way
        return ()


@pages.page("/ladders/<ladder_id>/seasons")
def list_seasons(ladder_id: str) -> str:
    """Show the seasons of a ladder with their winners."""
    frame = ladder_frame(ladder_id)
    at = cursor(f"seasons {ladder_id}")
    seasons, then = services().seasons.page(ladder_id, at.place, 20)
    over = {each.number for each in seasons if services().published.is_complete(each)}
    winners = {each.number: services().seasons.leaders(each) for each in seasons if each.number in over}
    return show(
        "ladder_seasons.html",
        frame=frame,
        seasons=seasons,
        winners=winners,
        published={
            each.number for each in seasons if services().ladders.store.result_count(ladder_id, each.number)
        },
        next=following(at.then(then)),
    )


@pages.page("/ladders/<ladder_id>/seasons/<int(max=999999999):number>/results")
def list_results(ladder_id: str, number: int) -> str:
    """Show the versions of the published result of a season."""
    frame = ladder_frame(ladder_id)
    versions = services().published.versions(ladder_id, number)
    return show("ladder_results.html", frame=frame, number=number, versions=versions[::-1])


@pages.page("/ladders/<ladder_id>/entries")
def list_entries(ladder_id: str) -> str:
    """Show the bots of a ladder by name, or the last ones that entered or were withdrawn first."""
    frame = ladder_frame(ladder_id)
    sort, named = among("sort", _ENTRY_SORTS), text("bot", 65)
    at = cursor(f"entries {ladder_id}", {"sort": sort, "bot": named})
    entries = services().ladders.entries(ladder_id, withdrawn=True)
    found = [each for each in entries if (named or "") in each.name]
    shown, then = _part(sorted(found, key=_ENTRY_SORTS[sort]) if sort else found, at)
    return show(
        "ladder_entries.html",
        frame=frame,
        entries=shown,
        sort=sort or "name",
        named=named,
        next=following(then),
    )


def _falling(value: float | None) -> float:
    """Return a key that sorts the highest value first, and none last."""
    return math.inf if value is None else -value


def _part(found: Sequence[T], at: PageCursor) -> tuple[Sequence[T], str | None]:
    """Return the rows of a page that begins at this cursor, and the cursor of the next page."""
    end = (at.place or 0) + _ROWS
    return found[end - _ROWS : end], at.then(end if len(found) > end else None)


def ladder_frame(ladder_id: str) -> LadderFrame:
    """Return what all pages of a ladder show. Raise `NoSuchLadder` or `NoSuchSeason`."""
    ladder = services().ladders.get(ladder_id)
    asked = whole("season")
    season = ladder.season if asked is None else services().seasons.get(ladder_id, asked).number
    mine, token = ladder.is_run_by(viewer().owner), viewer().token
    return LadderFrame(
        ladder,
        [services().accounts.owner(each).name for each in (ladder.owner, *ladder.organisers)],
        season,
        mine,
        mine and token is not None and Scope.LEAGUE in token.scopes,
        ladder.state in TAKES_ENTRIES,
        ladder.format_class.has_bracket,
        ladder.state in HAS_SEASONS,
    )


def in_zone_of(instants: Sequence[int], schedule: Any) -> list[str]:
    """Return instants in the time zone of their schedule."""
    zone = schedule.timezone if isinstance(schedule, Schedule) else "UTC"
    language = viewer().language
    return [language.local(datetime.fromtimestamp(each / 1000, ZoneInfo(zone)), zone) for each in instants]


def _own_entries(frame: LadderFrame) -> list[tuple[Bot, LadderEntry | None]]:
    """Return the viewer's bots with their entries in the ladder."""
    token = viewer().token
    if token is None or viewer().owner is None:
        return []
    entries = {each.bot: each for each in services().ladders.entries(frame.ladder.id)}
    return [(bot, entries.get(bot.id)) for bot in services().accounts.bots(token.name, None, 200).bots]

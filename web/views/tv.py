"""Several running matches at once, live over one stream, and the last ones that ended."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

from api.services import services
from engine.registry import GAMES
from records.match.frames import Frame, coded
from records.match.loaded_match import LoadedMatch
from records.match.record import preset_of_match
from records.match.session import Status
from records.page.table import TablePage, table_data
from records.page.words import TableText
from referee.errors import EventsNotReady, GroupRunning
from referee.storage.index import MatchFilter
from web.pages import Pages, show
from web.queries import among, at, text
from web.session import viewer
from web.views.home import match_in_motion
from web.views.match import clock_of, table_text
from web.views.matches import is_private, summaries

pages = Pages("site_tv", __name__)
TABLES: Final = 6
"""How many matches the page shows."""
_LOOKED_AT: Final = 60
"""How many listed matches are read to find them."""
MOST_IDLE_MS: Final = 60_000
"""A match is shown if its last move is not older than this."""
_OVER: Final = 10
"""How many finished matches the page lists. Those of a duplicate group are among them as soon as the group is over."""
_MOST_FRAMES: Final = 2_000


class TvTable(NamedTuple):
    """A running match as a spectator sees it now."""

    match: str
    title: str
    page: TablePage
    number: int
    """The number of the last event."""
    data: dict[str, Any]
    """What `static/table.js` reads besides the words of all tables."""


@pages.page("/tv")
def watch_matches() -> str:
    """Show running matches that everybody may see; only those of a game or ladder if the address names it. While there
    are none, play the last one that ended."""
    game, ladder = among("game", GAMES), text("ladder", 64)
    channel = None if ladder is None else services().ladders.get(ladder)
    over = MatchFilter(game, ladder=ladder, status=Status.FINISHED)
    tables = live_tables(over._replace(status=Status.RUNNING), TABLES)
    return show(
        "tv.html",
        tables=tables,
        replay=None if tables else match_in_motion(over),
        over=summaries(services().index.matches(over, None, _OVER), over),
        games=GAMES,
        game=game,
        ladder=channel,
        shared=shared_words(),
        stream=stream_of(tables),
    )


def live_tables(wanted: MatchFilter, most: int) -> list[TvTable]:
    """Return the most interesting of these running matches that everybody may see and that are worth watching."""
    ids = services().index.matches(wanted, None, _LOOKED_AT).ids
    found = services().referee.look_at(ids)
    watched = [each for each in found if each is not None and wanted.fits(each) and _is_worth_watching(each)]
    tables: list[TvTable] = []
    for loaded in _by_interest(watched):
        if len(tables) < most and (table := _table(loaded)) is not None:
            tables.append(table)
    return tables


def _by_interest(matches: Sequence[LoadedMatch]) -> list[LoadedMatch]:
    """Return the matches by falling mean rating; at equal ratings the closest first. A bot without a rating counts as
    0."""
    bots: dict[str, set[str]] = {}
    for match in matches:
        bots.setdefault(preset_of_match(match.config), set()).update(_bots(match))
    rated = {preset: services().ratings.ratings(preset, sorted(ids)) for preset, ids in bots.items()}

    def interest(match: LoadedMatch) -> tuple[float, int]:
        ratings, scores = rated[preset_of_match(match.config)], match.progress.scores
        known = [ratings[bot].mu for bot in _bots(match) if bot in ratings]
        return -sum(known) / len(match.config.seats), max(scores) - min(scores)

    return sorted(matches, key=interest)


def _bots(match: LoadedMatch) -> list[str]:
    return [seat.id for seat in match.config.seats if seat is not None and not seat.person]


def shared_words() -> dict[str, Any]:
    """Return the words that tables of one page share."""
    words = TableText(viewer().language, []).to_json()
    return {name: words[name] for name in ("language", "ranks", "words")}


def stream_of(tables: Sequence[TvTable]) -> str:
    """Return the address of the stream of these matches."""
    matches, numbers = ",".join(each.match for each in tables), "-".join(str(each.number) for each in tables)
    return at("/v1/stream?kind=frames&matches=") + f"{matches}&after={numbers}"


def _is_worth_watching(loaded: LoadedMatch) -> bool:
    """Return whether somebody moved lately and no guest, who may have left, plays."""
    if loaded.asked is None or loaded.now - loaded.asked > MOST_IDLE_MS:
        return False
    return not is_private(loaded)


def _table(loaded: LoadedMatch) -> TvTable | None:
    """Return a match, or `None` if not everybody may see it now or nothing was dealt."""
    referee = services().referee
    try:
        referee.check_open(loaded)
        frames = referee.frames(loaded, None, 0, _MOST_FRAMES, deal=loaded.progress.number)
    except (GroupRunning, EventsNotReady):
        return None
    if not frames:
        return None
    words = table_text(loaded)
    page = TablePage(words, frames, _MOST_FRAMES, None)
    return TvTable(
        loaded.id,
        GAMES[loaded.config.game].title[viewer().language.code],
        page,
        frames[-1].number,
        _data(words, frames, clock_of(loaded)),
    )


def _data(words: TableText, frames: list[Frame], clock: dict[str, int] | None) -> dict[str, Any]:
    """Return what `static/table.js` reads for one of the tables. They share the words."""
    own = {"game": words.game, "seats": words.seats, "house": words.house}
    return table_data(own, live=True, clock=clock, frames=list(coded(frames[-1:])))

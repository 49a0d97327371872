"""The search for matches and records, and the monthly dumps of all of them."""

from __future__ import annotations

from typing import Any, Final
from urllib.parse import urlencode

from flask import Response
from werkzeug.exceptions import BadRequest

from api.services import services
from engine.quoting import quoted
from engine.registry import GAMES
from league.errors import NoSuchBot
from records.instants import ms_of
from records.match import views
from records.match.loaded_match import LoadedMatch
from records.match.session import GUEST, Ending, Status
from referee.storage.index import MatchFilter, MatchPage
from web.pages import Pages, again, show
from web.queries import among, cursor, following, text
from web.session import viewer
from web.views.match import result_of

pages = Pages("site_matches", __name__)

_ENDS: Final = {"since": "T00:00:00Z", "until": "T23:59:59.999Z"}
"""What follows the date of the first day and of the last one in their instants."""
_PAGE: Final = 30
"""Matches of a page."""
_STATUSES: Final = [status.value for status in Status]
_RESULTS: Final = [ending.value for ending in Ending]


@pages.page("/matches")
def search_matches() -> str | Response:
    """Show the matches that pass the filters, with links to their records."""
    asked = {
        "game": among("game", GAMES),
        "bot": text("bot", 65),
        "opponent": text("opponent", 65),
        "ladder": text("ladder", 64),
        "status": among("status", _STATUSES),
        "result": among("result", _RESULTS),
        "since": text("since", 10),
        "until": text("until", 10),
    }
    instants = {name: f"{asked[name]}{end}" for name, end in _ENDS.items() if asked[name]}
    at = cursor("matches", asked)
    form = {"asked": asked, "games": GAMES, "statuses": _STATUSES, "results": _RESULTS}
    try:
        wanted = _filter(asked, instants)
    except NoSuchBot as error:
        return again("matches.html", error, **form, matches=[], export=None, next=None)
    page = services().index.matches(wanted, at.place, _PAGE)
    return show(
        "matches.html",
        **form,
        refusal=None,
        matches=summaries(page, wanted),
        export="/v1/records?"
        + urlencode({name: value for name, value in {**asked, "status": None, **instants}.items() if value}),
        next=following(at.then(page.cursor)),
    )


@pages.page("/dumps")
def list_dumps() -> str:
    """Show the monthly dumps, and the files of one: of the last month unless `?month=` names another."""
    dumps = {dump.month: dump for dump in services().dumps.dumps()}
    month = among("month", dumps) or next(iter(dumps), None)
    return show("dumps.html", dumps=list(dumps.values()), shown=None if month is None else dumps[month])


def summaries(
    page: MatchPage,
    wanted: MatchFilter = MatchFilter(),  # noqa: B008
    *,
    own: bool = False,
) -> list[dict[str, Any]]:
    """Return what everybody may see of these listed matches, without those that no longer pass the filter. `result` is
    how a match ended, in a sentence. Before its end and for a viewer without spoilers it is `None`, and then places and
    scores are hidden too, unless the matches are the viewer's own."""
    found = services().referee.look_at(page.ids, known=page.archived)
    hidden = {} if own or viewer().spoilers else dict.fromkeys(("ending", "scores", "places"))
    return [
        {**views.match_summary(match), "result": result_of(match), **hidden}
        for match in found
        if match is not None and wanted.fits(match) and not is_private(match, wanted.bot)
    ]


def is_private(match: LoadedMatch, besides: str | None = None) -> bool:
    """Return whether lists show a match only to its players, as those of guests and of friends, and the one with this
    id is none of them."""
    people = {seat.id: seat.bot for seat in match.config.seats if seat is not None and seat.person}
    guests = any(name.startswith(f"{GUEST}/") for name in people.values())
    return (guests or len(people) > 1) and besides not in people


def _filter(asked: dict[str, str | None], instants: dict[str, str]) -> MatchFilter:
    """Return the filter of the form. Raise `NoSuchBot` or `BadRequest`."""
    return MatchFilter(
        game=asked["game"],
        bot=_bot_id(asked["bot"]),
        ladder=asked["ladder"],
        status=None if asked["status"] is None else Status(asked["status"]),
        result=asked["result"],
        opponent=_bot_id(asked["opponent"]),
        since=_ms("since", instants),
        until=_ms("until", instants),
    )


def _bot_id(asked: str | None) -> str | None:
    """Return the id of a bot. Raise `NoSuchBot`."""
    if asked is None:
        return None
    owner, slash, name = asked.partition("/")
    if not slash:
        raise NoSuchBot(f"there is no bot {quoted(asked)}; its name has the form owner/bot")
    return services().accounts.bot(owner, name).id


def _ms(name: str, instants: dict[str, str]) -> int | None:
    try:
        return ms_of(instants[name]) if name in instants else None
    except (ValueError, OverflowError):
        raise BadRequest(f"{name} is not a date like 2026-01-31") from None

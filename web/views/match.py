"""The page of a match: its table live or step by step, alone and embedded in other sites."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from types import MappingProxyType
from typing import Any, Final

from flask import request

from api.services import services
from engine.quoting import quoted
from league.fitness.facts import SeatFacts
from league.together import SharedReplay
from records.errors import RefereeError
from records.ids import is_match_id
from records.match import views
from records.match.frames import Hands, Viewer
from records.match.loaded_match import LoadedMatch
from records.match.session import GUEST, Ending, places
from records.page.outcome import Outcome
from records.page.table import MOST_DEALS, ScoreSheet, TablePage, key_of_move, whole
from records.page.words import END, TableText
from referee.errors import NoSuchMatch
from web.pages import Pages, show
from web.queries import at
from web.session import viewer

pages = Pages("site_match", __name__)
MOST_FRAMES: Final = 20_000
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
    loaded = services().referee.look(match)
    services().referee.check_open(loaded)
    return loaded


def table_text(
    loaded: LoadedMatch, you: int | None = None, guests: Mapping[int, str] = MappingProxyType({})
) -> TableText:
    """Return the texts of a match in the viewer's language, for the person on seat `you`, with the names of guests."""
    named = {number: f"{GUEST}/{name}" for number, name in guests.items()}
    return TableText(
        viewer().language,
        [named.get(number, seat.bot) if seat else "–" for number, seat in enumerate(loaded.config.seats)],
        {number for number, seat in enumerate(loaded.config.seats) if seat is not None and seat.person},
        game=loaded.config.game,
        you=you,
    )


def outcome_of(loaded: LoadedMatch, text: TableText) -> Outcome | None:
    """Return how a match ended, for the reader of these texts; `None` before its end."""
    if not loaded.finished:
        return None
    return Outcome(text, views.match_summary(loaded), loaded.config.table().sides, text.you)


def sheet_of(loaded: LoadedMatch, text: TableText) -> ScoreSheet | None:
    """Return the score sheet of a match with several deals; `None` before it starts."""
    deals = loaded.config.deals
    if not 1 < deals <= MOST_DEALS or loaded.progress.started is None:
        return None
    events = services().referee.events(loaded, None, 0, MOST_FRAMES)
    return ScoreSheet(text, deals, loaded.progress.scores, events)


def clock_of(loaded: LoadedMatch) -> dict[str, int] | None:
    """Return what `static/clock.js` needs to show the clocks of a running match."""
    if loaded.finished:
        return None
    elapsed = 0 if loaded.asked is None else max(0, loaded.now - loaded.asked)
    return {"move_ms": loaded.config.clock.move_ms, "turn": loaded.progress.turn, "elapsed_ms": elapsed}


def result_of(loaded: LoadedMatch, text: TableText | None = None) -> str | None:
    """Return in a sentence how a match ended, for the reader of these texts; `None` before its end, and for a viewer
    without spoilers who did not play."""
    told = text or table_text(loaded)
    outcome = outcome_of(loaded, told) if told.you is not None or viewer().spoilers else None
    return None if outcome is None else outcome.sentence()


def ways_of(loaded: LoadedMatch, text: TableText) -> dict[str, str | None]:
    """Return how a finished match ended that began at a position of another one, for the reader of these texts, and how
    that one stood after the same deal. Both are `None` without a result to compare, and while results are hidden."""
    outcome, place = outcome_of(loaded, text), loaded.config.continues
    ways: dict[str, str | None] = {"before": None, "now": None}
    if outcome is None or place is None or not viewer().spoilers:
        return ways
    with suppress(RefereeError):  # the other match may be forgotten
        other = look(place.match)
        before = _outcome_after(other, loaded.config.deals)
        if before is not None:
            ways = {"before": before.summary(), "now": outcome.summary()}
    return ways


def _outcome_after(loaded: LoadedMatch, deals: int) -> Outcome | None:
    """Return the outcome of a finished match after `deals` deals; `None` if it ended earlier."""
    text = table_text(loaded)
    if deals == loaded.config.deals or not loaded.finished:
        return outcome_of(loaded, text)
    events = services().referee.events(loaded, None, 0, MOST_FRAMES)
    ends = (event for event in events if event["type"] == "deal_over" and event["deal"] == deals)
    scores = next((event["scores"] for event in ends), None)
    if scores is None:
        return None
    as_if_over = {
        "ending": Ending.RULES,
        "scores": scores,
        "places": places(scores, []),
        "forfeits": [],
        "deals": deals,
    }
    return Outcome(text, {**views.match_summary(loaded), **as_if_over}, loaded.config.table().sides)


def _page(template: str, match: str) -> str:
    loaded = look(match)
    text, facts = table_text(loaded), _facts(loaded)
    thoughts, shared = _thoughts(facts), _shared(loaded)
    place = request.args if shared is None else _place_of(shared)
    return show(
        template,
        match=views.match_summary(loaded),
        group=loaded.config.group.id if loaded.finished and loaded.config.group else None,
        table=linked_place(loaded, text, place, thoughts),
        shared=shared,
        session=request.args.get("together"),
        leads=shared is not None and shared.leader == viewer().guest_key,
        data=_data(loaded, text, place, shares=shared is not None)
        | ({"facts": at(f"/v1/matches/{loaded.id}/facts")} if thoughts else {}),
        outcome=outcome_of(loaded, text),
        **ways_of(loaded, text),
        hides=_hides(loaded, place),
        sheet=sheet_of(loaded, text),
        facts={seat: each for seat, each in facts.items() if each.sums or each.refused},
        may_review=loaded.finished and viewer().owner is not None,
        clock=text,
    )


def _shared(loaded: LoadedMatch) -> SharedReplay | None:
    """Return the shared replay of a finished match that the address names, if it goes on."""
    session = request.args.get("together")
    return services().together.find(session, loaded.id) if session and loaded.finished else None


def _place_of(shared: SharedReplay) -> Mapping[str, str]:
    """Return what the leader of a shared replay shows, as an address names it."""
    return {"deal": str(shared.shown.deal), "move": shared.shown.move, "seat": shared.shown.seat}


def _hides(loaded: LoadedMatch, place: Mapping[str, str]) -> bool:
    """Return whether the page says nothing of the match that comes after the shown step."""
    return loaded.finished and not viewer().spoilers and _linked_move(place) != END


def _facts(loaded: LoadedMatch) -> dict[int, SeatFacts]:
    """Return the facts about each seat's moves; nothing while the match runs."""
    if not loaded.finished:
        return {}
    bots = {number: seat.id for number, seat in enumerate(loaded.config.seats) if seat is not None}
    return dict(zip(bots, services().facts.of(list(bots.values()), loaded.id), strict=True))


def _thoughts(facts: Mapping[int, SeatFacts]) -> dict[str, str]:
    """Return what the bots thought of their moves, by `key_of_move`."""
    return {
        key_of_move(seat, told.turn, told.deal, told.move): told.facts.thoughts
        for seat, each in facts.items()
        for told in each.moves
        if told.facts.thoughts
    }


def linked_place(
    loaded: LoadedMatch,
    text: TableText,
    place: Mapping[str, str],
    thoughts: Mapping[str, str] = MappingProxyType({}),
) -> TablePage | None:
    """Return the place that the query `place` names, as everybody may see it; `None` before the match has started."""
    seat = _linked_seat(loaded, place)
    whose: Viewer = None if not loaded.finished else Hands.ALL if seat is None else seat
    deals = loaded.progress.number
    deal, move = whole(place.get("deal"), deals), _linked_move(place)
    at = max(1, deals if deal is None and not loaded.finished else deal or 1)
    frames = services().referee.frames(loaded, whose, 0, MOST_FRAMES, deal=at)
    if not frames:
        return None
    shown = MOST_FRAMES if move == END or (move is None and not loaded.finished) else int(move or 0)
    return TablePage(text, frames, shown, seat, thoughts)


def _linked_move(place: Mapping[str, str]) -> int | str | None:
    """Return the move that a query names, or `END`."""
    move = place.get("move")
    return END if move == END else whole(move, MOST_FRAMES)


def _linked_seat(loaded: LoadedMatch, place: Mapping[str, str]) -> int | None:
    """Return the seat whose view of a finished match a query names."""
    return whole(place.get("seat"), len(loaded.config.seats) - 1) if loaded.finished else None


def _data(loaded: LoadedMatch, text: TableText, place: Mapping[str, str], *, shares: bool) -> dict[str, Any]:
    """Return what `static/table.js` reads from the page."""
    return {
        **text.to_json(),
        "address": at(f"/matches/{loaded.id}" + ("/embed" if request.path.endswith("/embed") else "")),
        "source": at(f"/v1/matches/{loaded.id}/frames"),
        "review": _review(loaded),
        "stream": None if loaded.finished else at(f"/v1/matches/{loaded.id}/stream"),
        "live": not loaded.finished,
        "clock": clock_of(loaded),
        "all": loaded.finished,
        "hides": _hides(loaded, place),
        "shares": shares,
        "seat": _linked_seat(loaded, place),
        "deal": whole(place.get("deal"), loaded.progress.number),
        "move": _linked_move(place),
    }


def _review(loaded: LoadedMatch) -> str | None:
    """Return where `static/table.js` reads the match's review, if there is one."""
    found = services().reviews.find(loaded) if loaded.finished else None
    return None if found is None else at(f"/v1/matches/{loaded.id}/review")

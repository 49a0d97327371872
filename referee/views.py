"""What anybody may see of a match, built up from what is visible: the one place where a match becomes JSON.

A viewer is a seat, or `None` for everybody else.
"""

from __future__ import annotations

from typing import Any, Final

from referee import shuffle
from referee.instants import text_of
from referee.record import preset_of_match, rules_of_match
from referee.referee import Live, Moved
from referee.store import Remark
from referee.table import Seat, Status, match_of, places


def match_view(live: Live, viewer: int | None, *, masked: bool) -> dict[str, Any]:
    """`GET /v1/matches/{id}`: the match as `viewer` may see it. `masked`: it belongs to a duplicate group that is not
    over, and the seat sees no other remote bot's name."""
    setup, head = live.setup, live.head
    view = match_summary(live)
    if masked:
        view["seats"] = [
            seat and (seat_view(seat) if seat.house or number == viewer else dict(_SOMEBODY))
            for number, seat in enumerate(setup.seats)
        ]
    view["entropy"] = setup.registered()
    view["commitment"] = shuffle.commitment(live.secret, setup.id)
    view["clocks"] = clocks(live)
    view["seat"] = viewer
    view["now"] = text_of(live.now)
    view["turn"] = head.turn if head.to_move is not None else None
    view["to_move"] = head.to_move
    view["deadline"] = live.deadline and text_of(live.deadline)
    view["observation"] = observation(live, viewer)
    return view


_SOMEBODY: Final = {"bot": None, "id": None, "version": None}


def match_summary(live: Live) -> dict[str, Any]:
    """A match in a list: what everybody sees of it in few lines."""
    setup, head = live.setup, live.head
    over = head.status is Status.FINISHED
    return {
        "id": setup.id,
        "game": setup.game,
        "options": setup.options,
        "preset": preset_of_match(setup),
        "rules": rules_of_match(setup),
        "deals": setup.deals,
        "deal": head.number,
        "seats": [seat and seat_view(seat) for seat in setup.seats],
        "clock": setup.clock.to_json(),
        "rated": setup.rated,
        "ladder": setup.ladder,
        "round": setup.round,
        "status": head.status,
        "ending": head.ending,
        "void": live.void,
        "created": text_of(setup.created),
        "started": head.started and text_of(head.started),
        "ended": head.ended and text_of(head.ended),
        "scores": list(head.scores),
        "places": places(head.scores, head.forfeits) if over else None,
        "forfeits": sorted(head.forfeits),
    }


def turn_view(live: Live, seat: int) -> dict[str, Any]:
    """A turn of `seat`, with all that is needed to answer it."""
    return {
        "match": live.setup.id,
        "turn": live.head.turn,
        "deal": live.head.number,
        "seat": seat,
        "observation": observation(live, seat),
        "clocks": clocks(live),
        "deadline": live.deadline and text_of(live.deadline),
        "now": text_of(live.now),
    }


def finished_view(live: Live, seat: int) -> dict[str, Any]:
    """A match of mine that is over, in the list of my turns."""
    head = live.head
    return {
        "match": live.setup.id,
        "seat": seat,
        "ending": head.ending,
        "scores": list(head.scores),
        "places": places(head.scores, head.forfeits),
        "forfeits": sorted(head.forfeits),
        "ended": head.ended and text_of(head.ended),
    }


def moved_view(moved: Moved) -> dict[str, Any]:
    """The result of a move: the same for the first answer and for every repetition but `replayed`."""
    entry = moved.entry
    return {
        "match": moved.match,
        "seat": moved.seat,
        "turn": entry.turn or None,
        "move": entry.move,
        "ms": entry.ms,
        "charged_ms": entry.charged,
        "replayed": moved.replayed,
    }


def observation(live: Live, viewer: int | None) -> dict[str, Any] | None:
    """What this viewer sees of the deal, with its legal and free moves; `None` while there is no deal."""
    if live.state is None:
        return None
    return match_of(live.setup, live.head.first_dealer or 0).view(live.state, viewer)


def clocks(live: Live) -> list[dict[str, int]]:
    """By seat: what is left in the bank, and strikes so far."""
    head = live.head
    return [
        {"bank_ms": bank, "strikes": strikes} for bank, strikes in zip(head.bank, head.strikes, strict=True)
    ]


def seat_view(seat: Seat) -> dict[str, Any]:
    """Who sits there."""
    return {"bot": seat.bot, "id": seat.id, "version": seat.version}


def remark_view(remark: Remark) -> dict[str, Any]:
    """What was said of a match after its end."""
    return {"at": text_of(remark.at), "what": remark.what, "reason": remark.reason}

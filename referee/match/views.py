"""What anybody may see of a match, built up from what is visible: the one place where a match becomes JSON.

A viewer is a seat, or `None` for everybody else.
"""

from __future__ import annotations

from typing import Any, Final

from referee.instants import text_of
from referee.match import shuffle
from referee.match.loaded_match import LoadedMatch, MoveResult
from referee.match.record import preset_of_match, rules_of_match
from referee.match.session import Seat, Status, match_of, places
from referee.match.snapshot import Annotation


def match_view(live: LoadedMatch, viewer: int | None, *, masked: bool) -> dict[str, Any]:
    """`GET /v1/matches/{id}`: the match as `viewer` may see it. `masked`: it belongs to a duplicate group that is not
    over, and the seat sees no other remote bot's name."""
    config, progress = live.config, live.progress
    view = match_summary(live)
    if masked:
        view["seats"] = [
            seat and (seat_view(seat) if seat.house or number == viewer else dict(_SOMEBODY))
            for number, seat in enumerate(config.seats)
        ]
    view["entropy"] = config.registered()
    view["commitment"] = shuffle.commitment(live.secret, config.id)
    view["clocks"] = clocks(live)
    view["seat"] = viewer
    view["now"] = text_of(live.now)
    view["turn"] = progress.turn if progress.to_move is not None else None
    view["to_move"] = progress.to_move
    view["deadline"] = live.deadline and text_of(live.deadline)
    view["observation"] = observation(live, viewer)
    return view


_SOMEBODY: Final = {"bot": None, "id": None, "version": None}


def match_summary(live: LoadedMatch) -> dict[str, Any]:
    """A match in a list: what everybody sees of it in few lines."""
    config, progress = live.config, live.progress
    over = progress.status is Status.FINISHED
    return {
        "id": config.id,
        "game": config.game,
        "options": config.options,
        "preset": preset_of_match(config),
        "rules": rules_of_match(config),
        "deals": config.deals,
        "deal": progress.number,
        "seats": [seat and seat_view(seat) for seat in config.seats],
        "clock": config.clock.to_json(),
        "rated": config.rated,
        "ladder": config.ladder,
        "round": config.round,
        "status": progress.status,
        "ending": progress.ending,
        "void": live.void,
        "created": text_of(config.created),
        "started": progress.started and text_of(progress.started),
        "ended": progress.ended and text_of(progress.ended),
        "scores": list(progress.scores),
        "places": places(progress.scores, progress.forfeits) if over else None,
        "forfeits": sorted(progress.forfeits),
    }


def turn_view(live: LoadedMatch, seat: int) -> dict[str, Any]:
    """A turn of `seat`, with all that is needed to answer it."""
    return {
        "match": live.config.id,
        "turn": live.progress.turn,
        "deal": live.progress.number,
        "seat": seat,
        "observation": observation(live, seat),
        "clocks": clocks(live),
        "deadline": live.deadline and text_of(live.deadline),
        "now": text_of(live.now),
    }


def finished_view(live: LoadedMatch, seat: int) -> dict[str, Any]:
    """A match of mine that is over, in the list of my turns."""
    progress = live.progress
    return {
        "match": live.config.id,
        "seat": seat,
        "ending": progress.ending,
        "scores": list(progress.scores),
        "places": places(progress.scores, progress.forfeits),
        "forfeits": sorted(progress.forfeits),
        "ended": progress.ended and text_of(progress.ended),
    }


def moved_view(moved: MoveResult) -> dict[str, Any]:
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


def observation(live: LoadedMatch, viewer: int | None) -> dict[str, Any] | None:
    """What this viewer sees of the deal, with its legal and free moves; `None` while there is no deal."""
    if live.state is None:
        return None
    return match_of(live.config, live.progress.first_dealer or 0).view(live.state, viewer)


def clocks(live: LoadedMatch) -> list[dict[str, int]]:
    """By seat: what is left in the bank, and strikes so far."""
    progress = live.progress
    return [
        {"bank_ms": bank, "strikes": strikes}
        for bank, strikes in zip(progress.bank, progress.strikes, strict=True)
    ]


def seat_view(seat: Seat) -> dict[str, Any]:
    """Who sits there."""
    return {"bot": seat.bot, "id": seat.id, "version": seat.version}


def annotation_view(remark: Annotation) -> dict[str, Any]:
    """What was said of a match after its end."""
    return {"at": text_of(remark.at), "kind": remark.what, "reason": remark.reason}

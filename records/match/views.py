"""Views of a match as JSON, built from what a viewer may see. No other module turns a match into JSON.

A viewer is a seat, or `None` for the public.

`deadline` is the instant at which the time of the open question is up, with the bank and without the grace. In a match
that has not started it is the end of the wait for its seats. While a job asks a house bot, it is when another job will
be queued. It is null if nothing can expire: always in a finished match.
"""

from __future__ import annotations

from typing import Any, Final

from records.instants import text_of
from records.match import shuffle
from records.match.assist import assisted
from records.match.continuation import Continuation
from records.match.loaded_match import LoadedMatch, MoveResult
from records.match.record import preset_of_match, recorded_seat, rules_of_match
from records.match.session import Status, match_of, places
from records.match.snapshot import Annotation


def match_view(loaded: LoadedMatch, viewer: int | None, *, masked: bool) -> dict[str, Any]:
    """Return the match as `viewer` sees it, for `GET /v1/matches/{id}`.

    A `masked` match belongs to a duplicate group that isn't over, so it hides the names of other remote bots.
    """
    config, progress = loaded.config, loaded.progress
    view = match_summary(loaded)
    if masked:
        view["seats"] = masked_seats(loaded, viewer)
    view["entropy"] = config.registered()
    view["commitment"] = shuffle.commitment(loaded.secret, config.id)
    view["clocks"] = clocks(loaded)
    view["seat"] = viewer
    view["now"] = text_of(loaded.now)
    view["turn"] = progress.turn if progress.to_move is not None else None
    view["to_move"] = progress.to_move
    view["deadline"] = loaded.deadline and text_of(loaded.deadline)
    view["observation"] = observation(loaded, viewer)
    return view


_MASKED_SEAT: Final = {"bot": None, "id": None, "version": None}


def masked_seats(loaded: LoadedMatch, viewer: int | None) -> list[dict[str, Any] | None]:
    """Return the seats of a match whose duplicate group isn't over, without the names of other remote bots."""
    return [
        seat and (recorded_seat(seat) if seat.house or number == viewer else dict(_MASKED_SEAT))
        for number, seat in enumerate(loaded.config.seats)
    ]


def announced_view(loaded: LoadedMatch, seat: int) -> dict[str, Any]:
    """Return what is fixed when a match is created or starts, as the bot on `seat` may know it. It is the same until
    the match ends, whatever was played meanwhile."""
    config = loaded.config
    masked = config.group is not None
    return {
        "match": config.id,
        "seat": seat,
        "game": config.game,
        "options": config.options,
        "preset": preset_of_match(config),
        "deals": config.deals,
        "seats": masked_seats(loaded, seat)
        if masked
        else [each and recorded_seat(each) for each in config.seats],
        "clock": config.clock.to_json(),
        "assist": config.assist,
        "rated": config.rated,
        "ladder": config.ladder,
        "round": config.round,
    }


def match_summary(loaded: LoadedMatch) -> dict[str, Any]:
    """Return the summary of a match for lists."""
    config, progress = loaded.config, loaded.progress
    over = progress.status is Status.FINISHED
    return {
        "id": config.id,
        "game": config.game,
        "options": config.options,
        "preset": preset_of_match(config),
        "rules": rules_of_match(config),
        "deals": config.deals,
        "deal": progress.number,
        "seats": [seat and recorded_seat(seat) for seat in config.seats],
        "clock": config.clock.to_json(),
        "assist": config.assist,
        "rated": config.rated,
        "ladder": config.ladder,
        "round": config.round,
        "status": progress.status,
        "ending": progress.ending,
        "void": loaded.void,
        "created": text_of(config.created),
        "started": progress.started and text_of(progress.started),
        "ended": progress.ended and text_of(progress.ended),
        "scores": list(progress.scores),
        "places": places(progress.scores, progress.forfeits) if over else None,
        "forfeits": sorted(progress.forfeits),
        **({"hints": list(progress.hints)} if progress.hints else {}),
        **({} if config.continues is None else {"continues": _place(config.continues)}),
    }


def turn_view(loaded: LoadedMatch, seat: int) -> dict[str, Any]:
    """Return a turn of `seat`, with everything needed to answer it."""
    return {
        "match": loaded.config.id,
        "turn": loaded.progress.turn,
        "deal": loaded.progress.number,
        "seat": seat,
        "observation": observation(loaded, seat),
        "clocks": clocks(loaded),
        "deadline": loaded.deadline and text_of(loaded.deadline),
        "now": text_of(loaded.now),
    }


def finished_view(loaded: LoadedMatch, seat: int) -> dict[str, Any]:
    """Return a finished match for the list of turns of a bot on `seat`."""
    progress = loaded.progress
    return {
        "match": loaded.config.id,
        "seat": seat,
        "ending": progress.ending,
        "scores": list(progress.scores),
        "places": places(progress.scores, progress.forfeits),
        "forfeits": sorted(progress.forfeits),
        "ended": progress.ended and text_of(progress.ended),
    }


def moved_view(moved: MoveResult) -> dict[str, Any]:
    """Return the result of a move. A repeated move gets the same result except for `replayed`."""
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


def observation(loaded: LoadedMatch, viewer: int | None) -> dict[str, Any] | None:
    """Return the deal as this viewer sees it, with the legal and free moves that the match shows; `None` while there is
    no deal."""
    if loaded.state is None:
        return None
    seen = match_of(loaded.config, loaded.progress.first_dealer or 0).view(loaded.state, viewer)
    return seen if viewer is None else assisted(seen, loaded.config.assist)


def clocks(loaded: LoadedMatch) -> list[dict[str, int]]:
    """Return by seat the time left in the bank, and the strikes so far."""
    progress = loaded.progress
    return [
        {"bank_ms": bank, "strikes": strikes}
        for bank, strikes in zip(progress.bank, progress.strikes, strict=True)
    ]


def _place(continues: Continuation) -> dict[str, Any]:
    """Return the position at which a match began, without the shuffles before it."""
    return {"match": continues.match, "deal": continues.deal, "move": continues.move}


def annotation_view(annotation: Annotation) -> dict[str, Any]:
    """Return an annotation of a finished match."""
    return {"at": text_of(annotation.at), "kind": annotation.what, "reason": annotation.reason}

"""The decisions of a record and the open one of a match: with what the seat saw, never with the hidden cards."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from engine.game import Event
from engine.match import Match, MatchState
from records.match import events, log
from records.match.loaded_match import LoadedMatch
from records.match.log import Entry
from records.match.played import entries_of_record, match_of_record
from records.match.session import match_of
from records.reviews.model import MOST_DECISIONS, Decision, Evaluate, ReviewedMove

Record = Mapping[str, Any]


def decisions(record: Record, start: int = 0) -> Iterator[Decision]:
    """Yield the decisions of a record from number `start`.

    A decision is a move on turn with an alternative, also the safe move of a timeout, but not the move of a forfeited
    seat. Raise `engine.game.Refusal` for moves that are no play of this match.
    """
    match = match_of_record(record)
    state, happened, moves, number = match.begin(), list[Event](), 0, 0
    for entry in entries_of_record(record):
        if entry.by_chance:
            happened, moves = [], 0
        elif entry.is_move:
            moves += 1
            if _is_decision(match, state, entry):
                if number >= start:
                    yield _decision(match, state, entry, happened, (number, moves))
                number += 1
        more, state = events.of_entry(match, state, entry)
        happened += more


def count(record: Record, most: int = MOST_DECISIONS) -> tuple[int, bool]:
    """Return the number of decisions of a record, at most `most`, and whether there are more. Raise as `decisions`."""
    match = match_of_record(record)
    state, number = match.begin(), 0
    for entry in entries_of_record(record):
        if entry.is_move and not entry.by_chance and _is_decision(match, state, entry):
            if number == most:
                return number, True
            number += 1
        _, state = events.of_entry(match, state, entry)
    return number, False


def reviewed(record: Record, decision: Decision, evaluate: Evaluate) -> ReviewedMove:
    """Return a decision with its regret.

    The seed is the match and the place of the move, so a review can be repeated and split between jobs at will. The
    decision's number would not do: it depends on how many moves the others had to choose from.
    """
    regret = evaluate(decision, f"{record['id']} {decision.deal} {decision.move}")
    return ReviewedMove(decision.deal, decision.move, decision.seat, decision.played, regret)


def open_decision(loaded: LoadedMatch, seat: int) -> Decision:
    """Return the question that a running match asks of this seat, with its first legal move in place of the played
    one."""
    match, progress = match_of(loaded.config, loaded.progress.first_dealer or 0), loaded.progress
    assert loaded.state is not None
    observation = match.view(loaded.state, seat)
    return Decision(
        number=0,
        deal=progress.number,
        move=0,
        seat=seat,
        played=observation["legal_moves"][0],
        game=match.game,
        observation=observation,
        history=events.seen_in_deal(match, progress, loaded.log, seat),
    )


def _is_decision(match: Match, state: MatchState, entry: Entry) -> bool:
    if state.to_move != entry.seat or entry.by == log.BY_FORFEIT:
        return False
    return len(match.legal(state, entry.seat)) + len(match.free(state, entry.seat)) > 1


def _decision(
    match: Match, state: MatchState, entry: Entry, happened: list[Event], place: tuple[int, int]
) -> Decision:
    number, move = place
    seat = entry.seat
    return Decision(
        number=number,
        deal=state.number,
        move=move,
        seat=seat,
        played=entry.move,
        game=match.game,
        observation=match.view(state, seat),
        history=[event.view(seat) for event in happened],
    )

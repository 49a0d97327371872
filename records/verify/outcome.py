"""The outcome of a match: forfeits, ending, scores, places and duration."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from engine.game import CHANCE
from records.instants import ms_of
from records.verify.form import Finding, shown
from records.verify.play import ReplayedMatch, sides_left
from records.verify.table import AgreedTable


def check_outcome(record: dict[str, Any], agreed: AgreedTable, played: ReplayedMatch) -> list[Finding]:
    """Return the errors in the outcome of a match whose moves could all be made."""
    findings = [*_check_list(record, agreed), *_check_forfeits(record, played)]
    if not findings:
        findings += _check_ending(record, agreed, played)
    scores = _scores(record, agreed, played)
    if scores is not None:
        findings += _numbers("scores", record["scores"], scores)
    findings += check_places(record, scores)
    findings += _check_time(record, agreed)
    return findings


def check_places(record: dict[str, Any], scores: Sequence[int] | None) -> list[Finding]:
    """Return the errors in the places for these scores, or for the record's own scores if there are none."""
    ranking = record["scores"] if scores is None else scores
    gone, seats = record["forfeits"], len(record["seats"])
    if len(ranking) != seats:
        return [Finding("scores", f"there are {len(ranking)}", f"one for each of {seats} seats")]
    ranked = [(seat not in gone, ranking[seat]) for seat in range(seats)]
    right = [1 + sum(other > own for other in ranked) for own in ranked]
    return list(_numbers("places", record["places"], right))


def _numbers(field: str, given: Sequence[int], right: Sequence[int]) -> Iterator[Finding]:
    if len(given) != len(right):
        yield Finding(field, f"there are {len(given)}", f"one for each of {len(right)} seats")
        return
    for seat, (value, expected) in enumerate(zip(given, right, strict=True)):
        if value != expected:
            yield Finding(f"{field}[{seat}]", f"it is {value}", str(expected))


def _check_list(record: dict[str, Any], agreed: AgreedTable) -> Iterator[Finding]:
    forfeits, seats = record["forfeits"], len(record["seats"])
    if forfeits != sorted(set(forfeits)):
        yield Finding("forfeits", f"it is {shown(forfeits)}", "seats in ascending order, each once")
    for at, seat in enumerate(forfeits):
        if seat >= seats:
            yield Finding(f"forfeits[{at}]", f"it is {seat}", f"a seat, 0 to {seats - 1}")
        elif agreed.house[seat]:
            yield Finding(
                f"forfeits[{at}]", f"seat {seat} is of the house", "no seat that the service itself asks"
            )


def _check_forfeits(record: dict[str, Any], played: ReplayedMatch) -> Iterator[Finding]:
    forfeits, last = record["forfeits"], len(record["moves"]) - 1
    for seat, number in sorted(played.struck.items()):
        if seat not in forfeits:
            wrong = f"seat {seat} is missing, whose last strike is moves[{number}]"
            yield Finding("forfeits", wrong, f"a list with {seat}")
    for at, seat in enumerate(forfeits):
        own = played.last_own.get(seat)
        if record["ending"] == "rules" and own == last and seat not in played.gone:
            wrong = f"seat {seat} made the last move itself"
            yield Finding(f"forfeits[{at}]", wrong, "no seat that played to the end")
    made_for = {entry["seat"] for entry in record["moves"] if entry.get("by") == "forfeit"}
    for seat in sorted(made_for - {*forfeits}):
        yield Finding(
            "forfeits", f"seat {seat} is missing, for which safe moves were made", f"a list with {seat}"
        )


def _check_ending(record: dict[str, Any], agreed: AgreedTable, played: ReplayedMatch) -> Iterator[Finding]:
    ending, state = record["ending"], played.state
    absent = record.get("absent")
    if absent is not None and (
        state is not None or absent != sorted({*absent} & {*range(len(agreed.house))})
    ):
        yield Finding(
            "absent", f"it is {shown(absent)}", "seats in ascending order, of a match that never began"
        )
    if state is None:
        if record["forfeits"]:
            yield Finding("forfeits", f"it is {shown(record['forfeits'])}", "[], since the match never began")
        return
    last = len(record["moves"]) - 1
    forfeits = set(record["forfeits"])
    striking = {seat for seat, number in played.struck.items() if number == last}
    before, after = (sides_left(agreed.sides, gone) for gone in (forfeits - striking, forfeits))
    if state.over:
        if ending != "rules":
            yield Finding("ending", f"it is {ending}, but the match was played to its end", "rules")
        elif before <= 1:
            yield Finding("forfeits", "one side at most had a player left before the end", "fewer seats")
        return
    if after > 1:
        if ending == "void":
            return
        if ending == "rules":
            asked = "a deck is to be dealt" if state.to_move == CHANCE else f"seat {state.to_move} is asked"
            yield Finding(
                "moves", f"they stop before the end: {asked}", "the moves to the end of the last deal"
            )
        else:
            yield Finding(
                "ending",
                f"it is {ending}, but more than one side has a player left",
                "the moves to the end, or more forfeits",
            )
        return
    ended_by = _cut_short_by(record, agreed, played, striking, before)
    if ending not in ended_by:
        yield Finding("ending", f"it is {ending}", " or ".join(ended_by) or "a match that goes on")


def _cut_short_by(
    record: dict[str, Any], agreed: AgreedTable, played: ReplayedMatch, striking: set[int], before: int
) -> list[str]:
    """Return the endings that can have cut the match short right after the last move."""
    assert played.state is not None
    forfeits = set(record["forfeits"])
    quiet = forfeits - played.gone
    never_came = quiet - played.last_own.keys()
    endings = []
    if striking and before > 1:
        endings.append("forfeit")
    elif record["group"] is not None and len(record["moves"]) == 1 and never_came == forfeits:
        endings.append("forfeit")  # no-shows after a deck of the group was seen
    resigning = [seat for seat in quiet if sides_left(agreed.sides, forfeits - {seat}) > 1]
    if resigning and played.state.to_move != CHANCE:
        endings.append("resigned")  # before the next deck is dealt nobody can resign
    return endings


def _scores(record: dict[str, Any], agreed: AgreedTable, played: ReplayedMatch) -> Sequence[int] | None:
    state, seats = played.state, len(record["seats"])
    if state is None or agreed.match is None:
        return (0,) * seats
    if state.over or record["ending"] == "void":
        return state.scores
    if record["ending"] not in ("forfeit", "resigned"):
        return None
    forfeits = [seat for seat in record["forfeits"] if seat < seats]
    return agreed.match.cut_short(state, forfeits).scores


def _check_time(record: dict[str, Any], agreed: AgreedTable) -> Iterator[Finding]:
    if record["started"] is None:
        return
    passed = ms_of(record["ended"]) - ms_of(record["started"])
    taken = sum(
        entry["ms"]
        for entry in record["moves"]
        if entry["seat"] is not None and not agreed.house[entry["seat"]] and "ms" in entry
    )
    if passed < taken:
        yield Finding(
            "ended",
            f"{passed} ms after the start, less than the moves took",
            f"at least {taken} ms after {record['started']}",
        )

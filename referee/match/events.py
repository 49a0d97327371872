"""The numbered events of a match, as one viewer sees them: a pure function of the log.

Every viewer gets the same numbers; only the fields differ (`engine.game.Event`). A seat's events are its perfect-recall
history.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import Any

from engine.game import Event
from engine.match import Match, MatchState, parse_deck
from referee.match.log import Entry, parse_line, parse_log
from referee.match.session import MatchConfig, MatchProgress, Status, match_of


def started(match: Match) -> Event:
    """Return the first event of every match."""
    return Event({"type": "started", "deals": match.deals, "dealer": match.dealer})


def over(progress: MatchProgress) -> Event:
    """Return the last event of every match."""
    return ended(progress.ending, progress.scores)


def ended(ending: str | None, scores: Sequence[int]) -> Event:
    """Return the last event of a match with this ending and these scores."""
    return Event({"type": "match_over", "ending": ending, "scores": list(scores)})


def of_deal(match: Match, state: MatchState, log: str) -> tuple[list[Event], MatchState]:
    """Return the events of one deal's log, or of its beginning, and the state after it."""
    deal_events: list[Event] = []
    for entry in parse_log(log):
        events, state = of_entry(match, state, entry)
        deal_events += events
    return deal_events, state


def of_match(
    config: MatchConfig, progress: MatchProgress, logs: Callable[[], list[str]], viewer: int | None
) -> Iterator[dict[str, Any]]:
    """Yield the numbered events of a match so far, as `viewer` sees them. `logs` returns the logs of its deals."""
    if progress.started is None:
        return
    match = match_of(config, progress.first_dealer or 0)
    number, state = 1, match.begin()
    yield from numbered([started(match)], number, viewer)
    for log in logs():
        events, state = of_deal(match, state, log)
        yield from numbered(events, number + 1, viewer)
        number += len(events)
    if progress.status is Status.FINISHED:
        yield from numbered([over(progress)], number + 1, viewer)


def numbered(
    events: Iterator[Event] | list[Event], first: int, viewer: int | None
) -> Iterator[dict[str, Any]]:
    """Yield the events as `viewer` sees them, numbered from `first`."""
    for number, event in enumerate(events, first):
        yield {"n": number, **event.view(viewer)}


def of_entry(match: Match, state: MatchState, entry: Entry) -> tuple[list[Event], MatchState]:
    """Return the events of one entry, and the state after it. Only its own seat sees a note."""
    if entry.by_chance:
        after = match.deal(state, parse_deck(entry.move))
        public = {"type": "deal", "deal": state.number, "dealer": state.dealer}
        return [Event(public), *match.deal_events(after)], after
    if not entry.is_move:
        return [Event({"type": "forfeited", "seat": entry.seat, "reason": entry.move})], state
    move = match.parse(state, entry.seat, entry.move)
    after = match.play(state, entry.seat, move)
    events = match.events(state, entry.seat, move, after)
    public = {**events[0].public, **entry.to_json()}
    if entry.answers:
        public["turn"] = entry.turn
    private = events[0].private
    if entry.note:
        private = {**private, entry.seat: {**private.get(entry.seat, {}), "note": entry.note}}
    return [Event(public, private), *events[1:]], after


def deals_of(log: str) -> list[str]:
    """Split the log of a whole match into its deals.

    A forfeit between two deals belongs to the later one, as it did while the match ran.
    """
    lines = log.splitlines(keepends=True)
    cuts: list[int] = []
    for at, line in enumerate(lines):
        if line.startswith("- "):
            after_forfeit = at > 0 and not parse_line(lines[at - 1]).is_move
            cuts.append(at - 1 if after_forfeit else at)
    return ["".join(lines[start:end]) for start, end in pairwise([*cuts, len(lines)])]

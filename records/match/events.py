"""The numbered events of a match, as one viewer sees them: a pure function of the log.

Every viewer gets the same numbers; only the fields differ (`engine.game.Event`). A seat's events are its perfect-recall
history.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

from engine.game import Event
from engine.match import Match, MatchState, parse_deck
from records.match.clock import SeatClocks
from records.match.log import Entry, parse_line, parse_log
from records.match.session import MatchConfig, MatchProgress, Status


class Position(NamedTuple):
    """A place in a match between two steps, from which a replay can go on."""

    number: int
    """The events before it."""
    start: int
    """The length of the logs of the deals before its deal, in characters."""
    read: int
    """The length of its deal's log before it; 0 between two deals."""
    state: MatchState
    clocks: SeatClocks


class Step(NamedTuple):
    """The events of the start of a match or of one entry of its log."""

    before: Position
    entry: Entry | None
    """`None` for the start, and where a replay goes on."""
    events: list[Event]
    after: Position


Steps = Callable[[int], Iterator[Step]]
"""Returns the steps of a match so far, as `replayed` yields them. They begin at a position with at most as many events
as the number given."""


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


def seen_in_deal(match: Match, progress: MatchProgress, log: str, seat: int) -> list[dict[str, Any]]:
    """Return the events of the deal in progress as a seat saw them, without numbers. `log` is the log of the deal."""
    start = MatchState(progress.number, progress.dealer, progress.scores, None, False)
    return [event.view(seat) for event in of_deal(match, start, log)[0]]


def of_match(
    config: MatchConfig, progress: MatchProgress, steps: Steps, viewer: int | None, after: int = 0
) -> Iterator[dict[str, Any]]:
    """Yield the events of a match so far with numbers above `after`, as `viewer` sees them."""
    if progress.started is None:
        return
    number = 0
    for step in steps(after):
        number = step.after.number
        if number > after:
            skipped = max(0, after - step.before.number)
            yield from numbered(step.events[skipped:], step.before.number + skipped + 1, viewer)
    if progress.status is Status.FINISHED and number >= after:
        yield from numbered([over(progress)], number + 1, viewer)


def replayed(
    match: Match, log: Iterable[str], clocks: SeatClocks, position: Position | None = None
) -> Iterator[Step]:
    """Yield the steps of a match after `position`, by default all. `log` has the lines after it, with line ends.
    `clocks` are those before the first move.

    The first step is the start, or an empty one at `position`. Each step is replayed when it is wanted. Raises the
    rules' refusal of a corrupt log.
    """
    if position is None:
        begun = match.begin()
        position = Position(1, 0, 0, begun, clocks)
        yield Step(Position(0, 0, 0, begun, clocks), None, [started(match)], position)
    else:
        yield Step(position, None, [], position)
    for line in log:
        entry = parse_line(line[:-1])
        happened, state = of_entry(match, position.state, entry)
        number, read = position.number + len(happened), position.read + len(line)
        now = position.clocks.after(entry)
        if position.state.deal is not None and state.deal is None:
            after = Position(number, position.start + read, 0, state, now)
        else:
            after = Position(number, position.start, read, state, now)
        yield Step(position, entry, happened, after)
        position = after


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

"""Frames of a match: the table after each step, as one viewer may see it. A pure function of the log.

A frame has the events of one step (a deck, a move, a forfeit) and the observation after it. Frames partition the
events of `referee.match.events`: each event belongs to one frame, and a frame's number is that of its last event.
Observations are built by `engine.match.Match.observe`, like every view, and coded as differences.
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Final, NamedTuple

from engine.game import Event
from engine.match import Match, MatchState
from referee.match import events
from referee.match.clock import SeatClocks
from referee.match.log import Entry, parse_log
from referee.match.session import MatchConfig, MatchProgress, Status, match_of


class Hands(enum.Enum):
    """A viewer that is no seat."""

    ALL = "all"
    """All hands: only for matches whose record may be read."""


Viewer = int | Hands | None
"""A seat, all hands, or `None` for a spectator."""


class Step(NamedTuple):
    """What happened at once, and the match after it."""

    events: list[Event]
    state: MatchState
    """After the last move of a deal, the state in which that deal is over and the next has not begun."""
    clocks: list[dict[str, int]]
    """By seat, after the step."""
    charged: int = 0
    """What the step cost the bank of its seat, in ms."""
    note: str = ""


class Frame(NamedTuple):
    """The events of a step with their numbers, and what the viewer sees after it."""

    number: int
    """The number of the last event."""
    events: list[dict[str, Any]]
    observation: dict[str, Any]
    clocks: list[dict[str, int]]
    charged: int = 0


def steps(
    match: Match, entries: Iterable[Entry], clocks: SeatClocks, over: Event | None = None
) -> Iterator[Step]:
    """Yield the start, each entry, and the end if `over`, the last event of a finished match, is given.

    Raises `engine.game.Refusal` for entries that are no play of this match.
    """
    state = shown = match.begin()
    yield Step([events.started(match)], shown, clocks.to_json())
    for entry in entries:
        happened, after = events.of_entry(match, state, entry)
        shown = _shown(match, state, entry, after)
        state = after
        charged = clocks.after(entry)
        yield Step(happened, shown, clocks.to_json(), charged, entry.note)
    if over is not None:
        shown = shown._replace(scores=tuple(over.public["scores"]), over=True)
        yield Step([over], shown, clocks.to_json())


def frames(
    match: Match, happened: Iterable[Step], viewer: Viewer, after: int = 0, *, deal: int | None = None
) -> Iterator[Frame]:
    """Yield the frames with numbers above `after`, or only those of one deal. Other observations are not built."""
    seat = viewer if isinstance(viewer, int) else None
    first = 1
    for step in happened:
        number = first + len(step.events) - 1
        if deal is not None and step.state.number > deal:
            return
        if number > after and deal in (None, step.state.number):
            happened_here = list(events.numbered(step.events, first, seat))
            if step.note and viewer is Hands.ALL:
                happened_here[0]["note"] = step.note
            yield Frame(
                number, happened_here, observation(match, step.state, viewer), step.clocks, step.charged
            )
        first = number + 1


def of_match(
    config: MatchConfig,
    progress: MatchProgress,
    logs: Callable[[], list[str]],
    viewer: Viewer,
    after: int = 0,
    *,
    deal: int | None = None,
) -> Iterator[Frame]:
    """Yield the frames of a match so far, as `frames` does; none before it starts. `logs` returns the logs of its
    deals."""
    if progress.started is None:
        return
    match = match_of(config, progress.first_dealer or 0)
    over = events.over(progress) if progress.status is Status.FINISHED else None
    entries = (entry for log in logs() for entry in parse_log(log))
    clocks = SeatClocks(config.clock, [config.is_house(seat) for seat in range(len(config.seats))])
    yield from frames(match, steps(match, entries, clocks, over), viewer, after, deal=deal)


def observation(match: Match, state: MatchState, viewer: Viewer) -> dict[str, Any]:
    """Return what the viewer sees; for `Hands.ALL` a spectator's view with the `hands` by seat."""
    if viewer is not Hands.ALL:
        return match.view(state, viewer)
    seen = match.view(state, None)
    if state.deal is not None:
        seen["hands"] = [match.observe(state, seat)["hand"] for seat in range(match.game.seats)]
    return seen


WHOLE: Final = "observation"
CHANGES: Final = "changes"


def coded(found: Iterable[Frame]) -> Iterator[dict[str, Any]]:
    """Yield frames for the wire: the first with its `observation`, every other with the `changes` of the one before.

    `clocks` are in the first frame and in those after which they differ, `charged_ms` in those that cost time.
    `changes` has the members of the observation that differ, with their new values. A member that is gone is null.
    """
    before: dict[str, Any] | None = None
    clocks: list[dict[str, int]] | None = None
    for frame in found:
        seen = frame.observation
        told: dict[str, Any] = {"n": frame.number, "events": frame.events}
        if before is None:
            told[WHOLE] = seen
        else:
            told[CHANGES] = {
                name: seen.get(name)
                for name in {**before, **seen}
                if name not in before or before[name] != seen.get(name)
            }
        if frame.clocks != clocks:
            clocks = told["clocks"] = frame.clocks
        if frame.charged:
            told["charged_ms"] = frame.charged
        before = seen
        yield told


def _shown(match: Match, before: MatchState, entry: Entry, after: MatchState) -> MatchState:
    """Return the state after an entry, with the finished deal where the next one is still to be dealt."""
    if after.deal is not None or before.deal is None:
        return after
    deal = match.game.play(before.deal, entry.seat, match.parse(before, entry.seat, entry.move))
    return before._replace(deal=deal, scores=after.scores)

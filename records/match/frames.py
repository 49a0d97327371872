"""Frames of a match: the table after each step, as one viewer may see it. A pure function of the log.

A frame has the events of one step (a deck, a move, a forfeit) and the observation after it. Frames partition the
events of `records.match.events`: each event belongs to one frame, and a frame's number is that of its last event.
Observations are built by `engine.match.Match.observe`, like every view, and coded as differences.
"""

from __future__ import annotations

import enum
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Any, Final, NamedTuple

from engine.game import Event
from engine.match import Match, MatchState
from records.match import events
from records.match.assist import assisted
from records.match.clock import SeatClocks
from records.match.log import Entry
from records.match.session import MatchConfig, MatchProgress, Status, match_of


class Hands(enum.Enum):
    """A viewer that is no seat."""

    ALL = "all"
    """All hands: only for matches whose record may be read."""


Viewer = int | Hands | None
"""A seat, all hands, or `None` for a spectator."""


class Shown(NamedTuple):
    """What happened in a step, and the match after it."""

    events: list[Event]
    state: MatchState
    """After the last move of a deal, the state in which that deal is over and the next has not begun."""
    clocks: SeatClocks
    charged: int = 0
    """What the step cost the bank of its seat, in ms."""
    note: str = ""


class Frame(NamedTuple):
    """The events of a step with their numbers, and what the viewer sees after it."""

    number: int
    """The number of the last event."""
    events: list[dict[str, Any]]
    observation: dict[str, Any]
    clocks: SeatClocks
    charged: int = 0


def steps(
    match: Match, entries: Iterable[Entry], clocks: SeatClocks, over: Event | None = None
) -> Iterator[Shown]:
    """Yield the start, each entry, and the end if `over`, the last event of a finished match, is given.

    Raises `engine.game.Refusal` for entries that are no play of this match.
    """
    return shown(match, events.replayed(match, (entry.line() for entry in entries), clocks), over)


def shown(match: Match, replay: Iterable[events.Step], over: Event | None = None) -> Iterator[Shown]:
    """Yield these steps with the states that are shown after them, and the end if `over` is given."""
    state, clocks = match.begin(), None
    for step in replay:
        state, clocks, entry = _shown(match, step), step.after.clocks, step.entry
        if entry is None:
            yield Shown(step.events, state, clocks)
        else:
            yield Shown(step.events, state, clocks, step.before.clocks.charge(entry), entry.note)
    if over is not None and clocks is not None:
        yield Shown([over], state._replace(scores=tuple(over.public["scores"]), over=True), clocks)


def frames(
    match: Match,
    happened: Iterable[Shown],
    viewer: Viewer,
    after: int = 0,
    *,
    before: int = 0,
    deal: int | None = None,
) -> Iterator[Frame]:
    """Yield the frames with numbers above `after`, or only those of one deal. Other observations are not built.

    `before` is the number of events before the first of these steps.
    """
    seat = viewer if isinstance(viewer, int) else None
    for step in happened:
        first, before = before + 1, before + len(step.events)
        if deal is not None and step.state.number > deal:
            return
        if before > after and step.events and deal in (None, step.state.number):
            seen = list(events.numbered(step.events, first, seat))
            if step.note and viewer is Hands.ALL:
                seen[0]["note"] = step.note
            yield Frame(before, seen, observation(match, step.state, viewer), step.clocks, step.charged)


def of_match(
    config: MatchConfig,
    progress: MatchProgress,
    steps: events.Steps,
    viewer: Viewer,
    after: int = 0,
    *,
    deal: int | None = None,
) -> Iterator[Frame]:
    """Yield the frames of a match so far with numbers above `after`, or only of one deal; none before it starts."""
    if progress.started is None:
        return
    match = match_of(config, progress.first_dealer or 0)
    over = events.over(progress) if progress.status is Status.FINISHED else None
    replay = steps(after)
    first = next(replay)
    happened = shown(match, chain([first], replay), over)
    for frame in frames(match, happened, viewer, after, before=first.before.number, deal=deal):
        if isinstance(viewer, int):
            assisted(frame.observation, config.assist)
        yield frame


def observation(match: Match, state: MatchState, viewer: Viewer) -> dict[str, Any]:
    """Return what the viewer sees; for `Hands.ALL` a spectator's view with the `hands` by seat."""
    if viewer is not Hands.ALL:
        return match.view(state, viewer)
    seen = match.view(state, None)
    if state.deal is not None:
        seen["hands"] = hands_of(match, state)
    return seen


def hands_of(match: Match, state: MatchState) -> list[list[str]]:
    """Return all hands by seat."""
    return [match.observe(state, seat)["hand"] for seat in range(match.game.seats)]


def opened(match: Match, happened: Iterable[Shown], seat: int) -> Iterator[Frame]:
    """Yield the frames of one deal as a seat sees them, with the `hands` of all."""
    number = 0
    for step in happened:
        for frame in frames(match, [step], seat, before=number):
            frame.observation["hands"] = hands_of(match, step.state)
            yield frame
        number += len(step.events)


WHOLE: Final = "observation"
CHANGES: Final = "changes"


def coded(found: Iterable[Frame]) -> Iterator[dict[str, Any]]:
    """Yield frames for the wire: the first whole, every other as `coded_after` the one before."""
    before: Frame | None = None
    for frame in found:
        yield coded_after(frame, before)
        before = frame


def coded_after(frame: Frame, before: Frame | None) -> dict[str, Any]:
    """Return a frame for the wire: with its `observation`, or with the `changes` of the frame before it.

    `changes` has the members of the observation that differ, with their new values. A member that is gone is null.
    `clocks` are absent where they are those of the frame before, `charged_ms` where the step cost no time.
    """
    document: dict[str, Any] = {"n": frame.number, "events": frame.events}
    seen = frame.observation
    if before is None:
        document[WHOLE] = seen
    else:
        was = before.observation
        document[CHANGES] = {
            name: seen.get(name) for name in {**was, **seen} if name not in was or was[name] != seen.get(name)
        }
    if before is None or before.clocks != frame.clocks:
        document["clocks"] = frame.clocks.to_json()
    if frame.charged:
        document["charged_ms"] = frame.charged
    return document


def _shown(match: Match, step: events.Step) -> MatchState:
    """Return the state after a step, with the finished deal where the next one is still to be dealt."""
    before, after, entry = step.before.state, step.after.state, step.entry
    if entry is None or after.deal is not None or before.deal is None:
        return after
    deal = match.game.play(before.deal, entry.seat, match.parse(before, entry.seat, entry.move))
    return before._replace(deal=deal, scores=after.scores)

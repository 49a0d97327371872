"""The frames of a record, for people at a terminal: which to show, what each is called, and how a table reads."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any, Final, NamedTuple

import click

from kozyr.reading.file import check_fields, record_errors
from kozyr.terminal import harmless
from records.match import events
from records.match.frames import Frame, Hands, Viewer, frames, steps
from records.match.played import clocks_of_record, entries_of_record, match_of_record

Record = Mapping[str, Any]

HEADER: Final = frozenset(
    {"game", "deal", "deals", "dealer", "scores", "seat", "hand", "hands", "hand_sizes", "to_move"}
    | {"legal_moves", "factored_moves", "free_moves", "known", "turn_limit", "moves_made"}
)
"""Members of an observation that have a line of their own, or say nothing to a person who watches."""


class BadReplay(click.ClickException):
    """A record that can't be replayed, or a seat or deal that it does not have. The text says why."""


def replaying(record: Record) -> AbstractContextManager[None]:
    """Turn errors in the block into `BadReplay`: it handles the content of a record."""
    return record_errors(f"record {record.get('id', '?')} can't be replayed", BadReplay)


class Replay:
    """A record as a list of frames."""

    def __init__(self, record: Record, viewer: Viewer = Hands.ALL, deal: int | None = None) -> None:
        """Raises `BadReplay`."""
        self.record = record
        with replaying(record):
            check_fields(record)
            self.seats: Sequence[str] = [harmless(seat["bot"]) if seat else "–" for seat in record["seats"]]
        if isinstance(viewer, int) and not 0 <= viewer < len(self.seats):
            raise BadReplay(f"seat {viewer}: the match has the seats 0 to {len(self.seats) - 1}")
        with replaying(record):
            self.frames = _frames(record, viewer)
        if deal is not None:
            self.frames = [frame for frame in self.frames if frame.observation["deal"] == deal]
            if not self.frames:
                raise BadReplay(f"deal {deal}: no such deal was dealt in this match")

    def lines(self, frame: Frame) -> list[str]:
        """Return what happened in a frame, a line for each event that a person reads."""
        return [text for event in frame.events if (text := event_line(self.seats, event))]

    def table(self, frame: Frame) -> list[str]:
        """Return the table after a frame: the deal and the score, the hands, then everything else that is open."""
        seen = frame.observation
        return [
            f"deal {seen['deal']} of {seen['deals']}, dealer {seen['dealer']}, scores {_list(seen['scores'])}",
            *(self._hand(seen, seat) for seat in range(len(self.seats))),
            *(
                f"{name}: {_value(value)}"
                for name, value in seen.items()
                if name not in HEADER and _shown(value)
            ),
        ]

    def _hand(self, seen: dict[str, Any], seat: int) -> str:
        if seen.get("hands") is not None:
            cards = " ".join(seen["hands"][seat])
        elif seen.get("seat") == seat:
            cards = " ".join(seen["hand"])
        else:
            cards = " ".join(["??"] * seen.get("hand_sizes", [0] * len(self.seats))[seat])
        mark = ">" if seen.get("to_move") == seat else " "
        return f"{mark} {seat} {self.seats[seat]}: {cards or '–'}"


class ReplayPosition(NamedTuple):
    """Where a person stands in a replay."""

    replay: Replay
    at: int = 0

    def moved(self, by: int) -> ReplayPosition:
        """Return the place `by` frames further, clamped to the first and the last."""
        return self._replace(at=min(max(0, self.at + by), len(self.replay.frames) - 1))

    def next_deal(self, by: int) -> ReplayPosition:
        """Return the first frame of the next deal, or with -1 of this one or the one before."""
        starts = [
            number
            for number, frame in enumerate(self.replay.frames)
            if any(event["type"] == "deal" for event in frame.events)
        ]
        there = [start for start in starts if (start > self.at if by > 0 else start < self.at)]
        if not there:
            return self.moved(by * len(self.replay.frames))
        return self._replace(at=there[0] if by > 0 else there[-1])

    @property
    def frame(self) -> Frame:
        """The frame that is shown."""
        return self.replay.frames[self.at]


_BY: Final = {"timeout": ", timeout", "forfeit": ", seat forfeited", "continued": ", repeated"}


def _frames(record: Record, viewer: Viewer) -> list[Frame]:
    match = match_of_record(record)
    over = events.ended(record["ending"], record["scores"])
    found = list(
        frames(match, steps(match, entries_of_record(record), clocks_of_record(record), over), viewer)
    )
    for frame in found:
        for event in frame.events:
            event.pop("turn", None)  # not in a record
    return found


def event_line(seats: Sequence[str], event: Mapping[str, Any]) -> str | None:
    """Return an event as a line for people, or `None` for one that says nothing to them."""
    kind = event["type"]
    if kind == "move":
        by = _BY.get(event.get("by", ""), "")
        took = f" ({event['ms'] / 1000:.1f} s{by})" if "ms" in event else ""
        return f"{event['seat']} {seats[event['seat']]}  {event['move']}{took}"
    if kind == "deal":
        return f"deal {event['deal']}, dealt by {event['dealer']}"
    if kind == "deal_over":
        return f"deal {event['deal']} is over: {_list(event['returns'])}, scores {_list(event['scores'])}"
    if kind == "match_over":
        return f"the match is over ({event['ending']}): {_list(event['scores'])}"
    if kind == "forfeited":
        return f"{event['seat']} {seats[event['seat']]}  forfeits: {event['reason']}"
    return None


def transcript(replay: Replay) -> Iterator[str]:
    """Yield every event as a line, and the hands after each deal was dealt."""
    for frame in replay.frames:
        yield from replay.lines(frame)
        if any(event["type"] == "deal" for event in frame.events):
            yield from replay.table(frame)[1 : 1 + len(replay.seats)]


def _list(numbers: Sequence[int]) -> str:
    return " ".join(map(str, numbers))


def _shown(value: object) -> bool:
    return value is not None and value is not False and value not in ("", [])


def _value(value: Any) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{name} {_value(each)}" for name, each in value.items() if _shown(each))
    if isinstance(value, list):
        return "  ".join(_value(each) if _shown(each) else "–" for each in value)
    return str(value)

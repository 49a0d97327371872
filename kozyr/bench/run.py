"""Runs a bench: plays what is missing in its file, and writes a line for each ending and each match."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from random import Random
from typing import Any, Final

from bots.house import HOUSE_BOTS
from engine.game import Refusal
from kozyr.bench.agent import CountedChair
from kozyr.bench.plan import BenchMatch, BenchPlan
from kozyr.local.match import BotQuestion, Chair, NoAnswer, Witness, play
from kozyr.reading.file import BadRecordFile, RecordFile, file_line
from records.endings.model import ExactEnding
from records.ids import derived_match_id
from records.match.session import MatchConfig, MatchProgress, MatchSession, Seat, Status, places
from records.reviews.exact import exact_moves

Line = dict[str, Any]

_RESULTS: Final = frozenset({"ending", "match", "group"})
"""A line of results has one of these."""
_POSITION: Final = Seat("bench/position", "bench-position", "1", True)
"""Who sits on the other seats of an ending."""


class BenchFile:
    """The results: a header, then a line for each ending, match or group. Without a path it is kept in memory."""

    def __init__(self, path: Path | None, header: Mapping[str, Any], *, resume: bool) -> None:
        """Raise `BadRecordFile`."""
        self.path, self.lines = path, list[Line]()
        self._file: RecordFile | None = None
        if path is not None:
            if resume and path.exists():
                self.lines = _results(path, header)
            self._file = RecordFile(path, resume=resume)
            if not path.stat().st_size:
                self._file.write(header)

    def add(self, line: Line) -> None:
        """Add a result. Raise `BadRecordFile`."""
        if self._file is not None:
            self._file.write(line)
        self.lines.append(line)

    def close(self) -> None:
        """Close the file."""
        if self._file is not None:
            self._file.close()


def _results(path: Path, header: Mapping[str, Any]) -> list[Line]:
    """Return the whole lines of a file without its header. Raise `BadRecordFile` unless they are of this bench."""
    try:
        lines = path.read_bytes().splitlines(keepends=True)
    except OSError as why:
        raise BadRecordFile(f"{path} can't be read: {why.strerror or why}") from why
    whole = [line for line in lines if line.endswith(b"\n")]
    # A bench that was killed at its beginning leaves a part of its header.
    if not whole and not file_line(header).startswith(b"".join(lines)):
        raise BadRecordFile(f"{path} has no results of a bench: name another file")
    found: list[Any] = []
    for number, line in enumerate(whole, 1):
        try:
            found.append(json.loads(line))
        except ValueError as why:
            raise BadRecordFile(f"line {number} of {path} is no result: {why}") from why
        if number > 1 and not (isinstance(found[-1], dict) and _RESULTS & found[-1].keys()):
            raise BadRecordFile(f"line {number} of {path} is no result of a position, a match or a group")
    if found and (other := _differing(found[0], json.loads(file_line(header)))):
        raise BadRecordFile(f"{path} has results of another bench ({', '.join(other)}): name another file")
    return found[1:]


def _differing(known: Any, wanted: Mapping[str, Any]) -> list[str]:
    """Return the names of the facts in which two headers differ."""
    return [name for name in wanted if not isinstance(known, dict) or known.get(name) != wanted[name]]


class BenchRun:
    """A bench and its results so far."""

    def __init__(self, plan: BenchPlan, file: BenchFile) -> None:
        self.plan, self.file = plan, file
        self.reason: str | None = None
        """Why the agent first gave no usable answer."""

    def play(
        self,
        agent: CountedChair,
        anchors: Mapping[str, Chair],
        step: Callable[[], object] = lambda: None,
        stop: Callable[[], bool] = lambda: False,
    ) -> None:
        """Play what the file lacks, until `stop` returns true. `anchors` has the chairs of the anchors, by bot id.
        Call `step` after each ending and match."""
        done = {line.get("ending") or line["match"]["id"] for line in self.file.lines}
        for line in self._lines(agent, anchors, done):
            self.file.add(line)
            step()
            if stop():
                return

    def _lines(self, agent: CountedChair, anchors: Mapping[str, Chair], done: set[str]) -> Iterator[Line]:
        for ending in self.plan.endings:
            if ending.id not in done:
                yield self._ending(agent, ending)
        for match in self.plan.matches():
            if match.fixture.id not in done:
                yield self._match(agent, anchors, match)

    def _ending(self, agent: CountedChair, ending: ExactEnding) -> Line:
        agent.suits = self.plan.suits(ending.table, ending.id)
        table = opened(ending, self.plan)
        question = BotQuestion(table, ending.seat, Witness(table.match), b"", Random(ending.id))
        try:
            move = agent.answer(question).move
        except NoAnswer as why:
            self.reason = self.reason or str(why)
            move = ending.table.text(ending.state.deal, ending.table.safe_move(ending.state.deal))
        agent.ended(_over(question.match, ending.seat, [0] * ending.seats, "rules", []))
        return {"ending": ending.id, "move": move, "regret": ending.regret(move), "answers": agent.take()}

    def _match(self, agent: CountedChair, anchors: Mapping[str, Chair], match: BenchMatch) -> Line:
        fixture, seat = match.fixture, self.plan.agent.seat
        agent.suits = self.plan.suits(
            match.plan.table, f"group {fixture.number // match.plan.tables_of_group}"
        )
        # The agent answers outside the session also if it is a house bot, so that it may see other suits.
        players = {name: player for name, player in HOUSE_BOTS.items() if f"house-{name}" != seat.id}
        result = play(match.plan, fixture, players, {**anchors, seat.id: agent})
        record, place = result.record, [sitting.id for sitting in fixture.seats].index(seat.id)
        agent.ended(_over(fixture.id, place, record["scores"], record["ending"], record["forfeits"]))
        for failure in result.failures:
            if failure.bot == seat.bot:
                self.reason = self.reason or failure.reason
        seats = {place for place, sitting in enumerate(fixture.seats) if sitting.id == seat.id}
        exact = exact_moves(result.record, seats)
        return {
            "anchor": match.anchor.seat.bot,
            "match": result.record,
            "critical": [[move.deal, move.move, move.regret] for move in exact if move.critical],
            "answers": agent.take(),
        }


def opened(ending: ExactEnding, plan: BenchPlan) -> MatchSession:
    """Return a match that has come to this position, with the agent on the seat to move."""
    seats = tuple(plan.agent.seat if seat == ending.seat else _POSITION for seat in range(ending.seats))
    config = MatchConfig(
        id=derived_match_id("bench", ending.id),
        game=ending.game,
        options=dict(ending.table.options),
        deals=ending.match.deals,
        dealer=ending.dealer,
        seats=seats,
        entropy=(None,) * ending.seats,
        clock=plan.clock,
        created=0,
    )
    log = [entry.line() for entry in ending.entries]
    turn = 1 + sum(entry.answers for deal in (*ending.earlier, ending.entries) for entry in deal)
    progress = MatchProgress(
        status=Status.RUNNING,
        number=ending.deal,
        dealer=ending.state.dealer,
        scores=ending.state.scores,
        turn=turn,
        to_move=ending.seat,
        bank=(plan.clock.bank_ms,) * ending.seats,
        strikes=(0,) * ending.seats,
        forfeits=(),
        shown=tuple(range(ending.seats)),
        first_dealer=ending.dealer,
        started=0,
    )
    session = MatchSession(config, progress, ending.state, "", _no_deck, {}, Random())
    session.closed = ["".join([entry.line() for entry in deal]) for deal in ending.earlier]
    session.lines = log
    return session


def _over(
    match: str, seat: int, scores: Sequence[int], ending: str, forfeits: Sequence[int]
) -> dict[str, Any]:
    """Return the end of a match as `records.match.views.finished_view` does. An ending shows no result."""
    return {
        "match": match,
        "seat": seat,
        "ending": ending,
        "scores": list(scores),
        "places": places(scores, forfeits),
        "forfeits": list(forfeits),
    }


def _no_deck(number: int) -> tuple[int, ...]:
    raise Refusal("the position is the last of its match")

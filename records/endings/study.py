"""A position of a finished match that somebody studies: the deal up to it, and moves tried from there."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from bots.solver import TooLong, Unsolvable, lines
from engine.game import CHANCE, NOBODY, BadTable, Game
from engine.match import Match, MatchState
from records.endings.model import made
from records.match.events import Step
from records.match.frames import Frame, opened, shown


class SolvedPosition(NamedTuple):
    """What each legal move of the seat to move is worth, and how the deal goes on after it."""

    values: Mapping[str, int]
    """As in `records.endings.model.ExactEnding`."""
    lines: Mapping[str, tuple[str, ...]]
    """By legal move, the moves of best play after it, to the end of the deal or until a position repeats."""


def solved(game: Game, state: Any, nodes: int) -> SolvedPosition | None:
    """Return the exact values of a position in a deal, or `None` if that takes more than `nodes` nodes. As in the
    solver, the turn limit is not part of them. Raise `bots.solver.Unsolvable`."""
    if "turn_limit" in game.options:
        state = state._replace(moves=0)
    try:
        found = lines(game, state, nodes)
    except TooLong:
        return None
    if len(found) < len(state.legal):
        return None
    values, texts = {}, {}
    for move, line in found.items():
        text, after, told = game.text(state, move), game.play(state, state.to_move, move), list[str]()
        for each in line:
            told.append(game.text(after, each))
            after = game.play(after, after.to_move, each)
        values[text], texts[text] = _lead(game, after, state.to_move), tuple(told)
    return SolvedPosition(values, texts)


def _lead(game: Game, state: Any, seat: int) -> int:
    """Return what a seat gets ahead of the other side; with four sides, as in King, what it gets. A deal that goes
    round for ever brings nothing."""
    if state.to_move != NOBODY:
        return 0
    points, sides = game.returns(state), game.sides
    others = [points[other] for other, side in enumerate(sides) if side != sides[seat]]
    return points[seat] - (others[0] if len(set(sides)) == 2 else 0)


class Study(NamedTuple):
    """A position with the way that led to it. Immutable."""

    match: Match
    steps: tuple[Step, ...]
    """Those of the deal, the deck first."""

    @property
    def state(self) -> MatchState:
        """The position."""
        return self.steps[-1].after.state

    @property
    def over(self) -> bool:
        """Whether the deal is over."""
        return self.state.to_move in (CHANCE, NOBODY)

    def tried(self, line: Sequence[str]) -> Study:
        """Return the position after these moves, each by the seat to move. Raise `BadTable` for an illegal one."""
        study = self
        for text in line:
            legal = [] if study.over else self.match.legal_texts(study.state, study.state.to_move)
            if text not in legal:
                raise BadTable("line", text, "legal moves: " + (", ".join(legal) or "none, the deal is over"))
            (step,) = made(self.match, study.steps[-1].after, len(study.steps), [text])
            study = study._replace(steps=(*study.steps, step))
        return study

    def frames(self, seat: int) -> list[Frame]:
        """Return the deal up to the position as a seat sees it, with all hands."""
        return list(opened(self.match, shown(self.match, self.steps), seat))

    def solved(self, nodes: int) -> SolvedPosition | None:
        """Return the exact values, or `None` if that takes more than `nodes` nodes. Raise `Unsolvable`."""
        if self.over:
            raise Unsolvable("the deal is over")
        return solved(self.match.game, self.state.deal, nodes)

    def with_replies(self, found: SolvedPosition, move: str) -> list[str]:
        """Return a move and the best replies to it, until its seat is to move again."""
        seat, line = self.state.to_move, [move]
        study = self.tried(line)
        for reply in found.lines[move]:
            if study.over or study.state.to_move == seat:
                break
            line.append(reply)
            study = study.tried([reply])
        return line


def study_of(match: Match, steps: Iterator[Step], deal: int, move: int) -> Study:
    """Return the position after `move` moves of a deal, from steps that begin at or before it. Raise `BadTable`."""
    found, moves = list[Step](), 0
    for step in steps:
        if step.before.state.number > deal:
            break
        if step.entry is None or step.before.state.number != deal:
            continue
        found.append(step)
        moves += step.entry.is_move and not step.entry.by_chance
        if moves == move:
            return Study(match, tuple(found))
    raise BadTable("move", move, "a position of the match")

"""An ending: a position of a deal in which nothing is hidden from the seat to move, and the exact value of each move.

It is stored as the deck and the moves that led to it, so the rules alone make the position, what each seat saw of it,
and its relabellings.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, NamedTuple, Self

from bots.solver import Unsolvable, solve
from engine.game import Game
from engine.match import Match, MatchState, parse_deck
from engine.relabelling import Suits
from records.match.clock import ClockRule, SeatClocks
from records.match.events import Position, Step, replayed
from records.match.frames import Frame, opened, shown
from records.match.log import BY_PLAYER, Entry, chance
from records.match.relabelled import relabelled_log, relabelled_move
from records.match.session import table_of, table_relabelled


class _ExactEndingFields(NamedTuple):
    id: str
    """The set, its version and a number, as in `durak-1-007`."""
    game: str
    seats: int
    options: Mapping[str, Any]
    """Those that are not the defaults."""
    dealer: int
    deck: str
    """Chance's move, as in records."""
    moves: tuple[str, ...]
    """The moves since the deal, each by the seat to move."""
    seat: int
    """The seat to move."""
    values: Mapping[str, int]
    """By legal move, how many points the seat gets ahead of its opponents if everybody then plays best. In King, how
    many points of the deal it gets whatever the others play."""
    deal: int = 1
    """The number of the deal. In those before it, the same deck was dealt and all moves were the safe ones."""


class ExactEnding(_ExactEndingFields):
    """A position with exact values. Immutable."""

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Self:
        """Return an ending from its line in a set."""
        return cls(**{**data, "moves": tuple(data["moves"])})

    def to_json(self) -> dict[str, Any]:
        """Return the line of the set."""
        return {name: value for name, value in self._asdict().items() if (name, value) != ("deal", 1)}

    @property
    def set(self) -> str:
        """The set and its version, as in `durak-1`."""
        return self.id.rpartition("-")[0]

    @property
    def table(self) -> Game:
        """The game with its seats and options."""
        return table_of(self.game, self.seats, self.options)

    @cached_property
    def match(self) -> Match:
        """A match of as few deals as the game permits."""
        return Match(self.table, None, self.dealer)

    @property
    def state(self) -> MatchState:
        """The position. Raises what the rules refuse."""
        return self._steps[-1].after.state

    @property
    def earlier(self) -> list[list[Entry]]:
        """The deals before it, as a log has them."""
        return self._earlier[0]

    @property
    def entries(self) -> list[Entry]:
        """The deck and the moves, as a log has them."""
        return [step.entry for step in self._steps if step.entry is not None]

    @property
    def best(self) -> list[str]:
        """The moves that lose nothing."""
        highest = max(self.values.values())
        return [move for move, value in self.values.items() if value == highest]

    def regret(self, move: str) -> int:
        """Return how many points a legal move loses."""
        return max(self.values.values()) - self.values[move]

    def frames(self, line: Sequence[str] = ()) -> list[Frame]:
        """Return the deal up to the position and on with these moves, as the seat to move sees it, with all hands."""
        steps = [*self._steps, *made(self.match, self._steps[-1].after, len(self._steps), line)]
        return list(opened(self.match, shown(self.match, steps), self.seat))

    def document(self) -> dict[str, Any]:
        """Return the position as the seat to move sees it: its observation, the events of the deal, and the values."""
        return {
            "id": self.id,
            "game": self.game,
            "seats": self.seats,
            "options": dict(self.table.options),
            "seat": self.seat,
            "observation": self.match.view(self.state, self.seat),
            "events": [event.view(self.seat) for step in self._steps for event in step.events],
            "values": dict(self.values),
            "best": self.best,
        }

    def relabelled(self, suits: Suits) -> ExactEnding:
        """Return the same position with other suits. `suits` is one of the `suit_symmetries` of its table."""
        table = table_relabelled(self.table, suits)
        other = self._replace(options=self.options if table.options == self.table.options else table.options)
        log, state = relabelled_log(other.match, self._earlier[1], self.entries, suits)
        other = other._replace(deck=log[0].move, moves=tuple([entry.move for entry in log[1:]]))
        legal = other.match.legal_texts(state, state.to_move)
        found = {relabelled_move(legal, text, suits): value for text, value in self.values.items()}
        return other._replace(values={move: found[move] for move in legal})

    def fault(self) -> str | None:
        """Return what is wrong with the ending, by the rules and the solver; `None` if all is right."""
        deal = self.state.deal
        if self.state.to_move != self.seat:
            return "another seat is to move"
        try:
            solution = solve(self.table, deal)
        except Unsolvable as why:
            return str(why)
        if solution is None:
            return "the solver does not settle it"
        found = {self.table.text(deal, move): value for move, value in solution.values.items()}
        if found != self.values:
            return f"the solver finds {found}"
        return None if len(set(found.values())) > 1 else "no move loses anything"

    @cached_property
    def _earlier(self) -> tuple[list[list[Entry]], MatchState]:
        """The logs of the deals before, and the state after them."""
        match, logs = self.match, list[list[Entry]]()
        state, turn = match.begin(), 1
        while state.number < self.deal:
            number, log = state.number, [chance(self.deck)]
            state = match.deal(state, parse_deck(self.deck))
            while state.number == number:
                seat, move = state.to_move, match.game.safe_move(state.deal)
                log.append(Entry(seat, turn, 0, 0, BY_PLAYER, match.text(state, move)))
                state, turn = match.play(state, seat, move), turn + 1
            logs.append(log)
        return logs, state

    @cached_property
    def _steps(self) -> list[Step]:
        """The steps of the deal, the deck first."""
        earlier, state = self._earlier
        clocks = SeatClocks.begun(ClockRule(move_ms=1), (True,) * self.seats)
        _, dealt = replayed(self.match, [chance(self.deck).line()], clocks, Position(1, 0, 0, state, clocks))
        turn = 1 + sum(entry.answers for deal in earlier for entry in deal)
        return [dealt, *made(self.match, dealt.after, turn, self.moves)]


def made(match: Match, position: Position, turn: int, moves: Sequence[str]) -> Iterator[Step]:
    """Yield the steps of these moves, each by the seat to move. `turn` is the number of the first turn."""
    for text in moves:
        state, seat = position.state, position.state.to_move
        answers = match.answers(state, seat, match.parse(state, seat, text))
        entry = Entry(seat, turn if answers else 0, 0, 0, BY_PLAYER, text)
        _, step = replayed(match, [entry.line()], position.clocks, position)
        turn, position = turn + answers, step.after
        yield step

"""A match at which every seat reads and writes text, for frameworks that bring their own players.

It needs the rules alone, no service. Decks follow from the seed.
"""

from __future__ import annotations

from random import Random
from typing import Any

from engine.game import CHANCE, Event
from engine.match import Match
from engine.registry import GAMES
from records.words.digest import digest
from records.words.reading import read_move
from records.words.turn import turn_text


class TextTable:
    """A match that can be played by text. `seat` has the turn; after the end, `scores` are final."""

    def __init__(self, game: str, seats: int, seed: int, deals: int | None = None, **options: Any) -> None:
        """Raise `BadTable` for a table that the game does not support."""
        self.rules = digest(game)
        self.game = GAMES[game].table(seats, options)
        self._match = Match(self.game, deals)
        self._table = {"game": game, "seats": seats, "options": options}
        self._rng = Random(seed)
        self._turn = 1
        self._events: list[list[dict[str, Any]]] = [[] for _ in range(seats)]
        self._state = self._match.begin()
        self._deal()

    @property
    def seat(self) -> int:
        """The seat that has to answer."""
        return self._state.to_move

    @property
    def over(self) -> bool:
        """Whether the match is over."""
        return self._state.over

    @property
    def scores(self) -> tuple[int, ...]:
        """The points by seat."""
        return self._state.scores

    def observation(self) -> dict[str, Any]:
        """Return what the seat on turn sees, with its moves."""
        return self._match.view(self._state, self.seat)

    def text(self) -> str:
        """Return the turn in words. It needs no earlier text."""
        clocks = [{"bank_ms": 0, "strikes": 0}] * self.game.seats
        turn = {"match": "local", "turn": self._turn, "seat": self.seat, "clocks": clocks, "deadline": None}
        return turn_text({**turn, "observation": self.observation()}, self._table, self._events[self.seat])

    def play(self, written: str) -> str:
        """Make the move that the seat on turn wrote, and return it. Raise `UnclearMove`, which changes nothing."""
        seen = self.observation()
        move = read_move(written, [*seen["legal_moves"], *seen["free_moves"]]).move
        before, seat = self._state, self.seat
        parsed = self._match.parse(before, seat, move)
        self._state = self._match.play(before, seat, parsed)
        self._tell(self._match.events(before, seat, parsed, self._state))
        self._turn += 1
        self._deal()
        return move

    def _deal(self) -> None:
        if self._state.to_move == CHANCE:
            pack = self.game.pack
            self._state = self._match.deal(self._state, self._rng.sample(pack, len(pack)))
            self._tell(self._match.deal_events(self._state))

    def _tell(self, events: list[Event]) -> None:
        for seat, seen in enumerate(self._events):
            seen += [{"n": len(seen) + at, **event.view(seat)} for at, event in enumerate(events, 1)]

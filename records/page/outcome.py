"""How a finished match ended, in one sentence and as lines of places."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any, NamedTuple

from records.match.session import Ending
from records.page.table import short_names
from records.page.words import TableText


class OutcomeLine(NamedTuple):
    """A seat in the order of places."""

    place: int
    name: str
    points: int


class Outcome:
    """How a finished match ended, for a reader who may have played on a seat."""

    def __init__(
        self,
        text: TableText,
        match: Mapping[str, Any],
        sides: Sequence[int],
        you: int | None = None,
    ) -> None:
        """`match` is its summary (`records.match.views.match_summary`). `sides` is by seat the number of its team."""
        self._text, self._sides, self._you = text, sides, you
        self._ending, self._void = match["ending"], match["void"]
        self._scores, self._places = match["scores"], match["places"]
        self._forfeits, self._count = match["forfeits"], match["deals"]
        self.names = short_names(text.seats)

    def word(self, key: str) -> str:
        """Return a word of the table in the reader's language."""
        return self._text.words[key]

    def sentence(self) -> str:
        """Return who won and who lost, or why nobody did."""
        if self._void:
            return self._text.get("result void")
        if self._ending == Ending.ABORTED:
            return self._text.get("result aborted")
        parts = [*self._of_play(), *self._named("result forfeited", "result you forfeited", self._forfeits)]
        text = "; ".join(parts)
        return text if text.startswith(tuple(self.names)) else text[0].upper() + text[1:]

    def summary(self) -> str:
        """Return the sentence and the points."""
        points = [f"{line.name} {self._text.value(line.points)}" for line in self.lines()]
        return f"{self.sentence()} ({', '.join(points)})" if points else self.sentence()

    def lines(self) -> list[OutcomeLine]:
        """Return the seats by place; none if the match has no result."""
        if self._void or self._ending == Ending.ABORTED:
            return []
        seats = sorted(range(len(self.names)), key=lambda seat: (self._places[seat], seat))
        return [OutcomeLine(self._places[seat], self.names[seat], self._scores[seat]) for seat in seats]

    def _of_play(self) -> list[str]:
        first = [seat for seat, place in enumerate(self._places) if place == 1]
        fools = self._fools()
        if len(first) == len(self._places):
            return [self._text.get("result draw" if fools is None else "result no fool")]
        won = []
        if len({self._sides[seat] for seat in first}) == 1:
            won = self._named("result wins", "result you win", first)
        elif not fools:
            won = [self._text.get("result shared", names=self._joined([self.names[seat] for seat in first]))]
        return [*won, *self._named("result fool", "result you fool", fools or [])]

    def _fools(self) -> list[int] | None:
        """Return the seats that lost a single deal in a game that knows a loser and no winner; else `None`."""
        if self._count != 1 or not set(self._scores) <= {-1, 0}:
            return None
        return [seat for seat, score in enumerate(self._scores) if score < 0 and seat not in self._forfeits]

    def _named(self, others: str, you: str, seats: Collection[int]) -> list[str]:
        """Return the sentences that say the same of all these seats."""
        names = [self.names[seat] for seat in seats if seat != self._you]
        of_you = [self._text.get(you)] if self._you in seats else []
        key = others if len(names) == 1 else f"{others} many"
        return of_you + ([self._text.get(key, names=self._joined(names))] if names else [])

    def _joined(self, names: Sequence[str]) -> str:
        *before, last = names
        return self._text.get("result and", first=", ".join(before), last=last) if before else last

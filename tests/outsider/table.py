"""The base of the second implementation: hands, public knowledge of them, and a sequence of questions."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Mapping
from typing import Any, NamedTuple

RANKS = "23456789TJQKA"


class OutsiderQuestion(NamedTuple):
    """The seat asked, and a function that computes the answers, because an exchange off turn may change them."""

    seat: int
    answers: Callable[[], list[str]]


Script = Generator[OutsiderQuestion, str, list[int]]
"""A generator that yields the questions of a deal, receives the answers, and returns the scores."""


class OutsiderTable:
    """A deal in progress. A subclass defines the course of the deal (`script`) and the free moves."""

    def __init__(
        self, seats: int, options: Mapping[str, Any], number: int, dealer: int, deck: list[str]
    ) -> None:
        self.seats, self.options, self.number, self.dealer = seats, options, number, dealer
        self.deck = list(deck)
        self.hands: list[list[str]] = [[] for _ in range(seats)]
        self.open: list[set[str]] = [set() for _ in range(seats)]
        """By seat, the cards that are publicly known to be in its hand."""
        self.drawn: list[tuple[int, list[str]]] = []
        """The draws after the last move, in order."""
        self.upturned: str | None = None
        """The card under the talon or stock, or the last one that lay there."""
        self.returns: list[int] | None = None
        self.moves = 0
        self.question: OutsiderQuestion | None = None
        self._script = self.script()
        self._go_on(None)

    def script(self) -> Script:
        raise NotImplementedError

    def unasked(self, seat: int) -> list[str]:
        """Return the free moves of this seat."""
        return []

    def do_unasked(self, seat: int) -> None:
        raise NotImplementedError

    def facts(self) -> dict[str, Any]:
        """Return the public fields of the observation during a deal."""
        return {
            "hand_sizes": [len(hand) for hand in self.hands],
            "known": [in_order(cards) for cards in self.open],
        }

    def own_facts(self) -> dict[str, Any]:
        """Return the additional fields that the seat to move sees."""
        return {}

    def next_dealer(self) -> int:
        """Return the next dealer: the loser, or after a draw the same dealer."""
        assert self.returns is not None
        losers = [seat for seat in self.clockwise(self.dealer) if self.returns[seat] < 0]
        return losers[0] if losers else self.dealer

    def play(self, seat: int, text: str) -> None:
        """Make a move of this seat."""
        self.drawn = []
        self.moves += 1
        if self.question and seat == self.question.seat and text in self.question.answers():
            self._go_on(text)
        else:
            assert text in self.unasked(seat), f"{seat} can't {text}"
            self.do_unasked(seat)
        if self.returns is None and self.moves == self.options.get("turn_limit"):
            self.returns, self.question = [0] * self.seats, None

    def _go_on(self, answer: str | None) -> None:
        try:
            self.question = next(self._script) if answer is None else self._script.send(answer)
        except StopIteration as end:
            self.question, self.returns = None, end.value

    # The seats

    def clockwise(self, seat: int) -> list[int]:
        """Return all seats clockwise from the left of this one, which comes last."""
        return [(seat + step) % self.seats for step in range(1, self.seats + 1)]

    def holding(self) -> list[int]:
        return [seat for seat in range(self.seats) if self.hands[seat]]

    # The cards

    def give(self, seat: int, cards: list[str], seen: bool = False) -> None:
        self.hands[seat] += cards
        if seen:
            self.open[seat].update(cards)

    def take_from(self, seat: int, card: str) -> str:
        self.hands[seat].remove(card)
        self.open[seat].discard(card)
        return card


def rank(card: str) -> int:
    return RANKS.index(card[0])


def suit(card: str) -> str:
    return card[1]


def in_order(cards: Iterable[str]) -> list[str]:
    """Sort cards by rank, then by suit."""
    return sorted(cards, key=lambda card: (rank(card), "CDHS".index(suit(card))))


def lost_by(seats: int, losers: list[int]) -> list[int]:
    """Return the scores: -1 for each loser, else 0."""
    return [-1 if seat in losers else 0 for seat in range(seats)]

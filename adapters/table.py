"""A table and the positions of its match, for both adapters. All objects are immutable.

Chance deals card by card: each card that leaves the pack is one outcome, and all are equally likely. The number of
outcomes therefore stays small, and no state holds a random generator.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from typing import Any, NamedTuple, Self

from adapters.actions import Actions
from engine.cards import CARD_TEXT
from engine.game import CHANCE, BadTable, IllegalMove, Options
from engine.match import Match, MatchState, deck_text
from engine.registry import GAMES


class Points(NamedTuple):
    """The lowest and the highest score of a seat in a match."""

    worst: int
    best: int


def centred(scores: Sequence[int]) -> list[float]:
    """Return the scores less their mean, so that they sum to zero."""
    mean = sum(scores) / len(scores)
    return [score - mean for score in scores]


class AdapterTable:
    """A game with seats, options, number of deals and first dealer. Get one from `AdapterTable.get`, which caches."""

    def __init__(self, game: str, seats: int, options: Options, deals: int | None, dealer: int) -> None:
        """Raise `BadTable` for a table that the game does not support."""
        rules = GAMES[game].table(seats, options)
        self.match = Match(rules, deals, dealer)
        self.game = rules
        self.actions = Actions(rules)
        bounds = [rules.deal_points(number) for number in range(1, self.match.deals + 1)]
        self.points = Points(sum(worst for worst, _ in bounds), sum(best for _, best in bounds))
        self._cache_key = _key(game, seats, options, deals, dealer)

    @classmethod
    def get(
        cls,
        game: str,
        seats: int | None = None,
        options: Options | None = None,
        deals: int | None = None,
        dealer: int = 0,
    ) -> AdapterTable:
        """Return the table with these values, by default with the fewest seats. Raise `BadTable`."""
        if game not in GAMES:
            raise BadTable("game", game, "one of " + ", ".join(GAMES))
        seats = GAMES[game].seat_counts[0] if seats is None else seats
        return _cached_table(_key(game, seats, options or {}, deals, dealer))

    @property
    def most_moves(self) -> int:
        """The highest number of actions by seats in a match."""
        longest = self.game.most_cards + 1 if self.actions.spelt else 1
        return self.game.most_moves * self.match.deals * longest

    @property
    def centred_bound(self) -> float:
        """A bound of the absolute centred scores of a match. It may be more than a seat can win."""
        return (self.points.best - self.points.worst) * (self.game.seats - 1) / self.game.seats

    def start(self) -> AdapterPosition:
        """Return the position before the first card is dealt."""
        return AdapterPosition(self, None, -1, self.match.begin(), (), None)

    def __deepcopy__(self, memo: object) -> Self:
        return self

    def __reduce__(self) -> tuple[Callable[..., AdapterTable], tuple[Any, ...]]:
        return _cached_table, (self._cache_key,)


def _key(*table: Any) -> str:
    """Return a cache key as text, because `True` and `1` are equal but different options."""
    return json.dumps(table, sort_keys=True)


@lru_cache(maxsize=64)
def _cached_table(key: str) -> AdapterTable:
    return AdapterTable(*json.loads(key))


class AdapterPosition:
    """A match between two actions. Chance deals a card, by its place in the pack, or the seat to move acts.

    Free moves are actions of the seat to move, because neither library lets a player act out of turn.
    """

    __slots__ = (
        "_choices",
        "_events_by_seat",
        "_parent",
        "_words",
        "action",
        "cards",
        "spelt",
        "state",
        "table",
    )

    def __init__(
        self,
        table: AdapterTable,
        parent: AdapterPosition | None,
        action: int,
        state: MatchState,
        cards: tuple[int, ...],
        spelt: str | None,
    ) -> None:
        self.table, self._parent, self.action = table, parent, action
        self.state = state
        self.cards = cards
        """The cards dealt so far, while chance is dealing."""
        self.spelt = spelt
        """The part of a move that the seat to move has spelt so far."""
        self._choices: dict[int, tuple[str, bool]] | None = None
        self._events_by_seat: dict[int | None, tuple[str, ...]] = {}
        self._words: str | None = None

    @property
    def to_move(self) -> int:
        """The seat to move, `CHANCE` or `NOBODY`."""
        return self.state.to_move

    # 1. Actions

    def chances(self) -> list[int]:
        """Return the outcomes of chance: the places in the pack of the cards not yet dealt."""
        return [place for place, card in enumerate(self.table.game.pack) if card not in self.cards]

    def legal(self) -> list[int]:
        """Return the legal actions in ascending order; empty if no seat is to move."""
        return list(self._legal())

    def text(self, action: int) -> str:
        """Return the text of an action in this position."""
        if self.to_move == CHANCE:
            return f"deal {CARD_TEXT[self.table.game.pack[action]]}"
        return self.table.actions.texts[action]

    def after(self, action: int) -> AdapterPosition:
        """Return the position after an action. Raise `IllegalMove` for an illegal one."""
        if self.to_move == CHANCE:
            return self._dealt(action)
        if action not in self._legal():
            raise IllegalMove(f"seat {self.to_move} has no legal action {action}")
        text, whole = self._legal()[action]
        if not whole:
            return AdapterPosition(self.table, self, action, self.state, (), text)
        match, seat = self.table.match, self.to_move
        state = match.play(self.state, seat, match.parse(self.state, seat, text))
        return AdapterPosition(self.table, self, action, state, (), None)

    def _dealt(self, place: int) -> AdapterPosition:
        if place not in self.chances():
            raise IllegalMove(f"chance cannot deal card {place}")
        pack = self.table.game.pack
        cards = (*self.cards, pack[place])
        if len(cards) < len(pack):
            return AdapterPosition(self.table, self, place, self.state, cards, None)
        return AdapterPosition(self.table, self, place, self.table.match.deal(self.state, cards), (), None)

    def _legal(self) -> dict[int, tuple[str, bool]]:
        if self._choices is None:
            match, seat = self.table.match, self.to_move
            texts = (
                [*match.legal_texts(self.state, seat), *match.free_texts(self.state, seat)]
                if seat >= 0
                else []
            )
            self._choices = self.table.actions.choices(texts, self.spelt)
        return self._choices

    # 2. What a seat sees and remembers

    def observe(self, seat: int | None) -> dict[str, Any]:
        """Return the match's observation. With spelt moves, add what this seat has spelt as `spelt`."""
        seen = self.table.match.observe(self.state, seat)
        if self.table.actions.spelt:
            seen["spelt"] = self.spelt if seat == self.to_move else None
        return seen

    def information(self, seat: int | None) -> str:
        """Return all events that this seat has seen in the match, one per line: perfect recall."""
        lines = [_json({"seat": seat})]
        for position in self._line():
            lines += position._seen_events(seat)
        if self.spelt and seat == self.to_move:
            lines.append(_json({"spelt": self.spelt}))
        return "\n".join(lines)

    def _seen_events(self, seat: int | None) -> tuple[str, ...]:
        """Return what this seat sees of the action that led here."""
        if seat not in self._events_by_seat:
            self._events_by_seat[seat] = tuple(_json(event.view(seat)) for event in self._events())
        return self._events_by_seat[seat]

    def _events(self) -> list[Any]:
        before, match = self._parent, self.table.match
        if before is None or before.state is self.state:
            return []
        if self._by_chance:
            return match.deal_events(self.state)
        text, _ = before._legal()[self.action]
        move = match.parse(before.state, before.to_move, text)
        return match.events(before.state, before.to_move, move, self.state)

    # 3. Determinization

    def determinization(self, seat: int, random: Callable[[], float]) -> AdapterPosition:
        """Return a position that this seat cannot distinguish from this one, with another deck for this deal.

        Cards that the seat has seen keep their places in the deck. All decks that agree with that are equally likely.
        `random` returns numbers from 0 to below 1. It draws decks until one agrees, which can take long if the moves of
        others reveal much of their hands.
        """
        if self.to_move < 0:
            return self
        pack, line = self.table.game.pack, list(self._line())
        dealing = [position for position in line if position._by_chance][-len(pack) :]
        played = line[line.index(dealing[-1]) + 1 :]
        news = "\n".join(
            [line for position in (dealing[-1], *played) for line in position._seen_events(seat)]
        )
        places = [position.action for position in dealing]
        hidden = [at for at, place in enumerate(places) if CARD_TEXT[pack[place]] not in news]
        while True:
            _shuffle(places, hidden, random)
            candidate = dealing[0]._parent
            for position, action in zip(
                (*dealing, *played), (*places, *[one.action for one in played]), strict=True
            ):
                candidate = candidate._if_same_events(seat, action, position) if candidate else None
            if candidate:
                return candidate

    def _if_same_events(self, seat: int, action: int, other: AdapterPosition) -> AdapterPosition | None:
        """Return the position after this action, if it is legal and shows this seat what `other` does."""
        if self.to_move >= 0 and action not in self._legal():
            return None
        position = self.after(action)
        return position if position._seen_events(seat) == other._seen_events(seat) else None

    @property
    def _by_chance(self) -> bool:
        return self._parent is not None and self._parent.to_move == CHANCE

    # 4. History

    def history(self) -> list[int]:
        """Return all actions of the match so far."""
        return [position.action for position in self._line()]

    def record(self) -> str:
        """Return all decks and moves as text, including hidden cards. This is for debugging."""
        lines = [position._action_text() for position in self._line()]
        if self.cards:
            lines.append(deck_text(self.cards))
        return "\n".join(filter(None, lines))

    def _action_text(self) -> str:
        """Return the text of the action that led here; empty for every card of a deck but the last."""
        if self._words is None:
            before = self._parent
            if before is None or self.cards:
                self._words = ""
            elif self._by_chance:
                self._words = deck_text((*before.cards, self.table.game.pack[self.action]))
            else:
                self._words = f"{before.to_move}: {before.text(self.action)}"
        return self._words

    def _line(self) -> Iterable[AdapterPosition]:
        """Return the positions after each action, up to this one."""
        positions, position = [], self
        while position._parent is not None:
            positions.append(position)
            position = position._parent
        return reversed(positions)

    def __deepcopy__(self, memo: object) -> Self:
        return self

    def __reduce__(self) -> tuple[Callable[..., AdapterPosition], tuple[Any, ...]]:
        return _replayed, (self.table, self.history())


def _replayed(table: AdapterTable, actions: list[int]) -> AdapterPosition:
    position = table.start()
    for action in actions:
        position = position.after(action)
    return position


def _shuffle(places: list[int], among: list[int], random: Callable[[], float]) -> None:
    """Shuffle the items at the indices `among` of a list, in place."""
    for last in range(len(among) - 1, 0, -1):
        one, other = among[last], among[int(random() * (last + 1))]
        places[one], places[other] = places[other], places[one]


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))

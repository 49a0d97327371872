"""A table and the positions of its match, with all that a learner asks of them. Nothing here can be changed once made.

Chance deals card by card: each card that leaves the pack is an outcome of its own, each as likely as any other.
So the chances are written out in full and small, and nobody's random numbers are kept in a state.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import Any, NamedTuple, Self

from adapters.actions import Actions
from engine.cards import CARD_TEXT
from engine.game import CHANCE, BadTable, IllegalMove, Options
from engine.match import Match, MatchState, deck_text
from engine.registry import GAMES


class Points(NamedTuple):
    """What a match can bring a seat."""

    worst: int
    best: int


class Table:
    """A game with seats, options, number of deals and first dealer. Made by `Table.of`, which keeps them."""

    def __init__(self, game: str, seats: int, options: Options, deals: int | None, dealer: int) -> None:
        """Raises `BadTable`."""
        rules = GAMES[game].table(seats, options)
        self.match = Match(rules, deals, dealer)
        self.game = rules
        self.actions = Actions(rules)
        bounds = [rules.deal_points(number) for number in range(1, self.match.deals + 1)]
        self.points = Points(sum(worst for worst, _ in bounds), sum(best for _, best in bounds))
        self._made_of = _key(game, seats, options, deals, dealer)

    @classmethod
    def of(
        cls,
        game: str,
        seats: int | None = None,
        options: Options | None = None,
        deals: int | None = None,
        dealer: int = 0,
    ) -> Table:
        """The table of these, with the fewest seats by default. Raises `BadTable`."""
        if game not in GAMES:
            raise BadTable("game", game, "one of " + ", ".join(GAMES))
        seats = GAMES[game].seat_counts[0] if seats is None else seats
        return _made_once(_key(game, seats, options or {}, deals, dealer))

    @property
    def most_moves(self) -> int:
        """No match has more moves of seats than this, spelt ones counted by their actions."""
        longest = self.game.most_cards + 1 if self.actions.spelt else 1
        return self.game.most_moves * self.match.deals * longest

    def start(self) -> Position:
        """The position before the first card is dealt."""
        return Position(self, None, -1, self.match.begin(), (), None)

    def __deepcopy__(self, memo: object) -> Self:
        return self

    def __reduce__(self) -> tuple[Callable[..., Table], tuple[Any, ...]]:
        return _made_once, (self._made_of,)


def _key(*table: Any) -> str:
    """As text, since `True` and `1` are one key and two options."""
    return json.dumps(table, sort_keys=True)


@lru_cache(maxsize=64)
def _made_once(key: str) -> Table:
    return Table(*json.loads(key))


class Position:
    """A match between two actions: of chance, which deals a card (by its place in the pack), or of the seat asked.

    Free moves are actions of the seat asked, while it is asked: neither library lets a player act out of turn.
    """

    __slots__ = ("_choices", "_parent", "_told", "_words", "action", "cards", "spelt", "state", "table")

    def __init__(
        self,
        table: Table,
        parent: Position | None,
        action: int,
        state: MatchState,
        cards: tuple[int, ...],
        spelt: str | None,
    ) -> None:
        self.table, self._parent, self.action = table, parent, action
        self.state = state
        self.cards = cards
        """What chance has dealt while it is dealing."""
        self.spelt = spelt
        """What the seat asked has spelt of its move."""
        self._choices: dict[int, tuple[str, bool]] | None = None
        self._told: dict[int | None, tuple[str, ...]] = {}
        self._words: str | None = None

    @property
    def to_move(self) -> int:
        """The seat asked, `CHANCE` or `NOBODY`."""
        return self.state.to_move

    # 1. Actions

    def chances(self) -> list[int]:
        """What chance may do: the places in the pack of the cards that have not been dealt."""
        return [place for place, card in enumerate(self.table.game.pack) if card not in self.cards]

    def legal(self) -> list[int]:
        """What the seat asked may do, ascending; nothing where no seat is asked."""
        return list(self._found())

    def text(self, action: int) -> str:
        """An action of this position in words."""
        if self.to_move == CHANCE:
            return f"deal {CARD_TEXT[self.table.game.pack[action]]}"
        return self.table.actions.texts[action]

    def after(self, action: int) -> Position:
        """The position that follows. Raises `IllegalMove`, and has then changed nothing."""
        if self.to_move == CHANCE:
            return self._dealt(action)
        if action not in self._found():
            raise IllegalMove(f"seat {self.to_move} has no action {action} now")
        text, whole = self._found()[action]
        if not whole:
            return Position(self.table, self, action, self.state, (), text)
        match, seat = self.table.match, self.to_move
        state = match.play(self.state, seat, match.parse(self.state, seat, text))
        return Position(self.table, self, action, state, (), None)

    def _dealt(self, place: int) -> Position:
        if place not in self.chances():
            raise IllegalMove(f"chance has no card {place} to deal now")
        pack = self.table.game.pack
        cards = (*self.cards, pack[place])
        if len(cards) < len(pack):
            return Position(self.table, self, place, self.state, cards, None)
        return Position(self.table, self, place, self.table.match.deal(self.state, cards), (), None)

    def _found(self) -> dict[int, tuple[str, bool]]:
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
        """The match's observation, and under `spelt` what this seat has spelt of its move, if moves are spelt."""
        seen = self.table.match.observe(self.state, seat)
        if self.table.actions.spelt:
            seen["spelt"] = self.spelt if seat == self.to_move else None
        return seen

    def information(self, seat: int | None) -> str:
        """All that this seat has been told since the match began, in order: perfect recall. A line an event."""
        lines = [_json({"seat": seat})]
        for position in self._line():
            lines += position._news(seat)
        if self.spelt and seat == self.to_move:
            lines.append(_json({"spelt": self.spelt}))
        return "\n".join(lines)

    def _news(self, seat: int | None) -> tuple[str, ...]:
        """What this seat is told of the action that led here."""
        if seat not in self._told:
            self._told[seat] = tuple(_json(event.view(seat)) for event in self._events())
        return self._told[seat]

    def _events(self) -> list[Any]:
        before, match = self._parent, self.table.match
        if before is None or before.state is self.state:
            return []
        if self._by_chance:
            return match.deal_events(self.state)
        text, _ = before._found()[self.action]
        move = match.parse(before.state, before.to_move, text)
        return match.events(before.state, before.to_move, move, self.state)

    # 3. What a seat can imagine

    def imagined(self, seat: int, random: Callable[[], float]) -> Position:
        """A position that this seat cannot tell from this one: another deck of this deal, every deck that agrees with
        what the seat was told as likely as any other. `random` gives numbers from 0 to below 1.

        Decks are tried till one agrees, which can take long where the moves of others betray much of their hands.
        """
        if self.to_move < 0:
            return self
        pack, line = self.table.game.pack, list(self._line())
        dealing = [position for position in line if position._by_chance][-len(pack) :]
        played = line[line.index(dealing[-1]) + 1 :]
        news = "\n".join([line for position in (dealing[-1], *played) for line in position._news(seat)])
        places = [position.action for position in dealing]
        hidden = [at for at, place in enumerate(places) if CARD_TEXT[pack[place]] not in news]
        while True:
            _shuffle(places, hidden, random)
            found = dealing[0]._parent
            for position, action in zip(
                (*dealing, *played), (*places, *[one.action for one in played]), strict=True
            ):
                found = found._told_the_same(seat, action, position) if found else None
            if found:
                return found

    def _told_the_same(self, seat: int, action: int, other: Position) -> Position | None:
        """The position after this action, if it is legal and tells this seat what `other` does."""
        if self.to_move >= 0 and action not in self._found():
            return None
        position = self.after(action)
        return position if position._news(seat) == other._news(seat) else None

    @property
    def _by_chance(self) -> bool:
        return self._parent is not None and self._parent.to_move == CHANCE

    # 4. The way here

    def history(self) -> list[int]:
        """All actions since the match began."""
        return [position.action for position in self._line()]

    def record(self) -> str:
        """All that chance and the seats did, in words, everybody's cards among it: for people who look for mistakes."""
        said = [position._said() for position in self._line()]
        if self.cards:
            said.append(deck_text(self.cards))
        return "\n".join(filter(None, said))

    def _said(self) -> str:
        """The action that led here in words; empty for a card that was not the last of its deck."""
        if self._words is None:
            before = self._parent
            if before is None or self.cards:
                self._words = ""
            elif self._by_chance:
                self._words = deck_text((*before.cards, self.table.game.pack[self.action]))
            else:
                self._words = f"{before.to_move}: {before.text(self.action)}"
        return self._words

    def _line(self) -> Iterable[Position]:
        """The positions that actions have led to, up to this one."""
        found, position = [], self
        while position._parent is not None:
            found.append(position)
            position = position._parent
        return reversed(found)

    def __deepcopy__(self, memo: object) -> Self:
        return self

    def __reduce__(self) -> tuple[Callable[..., Position], tuple[Any, ...]]:
        return _replayed, (self.table, self.history())


def _replayed(table: Table, actions: list[int]) -> Position:
    position = table.start()
    for action in actions:
        position = position.after(action)
    return position


def _shuffle(places: list[int], among: list[int], random: Callable[[], float]) -> None:
    """Shuffles what stands at these places of a list, in place."""
    for last in range(len(among) - 1, 0, -1):
        one, other = among[last], among[int(random() * (last + 1))]
        places[one], places[other] = places[other], places[one]


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))

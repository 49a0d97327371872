"""Twin plays: two lists of decks with the same list of moves, which differ only in cards hidden from one viewer.

A play consists of random moves. Then all cards that the viewer has not seen by its end are permuted, and the same
moves must be legal again. The rules (`tests.engine.hidden`) decide what the viewer has seen, not any view. Otherwise
a view that reveals too much would hide its own leak.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from random import Random
from typing import Any, NamedTuple

from engine.game import CHANCE, NOBODY, Game, Refusal
from engine.match import Match, MatchState
from engine.registry import GAMES
from tests.engine.hidden import publicly_another_deal, rightly_seen
from tests.engine.lines import LineOfPlay

FREE_MOVES = 0.3
"""The probability of a free move where one is legal."""
ATTEMPTS = 60
"""The number of permutations to try before generating another play."""

Deck = tuple[int, ...]
Chooser = Callable[[MatchState, Sequence[int]], int]


class PlayStep(NamedTuple):
    """A move as it is sent: for `turn`, or free in `deal`."""

    seat: int
    text: str
    turn: int | None
    deal: int | None

    def body(self) -> dict[str, object]:
        """Return the body of its request."""
        key = {"turn": self.turn} if self.deal is None else {"deal": self.deal}
        return {**key, "move": self.text}


class Play(NamedTuple):
    """A pair of twin plays. `states` are their final states."""

    game: str
    seats: int
    options: Mapping[str, Any]
    deals: int | None
    viewer: int | None
    decks: tuple[list[Deck], list[Deck]]
    steps: list[PlayStep]
    states: tuple[MatchState, MatchState]

    def __str__(self) -> str:
        return f"{self.game} {self.seats} {dict(self.options)} seen by {self.viewer}, {len(self.steps)} moves"


class _Made(NamedTuple):
    """A play in one world: the line of each deal, and the moves as they are sent."""

    begun: list[MatchState]
    lines: list[LineOfPlay]
    steps: list[PlayStep]
    state: MatchState


def twins(
    game: str,
    seats: int,
    viewer: int | None,
    seed: object,
    options: Mapping[str, Any] | None = None,
    *,
    most: int = 30,
    deals: int | None = None,
    house: Sequence[int] = (),
    wanted: Callable[[MatchState, MatchState], bool] = lambda one, other: True,
) -> Play:
    """Generate a play of at most `most` moves, and its twin.

    House seats make their first legal move. `wanted` filters plays by their final states.
    """
    rng = Random(f"{game} {seats} {viewer} {sorted((options or {}).items())} {seed}")
    rules = GAMES[game].table(seats, options or {})
    match = Match(rules, None if rules.fixed_deals else deals or 1, 0)
    for _ in range(200):
        count = rng.randint(0, most) if rng.random() < 0.7 else most
        one = _play(match, count, rng, house)
        for _ in range(ATTEMPTS):
            decks = [_exchanged(rules, line, viewer, rng) for line in one.lines]
            if all(deck == line.deck for deck, line in zip(decks, one.lines, strict=True)):
                continue
            other = _again(match, one, decks)
            if other is not None and wanted(one.state, other):
                both = ([line.deck for line in one.lines], decks)
                return Play(game, seats, options or {}, deals, viewer, both, one.steps, (one.state, other))
    raise AssertionError(f"no twin plays of {game} {seats} {options} for {viewer}")


def _play(match: Match, count: int, rng: Random, house: Sequence[int]) -> _Made:
    """Play `count` random moves, or fewer if the match would end."""
    game, state, made = match.game, match.begin(), _Made([], [], [], match.begin())
    turn = 1
    while True:
        if state.to_move == CHANCE:
            deck = list(game.pack)
            rng.shuffle(deck)
            made.begun.append(state)
            state = match.deal(state, deck)
            made.lines.append(LineOfPlay(game, state.number, state.dealer, tuple(deck), [state.deal], []))
        if len(made.steps) >= count:
            return made._replace(state=state)
        seat, move = (
            state.to_move,
            state.deal.legal[0] if state.to_move in house else rng.choice(state.deal.legal),
        )
        free = [(one, move) for one in range(game.seats) for move in game.free_moves(state.deal, one)]
        free = [(one, move) for one, move in free if one not in house]
        is_free = bool(free) and rng.random() < FREE_MOVES
        if is_free:
            seat, move = rng.choice(free)
        after = match.play(state, seat, move)
        if after.to_move == NOBODY:
            return made._replace(state=state)
        text = match.text(state, move)
        made.steps.append(PlayStep(seat, text, None if is_free else turn, state.number if is_free else None))
        made.lines[-1].moves.append((seat, move))
        made.lines[-1].states.append(
            after.deal if after.deal is not None else game.play(state.deal, seat, move)
        )
        turn += not is_free or seat == state.to_move
        state = after


def _exchanged(game: Game, line: LineOfPlay, viewer: int | None, rng: Random) -> Deck:
    """Return the deck with the cards that the viewer has not seen permuted: all of them, or two."""
    seen = rightly_seen(line, viewer)
    hidden = [at for at, card in enumerate(line.deck) if card not in seen]
    if len(hidden) < 2:
        # The viewer has seen every card, but not the order in which they were dealt.
        hidden = list(range(len(line.deck)))
    places = hidden if rng.random() < 0.5 else rng.sample(hidden, 2)
    filled = rng.sample(places, len(places))
    deck = list(line.deck)
    for place, source in zip(places, filled, strict=True):
        deck[place] = line.deck[source]
    return tuple(deck)


def _again(match: Match, one: _Made, decks: list[Deck]) -> MatchState | None:
    """Return the state after the same moves with other decks, or `None` if they are illegal or end a deal elsewhere."""
    state, steps = match.begin(), iter(one.steps)
    try:
        for begun, line, deck in zip(one.begun, one.lines, decks, strict=True):
            if state != begun:
                return None  # A hidden last card ended the deal earlier.
            state = match.deal(state, deck)
            if publicly_another_deal(match.game, line.states[0], state.deal):
                return None
            for _ in line.moves:
                step = next(steps)
                state = match.play(state, step.seat, match.parse(state, step.seat, step.text))
    except Refusal:
        return None
    return state

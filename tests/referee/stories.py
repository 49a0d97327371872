"""Matches in which everything possible happens, played through the referee, and their records."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from random import Random
from typing import Any, NamedTuple
from unittest.mock import patch

from engine.game import Game
from engine.registry import GAMES
from engine.relabelling import Suits, relabelled, suits_text
from records.ids import new_match_id
from records.match import shuffle
from records.match.clock import ClockRule
from records.match.loaded_match import LoadedMatch
from records.match.move_requests import MoveRequest
from records.match.record import preset_of
from records.match.session import match_of
from tests.referee.world import ManualClock, World, house, remote

RULE = ClockRule(move_ms=1_000, bank_ms=3_000, increment_ms=100, grace_ms=250, strikes=2)
Json = dict[str, Any]


class Plot(NamedTuple):
    """A match to play. `late` and `leaving` are the probabilities per move of a timeout and of a resignation."""

    game: str
    seats: int
    options: Mapping[str, Any] = {}
    deals: int | None = None
    dealer: int | None = None
    house: frozenset[int] = frozenset()
    entropy: tuple[str | None, ...] | None = None
    clock: ClockRule = RULE
    late: float = 0.0
    leaving: float = 0.0
    seed: int = 0


def played(world: World, clock: ManualClock, plot: Plot) -> Json:
    """Play a match along this plot and return its record."""
    rng = Random(plot.seed)
    match = world.match(
        [house("dice") if seat in plot.house else remote(seat) for seat in range(plot.seats)],
        game=plot.game,
        options=dict(plot.options),
        deals=plot.deals,
        dealer=plot.dealer,
        entropy=plot.entropy,
        clock=plot.clock,
        secret=rng.randbytes(32),
        match_id=new_match_id(),
    )
    remotes = [seat for seat in range(plot.seats) if seat not in plot.house]
    loaded = world.look(match)
    while not loaded.finished:
        asked = loaded.progress.to_move
        if asked is None or asked not in remotes or asked in loaded.progress.forfeits:
            world.referee.go_on(match, 60.0)
            loaded = world.look(match)
        elif rng.random() < plot.leaving:
            loaded = world.referee.resign(match, f"bot-{rng.choice(remotes)}")
        elif rng.random() < plot.late:
            clock.advance(_left(loaded, clock) + plot.clock.grace_ms + 50)
            loaded = world.look(match)
        else:
            if plot.late and rng.random() < 0.3:
                clock.advance(rng.randint(0, max(0, _left(loaded, clock) + plot.clock.grace_ms)))
            loaded = _moved(world, loaded, asked, rng)
    return world.referee.record(loaded).to_json()


def _moved(world: World, loaded: LoadedMatch, asked: int, rng: Random) -> LoadedMatch:
    """Make a move of any seat that may move, and return the match."""
    match, state = match_of(loaded.config, loaded.progress.first_dealer or 0), loaded.state
    assert state is not None
    requests = [
        (seat, MoveRequest(loaded.id, match.text(state, move), deal=loaded.progress.number))
        for seat in range(len(loaded.config.seats))
        if seat not in loaded.progress.forfeits and not loaded.config.is_house(seat)
        for move in match.game.free_moves(state.deal, seat)
    ]
    if not requests or rng.random() < 0.5:
        text = match.text(state, rng.choice(state.deal.legal))
        requests = [(asked, MoveRequest(loaded.id, text, loaded.progress.turn))]
    seat, request = rng.choice(requests)
    after = world.referee.moves.move(f"bot-{seat}", request).loaded
    assert after is not None
    return after


def _left(loaded: LoadedMatch, clock: ManualClock) -> int:
    """Return the time that the bot to move has left, without the grace."""
    assert loaded.deadline is not None
    return loaded.deadline - clock.at


def grouped(world: World, clock: ManualClock, plot: Plot, suits: Suits, bots: int) -> Json:
    """Return the record of a match in a duplicate group of this many bots, with relabelled suits."""
    base = GAMES[plot.game].table(plot.seats, plot.options)
    table = base.relabelled(suits)
    entropy = tuple(f"salt {bot}" if bot % 2 else None for bot in range(bots))
    with _decks(base, suits, entropy):
        record = played(world, clock, plot._replace(options=table.options, dealer=plot.dealer or 0))
    record |= {"group": "a-group", "preset": preset_of(base, plot.clock)}
    record["shuffle"] |= {"suits": suits_text(suits), "entropy": list(entropy)}
    return record


@contextmanager
def _decks(base: Game, suits: Suits, entropy: Sequence[str | None]) -> Iterator[None]:
    shuffled = shuffle.deck

    def deck(secret: bytes, _: Sequence[str | None], number: int, pack: Sequence[int]) -> tuple[int, ...]:
        return relabelled(shuffled(secret, entropy, number, base.pack), suits)

    with patch("records.match.shuffle.deck", deck):
        yield

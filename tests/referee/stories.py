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
from referee.ids import new_match_id
from referee.match import shuffle
from referee.match.clock import ClockRule
from referee.match.loaded_match import LoadedMatch
from referee.match.move_requests import MoveRequest
from referee.match.record import preset_of
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
    live = world.look(match)
    while not live.finished:
        asked = live.progress.to_move
        if asked is None or asked not in remotes or asked in live.progress.forfeits:
            world.referee.go_on(match, 60.0)
            live = world.look(match)
        elif rng.random() < plot.leaving:
            live = world.referee.resign(match, f"bot-{rng.choice(remotes)}")
        elif rng.random() < plot.late:
            clock.advance(_left(live, clock) + plot.clock.grace_ms + 50)
            live = world.look(match)
        else:
            if plot.late and rng.random() < 0.3:
                clock.advance(rng.randint(0, max(0, _left(live, clock) + plot.clock.grace_ms)))
            live = _moved(world, live, asked, rng)
    return world.referee.record(live).to_json()


def _moved(world: World, live: LoadedMatch, asked: int, rng: Random) -> LoadedMatch:
    """Make a move of any seat that may move, and return the match."""
    match, state = live.config.matches[live.progress.first_dealer or 0], live.state
    assert state is not None
    requests = [
        (seat, MoveRequest(live.id, match.text(state, move), deal=live.progress.number))
        for seat in range(len(live.config.seats))
        if seat not in live.progress.forfeits and not live.config.is_house(seat)
        for move in match.game.free_moves(state.deal, seat)
    ]
    if not requests or rng.random() < 0.5:
        text = match.text(state, rng.choice(state.deal.legal))
        requests = [(asked, MoveRequest(live.id, text, live.progress.turn))]
    seat, request = rng.choice(requests)
    after = world.referee.move(f"bot-{seat}", request).live
    assert after is not None
    return after


def _left(live: LoadedMatch, clock: ManualClock) -> int:
    """Return the time that the bot to move has left, without the grace."""
    assert live.deadline is not None
    return live.deadline - clock.at


def grouped(world: World, clock: ManualClock, plot: Plot, suits: Suits, bots: int) -> Json:
    """Return the record of a match in a duplicate group of this many bots, with relabelled suits."""
    base = GAMES[plot.game].table(plot.seats, plot.options)
    table = base.relabelled(suits)
    entropy = tuple(f"salt {bot}" if bot % 2 else None for bot in range(bots))
    with _decks(base, suits, entropy):
        record = played(world, clock, plot._replace(options=table.options, dealer=plot.dealer or 0))
    record |= {"group": "a-group", "preset": preset_of(base)}
    record["shuffle"] |= {"suits": suits_text(suits), "entropy": list(entropy)}
    return record


@contextmanager
def _decks(base: Game, suits: Suits, entropy: Sequence[str | None]) -> Iterator[None]:
    shuffled = shuffle.deck

    def deck(secret: bytes, _: Sequence[str | None], number: int, pack: Sequence[int]) -> tuple[int, ...]:
        return relabelled(shuffled(secret, entropy, number, base.pack), suits)

    with patch("referee.match.shuffle.deck", deck):
        yield

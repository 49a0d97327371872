"""The example deal of each game on the site: `greedy` plays every seat of the smallest table.

Cards and moves follow from a fixed seed, so every process shows the same deal until the bot or the rules change.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from random import Random
from typing import Final, NamedTuple

from bots.house import HOUSE_BOTS
from engine.game import CHANCE, NOBODY
from engine.match import Match, deck_text
from engine.registry import GAMES
from records.match import log
from records.match.clock import ClockRule, SeatClocks
from records.match.frames import Frame, Hands, frames, steps
from records.match.log import Entry

_PLAYER: Final = HOUSE_BOTS["greedy"]
_SEED: Final = "kozyr example"


class SampleDeal(NamedTuple):
    """A deal that house bots played, with all hands."""

    seats: Sequence[str]
    """The names of the bots by seat."""
    frames: Sequence[Frame]


@lru_cache(maxsize=16)
def sample_deal(game_id: str) -> SampleDeal:
    """Return the first deal of an example match. It takes up to 0.1 s, once. Raise `KeyError` for an unknown game."""
    kind = GAMES[game_id]
    seats = min(kind.seat_counts)
    match = Match(kind.table(seats, {}), None if kind.fixed_deals is not None else 1, 0)
    clocks = SeatClocks.begun(ClockRule(move_ms=1000), (True,) * seats)
    found = frames(match, steps(match, _entries(match), clocks), Hands.ALL, deal=1)
    return SampleDeal((f"house/{_PLAYER.name}",) * seats, tuple(found))


def _entries(match: Match) -> Iterator[Entry]:
    """Yield the deck and the moves of the first deal."""
    rng, game = Random(f"{_SEED} {match.game.id}"), match.game
    deck = tuple(rng.sample(game.pack, len(game.pack)))
    yield log.chance(deck_text(deck))
    state = match.deal(match.begin(), deck)
    while state.to_move not in (CHANCE, NOBODY):
        seat = state.to_move
        text = _PLAYER.choose(game, match.view(state, seat), match.legal_texts(state, seat), rng)
        yield Entry(seat, 1, 0, 0, log.BY_PLAYER, text, "")
        state = match.play(state, seat, match.parse(state, seat, text))

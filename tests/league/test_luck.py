"""Luck of the cards: baselines by house bots, and points adjusted by them."""

from __future__ import annotations

import math
import statistics
from collections import defaultdict
from random import Random
from typing import Any

import pytest

from bots.house import HOUSE_BOTS
from bots.search import playout
from engine.game import Game
from engine.match import deck_text
from engine.registry import GAMES
from kozyr.local.match import play
from kozyr.local.plan import LocalPlan
from records.match.session import Seat
from records.results.luck import Adjusted, Baseline
from records.results.points import Tally

GREEDY = Seat("house/greedy", "house-greedy", "1", house=True)
RANDOM = Seat("house/random", "house-random", "1", house=True)


def records(game: str, deals: int, *, duplicate: bool = True, **fields: Any) -> list[dict[str, Any]]:
    plan = LocalPlan.checked(
        game=game,
        options=fields.pop("options", {}),
        seats=fields.pop("seats", GAMES[game].seat_counts[0]),
        bots=(GREEDY, RANDOM),
        deals=deals,
        seed=11,
        fill=GREEDY,
        duplicate=duplicate,
    )
    return [play(plan, fixture, HOUSE_BOTS, {}).record for fixture in plan.fixtures()]


def first_card(game: Game, state: Any, rng: Random) -> list[int]:
    """A playout without play: seat 0 is luckier the higher the lowest card of its hand."""
    lowest = game.pack.index(min(card for card in game.pack if state.hands[0] >> card & 1))
    return [lowest, -lowest, *[0] * (game.seats - 2)]


@pytest.mark.parametrize("game", sorted(GAMES))
def test_a_baseline_depends_on_the_deal_alone(game: str) -> None:
    """All tables of a group share it, and a new computation gives it again."""
    tables = records(game, 1)
    found = {Baseline(playout, 2, decks=2).luck(record) for record in tables}
    assert len(found) == 1
    lucks, _ = found.pop()
    assert sum(lucks) == pytest.approx(0.0, abs=1e-9)


def test_in_rotated_groups_the_luck_of_each_bot_sums_to_zero() -> None:
    baseline, luck = Baseline(playout, 2, decks=2), defaultdict[str, float](float)
    for record in records("durak", 3, seats=3):
        for sitting, found in zip(record["seats"], baseline.luck(record)[0], strict=True):
            luck[sitting["id"]] += found
    assert set(luck) == {"house-greedy", "house-random"}
    assert all(found == pytest.approx(0.0, abs=1e-9) for found in luck.values())


def test_the_slant_averages_to_zero_over_decks() -> None:
    baseline = Baseline(playout, 2, decks=400)
    unevennesses = [baseline.luck(record)[1] for record in records("svoi_kozyri", 200, duplicate=False)]
    error = statistics.stdev(unevennesses) * math.sqrt(1 / 200 + 1 / 400)
    assert abs(statistics.fmean(unevennesses)) < 3 * error
    assert max(unevennesses) > 0 > min(unevennesses)


def lucky(group: int, rng: Random, weight: float) -> dict[str, Any]:
    """Return a match of equal bots in which the luck that `first_card` sees is worth this much."""
    (record,) = records("durak", 1, duplicate=False)
    pack = GAMES["durak"].table(2, {}).pack
    deck = rng.sample(pack, len(pack))
    state = GAMES["durak"].table(2, {}).deal(1, record["dealer"], deck)
    luck = first_card(GAMES["durak"].table(2, {}), state, rng)[0]
    own = weight * luck + rng.gauss(0, 1)
    seats = record["seats"] if rng.random() < 0.5 else record["seats"][::-1]
    moves = [{"seat": None, "move": deck_text(deck)}]
    return {**record, "id": f"m{group}", "seats": seats, "scores": [own, -own], "moves": moves}


def test_adjusting_removes_what_luck_explains_and_nothing_else() -> None:
    rng = Random(4)
    matches = [lucky(number, rng, 2.0) for number in range(300)]
    plain, adjusted = Tally(), Adjusted(Baseline(first_card, 1, decks=200))
    for match in matches:
        plain.add(match)
        adjusted.add(match)
    before = plain.difference("house-greedy", "house-random")
    after = adjusted.tally().difference("house-greedy", "house-random")
    assert before.low is not None
    assert before.high is not None
    assert after.low is not None
    assert after.high is not None
    # The remaining noise has a spread of 2 (a point each way), so the interval is ± 1.96 · 2 / √300.
    assert after.high - after.low == pytest.approx(2 * 1.96 * 2 / 300**0.5, rel=0.15)
    assert after.high - after.low < (before.high - before.low) / 2
    assert after.low < 0 < after.high

"""The sequential test: when it stops, and how often it is wrong."""

from __future__ import annotations

import math
from collections.abc import Callable
from random import Random

import pytest

from records.results.sprt import FEWEST, Hypotheses, Sprt, SprtVerdict, hypotheses

Draw = Callable[[Random], float]


def pairs(mean: float) -> Draw:
    """Two deals of one deck between two players, each won or lost by a point."""
    return lambda rng: sum(rng.random() < (1 + mean) / 2 for _ in range(2)) - 1.0


def mostly_drawn(mean: float) -> Draw:
    """Sixteen of seventeen groups are even."""
    return lambda rng: float((rng.random() < 0.03 + mean) - (rng.random() < 0.03))


def widely_spread(mean: float) -> Draw:
    """A game with many points, in which groups rarely have equal results."""
    return lambda rng: round(rng.gauss(mean, 6), 2)


def run(tested: Hypotheses, draw: Draw, seed: int) -> Sprt:
    sprt, rng = Sprt(tested), Random(seed)
    while sprt.add(draw(rng)) is None:
        pass
    return sprt


@pytest.mark.parametrize(
    ("game", "high"), [(pairs, 0.4), (pairs, 0.2), (mostly_drawn, 0.1), (widely_spread, 3.0)]
)
def test_wrong_verdicts_are_within_the_error_rates(game: Callable[[float], Draw], high: float) -> None:
    """With a true rate of 5 %, more than 18 errors of 200 have a chance of one in two hundred."""
    tested = hypotheses(0.0, high)
    for mean, wrong in ((0.0, SprtVerdict.H1), (high, SprtVerdict.H0)):
        errors = sum(run(tested, game(mean), seed).verdict is wrong for seed in range(200))
        assert errors <= 18


def test_the_test_stops_sooner_than_one_of_fixed_length() -> None:
    """A fixed test with the same errors takes (2 · 1.645 · sd / distance)² groups; the sequential one takes about
    half on average."""
    groups = [run(hypotheses(0.0, 0.2), pairs(0.2), seed).groups for seed in range(100)]
    fixed = (2 * 1.645 * math.sqrt(0.5) / 0.2) ** 2
    assert sum(groups) / len(groups) < 0.65 * fixed


def test_nothing_is_decided_before_the_minimum_of_groups_and_verdicts_are_final() -> None:
    sprt = Sprt(hypotheses(0.0, 0.5))
    for _ in range(FEWEST - 1):
        assert sprt.add(1.0) is None
    while sprt.add(1.0) is None:
        pass
    assert sprt.verdict is SprtVerdict.H1
    groups = sprt.groups
    for _ in range(1000):
        assert sprt.add(-1.0) is SprtVerdict.H1
    assert sprt.groups == groups


def test_the_ratio_is_that_of_the_likeliest_distributions() -> None:
    """Compare with a search among all distributions over three values, including the two invented observations."""
    sprt = Sprt(hypotheses(-0.5, 0.5))
    for outcome in (1.0, 1.0, 0.0, -1.0, 0.0):
        sprt.add(outcome)
    seen = {-1.0: 2, 0.0: 2, 1.0: 3}

    def likeliest(mean: float) -> float:
        found = -math.inf
        for step in range(1, 10_000):
            middle = step / 10_000
            up, down = (1 - middle + mean) / 2, (1 - middle - mean) / 2
            if up > 0 and down > 0:
                shares = {-1.0: down, 0.0: middle, 1.0: up}
                found = max(found, sum(count * math.log(shares[value]) for value, count in seen.items()))
        return found

    assert sprt.llr() == pytest.approx(likeliest(0.5) - likeliest(-0.5), abs=1e-4)


@pytest.mark.parametrize(
    ("words", "right"),
    [
        ((0.1, 0.1), "H0 .0.1. must be below H1"),
        ((0.2, 0.1), "below H1"),
        ((0.0, math.inf), "below H1"),
        ((0.0, 0.1, 0.0), "alpha is 0; it must be between 0 and 0.5"),
        ((0.0, 0.1, 0.05, 0.5), "beta is 0.5"),
    ],
)
def test_invalid_hypotheses_are_refused(words: tuple[float, ...], right: str) -> None:
    with pytest.raises(ValueError, match=right):
        hypotheses(*words)

"""A against B until it is clear: a sequential probability ratio test on the differences of groups.

What is tested is the mean difference in points per deal between two bots: H0 says that it is `low`, H1 that it is
`high`. The observations are the groups' differences (one number a group: A's points per deal in it less B's), which
are independent and alike, while the deals of one group are neither.

How they are distributed is not known. So this is the generalized test (GSPRT): under each hypothesis the likelihood
is that of the likeliest distribution over the values seen that has the mean of the hypothesis. With n_i groups at x_i

    LLR = sum of n_i ln(p_i / q_i),   p_i ~ n_i / (1 + u (x_i - high)),   q_i ~ n_i / (1 + v (x_i - low)),

where u and v are such that the means are `high` and `low`. For pairs of games with five results this is the pentanomial
test of Stockfish's fishtest (M. Van den Bergh, A Practical Introduction to the GSPRT); for any values it is A. Owen's
empirical likelihood ratio (Biometrika 75(2), 1988). It ends with H1 when LLR >= ln((1 - beta) / alpha), with H0 when
LLR <= ln(beta / (1 - alpha)) (A. Wald, Annals of Mathematical Statistics 16(2), 1945).

So that the first groups, which may all have come out alike, do not pass for all that can happen, two more are counted
from the beginning, a point (or the distance of the hypotheses, if that is more) above and below the middle of the two;
and nothing is decided before `FEWEST` groups. `tests/league/test_sprt.py` measures the error rates.
"""

from __future__ import annotations

import enum
import math
from collections.abc import Mapping
from typing import Final, NamedTuple

FEWEST: Final = 16
"""How many groups are played at least."""


class SprtVerdict(enum.StrEnum):
    """What the test has come to."""

    H0 = "H0"
    """The difference is `low` rather than `high`."""
    H1 = "H1"
    """The other way round."""


class Hypotheses(NamedTuple):
    """What is tested, and how often it may go wrong."""

    low: float
    high: float
    alpha: float = 0.05
    """How often H1 is accepted at most if the difference is `low`, or less."""
    beta: float = 0.05
    """How often H0 is accepted at most if it is `high`, or more."""

    @property
    def bounds(self) -> tuple[float, float]:
        """At or below the first of these H0 is accepted, at or above the second H1."""
        return math.log(self.beta / (1 - self.alpha)), math.log((1 - self.beta) / self.alpha)


def hypotheses(low: float, high: float, alpha: float = 0.05, beta: float = 0.05) -> Hypotheses:
    """The same, checked. Raises `ValueError`, which says what would be right."""
    if not (math.isfinite(low) and math.isfinite(high) and low < high):
        raise ValueError(f"H0 ({low:g}) is to lie below H1 ({high:g}), in points per deal")
    for name, rate in (("alpha", alpha), ("beta", beta)):
        if not 0 < rate < 0.5:
            raise ValueError(f"{name} is {rate:g}; it is to lie between 0 and 0.5")
    return Hypotheses(low, high, alpha, beta)


class Sprt:
    """One test: add groups in an order that does not depend on their results, until there is a verdict."""

    def __init__(self, tested: Hypotheses) -> None:
        self.tested = tested
        self.groups = 0
        self.verdict: SprtVerdict | None = None
        middle, reach = (tested.low + tested.high) / 2, max(1.0, tested.high - tested.low)
        self._seen: dict[float, int] = {middle - reach: 1, middle + reach: 1}
        self._tilts = [0.0, 0.0]

    def add(self, difference: float) -> SprtVerdict | None:
        """One more group. Returns the verdict, which stands once it is there: later groups change nothing."""
        if self.verdict is None:
            self.groups += 1
            self._seen[difference] = self._seen.get(difference, 0) + 1
            self.verdict = self._judged()
        return self.verdict

    def llr(self) -> float:
        """The log-likelihood ratio so far: above zero it speaks for H1."""
        low, high = self.tested.low, self.tested.high
        below, above = self._tilts = [
            _tilt(self._seen, mean, tilt) for mean, tilt in zip((low, high), self._tilts, strict=True)
        ]
        return math.fsum(
            count * (math.log1p(below * (value - low)) - math.log1p(above * (value - high)))
            for value, count in self._seen.items()
        )

    def _judged(self) -> SprtVerdict | None:
        if self.groups < FEWEST:
            return None
        ratio, (accept_low, accept_high) = self.llr(), self.tested.bounds
        if ratio >= accept_high:
            return SprtVerdict.H1
        return SprtVerdict.H0 if ratio <= accept_low else None


def _tilt(seen: Mapping[float, int], mean: float, start: float) -> float:
    """The u with sum of n (x - mean) / (1 + u (x - mean)) = 0, which falls from one end of its range to the other:
    Newton's method from `start`, halving where that would leave what is known of the root."""
    apart = [(value - mean, count) for value, count in seen.items()]
    bottom, top = -1 / max(apart)[0], -1 / min(apart)[0]
    tilt = start
    for _ in range(100):
        if not bottom < tilt < top:
            tilt = (bottom + top) / 2
        slope = total = 0.0
        for far, count in apart:
            share = far / (1 + tilt * far)
            total += count * share
            slope -= count * share * share
        if total > 0:
            bottom = tilt
        else:
            top = tilt
        step = total / slope
        tilt -= step
        if abs(step) < 1e-12 * (top - bottom) + 1e-15:
            break
    return tilt

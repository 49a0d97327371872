"""A sequential probability ratio test on the differences of groups: A against B until the result is clear.

The test is about the mean difference in points per deal between two bots: H0 says `low`, H1 says `high`. The
observations are the differences of groups (A's points per deal minus B's). They are independent and identically
distributed; the deals of a group are neither.

Their distribution is unknown, so this is the generalized test (GSPRT). Under each hypothesis the likelihood is that
of the likeliest distribution over the observed values with the mean of the hypothesis. With n_i groups at x_i

    LLR = sum of n_i ln(p_i / q_i),   p_i ~ n_i / (1 + u (x_i - high)),   q_i ~ n_i / (1 + v (x_i - low)),

where u and v make the means `high` and `low`. For pairs of games with five results this is the pentanomial test of
Stockfish's fishtest (M. Van den Bergh, A Practical Introduction to the GSPRT). For any values it is A. Owen's
empirical likelihood ratio (Biometrika 75(2), 1988). The test accepts H1 when LLR >= ln((1 - beta) / alpha), and H0
when LLR <= ln(beta / (1 - alpha)) (A. Wald, Annals of Mathematical Statistics 16(2), 1945).

The first groups may all come out alike. So the test starts with two invented observations, one point (or the distance
of the hypotheses, if larger) above and below the middle of the hypotheses. It decides nothing before `FEWEST` groups.
`tests/league/test_sprt.py` measures the error rates.
"""

from __future__ import annotations

import enum
import math
from collections.abc import Mapping
from typing import Final, NamedTuple

FEWEST: Final = 16
"""The minimum number of groups."""


ERROR_RATE: Final = 0.05
"""The error rate of a test, of either kind, unless its user chooses another one."""


class SprtVerdict(enum.StrEnum):
    """The result of the test."""

    H0 = "H0"
    """The difference is `low` rather than `high`."""
    H1 = "H1"
    """The difference is `high` rather than `low`."""


class Hypotheses(NamedTuple):
    """The hypotheses and their error rates."""

    low: float
    high: float
    alpha: float
    """The maximum rate of accepting H1 if the difference is `low` or less."""
    beta: float
    """The maximum rate of accepting H0 if the difference is `high` or more."""

    @property
    def bounds(self) -> tuple[float, float]:
        """The test accepts H0 at or below the first bound and H1 at or above the second."""
        return math.log(self.beta / (1 - self.alpha)), math.log((1 - self.beta) / self.alpha)


def hypotheses(low: float, high: float, alpha: float = ERROR_RATE, beta: float = ERROR_RATE) -> Hypotheses:
    """Return checked hypotheses. Raise `ValueError` for invalid ones."""
    if not (math.isfinite(low) and math.isfinite(high) and low < high):
        raise ValueError(f"H0 ({low:g}) must be below H1 ({high:g}), in points per deal")
    for name, rate in (("alpha", alpha), ("beta", beta)):
        if not 0 < rate < 0.5:
            raise ValueError(f"{name} is {rate:g}; it must be between 0 and 0.5")
    return Hypotheses(low, high, alpha, beta)


class Sprt:
    """A test. Add groups in an order that does not depend on their results until there is a verdict."""

    def __init__(self, tested: Hypotheses) -> None:
        self.tested = tested
        self.groups = 0
        self.verdict: SprtVerdict | None = None
        middle, reach = (tested.low + tested.high) / 2, max(1.0, tested.high - tested.low)
        self._seen: dict[float, int] = {middle - reach: 1, middle + reach: 1}
        self._tilts = [0.0, 0.0]

    def add(self, difference: float) -> SprtVerdict | None:
        """Add a group. Return the verdict, which is final."""
        if self.verdict is None:
            self.groups += 1
            self._seen[difference] = self._seen.get(difference, 0) + 1
            self.verdict = self._judged()
        return self.verdict

    def llr(self) -> float:
        """Return the log-likelihood ratio so far; positive values favour H1."""
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
    """Return the u with sum of n (x - mean) / (1 + u (x - mean)) = 0. The sum falls monotonically. Newton's method
    from `start`, with bisection where a step would leave the bracket."""
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

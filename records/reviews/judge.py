"""The evaluation of a decision in hindsight, with the machinery of `search`: regret over sampled deals that agree with
what the seat knew.

1. **Screening** looks for the challenger, the best other move. All moves play the same sampled deals. After every
   step the worse half of the alternatives drops out.
2. **Confirmation** plays only the challenger and the played move, in fresh deals. Choosing the best of several noisy
   means overestimates it; fresh deals don't know which move was chosen, so their mean lead has no such bias.

The confirmation may stop at each of `looks`, when the case is clear or further deals are hardly worth it. Its intervals
share the 5 % between the looks (Bonferroni), so they hold together with at least 95 %. If already the screening's
biased lead is not above the threshold, the played move is cleared without a confirmation.

Where the solver reaches, there is only one deal, and the values are exact.

A hint (`advise`) is such an evaluation before the move: all moves are screened alike, and the last two are compared in
fresh deals.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from random import Random
from statistics import NormalDist
from typing import Any, Final, NamedTuple, TypeVar

from bots.search.determinization import Determinizer, NoDeterminization
from bots.search.policies import POLICIES, GamePolicy
from bots.search.race import LONGEST, Playouts
from engine.game import Game, Move
from records.reviews.exact import exact_values
from records.reviews.model import Advice, Decision, Regret

TOLERANCE: Final = 0.05
"""The threshold of a mistake, as a share of the range of a seat's points in the deal."""
CONFIDENCE: Final = 0.95

Found = TypeVar("Found")


class ReviewSettings(NamedTuple):
    """The numbers of playouts. The result of a review depends on nothing else but the record."""

    step: int
    """Sampled deals of a step of the screening. There are two steps at least."""
    looks: tuple[int, ...]
    """After how many deals the confirmation may stop, in ascending order."""
    most: int
    """The highest number of alternatives, the most promising ones by the playout policy."""


SETTINGS: Final = ReviewSettings(16, (48, 96, 192, 384), 12)
"""The numbers of a review."""
HINTS: Final = ReviewSettings(12, (64,), 8)
"""The numbers of a hint, for which a person waits."""


def evaluate(decision: Decision, seed: str) -> Regret | None:
    """Return the regret of a decision (`records.reviews.model.Evaluate`), or `None` if no deal agrees with it."""
    return regret(decision, Random(seed), SETTINGS)


def regret(decision: Decision, rng: Random, settings: ReviewSettings) -> Regret | None:
    """Return the regret of a decision with these settings, or `None` for a game without a playout policy and where
    no deal agrees with what the seat saw."""
    return _tried(decision, rng, settings, lambda trial: trial.regret())


def advise(decision: Decision, seed: str) -> Advice | None:
    """Return the best move of a decision and how much better it is than the next one, or `None` like `regret`.

    There must be several legal moves, and `decision.played` may be any of them. The result depends on these arguments
    only, so on no hidden card.
    """
    return _tried(decision, Random(seed), HINTS, lambda trial: trial.advice())


def _tried(
    decision: Decision, rng: Random, settings: ReviewSettings, ask: Callable[[_Trial], Found]
) -> Found | None:
    policy = POLICIES.get(decision.game.id)
    if policy is None:
        return None
    try:
        determinizer = Determinizer(decision.game, policy.read, decision.observation, decision.history)
        return ask(_Trial(decision, policy, determinizer, rng, settings))
    except NoDeterminization:
        return None


class Lead(NamedTuple):
    """The mean lead of one move over another in the same deals, with its standard error."""

    mean: float
    error: float

    def interval(self, confidence: float) -> tuple[float, float]:
        wide = NormalDist().inv_cdf((1 + confidence) / 2) * self.error
        return self.mean - wide, self.mean + wide


def lead_of(one: Sequence[float], other: Sequence[float], span: float) -> Lead:
    """Return the lead of `one` over `other`, the values of two moves in the same deals.

    Two more deals, one for each move by the whole `span`, enter the variance. Without them a few equal deals would
    look like certainty.
    """
    leads = [mine - theirs for mine, theirs in zip(one, other, strict=True)]
    mean = sum(leads) / len(leads)
    squares = sum([(lead - mean) ** 2 for lead in leads]) + 2 * span**2
    return Lead(mean, math.sqrt(squares / (len(leads) - 1) / len(leads)))


class _Trial:
    """The evaluation of one decision."""

    def __init__(
        self,
        decision: Decision,
        policy: GamePolicy,
        determinizer: Determinizer,
        rng: Random,
        settings: ReviewSettings,
    ) -> None:
        self._decision, self._determinizer, self._rng, self._settings = decision, determinizer, rng, settings
        self._game: Game = decision.game
        self._dice = Random(0)
        self._playouts = Playouts(self._game, policy, self._dice, depth=LONGEST)
        low, high = self._game.deal_points(decision.deal)
        self._span = float(high - low)
        self._world = determinizer.draw(rng)
        self._played = self._game.parse(self._world, decision.seat, decision.played)
        found = policy.candidates(self._game, self._world, settings.most + 1)
        self._others = [move for move in found if move != self._played][: settings.most]
        self._screening: dict[Move, list[float]] = {}

    def regret(self) -> Regret:
        exact = exact_values(self._game, self._world)
        if exact is not None and self._decision.played in exact:
            return self._exactly(exact)
        if not self._others:
            return Regret(0.0, 0.0, 0.0, self._decision.played, False, 0)
        _, challenger = self._screened(held=1)
        lead = lead_of(self._screening[challenger], self._screening[self._played], self._span)
        looks = len(self._settings.looks)
        if lead.interval(CONFIDENCE)[1] <= self._threshold:
            return self._result(challenger, lead, lead.interval(CONFIDENCE), self._screening[self._played])
        values: list[list[float]] = [[], []]
        for look in self._settings.looks:
            self._play([self._played, challenger], values, look - len(values[0]))
            lead = lead_of(values[1], values[0], self._span)
            low, high = lead.interval(1 - (1 - CONFIDENCE) / looks)
            if low > self._threshold or high <= self._threshold or self._is_hopeless(look, lead):
                break
        return self._result(challenger, lead, (low, high), values[0])

    def advice(self) -> Advice:
        exact = exact_values(self._game, self._world)
        if exact is not None:
            best, *others = sorted(exact, key=lambda move: -exact[move])
            return Advice(best, others[0], exact[best] - exact[others[0]], certain=True, exact=True)
        if not self._others:
            return Advice(self._decision.played, None, 0.0, certain=True, exact=False)
        moves = self._screened(held=0)
        values: list[list[float]] = [[], []]
        self._play(moves, values, self._settings.looks[-1])
        lead = lead_of(values[0], values[1], self._span)
        best, second = (self._game.text(self._world, move) for move in moves[:: 1 if lead.mean >= 0 else -1])
        is_certain = abs(lead.mean) > lead.interval(CONFIDENCE)[1] - lead.mean
        return Advice(best, second, round(abs(lead.mean), 4), certain=is_certain, exact=False)

    def _exactly(self, values: Mapping[str, int]) -> Regret:
        """Return the regret in a position without hidden cards, of which there is one deal only."""
        best, played = max(values, key=values.__getitem__), self._decision.played
        lost = float(values[best] - values[played])
        is_mistake, worth = lost > self._threshold, float(values[played])
        costs = {move: float(values[best] - value) for move, value in values.items()} if is_mistake else {}
        return Regret(lost, lost, lost, best if lost else played, is_mistake, 1, worth, 0.0, costs)

    def _is_hopeless(self, look: int, lead: Lead) -> bool:
        """Return whether a mistake is too unlikely to go on: after the first look without any lead, and in the second
        half of the looks without one above the threshold. The intervals hold whatever the reason to stop."""
        place = self._settings.looks.index(look)
        least = self._threshold if place >= len(self._settings.looks) // 2 else 0.0
        return place > 0 and lead.mean <= least

    @property
    def _threshold(self) -> float:
        return TOLERANCE * self._span

    def _screened(self, *, held: int) -> list[Move]:
        """Return the two moves that are left. The first `held` never drop out, the others are in the order of their
        values. As the best of several, their lead is too high on average."""
        moves = [self._played, *self._others]
        values: list[list[float]] = [[] for _ in moves]
        self._screening = dict(zip(moves, values, strict=True))
        steps = 0
        while len(moves) > 2 or steps < 2:
            self._play(moves, values, self._settings.step)
            steps += 1
            ranked = sorted(range(held, len(moves)), key=lambda one: -sum(values[one]))
            kept = [*range(held), *ranked[: max(2 - held, len(ranked) // 2)]]
            moves, values = [moves[one] for one in kept], [values[one] for one in kept]
        return moves

    def _play(self, moves: Sequence[Move], values: Sequence[list[float]], deals: int) -> None:
        """Play each move in the same sampled deals, with the same dice in each."""
        for _ in range(deals):
            dealt, seed = self._determinizer.draw(self._rng), self._rng.getrandbits(32)
            for move, results in zip(moves, values, strict=True):
                self._dice.seed(seed)
                results.append(self._value(dealt, move))

    def _value(self, dealt: Any, move: Move) -> float:
        seat = self._decision.seat
        state = self._game.play(dealt, seat, move)
        return self._playouts.value(self._playouts.points(state), seat)

    def _result(
        self, challenger: Move, lead: Lead, ends: tuple[float, float], played: Sequence[float]
    ) -> Regret:
        """Return the regret from the lead of the challenger, and the values of the played move in the same deals."""
        mean, low, high = (round(max(0.0, figure), 4) for figure in (lead.mean, *ends))
        best = self._decision.played if lead.mean <= 0 else self._game.text(self._world, challenger)
        is_mistake = ends[0] > self._threshold
        costs = {**self._estimates(challenger), self._decision.played: mean, best: 0.0} if is_mistake else {}
        worth = lead_of(played, [0.0] * len(played), self._span)
        margin = round(worth.interval(CONFIDENCE)[1] - worth.mean, 4)
        return Regret(mean, low, high, best, is_mistake, len(played), round(worth.mean, 4), margin, costs)

    def _estimates(self, challenger: Move) -> dict[str, float]:
        """Return how far each screened move was behind the challenger in the deals that both played."""
        best = self._screening[challenger]
        return {
            self._game.text(self._world, move): round(
                max(0.0, sum(best[: len(own)]) - sum(own)) / len(own), 4
            )
            for move, own in self._screening.items()
        }

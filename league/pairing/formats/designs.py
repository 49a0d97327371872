"""Designs: sets of k out of n in which all pairs meet about equally often, with far fewer sets than all C(n, k).

**Cyclic designs** (R. C. Bose, "On the construction of balanced incomplete block designs", Annals of Eugenics 9,
1939): take all n shifts of a base set of numbers modulo n. Every number is then in k of the shifts, and how often two
numbers meet depends on their difference alone. So it suffices to find base sets whose differences are spread evenly.
Simulated annealing with a fixed seed finds them.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import combinations
from random import Random
from typing import Final

STEPS: Final = 4000
TRIES: Final = 3
"""How many annealing runs each number of base sets gets, with `STEPS` steps each."""
MORE: Final = 6
"""How many numbers of base sets are tried, from the smallest possible on."""

Sets = tuple[tuple[int, ...], ...]


def balanced(entrants: int, seats: int, least: int) -> Iterator[tuple[int, ...]]:
    """Yield sets of `seats` numbers below `entrants` in which any two numbers meet at least `least` times.

    All numbers are in equally many sets. Any two meet equally often or once more. For more than eight seats or thirty
    entrants no such design may be found; the most even one found is used.
    """
    every = math.comb(entrants, seats)
    base = () if seats in (2, entrants) else _base(entrants, seats, least)
    alike = math.comb(entrants - 2, seats - 2)
    if not base or every * -(-least // alike) <= len(base) * entrants:
        for _ in range(-(-least // alike)):
            yield from combinations(range(entrants), seats)
        return
    for base_set in base:
        for shift in range(entrants):
            yield tuple((number + shift) % entrants for number in base_set)


def shifts(entrants: int, seats: int, repeats: int) -> Iterator[tuple[int, ...]]:
    """Yield sets in which each number occurs `repeats`·`seats` times and any two meet as evenly as found.

    If there is only one set, or each set is a single number, each number occurs just `repeats` times.
    """
    if seats in (1, entrants):
        for _ in range(repeats):
            yield from combinations(range(entrants), seats)
        return
    for base_set in _spread(entrants, seats, repeats)[0]:
        for shift in range(entrants):
            yield tuple((number + shift) % entrants for number in base_set)


@lru_cache(maxsize=256)
def _base(entrants: int, seats: int, least: int) -> Sets:
    fewest = max(1, -(-least * (entrants - 1) // (seats * (seats - 1))))
    found: Sets = ()
    for count in range(fewest, fewest + MORE):
        found, even = _spread(entrants, seats, count)
        if even:
            break
    return found


@lru_cache(maxsize=256)
def _spread(entrants: int, seats: int, count: int) -> tuple[Sets, bool]:
    """Return `count` base sets, and whether any two numbers meet equally often or once more."""
    best: tuple[int, Sets, bool] | None = None
    for attempt in range(TRIES):
        cost, sets, even = _annealed(entrants, seats, count, Random(f"{entrants} {seats} {count} {attempt}"))
        if best is None or cost < best[0]:
            best = cost, sets, even
        if even:
            break
    assert best is not None
    return best[1], best[2]


def _annealed(entrants: int, seats: int, count: int, rng: Random) -> tuple[int, Sets, bool]:
    sets = [[0, *rng.sample(range(1, entrants), seats - 1)] for _ in range(count)]
    times = [0] * entrants
    """By difference, how often it occurs."""
    for base_set in sets:
        for a in base_set:
            for b in base_set:
                times[(a - b) % entrants] += a != b
    cost, heat = _cost(times), 4.0
    for _ in range(STEPS):
        if _even(times):
            break
        chosen, place, new = rng.choice(sets), rng.randrange(1, seats), rng.randrange(entrants)
        if new in chosen:
            continue
        changed, old = times[:], chosen[place]
        for each in chosen:
            if each != old:
                for number, by in ((old, -1), (new, 1)):
                    changed[(each - number) % entrants] += by
                    changed[(number - each) % entrants] += by
        changed_cost = _cost(changed)
        if changed_cost <= cost or rng.random() < math.exp((cost - changed_cost) / heat):
            chosen[place], times, cost = new, changed, changed_cost
        heat = max(0.3, heat * 0.999)
    return cost, tuple(tuple(base_set) for base_set in sets), _even(times)


def _cost(times: Sequence[int]) -> int:
    return sum(each * each for each in times[1:])


def _even(times: Sequence[int]) -> bool:
    return max(times[1:]) - min(times[1:]) <= 1

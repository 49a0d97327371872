"""How to search; each game's mind says what suits it."""

from __future__ import annotations

from typing import NamedTuple


class SearchSettings(NamedTuple):
    """See `bots.search.race` and `bots.search.tree`."""

    tree: bool = False
    """Whether a tree is grown; else the moves at the root are raced."""
    most: int = 16
    """At the root, how many moves are looked at."""
    dare: float = 1.0
    """How many standard errors better than greedy's move another must be to be played instead."""
    explore: float = 0.7
    """In a tree, the weight of what was tried little, in units of the spread of the scores."""
    longest: int = 400
    """After how many moves a playout is broken off and judged."""

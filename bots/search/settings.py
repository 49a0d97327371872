"""The parameters of a search. Each game's policy sets its own."""

from __future__ import annotations

from typing import NamedTuple


class SearchSettings(NamedTuple):
    """The parameters of `bots.search.race` and `bots.search.tree`."""

    tree: bool = False
    """Whether to use tree search instead of a race."""
    most: int = 16
    """The highest number of moves to consider at the root."""
    dare: float = 1.0
    """The lead over greedy's move, in standard errors, that another move needs to be played."""
    explore: float = 0.7
    """The exploration weight of UCB1 in a tree, in units of the range of the scores."""
    longest: int = 400
    """The number of moves after which a playout is cut short and evaluated."""

"""The memory of a process: nothing in it grows with the number of finished matches."""

from __future__ import annotations

import gc
from collections import Counter

import pytest

from records.match.loaded_match import LoadedMatch
from records.match.session import MatchConfig, MatchProgress, MatchSession
from referee.storage.store import Commit
from tests.support.league import LeagueWorld

OF_MATCHES = (
    "MatchConfig",
    "MatchProgress",
    "LoadedMatch",
    "MatchSession",
    "Commit",
    "MatchState",
    "PlayedMatch",
    "GroupResult",
    "LadderResult",
)


def live_objects() -> Counter[str]:
    """Return the number of live objects that belong to matches, by kind."""
    gc.collect()
    return Counter(name for each in gc.get_objects() if (name := type(each).__name__) in OF_MATCHES)


@pytest.mark.parametrize("decks", ["independent", "rotated"])
def test_a_round_of_house_bots_leaves_no_match_in_memory(league: LeagueWorld, decks: str) -> None:
    kinds = {kind.__name__ for kind in (MatchConfig, MatchProgress, LoadedMatch, MatchSession, Commit)}
    assert kinds <= set(OF_MATCHES), "a class was renamed, so this test would count nothing"
    after = []
    for repeats in (2, 20):
        ladder = league.ladder("a1", "a2", repeats=repeats, decks=decks)
        league.finish(ladder.id, league.rounds.start(ladder.id).number)
        after.append(live_objects())
    assert after[0] == after[1]

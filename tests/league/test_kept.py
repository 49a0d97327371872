"""The memory of a process: nothing in it grows with the number of finished matches."""

from __future__ import annotations

import gc
from collections import Counter

import pytest

from records.ids import derived_match_id
from records.match.session import MatchConfig, MatchProgress, MatchSession
from records.match.snapshot import Snapshot
from referee.groups.gate import GroupGate
from referee.groups.model import GroupStatus, Phase
from referee.storage.store import Commit
from tests.support.league import LeagueWorld

OF_MATCHES = (
    "MatchConfig",
    "MatchProgress",
    "Snapshot",
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
    kinds = {kind.__name__ for kind in (MatchConfig, MatchProgress, Snapshot, MatchSession, Commit)}
    assert kinds <= set(OF_MATCHES), "a class was renamed, so this test would count nothing"
    after = []
    for repeats in (2, 20):
        ladder = league.ladder("a1", "a2", repeats=repeats, decks=decks)
        league.finish(ladder.id, league.rounds.start(ladder.id).number)
        after.append(live_objects())
    assert after[0] == after[1]


def test_process_caches_are_bounded() -> None:
    class AllOver:
        def decide(self, groups: object, phase: Phase) -> list[Phase]:
            return [Phase.DEALT for _ in groups]  # type: ignore[attr-defined]  # a list of ids

        def statuses(self, groups: object) -> list[GroupStatus]:
            return [GroupStatus.OVER for _ in groups]  # type: ignore[attr-defined]  # the same

    gate = GroupGate(AllOver())  # type: ignore[arg-type]  # what it asks for is here
    for number in range(3000):
        assert gate.dealt([f"g{number}"]) == [True]
    assert len(gate._dealt._groups) == 1024
    assert derived_match_id.cache_info().maxsize == 4096

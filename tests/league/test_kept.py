"""What a process keeps of matches that are over: nothing that grows with their number."""

from __future__ import annotations

import gc
from collections import Counter

import pytest

from referee.groups.gate import GroupGate
from referee.groups.model import GroupStatus, Phase
from referee.groups.store import GroupStore
from referee.ids import derived_match_id
from referee.match.session import MatchConfig, MatchProgress, MatchSession
from referee.match.snapshot import Snapshot
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


def living() -> Counter[str]:
    """How many of what belongs to matches there are in this process, by kind."""
    gc.collect()
    return Counter(name for each in gc.get_objects() if (name := type(each).__name__) in OF_MATCHES)


@pytest.mark.parametrize("decks", ["independent", "rotated"])
def test_a_round_of_house_bots_leaves_nothing_of_its_matches_behind(league: LeagueWorld, decks: str) -> None:
    kinds = {kind.__name__ for kind in (MatchConfig, MatchProgress, Snapshot, MatchSession, Commit)}
    assert kinds <= set(OF_MATCHES), "renamed: they would be looked for in vain"
    after = []
    for repeats in (2, 20):
        ladder = league.ladder("a1", "a2", repeats=repeats, decks=decks)
        league.finish(ladder.id, league.rounds.start(ladder.id).number)
        after.append(living())
    assert after[0] == after[1]


def test_what_is_remembered_for_good_is_remembered_of_the_last_so_many() -> None:
    class AllOver(GroupStore):
        def decide(self, groups: object, phase: Phase) -> list[Phase]:
            return [Phase.DEALT for _ in groups]  # type: ignore[attr-defined]  # a list of ids

        def statuses(self, groups: object) -> list[GroupStatus]:
            return [GroupStatus.OVER for _ in groups]  # type: ignore[attr-defined]  # the same

    gate = GroupGate(AllOver())  # type: ignore[abstract]  # what it asks for is here
    for number in range(3000):
        assert gate.dealt([f"g{number}"]) == [True]
    assert len(gate._dealt._groups) == 1024
    assert derived_match_id.cache_info().maxsize == 4096

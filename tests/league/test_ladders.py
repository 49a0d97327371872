"""Ladders: settings, states, entries."""

from __future__ import annotations

import pytest

from league.errors import WrongLadderState
from league.ladders.model import LadderState
from league.ladders.schedule import Schedule
from tests.support.league import LeagueWorld, WallClock


def test_one_id_creates_one_ladder(league: LeagueWorld, clock: WallClock) -> None:
    first = league.ladder(ladder_id="lsame")
    clock.ms += 1
    assert league.ladder(ladder_id="lsame") == first
    assert [ladder.id for ladder in league.ladders.page()[0]] == ["lsame"]


@pytest.mark.parametrize(
    ("path", "allowed"),
    [
        (["draft", "open", "running", "paused", "running", "closing"], True),
        (["draft", "closed"], True),
        (["open", "open"], True),
        (["draft", "paused"], False),
        (["open", "closed"], False),
        (["open", "closing", "open"], False),
        (["running", "draft"], False),
    ],
)
def test_a_ladder_changes_only_to_permitted_states(
    league: LeagueWorld, path: list[str], allowed: bool
) -> None:
    ladder = league.ladder(state=path[0])
    for state in path[1:-1]:
        league.ladders.set_state(ladder.id, state)
    if allowed:
        league.ladders.set_state(ladder.id, path[-1])
    else:
        before = league.ladders.get(ladder.id)
        with pytest.raises(WrongLadderState):
            league.ladders.set_state(ladder.id, path[-1])
        assert league.ladders.get(ladder.id) == before


def test_a_closing_ladder_without_a_round_is_closed_and_accepts_nothing_more(league: LeagueWorld) -> None:
    ladder = league.ladder("a1")
    assert league.ladders.set_state(ladder.id, "closing").state is LadderState.CLOSED
    assert league.ladders.set_state(ladder.id, "closing").state is LadderState.CLOSED
    with pytest.raises(WrongLadderState):
        league.ladders.enter(ladder.id, league.accounts.bot("house", "a2"))
    with pytest.raises(WrongLadderState):
        league.ladders.withdraw(ladder.id, "house-a1")
    with pytest.raises(WrongLadderState):
        league.ladders.change(ladder.id, {"schedule": Schedule("* * * * *")})


def test_entering_again_has_no_effect_and_withdrawing_keeps_the_results(league: LeagueWorld) -> None:
    ladder = league.ladder("a2", "a1")
    league.ladders.enter(ladder.id, league.accounts.bot("house", "a1"))
    assert [entry.name for entry in league.ladders.entries(ladder.id)] == ["house/a1", "house/a2"]
    league.finish(ladder.id, league.rounds.start(ladder.id).number)
    league.ladders.withdraw(ladder.id, "house-a1")
    assert [entry.name for entry in league.ladders.entries(ladder.id)] == ["house/a2"]
    assert {standing.name for standing in league.ladders.standings(ladder.id)} == {"house/a1", "house/a2"}
    league.ladders.enter(ladder.id, league.accounts.bot("house", "a1"))
    assert len(league.ladders.entries(ladder.id)) == 2


def test_ladders_are_paged_the_newest_first(league: LeagueWorld, clock: WallClock) -> None:
    made = []
    for _ in range(5):
        clock.ms += 1
        made.append(league.ladder().id)
    seen, cursor = [], None
    while True:
        page, cursor = league.ladders.page(cursor, 2)
        seen += [ladder.id for ladder in page]
        if cursor is None:
            break
    assert seen == made[::-1]

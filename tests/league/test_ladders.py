"""Ladders: settings, states, entries."""

from __future__ import annotations

from typing import Any

import pytest

from engine.game import BadTable
from league.accounts.service import MatchPolicy
from league.errors import BadValue, EntryRefused, NoSuchLadder, NoSuchRound, WrongLadderState
from league.ladders.model import LadderAccess, LadderState
from league.ladders.schedule import Schedule
from tests.support.league import LeagueWorld, WallClock


def test_a_ladder_has_every_option_with_its_value(league: LeagueWorld) -> None:
    ladder = league.ladder()
    assert ladder.options["turn_limit"] == 1000
    assert league.ladders.get(ladder.id) == ladder


@pytest.mark.parametrize(
    ("wrong", "error"),
    [
        ({"game": "chess"}, BadTable),
        ({"seats": 1}, BadTable),
        ({"seats": 7}, BadTable),
        ({"options": {"no such": 1}}, BadTable),
        ({"options": {"turn_limit": "many"}}, BadTable),
        ({"deals": 0}, BadTable),
        ({"deals": 1001}, BadTable),
        ({"cron": "61 * * * *"}, BadValue),
        ({"cron": "* * * * *", "timezone": "Mars/Phobos"}, BadValue),
        ({"repeats": 0}, BadValue),
        ({"repeats": 1001}, BadValue),
        ({"state": "closed"}, BadValue),
        ({"state": "no such"}, BadValue),
    ],
)
def test_an_unplayable_ladder_is_not_created(
    league: LeagueWorld, wrong: dict[str, Any], error: type[Exception]
) -> None:
    with pytest.raises(error):
        league.ladder(**wrong)
    assert league.ladders.page()[0] == []


def test_one_id_creates_one_ladder(league: LeagueWorld, clock: WallClock) -> None:
    first = league.ladder(ladder_id="lsame")
    clock.ms += 1
    assert league.ladder(ladder_id="lsame") == first
    assert [ladder.id for ladder in league.ladders.page()[0]] == ["lsame"]


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


@pytest.mark.parametrize(
    ("change", "error"),
    [
        ({"schedule": Schedule("@hourly"), "season_schedule": Schedule("now and then")}, BadValue),
        ({"schedule": Schedule("now and then"), "season_schedule": Schedule("@daily")}, BadValue),
        ({"schedule": Schedule("@hourly"), "state": "draft"}, WrongLadderState),
        ({"access": LadderAccess.CLOSED, "state": "running away"}, BadValue),
    ],
)
def test_a_change_of_several_settings_is_made_as_a_whole_or_not_at_all(
    league: LeagueWorld, change: dict[str, Any], error: type[Exception]
) -> None:
    ladder = league.ladders.get(league.ladder("a1", "a2").id)
    settings = {name: value for name, value in change.items() if name != "state"}
    with pytest.raises(error):
        league.ladders.change(ladder.id, settings, state=change.get("state"))
    assert league.ladders.get(ladder.id) == ladder
    changed = league.ladders.change(
        ladder.id,
        {
            "schedule": Schedule("@hourly"),
            "season_schedule": Schedule("@daily"),
            "access": LadderAccess.CLOSED,
        },
        state="paused",
    )
    assert league.ladders.get(ladder.id) == changed
    assert (changed.state, changed.access) == (LadderState.PAUSED, LadderAccess.CLOSED)
    assert (changed.schedule, changed.season_schedule) == (
        Schedule("@hourly", "UTC"),
        Schedule("@daily", "UTC"),
    )


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


def test_a_bot_that_can_not_or_will_not_play_is_not_entered(league: LeagueWorld) -> None:
    ladder = league.ladder()
    _, bot = league.bot("ivan", "fool")
    bot = league.accounts.update_bot(bot.id, match_policy=MatchPolicy(("king",), 1))
    with pytest.raises(EntryRefused, match="does not play durak"):
        league.ladders.enter(ladder.id, bot)
    bot = league.accounts.update_bot(bot.id, match_policy=MatchPolicy(), disabled=True)
    with pytest.raises(EntryRefused, match="disabled"):
        league.ladders.enter(ladder.id, bot)
    with pytest.raises(EntryRefused):
        league.ladders.withdraw(ladder.id, bot.id)
    assert league.ladders.entries(ladder.id) == []


def test_unknown_ladders_rounds_and_bots_are_refused(league: LeagueWorld) -> None:
    ladder = league.ladder()
    with pytest.raises(NoSuchLadder):
        league.ladders.standings("lnone")
    with pytest.raises(NoSuchRound):
        league.ladders.round(ladder.id, 1)


def test_next_rounds_are_known_while_the_ladder_runs(league: LeagueWorld, clock: WallClock) -> None:
    ladder = league.ladder(cron="*/10 * * * *", state="running")
    ten = 600_000
    first = (clock.ms // ten + 1) * ten
    assert league.ladders.next_rounds(ladder.id, 3) == [first, first + ten, first + 2 * ten]
    league.ladders.set_state(ladder.id, "paused")
    assert league.ladders.next_rounds(ladder.id) == []

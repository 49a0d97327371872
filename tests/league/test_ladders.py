"""Ladders: settings, states, entries."""

from __future__ import annotations

from typing import Any

import pytest

from engine.game import BadTable
from league.accounts.model import Bot
from league.errors import BadValue, EntryRefused, NoSuchOwner, RoundRunning, WrongLadderState
from league.ladders import access
from league.ladders.model import AccessVerdict, Ladder, LadderState
from league.ladders.schedule import Schedule
from league.ladders.settings import LadderAccess, LadderSettings
from records.match.clock import ClockRule
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
def test_a_ladder_takes_only_permitted_states(league: LeagueWorld, path: list[str], allowed: bool) -> None:
    ladder = league.ladder(state=path[0])
    for state in path[1:-1]:
        league.ladders.change(ladder.id, state=state)
    if allowed:
        league.ladders.change(ladder.id, state=path[-1])
    else:
        before = league.ladders.get(ladder.id)
        with pytest.raises(WrongLadderState):
            league.ladders.change(ladder.id, state=path[-1])
        assert league.ladders.get(ladder.id) == before


def test_a_closing_ladder_without_a_round_is_closed_and_accepts_nothing_more(league: LeagueWorld) -> None:
    ladder = league.ladder("a1")
    assert league.ladders.change(ladder.id, state="closing").state is LadderState.CLOSED
    assert league.ladders.change(ladder.id, state="closing").state is LadderState.CLOSED
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


# Changing the settings of a ladder: what may change when, and that nothing played is changed


def played(league: LeagueWorld, ladder: Ladder) -> None:
    league.finish(ladder.id, league.rounds.start(ladder.id).number)


@pytest.mark.parametrize(
    "texts",
    [
        {"name": ""},
        {"name": " \t"},
        {"name": "x" * 101},
        {"description": "x" * 4001},
        {"description": "\x1b[31m"},
    ],
)
def test_a_text_that_can_not_be_shown_is_refused(league: LeagueWorld, texts: dict[str, str]) -> None:
    ladder = league.ladder()
    with pytest.raises(BadValue):
        league.ladders.change(ladder.id, texts)
    assert league.ladders.get(ladder.id) == ladder


def test_before_the_first_round_everything_can_change(league: LeagueWorld) -> None:
    ladder = league.ladder("a1", "a2", "a3", "a4")
    changes = {"game": "king", "seats": 4, "format": "swiss", "parameters": {"rounds": 2}, "decks": "rotated"}
    changed = league.ladders.change(ladder.id, {**changes, "clock": ClockRule(move_ms=700)})
    assert (changed.game, changed.deals, changed.options.keys() & ladder.options.keys()) == (
        "king",
        12,
        set(),
    )
    played(league, ladder)
    matches = list(league.matches())
    assert {(match.config.game, match.config.clock.move_ms) for match in matches} == {("king", 700)}


@pytest.mark.parametrize(
    ("changes", "error"),
    [
        ({"seats": 9}, BadTable),
        ({"game": "chess"}, BadTable),
        ({"format": "versus", "seats": 2}, BadValue),
        ({"format": "swiss", "parameters": {"groups": 2}}, BadValue),
        ({"repeats": 2, "format": "swiss"}, BadValue),
        ({"repeats": 1000, "name": "Renamed"}, BadValue),
    ],
)
def test_settings_with_which_the_entries_can_not_play_are_refused(
    league: LeagueWorld, changes: dict[str, Any], error: type[Exception]
) -> None:
    ladder = league.ladder()
    for number in range(16):
        league.ladders.enter(ladder.id, league.bot(f"owner-{number}", "bot")[1])
    with pytest.raises(error):
        league.ladders.change(ladder.id, changes)
    assert league.ladders.get(ladder.id) == ladder


@pytest.mark.parametrize(
    "changes",
    [
        {"game": "king", "seats": 4},
        {"game": "king"},
        {"options": {"turn_limit": 50}},
        {"deals": 2},
        {"rated": False},
        {"decks": "rotated"},
        {"format": "swiss"},
        {"parameters": {"meet": "pairs"}},
    ],
)
def test_the_first_round_fixes_what_standings_compare(league: LeagueWorld, changes: dict[str, Any]) -> None:
    ladder = league.ladder("a1", "a2")
    played(league, ladder)
    with pytest.raises(BadValue, match="fixed since the first round"):
        league.ladders.change(ladder.id, {**changes, "name": "Renamed"})
    assert league.ladders.get(ladder.id) == ladder


def test_a_new_clock_is_that_of_the_next_round(league: LeagueWorld) -> None:
    ladder = league.ladder("a1", "a2")
    round_ = league.rounds.start(ladder.id)
    with pytest.raises(RoundRunning):
        league.ladders.change(ladder.id, {"clock": ClockRule(move_ms=700)})
    league.finish(ladder.id, round_.number)
    league.ladders.change(ladder.id, {"clock": ClockRule(move_ms=700)})
    played(league, ladder)
    clocks = {match.config.round: match.config.clock.move_ms for match in league.matches()}
    assert clocks == {1: ClockRule().move_ms, 2: 700}


def test_a_tournament_can_be_made_longer_but_not_shorter_than_it_was(league: LeagueWorld) -> None:
    ladder = league.ladder("a1", "a2", "a3", "a4", format="swiss", parameters={"rounds": 2})
    for _ in range(2):
        played(league, ladder)
    with pytest.raises(BadValue, match="at least 2"):
        league.ladders.change(ladder.id, {"parameters": {"rounds": 1}})
    league.ladders.change(ladder.id, {"parameters": {"rounds": 3}})
    played(league, ladder)
    assert league.ladders.store.last_round(ladder.id) == 3


def test_a_round_that_was_planned_for_other_settings_is_planned_again(league: LeagueWorld) -> None:
    ladder = league.ladder("a1", "a2")
    store, clock = league.ladders.store, ClockRule(move_ms=700)
    opened, changes = store.open_round, iter([{"clock": clock}])

    def late(*args: Any, **more: Any) -> Any:
        for each in changes:
            league.ladders.change(ladder.id, each)
        return opened(*args, **more)

    store.open_round = late  # type: ignore[method-assign]
    played(league, ladder)
    assert {match.config.clock for match in league.matches()} == {clock}


def test_a_change_that_a_first_round_overtakes_is_refused(league: LeagueWorld) -> None:
    ladder = league.ladder("a1", "a2")
    store, rounds = league.ladders.store, iter([1])
    changed = store.change

    def late(*args: Any) -> bool:
        for _ in rounds:
            played(league, ladder)
        return changed(*args)

    store.change = late  # type: ignore[method-assign]
    with pytest.raises(BadValue, match="fixed since the first round"):
        league.ladders.change(ladder.id, {"decks": "rotated"})
    assert league.ladders.get(ladder.id) == ladder


def test_a_bot_below_the_minimum_of_groups_has_no_place_and_does_not_win(league: LeagueWorld) -> None:
    ladder = league.ladder("a1", "a2", repeats=2)
    played(league, ladder)
    league.ladders.enter(ladder.id, league.accounts.bot("house", "a3"))
    played(league, ladder)
    league.ladders.change(ladder.id, {"minimum_groups": 5})
    rows = league.ladders.standings(ladder.id)
    assert {row.name: row.place is None for row in rows} == {
        "house/a1": False,
        "house/a2": False,
        "house/a3": True,
    }
    late = rows[-1]
    assert (late.name, late.rank.entry.out) == ("house/a3", "played 4 of at least 5 groups")
    league.seasons.end(ladder.id)
    winners = {winner.name for winner in league.seasons.leaders(league.seasons.get(ladder.id, 1))}
    assert winners
    assert "house/a3" not in winners
    with pytest.raises(BadValue, match="losers"):
        league.ladder(format="knock_out", minimum_groups=1)
    with pytest.raises(BadValue):
        league.ladders.change(ladder.id, {"minimum_groups": -1})


# Closed and invitation-only ladders, and bans


INVITED, BANNED = AccessVerdict.INVITED, AccessVerdict.BANNED


def ladder_of(league: LeagueWorld, owner: Bot, mode: LadderAccess = LadderAccess.OPEN) -> Ladder:
    return league.ladders.create(owner.owner, LadderSettings("Test", "durak", 2, rated=False, access=mode))


def entered(league: LeagueWorld, ladder: Ladder) -> set[str]:
    return {entry.name for entry in league.ladders.entries(ladder.id)}


@pytest.fixture
def host(league: LeagueWorld) -> Bot:
    return league.bot("host", "own")[1]


@pytest.fixture
def guest(league: LeagueWorld) -> Bot:
    return league.bot("guest", "bot")[1]


def test_a_closed_ladder_takes_bots_of_owner_and_house(league: LeagueWorld, host: Bot, guest: Bot) -> None:
    ladder = ladder_of(league, host, LadderAccess.CLOSED)
    for bot in (host, league.accounts.bot("house", "a1")):
        league.ladders.enter(ladder.id, bot)
    league.ladders.set_rules(ladder.id, ["guest"], INVITED)
    with pytest.raises(EntryRefused, match="closed"):
        league.ladders.enter(ladder.id, guest)
    assert entered(league, ladder) == {"host/own", "house/a1"}


@pytest.mark.parametrize("name", ["guest", "guest/bot"])
def test_an_invited_owner_or_bot_enters_an_invitation_only_ladder(
    league: LeagueWorld, host: Bot, guest: Bot, name: str
) -> None:
    ladder, other = ladder_of(league, host, LadderAccess.INVITATION), league.bot("guest", "other")[1]
    with pytest.raises(EntryRefused, match="invited"):
        league.ladders.enter(ladder.id, guest)
    league.ladders.set_rules(ladder.id, [name], INVITED)
    league.ladders.enter(ladder.id, guest)
    if name == "guest":
        league.ladders.enter(ladder.id, other)
    else:
        with pytest.raises(EntryRefused):
            league.ladders.enter(ladder.id, other)


@pytest.mark.parametrize("name", ["guest", "guest/bot"])
def test_a_ban_puts_a_bot_out_and_keeps_it_out(league: LeagueWorld, host: Bot, guest: Bot, name: str) -> None:
    ladder = ladder_of(league, host)
    league.ladders.enter(ladder.id, guest)
    league.ladders.set_rules(ladder.id, [name], BANNED, "collusion")
    assert entered(league, ladder) == set()
    with pytest.raises(EntryRefused, match="collusion"):
        league.ladders.enter(ladder.id, guest)
    league.ladders.set_rules(ladder.id, [name], None)
    league.ladders.enter(ladder.id, guest)
    assert entered(league, ladder) == {"guest/bot"}


def test_entered_bots_stay_in_a_closed_ladder_until_they_leave(
    league: LeagueWorld, host: Bot, guest: Bot
) -> None:
    ladder = ladder_of(league, host)
    league.ladders.enter(ladder.id, guest)
    league.ladders.change(ladder.id, {"access": LadderAccess.CLOSED})
    league.ladders.enter(ladder.id, guest, "new-entropy")
    assert entered(league, ladder) == {"guest/bot"}
    league.ladders.withdraw(ladder.id, guest.id)
    with pytest.raises(EntryRefused):
        league.ladders.enter(ladder.id, guest)


def test_rules_are_set_whole(
    league: LeagueWorld, host: Bot, guest: Bot, monkeypatch: pytest.MonkeyPatch
) -> None:
    ladder = ladder_of(league, host)
    league.ladders.enter(ladder.id, guest)
    with pytest.raises(NoSuchOwner):
        league.ladders.set_rules(ladder.id, ["guest", "nobody"], BANNED)
    monkeypatch.setattr(access, "MOST_RULES", 1)
    with pytest.raises(BadValue):
        league.ladders.set_rules(ladder.id, ["guest", "house/a1"], BANNED)
    assert league.ladders.access.rules(ladder.id) == []
    assert entered(league, ladder) == {"guest/bot"}
    monkeypatch.setattr(access, "MOST_RULES", 2)
    rules = league.ladders.set_rules(ladder.id, ["house/a1", "guest", "guest"], BANNED)
    assert [rule.name for rule in rules] == ["guest", "house/a1"]
    assert entered(league, ladder) == set()


def test_a_bot_that_entered_while_it_was_banned_gets_no_seat(
    league: LeagueWorld, host: Bot, guest: Bot
) -> None:
    ladder = ladder_of(league, host)
    for bot in (host, guest, league.accounts.bot("house", "a1")):
        league.ladders.enter(ladder.id, bot)
    league.ladders.access.set_rules(ladder.id, {"guest": guest.owner}, BANNED)
    assert "guest/bot" in entered(league, ladder)
    number = league.rounds.start(ladder.id).number
    names = {entrant.name for entrant in league.ladders.round(ladder.id, number).entrants}
    assert names == {"host/own", "house/a1"}

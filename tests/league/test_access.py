"""Closed and invitation-only ladders, and bans."""

from __future__ import annotations

import pytest

from league.accounts.model import Bot
from league.errors import BadValue, EntryRefused, NoSuchOwner
from league.ladders import access
from league.ladders.model import AccessVerdict, Ladder, LadderAccess
from league.ladders.settings import LadderSettings
from tests.support.league import LeagueWorld

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


def test_a_closed_ladder_takes_only_bots_of_its_owner_and_the_house(
    league: LeagueWorld, host: Bot, guest: Bot
) -> None:
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
def test_a_ban_withdraws_the_bot_and_keeps_it_out(
    league: LeagueWorld, host: Bot, guest: Bot, name: str
) -> None:
    ladder = ladder_of(league, host)
    league.ladders.enter(ladder.id, guest)
    league.ladders.set_rules(ladder.id, [name], BANNED, "collusion")
    assert entered(league, ladder) == set()
    with pytest.raises(EntryRefused, match="collusion"):
        league.ladders.enter(ladder.id, guest)
    league.ladders.set_rules(ladder.id, [name], None)
    league.ladders.enter(ladder.id, guest)
    assert entered(league, ladder) == {"guest/bot"}


def test_a_bot_that_entered_while_it_was_banned_gets_no_seat(
    league: LeagueWorld, host: Bot, guest: Bot
) -> None:
    ladder = ladder_of(league, host)
    for bot in (host, guest, league.accounts.bot("house", "a1")):
        league.ladders.enter(ladder.id, bot)
    league.ladders.access.set_rules(ladder.id, ["guest"], BANNED)
    assert "guest/bot" in entered(league, ladder)
    number = league.rounds.start(ladder.id).number
    names = {entrant.name for entrant in league.ladders.round(ladder.id, number).entrants}
    assert names == {"host/own", "house/a1"}


def test_entered_bots_stay_when_a_ladder_closes_and_may_not_return(
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


def test_rules_are_set_all_or_none(
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

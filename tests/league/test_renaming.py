"""Renaming owners and bots at the same moment as other changes."""

from __future__ import annotations

import pytest

from league.accounts.model import Bot, Owner
from league.accounts.redis import RedisAccountStore
from records.names import current_name, first_owner, learn, present_owner
from tests.support.kills import killed_at
from tests.support.league import LeagueWorld


def test_a_bot_created_while_its_owner_is_renamed_has_the_new_name(
    league: LeagueWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    owner, _ = league.bot("whilom", "one")
    accounts, read = league.accounts, league.accounts.owner

    def renamed_after(owner_id: str) -> Owner:
        found = read(owner_id)
        monkeypatch.setattr(accounts, "owner", read)
        accounts.rename_owner(owner_id, "renowned")
        return found

    monkeypatch.setattr(accounts, "owner", renamed_after)
    bot, _ = accounts.create_bot(owner.id, "two")
    assert bot.full_name == "renowned/two"
    assert accounts.bot("whilom", "two") == accounts.bot("renowned", "two") == bot


def test_an_owner_renamed_while_it_creates_a_bot_takes_the_bot_along(
    league: LeagueWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    owner, _ = league.bot("whilom-too", "one")
    accounts, read = league.accounts, league.accounts.bots_of

    def created_after(of_owner: Owner) -> list[Bot]:
        found = read(of_owner)
        monkeypatch.setattr(accounts, "bots_of", read)
        accounts.create_bot(owner.id, "two")
        return found

    monkeypatch.setattr(accounts, "bots_of", created_after)
    accounts.rename_owner(owner.id, "renowned-too")
    assert [bot.full_name for bot in accounts.bots("renowned-too").bots] == [
        "renowned-too/one",
        "renowned-too/two",
    ]


def test_names_of_another_league_are_not_kept() -> None:
    learn({"o1": ["leokadia", "lea"], "b1": ["leokadia/fool", "lea/fool"]})
    learn({})
    assert current_name("b1", "leokadia/fool") == "leokadia/fool"
    assert present_owner("leokadia") == "leokadia"
    assert first_owner("lea") == "lea"


def test_a_bot_that_is_shown_as_disabled_is_disabled(league: LeagueWorld) -> None:
    _, bot = league.bot("leokadia", "fool")
    with killed_at(1, before=False, first=(RedisAccountStore, "renamings")):
        league.accounts.update_bot(bot.id, name="wise", disabled=True)
    found = league.accounts.bot_by_id(bot.id)
    assert found.name == "wise"
    assert RedisAccountStore(league.redis).disabled([bot.id]) == [found.off]

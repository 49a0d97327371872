"""Failures of ladders over HTTP: each gets a clear response, and no match or rating is lost."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from tests.api.conftest import ApiWorld, Person, refused


def running(world: ApiWorld, address: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = world.client.get(
        f"/v1/matches?ladder={address.rpartition('/')[2]}&status=running"
    ).json["matches"]
    return found


def enter(world: ApiWorld, address: str, bot: Person) -> None:
    world.services.ladders.enter(
        address.rpartition("/")[2], world.services.accounts.bot(*bot.name.split("/"))
    )


@pytest.mark.parametrize(
    ("more", "code", "expected"),
    [
        ({"seats": 9}, "bad_table", "expected one of 2, 3, 4, 5, 6"),
        ({"game": "king", "seats": 3}, "bad_table", "expected 4"),
        (
            {"seats": 4, "options": {"teams": True}, "format": "knock_out"},
            "bad_value",
            "this table has teams",
        ),
        ({"format": "swiss", "decks": "once_only"}, "bad_value", "every bot plays the house"),
        ({"decks": "rotated", "deals": 3}, "bad_value", "`repeats` says how many are played"),
    ],
)
def test_an_impossible_format_or_table_is_refused_when_the_ladder_is_created(
    world: ApiWorld, more: dict[str, Any], code: str, expected: str
) -> None:
    body = {"name": "A ladder", "game": "durak", "seats": 2, **more}
    assert expected in refused(world.owner()("POST", "/v1/ladders", body), 422, code)["detail"]


@pytest.mark.parametrize(
    ("more", "expected"),
    [
        ({"seats": 4}, "a table has 4 seats; only 2 of the entries can play"),
        ({"seats": 4, "format": "swiss"}, "a table has 4 seats; only 2 of the entries can play"),
        ({"seats": 3, "format": "knock_out"}, "a table has 3 seats; only 2 entries can play"),
        ({"seats": 3, "format": "gauntlet"}, "a table has 3 seats; only 2 of the entries can play"),
        ({"seats": 3, "format": "versus"}, "two bots and 1 for the other seats make a table of 3 seats"),
        (
            {"seats": 3, "format": "arena"},
            "a table has 3 seats; only 2 of the entries that can play are online",
        ),
        (
            {"format": "gauntlet", "parameters": {"challenger": "no/body"}},
            "the challenger no/body is not among",
        ),
    ],
)
def test_a_round_without_enough_entries_is_refused_at_its_start(
    world: ApiWorld, more: dict[str, Any], expected: str
) -> None:
    owner = world.owner()
    address = world.ladder(owner, "house/greedy", "house/random", **more)
    assert expected in refused(owner("POST", address + "/rounds"), 409, "nothing_to_play")["detail"]
    assert expected in refused(owner("GET", address + "/rounds/next"), 409, "nothing_to_play")["detail"]


def test_a_bot_that_refuses_the_clock_is_neither_entered_nor_seated(
    world: ApiWorld,
) -> None:
    owner = world.owner()
    bot, slow = world.bot(owner), {"match_policy": {"min_move_ms": 60_000}}
    address = world.ladder(owner, "house/greedy", clock={"move_ms": 1000})
    owner("PATCH", f"/v1/bots/{bot.name}", slow)
    response = refused(owner("POST", address + "/entries", {"bot": bot.name}), 409, "entry_refused")
    assert (response["bot"], response["reason"]) == (bot.name, "clock")
    assert response["match_policy"]["min_move_ms"] == 60_000
    owner("PATCH", f"/v1/bots/{bot.name}", {"match_policy": {}})
    enter(world, address, bot)
    assert owner("POST", address + "/rounds").status_code == 201
    owner("PATCH", f"/v1/bots/{bot.name}", slow)
    world.work(address, 1)
    done = world.client.get(address + "/rounds/1").json
    assert (done["state"], done["dropped"], done["played"]) == ("done", 2, 0)
    assert refused(owner("POST", address + "/rounds"), 409, "nothing_to_play")


def test_a_bot_withdrawn_during_a_round_finishes_its_matches_and_gets_no_more(world: ApiWorld) -> None:
    owner, author = world.owner(), world.owner()
    bot, other = world.bot(author), world.bot()
    assert author("PATCH", f"/v1/bots/{bot.name}", {"match_policy": {"max_matches": 2}}).status_code == 200
    address = world.ladder(owner, bot, other, decks="independent", repeats=3)
    owner("POST", address + "/rounds")
    world.work(address, 1)
    for each in (bot, other):
        each("GET", "/v1/turns")
    matches = running(world, address)
    assert len(matches) == 2
    gone = owner("DELETE", f"{address}/entries/{bot.name}")
    assert gone.json["withdrawn"]
    world.work(address, 1)
    assert running(world, address) == matches, "nothing is taken from anybody's table"
    for match in matches:
        assert bot("POST", f"/v1/matches/{match['id']}/resign").status_code == 200
    world.work(address, 1)
    done = world.client.get(address + "/rounds/1").json
    assert (done["state"], done["played"], done["dropped"]) == ("done", 2, 1)
    lines = {line["bot"]: line for line in world.client.get(address + "/standings").json["standings"]}
    assert lines[bot.name]["withdrawn"]
    assert lines[bot.name]["matches"] == lines[other.name]["matches"] == 2
    assert refused(owner("POST", address + "/rounds"), 409, "nothing_to_play")


def test_a_ladder_closed_while_matches_run_plays_them_out_and_counts_them(world: ApiWorld) -> None:
    owner = world.owner()
    bot, other = world.bot(), world.bot()
    address = world.ladder(owner, bot, other, decks="independent", schedule="continuous", state="running")
    owner("POST", address + "/rounds")
    world.work(address, 1)
    for each in (bot, other):
        each("GET", "/v1/turns")
    (match,) = running(world, address)
    assert owner("PATCH", address, {"state": "closing"}).json["state"] == "closing"
    assert world.client.get(address + "/schedule").json["waits_for"] == "state"
    late = world.bot(owner)
    for refusal in (
        owner("POST", address + "/entries", {"bot": late.name}),
        owner("DELETE", f"{address}/entries/{bot.name}"),
        owner("PATCH", address, {"state": "open"}),
        owner("PATCH", address, {"schedule": None}),
        owner("POST", address + "/seasons"),
    ):
        assert refused(refusal, 409, "wrong_ladder_state")["state"] == "closing"
    refused(owner("POST", address + "/rounds"), 409, "round_running")
    assert bot("POST", f"/v1/matches/{match['id']}/resign").status_code == 200
    assert world.client.get(address).json["state"] == "closed"
    lines = world.client.get(address + "/standings").json["standings"]
    assert {line["bot"]: line["matches"] for line in lines} == {bot.name: 1, other.name: 1}
    refused(owner("POST", address + "/rounds"), 409, "wrong_ladder_state")
    assert world.client.get(f"/v1/matches/{match['id']}/record").json["ending"] == "resigned"


def test_two_bots_of_one_owner_do_not_enter_a_versus_ladder(world: ApiWorld) -> None:
    owner = world.owner()
    one, other, guest = world.bot(owner), world.bot(owner), world.bot()
    for rated in (True, False):
        address = world.ladder(owner, one, format="versus", rated=rated)
        problem = refused(owner("POST", address + "/entries", {"bot": other.name}), 409, "entry_refused")
        assert f"{other.name} and {one.name} have the same owner" in problem["detail"]
        enter(world, address, one)
        enter(world, address, guest)
        assert owner("POST", address + "/rounds").status_code == 201


def test_a_versus_ladder_has_one_table_and_no_more_entries_than_seats(world: ApiWorld) -> None:
    owner = world.owner()
    bot, late = world.bot(owner), world.bot()
    address = world.ladder(owner, bot, "house/greedy", format="versus")
    problem = refused(owner("POST", address + "/entries", {"bot": "house/random"}), 409, "entry_refused")
    assert "its 2 seats are taken" in problem["detail"]
    world.services.ladders.withdraw(address.rpartition("/")[2], bot.id)
    enter(world, address, late)
    assert owner("POST", address + "/rounds").status_code == 201


def test_a_failed_round_says_why_and_the_ladder_stays_usable(world: ApiWorld) -> None:
    owner = world.owner()
    address = world.ladder(owner, "house/greedy", "house/random", decks="independent", rated=False)
    store = world.services.ladders.store
    good = world.services.ladders.get(address.rpartition("/")[2])
    # Settings that the rules refuse by now, as nobody can send them.
    assert store.change(good, replace(good, deals=100_000))
    assert owner("POST", address + "/rounds").json["reason"] is None
    world.work(address, 1)
    failed = world.client.get(address + "/rounds/1").json
    assert (failed["state"], failed["played"]) == ("failed", 0)
    assert failed["reason"].startswith("deals: 100000 is refused")
    assert failed["ended"] is not None
    assert world.client.get(address + "/schedule").json["waits_for"] == "hand"
    assert store.change(replace(good, deals=100_000), good)
    assert owner("POST", address + "/rounds").json["number"] == 2
    world.work(address, 2)
    assert [each["state"] for each in world.client.get(address + "/rounds").json["rounds"]] == [
        "done",
        "failed",
    ]
    assert owner("PATCH", address, {"state": "closing"}).json["state"] == "closed"

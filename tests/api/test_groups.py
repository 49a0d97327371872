"""Duplicate groups over HTTP."""

from __future__ import annotations

from typing import Any

import pytest

from tests.api.conftest import ApiWorld, Person, refused


def play(*bots: Person) -> int:
    """Play until no bot has a turn. Return the number of moves."""
    made = 0
    while turns := [(bot, turn) for bot in bots for turn in bot.turns()]:
        for bot, turn in turns:
            bot.move(turn)
        made += len(turns)
    return made


def mine(bot: Person) -> list[str]:
    """Return the matches in which the bot has a turn, and its finished matches."""
    response = bot("GET", "/v1/turns").json
    return [each["match"] for each in (*response["turns"], *response["finished"])]


@pytest.mark.parametrize("kind", ["rotated", "once_only"])
def test_a_group_is_created_in_one_request_and_shown_when_it_is_over(world: ApiWorld, kind: str) -> None:
    ann, bob = world.bot(), world.bot()
    body: dict[str, Any] = {"game": "durak", "kind": kind, "bots": [ann.name, bob.name]}
    if kind == "once_only":
        body |= {"seat": 1, "against": ["house/random"]}
    made = ann("POST", "/v1/groups", body)
    assert made.status_code == 201
    at = made.headers["Location"]
    assert made.json["status"] == "running"
    assert made.json["matches"] is made.json["result"] is made.json["ended"] is None
    assert ann.name not in made.text
    play(ann, bob)
    over = world.client.get(at).json
    assert over["status"] == "over"
    assert len(over["matches"]) == 2
    assert {line["bot"] for line in over["result"]["bots"]} >= {ann.name, bob.name}
    records = [world.client.get(f"/v1/matches/{match}/record").json for match in over["matches"]]
    assert {record["group"] for record in records} == {over["id"]}
    assert len({record["shuffle"]["secret"] for record in records}) == 1
    listed = world.client.get("/v1/matches?status=finished").json["matches"]
    assert {match["id"] for match in listed} == set(over["matches"])


def test_only_seats_see_a_match_of_a_running_group(world: ApiWorld) -> None:
    ann, bob, eve = world.bot(), world.bot(), world.bot()
    made = ann("POST", "/v1/groups", {"game": "durak", "bots": [ann.name, bob.name]})
    assert made.status_code == 201
    for bot in (ann, bob):
        bot("GET", "/v1/turns")
    (match, *_) = mine(ann) + mine(bob)
    for path in ("", "/events", "/record", "/frames", "/frames?seat=0"):
        refused(eve("GET", f"/v1/matches/{match}{path}"), 409, "group_running")
        refused(world.client.get(f"/v1/matches/{match}{path}"), 409, "group_running")
    refused(eve("POST", f"/v1/matches/{match}/join", {}), 409, "group_running")
    for path in ("/record", "/frames?seat=all"):
        refused(ann("GET", f"/v1/matches/{match}{path}"), 409, "group_running")
    seen = ann("GET", f"/v1/matches/{match}").json
    assert sorted(str(seat["bot"]) for seat in seen["seats"]) == sorted([ann.name, "None"])
    assert ann("GET", f"/v1/matches/{match}/events").json["events"]
    assert world.client.get("/v1/matches").json["matches"] == []
    assert world.client.get(f"/v1/matches?bot={ann.name}").json["matches"] == []
    mover, turn = next((bot, turn) for bot in (ann, bob) for turn in bot("GET", "/v1/turns").json["turns"])
    move = {"turn": turn["turn"], "move": "take"}  # which nobody can who is to attack
    wrong = refused(mover("POST", f"/v1/matches/{turn['match']}/moves", move), 422, "illegal_move")
    assert [seat["bot"] for seat in wrong["view"]["seats"]].count(None) == 1


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"bots": ["ANN"]}, "seats"),
        ({"bots": ["ANN", "ANN"]}, "bots"),
        ({"orders": 2}, "orders"),
        ({"against": ["house/random"]}, "against"),
        ({"kind": "once_only"}, "seats"),
        ({"kind": "once_only", "against": ["house/random"], "seat": 2}, "seat"),
        ({"kind": "once_only", "against": ["BOB"]}, "against"),
        ({"dealer": 2}, "dealer"),
    ],
)
def test_a_group_that_does_not_fit_is_refused(world: ApiWorld, change: dict[str, Any], field: str) -> None:
    ann, bob = world.bot(), world.bot()
    body = {"game": "durak", "bots": [ann.name, bob.name], **change}
    for name in ("bots", "against"):
        known = {"ANN": ann.name, "BOB": bob.name}
        if name in body:
            body[name] = [known.get(bot, bot) for bot in body[name]]
    problem = refused(ann("POST", "/v1/groups", body), 422, "bad_table")
    assert problem["field"] == field


def test_there_is_no_such_group(world: ApiWorld) -> None:
    for name in ("gx", "g" * 80):
        refused(world.client.get(f"/v1/groups/{name}"), 404, "no_such_group")

"""Frames over HTTP: whose view, which pages, and who may see more than its own seat."""

from __future__ import annotations

from typing import Any

import pytest

from tests.api.conftest import ApiWorld, Person, refused

QUICK = {"move_ms": 60_000, "bank_ms": 60_000}


def a_match(world: ApiWorld, **more: Any) -> tuple[Person, str]:
    """A running match of a bot against `house/random`."""
    bot = world.bot()
    body = {"game": "durak", "seats": [bot.name, "house/random"], "clock": QUICK, "dealer": 0, **more}
    match = bot("POST", "/v1/matches", body).json["id"]
    bot("GET", "/v1/turns")
    return bot, match


def frames(who: Any, match: str, query: str = "") -> dict[str, Any]:
    answer = who(match, query)
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json
    return found


def asked(world: ApiWorld, who: Person | None) -> Any:
    def ask(match: str, query: str) -> Any:
        path = f"/v1/matches/{match}/frames{query}"
        return world.client.get(path) if who is None else who("GET", path)

    return ask


def decoded(found: dict[str, Any]) -> list[dict[str, Any]]:
    seen: dict[str, Any] = {}
    tables = []
    for frame in found["frames"]:
        seen = frame["observation"] if "observation" in frame else {**seen, **frame["changes"]}
        tables.append(seen)
    return tables


def test_a_seat_sees_its_own_table_and_a_spectator_no_hand(world: ApiWorld) -> None:
    bot, match = a_match(world)
    own, public = frames(asked(world, bot), match), frames(asked(world, None), match)
    view = bot("GET", f"/v1/matches/{match}").json
    assert (own["seat"], public["seat"], own["over"]) == (0, None, False)
    assert decoded(own)[-1] == view["observation"]
    assert decoded(public)[-1]["hand"] == []
    assert [frame["n"] for frame in own["frames"]] == [frame["n"] for frame in public["frames"]]


def test_pages_follow_one_another_and_each_starts_with_a_whole_table(world: ApiWorld) -> None:
    bot, match = a_match(world)
    bot("POST", f"/v1/matches/{match}/resign")
    whole = frames(asked(world, None), match, "?seat=all")
    tables, events, after = [], [], 0
    while True:
        page = frames(asked(world, None), match, f"?seat=all&limit=2&after={after}")
        if page["frames"]:
            assert "observation" in page["frames"][0]
            after = page["frames"][-1]["n"]
        tables += decoded(page)
        events += [event for frame in page["frames"] for event in frame["events"]]
        if page["over"]:
            break
    assert tables == decoded(whole)
    assert events == world.client.get(f"/v1/matches/{match}/events").json["events"]
    assert whole["over"] is True


@pytest.mark.parametrize("seat", ["1", "all"])
def test_nobody_sees_another_seat_before_the_record_may_be_read(world: ApiWorld, seat: str) -> None:
    bot, match = a_match(world)
    for who in (bot, world.bot(), None):
        refused(asked(world, who)(match, f"?seat={seat}"), 409, "record_not_ready")
    assert asked(world, bot)(match, "?seat=0").status_code == 200
    bot("POST", f"/v1/matches/{match}/resign")
    for who in (bot, world.bot(), None):
        found = frames(asked(world, who), match, f"?seat={seat}")
        assert found["seat"] == (1 if seat == "1" else "all")
        hands = decoded(found)[-1].get("hands")
        assert (hands is not None) == (seat == "all")


def test_a_match_of_a_running_group_shows_its_seats_their_own_table_alone(world: ApiWorld) -> None:
    owner = world.owner()
    one, other = world.bot(owner), world.bot(owner)
    body = {"game": "durak", "bots": [one.name, other.name], "clock": QUICK}
    assert owner("POST", "/v1/groups", body).status_code == 201
    one("GET", "/v1/turns"), other("GET", "/v1/turns")
    match = one("GET", "/v1/turns").json["turns"][0]["match"]
    assert asked(world, one)(match, "").status_code == 200
    for query in ("", "?seat=0", "?seat=all"):
        refused(asked(world, None)(match, query), 409, "group_running")
    refused(asked(world, one)(match, "?seat=all"), 409, "group_running")


def test_a_match_that_has_not_started_has_no_frames(world: ApiWorld) -> None:
    bot = world.bot()
    match = bot("POST", "/v1/matches", {"game": "durak", "seats": [bot.name, None]}).json["id"]
    assert frames(asked(world, bot), match) == {"frames": [], "seat": 0, "over": False}


@pytest.mark.parametrize("query", ["seat=11", "seat=-1", "seat=everybody", "seat=", "limit=0", "after=-1"])
def test_a_wrong_parameter_is_named(world: ApiWorld, query: str) -> None:
    _, match = a_match(world)
    response = refused(asked(world, None)(match, f"?{query}"), 422, "invalid_query")
    assert list(response["errors"]) == [query.partition("=")[0]]


def test_a_seat_that_the_match_does_not_have_is_not_found(world: ApiWorld) -> None:
    bot, match = a_match(world)
    bot("POST", f"/v1/matches/{match}/resign")
    response = refused(asked(world, None)(match, "?seat=2"), 404, "not_found")
    assert response["detail"] == "there is no seat 2: the match has the seats 0 to 1"

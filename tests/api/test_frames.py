"""Frames over HTTP: whose view, which pages, and who may see more than its own seat."""

from __future__ import annotations

from typing import Any

import pytest
from werkzeug.test import TestResponse

from tests.api.conftest import ApiWorld, Person, refused

QUICK = {"move_ms": 60_000, "bank_ms": 60_000}


def a_match(world: ApiWorld, **more: Any) -> tuple[Person, str]:
    """A running match of a bot against `house/random`."""
    bot = world.bot()
    body = {"game": "durak", "seats": [bot.name, "house/random"], "clock": QUICK, "dealer": 0, **more}
    match = bot("POST", "/v1/matches", body).json["id"]
    bot("GET", "/v1/turns")
    return bot, match


def decoded(found: dict[str, Any]) -> list[dict[str, Any]]:
    seen: dict[str, Any] = {}
    tables = []
    for frame in found["frames"]:
        seen = frame["observation"] if "observation" in frame else {**seen, **frame["changes"]}
        tables.append(seen)
    return tables


def frames(world: ApiWorld, who: Person | None, match: str, query: str = "") -> TestResponse:
    path = f"/v1/matches/{match}/frames{query}"
    return world.client.get(path) if who is None else who("GET", path)


def test_a_seat_sees_its_own_table_and_a_spectator_no_hand(world: ApiWorld) -> None:
    bot, match = a_match(world)
    own, public = (frames(world, who, match).json for who in (bot, None))
    view = bot("GET", f"/v1/matches/{match}").json
    assert (own["seat"], public["seat"], own["over"]) == (0, None, False)
    assert decoded(own)[-1] == view["observation"]
    assert decoded(public)[-1]["hand"] == []
    assert [frame["n"] for frame in own["frames"]] == [frame["n"] for frame in public["frames"]]
    waiting = world.match(bot, None)["id"]
    assert frames(world, bot, waiting).json == {"frames": [], "seat": 0, "over": False}


@pytest.mark.parametrize("seat", ["1", "all"])
def test_nobody_sees_another_seat_before_the_record_may_be_read(world: ApiWorld, seat: str) -> None:
    bot, match = a_match(world)
    readers = (bot, world.bot(), None)
    for who in readers:
        refused(frames(world, who, match, f"?seat={seat}"), 409, "record_not_ready")
    assert frames(world, bot, match, "?seat=0").status_code == 200
    bot("POST", f"/v1/matches/{match}/resign")
    for who in readers:
        found = frames(world, who, match, f"?seat={seat}").json
        assert found["seat"] == (1 if seat == "1" else "all")
        assert ("hands" in decoded(found)[-1]) == (seat == "all")


def test_a_wrong_parameter_is_named(world: ApiWorld) -> None:
    bot, match = a_match(world)
    for query in ("seat=11", "seat=-1", "seat=everybody", "seat=", "limit=0", "after=-1"):
        response = refused(frames(world, None, match, f"?{query}"), 422, "invalid_query")
        assert list(response["errors"]) == [query.partition("=")[0]]
    bot("POST", f"/v1/matches/{match}/resign")
    response = refused(frames(world, None, match, "?seat=2"), 404, "not_found")
    assert response["detail"] == "there is no seat 2: the match has the seats 0 to 1"

"""Clocks by name."""

from __future__ import annotations

from typing import Any

import pytest

from records.match.clock import PACES
from tests.api.conftest import ApiWorld


@pytest.mark.parametrize("pace", PACES)
def test_a_pace_stands_for_its_clock(world: ApiWorld, pace: str) -> None:
    bot = world.bot(world.owner())
    body = {"game": "durak", "seats": [bot.name, "house/greedy"], "clock": {"pace": pace}}
    match = bot("POST", "/v1/matches", body).json["id"]
    assert bot("GET", f"/v1/matches/{match}").json["clock"] == PACES[pace].clock.to_json()


def test_other_fields_take_precedence(world: ApiWorld) -> None:
    bot = world.bot(world.owner())
    clock = {"pace": "reasoning", "bank_ms": 0}
    entry = bot("POST", "/v1/queue", {"game": "durak", "clock": clock}).json
    assert entry["preset"] == "durak/2@reasoning"
    assert entry["clock"] == PACES["reasoning"].clock._replace(bank_ms=0).to_json()


@pytest.mark.parametrize("pace", ["bullet", "", None, 5, ["blitz"], {}])
def test_an_unknown_pace_is_refused(world: ApiWorld, pace: Any) -> None:
    bot = world.bot(world.owner())
    body = {"game": "durak", "seats": [bot.name, "house/greedy"], "clock": {"pace": pace}}
    response = bot("POST", "/v1/matches", body)
    assert (response.status_code, response.json["code"]) == (422, "invalid_body")
    assert list(response.json["errors"]) == ["clock.pace"]


def test_the_limits_name_the_clock_of_each_pace(world: ApiWorld) -> None:
    found = world.client.get("/v1/limits").json["paces"]
    assert {name: (pace["clock"], pace["start_ms"]) for name, pace in found.items()} == {
        name: (pace.clock.to_json(), pace.start_ms) for name, pace in PACES.items()
    }

"""Clocks by name."""

from __future__ import annotations

from typing import Any

import pytest

from records.match.clock import PACES
from tests.api.conftest import ApiWorld, refused


@pytest.mark.parametrize("pace", PACES)
def test_a_pace_stands_for_its_clock(world: ApiWorld, pace: str) -> None:
    match, clock = world.match(world.bot(), clock={"pace": pace}), PACES[pace].clock.to_json()
    assert match["clock"] == clock
    found = world.client.get("/v1/limits").json["paces"]
    assert found.keys() == PACES.keys()
    assert (found[pace]["clock"], found[pace]["start_ms"]) == (clock, PACES[pace].start_ms)


@pytest.mark.parametrize("pace", ["bullet", "", None, 5, ["blitz"], {}])
def test_an_unknown_pace_is_refused(world: ApiWorld, pace: Any) -> None:
    body = {"game": "durak", "seats": ["house/random", "house/greedy"], "clock": {"pace": pace}}
    problem = refused(world.owner()("POST", "/v1/matches", body), 422, "invalid_body")
    assert list(problem["errors"]) == ["clock.pace"]


def test_other_fields_take_precedence(world: ApiWorld) -> None:
    bot = world.bot(world.owner())
    clock = {"pace": "reasoning", "bank_ms": 0}
    entry = bot("POST", "/v1/queue", {"game": "durak", "clock": clock}).json
    assert entry["preset"] == "durak/2@reasoning"
    assert entry["clock"] == PACES["reasoning"].clock._replace(bank_ms=0).to_json()

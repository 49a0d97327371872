"""Exact values of endings over HTTP: the same as the solver's, for finished matches alone."""

from __future__ import annotations

from itertools import takewhile

import pytest

from league.reviews import studies
from league.reviews.studies import StudyPlace
from records.match.loaded_match import LoadedMatch
from tests.api.conftest import ApiWorld, refused
from tests.api.test_reviews import house_match


def deal_of(world: ApiWorld, match: str) -> list[str]:
    """Return the moves of the first deal."""
    moves = world.client.get(f"/v1/matches/{match}/record").json["moves"][1:]
    return [each["move"] for each in takewhile(lambda move: move["seat"] is not None, moves)]


def ending_in(world: ApiWorld, state: str) -> tuple[str, int]:
    """Return a finished match and the last place of its first deal in this state, with another place before it."""
    owner = world.owner()
    for _ in range(20):
        match = house_match(world, owner)
        for move in range(len(deal_of(world, match)) - 2, 3, -1):
            if world.services.studies.find(look(world, match), StudyPlace(match, 1, move)).state == state:
                return match, move
    raise AssertionError(f"no ending is {state}")


def solvable_ending(world: ApiWorld, monkeypatch: pytest.MonkeyPatch) -> tuple[str, int]:
    """Let no request solve an ending any more, and return one that a job solves."""
    monkeypatch.setattr(studies, "AT_ONCE_NODES", 0)
    for _ in range(20):
        match, move = ending_in(world, "open")
        position = world.services.studies.position(look(world, match), StudyPlace(match, 1, move))
        if position.solved(studies.JOB_NODES) is not None:
            return match, move
    raise AssertionError("no ending is solved by a job")


def look(world: ApiWorld, match: str) -> LoadedMatch:
    return world.services.referee.look(match)


def test_an_ending_has_values_best_moves_and_lines(world: ApiWorld) -> None:
    match, move = ending_in(world, "solved")
    path = f"/v1/matches/{match}/ending?move="
    before = world.client.get(f"{path}{move}").json
    assert before["state"] == "solved"
    assert deal_of(world, match)[move] in before["values"]
    assert before["best"] == [
        move for move, value in before["values"].items() if value == max(before["values"].values())
    ]
    tried = world.client.get(f"{path}{move}&line={before['best'][0]}").json
    assert tried["line"] == before["best"][:1]
    if tried["state"] == "solved":
        sign = 1 if tried["seat"] == before["seat"] else -1
        assert sign * max(tried["values"].values()) == max(before["values"].values())
    whole_line = ",".join([before["best"][0], *before["lines"][before["best"][0]]])
    assert world.client.get(f"{path}{move}&line={whole_line}").json["state"] == "over"
    early = world.client.get(f"{path}2").json
    assert (early["state"], early["values"], early["best"], early["lines"]) == ("hidden", {}, [], {})


def test_a_large_ending_waits_for_a_worker(world: ApiWorld, monkeypatch: pytest.MonkeyPatch) -> None:
    owner = world.owner()
    match, move = solvable_ending(world, monkeypatch)
    path = f"/v1/matches/{match}/endings"
    assert world.client.get(f"/v1/matches/{match}/ending?move={move}").json["state"] == "open"
    refused(world.client.post(path, json={"move": move}), 401, "token_missing")
    asked = owner("POST", path, {"move": move})
    assert (asked.status_code, asked.json["state"]) == (202, "waiting")
    other, place = ending_in(world, "open")
    refused(owner("POST", f"/v1/matches/{other}/endings", {"move": place}), 429, "too_many_reviews")
    # A job that the owner no longer waits for.
    world.services.studies.work(StudyPlace(other, 1, place), owner.id)
    third, place = ending_in(world, "open")
    refused(owner("POST", f"/v1/matches/{third}/endings", {"move": place}), 429, "too_many_reviews")
    world.services.studies.work(StudyPlace(match, 1, move), owner.id)
    assert owner("POST", path, {"move": move}).json["state"] == "solved"


def test_no_place_outside_the_match_and_no_running_match_has_a_value(world: ApiWorld) -> None:
    owner = world.owner()
    match = house_match(world, owner)
    path = f"/v1/matches/{match}/ending"
    for wrong in ("move=1999", "deal=9&move=1", "move=2&line=dance", "move=2&line=,,"):
        refused(world.client.get(f"{path}?{wrong}"), 422, "bad_table")
    body = {"game": "durak", "seats": ["house/greedy", None]}
    running = owner("POST", "/v1/matches", body).json["id"]
    refused(world.client.get(f"/v1/matches/{running}/ending?move=0"), 409, "record_not_ready")

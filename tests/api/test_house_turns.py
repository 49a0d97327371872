"""Matches that wait for workers to play their house bots: what an owner may have, and what everybody sees."""

from __future__ import annotations

from typing import Any

import pytest

from league.accounts.eligibility import MOST_HOUSE_MATCHES
from tests.api.conftest import JOBS, ApiWorld, Person, refused
from tests.support.league import RecordedJobs

AMONG_HOUSE_BOTS = {"game": "durak", "seats": ["house/random", "house/greedy"], "deals": 1000}
REQUESTS: dict[str, tuple[str, dict[str, Any]]] = {
    "match": ("/v1/matches", AMONG_HOUSE_BOTS),
    "batch": ("/v1/match-batches", {"matches": [AMONG_HOUSE_BOTS]}),
    "group": ("/v1/groups", {"game": "durak", "kind": "rotated", "bots": AMONG_HOUSE_BOTS["seats"]}),
}


@pytest.fixture
def jobs(monkeypatch: pytest.MonkeyPatch) -> RecordedJobs:
    """The job queue of the service, which all tests share."""
    monkeypatch.setattr(JOBS, "waiting", {})
    monkeypatch.setattr(JOBS, "ahead", {})
    return JOBS


@pytest.fixture
def owner(world: ApiWorld) -> Person:
    return world.owner()


@pytest.mark.parametrize("request_", REQUESTS.values(), ids=REQUESTS.keys())
def test_an_owner_with_too_many_waiting_matches_is_told_how_many_wait(
    owner: Person, jobs: RecordedJobs, request_: tuple[str, dict[str, Any]]
) -> None:
    path, body = request_
    jobs.waiting[owner.name] = MOST_HOUSE_MATCHES - 1
    assert owner("POST", path, body).status_code == 201
    jobs.waiting[owner.name] = MOST_HOUSE_MATCHES
    problem = refused(owner("POST", path, body), 429, "too_many_house_matches")
    assert (problem["waiting"], problem["most"], problem["retryable"]) == (500, 500, True)
    jobs.waiting[owner.name] = 0
    assert owner("POST", path, body).status_code == 201


def test_matches_that_need_no_worker_and_other_owners_are_not_affected(
    world: ApiWorld, owner: Person, jobs: RecordedJobs
) -> None:
    jobs.waiting[owner.name] = MOST_HOUSE_MATCHES
    bot = world.bot(owner)
    assert world.match(bot, "house/random")["status"] == "waiting"
    assert world.owner()("POST", "/v1/matches", AMONG_HOUSE_BOTS).status_code == 201


def test_a_match_shows_how_many_turns_are_ahead(world: ApiWorld, owner: Person, jobs: RecordedJobs) -> None:
    match = owner("POST", "/v1/matches", AMONG_HOUSE_BOTS).json["id"]
    assert "turns_ahead" not in owner("GET", f"/v1/matches/{match}").json
    jobs.ahead[match] = 7
    assert owner("GET", f"/v1/matches/{match}").json["turns_ahead"] == 7
    bot, turn = world.started()
    jobs.ahead[turn["match"]] = 7
    assert "turns_ahead" not in bot("GET", f"/v1/matches/{turn['match']}").json, "the bot is to move"

"""Reviews over HTTP: who may request and read them, and what they contain."""

from __future__ import annotations

from typing import Any

import pytest

from league.reviews.redis import MOST_OF_OWNER
from records.reviews import judge as evaluation
from records.reviews.judge import ReviewSettings
from tests.api.conftest import ApiWorld, Person, refused


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Evaluate decisions with a few playouts."""
    monkeypatch.setattr(evaluation, "SETTINGS", ReviewSettings(2, (4, 6), 2))


def house_match(world: ApiWorld, owner: Person, deals: int = 1) -> str:
    """Return a finished match of house bots."""
    body = {"game": "durak", "seats": ["house/greedy", "house/random"], "deals": deals}
    match: str = owner("POST", "/v1/matches", body).json["id"]
    while world.services.referee.go_on(match, 5.0):
        pass
    assert world.services.referee.look(match).finished
    return match


def work(world: ApiWorld, match: str) -> None:
    """Do what the jobs of a review do, whose worker decides after each decision."""
    while world.client.get(f"/v1/matches/{match}/review").json["finished"] is None:
        world.services.reviews.work(match, 60.0)


def test_a_review_is_requested_computed_and_read(world: ApiWorld) -> None:
    owner = world.owner()
    match = house_match(world, owner)
    path = f"/v1/matches/{match}/review"
    refused(world.client.get(path), 404, "no_such_review")
    asked = owner("POST", f"/v1/matches/{match}/reviews")
    assert asked.status_code == 202
    assert asked.headers["Location"] == path
    assert asked.json["state"] == "waiting"
    assert (asked.json["done"], asked.json["total"], asked.json["moves"]) == (0, None, [])
    world.services.reviews.work(match, 0.0)
    running = world.client.get(path).json
    assert (running["state"], running["done"]) == ("running", 1)
    work(world, match)
    done: dict[str, Any] = world.client.get(path).json
    assert done["state"] == "done"
    assert done["done"] == done["total"] == len(done["moves"])
    assert done["mistakes"] == sum(move["mistake"] for move in done["moves"])
    record = world.client.get(f"/v1/matches/{match}/record").json
    made = [move for move in record["moves"] if move["seat"] is not None]
    for move in done["moves"]:
        found = made[move["move"] - 1]
        assert (found["seat"], found["move"]) == (move["seat"], move["played"])
    again = owner("POST", f"/v1/matches/{match}/reviews")
    assert again.json == done


def test_a_review_needs_a_token_and_a_finished_match(world: ApiWorld) -> None:
    bot = world.bot()
    match = world.match(bot)["id"]
    bot("GET", "/v1/turns")
    refused(bot("POST", f"/v1/matches/{match}/reviews"), 409, "record_not_ready")
    refused(bot("GET", f"/v1/matches/{match}/review"), 409, "record_not_ready")
    refused(world.client.post(f"/v1/matches/{match}/reviews"), 401, "token_missing")
    missing = "00" + "a" * 26
    refused(bot("POST", f"/v1/matches/{missing}/reviews"), 404, "no_such_match")
    refused(bot("GET", f"/v1/matches/{missing}/review"), 404, "no_such_match")


def test_matches_of_a_running_group_have_no_review(world: ApiWorld) -> None:
    bot = world.bot()
    body = {"game": "durak", "bots": [bot.name, "house/random"]}
    group = bot("POST", "/v1/groups", body)
    assert group.status_code == 201, group.text
    bot("GET", "/v1/turns")
    match = bot("GET", "/v1/turns").json["turns"][0]["match"]
    bot("POST", f"/v1/matches/{match}/resign")
    stranger = world.owner()
    refused(stranger("POST", f"/v1/matches/{match}/reviews"), 409, "group_running")
    refused(world.client.get(f"/v1/matches/{match}/review"), 409, "group_running")


def test_few_reviews_of_an_owner_wait(world: ApiWorld) -> None:
    owner = world.owner()
    for _ in range(MOST_OF_OWNER):
        assert owner("POST", f"/v1/matches/{house_match(world, owner)}/reviews").status_code == 202
    problem = refused(
        owner("POST", f"/v1/matches/{house_match(world, owner)}/reviews"), 429, "too_many_reviews"
    )
    assert problem["retryable"]

"""Finding a game over HTTP: the queue, and bulk creation of matches."""

from __future__ import annotations

from typing import Any

import pytest

from league.queue.batches import MatchBatches
from league.queue.redis import DUE_MS
from tests.api.conftest import ApiWorld, Person, refused
from tests.api.test_rates import Limited, limited
from tests.support.kills import Killed

__all__ = ["limited"]

WISH = {"game": "durak", "rating_band": None}


def join(bot: Person, **more: Any) -> dict[str, Any]:
    response = bot("POST", "/v1/queue", {**WISH, **more})
    assert response.status_code in (200, 201), response.text
    entry: dict[str, Any] = response.json
    return entry


def bulk(sender: Person, *seats: list[str | None], key: str | None = None, **more: Any) -> Any:
    matches = [{"game": "durak", "seats": each, **more} for each in seats]
    headers = {} if key is None else {"Idempotency-Key": key}
    return sender("POST", "/v1/match-batches", {"matches": matches}, headers=headers)


def test_two_bots_in_the_queue_play_each_other(world: ApiWorld) -> None:
    one, two = world.bot(), world.bot()
    assert join(one, entropy="one")["state"] == "waiting"
    match = join(two)["match"]
    assert sorted(world.client.get(f"/v1/matches/{match}").json["entropy"]) == [False, True]
    assert one("GET", "/v1/queue").json["match"] == match
    # A match starts when both have asked for their turns, so the first asks again.
    turns = [turn for bot in (one, two, one) for turn in bot("GET", "/v1/turns").json["turns"]]
    assert {turn["match"] for turn in turns} == {match}


def test_a_lost_response_is_repeated_and_queues_nothing(world: ApiWorld) -> None:
    one, two = world.bot(), world.bot()
    headers = {"Idempotency-Key": "a-key"}
    first = one("POST", "/v1/queue", WISH, headers=headers)
    join(two)
    again = one("POST", "/v1/queue", WISH, headers=headers)
    assert (again.status_code, again.json) == (201, first.json)
    assert again.headers["Idempotency-Replayed"] == "true"
    assert join(world.bot())["state"] == "waiting"


def test_a_bot_has_one_entry_in_the_queue_and_can_leave_it(world: ApiWorld) -> None:
    bot = world.bot()
    refused(bot("GET", "/v1/queue"), 404, "not_queued")
    refused(bot("DELETE", "/v1/queue"), 404, "not_queued")
    entry = join(bot)
    again = bot("POST", "/v1/queue", WISH)
    assert (again.status_code, again.json) == (200, entry)
    assert refused(bot("POST", "/v1/queue", {"game": "king"}), 409, "already_queued")["entry"] == entry["id"]
    left = bot("DELETE", "/v1/queue")
    assert (left.status_code, left.json["state"]) == (200, "left")
    assert bot("DELETE", "/v1/queue").json == left.json == bot("GET", "/v1/queue").json
    assert join(world.bot())["state"] == "waiting"


def test_wishes_that_no_match_can_meet_are_refused(world: ApiWorld) -> None:
    owner = world.owner()
    bot = world.bot(owner)
    refused(bot("POST", "/v1/queue", {"game": "chess"}), 404, "no_such_game")
    refused(bot("POST", "/v1/queue", {"game": "durak", "seats": 9}), 422, "bad_table")
    refused(bot("POST", "/v1/queue", {"game": "durak", "options": {"none": 1}}), 422, "bad_table")
    refused(bot("POST", "/v1/queue", {"game": "king", "deals": 3}), 422, "bad_table")
    refused(owner("POST", "/v1/queue", WISH), 403, "wrong_token_kind")
    policy = {"match_policy": {"games": ["king"]}}
    owner("PATCH", f"/v1/bots/{bot.name}", policy)
    assert refused(bot("POST", "/v1/queue", WISH), 409, "bot_unavailable")["reason"] == "game"


def test_bulk_creates_all_matches_in_order_and_once(world: ApiWorld) -> None:
    owner = world.owner()
    bot = world.bot(owner)
    seats: list[list[str | None]] = [*[[bot.name, "house/random"]] * 8, ["house/random", "house/greedy"]]
    matches = bulk(owner, *seats, key="k1").json["matches"]
    found = [world.client.get(f"/v1/matches/{match}").json["seats"][0]["bot"] for match in matches]
    assert found == [bot.name] * 8 + ["house/random"]
    assert bulk(owner, *seats, key="k1").json["matches"] == matches
    assert len(world.client.get("/v1/matches").json["matches"]) == len(set(matches)) == 9
    refused(bulk(owner, *seats[-1:] * 501), 422, "invalid_body")


@pytest.mark.parametrize(
    ("wrong", "status", "code"),
    [
        ({"game": "chess"}, 404, "no_such_game"),
        ({"seats": ["fool", "house/random"]}, 404, "no_such_bot"),
        ({"seats": ["house/nobody", "house/random"]}, 404, "no_such_bot"),
        ({"seats": ["nobody/none", "house/random"]}, 404, "no_such_bot"),
        ({"seats": ["house/random", "house/greedy"]}, 403, "not_your_bot"),
        ({"seats": ["{picky}", "{bot}"]}, 409, "bot_unavailable"),
        ({"seats": ["{bot}"]}, 422, "bad_table"),
        ({"seats": ["{bot}", "{bot}"]}, 422, "bad_table"),
        ({"game": "king", "seats": ["{bot}", None, None, None], "deals": 5}, 422, "bad_table"),
        ({"options": {"none": 1}}, 422, "bad_table"),
        ({"dealer": 9}, 422, "bad_table"),
        ({"clock": {"strikes": 0}}, 422, "invalid_body"),
        ({"sets": []}, 422, "invalid_body"),
    ],
    ids=lambda value: str(value) if isinstance(value, dict) else "",
)
def test_bulk_creates_nothing_if_one_match_is_refused(
    world: ApiWorld, wrong: dict[str, Any], status: int, code: str
) -> None:
    """The refusal names the place of the match."""
    bot, owner = world.bot(), world.owner()
    picky = world.bot(owner)
    assert owner("PATCH", f"/v1/bots/{picky.name}", {"match_policy": {"owners": []}}).status_code == 200
    good = {"game": "durak", "seats": [bot.name, "house/random"]}
    bad = {**good, **wrong}
    bad["seats"] = [each and each.format(bot=bot.name, picky=picky.name) for each in bad["seats"]]
    problem = refused(bot("POST", "/v1/match-batches", {"matches": [good, good, bad, bad]}), status, code)
    assert problem["detail"].startswith("matches.2")
    if code == "bad_table":
        assert problem["field"].startswith("matches.2.")
    if code == "bot_unavailable":
        assert (problem["bot"], problem["reason"]) == (picky.name, "owner")
    assert world.client.get("/v1/matches").json["matches"] == []
    assert bulk(bot, *[good["seats"]] * 16).status_code == 201, "the slots are free again"  # type: ignore[misc]


def test_bulk_needs_a_slot_for_every_match_of_a_bot(world: ApiWorld) -> None:
    owner = world.owner()
    bot = world.bot(owner)
    problem = refused(bulk(owner, *[[bot.name, "house/random"]] * 17), 409, "bot_unavailable")
    assert problem["reason"] == "busy"
    assert problem["detail"].startswith("matches.16: ")
    assert world.client.get("/v1/matches").json["matches"] == []


@pytest.mark.parametrize("matches", [1, 7])
def test_the_clock_creates_the_matches_of_a_process_that_died(
    world: ApiWorld, monkeypatch: pytest.MonkeyPatch, matches: int
) -> None:
    owner = world.owner()
    bot = world.bot(owner)

    def die(*_: Any) -> None:
        raise Killed

    wanted: list[list[str | None]] = [[bot.name, "house/random"]] * matches
    with monkeypatch.context() as dying:
        dying.setattr(MatchBatches, "finish", die)
        for key in ("k1", "k2"):
            with pytest.raises(Killed):
                bulk(owner, *wanted, key=key)
    assert world.client.get("/v1/matches").json["matches"] == []
    batches = world.services.batches
    monkeypatch.setattr(batches._store, "_clock", lambda: 2**42 + DUE_MS)
    assert batches.tick() == 2
    assert len(world.client.get("/v1/matches").json["matches"]) == 2 * matches


def test_each_match_of_a_bulk_request_counts_as_a_creation(limited: Limited) -> None:
    world = limited(creations=10)
    owner = world.owner()
    seats: list[str | None] = ["house/random", "house/greedy"]
    assert bulk(owner, *[seats] * 6, key="k1").status_code == 201
    assert bulk(owner, *[seats] * 6, key="k1").status_code == 201, "a replay counts once"
    refused(bulk(owner, *[seats] * 6), 429, "rate_limited")
    assert len(world.client.get("/v1/matches").json["matches"]) == 6

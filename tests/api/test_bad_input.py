"""Bad input gets a problem with its own code, and changes nothing."""

from __future__ import annotations

import base64
from functools import partial
from typing import Any
from urllib.parse import quote

import pytest

from api.services import Limits
from tests.api.conftest import ApiWorld, Person, compose, legal, refused, world_of

JSON = {"Content-Type": "application/json"}


@pytest.fixture
def owner(world: ApiWorld) -> Person:
    return world.owner()


# The body as such


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"{",
        b'{"name": NaN}',
        b'{"name": "a", "name": "b"}',
        b'{"name": "\xff"}',
        b'{"name": "\\ud800"}',
        b"[" * 100_000,
        b'{"a":' * 700 + b"1" + b"}" * 700,
        b'{"a": ":", "b": ' + b"9" * 5000 + b"}",
        b'{"name": "ab"} {}',
        b"{" + b",".join(b'"n%05d":0' % number for number in range(18_000)) + b"}",
        b'{"wait": 1e9999999}',
    ],
    ids=[
        *("empty", "broken", "NaN", "doubled", "not UTF-8", "surrogate", "deep list", "deep", "huge", "two"),
        *("many names", "power"),
    ],
)
def test_a_body_that_is_not_json(world: ApiWorld, raw: bytes) -> None:
    answer = world.client.post("/v1/owners", data=raw, headers=JSON)
    assert answer.status_code in (400, 422)
    refused(answer, answer.status_code, "bad_json" if answer.status_code == 400 else "invalid_body")


@pytest.mark.parametrize(
    "raw",
    [
        b"{",
        b'{"turn": 1, "move": "take", "turn": 2}',
        rb'{"turn": 1, "move": "\u003a", "turn": 2}',
        b'{"turn": NaN}',
        b"\xff",
    ],
)
def test_a_move_that_is_not_json(world: ApiWorld, raw: bytes) -> None:
    bot, turn = world.started()
    for path in (f"/v1/matches/{turn['match']}/moves", "/v1/turns"):
        refused(bot("POST", path, headers=JSON, data=raw), 400, "bad_json")


def test_a_body_is_json_and_says_so(world: ApiWorld, owner: Person) -> None:
    bot, turn = world.started()
    text = {"Content-Type": "text/plain"}
    for path in ("/v1/turns", f"/v1/matches/{turn['match']}/moves"):
        refused(bot("POST", path, data=b"{}", headers=text), 415, "wrong_content_type")
    for path in ("/v1/bots", "/v1/tokens", "/v1/matches", "/v1/ladders"):
        refused(owner("POST", path), 415, "wrong_content_type")


def test_a_body_that_is_too_large(redis_url: str, world: ApiWorld) -> None:
    client = world_of(compose(redis_url, Limits(max_body_bytes=2000))).client
    refused(client.post("/v1/owners", json={"name": "a" * 3000}), 413, "body_too_large")


# Fields


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({}, "name"),
        ({"name": "ab", "nickname": "b"}, "nickname"),
        ({"name": 5}, "name"),
        ({"name": "ab\n"}, "name"),
        ({"name": "A B"}, "name"),
        ([], "_schema"),
    ],
)
def test_missing_unknown_and_wrong_fields(world: ApiWorld, body: Any, field: str) -> None:
    problem = refused(world.client.post("/v1/owners", json=body), 422, "invalid_body")
    assert field in problem["errors"]
    assert ("Must be an object." in problem["errors"][field]) == (body == [])


def test_a_refusal_of_an_unknown_field_names_the_known_ones(world: ApiWorld) -> None:
    body = {"game": "durak", "seats": [None, None], "clock": {"move": 3}}
    problem = refused(world.bot()("POST", "/v1/matches", body), 422, "invalid_body")
    known = "move_ms, bank_ms, increment_ms, grace_ms, strikes, pace"
    assert problem["errors"] == {"clock.move": [f"Unknown field; expected one of {known}."]}
    problem = refused(world.client.get("/v1/matches?gmae=durak"), 422, "invalid_query")
    assert "expected one of cursor, limit, game, " in problem["errors"]["gmae"][0]


def test_an_unknown_parameter_of_the_query_is_refused(world: ApiWorld, owner: Person) -> None:
    for path in ("/v1/games", "/v1/games/durak", "/v1/limits", "/v1/bots/house/random", "/v1/matches"):
        problem = refused(world.client.get(path + "?wait=1"), 422, "invalid_query")
        assert list(problem["errors"]) == ["wait"]
    refused(owner("POST", "/v1/matches?wait=1", {}), 422, "invalid_query")
    bot = world.bot(owner)
    refused(bot("POST", "/v1/turns?wait=1", {}), 422, "invalid_query")
    refused(bot("GET", "/v1/turns?wiat=1"), 422, "invalid_query")
    assert world.client.get("/healthz?probe=1").status_code == 200


@pytest.mark.parametrize("wait", ["-1", "2.5", "1e9", "nan", "1_0", "", "%D9%A3"])
def test_a_wait_out_of_range(world: ApiWorld, wait: str) -> None:
    bot, turn = world.started()
    refused(bot("GET", f"/v1/turns?wait={wait}"), 422, "invalid_query")
    refused(bot("GET", f"/v1/matches/{turn['match']}/events?wait={wait}"), 422, "invalid_query")
    path = f"/v1/matches/{turn['match']}/moves?wait={wait}"
    refused(bot("POST", path, legal(turn)), 422, "invalid_query")
    assert world.turn(bot)["turn"] == turn["turn"]


def test_a_cursor_works_for_its_own_list_only(world: ApiWorld, owner: Person) -> None:
    for number in range(3):
        owner("POST", "/v1/bots", {"name": f"bot-{number}"})
        body = {"game": "durak", "seats": ["house/random", None]}
        assert owner("POST", "/v1/matches", body).status_code == 201
        assert owner("POST", "/v1/ladders", {"name": "A", "game": "durak", "seats": 2}).status_code == 201
    lists = {
        "/v1/matches?": "matches",
        "/v1/matches?game=durak&": "matches",
        "/v1/bots?": "bots",
        f"/v1/bots?owner={owner.name}&": "bots",
        "/v1/ladders?": "ladders",
    }
    cursors = {path: world.client.get(f"{path}limit=2").json["cursor"] for path in lists}
    for path, name in lists.items():
        for other, cursor in cursors.items():
            answer = world.client.get(f"{path}limit=1&cursor={cursor}")
            if path == other:
                assert len(answer.json[name]) == 1
            else:
                refused(answer, 400, "bad_cursor")
        # Well formed, and of the right length, but not ours.
        given = cursors[path]
        for forged in (
            given[:-2] + ("AA" if given[-2:] != "AA" else "BB"),
            ("A" if given[0] != "A" else "B") + given[1:],
            given[:-4],
            base64.b64encode(b"live 1 a").decode(),
        ):
            refused(world.client.get(path + "cursor=" + quote(forged)), 400, "bad_cursor")


def test_a_forged_since(world: ApiWorld) -> None:
    bot, _ = world.started()
    refused(bot("GET", "/v1/turns?since=made-up"), 400, "bad_cursor")
    refused(bot("POST", "/v1/turns", {"since": "made-up"}), 400, "bad_cursor")
    other = world.bot()
    refused(other("GET", f"/v1/turns?since={bot('GET', '/v1/turns').json['since']}"), 400, "bad_cursor")


# Tables


@pytest.mark.parametrize(
    ("change", "status", "code", "field"),
    [
        ({"game": "chess"}, 404, "no_such_game", None),
        ({"options": {"colour": "red"}}, 422, "bad_table", "colour"),
        ({"options": {"batch_attacks": "yes"}}, 422, "bad_table", "batch_attacks"),
        ({"options": {"turn_limit": True}}, 422, "bad_table", "turn_limit"),
        ({"options": {"teams": True}}, 422, "bad_table", "teams"),
        ({"seats": ["house/random"] * 7}, 422, "bad_table", "seats"),
        ({"seats": []}, 422, "invalid_body", None),
        ({"deals": 0}, 422, "invalid_body", None),
        ({"dealer": 2}, 422, "bad_table", "dealer"),
        ({"clock": {"move_ms": 1}}, 422, "invalid_body", None),
        ({"clock": {"bank": 1}}, 422, "invalid_body", None),
        ({"seats": ["nobody/knows", "house/random"]}, 404, "no_such_bot", None),
        ({"seats": ["house/stockfish", "house/random"]}, 404, "no_such_bot", None),
        ({"seats": ["random", "house/random"]}, 404, "no_such_bot", None),
    ],
)
def test_a_table_that_does_not_exist(
    world: ApiWorld, owner: Person, change: dict[str, Any], status: int, code: str, field: str | None
) -> None:
    body = {"game": "durak", "seats": ["house/random", "house/greedy"], **change}
    problem = refused(owner("POST", "/v1/matches", body), status, code)
    assert problem.get("field") == field
    assert world.client.get("/v1/matches").json["matches"] == []


@pytest.mark.parametrize(
    ("game", "seats", "options", "field", "expected"),
    [
        ("king", 8, {}, "seats", "4"),
        ("svoi_kozyri", 4, {"trumps": "SSCD"}, "trumps", "4 different letters of CDHS, one for each seat"),
        ("svoi_kozyri", 2, {"lowest_rank": "J"}, "lowest_rank", "2 or 3 or 4 or 5 or 6 or 7 or 8 or 9 or T"),
    ],
)
def test_a_refused_table_names_the_expected_values(
    owner: Person, game: str, seats: int, options: dict[str, Any], field: str, expected: str
) -> None:
    body = {"game": game, "seats": ["house/random"] * seats, "options": options}
    problem = refused(owner("POST", "/v1/matches", body), 422, "bad_table")
    assert (problem["field"], problem["expected"]) == (field, expected)
    assert expected in problem["detail"]


# Who asks


def test_a_token_that_is_missing_or_wrong(world: ApiWorld) -> None:
    missing = world.client.get("/v1/turns")
    refused(missing, 401, "token_missing")
    assert missing.headers["WWW-Authenticate"].startswith("Bearer")
    for text in ("nonsense", "kozyr_" + "a" * 32, "ключ"):
        header = {"Authorization": f"Bearer {text}".encode().decode("latin-1")}
        refused(world.client.get("/v1/turns", headers=header), 401, "token_invalid")
    refused(world.client.get("/v1/turns", headers={"Authorization": "Basic YTpi"}), 401, "token_invalid")
    for path in ("/v1/bots", "/v1/matches", "/v1/ladders", "/v1/tokens"):
        refused(world.client.post(path, json={"nonsense": 1}), 401, "token_missing")
    refused(world.client.post("/v1/turns", data=b"{", headers=JSON), 401, "token_missing")
    header = {"Authorization": "Bearer nonsense", **JSON}
    refused(world.client.post("/v1/turns", data=b"{", headers=header), 401, "token_invalid")


def test_nobody_moves_in_a_match_of_others(world: ApiWorld) -> None:
    _, turn = world.started()
    thief, path = world.bot(), f"/v1/matches/{turn['match']}"
    problem = refused(thief("POST", f"{path}/moves", legal(turn)), 403, "not_your_match")
    assert "view" not in problem
    refused(thief("POST", f"{path}/resign"), 403, "not_your_match")


# Moves


def test_a_stale_turn_shows_the_current_view(world: ApiWorld) -> None:
    bot, turn = world.started()
    path, move = f"/v1/matches/{turn['match']}/moves", legal(turn)
    problem = refused(bot("POST", path, {**move, "turn": turn["turn"] + 1}), 409, "stale_turn")
    assert problem["view"]["turn"] == turn["turn"]
    assert problem["view"]["observation"] == turn["observation"]
    assert [bot.move(turn)["replayed"] for _ in range(2)] == [False, True]
    last = turn["observation"]["legal_moves"][-1]
    refused(bot("POST", path, {**move, "move": last + " "}), 409, "stale_turn")


def test_an_illegal_move_lists_the_legal_moves(world: ApiWorld) -> None:
    bot, turn = world.started()
    path, moves = f"/v1/matches/{turn['match']}/moves", turn["observation"]["legal_moves"]
    hearts = (f"attack {rank}H" for rank in "6789TJQ")  # one more than a hand has
    absent = next(move for move in hearts if move not in moves)
    problem = refused(bot("POST", path, {"turn": turn["turn"], "move": absent}), 422, "illegal_move")
    assert problem["legal_moves"] == moves
    assert problem["view"]["turn"] == turn["turn"]
    refused(bot("POST", path, {"turn": turn["turn"], "move": "castle"}), 422, "not_a_move")
    refused(bot("POST", path, {"deal": 1, "move": "take"}), 422, "not_a_move")
    assert world.turn(bot)["observation"] == turn["observation"]


INVALID_MOVES: list[dict[str, Any]] = [
    {"move": 1, "turn": 1},
    {"move": "take"},
    {"move": "take", "turn": "1"},
    {"move": "take", "turn": 0},
    {"move": "take", "turn": 1, "more": 1},
    {"move": "take", "turn": 1, "note": 1},
    {"move": "exchange", "deal": "1"},
    {"move": "exchange", "deal": 1, "turn": None},
]


@pytest.mark.parametrize("move", INVALID_MOVES, ids=str)
@pytest.mark.parametrize("batch", [False, True], ids=["single", "batch"])
def test_an_invalid_move_shows_the_match_and_the_legal_moves(
    world: ApiWorld, move: dict[str, Any], *, batch: bool
) -> None:
    bot, turn = world.started()
    match, seen = turn["match"], turn["observation"]
    good = legal(turn, match=match)
    path = "/v1/turns" if batch else f"/v1/matches/{match}/moves"
    body = {"moves": [good, {**move, "match": match}]} if batch else move
    problem = refused(bot("POST", path, body), 422, "invalid_body")
    assert (problem["legal_moves"], problem["free_moves"]) == (seen["legal_moves"], seen["free_moves"])
    assert (problem["view"]["turn"], problem["view"]["observation"]) == (turn["turn"], seen)
    assert problem["errors"]


def test_an_invalid_move_lists_moves_only_to_the_seat_whose_turn_it_is(world: ApiWorld) -> None:
    first, second, stranger = world.bot(), world.bot(), world.bot()
    match = world.match(first, second.name)["id"]
    for bot in (first, second):
        bot("GET", "/v1/turns")
    path, move = f"/v1/matches/{match}/moves", {"move": "take"}
    problems = [refused(bot("POST", path, move), 422, "invalid_body") for bot in (first, second)]
    for problem in problems:
        assert problem["view"]["observation"]["seat"] == problem["view"]["seat"]
        assert ("legal_moves" in problem) == (problem["view"]["to_move"] == problem["view"]["seat"])
    assert ["legal_moves" in problem for problem in problems].count(True) == 1
    assert "view" not in refused(stranger("POST", path, move), 422, "invalid_body")
    assert "view" not in refused(first("POST", "/v1/matches/17nothing/moves", move), 422, "invalid_body")
    waiting = world.match(first, None)["id"]
    problem = refused(first("POST", f"/v1/matches/{waiting}/moves", move), 422, "invalid_body")
    assert (problem["view"]["status"], "legal_moves" in problem) == ("open", False)


def test_a_move_after_the_end(world: ApiWorld) -> None:
    bot, turn = world.started()
    path = f"/v1/matches/{turn['match']}"
    assert bot("POST", f"{path}/resign").json["status"] == "finished"
    problem = refused(bot("POST", f"{path}/moves", legal(turn)), 409, "match_over")
    assert problem["view"]["status"] == "finished"


def test_each_move_of_a_batch_is_refused_separately(world: ApiWorld) -> None:
    bot, turn = world.started()
    good = legal(turn, match=turn["match"])
    moves = [{**good, "match": "17nothing"}, {**good, "move": "castle"}, good, {**good, "turn": 500}]
    results = bot("POST", "/v1/turns", {"moves": moves}).json["results"]
    codes = [result["problem"]["code"] if "problem" in result else None for result in results]
    assert codes == ["no_such_match", "not_a_move", None, "stale_turn"]
    refused(bot("POST", "/v1/turns", {"moves": [good, {"match": "x"}]}), 422, "invalid_body")


def test_joining(world: ApiWorld) -> None:
    bot, other, third = world.bot(), world.bot(), world.bot()
    match = world.match(bot, None)
    path = f"/v1/matches/{match['id']}/join"
    assert match["status"] == "open"
    refused(bot("POST", path), 409, "already_seated")
    refused(other("POST", path, {"seat": 0}), 409, "seat_taken")
    refused(other("POST", path, {"place": 0}), 422, "invalid_body")
    refused(other("POST", path, {"entropy": "a b"}), 422, "invalid_body")
    refused(bot("GET", f"/v1/matches/{match['id']}/record"), 409, "record_not_ready")
    early = {"turn": 1, "move": "take"}
    refused(bot("POST", f"/v1/matches/{match['id']}/moves", early), 409, "match_not_running")
    assert other("POST", path).json["seat"] == 1
    refused(third("POST", path), 409, "not_joinable")


# Addresses and methods


def test_an_unknown_address_and_a_wrong_method(world: ApiWorld) -> None:
    for path in (
        "/v2/turns",
        "/v1/games/",
        "/v1/%D0%B8",
        "/v1/matches/%00",
        "/v1/bots/%ff/%ff",
        "/v1/matches/a%2Fb",
    ):
        assert world.client.get(path).status_code == 404, path
    refused(world.client.get("/v2/turns"), 404, "not_found")
    refused(world.client.get("/v1/matches/17nothing"), 404, "no_such_match")
    refused(world.client.get("/v1/matches/00" + "a" * 26), 404, "no_such_match")
    refused(world.client.get("/v1/games/chess"), 404, "no_such_game")
    refused(world.client.get("/v1/bots/nobody/knows"), 404, "no_such_bot")
    answer = world.client.delete("/v1/turns")
    refused(answer, 405, "method_not_allowed")
    assert {"GET", "POST"} <= set(answer.headers["Allow"].split(", "))


# Idempotency keys


def test_a_key_has_one_request_and_one_response(world: ApiWorld, owner: Person) -> None:
    key = {"Idempotency-Key": "k1"}
    body = {"game": "durak", "seats": ["house/random", None]}
    first = owner("POST", "/v1/matches", body, headers=key)
    again = owner("POST", "/v1/matches", body, headers=key)
    assert (first.status_code, again.status_code, first.json) == (201, 201, again.json)
    assert again.headers["Idempotency-Replayed"] == "true"
    assert again.headers["Location"] == first.headers["Location"]
    other = {**body, "deals": 2}
    refused(owner("POST", "/v1/matches", other, headers=key), 422, "idempotency_key_reused")
    refused(owner("POST", "/v1/matches", body, headers={"Idempotency-Key": " "}), 422, "invalid_header")
    assert len(world.client.get("/v1/matches").json["matches"]) == 1


def test_a_refusal_frees_its_key(world: ApiWorld, owner: Person) -> None:
    key = {"Idempotency-Key": "k1"}
    refused(owner("POST", "/v1/bots", {"name": "ab", "version": "\x07"}, headers=key), 422, "bad_value")
    assert owner("POST", "/v1/bots", {"name": "ab"}, headers=key).status_code == 201
    refused(owner("POST", "/v1/bots", {"name": "ab"}), 409, "name_taken")


def test_a_repeated_request_completes_what_a_crash_interrupted(world: ApiWorld, owner: Person) -> None:
    """The process dies after the commit and before it stores the response, which frees its key."""
    requests: list[tuple[Any, str, str]] = [
        (world.client.post, "/v1/owners", "an-owner-that-was-half-made"),
        (partial(owner, "POST"), "/v1/bots", "k1"),
    ]
    idempotency = world.services.idempotency
    for send, path, key in requests:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(idempotency, "finish", idempotency_lost)
            lost = send(path, json={"name": "half-made"}, headers={"Idempotency-Key": key})
        assert lost.status_code == 201
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(idempotency, "begin", lambda *_: None)
            again = send(path, json={"name": "half-made"}, headers={"Idempotency-Key": key})
        assert again.status_code == 201, again.text
        assert again.json["token"] == lost.json["token"]
        good = {"Authorization": f"Bearer {again.json['token']}"}
        assert world.client.get("/v1/token", headers=good).status_code == 200
        refused(send(path, json={"name": "half-made"}), 409, "name_taken")


def idempotency_lost(*_: Any) -> None:
    """Drop the stored response."""


@pytest.mark.parametrize("blank", ["1\n2", "\n", "\u2028", " ", "\u3164", "\u2800\u2800", "\u200b", "\u0301"])
def test_a_version_and_a_ladder_name_are_one_visible_line(world: ApiWorld, owner: Person, blank: str) -> None:
    refused(owner("POST", "/v1/bots", {"name": "ab", "version": blank}), 422, "bad_value")
    made = owner("POST", "/v1/bots", {"name": "ab", "description": "Two\nlines"})
    assert made.json["bot"]["description"] == "Two\nlines"
    refused(owner("PATCH", f"/v1/bots/{owner.name}/ab", {"version": blank}), 422, "bad_value")
    refused(owner("POST", "/v1/ladders", {"name": blank, "game": "durak", "seats": 2}), 422, "bad_value")


def test_a_key_without_a_token_must_be_long(world: ApiWorld) -> None:
    body = {"name": "careful"}
    refused(
        world.client.post("/v1/owners", json=body, headers={"Idempotency-Key": "k1"}), 422, "invalid_header"
    )
    key = {"Idempotency-Key": "8c5f4a3e-7b1d-4a61"}
    first = world.client.post("/v1/owners", json=body, headers=key)
    assert world.client.post("/v1/owners", json=body, headers=key).json == first.json
    refused(world.client.post("/v1/owners", json=body), 409, "name_taken")

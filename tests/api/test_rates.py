"""Rate limits: per bot or owner with a valid token, else per address. Legal moves are never refused."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
import redis
from werkzeug.test import TestResponse

from api.limits.address import Addresses
from api.limits.rates import BYTES_PER_REQUEST, NO_LIMITS, Rate, RateScope
from api.services import Limits, Services
from server.config.kinds import networks
from tests.api.conftest import ApiWorld, Person, compose, legal, load_scripts, world_of

HOUR = 3600
Limited = Callable[..., ApiWorld]


@pytest.fixture
def limited(redis_url: str, redis_client: redis.Redis) -> Limited:
    """Return a function that makes an application with only these rates, in windows of an hour."""

    def make(services: Services | None = None, **most: int) -> ApiWorld:
        rates = {**NO_LIMITS, **{RateScope(name): Rate(number, HOUR) for name, number in most.items()}}
        made = services or compose(redis_url)
        made.limits = replace(made.limits, rates=rates)
        return world_of(made)

    return make


def refused(answer: TestResponse, what: str) -> None:
    """Check that the problem names the limit and the time to retry."""
    assert answer.status_code == 429, answer.text
    problem = answer.json
    assert (problem["code"], problem["limit"], problem["retryable"]) == ("rate_limited", what, True)
    again = int(answer.headers["Retry-After"])
    assert 0 < again <= HOUR
    assert problem["retry_ms"] == again * 1000
    assert f'"{what}";r=0;t=' in answer.headers["RateLimit"]


def test_a_bots_requests_count_against_no_other_bot(limited: Limited) -> None:
    world = limited(requests=3)
    owner = world.owner()
    one, other = world.bot(owner), world.bot(owner)
    answers = [one("GET", "/v1/token") for _ in range(4)]
    assert [answer.status_code for answer in answers] == [200, 200, 200, 429]
    refused(answers[-1], "requests")
    assert other("GET", "/v1/token").status_code == 200, "of the same owner, from the same address"
    assert world.client.get("/v1/matches").status_code == 200, "without a token, from the same address"


def test_more_tokens_give_a_bot_no_more(limited: Limited) -> None:
    world = limited(requests=2)
    owner = world.owner()
    bot = world.bot(owner)
    second = owner("POST", "/v1/tokens", {"bot": bot.name.partition("/")[2]}).json["token"]
    assert bot("GET", "/v1/token").status_code == 200
    headers = {"Authorization": f"Bearer {second}"}
    assert world.client.get("/v1/token", headers=headers).status_code == 200
    refused(world.client.get("/v1/token", headers=headers), "requests")
    refused(bot("GET", "/v1/token"), "requests")


def test_responses_show_the_remaining_requests(limited: Limited) -> None:
    world = limited(requests=5, polls=9)
    rates = world.client.get("/v1/limits").json["rates"]
    assert rates == {"requests": {"limit": 5, "window_s": HOUR}, "polls": {"limit": 9, "window_s": HOUR}}
    bot = world.bot()
    answer = bot("GET", "/v1/token")
    assert answer.headers["RateLimit-Policy"] == f'"requests";q=5;w={HOUR}'
    left, reset = answer.headers["RateLimit"].removeprefix('"requests";r=').split(";t=")
    assert int(left) == 4
    assert 0 < int(reset) <= HOUR
    assert '"requests";r=3;' in bot("GET", "/v1/token").headers["RateLimit"]


def test_a_large_response_counts_as_several_requests(limited: Limited) -> None:
    world = limited(anonymous=100)
    answer = world.client.get("/openapi.json")
    more = len(answer.data) // BYTES_PER_REQUEST
    assert more > 1
    assert f'"anonymous";r={100 - 1 - more};' in answer.headers["RateLimit"]


def test_a_large_response_counts_no_refused_move(limited: Limited) -> None:
    rates = limited(polls=100, refused_moves=10).app.extensions["kozyr-rates"]
    counted = [rates.count(scope, "bot") for scope in (RateScope.POLLS, RateScope.REFUSED_MOVES)]
    rates.charge(counted, 5 * BYTES_PER_REQUEST)
    assert [each.left for each in counted] == [94, 9]
    refused_alone = counted[1:]
    rates.charge(refused_alone, 5 * BYTES_PER_REQUEST)
    assert [each.left for each in refused_alone] == [9]


def test_without_a_token_the_address_is_counted(limited: Limited) -> None:
    bot = limited().bot()
    world = limited(anonymous=2)
    assert [world.client.get(path).status_code for path in ("/v1/games", "/v1/matches")] == [200, 200]
    refused(world.client.get("/v1/games"), "anonymous")
    refused(world.client.get("/v1/matches/17nothing"), "anonymous")
    elsewhere = {"REMOTE_ADDR": "10.9.8.7"}
    assert world.client.get("/v1/games", environ_base=elsewhere).status_code == 200
    token = {"Authorization": f"Bearer {bot.token}"}
    assert world.client.get("/v1/games", headers=token).status_code == 200, "a class shares one address"
    refused(world.client.get("/v1/games", headers={"Authorization": "Bearer kozyr_none"}), "anonymous")
    for path in ("/healthz", "/readyz"):
        assert world.client.get(path).status_code == 200, "who looks after the service is not counted"


def test_registrations_of_an_address_are_limited(limited: Limited) -> None:
    world = limited(registrations=2)
    world.owner()
    world.owner()
    refused(world.client.post("/v1/owners", json={"name": "one-more"}), "registrations")
    elsewhere = {"REMOTE_ADDR": "10.9.8.7"}
    answer = world.client.post("/v1/owners", json={"name": "elsewhere"}, environ_base=elsewhere)
    assert answer.status_code == 201


@pytest.mark.parametrize("required", [True, False])
def test_invited_registrations_do_not_count_against_an_address(limited: Limited, required: bool) -> None:
    world = limited(registrations=2)
    world.services.accounts.by_invitation = required
    codes = world.admin()("POST", "/v1/invitations", {"count": 5}).json["invitations"]

    def register(name: str, code: str) -> TestResponse:
        return world.client.post("/v1/owners", json={"name": name, "invitation": code})

    for number, code in enumerate(codes):
        assert register(f"pupil-{number}", code).status_code == 201
    # Guesses count, as do codes that were used.
    assert register("guest", "invite_guess").json["code"] == "bad_invitation"
    assert register("guest", codes[0]).json["code"] == "bad_invitation"
    refused(register("guest", "invite_guess"), "registrations")


def test_invalid_tokens_are_counted_by_address_and_valid_ones_pass(limited: Limited) -> None:
    world = limited(bad_tokens=3)
    bot = world.bot()
    bad = {"Authorization": "Bearer kozyr_" + "a" * 32}
    statuses = [world.client.get("/v1/turns", headers=bad).status_code for _ in range(5)]
    assert statuses == [401, 401, 401, 429, 429]
    refused(world.client.post("/v1/turns", headers=bad, json={}), "bad_tokens")
    assert bot("GET", "/v1/turns").status_code == 200


def test_creations_are_counted_separately_and_a_rename_of_a_bot_is_one(limited: Limited) -> None:
    """The old name stays taken."""
    world = limited(creations=2)
    owner = world.owner()
    bot = world.bot(owner)
    world.match(bot)
    world.match(bot)
    refused(bot("POST", "/v1/matches", {"game": "durak", "seats": [bot.name, None]}), "creations")
    assert owner("PATCH", f"/v1/bots/{bot.name}", {"name": "two"}).status_code == 200
    assert owner("PATCH", f"/v1/bots/{bot.name}", {"version": "2"}).status_code == 200
    refused(owner("PATCH", f"/v1/bots/{bot.name}", {"name": "three"}), "creations")


def test_polls_are_limited_and_moves_are_not(limited: Limited) -> None:
    world = limited(polls=2)
    bot, turn = world.started()
    assert bot("POST", "/v1/turns", {"moves": []}).status_code == 200
    refused(bot("GET", "/v1/turns"), "polls")
    for _ in range(3):
        answer = bot("POST", "/v1/turns", {"moves": [legal(turn, match=turn["match"])]})
        assert answer.status_code == 200, answer.text
        if not answer.json["turns"]:
            break
        (turn,) = answer.json["turns"]
    refused(bot("POST", "/v1/turns", {"moves": []}), "polls")


def test_a_replayed_move_counts_as_a_poll(limited: Limited) -> None:
    world = limited(polls=3)
    bot, turn = world.started()
    path = f"/v1/matches/{turn['match']}/moves"
    body = legal(turn)
    assert bot("POST", path, body).json["replayed"] is False
    assert [bot("POST", path, body).status_code for _ in range(3)] == [200, 200, 429]


def test_refused_moves_are_limited_and_legal_moves_never_are(limited: Limited) -> None:
    world = limited(refused_moves=2)
    bot, turn = world.started()
    path = f"/v1/matches/{turn['match']}/moves"
    illegal = {"turn": turn["turn"], "move": "castle"}
    stale = {"turn": turn["turn"] + 1000, "move": "take"}
    assert [bot("POST", path, body).status_code for body in (illegal, stale)] == [422, 409]
    for body in (illegal, stale):
        answer = bot("POST", path, body)
        refused(answer, "refused_moves")
        assert "view" not in answer.json
    many = bot("POST", "/v1/turns", {"moves": [{"match": turn["match"], **illegal}]})
    assert many.status_code == 200
    assert many.json["results"][0]["problem"]["code"] == "rate_limited"
    assert bot.move(turn)["replayed"] is False


def test_malformed_move_requests_are_counted(limited: Limited) -> None:
    world = limited(requests=2)
    bot, turn = world.started()
    path = f"/v1/matches/{turn['match']}/moves"
    assert [bot("POST", where, {"more": 1}).status_code for where in (path, "/v1/turns")] == [422, 422]
    refused(bot("POST", "/v1/turns", {"more": 1}), "requests")
    bot.move(turn)


def test_other_malformed_requests_are_counted_and_nothing_is_parsed_for_an_invalid_token(
    limited: Limited,
) -> None:
    world = limited(requests=3, anonymous=3, bad_tokens=1)
    owner, wrong = world.owner(), {"more": 1}
    assert [owner("POST", path, wrong).status_code for path in ("/v1/bots", "/v1/matches")] == [422, 422]
    assert owner("GET", "/v1/tokens?more=1").status_code == 422
    refused(owner("POST", "/v1/match-batches", wrong), "requests")
    stranger = world.client
    bad = {"Authorization": "Bearer kozyr_" + "a" * 32}
    assert stranger.post("/v1/match-batches", headers=bad, json=wrong).status_code == 401
    refused(stranger.post("/v1/match-batches", headers=bad, json=wrong), "bad_tokens")
    unknown = "/v1/matches/17nothing/events?more=1"
    assert [stranger.get(unknown).status_code for _ in range(2)] == [422, 422]
    refused(stranger.get(unknown), "anonymous")


@pytest.mark.parametrize(
    ("method", "path"), [("GET", "/v1/turns"), ("POST", "/v1/turns"), ("GET", "/v1/queue")]
)
def test_requests_without_the_required_scope_are_counted(limited: Limited, method: str, path: str) -> None:
    world = limited(requests=1)
    owner = world.owner()
    reader = owner("POST", "/v1/tokens", {"scopes": ["challenge"]}).json["token"]
    asks = Person(world.client, "", reader, "")
    body = {} if method == "POST" else None
    assert asks(method, path, body).status_code == 403
    refused(asks(method, path, body), "requests")


def test_rate_limits_cost_a_move_no_round_trip(limited: Limited) -> None:
    world = limited(**dict.fromkeys(RateScope, 1000))
    load_scripts(world)
    bot, turn = world.started()
    path = f"/v1/matches/{turn['match']}/moves"
    body = legal(turn)
    other = limited(**dict.fromkeys(RateScope, 1000))  # a process that remembers neither token nor match
    before = other.services.redis.round_trips
    answer = Person(other.client, bot.name, bot.token, bot.id)("POST", path, body)
    assert answer.status_code == 200
    assert other.services.redis.round_trips == before + 3, (
        "one reads token and match, one commits, one notes presence"
    )
    assert "RateLimit" not in answer.headers


def test_an_exceeded_limit_is_not_counted_again_in_its_window(limited: Limited) -> None:
    world = limited(requests=1)
    bot = world.bot()
    bot("GET", "/v1/token")
    bot("GET", "/v1/token")
    before = world.services.redis.round_trips
    refused(bot("GET", "/v1/token"), "requests")
    assert world.services.redis.round_trips == before + 1, "only for the token"


def test_processes_count_together(limited: Limited, redis_url: str) -> None:
    world = limited(requests=2)
    bot = world.bot()
    bot("GET", "/v1/token")
    other = limited(services=compose(redis_url), requests=2).client
    headers = {"Authorization": f"Bearer {bot.token}"}
    assert other.get("/v1/token", headers=headers).status_code == 200
    refused(bot("GET", "/v1/token"), "requests")


def test_nobody_is_refused_while_rates_cannot_be_counted(limited: Limited, redis_url: str) -> None:
    services = compose(redis_url)
    services.rate_counters = compose("redis://127.0.0.1:1/0", Limits()).rate_counters
    world = limited(services=services, requests=1, polls=1, anonymous=1, registrations=1)
    bot, _ = world.started()
    assert [bot("GET", "/v1/turns").status_code for _ in range(3)] == [200] * 3
    assert [world.client.get("/v1/games").status_code for _ in range(3)] == [200] * 3


# From where


def environ(remote: str, forwarded: str | None = None) -> dict[str, str]:
    return {"REMOTE_ADDR": remote} | ({} if forwarded is None else {"HTTP_X_FORWARDED_FOR": forwarded})


@pytest.mark.parametrize(
    ("remote", "forwarded", "address"),
    [
        ("203.0.113.5", None, "203.0.113.5"),
        ("203.0.113.5", "198.51.100.1", "203.0.113.5"),
        ("10.0.0.1", "198.51.100.1", "198.51.100.1"),
        ("10.0.0.1", "1.2.3.4, 198.51.100.1", "198.51.100.1"),
        ("10.0.0.1", "1.2.3.4, 198.51.100.1, 10.0.0.2", "198.51.100.1"),
        ("10.0.0.1", "1.2.3.4, nonsense", "10.0.0.1"),
        ("10.0.0.1", "10.0.0.3, 10.0.0.2", "10.0.0.3"),
        ("10.0.0.1", None, "10.0.0.1"),
        ("2001:db8:1:2:3:4:5:6", None, "2001:db8:1:2::/64"),
        ("2001:db8:1:2:ffff::1", None, "2001:db8:1:2::/64"),
        ("::ffff:10.0.0.1", "198.51.100.1", "198.51.100.1"),
        ("", "198.51.100.1", "unknown"),
    ],
)
def test_only_entries_of_trusted_proxies_count(remote: str, forwarded: str | None, address: str) -> None:
    parse, _ = networks()
    assert Addresses().of(environ("127.0.0.1", "198.51.100.1")) == "127.0.0.1", "by default none is trusted"
    assert Addresses(parse("10.0.0.0/8, ::1")).of(environ(remote, forwarded)) == address


def test_an_address_cannot_be_forged_to_escape(limited: Limited) -> None:
    world = limited(anonymous=1)
    answers = [world.client.get("/v1/games", headers={"X-Forwarded-For": f"10.0.0.{n}"}) for n in range(2)]
    assert [answer.status_code for answer in answers] == [200, 429]

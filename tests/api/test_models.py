"""The leaderboard by language model: ratings of the joint fit, rates, cost per deal, and forfeits told from losses."""

from __future__ import annotations

import csv
import io
import math
from typing import Any

import pytest

from league.models import mean_rating
from records.ratings.fit import Results
from records.ratings.model import Rating
from records.results.group_result import GroupResult, ResultPlayer, SideResult
from tests.api.conftest import ApiWorld, Person, legal, refused
from tests.referee.world import ManualClock

PRESET = "durak/2"
CLOCK = {"move_ms": 1000, "bank_ms": 0, "strikes": 2}


@pytest.fixture
def clock(world: ApiWorld) -> ManualClock:
    """Service time that the test sets."""
    return ManualClock(world.services.store.redis)  # type: ignore[attr-defined]  # the port hides it


def bot_with(world: ApiWorld, **agent: str) -> Person:
    """Return a bot that declares this."""
    owner = world.owner()
    bot = world.bot(owner)
    assert owner("PATCH", f"/v1/bots/{bot.name}", {"agent": agent}).status_code == 200
    return bot


def models(world: ApiWorld, preset: str | None = None) -> list[dict[str, Any]]:
    found = world.client.get("/v1/models" + (f"?preset={preset}" if preset else ""))
    assert found.status_code == 200, found.text
    lines: list[dict[str, Any]] = found.json["models"]
    return lines


def play(bot: Person, *, most: int = 1000, **more: Any) -> int:
    """Make legal moves with this in their bodies until no turn is open or `most` are made. Return how many."""
    for number in range(most):
        turns = bot.turns()
        if not turns:
            return number
        bot.move(turns[0], **more)
    return most


def test_a_match_adds_its_deals_moves_refusals_mendings_and_cost(world: ApiWorld) -> None:
    bot = bot_with(world, model="opus-5", provider="example", effort="high")
    match = world.match(bot, deals=2)["id"]
    turn = world.turn(bot)
    for move in ("castle", "castle", ""):
        bot("POST", f"/v1/matches/{match}/moves", {"turn": turn["turn"], "move": move})
    bot("POST", f"/v1/matches/{match}/moves", {"turn": turn["turn"] + 50, "move": "take"})
    world.services.statistics.flush()
    facts = {"input_tokens": 100, "output_tokens": 10, "cost_micro_usd": 7, "mended": ["case"]}
    moves = play(bot, facts=facts)
    (line,) = models(world)
    assert (line["model"], line["provider"], line["effort"]) == ("opus-5", "example", "high")
    assert line["bots"] == [bot.name]
    assert (line["matches"], line["deals"], line["moves"], line["told"]) == (1, 2, moves, moves)
    assert (line["won"] + line["lost"], line["disconnected"], line["no_shows"]) == (1, 0, 0)
    assert (line["refused"], line["late"], line["mended"]) == (3, 1, moves)
    assert line["refusal_rate"] == pytest.approx(3 / (3 + moves))
    assert line["mending_rate"] == 1
    assert line["input_tokens_per_deal"] == 100 * moves / 2
    assert line["cost_micro_usd_per_deal"] == 7 * moves / 2
    assert line["rating"] is None


def test_bots_without_a_declaration_are_not_listed(world: ApiWorld) -> None:
    assert world.client.get("/v1/models").json == {"preset": None, "presets": [], "models": []}
    refused(world.client.get("/v1/models?preset=durak/2"), 404, "no_such_preset")
    for bot in (world.bot(), bot_with(world, model="opus-5")):
        world.match(bot)
        play(bot)
    assert [line["input_tokens_per_deal"] for line in models(world)] == [None]


def test_another_declaration_begins_anew(world: ApiWorld) -> None:
    owner = world.owner()
    bot = world.bot(owner)
    path = f"/v1/bots/{bot.name}"
    owner("PATCH", path, {"agent": {"model": "opus-4"}})
    world.match(bot)
    play(bot)
    owner("PATCH", path, {"agent": {"model": "opus-4"}, "version": "2"})
    assert [line["matches"] for line in models(world)] == [1]
    other = owner("POST", "/v1/bots", {"name": "taken"}).json["bot"]["name"]
    refusal = owner("PATCH", path, {"agent": {"model": "opus-5"}, "name": other.partition("/")[2] or other})
    assert refusal.status_code == 409
    assert [line["matches"] for line in models(world)] == [1]
    owner("PATCH", path, {"agent": {"model": "opus-5"}})
    assert models(world) == []
    world.match(bot)
    play(bot)
    assert [(line["model"], line["matches"]) for line in models(world)] == [("opus-5", 1)]


def test_a_match_that_no_move_reaches_is_a_lost_connection(world: ApiWorld, clock: ManualClock) -> None:
    for most in (0, 1):
        bot = bot_with(world, model=f"moves {most}")
        match = world.match(bot, clock=CLOCK, deals=5)["id"]
        world.turn(bot)
        play(bot, most=most)
        time_out(world, clock, match)
    lines = models(world)
    assert [(line["disconnected"], line["lost"], line["too_slow"]) for line in lines] == [(1, 0, 0)] * 2


def test_a_model_whose_moves_come_too_late_has_lost(world: ApiWorld, clock: ManualClock) -> None:
    bot = bot_with(world, model="slow")
    match = world.match(bot, clock=CLOCK, deals=5)["id"]
    turn = world.turn(bot)
    late = legal(turn)
    clock.advance(3_600_000)
    refused(bot("POST", f"/v1/matches/{match}/moves", late), 409, "stale_turn")
    time_out(world, clock, match)
    (line,) = models(world)
    assert (line["disconnected"], line["lost"], line["too_slow"], line["late"]) == (0, 1, 1, 1)


def test_a_timeout_between_moves_and_a_resignation_are_losses(world: ApiWorld, clock: ManualClock) -> None:
    bot = bot_with(world, model="odd")
    match = world.match(bot, clock=CLOCK, deals=5)["id"]
    world.turn(bot)
    clock.advance(3_600_000)
    world.services.referee.apply_timeouts(match)
    play(bot, most=1)
    time_out(world, clock, match)
    other = world.match(bot, clock=CLOCK)["id"]
    world.turn(bot)
    assert bot("POST", f"/v1/matches/{other}/resign").status_code == 200
    (line,) = models(world)
    assert (line["too_slow"], line["resigned"], line["lost"], line["disconnected"]) == (1, 1, 2, 0)


def test_a_bot_that_never_polls_does_not_show_up(world: ApiWorld, clock: ManualClock) -> None:
    bot, other = bot_with(world, model="absent"), world.bot()
    match = world.match(other, None)["id"]
    bot("POST", f"/v1/matches/{match}/join", {})
    other("GET", "/v1/turns")
    clock.advance(86_400_000)
    world.services.referee.apply_timeouts(match)
    (line,) = models(world)
    assert (line["no_shows"], line["matches"], line["lost"]) == (1, 0, 0)


def time_out(world: ApiWorld, clock: ManualClock, match: str) -> None:
    """Let the time of all turns pass until the match is over."""
    for _ in range(20):
        if world.services.referee.look(match).finished:
            return
        clock.advance(3_600_000)
        world.services.referee.apply_timeouts(match)
    raise AssertionError("the match goes on")


def test_the_rating_of_a_model_is_that_of_its_bots(world: ApiWorld) -> None:
    bots = [bot_with(world, model="opus-5") for _ in range(2)]
    for bot in bots:
        world.match(bot)
        play(bot)
    outcomes = [result(number, bots[number % 2]) for number in range(6)]
    world.services.ratings.store.add(outcomes)
    assert world.services.ratings.catch_up(PRESET)
    (line,) = models(world, PRESET)
    fitted = Results(outcomes).fitted()
    first, second = (fitted.ratings[bot.id] for bot in bots)
    assert line["rating"]["mu"] == pytest.approx((first.mu + second.mu) / 2, abs=0.1)
    assert line["rating"]["groups"] == 6
    sigma = (line["rating"]["high"] - line["rating"]["low"]) / (2 * 1.96)
    assert sigma < max(first.sigma, second.sigma)
    assert line["bots"] == sorted(bot.name for bot in bots)


def result(number: int, bot: Person) -> GroupResult:
    """Return a group that the bot won against the anchor every other time."""
    points = (1, 0) if number % 3 else (0, 1)
    players = [ResultPlayer(bot.id, bot.name, "1"), ResultPlayer("house-greedy", "house/greedy", "1")]
    sides = [SideResult((player,), each, False) for player, each in zip(players, points, strict=True)]
    return GroupResult(PRESET, f"g{number}", 1000 + number, tuple(sides))


def test_the_variance_of_a_mean_follows_from_those_of_the_differences() -> None:
    one, two = Rating(1600, 50, 30), Rating(1500, 70, 10)
    covariance = 900.0
    apart = math.sqrt(50**2 + 70**2 - 2 * covariance)
    pairs = {("a", "a"): 0.0, ("b", "b"): 0.0, ("a", "b"): apart, ("b", "a"): apart}
    found = mean_rating({"a": one, "b": two}, pairs)
    assert found is not None
    assert (found.mu, found.groups) == (1575, 40)
    variance = (0.75 * 50) ** 2 + (0.25 * 70) ** 2 + 2 * 0.75 * 0.25 * covariance
    assert found.sigma == pytest.approx(math.sqrt(variance))
    assert mean_rating({"a": one}, {("a", "a"): 0.0}) == one
    assert mean_rating({}, {}) is None


def test_the_table_quotes_what_owners_declare(world: ApiWorld) -> None:
    bot = bot_with(world, model='=cmd|"/c calc"!A1', effort="high, very")
    world.match(bot)
    play(bot)
    found = world.client.get("/v1/models", headers={"Accept": "text/csv"})
    (row,) = csv.DictReader(io.StringIO(found.text))
    assert (row["model"], row["effort"], row["bots"]) == ('\'=cmd|"/c calc"!A1', "high, very", bot.name)
    assert {"rating_mu", "rating_low", "refusal_rate", "cost_micro_usd_per_deal"} <= row.keys()

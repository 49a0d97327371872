"""Bot statistics over HTTP: only the bot's owner sees them."""

from __future__ import annotations

import csv
import io
from collections import Counter
from typing import Any

import pytest

from api.app import create_app
from league.fitness.model import DayStatistics
from tests.api.conftest import ApiWorld, Person, compose, load_scripts, refused


def statistics(who: Person, bot_name: str | None = None, **more: Any) -> dict[str, Any]:
    response = who("GET", f"/v1/bots/{bot_name or who.name}/statistics", **more)
    assert response.status_code == 200, response.text
    found: dict[str, Any] = response.json
    return found


def test_statistics_count_refused_moves_by_code_and_replays(world: ApiWorld) -> None:
    bot, turn = world.started()
    path = f"/v1/matches/{turn['match']}/moves"
    bot("POST", path, {"turn": turn["turn"], "move": "castle"})
    bot("POST", path, {"turn": turn["turn"] + 7, "move": "take"})
    bot("POST", path, {"turn": turn["turn"]})
    for _ in range(3):
        bot.move(turn)
    many = [{"match": turn["match"], "turn": turn["turn"], "move": "castle"}] * 2
    bot("POST", "/v1/turns", {"moves": many})
    bot("POST", "/v1/turns", {"moves": "none"})
    found = statistics(bot)
    assert found["refused"] == {"invalid_body": 2, "not_a_move": 1, "stale_turn": 3}
    assert (found["replayed_moves"], found["matches"], found["thinking"]) == (2, 0, [])


def test_statistics_of_a_finished_match_include_thinking_times(world: ApiWorld) -> None:
    bot, turn = world.started()
    made = 0
    while turn is not None:
        turn = bot.move(turn)["next"]
        made += 1
    found = statistics(bot)
    assert (found["matches"], found["moves"], found["timeouts"], found["forfeits"]) == (1, made, 0, 0)
    (thinking,) = found["thinking"]
    assert (thinking["game"], thinking["moves"], thinking["clock"]["move_ms"]) == ("durak", made, 5000)
    assert thinking["p50_ms"] <= thinking["p90_ms"] <= thinking["p99_ms"] <= thinking["max_ms"]
    page = bot("GET", f"/v1/bots/{bot.name}/statistics?days=30", headers={"Accept": "text/csv"})
    (row,) = csv.DictReader(io.StringIO(page.text))
    assert (row["thinking_game"], row["thinking_clock_move_ms"]) == ("durak", "5000")
    assert (row["thinking_moves"], row["moves"], row["timeouts"]) == (str(made), str(made), "0")


def test_only_the_bot_its_owner_and_admins_see_statistics(world: ApiWorld) -> None:
    owner = world.owner()
    bot, brother = world.bot(owner), world.bot(owner)
    for who in (owner, bot, world.admin()):
        assert statistics(who, bot.name)["bot"] == bot.name
    for who in (brother, world.owner(), world.bot()):
        refused(who("GET", f"/v1/bots/{bot.name}/statistics"), 403, "not_your_bot")
    refused(world.client.get(f"/v1/bots/{bot.name}/statistics"), 401, "token_missing")
    refused(owner("GET", "/v1/bots/house/greedy/statistics"), 403, "not_your_bot")


def test_bots_of_a_running_group_learn_nothing_of_each_other_from_statistics(world: ApiWorld) -> None:
    ann, bob = world.bot(), world.bot()
    ann("POST", "/v1/groups", {"game": "durak", "bots": [ann.name, bob.name]})
    for bot in (ann, bob):
        for turn in bot("GET", "/v1/turns").json["turns"]:
            path = f"/v1/matches/{turn['match']}/moves"
            bot("POST", path, {"turn": turn["turn"], "move": "castle"})
    for one, other in ((ann, bob), (bob, ann)):
        refused(one("GET", f"/v1/bots/{other.name}/statistics"), 403, "not_your_bot")
        assert statistics(one)["matches"] == 0


def test_counting_a_refusal_costs_no_round_trip(world: ApiWorld, redis_url: str) -> None:
    load_scripts(world)
    bot, turn = world.started()
    path, round_trips = f"/v1/matches/{turn['match']}/moves", lambda: world.services.redis.round_trips

    def cost(move: str) -> int:
        before = round_trips()
        bot("POST", path, {"turn": turn["turn"], "move": move})
        return round_trips() - before

    cost("castle")
    noted, note = cost("castle"), world.services.statistics.note
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(world.services.statistics, "note", lambda *_: None)
        assert cost("castle") == noted
    assert world.services.statistics.note == note
    # In a process that remembers nothing, one trip reads token and match, one commits, and one notes presence.
    other = compose(redis_url)
    elsewhere = Person(create_app(other).test_client(), bot.name, bot.token, bot.id)
    before = other.redis.round_trips
    elsewhere.move(turn)
    assert other.redis.round_trips == before + 3


def test_everybody_sees_the_regret_of_a_bot(world: ApiWorld) -> None:
    bot = world.bot(world.owner())
    numbers = {f"durak:{place}": number for place, number in enumerate((2, 5, 3, 13, 9, 7))}
    world.services.statistics.add_regret("m1", {bot.id: DayStatistics(regret=Counter(numbers))})
    response = world.client.get(f"/v1/bots/{bot.name}/regret")
    assert response.status_code == 200
    (game,) = response.json["games"]
    assert (game["game"], game["matches"], game["decisions"], game["regret"]) == ("durak", 2, 5, 0.6)
    assert game["low"] < 0.6 < game["high"]
    assert world.client.get("/v1/bots/house/greedy/regret").json["games"] == []
    refused(world.client.get("/v1/bots/nobody/none/regret"), 404, "no_such_bot")

"""Ratings over HTTP. The league's own tests cover their computation."""

from __future__ import annotations

import csv
import io
from typing import Any

import pytest

from records.results.group_result import played_of_record
from tests.api.conftest import ApiWorld, Person, refused
from tests.api.test_groups import play
from tests.support.played import record, take


def meet(world: ApiWorld, bot: Person, points: int, *, number: int = 0, version: str = "1") -> None:
    """Store the result of a rated match against `greedy`."""
    response = record([bot.name, "house/greedy"], [points, -points], ident=f"m{number}", ended=number)
    response["seats"][0].update(id=bot.id, version=version)
    rate(world, response)


def rate(world: ApiWorld, response: Any) -> None:
    played = played_of_record(response)
    assert played is not None
    take(world.services.ratings, [played])
    world.services.ratings.catch_up(played.preset)


def test_ratings_have_intervals_and_the_highest_comes_first(world: ApiWorld) -> None:
    for number in range(5):
        meet(world, world.bot(), 1 if number < 3 else -1, number=number)
    assert {"preset": "durak/2", "id": "e1076b8dd53c68c9"} in world.client.get("/v1/presets").json["presets"]
    whole = world.client.get("/v1/ratings?preset=durak/2").json["ratings"]
    assert [one["rating"] for one in whole] == sorted((one["rating"] for one in whole), reverse=True)
    assert all(one["low"] < one["rating"] < one["high"] for one in whole if not one["anchor"])
    (anchor,) = (one for one in whole if one["anchor"])
    assert (anchor["bot"], anchor["low"], anchor["high"]) == ("house/greedy", 1500.0, 1500.0)


def test_a_bots_ratings_and_their_history(world: ApiWorld) -> None:
    bot = world.bot()
    for number in range(3):
        meet(world, bot, 1, number=number)
    found = world.client.get(f"/v1/bots/{bot.name}/ratings").json
    assert (found["bot"], found["id"]) == (bot.name, bot.id)
    (only,) = found["ratings"]
    assert only["preset"] == "durak/2"
    assert only["rating"]["groups"] == 3
    address = f"/v1/bots/{bot.name}/ratings/history?preset=durak/2&limit=2"
    first = world.client.get(address).json
    second = world.client.get(f"{address}&cursor={first['cursor']}").json
    assert [past["group"] for past in first["history"] + second["history"]] == ["m2", "m1", "m0"]
    assert second["cursor"] is None
    assert first["history"][0]["mu"] == only["rating"]["mu"]


def test_a_preset_is_named_by_its_name_or_its_id(world: ApiWorld) -> None:
    bot = world.bot()
    meet(world, bot, 1)
    of_bot = f"/v1/bots/{bot.name}"
    for address in (
        "/v1/ratings?",
        f"{of_bot}/ratings/history?",
        f"{of_bot}/ratings/versions?",
        f"{of_bot}/head-to-head/house/greedy?",
        f"{of_bot}/badge.svg?",
    ):
        by_name = world.client.get(f"{address}preset=durak/2")
        by_id = world.client.get(f"{address}preset=e1076b8dd53c68c9")
        assert (by_id.status_code, by_id.data) == (200, by_name.data), address
    refused(world.client.get("/v1/ratings?preset=0076b8dd53c68c90"), 404, "no_such_preset")


@pytest.mark.parametrize(
    ("path", "status", "code"),
    [
        ("/v1/ratings", 422, "invalid_query"),
        ("/v1/ratings?preset=bridge/4", 404, "no_such_preset"),
        ("/v1/ratings?preset=durak/2&limit=0", 422, "invalid_query"),
        ("/v1/ratings?preset=durak/2&cursor=abc", 400, "bad_cursor"),
        ("/v1/bots/house/nobody/ratings", 404, "no_such_bot"),
        ("/v1/bots/house/greedy/ratings/history?preset=bridge/4", 404, "no_such_preset"),
    ],
)
def test_invalid_queries_are_refused(world: ApiWorld, path: str, status: int, code: str) -> None:
    meet(world, world.bot(), 1)
    answer = world.client.get(path)
    refused(answer, answer.status_code if status == 422 else status, code)


def test_csv_tables_include_intervals(world: ApiWorld) -> None:
    owner = world.owner()
    bot = world.bot(owner)
    address = world.ladder(owner, bot)
    standings = world.client.get(f"{address}/standings").json
    assert (standings["preset"], standings["standings"][0]["rating"]) == ("durak/2", None)
    meet(world, bot, 1)
    for path in (f"{address}/standings", "/v1/ratings?preset=durak/2"):
        answer = world.client.get(path, headers={"Accept": "text/csv"})
        assert answer.mimetype == "text/csv"
        rows = list(csv.DictReader(io.StringIO(answer.text)))
        low = "low" if path.startswith("/v1/ratings") else "rating_low"
        (mine,) = (row for row in rows if row["bot"] == bot.name)
        assert float(mine[low]) < float(mine[low.replace("low", "high")])
    of_bot = f"/v1/bots/{bot.name}"
    for path in (
        f"{address}/crosstable",
        f"{of_bot}/ratings",
        f"{of_bot}/ratings/history?preset=durak/2",
        f"{of_bot}/head-to-head/house/greedy?preset=durak/2",
    ):
        answer = world.client.get(path, headers={"Accept": "text/csv"})
        assert (answer.status_code, answer.mimetype) == (200, "text/csv")


def test_two_bots_head_to_head_with_an_interval(world: ApiWorld) -> None:
    bot = world.bot()
    for number, points in enumerate((1, 1, 0, -1)):
        meet(world, bot, points, number=number)
    address = f"/v1/bots/{bot.name}/head-to-head/house/greedy?preset=durak/2"
    found = world.client.get(address).json
    assert (found["groups"], found["wins"], found["ties"], found["losses"]) == (4, 2, 1, 1)
    assert found["share"] == 0.625
    assert 0.0 < found["low"] < 0.625 < found["high"] < 1.0
    mirrored = world.client.get(f"/v1/bots/house/greedy/head-to-head/{bot.name}?preset=durak/2").json
    assert (mirrored["wins"], mirrored["losses"], mirrored["share"]) == (1, 2, 0.375)
    never = world.client.get(f"/v1/bots/{bot.name}/head-to-head/house/random?preset=durak/2").json
    assert (never["groups"], never["share"], never["low"]) == (0, None, None)


def test_a_pool_without_the_anchor_is_marked_wherever_its_ratings_show(world: ApiWorld) -> None:
    owner = world.owner()
    bots = sorted([world.bot(owner), world.bot(owner)], key=lambda bot: bot.id)
    one, other = bots
    response = record([one.name, other.name], [1, -1], ident="m", ended=1)
    for seat, bot in zip(response["seats"], bots, strict=True):
        seat["id"] = bot.id
    rate(world, response)
    address, get = world.ladder(owner, one), world.client.get
    of_bot = f"/v1/bots/{one.name}/ratings"
    assert {each["pool"] for each in get("/v1/ratings?preset=durak/2").json["ratings"]} == {one.id}
    assert get(of_bot).json["ratings"][0]["rating"]["pool"] == one.id
    assert get(f"{of_bot}/history?preset=durak/2").json["history"][0]["pool"] == one.id
    assert get(f"{of_bot}/versions?preset=durak/2").json["versions"][0]["rating"]["pool"] == one.id
    assert get(f"{address}/standings").json["standings"][0]["rating"]["pool"] == one.id
    csv_row = next(
        csv.DictReader(io.StringIO(get(f"{address}/standings", headers={"Accept": "text/csv"}).text))
    )
    assert csv_row["rating_pool"] == one.id
    assert "own pool" in get(f"/v1/bots/{one.name}/badge.svg?preset=durak/2").text
    between = f"/v1/bots/{one.name}/head-to-head"
    apart = get(f"{between}/{other.name}?preset=durak/2").json
    assert apart["difference_low"] < apart["difference"] < apart["difference_high"]
    meet(world, world.bot(), 1)
    apart = get(f"{between}/house/greedy?preset=durak/2").json
    assert (apart["difference"], apart["difference_low"], apart["difference_high"]) == (None, None, None)


def test_versions_of_a_bot_have_ratings_and_results_of_their_own(world: ApiWorld) -> None:
    bot = world.bot()
    for number, (version, points) in enumerate([("1", 1), ("1", 1), ("2", -1), ("3", 1)]):
        meet(world, bot, points, number=number, version=version)
    versions = world.client.get(f"/v1/bots/{bot.name}/ratings/versions?preset=durak/2").json["versions"]
    assert [(each["version"], each["groups"]) for each in versions] == [("3", 1), ("2", 1), ("1", 2)]
    last = world.client.get(f"/v1/bots/{bot.name}/ratings").json["ratings"][0]["rating"]
    assert versions[0]["rating"] == last
    address = f"/v1/bots/{bot.name}/head-to-head/house/greedy?preset=durak/2"
    counts = {
        query: [world.client.get(address + query).json[name] for name in ("wins", "losses")]
        for query in ("", "&version=1", "&version=2", "&other_version=1", "&other_version=none", "&version=9")
    }
    assert counts == {
        "": [3, 1],
        "&version=1": [2, 0],
        "&version=2": [0, 1],
        "&other_version=1": [3, 1],
        "&other_version=none": [0, 0],
        "&version=9": [0, 0],
    }


def test_an_owner_compares_two_of_its_bots_unrated(world: ApiWorld) -> None:
    owner = world.owner()
    one, two = world.bot(owner), world.bot(owner)
    group = owner("POST", "/v1/groups", {"game": "durak", "bots": [one.name, two.name]})
    assert group.status_code == 201, group.text
    play(one, two)
    over = world.client.get(group.headers["Location"]).json
    assert over["status"] == "over"
    assert {line["bot"] for line in over["result"]["bots"]} == {one.name, two.name}
    single = owner("POST", "/v1/matches", {"game": "durak", "seats": [one.name, two.name]})
    assert (single.status_code, single.json["rated"]) == (201, False)
    world.services.ratings.tick()
    for bot in (one, two):
        assert world.client.get(f"/v1/bots/{bot.name}/ratings").json["ratings"] == []

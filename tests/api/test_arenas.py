"""Arenas over HTTP: they seat online bots, and reveal no pairings while names are hidden."""

from __future__ import annotations

from league.accounts.presence import ONLINE_MS
from tests.api.conftest import ApiWorld, refused
from tests.api.test_brackets import start


def test_the_bot_and_its_owner_see_it_online_after_a_poll_and_a_move(world: ApiWorld) -> None:
    owner = world.owner()
    bot, sister = world.bot(owner), world.bot(owner)
    address = f"/v1/bots/{bot.name}"
    assert owner("GET", address).json["online"] is False
    bot("GET", "/v1/turns")
    assert owner("GET", address).json["online"] is True
    assert bot("GET", address).json["online"] is True
    assert [each["online"] for each in owner("GET", "/v1/owners/me").json["bots"]] == [True, False]
    for stranger in (world.owner(), world.bot(), sister):
        assert "online" not in stranger("GET", address).json
    assert "online" not in world.client.get(address).json
    assert "online" not in world.client.get("/v1/bots").text
    sister("POST", "/v1/turns", {"moves": []})
    assert owner("GET", f"/v1/bots/{sister.name}").json["online"] is True
    world.match(bot)
    turn = world.turn(bot)
    world.services.presence._until.clear()
    world.services.store.redis.one("DEL", "kozyr:online")  # type: ignore[attr-defined]
    assert owner("GET", address).json["online"] is False
    bot.move(turn)
    assert owner("GET", address).json["online"] is True
    other = world.bot(owner)
    assert other("POST", "/v1/turns", {"wait": 1, "leaving": True}).json["running"] == 0
    assert owner("GET", f"/v1/bots/{other.name}").json["online"] is False, "it leaves"


def test_an_arena_seats_bots_that_are_online_and_free(world: ApiWorld) -> None:
    owner = world.owner()
    bots = [world.bot() for _ in range(4)]
    address = world.ladder(owner, *bots, format="arena", decks="independent")
    response = refused(owner("POST", address + "/rounds"), 409, "nothing_to_play")["detail"]
    assert "only 0 of the entries that can play are online" in response
    for bot in bots[:2]:
        bot("GET", "/v1/turns")
    start(world, owner, address)
    assert set(world.client.get(address + "/rounds/1").json["bots"]) == {bot.name for bot in bots[:2]}
    refused(owner("POST", address + "/rounds"), 409, "nothing_to_play")
    for bot in bots[2:]:
        bot("GET", "/v1/turns")
    start(world, owner, address)
    assert set(world.client.get(address + "/rounds/2").json["bots"]) == {bot.name for bot in bots[2:]}
    assert world.client.get(address + "/schedule").json["running"] == [1, 2]
    assert ONLINE_MS >= 25_000, "longer than our client's poll"


def test_an_arena_reveals_no_pairings_while_names_are_hidden(world: ApiWorld) -> None:
    owner = world.owner()
    bots = [world.bot() for _ in range(3)]
    address = world.ladder(owner, *bots, format="arena")
    for bot in bots:
        bot("GET", "/v1/turns")
    preview = world.client.get(address + "/rounds/next").json
    assert (preview["meetings"], preview["sitting_out"]) == (None, None)
    start(world, owner, address)
    turns = [turn for bot in bots * 2 for turn in bot("GET", "/v1/turns").json["turns"]]
    assert turns, "the match has begun"
    readable = ("", "/rounds", "/rounds/1", "/schedule", "/standings", "/crosstable", "/seasons")
    before = {path: world.client.get(address + path).json for path in readable}
    assert before["/rounds/1"]["bots"] is None
    assert before["/rounds"]["rounds"][0]["bots"] is None
    named = {path: [bot.name in str(before[path]) for bot in bots] for path in readable}
    # Where anybody is named all are who entered.
    assert {path for path in readable if any(named[path])} == {"/standings", "/crosstable"}
    assert all(all(each) or not any(each) for each in named.values())
    assert all(line["matches"] == 0 for line in before["/standings"]["standings"])

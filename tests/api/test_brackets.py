"""Brackets over HTTP."""

from __future__ import annotations

from tests.api.conftest import ApiWorld, Person, refused


def start(world: ApiWorld, owner: Person, address: str) -> None:
    number = owner("POST", address + "/rounds").json["number"]
    world.services.rounds.work(address.rpartition("/")[2], number)


def play(world: ApiWorld, owner: Person, address: str, bots: dict[str, Person]) -> None:
    """A round in which of those at a table the second by name resigns."""
    start(world, owner, address)
    for bot in bots.values():
        bot("GET", "/v1/turns")
    running = f"/v1/matches?ladder={address.rpartition('/')[2]}&status=running"
    for match in world.client.get(running).json["matches"]:
        loser = max(seat["bot"] for seat in match["seats"])
        assert bots[loser]("POST", f"/v1/matches/{match['id']}/resign").status_code == 200


def test_a_bracket_shows_meetings_byes_and_advancing_bots(world: ApiWorld) -> None:
    owner = world.owner()
    bots = {bot.name: bot for bot in (world.bot() for _ in range(3))}
    address = world.ladder(owner, *bots, format="knock_out", decks="independent")
    empty = world.client.get(address + "/bracket").json
    assert (empty["stages"], empty["winner"], empty["season"]) == ([], None, 1)
    play(world, owner, address, bots)
    found = world.client.get(address + "/bracket").json
    first, final = found["stages"]
    (meeting,) = first["meetings"]
    assert (meeting["decided"], meeting["groups"], meeting["advance"]) == (True, 1, 1)
    (through,) = (each["bot"] for each in meeting["bots"] if each["advances"])
    assert through == min(each["bot"] for each in meeting["bots"])
    (bye,) = first["byes"]
    (undecided,) = final["meetings"]
    assert {each["bot"] for each in undecided["bots"]} == {through, bye["bot"]}
    assert {each["advances"] for each in undecided["bots"]} == {None}
    play(world, owner, address, bots)
    found = world.client.get(address + "/bracket").json
    assert found["winner"]["bot"] == min(through, bye["bot"])
    owner("POST", address + "/seasons")
    assert world.client.get(address + "/bracket?season=1").json == found
    (_, past) = world.client.get(address + "/seasons").json["seasons"]
    assert past["winners"] == [found["winner"]]
    body = {"action": "disqualify", "bot": found["winner"]["bot"], "season": 1, "reason": "it cheated"}
    assert owner("POST", address + "/corrections", body).status_code == 200
    assert world.client.get(address + "/bracket?season=1").json == {**found, "winner": None}


def test_the_bracket_hides_bots_while_names_are_hidden(world: ApiWorld) -> None:
    owner = world.owner()
    bots = [world.bot() for _ in range(4)]
    address = world.ladder(owner, *bots, format="knock_out")
    start(world, owner, address)
    response = world.client.get(address + "/bracket")
    (stage,) = response.json["stages"]
    assert [(each["decided"], each["bots"]) for each in stage["meetings"]] == [(False, None)] * 2
    assert not any(bot.name in response.text for bot in bots)


def test_a_ladder_without_a_bracket_has_its_own_problem(world: ApiWorld) -> None:
    owner = world.owner()
    response = refused(world.client.get(f"{world.ladder(owner)}/bracket"), 404, "no_bracket")
    assert response["detail"] == "the ladder's format is round_robin; only a knock_out has a bracket"
    address = world.ladder(owner, format="knock_out")
    refused(world.client.get(address + "/bracket?season=2"), 404, "no_such_season")
    refused(world.client.get(address + "/bracket?stage=1"), 422, "invalid_query")
    refused(world.client.get("/v1/ladders/lnone/bracket"), 404, "no_such_ladder")

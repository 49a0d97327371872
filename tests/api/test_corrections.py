"""Corrections of published results over HTTP."""

from __future__ import annotations

from tests.api.conftest import ApiWorld, refused
from tests.api.test_seasons import with_a_round


def test_a_correction_makes_a_version_that_everybody_reads(world: ApiWorld) -> None:
    owner = world.owner()
    address = with_a_round(world, owner)
    results = f"{address}/seasons/1/results"
    assert world.client.get(results).json == {"versions": []}
    owner("POST", address + "/seasons")
    (first,) = world.client.get(results).json["versions"]
    assert (first["version"], first["action"], first["by"], first["complete"]) == (1, "published", "", True)
    assert {each["bot"] for each in first["places"]} == {"house/greedy", "house/random"}
    winner = first["winners"][0]["bot"]
    body = {"action": "disqualify", "bot": winner, "season": 1, "reason": "it cheated"}
    corrected = owner("POST", f"{address}/corrections", body)
    assert corrected.status_code == 200, corrected.text
    (other,) = {"house/greedy", "house/random"} - {winner}
    assert (corrected.json["versions"], [each["bot"] for each in corrected.json["winners"]]) == (2, [other])
    second, unchanged = world.client.get(results).json["versions"]
    assert unchanged == first
    assert (second["version"], second["action"], second["by"]) == (2, "disqualify", owner.name)
    assert second["reason"] == "it cheated"
    line = world.client.get(f"{address}/standings?season=1").json["standings"][-1]
    assert (line["bot"], line["place"], line["out"]) == (winner, None, "it cheated")
    table = world.client.get(f"{address}/standings?season=1", headers={"Accept": "text/csv"}).text
    assert "it cheated" in table
    (entry, *_) = owner("GET", f"/v1/audit?ladder={address.rpartition('/')[2]}").json["entries"]
    assert (entry["action"], entry["reason"]) == ("disqualify", "it cheated")


def test_only_an_organiser_corrects_and_bad_corrections_change_nothing(world: ApiWorld) -> None:
    owner, stranger = world.owner(), world.owner()
    address = with_a_round(world, owner)
    owner("POST", address + "/seasons")
    body = {"action": "disqualify", "bot": "house/greedy", "season": 1, "reason": "it cheated"}
    refused(stranger("POST", f"{address}/corrections", body), 403, "not_your_ladder")
    refused(owner("POST", f"{address}/corrections", {**body, "season": 7}), 404, "no_such_season")
    refused(owner("POST", f"{address}/corrections", {**body, "bot": "house/search"}), 404, "no_such_bot")
    bot = world.bot()
    refused(owner("POST", f"{address}/corrections", {**body, "bot": bot.name}), 409, "entry_refused")
    refused(owner("POST", f"{address}/corrections", {**body, "action": "decide"}), 422, "bad_value")
    refused(owner("POST", f"{address}/corrections", {**body, "reason": ""}), 422, "invalid_body")
    assert len(world.client.get(f"{address}/seasons/1/results").json["versions"]) == 1


def test_an_organiser_reruns_a_match_of_the_own_ladder_alone(world: ApiWorld) -> None:
    owner, other = world.owner(), world.owner()
    address, _ = with_a_round(world, owner), with_a_round(world, other)
    ladder = address.rpartition("/")[2]
    match = owner("GET", f"/v1/matches?ladder={ladder}").json["matches"][0]["id"]
    refused(owner("POST", f"/v1/matches/{match}/rerun"), 409, "not_rerunnable")
    owner("POST", f"/v1/matches/{match}/void", {"reason": "a broken deck"})
    refused(other("POST", f"/v1/matches/{match}/rerun"), 403, "not_your_ladder")
    refused(world.bot(owner)("POST", f"/v1/matches/{match}/rerun"), 403, "scope_missing")
    again = owner("POST", f"/v1/matches/{match}/rerun")
    assert again.status_code == 201, again.text
    assert (again.json["ladder"], again.json["round"]) == (ladder, 1)
    assert (again.json["match"] is None) != (again.json["group"] is None)

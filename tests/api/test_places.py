"""Places and winners of every format, recomputed by an outsider from records and public answers (docs/ladders.md)."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from typing import Any

import pytest
import redis

from tests.api.conftest import ApiWorld, compose, world_of
from tests.api.test_void import records
from tests.outsider.places import KEYS, SeasonRecords, places, winners
from tests.support.league import AtRandom, ServiceTime

BOTS = [f"h{number}" for number in range(1, 8)]


@pytest.fixture
def world(redis_url: str, redis_client: redis.Redis) -> ApiWorld:
    """An application with more house bots."""
    return world_of(compose(redis_url, players={name: AtRandom(name) for name in BOTS}))


class Organiser:
    """The owner of a ladder among house bots."""

    def __init__(self, world: ApiWorld, bots: int, **settings: Any) -> None:
        self.world, self.owner = world, world.owner()
        self.address = world.ladder(self.owner, rated=False, deals=1, **settings)
        self.ladder = self.address.rpartition("/")[2]
        self.enter(*BOTS[:bots])

    def enter(self, *bots: str) -> None:
        for bot in bots:
            answer = self.owner("POST", f"{self.address}/entries", {"bot": f"house/{bot}"})
            assert answer.status_code == 200, answer.text

    def withdraw(self, bot: str) -> None:
        assert self.owner("DELETE", f"{self.address}/entries/house/{bot}").status_code in (200, 204)

    def play(self, most: int = 1) -> None:
        """Play rounds, at most so many and until there is nothing to play."""
        for _ in range(most):
            started = self.owner("POST", f"{self.address}/rounds")
            if started.status_code == 409:
                assert started.json["code"] == "nothing_to_play", started.text
                return
            self.work(started.json["number"])

    def work(self, number: int | None = None) -> None:
        """Work on this or the last round until nothing is left to do now."""
        last = number or self.get("/rounds")["rounds"][0]["number"]
        self.world.work(self.address, last)

    def void(self, round_: int) -> None:
        """Void a match of this round."""
        match = next(each for each in self.records() if each["round"] == round_)
        gone = self.world.admin()("POST", f"/v1/matches/{match['id']}/void", {"reason": "a disk was full"})
        assert gone.status_code == 200, gone.text

    def records(self) -> list[dict[str, Any]]:
        return [each for each in records(self.world) if each["ladder"] == self.ladder]

    def get(self, path: str = "") -> Any:
        answer = self.world.client.get(f"{self.address}{path}")
        assert answer.status_code == 200, answer.text
        return answer.json


def season_of(organiser: Organiser, numbers: Sequence[int]) -> SeasonRecords:
    entries = organiser.get("/entries?withdrawn=true")["entries"]
    took_part = {line["bot"] for line in organiser.get("/standings?season=1")["standings"]}
    bots = [each["bot"] for each in sorted(entries, key=lambda each: each["entered"])]
    rounds = [organiser.get(f"/rounds/{number}") for number in numbers]
    found = [each for each in rounds if each["state"] == "done"]
    return SeasonRecords(
        organiser.get(), found, organiser.records(), [bot for bot in bots if bot in took_part]
    )


def check(organiser: Organiser) -> None:
    """End the season and compare it with what the outsider finds."""
    assert organiser.owner("POST", f"{organiser.address}/seasons").status_code == 201
    past = organiser.get("/seasons/1")
    season = season_of(organiser, range(past["first_round"], past["last_round"] + 1))
    standings = organiser.get("/standings?season=1")["standings"]
    expected = places(KEYS[organiser.get()["format"]](season))
    assert {line["bot"]: line["place"] for line in standings} == expected
    shown = [line["place"] for line in standings]
    assert shown == sorted(shown)
    assert past["complete"]
    won = {each["bot"] for each in past["winners"]}
    assert won == winners(season) == {line["bot"] for line in standings if line["won"]}
    assert won
    pages, cursor = list[str](), ""
    while cursor is not None:
        page = organiser.get(f"/standings?season=1&limit=2{cursor and '&cursor='}{cursor}")
        pages += [line["bot"] for line in page["standings"]]
        cursor = page["cursor"]
    assert pages == [line["bot"] for line in standings]
    path = f"{organiser.address}/standings?season=1"
    table = organiser.world.client.get(path, headers={"Accept": "text/csv"}).text
    assert [int(row["place"]) for row in csv.DictReader(io.StringIO(table))] == shown


@pytest.mark.parametrize("decks", ["independent", "rotated"])
@pytest.mark.parametrize("seats", [2, 3])
def test_swiss_places_follow_from_records_with_late_entries_withdrawals_and_voids(
    world: ApiWorld, decks: str, seats: int
) -> None:
    organiser = Organiser(world, 5, seats=seats, format="swiss", parameters={"rounds": 4}, decks=decks)
    organiser.play(2)
    organiser.enter("h6", "h7")
    organiser.play()
    organiser.void(1)
    organiser.withdraw("h1")
    organiser.play(9)
    lines = {line["bot"]: line for line in organiser.get("/standings")["standings"]}
    assert lines["house/h7"]["rounds_missed"] == 2
    assert lines["house/h1"]["rounds_missed"] == 1
    assert all(line["score"] == sum(each["points"] for each in line["rounds"]) for line in lines.values())
    kinds = [each["kind"] for line in lines.values() for each in line["rounds"]]
    assert kinds.count("unplayed") == seats
    assert sum(line["byes"] for line in lines.values()) == kinds.count("bye")
    check(organiser)


def test_swiss_places_follow_from_records_with_no_shows(world: ApiWorld) -> None:
    organiser = Organiser(world, 3, format="swiss", parameters={"rounds": 3}, decks="independent")
    late = world.bot(organiser.owner)
    entered = organiser.owner("POST", f"{organiser.address}/entries", {"bot": late.name})
    assert entered.status_code == 200
    time = ServiceTime(world.services.redis)
    for _ in range(3):
        organiser.play()
        for _ in range(3):
            time.go(world.services.referee.times.start_ms)
            matches = world.client.get(f"/v1/matches?ladder={organiser.ladder}&limit=100").json["matches"]
            for match in matches:
                world.client.get(f"/v1/matches/{match['id']}")
            organiser.work()
    lines = {line["bot"]: line for line in organiser.get("/standings")["standings"]}
    assert {each["kind"] for each in lines[late.name]["rounds"]} == {"no_show"}
    assert lines[late.name]["score"] == 0
    check(organiser)


@pytest.mark.parametrize("decks", ["independent", "rotated"])
@pytest.mark.parametrize(("seats", "bots"), [(2, 6), (3, 7)])
def test_the_champion_of_a_knock_out_is_first_and_follows_from_records(
    world: ApiWorld, decks: str, seats: int, bots: int
) -> None:
    organiser = Organiser(world, bots, seats=seats, format="knock_out", decks=decks)
    organiser.play(12)
    byes = {each["bot"] for each in organiser.get("/bracket")["stages"][0]["byes"]}
    assert set(organiser.get("/rounds/1")["sitting_out"]) == byes
    first, *others = organiser.get("/standings")["standings"]
    assert first["place"] == 1
    assert first["won"]
    assert first["id"] == organiser.get("/bracket")["winner"]["id"]
    assert all(line["place"] > 1 and not line["won"] for line in others)
    check(organiser)


@pytest.mark.parametrize("decks", ["independent", pytest.param("rotated", marks=pytest.mark.ci)])
@pytest.mark.parametrize("format_", ["round_robin", "gauntlet", "arena"])
def test_points_per_deal_decide_the_other_formats(world: ApiWorld, format_: str, decks: str) -> None:
    organiser = Organiser(world, 4, format=format_, decks=decks)
    organiser.play(3)
    check(organiser)


@pytest.mark.parametrize("parameters", [{"low": -0.3, "high": 0.3}, {"low": 0.0, "high": 5.0}, {"most": 10}])
def test_the_verdict_of_versus_follows_from_records(world: ApiWorld, parameters: dict[str, float]) -> None:
    organiser = Organiser(world, 2, format="versus", parameters={"batch": 10, **parameters}, decks="rotated")
    organiser.play(6)
    check(organiser)


def test_a_round_says_who_met_why_and_who_sat_out(world: ApiWorld) -> None:
    """The points before a round are those that the rounds before it gave."""
    organiser = Organiser(world, 5, format="swiss", parameters={"rounds": 5}, decks="independent")
    organiser.play(5)
    lines = {line["bot"]: line["rounds"] for line in organiser.get("/standings")["standings"]}
    met = set[frozenset[str]]()
    for number in range(1, 6):
        round_ = organiser.get(f"/rounds/{number}")
        assert round_["sitting_out"] == [bot for bot in lines if lines[bot][number - 1]["kind"] == "bye"]
        for meeting in round_["meetings"]:
            before = [sum(each["points"] for each in lines[bot][: number - 1]) for bot in meeting["bots"]]
            assert meeting["points"] == before
            assert meeting["met"] == (frozenset(meeting["bots"]) in met)
        met |= {frozenset(meeting["bots"]) for meeting in round_["meetings"]}
    assert "meetings" not in organiser.get("/rounds")["rounds"][0]

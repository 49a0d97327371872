"""What everybody sees of a ladder while its results are withheld: what they saw before."""

from __future__ import annotations

import re

import pytest

from tests.api.conftest import ApiWorld, Person, refused
from tests.web.conftest import Visitor

PAGES = ("", "/screen", "/cross", "/seasons", "/entries", "/seasons/1/results")
LISTS = (
    *("/standings", "/standings?limit=1", "/crosstable", "/seasons", "/seasons/1"),
    "/seasons?limit=1",
)
ELSEWHERE = (
    *("/v1/records", "/v1/ratings?preset=durak/2", "/v1/matches", "/v1/bots/house/greedy"),
    *("/v1/bots/house/greedy/ratings", "/v1/matches?status=running", "/v1/matches?bot=house/greedy"),
    *("/bots/house/greedy", "/matches", "/tv", "/ladders", "/home"),
)


class FrozenCup:
    """A ladder of two house bots with duplicate tables that has played a round."""

    def __init__(self, world: ApiWorld, visitor: Visitor) -> None:
        self.world, self.visitor, self.owner = world, visitor, world.owner()
        self.address = world.ladder(self.owner, "house/greedy", "house/random", decks="rotated")
        self.id = self.address.rpartition("/")[2]
        self.play()

    def play(self) -> int:
        number = self.world.play_round(self.owner, self.address)
        self.world.services.ratings.catch_up("durak/2")
        return number

    def seen(self, who: Person | None) -> dict[str, str]:
        """Return what a visitor, or the holder of a token, reads at each address."""
        headers = {} if who is None else {"Authorization": f"Bearer {who.token}"}
        paths = [*(self.address + path for path in LISTS), *ELSEWHERE]
        paths += [f"/ladders/{self.id}{path}" for path in PAGES]
        paths += [f"/v1/matches?ladder={self.id}", f"/v1/records?ladder={self.id}"]
        responses = {path: self.world.client.get(path, headers=headers) for path in paths}
        assert {path for path, response in responses.items() if response.status_code != 200} == set()
        found = {path: response.text for path, response in responses.items()}
        for path in (f"{self.address}/standings", f"{self.address}/crosstable"):
            response = self.world.client.get(path, headers={**headers, "Accept": "text/csv"})
            found[path + " as CSV"] = response.text
        found[f"/ladders/{self.id}"] = "".join(
            re.findall(r"<table>.*?</table>", found[f"/ladders/{self.id}"], re.DOTALL)
        )
        shown = r"<table.*?</table>|<kozyr-tv.*?</kozyr-tv>"
        screen = f"/ladders/{self.id}/screen"
        found[screen] = "".join(re.findall(shown, found[screen], re.DOTALL))
        # What says that the ladder is frozen, and what differs in every response.
        frozen = r'<p class="note">.*?</p>|"frozen":(null|"[^"]*")|, frozen since [^<]*'
        changing = frozen + r'|"(request_id|cursor)":"[^"]*"|value="\w{20,}"'
        return {path: re.sub(changing, "", text, flags=re.DOTALL) for path, text in found.items()}


@pytest.fixture
def cup(world: ApiWorld, visitor: Visitor) -> FrozenCup:
    return FrozenCup(world, visitor)


def test_nobody_learns_of_a_result_before_the_release(world: ApiWorld, cup: FrozenCup) -> None:
    readers = (None, cup.owner, world.owner())
    before = [cup.seen(who) for who in readers]
    cup.owner("POST", f"{cup.address}/freeze")
    number = cup.play()
    for who, expected in zip(readers, before, strict=True):
        now = cup.seen(who)
        assert "<table>" in now[f"/ladders/{cup.id}"]
        assert {path for path in now if now[path] != expected[path]} == set()
    round_ = world.client.get(f"{cup.address}/rounds/{number}").json
    assert (round_["state"], round_["finished"]) == ("running", 0)
    assert refused(cup.owner("POST", f"{cup.address}/rounds"), 409, "round_running")["round"] == number
    assert cup.owner("POST", f"{cup.address}/release").json["freeze"] is None
    world.services.ratings.catch_up("durak/2")
    after = cup.seen(None)
    assert after[f"{cup.address}/standings"] != before[0][f"{cup.address}/standings"]
    assert after["/v1/records"].count("\n") > before[0]["/v1/records"].count("\n")
    assert world.client.get(f"{cup.address}/rounds/{number}").json["state"] == "done"


def test_pages_tables_and_files_say_that_results_are_withheld(world: ApiWorld, cup: FrozenCup) -> None:
    def frozen() -> list[str | None]:
        return [world.client.get(f"{cup.address}/{of}").json["frozen"] for of in ("standings", "crosstable")]

    assert "withhold results" not in cup.visitor.page(f"/ladders/{cup.id}")
    assert frozen() == [None, None]
    found = cup.owner("POST", f"{cup.address}/freeze").json
    assert world.client.get(cup.address).json == found
    assert frozen() == [found["freeze"]] * 2 != [None, None]
    assert "The organisers withhold results from" in cup.visitor.page(f"/ladders/{cup.id}")
    file = world.client.get(f"{cup.address}/crosstable", headers={"Accept": "text/csv"})
    assert file.headers["Content-Disposition"].endswith('crosstable-frozen.csv"')


def test_the_audit_log_shows_facts_in_the_language_of_its_reader(cup: FrozenCup) -> None:
    for path in ("release", "freeze", "release"):
        assert cup.owner("POST", f"{cup.address}/{path}").status_code == 200
    cup.owner("PATCH", cup.address, {"schedule": {"cron": "@daily", "timezone": "UTC"}, "check": True})
    owner = Visitor(cup.world.app.test_client())
    assert owner.send("/sign-in", "/sign-in", {"token": cup.owner.token}).status_code == 303
    owner.language = "ru"
    page = owner.page(f"/ladders/{cup.id}/log")
    for shown in ("freeze: –", "check: да", "schedule: cron @daily, timezone UTC"):
        assert shown in page
    assert not re.search(r"\b(None|True|False)\b", page)


def test_only_organisers_freeze_and_not_in_the_past(world: ApiWorld, cup: FrozenCup) -> None:
    stranger, before = world.owner(), world.client.get(cup.address).json
    refused(stranger("POST", f"{cup.address}/freeze"), 403, "not_your_ladder")
    refused(stranger("POST", f"{cup.address}/release"), 403, "not_your_ladder")
    refused(cup.owner("POST", f"{cup.address}/freeze", {"from": "2020-01-01T00:00:00Z"}), 422, "bad_value")
    refused(cup.owner("POST", f"{cup.address}/freeze", {"from": "tomorrow"}), 422, "invalid_body")
    assert world.client.get(cup.address).json == before

"""Ladders over HTTP. The league's own tests cover how rounds run."""

from __future__ import annotations

from typing import Any

import pytest

from tests.api.conftest import ApiWorld, Person, refused


def ladder(owner: Person, **more: Any) -> dict[str, Any]:
    body = {"name": "A ladder", "game": "durak", "seats": 2, "check": False, **more}
    response = owner("POST", "/v1/ladders", body)
    assert response.status_code == 201, response.text
    assert response.headers["Location"] == f"/v1/ladders/{response.json['id']}"
    found: dict[str, Any] = response.json
    return found


def test_a_ladder_with_a_schedule_shows_its_next_starts(world: ApiWorld) -> None:
    owner = world.owner()
    made = ladder(owner, schedule={"cron": "*/5 * * * *", "timezone": "Europe/Moscow"}, state="running")
    assert made["owner"] == owner.name
    assert made["schedule"] == {"cron": "*/5 * * * *", "timezone": "Europe/Moscow"}
    assert len(world.client.get(f"/v1/ladders/{made['id']}/schedule").json["next_rounds"]) == 5
    assert world.client.get(f"/v1/ladders/{made['id']}").json == made
    assert world.client.get("/v1/ladders").json == {"ladders": [made], "cursor": None}


def test_bots_are_entered_and_withdrawn(world: ApiWorld) -> None:
    owner, stranger = world.owner(), world.owner()
    bot, other = world.bot(owner), world.bot(stranger)
    address = f"/v1/ladders/{ladder(owner)['id']}/entries"
    assert owner("POST", address, {"bot": bot.name}).json["bot"] == bot.name
    assert owner("POST", address, {"bot": "house/random"}).status_code == 200
    assert stranger("POST", address, {"bot": other.name}).status_code == 200
    assert stranger("POST", address, {"bot": bot.name}).json["code"] == "not_your_bot"
    assert stranger("POST", address, {"bot": "house/greedy"}).json["code"] == "not_your_bot"
    assert len(world.client.get(address).json["entries"]) == 3
    assert owner("DELETE", f"{address}/{other.name}").json["withdrawn"]
    assert stranger("DELETE", f"{address}/{bot.name}").json["code"] == "not_your_bot"
    assert len(world.client.get(address).json["entries"]) == 2
    assert len(world.client.get(address + "?withdrawn=true").json["entries"]) == 3


def test_a_dry_run_shows_who_would_meet(world: ApiWorld) -> None:
    owner = world.owner()
    made = ladder(owner, format="swiss", parameters={"rounds": 3})
    assert (made["format"], made["parameters"]) == ("swiss", {"rounds": 3})
    address = f"/v1/ladders/{made['id']}"
    assert world.client.get(f"{address}/rounds/next").json["code"] == "nothing_to_play"
    bots = [world.bot() for _ in range(3)]
    names = [bot.name for bot in bots]
    bots[0]("GET", "/v1/turns")
    for name in names:
        world.services.ladders.enter(made["id"], world.services.accounts.bot(*name.split("/")))
    found = owner("GET", f"{address}/rounds/next").json
    assert found["offline"] == sorted(names[1:])
    (meeting,) = found["meetings"]
    assert sorted([*meeting, *found["sitting_out"]]) == sorted(names)
    assert (found["number"], found["planned"]) == (1, 2)
    assert world.client.get(f"{address}/rounds").json["rounds"] == []
    # Names are hidden at the tables of groups, so the pairing is no stranger's and no player's business.
    for token in (None, world.owner().token, world.bot(owner).token):
        headers = {} if token is None else {"Authorization": f"Bearer {token}"}
        response = world.client.get(f"{address}/rounds/next", headers=headers).json
        assert (response["meetings"], response["sitting_out"], response["planned"]) == (None, None, 2)
        assert response["offline"] is None
    owner("POST", f"{address}/rounds")
    assert refused(owner("GET", f"{address}/rounds/next"), 409, "round_running")["round"] == 1


def test_a_format_that_does_not_fit_is_refused(world: ApiWorld) -> None:
    owner = world.owner()
    for more in ({"format": "bridge"}, {"format": "swiss", "parameters": {"rounds": 0}}):
        response = owner("POST", "/v1/ladders", {"name": "A ladder", "game": "durak", "seats": 2, **more})
        assert response.json["code"] in ("invalid_body", "bad_value")


def test_a_round_is_started_once(world: ApiWorld) -> None:
    owner = world.owner()
    address = f"/v1/ladders/{ladder(owner)['id']}"
    assert owner("POST", address + "/rounds").json["code"] == "nothing_to_play"
    for bot in ("house/random", "house/greedy"):
        owner("POST", address + "/entries", {"bot": bot})
    key = {"Idempotency-Key": "the first round"}
    assert owner("POST", address + "/rounds", headers=key).json["code"] == "invalid_header"
    key = {"Idempotency-Key": "the-first-round"}
    first = owner("POST", address + "/rounds", headers=key)
    assert first.status_code == 201
    assert first.json["planned"] == 2
    again = owner("POST", address + "/rounds", headers=key)
    assert (again.status_code, again.json) == (201, first.json)
    assert again.headers["Idempotency-Replayed"] == "true"
    other = owner("POST", address + "/rounds")
    assert (other.status_code, other.json["code"], other.json["round"]) == (409, "round_running", 1)
    assert world.client.get(address + "/rounds/1").json["bots"] == ["house/greedy", "house/random"]
    assert len(world.client.get(address + "/rounds").json["rounds"]) == 1
    assert world.client.get(address + "/rounds/2").json["code"] == "no_such_round"


def test_rounds_are_listed_the_last_first(world: ApiWorld) -> None:
    owner = world.owner()
    bot = world.bot(owner).name
    ladders = [f"/v1/ladders/{ladder(owner)['id']}" for _ in range(2)]
    for address in ladders:
        for each in (bot, "house/greedy"):
            owner("POST", address + "/entries", {"bot": each})
        for number in (1, 2, 3):
            made = owner("POST", address + "/rounds").json
            assert made["number"] == number
            # A round whose bots are gone is over at once.
            owner("PATCH", f"/v1/bots/{bot}", {"disabled": True})
            world.services.rounds.work(made["ladder"], number)
            owner("PATCH", f"/v1/bots/{bot}", {"disabled": False})
    first = world.client.get(ladders[0] + "/rounds?limit=2").json
    assert [each["number"] for each in first["rounds"]] == [3, 2]
    second = world.client.get(f"{ladders[0]}/rounds?limit=2&cursor={first['cursor']}").json
    assert ([each["number"] for each in second["rounds"]], second["cursor"]) == ([1], None)
    other = world.client.get(f"{ladders[1]}/rounds?cursor={first['cursor']}")
    assert (other.status_code, other.json["code"]) == (400, "bad_cursor")


def test_standings_and_cross_table_of_a_ladder_that_has_not_played(world: ApiWorld) -> None:
    owner = world.owner()
    address = f"/v1/ladders/{ladder(owner)['id']}"
    owner("POST", address + "/entries", {"bot": "house/random"})
    (line,) = world.client.get(address + "/standings").json["standings"]
    assert (line["bot"], line["place"], line["points_per_deal"]) == ("house/random", 1, None)
    assert world.client.get(address + "/crosstable").json["cells"] == []


def test_standings_have_points_per_deal_with_their_interval_in_json_and_in_csv(world: ApiWorld) -> None:
    owner = world.owner()
    address = f"/v1/ladders/{ladder(owner, decks='rotated', rated=True, check=False, repeats=6)['id']}"
    for bot in ("house/greedy", "house/random"):
        owner("POST", f"{address}/entries", {"bot": bot})
    made = owner("POST", f"{address}/rounds").json
    while world.services.rounds.work(made["ladder"], made["number"]):
        pass
    first, second = world.client.get(f"{address}/standings").json["standings"]
    for line in (first, second):
        assert (line["matches"], line["groups"], line["deals"]) == (12, 6, 12)
        assert line["points_low"] <= line["points_per_deal"] == line["points"] / 12 <= line["points_high"]
    cells = {cell["bot"]: cell for cell in world.client.get(f"{address}/crosstable").json["cells"]}
    for line in (first, second):
        cell = cells[line["id"]]
        assert cell["wins"] + cell["ties"] + cell["losses"] == cell["matches"] == 12
        assert cell["win_share"] + cell["tie_share"] + cell["loss_share"] == pytest.approx(1.0)
        assert (cell["points_low"], cell["points_high"]) == (line["points_low"], line["points_high"])
    response = world.client.get(f"{address}/standings", headers={"Accept": "text/csv"}).text.splitlines()
    row = dict(zip(response[0].split(","), response[1].split(","), strict=True))
    assert (row["bot"], float(row["points_low"])) == (first["bot"], first["points_low"])


def test_pages_of_standings_continue_after_the_last_bot(world: ApiWorld) -> None:
    owner = world.owner()
    address = f"/v1/ladders/{ladder(owner, repeats=2)['id']}"
    names = sorted(world.bot(owner).name for _ in range(3))
    for name in (*names, "house/greedy", "house/random"):
        owner("POST", f"{address}/entries", {"bot": name})
    page = world.client.get(f"{address}/standings?limit=2").json
    assert [line["bot"] for line in page["standings"]] == sorted([*names, "house/greedy", "house/random"])[:2]
    assert {line["place"] for line in page["standings"]} == {1}
    owner("DELETE", f"{address}/entries/{page['standings'][1]['bot']}")
    rest = world.client.get(f"{address}/standings?limit=1000&cursor={page['cursor']}").json
    assert [line["bot"] for line in rest["standings"]] == sorted([*names, "house/greedy", "house/random"])[2:]
    assert rest["cursor"] is None
    refused = world.client.get(f"{address}/standings?limit=1001")
    assert (refused.status_code, refused.json["code"]) == (422, "invalid_query")


def test_entries_come_in_pages_by_name(world: ApiWorld) -> None:
    owner = world.owner()
    address = f"/v1/ladders/{ladder(owner)['id']}/entries"
    names = sorted(world.bot(owner).name for _ in range(3))
    for name in names:
        owner("POST", address, {"bot": name})
    first = world.client.get(f"{address}?limit=2").json
    assert [each["bot"] for each in first["entries"]] == names[:2]
    owner("DELETE", f"{address}/{names[0]}")
    second = world.client.get(f"{address}?limit=2&cursor={first['cursor']}").json
    assert ([each["bot"] for each in second["entries"]], second["cursor"]) == (names[2:], None)
    other = world.client.get(f"{address}?withdrawn=true&cursor={first['cursor']}")
    assert (other.status_code, other.json["code"]) == (400, "bad_cursor")


def test_the_cross_table_comes_by_rows_in_json_and_in_csv(world: ApiWorld) -> None:
    owner = world.owner()
    address = f"/v1/ladders/{ladder(owner)['id']}"
    for bot in ("house/greedy", "house/random"):
        owner("POST", f"{address}/entries", {"bot": bot})
    made = owner("POST", f"{address}/rounds").json
    world.services.rounds.work(made["ladder"], made["number"])
    first = world.client.get(f"{address}/crosstable?limit=1").json
    assert [(cell["bot"], cell["opponent"]) for cell in first["cells"]] == [("house-greedy", "house-random")]
    assert {bot["bot"] for bot in first["bots"]} == {"house/greedy", "house/random"}
    rest = f"{address}/crosstable?limit=1&cursor={first['cursor']}"
    second = world.client.get(rest).json
    assert ([cell["bot"] for cell in second["cells"]], second["cursor"]) == (["house-random"], None)
    table = {"Accept": "text/csv"}
    page = world.client.get(f"{address}/crosstable?limit=1", headers=table)
    assert page.text.splitlines()[1].startswith("house/greedy,house/random,")
    following = world.client.get(
        f"{address}/crosstable?limit=1&cursor={page.headers['Kozyr-Cursor']}", headers=table
    )
    assert following.text.splitlines()[1].startswith("house/random,house/greedy,")
    assert "Kozyr-Cursor" not in following.headers


def test_only_its_owner_changes_a_ladder(world: ApiWorld) -> None:
    owner, stranger = world.owner(), world.owner()
    address = f"/v1/ladders/{ladder(owner)['id']}"
    assert stranger("PATCH", address, {"state": "paused"}).json["code"] == "not_your_ladder"
    assert owner("PATCH", address, {"state": "paused"}).json["state"] == "paused"
    assert owner("PATCH", address, {"state": "draft"}).json["code"] == "wrong_ladder_state"
    refused = owner("PATCH", address, {"schedule": {"cron": "now and then"}})
    assert (refused.status_code, refused.json["code"], refused.json["field"]) == (
        422,
        "bad_value",
        "schedule.cron",
    )


def test_a_refused_change_of_several_settings_changes_none(world: ApiWorld) -> None:
    owner = world.owner()
    made = ladder(owner)
    address = f"/v1/ladders/{made['id']}"
    good = {"schedule": {"cron": "@daily"}, "season_schedule": {"cron": "@monthly"}, "access": "closed"}
    for bad in ({"season_schedule": {"cron": "now and then"}}, {"state": "draft"}):
        assert owner("PATCH", address, {**good, **bad}).json["code"] in ("bad_value", "wrong_ladder_state")
        assert world.client.get(address).json == made
    changed = owner("PATCH", address, {**good, "state": "paused"}).json
    assert (changed["state"], changed["access"]) == ("paused", "closed")
    assert changed["season_schedule"]["cron"] == "@monthly"
    assert owner("PATCH", address, {}).json == changed


def test_a_ladder_is_renamed_described_and_corrected(world: ApiWorld) -> None:
    owner = world.owner()
    made = ladder(owner, description="For beginners")
    address = f"/v1/ladders/{made['id']}"
    assert made["description"] == "For beginners"
    changes = {"name": "Кубок", "description": "", "clock": {"move_ms": 700}, "format": "swiss", "seats": 3}
    changed = owner("PATCH", address, changes).json
    assert changed == {**made, **changes, "clock": changed["clock"], "options": changed["options"]}
    assert changed["clock"]["move_ms"] == 700
    for bot in ("house/random", "house/greedy"):
        owner("POST", f"{address}/entries", {"bot": bot})
    owner("PATCH", address, {"seats": 2})
    owner("POST", f"{address}/rounds")
    assert refused(owner("PATCH", address, {"check": True}), 409, "round_running")["round"] == 1
    while world.services.rounds.work(made["id"], 1):
        pass
    before = owner("PATCH", address, {"check": True}).json
    problem = refused(owner("PATCH", address, {"name": "Other", "seats": 3}), 422, "bad_value")
    assert (problem["field"], "first round" in problem["expected"]) == ("seats", True)
    assert world.client.get(address).json == before
    refused(owner("PATCH", address, {"schedule": {"timezone": "UTC"}}), 422, "invalid_body")


def test_continuous_rounds_have_no_next_starts(world: ApiWorld) -> None:
    owner = world.owner()
    made = ladder(owner, schedule="continuous", state="running")
    assert made["schedule"] == "continuous"
    ahead = world.client.get(f"/v1/ladders/{made['id']}/schedule").json
    assert (ahead["schedule"], ahead["next_rounds"], ahead["waits_for"]) == ("continuous", [], "entries")
    assert ahead["next_look"] is not None
    daily = {"cron": "@daily", "timezone": "UTC"}
    address = f"/v1/ladders/{made['id']}"
    assert owner("PATCH", address, {"schedule": daily}).json["schedule"] == daily
    ahead = world.client.get(address + "/schedule").json
    assert (ahead["waits_for"], len(ahead["next_rounds"]), ahead["next_look"]) == ("instant", 5, None)
    assert owner("PATCH", address, {"schedule": "continuous"}).json["schedule"] == "continuous"
    assert owner("PATCH", address, {"schedule": None}).json["schedule"] is None
    assert world.client.get(address + "/schedule").json["waits_for"] == "hand"


def test_an_invalid_schedule_is_refused_with_the_expected_form(world: ApiWorld) -> None:
    owner = world.owner()
    for wrong, status, code in (
        ("always", 422, "invalid_body"),
        ({}, 422, "invalid_body"),
        ({"cron": "continuous"}, 422, "bad_value"),
        ({"cron": "0 0 30 2 *"}, 422, "bad_value"),
        ({"cron": "@daily", "timezone": "Mars/Phobos"}, 422, "bad_value"),
    ):
        body = {"name": "A ladder", "game": "durak", "seats": 2, "schedule": wrong}
        refused(owner("POST", "/v1/ladders", body), status, code)


def test_a_round_shows_an_owner_the_tables_before_its_own(world: ApiWorld) -> None:
    owner, author = world.owner(), world.owner()
    bot = world.bot(author)
    address = f"/v1/ladders/{ladder(owner, rated=False, repeats=4)['id']}"
    author("POST", address + "/entries", {"bot": bot.name})
    for house in ("house/random", "house/greedy"):
        owner("POST", address + "/entries", {"bot": house})
    owner("POST", address + "/rounds")
    (mine,) = author("GET", address + "/rounds/1").json["own_bots"]
    assert (mine["bot"], mine["remaining"]) == (bot.name, 8)
    assert 0 <= mine["tables_ahead"] <= 4
    assert bot("GET", address + "/rounds/1").json["own_bots"] == [mine]
    assert world.bot(author)("GET", address + "/rounds/1").json["own_bots"] == []
    assert owner("GET", address + "/rounds/1").json["own_bots"] == []
    assert "mine" not in world.client.get(address + "/rounds/1").json
    while world.services.rounds.work(address.rpartition("/")[2], 1):
        pass
    (mine,) = author("GET", address + "/rounds/1").json["own_bots"]
    assert (mine["remaining"], mine["tables_ahead"]) == (0, None), (
        "all were dealt, since it has room for them"
    )


def test_standings_and_cross_table_say_since_when_they_are_frozen(world: ApiWorld) -> None:
    owner = world.owner()
    address = f"/v1/ladders/{ladder(owner, decks='rotated')['id']}"

    def shown() -> list[str | None]:
        return [world.client.get(f"{address}/{of}").json["frozen"] for of in ("standings", "crosstable")]

    def file(of: str) -> str:
        response = world.client.get(f"{address}/{of}", headers={"Accept": "text/csv"})
        return str(response.headers["Content-Disposition"])

    assert shown() == [None, None]
    at = owner("POST", f"{address}/freeze", {}).json["freeze"]
    assert shown() == [at, at]
    assert all(file(of).endswith(f'{of}-frozen.csv"') for of in ("standings", "crosstable"))
    owner("POST", f"{address}/release")
    assert shown() == [None, None]
    assert file("standings").endswith('standings.csv"')

"""Ladders over HTTP. The league's own tests cover how rounds run."""

from __future__ import annotations

from tests.api.conftest import ApiWorld, refused


def test_bots_are_entered_and_withdrawn(world: ApiWorld) -> None:
    owner, stranger = world.owner(), world.owner()
    bot, other = world.bot(owner), world.bot(stranger)
    address = f"{world.ladder(owner)}/entries"
    assert owner("POST", address, {"bot": bot.name}).json["bot"] == bot.name
    assert owner("POST", address, {"bot": "house/random"}).status_code == 200
    assert stranger("POST", address, {"bot": other.name}).status_code == 200
    for name in (bot.name, "house/greedy"):
        refused(stranger("POST", address, {"bot": name}), 403, "not_your_bot")
    assert owner("DELETE", f"{address}/{other.name}").json["withdrawn"]
    refused(stranger("DELETE", f"{address}/{bot.name}"), 403, "not_your_bot")
    assert len(world.client.get(address).json["entries"]) == 2
    assert len(world.client.get(address + "?withdrawn=true").json["entries"]) == 3


def test_a_dry_run_shows_who_would_meet(world: ApiWorld) -> None:
    owner = world.owner()
    address = world.ladder(owner, format="swiss", parameters={"rounds": 3})
    assert world.client.get(f"{address}/rounds/next").json["code"] == "nothing_to_play"
    bots = [world.bot() for _ in range(3)]
    names = [bot.name for bot in bots]
    bots[0]("GET", "/v1/turns")
    for name in names:
        world.services.ladders.enter(
            address.rpartition("/")[2], world.services.accounts.bot(*name.split("/"))
        )
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


def test_a_round_is_started_once(world: ApiWorld) -> None:
    owner = world.owner()
    address, bots = world.ladder(owner), ["house/greedy", "house/random"]
    refused(owner("POST", address + "/rounds"), 409, "nothing_to_play")
    for bot in bots:
        owner("POST", address + "/entries", {"bot": bot})
    spaces = {"Idempotency-Key": "the first round"}
    refused(owner("POST", address + "/rounds", headers=spaces), 422, "invalid_header")
    assert owner("POST", address + "/rounds").json["planned"] == 2
    assert refused(owner("POST", address + "/rounds"), 409, "round_running")["round"] == 1
    assert world.client.get(address + "/rounds/1").json["bots"] == bots
    refused(world.client.get(address + "/rounds/2"), 404, "no_such_round")


def test_the_cross_table_comes_by_rows_in_json_and_in_csv(world: ApiWorld) -> None:
    owner = world.owner()
    address = world.ladder(owner, "house/greedy", "house/random")
    world.play_round(owner, address)
    first = world.client.get(f"{address}/crosstable?limit=1").json
    assert [(cell["bot"], cell["opponent"]) for cell in first["cells"]] == [("house-greedy", "house-random")]
    assert {bot["bot"] for bot in first["bots"]} == {"house/greedy", "house/random"}
    second = world.client.get(f"{address}/crosstable?limit=1&cursor={first['cursor']}").json
    assert ([cell["bot"] for cell in second["cells"]], second["cursor"]) == (["house-random"], None)
    table, path = {"Accept": "text/csv"}, f"{address}/crosstable?limit=1"
    page = world.client.get(path, headers=table)
    assert page.text.splitlines()[1].startswith("house/greedy,house/random,")
    following = world.client.get(f"{path}&cursor={page.headers['Kozyr-Cursor']}", headers=table)
    assert following.text.splitlines()[1].startswith("house/random,house/greedy,")
    assert "Kozyr-Cursor" not in following.headers


def test_only_its_owner_changes_a_ladder(world: ApiWorld) -> None:
    owner, stranger = world.owner(), world.owner()
    address = world.ladder(owner)
    refused(stranger("PATCH", address, {"state": "paused"}), 403, "not_your_ladder")
    assert owner("PATCH", address, {"state": "paused"}).json["state"] == "paused"
    refused(owner("PATCH", address, {"state": "draft"}), 409, "wrong_ladder_state")
    problem = refused(owner("PATCH", address, {"schedule": {"cron": "now and then"}}), 422, "bad_value")
    assert problem["field"] == "schedule.cron"


def test_a_refused_change_of_several_settings_changes_none(world: ApiWorld) -> None:
    owner = world.owner()
    address = world.ladder(owner)
    before = world.client.get(address).json
    monthly = {"cron": "@monthly", "timezone": "Europe/Moscow"}
    good = {"schedule": {"cron": "@daily"}, "season_schedule": monthly, "access": "closed"}
    problem = refused(owner("PATCH", address, {"season_schedule": {"cron": "0 0 30 2 *"}}), 422, "bad_value")
    assert problem["field"] == "season_schedule.cron"
    for bad in ({"season_schedule": {"cron": "now and then"}}, {"state": "draft"}):
        assert owner("PATCH", address, {**good, **bad}).status_code in (409, 422)
        assert world.client.get(address).json == before
    changed = owner("PATCH", address, {**good, "state": "paused"}).json
    assert (changed["state"], changed["access"]) == ("paused", "closed")
    assert changed["season_schedule"] == monthly
    assert owner("PATCH", address, {"season_schedule": None}).json["season_schedule"] is None


def test_a_ladder_is_renamed_described_and_corrected(world: ApiWorld) -> None:
    owner = world.owner()
    address = world.ladder(owner, description="For beginners")
    made = world.client.get(address).json
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
    world.work(address, 1)
    before = owner("PATCH", address, {"check": True}).json
    problem = refused(owner("PATCH", address, {"name": "Other", "seats": 3}), 422, "bad_value")
    assert (problem["field"], "first round" in problem["expected"]) == ("seats", True)
    assert world.client.get(address).json == before
    refused(owner("PATCH", address, {"schedule": {"timezone": "UTC"}}), 422, "invalid_body")


def test_a_ladder_shows_its_schedule_and_its_next_starts(world: ApiWorld) -> None:
    owner, cron = world.owner(), {"cron": "*/5 * * * *", "timezone": "Europe/Moscow"}
    address = world.ladder(owner, schedule="continuous", state="running")
    ahead = world.client.get(f"{address}/schedule").json
    assert (ahead["schedule"], ahead["next_rounds"], ahead["waits_for"]) == ("continuous", [], "entries")
    assert ahead["next_look"] is not None
    made = owner("PATCH", address, {"schedule": cron}).json
    assert (made["owner"], made["schedule"]) == (owner.name, cron)
    assert world.client.get("/v1/ladders").json == {"ladders": [made], "cursor": None}
    ahead = world.client.get(address + "/schedule").json
    assert (ahead["waits_for"], len(ahead["next_rounds"]), ahead["next_look"]) == ("instant", 5, None)
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

"""The match option `assist`, from request to result."""

from __future__ import annotations

from typing import Any

import pytest

from records.match.assist import ASSISTS
from records.match.session import match_of
from tests.api.conftest import ApiWorld, Person, refused
from tests.api.test_mcp import Agent, calls_of


def match_body(bot: Person, assist: str, game: str = "durak") -> dict[str, Any]:
    return {"game": game, "seats": [bot.name, "house/greedy"], "assist": assist}


def legal(world: ApiWorld, match: str) -> tuple[list[str], list[str]]:
    """Return the legal and free moves of the seat to move, by the rules."""
    loaded = world.services.referee.look(match)
    rules, seat = match_of(loaded.config, loaded.progress.first_dealer or 0), loaded.progress.to_move
    assert seat is not None
    return rules.legal_texts(loaded.state, seat), rules.free_texts(loaded.state, seat)


@pytest.mark.parametrize("assist", ASSISTS)
def test_matches_groups_queue_and_ladders_take_an_assist(world: ApiWorld, assist: str) -> None:
    owner = world.owner()
    bot, other = world.bot(owner), world.bot(world.owner())
    preset = "durak/2" if assist == "list" else f"durak/2@{assist}"
    match = bot("POST", "/v1/matches", match_body(bot, assist)).json
    (many,) = bot("POST", "/v1/match-batches", {"matches": [match_body(bot, assist)]}).json["matches"]
    group = owner(
        "POST", "/v1/groups", {"game": "durak", "bots": [bot.name, "house/greedy"], "assist": assist}
    )
    ladder = owner("POST", "/v1/ladders", {"name": "One", "game": "durak", "seats": 2, "assist": assist})
    for each in (bot, other):
        entry = each("POST", "/v1/queue", {"game": "durak", "assist": assist})
    queued = bot("GET", f"/v1/matches/{entry.json['match']}")
    standings = owner("GET", f"/v1/ladders/{ladder.json['id']}/standings").json
    assert (ladder.json["assist"], standings["preset"]) == (assist, preset)
    for found in (match, bot("GET", f"/v1/matches/{many}").json, group.json, entry.json, queued.json):
        assert (found["assist"], found["preset"]) == (assist, preset)


@pytest.mark.parametrize("address", ["/v1/matches", "/v1/match-batches", "/v1/groups"])
def test_nobody_seats_the_bot_of_another_owner_where_moves_are_not_listed(
    world: ApiWorld, address: str
) -> None:
    owner = world.owner()
    bot, own, other = world.bot(owner), world.bot(owner), world.bot(world.owner())

    def ask(opponent: Person, assist: str) -> Any:
        body = match_body(bot, assist) | {"seats": [bot.name, opponent.name]}
        bodies = {
            "/v1/matches": body,
            "/v1/match-batches": {"matches": [body]},
            "/v1/groups": {"game": "durak", "bots": body["seats"], "assist": assist},
        }
        return bot("POST", address, bodies[address])

    refusal = refused(ask(other, "none"), 409, "bot_unavailable")
    assert refusal["reason"] == "assist"
    assert ask(other, "list").status_code == ask(own, "none").status_code == 201
    match = bot("POST", "/v1/matches", match_body(bot, "none") | {"seats": [bot.name, None]}).json["id"]
    assert other("POST", f"/v1/matches/{match}/join", {}).status_code == 200


@pytest.mark.parametrize("assist", ["all", "", "LIST", None, 1])
def test_an_unknown_assist_is_refused(world: ApiWorld, assist: Any) -> None:
    bot = world.bot(world.owner())
    refused(bot("POST", "/v1/matches", match_body(bot, assist)), 422, "invalid_body")


@pytest.mark.parametrize("assist", ["factored", "none"])
def test_neither_turns_nor_views_nor_refusals_list_moves(world: ApiWorld, assist: str) -> None:
    bot = world.bot(world.owner())
    match = bot("POST", "/v1/matches", match_body(bot, assist)).json["id"]
    (turn,) = bot("GET", "/v1/turns").json["turns"]
    bad = [
        bot("POST", f"/v1/matches/{match}/moves", {"turn": turn["turn"], "move": move})
        for move in ("nonsense", "beat 7H TH", 5)
    ]
    seen = [turn["observation"], bot("GET", f"/v1/matches/{match}").json["observation"]]
    seen += [each.json for each in bad] + [each.json["view"]["observation"] for each in bad]
    assert [each.status_code for each in bad] == [422, 422, 422]
    for each in seen:
        assert each["legal_moves"] == []
        assert ("factored_moves" in each) == (assist == "factored")
    move = legal(world, match)[0][0]
    assert bot("POST", f"/v1/matches/{match}/moves", {"turn": turn["turn"], "move": move}).status_code == 200


def test_the_file_of_a_ladder_has_its_assist(world: ApiWorld) -> None:
    owner = world.owner()
    address = world.ladder(owner)
    assert owner("PATCH", address, {"assist": "none"}).json["assist"] == "none"
    assert owner("GET", f"{address}/export").json["settings"]["assist"] == "none"


@pytest.mark.parametrize("assist", ["factored", "none"])
def test_a_model_plays_without_a_list_and_a_refusal_shows_it_none(world: ApiWorld, assist: str) -> None:
    call = calls_of(world, world.bot(world.owner()))
    result = call("start_match", game="durak", assist=assist)
    for _ in range(3):
        agent = Agent(result.text)
        assert ("This match lists none." in result.text) == (assist == "none")
        answers, free = legal(world, agent.match)
        wrong = call("play", match=agent.match, turn=agent.turn, move="I attack")
        assert wrong.is_error
        assert assist == "factored" or not any(each in wrong.text for each in answers if " " in each)
        move = [*free, *answers][0]
        result = call("play", match=agent.match, turn=agent.turn, move=f"`{move.upper()}`.")
        assert f"You played {move} (mended: " in result.text
        if " is over (" in result.text:
            break

"""A bot's loop in words, over the API."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import pytest

from records.words.turn import turn_text
from tests.api.conftest import ApiWorld, Person, legal

TEXT = {"Accept": "text/plain"}


@pytest.fixture
def bot(world: ApiWorld) -> Person:
    return world.bot(world.owner())


def begun(world: ApiWorld, bot: Person, **more: Any) -> dict[str, Any]:
    """Begin a match against a house bot. Return the first turn."""
    body = {"game": "durak", "seats": [bot.name, "house/greedy"], **more}
    assert bot("POST", "/v1/matches", body).status_code == 201
    (turn,) = bot.turns()
    return turn


def test_turns_are_told_in_words_from_the_seats_own_events(world: ApiWorld, bot: Person) -> None:
    turn = begun(world, bot)
    events = bot("GET", f"/v1/matches/{turn['match']}/events").json["events"]
    options = bot("GET", f"/v1/matches/{turn['match']}").json["options"]
    response = bot("GET", "/v1/turns", headers=TEXT)
    assert response.content_type == "text/plain; charset=utf-8"
    table = {"game": "durak", "seats": 2, "options": options}
    assert without_time(response.text) == without_time(turn_text(turn, table, events) + "\n")
    assert bot("GET", f"/v1/turns?since={response.headers['Kozyr-Cursor']}").json["turns"] == []


def test_the_language_is_that_of_the_request_and_json_the_default(world: ApiWorld, bot: Person) -> None:
    begun(world, bot)
    text = bot("GET", "/v1/turns", headers={"Accept": "text/*", "Accept-Language": "ru-RU, en;q=0.5"}).text
    assert text.startswith("Подкидной дурак, матч ")
    for accept in ("*/*", "application/json, text/plain;q=0.5", "text/*;q=0.1, application/json"):
        assert bot("GET", "/v1/turns", headers={"Accept": accept}).content_type == "application/json"


def test_a_whole_match_is_played_in_words(world: ApiWorld, bot: Person) -> None:
    turn = begun(world, bot, seats=["house/greedy", bot.name])
    path = f"/v1/matches/{turn['match']}/moves"
    text = ""
    turns = [turn]
    while turns:
        move = legal(turns[0])
        text = bot("POST", path, move, headers=TEXT).text
        assert text.startswith(f"Match {turn['match']}: you played {move['move']}.\n\n")
        turns = bot.turns()
        assert not turns or f"turn {turns[0]['turn']}, " in text
    assert "is over (played to the end). You were seat #1. Scores by seat:" in text


def test_many_moves_are_answered_in_words(world: ApiWorld, bot: Person) -> None:
    turn = begun(world, bot)
    good = legal(turn, match=turn["match"])
    body = {"moves": [{**good, "move": "attack 2Z"}, good]}
    refused, made, *_ = bot("POST", "/v1/turns", body, headers=TEXT).text.split("\n\n")
    assert refused.startswith(f"Match {turn['match']}: your move was refused (not_a_move): ")
    assert made.startswith(f"Match {turn['match']}: you played ")


def test_every_response_of_a_check_is_in_words_too(world: ApiWorld, bot: Person) -> None:
    match = bot("POST", "/v1/checks", {"game": "durak"}).json["match"]
    written = []
    for _ in range(5):  # a check refuses some requests, and cuts some responses
        with suppress(ConnectionResetError):
            written.append(bot("GET", "/v1/turns", headers=TEXT))
    found = [each.text for each in written if each.status_code == 200]
    assert found
    assert all(f" {match}, turn " in text.partition("\n")[0] for text in found), found


def without_time(text: str) -> list[str]:
    return [line for line in text.split("\n") if not line.startswith("Time: ")]


@pytest.mark.parametrize("how", ["poll", "batch", "move"])
def test_json_turns_have_the_past_if_asked(world: ApiWorld, bot: Person, how: str) -> None:
    turns = [begun(world, bot, seats=["house/greedy", bot.name])]
    match = turns[0]["match"]
    assert not {"since_your_turn", "seen"} & turns[0].keys()
    while turns:
        if how == "move":
            path = f"/v1/matches/{match}/moves?past=true"
            turns = list(filter(None, [bot("POST", path, legal(turns[0])).json["next"]]))
        elif how == "batch":
            moves = {"moves": [legal(turns[0], match=match)]}
            turns = bot("POST", "/v1/turns?past=true", moves).json["turns"]
        else:
            bot.move(turns[0])
            turns = bot("GET", "/v1/turns?past=true&wait=0").json["turns"]
        for turn in turns:
            events = bot("GET", f"/v1/matches/{match}/events").json["events"]
            own = max(at for at, each in enumerate(events) if (each["type"], each.get("seat")) == ("move", 1))
            assert turn["since_your_turn"] == events[own:]
            assert len(turn["seen"]["gone"]) == turn["observation"]["discard"]
            assert not {*turn["seen"]["gone"], *turn["observation"]["hand"]} & {*turn["seen"]["unseen"]}
            visible = turn["observation"]
            hidden = visible["hand_sizes"][0] - len(visible["known"][0])
            in_talon = visible["talon"] - (visible["trump_card"] is not None)
            assert len(turn["seen"]["unseen"]) == in_talon + hidden
    assert bot("GET", f"/v1/matches/{match}").json["status"] == "finished"


@pytest.mark.parametrize("past", ["1", "yes", "", "TRUE"])
def test_a_wrong_value_of_past_is_refused_before_the_move(world: ApiWorld, bot: Person, past: str) -> None:
    turn = begun(world, bot)
    move, batch = legal(turn), {"moves": [legal(turn, match=turn["match"])]}
    for response in (
        bot("GET", f"/v1/turns?past={past}"),
        bot("POST", f"/v1/turns?past={past}", batch),
        bot("POST", f"/v1/matches/{turn['match']}/moves?past={past}", move),
    ):
        assert (response.status_code, response.json["code"]) == (422, "invalid_query")
    assert bot("GET", f"/v1/matches/{turn['match']}").json["turn"] == turn["turn"]


@pytest.mark.parametrize("most", [5, 2000])
def test_the_last_events_of_a_long_deal_and_the_past_of_the_first_turns_are_told(
    world: ApiWorld, bot: Person, monkeypatch: pytest.MonkeyPatch, most: int
) -> None:
    monkeypatch.setattr("api.moves.worded._MOST_EVENTS", most)
    monkeypatch.setattr("api.moves.worded.MOST_TOLD", 2)
    match = begun(world, bot)["match"]
    for _ in range(4):
        for turn in bot.turns():
            bot.move(turn)
    (turn,) = bot("GET", "/v1/turns?past=true").json["turns"]
    last = bot("GET", f"/v1/matches/{match}/events?limit=1000").json["events"][-1]
    assert turn["since_your_turn"][-1] == last
    assert (turn["seen"] is None) == (most == 5)
    for _ in range(2):
        world.match(bot, "house/greedy")
    turns = bot("GET", "/v1/turns?past=true").json["turns"]
    assert [bool(turn["since_your_turn"]) for turn in turns] == [True, True, False]
    assert bot("GET", "/v1/turns", headers=TEXT).text.count("Answer with one move") == 3

"""A whole match over HTTP, from its creation to its record."""

from __future__ import annotations

from tests.api.conftest import ApiWorld


def test_a_whole_match_against_a_house_bot(world: ApiWorld) -> None:
    bot = world.bot()
    match = world.match(bot)
    since = None
    finished = None
    for _ in range(2000):
        address = "/v1/turns?wait=2" + (f"&since={since}" if since else "")
        news = bot("GET", address).json
        since = news["since"]
        for turn in news["turns"]:
            move = turn["observation"]["legal_moves"][0]
            response = bot("POST", f"/v1/matches/{turn['match']}/moves", {"turn": turn["turn"], "move": move})
            assert response.status_code == 200, response.text
        if news["finished"]:
            finished = news["finished"][0]
            break
    assert finished is not None
    assert finished["match"] == match["id"]
    record = world.client.get(f"/v1/matches/{match['id']}/record").json
    assert record["ending"] == "rules"


def test_a_bot_that_leaves_does_not_become_online(world: ApiWorld) -> None:
    bot = world.bot()
    answer = bot("POST", "/v1/turns", {"wait": 1, "leaving": True}).json
    assert answer["running"] == 0
    assert world.services.presence.online([bot.id]) == set()
    bot("POST", "/v1/turns", {})
    assert world.services.presence.online([bot.id]) == {bot.id}

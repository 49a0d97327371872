"""Streams of bots and owners over HTTP: what is in them, for whom, and how they continue."""

from __future__ import annotations

import itertools
import threading
from typing import Any

import pytest
import redis
from werkzeug.test import TestResponse

from league.notifications import account_streams
from league.notifications.account_streams import KEPT_MS, LOGGED
from referee.polling.broadcasts import HEARTBEAT_S
from tests.api import test_streams as streams
from tests.api.conftest import ApiWorld, Person, refused
from tests.api.test_groups import play
from tests.api.test_streams import parts
from tests.support.waiting import eventually

BOT, OWNER = "/v1/bot/stream?seconds=0", "/v1/owner/stream?seconds=0"

Update = tuple[int | None, dict[str, Any]]


def read(text: str) -> list[Update]:
    """Return the messages of a stream: number and data."""
    return [(int(number) if number else None, data) for number, data in streams.read(text)]


def got(answer: TestResponse) -> list[Update]:
    assert (answer.status_code, answer.mimetype) == (200, "text/event-stream"), answer.text
    return read(answer.text)


def types(updates: list[Update]) -> list[str]:
    return [data["type"] for _, data in updates]


def after(person: Person, number: int, path: str = BOT) -> list[Update]:
    return got(person("GET", f"{path}&after={number}"))


@pytest.fixture
def owner(world: ApiWorld) -> Person:
    return world.owner()


@pytest.fixture
def bot(world: ApiWorld, owner: Person) -> Person:
    """A bot that is followed, as is its owner."""
    made = world.bot(owner)
    assert got(made("GET", f"{BOT}&turns=false")) == got(owner("GET", OWNER)) == []
    return made


def test_a_match_is_reported_from_its_creation_to_its_end(
    world: ApiWorld, owner: Person, bot: Person
) -> None:
    match = world.match(bot)["id"]
    world.turn(bot)
    bot("POST", f"/v1/matches/{match}/resign")
    for updates in (after(bot, 1, f"{BOT}&turns=false"), after(owner, 1, OWNER)):
        assert types(updates) == ["match.waiting", "match.started", "match.finished"]
        assert [number for number, _ in updates] == [2, 3, 4]
        assert all(data["data"].get("match", data["data"].get("id")) == match for _, data in updates)
        started, finished = updates[1][1]["data"], updates[2][1]["data"]
        assert (started["bot"], started["id"], started["seat"]) == (bot.name, bot.id, 0)
        assert finished == world.client.get(f"/v1/matches?bot={bot.name}").json["matches"][0]


def test_a_stream_begins_with_the_open_turns_and_counts_as_a_poll(world: ApiWorld, bot: Person) -> None:
    world.match(bot)
    updates = got(bot("GET", BOT))
    assert types(updates)[:1] == ["turn.waiting"], "the match has started: the stream showed up for it"
    number, turn = updates[0]
    assert number is None
    assert [{**turn["data"], "now": None}] == [{**each, "now": None} for each in bot.turns()]
    bot.move(turn["data"])
    following = [data["data"]["turn"] for _, data in got(bot("GET", BOT)) if data["type"] == "turn.waiting"]
    assert following == [each["turn"] for each in bot.turns()]


def test_a_stream_continues_after_any_event_without_a_gap(
    world: ApiWorld, owner: Person, bot: Person
) -> None:
    for _ in range(3):
        match = world.match(bot)["id"]
        bot("POST", f"/v1/matches/{match}/resign")
    assert got(owner("GET", OWNER)) == [], "without a number it begins at the present"
    whole = after(owner, 1, OWNER)
    assert [number for number, _ in whole] == list(range(2, 2 + len(whole)))
    for place, (number, _) in enumerate(whole):
        continued = owner("GET", OWNER, headers={"Last-Event-ID": str(number)})
        assert got(continued) == whole[place + 1 :]


@pytest.mark.usefixtures("bot")
def test_a_log_that_does_not_reach_back_says_so(
    world: ApiWorld, owner: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(account_streams, "LOGGED", 4)
    bot = world.bot(owner)
    for _ in range(3):
        world.match(bot)
        world.turn(bot)
    updates = after(owner, 1, OWNER)
    assert types(updates)[0] == "gap"
    assert updates[0][1]["data"] == {"after": 1, "next": 4}
    assert [number for number, _ in updates] == [3, 4, 5, 6, 7]
    assert after(owner, 3, OWNER) == updates[1:]


def test_events_while_nobody_followed_are_a_gap(
    world: ApiWorld, bot: Person, redis_client: redis.Redis
) -> None:
    assert LOGGED > 100
    key = next(key for key in redis_client.keys("kozyr:{events:bot:*}:followed") if bot.id.encode() in key)
    assert KEPT_MS - 60_000 < redis_client.pttl(key) <= KEPT_MS
    lost = after(bot, 90, f"{BOT}&turns=false")
    assert [(number, data["data"]) for number, data in lost] == [(1, {"after": 90, "next": 2})]
    redis_client.delete(key)
    match = world.match(bot)["id"]
    updates = after(bot, 1, f"{BOT}&turns=false")
    gap = (2, "gap", {"after": 1, "next": 3})
    assert [(number, data["type"], data["data"]) for number, data in updates] == [gap]
    assert world.client.get(f"/v1/matches/{match}").json["status"] == "waiting", (
        "without turns nobody shows up"
    )
    assert world.services.presence.online([bot.id]) == set()


def test_a_stream_names_nobody_in_a_running_group(world: ApiWorld) -> None:
    people = [world.bot(), world.bot()]
    for person in people:
        got(person("GET", f"{BOT}&turns=false"))
    body = {"game": "durak", "bots": [each.name for each in people]}
    assert people[0]("POST", "/v1/groups", body).status_code == 201
    for person, other in (people, people[::-1]):
        waiting = after(person, 1, f"{BOT}&turns=false")
        assert set(types(waiting)) == {"match.waiting"}
        assert person.name in str(waiting)
        assert other.name not in str(waiting)
        assert other.id not in str(waiting)
    made = play(*people)
    assert made
    for person in people:
        found = types(after(person, 1, f"{BOT}&turns=false"))
        assert found.count("match.over") == 1, "the match that ended before the group did"
        assert found.count("match.finished") == 2
        assert found.index("match.over") < found.index("match.finished")


@pytest.mark.parametrize("path", [BOT, OWNER])
def test_a_stream_needs_the_token_of_its_account(world: ApiWorld, path: str) -> None:
    owner = world.owner()
    wrong = owner if path == BOT else world.bot(owner)
    assert world.client.get(path).status_code == 401
    assert wrong("GET", path).status_code == 403
    right = world.bot(owner) if path == BOT else owner
    refused(right("GET", path, headers={"Last-Event-ID": "five"}), 422, "invalid_header")


@pytest.mark.parametrize("path", ["/v1/bot/stream", "/v1/owner/stream"])
def test_a_stream_ends_soon_after_its_token_was_revoked(
    composed_long: ApiWorld, monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    world = composed_long
    owner = world.owner()
    right = world.bot(owner) if path == "/v1/bot/stream" else owner
    times = itertools.count(0, HEARTBEAT_S)
    monkeypatch.setattr(world.services.account_streams, "_monotonic", lambda: next(times))
    messages = parts(right("GET", path, buffered=False))
    assert [next(messages), next(messages)] == [b"retry: 2000\n\n", b":\n\n"]
    token = right("GET", "/v1/token").json["id"]
    assert right("DELETE", f"/v1/tokens/{token}").status_code in (200, 204)
    world.services.hub.wake_all()  # instead of the pause until the next heartbeat
    assert b"".join(messages).endswith(b": revoked\nretry: 30000\n\n")


def test_events_and_turns_reach_an_open_stream(composed_long: ApiWorld) -> None:
    world = composed_long
    bot = world.bot()
    messages = parts(bot("GET", "/v1/bot/stream", buffered=False))
    assert next(messages) == b"retry: 2000\n\n"
    match = world.match(bot)["id"]
    seen: list[Update] = []
    while "turn.waiting" not in types(seen) or "match.started" not in types(seen):
        seen += read(next(messages).decode())
    assert {data["data"]["match"] for _, data in seen} == {match}


def test_a_ninth_stream_replaces_the_first(composed_long: ApiWorld) -> None:
    owner = composed_long.owner()
    streams = [parts(owner("GET", "/v1/owner/stream", buffered=False)) for _ in range(9)]
    ends: list[bytes] = []
    for number, stream in enumerate(streams):
        assert next(stream) == b"retry: 2000\n\n"
        threading.Thread(target=lambda each=stream: ends.append(b"".join(each)), daemon=True).start()
        if number < 8:
            eventually(lambda most=number: composed_long.services.hub.waiting > most, "the stream waits")
    eventually(lambda: bool(ends), "a stream ends")
    assert ends == [b": replaced\nretry: 30000\n\n"]

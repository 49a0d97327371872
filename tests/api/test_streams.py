"""Streams over HTTP: what a watcher gets, from where, and how a stream ends."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Any

import orjson
import pytest
from redis.exceptions import ConnectionError as LostStore
from werkzeug.test import TestResponse

from api.app import create_app
from api.services import Limits
from referee.polling import broadcasts
from referee.service.state import ServiceState
from tests.api.conftest import ApiWorld, Person, compose, refused
from tests.api.test_groups import mine, play

Message = tuple[str, Any]


def read(text: str) -> list[Message]:
    """Return the messages of a stream: id and data."""
    messages = []
    for block in text.split("\n\n"):
        fields = dict(line.split(": ", 1) for line in block.splitlines() if not line.startswith(":"))
        if "data" in fields:
            messages.append((fields.get("id", ""), orjson.loads(fields["data"])))
    return messages


def parts(answer: TestResponse) -> Iterator[bytes]:
    """Return the pieces of an open stream."""
    pieces: Any = answer.response
    return iter(pieces)


def got(answer: TestResponse) -> list[Message]:
    assert (answer.status_code, answer.mimetype) == (200, "text/event-stream"), answer.text
    assert answer.headers["Cache-Control"] == "no-store"
    return read(answer.text)


def a_match(world: ApiWorld, moves: int = 3) -> tuple[Person, str]:
    """Return a bot in a running match in which it has moved."""
    bot, turn = world.started()
    for _ in range(moves):
        bot.move(turn)
        turn = world.turn(bot)
    return bot, turn["match"]


def events(asked: Any, match: str, after: int = 0) -> list[Any]:
    found: list[Any] = asked(f"/v1/matches/{match}/events?after={after}").json["events"]
    return found


def test_a_stream_has_the_events_that_its_viewer_may_see(world: ApiWorld) -> None:
    bot, match = a_match(world)
    for asked in (world.client.get, lambda path: bot("GET", path)):
        sent = got(asked(f"/v1/matches/{match}/stream?seconds=0"))
        assert [data for _, data in sent] == events(asked, match)
        assert [ident for ident, _ in sent] == [str(data["n"]) for _, data in sent]
    assert events(world.client.get, match) != events(lambda path: bot("GET", path), match)


@pytest.mark.parametrize("kind", ["events", "frames"])
def test_a_stream_resumes_after_any_message_without_a_gap(world: ApiWorld, kind: str) -> None:
    _, match = a_match(world)
    path = f"/v1/matches/{match}/stream?seconds=0&kind={kind}"
    whole = got(world.client.get(path))
    for place, (ident, _) in enumerate(whole):
        for rest in (
            got(world.client.get(path, headers={"Last-Event-ID": ident})),
            got(world.client.get(f"{path}&after={ident}")),
        ):
            assert [each for each, _ in rest] == [each for each, _ in whole[place + 1 :]]
            assert kind == "frames" or rest == whole[place + 1 :]


def test_frames_of_a_stream_decode_to_the_frames_of_the_match(world: ApiWorld) -> None:
    bot, match = a_match(world)
    sent = [data for _, data in got(bot("GET", f"/v1/matches/{match}/stream?seconds=0&kind=frames"))]
    listed: Any = bot("GET", f"/v1/matches/{match}/frames").json
    assert sent == listed["frames"]


def test_a_page_streams_several_matches_and_resumes_each(world: ApiWorld) -> None:
    (ann, first), (_, second) = a_match(world, 1), a_match(world, 4)
    path = f"/v1/stream?seconds=0&matches={first},{second}"
    sent = got(ann("GET", path))
    for match, asked in ((first, lambda path: ann("GET", path)), (second, world.client.get)):
        assert [data["event"] for _, data in sent if data["match"] == match] == events(asked, match)
    assert sent[-1][0] == "-".join(str(len(events(world.client.get, match))) for match in (first, second))
    for place in (0, len(sent) // 2, len(sent) - 1):
        assert got(ann("GET", path, headers={"Last-Event-ID": sent[place][0]})) == sent[place + 1 :]
    frames = got(world.client.get(f"{path}&kind=frames"))
    assert all(("observation" in data["frame"]) != ("changes" in data["frame"]) for _, data in frames)


def test_a_stream_ends_with_its_match_and_browsers_do_not_reconnect(world: ApiWorld) -> None:
    bot, match = a_match(world)
    bot("POST", f"/v1/matches/{match}/resign")
    answer = world.client.get(f"/v1/matches/{match}/stream")
    sent = got(answer)
    assert sent[-1][1]["type"] == "match_over"
    assert answer.text.endswith("\n\n: over\nretry: 2000\n\n")
    again = world.client.get(f"/v1/matches/{match}/stream", headers={"Last-Event-ID": sent[-1][0]})
    assert (again.status_code, again.data) == (204, b"")
    assert world.client.get(f"/v1/stream?matches={match}&after={sent[-1][0]}").status_code == 204


def test_new_events_reach_an_open_stream(composed_long: ApiWorld) -> None:
    world = composed_long
    bot, match = a_match(world, 0)
    messages = _lines(world.client.get(f"/v1/matches/{match}/stream", buffered=False))
    known = [data for _, data in take(messages, len(events(world.client.get, match)))]
    turn = world.turn(bot)
    for _ in range(3):
        bot.move(turn)
        turn = world.turn(bot)
    new = events(world.client.get, match, len(known))
    assert [data for _, data in take(messages, len(new))] == new
    bot("POST", f"/v1/matches/{match}/resign")
    rest = [data for _, data in messages]
    assert rest == events(world.client.get, match, len(known) + len(new))
    assert rest[-1]["type"] == "match_over"


def test_a_hidden_match_is_silent_for_spectators_and_then_comes_whole(composed_long: ApiWorld) -> None:
    world = composed_long
    ann, bob = world.bot(), world.bot()
    assert ann("POST", "/v1/groups", {"game": "durak", "bots": [ann.name, bob.name]}).status_code == 201
    for bot in (ann, bob):
        bot("GET", "/v1/turns")
    matches = sorted({*mine(ann), *mine(bob)})
    for match in matches:
        path = f"/v1/matches/{match}/stream?seconds=0"
        assert got(world.client.get(path)) == got(world.bot()("GET", path)) == []
        assert got(ann("GET", path)), "a seat sees its match"
    path = f"/v1/stream?matches={','.join(matches)}"
    spectated = _lines(world.client.get(path, buffered=False))
    found: list[Message] = []
    reading = threading.Thread(target=lambda: found.extend(spectated), daemon=True)
    reading.start()
    play(ann, bob)
    reading.join(60)
    for match in matches:
        assert [data["event"] for _, data in found if data["match"] == match] == events(
            world.client.get, match
        )


def test_unknown_matches_parameters_and_messages_are_refused(world: ApiWorld) -> None:
    _, match = a_match(world, 0)
    for query in ("seconds=-1", "seconds=3601", "kind=all", "after=-1", "more=1"):
        response = refused(world.client.get(f"/v1/matches/{match}/stream?{query}"), 422, "invalid_query")
        assert list(response["errors"]) == [query.partition("=")[0]]
    nowhere = "00" + "a" * 26
    refused(world.client.get(f"/v1/matches/{nowhere}/stream"), 404, "no_such_match")
    refused(world.client.get(f"/v1/stream?matches={match},{nowhere}"), 404, "no_such_match")
    refused(world.client.get("/v1/stream"), 422, "invalid_query")
    for wrong in ("x", "1-", "-1", "1.5", "9" * 12, "1-" * 300):
        response = world.client.get(f"/v1/matches/{match}/stream", headers={"Last-Event-ID": wrong})
        refused(response, 422, "invalid_header")


@pytest.mark.parametrize(
    ("ends", "hint"),
    [
        (lambda world: world.services.hub.close(), "stopping\nretry: 1000"),
        (lambda world: world.services.hub.announce(10**9, ServiceState.PAUSED), "paused\nretry: 10000"),
    ],
)
def test_a_stop_and_a_pause_end_streams_with_a_hint(composed_long: ApiWorld, ends: Any, hint: str) -> None:
    _, match = a_match(composed_long, 0)
    answer = composed_long.client.get(f"/v1/matches/{match}/stream", buffered=False)
    assert next(parts(answer)) == b"retry: 2000\n\n"
    ends(composed_long)
    assert b"".join(parts(answer)).decode().endswith(f": {hint}\n\n")


def test_the_oldest_stream_of_an_address_gives_way(redis_url: str) -> None:
    services = compose(redis_url, Limits(max_wait_s=2.0))
    services.hub = services.streams.hub = services.turns.hub = type(services.hub)(most_waits=2)
    app = create_app(services)
    world = ApiWorld(app, services, app.test_client())
    _, match = a_match(world, 0)
    opened = [world.client.get(f"/v1/matches/{match}/stream", buffered=False) for _ in range(3)]
    for answer in opened:
        assert next(parts(answer)) == b"retry: 2000\n\n"
        assert b"data:" in next(parts(answer))
    assert b"".join(parts(opened[0])).endswith(b": replaced\nretry: 30000\n\n")
    services.hub.close()


def test_what_a_seat_sees_ends_soon_after_its_token_was_revoked(
    composed_long: ApiWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = composed_long
    bot, match = a_match(world, 0)
    monkeypatch.setattr(broadcasts, "HEARTBEAT_S", 0.0)
    path = f"/v1/matches/{match}/stream"
    own, spectator = bot("GET", path, buffered=False), world.client.get(path, buffered=False)
    for answer in (own, spectator):
        assert next(parts(answer)) == b"retry: 2000\n\n"
        assert b"data:" in next(parts(answer))
    token = bot("GET", "/v1/token").json["id"]
    assert bot("DELETE", f"/v1/tokens/{token}").status_code == 204
    assert b"".join(parts(own)).endswith(b": revoked\nretry: 30000\n\n")
    assert next(parts(spectator)) == b":\n\n"
    spectator.close()


def test_an_outage_of_the_store_ends_a_stream_with_a_hint(
    composed_long: ApiWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = composed_long
    _, match = a_match(world, 0)
    answer = world.client.get(f"/v1/matches/{match}/stream", buffered=False)
    take(_lines(answer), len(events(world.client.get, match)))

    def gone(*_: Any) -> Any:
        raise LostStore("the store is gone")

    monkeypatch.setattr(world.services.streams, "read", gone)
    world.services.hub.wake(match)
    assert b"".join(parts(answer)).endswith(b": failed\nretry: 5000\n\n")
    late = world.client.get(f"/v1/matches/{match}/stream?seconds=0")
    assert late.text.endswith(": failed\nretry: 5000\n\n")


def test_a_silent_stream_has_heartbeats(composed_long: ApiWorld, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(broadcasts, "HEARTBEAT_S", 0.0)
    _, match = a_match(composed_long, 0)
    answer = composed_long.client.get(f"/v1/matches/{match}/stream", buffered=False)
    pieces = parts(answer)
    assert [next(pieces) for _ in range(4)][-2:] == [b":\n\n", b":\n\n"]
    answer.close()
    assert composed_long.services.hub.waiting == 0


def _lines(answer: TestResponse) -> Iterator[Message]:
    """Yield the messages of an open stream."""
    for part in parts(answer):
        yield from read(part.decode())


def take(messages: Iterator[Message], count: int) -> list[Message]:
    return [next(messages) for _ in range(count)]

"""A failure after a commit never costs the committed change its response.

Two nets: every hook by name, and every round trip to Redis after the commit. The second finds an unlisted hook.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any

import pytest
from redis.exceptions import ConnectionError as LostConnection
from werkzeug.test import TestResponse

from redisio.connection import Redis
from referee.after_commit import SILENCE_S, AfterCommit, AfterCommitStep
from referee.feed import Feed
from tests.api.conftest import ApiWorld, Person, legal, refused


class Unforeseen(Exception):
    """An unexpected error."""


def fails(*_: Any, **__: Any) -> Any:
    raise Unforeseen


# What commits, each prepared, then sent, then looked at.

Send = Callable[[], TestResponse]


def a_move(world: ApiWorld) -> Send:
    bot, turn = world.started()
    body = legal(turn, facts={"thoughts": "The ace stays."})
    return lambda: bot("POST", f"/v1/matches/{turn['match']}/moves?wait=0", body)


def many_moves(world: ApiWorld) -> Send:
    """A batch with one legal and one refused move."""
    bot, turn = world.started()
    world.match(bot)
    other = next(each for each in bot.turns() if each["match"] != turn["match"])
    late = {"match": other["match"], "turn": other["turn"] + 7, "move": "take"}
    return lambda: bot("POST", "/v1/turns", {"moves": [legal(turn, match=turn["match"]), late]})


def a_match(world: ApiWorld) -> Send:
    bot = world.bot()
    body = {"game": "durak", "seats": [bot.name, "house/random"]}
    return lambda: bot("POST", "/v1/matches", body, headers={"Idempotency-Key": "once"})


def a_join(world: ApiWorld) -> Send:
    bot, other = world.bot(), world.bot()
    match = bot("POST", "/v1/matches", {"game": "durak", "seats": [bot.name, None]}).json["id"]
    return lambda: other("POST", f"/v1/matches/{match}/join", {})


def a_resignation(world: ApiWorld) -> Send:
    """A resignation in a group's match, whose view makes more reads than others."""
    ann, bob = grouped(world)
    turn = [*ann("GET", "/v1/turns").json["turns"], *bob("GET", "/v1/turns").json["turns"]][0]
    return lambda: ann("POST", f"/v1/matches/{turn['match']}/resign")


def a_group(world: ApiWorld) -> Send:
    ann, bob = world.bot(), world.bot()
    return lambda: ann("POST", "/v1/groups", {"game": "durak", "bots": [ann.name, bob.name]})


def a_round(world: ApiWorld) -> Send:
    owner = world.owner()
    at = world.ladder(owner, "house/random", "house/greedy")
    return lambda: owner("POST", f"{at}/rounds")


def a_ladder(world: ApiWorld) -> Send:
    owner = world.owner()
    body = {"name": "A ladder", "game": "durak", "seats": 2, "schedule": "continuous", "state": "running"}
    return lambda: owner("POST", "/v1/ladders", body, headers={"Idempotency-Key": "once"})


def a_ladder_change(world: ApiWorld) -> Send:
    """A ladder without a round under way closes in a second commit."""
    owner = world.owner()
    at = world.ladder(owner)
    return lambda: owner("PATCH", at, {"state": "closing"})


def an_entry(world: ApiWorld) -> Send:
    owner = world.owner()
    at = world.ladder(owner, schedule="continuous", state="running")
    return lambda: owner("POST", f"{at}/entries", {"bot": "house/random"})


def a_season_end(world: ApiWorld) -> Send:
    owner = world.owner()
    at = world.ladder(owner, "house/random", "house/greedy")
    assert owner("POST", f"{at}/rounds").status_code == 201
    return lambda: owner("POST", f"{at}/seasons")


def an_action_of_an_admin(world: ApiWorld) -> Send:
    admin, at = world.admin(), world.ladder(world.owner())
    return lambda: admin("POST", f"{at}/state", {"state": "paused", "reason": "A test"})


def grouped(world: ApiWorld) -> tuple[Person, Person]:
    ann, bob = world.bot(), world.bot()
    assert ann("POST", "/v1/groups", {"game": "durak", "bots": [ann.name, bob.name]}).status_code == 201
    ann("GET", "/v1/turns")
    return ann, bob


CHANGES: dict[str, Callable[[ApiWorld], Send]] = {
    each.__name__: each
    for each in (
        *(a_move, many_moves, a_match, a_join, a_resignation, a_group, a_round),
        *(a_ladder, a_ladder_change, an_entry, a_season_end, an_action_of_an_admin),
    )
}


def succeeded(name: str, response: TestResponse) -> None:
    """Check that the response reports what was committed."""
    assert response.status_code in (200, 201), response.text
    body = response.json
    if name == "many_moves":
        made, refused = body["results"]
        assert made["replayed"] is False
        assert refused["problem"]["code"] == "stale_turn"
    elif name == "a_move":
        assert body["replayed"] is False
    else:
        assert body["number" if name in ("a_round", "a_season_end") else "id"]


# 1. Every hook by its name


def in_two_trips(world: ApiWorld, patch: pytest.MonkeyPatch) -> None:
    """Let moves be committed by the store's `commit`, not in the round trip that verifies the token."""
    patch.setattr(world.services.accounts, "remembered_token", lambda text: None)


def feed(world: ApiWorld, patch: pytest.MonkeyPatch) -> None:
    patch.setattr(Feed, "__call__", fails)


def other_moves(world: ApiWorld, patch: pytest.MonkeyPatch) -> None:
    """Another writer overtakes the second of two commits, and then the match can't be read."""
    in_two_trips(world, patch)
    store = world.services.referee.store
    commit = store.commit

    def overtaken(commits: Any) -> Any:
        made = commit(commits[:1])
        patch.setattr(store, "read", fails)
        return [*made, None]

    patch.setattr(store, "commit", overtaken)


def check(world: ApiWorld, patch: pytest.MonkeyPatch) -> None:
    """Let the bot be in a check that fails after its move."""
    faults = SimpleNamespace(before=lambda moves: None, moved=fails, answer=fails)
    patch.setattr("api.moves.application.faults_for", lambda *_: faults)


def settling(world: ApiWorld, patch: pytest.MonkeyPatch) -> None:
    patch.setattr(world.services.administration.audit, "_settle", fails)


def on(place: str, name: str) -> Callable[[ApiWorld, pytest.MonkeyPatch], None]:
    """Return a function that breaks this method of this service."""
    return lambda world, patch: patch.setattr(getattr(world.services, place), name, fails)


def in_app(name: str, method: str) -> Callable[[ApiWorld, pytest.MonkeyPatch], None]:
    return lambda world, patch: patch.setattr(world.app.extensions[name], method, fails)


BROKEN: dict[AfterCommitStep, tuple[str, Callable[[ApiWorld, pytest.MonkeyPatch], None]]] = {
    AfterCommitStep.FEED: ("a_match", feed),
    AfterCommitStep.OTHER_MOVES: ("two_moves", other_moves),
    AfterCommitStep.MATCHES: ("a_group", on("groups", "_complete")),
    AfterCommitStep.ROUND: (
        "a_round",
        lambda world, patch: patch.setattr(world.services.rounds.jobs, "wake_round", fails),
    ),
    AfterCommitStep.METRICS: ("a_move", in_app("kozyr-metrics", "moved")),
    AfterCommitStep.STATISTICS: ("many_moves", on("statistics", "note")),
    AfterCommitStep.FACTS: ("a_move", on("facts", "add")),
    AfterCommitStep.CHECK: ("a_move", check),
    AfterCommitStep.RATES: ("many_moves", in_app("kozyr-rates", "count")),
    AfterCommitStep.PRESENCE: ("a_move", on("presence", "seen")),
    AfterCommitStep.NEXT: ("a_move", on("turns", "after_move")),
    AfterCommitStep.POLL: ("many_moves", on("turns", "poll")),
    AfterCommitStep.VIEW: ("a_resignation", on("referee", "is_masked")),
    AfterCommitStep.REPLAY: ("a_match", on("idempotency", "finish")),
    AfterCommitStep.AUDIT: ("an_action_of_an_admin", settling),
    AfterCommitStep.LOG: (
        "a_match",
        lambda world, patch: patch.setattr(world.app.extensions["kozyr-loop"].request_end, "_log", fails),
    ),
}


def two_moves(world: ApiWorld) -> Send:
    bot, _ = world.started()
    world.match(bot)
    moves = [legal(turn, match=turn["match"]) for turn in bot.turns()]
    return lambda: bot("POST", "/v1/turns", {"moves": moves})


def test_every_hook_is_broken_by_a_test() -> None:
    assert set(BROKEN) == set(AfterCommitStep)


@pytest.mark.parametrize("hook", list(AfterCommitStep))
def test_a_failing_hook_is_counted_and_costs_no_response(
    world: ApiWorld, monkeypatch: pytest.MonkeyPatch, hook: AfterCommitStep
) -> None:
    name, break_ = BROKEN[hook]
    send = two_moves(world) if name == "two_moves" else CHANGES[name](world)
    before = world.services.after_commit.failures[hook]
    with monkeypatch.context() as patch:
        break_(world, patch)
        response = send()
    assert world.services.after_commit.failures[hook] > before
    if hook is AfterCommitStep.OTHER_MOVES:
        made, busy = response.json["results"]
        assert made["replayed"] is False
        assert busy["problem"]["code"] == "busy"
    else:
        succeeded(name, response)
    failures = f'kozyr_after_commit_failures_total{{hook="{hook}"}}'
    assert failures in world.metrics()


def test_the_next_poll_delivers_a_turn_that_could_not_be_built(
    world: ApiWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    send = many_moves(world)
    bot = next(
        cell.cell_contents for cell in send.__closure__ or () if isinstance(cell.cell_contents, Person)
    )
    open_turns = bot("GET", "/v1/turns").json
    with monkeypatch.context() as patch:
        patch.setattr("referee.polling.turns.Turns.poll", fails)
        response = send().json
    assert (response["turns"], response["finished"]) == ([], [])
    now = bot("POST", "/v1/turns", {"since": response["since"], "wait": 1}).json["turns"]
    assert {turn["match"] for turn in now} >= {turn["match"] for turn in open_turns["turns"][1:]}
    with monkeypatch.context() as patch:
        patch.setattr("referee.polling.turns.Turns.after_move", fails)
        response = a_move(world)().json
    assert response["next"] is response["finished"] is None


def test_a_group_without_matches_gets_them_later(world: ApiWorld, monkeypatch: pytest.MonkeyPatch) -> None:
    groups = world.services.groups
    with monkeypatch.context() as patch:
        patch.setattr(groups, "_complete", fails)
        made = a_group(world)()
    assert groups.tick(after_ms=-1000) == 1
    matches = groups.matches(groups.get(made.json["id"]))
    assert None not in world.services.referee.look_at(matches)


def test_an_error_before_the_commit_stays_an_error(world: ApiWorld, monkeypatch: pytest.MonkeyPatch) -> None:
    def gone(*_: Any, **__: Any) -> Any:
        raise LostConnection

    bot, _ = world.started()
    monkeypatch.setattr(world.services.turns, "poll", gone)
    refused(bot("POST", "/v1/turns", {}), 503, "store_unavailable")


# 2. Every round trip after the commit


class Watch:
    """Records the calls after a commit of the current request, and breaks one of them."""

    def __init__(self) -> None:
        self.committed = False
        self.seen: list[tuple[str, ...]] = []
        self.broken: tuple[str, ...] | None = None

    def called(self, *what: str) -> None:
        if self.committed:
            self.seen.append(what)
            if what == self.broken:
                raise Unforeseen


COMMITS = (
    ("referee.store", "commit"),
    ("groups.store", "add"),
    *(("ladders.store", name) for name in ("open_round", "add", "change", "put_entry")),
)


@contextmanager
def watched(world: ApiWorld, watch: Watch) -> Iterator[None]:
    """Note the first commit."""
    with pytest.MonkeyPatch.context() as patch:
        in_two_trips(world, patch)
        for place, name in COMMITS:
            part: Any = world.services
            for step in place.split("."):
                part = getattr(part, step)
            patch.setattr(part, name, _noticed(watch, getattr(part, name)))
        yield


def _noticed(watch: Watch, commit: Callable[..., Any]) -> Callable[..., Any]:
    def noticed(*args: Any, **more: Any) -> Any:
        found = commit(*args, **more)
        watch.committed = True
        return found

    return noticed


@pytest.mark.parametrize("name", CHANGES)
def test_any_round_trip_may_fail_after_a_commit(
    world: ApiWorld, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    watch = Watch()
    run = Redis.run

    def counted(redis: Redis, commands: Any, **how: bool) -> Any:
        watch.called("trip", str(len(watch.seen)))
        return run(redis, commands, **how)

    monkeypatch.setattr(Redis, "run", counted)
    round_trips = -1
    while watch.broken is None or int(watch.broken[1]) < round_trips - 1:
        send = CHANGES[name](world)
        with watched(world, watch):
            response = send()
        succeeded(name, response)
        round_trips = len(watch.seen) if round_trips < 0 else round_trips
        if round_trips == 0:
            break
        nth = 0 if watch.broken is None else int(watch.broken[1]) + 1
        watch.committed, watch.seen, watch.broken = False, [], ("trip", str(nth))


# The guard itself


def test_a_flood_of_failures_writes_few_log_lines(caplog: pytest.LogCaptureFixture) -> None:
    now = 100.0
    after_commit = AfterCommit(monotonic=lambda: now)
    with caplog.at_level(logging.ERROR):
        for _ in range(50):
            assert after_commit.run(AfterCommitStep.FEED, fails, "all the same") == "all the same"
        assert len(caplog.records) == 1
        assert caplog.records[0].exc_info is not None
        now += SILENCE_S
        after_commit.run(AfterCommitStep.FEED, fails, None)
    assert len(caplog.records) == 2
    assert "49 more" in caplog.records[1].getMessage()
    assert after_commit.failures[AfterCommitStep.FEED] == 51


def test_exceptions_that_end_a_process_are_not_caught() -> None:
    def ends() -> None:
        raise SystemExit

    with pytest.raises(SystemExit):
        AfterCommit().run(AfterCommitStep.FEED, ends, None)

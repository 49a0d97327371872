"""Turns: one long poll over all matches of a bot."""

from __future__ import annotations

import base64
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import pytest

from records.match.loaded_match import LoadedMatch
from records.match.session import Status
from redisio.connection import Redis
from referee.errors import BadCursor
from referee.polling.hub import Hub
from referee.polling.redis import WakeupListener
from referee.polling.turns import Turns
from referee.polling.waiter import Waiter
from referee.storage.redis_index import EPOCH_S
from tests.referee.world import ARRIVAL, ManualClock, World, house, remote
from tests.support.waiting import eventually


def polled(answer: dict[str, Any]) -> list[tuple[str, int]]:
    return [(turn["match"], turn["turn"]) for turn in answer["turns"]]


@contextmanager
def waiting(task: Callable[[], Any]) -> Iterator[list[Any]]:
    """Run a task in a thread, which must end by itself, and collect its results."""
    answers: list[Any] = []
    thread = threading.Thread(target=lambda: answers.append(task()))
    thread.start()
    yield answers
    thread.join(60)
    assert not thread.is_alive(), "the task is still waiting"


def registered(hub: Hub, count: int = 1) -> None:
    """Wait until this many waiters have looked and are waiting."""
    eventually(lambda: len([each for each in hub.everybody() if each.probes]) == count)


def against_house(world: World, count: int = 1) -> list[str]:
    return sorted(world.match([remote(0), house("first")]) for _ in range(count))


def test_a_poll_returns_all_open_turns_with_everything_needed(world: World, clock: ManualClock) -> None:
    matches = against_house(world, 3)
    clock.advance(100)
    answer = world.poll("bot-0", 0.0)
    assert [match for match, _ in polled(answer)] == matches
    assert answer["finished"] == []
    for turn in answer["turns"]:
        loaded = world.look(turn["match"])
        assert (turn["turn"], turn["deal"], turn["seat"]) == (loaded.progress.turn, 1, 0)
        assert turn["observation"]["legal_moves"] == world.legal(loaded.id, 0)
        assert (turn["now"], turn["deadline"]) == ("2025-11-21T00:00:00.100Z", "2025-11-21T00:00:04.000Z")
        assert turn["clocks"] == [
            {"bank_ms": 3_000, "strikes": 0},
            {"bank_ms": loaded.progress.bank[1], "strikes": 0},
        ]


def test_since_omits_exactly_what_the_bot_already_has(world: World) -> None:
    first, second = against_house(world, 2)
    answer = world.poll("bot-0", 0.0)
    again = world.poll("bot-0", 0.0, answer["since"])
    assert (again["turns"], again["finished"]) == ([], [])
    world.act(first)
    after = world.poll("bot-0", 0.0, again["since"])
    assert [match for match, _ in polled(after)] == [first]
    (third,) = against_house(world)
    assert [match for match, _ in polled(world.poll("bot-0", 0.0, after["since"]))] == [third]
    everything = polled(world.poll("bot-0", 0.0))
    assert sorted(match for match, _ in everything) == sorted([first, second, third])


def test_finished_matches_are_reported_once_in_order(world: World) -> None:
    first, second = against_house(world, 2)
    since = world.poll("bot-0", 0.0)["since"]
    world.referee.resign(second, "bot-0")
    answer = world.poll("bot-0", 0.0, since)
    assert answer["finished"] == [
        {
            "match": second,
            "seat": 0,
            "ending": "resigned",
            "scores": [-1, 0],
            "places": [2, 1],
            "forfeits": [0],
            "ended": "2025-11-21T00:00:00.000Z",
        }
    ]
    assert answer["turns"] == []
    world.referee.resign(first, "bot-0")
    later = world.poll("bot-0", 0.0, answer["since"])
    assert [each["match"] for each in later["finished"]] == [first]
    assert world.poll("bot-0", 0.0, later["since"])["finished"] == []
    assert [each["match"] for each in world.poll("bot-0", 0.0)["finished"]] == [second, first]
    assert [each["match"] for each in world.poll("bot-0", 0.0, since)["finished"]] == [second, first]


def test_finished_matches_beyond_the_limit_come_in_the_next_response(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("referee.polling.turns.MOST_FINISHED", 3)
    since = world.poll("bot-0", 0.0)["since"]
    matches = [world.match([remote(0), None], present=False) for _ in range(8)]
    for match in matches:
        world.referee.resign(match, "bot-0")
    found: list[str] = []
    for _ in range(4):
        answer = world.poll("bot-0", 0.0, since)
        found += [each["match"] for each in answer["finished"]]
        since = answer["since"]
    assert found == matches


def test_an_end_between_a_move_and_its_poll_is_reported(world: World) -> None:
    match = world.match(2)
    mover = f"bot-{world.look(match).progress.to_move}"
    other = f"bot-{1 - (world.look(match).progress.to_move or 0)}"
    since = world.poll(mover, 0.0)["since"]
    moved = world.act(match)
    assert moved.loaded is not None
    assert not moved.loaded.finished
    world.referee.resign(match, other)
    answer = world.poll(mover, 0.0, since, [moved])
    assert [each["match"] for each in answer["finished"]] == [match]


def test_the_first_poll_before_any_match_ended_misses_no_end(world: World) -> None:
    since = world.poll("bot-0", 0.0)["since"]
    match = world.match([remote(0), None], present=False)
    world.referee.resign(match, "bot-0")
    assert [each["match"] for each in world.poll("bot-0", 0.0, since)["finished"]] == [match]


def test_after_a_restart_of_redis_every_cursor_returns_everything(world: World) -> None:
    world.index.connected("a run")
    world.match(2)
    handed = world.poll("bot-0", 0)["turns"] + world.poll("bot-1", 0)["turns"]
    (turn,) = handed
    bot = f"bot-{turn['seat']}"
    since = world.poll(bot, 0)["since"]
    world.index.connected("a run")
    assert world.poll(bot, 0, since)["turns"] == []
    world.index.connected("another run")
    again = world.poll(bot, 0, since)
    assert again["turns"] == [turn]
    assert world.poll(bot, 0, again["since"])["turns"] == []


def test_a_cursor_of_an_older_epoch_returns_everything(redis: Redis, clock: ManualClock) -> None:
    here, there = World(redis, monotonic=lambda: now[0]), World(redis)
    now = [ARRIVAL]
    (match,) = against_house(here)
    since = here.poll("bot-0", 0.0)["since"]
    assert polled(here.poll("bot-0", 0.0, since)) == []
    there.index.connected("a run that only another process has noticed")
    now[0] += EPOCH_S
    again = here.poll("bot-0", 0.0, since)
    assert [each for each, _ in polled(again)] == [match]
    assert polled(there.poll("bot-0", 0.0, again["since"])) == []


def test_forged_and_foreign_cursors_are_refused(world: World) -> None:
    against_house(world, 2)
    since = world.poll("bot-0", 0.0)["since"]
    raw = base64.urlsafe_b64decode(since + "=" * (-len(since) % 4))
    flipped = [raw[:at] + bytes([raw[at] ^ 1]) + raw[at + 1 :] for at in range(len(raw))]
    made_up = ["", "x", "=", "ё", "a" * 5_000, "0", since + "A", since[:-4], since[4:], since + "\n"]
    made_up += [
        base64.urlsafe_b64encode(each).decode().rstrip("=") for each in (*flipped, raw[:-6], raw + raw[-6:])
    ]
    for text in made_up:
        with pytest.raises(BadCursor):
            world.poll("bot-0", 0.0, text)
    with pytest.raises(BadCursor):
        world.poll("bot-1", 0.0, since)
    with pytest.raises(BadCursor):
        Turns(world.referee, world.index, world.hub, world.group_store, b"another key").check("bot-0", since)


def test_a_cursor_depends_only_on_what_the_bot_has_seen(world: World) -> None:
    before = world.poll("bot-0", 0.0)["since"]
    match = world.match([remote(1), remote(2)])
    world.play_out(match)
    waiting_match = world.match([remote(0), remote(1)])
    if world.look(waiting_match).progress.to_move == 0:
        world.act(waiting_match)
    while world.look(waiting_match).progress.to_move != 1:
        world.act(waiting_match)
    assert world.poll("bot-0", 0.0, before)["since"] == before


def test_a_poll_makes_the_bot_show_up(world: World) -> None:
    match = world.match(2, present=False)
    assert polled(world.poll("bot-0", 0.0)) == []
    assert world.look(match).progress.shown == (0,)
    world.poll("bot-1", 0.0)
    loaded = world.look(match)
    assert loaded.progress.status is Status.RUNNING
    assert polled(world.poll(f"bot-{loaded.progress.to_move}", 0.0)) == [(match, 1)]


def test_the_last_bot_to_show_up_gets_its_turn_at_once(world: World) -> None:
    match = world.match([remote(0), house("first")], present=False)
    assert [each for each, _ in polled(world.poll("bot-0", 0.0))] == [match]


def test_a_poll_applies_expired_deadlines(world: World, clock: ManualClock) -> None:
    match = world.match(2)
    other = 1 - (world.look(match).progress.to_move or 0)
    clock.advance(60_000)
    assert polled(world.poll(f"bot-{other}", 0.0)) == [(match, 2)]


def test_a_forfeited_seat_gets_no_turns(world: World) -> None:
    match = world.match([remote(0), *[house("dice")] * 3])
    world.referee.resign(match, "bot-0")
    turns = {world.look(match).progress.turn}
    while world.referee.go_on(match, 0.0, batch=1):
        assert polled(world.poll("bot-0", 0.0)) == []
        turns.add(world.look(match).progress.turn)
    assert len(turns) > 10


# Waiting


def test_the_opponents_move_wakes_a_waiting_poll(world: World) -> None:
    wakeups = WakeupListener(world.hub, world.redis, sweep_s=3_600)
    wakeups.start()
    match = world.match(2)
    seat = world.look(match).progress.to_move or 0
    other = Redis(world.redis.url)
    eventually(lambda: world.redis.one("PUBSUB", "NUMSUB", "kozyr:wake")[1] >= 1)
    with waiting(lambda: world.poll(f"bot-{1 - seat}", 60.0)) as answers:
        registered(world.hub)
        World(other, feeds=False).act(match)
    assert polled(answers[0]) == [(match, 2)]
    wakeups.stop()


def test_a_poll_waiting_at_the_creation_counts_as_showing_up(world: World) -> None:
    wakeups = WakeupListener(world.hub, world.redis, sweep_s=3_600)
    wakeups.start()
    eventually(lambda: world.redis.one("PUBSUB", "NUMSUB", "kozyr:wake")[1] >= 1)
    with waiting(lambda: world.poll("bot-0", 60.0)) as answers:
        registered(world.hub)
        match = World(Redis(world.redis.url)).match([remote(0), house("first")], present=False)
    assert [each for each, _ in polled(answers[0])] == [match]
    wakeups.stop()


def test_a_wake_up_before_the_wait_is_not_lost(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    match = world.match(2)
    seat = world.look(match).progress.to_move or 0
    look_at, moved = world.referee.look_at, []

    def look_and_be_late(matches: Sequence[str]) -> list[LoadedMatch | None]:
        loaded_matches = look_at(matches)
        if not moved:
            moved.append(world.act(match))
            world.hub.wake(match, f"bot-{1 - seat}")
        return loaded_matches

    monkeypatch.setattr(world.referee, "look_at", look_and_be_late)
    with waiting(lambda: world.poll(f"bot-{1 - seat}", 60.0)) as answers:
        pass
    assert polled(answers[0]) == [(match, 2)]


def test_the_sweep_makes_up_for_a_lost_wake_up(world: World) -> None:
    wakeups = WakeupListener(world.hub, world.redis)  # never started, so every PUBLISH is lost
    match = world.match(2)
    seat = world.look(match).progress.to_move or 0
    wakeups.sweep()
    with waiting(lambda: world.poll(f"bot-{1 - seat}", 60.0)) as answers:
        registered(world.hub)
        wakeups.sweep()
        assert answers == []
        world.act(match)
        wakeups.sweep()
    assert polled(answers[0]) == [(match, 2)]


def test_an_unexpected_error_does_not_end_the_sweep(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    parts, failures = WakeupListener._parts, iter([KeyError("run_id")])

    def fails_once(listener: WakeupListener) -> list[list[Waiter]]:
        for failure in failures:
            raise failure
        return parts(listener)

    monkeypatch.setattr(WakeupListener, "_parts", fails_once)
    monkeypatch.setattr(WakeupListener, "_listen", lambda listener: None)  # every PUBLISH is lost
    wakeups = WakeupListener(world.hub, world.redis, sweep_s=0.01)
    match = world.match(2)
    seat = world.look(match).progress.to_move or 0
    with waiting(lambda: world.poll(f"bot-{1 - seat}", 60.0)) as answers:
        registered(world.hub)
        wakeups.start()
        world.act(match)
    assert polled(answers[0]) == [(match, 2)]
    wakeups.stop()


def test_the_response_to_a_move_has_the_next_turn_of_the_match(world: World) -> None:
    match = world.match([remote(0), house("first")])
    moved = world.act(match)
    answer = world.after_move("bot-0", moved, 0.0)
    assert answer["next"]["turn"] == world.look(match).progress.turn
    replayed = world.act(match, moved.entry.move, seat=0, turn=moved.entry.turn)
    assert world.after_move("bot-0", replayed, 0.0)["next"] == answer["next"]


def test_a_wait_after_a_move_ends_with_the_opponents_move_or_the_end(world: World) -> None:
    match = world.match(2)
    moved = world.act(match)
    assert world.after_move("", moved, 0.0) == {"next": None, "finished": None, "service": "running"}
    wakeups = WakeupListener(world.hub, world.redis)
    with waiting(lambda: world.after_move("", moved, 60.0)) as answers:
        registered(world.hub)
        world.referee.resign(match, f"bot-{1 - moved.seat}")
        wakeups.sweep()
    assert answers[0]["next"] is None
    assert answers[0]["finished"]["ending"] == "resigned"


def test_the_oldest_of_too_many_polls_of_one_bot_is_answered(world: World) -> None:
    world.hub = Hub(most_polls=2)
    world.turns = Turns(world.referee, world.index, world.hub, world.group_store, b"key")
    with waiting(lambda: world.poll("bot-0", 60.0)) as first:
        registered(world.hub, 1)
        with waiting(lambda: world.poll("bot-0", 60.0)) as second:
            registered(world.hub, 2)
            with waiting(lambda: world.poll("bot-1", 60.0)), waiting(lambda: world.poll("bot-0", 60.0)):
                eventually(lambda: first)
                registered(world.hub, 3)
                assert polled(first[0]) == []
                assert second == []
                world.hub.close()
    assert world.hub.waiting == 0
    assert world.hub.everybody() == []


def test_the_oldest_of_too_many_other_waits_of_one_bot_is_answered(world: World) -> None:
    """Waits for turns and for events count together, but separately from polls and from other bots."""
    world.hub = Hub(most_polls=1, most_waits=2)
    world.turns = Turns(world.referee, world.index, world.hub, world.group_store, b"key")
    match = world.match(2)
    moved = world.act(match)
    last = len(world.turns.events(match, None, 0, 0.0, 1000)["events"])
    mine = f"bot-{moved.seat}"
    with waiting(lambda: world.after_move(mine, moved, 60.0)) as first:
        registered(world.hub, 1)
        with waiting(lambda: world.turns.events(match, mine, last, 60.0, 1000, mine)) as second:
            registered(world.hub, 2)
            with (
                waiting(lambda: world.poll(mine, 60.0)),
                waiting(lambda: world.turns.events(match, None, last, 60.0, 1000, "203.0.113.5")) as other,
            ):
                registered(world.hub, 4)
                assert (first, second, other) == ([], [], [])
                with waiting(lambda: world.turns.events(match, mine, last, 60.0, 1000, mine)):
                    eventually(lambda: first)
                    registered(world.hub, 4)
                    assert (second, other) == ([], [])
                    world.hub.close()
    assert first[0]["next"] is None
    assert world.hub.everybody() == []


def test_a_closed_hub_answers_every_waiter_at_once(world: World) -> None:
    match = world.match(2)
    seat = world.look(match).progress.to_move or 0
    moved = world.act(match)
    other = f"bot-{seat}"
    with (
        waiting(lambda: world.poll(other, 60.0)),
        waiting(lambda: world.turns.events(match, other, 1_000, 60.0, 10)),
        waiting(lambda: world.after_move(other, moved, 60.0)) as after,
    ):
        registered(world.hub, 3)
        world.hub.close()
    assert after == [{"next": None, "finished": None, "service": "running"}]
    assert polled(world.poll(other, 60.0)) == []
    assert world.turns.events(match, other, 1_000, 60.0, 10)["events"] == []


def test_a_bot_that_leaves_begins_no_new_match_and_finishes_the_others(world: World) -> None:
    (running,) = against_house(world)
    turns = world.poll("bot-0", 0.0)
    new = world.match([remote(0), house("first")], present=False)
    answer = world.poll("bot-0", 0.0, turns["since"], leaving=True)
    assert (answer["turns"], answer["running"]) == ([], 1)
    assert world.look(new).progress.status is Status.WAITING
    world.referee.resign(running, "bot-0")
    over = world.poll("bot-0", 60.0, answer["since"], leaving=True)
    assert ([each["match"] for each in over["finished"]], over["running"]) == ([running], 0)
    # Nothing is left to wait for.
    assert world.poll("bot-0", 60.0, over["since"], leaving=True)["running"] == 0
    assert [match for match, _ in polled(world.poll("bot-0", 0.0, over["since"]))] == [new]


def test_a_poll_that_has_waited_shows_up_for_no_match_of_a_bot_that_leaves(world: World) -> None:
    leaving: set[str] = set()
    turns = Turns(
        world.referee, world.index, world.hub, world.group_store, b"key", leaves=leaving.__contains__
    )
    polls = [turns.poll(bot, 60.0) for bot in ("bot-0", "bot-1")]
    for poll in polls:
        next(poll)
    leaving.add("bot-0")
    match = world.match([remote(0), remote(1)], present=False)
    for poll in polls:
        next(poll)
    assert world.look(match).progress.shown == (1,)
    for poll in polls:
        poll.close()


def test_a_match_in_which_the_bot_has_forfeited_does_not_keep_it_from_leaving(world: World) -> None:
    match = world.match(3)
    world.referee.resign(match, "bot-0")
    assert not world.look(match).finished
    assert world.poll("bot-0", 0.0, leaving=True)["running"] == 0


def test_the_sweep_finds_new_and_finished_matches(world: World) -> None:
    wakeups = WakeupListener(world.hub, world.redis)
    with waiting(lambda: world.poll("bot-0", 60.0)) as answers:
        registered(world.hub)
        match = world.match([remote(0), house("first")])
        wakeups.sweep()
    with waiting(lambda: world.poll("bot-0", 60.0, answers[0]["since"])) as later:
        registered(world.hub)
        world.referee.resign(match, "bot-0")
        wakeups.sweep()
    assert [each["match"] for each in later[0]["finished"]] == [match]

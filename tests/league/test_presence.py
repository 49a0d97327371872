"""Presence: which bots are online."""

from __future__ import annotations

import pytest

from league.accounts.presence import MARGIN_MS, ONLINE_MS, Presence
from redisio.connection import Redis
from tests.support.league import WallClock


@pytest.fixture
def presence(redis: Redis, clock: WallClock) -> Presence:
    return Presence(redis, lambda: clock.ms / 1000, clock)


def test_a_bot_is_online_for_a_while_after_a_request(presence: Presence, clock: WallClock) -> None:
    assert presence.online(["b1"]) == set()
    presence.seen("b1")
    clock.ms += ONLINE_MS - 1
    assert presence.online(["b1", "b2"]) == {"b1"}
    clock.ms += 1
    assert presence.online(["b1"]) == set()


def test_a_polling_bot_is_online_for_the_length_of_its_poll(presence: Presence, clock: WallClock) -> None:
    presence.seen("b1", 60.0)
    clock.ms += 60_000 + MARGIN_MS - 1
    assert presence.online(["b1"]) == {"b1"}
    presence.seen("b1")
    clock.ms += ONLINE_MS - 1
    assert presence.online(["b1"]) == {"b1"}


def test_a_bot_that_leaves_is_not_online_and_soon_forgotten(presence: Presence, clock: WallClock) -> None:
    presence.seen("b1", 60.0)
    presence.leave("b1")
    assert (presence.online(["b1"]), presence.leaving(["b1", "b2"])) == (set(), {"b1"})
    clock.ms += ONLINE_MS
    assert presence.leaving(["b1"]) == set()


def test_a_bot_that_comes_back_at_once_is_online(presence: Presence) -> None:
    presence.seen("b1")
    presence.leave("b1")
    presence.seen("b1")
    assert (presence.online(["b1"]), presence.leaving(["b1"])) == ({"b1"}, set())


def test_everybody_online_is_listed_without_those_who_leave(presence: Presence, clock: WallClock) -> None:
    presence.seen("b1")
    clock.ms += ONLINE_MS - 1
    presence.seen("b2")
    presence.leave("b3")
    assert presence.everybody(10) == ["b2", "b1"]
    assert presence.everybody(2) == ["b2"], "a bot that leaves has a place too"
    clock.ms += 1
    assert presence.everybody(10) == ["b2"]

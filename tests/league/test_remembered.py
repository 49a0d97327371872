"""Tokens that a process remembers are verified by grants, so that not every request hits the slot of all tokens."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from league.accounts.redis import RedisAccountStore, token_key
from league.accounts.remembered import FRESH_S, RememberedTokens
from league.accounts.tokens import NewToken, Scope, Token, TokenKind
from redisio.connection import Pipeline, Redis
from tests.support.league import WallClock

DIGEST = "0000002a" + "d" * 56
LOOK_UP = token_key(DIGEST)
OWNED = Token("t1", TokenKind.BOT, "o1", "b1", "somebody/bot", frozenset({Scope.PLAY}), 0, None)


class AskingProcess:
    """One process that asks for the token `DIGEST`, and the keys that its pipelines hit."""

    def __init__(self, redis: Redis, clock: WallClock) -> None:
        self.redis, self.at, self.keys = redis, 100.0, list[str]()
        self.store: RedisAccountStore = RedisAccountStore(redis)
        self.remembered = RememberedTokens(self.store, clock, lambda: self.at)

    def ask(
        self, before_answer: Callable[[], object] = lambda: None, *, look_up: bool = False
    ) -> Token | None:
        trip = _NotedPipeline(self.redis)
        reply = self.remembered.ask(trip, DIGEST, look_up=look_up)
        trip.go()
        self.keys = trip.keys
        before_answer()
        return reply.answer


class _NotedPipeline(Pipeline):
    def __init__(self, redis: Redis) -> None:
        super().__init__(redis)
        self.keys: list[str] = []

    def ask(self, decode: Callable[[Any], Any], command: tuple[Any, ...]) -> Any:
        self.keys.append(command[3] if command[0] == "EVALSHA" else command[1])
        return super().ask(decode, command)


@pytest.fixture
def here(redis: Redis, clock: WallClock) -> AskingProcess:
    """A process that remembers the token and can verify it."""
    process = AskingProcess(redis, clock)
    process.store.add_token(NewToken(OWNED, DIGEST))
    assert process.ask() == OWNED
    assert process.ask() == OWNED
    return process


def end(store: RedisAccountStore) -> None:
    store.remove_token(NewToken(OWNED, DIGEST))


def test_a_token_that_is_revoked_between_look_up_and_answer_is_not_relied_on(
    redis: Redis, clock: WallClock
) -> None:
    process = AskingProcess(redis, clock)
    process.store.add_token(NewToken(OWNED, DIGEST))
    for _ in range(2):  # the second look-up knows grants
        process.store.add_token(NewToken(OWNED, DIGEST))
        process.ask(lambda: end(process.store))
        assert process.ask() is None


def test_a_revocation_whose_process_died_ends_a_token_after_seconds(
    here: AskingProcess, redis: Redis
) -> None:
    redis.one("DEL", LOOK_UP)
    here.at += FRESH_S
    assert here.ask() is None


def test_an_expired_token_is_not_remembered(redis: Redis, clock: WallClock) -> None:
    process = AskingProcess(redis, clock)
    process.store.add_token(NewToken(OWNED._replace(expires=clock.ms + 1000), DIGEST))
    for _ in range(3):
        process.ask()
    assert process.remembered.find(DIGEST) is not None
    clock.ms += 1000
    assert process.remembered.find(DIGEST) is None

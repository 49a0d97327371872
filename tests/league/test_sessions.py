"""A session of a browser has no more than the token with which it began, whatever becomes of that token."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from league.accounts.model import Owner
from league.accounts.redis import RedisAccountStore, token_key
from league.accounts.remembered import FRESH_S, RememberedTokens
from league.accounts.service import Accounts
from league.accounts.tokens import NewToken, Scope, Token, TokenKind
from league.errors import NoSuchToken
from redisio.connection import Pipeline, Redis
from tests.support.league import WallClock

ADMIN_TEXT = "the admin token of the settings"


class Desk:
    """The accounts as another process sees each request: it looks every token up."""

    def __init__(self, redis: Redis, clock: WallClock, admin_token: str | None = ADMIN_TEXT) -> None:
        self.redis, self.clock = redis, clock
        self.accounts = Accounts(RedisAccountStore(redis), "pepper", admin_token=admin_token, now=clock)

    def holder(self, text: str) -> Token | None:
        """Return the token with this text, if it is valid."""
        pipeline = Pipeline(self.redis)
        pending = self.accounts.ask_token(pipeline, text)
        pipeline.go()
        return pending.answer

    def valid(self, text: str) -> Token:
        """Return the token with this text, which must be valid."""
        found = self.holder(text)
        assert found is not None
        return found

    def signed_up(self) -> tuple[Owner, Token]:
        """Return a new owner and its token."""
        owner, text = self.accounts.create_owner("anna")
        return owner, self.valid(text)


@pytest.fixture
def desk(redis: Redis, clock: WallClock) -> Desk:
    return Desk(redis, clock)


ENDS: dict[str, Callable[[Desk, Owner, Token], object]] = {
    "revoked": lambda desk, _, token: desk.accounts.revoke(token.id),
    "rotated": lambda desk, _, token: desk.accounts.rotate(token.id),
    "replaced by an admin": lambda desk, owner, _: desk.accounts.replace_owner_token(owner),
    "its owner disabled": lambda desk, owner, _: desk.accounts.set_owner_disabled(owner.id, disabled=True),
}


@pytest.mark.parametrize("end", ENDS.values(), ids=ENDS.keys())
def test_a_session_ends_with_its_token(desk: Desk, end: Callable[[Desk, Owner, Token], object]) -> None:
    owner, token = desk.signed_up()
    session = desk.accounts.issue_session(token)
    assert desk.valid(session).parent == token.id
    end(desk, owner, token)
    assert desk.holder(session) is None


def test_a_session_that_begins_while_its_token_is_rotated_ends_with_the_overlap(desk: Desk) -> None:
    owner, token = desk.signed_up()
    desk.accounts.rotate(token.id, overlap_s=60)
    session = desk.accounts.issue_session(token)  # as it was looked up before the rotation
    assert desk.valid(session).expires == desk.clock.ms + 60_000
    desk.clock.ms += 60_000
    assert desk.holder(session) is None
    assert len(desk.accounts.tokens(owner.id)) == 1


def test_no_session_begins_with_a_token_that_was_revoked_meanwhile(desk: Desk) -> None:
    _, token = desk.signed_up()
    desk.accounts.revoke(token.id)
    with pytest.raises(NoSuchToken):
        desk.accounts.issue_session(token)


def test_a_session_has_no_scope_that_its_token_lacks(desk: Desk) -> None:
    owner, _ = desk.signed_up()
    reading, _ = desk.accounts.issue_token(owner, ["read"])
    session = desk.valid(desk.accounts.issue_session(reading))
    assert session.scopes == {Scope.READ}
    narrowed = reading._replace(scopes=frozenset())
    assert session.bounded_by(narrowed).scopes == frozenset()


def test_a_session_neither_begins_another_one_nor_outlives_its_token_by_rotation(desk: Desk) -> None:
    _, token = desk.signed_up()
    session = desk.valid(desk.accounts.issue_session(token))
    with pytest.raises(NoSuchToken):
        desk.accounts.issue_session(session)
    _, rotated = desk.accounts.rotate(session.id)
    assert desk.valid(rotated).parent == token.id
    desk.accounts.revoke(token.id)
    assert desk.holder(rotated) is None


def test_sessions_of_the_admin_token_of_the_settings_end_when_it_changes(
    desk: Desk, redis: Redis, clock: WallClock
) -> None:
    session = desk.accounts.issue_session(desk.valid(ADMIN_TEXT))
    assert desk.valid(session).name == "admin"
    assert [token.note for token in desk.accounts.tokens("admin")] == ["browser"]
    assert Desk(redis, clock).holder(session) is not None, "a restart alone ends no session"
    for admin_token in ("another admin token", None):
        later = Desk(redis, clock, admin_token)
        assert later.holder(session) is None
        assert later.accounts.tokens("admin") == []


# Tokens that a process remembers are verified by grants


DIGEST = "0000002a" + "d" * 56
LOOK_UP = token_key(DIGEST)
OWNED = Token("t1", TokenKind.BOT, "o1", "b1", "somebody/bot", frozenset({Scope.PLAY}), 0, None)


class AskingProcess:
    """A process that asks for the token `DIGEST`."""

    def __init__(self, redis: Redis, clock: WallClock) -> None:
        self.redis, self.at = redis, 100.0
        self.store: RedisAccountStore = RedisAccountStore(redis)
        self.remembered = RememberedTokens(self.store, clock, lambda: self.at)

    def ask(self, before_answer: Callable[[], object] = lambda: None) -> Token | None:
        pipeline = Pipeline(self.redis)
        reply = self.remembered.ask(pipeline, DIGEST, look_up=False)
        pipeline.go()
        before_answer()
        return reply.answer


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


def test_a_token_revoked_between_look_up_and_answer_is_invalid(redis: Redis, clock: WallClock) -> None:
    process = AskingProcess(redis, clock)
    process.store.add_token(NewToken(OWNED, DIGEST))
    for _ in range(2):  # the second look-up knows grants
        process.store.add_token(NewToken(OWNED, DIGEST))
        process.ask(lambda: end(process.store))
        assert process.ask() is None


def test_a_revocation_whose_process_died_holds_after_seconds(here: AskingProcess, redis: Redis) -> None:
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

"""Round trips: every caller gets exactly the replies to its own commands."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
import redis as redis_py
from redis._parsers.base import BaseParser
from redis.exceptions import RedisError, ResponseError
from redis.exceptions import TimeoutError as LateAnswer

from redisio.connection import Redis
from redisio.errors import NotServing, StoreFull, checked
from redisio.group_commit import SharedConnection
from referee.storage.redis_index import JOIN
from tests.referee.world import at_once
from tests.support.waiting import eventually


def test_the_error_of_one_command_is_returned_among_the_other_replies(any_redis: Redis) -> None:
    any_redis.run([("SET", "a", "text")])
    first, wrong, last = any_redis.run([("GET", "a"), ("LPUSH", "a", "x"), ("GET", "a")])
    assert (first, last) == (b"text", b"text")
    assert isinstance(wrong, ResponseError)
    with pytest.raises(RedisError):
        checked(wrong)
    with pytest.raises(ResponseError):
        any_redis.one("LPUSH", "a", "x")
    assert any_redis.one("GET", "a") == b"text"


def test_callers_that_share_a_round_trip_get_their_own_replies(redis: Redis) -> None:
    def mine(nth: int) -> object:
        for step in range(20):
            wanted = b"%d %d" % (nth, step)
            assert redis.run([("SET", f"k{nth}", wanted), ("GET", f"k{nth}")])[1] == wanted
        return None

    assert at_once(*[lambda nth=nth: mine(nth) for nth in range(40)]) == [None] * 40


class SilentConnection:
    """A connection to a server that takes commands and never answers."""

    is_connected = True

    def __init__(self) -> None:
        self.sent, self.over = threading.Semaphore(0), threading.Event()

    def can_read(self) -> bool:
        return False

    def send_packed_command(self, _packed: list[bytes]) -> None:
        self.sent.release()

    def read_response(self) -> None:
        self.over.wait()
        raise LateAnswer

    def disconnect(self) -> None:
        pass


def test_a_silent_server_keeps_nobody_waiting_for_a_second_timeout() -> None:
    silent = SilentConnection()
    shared = SharedConnection(silent)

    def late() -> str:
        with pytest.raises(LateAnswer):
            shared.run([("PING",)])
        return "late"

    with ThreadPoolExecutor() as pool:
        first = pool.submit(late)
        silent.sent.acquire()
        others = [pool.submit(late) for _ in range(3)]
        eventually(lambda: len(shared._waiting) == 3)
        silent.over.set()
        assert [each.result() for each in (first, *others)] == ["late"] * 4
    assert not silent.sent.acquire(blocking=False), "only one trip was made"


def test_a_lost_connection_is_replaced(redis: Redis) -> None:
    redis.one("SET", "a", 1)
    with redis_py.Redis.from_url(redis.url, protocol=2) as other:
        other.execute_command("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes")
    answers = []
    for _ in range(2):
        try:
            answers.append(redis.one("GET", "a"))
        except RedisError:  # the command in flight has an unknown result, so it raises
            answers.append(None)
    assert answers[-1] == b"1"


def test_a_wake_up_follows_its_change_even_if_the_script_must_be_loaded(redis: Redis) -> None:
    with redis_py.Redis.from_url(redis.url, protocol=2) as other, other.monitor() as watched:
        other.script_flush()
        joins = JOIN.call(("{a}active", "{a}finished", "{a}version", "{a}reserved"), "match")
        assert redis.run([joins, ("PUBLISH", "woken", "a")]) == [1, 0]
        redis.one("ECHO", "over")
        heard = [""]
        while heard[-1] != "ECHO over":
            heard.append(watched.next_command()["command"])
    joined = next(place for place, command in enumerate(heard) if command.startswith("SADD"))
    assert any(command.startswith("PUBLISH") for command in heard[joined:])


@pytest.mark.parametrize(
    ("refusal", "word", "full"),
    [
        ("OOM command not allowed when used memory > 'maxmemory'.", "OOM", True),
        ("ERR Error running script (call to f_1): @user_script:1: -OOM command not allowed", "OOM", True),
        ("MISCONF Errors writing to the AOF file: No space left on device", "MISCONF", True),
        ("MISCONF Redis is configured to save RDB snapshots, but can't", "MISCONF", False),
        ("READONLY You can't write against a read only replica.", "READONLY", False),
    ],
)
def test_a_full_store_is_distinguished_from_other_refusals(
    refusal: str, word: str, full: bool, redis: Redis, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(redis, "_send", lambda commands: [BaseParser.parse_error(refusal)])
    with pytest.raises(NotServing) as raised:
        redis.run([("PING",)])
    assert (raised.value.word, isinstance(raised.value, StoreFull)) == (word, full)

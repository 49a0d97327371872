"""The embedded Redis is a real server, keeps acknowledged writes, and refuses whatever would lose data."""

from __future__ import annotations

import os
import signal
import socket
import stat
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import redis

from server import embedded
from server.config.folder import kept_secret
from server.config.settings import Settings
from server.embedded import LONGEST_SOCKET_PATH, EmbeddedRedis, EmbeddedRedisError, ServerVersion
from tests.support.waiting import eventually


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "redis"


@pytest.fixture
def server(folder: Path) -> Iterator[EmbeddedRedis]:
    server = EmbeddedRedis(folder, appendfsync="always").start()
    yield server
    server.stop()


def test_it_is_a_redis_6_2_or_newer_that_listens_on_a_private_socket_alone(server: EmbeddedRedis) -> None:
    client = redis.Redis.from_url(server.url, protocol=2)
    info = client.info("server")
    assert tuple(map(int, info["redis_version"].split(".")))[:2] >= (6, 2)
    assert info["tcp_port"] == 0
    assert stat.S_IMODE(server.socket.stat().st_mode) & 0o077 == 0
    assert stat.S_IMODE(server.folder.stat().st_mode) == 0o700
    assert client.config_get("save") == {"save": ""}
    assert client.config_get("appendonly") == {"appendonly": "yes"}


def test_acknowledged_writes_survive_a_stop_and_a_kill(server: EmbeddedRedis) -> None:
    server.client().set("kept", "once")
    server.stop()
    server.start()
    assert server.client().get("kept") == b"once"
    server.client().set("kept", "twice")
    server.kill()
    server.start()
    assert server.client().get("kept") == b"twice"


def test_a_second_server_on_the_same_folder_is_refused(server: EmbeddedRedis) -> None:
    with pytest.raises(EmbeddedRedisError, match="another Redis runs"):
        EmbeddedRedis(server.folder).start()
    assert server.client().ping()


def test_the_folder_stays_locked_while_the_server_lives_even_if_its_starter_lets_go(
    server: EmbeddedRedis,
) -> None:
    server.release()
    server.socket.unlink()  # the socket would reveal the server as well
    with pytest.raises(EmbeddedRedisError, match="another Redis runs"):
        EmbeddedRedis(server.folder).prepare()


@contextmanager
def rewriting_forever(server: EmbeddedRedis) -> Iterator[int]:
    """Let the server rewrite its file in a child that would need an hour. Yield the process id of the child."""
    assert server.process is not None
    children = Path(f"/proc/{server.process.pid}/task/{server.process.pid}/children")
    if not children.exists():
        pytest.skip("the children of a process are not to be seen here (/proc/…/children)")
    with closing(server.client()) as client:
        client.set("kept", "once")
        client.config_set("rdb-key-save-delay", 1_000_000_000)
        command: Callable[..., Any] = client.execute_command
        command("BGREWRITEAOF")
    eventually(lambda: children.read_text().split(), "the rewrite has begun")
    (child,) = map(int, children.read_text().split())
    try:
        eventually(lambda: list(server.folder.rglob("temp-*")), "it writes")
        yield child
    finally:
        os.kill(child, signal.SIGKILL)


def test_a_folder_is_free_though_a_rewrite_outlives_its_killed_server(server: EmbeddedRedis) -> None:
    with rewriting_forever(server) as child:
        server.kill()
        again = EmbeddedRedis(server.folder).start()
        os.kill(child, 0)  # it is still alive
        assert again.client().get("kept") == b"once"
        assert not list(server.folder.rglob("temp-*"))
        again.stop()


def written_by(folder: Path, *words: str) -> None:
    """Record the server that wrote the folder, or no server if there are no words."""
    (folder / "server-version").unlink(missing_ok=True)
    for text in words:
        (folder / "server-version").write_text(text)


@pytest.mark.parametrize("writer", ["Redis 99.1.0\n", "Valkey 99.1.0\n"])
def test_data_that_this_server_can_not_read_are_refused_with_their_writers_name(
    folder: Path, writer: str
) -> None:
    EmbeddedRedis(folder).start().stop()
    written_by(folder, writer)
    with pytest.raises(EmbeddedRedisError, match=r"(Redis|Valkey) 99\.1\.0 wrote the data"):
        EmbeddedRedis(folder).start()
    assert (folder / "server-version").read_text() == writer, "the one that wrote them still may open them"


@pytest.mark.parametrize(
    "words", [[], [""], ["\0\0"], ["Redis 7.2.0\n"]], ids=["none", "empty", "zeros", "old"]
)
def test_a_server_opens_data_that_it_can_read_and_leaves_its_own_name(folder: Path, words: list[str]) -> None:
    EmbeddedRedis(folder).start().stop()
    written_by(folder, *words)
    EmbeddedRedis(folder).start().stop()
    assert (folder / "server-version").read_text() == f"{embedded.server_version(embedded.find_server())}\n"


@pytest.mark.parametrize(
    ("reader", "writer", "reads"),
    [
        ("Redis 8.2.3", "Redis 6.2.14", True),
        ("Redis 7.0.15", "Redis 7.2.0", False),
        ("Redis 7.0.15", "Redis 7.0.99", True),
        ("Valkey 9.1.2", "Redis 7.0.15", True),
        ("Valkey 9.1.2", "Redis 7.2.9", True),
        ("Valkey 9.1.2", "Redis 7.4.0", False),
        ("Redis 8.2.3", "Valkey 9.1.2", False),
        ("Redis 8.2.3", "Valkey 7.2.5", False),
    ],
)
def test_redis_and_valkey_read_each_others_data_up_to_where_they_parted(
    reader: str, writer: str, reads: bool
) -> None:
    def version(words: str) -> ServerVersion:
        maker, number = words.split()
        major, minor, patch = map(int, number.split("."))
        return ServerVersion(maker, (major, minor, patch))

    assert version(reader).reads(version(writer)) is reads


def test_a_path_too_long_for_a_socket_is_replaced_by_a_short_one(tmp_path: Path) -> None:
    server = EmbeddedRedis(tmp_path / ("long" * 20) / "redis")
    assert len(os.fsencode(server.socket)) <= LONGEST_SOCKET_PATH
    server.start()
    try:
        assert redis.Redis.from_url(server.url).ping()
        assert stat.S_IMODE(server.socket.parent.stat().st_mode) == 0o700
    finally:
        server.stop()


@pytest.mark.parametrize("name", ["a b%20c", 'a "b"', "a\\b", "a\nb", "a'b #c", "ладдер"])
def test_a_path_may_have_any_character(tmp_path: Path, name: str) -> None:
    server = EmbeddedRedis(tmp_path / name).start()
    try:
        assert redis.Redis.from_url(server.url).ping()
        assert embedded.answers(server.url)
    finally:
        server.stop()


def test_without_a_running_server_the_error_says_what_to_start(tmp_path: Path) -> None:
    with pytest.raises(EmbeddedRedisError, match="kozyr up"):
        embedded.attached(Settings(var=tmp_path))


def test_a_process_alone_finds_the_embedded_redis_and_the_secret(tmp_path: Path) -> None:
    settings = Settings(var=tmp_path)
    server = embedded.of(settings).start()
    try:
        embedded.url_file(settings).write_text(server.url)
        found = embedded.attached(settings)
        assert found.redis_url == server.url
        assert found.secret == kept_secret(settings)
        assert stat.S_IMODE((tmp_path / "secret").stat().st_mode) == 0o600
    finally:
        server.stop()


def test_an_external_redis_needs_a_secret() -> None:
    outside = Settings(redis_url="redis://127.0.0.1:1/0")
    with pytest.raises(EmbeddedRedisError, match="KOZYR_SECRET"):
        embedded.attached(outside)
    complete = replace(outside, secret="s" * 32)
    assert embedded.attached(complete) == complete


def test_a_server_that_gives_up_while_it_starts_listens_but_does_not_answer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(embedded, "ANSWER_S", 0.01)
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(tmp_path / "redis.sock"))
        server.listen()
        url = f"unix://{tmp_path}/redis.sock"
        assert embedded.listens(url)
        assert not embedded.answers(url)

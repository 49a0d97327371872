"""After a power cut the end of the append-only file may be zeros or garbage. What is whole comes back by itself."""

from __future__ import annotations

import random
from contextlib import closing
from pathlib import Path

import pytest
from click.testing import CliRunner

from kozyr.cli.main import main
from redisio.connection import Redis
from server.backup import recovery
from server.backup.recovery import recover
from server.embedded import EmbeddedRedis, EmbeddedRedisError
from tests.referee.archived import ArchivedWorld
from tests.referee.world import ManualClock

GARBAGE = random.Random(7).randbytes(5000)
TORN = b"*3\r\n$3\r\nSET\r\n$4\r\ntorn\r\n$100\r\nxyz"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return the folder of a server that has three records and ended by itself."""
    server = EmbeddedRedis(tmp_path / "redis").start()
    try:
        with closing(Redis(server.url)) as redis:
            ManualClock(redis)
            ArchivedWorld(redis, tmp_path / "archive").played(3)
            redis.one("SET", "last", "written")
    finally:
        server.stop()
    return server.folder


def aof(folder: Path) -> Path:
    found = EmbeddedRedis(folder).last_file()
    assert found is not None
    return found


def recovered(folder: Path, *, all_of_it: bool = False) -> str | None:
    """Recover a folder as its next start does, and return what was done."""
    server = EmbeddedRedis(folder)
    done: list[str | None] = []
    server.prepare(lambda server: done.append(recover(server, all_of_it=all_of_it)))
    server.release()
    return done[0]


def last_key(folder: Path) -> bytes | None:
    server = EmbeddedRedis(folder).start()
    try:
        with closing(Redis(server.url)) as redis:
            value: bytes | None = redis.one("GET", "last")
            return value
    finally:
        server.stop()


@pytest.mark.parametrize(
    "end",
    [bytes(1), bytes(4096), GARBAGE, TORN + bytes(4096), TORN + GARBAGE, b"\r\n" + GARBAGE + b"\r\n"],
    ids=["zero", "zeros", "garbage", "torn, zeros", "torn, garbage", "garbage with line ends"],
)
def test_a_damaged_end_is_cut_off_and_kept(folder: Path, end: bytes) -> None:
    file = aof(folder)
    whole = file.read_bytes()
    file.write_bytes(whole + end)
    done = recovered(folder)
    assert done is not None
    assert done.startswith(f"{len(end)} damaged bytes at the end of {file.name} were cut off; the 3 records")
    assert file.read_bytes() == whole
    (kept,) = folder.glob("*.damaged-*")
    assert kept.read_bytes() == whole + end
    assert str(kept) in done
    assert not list(folder.glob("recovery-*"))
    assert last_key(folder) == b"written"


def test_a_whole_file_is_left_alone(folder: Path) -> None:
    before = aof(folder).read_bytes()
    assert not EmbeddedRedis(folder).may_be_damaged()
    assert recovered(folder) is None
    assert aof(folder).read_bytes() == before


def damage_the_middle(file: Path) -> int:
    """Overwrite a command in the first half of a file. Return the number of bytes that follow it."""
    data = bytearray(file.read_bytes())
    at = data.index(b"\r\n*", len(data) // 2) + 2
    data[at : at + 4] = bytes(4)
    file.write_bytes(data)
    return len(data) - at


def test_much_that_follows_the_damage_is_not_lost_without_being_asked(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = aof(folder)
    lost = damage_the_middle(file)
    damaged = file.read_bytes()
    monkeypatch.setattr(recovery, "MOST_CUT", lost - 4096)
    with pytest.raises(EmbeddedRedisError, match="kozyr redis --cut-damage"):
        recovered(folder)
    assert file.read_bytes() == damaged
    assert not list(folder.glob("*.damaged-*"))
    assert "damaged bytes at the end" in (recovered(folder, all_of_it=True) or "")


def test_zeros_do_not_count_as_what_follows_the_damage(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recovery, "MOST_CUT", 100)
    with aof(folder).open("ab") as file:
        file.write(TORN + bytes(1 << 20))
    assert recovered(folder) is not None


def test_a_rest_whose_records_differ_from_the_chain_is_refused(folder: Path) -> None:
    server = EmbeddedRedis(folder).start()
    try:
        with closing(Redis(server.url)) as redis:
            redis.one("SETRANGE", "kozyr:{chain}:links", 10, b"forged")
    finally:
        server.stop()
    with aof(folder).open("ab") as file:
        file.write(bytes(4096))
    damaged = aof(folder).read_bytes()
    with pytest.raises(EmbeddedRedisError, match=r"restore a backup \(`kozyr restore`\)"):
        recovered(folder)
    assert aof(folder).read_bytes() == damaged


def test_a_recovery_that_dies_before_it_cuts_is_repeated(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = aof(folder).read_bytes()
    with aof(folder).open("ab") as file:
        file.write(GARBAGE)

    def die(file: Path, to: Path) -> None:
        to.write_bytes(b"half a copy")
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(recovery, "_copy", die)
        with pytest.raises(KeyboardInterrupt):
            recovered(folder)
    assert aof(folder).read_bytes() == whole + GARBAGE
    assert recovered(folder) is not None
    assert aof(folder).read_bytes() == whole


def test_kozyr_redis_recovers_and_says_so_in_one_line(folder: Path) -> None:
    with aof(folder).open("ab") as file:
        file.write(GARBAGE)
    done = CliRunner().invoke(main, ["redis", "--cut-damage"], env={"KOZYR_VAR": str(folder.parent)})
    assert done.exit_code == 0, done.output
    assert done.output.startswith("kozyr: 5000 damaged bytes at the end of ")
    assert done.output.count("\n") == 1
    again = CliRunner().invoke(main, ["redis", "--cut-damage"], env={"KOZYR_VAR": str(folder.parent)})
    assert (again.exit_code, again.output) == (0, "nothing is damaged\n")

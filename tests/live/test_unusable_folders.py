"""A folder that can't be used ends each command with one sentence and status 2, and nothing is tried for ever."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from server.config.folder import kept_secret
from server.config.settings import Settings
from server.embedded import EmbeddedRedis
from tests.support.live import ROOT
from tests.support.ports import free_port
from tests.support.unprivileged import fill_the_disk, obey_permissions

pytestmark = [pytest.mark.ci, pytest.mark.live]

UP = ("up", "--no-demo")
ADVICE = "KOZYR_VAR must name a folder of this user that can be written, on a disk with free space\n"


def kozyr(var: Path, *words: str, first: Callable[[], None] = obey_permissions) -> tuple[int, str]:
    """Run a command and return its status and its output."""
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("KOZYR_")}
    done = subprocess.run(
        [sys.executable, "-m", "kozyr", *words],
        cwd=ROOT,
        env={**inherited, "KOZYR_VAR": str(var), "KOZYR_PORT": str(free_port()), "PYTHONPATH": str(ROOT)},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        preexec_fn=first,
        encoding="utf-8",
        timeout=120,
    )
    return done.returncode, done.stdout


@pytest.fixture
def var(tmp_path: Path) -> Iterator[Path]:
    """Return a folder whose files get their permissions back."""
    folder = tmp_path / "var"
    folder.mkdir()
    yield folder
    for path in (folder, *folder.rglob("*")):
        path.chmod(0o700)


def refused(answer: tuple[int, str], place: Path) -> None:
    """Check the only sentence; `kozyr up` may have printed states of its processes before."""
    status, output = answer
    assert status == 2, output
    (sentence,) = [line for line in output.splitlines(keepends=True) if line.startswith("kozyr: ")]
    assert sentence.startswith(f"kozyr: {place} can't be used ("), output
    assert sentence.endswith(ADVICE), output
    assert output.endswith(sentence), output
    assert "Traceback" not in output


def lock_all(var: Path) -> None:
    var.chmod(0o500)


def lock_redis(var: Path) -> None:
    (var / "redis").mkdir()
    (var / "redis" / "lock").touch(0o400)


def hide_the_secret(var: Path) -> None:
    kept_secret(Settings(var=var))
    (var / "secret").chmod(0)


def block_a_log(var: Path) -> None:
    (var / "log" / "redis.log").mkdir(parents=True)


@pytest.mark.parametrize(
    ("words", "prepare", "place"),
    [
        (UP, lock_all, "up.lock"),
        (("redis",), lock_all, "redis.new"),
        (UP, lock_redis, "redis/lock"),
        (("redis",), lock_redis, "redis/lock"),
        (UP, hide_the_secret, "secret"),
        (UP, block_a_log, "log/redis.log"),
    ],
)
def test_a_folder_that_can_not_be_used_is_named(
    var: Path, words: tuple[str, ...], prepare: Callable[[Path], None], place: str
) -> None:
    prepare(var)
    refused(kozyr(var, *words), var / place)


@pytest.mark.parametrize("command", ["api", "clock", "worker", "demo", "data", "backup"])
def test_a_secret_of_another_user_beside_a_running_redis(var: Path, command: str) -> None:
    server = EmbeddedRedis(var / "redis").start()
    try:
        hide_the_secret(var)
        (var / "redis.url").write_text(server.url, encoding="utf-8")
        words = (command, str(var / "backup")) if command == "backup" else (command,)
        refused(kozyr(var, *words), var / "secret")
    finally:
        server.stop()


@pytest.mark.parametrize("words", [UP, ("redis",)], ids=["up", "redis"])
def test_a_full_disk(var: Path, words: tuple[str, ...]) -> None:
    status, output = kozyr(var, *words, first=fill_the_disk)
    assert (status, output.count("\n")) == (2, 1), output
    assert output.endswith(ADVICE), output


def test_a_redis_that_never_starts_ends_all(var: Path) -> None:
    (var / "redis" / "appendonly.aof").mkdir(parents=True)  # what Redis 6.2 appends to
    (var / "redis" / "appendonlydir").touch()  # the folder of later servers
    status, output = kozyr(var, *UP)
    assert (status, "Traceback" in output) == (2, False), output
    # A slow machine shows what has started before.
    assert "kozyr: redis does not start: " in output

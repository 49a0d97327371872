"""The command line, and `kozyr up`: it runs once per folder, restarts its processes and stops all of them."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from click.testing import CliRunner, Result

from kozyr.cli.main import main
from server import embedded
from server.commands.up import children
from server.config.settings import load
from tests.support.live import LiveService
from tests.support.waiting import eventually

PROCESSES = {"redis", "api", "clock", "worker"}


def kozyr(*words: str, **environment: str) -> Result:
    clean = {name: None for name in os.environ if name.startswith("KOZYR_")}
    return CliRunner().invoke(main, list(words), env={**clean, **environment})


@pytest.mark.parametrize(
    ("words", "unused"),
    [
        (["--help"], {"difflib", "json", "rich", "httpx", "engine", "redis", "flask"}),
        (
            ["play", "greedy", "random", "--game", "durak", "--deals", "2", "--jobs", "1"],
            {"difflib", "traceback", "rich._emoji_codes", "multiprocessing", "httpx", "redis", "flask"},
        ),
    ],
)
def test_a_command_imports_only_what_it_uses(words: list[str], unused: set[str]) -> None:
    code = (
        "import contextlib, sys; from kozyr.cli.main import main\n"
        f"with contextlib.suppress(SystemExit): main({words})\n"
        f"print(sorted({unused} & sys.modules.keys()))"
    )
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ended.stdout.splitlines()[-1] == "[]"


def test_the_settings_are_shown_without_the_secrets() -> None:
    shown = kozyr("settings", KOZYR_PORT="9123", KOZYR_SECRET="s3cret" * 8, COLUMNS="200")
    assert shown.exit_code == 0
    assert "9123" in shown.output
    assert "s3cret" not in shown.output


def test_an_occupied_port_is_reported_before_anything_starts(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        ended = kozyr("up", KOZYR_PORT=str(taken.getsockname()[1]), KOZYR_VAR=str(tmp_path))
    assert ended.exit_code == 2
    assert "KOZYR_PORT" in ended.output


def test_all_processes_of_up_but_the_api_wait_for_redis(tmp_path: Path) -> None:
    settings = load({"KOZYR_VAR": str(tmp_path)})
    started = {child.name: child for child in children(settings, own_redis=True, demo=True)}
    assert {name for name, child in started.items() if child.starts_when()} == {"redis", "api"}
    server = embedded.of(settings).start()
    try:
        assert all(child.starts_when() for child in started.values())
    finally:
        server.stop()


def children_of(pid: int) -> dict[str, int]:
    """Return the child processes of a supervisor by name (Linux). `api` and `redis` become another program."""
    found = {}
    for word in Path(f"/proc/{pid}/task/{pid}/children").read_text().split():
        with contextlib.suppress(FileNotFoundError):  # it ended meanwhile
            words = Path(f"/proc/{word}/cmdline").read_text().rstrip("\0").split("\0")
            program = " ".join(words)
            name = (
                "redis"
                if "-server unixsocket:" in program
                else "api"
                if "server.master" in program
                else words[-1]
            )
            found[name] = int(word)
    return found


def ready(service: LiveService) -> bool:
    try:
        return httpx.get(service.url + "/readyz", timeout=2, trust_env=False).is_success
    except httpx.HTTPError:
        return False


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveService]:
    command = [sys.executable, "-m", "kozyr.cli.main", "up", "--no-demo"]
    with LiveService(tmp_path_factory.mktemp("up"), [], commands={"up": command}) as service:
        yield service


@pytest.fixture
def up(shared: LiveService) -> LiveService:
    """A ready `kozyr up`. The next test gets the same one."""
    if not shared.running("up"):
        shared.start("up")
    eventually(lambda: ready(shared))
    return shared


@pytest.mark.live
@pytest.mark.slow
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="looks into /proc")
def test_all_processes_start_and_a_killed_process_starts_again(up: LiveService) -> None:
    before = eventually(lambda: (found := children_of(up.pid("up"))).keys() >= PROCESSES and found)
    for name, pid in before.items():
        os.kill(pid, signal.SIGKILL)
        eventually(lambda name=name, pid=pid: children_of(up.pid("up")).get(name, pid) != pid)
    eventually(lambda: ready(up))


@pytest.mark.live
@pytest.mark.slow
@pytest.mark.ci
def test_ctrl_c_ends_everything_and_the_next_start_goes_on(up: LiveService) -> None:
    up.signal("up", signal.SIGINT)
    up.wait_for_end("up", within=60)
    assert not ready(up)
    assert not (up.var / "redis.url").exists()
    assert "Traceback" not in up.log("up")
    up.start("up")
    eventually(lambda: ready(up))


@pytest.mark.live
@pytest.mark.slow
def test_a_second_one_in_the_same_folder_is_refused(up: LiveService) -> None:
    ended = kozyr("up", KOZYR_VAR=str(up.var), KOZYR_PORT="1")
    assert ended.exit_code == 2
    assert "already runs" in ended.output
    assert ready(up)


@pytest.mark.live
@pytest.mark.slow
@pytest.mark.ci
def test_up_recovers_from_a_power_cut_and_says_so_in_one_line(up: LiveService) -> None:
    up.terminate("up")
    file = embedded.of(up.settings).last_file()
    assert file is not None
    with file.open("ab") as damaged:
        damaged.write(bytes(4096))
    up.start("up")
    eventually(lambda: ready(up))
    (line,) = (line for line in up.log("up").splitlines() if "damaged" in line)
    assert line.startswith(f"kozyr: 4096 damaged bytes at the end of {file.name} were cut off; the 0 records")

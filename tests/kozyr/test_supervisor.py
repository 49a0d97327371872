"""The supervisor keeps its children running and leaves none behind."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from server import supervisor as module
from server.supervisor import CannotWork, Child, ProcessHealth, Supervisor
from tests.support.waiting import eventually

SLEEPER = "import time; time.sleep(600)"
STUBBORN = (
    "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN);"
    "print('up', flush=True); time.sleep(600)"
)
# Start a child in the same process group that survives its parent, and print both process ids.
WITH_ORPHAN = (
    "import os, subprocess, sys, time;"
    "child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)']);"
    "print(os.getpid(), child.pid, flush=True); time.sleep(600)"
)


def python(name: str, code: str, folder: Path, **more: object) -> Child:
    return Child(name, [sys.executable, "-S", "-c", code], log=folder / f"{name}.log", **more)  # type: ignore[arg-type]


def output(folder: Path, name: str) -> str:
    with contextlib.suppress(FileNotFoundError):
        return (folder / f"{name}.log").read_text()
    return ""


def is_alive(pid: int) -> bool:
    """Return whether a process runs. A zombie does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


@pytest.fixture
def running() -> Iterator[Callable[..., Supervisor]]:
    """Run a supervisor in a thread, and stop it after the test."""
    started: list[tuple[Supervisor, threading.Thread]] = []

    def run(*children: Child, **more: float) -> Supervisor:
        supervisor = Supervisor(children, first_backoff_s=0.01, **more)
        thread = threading.Thread(target=supervisor.run, kwargs={"signals": False})
        thread.start()
        started.append((supervisor, thread))
        return supervisor

    yield run
    for supervisor, thread in started:
        supervisor.stop()
        thread.join(timeout=60)
        assert not thread.is_alive()
        assert not any(each.pid and is_alive(each.pid) for each in supervisor.health())


def health(supervisor: Supervisor, name: str) -> ProcessHealth:
    return next(each for each in supervisor.health() if each.name == name)


def pid(supervisor: Supervisor, name: str) -> int:
    return eventually(lambda: health(supervisor, name).pid or 0)


def test_what_a_dead_child_left_behind_is_killed_before_it_starts_again(
    running: Callable[..., Supervisor], tmp_path: Path
) -> None:
    supervisor = running(python("a", WITH_ORPHAN, tmp_path))
    eventually(lambda: len(output(tmp_path, "a").split()) == 2)
    parent, orphan = map(int, output(tmp_path, "a").split())
    os.kill(parent, signal.SIGKILL)
    eventually(lambda: health(supervisor, "a").starts == 2)
    assert not is_alive(orphan)


def test_a_child_that_keeps_dying_is_restarted_with_backoff(
    running: Callable[..., Supervisor], tmp_path: Path
) -> None:
    supervisor = running(python("a", "raise SystemExit(3)", tmp_path), longest_backoff_s=600)
    eventually(lambda: health(supervisor, "a").starts >= 4)
    kept = supervisor._kept[0]
    eventually(lambda: kept.failures >= 5 and kept.next_start - kept.since >= 0.01 * 2**3)


def test_a_child_that_may_end_is_done_with_status_0_and_not_otherwise(
    running: Callable[..., Supervisor], tmp_path: Path
) -> None:
    once = f"import os; p = {str(tmp_path / 'seen')!r}; e = os.path.exists(p); open(p, 'w'); raise SystemExit(not e)"
    supervisor = running(python("a", once, tmp_path, once=True))
    eventually(lambda: health(supervisor, "a").state == "done")
    assert health(supervisor, "a").starts == 2


def test_a_child_first_starts_when_it_may_and_later_without_asking(
    running: Callable[..., Supervisor], tmp_path: Path
) -> None:
    asked: list[None] = []
    allowed = threading.Event()

    def may_start() -> bool:
        asked.append(None)
        return allowed.is_set()

    supervisor = running(
        python("a", SLEEPER, tmp_path), python("later", SLEEPER, tmp_path, starts_when=may_start)
    )
    pid(supervisor, "a")
    eventually(lambda: len(asked) >= 2)
    assert health(supervisor, "later").state == "waiting"
    assert not supervisor.has_started_all()
    allowed.set()
    first = pid(supervisor, "later")
    assert supervisor.has_started_all()
    questions = len(asked)
    os.kill(first, signal.SIGKILL)
    eventually(lambda: health(supervisor, "later").starts == 2)
    assert len(asked) == questions


@pytest.mark.parametrize(
    ("said", "last_words"),
    [("first\nkozyr: no such key\n", "kozyr: no such key"), ("", "a ended with status 2")],
)
def test_what_a_child_can_t_mend_at_the_start_stops_all_and_is_raised(
    said: str, last_words: str, tmp_path: Path
) -> None:
    code = f"import sys; sys.stderr.write({said!r}); sys.exit(2)"
    supervisor = Supervisor([python("a", code, tmp_path), python("b", SLEEPER, tmp_path)])
    with pytest.raises(CannotWork, match=f"^{last_words}$"):
        supervisor.run(signals=False)
    assert health(supervisor, "b").status == -signal.SIGTERM


def test_a_child_that_others_wait_for_and_that_keeps_dying_ends_all(tmp_path: Path) -> None:
    code = "import sys; print('no file'); sys.exit(1)"
    supervisor = Supervisor(
        [python("a", code, tmp_path, needed=True), python("b", SLEEPER, tmp_path, starts_when=lambda: False)]
    )
    with pytest.raises(CannotWork, match=r"^a does not start: no file$"):
        supervisor.run(signals=False)
    assert health(supervisor, "a").starts == 3


def test_a_needed_child_that_dies_after_the_others_have_started_is_restarted(
    running: Callable[..., Supervisor], tmp_path: Path
) -> None:
    supervisor = running(
        python("a", "raise SystemExit(1)", tmp_path, needed=True), python("b", SLEEPER, tmp_path)
    )
    eventually(lambda: health(supervisor, "a").starts > 4)


@pytest.mark.parametrize("late", [True, False])
def test_status_2_of_a_later_process_or_after_a_while_leads_to_a_restart(
    late: bool, running: Callable[..., Supervisor], tmp_path: Path
) -> None:
    again = tmp_path / "again"
    code = f"import os, sys; e = os.path.exists({str(again)!r}); open({str(again)!r}, 'w'); sys.exit(2 if e else 1)"
    if late:
        supervisor = running(python("a", "raise SystemExit(2)", tmp_path), longest_backoff_s=0.0)
    else:
        supervisor = running(python("a", code, tmp_path))
    eventually(lambda: health(supervisor, "a").starts >= 3)
    assert health(supervisor, "a").status == 2


def test_the_first_stage_ends_last(running: Callable[..., Supervisor], tmp_path: Path) -> None:
    ends = (
        "import os, signal, sys, time;"
        "signal.signal(signal.SIGTERM, lambda *_: (open({log!r}, 'a').write({name!r} + ' '), os._exit(0)));"
        "print('up', flush=True); time.sleep(600)"
    )
    order = tmp_path / "order"
    names = {"redis": 0, "api": 1, "demo": 2}
    supervisor = running(
        *(
            python(name, ends.format(log=str(order), name=name), tmp_path, stage=stage)
            for name, stage in names.items()
        )
    )
    eventually(lambda: all(output(tmp_path, name) for name in names))
    supervisor.stop()
    eventually(lambda: all(each.state == "stopped" for each in supervisor.health()))
    assert order.read_text().split() == ["demo", "api", "redis"]


def test_a_child_that_ignores_the_end_is_killed_with_its_group(
    running: Callable[..., Supervisor], tmp_path: Path
) -> None:
    supervisor = running(python("a", STUBBORN, tmp_path), grace_s=0.1, last_s=0.1)
    eventually(lambda: output(tmp_path, "a"))
    supervisor.stop()
    eventually(lambda: health(supervisor, "a").state == "stopped")
    assert health(supervisor, "a").status == -signal.SIGKILL


WHOLE = """
import sys
from pathlib import Path
from server.supervisor import Child, Supervisor
folder = Path(sys.argv[1])
hup = "import signal, time; signal.signal(signal.SIGHUP, lambda *_: print('hup', flush=True)); print('up', flush=True)"
code = hup + chr(10) + "while True: time.sleep(600)"
stubborn = sys.argv[2]
run = lambda name, code, **more: Child(name, [sys.executable, "-S", "-c", code], log=folder / f"{name}.log", **more)
tied = "from server.supervisor import tie_to_parent; tie_to_parent(); import os, time; "
tied += "print(os.getpid(), flush=True); "
Supervisor([
    run("redis", "print('up', flush=True); import time; time.sleep(600)"),
    run("api", code, stage=1, reloads=True),
    run("stubborn", stubborn, stage=1),
    Child("tied", [sys.executable, "-c", tied + "time.sleep(600)"], stage=1, log=folder / "tied.log"),
]).run()
"""


@pytest.fixture
def whole(tmp_path: Path) -> Iterator[subprocess.Popen[bytes]]:
    """A supervisor in a separate process with running children, of which one ignores SIGTERM."""
    process = subprocess.Popen([sys.executable, "-c", WHOLE, str(tmp_path), STUBBORN])
    eventually(lambda: all(output(tmp_path, name) for name in ("redis", "api", "stubborn", "tied")))
    yield process
    if process.poll() is None:
        process.terminate()
        process.wait(60)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_ctrl_c_and_sigterm_end_everything_though_a_child_ignores_them(
    whole: subprocess.Popen[bytes], number: signal.Signals
) -> None:
    children = [
        int(word) for word in Path(f"/proc/{whole.pid}/task/{whole.pid}/children").read_text().split()
    ]
    assert len(children) == 4
    whole.send_signal(number)
    assert whole.wait(60) == 0
    assert not any(is_alive(child) for child in children)


def test_sighup_goes_to_those_that_reload(whole: subprocess.Popen[bytes], tmp_path: Path) -> None:
    whole.send_signal(signal.SIGHUP)
    eventually(lambda: output(tmp_path, "api").split() == ["up", "hup"])
    assert whole.poll() is None


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="a service of the Linux kernel")
def test_a_child_of_ours_ends_with_a_supervisor_that_is_killed(
    whole: subprocess.Popen[bytes], tmp_path: Path
) -> None:
    children = [
        int(word) for word in Path(f"/proc/{whole.pid}/task/{whole.pid}/children").read_text().split()
    ]
    tied = int(output(tmp_path, "tied"))
    whole.kill()
    whole.wait()
    eventually(lambda: not is_alive(tied))
    for child in set(children) - {tied}:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(child, signal.SIGKILL)


def test_a_log_is_rotated_and_loses_no_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, running: Callable[..., Supervisor]
) -> None:
    monkeypatch.setattr(module, "LARGEST_LOG", 30_000)
    script = "for n in range(9000): print(n, flush=True)\nimport time; time.sleep(99)"
    supervised = running(python("writer", script, tmp_path))
    log, rotated = tmp_path / "writer.log", tmp_path / "writer.log.1"
    wanted = [str(number) for number in range(9000)]
    eventually(
        lambda: (
            rotated.exists() and log.exists() and (rotated.read_text() + log.read_text()).split() == wanted
        )
    )
    assert supervised.health()[0].starts == 1
    supervised.stop()
    eventually(lambda: supervised.health()[0].state == "stopped", "it has ended")
    assert {path.name for path in tmp_path.iterdir()} == {"writer.log", "writer.log.1"}


@pytest.mark.parametrize("exists", [False, True])
def test_only_the_user_can_read_logs(
    tmp_path: Path, running: Callable[..., Supervisor], exists: bool
) -> None:
    folder = tmp_path / "log"
    if exists:  # as an earlier version left them
        folder.mkdir(mode=0o755)
        (folder / "writer.log").touch(mode=0o644)
    running(python("writer", "print('x', flush=True); import time; time.sleep(99)", folder))
    log = folder / "writer.log"
    eventually(lambda: log.exists() and log.stat().st_size > 0, "it has written")
    assert [oct(path.stat().st_mode & 0o777) for path in (folder, log)] == ["0o700", "0o600"]


def test_a_full_disk_costs_lines_and_not_the_process(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, running: Callable[..., Supervisor]
) -> None:
    monkeypatch.setattr(module, "opened", lambda log: Path("/dev/full").open("ab", buffering=0))  # noqa: SIM115
    supervised = running(python("writer", f"print('x' * {2**18})", tmp_path))
    eventually(lambda: supervised.health()[0].starts > 1, "it could print all, and ended")

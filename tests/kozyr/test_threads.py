"""Calls in other threads, and a system that grants no thread."""

from __future__ import annotations

import threading

import gevent.threadpool
import pytest

from referee.errors import Busy
from server.threads import in_thread


@pytest.fixture
def pool(monkeypatch: pytest.MonkeyPatch) -> None:
    """A thread pool without threads."""
    monkeypatch.setattr(gevent.get_hub(), "_threadpool", gevent.threadpool.ThreadPool(2))


@pytest.mark.usefixtures("pool")
def test_a_call_runs_in_another_thread() -> None:
    assert in_thread(threading.get_native_id) != threading.get_native_id()


@pytest.mark.usefixtures("pool")
def test_a_refused_thread_is_a_refusal_to_retry(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise RuntimeError("can't start new thread")

    with monkeypatch.context() as patch:
        patch.setattr(gevent.threadpool, "start_new_thread", refuse)
        with pytest.raises(Busy):
            in_thread(lambda: 1)
    assert in_thread(lambda: 2) == 2


@pytest.mark.usefixtures("pool")
def test_the_calls_own_errors_are_raised_and_not_logged(capfd: pytest.CaptureFixture[str]) -> None:
    def fail() -> None:
        raise RuntimeError("no thread was refused")

    with pytest.raises(RuntimeError, match="no thread was refused"):
        in_thread(fail)
    assert capfd.readouterr().err == ""

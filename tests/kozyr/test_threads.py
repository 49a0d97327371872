"""Calls in other threads, and a system that grants no thread."""

from __future__ import annotations

import gevent.threadpool
import pytest

from referee.errors import Busy
from server.threads import in_thread


@pytest.fixture
def pool(monkeypatch: pytest.MonkeyPatch) -> None:
    """A thread pool without threads."""
    monkeypatch.setattr(gevent.get_hub(), "_threadpool", gevent.threadpool.ThreadPool(2))


@pytest.mark.usefixtures("pool")
def test_a_refused_thread_is_a_refusal_to_retry(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise RuntimeError("can't start new thread")

    with monkeypatch.context() as patch:
        patch.setattr(gevent.threadpool, "start_new_thread", refuse)
        with pytest.raises(Busy):
            in_thread(lambda: 1)
    assert in_thread(lambda: 2) == 2

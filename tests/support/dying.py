"""Processes of the service that kill themselves, or Redis, at a named point of a move or of a match from the queue.

    python -m tests.support.dying api|clock|worker

They run the unchanged service, with wrappers around its store's commit and its responses. A file arms a point (`arm`);
the first process that reaches the point removes the file and kills the victim.
"""

from __future__ import annotations

import enum
import os
import signal
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from server.config.settings import load

if TYPE_CHECKING:
    from flask import Flask

    from league.queue.model import DropReason, MatchBatch
    from records.match.loaded_match import LoadedMatch
    from referee.storage.store import Commit, Committed


class KillPoint(enum.StrEnum):
    """A point in the handling of a move."""

    BEFORE = "before"
    """The request has been read and not handled."""
    INSIDE = "inside"
    """The move has been computed and not committed."""
    COMMITTED = "committed"
    """The move has been committed; the feed has not run and no response was sent."""
    ANSWERED = "answered"
    """The response has been sent."""
    CLAIMED = "claimed"
    """Queue entries have been claimed for a match, which does not exist yet."""
    CREATED = "created"
    """The match of claimed queue entries exists; the entries do not name it yet."""


OF_MOVES = (KillPoint.BEFORE, KillPoint.INSIDE, KillPoint.COMMITTED, KillPoint.ANSWERED)
OF_QUEUES = (KillPoint.CLAIMED, KillPoint.CREATED)


def command_of(name: str) -> list[str]:
    """Return the command of a process that can be armed."""
    return [sys.executable, "-m", "tests.support.dying", name]


def arm(var: Path, point: KillPoint, victim: int | None = None) -> None:
    """Make the next process at this point kill `victim`, a process id, or itself."""
    fresh = var / f"armed-{point}.new"
    fresh.write_text(str(victim or ""))
    fresh.replace(var / f"armed-{point}")


def armed(var: Path, point: KillPoint) -> bool:
    """Return whether no process has reached the point yet."""
    return (var / f"armed-{point}").exists()


def disarm(var: Path, point: KillPoint) -> bool:
    """Disarm the point. Return whether no process had reached it."""
    try:
        (var / f"armed-{point}").unlink()
    except FileNotFoundError:
        return False
    return True


def _come_to(point: KillPoint) -> None:
    path = load().var / f"armed-{point}"
    mine = path.with_suffix(f".{os.getpid()}")
    try:
        path.rename(mine)
    except FileNotFoundError:
        return
    victim = int(mine.read_text() or os.getpid())
    mine.unlink()
    os.kill(victim, signal.SIGKILL)


def _put_round_commits() -> None:
    from referee.storage.redis import RedisMatchStore

    commit: Callable[[RedisMatchStore, Sequence[Commit]], list[Committed | None]] = RedisMatchStore.commit

    def dying(store: RedisMatchStore, commits: Sequence[Commit]) -> list[Committed | None]:
        if not any(each.version for each in commits):
            return commit(store, commits)  # new matches only
        _come_to(KillPoint.INSIDE)
        made = commit(store, commits)
        _come_to(KillPoint.COMMITTED)
        return made

    RedisMatchStore.commit = dying  # type: ignore[method-assign]


def _put_round_batches() -> None:
    from league.queue.batches import MatchBatches
    from league.queue.redis import RedisQueueStore

    finish, done = MatchBatches.finish, RedisQueueStore.done

    def dying(batches: MatchBatches, batch: MatchBatch) -> list[LoadedMatch]:
        _come_to(KillPoint.CLAIMED)
        return finish(batches, batch)

    def dying_done(store: RedisQueueStore, batch: MatchBatch, failed: DropReason | None = None) -> None:
        _come_to(KillPoint.CREATED)
        done(store, batch, failed)

    MatchBatches.finish = dying  # type: ignore[method-assign]
    RedisQueueStore.done = dying_done  # type: ignore[method-assign]


class _Answer:
    """A response that knows when it has been sent, since gunicorn then closes it."""

    def __init__(self, answer: Iterable[bytes]) -> None:
        self._answer = answer

    def __iter__(self) -> Iterator[bytes]:
        return iter(self._answer)

    def close(self) -> None:
        close = getattr(self._answer, "close", None)
        if close is not None:
            close()
        _come_to(KillPoint.ANSWERED)


def create() -> Flask:
    """Return the API application, with the wrappers."""
    from server import gunicorn_worker as server

    _put_round_commits()
    _put_round_batches()
    app = server.create()
    inner: Callable[..., Iterable[bytes]] = app.wsgi_app

    def answer(environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:
        if environ["REQUEST_METHOD"] != "POST" or not environ["PATH_INFO"].endswith(("/moves", "/turns")):
            return inner(environ, start_response)
        _come_to(KillPoint.BEFORE)
        return _Answer(inner(environ, start_response))

    app.wsgi_app = answer  # type: ignore[method-assign]
    return app


def _serve() -> None:
    """Replace this process with gunicorn, as `server.launch.serve` does."""
    from server.supervisor import tie_to_parent

    tie_to_parent()
    command = [
        sys.executable,
        "-m",
        "gunicorn",
        "-c",
        "python:server.gunicorn_conf",
        "tests.support.dying:create()",
    ]
    os.execv(command[0], command)


if __name__ == "__main__":
    from kozyr.cli.main import main

    if sys.argv[1:] == ["api"]:
        _serve()
    _put_round_commits()
    _put_round_batches()
    main(sys.argv[1:])

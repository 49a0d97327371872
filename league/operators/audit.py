"""The audit log: the actions of admins with their targets, times and reasons. Entries are added and never changed.

An entry is written before its action and names the intent; its outcome is written once, after it. So no crash leaves
an action without an entry. An entry without an outcome was interrupted: its action may or may not have happened, and
can be repeated safely.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, NamedTuple, TypeVar

from engine.game import BadTable
from league.errors import BadValue, LeagueError
from league.operators.redis import RedisAuditStore
from league.operators.store import AuditActor, AuditEntry
from referee.after_commit import AfterCommit, Hook
from referee.errors import RefereeError
from referee.storage import paging

T = TypeVar("T")

MOST_REASON: Final = 500


class AuditFilter(NamedTuple):
    """A filter for entries. `None` filters nothing; `since` and `until` are in ms, inclusive."""

    action: str | None = None
    target: str | None = None
    token: str | None = None
    since: int | None = None
    until: int | None = None


class Audit:
    """The audit log. Safe to share between greenlets and threads."""

    def __init__(self, store: RedisAuditStore, after: AfterCommit | None = None) -> None:
        """`after` guards the outcome of an action that is done."""
        self._store, self._after = store, after or AfterCommit()

    def act(
        self,
        by: AuditActor,
        what: str,
        target: str,
        reason: str,
        do: Callable[[], T],
        *,
        before: Any = None,
        after: Callable[[T], Any] = lambda _: None,
    ) -> T:
        """Call `do` with an entry in the log, and return its result. Raise `BadValue` for an unprintable or too long
        reason, and whatever `do` raises."""
        if len(reason) > MOST_REASON or not reason.replace("\n", " ").isprintable():
            raise BadValue("reason", reason, f"at most {MOST_REASON} printable characters")
        line = self._store.add(by, what, target, reason, before)
        try:
            done = do()
        except (LeagueError, RefereeError) as refusal:
            self._store.settle(line, refusal.code, None)
            raise
        except BadTable:
            self._store.settle(line, "bad_table", None)
            raise
        self._after.run(Hook.AUDIT, lambda: self._store.settle(line, "done", after(done)), None)
        return done

    def page(
        self, wanted: AuditFilter, cursor: str | None, limit: int
    ) -> tuple[list[AuditEntry], str | None]:
        """Return entries, the latest first, and the id for the next page (`None` at the end)."""
        found: list[AuditEntry] = []
        left = paging.MOST_EXAMINED
        while chunk := self._store.lines(cursor, wanted.since, wanted.until, min(paging.AT_ONCE, left)):
            for line in chunk:
                left -= 1
                cursor = line.id
                if _fits(line, wanted):
                    found.append(line)
                if len(found) == limit or left == 0:
                    return found, cursor
        return found, None


def _fits(line: AuditEntry, wanted: AuditFilter) -> bool:
    return (
        wanted.action in (None, line.action)
        and wanted.target in (None, line.target)
        and wanted.token in (None, line.by.token)
    )

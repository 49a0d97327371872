"""The audit log: what admins did, to what, when and why. Lines are added and never changed.

A line is written before its action and names what is intended; its outcome is written after it, once. So there is no
action without a line, whoever is killed when. A line without an outcome was broken off: its action may have been done
or not, and doing it again is safe (each of them done twice is done once).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, NamedTuple, Protocol, TypeVar

from engine.game import BadTable
from league.errors import BadValue, LeagueError
from referee.errors import RefereeError
from referee.storage import paging

T = TypeVar("T")

MOST_REASON: Final = 500


class AuditActor(NamedTuple):
    """Who acts."""

    token: str
    """The id of the token, or `cli` for the command line on the machine itself."""
    owner: str
    """For whom the token speaks, or the user of the machine."""


class AuditEntry(NamedTuple):
    """A line of the log. `before` and `after` say how its target stood; `outcome` is `done`, the code of a refusal, or
    `None` for what was broken off."""

    id: str
    """Ascending."""
    at: int
    """Ms since 1970."""
    by: AuditActor
    action: str
    """`void`, `rerun`, `disable`, …"""
    target: str
    """`match ID`, `bot owner/bot`, `owner NAME`, `ladder ID`, `token ID` or `service`."""
    reason: str
    before: Any
    outcome: str | None = None
    after: Any = None


class AuditFilter(NamedTuple):
    """Which lines. `None` filters nothing; `since` and `until` are in ms, both ends in."""

    action: str | None = None
    target: str | None = None
    token: str | None = None
    since: int | None = None
    until: int | None = None


class AuditStore(Protocol):
    """The port. `league.operators.redis` is its Redis form."""

    def add(self, by: AuditActor, what: str, target: str, reason: str, before: Any) -> str:
        """A new line without an outcome; its id."""

    def settle(self, line: str, outcome: str, after: Any) -> None:
        """The outcome of a line, once: a later one changes nothing."""

    def lines(self, before: str | None, since: int | None, until: int | None, most: int) -> list[AuditEntry]:
        """Lines before this id, the youngest first."""


class Audit:
    """See the module. Safe to share between greenlets and threads."""

    def __init__(self, store: AuditStore) -> None:
        self._store = store

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
        """What `do` does and returns, with a line in the log. Raises `BadValue` for a reason that is none, and what
        `do` raises."""
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
        self._store.settle(line, "done", after(done))
        return done

    def page(
        self, wanted: AuditFilter, cursor: str | None, limit: int
    ) -> tuple[list[AuditEntry], str | None]:
        """Lines, the youngest first, and the id after which to go on (`None` at the end)."""
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

"""The store of the audit log, and its entries. `league.operators.redis` implements it."""

from __future__ import annotations

from typing import Any, NamedTuple, Protocol


class AuditActor(NamedTuple):
    """Who acts."""

    token: str
    """The id of the token, or `cli` for the command line on the machine itself."""
    owner: str
    """The name of the token's subject, or the user of the machine."""


class AuditEntry(NamedTuple):
    """An entry of the log. `before` and `after` describe its target. `outcome` is `done`, the code of a refusal, or
    `None` for an action that was interrupted."""

    id: str
    """Ascending."""
    at: int
    """In ms since 1970."""
    by: AuditActor
    action: str
    """`void`, `rerun`, `disable`, …"""
    target: str
    """`match ID`, `bot owner/bot`, `owner NAME`, `ladder ID`, `token ID` or `service`."""
    reason: str
    before: Any
    outcome: str | None = None
    after: Any = None


class AuditStore(Protocol):
    """The store of the audit log."""

    def add(self, by: AuditActor, what: str, target: str, reason: str, before: Any) -> str:
        """Add an entry without an outcome and return its id."""

    def settle(self, line: str, outcome: str, after: Any) -> None:
        """Set the outcome of an entry, once; later calls have no effect."""

    def lines(self, before: str | None, since: int | None, until: int | None, most: int) -> list[AuditEntry]:
        """Return entries before this id, the latest first."""

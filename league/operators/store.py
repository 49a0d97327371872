"""The store of the audit log, and its entries."""

from __future__ import annotations

from typing import Any, NamedTuple, Protocol


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


class AuditStore(Protocol):
    """The port. `league.operators.redis` is its Redis form."""

    def add(self, by: AuditActor, what: str, target: str, reason: str, before: Any) -> str:
        """A new line without an outcome; its id."""

    def settle(self, line: str, outcome: str, after: Any) -> None:
        """The outcome of a line, once: a later one changes nothing."""

    def lines(self, before: str | None, since: int | None, until: int | None, most: int) -> list[AuditEntry]:
        """Lines before this id, the youngest first."""

"""The entries of the audit log."""

from __future__ import annotations

from typing import Any, NamedTuple


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

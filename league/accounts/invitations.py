"""Invitations, each for one new owner: for whom they are, and who has used them. Their codes are not stored."""

from __future__ import annotations

import enum
from collections.abc import Iterable
from typing import Final, NamedTuple

from league.spreadsheets import csv_text
from records.instants import text_of

MOST_INVITED_NAME: Final = 100
MOST_INVITATION_NOTE: Final = 200


class InvitationState(enum.StrEnum):
    """Whether an invitation can be used."""

    OPEN = "open"
    USED = "used"
    EXPIRED = "expired"


class Invitation(NamedTuple):
    """An invitation. Instants are ms since 1970."""

    id: str
    name: str
    """For whom it is, as its creator wrote; may be empty."""
    note: str
    created: int
    expires: int
    used: int | None = None
    owner: str | None = None
    """The owner who has used it: stored by id, listed by name."""
    state: InvitationState = InvitationState.OPEN
    names_for: str | None = None
    """The owner for whose organisers it asks for a real name, if it asks: stored by id, listed by name."""


COLUMNS: Final = ("id", "name", "note", "state", "created", "expires", "used", "owner", "names_for")
"""Those of a table of invitations."""


def row_of(invitation: Invitation) -> list[str]:
    instants = (invitation.created, invitation.expires, invitation.used)
    return [
        *(invitation.id, invitation.name, invitation.note, invitation.state),
        *("" if each is None else text_of(each) for each in instants),
        invitation.owner or "",
        invitation.names_for or "",
    ]


def csv_of(invitations: Iterable[Invitation]) -> str:
    """Return invitations as CSV with a header line."""
    return csv_text([COLUMNS, *map(row_of, invitations)])

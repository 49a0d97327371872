"""Everything that the referee refuses, each a named value that appears once.

The API derives its problem codes and statuses from these; nothing is changed when one is raised.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar


class RefereeError(Exception):
    """Base. `code` is stable and public; `details` says what is needed to go on (JSON-ready)."""

    code: ClassVar[str]

    def __init__(self, message: str, **details: Any) -> None:
        super().__init__(message)
        self.details: Mapping[str, Any] = details


class NoSuchMatch(RefereeError):
    """No match has this id."""

    code = "no_such_match"


class MatchUnreadable(RefereeError):
    """The match is damaged, or stored in a format that this release does not know."""

    code = "match_unreadable"


class NotYourMatch(RefereeError):
    """The bot has no seat in this match."""

    code = "not_your_match"


class NotYourTurn(RefereeError):
    """The question now asked is asked of another seat."""

    code = "not_your_turn"


class StaleTurn(RefereeError):
    """The turn has been played already (by another move, or by the referee), or has not come yet."""

    code = "stale_turn"


class MatchNotRunning(RefereeError):
    """The match has not started yet."""

    code = "match_not_running"


class MatchOver(RefereeError):
    """The match has ended."""

    code = "match_over"


class NotAMoveText(RefereeError):
    """The text is no move of this game at all."""

    code = "not_a_move"


class MoveNotLegal(RefereeError):
    """A move of the game that is not legal now; `legal_moves` has those that are."""

    code = "illegal_move"


class FreeMoveWithTurn(RefereeError):
    """A free move was sent with `turn`; `deal` is what it is sent with."""

    code = "free_move_with_turn"


class SeatTaken(RefereeError):
    """The seat to be joined is not open."""

    code = "seat_taken"


class AlreadySeated(RefereeError):
    """The bot already sits at this table."""

    code = "already_seated"


class NotJoinable(RefereeError):
    """The match is no longer open."""

    code = "not_joinable"


class RecordNotReady(RefereeError):
    """The match is not over, so its record may not be read."""

    code = "record_not_ready"


class GroupRunning(RefereeError):
    """The match belongs to a duplicate group that is not over, and may be seen by its seats alone."""

    code = "group_running"


class NoSuchGroup(RefereeError):
    """No duplicate group has this id."""

    code = "no_such_group"


class Busy(RefereeError):
    """Other writers were faster too many times; the same request may be sent again."""

    code = "busy"


class BadCursor(RefereeError):
    """A cursor that this service did not give."""

    code = "bad_cursor"


class ServicePaused(RefereeError):
    """The service is paused: nothing new is made."""

    code = "service_paused"


class ServiceDraining(RefereeError):
    """The service drains: nothing new is made."""

    code = "service_draining"

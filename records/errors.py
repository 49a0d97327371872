"""Refused moves. The API derives its problem codes and statuses from them.

An error that is raised has changed nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar


class RefereeError(Exception):
    """Base class. `code` is stable and public. `details` holds JSON-ready facts that help the caller go on."""

    code: ClassVar[str]

    def __init__(self, message: str, **details: Any) -> None:
        super().__init__(message)
        self.details: Mapping[str, Any] = details


class MatchOver(RefereeError):
    """The match has ended."""

    code = "match_over"


class NotYourTurn(RefereeError):
    """Another seat has to answer now."""

    code = "not_your_turn"


class StaleTurn(RefereeError):
    """The turn was answered already, by another move or by the referee, or hasn't come yet."""

    code = "stale_turn"


class NotAMoveText(RefereeError):
    """The text isn't a move of this game."""

    code = "not_a_move"


class MoveNotLegal(RefereeError):
    """The move isn't legal now; `legal_moves` lists those that are."""

    code = "illegal_move"


class FreeMoveWithTurn(RefereeError):
    """A free move was sent with `turn` instead of `deal`."""

    code = "free_move_with_turn"

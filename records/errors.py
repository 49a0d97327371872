"""Refused moves. The API derives its problem codes and statuses from them.

An error that is raised has changed nothing.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, ClassVar


class CodedError(Exception):
    """An error with a code, which is stable and public: the name of its class in lower case, unless the class states
    another. A private class has that of its base. `details` holds JSON-ready facts that help the caller go on."""

    code: ClassVar[str]

    def __init_subclass__(cls, code: str = "") -> None:
        if not cls.__name__.startswith("_"):
            cls.code = code or re.sub(r"(?<!^)(?=[A-Z])", "_", cls.__name__).lower()

    def __init__(self, message: str, **details: Any) -> None:
        super().__init__(message)
        self.details: Mapping[str, Any] = details


class RefereeError(CodedError):
    """An error of the referee."""


class MatchOver(RefereeError):
    """The match has ended."""


class NotYourTurn(RefereeError):
    """Another seat has to answer now."""


class StaleTurn(RefereeError):
    """The turn was answered already, by another move or by the referee, or hasn't come yet."""


class NotAMoveText(RefereeError, code="not_a_move"):
    """The text isn't a move of this game."""


class MoveNotLegal(RefereeError, code="illegal_move"):
    """The move isn't legal now; `legal_moves` lists those that are."""


class FreeMoveWithTurn(RefereeError):
    """A free move was sent with `turn` instead of `deal`."""

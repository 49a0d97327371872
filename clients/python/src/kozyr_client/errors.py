"""Errors of the client."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from kozyr_client.turns import Turn


class KozyrError(Exception):
    """The service refused a request or could not be reached.

    `code` is a problem code of the service, `unreachable`, `http_<status>` for a response from elsewhere, such as a
    proxy, or `response_refused` for a response beyond the bounds. `problem` is the whole problem document.
    """

    def __init__(self, code: str, status: int | None, problem: Mapping[str, Any] | None = None) -> None:
        self.code = code
        self.status = status
        self.problem: dict[str, Any] = dict(problem or {})
        super().__init__(code, status, self.problem)

    def __str__(self) -> str:
        detail = self.problem.get("detail") or self.problem.get("title") or "no details"
        errors = self.problem.get("errors")
        return f"{self.code}: {detail}{f' {errors}' if errors else ''}"


class MoveRefused(KozyrError):
    """`choose` returned a move that is not legal in its turn. The clock keeps running."""

    def __init__(self, turn: Turn, move: str, problem: Mapping[str, Any] | None = None) -> None:
        self.turn = turn
        self.move = move
        self.legal_moves: list[str] = list((problem or {}).get("legal_moves") or turn.legal_moves)
        detail = f"{move!r} is not legal in turn {turn.number} of {turn.match}; legal: {self.legal_moves}"
        code = str((problem or {}).get("code", "illegal_move"))
        super().__init__(code, 422, {"code": code, "detail": detail, **(problem or {})})

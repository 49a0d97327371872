"""Exact values of positions of finished matches."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from marshmallow import fields, pre_dump, validate

from api.schemas.common import Number, Strict, Whole, listed, nullable, text, whole
from api.schemas.responses import Output, ResponseSchema
from league.reviews.studies import MOST_LINE, MOST_MOVES, StudyPlace, StudyResult, StudyState


class _TriedLine(Strict):
    """Moves to try."""

    line = fields.String(
        load_default="",
        validate=validate.Length(max=MOST_LINE),
        metadata={
            "description": "Moves to play on from there, separated by commas",
            "example": "attack 6D,take",
        },
    )


class EndingQuery(_TriedLine):
    """A position of the match."""

    deal = Number(1, 10_000, "The deal", load_default=1)
    move = Number(0, MOST_MOVES, "After how many moves of the deal", required=True, metadata={"example": 54})


class NewEndingSchema(_TriedLine):
    """A position to solve."""

    deal = Whole(1, 10_000, "The deal", load_default=1)
    move = Whole(0, MOST_MOVES, "After how many moves of the deal", required=True, metadata={"example": 54})


class EndingValueSchema(ResponseSchema):
    """A position of a finished match and its exact value."""

    match = Output(text("The match"))
    deal = Output(whole("The deal", 1))
    move = Output(whole("After how many moves of the deal"))
    line = Output(listed(text("A move"), "The moves that were played on from there"))
    state = Output(
        text(
            "solved; open: too large for a request, so request that a worker tries it; waiting: for a worker; "
            "too_long: a worker did not settle it, so choose a later position with fewer cards; hidden: a seat can't "
            "know all hands yet, so choose a later position; no_solver: no solver plays this table; over: the deal is "
            "over, so choose an earlier position",
            enum=[state.value for state in StudyState],
        )
    )
    seat = Output(nullable(whole("The seat to move; null if the deal is over")))
    values = Output(
        {"type": "object", "additionalProperties": {"type": "integer"},
         "description": "By legal move, the lead in points of the seat if everybody plays best from there; in King, "
         "the points of the deal that it gets whatever the others play. Empty unless solved"}
    )  # fmt: skip
    best = Output(listed(text("A move"), "The moves that lose nothing"))
    lines = Output(
        {"type": "object", "additionalProperties": {"type": "array", "items": {"type": "string"}},
         "description": "By legal move, the moves of best play after it, to the end of the deal or until a position "
         "repeats"}
    )  # fmt: skip

    @pre_dump
    def _flatten(self, found: tuple[StudyPlace, StudyResult], **_: Any) -> Mapping[str, Any]:
        place, (study, state, solution) = found
        values = {} if solution is None else solution.values
        return {
            **place._asdict(),
            "state": state,
            "seat": None if study.over else study.state.to_move,
            "values": values,
            "best": [move for move, value in values.items() if value == max(values.values())],
            "lines": {} if solution is None else solution.lines,
        }

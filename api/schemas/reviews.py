"""Mistake reviews, and exact values of endings."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from marshmallow import fields, pre_dump, validate

from api.schemas.common import (
    Number,
    Strict,
    Whole,
    flag,
    instant,
    listed,
    mapping,
    number,
    text,
    whole,
)
from api.schemas.responses import Listed, ResponseSchema
from league.reviews.studies import MOST_LINE, MOST_MOVES, StudyPlace, StudyResult, StudyState
from records.reviews.model import Review, ReviewedMove, ReviewFailure, ReviewState


class ReviewedMoveSchema(ResponseSchema):
    """A decision of the match."""

    deal = whole("The deal", 1)
    move = whole("The number of the move in its deal", 1)
    seat = whole("The seat that moved")
    played = text("The move")
    best = text("The best move by the review, which is the played one if none is better", null=True)
    regret = number(
        "How much better `best` is than `played`: points per deal ahead of the opponents' average. "
        "Null if no deal agreed with what the seat saw",
        null=True,
        minimum=0,
    )
    low = number("The lower end of the regret's 95 % interval", null=True, minimum=0)
    high = number("The upper end of the regret's 95 % interval", null=True, minimum=0)
    mistake = flag("Whether the interval is above the threshold of a mistake")
    worlds = whole("The number of sampled deals that the interval is based on")
    value = number(
        "What the position is worth to the seat after the played move: "
        "points per deal ahead of the opponents' average. Null if nothing was compared",
        null=True,
    )
    margin = number("Half of the 95 % interval of `value`", null=True, minimum=0)
    costs = mapping(
        {"type": "number"},
        "For a mistake, what each compared move costs against `best`: the regret of `played`, "
        "estimates for the others. Else empty",
    )

    @pre_dump
    def _flatten(self, reviewed: ReviewedMove, **_: Any) -> Mapping[str, Any]:
        return reviewed.to_row()


class ReviewSchema(ResponseSchema):
    """A review of a match, as far as it is computed."""

    match = text("The match")
    state = text(
        "waiting: for a worker; running; done; failed: see `failure`",
        enum=[state.value for state in ReviewState],
    )
    failure = text(
        "record: this release can't replay the record; errors: computing a decision failed several times. "
        "Null unless the review failed",
        enum=[failure.value for failure in ReviewFailure],
        null=True,
    )
    requested = instant("When it was first requested")
    finished = instant("When it ended", null=True)
    done = whole("How many decisions are reviewed")
    total = whole("How many decisions there are to review; null while it waits", null=True)
    truncated = flag("Whether the match has further decisions, which are not reviewed")
    mistakes = whole("How many mistakes were found so far")
    moves = Listed(ReviewedMoveSchema, "The reviewed decisions in order")

    @pre_dump
    def _count(self, review: Review, **_: Any) -> Mapping[str, Any]:
        return {**review._asdict(), "done": len(review.moves), "mistakes": review.mistakes}


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

    match = text("The match")
    deal = whole("The deal", 1)
    move = whole("After how many moves of the deal")
    line = listed(text("A move"), "The moves that were played on from there")
    state = text(
        "solved; open: too large for a request, so request that a worker tries it; waiting: for a worker; "
        "too_long: a worker did not settle it, so choose a later position with fewer cards; hidden: a seat can't "
        "know all hands yet, so choose a later position; no_solver: no solver plays this table; over: the deal is "
        "over, so choose an earlier position",
        enum=[state.value for state in StudyState],
    )
    seat = whole("The seat to move; null if the deal is over", null=True)
    values = mapping(
        {"type": "integer"},
        "By legal move, the lead in points of the seat if everybody plays best from there; in King, "
        "the points of the deal that it gets whatever the others play. Empty unless solved",
    )
    best = listed(text("A move"), "The moves that lose nothing")
    lines = mapping(
        {"type": "array", "items": {"type": "string"}},
        "By legal move, the moves of best play after it, to the end of the deal or until a position repeats",
    )

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

"""Mistake reviews."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from marshmallow import pre_dump

from api.schemas.common import Choice, Json, Strict, flag, instant, nullable, number, text, whole
from api.schemas.responses import Listed, Output, ResponseSchema
from records.reviews.model import Effort, Review, ReviewedMove, ReviewFailure, ReviewState

_EFFORTS: Final = [effort.value for effort in Effort]
_EFFORT: Final = "How many playouts a decision gets. A deep review takes about four times as long"


class NewReviewSchema(Strict):
    """A review to compute."""

    may_be_absent = True
    effort = Choice(_EFFORTS, _EFFORT, load_default=Effort.STANDARD.value, metadata={"example": "standard"})


class ReviewQuery(Strict):
    """Which review of the match."""

    effort = Choice(_EFFORTS, "The effort of the review", load_default=Effort.STANDARD.value)


def _points(description: str) -> Json:
    return nullable({"type": "number", "minimum": 0, "description": description})


class ReviewedMoveSchema(ResponseSchema):
    """A decision of the match."""

    deal = Output(whole("The deal", 1))
    move = Output(whole("The number of the move in its deal", 1))
    seat = Output(whole("The seat that moved"))
    played = Output(text("The move"))
    best = Output(nullable(text("The best move by the review, which is the played one if none is better")))
    regret = Output(
        _points("How much better `best` is than `played`: points per deal ahead of the opponents' average. "
                "Null if no deal agreed with what the seat saw")
    )  # fmt: skip
    low = Output(_points("The lower end of the regret's 95 % interval"))
    high = Output(_points("The upper end of the regret's 95 % interval"))
    mistake = Output(flag("Whether the interval is above the threshold of a mistake"))
    worlds = Output(whole("The number of sampled deals that the interval is based on"))
    value = Output(
        nullable(number("What the position is worth to the seat after the played move: "
                  "points per deal ahead of the opponents' average. Null if nothing was compared"))
    )  # fmt: skip
    margin = Output(_points("Half of the 95 % interval of `value`"))
    costs = Output(
        {"type": "object", "additionalProperties": {"type": "number"},
         "description": "For a mistake, what each compared move costs against `best`: the regret of `played`, "
         "estimates for the others. Else empty"}
    )  # fmt: skip

    @pre_dump
    def _flatten(self, reviewed: ReviewedMove, **_: Any) -> Mapping[str, Any]:
        return reviewed.to_row()


class ReviewSchema(ResponseSchema):
    """A review of a match, as far as it is computed."""

    match = Output(text("The match"))
    effort = Output(text("How many playouts a decision gets", enum=_EFFORTS))
    state = Output(
        text(
            "waiting: for a worker; running; done; failed: see `failure`",
            enum=[state.value for state in ReviewState],
        )
    )
    failure = Output(
        nullable(
            text(
                "record: this release can't replay the record; errors: computing a decision failed several times. "
                "Null unless the review failed",
                enum=[failure.value for failure in ReviewFailure],
            )
        )
    )
    requested = Output(instant("When it was first requested"))
    finished = Output(nullable(instant("When it ended")))
    done = Output(whole("How many decisions are reviewed"))
    total = Output(nullable(whole("How many decisions there are to review; null while it waits")))
    truncated = Output(flag("Whether the match has further decisions, which are not reviewed"))
    mistakes = Output(whole("How many mistakes were found so far"))
    moves = Listed(ReviewedMoveSchema, "The reviewed decisions in order")

    @pre_dump
    def _count(self, review: Review, **_: Any) -> Mapping[str, Any]:
        return {**review._asdict(), "done": len(review.moves), "mistakes": review.mistakes}

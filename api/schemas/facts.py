"""What bots report about their moves."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

from marshmallow import pre_dump

from api.schemas.common import Json, listed, nullable, text, whole
from api.schemas.responses import Listed, Output, ResponseSchema
from league.fitness.facts import SeatFacts, ToldMove
from records.match.facts import USAGE

_MENDINGS: Final[Json] = listed({"type": "string"}, "The mendings with which the client read the move")


def _counts(description: str) -> Json:
    whole_numbers = {"type": "integer", "minimum": 1}
    return {"type": "object", "additionalProperties": whole_numbers, "description": description}


class FactsOfSeat(NamedTuple):
    """The facts of a seat."""

    seat: int
    bot: str
    facts: SeatFacts


class ToldMoveSchema(ResponseSchema):
    """A move with what was reported about it."""

    doc = "A move with what its bot reported about it. Nobody verifies it"

    turn = Output(nullable(whole("The turn that the move answered; null for a free move", 1)))
    deal = Output(nullable(whole("The deal of a free move, else null", 1)))
    move = Output(text("The move"))
    input_tokens = Output(nullable(whole("Tokens that the model read for this move; null if unknown")))
    output_tokens = Output(nullable(whole("Tokens that it wrote; null if unknown")))
    cost_micro_usd = Output(nullable(whole("The cost in millionths of a US dollar; null if unknown")))
    mended = Output(_MENDINGS)
    thoughts = Output(text("The thoughts; empty if there are none, or if a budget was exceeded"))

    @pre_dump
    def _combine(self, told: ToldMove, **_: Any) -> dict[str, Any]:
        facts = {**told.facts._asdict(), "mended": list(told.facts.mended)}
        return {"turn": told.turn, "deal": told.deal, "move": told.move, **facts}


class SeatFactsSchema(ResponseSchema):
    """The facts of a seat."""

    doc = "The facts about a seat's moves, which are no part of the record"

    seat = Output(whole("The seat"))
    bot = Output(text("`owner/bot`"))
    refused = Output(_counts("Refused moves by problem code"))
    mended = Output(_counts("Mended moves by mending"))
    told = Output(whole("Moves with tokens or cost"))
    input_tokens = Output(whole("The sum over these moves"))
    output_tokens = Output(whole("The sum over these moves"))
    cost_micro_usd = Output(whole("The sum over these moves"))
    dropped = Output(whole("Moves whose facts were only added up, because a budget was exceeded"))
    moves = Listed(ToldMoveSchema, "Moves with facts, by turn; free moves last")

    @pre_dump
    def _combine(self, found: FactsOfSeat, **_: Any) -> dict[str, Any]:
        facts = found.facts
        return {
            "seat": found.seat,
            "bot": found.bot,
            "refused": dict(sorted(facts.refused.items())),
            "mended": dict(sorted(facts.mended.items())),
            **{name: facts.sums[name] for name in ("told", *USAGE, "dropped")},
            "moves": facts.moves,
        }


class MatchFactsSchema(ResponseSchema):
    """The facts of a match."""

    match = Output(text("The match's id"))
    seats = Listed(
        SeatFactsSchema, "The remote bots by seat; before everybody may read the match, only yours"
    )

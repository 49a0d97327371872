"""Conformance checks and bot health."""

from __future__ import annotations

from collections import Counter
from typing import Any, Final

from marshmallow import pre_dump

from api.schemas.common import Json, Strict, String, instant, listed, ref, text, whole
from api.schemas.responses import Listed, Nested, Output, ResponseSchema
from league.fitness.model import ConformanceCheck, Fault
from records.match.loaded_match import LoadedMatch
from records.match.session import Status


class NewCheckSchema(Strict):
    """A conformance check to start."""

    may_be_absent = True
    game = String(
        1, 64, "The game to play, as in `GET /v1/games`", load_default="durak", metadata={"example": "durak"}
    )


class FaultMetSchema(ResponseSchema):
    """A fault that the bot met."""

    fault = Output(ref("Fault"), "outcome")
    turn = whole("The turn", 1)
    move = text("The move of the bot that met the fault, if any", null=True)


class CheckMovesSchema(ResponseSchema):
    """The number of the bot's moves by result."""

    doc = "The bot's moves by result"

    made = whole("Moves that were made")
    replayed = whole("Moves that were repeated")
    refused = whole("Refused moves, apart from injected refusals")


class CheckSchema(ResponseSchema):
    """A check and its match, as its bot and its owner see them."""

    match = text("The id of the check and of its match")
    bot = text("The bot's id")
    version = text("The bot's version when the check began")
    game = ref("GameId")
    status = text(
        "waiting: the bot has not asked for its turns; running; passed or failed",
        enum=["waiting", "running", "passed", "failed"],
    )
    created = instant("When it began")
    ended = instant("When its match ended", null=True)
    faults_met = Listed(FaultMetSchema, "The faults that the bot has met, in order", inline=True)
    faults_left = listed(ref("Fault"), "The remaining faults")
    moves = Nested(CheckMovesSchema, inline=True)
    reasons = listed({"type": "string"}, "Why the bot failed, in words")

    @pre_dump
    def _combine(self, found: tuple[ConformanceCheck, LoadedMatch], **_: Any) -> dict[str, Any]:
        check, loaded = found
        verdict = check.verdict
        if verdict is None:
            begun = loaded.progress.status in (Status.RUNNING, Status.FINISHED)
            outcome: dict[str, Any] = {
                "status": "running" if begun else "waiting",
                "ended": None,
                "reasons": [],
            }
        else:
            outcome = {"status": "passed" if verdict.passed else "failed", **verdict._asdict()}
        results = Counter(event.outcome for event in check.sent)
        made, replayed = results["made"], results["replayed"]
        return {
            **check._asdict(),
            "faults_met": check.faults_met,
            "moves": {"made": made, "replayed": replayed, "refused": results.total() - made - replayed},
            **outcome,
        }


class PassedCheckSchema(ResponseSchema):
    """The last check that a bot passed."""

    doc = "The last check that it passed; null if it has passed none"

    check = Output(text("The check's id"), "match")
    version = text("The bot's version at that time")
    ended = Output(instant("When it ended"), "at")


class SuspensionSchema(ResponseSchema):
    """A suspension."""

    doc = (
        "The suspension; null if it is not suspended. A suspended bot gets no new ladder match until it passes a "
        "check"
    )

    reason = text("The reason, in words")
    since = Output(instant("When the match that led to it ended"), "at")


class BotHealthSchema(ResponseSchema):
    """The suspension and the last passed check of a bot."""

    bot = text("`owner/bot`")
    passed = Nested(PassedCheckSchema, null=True, inline=True)
    suspended = Nested(SuspensionSchema, null=True, inline=True)


COMPONENTS: Final[dict[str, Json]] = {
    "Fault": text(
        "poll_refused: a 503 instead of a response with a turn; poll_cut: the connection ended in the "
        "middle of such a response; turn_repeated: a turn was delivered twice; move_refused: a 503 "
        "instead of making the move; answer_lost: a 503 after making the move; connection_lost: the "
        "connection ended without a response after the move was made; answer_cut: it ended in the "
        "middle of that response; near_deadline: a turn was delivered 1.5 seconds before its deadline",
        enum=[fault.value for fault in Fault],
    ),
}

"""Conformance checks and bot health."""

from __future__ import annotations

from typing import Final

from marshmallow import fields, validate

from api.schemas.common import Json, Strict, instant, listed, nullable, obj, ref, text, whole
from league.accounts.model import Bot
from league.fitness.model import ConformanceCheck, Fault, Health
from referee.instants import text_of
from referee.match.loaded_match import LoadedMatch
from referee.match.session import Status

_STATUSES: Final = ("waiting", "running", "passed", "failed")


class NewCheckSchema(Strict):
    """A conformance check to start."""

    may_be_absent = True
    game = fields.String(
        load_default="durak",
        validate=validate.Length(1, 64),
        metadata={"description": "The game to play, as in `GET /v1/games`", "example": "durak"},
    )


def check_view(check: ConformanceCheck, live: LoadedMatch) -> Json:
    """Return a check, as its bot and its owner see it."""
    verdict = check.verdict
    if verdict is None:
        status = "running" if live.progress.status in (Status.RUNNING, Status.FINISHED) else "waiting"
    else:
        status = "passed" if verdict.passed else "failed"
    sent = check.sent
    made = sum(entry.said == "made" for entry in sent)
    replayed = sum(entry.said == "replayed" for entry in sent)
    return {
        "match": check.match,
        "bot": check.bot,
        "version": check.version,
        "game": check.game,
        "status": status,
        "created": text_of(check.created),
        "ended": None if verdict is None else text_of(verdict.ended),
        "faults_met": [
            {"fault": entry.said, "turn": entry.turn, "move": entry.move} for entry in check.faults_met
        ],
        "faults_left": list(check.faults_left),
        "moves": {"made": made, "replayed": replayed, "refused": len(sent) - made - replayed},
        "reasons": [] if verdict is None else verdict.reasons,
    }


def health_view(bot: Bot, health: Health) -> Json:
    """Return the suspension and the last passed check of a bot."""
    passed, suspended = health.passed, health.suspended
    return {
        "bot": bot.full_name,
        "passed": passed and {"check": passed.match, "version": passed.version, "ended": text_of(passed.at)},
        "suspended": suspended and {"reason": suspended.reason, "since": text_of(suspended.at)},
    }


COMPONENTS: Final[dict[str, Json]] = {
    "Fault": text(
        "poll_refused: a 503 instead of a response with a turn; poll_cut: the connection ended in the "
        "middle of such a response; turn_repeated: a turn was delivered twice; move_refused: a 503 "
        "instead of making the move; answer_lost: a 503 after making the move; connection_lost: the "
        "connection ended without a response after the move was made; answer_cut: it ended in the "
        "middle of that response; near_deadline: a turn was delivered 1.5 seconds before its deadline",
        enum=[fault.value for fault in Fault],
    ),
    "Check": obj(
        {
            "match": text("The id of the check and of its match"),
            "bot": text("The bot's id"),
            "version": text("The bot's version when the check began"),
            "game": ref("GameId"),
            "status": text(
                "waiting: the bot has not asked for its turns; running; passed or failed",
                enum=list(_STATUSES),
            ),
            "created": instant("When it began"),
            "ended": nullable(instant("When its match ended")),
            "faults_met": listed(
                obj(
                    {
                        "fault": ref("Fault"),
                        "turn": whole("The turn", 1),
                        "move": nullable(text("The move of the bot that met the fault, if any")),
                    }
                ),
                "The faults that the bot has met, in order",
            ),
            "faults_left": listed(ref("Fault"), "The remaining faults"),
            "moves": obj(
                {
                    "made": whole("Moves that were made"),
                    "replayed": whole("Moves that were repeated"),
                    "refused": whole("Refused moves, apart from injected refusals"),
                },
                "The bot's moves by result",
            ),
            "reasons": listed({"type": "string"}, "Why the bot failed, in words"),
        }
    ),
    "BotHealth": obj(
        {
            "bot": text("`owner/bot`"),
            "passed": nullable(
                obj(
                    {
                        "check": text("The check's id"),
                        "version": text("The bot's version at that time"),
                        "ended": instant("When it ended"),
                    },
                    "The last check that it passed; null if it has passed none",
                )
            ),
            "suspended": nullable(
                obj(
                    {
                        "reason": text("The reason, in words"),
                        "since": instant("When the match that led to it ended"),
                    },
                    "The suspension; null if it is not suspended. A suspended bot gets no new ladder "
                    "match until it passes a check",
                )
            ),
        }
    ),
}

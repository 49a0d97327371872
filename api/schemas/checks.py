"""Checks: what asks for one, and what is told of it."""

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
    """A check."""

    may_be_absent = True
    game = fields.String(
        load_default="durak",
        validate=validate.Length(1, 64),
        metadata={"description": "Which game is played, as in `GET /v1/games`", "example": "durak"},
    )


def check_view(check: ConformanceCheck, live: LoadedMatch) -> Json:
    """A check, as its owner and its bot see it."""
    verdict = check.verdict
    if verdict is None:
        status = "running" if live.progress.status in (Status.RUNNING, Status.FINISHED) else "waiting"
    else:
        status = "passed" if verdict.passed else "failed"
    sent = check.sent
    made = sum(one.said == "made" for one in sent)
    replayed = sum(one.said == "replayed" for one in sent)
    return {
        "match": check.match,
        "bot": check.bot,
        "version": check.version,
        "game": check.game,
        "status": status,
        "created": text_of(check.created),
        "ended": None if verdict is None else text_of(verdict.ended),
        "faults_met": [{"fault": one.said, "turn": one.turn, "move": one.move} for one in check.faults_met],
        "faults_left": list(check.faults_left),
        "moves": {"made": made, "replayed": replayed, "refused": len(sent) - made - replayed},
        "reasons": [] if verdict is None else verdict.reasons,
    }


def health_view(bot: Bot, health: Health) -> Json:
    """How it stands with a bot, as its owner and itself see it."""
    passed, suspended = health.passed, health.suspended
    return {
        "bot": bot.full_name,
        "passed": passed and {"check": passed.match, "version": passed.version, "ended": text_of(passed.at)},
        "suspended": suspended and {"reason": suspended.reason, "since": text_of(suspended.at)},
    }


COMPONENTS: Final[dict[str, Json]] = {
    "Fault": text(
        "poll_refused: a 503 instead of an answer with a turn; poll_cut: the connection ended in the middle of "
        "one; turn_repeated: a turn was delivered twice; move_refused: a 503 instead of a move, which was not "
        "made; answer_lost: a 503 after a move, which was made; connection_lost: the connection ended with no answer "
        "after a move, which was made; answer_cut: it ended in the middle of that answer; near_deadline: a turn was "
        "delivered 1.5 seconds before its deadline",
        enum=[fault.value for fault in Fault],
    ),
    "Check": obj(
        {
            "match": text("The id of the check and of its match"),
            "bot": text("The bot's id"),
            "version": text("The bot's, as of the beginning"),
            "game": ref("GameId"),
            "status": text(
                "waiting: for the bot to ask for its turns; running; passed or failed", enum=list(_STATUSES)
            ),
            "created": instant("When it began"),
            "ended": nullable(instant("When its match was over")),
            "faults_met": listed(
                obj(
                    {
                        "fault": ref("Fault"),
                        "turn": whole("At which turn", 1),
                        "move": nullable(text("The move that it was met with, if it was one")),
                    }
                ),
                "The faults that the bot has met, in order",
            ),
            "faults_left": listed(ref("Fault"), "The remaining faults"),
            "moves": obj(
                {
                    "made": whole("Moves that were made"),
                    "replayed": whole("Moves that had been made, and were sent again"),
                    "refused": whole("Moves that were refused, but for faults"),
                },
                "What the bot sent",
            ),
            "reasons": listed({"type": "string"}, "Why the bot has not passed, in words"),
        }
    ),
    "BotHealth": obj(
        {
            "bot": text("`owner/bot`"),
            "passed": nullable(
                obj(
                    {
                        "check": text("The check's id"),
                        "version": text("The bot's, as of then"),
                        "ended": instant("When it was over"),
                    },
                    "The last check that it has passed; null: none",
                )
            ),
            "suspended": nullable(
                obj(
                    {
                        "reason": text("Why, in words"),
                        "since": instant("When the match that led to it ended"),
                    },
                    "Null: it is not. Else it is in no new match of a ladder until it passes a check",
                )
            ),
        }
    ),
}

"""What admins do, and the log of it."""

from __future__ import annotations

from typing import Final

from marshmallow import fields, validate

from api.schemas.common import (
    NAME,
    Instant,
    Json,
    PageQuery,
    Strict,
    Text,
    Whole,
    instant,
    nullable,
    obj,
    page_of,
    ref,
    text,
    whole,
)
from league.ladders.model import LadderState
from league.operators.administration import DAY_S, MOST_INVITATION_S
from league.operators.audit import MOST_REASON, AuditEntry
from referee.instants import text_of
from referee.service.state import ServiceState, ServiceStatus

_REASON: Final = {"description": "Kept in the audit log", "example": "a broken deck"}


class ReasonSchema(Strict):
    """Why."""

    may_be_absent = True

    reason = fields.String(load_default="", validate=validate.Length(0, MOST_REASON), metadata=_REASON)


class StatedReasonSchema(Strict):
    """Why, for everybody concerned to read."""

    reason = fields.String(
        required=True,
        validate=validate.Length(1, MOST_REASON),
        metadata={
            "description": "Told to whom it concerns, and kept in the audit log",
            "example": "collusion",
        },
    )


class LadderStateChangeSchema(ReasonSchema):
    """A ladder's new state."""

    may_be_absent = False

    state = fields.String(
        required=True,
        validate=validate.OneOf([state.value for state in LadderState]),
        metadata={"description": "As in `PATCH /v1/ladders/{ladder}`"},
    )


class InvitationSchema(ReasonSchema):
    """An invitation for one owner."""

    lives_s = Whole(
        1, MOST_INVITATION_S, load_default=7 * DAY_S, metadata={"description": "Seconds for which it is good"}
    )


class NewAdminSchema(ReasonSchema):
    """A token of an admin."""

    may_be_absent = False

    name = Text(
        NAME, required=True, metadata={"description": "Who it is; the audit log names it", "example": "ann"}
    )
    expires = Instant(
        load_default=None,
        allow_none=True,
        metadata={"format": "date-time", "description": "When it ends; null: never"},
    )
    note = fields.String(
        load_default="",
        validate=validate.Length(0, 200),
        metadata={"description": "For yourselves", "example": "her laptop"},
    )


class AuditQuery(PageQuery):
    """Which lines."""

    what = fields.String(validate=validate.Length(1, 64), metadata={"description": "Only acts of this kind"})
    target = fields.String(
        validate=validate.Length(1, 200),
        metadata={
            "description": "Only this target: `match ID`, `bot owner/bot`, `owner NAME`, `service` and so on"
        },
    )
    token = fields.String(
        validate=validate.Length(1, 64), metadata={"description": "Only acts by the token with this id"}
    )
    since = Instant(metadata={"format": "date-time", "description": "No earlier"})
    until = Instant(metadata={"format": "date-time", "description": "No later"})


def service_view(standing: ServiceStatus, matches: dict[str, int]) -> Json:
    """How the service stands."""
    return {**standing.to_json(), "matches": matches}


def line_view(line: AuditEntry) -> Json:
    """A line of the audit log."""
    return {
        "id": line.id,
        "at": text_of(line.at),
        "token": line.by.token,
        "owner": line.by.owner,
        "what": line.what,
        "target": line.target,
        "reason": line.reason,
        "before": line.before,
        "after": line.after,
        "outcome": line.outcome,
    }


_ANY: Final[Json] = {"type": ["object", "null"], "additionalProperties": True}

COMPONENTS: Final[dict[str, Json]] = {
    "Service": obj(
        {
            "state": ref("ServiceState"),
            "since": nullable(instant("Since when; null: nobody ever changed it")),
            "reason": text("Why"),
            "matches": obj(
                {
                    "running": whole("Matches that are played now"),
                    "waiting": whole("Matches whose bots have not shown up"),
                    "open": whole("Matches with open seats"),
                },
                "What is not over. A drain is done when nothing runs or waits.",
            ),
        },
        "How the service stands. " + "; ".join(state.value for state in ServiceState),
    ),
    "CreatedInvitation": obj({"invitation": text("The code. Shown this once and never again")}),
    "AuditLine": obj(
        {
            "id": text("Its id; they ascend"),
            "at": instant("When"),
            "token": text(
                "The id of the token that did it; `cli` for the command line on the machine itself"
            ),
            "owner": text("The admin's name, or the user of the machine"),
            "what": text("What was done", examples=["void", "rerun", "disable", "pause"]),
            "target": text("To what", examples=["match 17hq3x9m4c7t2k5w8n6v3p9d4f7a", "bot example/fool"]),
            "reason": text("Why"),
            "before": {**_ANY, "description": "How its target stood"},
            "after": {**_ANY, "description": "How it stood then"},
            "outcome": nullable(
                text("done, or the code of a refusal; null: it was broken off, and may have been done or not")
            ),
        },
        "What an admin did. It is written before it is done, and its outcome after that.",
    ),
    "AuditPage": page_of("AuditLine", "lines", "The youngest first"),
}

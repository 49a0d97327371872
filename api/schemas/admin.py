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


class OptionalReasonSchema(Strict):
    """Why."""

    may_be_absent = True

    reason = fields.String(load_default="", validate=validate.Length(0, MOST_REASON), metadata=_REASON)


class RequiredReasonSchema(Strict):
    """The reason, shown to those concerned."""

    reason = fields.String(
        required=True,
        validate=validate.Length(1, MOST_REASON),
        metadata={
            "description": "Shown to those concerned and kept in the audit log",
            "example": "collusion",
        },
    )


class LadderStateChangeSchema(OptionalReasonSchema):
    """A ladder's new state."""

    may_be_absent = False

    state = fields.String(
        required=True,
        validate=validate.OneOf([state.value for state in LadderState]),
        metadata={"description": "As in `PATCH /v1/ladders/{ladder}`"},
    )


class InvitationSchema(OptionalReasonSchema):
    """An invitation for one owner."""

    expires_in_s = Whole(
        1,
        MOST_INVITATION_S,
        load_default=7 * DAY_S,
        metadata={"description": "Seconds for which it is valid"},
    )


class NewAdminSchema(OptionalReasonSchema):
    """A token of an admin."""

    may_be_absent = False

    name = Text(
        NAME, required=True, metadata={"description": "The admin's name in the audit log", "example": "ann"}
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

    action = fields.String(
        validate=validate.Length(1, 64), metadata={"description": "Only acts of this kind"}
    )
    target = fields.String(
        validate=validate.Length(1, 200),
        metadata={
            "description": "Only this target: `match ID`, `bot owner/bot`, `owner NAME`, `service` and so on"
        },
    )
    token = fields.String(
        validate=validate.Length(1, 64), metadata={"description": "Only acts by the token with this id"}
    )
    since = Instant(metadata={"format": "date-time", "description": "At or after this instant"})
    until = Instant(metadata={"format": "date-time", "description": "At or before this instant"})


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
        "action": line.action,
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
            "since": nullable(instant("The last change; null: never changed")),
            "reason": text("Why"),
            "matches": obj(
                {
                    "running": whole("Matches that are played now"),
                    "waiting": whole("Matches whose bots have not shown up"),
                    "open": whole("Matches with open seats"),
                },
                "Matches that have not ended. A drain is complete when none is running or waiting.",
            ),
        },
        "The state of the service. " + "; ".join(state.value for state in ServiceState),
    ),
    "CreatedInvitation": obj({"invitation": text("The code. Shown only once")}),
    "AuditEntry": obj(
        {
            "id": text("Its id; they ascend"),
            "at": instant("When"),
            "token": text(
                "The id of the token that did it; `cli` for the command line on the machine itself"
            ),
            "owner": text("The admin's name, or the user of the machine"),
            "action": text("What was done", examples=["void", "rerun", "disable", "pause"]),
            "target": text("To what", examples=["match 17hq3x9m4c7t2k5w8n6v3p9d4f7a", "bot example/fool"]),
            "reason": text("Why"),
            "before": {**_ANY, "description": "The target before the action"},
            "after": {**_ANY, "description": "The target after the action"},
            "outcome": nullable(
                text(
                    "`done`, or the code of a refusal; null: interrupted, the action may or may not have taken effect"
                )
            ),
        },
        "An action of an admin. The entry is written before the action, its outcome afterwards.",
    ),
    "AuditPage": page_of("AuditEntry", "entries", "Newest first"),
}

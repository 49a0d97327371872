"""Interventions of admins, and the audit log."""

from __future__ import annotations

from typing import Final

from api.schemas.common import (
    NAME,
    OPTIONAL,
    Choice,
    Instant,
    Json,
    PageQuery,
    Several,
    Strict,
    String,
    Text,
    Whole,
    instant,
    listed,
    ref,
    text,
    whole,
)
from api.schemas.responses import Derived, Nested, Output, ResponseSchema, dump, listing
from league.accounts.invitations import MOST_INVITATION_NOTE, MOST_INVITED_NAME, InvitationState
from league.accounts.tokens import INVITATION_S
from league.ladders.model import LadderState
from league.operators.administration import MOST_ANNOUNCED, MOST_INVITATION_S, MOST_INVITATIONS
from league.operators.audit import MOST_REASON
from referee.service.state import ServiceState, ServiceStatus

_REASON: Final = {"description": "Kept in the audit log", "example": "a broken deck"}


class OptionalReasonSchema(Strict):
    """The reason."""

    may_be_absent = True

    reason = String(0, MOST_REASON, load_default="", metadata=_REASON)


class RequiredReasonSchema(Strict):
    """The reason, shown to those concerned."""

    reason = String(
        1,
        MOST_REASON,
        "Shown to those concerned and kept in the audit log",
        required=True,
        metadata={"example": "collusion"},
    )


class AnnouncementSchema(Strict):
    """What the operators tell everybody."""

    text = String(0, MOST_ANNOUNCED, "Shown on every page of the site; empty removes it", required=True)


class LadderStateChangeSchema(OptionalReasonSchema):
    """A ladder's new state."""

    may_be_absent = False

    state = Choice(
        [state.value for state in LadderState], "As in `PATCH /v1/ladders/{ladder}`", required=True
    )


class InvitationSchema(OptionalReasonSchema):
    """An invitation for one owner."""

    expires_in_s = Whole(1, MOST_INVITATION_S, "Seconds for which it is valid", load_default=INVITATION_S)
    count = Whole(1, MOST_INVITATIONS, "The number of invitations", load_default=1)
    names = Several(
        String(1, MOST_INVITED_NAME),
        "For whom they are, one invitation each, instead of `count`",
        least=0,
        most=MOST_INVITATIONS,
        load_default=list,
    )
    note = String(
        0, MOST_INVITATION_NOTE, "For yourselves", load_default="", metadata={"example": "class 10b"}
    )
    names_for = Text(
        NAME,
        "Ask for a real name, which only the organisers of this owner's ladders see",
        metadata={"example": "teacher"},
        **OPTIONAL,
    )


class NewAdminSchema(OptionalReasonSchema):
    """A new admin's token."""

    may_be_absent = False

    name = Text(NAME, "The admin's name in the audit log", required=True, metadata={"example": "ann"})
    expires = Instant("When it ends; null: never", **OPTIONAL)
    note = String(0, 200, "For yourselves", load_default="", metadata={"example": "her laptop"})


class AuditQuery(PageQuery):
    """Filters and page of the audit log."""

    action = String(1, 64, "Only acts of this kind")
    target = String(
        1, 200, "Only this target: `match ID`, `bot owner/bot`, `owner NAME`, `service` and so on"
    )
    token = String(1, 64, "Only acts by the token with this id")
    since = Instant("At or after this instant")
    until = Instant("At or before this instant")
    ladder = String(1, 64, "Only acts that concern this ladder; organisers name one of theirs")


class RerunSchema(ResponseSchema):
    """What a voided match is replaced with. The model is a `league.rounds.Rerun`."""

    doc = "What a voided match is replaced with: a new match, or a new duplicate group instead of its group"

    ladder = text("The ladder's id")
    round = whole("The number of the round in which it is played", 1)
    match = Derived(
        text("The id of the new match; null for a group", null=True),
        lambda each: None if each.is_group else each.id,
    )
    group = Derived(
        text(
            "The id of the new duplicate group, which workers start; null for a match outside groups",
            null=True,
        ),
        lambda each: each.id if each.is_group else None,
    )


_ANY: Final[Json] = {"type": ["object", "null"], "additionalProperties": True}


class UnfinishedMatchesSchema(ResponseSchema):
    """The number of unfinished matches by status."""

    doc = "Matches that have not ended. A drain is complete when none is running or waiting."

    running = whole("Matches in progress")
    waiting = whole("Matches whose bots have not shown up")
    open = whole("Matches with open seats")


class AuditEntrySchema(ResponseSchema):
    """An entry of the audit log."""

    doc = "An action of an admin or an organiser. The entry is written before the action, its outcome afterwards."

    id = text("The entry's id; ids ascend")
    at = instant("When the action was taken")
    token = Output(
        text(
            "The id of the token that was used; `cli` for the command line on the machine; `clock` for a schedule"
        ),
        "by.token",
    )
    owner = Output(text("The name of the admin or owner, or the user of the machine"), "by.owner")
    action = text("The action", examples=["void", "rerun", "disable", "pause"])
    target = text("Its target", examples=["match 17hq3x9m4c7t2k5w8n6v3p9d4f7a", "bot example/fool"])
    ladder = text("The id of the ladder that it concerns; null: none", null=True)
    reason = text("Why it was taken")
    before = Output({**_ANY, "description": "The target before the action"})
    after = Output({**_ANY, "description": "The target after the action"})
    outcome = text(
        "`done`, or the code of a refusal; null: interrupted, the action may or may not have taken effect",
        null=True,
    )


AuditPageSchema: Final = listing("AuditPage", AuditEntrySchema, "entries", "Newest first", paged=True)


class CreatedInvitationSchema(ResponseSchema):
    """New invitations."""

    invitation = text("The code of the first. Shown only once")
    invitations = listed({"type": "string"}, "The codes of all. Shown only once")


class IssuedInvitationSchema(ResponseSchema):
    """An `Invitation`. Its code is never shown again."""

    id = text("Its id")
    name = text("For whom it is; may be empty")
    note = text("A note of who created it")
    state = text("Whether it can be used", enum=[state.value for state in InvitationState])
    created = instant("When it was created")
    expires = instant("When it ends")
    used = instant("When it was used", null=True)
    owner = text("The name of the owner who used it", null=True)
    names_for = text(
        "The owner whose organisers see the real name that it asks for; null if it asks for none", null=True
    )


InvitationPageSchema: Final = listing(
    "InvitationPage", IssuedInvitationSchema, "invitations", "Newest first", paged=True
)


class ServiceSchema(ResponseSchema):
    """The state of the service."""

    doc = "The state of the service. " + "; ".join(state.value for state in ServiceState)

    state = ref("ServiceState")
    since = instant("The last change; null: never changed", null=True)
    reason = text("Why it was changed")
    announcement = text("What every page of the site tells everybody; may be empty")
    matches = Nested(UnfinishedMatchesSchema, inline=True)


def service_view(status: ServiceStatus, matches: dict[str, int]) -> Json:
    """Return the state of the service, with the number of unfinished matches by status."""
    return dump(ServiceSchema, {**status._asdict(), "since": status.since or None, "matches": matches})

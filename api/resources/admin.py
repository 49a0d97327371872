"""Administration: the state of the service, interventions, and the audit log."""

from __future__ import annotations

from collections import Counter
from functools import partial
from typing import Any, Final

from api.blueprint import Blueprint
from api.contract.describe import NOT_ADMITTED, Created, ResponseSpec, created
from api.idempotency import derived_id
from api.limits.rates import RateScope
from api.resources.league.ladders import names_of, settings_in
from api.resources.matches import look
from api.schemas import admin as schemas
from api.schemas.accounts import BotSchema, CreatedTokenSchema, OwnerSchema, TokenListSchema
from api.schemas.common import PageQuery
from api.schemas.league.ladders import LadderEntrySchema, LadderSchema, NewLadderSchema, OwnedLadder
from api.services import services
from api.tables import table_of
from league.accounts.tokens import Token
from league.ladders.settings import LadderSettings
from league.operators.audit import AuditActor, AuditFilter
from league.permissions import check_governs
from records.match import views
from referee.after_commit import AfterCommitStep
from referee.service.state import ServiceState

blueprint = Blueprint("admin", __name__, description="Operating the service.")

Body = dict[str, Any]
_OF_ORGANISERS: Final = ("scope_missing", "wrong_token_kind", "not_your_ladder", "no_such_ladder")
_MATCH: Final = (*_OF_ORGANISERS, "busy", "bad_value")
_CHANGE: Final = ("bad_value", "overtaken")
_STATES: Final = {
    "pause": ServiceState.PAUSED,
    "resume": ServiceState.RUNNING,
    "drain": ServiceState.DRAINING,
}


_action: Final = partial(blueprint.serve, scope="admin", keyed=1)
"""Registers an action of an admin, which is taken once per idempotency key."""


@blueprint.serve("GET /v1/service", ResponseSpec("The state of the service", "Service"), scope="admin")
def get_service() -> object:
    """Get the state of the service.

    Also counts the matches that have not ended, so you can see when a drain is complete.
    """
    return schemas.service_view(services().service.status(), _unfinished())


@_action(
    "POST /v1/service/<any(pause, drain, resume):action>",
    ResponseSpec("The state of the service", "Service"),
    problems=["bad_value"],
    body=schemas.OptionalReasonSchema,
)
def change_service(body: Body, by: AuditActor, action: str) -> object:
    """Pause, drain or resume the service.

    `pause` stops every clock: moves are still accepted and cost no time, and no match or round is created.
    `drain` plays existing matches to their end and creates no match or round. `resume` ends both. Waiting polls
    learn of the change at once. Repeating an action has no further effect.
    """
    counts = _unfinished()  # before the commit, after which nothing may fail
    standing = services().administration.set_service(by, _STATES[action], body["reason"])
    services().after_commit.run(
        AfterCommitStep.POLL, lambda: services().hub.announce(standing.decision, standing.state), None
    )
    return schemas.service_view(standing, counts)


@_action(
    "POST /v1/service/announcement",
    ResponseSpec("The state of the service", "Service"),
    problems=["bad_value"],
    body=schemas.AnnouncementSchema,
)
def announce(body: Body, by: AuditActor) -> object:
    """Tell everybody something on every page of the site.

    Other processes of the service show the text within a second. An empty text removes it.
    """
    counts = _unfinished()  # before the commit, after which nothing may fail
    return schemas.service_view(services().administration.announce(by, body["text"]), counts)


@blueprint.serve(
    "POST /v1/matches/<match>/void",
    ResponseSpec("The match", "Match"),
    scope="any",
    rate=RateScope.REQUESTS,
    problems=_MATCH,
    body=schemas.RequiredReasonSchema,
    keyed=1,
)
def void_match(body: Body, caller: Token, by: AuditActor, match: str) -> object:
    """Void a match, so that it does not count.

    Admins void any match, and the organisers of a ladder its matches. A match that has not ended ends now, with the
    ending `void`. The record of a match that has ended stays as it is and gets an annotation. Whatever the match added
    to its ladder is subtracted. The audit log keeps the reason and your name.
    """
    _check_governs(caller, match)
    loaded = services().administration.void(by, match, body["reason"])
    masked = services().after_commit.run(
        AfterCommitStep.VIEW, lambda: services().referee.is_masked(loaded), True
    )
    return views.match_view(loaded, None, masked=masked)


@blueprint.serve(
    "POST /v1/matches/<match>/rerun",
    ResponseSpec("What replaces the match", schemas.RerunSchema, status=201),
    scope="any",
    problems=[*_MATCH, "not_rerunnable", "no_such_round", *NOT_ADMITTED],
    body=schemas.OptionalReasonSchema,
    keyed=1,
)
def rerun_match(body: Body, caller: Token, by: AuditActor, match: str) -> object:
    """Replay a voided ladder match.

    Admins and the organisers of its ladder may. Creates a replacement match with the same seats in the same round. A
    duplicate group that doesn't count without the match is played again as a whole, with a new deck. Only a voided
    match of a ladder can be replayed.
    """
    _check_governs(caller, match)
    return services().administration.rerun(by, match, body["reason"])


@_action(
    "POST /v1/bots/<owner>/<bot>/<any(disable, enable):change>",
    ResponseSpec("The bot", BotSchema),
    problems=_CHANGE,
    body=schemas.OptionalReasonSchema,
)
def disable_or_enable_bot(body: Body, by: AuditActor, owner: str, bot: str, change: str) -> object:
    """Disable a bot, or enable it again.

    `disable` requires a `reason`. The bot's tokens stop working and it gets no new matches. Its current matches
    continue and its clocks run, so it forfeits them by timeouts unless they are voided. `enable` ends this, but a bot
    that its owner has disabled too still gets no matches.
    """
    disabled, reason = change == "disable", body["reason"]
    return services().administration.set_bot_disabled(by, owner, bot, disabled=disabled, reason=reason)


@_action(
    "POST /v1/owners/<owner>/<any(disable, enable):change>",
    ResponseSpec("The owner", OwnerSchema),
    problems=_CHANGE,
    body=schemas.OptionalReasonSchema,
)
def disable_or_enable_owner(body: Body, by: AuditActor, owner: str, change: str) -> object:
    """Disable an owner and all of its bots, or enable them again.

    `disable` requires a `reason`. The owner's tokens and those of its bots stop working. Each bot is treated as if it
    were disabled itself. `enable` ends this, except for bots that were disabled individually.
    """
    disabled, reason = change == "disable", body["reason"]
    return services().administration.set_owner_disabled(by, owner, disabled=disabled, reason=reason)


@_action(
    "POST /v1/owners/<owner>/replace-token",
    ResponseSpec("The token and its text", CreatedTokenSchema, status=201),
    problems=["bad_value"],
    body=schemas.RequiredReasonSchema,
)
def replace_owner_token(body: Body, by: AuditActor, seed: str | None, owner: str) -> object:
    """Replace the tokens of an owner who lost them.

    Creates a token, whose text is shown only in this response, and revokes the owner's other tokens. Those of its bots
    stay valid. `reason` is kept in the audit log.
    """
    about, secret = services().administration.replace_owner_token(by, owner, body["reason"], seed)
    return {"details": about, "token": secret}


@_action(
    "POST /v1/owners/<owner>/forget",
    ResponseSpec("The owner with its pseudonym", OwnerSchema),
    problems=_CHANGE,
    body=schemas.RequiredReasonSchema,
)
def forget_owner(body: Body, by: AuditActor, owner: str) -> object:
    """Forget an owner who asks for it.

    A pseudonym replaces the owner's name and those of its bots everywhere. Its tokens, webhooks and event logs are
    deleted, and its bots are disabled. Records and results stay under the pseudonym. This can't be undone.
    """
    return services().administration.forget(by, owner, body["reason"])


@blueprint.serve(
    "POST /v1/tokens/<token>/revoke",
    ResponseSpec("The token is revoked", status=204),
    scope="admin",
    problems=["bad_value"],
    body=schemas.OptionalReasonSchema,
)
def revoke_any_token(body: Body, by: AuditActor, token: str) -> None:
    """Revoke any token.

    The token stops working at once. `reason` is kept in the audit log.
    """
    services().administration.revoke(by, token, body["reason"])


@blueprint.serve(
    "GET /v1/admins", ResponseSpec("Tokens, without their texts", TokenListSchema), scope="admin"
)
def list_admins() -> object:
    """List the valid tokens of named admins.

    The admin token from the settings is not listed. The texts of the tokens are never shown again.
    """
    return {"tokens": services().administration.admins()}


@_action(
    "POST /v1/admins",
    ResponseSpec("The token and its text", CreatedTokenSchema, status=201),
    problems=["bad_value", "name_taken"],
    body=schemas.NewAdminSchema,
)
def create_admin(body: Body, by: AuditActor, seed: str | None) -> object:
    """Create a token for a named admin.

    The audit log records actions under the admin's name. The token's text is shown only in this response. It
    has the same permissions as the admin token from the settings. It can rotate and revoke itself, and `POST
    /v1/tokens/{token}/revoke` revokes it.
    """
    about, secret = services().administration.issue_admin(
        by, body["name"], body["expires"], body["note"], body["reason"], seed
    )
    return {"details": about, "token": secret}


@_action(
    "POST /v1/invitations",
    ResponseSpec("The invitations", schemas.CreatedInvitationSchema, status=201),
    problems=["bad_value", "no_such_owner"],
    body=schemas.InvitationSchema,
)
def create_invitation(body: Body, by: AuditActor, seed: str | None) -> object:
    """Create invitations, each for one new owner.

    A code is shown only in this response and works once, for `expires_in_s` seconds. Send it as `invitation` in
    `POST /v1/owners`. `count` or `names` create up to 500 at once. With `names_for` they ask for a real name.
    """
    more = {name: body[name] for name in ("count", "names", "note", "names_for")}
    codes = services().administration.invite(by, body["expires_in_s"], body["reason"], seed, **more)
    return {"invitation": codes[0], "invitations": codes}


@blueprint.serve(
    "GET /v1/invitations",
    table_of("Invitations, without their codes", schemas.InvitationPageSchema),
    scope="admin",
    query=PageQuery,
)
def list_invitations(query: Body) -> object:
    """List the invitations with who used which, newest first."""
    cursor = services().cursors.of("invitations", query)
    found, then = services().accounts.invitations(cursor.place, query["limit"])
    return {"invitations": found, "cursor": cursor.then(then)}


@_action(
    "POST /v1/owners/<owner>/ladders",
    created("The ladder", LadderSchema),
    problems=["no_such_game", "bad_table", "bad_value"],
    body=NewLadderSchema,
)
def create_ladder_for(body: Body, by: AuditActor, seed: str | None, owner: str) -> object:
    """Create a ladder for an owner.

    Works as `POST /v1/ladders`. The ladder belongs to the owner, who manages it.
    """
    settings = LadderSettings(**settings_in(body))
    ladder_id = derived_id("l", seed)
    made = services().administration.create_ladder(
        by, owner, settings, state=body["state"], ladder_id=ladder_id
    )
    return Created(OwnedLadder(made, {made.owner: owner}), f"/v1/ladders/{made.id}")


@_action(
    "POST /v1/ladders/<ladder>/state",
    ResponseSpec("The ladder", LadderSchema),
    problems=["no_such_owner", "wrong_ladder_state", "bad_value", "overtaken"],
    body=schemas.LadderStateChangeSchema,
)
def set_ladder_state(body: Body, by: AuditActor, ladder: str) -> object:
    """Set the state of any ladder.

    Works as `state` in `PATCH /v1/ladders/{ladder}`, for ladders of any owner. The audit log keeps the reason.
    """
    names = names_of(services().ladders.get(ladder))  # before the commit, after which nothing may fail
    changed = services().organisers.change(by, ladder, state=body["state"], reason=body["reason"])
    return OwnedLadder(changed, names)


@_action(
    "POST /v1/ladders/<ladder>/entries/<owner>/<bot>/withdraw",
    ResponseSpec("The entry", LadderEntrySchema),
    problems=["entry_refused", "wrong_ladder_state", "bad_value"],
    body=schemas.OptionalReasonSchema,
)
def withdraw_any_bot(body: Body, by: AuditActor, ladder: str, owner: str, bot: str) -> object:
    """Withdraw any bot from any ladder.

    The bot takes part in no further round. Matches under way are played out.
    """
    return services().organisers.withdraw(by, ladder, services().accounts.bot(owner, bot), body["reason"])


def _unfinished() -> dict[str, int]:
    """Return the number of matches that have not ended, by status."""
    counts = Counter({"running": 0, "waiting": 0, "open": 0})
    counts.update(services().index.unfinished())
    return dict(counts)


def _check_governs(caller: Token, match: str) -> None:
    """Raise a refusal unless the caller is an admin or an organiser of the match's ladder."""
    ladder = look(match).config.ladder
    check_governs(caller, None if ladder is None else services().ladders.get(ladder))


audit = Blueprint("audit", __name__, description="What admins and organisers did.")


@audit.serve(
    "GET /v1/audit",
    ResponseSpec("Audit log entries", schemas.AuditPageSchema),
    scope="any",
    problems=_OF_ORGANISERS,
    query=schemas.AuditQuery,
)
def list_audit(query: Body, caller: Token) -> object:
    """List the actions of admins and organisers, newest first.

    Each entry shows the target before and after the action, and whether the action succeeded. Organisers name one of
    their ladders in `ladder`: bans, withdrawals of others' bots, changes of the ladder, ends of seasons, voided and
    replayed matches.
    """
    ladder = query.get("ladder")
    check_governs(caller, None if ladder is None else services().ladders.get(ladder))
    wanted = AuditFilter(**{name: query.get(name) for name in AuditFilter._fields})
    cursor = services().cursors.of("audit", query)
    lines, then = services().audit.page(wanted, cursor.place, query["limit"])
    return {"entries": lines, "cursor": cursor.then(then)}

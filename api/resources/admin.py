"""Administration: the state of the service, interventions, and the audit log."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any, Final

from flask import Response

from api import auth
from api.blueprint import Blueprint
from api.contract.describe import LOCATION, NOT_ADMITTED, ResponseSpec, describe
from api.idempotency import once
from api.problems import Problem
from api.resources.league.ladders import settings_of
from api.schemas.accounts import BotSchema, CreatedTokenSchema, OwnerSchema, TokenListSchema
from api.schemas.admin import (
    AuditPageSchema,
    AuditQuery,
    CreatedInvitationSchema,
    InvitationSchema,
    LadderStateChangeSchema,
    NewAdminSchema,
    OptionalReasonSchema,
    RequiredReasonSchema,
    service_view,
)
from api.schemas.league.ladders import LadderEntrySchema, LadderSchema, NewLadderSchema, OwnedLadder
from api.schemas.responses import dump
from api.services import services
from api.wire import answer
from engine.quoting import quoted
from league.accounts.tokens import Scope, Token
from league.operators.administration import Administration
from league.operators.audit import AuditActor, AuditFilter
from records.ids import is_match_id
from records.match import views
from records.match.loaded_match import LoadedMatch
from referee.after_commit import Hook
from referee.service.state import ServiceState

blueprint = Blueprint("admin", __name__, description="Operating the service.")

Body = dict[str, Any]
_MATCH: Final = ("not_found", "no_such_match", "busy", "bad_value")
_STATES: Final = {
    "pause": ServiceState.PAUSED,
    "resume": ServiceState.RUNNING,
    "drain": ServiceState.DRAINING,
}


@blueprint.route("/v1/service")
@describe("getService", {200: ResponseSpec("The state of the service", "Service")}, scope="admin")
def get_service() -> Response:
    """Get the state of the service.

    Also counts the matches that have not ended, so you can see when a drain is complete.
    """
    auth.caller(Scope.ADMIN)
    return answer(service_view(services().service.status(), _unfinished()))


@blueprint.route("/v1/service/<action>", methods=["POST"])
@describe(
    "changeService",
    {200: ResponseSpec("The state of the service", "Service")},
    scope="admin",
    problems=["not_found", "bad_value"],
    body=OptionalReasonSchema,
    keyed=1,
)
def change_service(body: Body, action: str) -> Response:
    """Pause, drain or resume the service.

    `pause` stops every clock: moves are still accepted and cost no time, and no match or round is created.
    `drain` plays existing matches to their end and creates no match or round. `resume` ends both. Waiting polls
    learn of the change at once. Repeating an action has no further effect.
    """
    if action not in _STATES:
        raise Problem("not_found", "a service can `pause`, `drain` or `resume`")

    def change(admin: Administration, by: AuditActor) -> Response:
        counts = _unfinished()  # before the commit, after which nothing may fail
        standing = admin.set_service(by, _STATES[action], body["reason"])
        services().after.run(
            Hook.POLL, lambda: services().hub.announce(standing.decision, standing.state), None
        )
        return answer(service_view(standing, counts))

    return _act(change)


@blueprint.route("/v1/matches/<match>/void", methods=["POST"])
@describe(
    "voidMatch",
    {200: ResponseSpec("The match", "Match")},
    scope="admin",
    problems=_MATCH,
    body=RequiredReasonSchema,
    keyed=1,
)
def void_match(body: Body, match: str) -> Response:
    """Void a match, so that it does not count.

    A match that has not ended ends now, with the ending `void`. The record of a match that has ended stays as
    it is and gets an annotation. Whatever the match added to its ladder is subtracted.
    """
    _checked(match)
    return _act(lambda admin, by: _match(admin.void(by, match, body["reason"])))


@blueprint.route("/v1/matches/<match>/rerun", methods=["POST"])
@describe(
    "rerunMatch",
    {201: ResponseSpec("The match", "Match")},
    scope="admin",
    problems=[
        *_MATCH,
        "not_rerunnable",
        "no_such_ladder",
        "no_such_round",
        "wrong_ladder_state",
        *NOT_ADMITTED,
    ],
    body=OptionalReasonSchema,
    keyed=1,
)
def rerun_match(body: Body, match: str) -> Response:
    """Replay a voided ladder match.

    Creates a replacement match with the same seats in the same round. Only a voided match of a ladder can be
    replayed.
    """
    _checked(match)
    return _act(lambda admin, by: _match(admin.rerun(by, match, body["reason"]), 201))


@blueprint.route("/v1/bots/<owner>/<bot>/disable", methods=["POST"])
@describe(
    "disableBot",
    {200: ResponseSpec("The bot", "Bot")},
    scope="admin",
    problems=["not_found", "no_such_bot", "bad_value", "overtaken"],
    body=RequiredReasonSchema,
    keyed=1,
)
def disable_bot(body: Body, owner: str, bot: str) -> Response:
    """Disable a bot until an admin enables it.

    Its tokens stop working and it gets no new matches. Its current matches continue and its clocks run, so it
    forfeits them by timeouts unless they are voided.
    """
    return _act(
        lambda admin, by: answer(
            dump(BotSchema, admin.set_bot_disabled(by, owner, bot, disabled=True, reason=body["reason"]))
        )
    )


@blueprint.route("/v1/bots/<owner>/<bot>/enable", methods=["POST"])
@describe(
    "enableBot",
    {200: ResponseSpec("The bot", "Bot")},
    scope="admin",
    problems=["not_found", "no_such_bot", "bad_value", "overtaken"],
    body=OptionalReasonSchema,
    keyed=1,
)
def enable_bot(body: Body, owner: str, bot: str) -> Response:
    """Enable a bot that an admin disabled.

    Its tokens work again and it can be seated again, unless its owner has disabled it too.
    """
    return _act(
        lambda admin, by: answer(
            dump(BotSchema, admin.set_bot_disabled(by, owner, bot, disabled=False, reason=body["reason"]))
        )
    )


@blueprint.route("/v1/owners/<owner>/disable", methods=["POST"])
@describe(
    "disableOwner",
    {200: ResponseSpec("The owner", "Owner")},
    scope="admin",
    problems=["not_found", "no_such_owner", "bad_value", "overtaken"],
    body=RequiredReasonSchema,
    keyed=1,
)
def disable_owner(body: Body, owner: str) -> Response:
    """Disable an owner and all of its bots.

    The owner's tokens and those of its bots stop working. Each bot is treated as if it were disabled itself.
    """
    return _act(
        lambda admin, by: answer(
            dump(OwnerSchema, admin.set_owner_disabled(by, owner, disabled=True, reason=body["reason"]))
        )
    )


@blueprint.route("/v1/owners/<owner>/enable", methods=["POST"])
@describe(
    "enableOwner",
    {200: ResponseSpec("The owner", "Owner")},
    scope="admin",
    problems=["not_found", "no_such_owner", "bad_value", "overtaken"],
    body=OptionalReasonSchema,
    keyed=1,
)
def enable_owner(body: Body, owner: str) -> Response:
    """Enable an owner that an admin disabled.

    Bots that were disabled individually stay disabled.
    """
    return _act(
        lambda admin, by: answer(
            dump(OwnerSchema, admin.set_owner_disabled(by, owner, disabled=False, reason=body["reason"]))
        )
    )


@blueprint.route("/v1/owners/<owner>/replace-token", methods=["POST"])
@describe(
    "replaceOwnerToken",
    {201: ResponseSpec("The token and its text", "CreatedToken")},
    scope="admin",
    problems=["not_found", "no_such_owner", "bad_value"],
    body=RequiredReasonSchema,
    keyed=1,
)
def replace_owner_token(body: Body, owner: str) -> Response:
    """Replace the tokens of an owner who lost them.

    Creates a token, whose text is shown only in this response, and revokes the owner's other tokens. Those of its bots
    stay valid. `reason` is kept in the audit log.
    """
    token = auth.caller(Scope.ADMIN)

    def create(seed: str | None) -> Response:
        about, secret = services().administration.replace_owner_token(_by(token), owner, body["reason"], seed)
        return answer(dump(CreatedTokenSchema, {"details": about, "token": secret}), 201)

    return once(token.id, create)


@blueprint.route("/v1/tokens/<token>/revoke", methods=["POST"])
@describe(
    "revokeAnyToken",
    {204: ResponseSpec("The token is revoked")},
    scope="admin",
    problems=["not_found", "no_such_token", "bad_value"],
    body=OptionalReasonSchema,
)
def revoke_any_token(body: Body, token: str) -> Response:
    """Revoke any token.

    The token stops working at once. `reason` is kept in the audit log.
    """
    services().administration.revoke(_by(auth.caller(Scope.ADMIN)), token, body["reason"])
    return Response(status=204)


@blueprint.route("/v1/admins")
@describe("listAdmins", {200: ResponseSpec("Tokens, without their texts", "TokenList")}, scope="admin")
def list_admins() -> Response:
    """List the valid tokens of named admins.

    The admin token from the settings is not listed. The texts of the tokens are never shown again.
    """
    auth.caller(Scope.ADMIN)
    return answer(dump(TokenListSchema, {"tokens": services().administration.admins()}))


@blueprint.route("/v1/admins", methods=["POST"])
@describe(
    "createAdmin",
    {201: ResponseSpec("The token and its text", "CreatedToken")},
    scope="admin",
    problems=["bad_value", "name_taken"],
    body=NewAdminSchema,
    keyed=1,
)
def create_admin(body: Body) -> Response:
    """Create a token for a named admin.

    The audit log records actions under the admin's name. The token's text is shown only in this response. It
    has the same permissions as the admin token from the settings. It can rotate and revoke itself, and `POST
    /v1/tokens/{token}/revoke` revokes it.
    """

    token = auth.caller(Scope.ADMIN)

    def create(seed: str | None) -> Response:
        about, secret = services().administration.issue_admin(
            _by(token), body["name"], body["expires"], body["note"], body["reason"], seed
        )
        return answer(dump(CreatedTokenSchema, {"details": about, "token": secret}), 201)

    return once(token.id, create)


@blueprint.route("/v1/invitations", methods=["POST"])
@describe(
    "createInvitation",
    {201: ResponseSpec("The invitations", "CreatedInvitation")},
    scope="admin",
    problems=["bad_value"],
    body=InvitationSchema,
    keyed=1,
)
def create_invitation(body: Body) -> Response:
    """Create invitations, each for one new owner.

    A code is shown only in this response and works once, for `expires_in_s` seconds. Send it as `invitation` in
    `POST /v1/owners`. `count` creates up to 500 at once.
    """
    token = auth.caller(Scope.ADMIN)

    def create(seed: str | None) -> Response:
        codes = services().administration.invite(
            _by(token), body["expires_in_s"], body["reason"], seed, count=body["count"]
        )
        return answer(dump(CreatedInvitationSchema, {"invitation": codes[0], "invitations": codes}), 201)

    return once(token.id, create)


@blueprint.route("/v1/owners/<owner>/ladders", methods=["POST"])
@describe(
    "createLadderFor",
    {201: ResponseSpec("The ladder", "Ladder", headers=LOCATION)},
    scope="admin",
    problems=["not_found", "no_such_owner", "no_such_game", "bad_table", "bad_value"],
    body=NewLadderSchema,
    keyed=1,
)
def create_ladder_for(body: Body, owner: str) -> Response:
    """Create a ladder for an owner.

    Works as `POST /v1/ladders`. The ladder belongs to the owner, who manages it.
    """
    token = auth.caller(Scope.ADMIN)
    settings = settings_of(body)

    def create(ident: str | None) -> Response:
        ladder_id = None if ident is None else "l" + ident[2:18]
        made = services().administration.create_ladder(_by(token), owner, ladder_id=ladder_id, **settings)
        view = dump(LadderSchema, OwnedLadder(made, owner))
        return answer(view, 201, {"Location": f"/v1/ladders/{made.id}"})

    return once(token.id, create)


@blueprint.route("/v1/ladders/<ladder>/state", methods=["POST"])
@describe(
    "setLadderState",
    {200: ResponseSpec("The ladder", "Ladder")},
    scope="admin",
    problems=["not_found", "no_such_ladder", "no_such_owner", "wrong_ladder_state", "bad_value", "overtaken"],
    body=LadderStateChangeSchema,
    keyed=1,
)
def set_ladder_state(body: Body, ladder: str) -> Response:
    """Set the state of any ladder.

    Works as `state` in `PATCH /v1/ladders/{ladder}`, for ladders of any owner. The audit log keeps the reason.
    """

    def change(admin: Administration, by: AuditActor) -> Response:
        owner = services().ladders.get(ladder).owner
        name = services().accounts.owner(owner).name  # before the commit, after which nothing may fail
        changed = admin.set_ladder_state(by, ladder, body["state"], body["reason"])
        return answer(dump(LadderSchema, OwnedLadder(changed, name)))

    return _act(change)


@blueprint.route("/v1/ladders/<ladder>/entries/<owner>/<bot>/withdraw", methods=["POST"])
@describe(
    "withdrawAnyBot",
    {200: ResponseSpec("The entry", "LadderEntry")},
    scope="admin",
    problems=[
        "not_found",
        "no_such_ladder",
        "no_such_bot",
        "entry_refused",
        "wrong_ladder_state",
        "bad_value",
    ],
    body=OptionalReasonSchema,
    keyed=1,
)
def withdraw_any_bot(body: Body, ladder: str, owner: str, bot: str) -> Response:
    """Withdraw any bot from any ladder.

    The bot takes part in no further round. Matches under way are played out.
    """
    return _act(
        lambda admin, by: answer(
            dump(LadderEntrySchema, admin.withdraw(by, ladder, owner, bot, body["reason"]))
        )
    )


@blueprint.route("/v1/audit")
@describe(
    "listAudit",
    {200: ResponseSpec("Audit log entries", "AuditPage")},
    scope="admin",
    problems=["bad_cursor"],
    query=AuditQuery,
)
def list_audit(query: Body) -> Response:
    """List the actions of admins, newest first.

    Each entry shows the target before and after the action, and whether the action succeeded.
    """
    auth.caller(Scope.ADMIN)
    filters = ("action", "target", "token", "since", "until")
    wanted = AuditFilter(*(query.get(name) for name in filters))
    cursor = services().cursors.of("audit", query)
    lines, then = services().administration.audit.page(wanted, cursor.place, query["limit"])
    return answer(dump(AuditPageSchema, {"entries": lines, "cursor": cursor.then(then)}))


def _act(do: Callable[[Administration, AuditActor], Response]) -> Response:
    """Run an action of an admin, once per idempotency key."""
    token = auth.caller(Scope.ADMIN)
    return once(token.id, lambda _: do(services().administration, _by(token)))


def _by(token: Token) -> AuditActor:
    return AuditActor(token.id, token.name)


def _unfinished() -> dict[str, int]:
    """Return the number of matches that have not ended, by status."""
    counts = Counter({"running": 0, "waiting": 0, "open": 0})
    counts.update(services().index.unfinished())
    return dict(counts)


def _match(loaded: LoadedMatch, status: int = 200) -> Response:
    masked = services().after.run(Hook.VIEW, lambda: services().referee.is_masked(loaded), True)
    return answer(views.match_view(loaded, None, masked=masked), status)


def _checked(match: str) -> None:
    if not is_match_id(match):
        raise Problem("no_such_match", f"there is no match {quoted(match)}")

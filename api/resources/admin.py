"""Administration: the state of the service, interventions, and the audit log."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from functools import wraps
from typing import Any, Final, NamedTuple

from flask import Response

from api import auth
from api.blueprint import Blueprint
from api.contract.describe import LOCATION, NOT_ADMITTED, ResponseSpec, describe
from api.idempotency import once
from api.limits.rates import RateScope
from api.problems import Problem
from api.resources.league.ladders import THERE, mine, names_of, settings_in
from api.schemas.accounts import BotSchema, CreatedTokenSchema, OwnerSchema, TokenListSchema
from api.schemas.admin import (
    AnnouncementSchema,
    AuditPageSchema,
    AuditQuery,
    CreatedInvitationSchema,
    InvitationPageSchema,
    InvitationSchema,
    InvitationsQuery,
    IssuedInvitationSchema,
    LadderAuditQuery,
    LadderStateChangeSchema,
    NewAdminSchema,
    OptionalReasonSchema,
    RequiredReasonSchema,
    RerunSchema,
    service_view,
)
from api.schemas.common import Strict
from api.schemas.league.ladders import LadderEntrySchema, LadderSchema, NewLadderSchema, OwnedLadder
from api.schemas.responses import dump
from api.services import services
from api.tables import columns, table, table_of
from api.wire import answer
from engine.quoting import quoted
from league.accounts.tokens import Scope
from league.ladders.settings import LadderSettings
from league.operators.administration import Administration
from league.operators.audit import AuditActor, AuditFilter
from records.ids import is_match_id
from records.match import views
from records.match.loaded_match import LoadedMatch
from referee.after_commit import AfterCommitStep
from referee.service.state import ServiceState

blueprint = Blueprint("admin", __name__, description="Operating the service.")

Body = dict[str, Any]
_MATCH: Final = ("not_found", "no_such_match", "busy", "bad_value")
_INVITATION_COLUMNS: Final = columns(IssuedInvitationSchema.component())
_BOT: Final = ("not_found", "no_such_bot", "bad_value", "overtaken")
_OWNER: Final = ("not_found", "no_such_owner", "bad_value", "overtaken")
_STATES: Final = {
    "pause": ServiceState.PAUSED,
    "resume": ServiceState.RUNNING,
    "drain": ServiceState.DRAINING,
}


class _Act(NamedTuple):
    """An action of an admin."""

    admin: Administration
    by: AuditActor
    body: Body
    seed: str | None
    """From which ids and tokens derive, so that a repeated request creates the same."""

    @property
    def reason(self) -> str:
        """Why it is taken."""
        return str(self.body["reason"])


def _action(
    path: str,
    operation: str,
    made: ResponseSpec,
    problems: Sequence[str],
    body: type[Strict],
    *,
    status: int = 200,
) -> Callable[[Callable[..., Body]], Callable[..., Response]]:
    """Register and describe an action of an admin, which is taken once per idempotency key. It returns the body of its
    response."""

    def decorate(do: Callable[..., Body]) -> Callable[..., Response]:
        @blueprint.route(path, methods=["POST"])
        @describe(operation, {status: made}, scope="admin", problems=problems, body=body, keyed=1)
        @wraps(do)
        def act(body: Body, **where: Any) -> Response:
            token = auth.caller(Scope.ADMIN)

            def once_only(seed: str | None) -> Response:
                return answer(
                    do(_Act(services().administration, auth.actor(token), body, seed), **where), status
                )

            return once(token.id, once_only)

        return act

    return decorate


@blueprint.route("/v1/service")
@describe("getService", {200: ResponseSpec("The state of the service", "Service")}, scope="admin")
def get_service() -> Response:
    """Get the state of the service.

    Also counts the matches that have not ended, so you can see when a drain is complete.
    """
    auth.caller(Scope.ADMIN)
    return answer(service_view(services().service.status(), _unfinished()))


@_action(
    "/v1/service/<action>",
    "changeService",
    ResponseSpec("The state of the service", "Service"),
    ["not_found", "bad_value"],
    OptionalReasonSchema,
)
def change_service(act: _Act, action: str) -> Body:
    """Pause, drain or resume the service.

    `pause` stops every clock: moves are still accepted and cost no time, and no match or round is created.
    `drain` plays existing matches to their end and creates no match or round. `resume` ends both. Waiting polls
    learn of the change at once. Repeating an action has no further effect.
    """
    if action not in _STATES:
        raise Problem("not_found", "a service can `pause`, `drain` or `resume`")
    counts = _unfinished()  # before the commit, after which nothing may fail
    standing = act.admin.set_service(act.by, _STATES[action], act.reason)
    services().after_commit.run(
        AfterCommitStep.POLL, lambda: services().hub.announce(standing.decision, standing.state), None
    )
    return service_view(standing, counts)


@_action(
    "/v1/service/announcement",
    "announce",
    ResponseSpec("The state of the service", "Service"),
    ["bad_value"],
    AnnouncementSchema,
)
def announce(act: _Act) -> Body:
    """Tell everybody something on every page of the site.

    Other processes of the service show the text within a second. An empty text removes it.
    """
    counts = _unfinished()  # before the commit, after which nothing may fail
    return service_view(act.admin.announce(act.by, act.body["text"]), counts)


@_action(
    "/v1/matches/<match>/void", "voidMatch", ResponseSpec("The match", "Match"), _MATCH, RequiredReasonSchema
)
def void_match(act: _Act, match: str) -> Body:
    """Void a match, so that it does not count.

    A match that has not ended ends now, with the ending `void`. The record of a match that has ended stays as
    it is and gets an annotation. Whatever the match added to its ladder is subtracted.
    """
    return _match(act.admin.void(act.by, _checked(match), act.reason))


@blueprint.route("/v1/ladders/<ladder>/matches/<match>/void", methods=["POST"])
@describe(
    "voidLadderMatch",
    {200: ResponseSpec("The match", "Match")},
    scope="league",
    problems=[*_MATCH, "no_such_ladder", "not_your_ladder", "wrong_token_kind"],
    body=RequiredReasonSchema,
)
def void_ladder_match(body: Body, ladder: str, match: str) -> Response:
    """Void a match of your ladder, so that it does not count.

    Works as `POST /v1/matches/{match}/void`. The audit log keeps the reason and your name.
    """
    token = auth.caller(Scope.LEAGUE)
    found = mine(token, ladder)
    struck = services().administration.strike(auth.actor(token), found.id, _checked(match), body["reason"])
    return answer(_match(struck))


@blueprint.route("/v1/ladders/<ladder>/matches/<match>/rerun", methods=["POST"])
@describe(
    "rerunLadderMatch",
    {201: ResponseSpec("What replaces the match", "Rerun")},
    scope="league",
    problems=[
        *(*_MATCH, "not_rerunnable", "no_such_ladder", "no_such_round", *NOT_ADMITTED),
        *("not_your_ladder", "wrong_token_kind"),
    ],
    body=OptionalReasonSchema,
)
def rerun_ladder_match(body: Body, ladder: str, match: str) -> Response:
    """Replay a voided match of your ladder.

    Works as `POST /v1/matches/{match}/rerun`. The audit log keeps the reason and your name.
    """
    token = auth.caller(Scope.LEAGUE, RateScope.CREATIONS)
    found = mine(token, ladder)
    again = services().administration.replay(auth.actor(token), found.id, _checked(match), body["reason"])
    return answer(dump(RerunSchema, again), 201)


@_action(
    "/v1/matches/<match>/rerun",
    "rerunMatch",
    ResponseSpec("What replaces the match", "Rerun"),
    [*_MATCH, "not_rerunnable", "no_such_ladder", "no_such_round", *NOT_ADMITTED],
    OptionalReasonSchema,
    status=201,
)
def rerun_match(act: _Act, match: str) -> Body:
    """Replay a voided ladder match.

    Creates a replacement match with the same seats in the same round. A duplicate group that doesn't count without the
    match is played again as a whole, with a new deck. Only a voided match of a ladder can be replayed.
    """
    return dump(RerunSchema, act.admin.rerun(act.by, _checked(match), act.reason))


@_action(
    "/v1/bots/<owner>/<bot>/disable", "disableBot", ResponseSpec("The bot", "Bot"), _BOT, RequiredReasonSchema
)
def disable_bot(act: _Act, owner: str, bot: str) -> Body:
    """Disable a bot until an admin enables it.

    Its tokens stop working and it gets no new matches. Its current matches continue and its clocks run, so it
    forfeits them by timeouts unless they are voided.
    """
    changed = act.admin.set_bot_disabled(act.by, owner, bot, disabled=True, reason=act.reason)
    return dump(BotSchema, changed)


@_action(
    "/v1/bots/<owner>/<bot>/enable", "enableBot", ResponseSpec("The bot", "Bot"), _BOT, OptionalReasonSchema
)
def enable_bot(act: _Act, owner: str, bot: str) -> Body:
    """Enable a bot that an admin disabled.

    Its tokens work again and it can be seated again, unless its owner has disabled it too.
    """
    changed = act.admin.set_bot_disabled(act.by, owner, bot, disabled=False, reason=act.reason)
    return dump(BotSchema, changed)


@_action(
    "/v1/owners/<owner>/disable",
    "disableOwner",
    ResponseSpec("The owner", "Owner"),
    _OWNER,
    RequiredReasonSchema,
)
def disable_owner(act: _Act, owner: str) -> Body:
    """Disable an owner and all of its bots.

    The owner's tokens and those of its bots stop working. Each bot is treated as if it were disabled itself.
    """
    changed = act.admin.set_owner_disabled(act.by, owner, disabled=True, reason=act.reason)
    return dump(OwnerSchema, changed)


@_action(
    "/v1/owners/<owner>/enable",
    "enableOwner",
    ResponseSpec("The owner", "Owner"),
    _OWNER,
    OptionalReasonSchema,
)
def enable_owner(act: _Act, owner: str) -> Body:
    """Enable an owner that an admin disabled.

    Bots that were disabled individually stay disabled.
    """
    changed = act.admin.set_owner_disabled(act.by, owner, disabled=False, reason=act.reason)
    return dump(OwnerSchema, changed)


@_action(
    "/v1/owners/<owner>/replace-token",
    "replaceOwnerToken",
    ResponseSpec("The token and its text", "CreatedToken"),
    ["not_found", "no_such_owner", "bad_value"],
    RequiredReasonSchema,
    status=201,
)
def replace_owner_token(act: _Act, owner: str) -> Body:
    """Replace the tokens of an owner who lost them.

    Creates a token, whose text is shown only in this response, and revokes the owner's other tokens. Those of its bots
    stay valid. `reason` is kept in the audit log.
    """
    about, secret = act.admin.replace_owner_token(act.by, owner, act.reason, act.seed)
    return dump(CreatedTokenSchema, {"details": about, "token": secret})


@_action(
    "/v1/owners/<owner>/forget",
    "forgetOwner",
    ResponseSpec("The owner with its pseudonym", "Owner"),
    _OWNER,
    RequiredReasonSchema,
)
def forget_owner(act: _Act, owner: str) -> Body:
    """Forget an owner who asks for it.

    A pseudonym replaces the owner's name and those of its bots everywhere. Its tokens, webhooks and event logs are
    deleted, and its bots are disabled. Records and results stay under the pseudonym. This can't be undone.
    """
    return dump(OwnerSchema, act.admin.forget(act.by, owner, act.reason))


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
    services().administration.revoke(auth.actor(auth.caller(Scope.ADMIN)), token, body["reason"])
    return Response(status=204)


@blueprint.route("/v1/admins")
@describe("listAdmins", {200: ResponseSpec("Tokens, without their texts", "TokenList")}, scope="admin")
def list_admins() -> Response:
    """List the valid tokens of named admins.

    The admin token from the settings is not listed. The texts of the tokens are never shown again.
    """
    auth.caller(Scope.ADMIN)
    return answer(dump(TokenListSchema, {"tokens": services().administration.admins()}))


@_action(
    "/v1/admins",
    "createAdmin",
    ResponseSpec("The token and its text", "CreatedToken"),
    ["bad_value", "name_taken"],
    NewAdminSchema,
    status=201,
)
def create_admin(act: _Act) -> Body:
    """Create a token for a named admin.

    The audit log records actions under the admin's name. The token's text is shown only in this response. It
    has the same permissions as the admin token from the settings. It can rotate and revoke itself, and `POST
    /v1/tokens/{token}/revoke` revokes it.
    """
    body = act.body
    about, secret = act.admin.issue_admin(
        act.by, body["name"], body["expires"], body["note"], act.reason, act.seed
    )
    return dump(CreatedTokenSchema, {"details": about, "token": secret})


@_action(
    "/v1/invitations",
    "createInvitation",
    ResponseSpec("The invitations", "CreatedInvitation"),
    ["bad_value", "no_such_owner"],
    InvitationSchema,
    status=201,
)
def create_invitation(act: _Act) -> Body:
    """Create invitations, each for one new owner.

    A code is shown only in this response and works once, for `expires_in_s` seconds. Send it as `invitation` in
    `POST /v1/owners`. `count` or `names` create up to 500 at once. With `names_for` they ask for a real name.
    """
    more = {name: act.body[name] for name in ("count", "names", "note", "names_for")}
    codes = act.admin.invite(act.by, act.body["expires_in_s"], act.reason, act.seed, **more)
    return dump(CreatedInvitationSchema, {"invitation": codes[0], "invitations": codes})


@blueprint.route("/v1/invitations")
@describe(
    "listInvitations",
    {200: table_of("Invitations, without their codes", "InvitationPage")},
    scope="admin",
    problems=["bad_cursor"],
    query=InvitationsQuery,
)
def list_invitations(query: Body) -> Response:
    """List the invitations with who used which, newest first."""
    auth.caller(Scope.ADMIN)
    cursor = services().cursors.of("invitations", query)
    found, then = services().accounts.invitations(cursor.place, query["limit"])
    body = dump(InvitationPageSchema, {"invitations": found, "cursor": cursor.then(then)})
    return table(body, body["invitations"], _INVITATION_COLUMNS)


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
    settings = LadderSettings(**settings_in(body))

    def create(ident: str | None) -> Response:
        ladder_id = None if ident is None else "l" + ident[2:18]
        made = services().administration.create_ladder(
            auth.actor(token), owner, settings, state=body["state"], ladder_id=ladder_id
        )
        view = dump(LadderSchema, OwnedLadder(made, {made.owner: owner}))
        return answer(view, 201, {"Location": f"/v1/ladders/{made.id}"})

    return once(token.id, create)


@_action(
    "/v1/ladders/<ladder>/state",
    "setLadderState",
    ResponseSpec("The ladder", "Ladder"),
    ["not_found", "no_such_ladder", "no_such_owner", "wrong_ladder_state", "bad_value", "overtaken"],
    LadderStateChangeSchema,
)
def set_ladder_state(act: _Act, ladder: str) -> Body:
    """Set the state of any ladder.

    Works as `state` in `PATCH /v1/ladders/{ladder}`, for ladders of any owner. The audit log keeps the reason.
    """
    names = names_of(services().ladders.get(ladder))  # before the commit, after which nothing may fail
    changed = act.admin.set_ladder_state(act.by, ladder, act.body["state"], act.reason)
    return dump(LadderSchema, OwnedLadder(changed, names))


@_action(
    "/v1/ladders/<ladder>/entries/<owner>/<bot>/withdraw",
    "withdrawAnyBot",
    ResponseSpec("The entry", "LadderEntry"),
    ["not_found", "no_such_ladder", "no_such_bot", "entry_refused", "wrong_ladder_state", "bad_value"],
    OptionalReasonSchema,
)
def withdraw_any_bot(act: _Act, ladder: str, owner: str, bot: str) -> Body:
    """Withdraw any bot from any ladder.

    The bot takes part in no further round. Matches under way are played out.
    """
    return dump(LadderEntrySchema, act.admin.withdraw(act.by, ladder, owner, bot, act.reason))


def _unfinished() -> dict[str, int]:
    """Return the number of matches that have not ended, by status."""
    counts = Counter({"running": 0, "waiting": 0, "open": 0})
    counts.update(services().index.unfinished())
    return dict(counts)


def _match(loaded: LoadedMatch) -> Body:
    masked = services().after_commit.run(
        AfterCommitStep.VIEW, lambda: services().referee.is_masked(loaded), True
    )
    return views.match_view(loaded, None, masked=masked)


def _checked(match: str) -> str:
    if not is_match_id(match):
        raise Problem("no_such_match", f"there is no match {quoted(match)}")
    return match


audit = Blueprint("audit", __name__, description="What admins and organisers did.")


@audit.route("/v1/audit")
@describe(
    "listAudit",
    {200: ResponseSpec("Audit log entries", "AuditPage")},
    scope="admin",
    problems=["bad_cursor"],
    query=AuditQuery,
)
def list_audit(query: Body) -> Response:
    """List the actions of admins and organisers, newest first.

    Each entry shows the target before and after the action, and whether the action succeeded.
    """
    auth.caller(Scope.ADMIN)
    return _page(query, query.get("ladder"), "audit")


@audit.route("/v1/ladders/<ladder>/audit")
@describe(
    "listLadderAudit",
    {200: ResponseSpec("Audit log entries", "AuditPage")},
    scope="league",
    problems=[*THERE, "not_your_ladder", "wrong_token_kind", "bad_cursor"],
    query=LadderAuditQuery,
)
def list_ladder_audit(query: Body, ladder: str) -> Response:
    """List what you and the operators did to your ladder, newest first.

    Bans, withdrawals of others' bots, changes of the ladder, ends of seasons, voided and replayed matches. `GET
    /v1/audit?ladder=` shows the same to admins.
    """
    found = mine(auth.caller(Scope.LEAGUE), ladder)
    return _page(query, found.id, f"audit {found.id}")


def _page(query: Body, ladder: str | None, name: str) -> Response:
    """Return a page of the audit log, or of that of a ladder. `name` is the list of the cursor."""
    filters = ("action", "target", "token", "since", "until")
    wanted = AuditFilter(**{each: query.get(each) for each in filters}, ladder=ladder)
    cursor = services().cursors.of(name, query)
    lines, then = services().audit.page(wanted, cursor.place, query["limit"])
    return answer(dump(AuditPageSchema, {"entries": lines, "cursor": cursor.then(then)}))

"""The audit logs of the service and of each ladder."""

from __future__ import annotations

from typing import Any

from flask import Response

from api import auth
from api.blueprint import Blueprint
from api.contract.describe import ResponseSpec, describe
from api.resources.league.ladders import THERE, mine
from api.schemas.admin import AuditPageSchema, AuditQuery, LadderAuditQuery
from api.schemas.responses import dump
from api.services import services
from api.wire import answer
from league.accounts.tokens import Scope
from league.operators.audit import AuditFilter

blueprint = Blueprint("audit", __name__, description="What admins and organisers did.")

Body = dict[str, Any]


@blueprint.route("/v1/audit")
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


@blueprint.route("/v1/ladders/<ladder>/audit")
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

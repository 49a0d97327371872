"""The operator's page: the state of the service, what waits, interventions, and the audit log."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, Final

from flask import Response

from api.auth import actor
from api.services import services
from league.errors import BadValue
from league.ladders.model import LadderState
from league.operators.audit import AuditActor, AuditFilter
from referee.service.state import ServiceState
from web.fields import field, match_named, member, reason
from web.pages import Pages, show, to
from web.queries import cursor, following
from web.session import signed_in_admin

pages = Pages("site_admin", __name__)
Step = Callable[[AuditActor], str]

_MOST_ONLINE: Final = 200
_MOST_ERRORS: Final = 50
_LAST: Final = 10
"""How many entries of the audit log the page itself shows."""


@pages.page("/admin")
def show_admin() -> str:
    """Show the state of the service, and the forms of interventions."""
    template, context = _page()
    return show(template, **context, refusal=None)


@pages.page("/admin/log")
def show_log() -> str:
    """Show the audit log of the service."""
    signed_in_admin()
    at = cursor("admin audit")
    entries, then = services().audit.page(AuditFilter(), at.place, 100)
    return show("admin_log.html", entries=entries, next=following(at.then(then)))


def _page() -> tuple[str, dict[str, Any]]:
    signed_in_admin()
    return "admin.html", _state()


def _step(rule: str) -> Callable[[Step], Step]:
    """Register a step that an admin takes with a form. It goes on to the page that the step returns, or shows a refusal
    on the operator's page."""

    def decorate(step: Step) -> Step:
        @pages.form(rule, again=_page)
        @wraps(step)
        def act() -> Response:
            return to(step(actor(signed_in_admin())))

        return step

    return decorate


@_step("/admin/service")
def set_service(by: AuditActor) -> str:
    """Pause, drain or resume the service."""
    services().administration.set_service(by, member("state", ServiceState), field("reason"))
    return "/admin"


@_step("/admin/announcement")
def announce(by: AuditActor) -> str:
    """Change what every page tells everybody."""
    services().administration.announce(by, field("text"))
    return "/admin"


@_step("/admin/disabled")
def set_disabled(by: AuditActor) -> str:
    """Disable or enable a bot, or an owner with all of its bots."""
    name, disabled = field("name", 65), field("disabled", 1) == "1"
    owner, slash, bot = name.partition("/")
    why = reason() if disabled else field("reason")
    if not slash:
        services().administration.set_owner_disabled(by, owner, disabled=disabled, reason=why)
        return "/admin"
    services().administration.set_bot_disabled(by, owner, bot, disabled=disabled, reason=why)
    return f"/bots/{name}"


@_step("/admin/forget")
def forget_owner(by: AuditActor) -> str:
    """Forget an owner, whose name is typed twice."""
    name = field("name", 32)
    if field("again", 32) != name:
        raise BadValue("again", field("again", 32), "the same name once more, because this can't be undone")
    services().administration.forget(by, name, reason())
    return "/admin"


@_step("/admin/void")
def void_match(by: AuditActor) -> str:
    """Void a match."""
    return f"/matches/{services().administration.void(by, match_named(), reason()).id}"


@_step("/admin/rerun")
def rerun_match(by: AuditActor) -> str:
    """Play a void match of a ladder again."""
    again = services().administration.rerun(by, match_named(), reason())
    return f"/ladders/{again.ladder}/rounds/{again.round}"


@_step("/admin/ladder-state")
def set_ladder_state(by: AuditActor) -> str:
    """Change the state of any ladder."""
    ladder = services().organisers.change(by, _ladder(), state=field("state", 20), reason=reason())
    return f"/ladders/{ladder.id}"


@_step("/admin/withdraw")
def withdraw_bot(by: AuditActor) -> str:
    """Withdraw any bot from any ladder."""
    ladder, (owner, _, bot) = _ladder(), field("bot", 65).partition("/")
    services().organisers.withdraw(by, ladder, services().accounts.bot(owner, bot), reason())
    return f"/ladders/{ladder}/entries"


def _ladder() -> str:
    """Return the id of the ladder that a field names by its id or its address."""
    return field("ladder", 500).rstrip("/").rpartition("/")[2]


def _state() -> dict[str, Any]:
    online = services().accounts.bots_by_ids(services().presence.everybody(_MOST_ONLINE))
    entries, _ = services().audit.page(AuditFilter(), None, _LAST)
    return {
        "status": services().service.status(),
        "states": list(ServiceState),
        "ladder_states": list(LadderState),
        "unfinished": services().index.unfinished(),
        "readiness": services().readiness(),
        "online": [bot for bot in online if bot is not None],
        "waiting": [
            (services().accounts.owner(each.owner).name if each.is_of_ladders else each.owner, each)
            for each in services().jobs.waiting_by_owner()
        ],
        "entries": entries,
        "errors": services().errors.of_last_hour(_MOST_ERRORS),
    }

"""How a page is served: language, session, form protection, rate limits, errors and headers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from typing import Any, Final, TypeVar
from urllib.parse import urlencode

import structlog
from flask import Blueprint, Response, current_app, request
from werkzeug.exceptions import BadRequest, HTTPException

from api.problems import Problem, request_id
from api.services import services
from engine.game import BadTable
from league.errors import LeagueError
from league.friends.model import TableRefusal, TableRefused
from league.notifications.model import Account
from records.errors import RefereeError
from records.names import first_owner
from web import session
from web.errors import FriendsRefused, PageError, SignInNeeded
from web.explanations import for_player, in_language
from web.queries import changed
from web.services import ErrorPage
from web.session import viewer
from web.templating import render

log = structlog.get_logger("kozyr.web")

Handler = TypeVar("Handler", bound=Callable[..., Any])
Again = Callable[..., tuple[str, Mapping[str, Any]]]
"""Takes the variables of a form's address. Returns the template of the form's page and its context."""

POLICY: Final[Mapping[str, str]] = {
    "default-src": "'none'",
    "script-src": "'self'",
    "style-src": "'self'",
    "img-src": "'self' data:",
    "connect-src": "'self'",
    "form-action": "'self'",
    "base-uri": "'none'",
    "frame-ancestors": "'none'",
}
"""The Content-Security-Policy of a page: its own files only, no inline scripts and styles."""


_AGAIN_S: Final = 5
"""After how many seconds a page whose store is away asks for itself again."""
_ERROR: Final = "error.html"
"""The one page that reads nothing from the store."""


class Pages(Blueprint):
    """A blueprint whose handlers return the text of a page or a response."""

    def __init__(self, name: str, module: str, *, for_players: bool = False) -> None:
        """`for_players` pages refuse in the words of `web.explanations.for_player`."""
        super().__init__(name, module)
        self.for_players = for_players

    def page(
        self,
        rule: str,
        *,
        methods: Sequence[str] = ("GET",),
        policy: Mapping[str, str] | None = None,
        again: Again | None = None,
    ) -> Callable[[Handler], Handler]:
        """Register a handler. `policy` changes directives of `POLICY` for this page. `again` is as in `form`."""
        text = _policy_text({**POLICY, **(policy or {})})

        def decorate(handler: Handler) -> Handler:
            self.add_url_rule(
                rule,
                view_func=_served(handler, text, again),
                methods=methods,
                endpoint=f"{handler.__name__}_{methods[0].lower()}",
                provide_automatic_options=False,
            )
            return handler

        return decorate

    def form(self, rule: str, again: Again | None = None) -> Callable[[Handler], Handler]:
        """Register the handler of a form that this site's pages send.

        With `again`, a refusal is shown on the form's page. `again` checks by itself who may see that page.
        """
        return self.page(rule, methods=("POST",), again=again)


def show(template: str, /, **context: Any) -> str:
    """Return a rendered page for the viewer of the current request."""
    about = {
        "viewer": viewer(),
        "here": request.path,
        "parameters": request.args,
        "origin": request.url_root.rstrip("/"),
        "in_language": _in_language,
        "changed": changed,
        "spoilers_switch": changed(spoilers="no" if viewer().spoilers else "yes"),
        "service": services().service.seen,
        "unread": None if template == _ERROR else _unread(),
    }
    return render(template, viewer().language, request.script_root, **about, **context)


def _unread() -> int:
    """Return the number of news in the header."""
    token = viewer().token
    if token is None or viewer().owner is None:
        return 0
    return services().event_logs.unread(Account("news", first_owner(token.name)))


def _in_language(code: str) -> str | None:
    """Return the address of this page in another language; `None` for the answer to a form."""
    return changed(lang=code) if request.method != "POST" else None


def again(template: str, error: Exception, /, **context: Any) -> Response:
    """Return the page of a form once more, with the refusal of what was sent."""
    refusal = refusal_of(error)
    return Response(show(template, refusal=refusal, **context), refusal.status, mimetype="text/html")


def to(address: str) -> Response:
    """Return a redirection after a form. The application adds the path prefix."""
    return Response(status=303, headers={"Location": address})


def error_page(error: Exception) -> Response:
    """Return the page of a refusal or failure."""
    refusal = refusal_of(error)
    if refusal.status == 500:
        log.error("internal error", request_id=request_id(), exc_info=error)
    return refused(refusal)


def refused(refusal: ErrorPage) -> Response:
    """Return the page of a refusal."""
    # Only what is read may be asked for again without the reader.
    again_s = (
        max(refusal.retry_s or 0, _AGAIN_S) if refusal.status == 503 and request.method == "GET" else None
    )
    page = show(_ERROR, refusal=refusal, request_id=request_id(), again_s=again_s)
    response = Response(page, refusal.status, mimetype="text/html")
    if refusal.retry_s is not None:
        response.headers["Retry-After"] = str(refusal.retry_s)
    return response


def unrouted(error: HTTPException) -> Response:
    """Return the page of a request that matches no route."""
    try:
        session.open_viewer()
        session.count()
    except Exception as refusal:
        return _with_headers(error_page(refusal), _policy_text(POLICY))
    return _with_headers(error_page(error), _policy_text(POLICY))


def refusal_of(error: Exception) -> ErrorPage:
    """Return what a page says of a refusal or failure, to the viewer of the current request."""
    if isinstance(error, PageError):
        found = ErrorPage(error.status, error.code, error.title, str(error))
    elif isinstance(error, TableRefused):
        kind, details = FriendsRefused, {"reason": error.reason.name}
        status = 404 if error.reason is TableRefusal.GONE else kind.status
        found = ErrorPage(status, kind.code, kind.title, str(error), details=details)
    else:
        found = _of_problem(services().problem_of(error))
    asked = current_app.blueprints.get(request.blueprint or "")
    told = for_player if isinstance(asked, Pages) and asked.for_players else in_language
    return told(found, viewer().language)


def _of_problem(problem: Problem) -> ErrorPage:
    kind, retry = problem.kind, problem.headers.get("Retry-After")
    retry_s = None if retry is None else int(retry)
    return ErrorPage(kind.status, problem.code, kind.title, problem.detail, retry_s, problem.details)


def _policy_text(directives: Mapping[str, str]) -> str:
    return "; ".join(f"{name} {sources}" for name, sources in directives.items())


def _served(handler: Callable[..., Any], policy: str, form_page: Again | None) -> Callable[..., Response]:
    @wraps(handler)
    def served(**where: Any) -> Response:
        try:
            session.open_viewer()
            session.count()
            if request.method == "POST":
                session.check_form()
            made = _handled(handler, form_page, where)
            response = made if isinstance(made, Response) else Response(made, mimetype="text/html")
        except SignInNeeded:
            response = to("/sign-in?" + urlencode({"next": _goes_on()}, safe="/"))
        except Exception as error:
            response = error_page(error)
        return _with_headers(response, policy)

    return served


def _handled(handler: Callable[..., Any], form_page: Again | None, where: dict[str, Any]) -> Any:
    try:
        return handler(**where)
    except (LeagueError, RefereeError, BadTable, TableRefused, BadRequest) as refusal:
        if form_page is None:
            raise
        template, context = form_page(**where)
        return again(template, refusal, **context)


def _goes_on() -> str:
    """Return the page that follows signing in: the requested one, or the one that sent the form."""
    if request.method != "POST":
        return request.full_path.removesuffix("?")
    host, _, path = request.headers.get("Referer", "").partition("://")[2].partition("/")
    sender = f"/{path}"
    if host != request.host or not sender.startswith(f"{request.script_root}/"):
        return "/me"
    return sender.removeprefix(request.script_root)


def _with_headers(response: Response, policy: str) -> Response:
    headers = response.headers
    session.set_cookies(response)
    headers["Content-Security-Policy"] = policy
    headers["X-Content-Type-Options"] = "nosniff"
    headers["Referrer-Policy"] = "same-origin"
    headers["Cross-Origin-Opener-Policy"] = "same-origin"
    headers["Cross-Origin-Resource-Policy"] = "same-origin"
    response.vary.update(("Accept-Language", "Cookie"))
    headers.setdefault("Cache-Control", "private, no-cache" if viewer().token is None else "no-store")
    if services().behind_tls:
        headers["Strict-Transport-Security"] = "max-age=31536000"
    return response

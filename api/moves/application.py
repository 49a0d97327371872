"""The WSGI application of a bot's loop: get turns, send moves, send a move. It stands before Flask.

A tournament consists of these three requests, and Flask and werkzeug would take a third of their time. A request is a
WSGI environment and its response an `HttpReply`. The methods yield a `Pause` where they wait (`api.http.replies`). A
request with moves, however many, makes one round trip to the store where the process remembers its token and its
matches. Otherwise it makes two, and three if what the process remembers is outdated (`api.moves.pipeline`).
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from werkzeug.http import HTTP_STATUS_CODES

from api import auth, waits
from api.contract.describe import RouteSpec, spec_of
from api.http.cross_origin import of_origin
from api.http.replies import PAUSES, waited_out
from api.limits.rates import RateScope
from api.moves.bodies import InvalidBody, read_batch, read_move
from api.moves.faults import faults_for
from api.moves.pipeline import FirstRoundTrip, MovePipeline, Sender
from api.moves.worded import PAST, add_past, reply_in_words, wants_past, wants_text
from api.problems import Problem
from api.request_end import RouteName, begin, reply_to
from api.resources import turns
from api.schemas.turns import MOST_IN_QUERY
from api.wire import body_and_arrival, check_content_type, known_query, parse, query_of, reply
from league.accounts.tokens import Scope
from referee.after_commit import AfterCommitStep
from referee.errors import BadCursor

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment

    from api.http.headers import Headers
    from api.http.replies import HttpReply
    from api.limits.rates import Rates
    from api.metrics import Metrics
    from api.request_end import RequestEnd
    from api.services import Services
    from referee.polling.waiter import Pause

    ReplySteps = Generator[Pause, None, HttpReply]

_PLAY: Final = Scope.PLAY
_MOVE_PATH: Final = ("/v1/matches/", "/moves")
_STATUS: Final = {status: f"{status} {name.upper()}" for status, name in HTTP_STATUS_CODES.items()}


class _Route(NamedTuple):
    name: RouteName
    spec: RouteSpec
    answer: Callable[..., ReplySteps]


class BotLoop:
    """Answers the requests of a bot's loop, and passes all others on. One instance serves the application."""

    def __init__(
        self,
        services: Services,
        metrics: Metrics,
        rates: Rates,
        request_end: RequestEnd,
        headers: Headers,
        others: WSGIApplication,
    ) -> None:
        """`headers` are those of every response with data. `others` answers what is no request of the loop."""
        self._services, self.metrics, self.rates = services, metrics, rates
        self.request_end, self._headers, self._others = request_end, headers, others
        self._hosts, self._origins = services.hosts, services.cors_origins
        self.pipeline = MovePipeline(services, metrics, rates)
        path, listing = "/v1/turns", spec_of(turns.list_turns)
        get, head = (
            _Route(RouteName("turns.list_turns", path, method), listing, self.list_turns)
            for method in ("GET", "HEAD")
        )
        many = RouteName("turns.make_moves", path, "POST")
        self._turns: Mapping[str, _Route] = {
            "GET": get,
            "HEAD": head,
            "POST": _Route(many, spec_of(turns.make_moves), self.make_moves),
        }
        one = RouteName("turns.make_move", "<match>".join(_MOVE_PATH), "POST")
        self._move = _Route(one, spec_of(turns.make_move), self.make_move)

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[Any]:
        """Answer a request. The response has pauses for a server that announces `PAUSES`."""
        begin(environ)
        route = self._route(environ["REQUEST_METHOD"], environ["PATH_INFO"])
        if route is None:
            return self._others(environ, start_response)
        steps = self._answer(route, environ, start_response)
        return steps if PAUSES in environ else waited_out(steps)

    def takes(self, method: str, path: str) -> bool:
        """Return whether this is a request of the loop. Its response then has a `Content-Length`."""
        return self._route(method, path) is not None

    def _route(self, method: str, path: str) -> _Route | None:
        if path == "/v1/turns":
            return self._turns.get(method)
        if method != "POST" or not path.endswith(_MOVE_PATH[1]):
            return None
        match = path[len(_MOVE_PATH[0]) : -len(_MOVE_PATH[1])]
        if not match or "/" in match or not path.startswith(_MOVE_PATH[0]):
            return None
        if not match.isascii():
            match = match.encode("latin-1").decode("utf-8", "replace")  # WSGI passes bytes as Latin-1
        return self._move._replace(answer=partial(self.make_move, match=match))

    def _answer(
        self, route: _Route, environ: WSGIEnvironment, start_response: StartResponse
    ) -> Iterator[Pause | bytes]:
        try:
            self._hosts.check(environ)
            auth.guard(environ, route.spec, self.rates)
            found = yield from route.answer(environ)
        except Exception as error:
            found = reply_to(error, self._services, environ["kozyr.request_id"])
        self.request_end.note_watched(environ, found.status, found.body)
        size = len(found.body)
        more = self.request_end.end(
            environ, route.name, found.status, size=size if found.cut_at is None else None
        )
        if self._origins:
            more += of_origin(environ.get("HTTP_ORIGIN"), self._origins)
        start_response(
            _STATUS[found.status],
            [
                ("Content-Type", found.content_type),
                ("Content-Length", str(size)),
                *found.headers.items(),
                *self._headers,
                *more,
            ],
        )
        if environ["REQUEST_METHOD"] != "HEAD":
            yield from found.chunks()

    def list_turns(self, environ: WSGIEnvironment) -> ReplySteps:
        """Answer `GET /v1/turns`."""
        services = self._services
        pipeline = services.pipeline()
        pending = auth.ask(services.accounts, pipeline, environ)
        pipeline.go()
        token = auth.checked(pending.answer, _PLAY, environ, self.rates)
        self.rates.check_token(environ, token, RateScope.POLLS)
        bot = auth.bot_of(token)
        wait = self._wait_of(environ, "since")
        since = query_of(environ).get("since")
        if since is not None and not 0 < len(since) <= MOST_IN_QUERY:
            errors = {"since": [f"Must have 1 to {MOST_IN_QUERY} characters."]}
            raise Problem("invalid_query", "`since` is empty or too long for a URL", errors=errors)
        services.after_commit.run(AfterCommitStep.PRESENCE, lambda: services.presence.seen(bot, wait), None)
        polled = yield from services.turns.poll(bot, wait, since)
        faults = faults_for(token, services.checks.store)
        write = partial(self._written, environ)
        return write(polled) if faults is None else faults.answer(polled, write)

    def make_moves(self, environ: WSGIEnvironment) -> ReplySteps:
        """Answer `POST /v1/turns`."""
        limits = self._services.limits
        raw, arrived = body_and_arrival(environ, limits.max_body_bytes)
        first, abandoned = FirstRoundTrip(self._services, environ), waits.is_abandoned(environ)
        try:
            check_content_type(environ)
            known_query(environ, PAST)
            wants_past(environ)
            batch = read_batch(parse(raw), limits)
        except Problem as malformed:
            self._count_malformed(environ, first, malformed)
            raise
        if not batch.moves and abandoned:
            self.metrics.abandoned()
            raise Problem("bad_request", "the client closed the connection before the response")
        if not self._may_poll(first, batch.since):
            first.rely_on_nothing()
        for move in batch.moves:
            first.begin(move, arrived)
        sender = self._sender(environ, first)
        if abandoned:
            batch = batch._replace(wait=0.0)
        results = yield from self.pipeline.make_batch(sender, batch, first.begun)
        return self._respond(sender, results)

    def make_move(self, environ: WSGIEnvironment, match: str) -> ReplySteps:
        """Answer `POST /v1/matches/{match}/moves`."""
        raw, arrived = body_and_arrival(environ, self._services.limits.max_body_bytes)
        first = FirstRoundTrip(self._services, environ)
        try:
            check_content_type(environ)
            move = read_move(parse(raw), match)
            wait = self._wait_of(environ)
        except Problem as malformed:
            self._count_malformed(environ, first, malformed)
            raise
        first.begin(move, arrived)
        sender = self._sender(environ, first)
        result = yield from self.pipeline.make_one(sender, first.begun[0], wait)
        return self._respond(sender, result)

    def _wait_of(self, environ: WSGIEnvironment, *others: str) -> float:
        if not environ.get("QUERY_STRING"):
            return 0.0
        wait = waits.of_query(environ, self._services.limits.max_wait_s, PAST, *others)
        wants_past(environ)
        return 0.0 if waits.is_abandoned(environ) else wait

    def _may_poll(self, first: FirstRoundTrip, since: str | None) -> bool:
        """Return whether the cursor is one of the remembered bot's. A request with another one makes no move."""
        if first.bot is not None and since is not None:
            try:
                self._services.turns.check(first.bot.id, since)
            except BadCursor:
                return False
        return True

    def _sender(self, environ: WSGIEnvironment, first: FirstRoundTrip) -> Sender:
        """Make the first round trip. Return the bot that sends the request. Raise `Problem` unless its token can
        play."""
        token = auth.checked(first.go(), _PLAY, environ, self.rates)
        environ["kozyr.whom"] = token.subject  # a new move counts against no rate, which would note it
        return Sender(auth.bot_of(token), environ, faults_for(token, self._services.checks.store))

    def _count_malformed(self, environ: WSGIEnvironment, first: FirstRoundTrip, malformed: Problem) -> None:
        """Count a malformed request, and add the match of an invalid move to its problem. Raise `Problem` for an
        invalid token, which takes precedence."""
        token = auth.checked(first.go(), _PLAY, environ, self.rates)
        self.rates.check_token(environ, token, RateScope.REQUESTS)
        bot = auth.bot_of(token)
        match = malformed.match if isinstance(malformed, InvalidBody) else None
        if match is not None:
            self.pipeline.show_match(malformed, match, bot)
        is_seated = "view" in malformed.details
        self._services.statistics.note(bot, [(malformed.code, match if is_seated else None)])

    def _written(self, environ: WSGIEnvironment, body: dict[str, Any]) -> HttpReply:
        if wants_text(environ):
            return reply_in_words(self._services, environ, body)
        return reply(add_past(self._services, body) if wants_past(environ) else body)

    def _respond(self, sender: Sender, body: dict[str, Any]) -> HttpReply:
        """Return the response to moves, or the fault that a check injects. Raise `Problem` for an injected refusal."""
        faults, write = sender.faults, partial(self._written, sender.environ)
        if faults is None:
            return write(body)
        after_commit = self._services.after_commit
        answered = after_commit.run(
            AfterCommitStep.CHECK, lambda: faults.answer(body, write), None, passing=(Problem,)
        )
        return write(body) if answered is None else answered

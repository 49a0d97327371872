"""The three requests of a bot's loop: get turns, send moves, send a move.

A request is a WSGI environment and its response a `HttpReply`: `api.front` calls these methods ahead of Flask, and the
handlers in `api.resources.turns` call them inside Flask. They yield a `Pause` where they wait (`api.http.pauses`). A
request with moves, however many, makes one round trip to the store where the process remembers its token and its
matches. Otherwise it makes two, and three if what the process remembers is outdated (`api.moves.first_round_trip`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from api import auth, waits
from api.limits.rates import RateScope
from api.moves.bodies import InvalidBody, read_batch, read_move
from api.moves.faults import faults_for
from api.moves.first_round_trip import FirstRoundTrip
from api.moves.pipeline import MovePipeline, Sender
from api.problems import Problem
from api.schemas.turns import MOST_IN_QUERY
from api.wire import body_and_arrival, check_content_type, parse, query_of, reply
from league.accounts.tokens import Scope
from referee.after_commit import Hook
from referee.errors import BadCursor

if TYPE_CHECKING:
    from collections.abc import Generator

    from _typeshed.wsgi import WSGIEnvironment

    from api.http.replies import HttpReply
    from api.limits.rates import Rates
    from api.metrics import Metrics
    from api.services import Services
    from referee.polling.waiter import Pause

    ReplySteps = Generator[Pause, None, HttpReply]

_PLAY: Final = Scope.PLAY


class BotLoop:
    """Answers the requests of a bot's loop. One instance serves the application. Every method raises `Problem`, and
    the errors of the referee and the store."""

    def __init__(self, services: Services, metrics: Metrics, rates: Rates) -> None:
        self._services, self.metrics, self.rates = services, metrics, rates
        self.pipeline = MovePipeline(services, metrics, rates)

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
        services.after.run(Hook.PRESENCE, lambda: services.presence.seen(bot, wait), None)
        polled = yield from services.turns.poll(bot, wait, since)
        return faults_for(token, services.checks.store).answer(polled)

    def make_moves(self, environ: WSGIEnvironment) -> ReplySteps:
        """Answer `POST /v1/turns`."""
        limits = self._services.limits
        raw, arrived = body_and_arrival(environ, limits.max_body_bytes)
        first, abandoned = FirstRoundTrip(self._services, environ), waits.is_abandoned(environ)
        try:
            check_content_type(environ)
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
        results = yield from self.pipeline.make_batch(sender, batch, first.begun, arrived=arrived)
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
        (begun,) = first.begun
        result = yield from self.pipeline.make_one(sender, move, begun, arrived=arrived, wait=wait)
        return self._respond(sender, result)

    def _wait_of(self, environ: WSGIEnvironment, *others: str) -> float:
        wait = waits.of_query(environ, self._services.limits.max_wait_s, *others)
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
        self._services.statistics.note(bot, [malformed.code])
        if isinstance(malformed, InvalidBody) and malformed.match is not None:
            self.pipeline.show_match(malformed, malformed.match, bot)

    def _respond(self, sender: Sender, body: dict[str, Any]) -> HttpReply:
        """Return the response to moves, or the fault that a check injects. Raise `Problem` for an injected refusal."""
        after = self._services.after
        answered = after.run(Hook.CHECK, lambda: sender.faults.answer(body), None, passing=(Problem,))
        return reply(body) if answered is None else answered

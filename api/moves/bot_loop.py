"""The three requests of a bot's loop: get turns, send moves, send a move.

A request is a WSGI environment and its response a `Reply`: `api.front` calls these methods ahead of Flask, and the
handlers in `api.resources.turns` call them inside Flask. A request with moves makes two round trips to the store,
however many moves it has. The first reads the token and the matches, the second commits.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from api import auth, waits
from api.limits.rates import RateScope
from api.moves.bodies import read_batch, read_move
from api.moves.faults import faults_for
from api.moves.pipeline import MovePipeline, Sender
from api.problems import Problem
from api.schemas.turns import MOST_IN_QUERY
from api.wire import body_and_arrival, check_content_type, parse, query_of, reply
from league.accounts.tokens import Scope, Token
from referee.after_commit import Hook
from referee.ids import is_match_id

if TYPE_CHECKING:
    from _typeshed.wsgi import WSGIEnvironment

    from api.limits.rates import Rates
    from api.metrics import Metrics
    from api.replies import Reply
    from api.services import Services
    from referee.match.snapshot import Snapshot
    from referee.storage.store import PendingReply, ReadPipeline

_PLAY: Final = Scope.PLAY


class BotLoop:
    """Answers the requests of a bot's loop. One instance serves the application. Every method raises `Problem`, and
    the errors of the referee and the store."""

    def __init__(self, services: Services, metrics: Metrics, rates: Rates) -> None:
        self._services, self.metrics, self.rates = services, metrics, rates
        self.pipeline = MovePipeline(services, metrics, rates)

    def list_turns(self, environ: WSGIEnvironment) -> Reply:
        """Answer `GET /v1/turns`."""
        services = self._services
        trip = services.trip()
        pending = auth.ask(services.accounts, trip, environ)
        trip.go()
        token = auth.checked(pending.answer, _PLAY, environ, self.rates)
        self.rates.check_token(environ, token, RateScope.POLLS)
        bot = auth.bot_of(token)
        wait = self._wait_of(environ, "since")
        since = query_of(environ).get("since")
        if since is not None and not 0 < len(since) <= MOST_IN_QUERY:
            errors = {"since": [f"Must have 1 to {MOST_IN_QUERY} characters."]}
            raise Problem("invalid_query", "`since` is empty or too long for a URL", errors=errors)
        services.presence.seen(bot, wait)
        return faults_for(token, services.checks.store).answer(services.turns.poll(bot, wait, since))

    def make_moves(self, environ: WSGIEnvironment) -> Reply:
        """Answer `POST /v1/turns`."""
        services, reads = self._services, self._services.trip()
        raw, arrived = body_and_arrival(environ, services.limits.max_body_bytes)
        token = auth.ask(services.accounts, reads, environ)
        abandoned = waits.is_abandoned(environ)
        try:
            check_content_type(environ)
            batch = read_batch(parse(raw), services.limits)
        except Problem as malformed:
            self._count_malformed(environ, reads, token, malformed)
            raise
        if not batch.moves and abandoned:
            self.metrics.abandoned()
            raise Problem("bad_request", "the client closed the connection before the response")
        pending = [self._ask(reads, move.match) for move in batch.moves]
        reads.go()
        sender = self._sender(environ, token)
        snapshots = [None if each is None else each.answer for each in pending]
        if abandoned:
            batch = batch._replace(wait=0.0)
        return self._respond(sender, self.pipeline.make_batch(sender, batch, snapshots, arrived=arrived))

    def make_move(self, environ: WSGIEnvironment, match: str) -> Reply:
        """Answer `POST /v1/matches/{match}/moves`."""
        services, reads = self._services, self._services.trip()
        raw, arrived = body_and_arrival(environ, services.limits.max_body_bytes)
        token = auth.ask(services.accounts, reads, environ)
        try:
            check_content_type(environ)
            move = read_move(parse(raw), match)
            wait = self._wait_of(environ)
        except Problem as malformed:
            self._count_malformed(environ, reads, token, malformed)
            raise
        pending = self._ask(reads, match)
        reads.go()
        sender = self._sender(environ, token)
        snapshot = None if pending is None else pending.answer
        return self._respond(
            sender, self.pipeline.make_one(sender, move, snapshot, arrived=arrived, wait=wait)
        )

    def _wait_of(self, environ: WSGIEnvironment, *others: str) -> float:
        wait = waits.of_query(environ, self._services.limits.max_wait_s, *others)
        return 0.0 if waits.is_abandoned(environ) else wait

    def _ask(self, reads: ReadPipeline, match: str) -> PendingReply[Snapshot | None] | None:
        return self._services.store.ask(reads, match) if is_match_id(match) else None

    def _sender(self, environ: WSGIEnvironment, pending: PendingReply[Token | None]) -> Sender:
        """Return the bot that sends the request. Raise `Problem` unless its token can play."""
        token = auth.checked(pending.answer, _PLAY, environ, self.rates)
        return Sender(auth.bot_of(token), environ, faults_for(token, self._services.checks.store))

    def _count_malformed(
        self,
        environ: WSGIEnvironment,
        reads: ReadPipeline,
        pending: PendingReply[Token | None],
        malformed: Problem,
    ) -> None:
        """Count a malformed request. Raise `Problem` for an invalid token, which takes precedence."""
        reads.go()
        token = auth.checked(pending.answer, _PLAY, environ, self.rates)
        self.rates.check_token(environ, token, RateScope.REQUESTS)
        self._services.statistics.note(auth.bot_of(token), [malformed.code])

    def _respond(self, sender: Sender, body: dict[str, Any]) -> Reply:
        """Return the response to moves, or the fault that a check injects. Raise `Problem` for an injected refusal."""
        after = self._services.after
        answered = after.run(Hook.CHECK, lambda: sender.faults.answer(body), None, passing=(Problem,))
        return reply(body) if answered is None else answered

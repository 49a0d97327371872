"""The move pipeline: make the moves of a request and run every side effect of a move.

Both move routes share it. One request goes through these steps:

1. **Begin** the moves in the first round trip (`FirstRoundTrip`), and **make** those that it has not made
   (`referee.running.moves.Moves`). It has made none of a request that a conformance check or a cursor may refuse.
2. **Record** the results: metrics, bot statistics, the conformance check, presence.
3. **Count** a request that made no new move as a poll, and each refused move against `refused_moves`.
4. **Respond** with the results, problems that show the match, and the bot's next turns.

A failure after a commit costs no committed move its response (`referee.after_commit`). The pipeline does not use Flask:
everything is passed in.
"""

from __future__ import annotations

import time
from collections.abc import Generator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from api import auth
from api.limits.rates import RateScope
from api.moves.bodies import MoveBatch
from api.moves.faults import Faults
from api.problems import KINDS, Problem, problem_of
from league.accounts.remembered import FRESH_S
from league.accounts.tokens import Scope
from league.fitness.facts import ToldMove
from league.fitness.model import REPLAYED_MOVES
from records.errors import RefereeError
from records.match import views
from records.match.loaded_match import MoveResult
from records.match.move_requests import MoveRequest
from referee.after_commit import AfterCommitStep
from referee.errors import Busy
from referee.running.moves import KnownBot
from referee.service.state import Space

if TYPE_CHECKING:
    from _typeshed.wsgi import WSGIEnvironment

    from api.limits.rates import Rates
    from api.metrics import Metrics
    from api.services import Services
    from league.accounts.remembered import RememberedToken
    from league.accounts.tokens import Token
    from referee.polling.waiter import Pause
    from referee.running.moves import BegunMove
    from referee.storage.store import PendingReply

Json = dict[str, Any]
Results = Sequence[MoveResult | RefereeError]

_MOVES: Final = ("legal_moves", "factored_moves", "free_moves")
_REPLAYS_PER_POLL: Final = 16
"""Every 16 replayed or refused moves count as another poll."""


_OF_SEAT: Final = frozenset(
    {"stale_turn", "not_your_turn", "not_a_move", "illegal_move", "free_move_with_turn"}
)
"""Refusals that only a bot with a seat in the match can get. They also count for the match."""


class Sender(NamedTuple):
    """The bot that sends moves, and the request that it sends them in."""

    bot: str
    environ: dict[str, Any]
    """The WSGI environment, which collects the rates for the response's headers."""
    faults: Faults | None
    """Those of a conformance check."""


class FirstRoundTrip:
    """The first round trip of a request with moves: it verifies the token and begins the moves.

    A token that this process has looked up before is relied on: where the referee remembers the matches too, this round
    trip makes the moves, and each commit verifies the token. Otherwise it verifies the token or looks it up, and reads
    the matches. No move is made unless its commit, or a round trip of its request, has verified the token.
    """

    def __init__(self, services: Services, environ: WSGIEnvironment) -> None:
        """Raise `Problem` for a request without a token."""
        text = auth.bearer(environ)
        if text is None:
            raise auth.token_missing()
        self._services, self._text = services, text
        self._pipeline = services.pipeline()
        self._known = services.accounts.remembered_token(text)
        self.bot = None if self._known is None else _known_bot(self._known)
        """The bot of a remembered token, whose moves may be made in this round trip."""
        self.begun: list[BegunMove] = []
        """The moves begun so far. Their results are available after `go`."""

    def rely_on_nothing(self) -> None:
        """Make no move in this round trip."""
        self.bot = None

    def begin(self, move: MoveRequest, arrived: float) -> None:
        """Begin a move that arrived at this instant."""
        self.begun.append(self._services.referee.moves.begin(move, arrived, self._pipeline, self.bot))

    def go(self) -> Token | None:
        """Make the round trip. Return the token: the remembered one if it has made a move, `None` for an invalid one.

        The moves verify the token. If one of them was not made, a second round trip verifies it. If that fails although
        other moves are made, refuse the rest.
        """
        known = self._known
        asked = None if known is not None and self._moves_verify(known) else self._ask_token()
        self._pipeline.go(partly=True)
        others = [begun for begun in self.begun if not begun.is_made]
        if known is None or len(others) == len(self.begun):
            return self._verified(asked)
        if asked is None and not others:
            return known.token
        # The response to a move that is made must not get lost.
        read = partial(self._verified, asked)
        if self._services.after_commit.run(AfterCommitStep.OTHER_MOVES, read, None, committed=True) is None:
            for begun in others:
                begun.result = Busy("the token could not be verified for this move; send it again")
        return known.token

    def _moves_verify(self, known: RememberedToken) -> bool:
        """Return whether the commits of the moves verify the token."""
        fresh = time.monotonic() - known.asked_at < FRESH_S
        return fresh and bool(self.begun) and all(begun.draft is not None for begun in self.begun)

    def _ask_token(self) -> PendingReply[Token | None]:
        """Let the next round trip verify the token or look it up."""
        look_up = any(begun.needs_look_up for begun in self.begun)
        return self._services.accounts.ask_token(self._pipeline, self._text, look_up=look_up)

    def _verified(self, asked: PendingReply[Token | None] | None) -> Token | None:
        """Return the token. Make another round trip if the first did not ask for it."""
        if asked is None:
            self._pipeline = self._services.pipeline()
            asked = self._ask_token()
            self._pipeline.go()
        return asked.answer


def _known_bot(known: RememberedToken) -> KnownBot | None:
    """Return the bot of a token that permits moves, outside a conformance check, which may refuse them first."""
    token = known.token
    if token.bot is None or token.check is not None or Scope.PLAY not in token.scopes:
        return None
    return KnownBot(token.bot, known.asked_at)


class MovePipeline:
    """Makes moves and runs their side effects. One instance serves the application."""

    def __init__(self, services: Services, metrics: Metrics, rates: Rates) -> None:
        self.services, self.metrics, self.rates = services, metrics, rates

    def make_one(self, sender: Sender, move: BegunMove, wait: float) -> Generator[Pause, None, Json]:
        """Return the result of one move and the bot's next turn of the match. Raise `Problem` for a refused move.
        `wait` is in seconds."""
        (result,) = results = self._make(sender, [move])
        self._record(sender, [move.request], results, wait)
        if not isinstance(result, MoveResult):
            raise self._refusals(sender, [move.request], results)[0]
        if result.replayed:
            self.rates.check(sender.environ, RateScope.POLLS, sender.bot)
        turns = self.services.turns
        following = yield from self.services.after_commit.run_steps(
            AfterCommitStep.NEXT, lambda: turns.after_move(sender.bot, result, wait), turns.no_next()
        )
        return {**views.moved_view(result), **following}

    def make_batch(
        self, sender: Sender, batch: MoveBatch, begun: Sequence[BegunMove]
    ) -> Generator[Pause, None, Json]:
        """Return the result or the problem of each move, then the bot's turns. Raise `Problem` if nothing was made."""
        moves, bot, turns = batch.moves, sender.bot, self.services.turns
        # A request that this refuses has made no move: `BotLoop` has seen to that.
        turns.check(bot, batch.since)
        results = self._make(sender, begun)
        self._record(sender, moves, results, batch.wait, leaving=batch.leaving)
        if not any(isinstance(result, MoveResult) and not result.replayed for result in results):
            cost = 1 + len(results) // _REPLAYS_PER_POLL
            self.rates.check(sender.environ, RateScope.POLLS, bot, cost)
        refusals = self._refusals(sender, moves, results)
        outcomes = [
            views.moved_view(result)
            if isinstance(result, MoveResult)
            else {
                "match": move.match,
                "turn": move.turn,
                "move": move.move,
                "problem": refusals[place].to_json(sender.environ["kozyr.request_id"]),
            }
            for place, (move, result) in enumerate(zip(moves, results, strict=True))
        ]
        polled = yield from self.services.after_commit.run_steps(
            AfterCommitStep.POLL,
            lambda: turns.poll(bot, batch.wait, batch.since, results, leaving=batch.leaving),
            turns.nothing_yet(bot, batch.since),
            committed=_is_committed(results),
        )
        return {"results": outcomes, **polled}

    def _make(self, sender: Sender, moves: Sequence[BegunMove]) -> Results:
        if sender.faults is not None:
            sender.faults.before([move.request for move in moves])
        return self.services.referee.moves.make(sender.bot, moves) if moves else []

    def _record(
        self,
        sender: Sender,
        moves: Sequence[MoveRequest],
        results: Results,
        wait: float,
        *,
        leaving: bool = False,
    ) -> None:
        """Record the results, and that the bot is online, or leaves. A failure is raised only if no move was made."""
        services, run, made = self.services, self.services.after_commit.run, _is_committed(results)
        codes = [
            (code, move.match if code in _OF_SEAT else None)
            for move, result in zip(moves, results, strict=True)
            if (code := _statistics_code(result)) is not None
        ]
        run(AfterCommitStep.METRICS, lambda: self.metrics.moved(results), None, committed=made)
        if codes:
            run(
                AfterCommitStep.STATISTICS,
                lambda: services.statistics.note(sender.bot, codes),
                None,
                committed=made,
            )
        told = [
            (move.match, ToldMove(move.turn, move.deal, move.move, move.facts))
            for move, result in zip(moves, results, strict=True)
            if move.facts is not None and isinstance(result, MoveResult)
        ]
        if told and services.service.seen.space is Space.AMPLE:
            run(AfterCommitStep.FACTS, lambda: services.facts.add(sender.bot, told), None, committed=made)
        if (faults := sender.faults) is not None:
            run(AfterCommitStep.CHECK, lambda: faults.moved(moves, results), None, committed=made)
        note = services.presence.leave if leaving else services.presence.seen
        run(AfterCommitStep.PRESENCE, lambda: note(sender.bot, wait), None, committed=made)

    def _refusals(
        self, sender: Sender, moves: Sequence[MoveRequest], results: Results
    ) -> Mapping[int, Problem]:
        """Return the problem of each refused move by its place in the request, and count it against the rate.

        A problem shows the match as the bot sees it now. Over the rate, all refused moves get `rate_limited` instead.
        """
        problems = {
            place: problem_of(result, ())
            for place, result in enumerate(results)
            if not isinstance(result, MoveResult)
        }
        refused = [place for place, problem in problems.items() if 400 <= problem.kind.status < 500]
        if not refused:
            return problems
        after_commit, made = self.services.after_commit, _is_committed(results)
        over_limit = after_commit.run(
            AfterCommitStep.RATES,
            lambda: self.rates.over_limit(sender.environ, RateScope.REFUSED_MOVES, sender.bot, len(refused)),
            None,
            committed=made,
        )
        if over_limit is not None:
            return {**problems, **dict.fromkeys(refused, over_limit)}
        shown = [place for place, problem in problems.items() if problem.kind.status in (409, 422)]
        after_commit.run(
            AfterCommitStep.VIEW,
            lambda: self._add_views(
                [problems[place] for place in shown], [moves[place].match for place in shown], sender.bot
            ),
            None,
            committed=made,
        )
        return problems

    def show_match(self, problem: Problem, match: str, bot: str) -> None:
        """Add to the problem of an invalid body the match, if the bot plays in it, and its moves if it is to move."""
        self._add_views([problem], [match], bot)
        view = problem.details.get("view")
        if view is not None and view["to_move"] == view["seat"]:
            seen = view["observation"]
            problem.details |= {name: seen[name] for name in _MOVES if name in seen}

    def _add_views(self, problems: Sequence[Problem], matches: Sequence[str], bot: str) -> None:
        """Add to each problem its match, as the bot sees it now."""
        referee = self.services.referee
        loaded = referee.look_at(matches) if matches else []
        for problem, loaded_match in zip(problems, loaded, strict=True):
            seat = None if loaded_match is None else loaded_match.config.seat_of(bot)
            if loaded_match is not None and seat is not None:
                masked = referee.is_masked(loaded_match)
                problem.details["view"] = views.match_view(loaded_match, seat, masked=masked)


def _is_committed(results: Results) -> bool:
    """Return whether a move was made, now or earlier. Its response must not get lost."""
    return any(isinstance(result, MoveResult) for result in results)


def _statistics_code(result: MoveResult | RefereeError) -> str | None:
    """Return what the bot's owner sees of a result: a replay, or a refusal that is the bot's own fault."""
    if isinstance(result, MoveResult):
        return REPLAYED_MOVES if result.replayed else None
    return None if KINDS[result.code].status >= 500 else result.code

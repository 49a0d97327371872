"""The move pipeline: make the moves of a request and run every side effect of a move.

Both move routes share it. One request goes through these steps:

1. **Make** the moves that the first round trip has not made (`Referee.moves`). It has made none of a request that a
   conformance check or a cursor may refuse (`FirstRoundTrip`, `BotLoop`).
2. **Record** the results: metrics, bot statistics, the conformance check, presence.
3. **Count** a request that made no new move as a poll, and each refused move against `refused_moves`.
4. **Respond** with the results, problems that show the match, and the bot's next turns.

A failure after a commit costs no committed move its response (`referee.after_commit`). The pipeline does not use Flask:
everything is passed in.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from api.limits.rates import RateScope
from api.moves.bodies import MoveBatch
from api.moves.faults import Faults
from api.problems import KINDS, Problem, problem_of
from league.fitness.model import REPLAYED_MOVES
from referee.after_commit import Hook
from referee.errors import RefereeError
from referee.match import views
from referee.match.loaded_match import MoveResult
from referee.match.move_requests import MoveRequest

if TYPE_CHECKING:
    from api.limits.rates import Rates
    from api.metrics import Metrics
    from api.services import Services
    from referee.polling.waiter import Pause
    from referee.running.moves import BegunMove

Json = dict[str, Any]
Results = Sequence[MoveResult | RefereeError]

_REPLAYS_PER_POLL: Final = 16
"""Every 16 replayed or refused moves count as another poll."""


class Sender(NamedTuple):
    """The bot that sends moves, and the request that it sends them in."""

    bot: str
    environ: dict[str, Any]
    """The WSGI environment, which collects the rates for the response's headers."""
    faults: Faults


class MovePipeline:
    """Makes moves and runs their side effects. One instance serves the application."""

    def __init__(self, services: Services, metrics: Metrics, rates: Rates) -> None:
        self.services, self.metrics, self.rates = services, metrics, rates

    def make_one(
        self, sender: Sender, move: MoveRequest, begun: BegunMove, *, arrived: float, wait: float
    ) -> Generator[Pause, None, Json]:
        """Return the result of one move and the bot's next turn of the match. Raise `Problem` for a refused move.

        `arrived` is the `time.monotonic()` at which the request was read, `wait` is in seconds.
        """
        (result,) = results = self._make(sender, [move], [begun], arrived)
        self._record(sender, [move], results, wait)
        if not isinstance(result, MoveResult):
            raise self._refusals(sender, [move], results)[0]
        if result.replayed:
            self.rates.check(sender.environ, RateScope.POLLS, sender.bot)
        turns = self.services.turns
        following = yield from self.services.after.run_steps(
            Hook.NEXT, lambda: turns.after_move(sender.bot, result, wait), turns.no_next()
        )
        return {**views.moved_view(result), **following}

    def make_batch(
        self, sender: Sender, batch: MoveBatch, begun: Sequence[BegunMove], *, arrived: float
    ) -> Generator[Pause, None, Json]:
        """Return the result or the problem of each move, then the bot's turns. Raise `Problem` if nothing was made."""
        moves, bot, turns = batch.moves, sender.bot, self.services.turns
        # A request that this refuses has made no move: `BotLoop` has seen to that.
        turns.check(bot, batch.since)
        results = self._make(sender, moves, begun, arrived)
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
        polled = yield from self.services.after.run_steps(
            Hook.POLL,
            lambda: turns.poll(bot, batch.wait, batch.since, results, leaving=batch.leaving),
            turns.nothing_yet(bot, batch.since),
            committed=_is_committed(results),
        )
        return {"results": outcomes, **polled}

    def _make(
        self,
        sender: Sender,
        moves: Sequence[MoveRequest],
        begun: Sequence[BegunMove],
        arrived: float,
    ) -> Results:
        sender.faults.before(moves)
        return self.services.referee.moves(sender.bot, moves, arrived, begun) if moves else []

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
        services, run, made = self.services, self.services.after.run, _is_committed(results)
        codes = [code for code in map(_statistics_code, results) if code is not None]
        run(Hook.METRICS, lambda: self.metrics.moved(results), None, committed=made)
        run(Hook.STATISTICS, lambda: services.statistics.note(sender.bot, codes), None, committed=made)
        run(Hook.CHECK, lambda: sender.faults.moved(moves, results), None, committed=made)
        note = services.presence.leave if leaving else services.presence.seen
        run(Hook.PRESENCE, lambda: note(sender.bot, wait), None, committed=made)

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
        after, made = self.services.after, _is_committed(results)
        over_limit = after.run(
            Hook.RATES,
            lambda: self.rates.over_limit(sender.environ, RateScope.REFUSED_MOVES, sender.bot, len(refused)),
            None,
            committed=made,
        )
        if over_limit is not None:
            return {**problems, **dict.fromkeys(refused, over_limit)}
        shown = [place for place, problem in problems.items() if problem.kind.status in (409, 422)]
        after.run(
            Hook.VIEW,
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
            problem.details |= {name: view["observation"][name] for name in ("legal_moves", "free_moves")}

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

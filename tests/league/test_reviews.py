"""Reviews: computed once, decision by decision, however often their workers die."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from random import Random

import pytest

from engine.game import IllegalMove
from league.errors import NoSuchReview, TooManyReviews
from league.reviews import redis as redis_reviews
from league.reviews.redis import KEPT_S, LEASE_MS, MOST_OF_OWNER, RedisReviewStore
from league.reviews.service import AWAY_MS, MOST_ATTEMPTS, Reviews
from records.match.loaded_match import LoadedMatch
from records.match.session import Seat
from records.reviews.decisions import decisions, reviewed
from records.reviews.model import Decision, Evaluate, Regret, ReviewedMove, ReviewFailure, ReviewState
from referee.object_store import ArchiveAway
from tests.support.league import LeagueWorld, WallClock


def guess(decision: Decision, seed: str) -> Regret:
    """Return a regret that depends on all arguments."""
    mean = Random(f"{seed} {decision.played} {decision.seat}").random()
    return Regret(mean, mean / 2, 2 * mean, decision.played, mean > 0.5, 10)


class WorkerKilled(BaseException):
    """A worker was killed. No handler of errors runs then."""


class ReviewDesk:
    """The reviews of a league, with jobs in a list and decisions counted."""

    def __init__(self, league: LeagueWorld, clock: WallClock, evaluate: Evaluate = guess) -> None:
        self.league, self.clock = league, clock
        self.jobs: list[tuple[str, int]] = []
        self.evaluated: list[str] = []
        self.dies: Callable[[int], bool] = lambda number: False
        self._evaluate = evaluate
        self.time = 0.0
        self.reviews = self.another()

    def another(self) -> Reviews:
        """Return the reviews of another process."""
        return Reviews(
            RedisReviewStore(self.league.redis, self.clock),
            self.league.referee,
            self.counted,
            lambda review, jobs: self.jobs.append((review, jobs)),
            self.passed,
        )

    def counted(self, decision: Decision, seed: str) -> Regret | None:
        self.evaluated.append(seed)
        if self.dies(len(self.evaluated)):
            raise WorkerKilled
        return self._evaluate(decision, seed)

    def passed(self) -> float:
        """Return a time that goes on by a tenth of a second at each look."""
        self.time += 0.1
        return self.time

    def match(self, *, deals: int = 1) -> LoadedMatch:
        """Play a match of house bots."""
        seats = [Seat(f"house/a{n}", f"house-a{n}", "1", True) for n in (1, 2)]
        loaded = self.league.referee.create("durak", seats, {}, deals=deals)
        while not loaded.finished:
            self.league.run()
            loaded = self.league.referee.look(loaded.id)
        return loaded

    def work(self, budget_s: float = 0.5) -> None:
        """Run the jobs that the clock enqueues, until no review waits."""
        while True:
            self.jobs.clear()
            if not self.reviews.tick():
                return
            for review, _ in list(self.jobs):
                self.reviews.work(review, budget_s)


@pytest.fixture
def desk(league: LeagueWorld, clock: WallClock) -> ReviewDesk:
    return ReviewDesk(league, clock)


def test_the_result_does_not_depend_on_how_the_work_was_split(desk: ReviewDesk) -> None:
    loaded = desk.match()
    desk.reviews.request(loaded, "ann")
    desk.work(0.3)
    assert list(desk.reviews.get(loaded).moves) == at_once(loaded, desk)


def at_once(loaded: LoadedMatch, desk: ReviewDesk) -> list[ReviewedMove]:
    """Return the moves of a review without jobs."""
    record = desk.league.referee.record(loaded).to_json()
    return [reviewed(record, each, guess) for each in decisions(record)]


def test_killed_workers_lose_one_decision_and_repeat_none(desk: ReviewDesk, clock: WallClock) -> None:
    loaded = desk.match()
    desk.reviews.request(loaded, "ann")
    (review, _), *_ = desk.jobs
    desk.dies = lambda number: number % 4 == 0
    kills = 0
    while desk.reviews.get(loaded).state is not ReviewState.DONE:
        before = len(desk.reviews.get(loaded).moves)
        try:
            desk.reviews.work(review, 100.0)
        except WorkerKilled:
            kills += 1
            assert len(desk.reviews.get(loaded).moves) == before + 3
            desk.another().work(review)
            assert len(desk.reviews.get(loaded).moves) == before + 3, "the lease is the dead worker's"
            clock.ms += LEASE_MS
    assert kills > 3
    found = desk.reviews.get(loaded)
    places = [(move.deal, move.move) for move in found.moves]
    assert len(places) == len(set(places)) == found.total
    assert list(found.moves) == at_once(loaded, desk)


def test_a_worker_that_lost_its_lease_stores_nothing(desk: ReviewDesk, clock: WallClock) -> None:
    loaded = desk.match()
    desk.reviews.request(loaded, "ann")
    (review, _), *_ = desk.jobs
    stalled: list[int] = []

    def stall(number: int) -> bool:
        if number == 3 and not stalled:
            stalled.append(number)
            clock.ms += LEASE_MS
            desk.another().work(review, 0.3)
        return False

    desk.dies = stall
    desk.reviews.work(review, 100.0)
    assert stalled
    desk.work()
    found = desk.reviews.get(loaded)
    assert [(move.deal, move.move) for move in found.moves] == sorted(
        {(move.deal, move.move) for move in found.moves}
    )
    assert list(found.moves) == at_once(loaded, desk)


def test_reviews_take_turns(desk: ReviewDesk) -> None:
    one, other = desk.match(), desk.match()
    desk.reviews.request(one, "ann")
    desk.clock.ms += 1
    desk.reviews.request(other, "ann")
    for _ in range(6):
        desk.clock.ms += 1
        desk.jobs.clear()
        desk.reviews.tick(most=1)
        desk.reviews.work(desk.jobs[0][0], 0.2)
    done = [len(desk.reviews.get(loaded).moves) for loaded in (one, other)]
    assert done[0] == done[1] > 0


def test_a_broken_record_fails_its_review_alone(league: LeagueWorld, clock: WallClock) -> None:
    def refuse(decision: Decision, seed: str) -> Regret | None:
        raise IllegalMove("the record is no play of its match")

    desk = ReviewDesk(league, clock, refuse)
    loaded = desk.match()
    desk.reviews.request(loaded, "ann")
    desk.work()
    found = desk.reviews.get(loaded)
    assert (found.state, found.failure) == (ReviewState.FAILED, ReviewFailure.RECORD)
    assert desk.reviews.request(loaded, "ann") == found


def fails_at(number: int, error: type[BaseException]) -> Evaluate:
    """Return an evaluation that raises at the decision with this number of its deal."""

    def evaluate(decision: Decision, seed: str) -> Regret:
        if decision.number == number:
            raise error("a defect")
        return guess(decision, seed)

    return evaluate


@pytest.mark.parametrize("error", [ZeroDivisionError, WorkerKilled])
def test_a_decision_that_fails_again_and_again_fails_its_review_and_frees_its_place(
    league: LeagueWorld, clock: WallClock, error: type[BaseException]
) -> None:
    desk = ReviewDesk(league, clock, fails_at(3, error))
    loaded = desk.match()
    desk.reviews.request(loaded, "ann")
    (review, _), *_ = desk.jobs
    # The first attempt stores decisions, and one more finds the killed workers.
    for _ in range(MOST_ATTEMPTS + 2):
        assert desk.reviews.get(loaded).failure is None or error is ZeroDivisionError
        with suppress(WorkerKilled):
            desk.reviews.work(review, 100.0)
        clock.ms += LEASE_MS
    found = desk.reviews.get(loaded)
    assert (found.state, found.failure) == (ReviewState.FAILED, ReviewFailure.ERRORS)
    assert len(found.moves) == 3
    assert found.finished is not None
    assert desk.reviews.tick() == 0
    assert league.redis.one("SCARD", "kozyr:{reviews}:owner:ann") == 0


def give_up(desk: ReviewDesk, loaded: LoadedMatch) -> None:
    """Work on a review until it has failed."""
    while desk.reviews.get(loaded).finished is None:
        desk.reviews.work(loaded.id, 100.0)
        desk.clock.ms += LEASE_MS


def test_a_review_that_failed_starts_again_on_request(league: LeagueWorld, clock: WallClock) -> None:
    attempts: list[int] = []
    leases = MOST_ATTEMPTS + 1  # the first stores decisions

    def evaluate(decision: Decision, seed: str) -> Regret:
        if decision.number == 3:
            attempts.append(len(attempts) + 1)
            if len(attempts) < 2 * leases:
                raise ZeroDivisionError
        return guess(decision, seed)

    desk = ReviewDesk(league, clock, evaluate)
    loaded = desk.match()
    desk.reviews.request(loaded, "ann")
    give_up(desk, loaded)
    assert desk.reviews.get(loaded).failure is ReviewFailure.ERRORS
    jobs = desk.jobs[-1]
    desk.jobs.clear()
    again = desk.reviews.request(loaded, "bea")
    assert (again.state, again.failure, again.finished) == (ReviewState.WAITING, None, None)
    assert (again.requested, again.total, list(again.moves)) == (clock.ms, None, [])
    assert desk.jobs[0] == (jobs[0], leases), "the queue takes it for none of the jobs before"
    assert desk.reviews.request(loaded, "ann") == again
    give_up(desk, loaded)
    done = desk.reviews.get(loaded)
    assert done.state is ReviewState.DONE, "the last of the attempts of the second request succeeds"
    assert list(done.moves) == at_once(loaded, desk)


def test_a_failed_review_requested_again_counts_for_its_owner(league: LeagueWorld, clock: WallClock) -> None:
    desk = ReviewDesk(league, clock, fails_at(0, ZeroDivisionError))
    loaded = desk.match()
    desk.reviews.request(loaded, "ann")
    give_up(desk, loaded)
    failed = desk.reviews.get(loaded)
    others = [desk.match() for _ in range(MOST_OF_OWNER)]
    for other in others:
        desk.reviews.request(other, "bea")
    with pytest.raises(TooManyReviews):
        desk.reviews.request(loaded, "bea")
    assert desk.reviews.get(loaded) == failed
    desk.reviews.request(loaded, "ann")
    assert league.redis.one("SMEMBERS", "kozyr:{reviews}:owner:ann") == [loaded.id.encode()]


def test_attempts_at_different_decisions_do_not_add_up(league: LeagueWorld, clock: WallClock) -> None:
    failed: set[int] = set()

    def fails_once(decision: Decision, seed: str) -> Regret:
        if decision.number not in failed:
            failed.add(decision.number)
            raise ZeroDivisionError
        return guess(decision, seed)

    desk = ReviewDesk(league, clock, fails_once)
    loaded = desk.match()
    desk.reviews.request(loaded, "ann")
    (review, _), *_ = desk.jobs
    while (found := desk.reviews.get(loaded)).finished is None:
        desk.reviews.work(review, 100.0)
        clock.ms += LEASE_MS
    assert found.state is ReviewState.DONE
    assert len(failed) == found.total > MOST_ATTEMPTS


def test_an_outage_of_the_archive_fails_no_review(league: LeagueWorld, clock: WallClock) -> None:
    away = [True] * (2 * MOST_ATTEMPTS)

    def evaluate(decision: Decision, seed: str) -> Regret:
        if away:
            away.pop()
            raise ArchiveAway("the archive is away")
        return guess(decision, seed)

    desk = ReviewDesk(league, clock, evaluate)
    loaded = desk.match()
    desk.reviews.request(loaded, "ann")
    while away:
        assert desk.reviews.tick() == 1
        desk.reviews.work(desk.jobs[-1][0])
        assert desk.reviews.tick() == 0
        clock.ms += AWAY_MS
    desk.work(100.0)
    assert desk.reviews.get(loaded).state is ReviewState.DONE


def test_ended_reviews_expire(desk: ReviewDesk, league: LeagueWorld, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(redis_reviews, "MOST_KEPT", 1)
    one, other = desk.match(), desk.match()
    for loaded in (one, other):
        desk.reviews.request(loaded, "ann")
        desk.work()
        desk.clock.ms += 1
    assert desk.reviews.find(one) is None
    assert desk.reviews.find(other) is not None
    for kind in ("review", "moves"):
        ttl = league.redis.one("TTL", f"kozyr:{{reviews}}:{kind}:{other.id}")
        assert 0 < ttl <= KEPT_S
    assert league.redis.one("ZRANGE", "kozyr:{reviews}:waiting", 0, -1) == []
    assert league.redis.one("SCARD", "kozyr:{reviews}:owner:ann") == 0


def test_a_repeated_request_returns_the_same_review(desk: ReviewDesk) -> None:
    loaded = desk.match()
    first = desk.reviews.request(loaded, "ann")
    desk.clock.ms += 1000
    assert desk.reviews.request(loaded, "bea") == first
    desk.work()
    done = desk.reviews.get(loaded)
    evaluated = len(desk.evaluated)
    assert desk.reviews.request(loaded, "bea") == done
    desk.work()
    assert len(desk.evaluated) == evaluated
    with pytest.raises(NoSuchReview):
        desk.reviews.get(desk.match())

"""The composition root: the one place where the parts are put together."""

from __future__ import annotations

import logging
import signal
import threading
import time
from collections.abc import Sequence
from functools import cached_property, lru_cache
from importlib import resources
from typing import TYPE_CHECKING

from redis.exceptions import ConnectionError as LostConnection
from redis.exceptions import RedisError
from redis.exceptions import TimeoutError as LateAnswer

from bots.house import HOUSE_BOTS
from bots.search import SearchBot, Seconds, playout
from kozyr.config.keys import signing_key
from kozyr.config.settings import Settings
from kozyr.logs.structured import configure
from kozyr.serve.background import Background
from kozyr.serve.collector import spare_collector
from kozyr.serve.heart import Heart, Pulse, answers_promptly, this_process
from league.accounts.eligibility import Eligibility
from league.accounts.idempotency import Idempotency
from league.accounts.presence import Presence
from league.accounts.redis import RedisAccountStore
from league.accounts.redis_idempotency import RedisIdempotencyStore
from league.accounts.redis_presence import RedisPresenceStore
from league.accounts.service import Accounts
from league.fitness.checks import ConformanceChecks
from league.fitness.health import Fitness
from league.fitness.redis_checks import RedisCheckStore
from league.fitness.redis_health import RedisHealthStore
from league.fitness.redis_statistics import RedisStatisticsStore
from league.fitness.statistics import BotStatistics
from league.ladders.adjusted_points import AdjustedPoints
from league.ladders.redis import RedisLadderStore
from league.ladders.redis_luck import RedisLuckStore
from league.ladders.seasons import Seasons
from league.ladders.service import Ladders
from league.operators.administration import Administration
from league.operators.audit import Audit
from league.operators.redis import RedisAuditStore
from league.ratings.book import RatingBook
from league.ratings.redis import RedisRatingStore
from league.results.luck import Baseline
from league.rounds import Rounds
from redisio import rate_storage as redis_rates
from redisio.connection import Pipeline, Redis, StoreFull
from referee.feed import Feed
from referee.groups.redis import RedisGroupStore
from referee.groups.service import Groups
from referee.match.loaded_match import LoadedMatch
from referee.match.players import Thinkers
from referee.polling.hub import Hub
from referee.polling.turns import Turns
from referee.proofs.proof import Proofs, digest
from referee.proofs.redis import RedisChain
from referee.referee import Referee
from referee.service.processes import ProcessKind
from referee.service.readiness import Readiness, Thresholds, judged
from referee.service.redis import RedisService
from referee.service.redis_processes import RedisProcesses
from referee.storage.redis import RedisMatchStore
from referee.storage.redis_data_version import claim_data
from referee.storage.redis_index import RedisMatchIndex
from referee.storage.store import OutboxKind
from referee.timings import RefereeTimings
from workers.queue import JobQueue, OldestJobs

if TYPE_CHECKING:
    from flask import Flask

    from api.services import Limits
    from workers.clock import OutboxEntry

log = logging.getLogger(__name__)

RULES = resources.files("kozyr") / "rules"
DATA_RETRY_S = 0.2
"""How long a process that starts before Redis waits between two looks for it."""
RATINGS_S = 1.0
"""How often the clock looks for groups that nobody has rated, and whose luck nobody has reckoned."""


_THINKING_S = {"search": 1.0, "search-100ms": 0.1}
"""How long each of the house bots that think takes over a move."""
THINKERS: Thinkers = {
    name: SearchBot(name, Seconds(seconds, time.monotonic, time.sleep))
    for name, seconds in _THINKING_S.items()
}


class Container:
    """Everything that several processes are made of, each made when first asked for."""

    def __init__(self, settings: Settings, thinkers: Thinkers | None = None) -> None:
        """`thinkers` are the house bots that think, in a process that asks them."""
        self.settings, self.thinkers = settings, thinkers
        self._ratings_due = 0.0

    @cached_property
    def redis(self) -> Redis:
        """The connection for everything but pub/sub and RQ."""
        return Redis(self.settings.redis_address, cluster=self.settings.redis_cluster)

    def await_data(self, stop: threading.Event | None = None) -> None:
        """Return once Redis has answered and its data are of a format that this release reads, or `stop` is set.
        Raises `UnknownDataVersion`."""
        stop, told = stop or threading.Event(), False
        while not stop.is_set():
            try:
                claim_data(self.redis)
                return
            except RedisError as error:
                if not told:
                    log.warning("the version of the data can't be read yet: %s", error)
                told = True
                stop.wait(DATA_RETRY_S)

    @cached_property
    def store(self) -> RedisMatchStore:
        """Matches."""
        return RedisMatchStore(self.redis)

    @cached_property
    def processes(self) -> RedisProcesses:
        """The heartbeats of all processes."""
        return RedisProcesses(self.redis)

    @cached_property
    def index(self) -> RedisMatchIndex:
        """What spans matches."""
        return RedisMatchIndex(self.redis, self.store)

    @cached_property
    def service(self) -> RedisService:
        """Whether it runs, drains or is paused."""
        return RedisService(self.redis, self.store)

    @cached_property
    def times(self) -> RefereeTimings:
        """The referee's durations."""
        return RefereeTimings(start_ms=self.settings.start_ms, settle_ms=self.settings.settle_ms)

    @cached_property
    def referee(self) -> Referee:
        """The referee, feeding the indexes after each commit that concerns them."""
        return Referee(
            self.store,
            HOUSE_BOTS,
            self.times,
            changed=self._changed,
            thinkers=self.thinkers,
            groups=RedisGroupStore(self.redis),
        )

    @cached_property
    def groups(self) -> Groups:
        """Duplicate groups."""
        return Groups(RedisGroupStore(self.redis), self.referee)

    @cached_property
    def take_in(self) -> Feed:
        """What follows from a match's step."""
        return Feed(
            self.referee,
            self.index,
            self.groups,
            readers=[
                self.statistics.on_readable,
                self.ladders.fitness.on_readable,
                self.rounds.on_readable,
                self.ratings.on_readable,
                self._prove,
            ],
            ended=[self.rounds.on_ended],
        )

    @cached_property
    def secret(self) -> str:
        """The server-side pepper."""
        assert self.settings.secret is not None, "the settings have a secret by now"
        return self.settings.secret

    @cached_property
    def accounts(self) -> Accounts:
        """Owners, bots and tokens."""
        return Accounts(
            RedisAccountStore(self.redis),
            self.secret,
            {
                **{name: bot.version for name, bot in HOUSE_BOTS.items()},
                **{name: bot.version for name, bot in THINKERS.items()},
            },
            by_invitation=self.settings.open_registration == "invitation",
            admin_token=self.settings.admin_token,
        )

    @cached_property
    def statistics(self) -> BotStatistics:
        """How bots behave."""
        return BotStatistics(RedisStatisticsStore(self.redis), self.times.start_ms)

    @cached_property
    def queue(self) -> JobQueue:
        """RQ, on a connection of its own."""
        return JobQueue(self.settings.redis_address, self.settings.rq_queue)

    @cached_property
    def ladders(self) -> Ladders:
        """Ladders and what is kept of them."""
        return Ladders(
            RedisLadderStore(self.redis),
            self.accounts,
            Fitness(RedisHealthStore(self.redis), self.times.start_ms),
        )

    @cached_property
    def presence(self) -> Presence:
        """Who is online."""
        return Presence(RedisPresenceStore(self.redis))

    @cached_property
    def seasons(self) -> Seasons:
        """Their seasons."""
        return Seasons(self.ladders, self.rounds.bracket)

    @cached_property
    def rounds(self) -> Rounds:
        """Their rounds."""
        return Rounds(
            self.ladders,
            self.referee,
            self.groups,
            self.queue.wake_round,
            self.queue.start_due,
            running=self.index.running,
            service=self.service,
            ratings=self.ratings.ratings,
            places=self.queue,
            online=self.presence.online,
        )

    @cached_property
    def ratings(self) -> RatingBook:
        """The ratings."""
        return RatingBook(RedisRatingStore(self.redis), self.queue.wake_ratings)

    @cached_property
    def adjusting(self) -> AdjustedPoints:
        """The luck in standings."""
        return AdjustedPoints(
            RedisLuckStore(self.redis),
            self.ladders.store,
            self.referee,
            self.groups,
            Baseline(playout),
            THINKERS["search"].version,
            self.queue.wake_luck,
        )

    @cached_property
    def chain(self) -> RedisChain:
        """The chain of all records."""
        return RedisChain(self.redis)

    @cached_property
    def administration(self) -> Administration:
        """What whoever runs the service may do, with its log."""
        return Administration(
            Audit(RedisAuditStore(self.redis)),
            self.accounts,
            self.ladders,
            self.rounds,
            self.referee,
            self.service,
        )

    def feed(self, entries: Sequence[OutboxEntry]) -> None:
        """Take matches into the indexes and, when they are over, into their ladders. Safe to repeat."""
        matches = list(dict.fromkeys(entry.match for entry in entries))
        self.take_in([live for live in self.referee.look_at(matches) if live is not None])

    def tick(self) -> int:
        """What the clock does besides deadlines: seasons and rounds that are due, groups broken off, and now and then
        what is not rated or adjusted yet."""
        looked = self.seasons.tick() + self.rounds.tick() + self.groups.tick()
        if time.monotonic() >= self._ratings_due:
            self.ratings.tick()
            self.adjusting.tick()
            self._ratings_due = time.monotonic() + RATINGS_S
        return looked

    def _prove(self, groups: Sequence[Sequence[LoadedMatch]]) -> None:
        """Take the records of matches that may be read from now on into the chain."""
        records = self.referee.records([live for lives in groups for live in lives])
        self.chain.append({record.config.id: digest(record.to_json()) for record in records})

    def _changed(self, changed: Sequence[tuple[LoadedMatch, tuple[OutboxKind, ...]]]) -> None:
        lives = [live for live, kinds in changed if OutboxKind.INDEX in kinds]
        if not lives:
            return
        # If this raises, the entries stay in the outboxes, and the deadline loop does it.
        self.take_in(lives)
        self.store.done([f"{OutboxKind.INDEX} {live.id} {live.version}" for live in lives])


def build_app(settings: Settings) -> Flask:
    """The API. Makes no connection and starts nothing; `extensions["kozyr"]` does, after the fork."""
    from api.app import create_app
    from api.cursors import Cursors
    from api.limits.address import Addresses
    from api.services import Services

    configure(settings.log_level, settings.secret, settings.admin_token, settings.signing_key)
    parts = Container(settings)
    limits = _limits(settings)
    hub = Hub(limits.max_polls, limits.max_waits)
    heart = Heart(
        this_process(ProcessKind.API),
        parts.processes,
        parts.store,
        answers=lambda: answers_promptly(settings.url),
        timeout_s=settings.worker_timeout_s,
    )
    jobs = OldestJobs(parts.queue.oldest_ms)
    thresholds = Thresholds(round(settings.silent_s * 1000), round(settings.old_job_s * 1000))

    def readiness() -> Readiness:
        return judged(heart.vitals()._replace(oldest_jobs=jobs.waits()), thresholds, settings.rq_queue)

    idempotency = Idempotency(RedisIdempotencyStore(parts.redis), parts.secret)
    app = create_app(
        Services(
            referee=parts.referee,
            groups=parts.groups,
            index=parts.index,
            turns=Turns(parts.referee, parts.index, hub, parts.secret.encode()),
            hub=hub,
            accounts=parts.accounts,
            admission=Eligibility(parts.accounts, parts.index),
            statistics=parts.statistics,
            checks=ConformanceChecks(RedisCheckStore(parts.redis), parts.accounts, parts.referee),
            ladders=parts.ladders,
            seasons=parts.seasons,
            presence=parts.presence,
            rounds=parts.rounds,
            ratings=parts.ratings,
            adjusting=parts.adjusting,
            administration=parts.administration,
            service=parts.service,
            proofs=Proofs(parts.chain, signing_key(settings)),
            idempotency=idempotency,
            cursors=Cursors(parts.secret),
            store=parts.store,
            trip=lambda: Pipeline(parts.redis),
            store_errors=(LostConnection, LateAnswer),
            full_errors=(StoreFull,),
            limits=limits,
            rate_storage=redis_rates.URI,
            rate_options={"redis": parts.redis},
            behind_tls=settings.behind_tls,
            addresses=Addresses(settings.trusted_proxies),
            rules_text=rules_text,
            readiness=readiness,
            round_trips=lambda: parts.redis.round_trips,
            log_every_refusal=settings.log_level == "debug",
        )
    )
    app.extensions["kozyr"] = Background(
        parts,
        hub,
        heart,
        app.extensions["kozyr-refusals"],
        idempotency,
        [app.extensions["kozyr-metrics"].look, jobs.look],
    )
    return app


def openapi_text() -> str:
    """The OpenAPI document as it is kept in openapi.yaml. Needs no Redis."""
    from api.app import create_app
    from api.contract.spec import openapi_text as text
    from api.services import Services

    return text(create_app(Services.of_the_document()))


def run_clock(settings: Settings) -> None:
    """The deadline loop, until SIGTERM or SIGINT."""
    from workers.clock import DeadlineLoop, HouseRelay

    configure(settings.log_level, settings.secret, settings.admin_token)
    parts = Container(settings)
    pulse = Pulse(this_process(ProcessKind.CLOCK), parts.processes)
    loop = DeadlineLoop(
        parts.referee,
        {OutboxKind.INDEX: parts.feed, OutboxKind.HOUSE: HouseRelay(parts.store, parts.queue.play_house)},
        parts.tick,
        tick_ms=settings.tick_ms,
        settle_ms=settings.settle_ms,
        looked=pulse.beat,
    )
    stop = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stop.set())
    spare_collector()
    parts.await_data(stop)
    loop.run(stop)
    pulse.leave()


def run_worker(settings: Settings) -> None:
    """The RQ worker, until SIGTERM or SIGINT."""
    from workers.context import Services
    from workers.run import run_worker as run

    configure(settings.log_level, settings.secret, settings.admin_token)
    parts = Container(settings, THINKERS)
    spare_collector()
    parts.await_data()
    pulse = Pulse(this_process(ProcessKind.WORKER), parts.processes)
    stop = threading.Event()
    beating = threading.Thread(target=pulse.keep_beating, args=(stop,), name="heartbeat", daemon=True)
    beating.start()
    run(Services(parts.referee, parts.rounds, parts.ratings, parts.adjusting, parts.queue))
    stop.set()
    beating.join(1.0)
    pulse.leave()


@lru_cache(maxsize=64)
def rules_text(game: str, language: str) -> str | None:
    """The rules page of a game, or `None`."""
    page = RULES / f"{game}.{language}.md"
    return page.read_text(encoding="utf-8") if page.is_file() else None


def _limits(settings: Settings) -> Limits:
    from api.limits.rates import Rate, RateScope
    from api.services import Limits

    return Limits(
        max_wait_s=settings.max_wait_s,
        max_body_bytes=settings.max_body_bytes,
        body_timeout_s=settings.body_timeout_s,
        open_registration=settings.open_registration == "open",
        max_waits=max(1, settings.connections // 16),
        start_ms=settings.start_ms,
        settle_ms=settings.settle_ms,
        rates={
            RateScope.REQUESTS: Rate(settings.rate_requests, 60),
            RateScope.CREATIONS: Rate(settings.rate_creations, 60),
            RateScope.POLLS: Rate(settings.rate_polls, 1),
            RateScope.REFUSED_MOVES: Rate(settings.rate_refused_moves, 60),
            RateScope.ANONYMOUS: Rate(settings.rate_anonymous, 60),
            RateScope.REGISTRATIONS: Rate(settings.rate_registrations, 3600),
            RateScope.BAD_TOKENS: Rate(settings.rate_bad_tokens, 60),
        },
    )

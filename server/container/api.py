"""The parts of the API. Only processes that serve it import this module."""

from __future__ import annotations

from collections.abc import Callable

from redis.exceptions import ConnectionError as LostConnection
from redis.exceptions import TimeoutError as LateAnswer

from api.cursors import Cursors
from api.host_and_accept import Hosts
from api.limits.address import Addresses
from api.services import Limits, Services
from redisio.connection import Pipeline
from redisio.errors import StoreFull
from redisio.rate_counters import RedisRateCounters
from referee.object_store import ArchiveAway
from referee.service.readiness import Readiness
from server.container.league import LeagueContainer


def api_services(
    container: LeagueContainer,
    limits: Limits,
    *,
    rules_text: Callable[[str, str], str | None],
    readiness: Callable[[], Readiness] = Readiness,
    disk_is_full: Callable[[], bool] = lambda: False,
    looked_at: Callable[[], object] = lambda: None,
    behind_tls: bool = False,
    path_prefix: str = "",
    addresses: Addresses | None = None,
    instance: str = "",
    log_every_refusal: bool = False,
    cors_origins: frozenset[str] = frozenset(),
    hosts: Hosts | None = None,
) -> Services:
    """Return what the API's handlers work with."""
    redis = container.redis
    return Services(
        referee=container.referee,
        groups=container.groups,
        index=container.index,
        turns=container.turns,
        streams=container.streams,
        account_streams=container.account_streams,
        hub=container.hub,
        accounts=container.accounts,
        eligibility=container.eligibility,
        statistics=container.statistics,
        checks=container.checks,
        ladders=container.ladders,
        seasons=container.seasons,
        standings=container.standings,
        presence=container.presence,
        match_queue=container.match_queue,
        batches=container.batches,
        webhooks=container.webhooks,
        rounds=container.rounds,
        ratings=container.ratings,
        watch=container.watch,
        reviews=container.reviews,
        dumps=container.dumps,
        administration=container.administration,
        service=container.service,
        proofs=container.proofs,
        idempotency=container.idempotency,
        cursors=Cursors(container.secret),
        store=container.store,
        pipeline=lambda: Pipeline(redis),
        rate_counters=RedisRateCounters(redis),
        store_errors=(LostConnection, LateAnswer, ArchiveAway),
        full_errors=(StoreFull,),
        disk_is_full=disk_is_full,
        looked_at=looked_at,
        limits=limits,
        behind_tls=behind_tls,
        path_prefix=path_prefix,
        addresses=addresses or Addresses(),
        rules_text=rules_text,
        readiness=readiness,
        round_trips=lambda: redis.round_trips,
        load=container.load.load,
        turns_ahead=lambda match: container.jobs.turns_ahead(match),
        instance=instance,
        log_every_refusal=log_every_refusal,
        cors_origins=cors_origins,
        hosts=hosts or Hosts(),
    )

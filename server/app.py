"""The Flask application of the API and the site, from the settings."""

from __future__ import annotations

from functools import lru_cache, partial
from importlib import resources
from typing import TYPE_CHECKING

from api.app import create_app
from api.host_and_accept import Hosts
from api.limits.address import Addresses
from api.limits.rates import Rate, RateScope
from api.services import Limits, Services
from kozyr.starters.writing import STARTERS, commands_to_run
from referee.archive_index.manifest import Manifest
from referee.service.processes import ProcessKind
from referee.service.readiness import SPACE_WARNINGS, Readiness, Thresholds, judged
from referee.service.state import Space
from server import mcp, metric_files
from server.background import Background
from server.config.settings import Settings
from server.container import job_queue, options_of
from server.disk import ARCHIVE_FULL, DiskGuard, unwritten
from server.embedded import archive_disk_room, disk_room
from server.heartbeats import HeartbeatSender, hidden_host, report_errors, this_process
from server.league_identity import LeagueIdentity
from server.logs.structured import configure
from server.probe import PROMPT_S, answers
from server.stored_data import MAY_LOSE_WRITES, connected
from server.threads import in_thread
from server.warnings import WarningWatch, damaged
from web.services import Site, Starter
from web.site import install
from workers.queue import NAME, OldestJobs

if TYPE_CHECKING:
    from flask import Flask

RULES = resources.files("kozyr") / "rules"


def build_app(settings: Settings) -> Flask:
    """Return the application of the API and the site. Nothing connects or starts before
    `extensions["kozyr"].start()`, which the server calls after the fork."""
    configure(settings.log_level, settings.secret, settings.admin_token, settings.signing_key)
    room, archive_room = disk_room(settings), archive_disk_room(settings)
    metric_files.install()
    queue = job_queue(settings)
    services = Services(
        options_of(settings, jobs=lambda: queue, disk=room.space, run_in_thread=in_thread),
        limits_of(settings),
        rules_text=rules_text,
        disk_is_full=room.is_out,
        behind_tls=settings.behind_tls,
        path_prefix=settings.path_prefix,
        addresses=Addresses(settings.trusted_proxies),
        instance=settings.instance or hidden_host(),
        log_every_refusal=settings.log_level == "debug",
        cors_origins=frozenset(settings.cors_origins),
        hosts=Hosts((settings.host, *settings.host_names)),
    )
    identity = LeagueIdentity(connected(settings), settings, in_thread)
    me = this_process(ProcessKind.API)
    heart = HeartbeatSender(
        me,
        services.processes,
        services.store,
        answers=lambda: answers(settings.url, PROMPT_S),
        timeout_s=settings.worker_timeout_s,
    )
    jobs = OldestJobs(queue.oldest_ms)
    damage = WarningWatch(partial(damaged, Manifest(services.redis)), 5.0)
    thresholds = Thresholds(round(settings.silent_s * 1000), round(settings.old_job_s * 1000))
    persistence = WarningWatch(partial(unwritten, services.redis), 10.0)

    def look_at_league() -> None:
        identity.look()
        services.redis.other_store = identity.fault

    def readiness() -> Readiness:
        warnings = (
            *((MAY_LOSE_WRITES,) if services.redis.may_lose_writes else ()),
            *SPACE_WARNINGS.get(services.service.seen.space, ()),
            *persistence.warnings,
            *(ARCHIVE_FULL if archive_room.space() is not Space.AMPLE else ()),
            *damage.warnings,
        )
        vitals = heart.vitals()._replace(
            oldest_jobs=jobs.waits, warnings=warnings, league_fault=identity.fault
        )
        return judged(vitals, thresholds, NAME)

    services.readiness = readiness
    services.create_all()
    app = create_app(services)
    install(app, new_site())
    mcp.install(app)
    app.extensions["kozyr"] = Background(
        settings,
        services,
        heart,
        DiskGuard(services.redis, room, settings.appendfsync),
        app.extensions["kozyr-refusals"],
        [
            app.extensions["kozyr-metrics"].look,
            jobs.look,
            damage.look,
            services.watch.tick,
            services.accounts.learn_names,
            persistence.look,
            look_at_league,
            partial(report_errors, services.errors, me),
        ],
    )
    return app


def openapi_texts() -> dict[str, str]:
    """Return the OpenAPI documents by the names of their files. Needs no Redis."""
    from api.contract.spec import openapi_texts as texts

    return texts(create_app(Services.of_the_document()))


def new_site() -> Site:
    """Return what the pages need besides the services of the API."""
    return Site({name: Starter(each.title, commands_to_run(name)) for name, each in STARTERS.items()})


@lru_cache(maxsize=64)
def rules_text(game: str, language: str) -> str | None:
    """Return the rules page of a game in Markdown, or `None` if there is none in this language."""
    page = RULES / f"{game}.{language}.md"
    return page.read_text(encoding="utf-8") if page.is_file() else None


def limits_of(settings: Settings) -> Limits:
    """Return the limits that the settings give."""
    return Limits(
        max_wait_s=settings.max_wait_s,
        max_body_bytes=settings.max_body_bytes,
        body_timeout_s=settings.body_timeout_s,
        open_registration=settings.open_registration == "open",
        max_waits=settings.max_waits,
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
            RateScope.PAGES: Rate(6000, 60),
            RateScope.PROBES: Rate(30_000, 60),
        },
    )

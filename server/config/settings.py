"""Every setting, in one table.

A setting is a field of `Settings`, which states its environment variable, default and meaning. To add a setting,
add a field. `kozyr settings --markdown` generates docs/settings.md.
"""

from __future__ import annotations

import difflib
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any
from urllib.parse import urlencode, urlsplit, urlunsplit

from redisio.hosts import DEFAULT_PORT, cluster_nodes, hosts
from referee.timings import TICK_MS, RefereeTimings
from server.config.kinds import (
    CLUSTER_ADDRESS,
    Networks,
    archive_address,
    file,
    flag,
    folder,
    host_names,
    networks,
    number,
    one_of,
    origins,
    path_prefix,
    redis_address,
    seconds,
    text,
    whole,
)
from server.logs.redaction import HIDDEN, REDACTION

# Variables with our prefix that are not settings: those of bot authors, and the one `kozyr up` passes to its children.
OTHER_VARIABLES = frozenset({"KOZYR_URL", "KOZYR_TOKEN", "KOZYR_PROFILE", "KOZYR_PARENT"})


class SettingError(ValueError):
    """A setting has an invalid value. The text names the variable, the value and what is allowed."""

    def __init__(self, variable: str, value: str, right: str) -> None:
        super().__init__(f"{variable}={value!r} can't be used: {right}")
        self.variable = variable
        self.value = value
        self.right = right


@dataclass(frozen=True, slots=True)
class SettingRow:
    """The properties of a setting: one row of the table."""

    variable: str
    parse: Callable[[str], object]
    right: str
    default: str
    meaning: str
    secret: bool = False


def setting(
    variable: str,
    default: object,
    kind: tuple[Callable[[str], Any], str],
    meaning: str,
    *,
    shown: str | None = None,
    secret: bool = False,
    may_hold_password: bool = False,
) -> Any:
    """Return a field of `Settings`. `shown` describes a default whose value alone says too little."""
    parse, right = kind
    row = SettingRow(variable, parse, right, str(default) if shown is None else shown, meaning, secret)
    return field(default=default, repr=not (secret or may_hold_password), metadata={"row": row})


def rate(what: str, default: int, meaning: str) -> Any:
    """Return a field of `Settings` for a rate limit."""
    return setting(f"KOZYR_RATE_{what}", default, whole(0, 1_000_000_000), f"{meaning} 0: no limit.")


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """The settings of a process. Unset or empty variables mean the default."""

    host: str = setting("KOZYR_HOST", "127.0.0.1", text(), "Address the API listens on.")
    port: int = setting("KOZYR_PORT", 8000, whole(1, 65535), "Port the API listens on.")
    metrics_port: int = setting(
        "KOZYR_METRICS_PORT",
        0,
        whole(0, 65535),
        "Port on which the API serves `/metrics` to Prometheus, at `KOZYR_HOST`. 0: none.",
    )
    api_workers: int = setting(
        "KOZYR_API_WORKERS",
        1,
        whole(1, 256),
        "Number of gunicorn workers. One per core is a good start.",
    )
    connections: int = setting(
        "KOZYR_CONNECTIONS",
        4096,
        whole(1, 1_000_000),
        "Connections per worker. Each waiting poll uses one. Mind the limit of open files.",
    )
    worker_timeout_s: float = setting(
        "KOZYR_WORKER_TIMEOUT_S",
        10.0,
        seconds(2, 600),
        "gunicorn kills a worker that is frozen for this long. Until then all clocks are stopped.",
        shown="10",
    )
    silent_s: float = setting(
        "KOZYR_SILENT_S",
        5.0,
        seconds(2, 600),
        "`/readyz` reports a process whose last heartbeat is older.",
        shown="5",
    )
    old_job_s: float = setting(
        "KOZYR_OLD_JOB_S",
        30.0,
        seconds(1, 86400),
        "`/readyz` warns when the oldest job in the RQ queue has waited longer.",
        shown="30",
    )
    redis_url: str | None = setting(
        "KOZYR_REDIS_URL",
        None,
        redis_address(nodes=True),
        "Address of Redis 7.2 or newer, or of Valkey 8 or newer. Without it, `kozyr up` starts an "
        "embedded server, which the other commands use.",
        shown="embedded",
        may_hold_password=True,
    )
    redis_ca: Path | None = setting(
        "KOZYR_REDIS_CA",
        None,
        file(),
        "CA certificates (PEM) that verify Redis's certificate, with `rediss://`.",
        shown="those of the system",
    )
    redis_cert: Path | None = setting(
        "KOZYR_REDIS_CERT",
        None,
        file(),
        "Client certificate (PEM) for Redis, with `rediss://`, if Redis requires one.",
        shown="none",
    )
    redis_key: Path | None = setting(
        "KOZYR_REDIS_KEY", None, file(), "Private key (PEM) of that certificate.", shown="none"
    )
    redis_cluster: bool = setting(
        "KOZYR_REDIS_CLUSTER",
        False,
        flag(),
        "KOZYR_REDIS_URL names one or more nodes of a Redis Cluster. A process starts if one of them answers. Requires "
        "KOZYR_QUEUE_REDIS_URL.",
        shown="no",
    )
    queue_redis_url: str | None = setting(
        "KOZYR_QUEUE_REDIS_URL",
        None,
        redis_address(),
        "Address of a separate Redis for the RQ queue. It needs no persistence: lost jobs are enqueued again.",
        shown="KOZYR_REDIS_URL",
        may_hold_password=True,
    )
    wait_replicas: int | None = setting(
        "KOZYR_WAIT_REPLICAS",
        None,
        whole(0, 16),
        "How many replicas must have a write before it is acknowledged. If too few confirm within 500 ms, the request "
        "gets 503 `store_unavailable` and may be retried. Each master needs one replica more, so that one may fail.",
        shown="1 with Sentinels or a Redis Cluster that has replicas when the process starts, else 0",
    )
    appendfsync: str = setting(
        "KOZYR_APPENDFSYNC",
        "always",
        one_of("always", "everysec", "no"),
        "When the embedded Redis flushes its append-only file to disk. With `always`, no acknowledged write is "
        "lost. With `everysec`, a killed Redis may lose two seconds, a power cut three (docs/operations.md).",
    )
    var: Path = setting(
        "KOZYR_VAR",
        Path("var"),
        folder(),
        "Folder for the embedded Redis and its data, the secrets and the logs.",
    )
    disk_reserve: int = setting(
        "KOZYR_DISK_RESERVE",
        64 << 20,
        whole(0, 1 << 40),
        "Bytes of the disk of the embedded Redis that are reserved, at most a quarter of the disk "
        "(docs/operations.md#a-full-disk). 0: none.",
        shown="67108864 (64 MiB)",
    )
    hot_days: float = setting(
        "KOZYR_HOT_DAYS",
        30.0,
        number(0, 36500),
        "After how many days finished matches move from Redis to the archive. 0: never. With a Redis that is not "
        "embedded nothing moves until KOZYR_ARCHIVE_URL is set.",
        shown="30",
    )
    archive_url: str | None = setting(
        "KOZYR_ARCHIVE_URL",
        None,
        archive_address(),
        "Where archived matches are. All processes must reach the same place. S3 takes endpoint and credentials from "
        "the usual variables (`AWS_ENDPOINT_URL`, `AWS_ACCESS_KEY_ID`, …).",
        shown="the folder archive under KOZYR_VAR",
        may_hold_password=True,
    )
    secret: str | None = setting(
        "KOZYR_SECRET",
        None,
        text(32),
        "Pepper of the token hashes and key of the cursors. It must be the same for all processes and never change "
        "while the data are kept.",
        shown="generated in `var/secret`; required with KOZYR_REDIS_URL",
        secret=True,
    )
    signing_key: str | None = setting(
        "KOZYR_SIGNING_KEY",
        None,
        text(),
        "Ed25519 key that signs records: 32 bytes in hexadecimal, or a file with these or in PEM format. It must be "
        "the same for all API processes. Keep it when the service moves.",
        shown="generated in `var/signing-key`",
        secret=True,
    )
    admin_token: str | None = setting(
        "KOZYR_ADMIN_TOKEN",
        None,
        text(32),
        "Token of the operator, for invitations, pause, drain and named admin tokens.",
        shown="none",
        secret=True,
    )
    open_registration: str = setting(
        "KOZYR_OPEN_REGISTRATION",
        "open",
        one_of("open", "invitation"),
        "Who may become an owner: anyone, or only with an invitation.",
    )
    max_wait_s: float = setting(
        "KOZYR_MAX_WAIT_S", 60.0, seconds(1, 600), "Longest wait of a poll.", shown="60"
    )
    body_timeout_s: float = setting(
        "KOZYR_BODY_TIMEOUT_S",
        10.0,
        seconds(0.1, 600),
        "How long the header of a request may take to arrive, and then its body.",
        shown="10",
    )
    max_body_bytes: int = setting(
        "KOZYR_MAX_BODY_BYTES", 262144, whole(1024, 1 << 30), "Largest body of a request, in bytes."
    )
    keepalive_s: float = setting(
        "KOZYR_KEEPALIVE_S",
        75.0,
        seconds(1, 3600),
        "How long an idle connection stays open between two requests.",
        shown="75",
    )
    send_timeout_s: float = setting(
        "KOZYR_SEND_TIMEOUT_S",
        30.0,
        seconds(0.1, 600),
        "How long a client may take to receive a piece of a response before its connection is closed.",
        shown="30",
    )
    trusted_proxies: Networks = setting(
        "KOZYR_TRUSTED_PROXIES",
        (),
        networks(),
        "Proxies in front of the API whose `X-Forwarded-For` is trusted. Rate limits by address use this address, so "
        "trust only your own proxies.",
        shown="none",
    )
    host_names: tuple[str, ...] = setting(
        "KOZYR_HOSTS",
        (),
        host_names(),
        "Names under which clients reach the API. A request for another host gets 421. IP addresses, names without a "
        "dot such as `localhost`, and KOZYR_HOST are always accepted. `*` is every name.",
        shown="none",
    )
    path_prefix: str = setting(
        "KOZYR_PATH_PREFIX",
        "",
        path_prefix(),
        "The path below which a proxy offers the service, as in `/kozyr`. Links and cookies of the site then have it. "
        "The proxy removes it from requests.",
        shown="none",
    )
    cors_origins: tuple[str, ...] = setting(
        "KOZYR_CORS_ORIGINS",
        (),
        origins(),
        "Origins whose pages may read responses in browsers (CORS). They get no cookies. `*` is every origin.",
        shown="none",
    )
    rate_requests: int = rate(
        "REQUESTS", 3000, "Requests of a bot or an owner per minute, except those below."
    )
    rate_creations: int = rate(
        "CREATIONS",
        600,
        "Requests of a bot or an owner per minute that create a match, bot, token, ladder or round, or rename.",
    )
    rate_polls: int = rate(
        "POLLS",
        250,
        "Requests of a bot per second for turns, or with moves that are all refused or replayed.",
    )
    rate_refused_moves: int = rate(
        "REFUSED_MOVES",
        600,
        "Refused moves of a bot per minute. Legal moves are never limited.",
    )
    rate_anonymous: int = rate("ANONYMOUS", 1200, "Requests of an address per minute without a valid token.")
    rate_registrations: int = rate(
        "REGISTRATIONS",
        300,
        "Registrations of owners, and matches and shared replays of guests, from an address per hour. Registrations "
        "with a valid invitation don't count, since a class may share an address.",
    )
    rate_bad_tokens: int = rate("BAD_TOKENS", 120, "Requests of an address per minute with an invalid token.")
    behind_tls: bool = setting(
        "KOZYR_BEHIND_TLS",
        False,
        flag(),
        "All clients use HTTPS, through a proxy of yours. Responses then have `Strict-Transport-Security` for a year.",
        shown="no",
    )
    settle_ms: int = setting(
        "KOZYR_SETTLE_MS",
        RefereeTimings().settle_ms,
        whole(0, 10_000),
        "How long after deadline and grace a turn times out, so that a move that has already arrived wins.",
    )
    start_ms: int = setting(
        "KOZYR_START_MS",
        RefereeTimings().start_ms,
        whole(1000, 86_400_000),
        "How long a match waits for its seats to show up before it is aborted. A match of a slower pace waits longer.",
    )
    tick_ms: int = setting(
        "KOZYR_TICK_MS",
        TICK_MS,
        whole(5, 10_000),
        "Longest pause between two passes of the deadline loop.",
    )
    instance: str = setting(
        "KOZYR_INSTANCE",
        "",
        text(),
        "Value of the label `instance` in the metrics of this host.",
        shown="a digest of the host's name",
    )
    log_level: str = setting(
        "KOZYR_LOG_LEVEL",
        "info",
        one_of("debug", "info", "warning", "error"),
        "Lowest level that is logged. With `debug`, every refused request is logged.",
    )

    @property
    def redis_address(self) -> str:
        """KOZYR_REDIS_URL with the certificates as parameters, for every connection."""
        assert self.redis_url is not None, "the address of Redis has been filled in"
        return self._with_certificates(self.redis_url)

    @property
    def queue_address(self) -> str:
        """The address of the queue's Redis, with the certificates as parameters."""
        if self.queue_redis_url is None:
            return self.redis_address
        return self._with_certificates(self.queue_redis_url)

    def _with_certificates(self, address: str) -> str:
        files = {
            "ssl_ca_certs": self.redis_ca,
            "ssl_certfile": self.redis_cert,
            "ssl_keyfile": self.redis_key,
        }
        given = {name: str(path) for name, path in files.items() if path is not None}
        url = urlsplit(address)
        if not given or not url.scheme.startswith("rediss"):
            return address
        return urlunsplit(url._replace(query="&".join(filter(None, (url.query, urlencode(given))))))

    @property
    def embedded(self) -> bool:
        """Whether the embedded Redis is used, because no address was given."""
        return self.redis_url is None

    @property
    def archive_place(self) -> str | Path:
        """The address or the folder of the archive."""
        if self.archive_url is None:
            return self.var / "archive"
        return Path(self.archive_url) if self.archive_url.startswith("/") else self.archive_url

    @property
    def hot_ms(self) -> int:
        """After how long finished matches move to the archive; 0: never.

        Hosts that share a Redis don't share a folder, so a folder of each must not be the archive.
        """
        shared = self.archive_url is not None or (self.redis_url or "unix:").startswith("unix:")
        return round(self.hot_days * 86_400_000) if shared else 0

    @property
    def max_waits(self) -> int:
        """How many requests of one bot or address may wait in one process, besides polls."""
        return max(1, self.connections // 16)

    @property
    def url(self) -> str:
        """The address of the API on this machine."""
        host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(self.host, self.host)  # noqa: S104 - the name of all interfaces
        return f"http://{f'[{host}]' if ':' in host else host}:{self.port}"

    def environment(self) -> dict[str, str]:
        """Return the environment variables that give another process the same settings."""
        return {
            row.variable: words
            for name, row in rows().items()
            if (words := written(getattr(self, name))) is not None
        }


def rows() -> dict[str, SettingRow]:
    """Return the row of each field of `Settings`, in the order of the class."""
    return {each.name: each.metadata["row"] for each in fields(Settings)}


def written(value: object) -> str | None:
    """Return a value in the form of its environment variable, or `None` if it is not set."""
    if value is None:
        return None
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, tuple):
        return ",".join(map(str, value)) or None
    return f"{value:g}" if isinstance(value, float) else str(value)


def shown(row: SettingRow, value: str) -> str:
    """Return a value for display, without secrets or passwords in addresses."""
    return HIDDEN if row.secret else REDACTION.text(value)


def load(environ: Mapping[str, str] | None = None) -> Settings:
    """Return the settings of an environment. Raise `SettingError` for a wrong value or an unknown variable."""
    given = os.environ if environ is None else environ
    table = rows()
    known = {row.variable for row in table.values()}
    for variable in sorted(given):
        if variable.startswith("KOZYR_") and variable not in known | OTHER_VARIABLES:
            near = difflib.get_close_matches(variable, known, n=1)
            raise SettingError(
                variable,
                given[variable],
                f"there is no such setting{f'; did you mean {near[0]}?' if near else ''}",
            )
    values: dict[str, Any] = {}
    for name, row in table.items():
        raw = given.get(row.variable, "").strip()
        if not raw:
            continue
        try:
            values[name] = row.parse(raw)
        except ValueError:
            raise SettingError(row.variable, shown(row, raw), f"it should be {row.right}") from None
    found = Settings(**values)
    _checked(found)
    return found


def _checked(settings: Settings) -> None:
    """Raise `SettingError` for settings that contradict each other."""
    files = {
        "redis_ca": settings.redis_ca,
        "redis_cert": settings.redis_cert,
        "redis_key": settings.redis_key,
    }
    for name, path in files.items():
        if path is not None and not (settings.redis_url or "").startswith(("rediss://", "rediss+")):
            raise SettingError(rows()[name].variable, str(path), "it needs KOZYR_REDIS_URL=rediss://…")
    _check_cluster(settings)
    if settings.metrics_port == settings.port:
        raise SettingError("KOZYR_METRICS_PORT", str(settings.port), "it should differ from KOZYR_PORT")
    if (settings.redis_cert is None) != (settings.redis_key is None):
        given, other = ("CERT", "KEY") if settings.redis_cert else ("KEY", "CERT")
        path = settings.redis_cert or settings.redis_key
        raise SettingError(f"KOZYR_REDIS_{given}", str(path), f"it needs KOZYR_REDIS_{other}")


def _check_cluster(settings: Settings) -> None:
    """Raise `SettingError` for an address that does not fit KOZYR_REDIS_CLUSTER."""
    url, row = settings.redis_url or "", rows()["redis_url"]
    if not settings.redis_cluster:
        parts = urlsplit(url)
        if parts.scheme in {"redis", "rediss"} and len(hosts(parts, DEFAULT_PORT)) > 1:
            raise SettingError(row.variable, shown(row, url), "several nodes need KOZYR_REDIS_CLUSTER=yes")
        return
    if settings.queue_redis_url is None:
        raise SettingError(
            "KOZYR_REDIS_CLUSTER", "yes", "it needs KOZYR_QUEUE_REDIS_URL: RQ can't use a cluster"
        )
    right = f"with KOZYR_REDIS_CLUSTER it should be {CLUSTER_ADDRESS} or rediss://… (TLS)"
    if not url:
        raise SettingError("KOZYR_REDIS_CLUSTER", "yes", f"it needs KOZYR_REDIS_URL={CLUSTER_ADDRESS}")
    try:
        cluster_nodes(url)
    except ValueError as why:
        raise SettingError(row.variable, shown(row, url), f"{why}; {right}") from None


def as_markdown() -> str:
    """Return the page docs/settings.md."""
    lines = [
        "# Settings",
        "",
        "All settings are environment variables, read once when a process starts. Unset or empty means the",
        "default. An invalid value, or a variable `KOZYR_…` that is not in this table, stops the process with",
        "an error that says what is allowed. `kozyr settings` shows the current values.",
        "",
        "This page is generated from `server/config/settings.py` (`kozyr settings --markdown`). Don't edit it.",
        "",
        "| variable | default | allowed values | meaning |",
        "| --- | --- | --- | --- |",
    ]
    lines += [
        f"| `{row.variable}` | {row.default} | {row.right} | {row.meaning} |" for row in rows().values()
    ]
    lines += [
        "",
        "All processes may have the same settings. Bots, the clients and the commands of bot authors read",
        "`KOZYR_URL`, `KOZYR_TOKEN` and `KOZYR_PROFILE`. These are not settings of the service.",
        "",
    ]
    return "\n".join(lines)

"""gunicorn's configuration, from the settings: `gunicorn -c python:server.gunicorn_conf
'server.gunicorn_worker:create()'`.

The application is not preloaded: each worker patches with gevent before it imports the application and redis-py, and
a reload (SIGHUP) loads new code (`server.master`). Each worker starts its own listener for waiting polls.
"""

from __future__ import annotations

import contextlib
import math
import os
from typing import Any

from server.collector import exempt_from_collection
from server.config.settings import load
from server.metrics_port import listen, serve

settings = load()

COUNTED = settings.var / "metrics"
with contextlib.suppress(OSError):
    COUNTED.mkdir(parents=True, exist_ok=True)
counts_together = os.access(COUNTED, os.W_OK)
if counts_together:
    # Set before prometheus_client is imported: it then keeps its counters in this folder, shared by all workers.
    os.environ["PROMETHEUS_MULTIPROC_DIR"] = str(COUNTED)

bind = [f"[{settings.host}]:{settings.port}" if ":" in settings.host else f"{settings.host}:{settings.port}"]
workers = settings.api_workers
worker_class = "server.gunicorn_worker.DeadlineWorker"
worker_connections = settings.connections
backlog = 4096
preload_app = False

timeout = math.ceil(settings.worker_timeout_s)  # of the worker's event loop; a waiting poll does not block it
graceful_timeout = 3
keepalive = max(1, int(settings.keepalive_s))

# The application evaluates forwarding headers (`KOZYR_TRUSTED_PROXIES`); gunicorn trusts no proxy.
forwarded_allow_ips = ""
forwarder_headers = ""

limit_request_line = 8190
limit_request_fields = 64
limit_request_field_size = 8190

proc_name = "kozyr-api"
loglevel = settings.log_level
accesslog = None
errorlog = "-"
logger_class = "server.logs.gunicorn_log.GunicornLog"
sendfile = False
control_socket_disable = True
worker_tmp_dir = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None  # noqa: S108 - gunicorn's heartbeat file


def when_ready(server: Any) -> None:
    """Exempt the master's objects from collections, open the port of the metrics, and delete the counters of an
    earlier start. Not before the ports are taken: another API may run in this folder."""
    exempt_from_collection()
    if settings.metrics_port:
        try:
            server.metrics_listener = listen(settings.host, settings.metrics_port)
        except OSError as why:
            server.log.error("can't listen on KOZYR_METRICS_PORT=%s: %s", settings.metrics_port, why)
            raise SystemExit(1) from None
    if not counts_together:
        server.log.warning("can't write %s: /metrics will show one worker only", COUNTED)
        return
    for left in COUNTED.glob("*.db"):
        left.unlink()


def on_reload(server: Any) -> None:
    """Log as the code on disk does."""
    server.log = server.cfg.logger_class(server.cfg)


def post_fork(server: Any, worker: Any) -> None:
    """Pass the port of the metrics on."""
    worker.metrics_listener = getattr(server, "metrics_listener", None)


def child_exit(server: Any, worker: Any) -> None:
    """Remove the gauges of an ended worker. Its counters stay."""
    if not counts_together:
        return
    from prometheus_client.multiprocess import mark_process_dead

    mark_process_dead(worker.pid)  # type: ignore[no-untyped-call]  # the library's


def post_worker_init(worker: Any) -> None:
    """Start the application's background threads, which `DeadlineWorker` stops, and serve the metrics."""
    parts = getattr(worker.app.callable, "extensions", {})
    if "kozyr" in parts:
        parts["kozyr"].start()
    if worker.metrics_listener is not None and "kozyr-metrics" in parts:
        serve(worker.metrics_listener, parts["kozyr-metrics"].text)
    exempt_from_collection()

"""All processes work with a Redis that requires a user, a password and certificates."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
import redis
from click.testing import CliRunner
from redis.exceptions import ConnectionError as LostConnection

from kozyr.cli.main import main
from redisio.connection import Redis
from server.config.settings import load
from tests.live.league import LiveLeague, players
from tests.support.guarded_redis import (
    PASSWORD,
    QUOTED,
    RIGHTS,
    USER,
    Certificates,
    guarded_redis,
    tls_before,
)
from tests.support.live import LiveService

pytestmark = [pytest.mark.ci, pytest.mark.live]


def test_all_processes_work_over_tls_with_a_restricted_user(
    live_service: Callable[..., LiveService], tmp_path: Path
) -> None:
    """Cover moves, wake-ups, RQ jobs, the deadline loop and rate limits, which all have their own connections."""
    ours = Certificates(tmp_path, "ours")
    cert, key = ours.made_for("kozyr")
    with (
        guarded_redis(tmp_path, *RIGHTS) as port,
        tls_before(port, *ours.made_for("localhost"), ours.authority) as tls,
    ):
        service = live_service(
            ["api", "clock", "worker"],
            redis_url=f"rediss://{USER}:{QUOTED}@localhost:{tls}/0",
            settings={
                "KOZYR_RATE_ANONYMOUS": "1200",
                "KOZYR_REDIS_CA": str(ours.authority),
                "KOZYR_REDIS_CERT": str(cert),
                "KOZYR_REDIS_KEY": str(key),
            },
        )
        league = LiveLeague(service)
        bots = [league.bot("ann"), league.bot("ben")]
        matches = [league.match(bots), league.match([bots[0], "house/search-100ms"])]
        with players(service, bots, matches) as playing:
            playing[0].join(60)
        assert [league.record(match)["ending"] for match in matches] == ["rules", "rules"]
        assert int(league.http.get("/v1/limits").headers["RateLimit"].split("r=")[1].split(";")[0]) > 0
        health = ["healthy", "clock"]
        assert CliRunner().invoke(main, health, env=service.environment).exit_code == 0
        service.terminate("clock")
        assert CliRunner().invoke(main, health, env=service.environment).exit_code == 1, (
            "it asks this Redis too"
        )
        with redis.Redis(port=port, username=USER, password=PASSWORD, protocol=2) as behind:
            assert list(behind.scan_iter("kozyr:rate:*", count=1000)), "rate limits use this Redis too"
    for name in ("api", "clock", "worker"):
        log_text = service.log(name)
        assert PASSWORD not in log_text
        assert QUOTED not in log_text
        assert "NOPERM" not in log_text


def test_an_untrusted_certificate_or_a_wrong_password_counts_as_an_outage(tmp_path: Path) -> None:
    """The API answers 503, and the error does not contain the password."""
    ours, theirs = Certificates(tmp_path, "ours"), Certificates(tmp_path, "theirs")
    with guarded_redis(tmp_path, *RIGHTS) as port, tls_before(port, *theirs.made_for("localhost")) as tls:
        for url, authority in (
            (f"rediss://{USER}:{QUOTED}@localhost:{tls}/0", {"KOZYR_REDIS_CA": str(ours.authority)}),
            (f"redis://{USER}:another-password@localhost:{port}/0", {}),
        ):
            with pytest.raises(LostConnection) as refused:
                Redis(load({"KOZYR_REDIS_URL": url, **authority}).redis_address).one("PING")
            assert QUOTED not in str(refused.value)
            assert "another-password" not in str(refused.value)

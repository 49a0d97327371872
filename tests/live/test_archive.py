"""Archived matches of a live service, in a folder and in S3, read like all others."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from kozyr.cli.main import main
from tests.live.league import LiveLeague, play_out
from tests.support.live import LiveService
from tests.support.s3 import s3_server

pytestmark = pytest.mark.live

DAY_MS = 86_400_000
NOW = re.compile(r'"now":"[^"]*"')


@pytest.fixture(scope="module")
def s3() -> Iterator[Mapping[str, str]]:
    """Return the variables of an archive in S3."""
    with s3_server() as settings:
        yield settings


@pytest.fixture(scope="module", params=["folder", pytest.param("s3", marks=pytest.mark.ci)])
def service(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[LiveService]:
    settings = request.getfixturevalue("s3") if request.param == "s3" else {}
    folder = tmp_path_factory.mktemp("archive")
    with LiveService(folder, ["redis", "api"], settings=settings) as running:
        yield running


def kozyr(service: LiveService, *words: str) -> Result:
    done = CliRunner().invoke(main, words, env=service.environment)
    assert done.exit_code == 0, done.output
    return done


def answers(service: LiveService, matches: list[str]) -> dict[str, str]:
    """Return what the API answers about these matches, by address."""
    addresses = [
        f"/v1/matches/{match}{part}" for match in matches for part in ("", "/record", "/events", "/frames")
    ]
    addresses += [
        "/v1/records",
        "/v1/records?game=durak",
        "/v1/matches?status=finished&game=kryt",
    ]
    with service.http() as http:
        return {address: NOW.sub("", http.get(address).text) for address in addresses}


def test_readers_do_not_notice_the_boundary(service: LiveService, tmp_path: Path) -> None:
    league = LiveLeague(service)
    bot = league.bot("one")
    made = [
        league.match([bot, "house/random"], game=game, entropy="salt", options={"turn_limit": 50})
        for game in ("durak", "kryt", "durak", "svoi_kozyri")
    ]
    play_out(service, [bot], made)
    kozyr(service, "export", service.url, "--out", str(tmp_path / "before.ndjson"))
    before = answers(service, made)
    assert "archived\t0\nin_redis\t4\n" in kozyr(service, "archive", "status").output
    assert "4 matches moved" in kozyr(service, "archive", "run", "--days", "0").output
    assert "0 matches moved" in kozyr(service, "archive", "run", "--days", "0").output
    assert "archived\t4\nin_redis\t0\n" in kozyr(service, "archive", "status").output
    assert "segments: 1, records: 4, errors: 0" in kozyr(service, "archive", "verify").output
    for _ in range(2):
        after_all = answers(service, made)
        for address, text in before.items():
            assert after_all[address] == text, address
        assert "errors: 0" in kozyr(service, "archive", "rebuild").output
    after = tmp_path / "after.ndjson"
    kozyr(service, "export", service.url, "--out", str(after))
    assert after.read_bytes() == (tmp_path / "before.ndjson").read_bytes()
    assert "signatures: 4 checked" in kozyr(service, "verify", f"{service.url}/v1/records", "--whole").output
    environment = {
        name: value for name, value in service.environment.items() if not name.endswith(("_PORT", "_VAR"))
    }
    away = {**environment, "KOZYR_ARCHIVE_URL": str(tmp_path / "no-such-archive")}
    with (
        LiveService(tmp_path / "other", ["api"], settings=away, redis_url=service.redis_url) as other,
        other.http() as http,
    ):
        answer = http.get(f"/v1/matches/{made[0]}/record")
        assert (answer.status_code, answer.json()["code"]) == (503, "store_unavailable")
        assert http.get("/v1/games").status_code == 200

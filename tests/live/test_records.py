"""`kozyr verify` checks records of a live service by URL, and reports changed ones."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

import pytest
from click.testing import CliRunner, Result

from kozyr.cli.main import main
from tests.live.league import LiveLeague, play_out
from tests.support.live import LiveService

pytestmark = pytest.mark.live


def kozyr_verify(*words: str) -> Result:
    return CliRunner().invoke(main, ["verify", *words])


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveService]:
    with LiveService(tmp_path_factory.mktemp("records"), ["redis", "api"]) as running:
        yield running


@pytest.fixture(scope="module")
def matches(service: LiveService) -> list[str]:
    """Play four matches of three games to the end, and return their ids."""
    league = LiveLeague(service)
    bot = league.bot("one")
    made = [
        league.match([bot, "house/random"], game=game, entropy="salt", options={"turn_limit": 50})
        for game in ("durak", "kryt", "durak", "svoi_kozyri")
    ]
    play_out(service, [bot], made)
    return made


def test_records_of_a_live_service_verify_by_address(service: LiveService, matches: list[str]) -> None:
    one = kozyr_verify(f"{service.url}/v1/matches/{matches[0]}/record")
    assert one.exit_code == 0, one.output
    assert "signatures: 1 checked" in one.output
    ended = kozyr_verify(f"{service.url}/v1/records?limit=3", "--whole")
    assert ended.exit_code == 0, ended.output
    assert "signatures: 4 checked" in ended.output
    assert kozyr_verify(f"{service.url}/v1/records?game=durak").exit_code == 0
    assert kozyr_verify(f"{service.url}/v1/matches/{matches[0]}").exit_code == 1  # a match is not a record
    for address in (f"{service.url}/v1/matches/{'00' + 'a' * 26}/record", f"{service.url}/docs/"):
        assert kozyr_verify(address).exit_code == 2


def test_verify_reports_a_record_that_the_service_has_lost(service: LiveService, matches: list[str]) -> None:
    with contextlib.closing(service.redis()) as redis:
        gone = matches[1]
        number = int(redis.hget("kozyr:{chain}:numbers", gone) or 0)
        (key,) = redis.keys(f"*{gone}*")
        redis.rename(key, "aside")
        ended = kozyr_verify(f"{service.url}/v1/records", "--whole")
        assert ended.exit_code == 1
        assert f"missing records {number} of the chain" in ended.output
        redis.rename("aside", key)
        assert kozyr_verify(f"{service.url}/v1/records", "--whole").exit_code == 0

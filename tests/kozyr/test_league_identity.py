"""Redis, the data folder and the archive know their league, so a process refuses parts of different leagues."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from kozyr.cli.main import main
from redisio.connection import Redis
from referee.archive.objects import ObjectStore
from referee.service.readiness import KnownState, Thresholds, judged
from server import embedded
from server.backup import manifest
from server.config.settings import Settings
from server.league_identity import KEY, LeagueIdentity, WrongLeague
from tests.support.s3 import s3_server

SECRET = "s" * 32


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    """Return the settings of a service with an embedded Redis."""
    return Settings(var=tmp_path / "var", secret=SECRET)


@pytest.fixture
def redis(settings: Settings) -> Iterator[Redis]:
    """Run the embedded Redis of these settings."""
    server = embedded.of(settings).start()
    try:
        embedded.url_file(settings).write_text(server.url, encoding="utf-8")
        with closing(Redis(server.url)) as redis:
            yield redis
    finally:
        server.stop()


def kozyr(settings: Settings, *words: str, answer: str = "", **more: str) -> Result:
    env = {"KOZYR_VAR": str(settings.var), "KOZYR_SECRET": SECRET, **more}
    return CliRunner().invoke(main, words, env=env, input=answer)


def test_the_first_start_names_the_league_in_all_places(redis: Redis, settings: Settings) -> None:
    league = LeagueIdentity(redis, settings).claim()
    assert redis.one("GET", KEY) == league.encode()
    assert (settings.var / "league").read_text() == f"{league}\n"
    assert (settings.var / "archive" / "league").read_text() == f"{league}\n"
    assert LeagueIdentity(redis, settings).claim() == league


@pytest.mark.parametrize("kept", ["league", "archive/league"])
def test_a_flushed_redis_beside_a_folder_or_an_archive_is_refused(
    redis: Redis, settings: Settings, kept: str
) -> None:
    league = LeagueIdentity(redis, settings).claim()
    redis.one("FLUSHALL")
    for other in {"league", "archive/league"} - {kept}:
        (settings.var / other).unlink()
    with pytest.raises(
        WrongLeague, match=rf"holds no league, but .* league {league}: .*leave the old league"
    ):
        LeagueIdentity(redis, settings).claim()
    assert redis.one("DBSIZE") == 0


def test_a_redis_of_another_league_is_refused(redis: Redis, settings: Settings) -> None:
    LeagueIdentity(redis, settings).claim()
    redis.one("SET", KEY, "0123456789abcdef")
    with pytest.raises(WrongLeague, match="holds league 0123456789abcdef, but"):
        LeagueIdentity(redis, settings).claim()


def test_hosts_without_a_folder_compare_the_archive(redis: Redis, settings: Settings, tmp_path: Path) -> None:
    with s3_server() as variables, pytest.MonkeyPatch.context() as patch:
        for name, value in variables.items():
            patch.setenv(name, value)
        elsewhere = replace(
            settings,
            redis_url="redis://elsewhere:6379/0",
            archive_url=variables["KOZYR_ARCHIVE_URL"],
            var=tmp_path / "host",
        )
        LeagueIdentity(redis, elsewhere).claim()
        assert not (tmp_path / "host").exists()
        redis.one("FLUSHALL")
        with pytest.raises(WrongLeague, match="but the archive at s3://"):
            LeagueIdentity(redis, replace(elsewhere, var=tmp_path / "another host")).claim()


@pytest.mark.parametrize("left", [b"", bytes(17)])
def test_a_file_that_a_power_cut_left_empty_is_written_again(
    redis: Redis, settings: Settings, left: bytes
) -> None:
    league = LeagueIdentity(redis, settings).claim()
    (settings.var / "league").write_bytes(left)
    assert LeagueIdentity(redis, settings).claim() == league
    assert (settings.var / "league").read_text() == f"{league}\n"


def test_a_running_process_notices_that_its_league_is_lost(redis: Redis, settings: Settings) -> None:
    identity = LeagueIdentity(redis, settings)
    identity.look()
    assert identity.fault is None
    league = redis.one("GET", KEY)
    redis.one("FLUSHALL")
    identity.look()
    assert identity.fault is not None
    readiness = judged(KnownState(league_fault=identity.fault), Thresholds(1000, 1000), "kozyr")
    assert (readiness.ready, readiness.problems[0]) == (False, identity.fault)
    redis.one("SET", KEY, league)
    identity.look()
    assert identity.fault is None


@pytest.mark.parametrize(
    "words", [("archive", "verify"), ("data",), ("backup", "backup"), ("pause",)], ids=lambda words: words[0]
)
def test_commands_refuse_a_redis_that_lost_its_league(
    redis: Redis, settings: Settings, words: tuple[str, ...]
) -> None:
    LeagueIdentity(redis, settings).claim()
    redis.one("FLUSHALL")
    path = [str(settings.var / words[1])] if words[0] == "backup" else list(words[1:])
    done = kozyr(settings, words[0], *path)
    assert (done.exit_code, done.output.count("\n")) == (2, 1), done.output
    assert "this Redis holds no league" in done.output
    assert redis.one("DBSIZE") == 0


def test_a_restoration_keeps_the_league(redis: Redis, settings: Settings, tmp_path: Path) -> None:
    league = LeagueIdentity(redis, settings).claim()
    done = kozyr(settings, "backup", str(tmp_path / "backup"))
    assert done.exit_code == 0, done.output
    new = replace(settings, var=tmp_path / "new")
    done = kozyr(new, "restore", str(tmp_path / "backup"))
    assert done.exit_code == 0, done.output
    assert (new.var / "league").read_text() == f"{league}\n"
    server = embedded.of(new).start()
    try:
        with closing(Redis(server.url)) as restored:
            assert LeagueIdentity(restored, new).claim() == league
    finally:
        server.stop()


def test_a_backup_is_not_restored_beside_the_archive_of_another_league(
    redis: Redis, settings: Settings, tmp_path: Path
) -> None:
    LeagueIdentity(redis, settings).claim()
    (settings.var / "signing-key").write_text("x")
    assert kozyr(settings, "backup", "--no-archive", str(tmp_path / "backup")).exit_code == 0
    assert manifest.read(tmp_path / "backup", SECRET).files.keys() == {"redis.rdb", "signing-key"}
    ObjectStore(tmp_path / "other").create("league", b"0123456789abcdef\n")
    new = replace(settings, var=tmp_path / "new")
    done = kozyr(new, "restore", str(tmp_path / "backup"), KOZYR_ARCHIVE_URL=str(tmp_path / "other"))
    assert (done.exit_code, "belongs to league 0123456789abcdef" in done.output) == (2, True), done.output
    assert not new.var.exists()


def test_a_new_league_begins_when_nothing_names_the_old_one(redis: Redis, settings: Settings) -> None:
    old = LeagueIdentity(redis, settings).claim()
    redis.one("FLUSHALL")
    (settings.var / "archive").rename(settings.var / "archive-old")
    with pytest.raises(WrongLeague):
        LeagueIdentity(redis, settings).claim()
    (settings.var / "league").unlink()
    assert LeagueIdentity(redis, settings).claim() != old

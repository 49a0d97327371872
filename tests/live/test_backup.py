"""The drill: back up a service while its bots play, lose everything, restore it elsewhere and play on."""

from __future__ import annotations

import contextlib
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest
from click.testing import CliRunner, Result

from kozyr.cli.main import main
from server.embedded import EmbeddedRedis
from tests.live.league import LiveBot, LiveLeague, play_out
from tests.support.live import LiveService

pytestmark = pytest.mark.live


class Drill(NamedTuple):
    """A lost service, and its backup."""

    folder: Path
    bots: list[LiveBot]
    finished: dict[str, str]
    """The records of its finished matches, by id."""
    running: list[str]
    owner: str
    """The token of the owner."""


def kozyr(environment: dict[str, str], *words: str) -> Result:
    return CliRunner().invoke(main, words, env=environment)


@pytest.fixture(scope="module")
def drill(tmp_path_factory: pytest.TempPathFactory) -> Drill:
    """Back up a service with an archive, finished and running matches, and destroy it."""
    folder = tmp_path_factory.mktemp("drill")
    with LiveService(folder / "lost", ("redis", "api")) as service:
        league = LiveLeague(service)
        bots = [league.bot("one"), league.bot("two")]
        finished = [league.match(bots, deals=1) for _ in range(3)]
        play_out(service, bots, finished)
        url = {"KOZYR_REDIS_URL": service.redis_url}
        env = {**service.environment, **url, "KOZYR_ARCHIVE_URL": str(service.var / "archive")}
        assert kozyr(env, "archive", "run", "--days", "0").exit_code == 0
        more = [league.match(bots, deals=1) for _ in range(2)]
        play_out(service, bots, more)
        finished += more
        running = [league.match(bots, deals=1) for _ in range(2)]
        records = {match: league.http.get(f"/v1/matches/{match}/record").text for match in finished}
        (service.var / "redis.url").write_text(service.redis_url)
        done = kozyr(env, "backup", str(folder / "backup"))
        assert done.exit_code == 0, done.output
        assert "records   5, 3 of them in the archive; the chain is verified" in done.output
        assert "does not contain KOZYR_SECRET: keep it elsewhere" in done.output
        (folder / "secret").write_text(service.environment["KOZYR_SECRET"])
        owner = league.token
    shutil.rmtree(folder / "lost")
    return Drill(folder / "backup", bots, records, running, owner)


def secret(drill: Drill) -> str:
    return (drill.folder.parent / "secret").read_text()


def restored(drill: Drill, settings: dict[str, str]) -> Result:
    return kozyr({"KOZYR_SECRET": secret(drill), **settings}, "restore", str(drill.folder))


@pytest.mark.ci
def test_the_restored_service_plays_on(
    drill: Drill, live_service: Callable[..., LiveService], tmp_path: Path
) -> None:
    var = tmp_path / "var"
    done = restored(drill, {"KOZYR_VAR": str(var)})
    assert done.exit_code == 0, done.output
    service = live_service(settings={"KOZYR_SECRET": secret(drill)})
    assert service.var == var
    with service.http() as client:
        for match, record in drill.finished.items():
            assert client.get(f"/v1/matches/{match}/record").text == record
        mine = client.get("/v1/matches", headers={"Authorization": f"Bearer {drill.owner}"})
        assert mine.is_success, "the tokens of the lost service work"
    play_out(service, drill.bots, drill.running)
    with service.http() as client:
        for match in drill.running:
            assert client.get(f"/v1/matches/{match}/record").json()["ending"] == "rules"


@pytest.mark.ci
def test_a_restored_external_redis_has_the_same_chain(drill: Drill, tmp_path: Path) -> None:
    server = EmbeddedRedis(tmp_path / "redis").start()
    settings = {
        "KOZYR_REDIS_URL": server.url,
        "KOZYR_VAR": str(tmp_path / "var"),
        "KOZYR_ARCHIVE_URL": str(tmp_path / "archive"),
    }
    try:
        done = restored(drill, settings)
        assert done.exit_code == 0, done.output
        again = restored(drill, settings)
        assert (again.exit_code, "has data: restore into an empty one" in again.output) == (1, True)
        copy = kozyr({"KOZYR_SECRET": secret(drill), **settings}, "backup", str(tmp_path / "second"))
        assert copy.exit_code == 0, copy.output
        with contextlib.closing(server.client()) as client:
            last = client.strlen("kozyr:{chain}:links") - 32
            client.setrange("kozyr:{chain}:links", last, b"forged")
        forged = kozyr({"KOZYR_SECRET": secret(drill), **settings}, "backup", str(tmp_path / "third"))
        assert (forged.exit_code, "differs from its link" in forged.output) == (1, True), forged.output
        assert [path.name for path in tmp_path.iterdir() if "third" in path.name] == []
    finally:
        server.stop()
    first, second = (
        json.loads((folder / "manifest.json").read_text()) for folder in (drill.folder, tmp_path / "second")
    )
    assert [first[name] for name in ("records", "link", "archived")] == [
        second[name] for name in ("records", "link", "archived")
    ]


@pytest.mark.ci
def test_a_folder_with_data_is_refused(drill: Drill, tmp_path: Path) -> None:
    for kept in ("redis/appendonly.aof", "redis/appendonlydir", "secret"):
        var = tmp_path / kept.replace("/", "-")
        (var / kept).parent.mkdir(parents=True)
        (var / kept).write_text("precious")
        done = restored(drill, {"KOZYR_VAR": str(var)})
        assert (done.exit_code, "exists: restore into an empty folder" in done.output) == (1, True), (
            done.output
        )
        assert (var / kept).read_text() == "precious"


@pytest.mark.parametrize(
    "name", ["redis.rdb", "archive/segments/*", "manifest.json", "a segment that is missing"]
)
def test_a_damaged_backup_is_refused(drill: Drill, tmp_path: Path, name: str) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(drill.folder, copy)
    if name == "a segment that is missing":
        next((copy / "archive" / "segments").iterdir()).unlink()
    else:
        (path,) = copy.glob(name)
        data = bytearray(path.read_bytes())
        data[len(data) // 2] ^= 1
        path.write_bytes(bytes(data))
    done = kozyr({"KOZYR_SECRET": secret(drill), "KOZYR_VAR": str(tmp_path / "var")}, "restore", str(copy))
    assert done.exit_code == 1, done.output
    if name == "a segment that is missing":
        assert "is missing from the backup" in done.output
    assert not (tmp_path / "var").exists()

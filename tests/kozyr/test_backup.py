"""Backups of the archive, whose index the service compacts meanwhile and later."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from kozyr.cli.main import main
from redisio.connection import Redis
from referee.archive.objects import ObjectStore
from referee.object_store import ArchiveAway
from referee.service.redis_load import BACKUP_FIELD, UPKEEP_KEY
from referee.storage.redis_data_version import claim_secret
from server.backup import restoring
from server.backup.saving import copy_archive, delete_old, instant_name
from server.embedded import EmbeddedRedis
from tests.referee.archived import ArchivedWorld
from tests.referee.world import ManualClock
from tests.support.s3 import s3_server

NAMES = (
    "index/one.parquet",
    "index/two.parquet",
    "segments/one.zst",
    "journal/one.parquet",
    "dumps/2025-11/card-1.md",
)


class Compacting(ObjectStore):
    """An archive of whose index a file is deleted right after it was listed."""

    gone = "index/two.parquet"

    def names(self, prefix: str) -> list[str]:
        found = super().names(prefix)
        self.delete(self.gone)
        return found


def archive(folder: Path, kind: type[ObjectStore] = ObjectStore) -> ObjectStore:
    found = kind(folder)
    for name in NAMES:
        found.create(name, name.encode())
    return found


def test_a_backup_copies_index_journal_segments_and_dumps(tmp_path: Path) -> None:
    target = ObjectStore(tmp_path / "copy")
    copy_archive(archive(tmp_path / "archive"), target)
    assert {name: target.read(name) for name in target.names("")} == {name: name.encode() for name in NAMES}


def test_old_backups_are_deleted_and_nothing_else(tmp_path: Path) -> None:
    names = [
        "2026-11-24T031700Z",
        "2026-11-25T031700Z",
        "2026-11-26T031700Z",
        "2026-11-26",
        "by hand",
        instant_name(),
    ]
    for name in names:
        (tmp_path / name).mkdir()
    delete_old(tmp_path, 2)
    assert {path.name for path in tmp_path.iterdir()} == set(names[2:])
    delete_old(tmp_path, 2)
    assert {path.name for path in tmp_path.iterdir()} == set(names[2:])


def test_a_file_that_a_compaction_deletes_during_a_backup_is_left_out(tmp_path: Path) -> None:
    target = ObjectStore(tmp_path / "copy")
    copy_archive(archive(tmp_path / "archive", Compacting), target)
    assert target.names("") == sorted(set(NAMES) - {Compacting.gone})


def test_an_unreadable_object_is_not_left_out(tmp_path: Path) -> None:
    source = archive(tmp_path / "archive")

    def away(name: str) -> bytes:
        raise ArchiveAway(name)

    source.read = away  # type: ignore[method-assign]
    with pytest.raises(ArchiveAway):
        copy_archive(source, ObjectStore(tmp_path / "copy"))


HOUR_MS = 3_600_000
SECRET = "s" * 32


class BucketWorld(ArchivedWorld):
    """A referee that archives in a bucket."""

    def __init__(self, redis: Redis, folder: Path, address: str) -> None:
        super().__init__(redis, folder)
        self.address = address
        self.options = replace(self.options, archive=lambda: ObjectStore(address), now=lambda: self.now)

    def another_process(self) -> BucketWorld:
        return BucketWorld(self.redis, self.folder, self.address)


@pytest.fixture
def bucket(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """Run an S3 server, and yield the address of the archive there."""
    with s3_server() as variables:
        for name, value in variables.items():
            monkeypatch.setenv(name, value)
        yield variables["KOZYR_ARCHIVE_URL"]


def kozyr(redis_url: str, var: Path, *words: str, **more: str) -> Result:
    env = {"KOZYR_REDIS_URL": redis_url, "KOZYR_VAR": str(var), "KOZYR_SECRET": SECRET, **more}
    return CliRunner().invoke(main, words, env=env)


def test_a_backup_without_the_bucket_is_restored_after_its_index_was_compacted(
    tmp_path: Path, bucket: str
) -> None:
    """The drill: back up, compact, let two hours pass, lose Redis, restore."""
    backup, objects, ids = str(tmp_path / "backup"), ObjectStore(bucket), []
    server = EmbeddedRedis(tmp_path / "redis").start()
    try:
        with closing(Redis(server.url)) as redis:
            ManualClock(redis)
            claim_secret(redis, SECRET)
            world = BucketWorld(redis, tmp_path, bucket)
            for _ in range(3):
                ids += world.played(2)
                assert world.moved()
            before = world.documents(ids)
            named = set(objects.names("index/"))
            done = kozyr(server.url, tmp_path / "var", "backup", backup)
            assert done.exit_code == 0, done.output
            assert redis.run([("HGET", UPKEEP_KEY, BACKUP_FIELD)])[0], "the metrics show the backup"
            for _ in range(2):
                for _ in range(9):
                    world.played(1)
                    assert world.moved()
                while world.required_index().compact():
                    pass
                world.now += 2 * HOUR_MS
            assert not named <= set(objects.names("index/")), "replaced files are deleted"
    finally:
        server.stop(10)
    other = EmbeddedRedis(tmp_path / "other").start()
    try:
        done = kozyr(other.url, tmp_path / "var2", "restore", backup)
        assert done.exit_code == 0, done.output
        with closing(Redis(other.url)) as redis:
            world = BucketWorld(redis, tmp_path, bucket)
            assert all(world.is_archived(match) for match in ids)
            assert world.documents(ids) == before
    finally:
        other.stop(10)


def test_a_restoration_beside_another_archive_is_refused(tmp_path: Path, bucket: str) -> None:
    backup = str(tmp_path / "backup")
    (tmp_path / "var").mkdir()
    (tmp_path / "var" / "signing-key").write_text("a key")
    server = EmbeddedRedis(tmp_path / "redis").start()
    other = EmbeddedRedis(tmp_path / "other").start()
    try:
        with closing(Redis(server.url)) as redis:
            ManualClock(redis)
            claim_secret(redis, SECRET)
            world = BucketWorld(redis, tmp_path, bucket)
            world.played(2)
            assert world.moved()
        assert kozyr(server.url, tmp_path / "var", "backup", backup).exit_code == 0
        elsewhere = {"KOZYR_ARCHIVE_URL": str(tmp_path / "elsewhere")}
        refused = kozyr(other.url, tmp_path / "var2", "restore", backup, **elsewhere)
        assert refused.exit_code == 1
        assert "lacks 1 of 1 objects that the data name, such as segments/" in refused.output
        with closing(Redis(other.url)) as redis:
            assert redis.one("DBSIZE") == 0
        assert not (tmp_path / "var2").exists()
        assert ObjectStore(tmp_path / "elsewhere").names("") == []
        repeated = kozyr(other.url, tmp_path / "var2", "restore", backup)
        assert repeated.exit_code == 0, repeated.output
        assert (tmp_path / "var2" / "signing-key").read_text() == "a key"
    finally:
        server.stop(10)
        other.stop(10)


def test_a_key_that_expires_during_a_restoration_does_not_live_for_ever(tmp_path: Path) -> None:
    class ExpiringRedis(Redis):
        """Answers as if keys had expired, or were about to, after their DUMP."""

        def run(self, commands: Sequence[Any]) -> list[Any]:
            found = super().run(commands)
            lives = {b"expired": -2, b"dying": 0}
            return (
                [lives.get(words[1], reply) for words, reply in zip(commands, found, strict=True)]
                if (commands[0][0] == "PTTL")
                else found
            )

    one, other = (EmbeddedRedis(tmp_path / name, appendfsync="no").start() for name in ("one", "other"))
    try:
        with closing(ExpiringRedis(one.url)) as source, closing(Redis(other.url)) as target:
            for key in ("expired", "dying", "kept"):
                source.one("SET", key, "x")
            restoring._copy_some(source, target, [b"expired", b"dying", b"kept"])
            assert target.one("EXISTS", "expired") == 0
            assert target.one("PTTL", "dying") in (-2, 0, 1)
            assert target.one("PTTL", "kept") == -1
    finally:
        one.stop()
        other.stop()

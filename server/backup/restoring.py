"""`kozyr restore`: puts a backup into an empty place and verifies it there."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from redisio.connection import Redis
from referee.archive.objects import ObjectStore
from referee.service.processes import PROCESSES_KEY
from referee.storage.redis_data_version import claim_secret
from server.backup import check, manifest
from server.backup.check import VerifiedData
from server.backup.manifest import ARCHIVE, SECRETS, SNAPSHOT, BackupManifest, BadBackup, UnreadableBackup
from server.config.folder import write_private
from server.config.settings import Settings
from server.embedded import EmbeddedRedis
from server.league_identity import LeagueIdentity, agreed

_CHUNK: Final = 512
_NO_TTL: Final = -1
_EXPIRED: Final = -2
"""Replies to PTTL."""
_FOR_EVER: Final = 0
"""The TTL of RESTORE for a key without one."""


class NotEmpty(RuntimeError):
    """The place to restore to has data. The message says where."""


def restore(settings: Settings, folder: Path) -> BackupManifest:
    """Restore a backup to the Redis, the archive and the folder of these settings, which must be empty.

    An archive that is not in the backup must have all that its data name; replaced files of the index are put back. The
    backup is verified before, and the restored data after. Raise `BadBackup`, `NotEmpty`, `OtherSecret`, `WrongLeague`,
    and what the embedded Redis and the archive raise.
    """
    made = manifest.read(folder, _secret(settings, folder))
    manifest.check_files(folder, made)
    _require_empty(settings, made)
    with tempfile.TemporaryDirectory(prefix="kozyr-restore-") as scratch:
        place = Path(scratch) / "redis"
        with check.loaded(folder / SNAPSHOT, place) as source:
            _match(made, check.verify(source, _saved_archive(folder) if made.has_archive else None))
            if settings.secret is not None:
                claim_secret(source, settings.secret)
            # Before anything is written: a refused restoration can then be repeated with another archive.
            coming = _saved_archive(folder) if made.has_archive or made.has_index else None
            identity = LeagueIdentity(source, settings)
            league, witnesses = identity.stored(), identity.witnesses()
            if witnesses:
                agreed(league, witnesses)
            check.require_objects(source, ObjectStore(settings.archive_place), coming)
            _restore_files(settings, folder, made)
            if league is not None:
                identity.keep(league)  # before the data: a start after half a restoration is refused
            if settings.redis_url is not None:
                _copy_keys(source, Redis(settings.redis_address, timeout=60.0))
    if settings.redis_url is None:
        own = settings.var / "redis"
        with check.loaded(folder / SNAPSHOT, own) as redis:
            check.keep(redis, own)
    with _target(settings) as redis:
        objects = ObjectStore(settings.archive_place) if made.has_archive else None
        # The processes of the backed-up service do not run here, and clocks must not wait for them.
        redis.one("DEL", PROCESSES_KEY)
        _match(made, check.verify(redis, objects))
    return made


def _secret(settings: Settings, folder: Path) -> str:
    """Return the secret that authenticates a backup: that of the settings, else its own. Raise `BadBackup`."""
    if settings.secret is not None:
        return settings.secret
    try:
        return (folder / "secret").read_text(encoding="utf-8").strip()
    except (OSError, ValueError):
        raise UnreadableBackup(
            "the backup does not contain the secret of its service, which authenticates it: set KOZYR_SECRET"
        ) from None


def _require_empty(settings: Settings, made: BackupManifest) -> None:
    """Raise `NotEmpty` if the restoration would meet other data."""
    if settings.redis_cluster:
        raise NotEmpty("a backup can't be restored into a Redis Cluster")
    var = settings.var
    kept = [var / name for name in SECRETS if (var / name).exists()]
    if settings.redis_url is None:
        redis = var / "redis"
        kept += [*redis.glob("appendonly*"), *redis.glob("*.rdb"), *redis.glob("redis.sock")]
    elif Redis(settings.redis_address).one("DBSIZE"):
        raise NotEmpty("the Redis of KOZYR_REDIS_URL has data: restore into an empty one")
    if kept:
        raise NotEmpty(f"{kept[0]} exists: restore into an empty folder (KOZYR_VAR), with no service running")
    if made.has_archive and ObjectStore(settings.archive_place).names(""):
        raise NotEmpty(f"the archive at {settings.archive_place} has objects: restore into an empty one")


def _restore_files(settings: Settings, folder: Path, made: BackupManifest) -> None:
    """Copy the secrets and the objects of the archive."""
    settings.var.mkdir(parents=True, exist_ok=True)
    for name in SECRETS:
        if name in made.files:
            write_private(settings.var / name, (folder / name).read_bytes())
    if made.has_archive or made.has_index:
        saved, target = _saved_archive(folder), ObjectStore(settings.archive_place)
        for name in saved.names(""):
            target.create(name, saved.read(name))


def _saved_archive(folder: Path) -> ObjectStore:
    return ObjectStore((folder / ARCHIVE).absolute())


@contextmanager
def _target(settings: Settings) -> Iterator[Redis]:
    if settings.redis_url is not None:
        yield Redis(settings.redis_address, timeout=60.0)
        return
    with check.running(EmbeddedRedis(settings.var / "redis")) as redis:
        yield redis


def _copy_keys(source: Redis, target: Redis) -> None:
    """Copy all keys with their TTLs."""
    cursor: Any = 0
    while True:
        cursor, keys = source.one("SCAN", cursor, "COUNT", _CHUNK)
        _copy_some(source, target, keys)
        if int(cursor) == 0:
            return


def _copy_some(source: Redis, target: Redis, keys: Sequence[bytes]) -> None:
    dumps = source.all([("DUMP", key) for key in keys])
    lives = source.all([("PTTL", key) for key in keys])
    commands = [
        ("RESTORE", key, _FOR_EVER if life == _NO_TTL else max(1, int(life)), dump, "REPLACE")
        for key, dump, life in zip(keys, dumps, lives, strict=True)
        if dump is not None and life != _EXPIRED
    ]
    target.all(commands)


def _match(made: BackupManifest, found: VerifiedData) -> None:
    """Raise `BadBackup` if the data are not those of the manifest. Keys may have expired since."""
    if (found.records, found.link, found.archived) != (made.records, made.link, made.archived):
        raise BadBackup("the data differ from the manifest of the backup: other records, or another chain")
    if found.keys > made.keys:
        raise BadBackup(f"the data have {found.keys} keys instead of {made.keys}")

"""`kozyr backup`: writes a backup of a running service and verifies it."""

from __future__ import annotations

import shutil
import tempfile
import time
from datetime import UTC, datetime
from errno import EEXIST
from importlib.metadata import version
from pathlib import Path
from typing import Final, NamedTuple

from redis.exceptions import RedisError

from redisio.address import client_for
from referee.archive.objects import ObjectStore, flush_folder
from referee.object_store import ArchiveAway, Objects
from referee.service.redis_load import BACKUP_FIELD, UPKEEP_KEY
from server.backup import check, manifest
from server.backup.manifest import ARCHIVE, SNAPSHOT, BackupManifest
from server.backup.snapshot import SnapshotError, fetch
from server.config.folder import write_private
from server.config.settings import Settings
from server.embedded import attached
from server.league_identity import LeagueIdentity
from server.stored_data import connected

_NAME: Final = "%Y-%m-%dT%H%M%SZ"
"""The form of the names that are instants."""


class Backup(NamedTuple):
    """A finished backup."""

    folder: Path
    manifest: BackupManifest
    warnings: tuple[str, ...]


def save(settings: Settings, folder: Path, *, archive: bool | None = None) -> Backup:
    """Write a backup into a new folder, which appears complete and verified or not at all.

    `archive` says whether to include the archive; by default if it is a folder. The index of the archive, whose files
    the service replaces by others, is always included. Raise `SnapshotError`, `BadBackup`, `OSError`, and what
    the embedded Redis and the archive raise.
    """
    if settings.redis_cluster:
        raise SnapshotError(
            "a Redis Cluster has no snapshot of one instant: back up each of its nodes with its own tools"
        )
    if folder.exists():
        raise FileExistsError(EEXIST, "exists already: name a new folder", str(folder))
    include = isinstance(settings.archive_place, Path) if archive is None else archive
    folder.parent.mkdir(parents=True, exist_ok=True)
    part = Path(tempfile.mkdtemp(prefix=f".{folder.name}-", dir=folder.parent))
    try:
        made, warnings = _write(settings, part, include=include)
        _flush_folders(part)
        part.rename(folder)
        flush_folder(folder.parent)
    except BaseException:
        shutil.rmtree(part, ignore_errors=True)
        raise
    return Backup(folder, made, (*warnings, *_noted(attached(settings).redis_address)))


def instant_name() -> str:
    """Return the name of a backup of this instant."""
    return datetime.now(UTC).strftime(_NAME)


def delete_old(folder: Path, keep: int) -> None:
    """Delete the backups with names of instants in a folder, but for the newest ones."""
    for old in sorted(path for path in folder.iterdir() if _is_instant(path.name))[:-keep]:
        shutil.rmtree(old)


def _is_instant(name: str) -> bool:
    try:
        datetime.strptime(name, _NAME).replace(tzinfo=UTC)
    except ValueError:
        return False
    return True


def _noted(url: str) -> tuple[str, ...]:
    """Note the time of this backup for the metrics. Return a warning if that fails."""
    client = client_for(url, timeout=30.0)
    try:
        client.hset(UPKEEP_KEY, BACKUP_FIELD, str(round(time.time() * 1000)))
    except RedisError as why:
        return (f"the metrics do not show this backup: {why}",)
    finally:
        client.close()
    return ()


def _write(settings: Settings, part: Path, *, include: bool) -> tuple[BackupManifest, tuple[str, ...]]:
    service = attached(settings)
    assert service.secret is not None, "attached settings have a secret"
    url = service.redis_address
    LeagueIdentity(
        connected(service), service
    ).claim()  # else a lost Redis would replace the last good backup
    server = server_of(url)
    fetch(url, part / SNAPSHOT)
    warnings = _keep_secrets(settings, part)
    source, target = ObjectStore(settings.archive_place), ObjectStore((part / ARCHIVE).absolute())
    if include:
        # After the snapshot: every object that it names exists by now.
        copy_archive(source, target)
    else:
        warnings = (*warnings, f"of the archive at {source.place}, only the index is included")
    with (
        tempfile.TemporaryDirectory(prefix=".check-", dir=part.parent) as scratch,
        check.loaded(part / SNAPSHOT, Path(scratch) / "redis") as redis,
    ):
        if not include:
            for name in sorted(check.named_objects(redis, source)[check.INDEX]):
                target.create(name, source.read(name))
            check.require_objects(redis, source)
        found = check.verify(redis, target if include else None)
    made = BackupManifest(
        created=datetime.now(UTC).isoformat(timespec="seconds"),
        release=version("kozyr"),
        data_version=found.data_version,
        server=server,
        keys=found.keys,
        records=found.records,
        link=found.link,
        archived=found.archived,
        archive=source.place,
        files=manifest.listed(part),
    )
    made.write(part, service.secret)
    manifest.check_files(part, manifest.read(part, service.secret))
    return made, warnings


def server_of(url: str) -> str:
    """Return maker and version of a server, as `server.embedded.ServerVersion` writes them."""
    client = client_for(url, timeout=30.0)
    try:
        info = client.info("server")
    finally:
        client.close()
    if "valkey_version" in info:
        return f"Valkey {info['valkey_version']}"
    return f"Redis {info['redis_version']}"


def _keep_secrets(settings: Settings, part: Path) -> tuple[str, ...]:
    """Copy the secrets that the service keeps in files, and return a warning for each of the others."""
    warnings = []
    for name, given in (("secret", settings.secret), ("signing-key", settings.signing_key)):
        kept = settings.var / name
        if given is None and kept.is_file():
            write_private(part / name, kept.read_bytes())
        else:
            variable = f"KOZYR_{name.replace('-', '_').upper()}"
            warnings.append(f"the backup does not contain {variable}: keep it elsewhere")
    return tuple(warnings)


def copy_archive(source: Objects, target: Objects) -> None:
    """Copy all objects. A file of the index that is replaced meanwhile may be missing. Raise `ArchiveAway`."""
    # The index first: its files stay for an hour after they were replaced (`referee.archive_index.index.RETIRED_MS`).
    for prefix in ("index/", "journal/", "segments/", "dumps/"):
        for name in source.names(prefix):
            try:
                data = source.read(name)
            except ArchiveAway:
                if name in source.names(prefix):
                    raise
                continue  # deleted meanwhile; the verification finds out whether the snapshot needs it
            target.create(name, data)


def _flush_folders(part: Path) -> None:
    for path in (part, *(path for path in part.rglob("*") if path.is_dir())):
        flush_folder(path)

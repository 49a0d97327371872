"""Verification of data: a scratch Redis loads the snapshot, and every record is compared with the hash chain."""

from __future__ import annotations

import shutil
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Final, NamedTuple

from records.chain import GENESIS, leads_to
from records.match.record import Record
from redisio.connection import Redis
from redisio.server import info_fields
from referee.archive.archiver import Archiver
from referee.archive.reader import ArchiveReader
from referee.archive.redis import RedisRegister
from referee.archive_index.index import ArchiveIndex
from referee.archive_index.manifest import Manifest
from referee.byte_cache import ByteCache
from referee.object_store import Objects
from referee.proofs.redis import RedisChain
from referee.storage.redis import RedisMatchStore
from referee.storage.redis_data_version import claim_data
from server.backup.manifest import BadBackup
from server.backup.rdb import check_snapshot
from server.embedded import EmbeddedRedis, EmbeddedRedisError, find_server

RDB: Final = "dump.rdb"
"""Where a Redis without an append-only file looks for its data. It loads values from there, and runs no commands."""
INDEX: Final = "index/"
SEGMENTS: Final = "segments/"
_CHUNK: Final = 256
_LOAD_S: Final = 600.0


class VerifiedData(NamedTuple):
    """What a verification found."""

    data_version: str
    keys: int
    records: int
    link: str
    """The last link of the chain, in hexadecimal; empty without one."""
    archived: int


@contextmanager
def loaded(snapshot: Path, folder: Path) -> Iterator[Redis]:
    """Copy a snapshot into an empty folder, check it, and run an embedded Redis with its data during the
    block. Raise `BadBackup` if it can't be loaded, or has more than values."""
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    shutil.copyfile(snapshot, folder / RDB)
    with running(EmbeddedRedis(folder, appendonly=False)) as redis:
        yield redis


@contextmanager
def running(server: EmbeddedRedis) -> Iterator[Redis]:
    """Run an embedded Redis during the block. Raise `BadBackup` if it can't load its data."""
    try:
        if not server.appendonly:
            server.binary = server.binary or find_server()
            check_snapshot(server.folder / RDB, server.binary, _LOAD_S)
        server.start(_LOAD_S)
    except EmbeddedRedisError as error:
        raise BadBackup(f"the snapshot can't be loaded: {error}") from error
    try:
        redis = Redis(server.url, timeout=60.0)
        with closing(redis):
            yield redis
    finally:
        server.stop(60.0)


def keep(redis: Redis, folder: Path) -> None:
    """Make an embedded Redis that has loaded a snapshot write the append-only file that a service starts with. Raise
    `BadBackup`."""
    redis.one("CONFIG", "SET", "appendonly", "yes")
    until = time.monotonic() + _LOAD_S
    while True:
        found = info_fields(redis.one("INFO", "persistence"))
        if found["aof_rewrite_in_progress"] == found["aof_rewrite_scheduled"] == "0":
            break
        if time.monotonic() > until:
            raise BadBackup(f"Redis did not write {folder} within {_LOAD_S:g} s")
        time.sleep(0.01)
    if found["aof_last_bgrewrite_status"] != "ok" or found["aof_enabled"] != "1":
        raise BadBackup(f"Redis could not write its append-only file in {folder}: is the disk full?")
    (folder / RDB).unlink()


def verify(redis: Redis, objects: Objects | None) -> VerifiedData:
    """Compare every record with the chain; with `objects`, also verify the segments and the index of the archive. Raise
    `BadBackup`."""
    register, chain, store = RedisRegister(redis), RedisChain(redis), RedisMatchStore(redis)
    if objects is not None:
        cache = ByteCache()
        index = ArchiveIndex(Manifest(redis), objects, cache)
        chain = RedisChain(redis, index)
        store = RedisMatchStore(redis, ArchiveReader(register, objects, index, cache))
        archiver = Archiver(register, objects, index, store, chain, lambda: 0)
        for fault in archiver.faults():
            raise BadBackup(f"index {fault.where}: {fault.wrong}")
        for entry, faults in archiver.verify():
            for fault in faults:
                raise BadBackup(f"segment {entry.name}: {fault.where}: {fault.wrong}")
    head, archived = chain.head(), register.archived()
    number = _verify_records(store, chain, register, archived)
    if head is not None and number != head.number:
        raise BadBackup(f"the chain has {head.number} records, and only {number} were found")
    return VerifiedData(
        claim_data(redis),
        int(redis.one("DBSIZE")),
        number,
        "" if head is None else head.link.hex(),
        archived,
    )


def named_objects(redis: Redis, objects: Objects) -> dict[str, set[str]]:
    """Return the objects of the archive that these data name and need, by prefix. Does not read the archive."""
    manifest = Manifest(redis)
    return {
        INDEX: {file.name for file in manifest.read().files()},
        "journal/": set(manifest.journal()),
        SEGMENTS: {entry.name for entry in RedisRegister(redis).segments()},
    }


def require_objects(redis: Redis, objects: Objects, coming: Objects | None = None) -> None:
    """Raise `BadBackup` if the archive lacks an object that these data name, also with those that are `coming` from
    another one. Raise `ArchiveAway`."""
    for prefix, names in named_objects(redis, objects).items():
        missing = names - set(objects.names(prefix)) if names else set[str]()
        if missing and coming is not None:
            missing -= set(coming.names(prefix))
        if missing:
            raise BadBackup(
                f"the archive at {objects.place} lacks {len(missing)} of {len(names)} objects that the data name, such "
                f"as {min(missing)}: name the archive of these data (KOZYR_ARCHIVE_URL)"
            )


def _verify_records(store: RedisMatchStore, chain: RedisChain, register: RedisRegister, archived: int) -> int:
    """Return the number of the last record. Raise `BadBackup` for the first that does not follow the one before."""
    number, last = archived, None if archived else GENESIS
    ids = register.waiting(1 << 40)
    for start in range(0, len(ids), _CHUNK):
        chunk = ids[start : start + _CHUNK]
        for match, snapshot, link in zip(chunk, store.read(chunk), chain.links(chunk), strict=True):
            number += 1
            if snapshot is None or link is None or link.number != number:
                raise BadBackup(f"match {match}, record {number} of the chain, is missing")
            record = Record(snapshot.config, snapshot.progress, snapshot.secret, snapshot.log)
            if last is not None and link.previous != last:
                raise BadBackup(f"record {number} does not follow the record before it")
            if not leads_to(link.previous, record.to_json(), link.link):
                raise BadBackup(f"match {match} differs from its link in the chain")
            last = link.link
    return number

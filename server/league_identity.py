"""The identity of a league, which Redis, the data folder and the archive share.

    kozyr:league  string  16 hexadecimal digits, written at the first start

The file `league` in KOZYR_VAR has the same if the embedded Redis keeps its data there, and so has the object `league`
of the archive. So a Redis that was flushed, lost or replaced is noticed beside the folder or the archive of a league.
"""

from __future__ import annotations

import logging
import re
import secrets
from pathlib import Path
from typing import Final, NamedTuple

from redisio.connection import Redis
from referee.archive.objects import ObjectStore, flush_folder
from referee.greenlets import RunInThread
from referee.object_store import ArchiveAway, ObjectMissing
from referee.storage.redis_data_version import UnknownDataVersion
from server.config.folder import usable, write_private
from server.config.settings import Settings
from server.embedded import socket_url

KEY: Final = "kozyr:league"
NAME: Final = "league"
"""The name of the file and of the object."""
_FORM: Final = re.compile(r"[0-9a-f]{16}")

log = logging.getLogger(__name__)


class WrongLeague(UnknownDataVersion):
    """Redis has lost the league of the folder or the archive, or holds another. The message says what to do."""


class LeagueWitness(NamedTuple):
    """A place that names a league."""

    place: str
    league: str


class LeagueIdentity:
    """The league of these settings. `fault` says why the last look at Redis was refused."""

    def __init__(
        self, redis: Redis, settings: Settings, run_in_thread: RunInThread = lambda call: call()
    ) -> None:
        self._redis, self._place = redis, settings.archive_place
        is_local = settings.redis_url in (None, socket_url(settings.var / "redis"))
        self._file = settings.var / NAME if is_local else None
        has_archive = is_local or settings.archive_url is not None
        self._objects = ObjectStore(self._place, run_in_thread) if has_archive else None
        self._league: str | None = None
        self.fault: str | None = None

    def claim(self) -> str:
        """Return the league that Redis holds, after comparing it with the folder and the archive. At the first start,
        make one. Raise `WrongLeague`, `UnusableFolder`, and redis-py's errors if Redis is away."""
        witnesses = self.witnesses()  # before Redis, which is the first to get an id
        if not witnesses:
            self._redis.one("SET", KEY, secrets.token_hex(8), "NX")
        league = agreed(self.stored(), witnesses)
        self.keep(league)
        return league

    def look(self) -> None:
        """Compare Redis with what this process has claimed, and set `fault`. Raise redis-py's errors."""
        try:
            if self._league is None:
                self._league = self.claim()
            else:
                agreed(self.stored(), [LeagueWitness("this process", self._league)])
        except WrongLeague as why:
            if self.fault is None:
                log.critical("%s", why)
            self.fault = str(why)
        else:
            self.fault = None

    def witnesses(self) -> list[LeagueWitness]:
        """Return what the folder and the archive say. An archive that is away says nothing."""
        found = [(self._file, self._in_file()), (f"the archive at {self._place}", self._in_archive())]
        return [LeagueWitness(str(place), league) for place, league in found if league is not None]

    def stored(self) -> str | None:
        """Return the league that Redis holds."""
        raw = self._redis.one("GET", KEY)
        return None if raw is None else raw.decode(errors="replace")

    def keep(self, league: str) -> None:
        """Write the league where it is missing, in the folder and in the archive. Raise `WrongLeague`."""
        if self._file is not None and self._in_file() is None:
            with usable(self._file.parent):
                _write(self._file, league)
        if self._objects is None:
            return
        try:
            if self._in_archive() is None:
                self._objects.create(NAME, f"{league}\n".encode())
        except ArchiveAway as why:
            log.warning("can't note the league in the archive: %s", why)
            return
        agreed(league, self.witnesses())  # another league may have been faster

    def _in_file(self) -> str | None:
        if self._file is None:
            return None
        try:
            with usable(self._file.parent):
                return _id_of(self._file.read_text(encoding="utf-8", errors="replace"))
        except OSError as why:
            if isinstance(why.__cause__, FileNotFoundError):
                return None
            raise

    def _in_archive(self) -> str | None:
        if self._objects is None or (isinstance(self._place, Path) and not (self._place / NAME).exists()):
            return None
        try:
            return _id_of(self._objects.read(NAME).decode(errors="replace"))
        except ObjectMissing:
            return None
        except ArchiveAway as why:
            log.warning("can't compare the league with the archive: %s", why)
            return None


def agreed(stored: str | None, witnesses: list[LeagueWitness]) -> str:
    """Return the stored league. Raise `WrongLeague` if a witness names another one."""
    for place, league in witnesses:
        if stored is None:
            raise WrongLeague(
                f"this Redis holds no league, but {place} belongs to league {league}: restore a backup (`kozyr "
                "restore`), or leave the old league (docs/operations.md#the-league-of-the-data)"
            )
        if stored != league:
            raise WrongLeague(
                f"this Redis holds league {stored}, but {place} belongs to league {league}: use those that belong "
                "together, restore a backup (`kozyr restore`), or leave the old league "
                "(docs/operations.md#the-league-of-the-data)"
            )
    assert stored is not None, "Redis got one if nobody names another"
    return stored


def _id_of(text: str) -> str | None:
    """Return the id in a text, or `None` for what a power cut left of it."""
    return text.strip() if _FORM.fullmatch(text.strip()) else None


def _write(path: Path, league: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f".{path.name}-{secrets.token_hex(8)}")
    write_private(part, f"{league}\n".encode())
    part.replace(path)
    flush_folder(path.parent)

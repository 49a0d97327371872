"""What a restoration trusts: a manifest that is signed with the secret, and a snapshot of nothing but values."""

from __future__ import annotations

import json
from contextlib import closing
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from kozyr.cli.main import main
from redisio.connection import Redis
from server import embedded
from server.backup import check, manifest
from server.backup.manifest import SIGNATURE, BadBackup
from server.config.settings import Settings
from server.embedded import EmbeddedRedis

SECRET = "s" * 32
COMMAND = b"*3\r\n$3\r\nSET\r\n$7\r\nplanted\r\n$1\r\n1\r\n"
"""What an append-only file would have a server do."""
END = b"\xff" + bytes(8)
"""The end of a snapshot that was written without a checksum."""


def kozyr(var: Path, *words: str, secret: str | None = SECRET, **more: str) -> Result:
    given = {} if secret is None else {"KOZYR_SECRET": secret}
    return CliRunner().invoke(main, words, env={"KOZYR_VAR": str(var), **given, **more})


@pytest.fixture
def backup(tmp_path: Path) -> Path:
    """Write the backup of an embedded Redis with one key."""
    var = tmp_path / "lost"
    server = embedded.of(Settings(var=var)).start()
    try:
        embedded.url_file(Settings(var=var)).write_text(server.url)
        with closing(Redis(server.url)) as redis:
            redis.one("SET", "kept", "once")
        done = kozyr(var, "backup", str(tmp_path / "backup"))
        assert done.exit_code == 0, done.output
    finally:
        server.stop()
    return tmp_path / "backup"


def refused(backup: Path, tmp_path: Path, secret: str | None = SECRET, status: int = 1) -> str:
    """Return why the restoration of a backup is refused. Nothing was written."""
    done = kozyr(tmp_path / "new", "restore", str(backup), secret=secret)
    assert done.exit_code == status, done.output
    assert not (tmp_path / "new").exists()
    assert done.output.count("\n") == 1
    return done.output


def test_a_restored_folder_has_an_append_only_file_that_the_server_wrote(
    backup: Path, tmp_path: Path
) -> None:
    done = kozyr(tmp_path / "new", "restore", str(backup))
    assert done.exit_code == 0, done.output
    folder = tmp_path / "new" / "redis"
    assert not (folder / check.RDB).exists()
    assert list(folder.glob("appendonly*"))
    server = EmbeddedRedis(folder).start()
    try:
        assert server.client().get("kept") == b"once"
    finally:
        server.stop()


def test_a_changed_manifest_is_refused(backup: Path, tmp_path: Path) -> None:
    data = json.loads((backup / manifest.NAME).read_text())
    data["keys"] += 1
    (backup / manifest.NAME).write_text(json.dumps(data))
    assert "is not signed with this KOZYR_SECRET" in refused(backup, tmp_path)


def test_an_unsigned_manifest_is_refused(backup: Path, tmp_path: Path) -> None:
    (backup / SIGNATURE).unlink()
    assert "is not signed with this KOZYR_SECRET" in refused(backup, tmp_path)


def test_a_backup_of_another_service_is_refused(backup: Path, tmp_path: Path) -> None:
    assert "is not signed with this KOZYR_SECRET" in refused(backup, tmp_path, secret="t" * 32)


def test_without_a_secret_the_refusal_names_the_setting(backup: Path, tmp_path: Path) -> None:
    assert "set KOZYR_SECRET" in refused(backup, tmp_path, secret=None, status=2)


def test_a_file_that_the_manifest_does_not_name_is_refused(backup: Path, tmp_path: Path) -> None:
    planted = backup / "archive" / "segments" / "planted.zst"
    planted.parent.mkdir(parents=True, exist_ok=True)
    planted.write_bytes(b"x")
    assert "archive/segments/planted.zst is not in the manifest" in refused(backup, tmp_path)


def test_commands_after_the_snapshot_are_refused_though_the_manifest_is_signed(
    backup: Path, tmp_path: Path
) -> None:
    with (backup / manifest.SNAPSHOT).open("ab") as file:
        file.write(COMMAND)
    for name in (manifest.NAME, SIGNATURE):
        data = (backup / name).read_bytes()
        (backup / name).unlink()
        if name == manifest.NAME:
            made = json.loads(data)
    del made["format"]
    signed = manifest.BackupManifest(**{**made, "files": manifest.listed(backup)})
    signed.write(backup, SECRET)
    assert f"goes on after its end: {len(COMMAND)} bytes follow" in refused(backup, tmp_path)


def text(data: bytes) -> bytes:
    """Return a string as a snapshot has it."""
    assert len(data) < 64
    return bytes([len(data)]) + data


FIELD = b"\xfa" + text(b"ctime") + text(b"0")
VALUE = b"\xfe\x00" + b"\x00" + text(b"key") + text(b"value")
LIBRARY = b"#!lua name=x\nredis.call('SET', 'planted', '1')"
FAKE = b"x'\n[offset 90] \\o/ RDB looks OK! \\o/\n'"
"""A field of the snapshot that a checker prints, with a line as the checker writes it."""


@pytest.mark.parametrize(
    ("snapshot", "why"),
    [
        (COMMAND, "not an RDB file"),
        (b"REDIS0009" + VALUE + END + COMMAND, "goes on after its end"),
        (b"REDIS0009" + VALUE + END + bytes(1), "goes on after its end"),
        (b"REDIS0009" + VALUE + b"\xfa" + text(b"ctime") + text(FAKE) + END + COMMAND, "goes on after its"),
        (b"REDIS0009" + VALUE + END[:-1], "can't be loaded"),
        (b"REDIS0009" + VALUE, "can't be loaded"),
        (b"REDIS0010" + FIELD + b"\xf5" + text(LIBRARY) + END, "functions|can't be loaded"),
        (
            b"REDIS0009" + b"\xfe\x00\x07" + text(b"key") + b"\x81" + bytes(8) + b"\x00" + END,
            "can't be",
        ),
    ],
    ids=["commands", "more", "zero", "forged line", "cut", "no end", "function", "module"],
)
def test_a_snapshot_with_more_than_values_is_not_loaded(tmp_path: Path, snapshot: bytes, why: str) -> None:
    (tmp_path / "redis.rdb").write_bytes(snapshot)
    with pytest.raises(BadBackup, match=why), check.loaded(tmp_path / "redis.rdb", tmp_path / "scratch"):
        pass


def test_a_snapshot_of_values_is_loaded(tmp_path: Path) -> None:
    (tmp_path / "redis.rdb").write_bytes(b"REDIS0009" + FIELD + VALUE + END)
    with check.loaded(tmp_path / "redis.rdb", tmp_path / "scratch") as redis:
        assert redis.one("GET", "key") == b"value"

"""An archive that any process finds away shows in the load of the service, until a process reaches it again."""

from __future__ import annotations

import contextlib
from pathlib import Path

import pytest

from redisio.connection import Redis
from referee.object_store import ArchiveAway
from server.config.settings import Settings
from server.container import Container


def test_what_the_api_finds_away_a_worker_finds_again(redis_url: str, tmp_path: Path) -> None:
    with contextlib.closing(Redis(redis_url)) as redis:
        redis.one("FLUSHALL")
    settings = Settings(redis_url=redis_url, var=tmp_path, secret="s" * 32, signing_key="0" * 64)
    api, worker = Container(settings), Container(settings)
    folder = tmp_path / "archive"
    folder.write_text("no folder")
    assert api.objects is not None
    with pytest.raises(ArchiveAway):
        api.objects.create("object", b"content")
    assert worker.load.is_archive_away()
    with pytest.raises(ArchiveAway):
        worker.archive_old()
    assert api.load.is_archive_away()
    folder.unlink()
    worker.archive_old()
    assert not api.load.is_archive_away()

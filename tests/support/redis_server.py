"""The redis-server of the tests: the packaged one, or the one named in the environment."""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path

import pytest

from server.embedded import EmbeddedRedisError, find_server, packaged_server, server_version

VARIABLE = "KOZYR_TEST_REDIS_SERVER"


def choose(config: pytest.Config) -> None:
    """Put the chosen server first on PATH as `redis-server`, where every process of a test finds it.

    Remove the variable, since Kozyr refuses unknown settings. Raise `pytest.UsageError` for an unusable server.
    """
    wanted = os.environ.pop(VARIABLE, "")
    found = shutil.which(wanted) if wanted else packaged_server()
    if found is None and not wanted:
        return  # a platform without a packaged server: the one on PATH, if any
    if found is None or not server_version(Path(found)).is_supported:
        raise pytest.UsageError(
            f"{VARIABLE}={wanted}: not a server of Redis 7.2 or newer, or of Valkey 8 or newer"
        )
    folder = Path(tempfile.mkdtemp(prefix="kozyr-server-"))
    config.add_cleanup(lambda: shutil.rmtree(folder, ignore_errors=True))
    (folder / "redis-server").symlink_to(Path(found).resolve())
    os.environ["PATH"] = f"{folder}{os.pathsep}{os.environ.get('PATH', '')}"


def described() -> str:
    """Return the line for pytest's header."""
    try:
        server = find_server()
    except EmbeddedRedisError as error:
        return f"redis-server: none ({error})"
    return f"redis-server: {server_version(server)} ({server.resolve()})"

"""The examples of docs/operations.md and docs/dataset.md that load the index of the archive and the dumps run.

`make test` installs their libraries; `tests/adapters/test_installed.py` fails without them. Hugging Face `datasets` is
too large to install for one line of docs/dataset.md.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from redisio.connection import Redis
from referee.dumps.writer import GRACE_MS
from tests.referee.test_dumps import DECEMBER, DumpWorld
from tests.referee.world import ManualClock

duckdb = pytest.importorskip("duckdb")
pd = pytest.importorskip("pandas")
pl = pytest.importorskip("polars")

DOCS = Path(__file__).resolve().parents[2] / "docs"
MATCHES = 7


def example(page: str, language: str, word: str) -> str:
    """Return the only block of a page in this language with this word."""
    blocks = re.findall(rf"^```{language}\n(.*?)^```$", (DOCS / page).read_text(), re.MULTILINE | re.DOTALL)
    (found,) = (block for block in blocks if word in block)
    return str(found)


@pytest.fixture
def world(redis: Redis, clock: ManualClock, tmp_path: Path) -> DumpWorld:
    """An archive of a month with seven matches."""
    world = DumpWorld(redis, tmp_path / "archive")
    world.played(MATCHES)
    world.now = DECEMBER + GRACE_MS
    world.archive_all()
    return world


@pytest.fixture
def downloads(world: DumpWorld, tmp_path: Path) -> Path:
    """A folder with the files of the dump of that month."""
    (dump,) = world.dumped(DECEMBER + GRACE_MS)
    folder = tmp_path / "downloads"
    folder.mkdir()
    for kind in dict.fromkeys(file.kind for file in dump.files):
        names = [file.name for file in dump.files if file.kind == kind]
        for name, data in zip(names, world.content(dump, kind), strict=True):
            (folder / name).write_bytes(data)
    return folder


def test_duckdb_reads_the_index_of_the_archive(world: DumpWorld) -> None:
    query = example("operations.md", "sql", "DISTINCT ON").replace("var/archive", str(world.folder))
    assert duckdb.sql(query).fetchall() == [("durak", "rules", MATCHES)]


def test_pandas_reads_a_dump(downloads: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code = example("dataset.md", "python", "pandas").replace("2026-10", "2025-11")
    code = re.sub(r"http://\S*/(?=\")", f"{downloads}/", code)
    exec(compile(code, "docs/dataset.md", "exec"), {})
    assert "durak" in capsys.readouterr().out


def test_duckdb_reads_a_dump(downloads: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(downloads)
    query = example("dataset.md", "sql", "decisions-").replace("2026-10", "2025-11")
    found = duckdb.sql(query).fetchall()
    assert {game for game, *_ in found} == {"durak"}

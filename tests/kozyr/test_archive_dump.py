"""`kozyr archive dump`: writes the dumps up to a month, and says what is in the way."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from kozyr.cli.main import main
from league.container.referee import RefereeContainer
from redisio.connection import Redis
from referee.dumps import months
from tests.referee.archived import ArchivedWorld
from tests.referee.world import ManualClock

DECEMBER = months.start_of("2025-12")


@pytest.fixture
def world(redis_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ArchivedWorld]:
    redis = Redis(redis_url)
    redis.run([("FLUSHALL",)])
    ManualClock(redis)
    world = ArchivedWorld(redis, tmp_path / "archive")

    def parts() -> RefereeContainer:
        return RefereeContainer(replace(world.options, now=lambda: world.now))

    monkeypatch.setattr("server.commands.archive.container", parts)
    yield world
    redis.close()


def dump(*words: str) -> Result:
    return CliRunner().invoke(main, ["archive", "dump", *words])


def test_a_month_is_dumped_at_once_and_again_without_effect(world: ArchivedWorld) -> None:
    world.played(3)
    world.now = DECEMBER + 5_000
    world.moved()
    done = dump("2025-11", "--json")
    assert done.exit_code == 0, done.output
    found = json.loads(done.stdout)
    assert (found["month"], found["matches"], found["late"]) == ("2025-11", 3, 0)
    again = dump("2025-11")
    assert again.exit_code == 0
    assert again.stdout.startswith(f"2025-11: 3 matches, {found['decisions']} decisions\n")
    for file in found["files"]:
        assert f"{file['sha256']}  {file['size']:>12}  {file['name']}" in again.stdout


def test_a_month_before_the_first_match_has_no_dump(world: ArchivedWorld) -> None:
    world.played(1)
    world.now = DECEMBER + 5_000
    world.moved()
    done = dump("2025-01")
    assert (done.exit_code, done.stdout) == (0, "no match belongs to 2025-01, so it has no dump\n")


def test_a_month_that_is_not_over_or_not_archived_is_refused(world: ArchivedWorld) -> None:
    world.played(2)
    world.moved(most=1)
    early = dump("2025-11")
    assert early.exit_code == 1
    assert "2025-11 can't be dumped yet: it is not over" in early.stderr
    world.now = DECEMBER + 86_400_000
    waiting = dump("2025-11")
    assert waiting.exit_code == 1
    assert "move its matches to the archive first: kozyr archive run --days 1.00" in waiting.stderr
    world.moved()
    assert dump("2025-11").exit_code == 0


@pytest.mark.parametrize("text", ["2025-13", "november", "2025"])
def test_other_texts_are_refused(text: str) -> None:
    refused = dump(text)
    assert refused.exit_code == 2
    assert "is no month such as 2026-11" in refused.stderr

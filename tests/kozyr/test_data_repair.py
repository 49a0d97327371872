"""`kozyr data check` and `kozyr data repair`: lines, JSON, statuses, and a service that runs."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from kozyr.cli.main import main
from league.consistency.check import Consistency, Report
from league.consistency.model import Contradiction
from redisio.connection import Redis
from referee.service.processes import ProcessKind
from referee.storage.redis_index import list_key
from server.config.settings import Settings
from server.container import Container
from server.heartbeats import this_process
from tests.support.league import LeagueWorld, WallClock


@pytest.fixture
def league(redis_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[LeagueWorld]:
    """A league of which a round has been played, and which the commands find."""
    with contextlib.closing(Redis(redis_url)) as redis:
        redis.one("FLUSHALL")
        settings = Settings(redis_url=redis_url, var=tmp_path, secret="s" * 32, signing_key="0" * 64)
        monkeypatch.setattr("server.commands.data.container", lambda: Container(settings))
        world = LeagueWorld(redis, WallClock())
        ladder = world.ladder("a1", "a2")
        world.finish(ladder.id, world.rounds.start(ladder.id).number)
        yield world


def unlist(league: LeagueWorld) -> str:
    """Remove a match from a list. Return its id."""
    match = next(league.matches()).id
    league.redis.one("ZREM", list_key("all", "ended"), match)
    return match


def data(*words: str) -> Result:
    return CliRunner().invoke(main, ["data", *words])


def test_whole_data_have_status_0(league: LeagueWorld) -> None:
    for command in (["check"], ["repair"]):
        done = data(*command)
        assert done.exit_code == 0, done.output
    assert data("check").stdout == "contradictions: 0\n"
    assert json.loads(data("check", "--json").stdout) == {"contradictions": []}


def test_each_contradiction_has_a_line_with_its_ids(league: LeagueWorld) -> None:
    match = unlist(league)
    found = data("check")
    assert found.exit_code == 1
    line, total = found.stdout.splitlines()
    assert line.startswith("unlisted")
    assert f"match {match}" in line
    assert total == "contradictions: 1"
    (only,) = json.loads(data("check", "--json").stdout)["contradictions"]
    assert (only["kind"], only["match"], only["repairable"]) == ("unlisted", match, True)


def test_a_check_changes_nothing_and_a_repair_leaves_nothing(league: LeagueWorld) -> None:
    unlist(league)
    assert data("check").exit_code == 1
    assert data("check").exit_code == 1
    repaired = data("repair")
    assert repaired.exit_code == 0
    assert repaired.stdout.startswith("repaired  unlisted")
    assert repaired.stdout.endswith("repaired: 1, left: 0\n")
    assert data("check").exit_code == 0
    assert json.loads(data("repair", "--json").stdout) == {"repaired": [], "left": []}


def test_two_repairs_never_run_at_once(league: LeagueWorld, monkeypatch: pytest.MonkeyPatch) -> None:
    unlist(league)
    repair, others = Consistency.repair, list[Result]()

    def beside_another(consistency: Consistency, report: Report) -> list[Contradiction]:
        with monkeypatch.context() as patch:
            patch.setattr(Consistency, "repair", repair)
            others.append(data("repair"))
        return repair(consistency, report)

    with monkeypatch.context() as patch:
        patch.setattr(Consistency, "repair", beside_another)
        assert data("repair").stdout.endswith("repaired: 1, left: 0\n")
    (other,) = others
    assert (other.exit_code, other.stdout) == (1, "")
    assert other.stderr == "kozyr: another repair runs, or was killed within the last minute\n"
    assert data("repair").stdout == "repaired: 0, left: 0\n"


def test_nothing_is_repaired_while_a_process_runs(league: LeagueWorld) -> None:
    unlist(league)
    clock = this_process(ProcessKind.CLOCK)
    league.processes.heartbeat(clock)
    refused = data("repair")
    assert refused.exit_code == 1
    assert f"stop the service first; these processes run: {clock.name}" in refused.output
    league.processes.leave([clock.name])
    assert data("repair").exit_code == 0

"""The files in deploy/ and the docs agree with the service."""

from __future__ import annotations

import configparser
import re
from pathlib import Path

import pytest
import yaml

from kozyr.cli.main import main
from kozyr.config.settings import OTHER_VARIABLES, Settings, rows
from tests.support import redis_server

ROOT = Path(__file__).resolve().parents[2]
FILES = sorted(path for path in (ROOT / "deploy").rglob("*") if path.is_file())
PAGES = [*FILES, ROOT / "docs" / "operations.md", ROOT / "Makefile"]
UNITS = [path for path in FILES if path.suffix == ".service"]


@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.name)
def test_every_setting_and_command_that_is_named_exists(page: Path) -> None:
    text = page.read_text()
    known = {row.variable for row in rows().values()} | OTHER_VARIABLES | {redis_server.VARIABLE}
    assert set(re.findall(r"KOZYR_[A-Z_]*[A-Z]", text)) <= known
    assert set(re.findall(r"`kozyr ([a-z]+)", text)) <= set(main.commands)


@pytest.mark.parametrize("path", UNITS, ids=lambda path: path.name)
def test_a_unit_runs_a_command_of_ours(path: Path) -> None:
    unit = configparser.RawConfigParser(strict=False)
    unit.optionxform = str  # type: ignore[assignment,method-assign]  # keys as they are written
    unit.read(path)
    command, name = unit["Service"]["ExecStart"].split()
    assert command.endswith("/kozyr")
    assert name in main.commands


def test_the_containers_run_commands_of_ours() -> None:
    services = yaml.safe_load((ROOT / "deploy" / "compose.yaml").read_text())["services"]
    assert {service["command"][0] for name, service in services.items() if name != "redis"} <= set(
        main.commands
    )


def test_nginx_waits_longer_than_a_poll_and_closes_before_the_api_does() -> None:
    site = (ROOT / "deploy" / "nginx.conf").read_text()
    waits = int(re.search(r"proxy_read_timeout (\d+)s", site)[1])  # type: ignore[index]  # it is there
    closes = int(re.search(r"upstream kozyr \{.*?keepalive_timeout (\d+)s", site, re.DOTALL)[1])  # type: ignore[index]
    assert waits > Settings().max_wait_s
    assert closes < Settings().keepalive_s

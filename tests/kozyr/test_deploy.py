"""The files in deploy/ and the docs agree with the service."""

from __future__ import annotations

import configparser
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from server.config.settings import OTHER_VARIABLES, Settings, load, rows
from tests.support import redis_server
from tests.support.commands import COMMANDS

ROOT = Path(__file__).resolve().parents[2]
FILES = sorted(path for path in (ROOT / "deploy").rglob("*") if path.is_file())
PAGES = [*FILES, ROOT / "docs" / "operations.md", ROOT / "Makefile"]
UNITS = [path for path in FILES if path.suffix == ".service"]


@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.name)
def test_every_setting_and_command_that_is_named_exists(page: Path) -> None:
    text = page.read_text()
    known = {row.variable for row in rows().values()} | OTHER_VARIABLES | {redis_server.VARIABLE}
    assert set(re.findall(r"KOZYR_[A-Z_]*[A-Z]", text)) <= known
    assert set(re.findall(r"`kozyr ([a-z]+(?:-[a-z]+)*)", text)) <= set(COMMANDS)


@pytest.mark.parametrize("path", UNITS, ids=lambda path: path.name)
def test_a_unit_runs_a_command_of_ours(path: Path) -> None:
    unit = configparser.RawConfigParser(strict=False)
    unit.optionxform = str  # type: ignore[assignment,method-assign]  # keys as they are written
    unit.read(path)
    command, name, *_ = unit["Service"]["ExecStart"].split()
    assert command.endswith("/kozyr")
    assert name in COMMANDS


@pytest.mark.parametrize("path", UNITS, ids=lambda path: path.name)
def test_a_unit_is_hardened(path: Path) -> None:
    """Below 4 is "OK"; a unit without hardening has 9.6."""
    if shutil.which("systemd-analyze") is None:
        pytest.skip("needs systemd-analyze (Debian: systemd)")
    done = subprocess.run(
        ["systemd-analyze", "security", "--offline=true", "--threshold=39", path],
        capture_output=True,
        text=True,
        check=False,
    )
    score = re.search(r"Overall exposure level for \S+: ([\d.]+)", done.stdout)
    assert score is not None, done.stdout + done.stderr
    assert float(score[1]) < 4
    assert done.returncode == 0


def test_the_target_wants_every_unit() -> None:
    target = (ROOT / "deploy" / "systemd" / "kozyr.target").read_text()
    for path in UNITS:
        runs_once = "Type=oneshot" in path.read_text()
        wanted = path.with_suffix(".timer").name if runs_once else path.name.replace("@.", "@1.")
        assert wanted in target
        assert path.with_name(wanted.replace("@1.", "@.")).exists()


def test_the_example_environment_is_valid_once_the_secrets_are_set() -> None:
    lines = (ROOT / "deploy" / "environment.example").read_text().splitlines()
    found = dict(line.split("=", 1) for line in lines if line and not line.startswith("#"))
    assert [name for name, value in found.items() if not value] == ["KOZYR_SECRET", "KOZYR_SIGNING_KEY"]
    load({**found, "KOZYR_SECRET": "s" * 32, "KOZYR_SIGNING_KEY": "ab" * 32})


def test_redis_in_the_containers_asks_for_the_password_of_the_processes() -> None:
    redis = yaml.safe_load((ROOT / "deploy" / "compose.yaml").read_text())["services"]["redis"]
    *_, option, password = redis["command"]
    assert option == "--requirepass"
    assert redis["environment"]["REDISCLI_AUTH"] == password
    assert password.startswith("${REDIS_PASSWORD:?")


@pytest.mark.parametrize(
    "words",
    [
        ("check-jsonschema", "--builtin-schema", "vendor.compose-spec", ROOT / "deploy" / "compose.yaml"),
        ("hadolint", ROOT / "deploy" / "Dockerfile"),
    ],
    ids=lambda words: words[0],
)
def test_a_checker_of_such_files_finds_nothing(words: tuple[str | Path, ...]) -> None:
    program = Path(sys.executable).parent / words[0]
    done = subprocess.run([program, *words[1:]], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_every_container_has_a_health_check_and_a_root_that_nobody_writes() -> None:
    compose = yaml.safe_load((ROOT / "deploy" / "compose.yaml").read_text())
    for name, service in compose["services"].items():
        assert service["read_only"] is True, name
        assert service["cap_drop"] == ["ALL"], name
        assert service["healthcheck"]["test"], name
        for volume in service["volumes"]:
            source = volume.split(":")[0]
            assert source in compose["volumes"] or (ROOT / "deploy" / source).is_file(), name


def test_the_processes_of_the_containers_have_valid_settings() -> None:
    services = yaml.safe_load((ROOT / "deploy" / "compose.yaml").read_text())["services"]
    environment = services["api"]["environment"]
    given = {
        "KOZYR_SECRET": "s" * 32,
        "KOZYR_SIGNING_KEY": "ab" * 32,
        "KOZYR_REDIS_URL": re.sub(r"\$\{REDIS_PASSWORD:\?[^}]*\}", "pass1", environment["KOZYR_REDIS_URL"]),
    }
    for name in ("api", "clock", "worker"):
        settings = {
            variable: given.get(variable) or re.sub(r"\$\{\w+:-(.*)\}", r"\1", value)
            for variable, value in services[name]["environment"].items()
        }
        assert load(settings).hot_ms > 0
        assert load(settings).redis_url == "redis://:pass1@redis:6379/0"
        assert services[name]["healthcheck"]["test"] == ["CMD", "kozyr", "healthy", name]


def test_nginx_waits_longer_than_a_poll_and_closes_before_the_api_does() -> None:
    site = (ROOT / "deploy" / "nginx.conf").read_text()
    waits = int(re.search(r"proxy_read_timeout (\d+)s", site)[1])  # type: ignore[index]  # it is there
    closes = int(re.search(r"upstream kozyr \{.*?keepalive_timeout (\d+)s", site, re.DOTALL)[1])  # type: ignore[index]
    assert waits > Settings().max_wait_s
    assert closes < Settings().keepalive_s


def test_every_foreign_image_names_a_release_and_its_digest() -> None:
    pages = [ROOT / "deploy" / "Dockerfile", *sorted((ROOT / "deploy").rglob("*.yaml"))]
    text = "\n".join(page.read_text(encoding="utf-8") for page in pages)
    images = set(re.findall(r"^\s*(?:-\s*)?(?:image:|FROM) ([^\s]+)", text, re.MULTILINE)) - {"kozyr"}
    assert images
    assert [each for each in images if not re.search(r":v?\d[^@]*@sha256:[0-9a-f]{64}$", each)] == []

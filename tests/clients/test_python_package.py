"""The package `kozyr-client` as its users get it: the quick start of its README, and its starter.

Run with `make clients`. The package is installed into an empty environment, with httpx from the package index.
"""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
import venv
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.clients.languages import CLIENTS, run
from tests.live.league import LiveLeague
from tests.support.live import ROOT, LiveService
from tests.support.waiting import eventually

pytestmark = [pytest.mark.clients, pytest.mark.live]

FOLDER = CLIENTS / "python"


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveService]:
    with LiveService(tmp_path_factory.mktemp("python")) as service:
        yield service


@pytest.fixture(scope="module")
def python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The interpreter of an environment with nothing but the package."""
    home = tmp_path_factory.mktemp("client") / "venv"
    venv.create(home, with_pip=True)
    shutil.copytree(FOLDER, home.parent / "source", ignore=shutil.ignore_patterns("*.egg-info", "build"))
    run([str(home / "bin" / "pip"), "install", "--quiet", str(home.parent / "source")], home)
    return home / "bin" / "python"


def test_the_package_needs_httpx_alone_and_knows_its_version(python: Path, tmp_path: Path) -> None:
    script = (
        "import kozyr_client, sys, importlib.metadata as m\n"
        "assert m.version('kozyr-client') == kozyr_client.__version__\n"
        "assert m.requires('kozyr-client') == ['httpx<1,>=0.28'], m.requires('kozyr-client')\n"
        "assert (__import__('pathlib').Path(kozyr_client.__file__).parent / 'py.typed').exists()\n"
        "assert not {'flask', 'redis', 'click', 'engine'} & sys.modules.keys()\n"
    )
    run([str(python), "-c", script], tmp_path)


def test_the_quick_start_works_as_pasted(service: LiveService, tmp_path: Path) -> None:
    blocks = re.findall(r"```sh\n(.*?)```", (FOLDER / "README.md").read_text(), re.DOTALL)
    script = "\n".join(["set -eu", *blocks])
    for old, new in (
        ("http://127.0.0.1:8000", service.url),
        ("~/kozyr", str(ROOT)),
        ('"example"', '"pasted-python"'),
        ("example/", "pasted-python/"),
    ):
        assert old in script, f"the quick start does not mention {old}"
        script = script.replace(old, new)
    printed = tmp_path / "printed"
    with printed.open("wb") as out:
        process = subprocess.Popen(
            ["bash", "-c", script], cwd=tmp_path, stdout=out, stderr=out, start_new_session=True
        )
    try:
        eventually(lambda: "place " in printed.read_text(), 300, "the first match ends")
    finally:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def test_the_starter_passes_the_conformance_check(service: LiveService, python: Path, tmp_path: Path) -> None:
    folder = tmp_path / "bot"
    shutil.copytree(FOLDER / "template", folder)
    run([str(python), "-m", "unittest"], folder)
    bot = LiveLeague(service, "starter-python").bot("starter")
    check = [sys.executable, "-m", "kozyr", "check", service.url, "--token", bot.token]
    output = run([*check, "--", str(python), "bot.py"], folder, 120, PYTHONPATH=str(ROOT))
    assert output.splitlines()[-1] == "passed"

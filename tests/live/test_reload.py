"""A reload of the API (SIGHUP) runs the code on disk: the rules, and what gunicorn's master has imported."""

from __future__ import annotations

import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from kozyr.serve.master import PACKAGES
from tests.support.live import ROOT, LiveService
from tests.support.waiting import eventually

pytestmark = pytest.mark.live

LOADED = "import sys, kozyr.serve.gunicorn_conf, kozyr.serve.server; print(*sorted(sys.modules))"


def test_a_reload_loads_the_code_on_disk(tmp_path: Path) -> None:
    code = tmp_path / "code"
    for package in PACKAGES - {"adapters", "kozyr_client"}:
        left_out = shutil.ignore_patterns("clients", "__pycache__")
        shutil.copytree(ROOT / package, code / package, ignore=left_out)
    command = ["sh", "-c", 'cd "$0" && exec "$@"', str(code), sys.executable, "-m", "kozyr", "api"]
    with (
        LiveService(tmp_path, ("redis", "api"), commands={"api": command}) as service,
        service.http() as http,
    ):

        def titles() -> list[str]:
            return [game["title"]["en"] for game in http.get("/v1/games").json()["games"]]

        assert "Podkidnoy Durak" in titles()
        before = service.api_workers()
        for path, old, new in (
            ("referee/timings.py", "class RefereeTimings(", 'NAME = "New Durak"\n\n\nclass RefereeTimings('),
            ("engine/games/durak.py", '"Podkidnoy Durak"', "__import__('referee.timings').timings.NAME"),
        ):
            text = (code / path).read_text()
            assert text.count(old) == 1, path
            (code / path).write_text(text.replace(old, new))
        service.signal("api", signal.SIGHUP)
        eventually(lambda: not set(before) & set(service.api_workers()), "new workers serve")
        eventually(lambda: "New Durak" in titles(), "the new rules are loaded")
        assert "Podkidnoy Durak" not in titles()


def test_the_master_imports_nothing_that_a_reload_could_not_replace() -> None:
    answer = subprocess.run(
        [sys.executable, "-c", LOADED], capture_output=True, text=True, check=True, cwd=ROOT
    )
    loaded = set(answer.stdout.split())
    assert "kozyr.serve.server" in loaded
    assert not loaded & {"engine", "bots", "league", "web", "workers", "flask", "redis"}

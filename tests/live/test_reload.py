"""A reload of the API (SIGHUP) runs the code on disk: the rules, and what gunicorn's master has imported."""

from __future__ import annotations

import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from server.master import PACKAGES
from tests.support.live import ROOT, LiveService
from tests.support.waiting import eventually

pytestmark = pytest.mark.live

LOADED = "import sys, server.gunicorn_conf, server.gunicorn_worker; print(*sorted(sys.modules))"


@pytest.mark.ci
def test_a_reload_loads_the_code_on_disk(tmp_path: Path) -> None:
    code = tmp_path / "code"
    for package in PACKAGES - {"adapters", "kozyr_client"}:
        left_out = shutil.ignore_patterns("__pycache__")
        shutil.copytree(ROOT / package, code / package, symlinks=True, ignore=left_out)
    for linked in ("clients", "examples"):  # what the starters lead to
        (code / linked).symlink_to(ROOT / linked)
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

        # Code that can't be loaded is not taken over.
        kept, rules = service.api_workers(), code / "engine/games/durak.py"
        text = rules.read_text()
        counted = counting_processes(service)
        rules.write_text(text.replace("from __future__", "from __past__"))
        service.signal("api", signal.SIGHUP)
        eventually(lambda: "Not reloaded" in service.log("api"), "the reload is refused")
        assert "engine/games/durak.py" in service.log("api")
        assert "__past__" in service.log("api")
        assert (service.api_workers(), "New Durak" in titles()) == (kept, True)
        assert counting_processes(service) == counted, "the trial leaves no metrics"

        rules.write_text(text)
        service.signal("api", signal.SIGHUP)
        eventually(lambda: not set(kept) & set(service.api_workers()), "workers with mended code serve")
        eventually(lambda: "New Durak" in titles())


def counting_processes(service: LiveService) -> set[str]:
    """Return the ids of the processes that have files of metrics."""
    return {path.stem.rpartition("_")[2] for path in (service.settings.var / "metrics").iterdir()}


def test_the_master_imports_nothing_that_a_reload_could_not_replace() -> None:
    answer = subprocess.run(
        [sys.executable, "-c", LOADED], capture_output=True, text=True, check=True, cwd=ROOT
    )
    loaded = set(answer.stdout.split())
    assert "server.gunicorn_worker" in loaded
    assert not loaded & {"engine", "bots", "league", "web", "workers", "flask", "redis"}

"""The steps of deploy/Dockerfile, run in a clean folder instead of an image, and their result run by another user.

Installs the locked packages, so it takes minutes.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.live import LiveService
from tests.support.waiting import eventually

pytestmark = [pytest.mark.live, pytest.mark.soak]

ROOT = Path(__file__).resolve().parents[2]
STAGES = (ROOT / "deploy" / "Dockerfile").read_text().split("\nFROM ")
USER = 10001


def public_python() -> str:
    """Return a Python that other users may run, too: this one, else that of the system. Skip the test without one."""
    for python in (sys.executable, "/usr/bin/python3"):
        real = Path(python).resolve()
        enough = "import ensurepip, sys; sys.exit(sys.version_info < (3, 11))"
        if all(folder.stat().st_mode & 0o001 for folder in real.parents) and not subprocess.call(
            [python, "-c", enough], stderr=subprocess.DEVNULL
        ):
            return python
    pytest.skip("needs a Python 3.11 outside the folders of one user, with venv (Debian: python3-venv)")


@pytest.fixture(scope="module")
def image() -> Iterator[Path]:
    """A folder that any user can read, with the result of the build stage in opt/kozyr."""
    python = public_python()
    folder = Path(tempfile.mkdtemp(prefix="kozyr-image-"))
    folder.chmod(0o755)
    (folder / "opt").mkdir()
    source = folder / "src"
    files = subprocess.run(
        ["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout.splitlines()
    for name in files:
        if not name.startswith(("tests/", ".github/", "docs/adr/")):  # Dockerfile.dockerignore
            (source / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, source / name, follow_symlinks=False)
    build = next(stage for stage in STAGES if "AS build" in stage)
    for step in re.findall(r"^RUN (.*)$", build, re.MULTILINE):
        words = step.replace("python -m venv", f"{python} -m venv").replace("/opt/", f"{folder}/opt/")
        subprocess.run(["sh", "-ec", words], cwd=source, check=True)
    yield folder
    shutil.rmtree(folder)


def test_the_result_runs_as_another_user(image: Path) -> None:
    if os.getuid() != 0:
        pytest.skip("needs root, to become another user")
    kozyr = image / "opt" / "kozyr" / "bin" / "kozyr"
    var = image / "var"
    var.mkdir(mode=0o700)
    os.chown(var, USER, USER)
    become = ["setpriv", f"--reuid={USER}", f"--regid={USER}", "--clear-groups", "--no-new-privs"]
    commands = {name: [*become, str(kozyr), name] for name in ("redis", "api", "clock", "worker")}
    settings = {"KOZYR_VAR": str(var), "PYTHONPATH": "", "PYTHONDONTWRITEBYTECODE": "1"}
    with LiveService(image, commands=commands, settings=settings) as service:
        assert Path(f"/proc/{service.pid('api')}").stat().st_uid == USER
        for kind in ("api", "clock", "worker"):
            check = [*become, str(kozyr), "healthy", kind]
            eventually(
                lambda check=check: (
                    subprocess.run(check, env=service.environment, check=False).returncode == 0
                ),
                f"the {kind} is healthy",
            )
        service.kill("worker")
        check = [*become, str(kozyr), "healthy", "worker"]
        eventually(lambda: subprocess.run(check, env=service.environment, check=False).returncode == 1)

"""Build the distributions `kozyr` and `kozyr-client` into dist/, and check that they work.

`twine check` reads their metadata. Then each is installed into an empty environment, the server from one starts, and a
bot with the client from the other plays a match.
"""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
import venv
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parent.parent
DIST: Final = ROOT / "dist"
PROJECTS: Final = {"kozyr-client": ROOT / "clients" / "python", "kozyr": ROOT}
"""The folder of each distribution, dependencies first."""
STARTING_S: Final = 90.0
MATCH: Final = """
from kozyr_client import Client

with Client() as client:
    token = client.register_owner("packages")["token"]
with Client(token=token) as owner:
    bot = owner.create_bot("first")["token"]
with Client(token=bot) as client:
    match = client.create_match("durak", ["packages/first", "house/greedy"])["id"]
    (over,) = client.play(lambda turn: turn.legal_moves[0], until_finished=match)
assert over.ending == "rules", over
print("played a match:", over.match)
"""


def run(*command: str | Path, **environment: str) -> None:
    """Run a command without this checkout in its environment. Raise `CalledProcessError`."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("KOZYR_", "PYTHON"))}
    subprocess.run(command, check=True, cwd=tempfile.gettempdir(), env=kept | environment)


def environment(folder: Path, *packages: str | Path) -> Path:
    """Create a virtual environment with these packages. Return its folder of programs."""
    venv.create(folder, with_pip=True)
    run(folder / "bin" / "pip", "--disable-pip-version-check", "install", "--quiet", *packages)
    return folder / "bin"


def build(tools: Path) -> dict[str, Path]:
    """Build and check a source distribution and a wheel of each project. Return the wheels by project."""
    shutil.rmtree(DIST, ignore_errors=True)
    wheels = {}
    for name, folder in PROJECTS.items():
        run(tools / "python", "-m", "build", "--outdir", DIST / name, folder)
        run(tools / "twine", "check", "--strict", *(DIST / name).iterdir())
        (wheels[name],) = (DIST / name).glob("*.whl")
    return wheels


@contextmanager
def served(programs: Path, folder: Path) -> Iterator[str]:
    """Run `kozyr up` in a folder. Yield its address."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    url = f"http://127.0.0.1:{port}"
    kept = {"PATH": os.environ["PATH"], "KOZYR_PORT": str(port)}
    service = subprocess.Popen([programs / "kozyr", "up", "--no-demo"], cwd=folder, env=kept)
    try:
        until = time.monotonic() + STARTING_S
        while not _is_ready(url):
            if time.monotonic() > until or service.poll() is not None:
                sys.exit("the installed service does not start")
            time.sleep(0.2)
        yield url
    finally:
        service.send_signal(signal.SIGINT)
        service.wait(60)


def _is_ready(url: str) -> bool:
    direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with direct.open(f"{url}/readyz", timeout=5) as answer:
            return bool(answer.status == 200)
    except (urllib.error.URLError, OSError):
        return False


def main() -> None:
    with tempfile.TemporaryDirectory(prefix="kozyr-packages-") as place:
        folder = Path(place)
        wheels = build(environment(folder / "tools", "-r", ROOT / "tools" / "packages.txt"))
        locked = ROOT / "requirements" / "runtime.txt"
        server = environment(folder / "server", "--require-hashes", "-r", locked)
        run(
            server / "pip",
            "--disable-pip-version-check",
            "install",
            "--quiet",
            "--no-index",
            *wheels.values(),
        )
        run(server / "pip", "check")
        client = environment(folder / "client", wheels["kozyr-client"])
        run(client / "pip", "check")
        (folder / "empty").mkdir()
        with served(server, folder / "empty") as url:
            run(client / "python", "-c", MATCH, KOZYR_URL=url)
    for name in PROJECTS:
        for path in sorted((DIST / name).iterdir()):
            print(path.relative_to(ROOT))


if __name__ == "__main__":
    main()

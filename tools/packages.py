"""Build the distributions `kozyr-client`, `kozyr` and `kozyr-server` into dist/, and check that they work.

`twine check` reads their metadata. Then each is installed into an empty environment. What bot authors install must stay
small and plays a tournament, whose records it verifies and shows. The server starts, and a bot with the client alone
plays a match there. With `--author`, only what bot authors install is built and checked; with `--installed`, only
checked.
"""

from __future__ import annotations

import argparse
import json
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
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parent.parent
DIST: Final = ROOT / "dist"
PROJECTS: Final = {
    "kozyr-client": ROOT / "clients" / "python",
    "kozyr": ROOT,
    "kozyr-server": ROOT / "server",
}
"""The folder of each distribution, dependencies first."""
OF_AUTHORS: Final = ("kozyr-client", "kozyr")
MOST_PACKAGES: Final = 20
MOST_MB: Final = 45
"""What bot authors may have to install, with bytecode and without pip."""
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
    programs = folder / ("Scripts" if sys.platform == "win32" else "bin")
    install(programs, *packages)
    return programs


def install(programs: Path, *words: str | Path) -> None:
    """Install packages into a virtual environment."""
    run(programs / "python", "-m", "pip", "--disable-pip-version-check", "install", "--quiet", *words)


def author(folder: Path, wheels: Mapping[str, Path]) -> Path:
    """Create the environment of a bot author: locked wheels and ours. Check its size and its commands."""
    locked = ROOT / "requirements" / "author.txt"
    programs = environment(folder, "--only-binary", ":all:", "--require-hashes", "-r", locked)
    install(programs, "--no-index", *(wheels[name] for name in OF_AUTHORS))
    run(programs / "python", "-m", "pip", "check")
    run(programs / "python", "-m", "pip", "uninstall", "--quiet", "--yes", "pip", "setuptools")
    (site,) = {found.parent for found in folder.rglob("kozyr-*.dist-info")}
    packages = len(list(site.glob("*.dist-info")))
    size = sum(file.stat().st_size for file in site.rglob("*") if file.is_file()) / 1e6
    print(f"kozyr: {packages} packages, {size:.1f} MB")
    if packages > MOST_PACKAGES or size > MOST_MB:
        sys.exit(f"failed: bot authors install at most {MOST_PACKAGES} packages and {MOST_MB} MB")
    _use(programs / "kozyr", folder)
    return programs


def _use(kozyr: Path, folder: Path) -> None:
    """Play a tournament, and read its records in every way."""
    records, page = folder / "records.ndjson", folder / "page.html"
    bots = ("greedy", "search:2")
    run(
        kozyr,
        "play",
        *bots,
        "--game",
        "durak",
        "--deals",
        "2",
        "--seed",
        "7",
        "--jobs",
        "2",
        "--out",
        records,
    )
    match = json.loads(records.read_text(encoding="utf-8").partition("\n")[0])["id"]
    run(kozyr, "verify", records)
    run(kozyr, "points", "--from", records)
    run(kozyr, "rate", "--from", records)
    run(kozyr, "replay", records, "--match", match)
    run(kozyr, "review", records, "--match", match)
    run(kozyr, "view", records, "--match", match, "--out", page)
    run(kozyr, "new-bot", "python", folder / "bot")
    refused = subprocess.run([kozyr, "up"], capture_output=True, text=True, check=False, encoding="utf-8")
    if refused.returncode != 2 or "pip install kozyr-server" not in refused.stderr:
        sys.exit(f"failed: `kozyr up` without the server says {refused.stderr!r}")


def build(tools: Path, names: Iterable[str]) -> dict[str, Path]:
    """Build and check a source distribution and a wheel of these projects; of the server, whose packages stand beside
    its project, only a wheel. Return the wheels by project."""
    shutil.rmtree(DIST, ignore_errors=True)
    wheels = {}
    for name in names:
        form = ("--wheel",) if name == "kozyr-server" else ()
        run(tools / "python", "-m", "build", *form, "--outdir", DIST / name, PROJECTS[name])
        run(tools / "twine", "check", "--strict", *(DIST / name).iterdir())
        wheels[name] = wheel_of(name, DIST)
    return wheels


def wheel_of(name: str, folder: Path) -> Path:
    """Return the wheel of a project in a folder."""
    (found,) = (folder / name).resolve().glob("*.whl")
    return found


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
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--author", action="store_true", help="only what bot authors install")
    parser.add_argument(
        "--installed", type=Path, metavar="DIST", help="the same with the wheels in this folder"
    )
    given = parser.parse_args()
    only_author = given.author
    with tempfile.TemporaryDirectory(prefix="kozyr-packages-") as place:
        folder = Path(place)
        if given.installed is not None:
            author(folder / "author", {name: wheel_of(name, given.installed) for name in OF_AUTHORS})
            return
        tools = environment(folder / "tools", "-r", ROOT / "tools" / "packages.txt")
        wheels = build(tools, OF_AUTHORS if only_author else PROJECTS)
        author(folder / "author", wheels)
        if only_author:
            return
        files = (ROOT / "requirements" / f"{name}.txt" for name in ("author", "runtime"))
        server = environment(
            folder / "server", "--require-hashes", *(word for file in files for word in ("-r", file))
        )
        install(server, "--no-index", *wheels.values())
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

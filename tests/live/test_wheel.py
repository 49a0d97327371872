"""The built wheels: their contents, and serving a league from them in an environment without this checkout.

That environment borrows the installed requirements, which takes a second. `make soak` repeats everything in an empty
one, into which pip installs the locked requirements.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import sysconfig
import tomllib
import venv
import zipfile
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import httpx
import pytest

from engine.registry import GAMES
from kozyr.starters.writing import STARTERS, files
from kozyr_client import Client
from tests.support.ports import free_port
from tests.support.waiting import eventually

pytestmark = [pytest.mark.ci, pytest.mark.live]

ROOT = Path(__file__).resolve().parents[2]
OF_AUTHORS = {"adapters", "bots", "engine", "kozyr", "records"}
PACKAGES = set(tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["root_packages"])
OF_SERVER = PACKAGES - OF_AUTHORS - {"kozyr_client"}
LEFT_OUT = (".*", "__pycache__", "*.egg-info", "*.so", "build", "dist", "var")
BUILD = "import sys; from setuptools import build_meta; getattr(build_meta, sys.argv[1])(sys.argv[2])"


def run(*command: str | Path, cwd: Path) -> str:
    """Run a command without this checkout in its environment, and return its output."""
    environment = {
        name: value for name, value in os.environ.items() if not name.startswith(("KOZYR_", "PYTHON"))
    }
    done = subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def built(folder: Path, source: str = ".", *, from_archive: bool = False) -> Path:
    """Build the wheel of a folder of a copy of this checkout; `from_archive` from its source distribution."""
    shutil.copytree(ROOT, folder / "checkout", symlinks=True, ignore=shutil.ignore_patterns(*LEFT_OUT))
    place = folder / "checkout" / source
    if from_archive:
        run(sys.executable, "-c", BUILD, "build_sdist", folder, cwd=place)
        (archive,) = folder.glob("*.tar.gz")
        shutil.unpack_archive(archive, folder)
        place = folder / archive.name.removesuffix(".tar.gz")
    run(sys.executable, "-c", BUILD, "build_wheel", folder, cwd=place)
    (wheel,) = folder.glob("*.whl")
    return wheel


@pytest.fixture(scope="module")
def wheels(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """The wheels of the client, of the authors and of the server."""
    return [
        built(tmp_path_factory.mktemp("client"), "clients/python"),
        built(tmp_path_factory.mktemp("author"), from_archive=True),
        built(tmp_path_factory.mktemp("server"), "server"),
    ]


@pytest.fixture(scope="module")
def borrowing(wheels: list[Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Create a virtual environment with the wheels, and with a path to the requirements of this one."""
    home = tmp_path_factory.mktemp("borrowing") / "venv"
    venv.create(home, with_pip=False)
    (site,) = home.glob("lib/python*/site-packages")
    for archive in wheels:
        with zipfile.ZipFile(archive) as packed:
            packed.extractall(site)
    # The path is searched, but its own .pth files, which lead to this checkout, are not read.
    (site / "borrowed.pth").write_text(sysconfig.get_path("purelib") + "\n")
    return home


@pytest.fixture(scope="module")
def locked(wheels: list[Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Create a virtual environment with only the wheels and the locked runtime requirements."""
    home = tmp_path_factory.mktemp("empty") / "venv"
    venv.create(home, with_pip=True)
    pip = [home / "bin" / "pip", "--disable-pip-version-check", "install", "--quiet", "--no-compile"]
    files = (ROOT / "requirements" / f"{name}.txt" for name in ("author", "runtime"))
    run(*pip, "--require-hashes", *(word for file in files for word in ("-r", file)), cwd=home)
    run(*pip, "--no-deps", "--no-index", *wheels, cwd=home)
    return home


@pytest.fixture(scope="module", params=["borrowing", pytest.param("locked", marks=pytest.mark.soak)])
def home(request: pytest.FixtureRequest) -> Path:
    """Return a virtual environment with the wheels."""
    found: Path = request.getfixturevalue(request.param)
    return found


@pytest.fixture(scope="module")
def service(home: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[httpx.Client]:
    """Return a client for a `kozyr up` installed from the wheel and started in an empty folder."""
    folder, port = tmp_path_factory.mktemp("served"), free_port()
    environment = {"PATH": os.environ["PATH"], "KOZYR_PORT": str(port), "KOZYR_PARENT": str(os.getpid())}
    log = folder / "up.log"
    with log.open("wb") as out:
        up = subprocess.Popen(
            [home / "bin" / "python", "-m", "kozyr", "up", "--no-demo"],
            cwd=folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=out,
        )
    try:
        with httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=90, trust_env=False) as client:
            eventually(lambda: is_ready(client), f"the service is ready; see {log}")
            yield client
    finally:
        up.send_signal(signal.SIGINT)
        up.wait(timeout=60)


def is_ready(client: httpx.Client) -> bool:
    try:
        return client.get("/readyz").is_success
    except httpx.ConnectError:
        return False


def files_of(packages: Iterable[str]) -> set[str]:
    """Return the files of packages that belong into a wheel."""
    beside = {".md", ".toml", ".pyc", ""}
    found = (path for package in packages for path in (ROOT / package).rglob("*") if path.is_file())
    return {
        path.relative_to(ROOT).as_posix()
        for path in found
        if path.suffix not in beside or path.name in ("SKILL.md", "card.md")
    }


def held(wheel: Path) -> set[str]:
    """Return the files in a wheel, besides its notes."""
    with zipfile.ZipFile(wheel) as archive:
        notes = {name.split("/", 1)[1] for name in archive.namelist() if ".dist-info/" in name}
        assert "licenses/LICENSE" in notes
        return {name for name in archive.namelist() if ".dist-info/" not in name}


def test_the_wheel_of_authors_holds_exactly_the_files_of_its_packages(wheels: list[Path]) -> None:
    expected = {name for name in files_of(OF_AUTHORS) if not name.startswith("kozyr/starters/")}
    expected |= {f"kozyr/starters/{name}.py" for name in ("__init__", "writing")}
    expected |= {f"kozyr/rules/{page.name}" for page in (ROOT / "docs" / "rules").glob("*.md")}
    expected |= {source.relative_to(ROOT).as_posix() for name in STARTERS for source, _ in files(name)}
    expected |= {f"kozyr/starters/examples/{name}_bot.py" for name in ("first", "careful")}
    assert held(wheels[1]) == expected


def test_the_wheel_of_the_server_holds_exactly_the_files_of_its_packages(wheels: list[Path]) -> None:
    assert held(wheels[2]) == files_of(OF_SERVER)


@pytest.mark.parametrize("language", STARTERS)
def test_an_installed_wheel_writes_the_starters_of_the_checkout(
    home: Path, tmp_path: Path, language: str
) -> None:
    run(home / "bin" / "python", "-m", "kozyr", "new-bot", language, "my-bot", cwd=tmp_path)
    for source, path in files(language):
        assert (tmp_path / "my-bot" / path).read_bytes() == source.read_bytes()


@pytest.mark.parametrize("language", ["en", "ru"])
@pytest.mark.parametrize("game", GAMES)
def test_an_installed_wheel_serves_the_rules(service: httpx.Client, game: str, language: str) -> None:
    answer = service.get(f"/v1/games/{game}", headers={"Accept-Language": language}).json()
    page = ROOT / "docs" / "rules" / f"{game}.{language}.md"
    assert (answer["language"], answer["rules_text"]) == (language, page.read_text(encoding="utf-8"))


def test_a_bot_plays_a_house_bot_of_an_installed_wheel(service: httpx.Client) -> None:
    def post(path: str, body: Mapping[str, object], token: str | None = None) -> dict[str, Any]:
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        answer: dict[str, Any] = service.post(path, json=body, headers=headers).raise_for_status().json()
        return answer

    owner = post("/v1/owners", {"name": "example"})
    bot = post("/v1/bots", {"name": "fool", "version": "1.0"}, owner["token"])
    seats = {"game": "durak", "seats": ["example/fool", "house/greedy"]}
    match = post("/v1/matches", seats, bot["token"])["id"]
    with Client(str(service.base_url), bot["token"]) as client:
        (finished,) = client.play(lambda turn: turn.legal_moves[0], until_finished=match)
    assert finished.ending == "rules"
    assert service.get(f"/v1/matches/{match}/record").raise_for_status().json()["id"] == match

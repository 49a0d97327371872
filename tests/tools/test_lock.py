"""The lock files in `requirements/`: complete, hashed, disjoint, and in step with pyproject.toml."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tools.lock import ALONE, EXTRAS, HEAD, parts, pins

ROOT = Path(__file__).resolve().parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
SERVER = tomllib.loads((ROOT / "server" / "pyproject.toml").read_text())
TEXTS = {name: (ROOT / "requirements" / f"{name}.txt").read_text() for name in (*EXTRAS, ALONE)}
PIN = re.compile(r"(?P<pin>[a-z0-9-]+==[\w.]+( ; .+)?) \\(\n +--hash=sha256:[0-9a-f]{64}( \\)?)+\n")
FLASK = "flask==3.1.3 \\\n    --hash=sha256:00\n"
PYTEST = "pytest==9.2.0 \\\n    --hash=sha256:01 \\\n    --hash=sha256:02\n"
COLORAMA = "colorama==0.4.6 ; sys_platform == 'win32' \\\n    --hash=sha256:03\n"


EARLIER = {ALONE: [], **{name: list(EXTRAS)[:place] for place, name in enumerate(EXTRAS)}}


def wanted(name: str) -> list[Requirement]:
    """What pyproject.toml asks for in a lock file."""
    if name == "author":
        texts = PROJECT["project"]["dependencies"]
    elif name == "runtime":
        texts = [*SERVER["build-system"]["requires"], *SERVER["project"]["dependencies"]]
    else:
        extras = PROJECT["project"]["optional-dependencies"]
        texts = [text for extra in EXTRAS.get(name, (name,)) for text in extras[extra]]
    # `make` installs our own distributions from the checkout, and an earlier file may hold a package that two need.
    later = [Requirement(text) for text in texts]
    earlier = {package for file in EARLIER[name] for package in pins(TEXTS[file])}
    return [found for found in later if found.name not in {"kozyr", "kozyr-client", *earlier}]


@pytest.mark.parametrize("name", TEXTS)
def test_a_lock_file_holds_names_versions_markers_and_hashes_and_nothing_else(name: str) -> None:
    text = TEXTS[name]
    assert text.startswith(HEAD)
    assert PIN.sub("", text.removeprefix(HEAD)) == ""


@pytest.mark.parametrize("name", TEXTS)
def test_every_dependency_is_pinned_within_its_bounds(name: str) -> None:
    pinned = [Requirement(pin.split("\\")[0]) for pin in pins(TEXTS[name]).values()]
    versions = {pin.name: str(pin.specifier).removeprefix("==") for pin in pinned}
    for requirement in wanted(name):
        version = versions[canonicalize_name(requirement.name)]
        assert requirement.specifier.contains(version), f"{requirement} but {version}: run `make lock`"


def test_no_package_is_in_two_lock_files() -> None:
    names = [package for name in EXTRAS for package in pins(TEXTS[name])]
    assert len(names) == len(set(names))


def test_a_later_lock_file_holds_what_the_earlier_ones_lack() -> None:
    files = parts({"author": COLORAMA, "runtime": COLORAMA + FLASK, "dev": COLORAMA + FLASK + PYTEST})
    assert files == {"author": HEAD + COLORAMA, "runtime": HEAD + FLASK, "dev": HEAD + PYTEST}


def test_lock_files_that_could_not_be_installed_together_are_refused() -> None:
    with pytest.raises(ValueError, match="dev changes the pins of flask"):
        parts({"runtime": FLASK, "dev": FLASK.replace("3.1.3", "3.1.2")})


def test_the_server_needs_exactly_its_version_of_kozyr() -> None:
    version = PROJECT["project"]["version"]
    assert SERVER["project"]["version"] == version
    assert f"kozyr=={version}" in SERVER["project"]["dependencies"]

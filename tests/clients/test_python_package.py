"""The package `kozyr-client` as its users get it.

Run with `make clients`. The package is installed into an empty environment, with httpx from the package index.
"""

from __future__ import annotations

import shutil
import venv
from pathlib import Path

import pytest

from tests.clients.languages import CLIENTS, run

pytestmark = pytest.mark.clients

FOLDER = CLIENTS / "python"


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

"""Reckons requirements.lock anew: what pyproject.toml asks for, installed into an empty environment.

Names and versions only. The part after the line "# adapters" is what they need besides.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import tomllib
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
HEAD = "# Made by `make lock` from pyproject.toml: runtime, development and test needs. Do not edit.\n"
ADAPTERS = "# adapters: what `make test`, `make types` and `make bench` install besides\n"


def installed(python: Path, *wanted: str) -> list[str]:
    """What the environment holds once `wanted` is installed into it, as sorted `name==version` lines."""
    pip = [str(python), "-m", "pip", "--disable-pip-version-check", "--no-input"]
    subprocess.run([*pip, "install", "--quiet", "--upgrade", *wanted], check=True)
    frozen = subprocess.run(
        [*pip, "freeze", "--all", "--exclude", "pip"], check=True, capture_output=True, text=True
    ).stdout
    return sorted((line for line in frozen.splitlines() if "==" in line), key=str.lower)


def main() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    extras = project["project"]["optional-dependencies"]
    needs = [*project["build-system"]["requires"], *project["project"]["dependencies"], *extras["dev"]]
    with tempfile.TemporaryDirectory() as folder:
        venv.create(folder, with_pip=True)
        python = Path(folder) / "bin" / "python"
        base = installed(python, *needs)
        both = installed(python, *base, *extras["openspiel"], *extras["pettingzoo"])
    more = [line for line in both if line not in base]
    if len(both) != len(base) + len(more):
        sys.exit("an extra of the adapters changes a version that the rest needs")
    (ROOT / "requirements.lock").write_text(
        HEAD + "".join(f"{line}\n" for line in base) + ADAPTERS + "".join(f"{line}\n" for line in more)
    )


if __name__ == "__main__":
    main()

"""Reckons requirements.lock anew: what pyproject.toml asks for, installed into an empty environment.

Names and versions only. The part after the line "# bench" is what the benchmarks need besides.
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
BENCH = "# bench: what `make bench` installs besides\n"


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
        both = installed(python, *base, *extras["bench"])
    more = [line for line in both if line not in base]
    if len(both) != len(base) + len(more):
        sys.exit("the bench extra changes a version that the rest needs")
    (ROOT / "requirements.lock").write_text(
        HEAD + "".join(f"{line}\n" for line in base) + BENCH + "".join(f"{line}\n" for line in more)
    )


if __name__ == "__main__":
    main()

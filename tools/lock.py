"""Write the lock files in `requirements/` from the two pyproject.toml, with hashes for every platform.

A later file holds only what the earlier ones lack, so install them together: `author.txt` runs the commands of bot
authors, `runtime.txt` the service, `compile.txt` adds mypyc for compiled rules, `dev.txt` the tools that `make check`
needs and the SDK of `kozyr mcp`, `adapters.txt` OpenSpiel, PettingZoo and what reads our tables in the tests,
`peers.txt` what `make bench` measures beside us. `arenas.txt` stands alone: what the examples for arenas of language
models need, for an environment of its own.
Names, versions, environment markers and hashes are all that the files contain. `kozyr` and `kozyr-client` come from the
checkout, so only their dependencies are locked.
"""

from __future__ import annotations

import argparse
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
import venv
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parent.parent
FOLDER: Final = ROOT / "requirements"
EXTRAS: Final = {
    "author": (),
    "runtime": (),
    "compile": ("compile",),
    "dev": ("dev", "mcp"),
    "adapters": ("openspiel", "pettingzoo", "tables"),
    "peers": ("peers",),
}
"""The extras of pyproject.toml that each lock file adds to those before it. `runtime` adds server/pyproject.toml."""
ALONE: Final = "arenas"
"""The extra whose lock file is installed without the others: its frameworks pin versions that ours exclude."""
HEAD: Final = "# Written by `make lock` from pyproject.toml and server/pyproject.toml.\n"
PINNED: Final = re.compile(r"^(?P<name>[\w.-]+)==(?P<rest>[^\n]*(?:\n +--hash=[^\n]*)*\n)", re.MULTILINE)


def pins(text: str) -> dict[str, str]:
    """The requirements of a lock file by package name, each with its version, marker and hashes."""
    return {found["name"]: found[0] for found in PINNED.finditer(text)}


def parts(resolved: dict[str, str]) -> dict[str, str]:
    """Split resolutions, each a superset of the one before, into lock files that do not overlap.

    Packages for Windows alone are only in `author`: the service needs POSIX. Raise `ValueError` if a larger resolution
    changes a pin of a smaller one, for the files could then not be installed together.
    """
    files: dict[str, str] = {}
    seen: dict[str, str] = {}
    for name, text in resolved.items():
        found = pins(text)
        if name != "author":
            found = {
                package: pin for package, pin in found.items() if package in seen or "== 'win32'" not in pin
            }
        if changed := sorted(package for package, pin in seen.items() if found.get(package) != pin):
            raise ValueError(f"{name} changes the pins of {', '.join(changed)}")
        files[name] = HEAD + "".join(pin for package, pin in found.items() if package not in seen)
        seen = found
    return files


def resolve(*, upgrade: bool) -> dict[str, str]:
    """Resolve the dependencies for all platforms and supported Python versions. Return the lock files."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    oldest = project["project"]["requires-python"].removeprefix(">=")
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        venv.create(folder / "venv", with_pip=True)
        pip = [str(folder / "venv" / "bin" / "python"), "-m", "pip", "--disable-pip-version-check"]
        subprocess.run([*pip, "install", "--quiet", "uv"], check=True)
        build, everything = folder / "build.in", folder / "everything.txt"
        # `make` installs the project itself without build isolation.
        build.write_text("\n".join(project["build-system"]["requires"]) + "\n", encoding="utf-8")
        if not upgrade:  # uv prefers the versions it finds in its output file
            everything.write_text(
                "".join(
                    path.read_text(encoding="utf-8")
                    for path in sorted(FOLDER.glob("*.txt"))
                    if path.stem != ALONE
                ),
                encoding="utf-8",
            )
            if (FOLDER / f"{ALONE}.txt").exists():
                shutil.copy(FOLDER / f"{ALONE}.txt", folder)

        def compiled(output: Path, extras: list[str], *more: str | Path) -> str:
            command = [str(folder / "venv" / "bin" / "uv"), "pip", "compile", "--quiet", "--universal"]
            command += ["--python-version", oldest, "--generate-hashes", "--no-header", "--no-annotate"]
            command += ["--no-emit-index-url", *map(str, more), *(f"--extra={extra}" for extra in extras)]
            subprocess.run([*command, "--output-file", output, "pyproject.toml"], cwd=ROOT, check=True)
            return output.read_text(encoding="utf-8")

        server = "server/pyproject.toml", build
        found = compiled(everything, [extra for extras in EXTRAS.values() for extra in extras], *server)
        # uv lists our own distributions by their folders, and takes no folder as a constraint.
        everything.write_text("".join(pins(found).values()), encoding="utf-8")
        resolved, wanted = {}, list[str]()
        for name, extras in EXTRAS.items():
            wanted += extras
            more = () if name == "author" else server
            resolved[name] = compiled(folder / f"{name}.txt", wanted, *more, "--constraint", everything)
        alone = compiled(folder / f"{ALONE}.txt", [ALONE])
        # It may pin a package twice, each time for other versions of Python.
        return {**parts(resolved), ALONE: HEAD + "".join(found[0] for found in PINNED.finditer(alone))}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument(
        "--upgrade", action="store_true", help="take the newest versions, not those pinned now"
    )
    try:
        files = resolve(upgrade=parser.parse_args().upgrade)
    except ValueError as problem:
        sys.exit(f"The lock files are unchanged: {problem}")
    FOLDER.mkdir(exist_ok=True)
    for name, text in files.items():
        (FOLDER / f"{name}.txt").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()

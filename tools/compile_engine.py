"""Build the engine, the house bots and the search with mypyc into a separate folder. First on Python's path, it
replaces `engine` and `bots`.

`tools/run_compiled.py` builds and uses it for `make run`.

Never beside the sources: there a library left over would hide what was edited since. The folder notes what it was made
from, and is rebuilt when that has changed. Needs a C compiler.
"""

from __future__ import annotations

import argparse
import ast
import hashlib
import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Iterable
from importlib.util import find_spec
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "build" / "compiled"
TOOLS = ROOT / "build" / "compiler"
"""Where `install` puts mypyc if the environment lacks it."""
LOCK = ROOT / "requirements" / "compile.txt"
NOTE = "made-from"
PACKAGES = ("engine", "bots")
COMPILED = ("engine", "bots/house", "bots/search", "bots/solver")
"""The folders whose modules are compiled. The other modules of their packages are copied, since Python looks for a
package in one place only."""
KEPT = ("bots/search/bot.py",)
"""Modules that stay Python: experiments subclass their classes, which compiled classes don't permit."""

# Runs in a copy of the sources. More than -O1 takes three times as long and gains one percent.
SETUP = """
import sys
from mypyc.build import mypycify
from setuptools import setup
setup(
    name="engine",
    packages=[],
    ext_modules=mypycify(sys.argv[1:], opt_level="1", debug_level="0"),
    script_args=["build_ext", "--build-lib", "built"],
)
"""


class CannotBuild(Exception):
    """The engine can't be compiled here. The message says what is missing or failed."""


def made_from() -> str:
    """Return a digest of everything that the result depends on."""
    digest = hashlib.sha256(f"{sys.version} {sysconfig.get_platform()}".encode() + LOCK.read_bytes())
    sources = [path for package in PACKAGES for path in sorted((ROOT / package).rglob("*.py"))]
    for path in (Path(__file__), *sources):
        digest.update(f"{path.name}\n".encode() + path.read_bytes())
    return digest.hexdigest()


def is_current(folder: Path) -> bool:
    """Return whether the folder is up to date with the sources."""
    note = folder / NOTE
    return note.exists() and note.read_text(encoding="utf-8") == made_from()


def compiler() -> str | None:
    """Return the path of the C compiler for extension modules, or `None`."""
    return shutil.which((os.environ.get("CC") or sysconfig.get_config_var("CC") or "cc").split()[0])


def typed_dicts(modules: Iterable[ast.Module]) -> set[str]:
    """Return the names of direct and indirect subclasses of `TypedDict`."""
    bases = {
        node.name: {ast.unparse(base) for base in node.bases}
        for module in modules
        for node in module.body
        if isinstance(node, ast.ClassDef)
    }
    found = {"TypedDict"}
    while more := {name for name, of in bases.items() if of & found} - found:
        found |= more
    return found


def set_apart(work: Path) -> list[str]:
    """Return the files to compile. Subclasses of `TypedDict` move to uncompiled modules beside them, since mypyc would
    lose their inherited fields and docstrings. Line numbers stay the same."""
    paths = [path for folder in COMPILED for path in sorted((work / folder).rglob("*.py"))]
    paths = [path for path in paths if path.name != "__init__.py" and str(path.relative_to(work)) not in KEPT]
    modules = {path: ast.parse(path.read_text(encoding="utf-8")) for path in paths}
    names = typed_dicts(modules.values())
    for path, module in modules.items():
        apart = [node for node in module.body if isinstance(node, ast.ClassDef) and node.name in names]
        if apart:
            beside = path.with_name(f"_{path.stem}_seen.py")
            imports = [node for node in module.body if isinstance(node, ast.Import | ast.ImportFrom)]
            beside.write_text("\n".join(map(ast.unparse, [*imports, *apart])), encoding="utf-8")
            lines = path.read_text(encoding="utf-8").splitlines()
            for node in apart:
                lines[node.lineno - 1 : node.end_lineno] = [""] * len(
                    range(node.lineno - 1, node.end_lineno or 0)
                )
                name = ".".join(beside.relative_to(work).with_suffix("").parts)
                lines[node.lineno - 1] = f"from {name} import {node.name} as {node.name}"
            path.write_text("\n".join(lines), encoding="utf-8")
    return [str(path.relative_to(work)) for path in paths]


def install() -> None:
    """Install the locked mypyc into `TOOLS` if this environment has none. Raise `CannotBuild`."""
    if find_spec("mypyc") is not None:
        return
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--no-input", "install", "--quiet"]
    done = subprocess.run(
        [*pip, "--require-hashes", "--no-deps", "--upgrade", "--target", str(TOOLS), "-r", str(LOCK)],
        capture_output=True,
        text=True,
        check=False,
        encoding="utf-8",
    )
    if done.returncode:
        raise CannotBuild(f"mypyc could not be installed:\n{done.stderr[-2000:]}")


def build(folder: Path = FOLDER) -> None:
    """Rebuild the folder if it is outdated. Raise `CannotBuild`."""
    if is_current(folder):
        return
    if compiler() is None:
        raise CannotBuild("there is no C compiler here; the rules as they are need none")
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder.parent, prefix=".compiling-") as place:
        work, note = Path(place), made_from()
        for package in PACKAGES:
            shutil.copytree(ROOT / package, work / package, ignore=shutil.ignore_patterns("__pycache__"))
        compiled = set_apart(work)
        done = subprocess.run(
            [sys.executable, "-c", SETUP, *compiled],
            cwd=work,
            env={**os.environ, "PYTHONPATH": str(TOOLS)},
            capture_output=True,
            text=True,
            check=False,
            encoding="utf-8",
        )
        if done.returncode:
            raise CannotBuild(
                "mypyc has failed:\n" + "\n".join((done.stdout + done.stderr).splitlines()[-30:])
            )
        built = work / "built"
        for source in [path for package in PACKAGES for path in (work / package).rglob("*.py")]:
            path = source.relative_to(work)
            if str(path) not in compiled:
                (built / path).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(source, built / path)
        (built / NOTE).write_text(note, encoding="utf-8")
        shutil.rmtree(folder, ignore_errors=True)
        built.rename(folder)


def main() -> None:
    """Build the engine, and say how to use it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "folder", nargs="?", type=Path, default=FOLDER, help="where to build, by default %(default)s"
    )
    folder = parser.parse_args().folder.resolve()
    try:
        install()
        build(folder)
    except CannotBuild as trouble:
        sys.exit(f"The engine is not compiled: {trouble}")
    sys.stdout.write(f"The engine is compiled; it is used where PYTHONSAFEPATH=1 PYTHONPATH={folder}\n")


if __name__ == "__main__":
    main()

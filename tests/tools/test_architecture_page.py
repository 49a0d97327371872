"""docs/architecture.md and the ADRs name only files, classes and functions that exist.

A reference is a text in backticks: a path from the root of the repository (`api/app.py`, `records/match`,
`league/**/redis.py`) or a path and a name in that file (`api/app.py::Application.process_response`).
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
ARCHITECTURE = DOCS / "architecture.md"
PAGES = [ARCHITECTURE, *sorted((DOCS / "adr").glob("*.md"))]
PACKAGES = [
    "adapters",
    "api",
    "bots",
    "engine",
    "kozyr",
    "league",
    "records",
    "redisio",
    "referee",
    "server",
    "web",
    "workers",
]
BUILT = {"build/compiled", "build/compiler"}  # `make compiled` creates them

FENCED = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
QUOTED = re.compile(r"`([^`]+)`")
REFERENCE = re.compile(r"(?P<path>[\w*-]+(?:/[\w.*-]+)+)/?(?:::(?P<name>[\w.]+))?")
LINK = re.compile(r"\]\((?!\w+:)([^)#\s]+)")


def references(text: str) -> Iterator[tuple[str, str | None]]:
    for quoted in QUOTED.findall(FENCED.sub("", text)):
        found = REFERENCE.fullmatch(quoted)
        if found is not None and found["path"] not in BUILT:
            yield found["path"], found["name"]


def defines(body: Sequence[ast.stmt], name: str) -> bool:
    """Whether these statements define `name`, which may be dotted: a method or field of a class."""
    first, _, rest = name.partition(".")
    for statement in body:
        match statement:
            case ast.ClassDef(name=found) if found == first:
                return not rest or defines(statement.body, rest)
            case ast.FunctionDef(name=found) if found == first:
                return not rest
            case ast.AnnAssign(target=ast.Name(id=found)) if found == first:
                return not rest
            case ast.Assign(targets=[ast.Name(id=found)]) if found == first:
                return not rest
    return False


def resolves(path: str, name: str | None) -> bool:
    if name is None:
        return any(ROOT.glob(path))
    file = ROOT / path
    return file.is_file() and defines(ast.parse(file.read_text(encoding="utf-8")).body, name)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_file_name_and_link_on_the_page_exists(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    named = set(references(text))
    assert sorted(f"{path}::{name}" for path, name in named if not resolves(path, name)) == []
    assert [link for link in LINK.findall(text) if not (page.parent / link).exists()] == []
    assert page != ARCHITECTURE or sum(name is not None for _, name in named) > 50


def test_the_table_has_every_package() -> None:
    rows = re.findall(r"^\| `([\w/]+)` \|", ARCHITECTURE.read_text(encoding="utf-8"), re.MULTILINE)
    packages = {
        directory.relative_to(ROOT).as_posix()
        for top in PACKAGES
        for directory in (ROOT / top, *(ROOT / top).glob("*/"))
        if (directory / "__init__.py").is_file()
    }
    assert packages - set(rows) == set()


def test_the_index_of_the_adrs_has_every_adr_with_its_title() -> None:
    index = (DOCS / "adr" / "README.md").read_text(encoding="utf-8")
    for page in sorted((DOCS / "adr").glob("0*.md")):
        heading = page.read_text(encoding="utf-8").partition("\n")[0]
        number, _, title = heading.removeprefix("# ").partition(". ")
        assert f"| [{number}]({page.name}) | {title} |" in index

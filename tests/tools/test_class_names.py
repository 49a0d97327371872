"""Class names are unique in the repository (docs/adr/0017-rooms.md), so that a name in a text means one class."""

from __future__ import annotations

import ast
import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path

from tests.tools.test_architecture_page import PACKAGES

ROOT = Path(__file__).parents[2]
_DEFINITION = re.compile(r"^[ \t]*class\s+(\w+)", re.MULTILINE)
FOLDERS = [*PACKAGES, "bench", "clients", "examples", "tests", "tools"]


def sources() -> Iterator[Path]:
    """Yield the files of Python. A folder that is a link has the files of another one, and so has `build`."""
    for folder in FOLDERS:
        for path in sorted((ROOT / folder).rglob("*.py")):
            here = [path, *path.parents]
            if not any(each.is_symlink() or each.name == "build" for each in here[: here.index(ROOT)]):
                yield path


def repeated(paths: Iterator[Path]) -> dict[str, list[str]]:
    """Return where each class name is defined that is defined more than once, also inside functions.

    Of all sources, only those are parsed that seem to define such a class; some only quote one.
    """
    texts = {path: path.read_text(encoding="utf-8") for path in paths}
    defined = Counter(name for text in texts.values() for name in _DEFINITION.findall(text))
    places: defaultdict[str, list[str]] = defaultdict(list)
    for path, text in texts.items():
        if any(defined[name] > 1 for name in _DEFINITION.findall(text)):
            for node in ast.walk(ast.parse(text)):
                if isinstance(node, ast.ClassDef):
                    places[node.name].append(f"{path}:{node.lineno}")
    return {name: found for name, found in places.items() if len(found) > 1}


def test_no_two_classes_share_a_name() -> None:
    assert repeated(sources()) == {}

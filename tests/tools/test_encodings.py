"""Text has the encoding that the code names, so no locale changes what a file or a program means."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from tests.tools.test_class_names import ROOT, sources

OF_TESTS = ("bench", "tests")
_PERHAPS = re.compile(r"read_text|write_text|open\(|\btext=")
"""What every call that is looked for has in its text."""


def without_encoding(source: str) -> Iterator[str]:
    """Yield the calls that read or write text in the encoding of the locale."""
    if not _PERHAPS.search(source):
        return
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call) and _is_text(node) and not _names_encoding(node):
            yield ast.unparse(node)


def _names_encoding(call: ast.Call) -> bool:
    return any(each.arg in ("encoding", None) for each in call.keywords)


def _is_text(call: ast.Call) -> bool:
    match call.func:
        case ast.Attribute(attr="read_text" | "write_text"):
            return True
        case ast.Name(id="open") | ast.Attribute(attr="fdopen"):
            return not any("b" in mode for mode in _texts(call))
        case ast.Attribute(attr="open"):
            return any(mode in ("r", "w", "a", "x", "r+", "w+", "a+") for mode in _texts(call))
        case _:
            return any(each.arg == "text" and _is_true(each.value) for each in call.keywords)


def _is_true(value: ast.expr) -> bool:
    return isinstance(value, ast.Constant) and value.value is True


def _texts(call: ast.Call) -> list[str]:
    words = [*call.args, *(each.value for each in call.keywords if each.arg == "mode")]
    return [each.value for each in words if isinstance(each, ast.Constant) and isinstance(each.value, str)]


def test_each_text_file_and_program_is_read_with_a_named_encoding() -> None:
    found = {
        str(path.relative_to(ROOT)): calls
        for path in sources()
        if path.relative_to(ROOT).parts[0] not in OF_TESTS
        and (calls := list(without_encoding(path.read_text(encoding="utf-8"))))
    }
    assert found == {}

"""Leave out of an import what nothing here uses.

A package that finds an optional extra imports it, and a module compiles its patterns, whether or not anything uses
them. With rich, structlog took a tenth of the start of an API worker, and one pattern of marshmallow a twentieth.
"""

from __future__ import annotations

import importlib
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property
from typing import Any


def import_without(extra: str, package: str) -> None:
    """Import a package while this extra is hidden. Do nothing if either has been imported already."""
    if package in sys.modules or extra in sys.modules:
        return
    sys.modules[extra] = None  # type: ignore[assignment]  # an import of it raises ImportError
    try:
        importlib.import_module(package)
    finally:
        del sys.modules[extra]


class PatternOnUse:
    """A regular expression that is compiled when it is first used."""

    def __init__(self, text: str, flags: int = 0) -> None:
        self._text, self._flags = text, flags

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):  # an abstract class asks its attributes for `__isabstractmethod__`
            raise AttributeError(name)
        return getattr(self._compiled, name)

    @cached_property
    def _compiled(self) -> re.Pattern[str]:
        return re.compile(self._text, self._flags)


@contextmanager
def patterns_on_use(module: str) -> Iterator[None]:
    """Give this module, if it is imported meanwhile, a `PatternOnUse` for each pattern that it compiles."""
    compiled = re.compile

    def chosen(text: Any, flags: int = 0) -> Any:
        importing = sys._getframe(1).f_globals["__name__"] == module
        return PatternOnUse(text, flags) if importing else compiled(text, flags)

    re.compile = chosen  # type: ignore[assignment]
    try:
        yield
    finally:
        re.compile = compiled

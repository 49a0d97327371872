"""Imports that leave out what nothing here uses."""

from __future__ import annotations

import importlib
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from kozyr.lean.importing import PatternOnUse, import_without, patterns_on_use

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Return a folder for modules. Those that a test imports are forgotten afterwards."""
    monkeypatch.syspath_prepend(tmp_path)
    before = set(sys.modules)
    yield tmp_path
    for name in set(sys.modules) - before:
        del sys.modules[name]


def test_a_package_does_not_find_its_extra(folder: Path) -> None:
    (folder / "a_package.py").write_text(
        "try:\n    import an_extra\nexcept ImportError:\n    an_extra = None\n"
    )
    (folder / "an_extra.py").write_text("")
    import_without("an_extra", "a_package")
    assert sys.modules["a_package"].an_extra is None
    assert importlib.import_module("an_extra").__name__ == "an_extra", "everybody else finds it"


def test_only_the_named_module_compiles_its_patterns_on_use(folder: Path) -> None:
    (folder / "a_module.py").write_text("import re, another\nPATTERN = re.compile('ab+', re.IGNORECASE)\n")
    (folder / "another.py").write_text("import re\nPATTERN = re.compile('ab+')\n")
    compiled = re.compile
    with patterns_on_use("a_module"):
        module = importlib.import_module("a_module")
    assert re.compile is compiled
    assert type(module.PATTERN) is PatternOnUse
    assert type(module.another.PATTERN) is re.Pattern
    assert module.PATTERN.fullmatch("ABB").group() == "ABB"
    assert module.PATTERN.flags & re.IGNORECASE


def test_marshmallow_still_knows_an_e_mail_address() -> None:
    code = (
        "import kozyr.lean.flask_smorest, marshmallow;"
        "email, = (marshmallow.fields.Email().validators);"
        "print('_compiled' in vars(email.DOMAIN_REGEX), email('bot@example.org'));"
        "email('bot@')"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT)
    assert result.stdout.strip() == "False bot@example.org"
    assert "ValidationError: Not a valid email address." in result.stderr

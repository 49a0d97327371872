"""docs/compatibility.md states the versions that the code has."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from records.match.record import FORMAT
from records.match.shuffle import ALGORITHM
from referee.storage.redis_data_version import MAJOR, MINOR

PAGE = (Path(__file__).parents[2] / "docs" / "compatibility.md").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("what", "version"),
    [("record", str(FORMAT)), ("shuffle", ALGORITHM), ("stored data", f"{MAJOR}.{MINOR}")],
)
def test_the_page_states_the_version_of_the_code(what: str, version: str) -> None:
    row = re.search(rf"^\| {what} \| [^|]*today `([^`]+)`", PAGE, re.MULTILINE)
    assert row is not None
    assert row[1] == version

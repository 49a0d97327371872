"""The page of guarantees names tests that are there."""

from __future__ import annotations

import re
from pathlib import Path

HERE = Path(__file__).parent
PAGE = HERE.parents[1] / "docs" / "guarantees.md"


def test_every_test_on_the_page_exists() -> None:
    named = re.findall(r"`([\w/]+\.py)::(\w+)`", PAGE.read_text())
    assert len(named) > 30
    for file, test in named:
        place = HERE / file if "/" not in file else HERE.parents[1] / file
        assert f"def {test}(" in place.read_text(), f"{file} has no {test}"

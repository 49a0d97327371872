"""Pictures: well-formed, the same each time, and nothing in them but what was to be shown."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest

from league.pictures import MOST_CELLS, MOST_ROWS, Line, Point, cross_table, curve, standings

NASTY = "a\"<b>&'\x00"


def texts(svg: str) -> str:
    return " ".join(ElementTree.fromstring(svg).itertext())


@pytest.mark.parametrize("count", [0, 1, 3, MOST_ROWS + 7])
def test_standings_show_each_bot_up_to_a_number_and_say_how_many_are_left(count: int) -> None:
    lines = [Line(f"{NASTY}{n}", 1500.0 - n, 1400.0 - n, 1600.0 - n, n == 0) for n in range(count)]
    said = texts(standings(NASTY, lines))
    assert said.count("a\"<b>&'") == 2 + min(count, MOST_ROWS)
    assert ("7 more are not shown" in said) == (count > MOST_ROWS)


@pytest.mark.parametrize("count", [1, 2, 400])
def test_a_curve_shows_where_a_version_began(count: int) -> None:
    points = [Point(1500.0, 1400.0, 1600.0, "1" if n < count // 2 else NASTY) for n in range(count)]
    svg = curve("A bot", points)
    assert (">a&quot;" in svg or 'a"&lt;b&gt;' in svg) == (count > 1)
    assert f"{count} groups" in texts(svg)
    assert svg == curve("A bot", points)


@pytest.mark.parametrize("count", [0, 2, MOST_CELLS + 1])
def test_a_cross_table_has_a_cell_for_each_pair(count: int) -> None:
    cells = [[None if a == b else (a - b) / 10 for b in range(count)] for a in range(count)]
    said = texts(cross_table("A table", [f"o/b{n}" for n in range(count)], cells))
    shown = min(count, MOST_CELLS)
    assert sum(said.count(sign) for sign in ("+0.", "-0.", "+1.", "-1.", "+2.", "-2.")) == shown * (shown - 1)

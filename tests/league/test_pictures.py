"""Pictures: well-formed, the same each time, and nothing in them but what was to be shown."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest

from league.pictures import MOST_CELLS, Bar, Cell, Point, Row, cross_table, curve, standings

NASTY = "a\"<b>&'\x00"


def texts(svg: str) -> str:
    return " ".join(ElementTree.fromstring(svg).itertext())


@pytest.mark.parametrize("more", [0, 7])
def test_standings_show_each_bot_and_say_how_many_are_left(more: int) -> None:
    rows = [Row(f"{NASTY}{n}", Bar(0.1 * n, n - 1, n + 1), Bar(1500.0 - n, 1400.0, 1600.0)) for n in range(3)]
    said = texts(standings(NASTY, rows, more))
    assert said.count("a\"<b>&'") == 2 + 3
    assert ("7 more are not shown" in said) == (more == 7)
    assert all(value in said for value in ("+0.20", "1498", "points per deal", "rating"))


def test_each_interval_of_the_standings_is_drawn_and_no_value_without_one() -> None:
    rows = [Row("a", Bar(1.0, 0.0, 2.0), None), Row("b", None, None), Row("c", Bar(2.0, 1.0, 3.0), None)]
    svg = ElementTree.fromstring(standings("A table", rows))
    bars = [each.attrib for each in svg if each.get("stroke-width") == "2"]
    low, middle, high = (float(bars[0]["x1"]), float(bars[0]["x2"]), float(bars[1]["x2"]))
    assert middle - low == pytest.approx(2 * (high - middle), abs=0.2)
    assert [each.tag.rpartition("}")[2] for each in svg].count("circle") == 2
    assert "Too few groups" in texts(standings("A table", [Row("b", None, None)]))


@pytest.mark.parametrize("count", [1, 2, 400])
def test_a_curve_shows_where_a_version_began(count: int) -> None:
    points = [Point(1500.0, 1400.0, 1600.0, "1" if n < count // 2 else NASTY) for n in range(count)]
    svg = curve("A bot", points)
    assert (">a&quot;" in svg or 'a"&lt;b&gt;' in svg) == (count > 1)
    assert f"{count} groups" in texts(svg)
    assert svg == curve("A bot", points)


@pytest.mark.parametrize("count", [0, 2, MOST_CELLS + 1])
def test_a_cross_table_has_a_cell_for_each_pair(count: int) -> None:
    cells = [[None if a == b else Cell((a - b) / 10, 0.05, 0.5) for b in range(count)] for a in range(count)]
    said = texts(cross_table("A table", [f"o/b{n}" for n in range(count)], cells))
    shown = min(count, MOST_CELLS)
    assert sum(said.count(sign) for sign in ("+0.", "-0.", "+1.", "-1.", "+2.", "-2.")) == shown * (shown - 1)
    assert said.count("± 0.05") == said.count("50% won") == shown * (shown - 1)

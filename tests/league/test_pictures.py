"""Pictures: well-formed, deterministic, with all text inside the frame and nothing hidden in it."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from xml.etree import ElementTree

import pytest

from api.formats.pictures import (
    Bar,
    CurvePoint,
    PictureRow,
    _width,
    curve,
    standings,
)

NASTY = "a\"<b>&'\x00"
LONG = "a-very-long-owner-name-of-32-chars/and-a-bot-name-as-long-as-may-be"
HEBREW = "ליגת הלילה של הקלפים " * 5
DAY_MS = 86_400_000


def texts(svg: str) -> str:
    return " ".join(ElementTree.fromstring(svg).itertext())


def elements(svg: str, tag: str) -> list[ElementTree.Element]:
    return [each for each in ElementTree.fromstring(svg) if each.tag.rpartition("}")[2] == tag]


@pytest.mark.parametrize("more", [0, 7])
def test_standings_show_each_bot_and_say_how_many_are_left(more: int) -> None:
    rows = [
        PictureRow(f"{NASTY}{n}", Bar(0.1 * n, n - 1, n + 1), Bar(1500.0 - n, 1400.0, 1600.0))
        for n in range(3)
    ]
    labels = texts(standings(NASTY, rows, more))
    assert labels.count("a\"<b>&'") == 2 + 3
    assert ("7 more are not shown" in labels) == (more == 7)
    assert all(value in labels for value in ("+0.20", "1498", "points per deal", "rating"))


def test_each_interval_is_drawn_except_for_a_bot_that_has_not_played() -> None:
    rows = [
        PictureRow("a", Bar(1.0, 0.0, 2.0), None),
        PictureRow("b", None, None),
        PictureRow("c", Bar(2.0, 1.0, 3.0), None),
    ]
    svg = standings("A table", rows)
    bars = [each.attrib for each in elements(svg, "line") if each.get("stroke-width") == "2"]
    low, middle, high = (float(bars[0]["x1"]), float(bars[0]["x2"]), float(bars[1]["x2"]))
    assert middle - low == pytest.approx(2 * (high - middle), abs=0.2)
    assert len(elements(svg, "circle")) == 2
    assert "Nothing has been played" in texts(standings("A table", [PictureRow("b", None, None)]))


def test_a_bot_with_one_group_has_a_value_and_a_dashed_bar() -> None:
    svg = standings(
        "A table", [PictureRow("a", Bar(-0.5, None, None), None), PictureRow("b", Bar(0.1, 0.0, 0.2), None)]
    )
    dashed = [each for each in elements(svg, "line") if each.get("stroke-dasharray")]
    assert len(dashed) == 1
    assert [each.get("fill") for each in elements(svg, "circle")].count("#ffffff") == 1
    assert "-0.50" in texts(svg)
    assert "no interval yet" in texts(svg)
    only = standings("A table", [PictureRow("a", Bar(-0.5, None, None), None)])
    assert "-0.50" in texts(only)


def points(count: int, step: int = DAY_MS) -> list[CurvePoint]:
    start = 1_790_000_000_000
    return [
        CurvePoint(1500.0, 1400.0, 1600.0, "1" if n < count // 2 else NASTY, start + n * step)
        for n in range(count)
    ]


@pytest.mark.parametrize("count", [1, 2, 400])
def test_a_curve_shows_where_a_version_began(count: int) -> None:
    svg = curve("A bot", points(count))
    assert "a\"<b>&'" in texts(svg)
    assert (">1</text>" in svg) == (count > 1)
    assert ("1 group;" if count == 1 else f"{count} groups") in texts(svg)
    assert svg == curve("A bot", points(count))


def test_a_curve_of_one_group_shows_its_interval() -> None:
    heights = [
        abs(float(each.attrib["y1"]) - float(each.attrib["y2"]))
        for each in elements(curve("A bot", points(1)), "line")
        if each.get("stroke-width") == "2"
    ]
    assert max(heights) > 150


def test_a_curve_has_dates_or_times_of_day_where_it_is_short() -> None:
    labels = texts(curve("A bot", points(11)))
    assert all(date in labels for date in ("2026-09-21", "2026-09-23", "2026-10-01"))
    assert all(time in texts(curve("A bot", points(3, 600_000))) for time in ("09-21 14:13", "09-21 14:33"))


def standings_of(names: list[str]) -> str:
    return standings(
        HEBREW, [PictureRow(name, Bar(0.1, 0.0, 0.2), Bar(1500, 1400, 1600, True)) for name in names], 9
    )


def curve_of(names: list[str]) -> str:
    given = zip(points(len(names), DAY_MS), names, strict=True)
    return curve(names[0] + LONG, [point._replace(version=name) for point, name in given])


@pytest.mark.parametrize("draw", [standings_of, curve_of])
@pytest.mark.parametrize("count", [1, 2, 30])
@pytest.mark.parametrize("name", [LONG, HEBREW, "牌" * 40, "W" * 64])
def test_no_text_leaves_the_picture(draw: Callable[[list[str]], str], count: int, name: str) -> None:
    svg = draw([name] + [f"{number}{name}" for number in range(count - 1)])
    root = ElementTree.fromstring(svg)
    width, height = float(root.attrib["width"]), float(root.attrib["height"])
    for each in elements(svg, "text"):
        x, y, size = float(each.attrib["x"]), float(each.attrib["y"]), int(each.attrib["font-size"])
        wide = _width(each.text or "", size) * (1.1 if each.get("font-weight") else 1.0)
        anchor = each.attrib["text-anchor"]
        if each.get("direction") == "rtl":
            anchor = {"start": "end", "end": "start"}.get(anchor, anchor)
        left = x - {"start": 0.0, "middle": wide / 2, "end": wide}[anchor]
        assert left >= 0, (each.text, left)
        assert left + wide <= width, (each.text, left + wide, width)
        assert size <= y <= height - 4, (each.text, y, height)


def test_a_long_name_is_cut_with_an_ellipsis_and_a_short_one_is_whole() -> None:
    labels = texts(standings_of([LONG, "o/short"]))
    assert LONG not in labels
    assert "a-very-long-owner" in labels
    assert "…" in labels
    assert "o/short" in labels


def test_a_name_that_is_read_from_right_to_left_keeps_its_direction_and_its_place() -> None:
    rows = [PictureRow("שם", Bar(0.1, 0.0, 0.2), None), PictureRow("name", Bar(0.1, 0.0, 0.2), None)]
    svg = standings("A table", rows)
    (hebrew,) = (each for each in elements(svg, "text") if each.text == "שם")
    (latin,) = (each for each in elements(svg, "text") if each.text == "name")
    assert (hebrew.get("direction"), hebrew.get("text-anchor")) == ("rtl", "end")
    assert (latin.get("direction"), latin.get("text-anchor")) == (None, "start")
    assert hebrew.get("x") == latin.get("x")


def test_names_of_versions_do_not_overlap() -> None:
    svg = curve_of([f"version-{number}" for number in range(30)])
    labels = [each for each in elements(svg, "text") if (each.text or "").startswith("v")]
    places = [(float(each.attrib["x"]), _width(each.text or "", 11)) for each in labels]
    assert all(x + wide <= after for (x, wide), (after, _) in pairwise(places))

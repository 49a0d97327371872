"""Every page in Chromium: no script errors, nothing from other hosts, nothing for axe to find."""

from __future__ import annotations

import hashlib
import re

import pytest

from tests.api.conftest import ApiWorld
from tests.browser.conftest import VENDORED, OpenTab, WatchedPage
from tests.web.conftest import Played

pytestmark = pytest.mark.ci
SIDEWAYS = "document.documentElement.scrollWidth > document.documentElement.clientWidth"


def test_the_vendored_axe_has_the_listed_checksum() -> None:
    (listed,) = re.findall(r"`(\w{64})`", (VENDORED / "README.md").read_text())
    assert hashlib.sha256((VENDORED / "axe.min.js").read_bytes()).hexdigest() == listed


def test_times_are_those_of_the_readers_zone(open_tab: OpenTab, played: Played) -> None:
    shown = {}
    for zone in ("UTC", "Asia/Vladivostok"):
        page = open_tab(locale="en-GB", timezone_id=zone).open("/matches")
        time = page.locator("time[title]").first
        shown[zone] = (time.get_attribute("datetime"), time.get_attribute("title"), time.inner_text())
    (instant, in_utc, there), (_, _, far_away) = shown.values()
    assert str(in_utc).endswith("UTC")
    assert there.endswith("UTC")
    assert far_away.endswith("GMT+10")
    assert re.findall(r"\d\d:\d\d", there) == re.findall(r"\d\d:\d\d", str(in_utc)) == [str(instant)[11:16]]


def test_the_caption_of_a_wide_table_is_read_without_scrolling(open_tab: OpenTab, played: Played) -> None:
    page = open_tab(locale="ru", viewport={"width": 320, "height": 700}).open(f"/ladders/{played.ladder}")
    box = page.locator("caption").first.bounding_box()
    assert box is not None
    assert box["x"] + box["width"] <= 320


def test_times_in_tables_take_two_lines_and_labels_are_not_cut_on_phones(
    open_tab: OpenTab, played: Played
) -> None:
    tab = open_tab(locale="ru", viewport={"width": 320, "height": 844})
    lines = (
        "all => all.map(e => e.getBoundingClientRect().height / parseFloat(getComputedStyle(e).lineHeight))"
    )
    for path, what in ((f"/ladders/{played.ladder}/seasons", "td time"), ("/bots", "th .tag")):
        shown = tab.open(path).locator(what).evaluate_all(lines)
        assert shown
        assert max(shown) < 2.5, what
        assert not tab.page.evaluate(SIDEWAYS)


def test_the_rating_curve_is_drawn(tab: WatchedPage, played: Played) -> None:
    page = tab.open("/bots/house/greedy")
    assert page.locator("#curve canvas").count() == 1


def test_standings_of_a_running_round_refresh_by_themselves(tab: WatchedPage, world: ApiWorld) -> None:
    address = world.ladder(world.owner(), "house/greedy", "house/random", decks="independent")
    ladder = address.rpartition("/")[2]
    world.services.rounds.start(ladder)
    tab.page.clock.install()
    page = tab.open(f"/ladders/{ladder}")
    assert page.locator("#standings[hx-trigger]").count() == 1
    while world.services.rounds.work(ladder, 1):
        pass
    page.clock.fast_forward(16_000)
    page.locator("#standings:not([hx-trigger])").wait_for()
    assert page.locator("#standings tbody tr").count() == 2


def test_the_header_of_a_phone_has_one_line_with_all_links(open_tab: OpenTab) -> None:
    page = open_tab(viewport={"width": 390, "height": 844}, locale="ru").open("/")
    box = page.locator("header.site").bounding_box()
    assert box is not None
    assert box["height"] <= 60
    page.locator("header.site").get_by_role("link", name="Игры").click()
    page.get_by_role("heading", name="Игры").wait_for()


def test_a_page_can_be_used_by_keyboard_alone(tab: WatchedPage, played: Played) -> None:
    page = tab.open("/")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "main"

"""A ladder on a projector, in Chromium."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tests.api.conftest import ApiWorld
from tests.browser.conftest import OpenTab, WatchedPage
from tests.web.conftest import LANGUAGES

pytestmark = pytest.mark.ci

FITS = "document.documentElement.scrollHeight <= innerHeight && document.documentElement.scrollWidth <= innerWidth"


def cup(world: ApiWorld, bots: int, **more: object) -> str:
    """Return a ladder of house bots and this many remote ones that has played a round among the house bots."""
    owner, ladders = world.owner(), world.services.ladders
    address = world.ladder(owner, "house/greedy", "house/random", name="Кубок <b>&", **more)
    world.play_round(owner, address)
    ladder = address.rpartition("/")[2]
    for _ in range(bots):
        ladders.enter(ladder, world.services.accounts.bot(*world.bot().name.split("/")))
    return ladder


def in_view(page: Page, what: str) -> bool:
    """Return whether all of these elements are inside the window."""
    rows = page.locator(what).all()
    boxes = [row.bounding_box() for row in rows]
    size = page.viewport_size
    assert size is not None
    return bool(rows) and all(
        box is not None and box["y"] >= 0 and box["y"] + box["height"] <= size["height"] for box in boxes
    )


@pytest.mark.parametrize("language", LANGUAGES)
def test_thirty_rows_the_next_round_and_a_table_fit_a_projector(
    open_tab: OpenTab, world: ApiWorld, language: str
) -> None:
    ladder = cup(world, 34, decks="independent")
    tab = open_tab(locale=language, viewport={"width": 1280, "height": 720})
    page = tab.open(f"/ladders/{ladder}/screen")
    expect(page.locator(".screen-standings tbody tr")).to_have_count(30)
    page.locator(".kt-board").wait_for()
    assert page.evaluate(FITS)
    for what in (".screen-standings tbody tr", ".screen-next li", ".kt-board", "h1"):
        assert in_view(page, what), what
    assert page.locator(".screen-standings tbody tr").first.bounding_box()["height"] >= 18  # type: ignore[index]
    assert tab.faults() == []
    page.set_viewport_size({"width": 390, "height": 844})
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_the_screen_follows_the_ladder_and_keeps_its_table(tab: WatchedPage, world: ApiWorld) -> None:
    ladder = cup(world, 0, decks="rotated")
    tab.page.set_viewport_size({"width": 1280, "height": 720})
    tab.page.clock.install()
    page = tab.open(f"/ladders/{ladder}/screen")
    page.locator(".kt-board").wait_for()
    page.evaluate("document.querySelector('kozyr-table').kept = true")
    matches = page.locator(".screen-standings tbody tr").first.locator("td.n").last
    played = int(matches.inner_text())
    world.services.rounds.start(ladder)
    page.clock.fast_forward(11_000)
    expect(page.locator(".screen-head")).to_contain_text("Round 2")
    assert page.evaluate("document.querySelector('kozyr-table').kept"), "the table was not replaced"
    while world.services.rounds.work(ladder, 2):
        pass
    page.clock.fast_forward(11_000)
    expect(matches).to_have_text(str(2 * played))

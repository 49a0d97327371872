"""A mistake review in Chromium: requested with the button, marked at the table, jumped to by key."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from records.reviews import judge as evaluation
from records.reviews.judge import ReviewSettings
from tests.api.conftest import ApiWorld
from tests.api.test_reviews import house_match, work
from tests.browser.conftest import WatchedPage
from tests.browser.test_match import place

pytestmark = pytest.mark.ci


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Evaluate decisions with few playouts, and find more mistakes than there are."""
    monkeypatch.setattr(evaluation, "SETTINGS", ReviewSettings(6, (12,), 3))
    monkeypatch.setattr(evaluation, "TOLERANCE", -0.2)


def test_mistakes_are_marked_and_jumped_to(tab: WatchedPage, world: ApiWorld) -> None:
    owner = world.owner()
    match = house_match(world, owner)
    page = tab.open("/sign-in")
    page.fill("input[name=token]", owner.token)
    with page.expect_navigation():
        page.locator("main form button").first.click()
    page = tab.open(f"/matches/{match}")
    page.get_by_role("button", name="Review", exact=True).click()
    expect(page.locator("#review progress")).to_be_visible()
    assert tab.faults() == []
    page = tab.open(f"/matches/{match}")
    expect(page.locator(".kt-live")).to_contain_text("review: 0 of")
    work(world, match)
    wrong = [
        (move["deal"], move["move"])
        for move in world.client.get(f"/v1/matches/{match}/review").json["moves"]
        if move["mistake"]
    ]
    assert wrong
    expect(page.locator(".kt-marks rect")).to_have_count(len(wrong))
    expect(page.locator(".kt-move .kt-mistake")).to_have_count(len(wrong))
    graph = page.locator(".kt-graph > svg")
    expect(graph).to_be_visible()
    assert re.search("lowest .+ highest .+ in the end [+−]1", graph.get_attribute("aria-label") or "")
    box = graph.bounding_box()
    assert box is not None
    graph.click(position={"x": box["width"] / 2, "y": 5})
    middle = page.evaluate("document.querySelector('kozyr-table').frames.list.length / 2")
    assert abs(page.evaluate("document.querySelector('kozyr-table').at") - middle) <= 1
    assert tab.faults() == []
    page.keyboard.press("Home")
    for expected in wrong[:3]:
        page.keyboard.press("m")
        assert place(page) == expected
        expect(page.locator(".kt-said .kt-mistake")).to_contain_text("Mistake: regret")
    if len(wrong) > 1:
        page.keyboard.press("End")
        page.keyboard.press("Shift+M")
        assert place(page) == wrong[-1]


def test_a_mistake_is_practised_at_the_table_of_its_seat(tab: WatchedPage, world: ApiWorld) -> None:
    owner = world.owner()
    match = house_match(world, owner)
    owner("POST", f"/v1/matches/{match}/reviews")
    work(world, match)
    page = tab.open(f"/matches/{match}/practice")
    page.locator(".kt-seat").first.wait_for()
    assert page.locator(".kt-others .kt-back").count() > 0
    assert tab.faults() == []
    page.locator("button[name=chosen]").first.click()
    expect(page.get_by_role("status")).to_contain_text(re.compile("costs|Right"))
    page.locator(".kt-seat").first.wait_for()
    assert tab.faults() == []
    page.get_by_role("link", name="Next mistake").click()
    expect(page.locator("button[name=chosen]").first).to_be_visible()

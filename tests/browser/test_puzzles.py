"""A puzzle in Chromium: answered at the table, stepped through, and remembered by the browser alone."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from records.endings.sets import endings_of
from tests.browser.conftest import WatchedPage

pytestmark = pytest.mark.ci


def test_a_puzzle_is_answered_with_cards_and_remembered(tab: WatchedPage) -> None:
    ending = endings_of("durak-1")[16]
    assert ending.values["beat 8C QD"] < ending.values["beat 8C KD"]
    page = tab.open("/puzzles/durak-1/17")
    page.locator(".play-hand button[value=QD]").click()
    expect(page.locator("[data-is-right=no]")).to_be_visible()
    page.get_by_role("link", name="Try again").click()
    page.locator(".play-hand button[value=KD]").press("Enter")
    expect(page.locator("[data-is-right=yes]")).to_be_visible()
    assert tab.faults() == []
    page.get_by_role("button", name="next move").click()
    expect(page.locator(".kt-said")).to_contain_text("You beat 8♣ with K♦")
    page = tab.open("/puzzles/durak-1")
    expect(page.locator(".puzzle-right")).to_have_text("17")
    expect(page.locator("[data-progress]")).to_have_text("solved: 1")
    page = tab.open("/puzzles")
    expect(page.locator("[data-progress=durak-1]")).to_have_text("solved: 1")
    page = tab.open("/puzzles/durak-teams-1/7")
    expect(page.locator(".play-hand button")).to_have_count(4)
    assert tab.faults() == []
    assert tab.troubles == []

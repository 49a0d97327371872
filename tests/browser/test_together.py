"""Replays that people look at together, in two browsers."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.api.conftest import ApiWorld
from tests.browser.conftest import OpenTab
from tests.web.conftest import LANGUAGES
from tests.web.test_match import a_match, play


@pytest.mark.ci
@pytest.mark.parametrize("language", LANGUAGES)
def test_others_follow_the_step_the_view_and_the_marks_of_a_leader(
    open_tab: OpenTab, world: ApiWorld, language: str
) -> None:
    bot, match = a_match(world)
    play(bot, match)
    phone = {"width": 390, "height": 844}
    leader, other = tabs = [open_tab(locale=language, viewport=phone, has_touch=True) for _ in range(2)]
    page = leader.open(f"/matches/{match}?deal=1&move=2")
    page.keyboard.press("ArrowRight")
    page.locator("a[data-shows]").click()
    assert leader.faults() == []
    page.locator("main form button").click()
    page.wait_for_url("**together=*")
    expect(page.locator(".kt-count")).to_contain_text("3")
    link = page.locator("#together").inner_text()
    assert link == page.url

    seen = other.open(link.removeprefix(other.address))
    panel, status = seen.locator("kozyr-together"), seen.locator("kozyr-together [role=status]")
    again = panel.get_by_role("button")
    expect(seen.locator(".kt-count")).to_contain_text("3")
    page.keyboard.press("ArrowRight")
    page.get_by_label("View" if language == "en" else "Вид").select_option("1")
    expect(seen.locator(".kt-count")).to_contain_text("4")
    expect(seen.locator(".kt-near [data-seat='1']")).to_be_visible()

    hand = page.locator(".kt-near .kt-hand [data-card]")
    names = [str(hand.nth(at).get_attribute("data-card")) for at in (0, 1)]
    for at in (0, 1):
        hand.nth(at).dispatch_event("click")
    page.locator(".kt-others .kt-name").first.tap()
    for name in names:
        expect(seen.locator(f".kt-pointed[data-card='{name}']")).to_be_visible()
    expect(seen.locator(".kt-others .kt-pointed[data-seat='0']")).to_be_visible()
    expect(status).to_contain_text("Look at: " if language == "en" else "Смотрите: ")
    expect(status).to_contain_text(bot.name)
    assert [fault for tab in tabs for fault in tab.faults()] == []

    seen.keyboard.press("Home")
    expect(again).to_be_visible()
    assert seen.locator(".kt-pointed").count() == 0
    page.keyboard.press("ArrowRight")
    with seen.expect_response(lambda answer: "/together/" in answer.url and "5" in answer.text()):
        pass
    expect(seen.locator(".kt-count")).not_to_contain_text("5")
    again.click()
    expect(seen.locator(".kt-count")).to_contain_text("5")
    expect(again).to_be_hidden()
    assert page.locator(".kt-pointed").count() == 0, "marks belong to a step"
    page.keyboard.press("p")
    page.keyboard.press("c")
    page.keyboard.press("x")
    expect(seen.locator(".kt-pointed")).to_have_count(2)
    for key, code in (("ч", "KeyX"), ("з", "KeyP")):  # the same keys with a Russian layout
        page.evaluate(
            "([key, code]) => document.body.dispatchEvent(new KeyboardEvent('keydown', { key, code, bubbles: true }))",
            [key, code],
        )
    expect(page.locator(".kt-pointed")).to_have_count(1)
    expect(page.locator(".kt-pointed[data-seat]")).to_have_count(1)
    assert seen.url == link

    world.services.referee.store.redis.one("DEL", f"kozyr:together:{link.rpartition('=')[2]}")
    expect(status).to_contain_text("Nobody shows" if language == "en" else "никто не показывает")
    for tab in tabs:
        tab.troubles = [trouble for trouble in tab.troubles if "404" not in trouble]

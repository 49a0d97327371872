"""The operator's page in Chromium."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser

from tests.api.conftest import ADMIN_TOKEN, ApiWorld
from tests.browser.conftest import WatchedPage
from tests.web.conftest import LANGUAGES, Played

pytestmark = pytest.mark.ci


@pytest.mark.parametrize("language", LANGUAGES)
def test_an_operator_pauses_the_service_and_axe_finds_nothing(
    browser: Browser, address: str, world: ApiWorld, played: Played, language: str
) -> None:
    bot = world.bot()
    bot("GET", "/v1/turns")
    context = browser.new_context(locale=language, viewport={"width": 320, "height": 700})
    context.set_default_timeout(60_000)
    tab = WatchedPage(context, address)
    page = tab.open("/sign-in?next=/admin")
    page.locator("input[name=token]").fill(ADMIN_TOKEN)
    page.locator("main button").click()
    page.locator("#service-reason").fill("a new <b>disk</b>")
    page.locator("button[value=paused]").click()
    page.locator("button[value=running]").wait_for()
    assert page.get_by_text("a new <b>disk</b>").count() >= 2
    for path in ("/admin", "/admin/log", f"/bots/{bot.name}", f"/matches/{played.match}"):
        page = tab.open(path)
        assert tab.faults() == [], path
        assert page.evaluate(
            "document.documentElement.scrollWidth <= document.documentElement.clientWidth"
        ), path
    context.close()
    assert tab.troubles == []

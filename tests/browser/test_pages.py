"""Every page in Chromium: no script errors, nothing from other hosts, nothing for axe to find."""

from __future__ import annotations

import hashlib
import re

import pytest
from playwright.sync_api import Browser

from tests.api.conftest import ApiWorld
from tests.browser.conftest import AXE_LANGUAGES, VENDORED, WatchedPage
from tests.web.conftest import Played
from tests.web.test_dumps import publish

pytestmark = pytest.mark.ci

PAGES = [
    "/",
    "/help",
    "/ladders",
    "/bots",
    "/games",
    "/games/king",
    "/matches",
    "/models",
    "/play",
    "/puzzles",
    "/puzzles/kryt-1",
    "/puzzles/king-1/5",
    "/tv",
    "/dumps",
    "/sign-up",
    "/sign-in",
    "/nowhere",
    "/bots/house/greedy",
    *(
        f"/ladders/%s{tab}"
        for tab in ("", "/cross", "/rounds", "/rounds/1", "/schedule", "/seasons", "/entries")
    ),
]


def test_the_vendored_axe_has_the_listed_checksum() -> None:
    (listed,) = re.findall(r"`(\w{64})`", (VENDORED / "README.md").read_text())
    assert hashlib.sha256((VENDORED / "axe.min.js").read_bytes()).hexdigest() == listed


@pytest.mark.parametrize("language", ["en", "ru"])
def test_axe_finds_nothing_on_any_page(browser: Browser, address: str, played: Played, language: str) -> None:
    context = browser.new_context(locale=language)
    tab = WatchedPage(context, address)
    faults = []
    for path in PAGES:
        tab.open(path.replace("%s", played.ladder))
        faults += [f"{path}: {fault}" for fault in tab.faults()]
    context.close()
    assert faults == []
    assert [each for each in tab.troubles if "404" not in each] == []


@pytest.mark.parametrize("language", AXE_LANGUAGES)
def test_axe_finds_nothing_on_the_page_of_a_dump(
    browser: Browser, address: str, world: ApiWorld, redis_url: str, language: str
) -> None:
    publish(redis_url, "2026-10", parts=3, late=7)
    context = browser.new_context(locale=language, viewport={"width": 320, "height": 700})
    tab = WatchedPage(context, address)
    page = tab.open("/dumps")
    page.get_by_text("SHA256SUMS", exact=True).wait_for()
    assert tab.faults() == []
    assert page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")
    context.close()


def test_times_are_those_of_the_readers_zone(browser: Browser, address: str, played: Played) -> None:
    shown = {}
    for zone in ("UTC", "Asia/Vladivostok"):
        context = browser.new_context(locale="en-GB", timezone_id=zone)
        page = WatchedPage(context, address).open("/matches")
        time = page.locator("time[title]").first
        shown[zone] = (time.get_attribute("datetime"), time.get_attribute("title"), time.inner_text())
        context.close()
    (instant, in_utc, there), (_, _, far_away) = shown.values()
    assert str(in_utc).endswith("UTC")
    assert there.endswith("UTC")
    assert far_away.endswith("GMT+10")
    assert re.findall(r"\d\d:\d\d", there) == re.findall(r"\d\d:\d\d", str(in_utc)) == [str(instant)[11:16]]


@pytest.mark.parametrize("width", [320, 1280])
def test_no_page_scrolls_sideways(browser: Browser, address: str, played: Played, width: int) -> None:
    context = browser.new_context(viewport={"width": width, "height": 700})
    tab = WatchedPage(context, address)
    too_wide = []
    for path in PAGES:
        page = tab.open(path.replace("%s", played.ladder))
        if page.evaluate("document.documentElement.scrollWidth > document.documentElement.clientWidth"):
            too_wide.append(path)
    context.close()
    assert too_wide == []


def test_the_caption_of_a_wide_table_is_read_without_scrolling(
    browser: Browser, address: str, played: Played
) -> None:
    context = browser.new_context(locale="ru", viewport={"width": 320, "height": 700})
    page = WatchedPage(context, address).open(f"/ladders/{played.ladder}")
    box = page.locator("caption").first.bounding_box()
    assert box is not None
    assert box["x"] + box["width"] <= 320
    context.close()


def test_no_page_of_an_owner_scrolls_sideways(browser: Browser, address: str, world: ApiWorld) -> None:
    context = browser.new_context(viewport={"width": 320, "height": 700})
    tab = WatchedPage(context, address)
    page = tab.open("/sign-up")
    page.get_by_label("Name", exact=True).fill("o" * 32)
    page.get_by_role("button", name="Sign up").click()
    page.get_by_role("link", name="I have kept it").click()
    page.get_by_label("Name", exact=True).fill("b" * 32)
    page.get_by_role("button", name="Create", exact=True).click()
    page.locator("#secret").wait_for()
    too_wide = []
    for path in ("/me", f"/me/bots/{'b' * 32}", "/new-ladder"):
        page = tab.open(path)
        if page.evaluate("document.documentElement.scrollWidth > document.documentElement.clientWidth"):
            too_wide.append(path)
    context.close()
    assert too_wide == []


def test_the_rating_curve_is_drawn(tab: WatchedPage, played: Played) -> None:
    page = tab.open("/bots/house/greedy")
    assert page.locator("#curve canvas").count() == 1


def test_standings_of_a_running_round_refresh_by_themselves(tab: WatchedPage, world: ApiWorld) -> None:
    owner = world.owner()
    body = {"name": "Live", "game": "durak", "seats": 2, "decks": "independent"}
    ladder = owner("POST", "/v1/ladders", body).json["id"]
    for bot in ("house/greedy", "house/random"):
        owner("POST", f"/v1/ladders/{ladder}/entries", {"bot": bot})
    world.services.rounds.start(ladder)
    tab.page.clock.install()
    page = tab.open(f"/ladders/{ladder}")
    assert page.locator("#standings[hx-trigger]").count() == 1
    while world.services.rounds.work(ladder, 1):
        pass
    page.clock.fast_forward(16_000)
    page.locator("#standings:not([hx-trigger])").wait_for()
    assert page.locator("#standings tbody tr").count() == 2


def test_the_header_of_a_phone_has_one_line_with_all_links(browser: Browser, address: str) -> None:
    context = browser.new_context(viewport={"width": 390, "height": 844}, locale="ru")
    page = WatchedPage(context, address).open("/")
    box = page.locator("header.site").bounding_box()
    assert box is not None
    assert box["height"] <= 60
    page.locator("header.site").get_by_role("link", name="Игры").click()
    page.get_by_role("heading", name="Игры").wait_for()
    context.close()


def test_signing_up_leads_to_a_bot_with_a_token(tab: WatchedPage, world: ApiWorld) -> None:
    page = tab.open("/")
    page.get_by_role("link", name="Write a bot").click()
    page.get_by_role("link", name="Sign up").click()
    page.get_by_label("Name", exact=True).fill("anna")
    page.get_by_role("button", name="Sign up").click()
    assert page.locator("#secret").inner_text().startswith("kozyr_")
    page.get_by_role("link", name="I have kept it").click()
    page.get_by_label("Name", exact=True).fill("fool")
    page.get_by_role("button", name="Create", exact=True).click()
    token = page.locator("#secret").inner_text()
    response = world.client.get("/v1/token", headers={"Authorization": f"Bearer {token}"})
    assert response.json["name"] == "anna/fool"
    page.get_by_text("Waiting for your bot.").wait_for()
    world.client.get("/v1/turns", headers={"Authorization": f"Bearer {token}"})
    page.get_by_text("Your bot is online.").wait_for()
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.get_by_role("button", name="Copy").nth(1).click()
    page.get_by_role("button", name="Copied").wait_for()
    assert f"export KOZYR_TOKEN={token}" in page.evaluate("navigator.clipboard.readText()")
    assert tab.faults() == []
    page.get_by_role("link", name="I have kept it").click()
    assert tab.faults() == []
    tab.open("/me")
    assert tab.faults() == []
    tab.open("/new-ladder")
    assert tab.faults() == []
    page.get_by_label("Name", exact=True).fill("My ladder")
    page.get_by_role("button", name="Create", exact=True).click()
    page.wait_for_url("**/manage")
    assert tab.faults() == []
    page.get_by_role("button", name="Enter house/greedy").click()
    page.get_by_role("button", name="Withdraw house/greedy").wait_for()


def test_a_page_can_be_used_by_keyboard_alone(tab: WatchedPage, played: Played) -> None:
    page = tab.open("/")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "main"

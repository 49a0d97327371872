"""Whole journeys in Chromium: from signing up to a played match, through an outage, and with hostile names.

`make check` runs these and leaves the other tests of the folder to CI.
"""

from __future__ import annotations

import pytest
from playwright.sync_api import Route, expect

from tests.api.conftest import ApiWorld, Person
from tests.browser.conftest import AXE_LANGUAGES, OpenTab, WatchedPage
from tests.browser.test_play import play_by_tap
from tests.web.test_match import a_match, play

_SAY_IF_NOT_ASKED = """
document.addEventListener("htmx:before:request", (event) => event.defaultPrevented && console.log("not asked"))
"""
EMPTY = ["/", "/tv", "/ladders", "/bots", "/matches"]


def test_signing_up_leads_to_a_played_match(tab: WatchedPage, world: ApiWorld) -> None:
    page = tab.open("/sign-up")
    page.get_by_label("Name", exact=True).fill("boris")
    page.get_by_role("button", name="Sign up").click()
    page.get_by_role("link", name="I have kept it").click()
    page.get_by_label("Name", exact=True).fill("fool")
    page.get_by_role("button", name="Create", exact=True).click()
    bot = Person(world.client, "boris/fool", page.locator("#secret").inner_text())
    page.get_by_text("Waiting for your bot.").wait_for()
    bot("GET", "/v1/turns")
    page.get_by_text("Your bot is online.").wait_for()
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.get_by_role("button", name="Copy").nth(1).click()
    page.get_by_role("button", name="Copied").wait_for()
    assert f"export KOZYR_TOKEN={bot.token}" in page.evaluate("navigator.clipboard.readText()")
    assert tab.faults() == []
    tab.open("/me/bots/fool/requests")
    page.get_by_role("button", name="Watch for 15 minutes").click()
    page.get_by_role("button", name="Stop").wait_for()
    world.services.watch.tick()
    match = world.match(bot)["id"]
    play(bot, match, 2)
    world.services.watch.tick()
    page.locator("#requests tbody tr").first.wait_for()  # without loading the page again
    assert tab.faults() == []
    held: list[Route] = []
    page.route("**/requests", lambda route: held.append(route))
    with page.expect_request("**/requests"):
        pass
    page.locator("#requests summary").first.click()
    page.locator("#requests details[open]").wait_for()
    with page.expect_response("**/requests"):
        held[0].continue_()
    page.unroute("**/requests")
    play(bot, match)
    world.services.watch.tick()
    with page.expect_event("console", lambda message: message.text == "not asked"):
        page.evaluate(_SAY_IF_NOT_ASKED)
    assert page.locator("#requests details[open]").count() == 1
    rows = page.locator("#requests tbody tr").count()
    page.locator("#requests summary").first.click()
    page.locator("#requests tbody tr").nth(rows).wait_for()
    tab.open("/bots/boris/fool")
    page.locator(f"a[href='/matches/{match}']").click()
    page.get_by_role("link", name="What my bot saw").wait_for()
    page.locator(".kt-seat").first.wait_for()
    assert tab.faults() == []


def test_a_game_of_durak_is_played_by_tap_on_a_phone(open_tab: OpenTab, world: ApiWorld) -> None:
    play_by_tap(open_tab, world, "durak")


def test_a_live_match_is_whole_after_an_outage(open_tab: OpenTab, world: ApiWorld) -> None:
    bot, match = a_match(world)
    play(bot, match, 1)
    page = open_tab().open(f"/matches/{match}")
    page.locator(".kt-moves a[aria-current]").wait_for()
    page.context.set_offline(True)
    play(bot, match, 2)
    page.context.set_offline(False)
    frames = world.client.get(f"/v1/matches/{match}/frames").json["frames"]
    deal = max(event["deal"] for frame in frames for event in frame["events"] if event["type"] == "deal")
    moves = [event for frame in frames for event in frame["events"] if event["type"] == "move"]
    assert deal == 1
    expect(page.locator(".kt-move")).to_have_count(len(moves))


def test_a_teacher_bans_a_bot(tab: WatchedPage, world: ApiWorld) -> None:
    student = world.bot()
    page = tab.open("/sign-up")
    page.get_by_label("Name", exact=True).fill("teacher")
    page.get_by_role("button", name="Sign up").click()
    page.get_by_role("link", name="I have kept it").wait_for()
    tab.open("/new-ladder")
    page.get_by_label("Name", exact=True).fill("<b>كلية</b> & 'class'")
    page.get_by_role("button", name="Create", exact=True).click()
    page.wait_for_url("**/manage")
    page.get_by_label("Owners or bots").fill(student.name)
    page.locator("#reason").fill("<script>document.title = 'taken over'</script>")
    page.get_by_role("button", name="Ban", exact=True).click()
    page.get_by_role("button", name=f"Unban {student.name}").wait_for()
    assert tab.faults() == []
    assert "taken over" not in page.title()
    page.get_by_role("button", name=f"Unban {student.name}").click()
    page.get_by_role("button", name=f"Unban {student.name}").wait_for(state="detached")


@pytest.mark.parametrize("language", AXE_LANGUAGES)
def test_axe_finds_nothing_in_an_empty_league(tab: WatchedPage, world: ApiWorld, language: str) -> None:
    for path in EMPTY:
        tab.open(f"{path}?lang={language}")
        assert tab.faults() == [], path

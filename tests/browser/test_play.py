"""People against bots in Chromium: by keyboard, mouse and touch, without scripts, and from a position."""

from __future__ import annotations

import re
from urllib.parse import quote, urlsplit

import pytest
from playwright.sync_api import Browser, Page, expect

from engine.registry import GAMES
from records.verify import verify
from tests.api.conftest import ApiWorld
from tests.browser.conftest import AXE_LANGUAGES, WatchedPage
from tests.web.conftest import LANGUAGES
from tests.web.test_match import a_match, play

MOST_MOVES = 400


def tab_to(page: Page, selector: str, most: int = 200) -> None:
    """Press Tab until an element that matches has the focus."""
    for _ in range(most):
        if page.evaluate("selector => document.activeElement?.matches(selector) ?? false", selector):
            return
        page.keyboard.press("Tab")
    raise AssertionError(f"no Tab reaches {selector}")


def match_of(page: Page) -> str:
    """Return the id of the match on a page of `/play`."""
    return page.url.partition("/play/")[2].partition("#")[0]


def start(page: Page, game: str, seats: int | None = None) -> None:
    """Start a match from its form, with the mouse."""
    count = seats or min(GAMES[game].seat_counts)
    origin = urlsplit(page.url)._replace(path="/play", query=f"game={game}&seats={count}", fragment="")
    page.goto(origin.geturl())
    page.locator(".play-form button").click()
    page.wait_for_url(re.compile(r"/play/\w{28}"))


def ready(page: Page) -> bool:
    """Wait until the person has to move or the match is over. Return whether it goes on."""
    page.locator(".play-ready .play-moves > *").first.wait_for()
    return page.locator(".play-moves .play-move").count() > 0


def announcement(page: Page) -> str:
    """Return the question that the panel asks, with the table it belongs to."""
    return str(page.evaluate("JSON.stringify([document.querySelector('kozyr-play').key])"))


def moved(page: Page, before: str) -> None:
    """Wait until the panel shows another question than before."""
    page.wait_for_function(
        "before => JSON.stringify([document.querySelector('kozyr-play').key]) !== before", arg=before
    )


def test_a_whole_game_is_played_by_keyboard_alone(tab: WatchedPage, world: ApiWorld) -> None:
    page = tab.open("/")
    tab_to(page, "main a[href='/play']")
    page.keyboard.press("Enter")
    page.wait_for_url("**/play")
    tab_to(page, "a[href='/play?game=durak&seats=2']")
    page.keyboard.press("Enter")
    page.wait_for_url("**/play?game=durak*")
    tab_to(page, "#level1")
    page.keyboard.press("b")  # the beginner
    tab_to(page, ".play-form button")
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile(r"/play/\w{28}"))
    assert ready(page)
    tab_to(page, ".play-moves button")
    lost = 0
    for _ in range(MOST_MOVES):
        before = announcement(page)
        page.keyboard.press("Enter")
        moved(page, before)
        if not ready(page):
            break
        lost += not page.evaluate("document.activeElement.matches('.play-moves button')")
    assert lost == 0
    said = page.locator("#your-move").inner_text()
    assert page.evaluate("document.activeElement.matches('.play-moves a')")
    record = world.client.get(f"/v1/matches/{match_of(page)}/record").json
    assert record is not None
    assert record["ending"] == "rules"
    person = next(seat for seat, who in enumerate(record["seats"]) if who.get("person"))
    fools = [seat for seat, score in enumerate(record["scores"]) if score < 0]
    assert ("you are the fool" in said, "You win" in said) == (
        fools == [person],
        bool(fools) and fools != [person],
    )
    assert verify(record) == []
    page.keyboard.press("Enter")
    page.wait_for_url("**/matches/*")
    expect(page.locator(".kt-seat").first).to_be_visible()


def test_a_card_is_chosen_and_the_move_confirmed_by_keyboard(tab: WatchedPage, world: ApiWorld) -> None:
    page = tab.open("/play")
    start(page, "king")
    for _ in range(5):
        assert ready(page)
        tab_to(page, ".play-hand button")
        for _ in range(8):
            page.keyboard.press("ArrowRight")
            if page.evaluate("!document.activeElement.getAttribute('aria-disabled')"):
                break
        if page.locator(".play-hand button:not([aria-disabled])").count() == 0:
            break  # a contract is to be declared
        page.keyboard.press("Space")
        assert page.locator(".play-hand [aria-pressed=true]").count() == 1
        assert page.evaluate("document.activeElement.matches('.play-hand [aria-pressed=true]')")
        assert page.locator(".play-moves .play-sure").count() == 1
        before = announcement(page)
        tab_to(page, ".play-moves .play-sure")
        page.keyboard.press("Enter")
        moved(page, before)


@pytest.mark.parametrize("game", [game for game in GAMES if game != "durak"])
@pytest.mark.parametrize("how", ["mouse", "touch"])
def test_moves_are_made_by_mouse_and_by_touch(
    browser: Browser, address: str, world: ApiWorld, game: str, how: str
) -> None:
    phone = {"viewport": {"width": 390, "height": 800}, "has_touch": True, "is_mobile": True}
    context = browser.new_context(locale="en-GB", **(phone if how == "touch" else {}))  # type: ignore[arg-type]
    context.set_default_timeout(60_000)
    tab = WatchedPage(context, address)
    page = tab.open("/play")
    start(page, game)
    for number in range(8):
        if not ready(page):
            break
        before = announcement(page)
        card = page.locator(".play-hand button:not([aria-disabled])")
        target = page.locator(".play-moves .play-move").first
        if number % 2 and card.count():
            card.first.tap() if how == "touch" else card.first.click()
        target.tap() if how == "touch" else target.click()
        moved(page, before)
    view = world.client.get(f"/v1/matches/{match_of(page)}").json
    assert view is not None
    assert view["seats"][0]["person"] is True
    small = page.evaluate(
        "[...document.querySelectorAll('.play-panel button, .play-panel a, .play-after a, .play-resign summary')]"
        ".map(each => each.getBoundingClientRect())"
        ".filter(box => box.height && (box.height < 44 || box.width < 44)).length"
    )
    assert small == 0
    wide = "document.documentElement.scrollWidth > document.documentElement.clientWidth"
    assert not page.evaluate(wide)
    context.close()
    assert tab.troubles == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_match_is_played_without_scripts(
    browser: Browser, address: str, world: ApiWorld, language: str
) -> None:
    context = browser.new_context(locale=language, java_script_enabled=False)
    context.set_default_timeout(60_000)
    page = context.new_page()
    page.goto(f"{address}/play")
    page.locator("a[href='/play?game=durak&seats=3']").click()
    page.locator(".play-form button").click()
    page.wait_for_url(re.compile(r"/play/\w{28}"))
    made = 0
    for _ in range(10):
        buttons = page.locator(".play-live form button")
        if not buttons.count():
            break
        with page.expect_navigation():
            buttons.first.click()
        made += 1
    assert made >= 3
    match = match_of(page)
    events = world.client.get(f"/v1/matches/{match}/events").json
    assert events is not None
    own = [each for each in events["events"] if each["type"] == "move" and each["seat"] == 0]
    assert len(own) >= made
    context.close()


def test_what_the_others_do_is_announced_once(tab: WatchedPage, world: ApiWorld) -> None:
    page = tab.open("/play")
    start(page, "durak")
    assert ready(page)
    assert page.locator("[role=log][aria-live=polite]").count() == 1
    assert page.locator(".kt-said[aria-live]").count() == 0
    for _ in range(4):
        before = announcement(page)
        page.locator(".play-moves .play-move").first.click()
        moved(page, before)
        if not ready(page):
            return
        lines = page.locator(".play-log p").all_inner_texts()
        frames = page.evaluate(
            "(() => { const { table, seat } = document.querySelector('kozyr-play'); const { list } = table.frames;"
            " const own = list.findLastIndex(f => f.events.some(e => e.type === 'move' && e.seat === seat));"
            " return list.slice(own).filter(f => f.events.some(e => table.words.event(e))).length })()"
        )
        assert len(lines) == frames
        assert lines[0].startswith("guest (person):")


def test_a_move_in_another_tab_shows_up(tab: WatchedPage, world: ApiWorld) -> None:
    page = tab.open("/play")
    start(page, "durak")
    assert ready(page)
    other = page.context.new_page()
    other.goto(page.url)
    assert ready(other)
    before = announcement(page)
    other.locator(".play-moves .play-move").first.click()
    moved(page, before)
    other.close()


@pytest.mark.parametrize("signed_in", [True, False])
def test_a_person_whose_session_is_over_is_told_what_to_do(
    tab: WatchedPage, world: ApiWorld, signed_in: bool
) -> None:
    page = tab.open("/sign-in")
    if signed_in:
        page.fill("input[name=token]", world.owner().token)
        with page.expect_navigation():
            page.locator("main form button").first.click()
    start(page, "durak")
    assert ready(page)
    page.context.clear_cookies()
    page.locator(".play-moves .play-move").first.click()
    match = urlsplit(page.url).path
    advice = "Your session is over: sign in again" if signed_in else "This browser no longer has your seat"
    target = f"/sign-in?next={quote(match, safe='')}" if signed_in else match
    for place in (".play-problem", ".kt-live"):
        link = page.locator(place).get_by_role("link", name=advice)
        expect(link).to_have_attribute("href", target)
    tab.troubles.clear()  # the console reports the refusals


def test_a_person_plays_on_from_the_shown_place(tab: WatchedPage, world: ApiWorld) -> None:
    bot, old = a_match(world, "durak")
    play(bot, old)
    page = tab.open(f"/matches/{old}?deal=1&move=2")
    page.locator(".kt-moves a[aria-current]").wait_for()
    page.keyboard.press("ArrowRight")
    link = page.locator("a[data-follows]")
    expect(link).to_have_attribute("href", re.compile(r"\?deal=1&move=3$"))
    link.click()
    page.wait_for_url("**/play-on?deal=1&move=3")
    assert "cards of this match are public" in page.locator("main").inner_text()
    page.get_by_label("Your seat").select_option("1")
    page.locator(".play-form button").click()
    page.wait_for_url(re.compile(r"/play/\w{28}"))
    page.locator(".play-ready .play-moves > *").first.wait_for()
    view = world.client.get(f"/v1/matches/{match_of(page)}").json
    assert view is not None
    assert view["continues"] == {"match": old, "deal": 1, "move": 3}
    assert page.locator(".kt-move").count() >= 3


@pytest.mark.parametrize("language", AXE_LANGUAGES)
def test_axe_finds_nothing_in_the_pages_of_people(
    browser: Browser, address: str, world: ApiWorld, language: str
) -> None:
    bot, old = a_match(world, "durak")
    play(bot, old)
    context = browser.new_context(locale=language)
    context.set_default_timeout(60_000)
    tab = WatchedPage(context, address)
    faults = []
    for path in ("/play", "/play?game=durak&seats=4", f"/matches/{old}/play-on?deal=1&move=2"):
        tab.open(path)
        faults += [f"{path}: {fault}" for fault in tab.faults()]
    for game in ("durak", "king", "svoi_kozyri"):
        start(tab.page, game)
        assert ready(tab.page)
        faults += [f"{game}: {fault}" for fault in tab.faults()]
        card = tab.page.locator(".play-hand button:not([aria-disabled])")
        if card.count():
            card.first.click()
            faults += [f"{game}, a card: {fault}" for fault in tab.faults()]
    tab.page.locator(".play-resign summary").click()
    tab.page.locator(".play-resign button").click()
    tab.page.locator(".play-after .button").wait_for()
    assert tab.page.locator(".play-panel .button, .play-after .button").count() == 1
    faults += [f"over: {fault}" for fault in tab.faults()]
    shown = tab.page.locator("main").inner_text()
    assert ("человек против ботов" if language == "ru" else "person against bots") in shown
    context.close()
    assert faults == []
    assert tab.troubles == []


def test_russian_cards_have_russian_indices_and_names(
    browser: Browser, address: str, world: ApiWorld
) -> None:
    context = browser.new_context(locale="ru")
    tab = WatchedPage(context, address)
    page = tab.open("/play")
    start(page, "durak", 4)
    page.locator(".play-ready .play-hand button").first.wait_for()
    text = page.locator("kozyr-play").inner_html()
    assert not re.search(r'class="kt-index[^"]*">[JQKA]<', text)
    labels = page.locator(".play-hand .hidden-label").all_text_contents()
    assert labels
    assert all(re.search("треф|бубен|бубн|черв|пик", label) for label in labels), labels
    context.close()
    assert tab.troubles == []

"""People against bots in Chromium: by keyboard, mouse and touch, without scripts, and from a position."""

from __future__ import annotations

import re
from collections.abc import Callable
from urllib.parse import quote, urlsplit

import pytest
from playwright.sync_api import Locator, Page, Route, ViewportSize, expect

from engine.registry import GAMES
from records.verify import verify
from tests.api.conftest import ApiWorld
from tests.browser.conftest import OpenTab, WatchedPage
from tests.web.test_match import a_match, play

pytestmark = pytest.mark.ci

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


QUICK = "localStorage.setItem('kozyr-sending', 'now'); localStorage.setItem('kozyr-pace', '0')"
"""Moves are sent at once, and those of others shown at once."""
CARDS = ".play-hand button:not([aria-disabled])"
SIZES = ({"width": 390, "height": 844}, {"width": 1280, "height": 720})
_ASKED = """() => {
  const play = document.querySelector("kozyr-play.play-ready");
  return play?.choice && play.page && !play.table.late && !play.sending && !play.pending
    && (play.choice.legal.length > 0 || play.page.over);
}"""


_SENT = """() => {
  const play = document.querySelector("kozyr-play");
  return play.sending || !play.choice?.picked.length;
}"""


_FITS_WIDTH = "document.documentElement.scrollWidth <= document.documentElement.clientWidth"


def ready(page: Page) -> bool:
    """Wait until the person has to move or the match is over. Return whether it goes on."""
    page.wait_for_function(_ASKED)
    return not page.evaluate("document.querySelector('kozyr-play').page.over")


def announcement(page: Page) -> str:
    """Return the question that the panel asks, with the table it belongs to."""
    return str(page.evaluate("JSON.stringify([document.querySelector('kozyr-play').question])"))


def moved(page: Page, before: str) -> None:
    """Wait until the panel shows another question than before."""
    page.wait_for_function(
        "before => JSON.stringify([document.querySelector('kozyr-play').question]) !== before", arg=before
    )


def choose(page: Page, press: Callable[[Locator], None]) -> None:
    """Make the first move that cards lead to, else the first without a card."""
    before = announcement(page)
    for _ in range(3):
        for target in (".play-moves .play-sure", ".play-hand .play-next:not([aria-pressed=true])", CARDS):
            if page.locator(target).count():
                break
        else:
            target = ".play-moves .play-move"
        press(page.locator(target).first)
        if page.evaluate(_SENT):
            break
    moved(page, before)


def click(target: Locator) -> None:
    target.click()


def tap(target: Locator) -> None:
    target.tap()


def test_a_whole_game_is_played_by_keyboard_alone(tab: WatchedPage, world: ApiWorld) -> None:
    tab.page.add_init_script(QUICK)
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
    tab_to(page, f"{CARDS}, .play-moves button")
    lost = 0
    for _ in range(MOST_MOVES):
        before = announcement(page)
        for _ in range(3):
            page.keyboard.press("Enter")
            if page.evaluate(_SENT):
                break
            tab_to(page, ".play-moves .play-move")
        moved(page, before)
        if not ready(page):
            break
        lost += not page.evaluate(f"document.activeElement.matches({f'{CARDS}, .play-moves button'!r})")
    assert lost == 0
    said = page.locator("#your-move").inner_text()
    assert page.evaluate("document.activeElement.matches('.play-moves a')")
    record = world.client.get(f"/v1/matches/{match_of(page)}/record").json
    assert record is not None
    assert record["ending"] == "rules"
    person = next(seat for seat, who in enumerate(record["seats"]) if who.get("person"))
    fools = [seat for seat, score in enumerate(record["scores"]) if score < 0]
    assert ("ou are the fool" in said, "You win" in said) == (
        fools == [person],
        bool(fools) and fools != [person],
    )
    assert verify(record) == []
    page.keyboard.press("Enter")
    page.wait_for_url("**/matches/*")
    expect(page.locator(".kt-seat").first).to_be_visible()


@pytest.mark.parametrize("game", [game for game in GAMES if game != "durak"])
def test_a_whole_game_is_played_by_tap_on_a_phone(open_tab: OpenTab, world: ApiWorld, game: str) -> None:
    play_by_tap(open_tab, world, game)


@pytest.mark.parametrize("size", SIZES, ids=["phone", "desktop"])
def test_a_long_bout_fits_above_a_large_hand(open_tab: OpenTab, world: ApiWorld, size: ViewportSize) -> None:
    page = open_tab(viewport=size, has_touch=True, reduced_motion="reduce").open("/play")
    page.evaluate(QUICK)
    start(page, "durak")
    while ready(page) and not page.locator(".kt-pair").count():
        choose(page, tap)
    double = "each => each.after(each.cloneNode(true))"
    while page.locator(".play-hand button").count() < 16:
        page.locator(".play-hand button").last.evaluate(double)
    for pairs in range(1, 7):
        while page.locator(".kt-pair").count() < pairs:
            page.locator(".kt-pair").last.evaluate(double)
        assert misfits(page) == [], pairs


def play_by_tap(open_tab: OpenTab, world: ApiWorld, game: str) -> None:
    """Play a match at `/play` to its end by taps at 390 x 844. Each view fits the screen and is stored as played.

    A deal of Durak is played in `test_journeys`, for `make check`.
    """
    tab = open_tab(locale="en-GB", viewport=SIZES[0], has_touch=True, reduced_motion="reduce")
    tab.page.add_init_script(QUICK)
    page = tab.open("/play")
    start(page, game)
    made = 0
    while made < MOST_MOVES and ready(page):
        choose(page, tap)
        made += 1
        assert misfits(page) == [], made
    view = world.client.get(f"/v1/matches/{match_of(page)}").json
    assert view is not None
    assert made == MOST_MOVES or view["ending"] == "rules"
    assert view["seats"][0]["person"] is True
    assert page.evaluate(_FITS_WIDTH)
    assert tab.faults() == []


@pytest.mark.ci
def test_friends_play_a_match_by_taps_on_their_phones(open_tab: OpenTab, world: ApiWorld) -> None:
    """Each page waits and goes on by itself, and says whose turn it is."""
    tabs, path = [], "/play?game=durak&seats=3&friends=1"
    for name, locale in (("Anna", "en-GB"), ("Борис", "ru")):
        tab = open_tab(locale=locale, viewport=SIZES[0], has_touch=True, reduced_motion="reduce")
        tab.page.add_init_script(QUICK)
        page = tab.open(path)
        page.locator("#name").fill(name)
        with page.expect_navigation():
            page.locator("main form:has(#name) button").tap()
        path = page.url.removeprefix(tab.address)
        assert tab.faults() == []
        assert page.evaluate(_FITS_WIDTH)
        tabs.append(tab)
    pages = [tab.page for tab in tabs]
    pages[0].locator("#start").tap()
    for page in pages:
        page.wait_for_url(re.compile(r"/play/\w{28}"))
    match = match_of(pages[0])
    for _ in range(MOST_MOVES):
        loaded = world.services.referee.look(match)
        if loaded.finished:
            break
        turn = loaded.progress.to_move
        assert turn in (0, 1)
        expect(pages[1 - turn].locator("#your-move")).to_contain_text(("Anna", "Борис")[turn])
        assert ready(pages[turn])
        choose(pages[turn], tap)
        assert pages[turn].evaluate(_FITS_WIDTH)
    record = world.services.referee.record(world.services.referee.look(match)).to_json()
    assert verify(record) == []
    for tab in tabs:
        tab.page.locator(".play-again button").tap()
        tab.page.wait_for_url(f"**{path}")


def misfits(page: Page) -> list[str]:
    """Return what of the table and the choices is outside the window, cut off, or too small for fingers."""
    found: list[str] = page.evaluate(
        """() => {
  const inside = (box) => box.top >= 0 && box.left >= 0 && box.bottom <= innerHeight && box.right <= innerWidth;
  const board = document.querySelector(".kt-board");
  const named = (selector, wrong) => [...document.querySelectorAll(selector)]
    .filter((each) => each.offsetWidth > 1 && wrong(each.getBoundingClientRect()))
    .map((each) => `${each.className}: ${JSON.stringify(each.getBoundingClientRect())}`);
  window.scrollTo(0, 0);
  return [
    ...named(".kt-board, .play-panel, .play-panel *, .play-hand button", (box) => !inside(box)),
    ...named(".play-panel button, .play-hand button", (box) => box.height < 44 || box.width < 44),
    ...[board, board.querySelector(".kt-centre")].filter((each) => each.scrollHeight > each.clientHeight + 2)
      .map((each) => `${each.className}: ${each.scrollHeight} > ${each.clientHeight}`),
  ];
}"""
    )
    return found


@pytest.mark.parametrize("size", [pytest.param(SIZES[0], id="phone"), pytest.param(SIZES[1], id="laptop")])
@pytest.mark.parametrize("game", list(GAMES))
def test_table_and_choices_fit_one_screen_with_any_number_of_seats(
    open_tab: OpenTab, world: ApiWorld, game: str, size: ViewportSize
) -> None:
    tab = open_tab(locale="ru", viewport=size, reduced_motion="reduce")
    for seats in GAMES[game].seat_counts:
        tab.page.context.clear_cookies()
        page = tab.open("/play")
        start(page, game, seats)
        assert ready(page)
        assert misfits(page) == [], seats
        if page.locator(CARDS).count():
            page.locator(CARDS).first.click()
        assert misfits(page) == [], seats
        tab.page.goto("about:blank")


def test_a_chosen_card_can_be_taken_back_within_a_second(tab: WatchedPage, world: ApiWorld) -> None:
    tab.page.clock.install()
    page = tab.open("/play")
    start(page, "king")
    page.clock.run_for(5_000)
    assert ready(page)
    before = announcement(page)
    page.locator(CARDS).first.click()
    page.get_by_role("button", name="Take back").click()
    page.clock.run_for(5_000)
    assert announcement(page) == before
    page.locator(CARDS).first.click()
    page.clock.run_for(500)
    assert page.evaluate("Boolean(document.querySelector('kozyr-play').pending)")
    page.clock.run_for(600)
    page.wait_for_function("!document.querySelector('kozyr-play').pending")


def test_a_move_waits_for_its_confirmation_if_the_player_wants(tab: WatchedPage, world: ApiWorld) -> None:
    tab.page.add_init_script("localStorage.setItem('kozyr-sending', 'ask')")
    page = tab.open("/play")
    start(page, "king")
    assert ready(page)
    before = announcement(page)
    page.locator(CARDS).first.click()
    assert tab.faults() == []
    page.keyboard.press("Escape")
    assert page.get_by_role("button", name="Confirm").count() == 0
    page.locator(CARDS).first.click()
    page.get_by_role("button", name="Confirm").click()
    moved(page, before)


def test_a_dimmed_card_says_why(tab: WatchedPage, world: ApiWorld) -> None:
    tab.page.add_init_script(QUICK)
    page = tab.open("/play")
    start(page, "king")
    for _ in range(MOST_MOVES):
        assert ready(page)
        dimmed = page.locator(".play-hand [aria-disabled]")
        if dimmed.count():
            break
        choose(page, click)
    dimmed.first.click(force=True)
    why = page.locator(".play-problem").inner_text().partition(": ")[2]
    assert why.startswith(("you have to follow suit", "hearts are led"))
    assert dimmed.first.locator(".hidden-label").inner_text().endswith(why)


def test_a_card_is_chosen_by_keyboard(tab: WatchedPage, world: ApiWorld) -> None:
    tab.page.add_init_script(QUICK)
    page = tab.open("/play")
    start(page, "svoi_kozyri")
    for _ in range(3):
        assert ready(page)
        if not page.locator(CARDS).count():
            choose(page, click)
            continue
        tab_to(page, ".play-hand button")
        for _ in range(40):
            if page.evaluate("!document.activeElement.getAttribute('aria-disabled')"):
                break
            page.keyboard.press("ArrowRight")
        before = announcement(page)
        page.keyboard.press("Space")
        if page.locator(".play-hand [aria-pressed=true]").count():  # it beats; now the card to lead
            assert page.locator(".play-hand .play-next").count() > 1
            page.locator(".play-hand .play-next").first.focus()
            page.keyboard.press("Space")
        moved(page, before)


@pytest.mark.ci
@pytest.mark.parametrize("size", SIZES, ids=("phone", "laptop"))
@pytest.mark.parametrize("game", list(GAMES))
def test_a_hint_comes_by_key_marks_cards_and_fits_the_screen(
    open_tab: OpenTab, world: ApiWorld, game: str, size: ViewportSize
) -> None:
    jobs = world.services.jobs.hints  # type: ignore[attr-defined]  # those of the tests
    jobs.clear()
    tab = open_tab(locale="ru", viewport=size, reduced_motion="reduce")
    tab.page.add_init_script(QUICK)
    page = tab.open("/play")
    start(page, game)
    while ready(page) and not page.locator(".play-ask-hint").count():
        choose(page, click)
    page.dispatch_event("body", "keydown", {"key": "ш", "code": "KeyI"})  # i on a Russian layout
    expect(page.locator(".play-hint")).to_contain_text("ищет лучший ход")
    world.services.hints.work(*jobs.pop())
    expect(page.locator(".play-hint")).to_contain_text("Подсказка: ")
    assert page.locator(".play-ask-hint").count() == 0
    move = page.evaluate("document.querySelector('kozyr-play').hints.current.move")
    marked = page.evaluate(
        "[...document.querySelectorAll('.play-hinted')].flatMap((each) => (each.value ?? each.dataset.card).split(' '))"
    )
    assert marked
    assert set(marked) <= set(move.split(" "))
    assert misfits(page) == []
    assert tab.faults() == []
    page.reload()
    assert ready(page)
    expect(page.locator(".play-hint")).to_contain_text("Подсказка: ")


def test_what_the_others_do_is_announced_once(tab: WatchedPage, world: ApiWorld) -> None:
    tab.page.add_init_script(QUICK)
    page = tab.open("/play")
    start(page, "durak")
    assert ready(page)
    assert page.locator("[role=log][aria-live=polite]").count() == 1
    assert page.locator(".kt-said[aria-live]").count() == 0
    for _ in range(4):
        choose(page, click)
        if not ready(page):
            return
        lines = page.locator(".play-log p").all_inner_texts()
        frames = page.evaluate(
            "(() => { const { table, seat } = document.querySelector('kozyr-play'); const { list } = table.frames;"
            " const own = list.findLastIndex(f => f.events.some(e => e.type === 'move' && e.seat === seat));"
            " return list.slice(own).filter(f => f.events.some(e => table.words.event(e))).length })()"
        )
        assert len(lines) == frames
        assert lines[0].startswith("You ")


def test_a_player_that_loads_after_its_table_tells_what_happened(tab: WatchedPage, world: ApiWorld) -> None:
    page = tab.open("/play")
    start(page, "durak")
    assert ready(page)
    told = page.locator(".play-log p").all_inner_texts()
    assert told
    held: list[Route] = []
    page.route("**/play.js", lambda route: held.append(route))
    page.goto(page.url, wait_until="commit")
    page.locator(".kt-board .kt-seat").first.wait_for()
    held[0].continue_()
    assert ready(page)
    assert page.locator(".play-log p").all_inner_texts() == told


def test_a_move_in_another_tab_shows_up(tab: WatchedPage, world: ApiWorld) -> None:
    page = tab.open("/play")
    start(page, "durak")
    assert ready(page)
    other = page.context.new_page()
    other.goto(page.url)
    assert ready(other)
    before = announcement(page)
    choose(other, click)
    moved(page, before)
    other.close()


@pytest.mark.parametrize("followed", ["play", "matches"])
def test_a_page_whose_match_is_gone_says_so_and_asks_no_more(
    open_tab: OpenTab, world: ApiWorld, followed: str
) -> None:
    tab = open_tab(locale="en-GB")
    page = tab.open("/play")
    page.clock.install()
    start(page, "durak")
    if followed == "matches":
        page.goto(page.url.replace("/play/", "/matches/"))
    page.locator(".kt-turn").wait_for()
    world.services.referee.store.redis.one("FLUSHALL")
    with page.expect_response(re.compile("/frames")) as answer:
        page.clock.run_for(30_000)
    assert answer.value.status == 404
    gone = page.get_by_role("link", name="The service no longer has this match")
    expect(gone.first).to_have_attribute("href", f"/{followed}")
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.clock.run_for(60_000)
    assert asked == []
    tab.troubles.clear()  # the console reports the 404


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
    page.locator(f"{CARDS}, .play-moves .play-move").first.click()
    match = urlsplit(page.url).path
    advice = "Your session is over: sign in again" if signed_in else "This browser no longer has your seat"
    target = f"/sign-in?next={quote(match, safe='')}" if signed_in else match
    for place in (".play-problem", ".kt-live"):
        link = page.locator(place).get_by_role("link", name=advice)
        expect(link).to_have_attribute("href", target)
    tab.troubles.clear()  # the console reports the refusals


def test_a_person_plays_on_from_the_shown_place(tab: WatchedPage, world: ApiWorld) -> None:
    tab.page.add_init_script(QUICK)
    bot, old = a_match(world, "durak")
    play(bot, old)
    page = tab.open(f"/matches/{old}?deal=1&move=2")
    page.locator(".kt-moves a[aria-current]").wait_for()
    page.keyboard.press("ArrowRight")
    link = page.get_by_role("link", name="Play on from here")
    expect(link).to_have_attribute("href", re.compile(r"\?deal=1&move=3$"))
    link.click()
    page.wait_for_url("**/play-on?deal=1&move=3")
    assert "cards of this match are public" in page.locator("main").inner_text()
    page.get_by_role("radio", name="Seat 1").check()
    assert tab.faults() == []
    page.locator(".play-form button").click()
    page.wait_for_url(re.compile(r"/play/\w{28}"))
    page.locator(".play-ready .play-hand > *").first.wait_for()
    view = world.client.get(f"/v1/matches/{match_of(page)}").json
    assert view is not None
    assert view["continues"] == {"match": old, "deal": 1, "move": 3}
    assert page.locator(".kt-move").count() >= 3
    expect(page.locator(".play-ways")).to_be_hidden()
    while ready(page):
        choose(page, click)
    expect(page.locator(".play-ways")).to_be_visible()
    ways = page.locator(".play-ways dd").all_inner_texts()
    assert len(ways) == len(set(ways)) == 2
    assert all(re.search(r"\(.+\)$", way) for way in ways)
    assert tab.faults() == []
    page.get_by_role("link", name="In the earlier match").click()
    page.wait_for_url(f"**/matches/{old}?deal=1&move=3")


def test_russian_cards_have_russian_indices_and_names(open_tab: OpenTab, world: ApiWorld) -> None:
    tab = open_tab(locale="ru")
    page = tab.open("/play")
    start(page, "durak", 4)
    page.locator(".play-ready .play-hand button").first.wait_for()
    text = page.locator("kozyr-play").inner_html()
    assert not re.search(r'class="kt-index[^"]*">[JQKA]<', text)
    labels = page.locator(".play-hand .hidden-label").all_text_contents()
    assert labels
    assert all(re.search("треф|бубен|бубн|черв|пик", label) for label in labels), labels

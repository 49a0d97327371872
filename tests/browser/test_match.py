"""The card table in Chromium: a replay by keyboard, deep links, live matches, comparison, a file without a network."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from engine.registry import GAMES
from kozyr.reading.view import page as page_of
from tests.api.conftest import ApiWorld
from tests.browser.conftest import OpenTab, WatchedPage
from tests.web.test_compare import a_group
from tests.web.test_match import a_match, play

pytestmark = pytest.mark.ci

"""`make check` shows one game; CI shows them all."""


def place(page: Page) -> tuple[int, int]:
    """The deal and the move that the table shows, by its address."""
    deal, move = page.evaluate(
        "(() => { const q = new URLSearchParams(location.search || location.hash.slice(1));"
        " return [Number(q.get('deal')), Number(q.get('move'))] })()"
    )
    return int(deal), int(move)


@pytest.mark.parametrize("game", list(GAMES))
def test_a_match_is_replayed_by_keyboard_alone(tab: WatchedPage, world: ApiWorld, game: str) -> None:
    more = {} if GAMES[game].fixed_deals else {"deals": 2}
    bot, match = a_match(world, game, **more)
    play(bot, match, 2000, "a note")
    page = tab.open(f"/matches/{match}")
    page.locator(".kt-seat").first.wait_for()
    keys = page.keyboard
    keys.press("Home")
    keys.press("]")
    for move in range(1, 6):
        keys.press("ArrowRight")
        assert place(page) == (1, move)
        assert page.locator(".kt-moves a[aria-current]").count() == 1
    keys.press("ArrowLeft")
    assert place(page) == (1, 4)
    keys.press("PageDown")
    assert place(page) == (2, 0)
    assert page.locator(".kt-seat .kt-card").count() > 0
    keys.press("[")
    assert place(page)[0] == 1
    before = place(page)
    keys.press(".")
    assert place(page) > before
    keys.press("n")
    assert page.locator(".kt-said .kt-note").inner_text().strip("“”") == "a note"
    keys.press("End")
    over = page.locator(".kt-said").inner_text()
    assert "The match is over (played to the end): " in over
    assert re.search(rf"{bot.name} [−\d]", over)
    keys.press("v")
    assert page.evaluate("new URLSearchParams(location.search).get('seat')") == "0"
    keys.press("?")
    page.locator("dialog[open]").wait_for()
    assert tab.faults() == []
    keys.press("Escape")
    page.locator("dialog[open]").wait_for(state="hidden")
    keys.press("Home")
    page.get_by_label("Speed").select_option("8")
    keys.press("Escape")
    page.locator(".kt-do-play").focus()
    keys.press("Enter")
    expect(page).to_have_url(re.compile(r"move=[2-9]\b"))


def test_the_clock_of_a_running_match_ticks_without_requests(tab: WatchedPage, world: ApiWorld) -> None:
    bot, match = a_match(world)
    play(bot, match, 1)
    tab.page.clock.install()
    page = tab.open(f"/matches/{match}")
    clock = page.locator(".kt-turn .kt-clock [role=timer]")
    expect(clock).to_have_text(re.compile(r"^0:\d\d \+ 1:00$|^1:00 \+ 1:00$"))
    page.clock.pause_at(page.evaluate("Date.now() / 1000 + 5"))
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    before = clock.inner_text()
    page.clock.run_for(1500)
    assert clock.inner_text() < before
    assert asked == []
    page.clock.run_for(70_000)
    expect(clock).to_have_text(re.compile(r"^0:[0-5]\d$"))
    page.clock.run_for(60_000)
    expect(clock).to_have_text("0:00")
    live = "el => el.closest('[aria-live]:not([aria-live=off]), [role=status], [role=log], [role=alert]')"
    assert clock.evaluate(live) is None
    page.clock.resume()
    play(bot, match, 1)
    expect(page.locator(".kt-strip li").first).to_be_visible()


def test_events_and_the_score_sheet_follow_a_running_match(tab: WatchedPage, world: ApiWorld) -> None:
    bot, match = a_match(world, "king")
    play(bot, match, 1)
    page = tab.open(f"/matches/{match}")
    expect(page.locator(".kt-strip li").last).to_have_text(re.compile("Contract: No tricks|Deal 1"))
    cells = page.locator(".kt-sheet [data-deal='1'] td")
    expect(cells).to_have_text([""] * 4)
    while (view := bot("GET", f"/v1/matches/{match}").json)["deal"] == 1:
        play(bot, match, 1)
    shown = [str(points).replace("-", "\N{MINUS SIGN}") for points in view["scores"]]
    expect(cells).to_have_text(shown)
    expect(page.locator(".kt-sheet tfoot td")).to_have_text(shown)
    expect(page.locator(".kt-strip")).to_contain_text("Deal 2")
    expect(page.locator(".kt-strip")).not_to_contain_text("Deal 1")
    assert tab.faults() == []


@pytest.mark.parametrize("seat", [None, 0, 1])
def test_a_deep_link_opens_at_its_move(tab: WatchedPage, world: ApiWorld, seat: int | None) -> None:
    bot, match = a_match(world, deals=2)
    play(bot, match, 2000, "a note of some length, which takes several lines of the narrow list of moves")
    chosen = "" if seat is None else f"&seat={seat}"
    page = tab.open(f"/matches/{match}?deal=2&move=5{chosen}")
    current = page.locator(".kt-moves a[aria-current]")
    current.wait_for()
    assert current.locator(".kt-no").inner_text() == "5"
    expect(current).to_be_in_viewport()
    hidden = page.locator(".kt-others .kt-back").count()
    assert (hidden > 0) == (seat is not None)


def test_the_end_of_a_match_has_an_address_and_a_line(tab: WatchedPage, world: ApiWorld) -> None:
    bot, match = a_match(world, deals=2)
    play(bot, match)
    page = tab.open(f"/matches/{match}")
    page.locator(".kt-seat").first.wait_for()
    page.keyboard.press("End")
    expect(page).to_have_url(re.compile(r"deal=2&move=end$"))
    moves = page.locator(".kt-moves")
    expect(moves.locator("li").last).to_be_in_viewport()
    assert moves.locator("a[aria-current]").inner_text().startswith("The match is over")
    page.keyboard.press("ArrowLeft")
    assert place(page)[1] > 0
    page = tab.open(f"/matches/{match}?deal=2&move=end")
    expect(page.locator(".kt-said")).to_contain_text("The match is over")
    expect(page.locator(".kt-count")).to_have_text("deal 2, end of the match")
    page.keyboard.press("Home")
    expect(moves.locator("li").first).to_be_in_viewport()


def test_a_link_to_the_shown_step_is_copied(tab: WatchedPage, world: ApiWorld) -> None:
    bot, match = a_match(world)
    play(bot, match)
    tab.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page = tab.open(f"/matches/{match}")
    page.locator(".kt-seat").first.wait_for()
    page.keyboard.press("ArrowRight")
    page.get_by_role("button", name="Copy the link to this step").click()
    expect(page.get_by_role("button", name="Copied")).to_be_visible()
    assert page.evaluate("navigator.clipboard.readText()") == page.url
    assert page.url.endswith("?deal=1&move=1")


def test_a_card_leads_to_where_it_came_from_and_where_it_goes(tab: WatchedPage, world: ApiWorld) -> None:
    bot, match = a_match(world)
    play(bot, match)
    frames = world.client.get(f"/v1/matches/{match}/frames?seat=all").json["frames"]
    dealt = next(frame["changes"]["hands"] for frame in frames if frame.get("changes", {}).get("hands"))
    moves = [
        event["move"].split() for frame in frames for event in frame["events"] if event["type"] == "move"
    ]
    number = next(at for at, move in enumerate(moves, 1) if at > 3 and move[-1] in dealt[0] + dealt[1])
    card = moves[number - 1][-1]
    page = tab.open(f"/matches/{match}?deal=1&move={number}")
    page.locator(f".kt-pairs [data-card='{card}']").dispatch_event("click")
    assert place(page)[1] != number, "the card is at its place only since this move, so the click leads on"
    page = tab.open(f"/matches/{match}?deal=1&move={number - 1}")
    page.locator(f".kt-hand [data-card='{card}']").dispatch_event("click")
    assert place(page)[1] == 0
    expect(page.locator(".kt-said")).to_contain_text("here since deal 1, move")
    assert page.url.endswith(f"&card={card}")
    page.keyboard.press("Enter")
    assert place(page)[1] == number
    assert page.locator(f".kt-pairs .kt-picked[data-card='{card}']").count() == 1
    page = tab.open(page.url.removeprefix(tab.address))
    assert page.locator(f".kt-pairs .kt-picked[data-card='{card}']").count() == 1
    assert tab.faults() == []
    page.keyboard.press("Escape")
    assert "card=" not in page.url
    page.keyboard.press("c")
    first = page.locator("[data-card]").first.get_attribute("data-card")
    assert page.url.endswith(f"&card={first}")


def test_a_replay_without_spoilers_tells_the_result_at_its_end(tab: WatchedPage, world: ApiWorld) -> None:
    bot, match = a_match(world, deals=2)
    play(bot, match)
    page = tab.open(f"/matches/{match}?spoilers=no")
    page.locator(".kt-seat").first.wait_for()
    result = page.locator(".kt-result")
    expect(result).to_be_hidden()
    for _ in range(3):
        page.keyboard.press("ArrowRight")
    slider = page.get_by_label("Position in the match")
    assert slider.get_attribute("max") == slider.input_value(), "the slider doesn't show how much is to come"
    assert page.locator(".kt-move").count() == 3
    expect(page.get_by_label("Deal", exact=True)).to_be_hidden()
    assert tab.faults() == []
    page.keyboard.press("End")
    expect(result).to_be_visible()
    expect(page.get_by_label("Deal", exact=True)).to_be_visible()
    page.keyboard.press("Home")
    assert int(slider.get_attribute("max") or 0) > 10
    expect(result).to_be_visible()


def test_print_shows_the_moves_of_all_deals(tab: WatchedPage, world: ApiWorld) -> None:
    bot, match = a_match(world, deals=2)
    play(bot, match)
    page = tab.open(f"/matches/{match}?deal=1&move=1")
    lines = page.locator(".kt-moves .kt-move")
    lines.first.wait_for()
    count = lines.count()
    page.emulate_media(media="print")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    events = world.client.get(f"/v1/matches/{match}/events").json["events"]
    assert lines.count() == sum(event["type"] == "move" for event in events) > count
    moves = page.locator(".kt-moves")
    assert moves.evaluate("list => list.scrollHeight <= list.clientHeight + 1")
    expect(page.locator(".kt-bar")).to_be_hidden()
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    assert lines.count() == count


def test_a_browser_that_refuses_new_addresses_plays_on(tab: WatchedPage, world: ApiWorld) -> None:
    """Safari refuses after 100 changes in 30 s."""
    bot, match = a_match(world)
    play(bot, match)
    refusing = "history.replaceState = () => { throw new DOMException('too often', 'SecurityError') }"
    tab.page.add_init_script(refusing)
    page = tab.open(f"/matches/{match}")
    page.locator(".kt-seat").first.wait_for()
    page.keyboard.press("Home")
    page.get_by_label("Speed").select_option("8")
    page.locator(".kt-do-play").click()
    shown = "document.querySelector('.kt-moves a[aria-current] .kt-no')?.textContent"
    page.wait_for_function(f"() => Number({shown}) >= 5")


def test_the_page_in_another_language_opens_at_the_same_move(tab: WatchedPage, world: ApiWorld) -> None:
    bot, match = a_match(world, deals=2)
    play(bot, match)
    page = tab.open(f"/matches/{match}")
    page.locator(".kt-seat").first.wait_for()
    page.keyboard.press("PageDown")
    page.keyboard.press("ArrowRight")
    page.get_by_role("link", name="Русский").click()
    page.wait_for_url("**&lang=ru")
    page.locator(".kt-moves a[aria-current]").wait_for()
    assert place(page) == (2, 1)
    assert page.locator("html").get_attribute("lang") == "ru"


_WATCH_SHIFTS = """
window.shifted = 0;
new PerformanceObserver((list) => { for (const each of list.getEntries()) window.shifted += each.value; })
  .observe({ type: "layout-shift", buffered: true });
"""


@pytest.mark.parametrize(("game", "width"), [("durak", 412), ("king", 1350)])
def test_the_page_of_a_match_hardly_moves_while_it_loads(
    tab: WatchedPage, world: ApiWorld, game: str, width: int
) -> None:
    bot, match = a_match(world, game)
    play(bot, match, 2000, "a note")
    asked: list[str] = []
    tab.page.on("request", lambda request: asked.append(request.url))
    tab.page.add_init_script(_WATCH_SHIFTS)
    tab.page.set_viewport_size({"width": width, "height": 900})
    page = tab.open(f"/matches/{match}")
    page.locator(".kt-moves a[aria-current]").wait_for()
    page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
    assert page.evaluate("window.shifted") < 0.05
    assert len([url for url in asked if "/frames?" in url]) == 1, "the frames are loaded ahead, and once"


def test_the_text_of_a_match_stays_if_its_script_does_not_load(tab: WatchedPage, world: ApiWorld) -> None:
    bot, match = a_match(world)
    play(bot, match)
    tab.page.route("**/table.js", lambda route: route.abort())
    tab.page.goto(f"{tab.address}/matches/{match}?deal=1&move=3")
    expect(tab.page.locator(".kt-plain .kt-cards").first).to_be_visible()
    assert tab.page.locator(".kt-moves a[aria-current] .kt-no").inner_text() == "3"
    tab.troubles.clear()  # the console reports the script


def test_a_running_match_is_followed(tab: WatchedPage, world: ApiWorld) -> None:
    bot, match = a_match(world)
    play(bot, match, 1, "secret plan")
    page = tab.open(f"/matches/{match}")
    page.locator(".kt-moves a[aria-current]").wait_for()
    before = page.locator(".kt-move").count()
    play(bot, match, 2, "secret plan")
    expect(page.locator(".kt-move").nth(before)).to_be_attached(timeout=15_000)
    assert "secret plan" not in page.content()
    bot("POST", f"/v1/matches/{match}/resign")
    page.get_by_role("link", name="show all hands").click()
    page.locator(".kt-note").first.wait_for()


_CUT_OFF = """() => {
  const table = document.querySelector("kozyr-table");
  const cut = (each) => each.scrollHeight > each.clientHeight + 3 || each.scrollWidth > each.clientWidth + 3;
  const { length } = table.frames.list;
  return Array.from({ length: Math.min(length, 100) }, (_, nth) => length - 1 - nth).flatMap((at) => {
    table.go(at);
    return [...document.querySelectorAll(":root, .kt-board, .kt-centre, .kt-seat, .kt-moves a")].filter(cut)
      .map((each) => `${at}: ${each.className}, ${each.scrollWidth} x ${each.scrollHeight}: ${each.innerText}`);
  });
}"""


@pytest.mark.ci
@pytest.mark.parametrize("game", list(GAMES))
def test_a_table_fits_the_frame_that_its_page_suggests(open_tab: OpenTab, world: ApiWorld, game: str) -> None:
    owner = world.owner()
    tab = open_tab(locale="ru", reduced_motion="reduce")
    for count in GAMES[game].seat_counts:
        seats = ["house/greedy", *["house/random"] * (count - 1)]
        match = owner("POST", "/v1/matches", {"game": game, "seats": seats}).json["id"]
        while world.services.referee.go_on(match, 5.0):
            pass
        page = tab.open(f"/matches/{match}")
        suggested = str(page.locator(".kt-share code").text_content())
        src, width, height = re.findall('"(.+?)"', suggested)
        page.set_viewport_size({"width": int(width), "height": int(height)})
        page = tab.open(src.removeprefix(tab.address))
        assert page.evaluate(_CUT_OFF) == [], count
        assert page.locator(".kt-moves").evaluate("list => list.scrollHeight > list.clientHeight")


def test_the_tables_of_a_group_move_in_step(tab: WatchedPage, world: ApiWorld) -> None:
    group = a_group(world, "durak", ["house/greedy", "house/random"])
    page = tab.open(f"/groups/{group}/compare")
    page.locator(".kt-seat").first.wait_for()
    hands = page.locator("kozyr-table").evaluate_all(
        "tables => tables.map(table => [...table.querySelectorAll('.kt-index')].map(text => text.textContent).join())"
    )
    assert len(set(hands)) == 1
    page.keyboard.press("d")
    assert page.locator(".kt-apart").count() == 2
    moves = page.locator("kozyr-table").evaluate_all(
        "tables => tables.map(table => table.frames.list[table.at].move)"
    )
    assert moves[0] == moves[1] > 0


def test_a_match_in_a_file_needs_no_network(open_tab: OpenTab, world: ApiWorld, tmp_path: Path) -> None:
    bot, match = a_match(world, deals=2)
    play(bot, match, note="</script><script>document.title = 'taken over'</script>")
    record = json.loads(world.client.get(f"/v1/matches/{match}/record").text)
    file = tmp_path / "match.html"
    file.write_text(page_of(record), encoding="utf-8")
    tab = open_tab(offline=True)
    tab.address = "file://"
    page = tab.page
    page.goto(f"{file.as_uri()}#deal=2&move=3&seat=1")
    page.locator(".kt-seat").first.wait_for()
    assert page.locator(".kt-moves a[aria-current] .kt-no").inner_text() == "3"
    page.keyboard.press("ArrowRight")
    assert place(page) == (2, 4)
    assert "taken over" not in page.title()
    assert tab.faults() == []


@pytest.mark.parametrize("game", list(GAMES))
def test_the_example_deal_of_a_game_is_stepped_through(tab: WatchedPage, world: ApiWorld, game: str) -> None:
    page = tab.open(f"/games/{game}")
    page.locator(".kt-seat").first.wait_for()
    page.keyboard.press("Home")
    for _ in range(4):
        page.keyboard.press("ArrowRight")
    assert place(page)[1] >= 3
    page.keyboard.press("v")
    assert page.evaluate("new URLSearchParams(location.search).get('seat')") == "0"
    page.keyboard.press("End")
    assert page.locator(".kt-between").count() > 0
    assert tab.faults() == []


def test_several_running_matches_are_followed_over_one_stream(tab: WatchedPage, world: ApiWorld) -> None:
    played = [a_match(world, game) for game in ("durak", "kryt")]
    for bot, match in played:
        play(bot, match, 1)
    streams: list[str] = []
    tab.page.on("request", lambda request: streams.append(request.url) if "/stream" in request.url else None)
    page = tab.open("/tv")
    page.locator(".kt-seat").first.wait_for()
    widths = page.evaluate(
        "['.kt-board', '[data-match]'].map((each) => document.querySelector(each).getBoundingClientRect().width)"
    )
    assert widths[0] > 0.9 * widths[1], "a table is as wide as its place"
    for bot, match in played:
        section = page.locator(f"[data-match='{match}']")
        before = section.locator(".kt-said").inner_text()
        play(bot, match, 1)
        expect(section.locator(".kt-said")).not_to_have_text(before)
    assert len({url.partition("&after")[0] for url in streams}) == 1
    assert tab.faults() == []


def test_the_home_page_plays_the_last_match_until_somebody_stops_it(
    tab: WatchedPage, world: ApiWorld
) -> None:
    bot, match = a_match(world)
    play(bot, match)
    page = tab.open("/")
    said = page.locator(".kt-said")
    expect(said).not_to_have_text("")
    before = said.inner_text()
    expect(said).not_to_have_text(before, timeout=60_000)
    page.get_by_role("button", name="pause").click()
    expect(page.get_by_role("button", name="play")).to_be_visible()
    assert tab.faults() == []
    page.emulate_media(reduced_motion="reduce")  # for those who want no motion it stands still
    tab.open("/")
    expect(page.get_by_role("button", name="play")).to_be_visible()


def test_the_replay_shows_thoughts_as_plain_text(tab: WatchedPage, world: ApiWorld) -> None:
    thoughts = "<img src=x onerror=\"document.title='taken over'\">\n# **no** [link](javascript:alert(1))"
    bot, match = a_match(world, "durak")
    bot.move(world.turn(bot), facts={"thoughts": thoughts})
    play(bot, match, 2000)
    page = tab.open(f"/matches/{match}")
    page.locator(".kt-seat").first.wait_for()
    shown = page.locator(".kt-thoughts")
    page.keyboard.press("Home")
    for _ in range(3):
        if shown.is_visible():
            break
        page.keyboard.press("ArrowRight")
    expect(shown).to_have_text(thoughts, use_inner_text=True)
    assert shown.locator("*").count() == 0
    assert tab.faults() == []
    page.keyboard.press("End")
    expect(shown).to_be_hidden()
    assert page.title() != "taken over"

"""Every kind of page, with axe, in both languages, by day and by night. A new kind of page needs an address here."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page

from engine.registry import GAMES
from league.accounts.model import DeclaredAgent
from records.reviews import judge as evaluation
from records.reviews.judge import ReviewSettings
from tests.api.conftest import ADMIN_TOKEN, ApiWorld, Person
from tests.api.test_reviews import house_match, work
from tests.browser.conftest import OpenTab, WatchedPage
from tests.browser.test_play import ready, start
from tests.web.conftest import LANGUAGES, Visitor, played_ladder
from tests.web.test_compare import a_group
from tests.web.test_dumps import publish
from tests.web.test_friends import open_table
from tests.web.test_leaks import hidden_round
from tests.web.test_match import a_match, play

pytestmark = pytest.mark.ci

DATA = (
    ".png",
    ".csv",
    ".json",
    ".ndjson",
    ".txt",
    ".xml",
    ".webmanifest",
    "/frames",
    "/hint",
    "/friends",
    "/together/<session>",
    "/home",
    "/random",
)
"""How the addresses end that are no pages of their own."""
LADDER = "/ladders/<ladder_id>"
ERRORS = {
    "unknown": "/nowhere",
    "no match": "/matches/none",
    "no bot": "/bots/house/nobody",
    "bad query": "/tv?game=whist",
    "running group": "/matches/{hidden}",
}
"""Pages of refusals."""
BY = {
    "nobody": {
        "/": "/",
        **{
            f"/{name}": f"/{name}"
            for name in (
                *("bots", "dumps", "games", "help", "ladders", "matches", "models", "play", "puzzles"),
                *("sign-in", "sign-up", "tv"),
            )
        },
        "/bots/<owner>/<name>": "/bots/house/greedy",
        "/bots/<owner>/<name>/ratings": "/bots/house/greedy/ratings",
        "/friends/<table>": "{table}",
        "/play with friends": "/play?game=durak&seats=3&friends=1",
        "/matches/<match>/ending": "/matches/{durak}/ending",
        "/puzzles/<name>": "/puzzles/durak-1",
        "/puzzles/<name>/<int:number>": "/puzzles/durak-1/17",
        "/groups/<group>/compare": "/groups/{group}/compare",
        LADDER: "/ladders/{ladder}",
        **{
            f"{LADDER}/{tab}": f"/ladders/{{ladder}}/{tab}"
            for tab in ("cross", "entries", "rounds", "schedule", "screen", "seasons")
        },
        f"{LADDER}/bracket": "/ladders/{knock_out}/bracket",
        f"{LADDER}/rounds/<int(max=999999999):number>": "/ladders/{ladder}/rounds/1",
        f"{LADDER}/seasons/<int(max=999999999):number>/results": "/ladders/{knock_out}/seasons/1/results",
        "/matches/<match>/embed": "/matches/{durak}/embed?deal=1&move=3",
        "/matches/<match>/play-on": "/matches/{durak}/play-on?deal=1&move=3",
        "/matches/<match>/together": "/matches/{durak}/together?deal=1&move=3",
        "/matches/<match>/review": "/matches/{reviewed}/review?moves=all",
        "/matches/<match>/practice": "/matches/{reviewed}/practice",
        **{f"/games/<game_id> {game}": f"/games/{game}" for game in GAMES},
        **{f"/matches/<match> {game}": f"/matches/{{{game}}}?deal=1&move=4" for game in GAMES},
        **{f"/play/<match> {game}": f"/play {game}" for game in GAMES},
        **ERRORS,
    },
    "owner": {
        "/me": "/me",
        "/me/bots/<name>": "/me/bots/{bot}",
        "/me/bots/<name>/requests": "/me/bots/{bot}/requests",
        "/checks/<match>": "/checks/{check}",
        "/new-ladder": "/new-ladder",
        f"{LADDER}/manage": "/ladders/{ladder}/manage",
        f"{LADDER}/log": "/ladders/{ladder}/log",
    },
    "admin": {
        **{path: path for path in ("/admin", "/admin/log", "/invitations")},
        "/bots/<owner>/<name>": "/bots/{owned}",
        "/matches/<match>": "/matches/{durak}",
    },
}  # fmt: skip
"""The address of each kind of page, by who sees it."""


@pytest.fixture
def furnished(
    world: ApiWorld, redis_url: str, monkeypatch: pytest.MonkeyPatch
) -> tuple[Person, dict[str, str]]:
    """An owner, and what the addresses of the pages name."""
    monkeypatch.setattr(evaluation, "SETTINGS", ReviewSettings(2, (4, 6), 2))
    monkeypatch.setattr(evaluation, "TOLERANCE", -0.2)
    owner = world.owner()
    bot = world.bot(owner)
    names = {"bot": bot.name.partition("/")[2], "check": bot("POST", "/v1/checks", {}).json["match"]}
    for game in GAMES:
        player, names[game] = a_match(world, game)
        play(player, names[game], 2000, "a note")
        names["owned"] = player.name
        world.services.accounts.update_bot(player.id, agent=DeclaredAgent("<b>opus</b>", "example"))
    publish(redis_url, "2026-10", parts=3, late=7)
    names["reviewed"] = house_match(world, owner)
    assert owner("POST", f"/v1/matches/{names['reviewed']}/reviews").status_code < 300
    work(world, names["reviewed"])
    names["group"] = a_group(world, "durak", ["house/greedy", "house/random"])
    names["table"] = open_table(Visitor(world.app.test_client()))
    settings = {"name": "Кубок <b>", "check": False}
    names["ladder"] = played_ladder(world, owner, **settings)
    names["knock_out"] = played_ladder(world, owner, **settings, format="knock_out")
    students = [world.owner(), world.owner()]
    names["hidden"] = hidden_round(world, students, [world.bot(student) for student in students])[0][0]
    return owner, names


def test_every_kind_of_page_has_an_address_here(world: ApiWorld) -> None:
    rules = {
        str(rule)
        for rule in world.app.url_map.iter_rules()
        if rule.endpoint.startswith("site_")
        and "GET" in (rule.methods or ())
        and rule.endpoint != "site_static"
    }
    kinds = {kind.partition(" ")[0] for kinds in BY.values() for kind in kinds if kind not in ERRORS}
    assert {rule for rule in rules if not rule.endswith(DATA)} == kinds - {"/"}


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("who", list(BY))
def test_axe_finds_nothing_on_any_kind_of_page(
    open_tab: OpenTab,
    world: ApiWorld,
    furnished: tuple[Person, dict[str, str]],
    who: str,
    language: str,
) -> None:
    owner, names = furnished
    tab = open_tab(locale=language, reduced_motion="reduce")
    if who != "nobody":
        tab.open("/sign-in")
        tab.page.fill("input[name=token]", ADMIN_TOKEN if who == "admin" else owner.token)
        with tab.page.expect_navigation():
            tab.page.locator("main form button").first.click()
    found = []
    for kind, path in BY[who].items():
        page = opened(tab, path, names)
        found += [f"{kind}: {fault}" for fault in tab.faults()]
        if page.evaluate("document.documentElement.scrollWidth > document.documentElement.clientWidth"):
            found.append(f"{kind}: scrolls sideways")
    assert found == []
    tab.troubles = [each for each in tab.troubles if "status of 4" not in each]


def opened(tab: WatchedPage, path: str, names: dict[str, str]) -> Page:
    """Open a page, or start a match of the game that `/play GAME` names."""
    tab.page.set_viewport_size({"width": 320, "height": 844})
    if path.startswith("/play "):
        tab.page.context.clear_cookies(name="kozyr_visitor")
        start(tab.page, path.removeprefix("/play "))
        assert ready(tab.page)
        return tab.page
    return tab.open(path.format(**names))

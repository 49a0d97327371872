"""Every page, in both languages, with an empty league and with a played ladder."""

from __future__ import annotations

import html
import re
from functools import partial
from urllib.parse import parse_qs, urlsplit

import httpx
import pytest

from kozyr.starters.writing import STARTERS
from league.accounts.model import DeclaredAgent
from records.results.group_result import GroupResult, ResultPlayer, SideResult
from tests.api.conftest import ApiWorld
from tests.web.conftest import LANGUAGES, Elements, Played, Visitor, played_ladder
from tests.web.test_match import a_match, play

EMPTY = ["/", "/home", "/help", "/ladders", "/bots", "/games", "/matches", "/models", "/dumps", "/games/king"]


def links(page: str) -> set[str]:
    """Return the site's own pages that a page links to."""
    found = {address.partition("#")[0] for address in Elements(page).addresses()}
    own = {address for address in found if address.startswith("/") and "lang=" not in address}
    return {address for address in own if not re.match(r"/(static|docs|v1|openapi)", address)}


def well_formed(page: str, language: str) -> None:
    """Check what all pages have in common."""
    assert f'<html lang="{language}">' in page
    assert page.count("<h1") == 1
    assert '<meta name="description" content="' in page
    assert re.findall(r'<link rel="alternate" hreflang="(\w\w)" href="http://', page) == ["en", "ru"]
    for tag, attributes in Elements(page).found:
        assert tag != "style"
        assert tag != "script" or attributes.get("src")
        assert not [name for name in attributes if name == "style" or name.startswith("on")]


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("path", EMPTY)
def test_pages_of_an_empty_league_are_whole(visitor: Visitor, path: str, language: str) -> None:
    visitor.language = language
    well_formed(visitor.page(path), language)


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_leaderboard_by_model_is_whole(world: ApiWorld, visitor: Visitor, language: str) -> None:
    for agent in (DeclaredAgent("<b>opus</b>", "example", "loop", "high"), DeclaredAgent("other")):
        bot, match = a_match(world)
        world.services.accounts.update_bot(bot.id, agent=agent)
        bot.move(world.turn(bot), facts={"input_tokens": 1000, "cost_micro_usd": 2500})
        play(bot, match)
    visitor.language = language
    page = visitor.page("/models")
    well_formed(page, language)
    assert "<bdi>&lt;b&gt;opus&lt;/b&gt;</bdi> · <bdi>example</bdi> · <bdi>high</bdi>" in page
    assert ("0.0025" if language == "en" else "0,0025") in page
    assert page.count('<th scope="row">') == 2


@pytest.mark.parametrize("language", ["en", pytest.param("ru", marks=pytest.mark.ci)])
def test_every_link_of_the_site_leads_to_a_page(visitor: Visitor, played: Played, language: str) -> None:
    visitor.language = language
    shown, seen, waiting = 0, set[str](), {"/"}
    while waiting - seen:
        address = min(waiting - seen)
        seen.add(address)
        if re.match(r"/matches/\w|/puzzles/[\w-]+/(?!1$)", address):
            continue  # other tests show these, and the first puzzle of each set is enough
        found = visitor.get(address)
        assert found.status_code == 200 or (found.status_code == 303), (address, found.text[:500])
        if found.mimetype == "text/html" and found.status_code == 200:
            shown += 1
            well_formed(found.text, language)
            waiting |= links(found.text)
    assert shown > 100


@pytest.mark.parametrize("language", LANGUAGES)
def test_pages_mark_ratings_that_are_not_comparable_with_the_anchor(
    visitor: Visitor, world: ApiWorld, language: str
) -> None:
    visitor.language = language
    owner = world.owner()
    one, other = world.bot(owner), world.bot(owner)
    sides = [SideResult((ResultPlayer(bot.id, bot.name, "1"),), 0, False) for bot in (one, other)]
    world.services.ratings.store.add([GroupResult("durak/2", "g1", 1_000, tuple(sorted(sides)))])
    world.services.ratings.catch_up("durak/2")
    address = world.ladder(owner, one).removeprefix("/v1")
    note = {"en": "Not comparable with the anchor", "ru": "Не сравнимо с эталоном"}[language]
    for path in (address, f"/bots/{one.name}", f"/bots/{one.name}/ratings?preset=durak/2"):
        page = visitor.page(path)
        well_formed(page, language)
        assert note in page, path
    apart = {"en": "Difference of the ratings 0, 95 %", "ru": "Разность рейтингов 0, 95 %"}[language]
    assert apart in visitor.page(f"/bots/{one.name}?against={other.name}")


def test_standings_and_the_page_of_a_bot_have_intervals_and_curves(
    visitor: Visitor, played: Played, world: ApiWorld
) -> None:
    page = visitor.page(f"/ladders/{played.ladder}")
    rows = world.client.get(f"/v1/ladders/{played.ladder}/standings").json["standings"]
    assert page.count('class="interval"') == sum(row["points_low"] is not None for row in rows)
    assert (page.count("±"), "Not comparable with the anchor" in page) == (2, False)
    page = visitor.page("/bots/house/greedy?against=house/random")
    assert 'id="curve"' in page
    assert "Head to head" in page
    assert re.search(r"\d+ better, \d+ equal, \d+ worse", page)
    page = visitor.page("/bots/house/greedy?lang=ru")
    assert ("Бот этого сервиса." in page, "A house bot" in page) == (True, False)


@pytest.mark.parametrize(
    "query", ["?status=lost", "?since=yesterday", "?game=chess", "?bot=" + "x" * 66, "?cursor=forged"]
)
def test_a_wrong_filter_gets_an_error_page(visitor: Visitor, query: str) -> None:
    found = visitor.get("/matches" + query)
    assert (found.status_code, found.mimetype) == (400, "text/html")


@pytest.mark.parametrize("query", ["bot=tester", "bot=nobody/fool", "bot=house/greedy&opponent=nobody/here"])
def test_a_search_for_an_unknown_bot_keeps_the_form(visitor: Visitor, query: str) -> None:
    found = visitor.get(f"/matches?game=durak&{query}")
    assert found.status_code == 404
    name, _, bot = query.rpartition("&")[2].partition("=")
    assert f'name="{name}" value="{bot}"' in found.text
    assert '<option value="durak" selected>' in found.text
    assert f"there is no bot &#34;{bot}&#34;" in found.text


@pytest.mark.parametrize(
    "path", ["/matches?game=durak&status=finished", "/sign-up?invitation=a%26b", "/ladders"]
)
def test_the_other_language_shows_the_same_page(visitor: Visitor, path: str) -> None:
    page = visitor.page(path)
    (link,) = re.findall(r'<a href="([^"]+)" lang="ru"', page)
    parts = urlsplit(html.unescape(link))
    query = {**parse_qs(urlsplit(path).query), "lang": ["ru"]}
    assert (parts.path, parse_qs(parts.query)) == (urlsplit(path).path, query)


def test_matches_are_filtered(visitor: Visitor, played: Played) -> None:
    of_ladder = visitor.page(f"/matches?ladder={played.ladder}")
    assert of_ladder.count('href="/matches/') == 6
    assert visitor.page("/matches?until=9999-12-31").count('href="/matches/') == 6
    cross = Elements(visitor.page(f"/ladders/{played.ladder}/cross")).addresses()
    cells = [link for link in cross if "&opponent=" in link]
    assert [visitor.page(link).count("</tr>") for link in cells] == [of_ladder.count("</tr>")] * 2
    for query in ("bot=house/greedy&opponent=house/random", "opponent=house/greedy"):
        assert f"/matches/{played.match}" in visitor.page(f"/matches?{query}")
    assert "No match was found" in visitor.page("/matches?game=king")
    assert "/v1/records?game=durak" in visitor.page("/matches?game=durak")


class Enough(Exception):
    """The bot has made enough moves."""


def test_the_example_of_the_help_page_plays(
    world: ApiWorld, visitor: Visitor, monkeypatch: pytest.MonkeyPatch
) -> None:
    bot = world.bot(world.owner())
    match = world.match(bot)["id"]
    answers: list[int] = []

    class Counting(httpx.WSGITransport):
        def handle_request(self, request: httpx.Request) -> httpx.Response:
            answer = super().handle_request(request)
            if request.method == "POST":
                answers.append(answer.status_code)
            if len(answers) == 3:
                raise Enough
            return answer

    monkeypatch.setenv("KOZYR_TOKEN", bot.token)
    monkeypatch.setattr(httpx, "Client", partial(httpx.Client, transport=Counting(app=world.app)))
    (code,) = [
        html.unescape(each)
        for each in re.findall(r"<code>(.*?)</code>", visitor.page("/help"), re.DOTALL)
        if "import httpx" in each
    ]
    with pytest.raises(Enough):
        exec(code.replace('"wait": 30', '"wait": 1'), {})  # the tests' service allows less
    assert answers == [200] * 3
    assert world.client.get(f"/v1/matches/{match}").json["turn"] > 3


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_help_page_names_every_language_of_a_starter(visitor: Visitor, language: str) -> None:
    visitor.language = language
    page = visitor.page("/help")
    assert "kozyr new-bot" in page
    assert all(f"<code>{name}</code>" in page for name in STARTERS)
    assert len(STARTERS) == 6


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(
    ("format_", "title", "reason"),
    [
        ("swiss", "Buchholz", "they had not met before"),
        ("knock_out", "Stage", "stage 1; seeds"),
        ("versus", "Verdict", "compared bots meet"),
    ],
)
def test_pages_of_a_tournament_show_its_score_and_the_winner_first(
    visitor: Visitor, world: ApiWorld, format_: str, title: str, reason: str, language: str
) -> None:
    visitor.language = language
    owner = world.owner()
    ladder = played_ladder(world, owner, format=format_)
    found = world.client.get(f"/v1/ladders/{ladder}/standings").json["standings"]
    page, round_ = (visitor.page(f"/ladders/{ladder}{part}") for part in ("", "/rounds/1"))
    for each in (page, round_):
        well_formed(each, language)
    assert page.index(found[0]["bot"]) < page.index(found[1]["bot"])
    if language == "en":
        assert title in page
        assert reason in re.sub(r"\s+", " ", round_)
    assert owner("POST", f"/v1/ladders/{ladder}/seasons").status_code == 201
    past = visitor.page(f"/ladders/{ladder}?season=1")
    tag = {"en": "winner", "ru": "победитель"}[language]
    assert past.count(f'<span class="tag">{tag}</span>') == sum(line["won"] for line in found)


def test_bots_are_sorted_by_their_rating(visitor: Visitor, played: Played) -> None:
    assert "/bots?preset=durak/2" in visitor.page("/bots")
    page = visitor.page("/bots?preset=durak/2")
    rows = re.findall(r'<bdi>(house/\w+)</bdi></a>\s*</th><td class="n">([\d,]+)', page)
    ratings = visitor.client.get("/v1/ratings?preset=durak/2").json["ratings"]
    assert [name for name, _ in rows] == [each["bot"] for each in ratings]
    assert len(rows) == 2
    assert visitor.get("/bots?preset=chess/2").status_code == 400

"""An owner's own page: results, ladders and news."""

from __future__ import annotations

import re
from collections import Counter

import pytest

from kozyr.starters.writing import STARTERS
from league.fitness.model import DayStatistics
from league.fitness.regret import LostMatch
from league.following import MOST_FOLLOWED
from records.match.clock import PACES
from tests.api.conftest import ApiWorld, Person
from tests.web.conftest import LANGUAGES, Visitor
from tests.web.test_join import new_ladder, signed_up, with_bot
from tests.web.test_leaks import hidden
from tests.web.test_leaks import signed_in as visitor_of
from tests.web.test_match import play
from tests.web.test_pages import well_formed

__all__ = ["hidden"]

BAN = {"names": "boris/fool", "rule": "banned", "reason": "<i>collusion</i>"}


def section(page: str, title: str) -> str:
    return page.partition(f">{title}</h2>")[2].partition("<h2")[0]


def with_person(world: ApiWorld) -> tuple[Visitor, Person]:
    """Return a visitor, and its bot as a client."""
    owner, token = with_bot(world, "boris")
    return owner, Person(world.client, "boris/fool", token)


def unread(page: str) -> str | None:
    """Return the number of news in the header."""
    found = re.search(r'/me#news">\w+ <span class="tag">(\d+)<', page)
    return found and found[1]


def test_the_page_lists_ladders_that_the_owner_runs_or_has_entered(world: ApiWorld) -> None:
    teacher = signed_up(world)
    student, _ = with_bot(world, "boris")
    mine, other = new_ladder(teacher), new_ladder(teacher)
    world.services.ladders.enter(mine, world.services.accounts.bot("boris", "fool"))
    listed = section(teacher.page("/me"), "Your ladders")
    assert all(f"/ladders/{each}/manage" in listed for each in (mine, other))
    listed = section(student.page("/me"), "Your ladders")
    assert f"/ladders/{mine}" in listed
    assert "boris/fool" in listed
    assert other not in listed
    assert "/manage" not in listed
    helper, _ = with_bot(world, "vera")
    assert mine not in helper.page("/me")
    world.services.ladders.change(mine, organisers=[world.services.accounts.owner_by_name("vera").id])
    assert f"/ladders/{mine}/manage" in helper.page("/me")


def test_the_header_counts_news_until_they_are_read(world: ApiWorld) -> None:
    teacher = signed_up(world)
    student, bot = with_person(world)
    assert unread(student.page("/")) is None
    assert "News" not in student.page("/me")  # its log of events begins now
    play(bot, world.match(bot)["id"])
    assert unread(student.page("/")) is None, "matches push no news out"
    page = f"/ladders/{new_ladder(teacher)}"
    student.send(page, f"{page}/enter", {"bot": "boris/fool"})
    assert unread(student.page("/")) == "1"
    teacher.send(f"{page}/manage", f"{page}/rules", BAN)
    assert unread(student.page("/bots")) == "2"
    news = section(student.page("/me"), "News")
    assert news.count('<span class="tag">new</span>') == 2
    assert "&lt;i&gt;collusion" in news
    assert unread(student.page("/")) is None
    assert "new</span>" not in section(student.page("/me"), "News")


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_page_sums_up_results(world: ApiWorld, language: str) -> None:
    owner, bot = with_person(world)
    owner.language = language
    play(bot, world.match(bot)["id"])
    owner.send("/play?game=durak&seats=2", "/play", {"game": "durak", "seats": 2, "level1": "random"})
    (mine,) = re.findall(r"/play/(\w{20,})", owner.page("/play"))[:1]
    owner.send(f"/play/{mine}", f"/play/{mine}/resign")
    page = owner.page("/me")
    well_formed(page, language)
    assert '<td class="n">1</td>' in page
    assert {"en": "won 0 of your last 1 match ", "ru": "выиграли 0 из последнего 1 матча"}[language] in page


def test_the_page_of_a_bot_shows_its_owner_what_waits(world: ApiWorld, visitor: Visitor) -> None:
    owner, bot = with_person(world)
    path = "/bots/boris/fool"
    assert "No match waits or is under way." in owner.page(path)
    assert bot("POST", "/v1/queue", {"game": "durak", "seats": 2}).status_code in (200, 201)
    match = world.match(bot)["id"]
    page = owner.page(path)
    assert "In the queue since" in page
    assert f"/matches/{match}" in page.partition("Waiting and under way")[2].partition("</ul>")[0]
    assert "Waiting and under way" not in visitor.page(path)


def test_the_owner_of_a_hidden_match_does_not_learn_which_it_is(
    world: ApiWorld, hidden: tuple[list[Person], list[str], str]
) -> None:
    owners, matches, _ = hidden
    for person in owners:
        owner = visitor_of(world, person)
        names = [each["bot"] for each in person("GET", f"/v1/bots?owner={person.name}").json["bots"]]
        for name in names:
            page = owner.page(f"/bots/{name}")
            assert not [match for match in matches if match in page]
            assert "No match waits or is under way." not in page


def test_the_page_of_a_bot_shows_its_owner_its_worst_moves(
    world: ApiWorld, visitor: Visitor, monkeypatch: pytest.MonkeyPatch
) -> None:
    owner, _ = with_person(world)
    lost = [LostMatch("a" * 26, 1, 7, 3), LostMatch("b" * 26, 2, 9, 1)]
    monkeypatch.setattr(world.services.regret, "losses", lambda bot: lost)
    numbers = {f"durak:{place}": number for place, number in enumerate((2, 5, 3, 13, 9, 7))}
    bot = world.services.accounts.bot("boris", "fool").id
    world.services.statistics.add_regret("m1", {bot: DayStatistics(regret=Counter(numbers))})
    assert '<td class="n">0.60</td>' in visitor.page("/bots/boris/fool"), "everybody sees its regret"
    page = owner.page("/bots/boris/fool")
    assert re.findall(r"/matches/(\w+)\?deal=(\d)&amp;move=(\d)", page) == [
        ("a" * 26, "1", "7"),
        ("b" * 26, "2", "9"),
    ]
    assert "Worst move" not in visitor.page("/bots/boris/fool")


@pytest.mark.parametrize(("game", "pace"), [("durak", "blitz"), ("king", "reasoning")])
def test_an_owner_requests_a_match_against_a_bot_on_its_page(world: ApiWorld, game: str, pace: str) -> None:
    owner, _ = with_person(world)
    with_bot(world, "vera")
    page = owner.page("/bots/vera/fool")
    assert "Request a match" in page
    assert '<option value="fool">boris/fool</option>' in page
    assert all(f'<option value="{each}"' in page for each in PACES)
    form = {"bot": "fool", "opponent": "vera/fool", "game": game, "pace": pace}
    sent = owner.send("/bots/vera/fool", "/me/matches", form)
    match = world.client.get("/v1" + sent.headers["Location"]).json
    others = ["house/greedy"] * (len(match["seats"]) - 2)
    assert [each["bot"] for each in match["seats"]] == ["boris/fool", "vera/fool", *others]
    assert match["clock"] == PACES[pace].clock.to_json()
    assert owner.send("/bots/vera/fool", "/me/matches", {**form, "pace": "quick"}).status_code == 400


def test_a_request_for_a_match_can_be_refused(world: ApiWorld, visitor: Visitor) -> None:
    owner, _ = with_person(world)
    form = {"bot": "fool", "opponent": "vera/fool", "game": "durak"}
    assert owner.send("/me/bots/fool", "/me/matches", form).status_code == 404
    other, _ = with_bot(world, "vera")
    assert other.send("/me", "/me/matches", {**form, "bot": "none"}).status_code == 404
    policy = {"name": "fool", "version": "1", "description": "", "max_matches": "1", "disabled": "on"}
    assert other.send("/me/bots/fool", "/me/bots/fool", policy).status_code == 303
    assert owner.send("/me/bots/fool", "/me/matches", form).status_code == 409
    assert "Request a match" not in visitor.page("/bots/vera/fool")


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_page_of_a_token_has_the_commands_of_each_language(world: ApiWorld, language: str) -> None:
    owner = signed_up(world)
    owner.language = language
    page = owner.send("/me", "/me/bots", {"name": "fool", "version": "1"}).text
    assert {"en": "write a bot and run it", "ru": "напишут бота"}[language] in page
    shown = dict(re.findall(r'<code id="run-(\w+)">(.+?)\n</code>', page, re.DOTALL))
    assert shown.keys() == STARTERS.keys()
    for name, text in shown.items():
        first, folder, *_, run = text.splitlines()
        assert (first, folder) == (f"kozyr new-bot {name} my-bot", "cd my-bot")
        assert run.startswith("kozyr connect -- ") is not bool(STARTERS[name].client)
        assert f'data-copy="run-{name}"' in page
    assert "register" not in "".join(shown.values()), "the owner is there already"


def test_an_owner_follows_bots_until_it_no_longer_does(world: ApiWorld) -> None:
    reader, bot = signed_up(world), with_person(world)[1]
    page = f"/bots/{bot.name}"
    assert ">Follow<" not in Visitor(world.client).page(page)
    assert "Bots that you follow" not in reader.page("/me")
    assert reader.send(page, f"{page}/follow", {"follow": "on"}).status_code == 303
    assert page in section(reader.page("/me"), "Bots that you follow")
    assert ">No longer follow<" in reader.page(page)
    assert reader.send(page, f"{page}/follow").status_code == 303
    assert "Bots that you follow" not in reader.page("/me")


def test_only_the_bots_followed_last_are_kept(world: ApiWorld) -> None:
    following = world.services.following
    for number in range(MOST_FOLLOWED + 1):
        following.follow("owner", f"bot-{number:02}")
    assert following.bots("owner") == [f"bot-{number:02}" for number in range(MOST_FOLLOWED, 0, -1)]

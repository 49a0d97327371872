"""An owner's own page: results, ladders and news."""

from __future__ import annotations

import re

import pytest

from tests.api.conftest import ApiWorld, Person
from tests.web.conftest import LANGUAGES, Visitor
from tests.web.test_join import new_ladder, signed_up, with_bot
from tests.web.test_match import play
from tests.web.test_pages import well_formed

BAN = {"names": "boris/fool", "rule": "banned", "reason": "collusion"}


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
    assert (
        student.send(f"/ladders/{mine}", f"/ladders/{mine}/enter", {"bot": "boris/fool"}).status_code == 303
    )
    listed = section(teacher.page("/me"), "Your ladders")
    assert all(f"/ladders/{each}/manage" in listed for each in (mine, other))
    listed = section(student.page("/me"), "Your ladders")
    assert f"/ladders/{mine}" in listed
    assert "boris/fool" in listed
    assert other not in listed
    assert "/manage" not in listed
    assert mine not in with_bot(world, "vera")[0].page("/me")


def test_a_co_organiser_finds_the_ladder(world: ApiWorld) -> None:
    teacher, helper = signed_up(world), signed_up(world, "helper")
    ladder = new_ladder(teacher)
    world.services.ladders.change(ladder, organisers=[world.services.accounts.owner_by_name("helper").id])
    assert f"/ladders/{ladder}/manage" in helper.page("/me")


def test_the_header_counts_news_until_they_are_read(world: ApiWorld) -> None:
    teacher = signed_up(world)
    student, _ = with_bot(world, "boris")
    assert unread(student.page("/")) is None
    student.page("/me")
    ladder = new_ladder(teacher)
    page = f"/ladders/{ladder}"
    student.send(page, f"{page}/enter", {"bot": "boris/fool"})
    assert unread(student.page("/")) == "1"
    teacher.send(f"{page}/manage", f"{page}/rules", BAN)
    assert unread(student.page("/bots")) == "2"
    assert section(student.page("/me"), "News").count('<span class="tag">new</span>') == 2
    assert unread(student.page("/")) is None
    assert "new</span>" not in section(student.page("/me"), "News")


def test_matches_push_no_news_out(world: ApiWorld) -> None:
    student, bot = with_person(world)
    student.page("/me")
    match = world.match(bot)["id"]
    play(bot, match)
    assert unread(student.page("/")) is None


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

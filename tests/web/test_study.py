"""Endings of finished matches, solved on their page: without hidden cards, within a budget, never while it runs."""

from __future__ import annotations

import html
import re

import pytest

from league.reviews import studies
from league.reviews.studies import StudyPlace
from tests.api.conftest import ApiWorld, Person
from tests.api.test_endings import deal_of, ending_in, solvable_ending
from tests.api.test_reviews import house_match
from tests.web.conftest import LANGUAGES, Visitor
from tests.web.test_leaks import signed_in
from tests.web.test_match import a_match, data_of
from tests.web.test_pages import well_formed

SOLVED = "The exact value:"


@pytest.fixture
def owner(world: ApiWorld) -> Person:
    return world.owner()


def tries(page: str) -> dict[str, str]:
    """Return the links of a page that try moves, by the value that it gives them, the best first."""
    rows = re.findall(
        r'<th scope="row"><a href="([^"]+&amp;try=[^"]+)">.*?<td>(?:<strong[^>]*>)?([^<]+)', page
    )
    return {value: html.unescape(link) for link, value in reversed(rows)}


def test_best_play_from_an_ending_brings_its_value(
    world: ApiWorld, visitor: Visitor, monkeypatch: pytest.MonkeyPatch
) -> None:
    # A later position may need more nodes than an earlier one.
    monkeypatch.setattr(studies, "AT_ONCE_NODES", 20_000)
    match, move = ending_in(world, "solved")
    path = f"/matches/{match}/ending?deal=1&move={move}"
    page = visitor.page(path)
    assert SOLVED in page
    (value, link), *_ = reversed(tries(page).items())
    seat = data_of(page)["you"]
    while SOLVED in page:
        assert f"{value}." in page.partition(SOLVED)[2][:60], "each own best move keeps the value"
        link = tries(page)[value]
        page = visitor.page(visitor.get(link).headers["Location"])
    assert "The deal is over here." in page
    last = data_of(page)["frames"][-1]["events"]
    (points,) = [event["returns"] for event in last if event["type"] == "deal_over"]
    assert (
        points[seat] - points[1 - seat]
        == {"you win the deal": 1, "a draw": 0, "you lose the deal": -1}[value]
    )


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_position_without_a_value_says_why(
    world: ApiWorld, visitor: Visitor, owner: Person, language: str
) -> None:
    match = house_match(world, owner)
    visitor.language = language
    page = visitor.page(f"/matches/{match}/ending?deal=1&move=3")
    well_formed(page, language)
    assert ("Cards are hidden here" if language == "en" else "Здесь карты ещё закрыты") in page
    assert "&amp;try=" not in page
    last = len(deal_of(world, match))
    assert ("The deal is over" if language == "en" else "сдача уже окончена") in visitor.page(
        f"/matches/{match}/ending?deal=1&move={last}"
    )
    for wrong in (
        f"move={last + 1}",
        "move=3&line=dance",
        "move=3&line=pass,pass,pass",
        "move=x",
        f"move={studies.MOST_MOVES + 1}",
        "deal=9&move=1",
    ):
        assert visitor.get(f"/matches/{match}/ending?{wrong}").status_code == 400, wrong


def test_a_large_ending_is_solved_by_a_job_for_its_owner(
    world: ApiWorld, visitor: Visitor, owner: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    match, move = solvable_ending(world, monkeypatch)
    path = f"/matches/{match}/ending?deal=1&move={move}"
    page = visitor.page(path)
    assert "too large" in page
    assert "<form" not in page.partition("<main")[2]
    mine, fields = signed_in(world, owner), {"deal": "1", "move": str(move), "line": ""}
    sent = mine.send(path, f"/matches/{match}/ending", fields)
    assert sent.headers["Location"] == path
    assert 'http-equiv="refresh"' in visitor.page(path)
    other, place = ending_in(world, "open")
    again = f"/matches/{other}/ending?deal=1&move={place}"
    sent = mine.send(again, f"/matches/{other}/ending", {**fields, "move": str(place)})
    assert sent.status_code == 429, "one position at a time"
    world.services.studies.work(StudyPlace(match, 1, move), owner.id)
    assert SOLVED in visitor.page(path)
    monkeypatch.setattr(studies, "JOB_NODES", 0)
    world.services.studies.work(StudyPlace(other, 1, place), owner.id)
    assert "Too many cards are left" in visitor.page(again)


def test_no_running_match_is_solved(world: ApiWorld, visitor: Visitor) -> None:
    _, match = a_match(world)
    assert visitor.get(f"/matches/{match}/ending?deal=1&move=0").status_code == 409
    assert "/ending" not in visitor.page(f"/matches/{match}")


def test_a_study_tells_nothing_of_what_was_played_later(
    world: ApiWorld, visitor: Visitor, owner: Person
) -> None:
    match = house_match(world, owner)
    move = len(deal_of(world, match)) - 6
    page = visitor.page(f"/matches/{match}/ending?deal=1&move={move}&spoilers=no")
    shown = [event for frame in data_of(page)["frames"] for event in frame["events"]]
    assert len([event for event in shown if event["type"] == "move"]) == move
    assert not {"deal_over", "match_over"} & {event["type"] for event in shown}

"""The pages of mistake reviews: request, progress, table, downloads, and no script needed."""

from __future__ import annotations

import csv
import io
import re

import pytest

from league.reviews import service as reviews_service
from records.reviews import judge as evaluation
from records.reviews.judge import ReviewSettings
from tests.api.conftest import ApiWorld, Person
from tests.api.test_reviews import house_match, work
from tests.web.conftest import LANGUAGES, Visitor
from tests.web.test_leaks import signed_in
from tests.web.test_match import data_of
from tests.web.test_pages import well_formed

ANY = {"Accept": "text/html,*/*;q=0.8"}


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Evaluate decisions with a few playouts."""
    monkeypatch.setattr(evaluation, "SETTINGS", ReviewSettings(2, (4, 6), 2))


@pytest.fixture
def owner(world: ApiWorld) -> Person:
    return world.owner()


@pytest.mark.parametrize("language", ["en", pytest.param("ru", marks=pytest.mark.ci)])
def test_a_review_is_requested_with_a_form_and_read_as_a_table(
    world: ApiWorld, visitor: Visitor, owner: Person, language: str
) -> None:
    match = house_match(world, owner)
    path = f"/matches/{match}/review"
    visitor.language = language
    well_formed(visitor.page(path), language)
    assert "<form method" not in visitor.page(path).split("<main")[1]
    mine = signed_in(world, owner)
    mine.language = language
    assert data_of(mine.page(f"/matches/{match}"))["review"] is None
    assert mine.send(f"/matches/{match}", path).headers["Location"] == path
    assert data_of(mine.page(f"/matches/{match}"))["review"] == f"/v1{path}"
    waiting = mine.page(path)
    assert 'hx-trigger="every 3s"' in waiting
    work(world, match)
    folded = visitor.page(f"{path}?spoilers=no")
    well_formed(folded, language)
    assert folded.index("<details>") < folded.index('id="review"') < folded.index("</details>")
    visitor.page(f"{path}?spoilers=yes")
    for query in ("", "?moves=all", "?moves=everything"):
        page = visitor.page(path + query)
        well_formed(page, language)
        assert "hx-trigger" not in page.split("<main")[1]
    moves = world.client.get(f"/v1/matches/{match}/review").json["moves"]
    rows = re.findall(r'<tr><th scope="row"><a href="/matches/', visitor.page(f"{path}?moves=all"))
    assert len(rows) == len(moves)
    sent = visitor.get(f"/v1/matches/{match}/review?excel=1", headers=ANY).text
    table = list(csv.DictReader(io.StringIO(sent.removeprefix("\ufeff"))))
    assert [row["played"] for row in table] == [move["played"] for move in moves]


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_review_that_failed_with_errors_can_be_requested_again(
    world: ApiWorld, visitor: Visitor, owner: Person, language: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    match = house_match(world, owner)
    path = f"/matches/{match}/review"
    owner("POST", f"/v1/matches/{match}/reviews")
    monkeypatch.setattr(reviews_service, "MOST_ATTEMPTS", 0)
    world.services.reviews.work(match)
    monkeypatch.undo()
    visitor.language = language
    well_formed(visitor.page(path), language)
    assert f'href="/sign-in?next={path}"' in visitor.page(path)
    mine = signed_in(world, owner)
    mine.language = language
    well_formed(mine.page(path), language)
    assert f'<form method="post" action="{path}">' in mine.page(path)
    assert mine.send(path, path).headers["Location"] == path
    assert world.client.get(f"/v1{path}").json["state"] == "waiting"
    assert f'action="{path}"' not in mine.page(path)


@pytest.mark.parametrize("language", ["en", pytest.param("ru", marks=pytest.mark.ci)])
def test_somebody_finds_the_better_move_and_learns_what_each_costs(
    world: ApiWorld, visitor: Visitor, owner: Person, language: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(evaluation, "TOLERANCE", -0.2)
    visitor.language = language
    match = house_match(world, owner)
    path = f"/matches/{match}/practice"
    assert "kozyr-table" not in visitor.page(path), "there is no review"
    owner("POST", f"/v1/matches/{match}/reviews")
    work(world, match)
    moves = world.client.get(f"/v1/matches/{match}/review").json["moves"]
    mistakes = sorted((move for move in moves if move["mistake"]), key=lambda move: -move["regret"])
    assert f'href="{path}?seat={mistakes[0]["seat"]}"' in visitor.page(f"/matches/{match}/review")
    for number, mistake in enumerate(mistakes[:3], 1):
        page = visitor.page(f"{path}?number={number}")
        well_formed(page, language)
        offered = re.findall(r'<button class="plain" name="chosen" value="([^"]*)"', page)
        assert offered == sorted(mistake["costs"])
        data = data_of(page)
        assert (data["seat"], data["deal"], data["move"]) == (
            mistake["seat"],
            mistake["deal"],
            mistake["move"] - 1,
        )
        told = [event for frame in data["frames"] for event in frame["events"] if event["type"] == "move"]
        assert len(told) == mistake["move"] - 1, "nothing that came later is in the page"
        assert "hands" not in str(data["frames"]), "only what the seat saw"
        played = visitor.page(f"{path}?number={number}&chosen={mistake['played']}")
        well_formed(played, language)
        cost = f"{mistake['regret']:.2f}"
        assert (cost if language == "en" else cost.replace(".", ",")) in played.partition("<kozyr-table")[0]
        assert played.count('<tr><th scope="row">') == len(offered)
    for query in ("number=0", "number=99", "seat=7", "chosen=castle", "number=x&seat=x"):
        well_formed(visitor.page(f"{path}?{query}"), language)


def test_only_owners_who_have_signed_in_request_reviews(
    world: ApiWorld, visitor: Visitor, owner: Person
) -> None:
    match = house_match(world, owner)
    code = re.search(r'name="code" value="(\w+)"', visitor.page("/sign-in"))
    assert code is not None
    page = f"/matches/{match}/review"
    found = visitor.post(page, {"code": code[1]}, Referer=f"http://localhost{page}")
    assert (found.status_code, found.headers["Location"]) == (303, f"/sign-in?next={page}")
    assert visitor.post(f"/matches/{match}/review", {}).status_code == 403
    assert world.client.get(f"/v1/matches/{match}/review").status_code == 404

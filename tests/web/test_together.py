"""Replays that people look at together: one browser shows steps, everybody with the link follows."""

from __future__ import annotations

import re

import pytest

from league.together import KEPT_S
from tests.api.conftest import ApiWorld
from tests.web.conftest import LANGUAGES, Visitor
from tests.web.test_match import a_match, data_of, play

STEP = {"deal": 1, "move": 3, "seat": "", "marks": ""}


def shown(world: ApiWorld, visitor: Visitor) -> tuple[str, str]:
    """Return a match whose replay the visitor shows, and the session."""
    bot, match = a_match(world)
    play(bot, match)
    path = f"/matches/{match}/together"
    answer = visitor.send(path, path, STEP)
    found = re.fullmatch(rf"/matches/{match}\?together=([\w-]+)", answer.headers["Location"])
    assert found is not None
    return match, found[1]


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_link_opens_at_the_step_of_the_leader(world: ApiWorld, visitor: Visitor, language: str) -> None:
    visitor.language = language
    match, session = shown(world, visitor)
    link = f"/matches/{match}?together={session}"
    mine = visitor.page(link)
    assert "data-leads" in mine
    assert session in mine
    other = Visitor(world.app.test_client(), language)
    for step in (STEP, {**STEP, "move": 5, "seat": 1}):
        assert visitor.send(link, f"/matches/{match}/together/{session}", step).status_code == 204
        page = other.page(link)
        assert "data-leads" not in page
        data = data_of(page)
        assert (data["deal"], data["move"]) == (1, step["move"])
        assert data["seat"] == (step["seat"] or None)
        assert re.search(rf'aria-current="step"><span class="kt-no">{step["move"]}<', page)


def test_the_step_is_sent_once_and_shows_who_leads_to_nobody(world: ApiWorld, visitor: Visitor) -> None:
    match, session = shown(world, visitor)
    path = f"/matches/{match}/together/{session}"
    marks = {**STEP, "move": "end", "marks": "AS TH 0"}
    assert visitor.send(f"/matches/{match}?together={session}", path, marks).status_code == 204
    found = world.client.get(path)
    assert found.json == {"deal": 1, "move": "end", "seat": "", "marks": ["AS", "TH", "0"]}
    again = world.client.get(path, headers={"If-None-Match": found.headers["ETag"]})
    assert (again.status_code, again.data) == (304, b"")


def test_only_the_browser_that_began_can_show_a_step(world: ApiWorld, visitor: Visitor) -> None:
    match, session = shown(world, visitor)
    path = f"/matches/{match}/together/{session}"
    other = Visitor(world.app.test_client())
    assert other.send(f"/matches/{match}/together", path, {**STEP, "move": 7}).status_code == 404
    assert visitor.post(path, {**STEP, "move": 7}).status_code == 403, "without the code of its form"
    assert world.client.get(path).json["move"] == "3"
    bot, elsewhere = a_match(world)
    play(bot, elsewhere, 1)
    refused = visitor.send(f"/matches/{match}/together", f"/matches/{elsewhere}/together", STEP)
    assert refused.status_code == 409, "a running match"
    assert "/together" not in visitor.page(f"/matches/{elsewhere}?together={session}").split("<main")[1]
    play(bot, elsewhere)
    for there in (f"/matches/{elsewhere}/together/{session}", f"/matches/{match}/together/{session[:-1]}"):
        assert world.client.get(there).status_code == 404


@pytest.mark.parametrize(
    "wrong",
    [
        {"marks": "<b>"},
        {"marks": "AS " * 13},
        {"marks": "1C"},
        {"marks": "١"},
        {"move": "last"},
        {"move": -1},
        {"deal": 0},
        {"seat": "me"},
    ],
)
def test_a_step_that_is_none_is_refused(world: ApiWorld, visitor: Visitor, wrong: dict[str, object]) -> None:
    match, session = shown(world, visitor)
    path = f"/matches/{match}/together/{session}"
    assert visitor.send(f"/matches/{match}?together={session}", path, {**STEP, **wrong}).status_code == 400
    assert world.client.get(path).json["move"] == "3"


def test_a_shared_replay_ends_an_hour_after_its_last_step(world: ApiWorld, visitor: Visitor) -> None:
    match, session = shown(world, visitor)
    redis = world.services.referee.store.redis
    (key,) = redis.one("KEYS", "kozyr:together:*")
    assert 0 < redis.one("TTL", key) <= KEPT_S
    redis.one("EXPIRE", key, 5)
    link = f"/matches/{match}?together={session}"
    visitor.send(link, f"/matches/{match}/together/{session}", STEP)
    assert redis.one("TTL", key) > 5
    redis.one("DEL", key)
    page = visitor.page(f"{link}&deal=1&move=2")
    assert "Nobody shows this replay any more." in page
    assert data_of(page)["move"] == 2
    assert (
        visitor.send(f"/matches/{match}/together", f"/matches/{match}/together/{session}", STEP).status_code
        == 404
    )

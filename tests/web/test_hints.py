"""Hints: asked for by forms alone, from what the seat knows, marked in the match, and for nobody else."""

from __future__ import annotations

import html
import re
from random import Random
from typing import Any

import pytest

from bots.search.determinization import Determinizer
from bots.search.policies import POLICIES
from engine.match import deck_text
from engine.registry import GAMES
from league import hints
from league.hints import MOST_HINTS, has_hints
from records.match.loaded_match import LoadedMatch
from records.match.log import chance
from records.match.session import match_of
from records.reviews import judge
from records.reviews.decisions import open_decision
from records.reviews.judge import ReviewSettings, advise
from records.verify import verify
from tests.api.conftest import ApiWorld
from tests.web.conftest import LANGUAGES, Visitor
from tests.web.test_leaks import signed_in
from tests.web.test_match import a_match
from tests.web.test_play import buttons, move_once, start

JSON = {"Accept": "application/json"}


@pytest.fixture(autouse=True)
def quick(world: ApiWorld, monkeypatch: pytest.MonkeyPatch) -> None:
    """Judge with a few playouts, and begin without jobs."""
    jobs(world).clear()
    monkeypatch.setattr(judge, "HINTS", ReviewSettings(2, (4,), 3))


def asked(world: ApiWorld, visitor: Visitor, match: str) -> LoadedMatch:
    """Move until the person has a choice, and return the match."""
    while len(buttons(visitor.page(f"/play/{match}"))) < 2:
        assert move_once(visitor, match)
    return world.services.referee.look(match)


def hint(visitor: Visitor, match: str, **fields: Any) -> Any:
    """Ask for a hint with the form of the page. Return the hint as scripts read it."""
    assert visitor.send(f"/play/{match}", f"/play/{match}/hint", fields).status_code == 303
    return visitor.get(f"/play/{match}/hint").json


def jobs(world: ApiWorld) -> list[tuple[str, int]]:
    """Return the jobs that wait."""
    found: list[tuple[str, int]] = world.services.jobs.hints  # type: ignore[attr-defined]  # those of the tests
    return found


def work(world: ApiWorld) -> None:
    """Do the jobs."""
    while jobs(world):
        world.services.hints.work(*jobs(world).pop())


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("signs_in", [False, True])
def test_a_person_gets_a_hint_without_scripts_and_the_match_says_so(
    world: ApiWorld, visitor: Visitor, language: str, signs_in: bool
) -> None:
    visitor = signed_in(world, world.owner()) if signs_in else visitor
    visitor.language = language
    match = start(visitor)
    turn = asked(world, visitor, match).progress.turn
    path = f"/play/{match}"
    tag = {"en": "with hints", "ru": "с подсказками"}[language]
    assert hint(visitor, match)["state"] == "waiting"
    waiting = visitor.page(path)
    assert f'<meta http-equiv="refresh" content="2; url={path}">' in waiting
    assert f'action="{path}/hint"' not in waiting
    assert tag not in waiting
    deadline = world.services.referee.look(match).deadline
    work(world)
    assert world.services.referee.look(match).deadline == deadline
    page = html.unescape(visitor.page(path))
    found = visitor.get(f"{path}/hint").json
    assert (found["state"], found["turn"]) == ("ready", turn)
    assert found["text"] in page
    assert str(MOST_HINTS - 1) in found["text"]
    assert re.findall(r'play-hinted" name="move" value="([^"]+)"', page) == [found["move"]]
    assert found["move"] in buttons(page)
    for seen in (page, visitor.page(f"/matches/{match}")):
        assert tag in seen
    visitor.send(path, f"{path}/resign")
    assert re.search(rf"<td>greedy <span.*{tag}", visitor.page("/play"))
    record = world.client.get(f"/v1/matches/{match}/record").json
    assert record["hints"] == world.client.get(f"/v1/matches/{match}").json["hints"] == [turn]
    assert verify(record) == []
    record["seats"][0].pop("person")
    assert "hints" in [finding.where for finding in verify(record)]


@pytest.mark.parametrize("game", list(GAMES))
def test_a_hint_does_not_depend_on_hidden_cards(world: ApiWorld, visitor: Visitor, game: str) -> None:
    match = start(visitor, game, max(3, *GAMES[game].seat_counts[:1]))  # two players may know all cards
    move_once(visitor, match)
    loaded = asked(world, visitor, match)
    decision = open_decision(loaded, 0)
    sampler = Determinizer(decision.game, POLICIES[game].read, decision.observation, decision.history)
    rules, rng, others = match_of(loaded.config, loaded.progress.first_dealer or 0), Random(5), 0
    assert loaded.state is not None
    for _ in range(5):
        deck = sampler.decks.draw(rng)
        log = chance(deck_text(deck)).line() + loaded.log.partition("\n")[2]
        other = loaded._replace(log=log, state=loaded.state._replace(deal=sampler.replay(deck)))
        if rules.view(other.state, 0) != decision.observation:  # type: ignore[arg-type]
            continue
        others += rules.view(other.state, 1) != rules.view(loaded.state, 1)  # type: ignore[arg-type]
        assert open_decision(other, 0) == decision
        assert advise(open_decision(other, 0), "seed") == advise(decision, "seed")
    assert others


def test_nobody_gets_a_hint_for_another_seat(world: ApiWorld, visitor: Visitor) -> None:
    match = start(visitor)
    asked(world, visitor, match)
    hint(visitor, match)
    work(world)
    for stranger in (Visitor(world.app.test_client()), signed_in(world, world.owner())):
        sent = stranger.send("/play?game=durak", f"/play/{match}/hint", {"seat": 0})
        assert (sent.status_code, stranger.get(f"/play/{match}/hint").status_code) == (403, 403)
    _, bots = a_match(world)
    assert visitor.send("/play?game=durak", f"/play/{bots}/hint").status_code == 403
    assert visitor.get(f"/play/{bots}/hint").status_code == 403


def test_only_a_casual_table_with_one_person_has_hints(world: ApiWorld, visitor: Visitor) -> None:
    loaded = asked(world, visitor, start(visitor, "durak", 3))
    config = loaded.config
    you, bot, other = config.seats
    assert you is not None
    for changed in (
        config._replace(seats=(you, bot, you._replace(id="guest-2"))),
        config._replace(seats=(you, bot, None)),
        config._replace(seats=(you, bot, other._replace(house=False))),  # type: ignore[union-attr]
        config._replace(ladder="a ladder"),
    ):
        assert not has_hints(loaded._replace(config=changed))
        assert world.services.hints.request(loaded._replace(config=changed), you.id) is None
    assert has_hints(loaded)


def test_a_person_waits_for_one_hint_at_a_time_and_no_longer_than_half_a_minute(
    world: ApiWorld, visitor: Visitor
) -> None:
    first, second = start(visitor), start(visitor)
    person = asked(world, visitor, first).config.seats[0]
    asked(world, visitor, second)
    assert person is not None
    waits = f"kozyr:{{hints}}:person:{person.id}"
    hint(visitor, first)
    assert hint(visitor, second)["state"] == "elsewhere"
    assert hint(visitor, first)["state"] == "waiting"
    world.services.redis.one("EXPIRE", waits, 20)
    assert visitor.get(f"/play/{first}/hint").json["state"] == "late"
    world.services.redis.one("DEL", waits)
    assert visitor.get(f"/play/{first}/hint").json["state"] == "lost"
    work(world)  # the job comes too late
    assert visitor.get(f"/play/{first}/hint").json["state"] == "lost"
    assert "hints" not in world.client.get(f"/v1/matches/{first}").json
    hint(visitor, first)
    work(world)
    assert visitor.get(f"/play/{first}/hint").json["state"] == "ready"
    assert hint(visitor, second)["state"] == "waiting"
    lives = [
        world.services.redis.one("TTL", f"kozyr:{{hints}}:{key}")
        for key in (f"match:{first}", f"match:{second}")
    ]
    assert min(lives) > 0


def test_a_match_gives_only_so_many_hints(
    world: ApiWorld, visitor: Visitor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hints, "MOST_HINTS", 1)
    match = start(visitor, "king")
    asked(world, visitor, match)
    for _ in range(3):
        hint(visitor, match)
        work(world)
    assert len(world.client.get(f"/v1/matches/{match}").json["hints"]) == 1
    move_once(visitor, match)
    asked(world, visitor, match)
    assert hint(visitor, match)["state"] == "spent"
    assert "You have used all hints" in visitor.page(f"/play/{match}")
    assert jobs(world) == []


def test_a_hint_for_a_question_that_was_answered_meanwhile_is_dropped(
    world: ApiWorld, visitor: Visitor
) -> None:
    match = start(visitor, "king")
    asked(world, visitor, match)
    hint(visitor, match)
    move_once(visitor, match)
    work(world)
    asked(world, visitor, match)
    assert "hints" not in world.client.get(f"/v1/matches/{match}").json
    assert visitor.get(f"/play/{match}/hint").json["state"] == "none"

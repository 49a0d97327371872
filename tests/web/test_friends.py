"""Tables of friends by forms alone: the link, a match of two guests, names, coming back, and the rematch."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import pytest

from league.friends.model import TableRefusal
from league.friends.service import KEPT_S
from records.verify import verify
from tests.api.conftest import ApiWorld
from tests.support.stored import keys_that_contain
from tests.web.conftest import LANGUAGES, Visitor, play_on
from tests.web.test_leaks import signed_in
from tests.web.test_play import move_once

OPENING = {
    "game": "durak",
    "seats": 3,
    "clock": "calm",
    "name": "Anna",
    "level1": "random",
    "level2": "random",
}
NEW = "/play?game=durak&seats=3&friends=1"
SEATED = re.compile(r"Seat (\d)</span>\s*<strong><bdi>(\w+)")


def another(world: ApiWorld, language: str = "en") -> Visitor:
    return Visitor(world.app.test_client(), language)


def open_table(host: Visitor) -> str:
    """Open a table by its form, and return its address."""
    found = host.send(NEW, "/friends", OPENING)
    assert found.status_code == 303, found.text
    return str(found.headers["Location"])


def seated(world: ApiWorld, host: Visitor) -> tuple[str, Visitor, str]:
    """Return a table of two guests, the second one, and their match."""
    table, boris = open_table(host), another(world, host.language)
    assert boris.send(table, f"{table}/sit", {"name": "Борис"}).status_code == 303
    assert host.send(table, f"{table}/start").status_code == 303
    return table, boris, str(host.get(table).location).rpartition("/")[2]


def finish(world: ApiWorld, match: str, *players: Visitor) -> dict[str, Any]:
    """Play a match to its end, and return its record. The players, in the order of their seats, make the first moves on
    their pages."""
    for _ in range(6):
        seat = world.services.referee.look(match).progress.to_move
        if seat in range(len(players)):
            assert move_once(players[seat], match)
    play_on(world, match)
    return world.services.referee.record(world.services.referee.look(match)).to_json()


def test_two_guests_and_a_bot_play_a_match_and_again_a_seat_further_on(
    world: ApiWorld, visitor: Visitor
) -> None:
    table, boris, match = seated(world, visitor)
    assert boris.get(table).headers["Location"] == f"/play/{match}"
    again = f"/play/{match}/again"
    assert boris.send(f"/play/{match}", again).status_code == 409
    record = finish(world, match, visitor, boris)
    assert verify(record) == []
    assert (record["ending"], record["clock"]["move_ms"]) == ("rules", 120_000)
    assert [seat.get("person", False) for seat in record["seats"]] == [True, True, False]
    assert (record["rated"], record["ladder"], record["group"]) == (False, None, None)
    assert not {"Anna", "Борис"} & set(re.findall(r"\w+", str(record)))
    assert boris.send(f"/play/{match}", again).headers["Location"] == table
    assert ['id="again"' in player.page(table) for player in (boris, visitor)] == [False, True]
    assert visitor.send(table, f"{table}/sit").status_code == 303, "the link of the table leads back as well"
    assert SEATED.findall(boris.page(table)) == [("1", "Anna"), ("2", "Борис")]
    assert boris.send(table, f"{table}/start").status_code == 303


def test_a_name_that_a_guest_chose_is_shown_at_the_table_alone(world: ApiWorld, visitor: Visitor) -> None:
    table, boris, match = seated(world, visitor)
    assert "Anna" in boris.page(f"/play/{match}")
    assert "Борис" in visitor.page(f"/play/{match}")
    stranger = another(world)
    for path in (f"/matches/{match}", f"/matches/{match}/embed", "/matches", "/tv", "/play", "/"):
        page = stranger.page(path)
        assert not [word for word in ("Anna", "Борис", table.rpartition("/")[2]) if word in page]
    assert "guest (0)" in stranger.page(f"/matches/{match}")


def test_the_link_gives_a_seat_only_while_the_table_waits(world: ApiWorld, visitor: Visitor) -> None:
    table, _, match = seated(world, visitor)
    late = another(world)
    page = late.page(table)
    assert 'name="code"' not in page.partition("<main")[2]
    assert f"/matches/{match}" in page
    refused = late.send("/play?game=durak", f"{table}/sit", {"name": "Vera"})
    assert (refused.status_code, "The match has begun" in refused.text) == (409, True)
    assert late.get(f"/play/{match}/frames").status_code == 403
    assert late.send("/play?game=durak", f"/play/{match}/again").status_code == 403
    assert late.send("/play?game=durak", f"/friends/{match}/sit", {"name": "Vera"}).status_code == 404


def test_whoever_closes_the_browser_has_the_seat_again(world: ApiWorld, visitor: Visitor) -> None:
    table, boris, match = seated(world, visitor)
    cookie = boris.client.get_cookie("kozyr_visitor")
    assert cookie is not None
    assert cookie.max_age == KEPT_S
    returned = another(world)
    returned.client.set_cookie("kozyr_visitor", cookie.value)
    assert returned.get(table).headers["Location"] == f"/play/{match}"
    waits = returned.get(table, headers={"HX-Request": "true"})
    assert (waits.status_code, waits.headers["HX-Redirect"]) == (200, f"/play/{match}")
    assert f"/play/{match}" in returned.page("/play")


def test_the_others_play_on_when_somebody_leaves(world: ApiWorld, visitor: Visitor) -> None:
    _, boris, match = seated(world, visitor)
    assert boris.send(f"/play/{match}", f"/play/{match}/resign").status_code == 303
    assert "given your seat up" in boris.page(f"/play/{match}")
    record = finish(world, match, visitor)
    assert verify(record) == []
    assert (record["forfeits"], record["places"][1]) == ([1], 3)


def test_no_old_name_of_an_owner_comes_from_a_table_into_a_match(world: ApiWorld, visitor: Visitor) -> None:
    table, owner = open_table(visitor), world.owner()
    assert signed_in(world, owner).send(table, f"{table}/sit", {"name": "Somebody"}).status_code == 303
    assert (owner.name in visitor.page(table), "Somebody" in visitor.page(table)) == (True, False)
    assert owner("PATCH", "/v1/owners/me", {"name": "olga"}).status_code == 200
    page = visitor.page(table)
    assert ("olga" in page, owner.name in page) == (True, False)
    assert visitor.send(table, f"{table}/start").status_code == 303
    match = str(visitor.get(table).location).rpartition("/")[2]
    assert keys_that_contain(world.services.redis, f"{owner.name}/person") == []
    assert "olga/person" in str(world.client.get(f"/v1/matches/{match}").json["seats"])


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_table_says_in_words_why_it_refuses(world: ApiWorld, visitor: Visitor, language: str) -> None:
    table, boris = open_table(visitor), another(world, language)
    refused = boris.send(table, f"{table}/sit", {"name": "ANNA"})
    told = {"en": TableRefusal.NAME_TAKEN.value, "ru": "За столом уже есть кто-то с таким именем."}
    like_a_bot = boris.send(NEW, "/friends", {**OPENING, "name": "Random"})
    for answer in (refused, like_a_bot):
        assert (answer.status_code, told[language] in answer.text) == (409, True)
    assert boris.post(f"{table}/sit", {"name": "Boris", "code": "0" * 64}).status_code == 403
    visitor.send(table, f"{table}/leave")
    gone = boris.get(table)
    assert (gone.status_code, {"en": "Open another one", "ru": "Откройте другой"}[language] in gone.text) == (
        404,
        True,
    )


def test_guests_sit_only_where_anybody_may_register(
    world: ApiWorld, visitor: Visitor, monkeypatch: pytest.MonkeyPatch
) -> None:
    table, guest = open_table(visitor), another(world)
    code = re.search(r'name="code" value="(\w+)"', guest.page(table))
    monkeypatch.setattr(world.services, "limits", replace(world.services.limits, open_registration=False))
    assert "Only registered owners" in guest.page(table)
    assert code is not None
    sent = guest.post(f"{table}/sit", {"name": "Somebody", "code": code[1]})
    assert sent.headers["Location"].startswith("/sign-in")
    assert "Somebody" not in visitor.page(table)

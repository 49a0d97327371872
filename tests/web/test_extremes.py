"""Large leagues, full tables and hostile names."""

from __future__ import annotations

import pytest

from league.ladders.model import LadderEntry
from league.ladders.settings import LadderSettings
from tests.api.conftest import ApiWorld
from tests.web.conftest import Elements, Visitor

HOSTILE = [
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "{{ 7919 * 7919 }}",
    "ليلى والذئب",
    "a" * 100,
]


@pytest.mark.parametrize("name", HOSTILE)
def test_names_of_ladders_are_text(world: ApiWorld, visitor: Visitor, name: str) -> None:
    owner = world.owner()
    ladder = owner("POST", "/v1/ladders", {"name": name, "game": "durak", "seats": 2}).json["id"]
    for path in ("/", "/ladders", f"/ladders/{ladder}", f"/ladders/{ladder}/schedule"):
        page = visitor.page(path)
        elements = Elements(page).found
        assert not [tag for tag, attributes in elements if tag == "script" and "src" not in attributes]
        assert not [
            tag for tag, attributes in elements if attributes.get("src") == "x" or "onerror" in attributes
        ]
        assert str(7919 * 7919) not in page
        if path != "/":
            assert "<bdi>" in page


def test_texts_from_right_to_left_do_not_turn_their_surroundings(world: ApiWorld, visitor: Visitor) -> None:
    owner = world.owner()
    bot = world.bot(owner)
    change = {"description": "أفضل لاعب ورق", "version": "ليلى"}
    assert owner("PATCH", f"/v1/bots/{bot.name}", change).status_code == 200
    page = visitor.page(f"/bots/{bot.name}")
    assert '<p class="prose lines" dir="auto">أفضل' in page
    assert "<bdi>ليلى</bdi>" in page


def test_a_table_of_eleven_seats_is_listed_whole(world: ApiWorld, visitor: Visitor) -> None:
    bot = world.bot()
    match = world.match(bot, *["house/random"] * 10, game="kryt")
    assert len(match["seats"]) == 11
    page = visitor.page("/matches?game=kryt")
    assert page.count("<li>") == 11


def test_a_thousand_bots_come_in_pages(world: ApiWorld, visitor: Visitor) -> None:
    accounts, ladders = world.services.accounts, world.services.ladders
    host, _ = accounts.create_owner("host")
    ladder = ladders.create(host.id, LadderSettings("Crowd", "durak", 2, format="swiss", decks="independent"))
    for number in range(1000):
        owner, _ = accounts.create_owner(f"owner-{number:04}")
        bot, _ = accounts.create_bot(owner.id, "fool")
        ladders.store.put_entry(ladder.id, LadderEntry(bot.id, bot.full_name, bot.owner, 0))
    for path in ("/bots", f"/ladders/{ladder.id}", f"/ladders/{ladder.id}/entries"):
        page = visitor.page(path)
        assert page.count('<th scope="row">') == 100
        assert 'rel="next"' in page
        assert len(page) < 150_000
    cross = visitor.page(f"/ladders/{ladder.id}/cross")
    assert cross.count('<th scope="row">') == 4
    assert "Rows below" in cross

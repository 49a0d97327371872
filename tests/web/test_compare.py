"""The comparison of a group's tables: one deck, suits mapped back, the first move that differs."""

from __future__ import annotations

import json
from typing import Any

import pytest

from engine.relabelling import ALL_RELABELLINGS
from records.page.words import TableText
from tests.api.conftest import ApiWorld
from tests.web.conftest import Elements, Visitor
from web.compare import BackMapping, ComparedTable, divergence, swings
from web.languages import languages


def a_group(world: ApiWorld, game: str, bots: list[str]) -> str:
    """The id of a group of house bots, which is over at once."""
    owner = world.owner()
    made = owner("POST", "/v1/groups", {"game": game, "bots": bots})
    assert made.status_code == 201, made.text
    group: str = made.json["id"]
    for _ in range(50):
        if owner("GET", f"/v1/groups/{group}").json["status"] == "over":
            break
        for loaded in world.services.referee.look_at(
            world.services.groups.matches(world.services.groups.get(group))
        ):
            if loaded is not None and not loaded.finished:
                world.services.referee.go_on(loaded.id, 1.0)
    return group


def tables_of(page: str) -> list[dict[str, Any]]:
    return [
        json.loads(attributes["data-table"] or "")
        for tag, attributes in Elements(page).found
        if tag == "kozyr-table"
    ]


@pytest.mark.parametrize("game", ["durak", "svoi_kozyri"])
def test_the_tables_of_a_group_begin_with_the_same_cards(
    world: ApiWorld, visitor: Visitor, game: str
) -> None:
    group = a_group(world, game, ["house/greedy", "house/random"])
    page = visitor.page(f"/groups/{group}/compare")
    tables = tables_of(page)
    assert len(tables) == 2
    dealt = [
        next(frame for frame in table["frames"] if any(event["type"] == "deal" for event in frame["events"]))
        for table in tables
    ]
    seen = [{**frame.get("observation", {}), **frame.get("changes", {})} for frame in dealt]
    for name in ("hands", "trump", "trump_card", "trumps", "to_move"):
        assert seen[0].get(name) == seen[1].get(name)
    assert tables[0]["seats"] == tables[1]["seats"][::-1]
    assert page.count("<h2>") == 2


def test_a_relabelling_is_mapped_back_everywhere() -> None:
    value = {
        "trump": "C",
        "trumps": ["C", "S"],
        "hands": [["7C", "7S", "TD"], []],
        "pairs": [["7C", None]],
        "move": "beat 7C TD",
        "taking": True,
        "contract": "no_hearts",
        "scores": [1, -1],
    }
    for suits in ALL_RELABELLINGS:
        letters, back = "CDHS", BackMapping(suits)
        relabelled = json.loads(json.dumps(value))
        there = {old: letters[suits[place]] for place, old in enumerate(letters)}
        inverse = tuple(suits.index(place) for place in range(4))
        again = BackMapping(inverse).value(back.value(relabelled))  # type: ignore[arg-type]
        assert again["move"] == value["move"]
        assert again["trumps"] == value["trumps"]
        assert sorted(again["hands"][0]) == sorted(value["hands"][0])  # type: ignore[index]
        assert back.value({"trump": there["C"]}) == {"trump": "C"}
        assert back.value({"contract": "no_hearts"}) == {"contract": "no_hearts"}


def test_the_first_move_that_differs_is_found() -> None:
    text = TableText(languages()["en"], ["a/b", "c/d"])

    def table(*moves: str, points: list[int]) -> ComparedTable:
        return ComparedTable("", text, 1, [], [(0, move) for move in moves], points)

    one, other = table("attack 7C", "take", points=[0, -1]), table("attack 7C", "beat", points=[-1, 0])
    assert divergence([one, other]) == 2
    assert divergence([one, one]) is None
    assert divergence([one, table("attack 7C", points=[0, 0])]) == 2
    assert [line.swing for line in swings([one, other])] == [1, 1]

"""The relabelling law: relabelling the suits by a symmetry of the rules leads to the same deal, relabelled.

Relabelling disguises the tables of a duplicate group. The law therefore covers whole deals of every game and option,
at every step, for every seat and for spectators.
"""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.cards import CARD_OF_TEXT, CARD_TEXT, SUITS
from engine.game import NOBODY, Event, Game
from engine.registry import GAMES
from engine.relabelling import ALL_RELABELLINGS, Suits, parse_suits, relabelled, suits_text, undone
from tests.engine.lines import LineOfPlay, lines

CARD = re.compile(r"[2-9TJQKA][CDHS]")
NOT_SUITS = {"seat", "type", "question", "contract", "game", "by"}


def card(suits: Suits, number: int) -> int:
    return number & ~3 | suits[number & 3]


def word(suits: Suits, text: str) -> str:
    if CARD.fullmatch(text):
        return CARD_TEXT[card(suits, CARD_OF_TEXT[text])]
    if text and set(text) <= set(SUITS):
        return "".join(SUITS[suits[SUITS.index(suit)]] for suit in text)
    return text


def move(suits: Suits, text: str) -> str:
    verb, *words = text.split(" ")
    found = [word(suits, each) for each in words]
    if verb in ("attack", "throw"):
        found.sort(key=CARD_OF_TEXT.__getitem__)  # a batch has exactly one text
    return " ".join([verb, *found])


def seen(suits: Suits, value: Any, field: str = "") -> Any:
    """Return an observation relabelled, with sets of cards in ascending order."""
    if isinstance(value, dict):
        return {name: seen(suits, part, name) for name, part in value.items()}
    if isinstance(value, list):
        found = [seen(suits, part, field) for part in value]
        if found and all(isinstance(part, str) and CARD.fullmatch(part) for part in found):
            return sorted(found, key=CARD_OF_TEXT.__getitem__)
        # Events list given cards, and those of a batch, in the order of their suits.
        together = field == "pairs" or (found and all(isinstance(part, dict) for part in found))
        return sorted(found, key=repr) if together else found
    if isinstance(value, str) and field not in NOT_SUITS:
        return move(suits, value) if " " in value else word(suits, value)
    return value


IDENTITY: Suits = (0, 1, 2, 3)


def events(suits: Suits, found: list[Event], viewer: int | None) -> Any:
    return sorted(repr(seen(suits, event.view(viewer))) for event in found)


def legal(suits: Suits, game: Game, state: Any, seat: int) -> set[str]:
    answers = state.legal if state.to_move == seat else ()
    return {move(suits, game.text(state, each)) for each in (*answers, *game.free_moves(state, seat))}


def held(line: LineOfPlay, suits: Suits) -> None:
    game, other = line.game, line.game.relabelled(suits)
    state = other.deal(line.number, line.dealer, [card(suits, each) for each in line.deck])
    found = other.deal_events(state)
    for step, original in enumerate(line.states):
        for viewer in (None, *range(game.seats)):
            assert seen(IDENTITY, other.observe(state, viewer)) == seen(suits, game.observe(original, viewer))
            assert events(IDENTITY, found, viewer) == events(suits, line.events(step), viewer)
        for seat in range(game.seats):
            assert legal(IDENTITY, other, state, seat) == legal(suits, game, original, seat)
        if step < len(line.moves):
            seat, made = line.moves[step]
            before, text = state, move(suits, game.text(original, made))
            parsed = other.parse(state, seat, text)
            state = other.play(state, seat, parsed)
            found = other.events(before, seat, parsed, state)
    if state.to_move == NOBODY:
        assert other.returns(state) == game.returns(line.states[-1])
        assert other.next_dealer(state) == game.next_dealer(line.states[-1])


@pytest.mark.parametrize("cls", GAMES.values(), ids=GAMES)
@settings(max_examples=8, deadline=None, derandomize=True)
@given(data=st.data())
def test_a_deal_with_its_suits_relabelled_is_the_same_deal(cls: type[Game], data: st.DataObject) -> None:
    line = data.draw(lines(cls, 40))
    held(line, data.draw(st.sampled_from(line.game.suit_symmetries())))


@pytest.mark.soak
@pytest.mark.parametrize("cls", GAMES.values(), ids=GAMES)
@settings(max_examples=12, deadline=None)
@given(data=st.data())
def test_a_deal_with_its_suits_relabelled_is_the_same_deal_at_length(
    cls: type[Game], data: st.DataObject
) -> None:
    line = data.draw(lines(cls))
    held(line, data.draw(st.sampled_from(line.game.suit_symmetries())))


@pytest.mark.parametrize("cls", GAMES.values(), ids=GAMES)
def test_the_symmetries_of_a_table_are_relabellings_and_include_the_identity(cls: type[Game]) -> None:
    found = cls.table(cls.seat_counts[0], {}).suit_symmetries()
    assert IDENTITY in found
    assert len(set(found)) == len(found)
    assert all(sorted(suits) == [0, 1, 2, 3] for suits in found)


def test_the_symmetries_of_king_and_of_fixed_trumps_keep_the_special_suits() -> None:
    king = GAMES["king"].table(4, {})
    assert {suits[2] for suits in king.suit_symmetries()} == {2}
    assert len(king.suit_symmetries()) == 6
    fixed = GAMES["kryt"].table(2, {"trumps": "fixed"})
    assert sorted(fixed.suit_symmetries()) == [(0, 1, 2, 3), (2, 1, 0, 3)]


def test_the_symmetries_of_besikovichs_game_keep_the_order_of_the_free_suits() -> None:
    game = GAMES["svoi_kozyri"].table(2, {"layout": "besikovich", "trumps": "SC"})
    for suits in game.suit_symmetries():
        assert suits[1] < suits[2]


def test_a_relabelling_changes_suits_keeps_ranks_and_has_an_inverse() -> None:
    assert parse_suits("DCHS") == (1, 0, 2, 3)
    assert [
        CARD_TEXT[card] for card in relabelled([CARD_OF_TEXT["6C"], CARD_OF_TEXT["AS"]], (3, 0, 1, 2))
    ] == [
        "6S",
        "AH",
    ]
    for suits in ALL_RELABELLINGS:
        assert relabelled(relabelled(range(52), suits), undone(suits)) == tuple(range(52))
        assert parse_suits(suits_text(suits)) == suits


@pytest.mark.parametrize("text", ["", "CDH", "CDHH", "CDHSS", "CDHX"])
def test_a_relabelling_must_have_each_suit_once(text: str) -> None:
    with pytest.raises(ValueError, match="each of CDHS once"):
        parse_suits(text)

"""Kryt'-navalivat': the numbers are those of the sections in `engine/games/kryt.py`."""

from __future__ import annotations

from typing import Any

import pytest

from engine.game import NOBODY, BadTable, IllegalMove
from engine.games.kryt import Kryt
from engine.pile import PileState
from tests.engine.pile_positions import after, deck, hand, legal, pile, position

TWO = Kryt.table(2, {})
THREE = Kryt.table(3, {})
FIXED = Kryt.table(2, {"trumps": "fixed"})


# 1. The table


@pytest.mark.parametrize(
    ("seats", "options", "field", "right"),
    [
        (1, {}, "seats", "2, 3, 4"),
        (12, {}, "seats", "11"),
        (True, {}, "seats", "2, 3, 4"),
        (2, {"trumps": "SC"}, "trumps", "turned or fixed"),
        (2, {"trumps": None}, "trumps", "turned or fixed"),
        (
            2,
            {"pickup": "modern"},
            "pickup",
            "there is no option .pickup.; expected one of the options trumps, turn_limit",
        ),
        (2, {"turn_limit": 49}, "turn_limit", "from 50 to 100000"),
        (2, {"turn_limit": 100_001}, "turn_limit", "from 50 to 100000"),
        (2, {"turn_limit": True}, "turn_limit", "a whole number"),
        (2, {"turn_limit": 60.0}, "turn_limit", "a whole number"),
        (2, {"turn_limit": "60"}, "turn_limit", "a whole number"),
    ],
)
def test_1_an_unsupported_table_is_refused_with_the_expected_values(
    seats: int, options: dict[str, Any], field: str, right: str
) -> None:
    with pytest.raises(BadTable, match=right) as refused:
        Kryt.table(seats, options)
    assert refused.value.field == field


# 2. The deal


def test_2_each_player_sees_the_own_cards() -> None:
    state = TWO.deal(1, 0, deck(TWO, 0, ["6C 7C 8C", "9C TC JC"], "9H"))
    (dealt,) = TWO.deal_events(state)
    public = {"type": "dealt", "trump": "H", "trump_card": "9H", "stock": 30, "hand_sizes": [3, 3]}
    assert dealt.view(None) == public
    assert dealt.view(0) == {**public, "hand": ["6C", "7C", "8C"]}
    assert dealt.view(1) == {**public, "hand": ["9C", "TC", "JC"]}


# 5. Drawing


def test_5_others_see_the_number_of_cards_drawn_and_the_upturned_trump() -> None:
    before = position(TWO, ["7C 8C KC", "6S 7S 8S"], "6C", stock="9C QD")
    move = TWO.parse(before, 0, "beat 8C KC")
    state = TWO.play(before, 0, move)
    (drawn,) = TWO.events(before, 0, move, state)
    public = {"type": "drawn", "seat": 0, "count": 2, "trump_card": "QD"}
    assert (drawn.view(1), drawn.view(0)) == (public, {**public, "cards": ["9C", "QD"]})
    seen = TWO.observe(state, 1)
    assert (seen["known"], seen["stock"], seen["trump_card"]) == ([["QD"], []], 0, None)


# 6. The exchange


def _holder(stock: str = "9C KD", own: str = "6D 7C 8C", below: str = "6S") -> PileState:
    return position(TWO, [own, "9H TH JH"], below, stock=stock, to_move=0)


@pytest.mark.parametrize(
    ("state", "seat", "reason"),
    [
        (_holder(stock=""), 0, "the stock is empty"),
        (_holder(), 1, "6D is not in your hand"),
        (_holder(own="7C 8C 9C", stock="TC 6D"), 0, "6D is not in your hand"),
        (position(FIXED, ["6D 7C 8C", "9H TH JH"], "6S", stock="9C KD"), 0, "with fixed trumps"),
        (after(TWO, position(TWO, ["9H", "TH"], "8H"), "beat 9H"), 1, "the deal is over"),
    ],
)
def test_6_any_other_exchange_is_refused_with_its_reason(state: PileState, seat: int, reason: str) -> None:
    game = FIXED if "fixed" in reason else TWO
    assert game.free_moves(state, seat) == ()
    with pytest.raises(IllegalMove, match=reason):
        game.parse(state, seat, "exchange")


def test_6_everybody_sees_both_cards_of_an_exchange() -> None:
    before = _holder()
    move = TWO.parse(before, 0, "exchange")
    (event,) = TWO.events(before, 0, move, TWO.play(before, 0, move))
    assert event.view(1) == {"type": "exchanged", "seat": 0, "given": "6D", "received": "KD"}


# The examples of the source


def test_the_example_with_three_players() -> None:
    order = deck(THREE, 2, ["7D 9S TD", "KD TS 6H", "9C 8S JC"], "8C QS 7H 8H 9H TH 7C JH QH KH")
    state = THREE.deal(1, 2, order)
    assert (THREE.observe(state, 0)["trump"], state.to_move) == ("C", 0)
    state = after(THREE, state, "0: lead 7D")
    assert hand(state, 0) == "9S TD QS"
    state = after(THREE, state, "1: beat KD TS", "2: beat 9C 8S")
    assert [hand(state, seat) for seat in (1, 2)] == ["6H 7H 8H", "9H TH JC"]
    state = after(THREE, state, "0: beat 9S TD")
    assert hand(state, 0) == "7C JH QS"
    state = after(THREE, state, "1: pickup")
    assert pile(state) == "7D KD TS 9C 8S 9S"
    state = after(THREE, state, "2: pickup", "0: beat QS 7C")
    assert pile(state) == "7D KD TS 9C 8S QS 7C"
    state = after(THREE, state, "1: pickup")
    assert {"8S", "QS", "7C"} <= set(hand(state, 1).split())
    assert (pile(state), state.to_move, state.hands[2].bit_count()) == ("7D KD TS 9C", 2, 4)
    drawn = len(state.stock)
    state = after(THREE, state, "2: beat JC 9S")
    assert (drawn - len(state.stock), state.hands[2].bit_count()) == (1, 3)


def test_the_first_endgame_is_a_draw_when_the_last_card_beats_the_led_one() -> None:
    state = after(TWO, position(TWO, ["JH 8C", "KC"], "9H"), "0: beat JH 8C")
    assert (state.to_move, TWO.returns(state)) == (NOBODY, (0, 0))


def test_the_second_endgame_is_lost_when_the_top_card_was_not_led() -> None:
    state = after(TWO, position(TWO, ["JH 8C AC", "KC"], "9H"), "0: beat JH 8C", "1: beat KC")
    assert (hand(state, 0), state.to_move, TWO.returns(state)) == ("AC", NOBODY, (-1, 0))


def test_the_advice_in_the_second_endgame_contradicts_the_rules() -> None:
    state = after(TWO, position(TWO, ["JH 8C AC", "KC"], "9H"), "0: beat JH AC", "1: pickup")
    assert (pile(state), hand(state, 1), legal(TWO, state)) == ("9H JH", "KC AC", {"pickup"})
    with pytest.raises(IllegalMove, match="there is a pile"):
        TWO.parse(state, 0, "lead 8C")

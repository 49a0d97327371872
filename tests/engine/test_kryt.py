"""Kryt'-navalivat': the numbers are those of the sections in `engine/games/kryt.py`."""

from __future__ import annotations

from typing import Any

import pytest

from engine.cards import CARD_TEXT
from engine.game import NOBODY, BadTable, IllegalMove
from engine.games.kryt import Kryt
from engine.pile import PileState
from tests.engine.pile_positions import after, cards, deck, hand, legal, pile, position

TWO = Kryt.table(2, {})
THREE = Kryt.table(3, {})
FIXED = Kryt.table(2, {"trumps": "fixed"})


# 1. The table


@pytest.mark.parametrize("seats", range(2, 12))
def test_1_two_to_eleven_play(seats: int) -> None:
    game = Kryt.table(seats, {})
    assert game.sides == tuple(range(seats))
    assert dict(game.options) == {"trumps": "turned", "turn_limit": 1000}
    assert [CARD_TEXT[card] for card in game.pack[::4]] == [
        "6C",
        "7C",
        "8C",
        "9C",
        "TC",
        "JC",
        "QC",
        "KC",
        "AC",
    ]


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


def test_2_three_cards_each_one_at_a_time_from_the_dealers_left() -> None:
    state = THREE.deal(1, 1, cards("6C 7C 8C 9C TC JC QC KC AC 6D") + [c for c in THREE.pack if c & 3 > 1] + cards(
        "7D 8D 9D TD JD QD KD AD"
    ))  # fmt: skip
    assert [hand(state, seat) for seat in range(3)] == ["7C TC KC", "8C JC AC", "6C 9C QC"]
    assert (state.to_move, state.dealt.dealer) == (2, 1)


def test_2_the_next_card_is_turned_up_names_the_trumps_and_is_the_last_of_the_stock() -> None:
    state = TWO.deal(1, 0, deck(TWO, 0, ["6C 7C 8C", "9C TC JC"], "9H 6D 7D"))
    seen = TWO.observe(state, None)
    assert (seen["trump"], seen["trump_card"], seen["stock"]) == ("H", "9H", 30)
    assert [CARD_TEXT[card] for card in (*state.stock[:2], state.stock[-1])] == ["6D", "7D", "9H"]


@pytest.mark.parametrize(("seats", "stock"), [(2, 30), (3, 27), (5, 21), (10, 6), (11, 3)])
def test_2_the_remaining_cards_are_the_stock_including_the_upturned_card(seats: int, stock: int) -> None:
    game = Kryt.table(seats, {})
    assert game.observe(game.deal(1, 0, game.pack), 0)["stock"] == stock


def test_2_each_player_sees_the_own_cards() -> None:
    state = TWO.deal(1, 0, deck(TWO, 0, ["6C 7C 8C", "9C TC JC"], "9H"))
    (dealt,) = TWO.deal_events(state)
    public = {"type": "dealt", "trump": "H", "trump_card": "9H", "stock": 30, "hand_sizes": [3, 3]}
    assert dealt.view(None) == public
    assert dealt.view(0) == {**public, "hand": ["6C", "7C", "8C"]}
    assert dealt.view(1) == {**public, "hand": ["9C", "TC", "JC"]}


# 3. Beating

BEATS = [
    # trump, top card, the beating cards among 7C JC 7D JD 7H JH 7S JS
    ("D", "9C", "JC 7D JD"),
    ("D", "9D", "JD"),
    ("D", "AH", "7D JD"),
    ("S", "6S", "7S JS"),
    ("S", "9H", "JH 7S JS"),
    ("H", "AH", ""),
]


def _beating(game: Kryt, trump: str, top: str) -> set[str]:
    state = position(game, ["7C JC 7D JD 7H JH 7S JS", "8C"], top, trump=trump)
    return {text.split()[1] for text in legal(game, state) if text != "pickup"}


@pytest.mark.parametrize(("trump", "top", "beating"), BEATS)
def test_3_a_higher_card_of_the_suit_or_a_trump_on_a_non_trump_beats(
    trump: str, top: str, beating: str
) -> None:
    assert _beating(TWO, trump, top) == set(beating.split())


# 4. Picking up

PICKUPS = [
    # trump, pile, rest of the pile
    ("D", "6C 7C 8C 9C", "6C 7C 8C"),
    ("D", "6C 7C 8C AC", "6C 7C 8C"),
    ("D", "6C 7C 8C 9D", "6C"),
    ("D", "6C 7C 9D", ""),
    ("D", "7C 9D", ""),
    ("D", "9D", ""),
    ("D", "6C 7C 8C 9C TC AD", ""),
    ("D", "AD", ""),
    ("D", "6C 7C AD 8C", "6C 7C AD"),
    ("C", "6C 7C 8C AD", "6C 7C 8C"),
]


@pytest.mark.parametrize(("trump", "below", "left"), PICKUPS)
def test_4_one_card_or_three_or_the_whole_pile_by_the_top_card(trump: str, below: str, left: str) -> None:
    state = after(TWO, position(TWO, ["6S", "QC QD"], below, trump=trump), "pickup")
    assert pile(state) == left
    assert len(state.pile) + state.hands[0].bit_count() == len(below.split()) + 1


# 5. Drawing

DRAWS = [
    # hand, pile, stock, move, drawn
    ("6C 7C 8C", "", "9C TC JC QD", "lead 6C", "9C"),
    ("7C 8C KC", "6C", "9C TC JC QD", "beat 8C KC", "9C TC"),
    ("7C 8C KC AC", "6C", "9C TC JC QD", "beat 8C KC", "9C"),
    ("7C 8C KC AC AS", "6C", "9C TC JC QD", "beat 8C KC", ""),
    ("7C 8C KC", "6C", "9C QD", "beat 8C KC", "9C QD"),
    ("7C 8C KC", "6C", "QD", "beat 8C KC", "QD"),
    ("7C 8C KC", "6C", "", "beat 8C KC", ""),
    ("7C 8C KC", "6C", "9C TC JC QD", "pickup", ""),
]


@pytest.mark.parametrize(("own", "below", "stock", "move", "drawn"), DRAWS)
def test_5_after_a_play_the_player_draws_to_three(
    own: str, below: str, stock: str, move: str, drawn: str
) -> None:
    before = position(TWO, [own, "6S 7S 8S"], below, stock=stock)
    state = after(TWO, before, move)
    assert set(drawn.split()) == set(hand(state, 0).split()) - set(own.split()) - set(below.split())
    assert len(state.stock) == len(stock.split()) - len(drawn.split())


def test_5_both_cards_of_a_beat_are_played_before_drawing() -> None:
    state = position(TWO, ["7C 8C KC", "6S 7S 8S"], "6C", stock="9C TC QD")
    assert legal(TWO, state) == {
        "beat 7C 8C", "beat 7C KC", "beat 8C 7C", "beat 8C KC", "beat KC 7C", "beat KC 8C", "pickup",
    }  # fmt: skip


def test_5_others_see_the_number_of_cards_drawn_and_the_upturned_trump() -> None:
    before = position(TWO, ["7C 8C KC", "6S 7S 8S"], "6C", stock="9C QD")
    move = TWO.parse(before, 0, "beat 8C KC")
    state = TWO.play(before, 0, move)
    (drawn,) = TWO.events(before, 0, move, state)
    public = {"type": "drawn", "seat": 0, "count": 2, "trump_card": "QD"}
    assert (drawn.view(1), drawn.view(0)) == (public, {**public, "cards": ["9C", "QD"]})
    seen = TWO.observe(state, 1)
    assert (seen["known"], seen["stock"], seen["trump_card"]) == ([["QD"], []], 0, None)


def test_5_only_the_player_sees_a_card_drawn_face_down() -> None:
    before = position(TWO, ["7C 8C KC", "6S 7S 8S"], "6C", stock="9C TC QD")
    other = position(TWO, ["7C 8C KC", "6S 7S 8S"], "6C", stock="TC 9C QD")
    for move in before.legal:
        one, two = TWO.play(before, 0, move), TWO.play(other, 0, move)
        assert TWO.observe(one, 1) == TWO.observe(two, 1)
        assert [event.view(1) for event in TWO.events(before, 0, move, one)] == [
            event.view(1) for event in TWO.events(other, 0, move, two)
        ]
        assert one.legal == two.legal


# 6. The exchange


def _holder(stock: str = "9C KD", own: str = "6D 7C 8C", below: str = "6S") -> PileState:
    return position(TWO, [own, "9H TH JH"], below, stock=stock, to_move=0)


@pytest.mark.parametrize("stock", ["9C TC KD", "KD"])
def test_6_the_holder_of_the_six_of_trumps_may_exchange_it_while_there_is_a_stock(stock: str) -> None:
    state = after(TWO, _holder(stock), "exchange")
    assert "KD" in hand(state, 0)
    assert "6D" not in hand(state, 0)
    assert TWO.observe(state, 1)["trump_card"] == "6D"
    assert (len(state.stock), state.moves, state.to_move) == (len(stock.split()), 1, 0)


def test_6_after_an_exchange_on_turn_the_same_player_is_asked_again() -> None:
    state = after(TWO, _holder(), "exchange")
    assert "beat KD 7C" in legal(TWO, state)
    assert not any("6D" in text for text in legal(TWO, state))


def test_6_an_exchange_off_turn_does_not_change_the_question() -> None:
    state = position(TWO, ["6D 7C 8C", "9H TH JH"], "6S", stock="9C KD", to_move=1)
    exchanged = after(TWO, state, "0: exchange")
    assert (exchanged.to_move, exchanged.legal) == (1, state.legal)
    assert hand(exchanged, 0) == "7C 8C KD"


def test_6_a_six_that_was_picked_up_may_be_exchanged() -> None:
    state = position(TWO, ["7S 8S 9S", "9H TH JH"], "6S 6D", stock="9C KD")
    assert "KD" in hand(after(TWO, state, "pickup", "0: exchange"), 0)


def test_6_an_exchange_is_a_free_move_and_only_its_holder_sees_it() -> None:
    state = _holder()
    assert "exchange" not in legal(TWO, state)
    assert len(TWO.free_moves(state, 0)) == 1
    assert TWO.free_moves(state, 1) == ()


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


def test_6_the_six_exchanged_is_the_last_card_drawn_and_the_trump_is_known() -> None:
    before = _holder("KD", "6D 7C 8C", "6C")
    state = after(TWO, before, "exchange")
    assert TWO.observe(state, 1)["known"] == [["KD"], []]
    state = after(TWO, state, "beat 7C 8C")
    assert hand(state, 0) == "6D KD"
    assert TWO.observe(state, 1)["known"] == [["6D", "KD"], []]


def test_6_everybody_sees_both_cards_of_an_exchange() -> None:
    before = _holder()
    move = TWO.parse(before, 0, "exchange")
    (event,) = TWO.events(before, 0, move, TWO.play(before, 0, move))
    assert event.view(1) == {"type": "exchanged", "seat": 0, "given": "6D", "received": "KD"}


def test_6_an_exchange_counts_towards_the_turn_limit() -> None:
    game = Kryt.table(2, {"turn_limit": 50})
    state = after(game, position(game, ["6D 7C 8C", "9H TH JH"], "6S", stock="9C KD", moves=49), "exchange")
    assert (state.to_move, game.returns(state), game.free_moves(state, 0)) == (NOBODY, (0, 0), ())


# 7. Fixed trumps


def test_7_with_fixed_trumps_no_card_is_turned_up() -> None:
    state = FIXED.deal(1, 0, deck(FIXED, 0, ["6C 7C 8C", "9C TC JC"], "9H 6D"))
    seen = FIXED.observe(state, 0)
    assert (seen["trump"], seen["anti_trump"], seen["trump_card"], seen["stock"]) == ("D", "S", None, 30)
    assert [CARD_TEXT[card] for card in state.stock[:2]] == ["9H", "6D"]
    assert FIXED.observe(state, 0)["known"] == [[], []]


@pytest.mark.parametrize("six", ["6C", "6D", "6H", "6S"])
def test_7_with_fixed_trumps_nobody_can_exchange(six: str) -> None:
    state = position(FIXED, [f"{six} 7C 8C", "9H TH JH"], "QC", stock="9C KD")
    assert FIXED.free_moves(state, 0) == ()


@pytest.mark.parametrize(
    ("top", "beating"),
    [
        ("9C", "JC 7D JD"),
        ("9H", "JH 7D JD"),
        ("9D", "JD"),
        ("AD", ""),
        ("9S", "JS"),
        ("6S", "7S JS"),
        ("AS", ""),
    ],
)
def test_7_only_a_higher_spade_beats_a_spade_and_a_spade_beats_only_spades(top: str, beating: str) -> None:
    assert _beating(FIXED, "D", top) == set(beating.split())


@pytest.mark.parametrize(
    ("below", "left"),
    [
        ("6C 7C 8C 9S", "6C 7C 8C"),
        ("6C 7C 8C AS", "6C 7C 8C"),
        ("6C 7C 8C 9C", "6C 7C 8C"),
        ("6C 7C 8C 9D", "6C"),
        ("6C 7C 8C 9C AD", ""),
    ],
)
def test_7_a_pickup_of_a_spade_is_that_one_card(below: str, left: str) -> None:
    assert pile(after(FIXED, position(FIXED, ["6H", "QC QD"], below), "pickup")) == left


def test_7_all_cards_of_the_stock_are_drawn_face_down() -> None:
    before = position(FIXED, ["7C 8C KC", "6S 7S 8S"], "6C", stock="9C QD")
    before = before._replace(seen=before.seen & ~(1 << cards("QD")[0]))
    move = FIXED.parse(before, 0, "beat 8C KC")
    state = FIXED.play(before, 0, move)
    (drawn,) = FIXED.events(before, 0, move, state)
    assert drawn.view(1) == {"type": "drawn", "seat": 0, "count": 2, "trump_card": None}
    assert FIXED.observe(state, 1)["known"] == [[], []]


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

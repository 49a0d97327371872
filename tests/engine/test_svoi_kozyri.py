"""Svoi Kozyri: the numbers are those of the sections in `engine/games/svoi_kozyri.py`."""

from __future__ import annotations

import random
import re
from typing import Any

import pytest

from engine.cards import CARD_TEXT
from engine.game import BadDeck, BadTable
from engine.games.svoi_kozyri import SvoiKozyri
from tests.engine.pile_positions import after, cards, deck, hand, legal, pile, position

TWO = SvoiKozyri.table(2, {})
FOUR = SvoiKozyri.table(4, {})
BESIKOVICH = SvoiKozyri.table(2, {"layout": "besikovich"})


def _shuffled(game: SvoiKozyri, seed: int) -> list[int]:
    order = list(game.pack)
    random.Random(seed).shuffle(order)
    return order


# 1. The table


@pytest.mark.parametrize(("seats", "trumps"), [(2, "SC"), (3, "SCD"), (4, "SCDH")])
def test_1_two_to_four_players_have_the_first_of_four_suits_by_default(seats: int, trumps: str) -> None:
    options = {
        "trumps": trumps,
        "pickup": "modern",
        "layout": "dealt",
        "lowest_rank": "6",
        "turn_limit": 1000,
    }
    assert dict(SvoiKozyri.table(seats, {}).options) == options


@pytest.mark.parametrize("trumps", ["HD", "CS", "SH"])
def test_1_the_trumps_may_be_chosen(trumps: str) -> None:
    game = SvoiKozyri.table(2, {"trumps": trumps})
    assert game.observe(game.deal(1, 0, game.pack), None)["trumps"] == list(trumps)


@pytest.mark.parametrize(("lowest", "size"), [("2", 52), ("5", 40), ("6", 36), ("7", 32), ("T", 20)])
def test_1_the_pack_begins_at_the_lowest_rank(lowest: str, size: int) -> None:
    game = SvoiKozyri.table(3, {"lowest_rank": lowest})
    assert (len(game.pack), CARD_TEXT[game.pack[0]], CARD_TEXT[game.pack[-1]]) == (size, lowest + "C", "AS")
    with pytest.raises(BadDeck):
        game.deal(1, 0, range(52 - size, 51))


def test_1_besikovichs_game_always_has_whole_pile_pickups() -> None:
    assert BESIKOVICH.options["pickup"] == "whole_pile"
    assert SvoiKozyri.table(2, {"layout": "besikovich", "pickup": "whole_pile"}).options == BESIKOVICH.options


@pytest.mark.parametrize(
    ("seats", "options", "field", "right"),
    [
        (1, {}, "seats", "2, 3, 4"),
        (5, {}, "seats", "2, 3, 4"),
        (4, {"trumps": "SSCD"}, "trumps", "4 different letters of CDHS"),
        (4, {"trumps": "SCD"}, "trumps", "4 different letters of CDHS"),
        (2, {"trumps": "SCD"}, "trumps", "2 different letters of CDHS"),
        (2, {"trumps": "sc"}, "trumps", "2 different letters of CDHS"),
        (2, {"trumps": "SX"}, "trumps", "2 different letters of CDHS"),
        (2, {"trumps": "S\n"}, "trumps", "2 different letters of CDHS"),
        (2, {"trumps": ["S", "C"]}, "trumps", "text"),
        (3, {"layout": "besikovich"}, "layout", "dealt with 3 players"),
        (2, {"layout": "besikovich", "pickup": "modern"}, "pickup", "whole_pile"),
        (2, {"layout": "open"}, "layout", "dealt or besikovich"),
        (2, {"pickup": "all"}, "pickup", "modern or whole_pile"),
        (2, {"lowest_rank": "J"}, "lowest_rank", "2 or 3 .* or T"),
        (2, {"lowest_rank": 6}, "lowest_rank", "2 or 3 .* or T"),
        (2, {"lowest_rank": "10"}, "lowest_rank", "2 or 3 .* or T"),
        (2, {"turn_limit": 10}, "turn_limit", "from 50 to 100000"),
        (2, {"teams": True}, "teams", "one of the options"),
    ],
)
def test_1_an_unsupported_table_is_refused_with_the_expected_values(
    seats: int, options: dict[str, Any], field: str, right: str
) -> None:
    with pytest.raises(BadTable, match=right) as refused:
        SvoiKozyri.table(seats, options)
    assert refused.value.field == field


@pytest.mark.parametrize(
    ("trumps", "fits"),
    [("SC", True), ("HDS", True), ("SCDH", True), ("SSCD", False), ("S", False), ("SX", False)],
)
def test_1_the_schema_of_the_trumps_matches_the_check(trumps: str, fits: bool) -> None:
    assert bool(re.search(SvoiKozyri.option_schemas["trumps"]["pattern"], trumps)) == fits


# 2. The deal


def test_2_the_whole_pack_is_dealt_one_at_a_time_from_the_dealers_left() -> None:
    order = [card for card in TWO.pack if card >= 20] + list(TWO.pack[:4])
    state = TWO.deal(1, 0, order)
    assert state.dealt.hands[1] == sum(1 << card for card in order[::2])
    assert state.dealt.hands[0] == sum(1 << card for card in order[1::2])
    assert (state.to_move, state.stock) == (1, ())


@pytest.mark.parametrize(
    ("seats", "lowest", "dealer", "sizes"),
    [
        (4, "6", 0, (9, 9, 9, 9)),
        (3, "6", 0, (12, 12, 12)),
        (3, "2", 0, (17, 18, 17)),
        (3, "2", 2, (18, 17, 17)),
        (3, "T", 1, (7, 6, 7)),
        (3, "7", 2, (11, 11, 10)),
    ],
)
def test_2_if_the_pack_does_not_come_out_even_the_first_players_get_one_more(
    seats: int, lowest: str, dealer: int, sizes: tuple[int, ...]
) -> None:
    game = SvoiKozyri.table(seats, {"lowest_rank": lowest})
    state = game.deal(1, dealer, game.pack)
    assert tuple(cards.bit_count() for cards in state.dealt.hands) == sizes


def test_2_each_six_is_given_to_the_owner_of_its_suit_in_view_of_all() -> None:
    rest = [card for card in FOUR.pack if card >= 20]
    order = cards("6C 6D 6H 6S") + rest  # to seats 1, 2, 3, 0, whose trumps are C, D, H, S
    assert FOUR.observe(FOUR.deal(1, 0, order), None)["given"] == []
    order = cards("6S 6H 6C 6D") + rest
    state = FOUR.deal(1, 0, order)
    given = [
        {"giver": 3, "receiver": 1, "card": "6C"},
        {"giver": 0, "receiver": 2, "card": "6D"},
        {"giver": 2, "receiver": 3, "card": "6H"},
        {"giver": 1, "receiver": 0, "card": "6S"},
    ]
    for seat in (0, 1, 2, 3, None):
        seen = FOUR.observe(state, seat)
        assert (seen["given"], seen["known"]) == (given, [["6S"], ["6C"], ["6D"], ["6H"]])
    assert [event.public for event in FOUR.deal_events(state)[1:]] == [
        {"type": "given", **one} for one in given
    ]


def test_2_the_given_sixes_can_make_hands_uneven() -> None:
    state = TWO.deal(1, 1, deck(TWO, 1, ["6C 6S 7S", "6H 6D 7C"]))
    assert (hand(state, 0).split()[:1], state.hands[0].bit_count(), state.hands[1].bit_count()) == (
        ["6S"],
        17,
        19,
    )
    assert FOUR.observe(state, None)["hand_sizes"] == [17, 19]


def test_2_an_owners_own_six_is_not_shown() -> None:
    state = TWO.deal(1, 1, deck(TWO, 1, ["6S 7S", "6C 7C"]))
    assert TWO.observe(state, 1)["known"] == [[], []]
    assert len(TWO.deal_events(state)) == 1


def test_2_the_six_of_a_suit_without_owner_stays_where_it_is() -> None:
    state = TWO.deal(1, 1, deck(TWO, 1, ["6H 7S", "6D 7C"]))
    assert ("6H" in hand(state, 0), "6D" in hand(state, 1)) == (True, True)
    assert all(one["card"] in ("6C", "6S") for one in TWO.observe(state, None)["given"])


@pytest.mark.parametrize("lowest", ["2", "5", "7", "T"])
def test_2_in_another_pack_the_lowest_rank_is_given(lowest: str) -> None:
    game = SvoiKozyri.table(2, {"lowest_rank": lowest})
    state = game.deal(1, 1, deck(game, 1, [f"{lowest}C AS", f"{lowest}S AC"]))
    assert [one["card"] for one in game.observe(state, 0)["given"]] == [f"{lowest}C", f"{lowest}S"]


def test_2_each_player_sees_the_own_cards_as_dealt() -> None:
    state = TWO.deal(1, 1, deck(TWO, 1, ["6C 7S", "6S 7C"]))
    dealt = TWO.deal_events(state)[0]
    assert dealt.view(None) == {"type": "dealt", "trumps": ["S", "C"], "hand_sizes": [18, 18], "hands": None}
    assert "6C" in dealt.view(0)["hand"]
    assert "6S" in dealt.view(1)["hand"]


# 3. Beating

BEATS = [
    # the seat with its trumps S, C, D, H; the top card; the beating cards among 7C JC 7D JD 7H JH 7S JS
    (0, "9C", "JC 7S JS"),
    (1, "9C", "JC"),
    (2, "9C", "JC 7D JD"),
    (3, "9C", "JC 7H JH"),
    (0, "AS", ""),
    (1, "AS", "7C JC"),
    (2, "8S", "JS 7D JD"),
    (3, "6H", "7H JH"),
]


@pytest.mark.parametrize(("seat", "top", "beating"), BEATS)
def test_3_a_higher_card_of_the_suit_or_an_own_trump_on_another_suit_beats(
    seat: int, top: str, beating: str
) -> None:
    hands = ["QC"] * 4
    hands[seat] = "7C JC 7D JD 7H JH 7S JS"
    found = {
        text.split()[1] for text in legal(FOUR, position(FOUR, hands, top, to_move=seat)) if text != "pickup"
    }
    assert found == set(beating.split())


def test_3_the_last_card_beats_the_led_one_by_its_holders_own_rules() -> None:
    state = after(TWO, position(TWO, ["9H AH", "6C"], "8H"), "0: beat 9H AH")
    assert TWO.returns(state) == (0, 0)
    state = after(TWO, position(TWO, ["9H AH", "7S"], "8H"), "0: beat 9H AH")
    assert TWO.returns(state) == (0, -1)


# 4. Picking up

PICKUPS = [
    # the seat that picks up with its trumps S, C; the pile, the rest of the pile
    (0, "6C 7C 8C 9C TC JC QC", "6C 7C 8C 9C"),
    (0, "6C 7C 8C 9C TC JC AC", "6C 7C 8C 9C"),
    (1, "6D 7D 8D 9D TD JD QC", "6D 7D"),
    (1, "6D 7D 8D 9D TD JD AC", ""),
    (0, "6C 7C QC", ""),
    (0, "7C QC", ""),
    (1, "6D 7D 8D 9D QC", ""),
    (1, "9D QC", ""),
    (1, "AC", ""),
    (1, "6D 7D 8D AC 9D", "6D 7D"),
]


@pytest.mark.parametrize(("seat", "below", "left"), PICKUPS)
def test_4_a_modern_pickup_is_three_cards_or_five_or_the_whole_pile(seat: int, below: str, left: str) -> None:
    state = after(TWO, position(TWO, ["KH KD", "QH QD"], below, to_move=seat), "pickup")
    assert pile(state) == left


@pytest.mark.parametrize(("seat", "below", "left"), PICKUPS)
def test_4_a_whole_pile_pickup_is_always_the_whole_pile(seat: int, below: str, left: str) -> None:
    game = SvoiKozyri.table(2, {"pickup": "whole_pile"})
    before = position(game, ["KH KD", "QH QD"], below, to_move=seat)
    seen = game.observe(before, seat)
    assert (seen["whole_pile"], seen["pickup"], seen["under"]) == (True, below.split()[::-1], None)
    assert pile(after(game, before, "pickup")) == ""


# 5. Besikovich's game

LAID_OUT = [
    # trumps, dealer, the dealer's cards dealt in the own trumps and in the first free suit, dealer's hand
    ("SC", 1, "6C 7C 6D", "6C 7C 6D 8S 9S TS JS QS KS AS 7H 8H 9H TH JH QH KH AH"),
    ("SC", 0, "6S AS KD", "6S AS KD 7C 8C 9C TC JC QC KC 6H 7H 8H 9H TH JH QH AH"),
    ("HD", 0, "", "6D 7D 8D 9D TD JD QD KD AD 6S 7S 8S 9S TS JS QS KS AS"),
    ("HS", 1, "9S TC JC", "9S TC JC 6H 7H 8H TH JH QH KH AH 6D 7D 8D 9D QD KD AD"),
]


@pytest.mark.parametrize(("trumps", "dealer", "dealt", "laid"), LAID_OUT)
def test_5_the_dealers_cards_in_two_suits_determine_both_hands(
    trumps: str, dealer: int, dealt: str, laid: str
) -> None:
    game = SvoiKozyri.table(2, {"trumps": trumps, "layout": "besikovich"})
    free = [suit for suit in "CDHS" if suit not in trumps]
    counting = (trumps[dealer], free[0])
    theirs = [
        card for card in game.pack if CARD_TEXT[card][1] in counting and CARD_TEXT[card] not in dealt.split()
    ]
    other = [card for card in game.pack if card not in theirs and CARD_TEXT[card] not in dealt.split()]
    mine = cards(dealt) + other
    spare = 18 - len(theirs)
    theirs, mine = (theirs + mine[-spare:], mine[:-spare]) if spare else (theirs, mine)
    order = [card for pair in zip(theirs, mine, strict=True) for card in pair]
    state = game.deal(1, dealer, order)
    assert set(hand(state, dealer).split()) == set(laid.split())
    assert state.hands[0] ^ state.hands[1] == sum(1 << card for card in game.pack)


@pytest.mark.parametrize("lowest", ["2", "6", "9", "T"])
@pytest.mark.parametrize("dealer", [0, 1])
@pytest.mark.parametrize("trumps", ["SC", "HD", "CH"])
def test_5_the_hands_mirror_each_other(trumps: str, dealer: int, lowest: str) -> None:
    game = SvoiKozyri.table(2, {"trumps": trumps, "layout": "besikovich", "lowest_rank": lowest})
    free = "".join(suit for suit in "CDHS" if suit not in trumps)
    mirror = str.maketrans(trumps + free, trumps[::-1] + free[::-1])
    for seed in range(20):
        state = game.deal(1, dealer, _shuffled(game, seed))
        mirrored = {CARD_TEXT[card].translate(mirror) for card in cards(hand(state, 0))}
        assert mirrored == set(hand(state, 1).split())
        assert state.to_move == 1 - dealer


def test_5_both_hands_are_open_to_everybody_and_no_six_is_given() -> None:
    state = BESIKOVICH.deal(1, 0, _shuffled(BESIKOVICH, 3))
    open_hands = [hand(state, 0).split(), hand(state, 1).split()]
    for seat in (0, 1, None):
        seen = BESIKOVICH.observe(state, seat)
        assert (seen["hands"], seen["known"], seen["given"]) == (open_hands, open_hands, [])
    (dealt,) = BESIKOVICH.deal_events(state)
    assert dealt.view(None)["hands"] == open_hands


def test_5_in_the_ordinary_game_no_hand_is_open() -> None:
    assert TWO.observe(TWO.deal(1, 0, TWO.pack), 0)["hands"] is None

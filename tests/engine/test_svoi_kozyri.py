"""Svoi Kozyri: the numbers are those of the sections in `engine/games/svoi_kozyri.py`."""

from __future__ import annotations

import random
import re
from typing import Any

import pytest

from engine.cards import CARD_TEXT
from engine.game import BadTable
from engine.games.svoi_kozyri import SvoiKozyri
from tests.engine.pile_positions import cards, deck, hand

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


def test_2_each_player_sees_the_own_cards_as_dealt() -> None:
    state = TWO.deal(1, 1, deck(TWO, 1, ["6C 7S", "6S 7C"]))
    dealt = TWO.deal_events(state)[0]
    assert dealt.view(None) == {"type": "dealt", "trumps": ["S", "C"], "hand_sizes": [18, 18], "hands": None}
    assert "6C" in dealt.view(0)["hand"]
    assert "6S" in dealt.view(1)["hand"]


# 5. Besikovich's game


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

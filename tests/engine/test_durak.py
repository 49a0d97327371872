"""Podkidnoy Durak, sentence by sentence. The numbers are those of the sections in `engine/games/durak.py`."""

from __future__ import annotations

import random
from typing import Any

import pytest

from engine.cards import CARD_TEXT, SUITS, mask_of
from engine.game import NOBODY, BadTable, IllegalMove, NotAMove
from engine.games.durak import BEATERS, EXCHANGE, PACK, PASS, Bout, Deal, Durak, DurakState
from tests.engine.dealing import cards, deck_for, played, texts


def position(
    game: Durak,
    hands: dict[int, str],
    attacker: int,
    trump: str = "H",
    talon: str = "",
    dealer: int = 0,
) -> DurakState:
    """Return a state in which `attacker` opens a bout.

    The talon is drawn from its front and its last card lies face up. All other cards have been discarded.
    """
    held = tuple(mask_of(cards(hands.get(seat, ""))) for seat in range(game.seats))
    leaving = cards(talon)
    unseen = sum(held) | mask_of(leaving[:-1])
    sets = tuple(mask_of(leaving[:count]) for count in range(len(leaving) + 1))
    suit = SUITS.index(trump)
    deal = Deal(dealer, suit, -1, -1, 0, sets, leaving[-1] if leaving else -1, game.pack[suit])
    order = [(attacker + step) % game.seats for step in range(1, game.seats)]
    defender = next(seat for seat in order if held[seat] and game.sides[seat] != game.sides[attacker])
    entitled = game._entitled(held, attacker, defender)
    limit = min(6, held[defender].bit_count())
    lain = mask_of(game.pack) & ~unseen
    bout = Bout(attacker, defender, entitled, limit, 6, 0, lain, None, deal, BEATERS[suit])
    return game._open(held, 0, bout)


def look(game: Durak, state: DurakState, seat: int | None = None) -> dict[str, Any]:
    return game.observe(state, seat)


def hand(game: Durak, state: DurakState, seat: int) -> str:
    return " ".join(game.observe(state, seat)["hand"])


def refused(game: Durak, state: DurakState, seat: int, text: str) -> str:
    with pytest.raises(IllegalMove) as caught:
        game.parse(state, seat, text)
    return str(caught.value)


TWO = Durak.table(2, {})
THREE = Durak.table(3, {})
FOUR = Durak.table(4, {})
PAIRS = Durak.table(4, {"teams": True})
TRIOS = Durak.table(6, {"teams": True})
FIVE = Durak.table(5, {})
BATCHES = Durak.table(2, {"batch_attacks": True})

# 1. The table


@pytest.mark.parametrize("seats", [2, 3, 4, 5, 6])
def test_1_two_to_six_play_each_for_themselves(seats: int) -> None:
    assert Durak.table(seats, {}).sides == tuple(range(seats))


@pytest.mark.parametrize(("seats", "sides"), [(4, (0, 1, 0, 1)), (6, (0, 1, 0, 1, 0, 1))])
def test_1_in_teams_the_even_seats_play_against_the_odd(seats: int, sides: tuple[int, ...]) -> None:
    assert Durak.table(seats, {"teams": True}).sides == sides


@pytest.mark.parametrize(
    ("seats", "options", "complete"),
    [
        (2, {}, {"teams": False, "attackers": "all", "batch_attacks": False}),
        (4, {}, {"teams": False, "attackers": "all", "batch_attacks": False}),
        (5, {}, {"teams": False, "attackers": "neighbours", "batch_attacks": False}),
        (6, {"attackers": "all"}, {"teams": False, "attackers": "all", "batch_attacks": False}),
        (6, {"teams": True}, {"teams": True, "batch_attacks": False}),
    ],
)
def test_1_exactly_the_options_that_apply_have_a_value(
    seats: int, options: dict[str, Any], complete: dict[str, Any]
) -> None:
    assert Durak.table(seats, options).options == complete | {
        "first_attacker": "lowest_trump",
        "transfer": False,
        "lowest_rank": "6",
        "first_bout": 6,
        "turn_limit": 1000,
    }


@pytest.mark.parametrize(
    ("seats", "options", "field"),
    [
        (1, {}, "seats"),
        (7, {}, "seats"),
        (True, {}, "seats"),
        (2, {"teams": True}, "teams"),
        (5, {"teams": True}, "teams"),
        (4, {"teams": 1}, "teams"),
        (4, {"teams": True, "attackers": "all"}, "attackers"),
        (4, {"attackers": "some"}, "attackers"),
        (4, {"batch_attacks": "yes"}, "batch_attacks"),
        (4, {"first_attacker": None}, "first_attacker"),
        (2, {"transfer": "yes"}, "transfer"),
        (2, {"lowest_rank": "7"}, "lowest_rank"),
        (2, {"lowest_rank": 6}, "lowest_rank"),
        (4, {"lowest_rank": "9"}, "lowest_rank"),
        (4, {"lowest_rank": "9", "teams": True}, "lowest_rank"),
        (2, {"first_bout": 4}, "first_bout"),
        (2, {"first_bout": 7}, "first_bout"),
        (4, {"turn_limit": 49}, "turn_limit"),
        (4, {"turn_limit": 100_001}, "turn_limit"),
        (4, {"turn_limit": 60.0}, "turn_limit"),
        (4, {"turn_limit": True}, "turn_limit"),
        (4, {"trumps": "turned"}, "trumps"),
    ],
)
def test_1_an_unsupported_table_is_refused_with_the_name_of_the_option(
    seats: int, options: dict[str, Any], field: str
) -> None:
    with pytest.raises(BadTable) as caught:
        Durak.table(seats, options)
    assert caught.value.field == field


def test_1_the_pack_has_36_cards_from_six_to_ace() -> None:
    assert [CARD_TEXT[card] for card in TWO.pack][:5] == ["6C", "6D", "6H", "6S", "7C"]
    assert len(TWO.pack) == 36


@pytest.mark.parametrize(
    ("lowest", "seats", "talon"),
    [("2", 2, 40), ("2", 6, 16), ("6", 2, 24), ("6", 6, 0), ("9", 2, 12), ("9", 3, 6)],
)
def test_1_with_another_lowest_rank_the_pack_has_52_or_24_cards(lowest: str, seats: int, talon: int) -> None:
    game = Durak.table(seats, {"lowest_rank": lowest})
    state = game.deal(2, 0, game.pack)
    seen = look(game, state)
    assert game.pack[0] == cards(lowest + "C")[0]
    assert (seen["talon"], seen["discard"], seen["hand_sizes"]) == (talon, 0, [6] * seats)
    refused_text = "5C" if lowest == "6" else "8C" if lowest == "9" else "1C"
    with pytest.raises(NotAMove, match="not in this pack"):
        game.parse(state, state.to_move, f"attack {refused_text}")


# 2. The deal


def test_2_six_cards_each_are_dealt_one_at_a_time_from_the_dealers_left() -> None:
    state = THREE.deal(1, 1, PACK)
    assert [hand(THREE, state, seat).split()[:2] for seat in (2, 0, 1)] == [
        ["6C", "6S"],
        ["6D", "7C"],
        ["6H", "7D"],
    ]
    assert look(THREE, state)["hand_sizes"] == [6, 6, 6]


def test_2_the_next_card_is_turned_up_names_the_trump_and_lies_under_the_talon() -> None:
    deck = deck_for(TWO, 0, turned_up="9D", talon="AS KS")
    seen = look(TWO, TWO.deal(2, 0, deck))
    assert (seen["trump"], seen["trump_card"], seen["talon"]) == ("D", "9D", 24)


def test_2_with_six_players_the_dealers_last_card_is_shown_names_the_trump_and_stays_in_the_hand() -> None:
    game = Durak.table(6, {})
    deck = deck_for(game, 4, {4: "6C 7C 8C 9C TC 9S"})
    state = game.deal(2, 4, deck)
    seen = look(game, state)
    assert (seen["trump"], seen["trump_card"], seen["talon"]) == ("S", None, 0)
    assert seen["known"] == [[], [], [], [], ["9S"], []]
    assert {"type": "shown", "seat": 4, "card": "9S"} in [event.public for event in game.deal_events(state)]


@pytest.mark.parametrize(
    ("hands", "turned_up", "attacker", "shown"),
    [
        ({0: "7H", 1: "8H"}, "9H", 0, "7H"),
        ({0: "AH", 1: "7H"}, "6H", 1, "7H"),
        ({0: "6C 7C 8C 9C TC JC", 1: "6D 7D 8D 9D TD JD"}, "9H", 1, None),
    ],
)
def test_2_in_the_first_deal_the_lowest_trump_in_any_hand_is_shown_and_attacks(
    hands: dict[int, str], turned_up: str, attacker: int, shown: str | None
) -> None:
    filled = {seat: hands[seat] + " " + "6C 7C 8C 9C TC JC"[: 17 - len(hands[seat]) - 1] for seat in (0,)}
    hands = {**hands, **(filled if len(hands[0]) < 17 else {})}
    hands[1] = (hands[1] + " 6D 7D 8D 9D TD")[:17]
    state = TWO.deal(1, 0, deck_for(TWO, 0, hands, turned_up))
    assert state.to_move == attacker
    events = [event.public for event in TWO.deal_events(state) if event.public["type"] == "shown"]
    assert events == ([{"type": "shown", "seat": attacker, "card": shown}] if shown else [])
    assert look(TWO, state)["known"][attacker] == ([shown] if shown else [])


def test_2_the_first_attack_need_not_be_the_lowest_trump() -> None:
    state = TWO.deal(1, 0, deck_for(TWO, 0, {0: "6H KS"}, "9H"))
    assert {"attack 6H", "attack KS"} <= set(texts(TWO, state))


@pytest.mark.parametrize(("number", "rule"), [(2, "lowest_trump"), (1, "dealer_left"), (7, "dealer_left")])
def test_2_otherwise_the_dealers_left_attacks_and_nothing_is_shown(number: int, rule: str) -> None:
    game = Durak.table(3, {"first_attacker": rule})
    state = game.deal(number, 1, deck_for(game, 1, {0: "6H"}, "9H"))
    assert (state.to_move, look(game, state)["known"]) == (2, [[], [], []])


# 3. The bout


@pytest.mark.parametrize(
    ("attack", "card", "beats"),
    [
        ("7C", "8C", True),
        ("8C", "7C", False),
        ("7C", "8D", False),
        ("AC", "6H", True),
        ("7H", "8H", True),
        ("8H", "7H", False),
        ("8H", "AC", False),
    ],
)
def test_3_a_card_is_beaten_by_a_higher_of_its_suit_or_by_a_trump(
    attack: str, card: str, beats: bool
) -> None:
    state = position(TWO, {0: f"{attack} 6S", 1: f"{card} 9S"}, 0)
    state = played(TWO, state, f"0: attack {attack}")
    assert (f"beat {attack} {card}" in texts(TWO, state)) == beats
    assert "take" in texts(TWO, state)
    if not beats:
        assert refused(TWO, state, 1, f"beat {attack} {card}") == f"{card} does not beat {attack}"


def test_3_the_attacker_opens_with_any_card_of_the_hand() -> None:
    state = position(TWO, {0: "7C TD AH", 1: "9S"}, 0)
    assert texts(TWO, state) == ["attack 7C", "attack TD", "attack AH"]
    assert look(TWO, state)["question"] == "attack"


def test_3_a_card_thrown_in_must_match_a_rank_on_the_table() -> None:
    state = position(TWO, {0: "7C 7D TS 9D", 1: "TC 8S 9S"}, 0)
    state = played(TWO, state, "0: attack 7C", "1: beat 7C TC")
    assert texts(TWO, state) == ["pass", "throw 7D", "throw TS"]
    assert refused(TWO, state, 0, "throw 9D") == "9D has a rank that is not in this bout"
    assert look(TWO, state)["question"] == "throw"


def test_3_the_principal_attacker_is_asked_first_and_the_others_clockwise() -> None:
    state = position(FOUR, {0: "7C 8C", 1: "TC JC KC", 2: "7S 8S", 3: "7D 8D"}, 0)
    state = played(FOUR, state, "0: attack 7C", "1: beat 7C TC")
    order = []
    while state.bout.attacker == 0:
        order.append(state.to_move)
        state = played(FOUR, state, f"{state.to_move}: pass")
    assert order == [0, 2, 3]


def test_3_the_first_throw_ends_the_round_and_the_defender_must_answer() -> None:
    state = position(FOUR, {0: "7C 8C", 1: "TC TS KC", 2: "7S 8S", 3: "7D 8D"}, 0)
    state = played(FOUR, state, "0: attack 7C", "1: beat 7C TC", "0: pass", "2: throw 7S")
    assert (state.to_move, texts(FOUR, state)) == (1, ["take", "beat 7S TS"])


def test_3_after_an_answer_that_beats_the_asking_starts_again_at_the_principal_attacker() -> None:
    state = position(FOUR, {0: "7C TD", 1: "TC TS KC", 2: "7S 8S", 3: "7D 8D"}, 0)
    state = played(FOUR, state, "0: attack 7C", "1: beat 7C TC", "0: pass", "2: throw 7S", "1: beat 7S TS")
    assert (state.to_move, texts(FOUR, state)) == (0, ["pass", "throw TD"])


def test_3_when_all_have_passed_the_attack_is_beaten_off() -> None:
    state = position(THREE, {0: "7C 8C", 1: "TC JC", 2: "8S AS"}, 0)
    before = played(THREE, state, "0: attack 7C", "1: beat 7C TC", "0: pass")
    state = played(THREE, before, "2: pass")
    seen = look(THREE, state)
    assert (seen["discard"], seen["pairs"], seen["attacker"], seen["question"]) == (36 - 4, [], 1, "attack")
    [event, bout] = THREE.events(before, 2, PASS, state)
    assert event.public == {"type": "beaten_off", "count": 2}
    assert bout.public == {"type": "bout", "attacker": 1, "defender": 2, "entitled": [1, 0]}


def test_3_a_player_whose_only_answer_is_pass_is_asked_too() -> None:
    state = position(TWO, {0: "7C 9D", 1: "TC AC"}, 0)
    state = played(TWO, state, "0: attack 7C", "1: beat 7C TC")
    assert (state.to_move, texts(TWO, state)) == (0, ["pass"])


def test_3_a_player_without_cards_is_not_asked() -> None:
    state = position(THREE, {0: "7C", 1: "TC AC", 2: "8S"}, 0)
    assert played(THREE, state, "0: attack 7C", "1: beat 7C TC").to_move == 2
    assert played(THREE, state, "0: attack 7C", "1: take").to_move == 2


SIX_HANDS = {0: "6C 7C", 1: "6D 7D", 2: "6S 7S", 3: "8C 9C", 4: "8D 9D", 5: "8S 9S"}


@pytest.mark.parametrize(
    ("options", "hands", "attacker", "entitled"),
    [
        ({"attackers": "all"}, SIX_HANDS, 0, [0, 2, 3, 4, 5]),
        ({}, SIX_HANDS, 0, [0, 2]),
        ({}, SIX_HANDS, 5, [5, 1]),
        ({}, SIX_HANDS | {2: "", 3: ""}, 0, [0, 4]),
        ({}, SIX_HANDS | {1: "", 2: ""}, 0, [0, 4]),
        ({}, {0: "6C", 1: "7C"}, 0, [0]),
        ({"teams": True}, SIX_HANDS, 0, [0, 2, 4]),
        ({"teams": True}, SIX_HANDS | {2: ""}, 4, [4, 0]),
    ],
)
def test_3_the_entitled_attackers_depend_on_the_options(
    options: dict[str, Any], hands: dict[int, str], attacker: int, entitled: list[int]
) -> None:
    game = Durak.table(6, options)
    assert look(game, position(game, hands, attacker))["entitled"] == entitled


def test_3_nobody_becomes_entitled_during_a_bout() -> None:
    state = position(FIVE, {0: "7C", 1: "TC TS AC", 2: "7S", 3: "TD", 4: "7D 8D"}, 0)
    state = played(FIVE, state, "0: attack 7C", "1: beat 7C TC", "2: throw 7S", "1: beat 7S TS")
    # Seats 0 and 2 are out of cards. Seats 3 and 4 are now the nearest, but are not asked.
    assert look(FIVE, state)["attacker"] == 1
    assert look(FIVE, state)["discard"] == 36 - 4


def test_3_a_bout_has_at_most_six_attack_cards() -> None:
    hands = {0: "6C 6D 7C 7D 8C 8D 9C 9D", 1: "7S 8S 9S TC TD JC JD QC QD 6H 7H 8H 9H"}
    state = played(
        TWO,
        position(TWO, hands, 0),
        *("0: attack 6C", "1: beat 6C TC", "0: throw 6D", "1: beat 6D 7H", "0: throw 7C"),
        *("1: beat 7C 8H", "0: throw 7D", "1: beat 7D 9H", "0: throw 8C", "1: beat 8C JC", "0: throw 8D"),
    )
    assert look(TWO, state)["room"] == 0
    state = played(TWO, state, "1: beat 8D JD")
    assert (look(TWO, state)["attacker"], look(TWO, state)["question"]) == (1, "attack")


def test_3_no_more_attack_cards_than_the_defender_held_when_the_bout_began() -> None:
    state = position(TWO, {0: "6C 6D 6S 9S", 1: "8C 8D"}, 0)
    assert look(TWO, state)["room"] == 2
    state = played(TWO, state, "0: attack 6C", "1: beat 6C 8C", "0: throw 6D", "1: beat 6D 8D")
    assert state.to_move == NOBODY


def test_3_after_take_each_entitled_player_is_asked_until_that_player_passes() -> None:
    state = position(THREE, {0: "7C 7D 8C", 1: "6C 6D 6S 8S", 2: "7S 9C"}, 0)
    state = played(THREE, state, "0: attack 7C", "1: take")
    assert (state.to_move, texts(THREE, state), look(THREE, state)["taking"]) == (
        0,
        ["pass", "throw 7D"],
        True,
    )
    assert look(THREE, state)["question"] == "give"
    state = played(THREE, state, "0: throw 7D")
    assert (state.to_move, texts(THREE, state)) == (0, ["pass"])
    state = played(THREE, state, "0: pass")
    assert (state.to_move, texts(THREE, state)) == (2, ["pass", "throw 7S"])
    before = played(THREE, state, "2: throw 7S")
    state = played(THREE, before, "2: pass")
    assert hand(THREE, state, 1) == "6C 6D 6S 7C 7D 7S 8S"
    [taken, _] = THREE.events(before, 2, PASS, state)
    assert taken.public == {"type": "taken", "seat": 1, "cards": ["7C", "7D", "7S"]}


def test_3_throws_to_a_taking_defender_count_towards_the_limit() -> None:
    state = position(THREE, {0: "7C 7D 8C", 1: "6C 6D", 2: "7S 9C"}, 0)
    before = played(THREE, state, "0: attack 7C", "1: take")
    state = played(THREE, before, "0: throw 7D")
    assert (look(THREE, state)["attacker"], hand(THREE, state, 1)) == (2, "6C 6D 7C 7D")
    assert THREE.events(before, 0, cards("7D")[0], state)[0].public["cards"] == ["7C", "7D"]


def test_3_a_defender_at_the_limit_takes_at_once() -> None:
    state = position(THREE, {0: "7C 7D 8C", 1: "6C", 2: "7S 9C"}, 0)
    state = played(THREE, state, "0: attack 7C", "1: take")
    assert (look(THREE, state)["attacker"], hand(THREE, state, 1)) == (2, "6C 7C")


def test_3_the_defender_takes_all_cards_of_the_bout() -> None:
    state = position(TWO, {0: "7C TD 8C", 1: "TC 9S JS"}, 0)
    state = played(TWO, state, "0: attack 7C", "1: beat 7C TC", "0: throw TD", "1: take", "0: pass")
    assert hand(TWO, state, 1) == "7C 9S TC TD JS"
    assert look(TWO, state)["known"] == [[], ["7C", "TC", "TD"]]


def test_3_an_opening_batch_is_all_of_one_rank() -> None:
    state = position(BATCHES, {0: "7C 7D 7S 8C", 1: "TC 9S"}, 0)
    assert texts(BATCHES, state) == [
        *("attack 7C", "attack 7D", "attack 7S", "attack 8C"),
        *("attack 7C 7D", "attack 7C 7S", "attack 7D 7S"),
    ]
    assert refused(BATCHES, state, 0, "attack 7C 8C") == "an opening batch is all of one rank"
    assert (
        refused(BATCHES, state, 0, "attack 7C 7D 7S")
        == "at most 2 more attack cards may be played in this bout"
    )


def test_3_in_a_batch_thrown_in_each_rank_must_lie_in_the_bout_already() -> None:
    state = position(BATCHES, {0: "7C 7D TS 9D", 1: "TC 8S 9S AH"}, 0)
    state = played(BATCHES, state, "0: attack 7C", "1: beat 7C TC")
    assert texts(BATCHES, state) == ["pass", "throw 7D", "throw TS", "throw 7D TS"]
    assert refused(BATCHES, state, 0, "throw 7D 9D") == "9D has a rank that is not in this bout"


def test_3_the_defender_beats_a_batch_one_by_one_in_any_order() -> None:
    state = position(BATCHES, {0: "7C 7D 8S", 1: "TC 9D AS"}, 0)
    state = played(BATCHES, state, "0: attack 7C 7D")
    assert texts(BATCHES, state) == ["take", "beat 7C TC", "beat 7D 9D"]
    state = played(BATCHES, state, "1: beat 7D 9D")
    assert (state.to_move, texts(BATCHES, state)) == (1, ["take", "beat 7C TC"])
    assert look(BATCHES, state)["pairs"] == [["7C", None], ["7D", "9D"]]
    assert refused(BATCHES, state, 1, "beat 7D TC") == "7D is not an unbeaten attack card"
    assert played(BATCHES, state, "1: beat 7C TC").to_move == 0


def test_3_a_batch_may_be_given_to_a_defender_who_takes() -> None:
    state = position(BATCHES, {0: "7C 7D 7S 8S", 1: "TC 9D AS"}, 0)
    state = played(BATCHES, state, "0: attack 7C", "1: take", "0: throw 7D 7S")
    assert hand(BATCHES, state, 1) == "7C 7D 7S 9D TC AS"


# 4. Drawing and the exchange


def test_4_the_principal_attacker_draws_first_then_the_other_attackers_then_the_defender() -> None:
    hands = {3: "KS JS 7S 9D 8C QH", 0: "TS TD 8D 6D AH TC", 1: "QS 8S QC KD 7D 6C"}
    deck = deck_for(PAIRS, 2, hands, "9H", "AS AC AD KC")
    before = played(
        PAIRS,
        PAIRS.deal(2, 2, deck),
        *("3: attack 7S", "0: beat 7S TS", "3: pass", "1: throw 7D", "0: beat 7D TD", "3: pass"),
    )
    drawn = [
        event for event in PAIRS.events(before, 1, PASS, played(PAIRS, before, "1: pass")) if event.private
    ]
    assert [(event.public["seat"], event.private[event.public["seat"]]["cards"]) for event in drawn] == [
        (3, ["AS"]),
        (1, ["AC"]),
        (0, ["KC", "AD"]),
    ]


def test_4_drawing_stops_when_the_talon_is_empty_and_the_upturned_trump_is_drawn_last() -> None:
    state = position(TWO, {0: "7C 8C 9C TC JC 6D", 1: "QC 8D 9D TD JD QD"}, 0, talon="AS 9H", trump="H")
    before = played(TWO, state, "0: attack 7C", "1: beat 7C QC")
    state = played(TWO, before, "0: pass")
    assert (hand(TWO, state, 0)[-2:], hand(TWO, state, 1)[:5]) == ("AS", "8D 9D")
    assert look(TWO, state)["known"][1] == ["9H"]
    assert [event.public.get("trump_card") for event in TWO.events(before, 0, PASS, state)[1:3]] == [
        None,
        "9H",
    ]
    assert look(TWO, state)["trump_card"] is None


def test_4_a_player_with_six_or_more_cards_draws_none() -> None:
    state = position(TWO, {0: "7C 8C 9C TC JC QC 6D", 1: "6S 8D 9D TD JD QD"}, 0, talon="AS KS 9H")
    state = played(TWO, state, "0: attack 7C", "1: take", "0: pass")
    assert (look(TWO, state)["hand_sizes"], look(TWO, state)["talon"]) == ([6, 7], 3)


def test_4_after_an_exchange_on_turn_the_same_player_is_asked_again() -> None:
    before = TWO.deal(2, 1, deck_for(TWO, 1, {0: "6H 7C 8C 9C TC JC"}, "KH"))
    state = played(TWO, before, "0: exchange")
    assert (state.to_move, hand(TWO, state, 0)) == (0, "7C 8C 9C TC JC KH")
    assert "attack KH" in texts(TWO, state)
    assert "attack 6H" not in texts(TWO, state)
    assert (look(TWO, state)["trump_card"], look(TWO, state)["known"]) == ("6H", [["KH"], []])
    [event] = TWO.events(before, 0, EXCHANGE, state)
    assert event.public == {"type": "exchanged", "seat": 0, "given": "6H", "received": "KH", "from": None}
    assert TWO.free_moves(state, 0) == ()


@pytest.mark.parametrize(
    ("moves", "seat"),
    [
        (["0: attack 7C"], 0),
        (["0: attack 7C"], 1),
        (["0: attack 7C", "1: beat 7C TC"], 0),
        (["0: attack 7C", "1: beat 7C TC"], 1),
        (["0: attack 7C", "1: take"], 0),
        (["0: attack 7C", "1: take"], 1),
    ],
)
def test_4_an_exchange_is_possible_at_every_question_and_does_not_change_the_turn(
    moves: list[str], seat: int
) -> None:
    hands = {0: "7C 8C 9C 7D 8D", 1: "TC JC QC KC 9D"}
    hands[seat] += " 6H"
    before = played(TWO, TWO.deal(2, 1, deck_for(TWO, 1, hands, "KH")), *moves)
    state = played(TWO, before, f"{seat}: exchange")
    assert (state.to_move, state.question, state.table) == (before.to_move, before.question, before.table)
    if seat != before.to_move:
        assert state.legal == before.legal
    assert state.moves == before.moves + 1


def test_4_an_exchanged_trump_can_beat_at_once() -> None:
    state = TWO.deal(2, 1, deck_for(TWO, 1, {0: "QH 7C", 1: "6H 8C 8D 8S 9D 9S"}, "KH"))
    state = played(TWO, state, "0: attack QH")
    assert texts(TWO, state) == ["take"]
    assert texts(TWO, played(TWO, state, "1: exchange")) == ["take", "beat QH KH"]


def test_4_a_six_that_was_picked_up_gives_no_right() -> None:
    hands = {0: "6H 7C 8C 9C TC JC", 1: "6C 6D 7D 8D 9D TD"}
    state = TWO.deal(2, 1, deck_for(TWO, 1, hands, "KH"))
    state = played(TWO, state, "0: attack 6H", "1: take", "0: pass")
    assert refused(TWO, state, 1, "exchange") == "6H was picked up, which gives no right to exchange"
    # A player who takes back the own 6 has lost the right, too.
    state = played(TWO, state, "0: attack 7C")
    assert TWO.free_moves(state, 1) == ()


def test_4_a_defender_who_plays_the_six_and_takes_it_back_has_lost_the_right() -> None:
    hands = {0: "6C 6D 7C 8C 9C TC", 1: "6H 7D 8D 9D TD JD"}
    state = TWO.deal(2, 1, deck_for(TWO, 1, hands, "KH"))
    state = played(TWO, state, "0: attack 6C", "1: beat 6C 6H", "0: throw 6D", "1: take", "0: pass")
    assert "6H" in hand(TWO, state, 1)
    assert TWO.free_moves(state, 1) == ()


def test_4_a_six_shown_at_the_start_keeps_its_right() -> None:
    state = TWO.deal(1, 0, deck_for(TWO, 0, {1: "6H"}, "KH"))
    assert TWO.free_moves(state, 1) == (EXCHANGE,)


def test_4_no_exchange_when_the_six_itself_is_turned_up_or_the_talon_is_empty() -> None:
    state = TWO.deal(2, 1, deck_for(TWO, 1, {}, "6H"))
    assert refused(TWO, state, 0, "exchange") == "6H is not in your hand"
    state = position(TWO, {0: "6H 7H", 1: "8H 9H"}, 0)
    assert refused(TWO, state, 0, "exchange") == "the talon is empty"


def last_draw(talon: str, game: Durak = THREE, hands: dict[int, str] | None = None) -> DurakState:
    """Seat 0 attacks with three cards, 1 beats them all: 0 draws three, 2 none or one, then 1 the rest."""
    held = hands or {
        0: "7C 7D 7S 8C 9C TC",
        1: "JC JD JS QC QD QS",
        2: "8D 8S 9D 9S TD TS",
    }
    state = position(game, held, 0, talon=talon)
    return played(
        game,
        state,
        *("0: attack 7C", "1: beat 7C JC", "0: throw 7D", "1: beat 7D JD", "0: throw 7S", "1: beat 7S JS"),
        *("0: pass", "2: pass"),
    )


@pytest.mark.parametrize("six_is_where", ["6H AC AD AS KC KH", "AC AD AS 6H KC KH", "AC AD AS KC KD KH"])
def test_4_after_the_last_draw_all_who_drew_face_down_are_asked_but_the_holder_of_the_trump(
    six_is_where: str,
) -> None:
    elsewhere = {0: "7C 7D 7S 8C 9C TC", 1: "JC JD JS QC QD QS", 2: "8D 8S 9D 9S TD 6H"}
    state = last_draw(six_is_where, hands=None if "6H" in six_is_where else elsewhere)
    # Seat 1 drew the upturned king, and seat 2 drew nothing.
    assert (state.to_move, look(THREE, state)["question"], state.asking) == (0, "exchange", (0,))
    assert texts(THREE, state) == (["pass", "exchange"] if six_is_where.startswith("6H") else ["pass"])


def test_4_after_the_last_draw_the_six_is_exchanged_with_the_holder_of_the_trump() -> None:
    before = last_draw("6H AC AD AS KC KH")
    state = played(THREE, before, "0: exchange")
    assert ("KH" in hand(THREE, state, 0), "6H" in hand(THREE, state, 1)) == (True, True)
    exchanged, bout = THREE.events(before, 0, EXCHANGE, state)
    assert exchanged.public == {"type": "exchanged", "seat": 0, "given": "6H", "received": "KH", "from": 1}
    assert (bout.public["attacker"], state.to_move) == (1, 1)
    assert look(THREE, state)["known"] == [["KH"], ["6H"], []]


def test_4_after_an_exchange_nobody_else_is_asked() -> None:
    hands = {0: "7C 7D 8C 9C TC QH", 1: "JC JD JS QC QD QS", 2: "7S 8S 9D 9S TD TS"}
    game = THREE
    state = position(game, hands, 0, talon="6H AC AD AS KC KH")
    state = played(
        game,
        state,
        *("0: attack 7C", "1: beat 7C JC", "0: throw 7D", "1: beat 7D JD", "0: pass", "2: throw 7S"),
        *("1: beat 7S JS", "0: pass", "2: pass"),
    )
    assert (state.to_move, state.asking) == (0, (0, 2))
    assert played(game, state, "0: exchange").question == 0
    assert played(game, state, "0: pass").to_move == 2
    assert texts(game, played(game, state, "0: pass")) == ["pass"]
    assert played(game, state, "0: pass", "2: pass").to_move == 1


def test_4_a_six_held_before_the_last_draw_gives_no_right_after_it() -> None:
    hands = {0: "7C 7D 7S 8C 9C 6H", 1: "JC JD JS QC QD QS", 2: "8D 8S 9D 9S TD TS"}
    state = last_draw("AH AC AD AS KC KH", hands=hands)
    assert (state.to_move, texts(THREE, state)) == (0, ["pass"])
    assert refused(THREE, state, 0, "exchange") == "6H is not among the cards that you have just drawn"
    assert refused(THREE, state, 1, "pass") == "it is the turn of seat 0"


def test_4_nobody_is_asked_about_a_six_that_has_lain_face_up() -> None:
    state = last_draw("KH AC AD AS KC 6H")
    assert look(THREE, state)["question"] == "attack"
    hands = {0: "7C 7D 7S 8C 9C TC", 1: "JC JD JS QC 6H QS", 2: "8D 8S 9D 9S TD TS"}
    state = position(THREE, hands, 0, talon="AH AC AD AS KC KH")
    state = played(
        THREE,
        state,
        *("0: attack 7C", "1: beat 7C 6H", "0: throw 7D", "1: beat 7D JD", "0: throw 7S", "1: beat 7S JS"),
        *("0: pass", "2: pass"),
    )
    assert look(THREE, state)["question"] == "attack"


def test_4_nobody_is_asked_when_only_the_upturned_trump_was_drawn_or_one_player_drew_all() -> None:
    for talon in ("KH", "6H KH"):
        state = position(TWO, {0: "7C 8C 9C TC", 1: "JC JD JS QC QD QS AS"}, 0, talon=talon)
        state = played(TWO, state, "0: attack 7C", "1: take", "0: pass")
        assert look(TWO, state)["question"] == "attack"


@pytest.mark.parametrize("viewer", [None, 0, 1, 2])
def test_4_after_the_last_draw_nothing_shows_who_holds_the_six(viewer: int | None) -> None:
    hands = {0: "7C 7D 8C 9C TC QH", 1: "JC JD JS QC QD QS", 2: "7S 8S 9D 9S TD TS"}
    talon = ["6H", "AC", "AD", "AS", "KC", "KH"]
    seen = []
    for place in range(5):
        order = [*talon[1 : place + 1], "6H", *talon[place + 1 :]]
        state = position(THREE, hands, 0, talon=" ".join(order))
        state = played(
            THREE,
            state,
            *("0: attack 7C", "1: beat 7C JC", "0: throw 7D", "1: beat 7D JD", "0: pass", "2: throw 7S"),
            *("1: beat 7S JS", "0: pass", "2: pass"),
        )
        for answer in ("0: pass", "2: pass"):
            has_the_six = viewer is not None and "6H" in look(THREE, state, viewer)["hand"]
            own_questions = [] if viewer != state.to_move else texts(THREE, state)
            assert own_questions in ([], ["pass"], ["pass", "exchange"])
            assert ("exchange" in own_questions) == (has_the_six and viewer == state.to_move)
            seen.append((place, {**look(THREE, state, viewer), "hand": None}))
            state = played(THREE, state, answer)
    assert all(sight == seen[place % 2][1] for place, (_, sight) in enumerate(seen))


def test_4_a_deal_that_has_ended_asks_nobody() -> None:
    state = position(TWO, {0: "7C", 1: "JC"}, 0, talon="")
    assert played(TWO, state, "0: attack 7C", "1: beat 7C JC").to_move == NOBODY


# 5. The next bout


@pytest.mark.parametrize(
    ("game", "hands", "attacker", "taken", "bout"),
    [
        (FOUR, {0: "7C 8C", 1: "9C 9S", 2: "6D 7D", 3: "8D 9D"}, 0, False, (1, 2)),
        (FOUR, {0: "7C 8C", 1: "9C 9S", 2: "6D 7D", 3: "8D 9D"}, 0, True, (2, 3)),
        (FOUR, {0: "7C 8C", 1: "9C 9S", 3: "8D 9D"}, 0, False, (1, 3)),
        (FOUR, {0: "7C 8C", 1: "9C 9S", 3: "8D 9D"}, 0, True, (3, 0)),
        (FOUR, {0: "7C 8C", 1: "9C", 2: "6D 7D", 3: "8D 9D"}, 0, False, (2, 3)),
        (FOUR, {0: "7C", 1: "9C 9S", 2: "6D 7D"}, 0, False, (1, 2)),
        (FOUR, {0: "7C", 1: "9C 9S", 2: "6D 7D"}, 0, True, (2, 1)),
        (TWO, {0: "7C 8C", 1: "9C 9S"}, 0, True, (0, 1)),
        (PAIRS, {0: "7C 8C", 1: "9C 9S", 2: "6D 7D", 3: "8D 9D"}, 0, False, (1, 2)),
        (PAIRS, {0: "7C 8C", 1: "9C 9S", 2: "6D 7D", 3: "8D 9D"}, 0, True, (2, 3)),
        # The partner takes the turns of the player who is out.
        (PAIRS, {0: "7C 8C", 1: "9C 9S", 3: "8D 9D"}, 0, False, (1, 0)),
        (PAIRS, {0: "7C 8C", 1: "9C 9S", 3: "8D 9D"}, 0, True, (0, 3)),
        (PAIRS, {0: "7C 8C", 1: "9C 9S", 2: "6D 7D"}, 0, True, (2, 1)),
        # A defender who beats off the attack with the last card leaves the next one to the partner.
        (PAIRS, {0: "7C 8C", 1: "9C", 2: "6D 7D", 3: "8D 9D"}, 0, False, (3, 2)),
        # Three against three: turns alternate, and inside a team pass clockwise.
        (TRIOS, SIX_HANDS | {1: "8C 9S", 3: "9C 8S", 5: "6H 7H"}, 0, False, (1, 2)),
        (TRIOS, {0: "7C 8C", 1: "9C 9S", 3: "8D 9D", 4: "6S 7S", 5: "8S TS"}, 0, False, (1, 4)),
        (TRIOS, {0: "7C 8C", 1: "9C 9S", 4: "6S 7S", 5: "8S TS"}, 0, True, (4, 5)),
        (TRIOS, {0: "7C 8C", 1: "9C", 4: "6S 7S", 5: "8S TS"}, 0, False, (5, 4)),
    ],
)
def test_5_who_attacks_whom_next(
    game: Durak, hands: dict[int, str], attacker: int, taken: bool, bout: tuple[int, int]
) -> None:
    state = position(game, hands, attacker)
    first = f"attack {hands[attacker].split()[-2 if len(hands[attacker]) > 2 else 0]}"
    state = played(game, state, f"{attacker}: {first}")
    own = [text for text in texts(game, state) if text != "take"]
    state = played(game, state, f"{state.to_move}: {'take' if taken else own[0]}")
    while state.question in (1, 3) and state.to_move != NOBODY:
        state = played(game, state, f"{state.to_move}: pass")
    seen = look(game, state)
    assert (seen["attacker"], seen["defender"]) == bout


# 6. The end of the deal


def ended(game: Durak, hands: dict[int, str], *moves: str, dealer: int = 0) -> DurakState:
    state = played(game, position(game, hands, 0, dealer=dealer), *moves)
    assert (state.to_move, state.legal) == (NOBODY, ())
    return state


def test_6_the_last_player_with_cards_has_lost_and_deals_next() -> None:
    state = ended(THREE, {0: "7C", 1: "6C 9S"}, "0: attack 7C", "1: take")
    assert (THREE.returns(state), THREE.next_dealer(state)) == ((0, -1, 0), 1)
    assert look(THREE, state)["out"] == [0, 2]


def test_6_if_nobody_holds_cards_the_deal_is_a_draw_and_the_same_dealer_deals() -> None:
    state = ended(THREE, {0: "7C", 1: "9C"}, "0: attack 7C", "1: beat 7C 9C", dealer=2)
    assert (THREE.returns(state), THREE.next_dealer(state)) == ((0, 0, 0), 2)


def test_6_the_deal_does_not_end_during_a_bout() -> None:
    state = position(TWO, {0: "7C", 1: "9C 9S"}, 0)
    assert played(TWO, state, "0: attack 7C").to_move == 1


@pytest.mark.parametrize(("dealer", "following"), [(0, 1), (1, 3), (2, 3), (3, 1)])
def test_6_all_members_of_a_losing_team_lose_and_the_first_after_the_dealer_deals(
    dealer: int, following: int
) -> None:
    hands = {0: "7C", 1: "6C 9S", 3: "8S"}
    state = ended(PAIRS, hands, "0: attack 7C", "1: take", dealer=dealer)
    assert (PAIRS.returns(state), PAIRS.next_dealer(state)) == ((0, -1, 0, -1), following)


def test_6_a_team_is_out_when_all_its_members_are() -> None:
    state = position(PAIRS, {0: "7C", 1: "6C 9S", 2: "8S"}, 0)
    assert played(PAIRS, state, "0: attack 7C", "1: take", "2: pass").to_move == 2


def test_6_at_the_turn_limit_the_deal_is_a_draw() -> None:
    game = Durak.table(2, {"turn_limit": 50})
    state = game.deal(2, 1, PACK)
    for _ in range(50):
        assert state.to_move != NOBODY
        state = game.play(state, state.to_move, game.safe_move(state))
    assert (state.to_move, look(game, state)["moves_made"], look(game, state)["question"]) == (
        NOBODY,
        50,
        None,
    )
    assert (game.returns(state), game.next_dealer(state)) == ((0, 0), 1)


def test_6_a_deal_that_ends_with_the_last_move_of_the_limit_has_a_result() -> None:
    game = Durak.table(2, {"turn_limit": 50})
    state = position(game, {0: "7C", 1: "6C 9S"}, 0)._replace(moves=48)
    state = played(game, state, "0: attack 7C", "1: take")
    assert (state.moves, game.returns(state)) == (50, (0, -1))


def test_6_an_exchange_counts_towards_the_turn_limit_and_may_end_the_deal() -> None:
    game = Durak.table(2, {"turn_limit": 50})
    state = game.deal(2, 1, deck_for(game, 1, {1: "6H"}, "KH"))._replace(moves=49)
    assert played(game, state, "1: exchange").to_move == NOBODY


# 7. The moves as text


@pytest.mark.parametrize(
    "text",
    [
        *(
            "",
            " ",
            "attack",
            "attack  7C",
            "Attack 7C",
            "attack 7c",
            "attack 10C",
            "attack 7C ",
            " pass",
            "pass 7C",
        ),
        *(
            "attack 5C",
            "beat 7C",
            "beat 7C 7C",
            "beat 7C 8C 9C",
            "attack 7C 7D",
            "throw 7C 7C",
            "deal 6C",
            "resign",
        ),
    ],
)
def test_7_a_malformed_move_is_distinguished_from_an_illegal_one(text: str) -> None:
    state = position(TWO, {0: "7C 7D", 1: "9C 9S"}, 0)
    with pytest.raises(NotAMove):
        TWO.parse(state, 0, text)


@pytest.mark.parametrize("text", ["attack 7D 7C", "attack 7C 7C", "attack 6C 7C 8C 9C TC JC QC"])
def test_7_a_batch_has_exactly_one_text(text: str) -> None:
    state = position(BATCHES, {0: "7C 7D", 1: "9C 9S"}, 0)
    with pytest.raises(NotAMove):
        BATCHES.parse(state, 0, text)


def test_7_a_refusal_gives_its_reason() -> None:
    state = position(TWO, {0: "7C 7D 8D", 1: "9C 9S KD"}, 0)
    assert refused(TWO, state, 0, "attack 9C") == "9C is not in your hand"
    assert refused(TWO, state, 1, "attack 9C") == "it is the turn of seat 0"
    assert refused(TWO, state, 0, "take") == "you are asked for `attack`"
    state = played(TWO, state, "0: attack 7C")
    assert refused(TWO, state, 1, "beat 8D 9C") == "8D is not an unbeaten attack card"
    assert refused(TWO, state, 1, "pass") == "you are asked for `beat` or `take`"
    over = ended(TWO, {0: "7C", 1: "9C"}, "0: attack 7C", "1: beat 7C 9C")
    assert refused(TWO, over, 0, "pass") == "the deal is over"


def test_7_an_illegal_number_is_refused_too() -> None:
    state = position(TWO, {0: "7C 7D", 1: "9C 9S"}, 0)
    for seat, move in ((0, PASS), (0, -1), (0, 999), (1, state.legal[0]), (1, EXCHANGE), (0, EXCHANGE)):
        with pytest.raises(IllegalMove):
            TWO.play(state, seat, move)


@pytest.mark.parametrize(
    ("moves", "safe"),
    [
        ([], "attack 7D"),
        (["0: attack 7D"], "take"),
        (["0: attack 7D", "1: beat 7D 9D"], "pass"),
        (["0: attack 7D", "1: take"], "pass"),
    ],
)
def test_7_the_safe_move_passes_takes_or_attacks_with_the_lowest_non_trump(
    moves: list[str], safe: str
) -> None:
    state = played(TWO, position(TWO, {0: "6H 7D 8C", 1: "9D 9S"}, 0), *moves)
    assert TWO.text(state, TWO.safe_move(state)) == safe


# 8. What is seen


def test_8_a_seat_sees_its_hand_and_the_publicly_known_cards_of_others() -> None:
    state = position(TWO, {0: "7C TD 8C", 1: "TC 9S JS"}, 0, talon="AH KH")
    state = played(TWO, state, "0: attack 7C", "1: beat 7C TC", "0: throw TD")
    assert look(TWO, state, 1) == {
        "seat": 1,
        "to_move": 1,
        "question": "defend",
        "hand": ["9S", "JS"],
        "hand_sizes": [1, 2],
        "trump": "H",
        "trump_card": "KH",
        "talon": 2,
        "discard": 36 - 8,
        "attacker": 0,
        "defender": 1,
        "entitled": [0],
        "pairs": [["7C", "TC"], ["TD", None]],
        "taking": False,
        "room": 1,
        "known": [[], []],
        "out": [],
        "teams": None,
        "moves_made": 3,
        "turn_limit": 1000,
    }


def test_8_a_card_that_was_taken_is_known_until_it_is_played() -> None:
    state = position(TWO, {0: "7C 7D 8C 8S", 1: "6C 9S JS"}, 0)
    state = played(TWO, state, "0: attack 7C", "1: take", "0: throw 7D", "0: pass")
    assert look(TWO, state)["known"] == [[], ["7C", "7D"]]
    state = played(TWO, state, "0: attack 8S", "1: beat 8S 9S", "0: pass", "1: attack 7C")
    assert look(TWO, state)["known"] == [[], ["7D"]]


def test_8_teams_are_listed() -> None:
    assert look(TRIOS, position(TRIOS, SIX_HANDS, 0))["teams"] == [[0, 2, 4], [1, 3, 5]]


# The four examples of the source: North 0, East 1, South 2, West 3; hearts are trumps and West attacks North.

WEST, EAST = "KS JS 7S 9D 8C QH", "QS 8S QC KD 7D 6C"


def example(hands: dict[int, str], turned_up: str = "9H", talon: str = "") -> DurakState:
    state = PAIRS.deal(2, 2, deck_for(PAIRS, 2, hands, turned_up, talon))
    assert (look(PAIRS, state)["attacker"], look(PAIRS, state)["defender"]) == (3, 0)
    return state


def test_example_1_two_sevens_are_beaten_by_two_tens() -> None:
    state = example({3: WEST, 0: "TS TD 8D 6D AH TC", 1: EAST}, talon="AS AC AD KC")
    state = played(PAIRS, state, "3: attack 7S", "0: beat 7S TS", "3: pass", "1: throw 7D", "0: beat 7D TD")
    assert texts(PAIRS, state) == ["pass"]
    state = played(PAIRS, state, "3: pass")
    assert texts(PAIRS, state) == ["pass"]
    state = played(PAIRS, state, "1: pass")
    seen = look(PAIRS, state)
    assert (seen["discard"], seen["talon"], seen["hand_sizes"]) == (4, 12 - 4, [6, 6, 6, 6])
    assert ("AS" in hand(PAIRS, state, 3), "AC" in hand(PAIRS, state, 1)) == (True, True)
    assert (seen["attacker"], seen["defender"]) == (0, 1)


def test_example_2_north_cannot_beat_and_takes_the_other_seven_too() -> None:
    state = example({3: WEST, 0: "AC TC 8D 6D AD 9C", 1: EAST}, talon="AS AH")
    state = played(PAIRS, state, "3: attack 7S")
    assert texts(PAIRS, state) == ["take"]
    state = played(PAIRS, state, "0: take", "3: pass", "1: throw 7D", "1: pass")
    assert hand(PAIRS, state, 0) == "6D 7D 7S 8D 9C TC AC AD"
    assert ("AS" in hand(PAIRS, state, 3), "AH" in hand(PAIRS, state, 1)) == (True, True)
    assert (look(PAIRS, state)["attacker"], look(PAIRS, state)["defender"]) == (1, 2)


@pytest.mark.parametrize("sixth", ["3: throw KS", "3: throw KC", "3: throw 7H", "1: throw 9D", "1: throw 9C"])
def test_example_3_six_attack_cards_are_beaten_whichever_comes_last(sixth: str) -> None:
    hands = {3: "KS JS 7S KC 7H JD", 0: "QS TS JC JH 9H KD", 1: "9D 7D 6C AC 9C 7C"}
    state = played(
        PAIRS,
        example(hands, turned_up="6H"),
        *("3: attack 7S", "0: beat 7S TS", "3: pass", "1: throw 7C", "0: beat 7C JC"),
        *(
            "3: pass",
            "1: throw 7D",
            "0: beat 7D KD",
            "3: throw JS",
            "0: beat JS QS",
            "3: throw JD",
            "0: beat JD 9H",
        ),
    )
    assert look(PAIRS, state)["room"] == 1
    assert texts(PAIRS, state) == ["pass", "throw 7H", "throw KC", "throw KS"]
    west_passed = played(PAIRS, state, "3: pass")
    assert texts(PAIRS, west_passed) == ["pass", "throw 9C", "throw 9D"]
    state = played(PAIRS, state if sixth.startswith("3") else west_passed, sixth)
    state = played(PAIRS, state, f"0: beat {sixth[-2:]} JH")
    seen = look(PAIRS, state)
    assert (seen["discard"], seen["talon"], seen["hand_sizes"]) == (12, 0, [6, 6, 6, 6])
    assert (seen["attacker"], seen["defender"], seen["question"]) == (0, 1, "attack")


def test_example_4_north_takes_although_able_to_beat_and_gets_nothing_more() -> None:
    hands = {3: "AS QS JS KC KD AD", 0: "KS 9S 8S 7H TC 9D", 1: "7S 6S 7D JD 8C 7C"}
    state = played(PAIRS, example(hands), "3: attack JS", "0: beat JS KS", "3: throw KC")
    assert "beat KC 7H" in texts(PAIRS, state)
    state = played(PAIRS, state, "0: take")
    assert texts(PAIRS, state) == ["pass", "throw KD"]
    state = played(PAIRS, state, "3: pass")
    assert texts(PAIRS, state) == ["pass", "throw JD"]
    state = played(PAIRS, state, "1: pass")
    seen = look(PAIRS, state)
    assert (seen["known"][0], seen["hand_sizes"]) == (["JS", "KC", "KS"], [8, 6, 6, 6])
    assert (seen["talon"], seen["attacker"], seen["defender"]) == (12 - 2, 1, 2)


# No card is ever lost


def test_4_a_six_that_was_drawn_and_exchanged_is_drawn_again_as_the_last_card() -> None:
    """Compare the discard heap of the observation with the cards that the bouts have discarded."""
    rng, exchanged = random.Random(4), 0
    for seats in (2, 3, 4):
        game = Durak.table(seats, {})
        for _ in range(60):
            deck = list(game.pack)
            rng.shuffle(deck)
            state, discarded = game.deal(2, 0, deck), 0
            while state.to_move != NOBODY:
                free = [seat for seat in range(seats) if game.free_moves(state, seat)]
                seat = free[0] if free else state.to_move
                moves = game.free_moves(state, seat) if free else state.legal
                move = rng.choice(moves)
                after = game.play(state, seat, move)
                for event in game.events(state, seat, move, after):
                    if event.public["type"] == "beaten_off":
                        discarded += event.public["count"]
                assert game.observe(after, None)["discard"] == discarded
                exchanged += bool(free)
                state = after
    assert exchanged > 5

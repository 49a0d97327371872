"""King, sentence by sentence. The numbers are those of the sections in `engine/games/king.py`."""

from __future__ import annotations

import random
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from engine.cards import CARD_TEXT
from engine.game import NOBODY, BadTable, IllegalMove, NotAMove
from engine.games.king import CONTRACTS, PACK, King, KingState, points_of
from engine.match import Match
from tests.engine.dealing import cards, played, texts

GAME = King.table(4, {})
BY_TWOS = (2, 2, 2, 2)
WITH_DECLARATION = (3, 2, 2, 1)
DECLARED_DEALS = (8, 9, 10, 11)
OTHER_DEALS = (1, 2, 3, 4, 5, 6, 7, 12)


def deck_of(number: int, dealer: int, hands: Mapping[int, str]) -> list[int]:
    """Return a deck that gives these cards to these seats in this order. The other cards follow in ascending order."""
    wanted = {seat: cards(text) for seat, text in hands.items()}
    rest = [card for card in PACK if all(card not in hand for hand in wanted.values())]
    full = {seat: wanted.get(seat, []) for seat in range(4)}
    for hand in full.values():
        hand += [rest.pop(0) for _ in range(8 - len(hand))]
    order = [(dealer + step) % 4 for step in (1, 2, 3, 4)]
    packets = WITH_DECLARATION if number in DECLARED_DEALS else BY_TWOS
    return [full[seat].pop(0) for packet in packets for seat in order for _ in range(packet)]


def dealt(number: int, hands: Mapping[int, str], dealer: int = 3) -> KingState:
    """Return the deal of this number with these hands. With dealer 3, seat 0 leads or declares."""
    return GAME.deal(number, dealer, deck_of(number, dealer, hands))


def hand(state: KingState, seat: int) -> str:
    return " ".join(GAME.observe(state, seat)["hand"])


def may_play(state: KingState) -> str:
    return " ".join(CARD_TEXT[card] for card in sorted(state.legal))


def refused(state: KingState, seat: int, text: str) -> str:
    with pytest.raises(IllegalMove) as caught:
        GAME.parse(state, seat, text)
    return str(caught.value)


def trick(state: KingState, *card_texts: str) -> KingState:
    """Return the state after these cards were played by the seats to move."""
    for text in " ".join(card_texts).split():
        state = GAME.play(state, state.to_move, GAME.parse(state, state.to_move, f"play {text}"))
    return state


def played_out(state: KingState, rng: random.Random) -> KingState:
    while state.to_move != NOBODY:
        state = GAME.play(state, state.to_move, rng.choice(state.legal))
    return state


def any_deal(number: int, rng: random.Random, dealer: int = 3) -> KingState:
    return GAME.deal(number, dealer, rng.sample(PACK, len(PACK)))


# A simple deal: every seat has one suit.
SUITS_APART = {
    0: "7C 8C 9C TC JC QC KC AC",
    1: "7D 8D 9D TD JD QD KD AD",
    2: "7H 8H 9H TH JH QH KH AH",
    3: "7S 8S 9S TS JS QS KS AS",
}

# 1. The table


def test_1_four_players_each_for_themselves() -> None:
    assert GAME.sides == (0, 1, 2, 3)


@pytest.mark.parametrize("seats", [2, 3, 5, 8, 0, -4, True, "4", 4.0, None])
def test_1_another_number_of_players_is_refused_with_the_expected_number(seats: Any) -> None:
    with pytest.raises(BadTable, match="4") as caught:
        King.table(seats, {})
    assert caught.value.field == "seats"


def test_1_the_pack_has_32_cards_from_the_seven() -> None:
    assert len(GAME.pack) == 32
    assert {CARD_TEXT[card][0] for card in GAME.pack} == set("789TJQKA")


def test_1_a_match_is_twelve_deals() -> None:
    assert Match(GAME).deals == 12


@pytest.mark.parametrize("deals", [1, 12, 24])
def test_1_any_number_of_deals_is_refused(deals: int) -> None:
    with pytest.raises(BadTable, match="12 deals"):
        Match(GAME, deals=deals)


@pytest.mark.parametrize("options", [{"trumps": "turned"}, {"turn_limit": 100}, {"": None}])
def test_1_there_are_no_options(options: dict[str, Any]) -> None:
    with pytest.raises(BadTable, match="none") as caught:
        King.table(4, options)
    assert caught.value.field in options
    assert GAME.options == {}


# 2. The twelve deals


@pytest.mark.parametrize(
    ("number", "name", "in_all"),
    [
        (1, "no_tricks", -16),
        (2, "no_hearts", -16),
        (3, "no_jacks", -16),
        (4, "no_queens", -16),
        (5, "no_last_two", -16),
        (6, "no_king_of_hearts", -16),
        (7, "negative_yeralash", -96),
        (8, "khvalenka", 24),
        (9, "khvalenka", 24),
        (10, "khvalenka", 24),
        (11, "khvalenka", 24),
        (12, "positive_yeralash", 96),
    ],
)
def test_2_each_deal_has_its_contract_and_its_sum(number: int, name: str, in_all: int) -> None:
    for seed in range(5):
        over = played_out(any_deal(number, random.Random(seed)), random.Random(seed))
        assert GAME.observe(over, None)["contract"] == name
        assert sum(GAME.returns(over)) == in_all


@pytest.mark.parametrize(
    ("number", "nth", "taken", "points"),
    [
        (1, 1, "7C 8C 9C TC", -2),
        (1, 8, "7H QH KH JH", -2),
        (2, 1, "7C 8C 9C TC", 0),
        (2, 1, "7H 8C KH AH", -6),
        (3, 1, "JC JH QD 7S", -8),
        (4, 1, "JC QH QD 7S", -8),
        (5, 6, "QH KH JC JD", 0),
        (5, 7, "QH KH JC JD", -8),
        (5, 8, "7C 8C 9C TC", -8),
        (6, 1, "KH AH QH JH", -16),
        (6, 8, "KC AH QH JH", 0),
        (7, 1, "7C 8C 9C TC", -2),
        (7, 1, "KH QH JH 7C", -2 - 6 - 16 - 4 - 4),
        (7, 8, "KH QH JH 7C", -2 - 6 - 16 - 4 - 4 - 8),
        (8, 8, "KH QH JH 7C", 3),
        (11, 1, "7C 8C 9C TC", 3),
        (12, 1, "KH QH JH 7C", 2 + 6 + 16 + 4 + 4),
        (12, 7, "7C 8C 9C TC", 2 + 8),
    ],
)
def test_2_a_trick_scores_by_the_contract(number: int, nth: int, taken: str, points: int) -> None:
    assert points_of(CONTRACTS[number - 1], nth, cards(taken)) == points


@pytest.mark.parametrize("number", [2, 7, 12])
def test_2_no_heart_is_led_while_the_leader_holds_another_suit(number: int) -> None:
    state = dealt(number, {0: "7H 8H 9H TH JH QH AH 7C"})
    assert may_play(state) == "7C"
    assert (
        refused(state, 0, "play 7H") == "you must not lead a heart in this deal while you hold another suit"
    )


@pytest.mark.parametrize("number", [2, 7, 12])
def test_2_a_leader_with_only_hearts_leads_a_heart(number: int) -> None:
    state = dealt(number, {0: SUITS_APART[2], 2: SUITS_APART[0]})
    assert may_play(state) == SUITS_APART[2]


@pytest.mark.parametrize("number", [1, 3, 4, 5, 6])
def test_2_in_the_other_deals_a_heart_may_be_led_at_once(number: int) -> None:
    state = dealt(number, {0: "7H 8H 9H TH JH QH AH 7C"})
    assert may_play(state) == "7C 7H 8H 9H TH JH QH AH"


def test_2_in_a_khvalenka_a_heart_may_be_led_at_once() -> None:
    state = played(GAME, dealt(8, {0: "7H 8H 9H TH JH QH AH 7C"}), "0: declare C")
    assert may_play(state) == "7C 7H 8H 9H TH JH QH AH"


@pytest.mark.parametrize("number", [6, 7, 12])
def test_2_a_player_who_cannot_follow_suit_must_play_the_king_of_hearts(number: int) -> None:
    state = trick(dealt(number, {0: SUITS_APART[0], 1: SUITS_APART[2]}), "7C")
    assert may_play(state) == "KH"
    assert refused(state, 1, "play AH") == "you cannot follow suit and hold KH, so you must play it"


@pytest.mark.parametrize("number", [1, 2, 3, 4, 5])
def test_2_in_the_other_deals_the_king_of_hearts_may_be_kept(number: int) -> None:
    state = trick(dealt(number, {0: SUITS_APART[0], 1: SUITS_APART[2]}), "7C")
    assert may_play(state) == SUITS_APART[2]


def test_2_in_a_khvalenka_the_king_of_hearts_may_be_kept() -> None:
    state = trick(played(GAME, dealt(8, {0: SUITS_APART[0], 1: SUITS_APART[2]}), "0: declare C"), "7C")
    assert may_play(state) == SUITS_APART[2]


# 3. The deal


@pytest.mark.parametrize("number", OTHER_DEALS)
def test_3_two_cards_at_a_time_are_dealt_from_the_dealers_left(number: int) -> None:
    state = GAME.deal(number, 1, PACK)
    assert hand(state, 2) == "7C 7D 9C 9D JC JD KC KD"
    assert hand(state, 3) == "7H 7S 9H 9S JH JS KH KS"
    assert hand(state, 0) == "8C 8D TC TD QC QD AC AD"
    assert hand(state, 1) == "8H 8S TH TS QH QS AH AS"


@pytest.mark.parametrize("number", DECLARED_DEALS)
def test_3_before_a_declaration_three_cards_are_dealt_to_each(number: int) -> None:
    state = GAME.deal(number, 1, PACK)
    assert [hand(state, seat) for seat in (2, 3, 0, 1)] == ["7C 7D 7H", "7S 8C 8D", "8H 8S 9C", "9D 9H 9S"]


@pytest.mark.parametrize("number", DECLARED_DEALS)
def test_3_after_the_declaration_packets_of_two_two_and_one_are_dealt(number: int) -> None:
    state = played(GAME, GAME.deal(number, 1, PACK), "2: declare D")
    assert hand(state, 2) == "7C 7D 7H TC TD QC QD AC"
    assert hand(state, 3) == "7S 8C 8D TH TS QH QS AD"
    assert hand(state, 0) == "8H 8S 9C JC JD KC KD AH"
    assert hand(state, 1) == "9D 9H 9S JH JS KH KS AS"


@pytest.mark.parametrize("number", [0, 13, -1])
def test_3_there_is_no_thirteenth_deal(number: int) -> None:
    with pytest.raises(BadTable):
        GAME.deal(number, 0, PACK)


# 4. The declaration


@pytest.mark.parametrize("number", DECLARED_DEALS)
@pytest.mark.parametrize("dealer", range(4))
def test_4_the_player_left_of_the_dealer_declares(number: int, dealer: int) -> None:
    state = GAME.deal(number, dealer, PACK)
    assert state.to_move == (dealer + 1) % 4
    assert GAME.observe(state, None)["question"] == "declare"
    assert sorted(texts(GAME, state)) == [
        "declare C",
        "declare D",
        "declare H",
        "declare S",
        "declare last",
        "declare miser",
    ]


@pytest.mark.parametrize("number", OTHER_DEALS)
def test_4_in_the_other_deals_nothing_is_declared(number: int) -> None:
    state = GAME.deal(number, 0, PACK)
    assert GAME.observe(state, None)["question"] == "play"
    assert refused(state, 1, "declare C") == "no declaration is due: play a card"


@pytest.mark.parametrize("suit", "CDHS")
def test_4_the_suit_declared_is_trump(suit: str) -> None:
    seen = GAME.observe(played(GAME, dealt(8, {}), f"0: declare {suit}"), None)
    assert (seen["trump"], seen["declared"], seen["miser"], seen["trump_card"]) == (suit, suit, False, None)


@pytest.mark.parametrize("last", ["AD", "7S", "KH", "TC"])
def test_4_last_makes_the_suit_of_the_declarers_eighth_card_trump_and_shows_it(last: str) -> None:
    held = [text for text in ("7C", "8C", "9C", "JC", "7D", "8D", "9H") if text != last]
    state = played(GAME, dealt(8, {0: " ".join([*held, last])}), "0: declare last")
    seen = GAME.observe(state, None)
    assert (seen["trump"], seen["declared"], seen["trump_card"]) == (last[1], "last", last)
    assert seen["known"] == [[last], [], [], []]


def test_4_a_miser_has_no_trumps_and_reversed_ranks() -> None:
    state = played(GAME, dealt(8, SUITS_APART), "0: declare miser")
    seen = GAME.observe(state, None)
    assert (seen["trump"], seen["declared"], seen["miser"]) == (None, "miser", True)


def test_4_in_a_miser_too_a_trick_taken_scores_three() -> None:
    over = played_out(played(GAME, dealt(8, {}), "0: declare miser"), random.Random(1))
    assert sum(GAME.returns(over)) == 24


def test_4_nobody_sees_more_than_three_cards_before_the_declaration() -> None:
    state = dealt(8, {})
    for seat in range(4):
        seen = GAME.observe(state, seat)
        assert len(seen["hand"]) == 3
        assert seen["hand_sizes"] == [3, 3, 3, 3]


def test_4_what_is_dealt_after_the_declaration_changes_nothing_before_it() -> None:
    deck = list(PACK)
    shuffled = [*deck[:12], *random.Random(3).sample(deck[12:], 20)]
    one, two = GAME.deal(8, 3, deck), GAME.deal(8, 3, shuffled)
    for seat in (0, 1, 2, 3, None):
        assert GAME.observe(one, seat) == GAME.observe(two, seat)
        assert [event.view(seat) for event in GAME.deal_events(one)] == [
            event.view(seat) for event in GAME.deal_events(two)
        ]


def test_4_a_card_is_not_played_before_the_declaration() -> None:
    reason = refused(dealt(8, SUITS_APART), 0, "play 7C")
    assert reason == "a declaration is due: C, D, H, S, last or miser"


def test_4_a_declaration_is_made_once() -> None:
    state = played(GAME, dealt(8, {}), "0: declare C")
    assert refused(state, 0, "declare D") == "no declaration is due: play a card"


# 5. The play


@pytest.mark.parametrize("number", OTHER_DEALS)
@pytest.mark.parametrize("dealer", range(4))
def test_5_the_player_left_of_the_dealer_leads(number: int, dealer: int) -> None:
    assert GAME.deal(number, dealer, PACK).to_move == (dealer + 1) % 4


def test_5_the_declarer_leads() -> None:
    assert played(GAME, GAME.deal(10, 1, PACK), "2: declare S").to_move == 2


def test_5_each_plays_in_turn_clockwise() -> None:
    state, asked = dealt(1, SUITS_APART, dealer=1), []
    for text in ("7H", "7S", "7C", "7D"):
        asked.append(state.to_move)
        state = trick(state, text)
    assert asked == [2, 3, 0, 1]


def test_5_the_suit_led_is_followed() -> None:
    state = trick(dealt(1, {0: "7C", 1: "8C AC KH 7H 9S TS JS QS"}), "7C")
    assert may_play(state) == "8C AC"
    assert refused(state, 1, "play KH") == "you must follow suit: clubs were led"


def test_5_without_the_suit_any_card_may_be_played() -> None:
    state = trick(dealt(1, {0: "7C", 1: "8D AD KH 7H 9S TS JS QS"}), "7C")
    assert may_play(state) == "7H 8D 9S TS JS QS KH AD"


def test_5_a_player_who_cannot_follow_suit_need_not_trump() -> None:
    state = trick(played(GAME, dealt(8, {0: "7C", 1: "8D AD KH 7H 9S TS JS QS"}), "0: declare S"), "7C")
    assert may_play(state) == "7H 8D 9S TS JS QS KH AD"


@pytest.mark.parametrize("number", [6, 7, 12])
def test_5_a_player_who_follows_suit_keeps_the_king_of_hearts(number: int) -> None:
    state = trick(dealt(number, {0: "7C", 1: "8C KH 7H 9S TS JS QS 8D"}), "7C")
    assert may_play(state) == "8C"


@pytest.mark.parametrize("number", [6, 7, 12])
def test_5_nobody_must_follow_with_the_king_of_hearts_while_holding_another_heart(number: int) -> None:
    hands = {0: "AC AD 8H 9H TH JH QH AH", 1: "8C 8D 7H KH", 2: "9C 9D", 3: "TC TD"}
    state = trick(dealt(number, hands), "AC 8C 9C TC AD 8D 9D TD 8H")
    assert may_play(state) == "7H KH"


@pytest.mark.parametrize("number", OTHER_DEALS)
def test_5_a_lone_king_of_hearts_must_follow_a_heart_lead(number: int) -> None:
    hands = {0: "AC 7H 8H 9H TH JH QH AH", 1: "8C KH", 2: "9C", 3: "TC"}
    state = trick(dealt(number, hands), "AC 8C 9C TC 7H")
    assert may_play(state) == "KH"
    assert refused(state, 1, "play 7D") == "you must follow suit: hearts were led"


def test_5_nobody_must_lead_the_king_of_hearts() -> None:
    state = dealt(6, {0: "KH 7H 7C 8C 9C TC JC QC"})
    assert may_play(state) == "7C 7H 8C 9C TC JC QC KH"


def test_5_a_card_outside_the_hand_is_refused() -> None:
    assert refused(dealt(1, SUITS_APART), 0, "play 7D") == "7D is not in your hand"


def test_5_a_player_who_is_not_on_turn_is_refused() -> None:
    assert refused(dealt(1, SUITS_APART), 1, "play 7D") == "it is the turn of seat 0"


# 6. The trick


@pytest.mark.parametrize(
    ("declared", "played_cards", "taker"),
    [
        (None, "7C 8C AC KC", 2),
        (None, "7C AD AH AS", 0),
        (None, "TC 9C AH JC", 3),
        ("C", "7D AD 7C KD", 2),
        ("C", "7D 8C 7C AD", 1),
        ("C", "7C AD AH AS", 0),
        ("S", "AD 7S KD TS", 3),
        ("miser", "8C AC 7C KC", 2),
        ("miser", "AC 7D 7H 7S", 0),
        ("miser", "QC KC AC JC", 3),
    ],
)
def test_6_the_highest_trump_or_else_the_highest_of_the_suit_led_takes_the_trick(
    declared: str | None, played_cards: str, taker: int
) -> None:
    first = played_cards.split()
    led = first[0][1]
    # A seat that does not follow suit must be void in it, so other suits fill the hands.
    held: dict[int, list[str]] = {seat: [text] for seat, text in enumerate(first)}
    followers = [seat for seat in range(4) if first[seat][1] == led]
    rest = [CARD_TEXT[card] for card in PACK if CARD_TEXT[card] not in first]
    for text in sorted(rest, key=lambda text: text[1] != led):
        seats = followers if text[1] == led else range(4)
        held[next(seat for seat in seats if len(held[seat]) < 8)].append(text)
    hands = {seat: " ".join(texts) for seat, texts in held.items()}
    state = dealt(8 if declared else 1, hands)
    state = played(GAME, state, f"0: declare {declared}") if declared else state
    state = trick(state, *first)
    assert state.to_move == taker
    assert GAME.observe(state, None)["tricks_taken"][taker] == 1


def test_6_the_taker_leads_the_next_trick() -> None:
    state = trick(dealt(1, {0: "7C", 1: "8C", 2: "AC", 3: "9C"}), "7C", "8C", "AC", "9C")
    assert (state.to_move, GAME.observe(state, None)["trick"]) == (2, [])


@pytest.mark.parametrize("number", range(1, 13))
def test_6_all_eight_tricks_are_played(number: int) -> None:
    over = played_out(any_deal(number, random.Random(number)), random.Random(number))
    seen = GAME.observe(over, None)
    assert sum(seen["tricks_taken"]) == 8
    assert seen["hand_sizes"] == [0, 0, 0, 0]


def test_6_tricks_that_cannot_score_are_played_too() -> None:
    state = dealt(6, {0: "AH 7C", 1: "KH 8C", 2: "7H", 3: "8H"})
    state = trick(state, "AH", "KH", "7H", "8H")
    assert GAME.cut_short(state, ()) == (-16, 0, 0, 0)
    assert state.to_move == 0


# 7. The scores

SCORE_TABLE = (
    (-2, -6, -8, 0),
    (-8, 0, -4, -4),
    (-4, -4, -8, 0),
    (0, -8, -8, 0),
    (-8, 0, 0, -8),
    (0, -16, 0, 0),
    (-24, -16, -28, -28),
    (3, 6, 0, 15),
    (0, 12, 3, 9),
    (6, 3, 3, 12),
    (9, 9, 0, 6),
    (56, 16, 16, 8),
)
"""The example of the source. It prints +3 for the first player in the third khvalenka, but its sum needs +6."""


def test_7_the_score_table_of_the_source_is_a_match_that_can_be_played() -> None:
    match = Match(GAME, dealer=0)
    before: tuple[int, ...] = (0, 0, 0, 0)
    state = match.begin()
    for line in (Path(__file__).parent / "king_score_table.txt").read_text().splitlines():
        verb, _, rest = line.partition(" ")
        if verb == "deal":
            state = match.deal(state, cards(rest))
        elif verb == "play":
            for card in rest.split():
                state = match.play(state, state.to_move, match.parse(state, state.to_move, f"play {card}"))
        elif verb == "declare":
            state = match.play(state, state.to_move, match.parse(state, state.to_move, line))
        elif not verb and before != state.scores:
            number = state.number - 1
            row = tuple(new - old for new, old in zip(state.scores, before, strict=True))
            assert row == SCORE_TABLE[number - 1]
            before = state.scores
    assert state.over
    assert tuple(new - old for new, old in zip(state.scores, before, strict=True)) == SCORE_TABLE[11]
    assert state.scores == (28, -4, -34, 10)


def test_7_the_scores_of_a_match_sum_to_zero() -> None:
    rng = random.Random(7)
    match = Match(GAME, dealer=2)
    state = match.begin()
    while not state.over:
        if state.deal is None:
            state = match.deal(state, rng.sample(PACK, len(PACK)))
        else:
            state = match.play(state, state.to_move, rng.choice(state.deal.legal))
    assert sum(state.scores) == 0


def test_7_a_deal_broken_off_scores_the_tricks_taken_so_far() -> None:
    state = trick(dealt(1, SUITS_APART), "7C", "7D", "7H", "7S", "8C", "8D")
    assert GAME.cut_short(state, [1, 2]) == (-2, 0, 0, 0)


def test_7_a_deal_broken_off_before_the_first_trick_scores_nothing() -> None:
    assert GAME.cut_short(dealt(8, {}), [0]) == (0, 0, 0, 0)


# 8. The next deal


@pytest.mark.parametrize(("dealer", "after"), [(0, 1), (1, 2), (2, 3), (3, 0)])
def test_8_the_next_seat_clockwise_deals(dealer: int, after: int) -> None:
    over = played_out(any_deal(1, random.Random(0), dealer), random.Random(0))
    assert GAME.next_dealer(over) == after


# 9. The moves as text


@pytest.mark.parametrize(
    "text",
    ["", "play", "play 6H", "play 7h", "play  7H", " play 7H", "play 7H 8H", "lead 7H", "declare", "declare c",
     "declare LAST", "declare clubs", "exchange", "play 10H", "7H", "play 7H\n"],
)  # fmt: skip
def test_9_any_other_text_is_not_a_move(text: str) -> None:
    with pytest.raises(NotAMove, match="play TH"):
        GAME.parse(dealt(1, {}), 0, text)


def test_9_the_safe_declaration_is_last() -> None:
    state = dealt(9, {})
    assert GAME.text(state, GAME.safe_move(state)) == "declare last"


@pytest.mark.parametrize(
    ("hands", "led", "safe"),
    [
        ({0: "9S 8S 8H AC"}, [], "play 8H"),
        ({0: "7C", 1: "AC KC 7D 7S 8D 8S 9D 9S"}, ["7C"], "play KC"),
        ({0: "7C", 1: "7S 7D 7H 8D 8S 9D 9S TD"}, ["7C"], "play 7D"),
    ],
)
def test_9_the_safe_card_is_the_lowest_legal_one(hands: dict[int, str], led: list[str], safe: str) -> None:
    filled = {0: hands[0] + " AS KS QS JS", **{seat: text for seat, text in hands.items() if seat}}
    state = trick(dealt(1, filled if not led else hands), *led)
    assert GAME.text(state, GAME.safe_move(state)) == safe


def test_9_in_a_miser_the_safe_card_is_the_lowest_by_printed_rank() -> None:
    state = played(GAME, dealt(8, SUITS_APART), "0: declare miser")
    assert GAME.text(state, GAME.safe_move(state)) == "play 7C"


def test_9_after_the_deal_every_card_is_refused() -> None:
    over = played_out(dealt(1, {}), random.Random(0))
    assert refused(over, 0, "play 7C") == "the deal is over"


# 10. What is seen


def test_10_the_tricks_are_open_to_all() -> None:
    state = trick(dealt(2, {0: "7C", 1: "8C", 2: "AC", 3: "9C"}), "7C", "8C", "AC", "9C")
    lead = CARD_TEXT[state.legal[0]]
    for seat in (0, 1, 2, 3, None):
        seen = GAME.observe(trick(state, lead), seat)
        assert seen["trick"] == [[2, lead]]
        assert seen["last_trick"] == [[0, "7C"], [1, "8C"], [2, "AC"], [3, "9C"]]
        assert seen["tricks_taken"] == [0, 0, 1, 0]
        assert seen["taken"] == [[], [], ["7C", "8C", "AC", "9C"], []]
        assert seen["hand_sizes"] == [7, 7, 6, 7]


def test_10_the_points_of_the_deal_so_far_are_open_to_all() -> None:
    state = trick(dealt(7, SUITS_APART), "7C", "7D", "KH", "7S")
    assert GAME.observe(state, None)["deal_scores"] == [-2 - 2 - 16, 0, 0, 0]


def test_10_the_card_shown_is_known_until_it_is_played() -> None:
    state = played(GAME, dealt(8, SUITS_APART), "0: declare last")
    assert GAME.observe(state, 2)["known"] == [["AC"], [], [], []]
    after = GAME.observe(trick(state, "AC"), 2)
    assert (after["known"], after["trump_card"]) == ([[], [], [], []], "AC")


def test_10_a_spectator_has_no_hand() -> None:
    seen = GAME.observe(dealt(1, SUITS_APART), None)
    assert (seen["seat"], seen["hand"]) == (None, [])


def test_10_after_the_deal_nobody_is_asked() -> None:
    over = played_out(dealt(1, {}), random.Random(0))
    seen = GAME.observe(over, 0)
    assert (seen["to_move"], seen["question"], seen["trick"]) == (None, None, [])


def test_10_the_events_of_a_declaration_and_of_a_trick() -> None:
    before = dealt(8, SUITS_APART)
    assert GAME.deal_events(before)[0].view(1) == {
        "type": "dealt",
        "contract": "khvalenka",
        "hand_sizes": [3, 3, 3, 3],
        "hand": ["7D", "8D", "9D"],
    }
    after = played(GAME, before, "0: declare last")
    seen = [event.view(None) for event in GAME.events(before, 0, before.legal[4], after)]
    assert seen == [
        {"type": "dealt", "contract": "khvalenka", "hand_sizes": [8, 8, 8, 8]},
        {"type": "declared", "seat": 0, "declared": "last", "trump": "C", "trump_card": "AC", "miser": False},
    ]
    three = trick(after, "7C", "7D", "7H")
    [over] = GAME.events(three, 3, cards("7S")[0], trick(three, "7S"))
    assert over.public == {"type": "trick_over", "seat": 0, "cards": ["7C", "7D", "7H", "7S"], "points": 3}

"""King, sentence by sentence. The numbers are those of the sections in `engine/games/king.py`."""

from __future__ import annotations

import random
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from engine.game import NOBODY, BadTable, IllegalMove, NotAMove
from engine.games.king import CONTRACTS, PACK, King, KingState, points_of
from engine.match import Match
from tests.engine.dealing import cards, played

GAME = King.table(4, {})
BY_TWOS = (2, 2, 2, 2)
WITH_DECLARATION = (3, 2, 2, 1)
DECLARED_DEALS = (8, 9, 10, 11)


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


@pytest.mark.parametrize("seats", [2, 3, 5, 8, 0, -4, True, "4", 4.0, None])
def test_1_another_number_of_players_is_refused_with_the_expected_number(seats: Any) -> None:
    with pytest.raises(BadTable, match="4") as caught:
        King.table(seats, {})
    assert caught.value.field == "seats"


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


# 4. The declaration


@pytest.mark.parametrize("last", ["AD", "7S", "KH", "TC"])
def test_4_last_makes_the_suit_of_the_declarers_eighth_card_trump_and_shows_it(last: str) -> None:
    held = [text for text in ("7C", "8C", "9C", "JC", "7D", "8D", "9H") if text != last]
    state = played(GAME, dealt(8, {0: " ".join([*held, last])}), "0: declare last")
    seen = GAME.observe(state, None)
    assert (seen["trump"], seen["declared"], seen["trump_card"]) == (last[1], "last", last)
    assert seen["known"] == [[last], [], [], []]


def test_4_what_is_dealt_after_the_declaration_changes_nothing_before_it() -> None:
    deck = list(PACK)
    shuffled = [*deck[:12], *random.Random(3).sample(deck[12:], 20)]
    one, two = GAME.deal(8, 3, deck), GAME.deal(8, 3, shuffled)
    for seat in (0, 1, 2, 3, None):
        assert GAME.observe(one, seat) == GAME.observe(two, seat)
        assert [event.view(seat) for event in GAME.deal_events(one)] == [
            event.view(seat) for event in GAME.deal_events(two)
        ]


# 6. The trick


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


def test_7_a_deal_broken_off_scores_the_tricks_taken_so_far() -> None:
    state = trick(dealt(1, SUITS_APART), "7C", "7D", "7H", "7S", "8C", "8D")
    assert GAME.cut_short(state, [1, 2]) == (-2, 0, 0, 0)


def test_7_a_deal_broken_off_before_the_first_trick_scores_nothing() -> None:
    assert GAME.cut_short(dealt(8, {}), [0]) == (0, 0, 0, 0)


# 9. The moves as text


@pytest.mark.parametrize(
    "text",
    ["", "play", "play 6H", "play 7h", "play  7H", " play 7H", "play 7H 8H", "lead 7H", "declare", "declare c",
     "declare LAST", "declare clubs", "exchange", "play 10H", "7H", "play 7H\n"],
)  # fmt: skip
def test_9_any_other_text_is_not_a_move(text: str) -> None:
    with pytest.raises(NotAMove, match="play TH"):
        GAME.parse(dealt(1, {}), 0, text)


@pytest.mark.parametrize(
    ("number", "hands", "cards_played", "seat", "text", "reason"),
    [
        (2, {0: "7H 8H 7C"}, "", 0, "play 7H", "you must not lead a heart in this deal while you hold another suit"),
        (6, SUITS_APART, "7C", 1, "play 7C", "7C is not in your hand"),
        (1, SUITS_APART, "", 1, "play 7D", "it is the turn of seat 0"),
        (1, {0: "7C", 1: "8C AC KH 7H 9S TS JS QS"}, "7C", 1, "play KH", "you must follow suit: clubs were led"),
        (6, {0: SUITS_APART[0], 1: SUITS_APART[2]}, "7C", 1, "play AH",
         "you cannot follow suit and hold KH, so you must play it"),
        (8, SUITS_APART, "", 0, "play 7C", "a declaration is due: C, D, H, S, last or miser"),
        (1, SUITS_APART, "", 0, "declare C", "no declaration is due: play a card"),
    ],
)  # fmt: skip
def test_9_a_refusal_gives_its_reason(
    number: int, hands: Mapping[int, str], cards_played: str, seat: int, text: str, reason: str
) -> None:
    assert refused(trick(dealt(number, hands), cards_played), seat, text) == reason


def test_9_after_the_deal_every_card_is_refused() -> None:
    assert refused(played_out(dealt(1, {}), random.Random(0)), 0, "play 7C") == "the deal is over"


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


# 10. What is seen


def test_10_the_card_shown_is_known_until_it_is_played() -> None:
    state = played(GAME, dealt(8, SUITS_APART), "0: declare last")
    assert GAME.observe(state, 2)["known"] == [["AC"], [], [], []]
    after = GAME.observe(trick(state, "AC"), 2)
    assert (after["known"], after["trump_card"]) == ([[], [], [], []], "AC")


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

"""The common rules of the pile games. The numbers are those of the sections in `engine/pile.py`."""

from __future__ import annotations

import pytest

from engine.cards import CARD_OF_TEXT
from engine.game import NOBODY, IllegalMove, NotAMove
from engine.games.kryt import Kryt
from engine.games.svoi_kozyri import SvoiKozyri
from engine.pile import PileGame
from tests.engine.pile_positions import after, hand, legal, pile, position

KRYT = {seats: Kryt.table(seats, {}) for seats in (2, 3, 4)}
SVOI = {seats: SvoiKozyri.table(seats, {}) for seats in (2, 3, 4)}
BOTH = pytest.mark.parametrize("games", [KRYT, SVOI], ids=["kryt", "svoi_kozyri"])
"""Both games. Trumps are diamonds in Kryt', and spades, clubs, diamonds and hearts by seat in Svoi Kozyri."""
Games = dict[int, PileGame]


# 1. Leading


@BOTH
@pytest.mark.parametrize("dealer", [0, 1, 2])
def test_1_the_player_on_the_dealers_left_leads_any_one_card(games: Games, dealer: int) -> None:
    game = games[3]
    state = game.deal(1, dealer, game.pack)
    assert state.to_move == (dealer + 1) % 3
    assert legal(game, state) == {f"lead {card}" for card in hand(state, state.to_move).split()}


@BOTH
def test_1_a_lead_makes_the_pile_and_the_next_player_is_to_beat_it(games: Games) -> None:
    state = after(games[2], position(games[2], ["6C 7C", "8C 9C"]), "lead 7C")
    assert (hand(state, 0), pile(state), state.to_move) == ("6C", "7C", 1)


@BOTH
def test_1_a_player_who_finds_no_pile_leads(games: Games) -> None:
    state = after(games[3], position(games[3], ["6C 7C", "8C 9C", "KC"], "AH"), "pickup")
    assert legal(games[3], state) == {"lead 8C", "lead 9C"}


# 2. Beating


@BOTH
def test_2_a_beat_puts_two_cards_on_the_pile_and_any_other_card_may_lie_on_top(games: Games) -> None:
    game = games[2]
    state = position(game, ["7H 9H KC", "8C 9C"], "6C 8H")
    assert legal(game, state) == {"beat 9H 7H", "beat 9H KC", "pickup"}
    state = after(game, state, "beat 9H 7H")
    assert (hand(state, 0), pile(state), state.to_move) == ("KC", "6C 8H 9H 7H", 1)


@BOTH
def test_2_each_card_that_beats_goes_with_each_other_card(games: Games) -> None:
    game = games[2]
    assert legal(game, position(game, ["9H TH KC", "8C"], "8H")) == {
        "beat 9H TH",
        "beat 9H KC",
        "beat TH 9H",
        "beat TH KC",
        "pickup",
    }


@BOTH
def test_2_a_single_card_beats_alone(games: Games) -> None:
    game = games[2]
    assert legal(game, position(game, ["9H", "8C"], "8H")) == {"beat 9H", "pickup"}


@BOTH
def test_2_a_player_who_cannot_beat_is_asked_too(games: Games) -> None:
    game = games[2]
    assert legal(game, position(game, ["7H 6C", "8C"], "8H")) == {"pickup"}


# 3. Picking up


@BOTH
def test_3_a_player_who_can_beat_may_pick_up(games: Games) -> None:
    state = after(games[2], position(games[2], ["9H", "8C"], "AC 8H"), "pickup")
    assert "8H" in hand(state, 0)


@BOTH
def test_3_the_next_player_faces_the_rest_of_the_pile(games: Games) -> None:
    game = games[2]
    state = after(game, position(game, ["9S", "KC QC"], "JC TH 9H 8H"), "pickup")
    assert pile(state) == {"kryt": "JC TH 9H", "svoi_kozyri": "JC"}[game.id]
    assert state.to_move == 1
    assert "pickup" in legal(game, state)


@BOTH
@pytest.mark.parametrize("height", [1, 2])
def test_3_a_smaller_pile_is_taken_whole(games: Games, height: int) -> None:
    state = position(games[2], ["9C", "AC AH"], " ".join(["7D", "QD"][-height:]), trump="D")
    after_pickup = after(games[2], state, "pickup")
    assert pile(after_pickup) == ""


# 4. The next turn


@BOTH
@pytest.mark.parametrize(
    ("hands", "to_move", "move", "following"),
    [
        (["9H 8H", "6C", "7C", "8C"], 0, "pickup", 1),
        (["9H 8H", "", "7C", "8C"], 0, "pickup", 2),
        (["9H 8H", "6C", "7C", "8C"], 3, "pickup", 0),
        (["", "6C", "7C", "8C"], 3, "pickup", 1),
        (["9H 8H", "", "7C", "8C"], 0, "beat 9H 8H", 2),
        (["9H 8H", "", "", "8C"], 0, "pickup", 3),
    ],
)
def test_4_the_turn_passes_clockwise_to_the_next_player_with_cards(
    games: Games, hands: list[str], to_move: int, move: str, following: int
) -> None:
    state = position(games[4], hands, "QS JS 6D 7S 7H", to_move=to_move)
    assert after(games[4], state, move).to_move == following


# 5. Going out and the free lead

OUT = [
    # hands, pile, move, who is out, question, who is asked
    (["9H", "6C", "7C"], "8H", "beat 9H", [0], "free_lead", 1),
    (["9H 6D", "6C", "7C"], "8H", "beat 9H 6D", [0], "beat", 1),
    (["9H", "6C", "7C"], "", "lead 9H", [0], "beat", 1),
    (["9H", "6C", "7C"], "8H", "pickup", [], "lead", 1),
    (["9H TH QC", "6C", "7C"], "8H", "beat 9H QC", [], "beat", 1),
]


@BOTH
@pytest.mark.parametrize(("hands", "below", "move", "out", "question", "asked"), OUT)
def test_5_with_no_stock_left_a_player_without_cards_is_out(
    games: Games, hands: list[str], below: str, move: str, out: list[int], question: str, asked: int
) -> None:
    game = games[3]
    seen = game.observe(after(game, position(game, hands, below), move), asked)
    assert (seen["out"], seen["question"], seen["to_move"]) == (out, question, asked)


@BOTH
def test_5_a_free_lead_is_any_card_and_allows_no_pickup(games: Games) -> None:
    game = games[3]
    state = after(game, position(game, ["9H", "6C 7C", "7S"], "8H"), "beat 9H")
    assert legal(game, state) == {"lead 6C", "lead 7C"}
    state = after(game, state, "lead 6C")
    assert (pile(state), state.to_move) == ("8H 9H 6C", 2)
    assert game.observe(state, 2)["question"] == "beat"


@BOTH
def test_5_the_next_player_with_cards_has_the_free_lead(games: Games) -> None:
    game = games[4]
    state = after(game, position(game, ["9H", "", "7S 8S", "6C"], "8H"), "beat 9H")
    assert (state.to_move, legal(game, state)) == (2, {"lead 7S", "lead 8S"})


@BOTH
def test_5_a_player_may_go_out_by_a_free_lead(games: Games) -> None:
    game = games[4]
    state = after(game, position(game, ["9H", "6C", "7S 8S", "6D"], "8H"), "beat 9H", "lead 6C")
    seen = game.observe(state, 2)
    assert (seen["out"], seen["question"], seen["top"]) == ([0, 1], "beat", "6C")


@BOTH
def test_5_no_free_lead_follows_when_one_other_player_is_left(games: Games) -> None:
    game = games[3]
    assert after(game, position(game, ["9H", "6C 7C", ""], "8H"), "beat 9H").to_move == NOBODY


# 6. The end of the deal

ENDS = [
    # why, hands, pile, moves, loser (None is a draw)
    ("a beat leaves two cards", ["9H 6C", "7C 8C"], "8H", ["beat 9H 6C"], 1),
    ("the one card left beats the led card", ["9H 6C", "7C"], "8H", ["beat 9H 6C"], None),
    ("the one card left does not beat it", ["9H 6C", "TH"], "8H", ["beat 9H 6C"], 1),
    ("one of two cards would beat it", ["9H 6C", "7C TH"], "8H", ["beat 9H 6C"], 1),
    ("a plain lead is a led card", ["6C", "7C"], "", ["lead 6C"], None),
    ("a plain lead of a higher card", ["8C", "7C"], "", ["lead 8C"], 1),
    ("a single card leaves no led card", ["9H", "TH"], "8H", ["beat 9H"], 1),
    ("an earlier lead does not count", ["9H", "TH AH"], "8C 8H", ["beat 9H"], 1),
    ("a pickup goes on", ["9H", "TH"], "8H 8C JC QC", ["pickup"], "goes on"),
]


@BOTH
@pytest.mark.parametrize(("why", "hands", "below", "moves", "loser"), ENDS, ids=[row[0] for row in ENDS])
def test_6_the_last_player_with_cards_loses_unless_a_single_card_beats_the_led_card(
    games: Games, why: str, hands: list[str], below: str, moves: list[str], loser: int | str | None
) -> None:
    game = games[2]
    state = after(game, position(game, hands, below), *moves)
    assert (state.to_move == NOBODY) == (loser != "goes on")
    if state.to_move == NOBODY:
        assert state.legal == ()
        assert game.returns(state) == tuple(-1 if seat == loser else 0 for seat in range(2))


@BOTH
def test_6_a_free_lead_of_the_last_card_is_a_led_card(games: Games) -> None:
    game = games[3]
    state = position(game, ["9H", "6C", "7C"], "8H")
    assert game.returns(after(game, state, "beat 9H", "lead 6C")) == (0, 0, 0)
    state = position(game, ["9H", "8C", "7C"], "8H")
    assert game.returns(after(game, state, "beat 9H", "lead 8C")) == (0, 0, -1)


@BOTH
@pytest.mark.parametrize(("hands", "dealer"), [(["9H 6C", "TH"], 1), (["9H 6C", "7C"], 0)])
def test_6_the_loser_deals_next_and_after_a_draw_the_same_dealer(
    games: Games, hands: list[str], dealer: int
) -> None:
    state = after(games[2], position(games[2], hands, "8H", dealer=0), "beat 9H 6C")
    assert games[2].next_dealer(state) == dealer


@BOTH
def test_6_at_the_turn_limit_the_deal_is_a_draw(games: Games) -> None:
    game = games[2].table(2, {"turn_limit": 50})
    state = position(game, ["9H 6C", "7H 8C"], "8H TH", moves=48)
    state = after(game, state, "pickup")
    assert state.to_move == 1
    state = after(game, state, next(iter(legal(game, state))))
    assert (state.to_move, game.returns(state), game.next_dealer(state)) == (NOBODY, (0, 0), 0)


@BOTH
def test_6_a_deal_that_ends_at_the_turn_limit_has_a_result(games: Games) -> None:
    game = games[2].table(2, {"turn_limit": 50})
    state = after(game, position(game, ["9H 6C", "7H 8C"], "8H", moves=49), "beat 9H 6C")
    assert game.returns(state) == (0, -1)


# 7. The moves as text

MALFORMED = [
    "", "lead", "lead 7c", "lead 7H 8H", "Lead 7H", "lead  7H", " lead 7H", "lead 7H ", "beat", "beat 9H 9H",
    "beat 9H 7H KC", "pickup 8H", "pass", "take", "7H", "lead 10H", "lead 2H", "beat 9H 5C",
]  # fmt: skip


@BOTH
@pytest.mark.parametrize("text", MALFORMED)
def test_7_a_malformed_move_is_refused_with_the_notation(games: Games, text: str) -> None:
    state = position(games[2], ["7H 9H KC", "8C"], "8H")
    with pytest.raises(NotAMove) as refused:
        games[2].parse(state, 0, text)
    assert "`beat B C`" in str(refused.value) or "not in this pack" in str(refused.value)


BEATING = (["7H 9H KC", "8C", "6S"], "8H", False)
LEADING = (["7H 9H KC", "8C", "6S"], "", False)
FREE = (["7H 9H KC", "8C", "6S"], "8H", True)
ILLEGAL = [
    (BEATING, 0, "lead 7H", "there is a pile"),
    (BEATING, 0, "beat AH 7H", "AH is not in your hand"),
    (BEATING, 0, "beat 9H 8C", "8C is not in your hand"),
    (BEATING, 0, "beat 7H KC", "7H does not beat 8H"),
    (BEATING, 0, "beat 9H", "needs a second card"),
    (BEATING, 1, "pickup", "turn of seat 0"),
    (LEADING, 0, "pickup", "there is no pile"),
    (LEADING, 0, "beat 9H 7H", "there is no pile"),
    (LEADING, 0, "lead AH", "AH is not in your hand"),
    (FREE, 0, "pickup", "a free lead is due"),
    (FREE, 0, "beat 9H 7H", "a free lead is due"),
    (FREE, 0, "lead 8C", "8C is not in your hand"),
]


@BOTH
@pytest.mark.parametrize(("where", "seat", "text", "reason"), ILLEGAL)
def test_7_an_illegal_move_is_refused_with_its_reason(
    games: Games, where: tuple[list[str], str, bool], seat: int, text: str, reason: str
) -> None:
    hands, below, free = where
    state = position(games[3], hands, below, free=free)
    with pytest.raises(IllegalMove, match=reason):
        games[3].parse(state, seat, text)


@BOTH
def test_7_when_the_deal_is_over_nothing_is_legal(games: Games) -> None:
    state = after(games[2], position(games[2], ["9H", "TH"], "8H"), "beat 9H")
    with pytest.raises(IllegalMove, match="the deal is over"):
        games[2].parse(state, 1, "pickup")


@BOTH
@pytest.mark.parametrize(
    ("hands", "below", "free", "move"),
    [
        (["9H 7S 7C", "8C"], "8H", False, "pickup"),
        (["9H", "8C"], "8H", False, "pickup"),
        (["9H 7S 7C", "8C"], "", False, "lead 7C"),
        (["9H 8S 8D", "8C", "6C"], "8H", True, "lead 8D"),
    ],
)
def test_7_the_safe_move_picks_up_or_leads_the_lowest_card(
    games: Games, hands: list[str], below: str, free: bool, move: str
) -> None:
    game = games[len(hands)]
    state = position(game, hands, below, free=free)
    assert game.text(state, game.safe_move(state)) == move


# 8. What is seen


@BOTH
def test_8_only_the_player_on_turn_sees_the_pickup_and_the_card_under_it(games: Games) -> None:
    game = games[3]
    state = position(game, ["9C 7C", "8C AC", "KC"], "JS 7S 6C JH QC 8H")
    look = {"kryt": (["8H"], "QC"), "svoi_kozyri": (["8H", "QC", "JH"], "6C")}[game.id]
    own = game.observe(state, 0)
    assert (own["pickup"], own["under"], own["top"], own["pile"]) == (*look, "8H", 6)
    for other in (1, 2, None):
        seen = game.observe(state, other)
        assert (seen["pickup"], seen["under"], seen["top"], seen["pile"]) == (None, None, "8H", 6)


@BOTH
def test_8_a_pickup_takes_the_cards_shown_before(games: Games) -> None:
    game = games[2]
    state = position(game, ["9C 7C", "8C AC"], "JS 7S 6C JH QC 8H")
    look = game.observe(state, 0)
    state = after(game, state, "pickup")
    assert game.observe(state, 1)["known"][0] == sorted(look["pickup"], key=lambda text: CARD_OF_TEXT[text])
    assert game.observe(state, 1)["top"] == look["under"]


@BOTH
@pytest.mark.parametrize(("below", "free"), [("", False), ("JS 8H", True)])
def test_8_without_a_legal_pickup_no_pickup_is_shown(games: Games, below: str, free: bool) -> None:
    game = games[3]
    seen = game.observe(position(game, ["9C", "8C", "KC"], below, free=free), 0)
    assert (seen["pickup"], seen["under"]) == (None, None)


@BOTH
def test_8_cards_picked_up_are_known_until_they_are_played(games: Games) -> None:
    game = games[2]
    state = after(game, position(game, ["9C", "8C AC TH"], "8H"), "pickup", "lead AC", "pickup")
    for seat in (0, 1, None):
        assert game.observe(state, seat)["known"] == [["8H", "AC"], []]
    state = after(game, state, "lead TH", "pickup")
    assert game.observe(state, 1)["known"] == [["8H", "TH", "AC"], []]
    assert game.observe(state, 1)["hand_sizes"] == [4, 1]


@BOTH
def test_8_a_spectator_sees_no_hand(games: Games) -> None:
    seen = games[2].observe(position(games[2], ["9C", "8C AC"], "8H"), None)
    assert (seen["seat"], seen["hand"], seen["hand_sizes"], seen["to_move"]) == (None, [], [1, 2], 0)


@BOTH
def test_8_after_the_deal_nobody_is_asked(games: Games) -> None:
    state = after(games[2], position(games[2], ["9H", "TH"], "8H"), "beat 9H")
    seen = games[2].observe(state, 1)
    assert (seen["to_move"], seen["question"], seen["hand"]) == (None, None, ["TH"])


@BOTH
def test_8_events_show_the_cards_picked_up_and_who_goes_out(games: Games) -> None:
    game = games[3]
    before = position(game, ["9H", "6C", "7C"], "QC 8H")
    for text, public in (
        ("pickup", {"type": "taken", "seat": 0, "cards": ["8H"] if game.id == "kryt" else ["8H", "QC"]}),
        ("beat 9H", {"type": "out", "seat": 0}),
    ):
        move = game.parse(before, 0, text)
        events = game.events(before, 0, move, game.play(before, 0, move))
        assert [(event.public, dict(event.private)) for event in events] == [(public, {})]

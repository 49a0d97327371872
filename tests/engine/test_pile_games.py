"""The common rules of the pile games. The numbers are those of the sections in `engine/pile.py`."""

from __future__ import annotations

import pytest

from engine.game import NOBODY, IllegalMove, NotAMove
from engine.games.kryt import Kryt
from engine.games.svoi_kozyri import SvoiKozyri
from engine.pile import PileGame
from tests.engine.pile_positions import after, position

KRYT = {seats: Kryt.table(seats, {}) for seats in (2, 3, 4)}
SVOI = {seats: SvoiKozyri.table(seats, {}) for seats in (2, 3, 4)}
BOTH = pytest.mark.parametrize("games", [KRYT, SVOI], ids=["kryt", "svoi_kozyri"])
"""Both games. Trumps are diamonds in Kryt', and spades, clubs, diamonds and hearts by seat in Svoi Kozyri."""
Games = dict[int, PileGame]


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

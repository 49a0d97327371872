"""Perevodnoy Durak and the limit of first bouts, sentence by sentence (`engine/games/durak.py`, section 3)."""

from __future__ import annotations

import pytest

from engine.game import NotAMove
from engine.games.durak import Durak
from tests.engine.dealing import deck_for, played, texts
from tests.engine.test_durak import hand, look, position, refused

TWO = Durak.table(2, {"transfer": True})
THREE = Durak.table(3, {"transfer": True})
FIVE = Durak.table(5, {"transfer": True})
PAIRS = Durak.table(4, {"transfer": True, "teams": True})
BATCHES = Durak.table(3, {"transfer": True, "batch_attacks": True})


def test_a_defender_who_has_beaten_nothing_may_pass_the_attack_on_with_a_card_of_its_rank() -> None:
    state = position(THREE, {0: "7C 8C", 1: "7D KC 6H", 2: "AD AC 9S"}, 0)
    state = played(THREE, state, "0: attack 7C")
    assert texts(THREE, state) == ["take", "beat 7C 6H", "beat 7C KC", "transfer 7D"]
    state = played(THREE, state, "1: transfer 7D")
    assert look(THREE, state)["pairs"] == [["7C", None], ["7D", None]]
    assert state.to_move == 2
    assert texts(THREE, state) == ["take", "beat 7C AC", "beat 7D AD"]


def test_the_player_who_transferred_is_the_principal_attacker_and_the_one_before_an_attacker() -> None:
    state = position(THREE, {0: "7C 8C", 1: "7D KC 6H", 2: "AD AC 9S"}, 0)
    state = played(THREE, state, "0: attack 7C", "1: transfer 7D")
    seen = look(THREE, state)
    assert (seen["attacker"], seen["defender"], seen["entitled"]) == (1, 2, [1, 0])
    state = played(THREE, state, "2: beat 7C AC", "2: beat 7D AD")
    assert state.to_move == 1


def test_after_a_beaten_card_nothing_is_transferred() -> None:
    game = BATCHES
    state = position(game, {0: "7C 7S 8C", 1: "7D KC 6H", 2: "AD AC 9S"}, 0)
    state = played(game, state, "0: attack 7C 7S", "1: beat 7C KC")
    assert texts(game, state) == ["take", "beat 7S 6H"]
    assert "is beaten" in refused(game, state, 1, "transfer 7D")
    state = played(THREE, position(THREE, {0: "7C KD 8C", 1: "7D KC KH", 2: "AD AC 9S"}, 0), "0: attack 7C")
    state = played(THREE, state, "1: beat 7C KC", "0: throw KD")
    assert texts(THREE, state) == ["take", "beat KD KH"]


def test_with_two_players_the_attack_comes_back_and_may_be_transferred_again() -> None:
    state = position(TWO, {0: "7C 7S 8C 9C QC TC", 1: "7D 7H KC AC QD"}, 0)
    state = played(TWO, state, "0: attack 7C", "1: transfer 7D", "0: transfer 7S", "1: transfer 7H")
    seen = look(TWO, state)
    assert [attack for attack, _ in seen["pairs"]] == ["7C", "7D", "7S", "7H"]
    assert (seen["attacker"], seen["defender"]) == (1, 0)


def test_the_next_defender_holds_at_least_as_many_cards_as_there_are_attack_cards_now() -> None:
    state = position(THREE, {0: "7C 7S 8C", 1: "7D KC 6H", 2: "AD"}, 0)
    state = played(THREE, state, "0: attack 7C")
    assert texts(THREE, state) == ["take", "beat 7C 6H", "beat 7C KC"]
    assert "seat 2 can be attacked with at most 1 cards" in refused(THREE, state, 1, "transfer 7D")


def test_the_limit_is_settled_anew_by_the_hand_of_the_next_defender() -> None:
    state = position(THREE, {0: "7C 7S 8C 9C", 1: "7D KC 6H 6D", 2: "AD AC 9S"}, 0)
    state = played(THREE, state, "0: attack 7C", "1: transfer 7D")
    assert look(THREE, state)["room"] == 1


def test_players_without_cards_are_passed_over() -> None:
    state = position(FIVE, {0: "7C 8C", 1: "7D KC", 3: "AD AC 9S", 4: "8S"}, 0)
    assert played(FIVE, state, "0: attack 7C", "1: transfer 7D").to_move == 3


def test_nobody_else_with_cards_gets_no_transfer() -> None:
    state = position(TWO, {0: "7C", 1: "7D KC"}, 0)
    state = played(TWO, state, "0: attack 7C")
    assert texts(TWO, state) == ["take", "beat 7C KC"]
    assert "nobody else holds cards" in refused(TWO, state, 1, "transfer 7D")


def test_with_teams_the_next_opponent_in_the_order_of_turns_defends() -> None:
    state = position(PAIRS, {0: "7C 8C", 1: "7D KC", 2: "7S AD AC", 3: "9S 9D 9C"}, 0)
    state = played(PAIRS, state, "0: attack 7C", "1: transfer 7D")
    assert (state.to_move, look(PAIRS, state)["entitled"]) == (2, [1, 3])
    state = played(PAIRS, state, "2: transfer 7S")
    assert (state.to_move, look(PAIRS, state)["entitled"]) == (3, [2, 0])


def test_with_neighbours_the_entitled_are_settled_anew_from_the_new_defender() -> None:
    hands = {0: "7C 8C", 1: "7D KC", 2: "AD AC 9S", 3: "TS TD", 4: "JS JD"}
    state = position(FIVE, hands, 0)
    assert look(FIVE, state)["entitled"] == [0, 2]
    state = played(FIVE, state, "0: attack 7C", "1: transfer 7D")
    assert look(FIVE, state)["entitled"] == [1, 3]


def test_one_who_transfers_the_last_card_passes_nothing_on() -> None:
    state = position(THREE, {0: "7C 8C", 1: "7D", 2: "AD AC 9S"}, 0)
    state = played(THREE, state, "0: attack 7C", "1: transfer 7D")
    seen = look(THREE, state)
    assert (seen["attacker"], seen["entitled"], seen["out"]) == (0, [0], [1])
    state = played(THREE, state, "2: beat 7C AC", "2: beat 7D AD")
    assert (state.to_move, texts(THREE, state)) == (0, ["pass"])


def test_with_neighbours_the_next_attacker_clockwise_comes_first_when_the_transferrer_is_out() -> None:
    state = position(FIVE, {0: "7C 8C", 1: "7D", 2: "AD AC 9S", 3: "TS TD", 4: "JS JD"}, 0)
    state = played(FIVE, state, "0: attack 7C", "1: transfer 7D")
    assert look(FIVE, state)["entitled"] == [3, 0]


def test_drawing_starts_at_the_new_principal_attacker_and_former_attackers_draw() -> None:
    hands = {0: "7C 8C", 1: "7D KC", 2: "AD AC 9S", 3: "TS TH", 4: "JS JD 7H"}
    state = position(FIVE, hands, 0, talon="6C 6D 6S 8D 8S 9C 9D TC TD JC JH QC QD QS QH KD KH KS AH")
    before = played(
        FIVE, state, "0: attack 7C", "1: transfer 7D", "2: beat 7C AC", "2: beat 7D AD", "1: pass"
    )
    assert before.to_move == 3
    move = FIVE.parse(before, 3, "pass")
    after = FIVE.play(before, 3, move)
    events = [event.public for event in FIVE.events(before, 3, move, after)]
    assert [event["seat"] for event in events if event["type"] == "drawn"] == [1, 3, 4, 0, 2]


def test_the_next_bout_begins_as_after_any_attack_on_this_defender() -> None:
    state = position(THREE, {0: "7C 8C", 1: "7D KC 6H", 2: "AD AC 9S"}, 0)
    state = played(THREE, state, "0: attack 7C", "1: transfer 7D")
    off = played(THREE, state, "2: beat 7C AC", "2: beat 7D AD", "1: pass", "0: pass")
    assert (off.to_move, look(THREE, off)["defender"]) == (2, 0)
    taken = played(THREE, state, "2: take", "1: pass", "0: pass")
    assert (taken.to_move, look(THREE, taken)["defender"]) == (0, 1)


def test_a_batch_of_the_rank_may_be_transferred() -> None:
    state = position(BATCHES, {0: "7C 8C", 1: "7D 7H 7S KC", 2: "AD AC 9S"}, 0)
    state = played(BATCHES, state, "0: attack 7C")
    assert [text for text in texts(BATCHES, state) if text.startswith("transfer")] == [
        *("transfer 7D", "transfer 7H", "transfer 7S"),
        *("transfer 7D 7H", "transfer 7D 7S", "transfer 7H 7S"),
    ]
    assert "at most 3" in refused(BATCHES, state, 1, "transfer 7D 7H 7S")
    state = played(BATCHES, state, "1: transfer 7D 7S")
    assert look(BATCHES, state)["room"] == 0


def test_an_exchange_on_turn_leaves_the_transfer_open() -> None:
    hands, talon = {0: "7C 8C 9C TC JC QC", 1: "6H 7D 8D 9D TD JD"}, "8S"
    state = TWO.deal(2, 1, deck_for(TWO, 1, hands, "AH", talon))
    state = played(TWO, state, "0: attack 7C", "1: exchange")
    assert "transfer 7D" in texts(TWO, state)
    assert "AH" in hand(TWO, state, 1)


def test_a_transfer_is_announced_with_the_new_roles() -> None:
    state = played(THREE, position(THREE, {0: "7C 8C", 1: "7D KC 6H", 2: "AD AC 9S"}, 0), "0: attack 7C")
    move = THREE.parse(state, 1, "transfer 7D")
    (event,) = THREE.events(state, 1, move, THREE.play(state, 1, move))
    assert event.public == {
        "type": "transferred",
        "seat": 1,
        "attacker": 1,
        "defender": 2,
        "entitled": [1, 0],
    }


def test_without_the_option_there_is_no_such_move() -> None:
    game = Durak.table(3, {})
    state = played(game, position(game, {0: "7C 8C", 1: "7D KC 6H", 2: "AD AC 9S"}, 0), "0: attack 7C")
    with pytest.raises(NotAMove, match="a move is"):
        game.parse(state, 1, "transfer 7D")
    assert texts(game, state) == ["take", "beat 7C 6H", "beat 7C KC"]


@pytest.mark.parametrize(("text", "why"), [("transfer 9C", "not in your hand"), ("transfer KC", "a rank")])
def test_a_wrong_transfer_is_refused_with_the_reason(text: str, why: str) -> None:
    state = played(THREE, position(THREE, {0: "7C 8C", 1: "7D KC 6H", 2: "AD AC 9S"}, 0), "0: attack 7C")
    assert why in refused(THREE, state, 1, text)


def test_a_first_bout_has_at_most_five_attack_cards_until_an_attack_is_beaten_off() -> None:
    game = Durak.table(2, {"first_bout": 5})
    state = game.deal(2, 0, deck_for(game, 0, {0: "9C TD JD QD KD AC", 1: "6C 7C 8C 8D 8S 7S"}, "6H"))
    assert look(game, state)["room"] == 5
    state = played(game, state, "1: attack 6C", "0: take")
    state = played(game, state, "1: pass")
    # An attack that was taken left nothing in the discard heap.
    assert (look(game, state)["discard"], look(game, state)["room"]) == (0, 5)
    state = played(game, state, "1: attack 7C", "0: beat 7C 9C", "1: pass")
    assert (look(game, state)["discard"], look(game, state)["room"]) == (2, 6)


def test_a_transfer_in_a_first_bout_obeys_its_limit() -> None:
    game = Durak.table(3, {"first_bout": 5, "transfer": True})
    state = game.deal(2, 0, deck_for(game, 0, {1: "7C", 2: "7D", 0: "9C"}, "6H"))
    state = played(game, state, "1: attack 7C", "2: transfer 7D")
    assert look(game, state)["room"] == 3


@pytest.mark.parametrize("lowest", ["2", "9"])
def test_the_lowest_trump_of_the_pack_is_exchanged(lowest: str) -> None:
    game = Durak.table(2, {"lowest_rank": lowest})
    state = game.deal(2, 0, deck_for(game, 0, {0: f"{lowest}H"}, "AH"))
    state = played(game, state, "0: exchange")
    assert "AH" in hand(game, state, 0)
    assert look(game, state)["trump_card"] == f"{lowest}H"


def test_the_twos_of_a_pack_of_52_are_cards_and_no_words() -> None:
    game = Durak.table(2, {"lowest_rank": "2", "batch_attacks": True})
    state = game.deal(2, 0, deck_for(game, 0, {1: "2C 2D 2S 3C", 0: "4C 4D 4S 5C 6S 7S"}, "2H"))
    assert {"attack 2C", "attack 2C 2D 2S"} <= set(texts(game, state))
    state = played(game, state, "1: attack 2C 2D", "0: beat 2C 4C")
    assert texts(game, state) == ["take", "beat 2D 4D"]

"""Perevodnoy Durak and the limit of first bouts, sentence by sentence (`engine/games/durak.py`, section 3)."""

from __future__ import annotations

from engine.games.durak import Durak
from tests.engine.dealing import deck_for, played, texts
from tests.engine.test_durak import look, position

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


def test_with_neighbours_the_next_attacker_clockwise_comes_first_when_the_transferrer_is_out() -> None:
    state = position(FIVE, {0: "7C 8C", 1: "7D", 2: "AD AC 9S", 3: "TS TD", 4: "JS JD"}, 0)
    state = played(FIVE, state, "0: attack 7C", "1: transfer 7D")
    assert look(FIVE, state)["entitled"] == [3, 0]


def test_an_exchange_on_turn_leaves_the_transfer_open() -> None:
    hands = {0: "7C 8C 9C TC JC QC", 1: "6H 7D 8D 9D TD JD"}
    state = played(TWO, TWO.deal(2, 1, deck_for(TWO, 1, hands, "AH", "8S")), "0: attack 7C", "1: exchange")
    assert "transfer 7D" in texts(TWO, state)


def test_with_teams_the_next_opponent_in_the_order_of_turns_defends() -> None:
    state = position(PAIRS, {0: "7C 8C", 1: "7D KC", 2: "7S AD AC", 3: "9S 9D 9C"}, 0)
    state = played(PAIRS, state, "0: attack 7C", "1: transfer 7D")
    assert (state.to_move, look(PAIRS, state)["entitled"]) == (2, [1, 3])
    state = played(PAIRS, state, "2: transfer 7S")
    assert (state.to_move, look(PAIRS, state)["entitled"]) == (3, [2, 0])


def test_one_who_transfers_the_last_card_passes_nothing_on() -> None:
    state = position(THREE, {0: "7C 8C", 1: "7D", 2: "AD AC 9S"}, 0)
    state = played(THREE, state, "0: attack 7C", "1: transfer 7D")
    seen = look(THREE, state)
    assert (seen["attacker"], seen["entitled"], seen["out"]) == (0, [0], [1])
    state = played(THREE, state, "2: beat 7C AC", "2: beat 7D AD")
    assert (state.to_move, texts(THREE, state)) == (0, ["pass"])


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

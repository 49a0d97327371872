"""Podkidnoy Durak, sentence by sentence. The numbers are those of the sections in `engine/games/durak.py`."""

from __future__ import annotations

from typing import Any

import pytest

from engine.cards import SUITS, mask_of
from engine.game import NOBODY, BadTable, IllegalMove, NotAMove
from engine.games.durak import BEATERS, EXCHANGE, PASS, Bout, Deal, Durak, DurakState
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
BATCHES = Durak.table(2, {"batch_attacks": True})

# 1. The table


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


# 2. The deal


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


# 3. The bout


def test_3_when_all_have_passed_the_attack_is_beaten_off() -> None:
    state = position(THREE, {0: "7C 8C", 1: "TC JC", 2: "8S AS"}, 0)
    before = played(THREE, state, "0: attack 7C", "1: beat 7C TC", "0: pass")
    state = played(THREE, before, "2: pass")
    seen = look(THREE, state)
    assert (seen["discard"], seen["pairs"], seen["attacker"], seen["question"]) == (36 - 4, [], 1, "attack")
    [event, bout] = THREE.events(before, 2, PASS, state)
    assert event.public == {"type": "beaten_off", "count": 2}
    assert bout.public == {"type": "bout", "attacker": 1, "defender": 2, "entitled": [1, 0]}


SIX_HANDS = {0: "6C 7C", 1: "6D 7D", 2: "6S 7S", 3: "8C 9C", 4: "8D 9D", 5: "8S 9S"}


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


def test_4_a_defender_who_plays_the_six_and_takes_it_back_has_lost_the_right() -> None:
    hands = {0: "6C 6D 7C 8C 9C TC", 1: "6H 7D 8D 9D TD JD"}
    state = TWO.deal(2, 1, deck_for(TWO, 1, hands, "KH"))
    state = played(TWO, state, "0: attack 6C", "1: beat 6C 6H", "0: throw 6D", "1: take", "0: pass")
    assert "6H" in hand(TWO, state, 1)
    assert TWO.free_moves(state, 1) == ()


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


def test_6_a_deal_that_ends_with_the_last_move_of_the_limit_has_a_result() -> None:
    game = Durak.table(2, {"turn_limit": 50})
    state = position(game, {0: "7C", 1: "6C 9S"}, 0)._replace(moves=48)
    state = played(game, state, "0: attack 7C", "1: take")
    assert (state.moves, game.returns(state)) == (50, (0, -1))


# 7. The moves as text


MALFORMED = (
    "| |attack|attack  7C|Attack 7C|attack 7c|attack 10C|attack 7C | pass|pass 7C|attack 5C|beat 7C|beat 7C 7C"
    "|beat 7C 8C 9C|attack 7C 7D|throw 7C 7C|deal 6C|resign"
)


@pytest.mark.parametrize("text", MALFORMED.split("|"))
def test_7_a_malformed_move_is_distinguished_from_an_illegal_one(text: str) -> None:
    with pytest.raises(NotAMove):
        TWO.parse(position(TWO, {0: "7C 7D", 1: "9C 9S"}, 0), 0, text)


@pytest.mark.parametrize("text", ["attack 7D 7C", "attack 7C 7C", "attack 6C 7C 8C 9C TC JC QC"])
def test_7_a_batch_has_exactly_one_text(text: str) -> None:
    with pytest.raises(NotAMove):
        BATCHES.parse(position(BATCHES, {0: "7C 7D", 1: "9C 9S"}, 0), 0, text)


@pytest.mark.parametrize(
    ("game", "one", "other", "moves", "move", "reason"),
    [
        (TWO, "7C 8D", "9C KD", [], "0: attack 9C", "9C is not in your hand"),
        (TWO, "7C 8D", "9C KD", [], "1: attack 9C", "it is the turn of seat 0"),
        (TWO, "7C 8D", "9C KD", [], "0: take", "you are asked for `attack`"),
        (TWO, "7C 8D", "9C KD", ["0: attack 7C"], "1: beat 8D KD", "8D is not an unbeaten attack card"),
        (TWO, "7C 8D", "9C KD", ["0: attack 7C"], "1: beat 7C KD", "KD does not beat 7C"),
        (TWO, "7C 8D", "9C KD", ["0: attack 7C"], "1: pass", "you are asked for `beat` or `take`"),
        (TWO, "7C 8D", "9C KD", ["0: attack 7C", "1: take"], "0: throw 8D", "8D has a rank that is not in this bout"),
        (TWO, "7C", "9C", ["0: attack 7C", "1: beat 7C 9C"], "0: pass", "the deal is over"),
        (TWO, "6H 7H", "8H 9H", [], "0: exchange", "the talon is empty"),
        (BATCHES, "7C 7D 7S 8C", "TC 9S", [], "0: attack 7C 8C", "an opening batch is all of one rank"),
        (BATCHES, "7C 7D 7S", "TC 9S", [], "0: attack 7C 7D 7S",
         "at most 2 more attack cards may be played in this bout"),
    ],
)  # fmt: skip
def test_7_a_refusal_gives_its_reason(
    game: Durak, one: str, other: str, moves: list[str], move: str, reason: str
) -> None:
    state = played(game, position(game, {0: one, 1: other}, 0), *moves)
    assert refused(game, state, int(move[0]), move[3:]) == reason


def test_7_a_refused_exchange_gives_its_reason() -> None:
    turned_up = TWO.deal(2, 1, deck_for(TWO, 1, {}, "6H"))
    assert refused(TWO, turned_up, 0, "exchange") == "6H is not in your hand"
    state = TWO.deal(2, 1, deck_for(TWO, 1, {0: "6H 7C 8C 9C TC JC", 1: "6C 6D 7D 8D 9D TD"}, "KH"))
    state = played(TWO, state, "0: attack 6H", "1: take", "0: pass")
    assert refused(TWO, state, 1, "exchange") == "6H was picked up, which gives no right to exchange"
    drawn = last_draw("AH AC AD AS KC KH", hands={0: "7C 7D 7S 8C 9C 6H", 1: "JC JD JS QC QD QS", 2: "8D 8S"})
    assert refused(THREE, drawn, 0, "exchange") == "6H is not among the cards that you have just drawn"


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

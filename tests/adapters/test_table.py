"""The positions of the adapters: their actions are the engine's moves, and reveal only what a seat may know."""

from __future__ import annotations

import copy
import hashlib
import pickle
import random

import pytest

from adapters.actions import DONE
from adapters.table import AdapterPosition, AdapterTable
from engine.game import CHANCE, BadTable, IllegalMove
from tests.adapters.tables import ALL, SOME, GivenTable, dealt, played

everywhere = pytest.mark.parametrize("given", ALL.values(), ids=ALL.keys())
here_and_there = pytest.mark.parametrize("given", SOME.values(), ids=SOME.keys())


# 1. Actions


def spelt_out(position: AdapterPosition) -> list[str]:
    """Return the texts of all moves from this position, completely spelt."""
    found = []
    for text, whole in position._legal().values():
        if whole:
            found.append(text)
        else:
            action = next(action for action, choice in position._legal().items() if choice == (text, whole))
            found += spelt_out(position.after(action))
    return found


@everywhere
def test_the_actions_of_a_seat_are_its_legal_moves_each_once(given: GivenTable) -> None:
    for position in played(given.table, random.Random(1)):
        if position.to_move >= 0 and not position.spelt:
            match, state, seat = given.table.match, position.state, position.to_move
            may = [*match.legal_texts(state, seat), *match.free_texts(state, seat)]
            assert sorted(spelt_out(position)) == sorted(may)
            assert position.legal() == sorted(position.legal())


@everywhere
def test_actions_have_unique_texts(given: GivenTable) -> None:
    texts = given.table.actions.texts
    assert len(set(texts)) == len(texts)
    for position in played(given.table, random.Random(2)):
        if position.to_move >= 0:
            assert all(position.text(action) == texts[action] for action in position.legal())


def test_a_set_of_cards_is_spelt_card_by_card_and_then_done() -> None:
    actions = AdapterTable.get("durak", 3, {"batch_attacks": True}).actions
    legal = ["pass", "throw 7C", "throw 7C 7H", "throw 7C 7H 8D", "throw 7H"]

    def choices_after(spelt: str | None) -> list[tuple[str, str, bool]]:
        return [(actions.texts[action], *choice) for action, choice in actions.choices(legal, spelt).items()]

    assert choices_after(None) == [
        ("pass", "pass", True),
        ("throw 7C", "throw 7C", False),
        ("throw 7H", "throw 7H", False),
    ]
    assert choices_after("throw 7C") == [("and 7H", "throw 7C 7H", False), (DONE, "throw 7C", True)]
    assert choices_after("throw 7C 7H") == [("and 8D", "throw 7C 7H 8D", False), (DONE, "throw 7C 7H", True)]
    assert choices_after("throw 7C 7H 8D") == [(DONE, "throw 7C 7H 8D", True)]


NUMBERED = {
    "durak": (1335, "e0a66ca22956c73c"),
    "king": (38, "dea1807ed0850ab8"),
    "kryt": (1334, "296cc84e6e3310eb"),
    "svoi_kozyri": (1333, "ab4ac5ed3d69c7b9"),
}
"""By game, the number of actions at its table with the fewest seats, and a digest of their texts.

Trained models depend on action numbers, so a change belongs in the change log.
"""


@pytest.mark.parametrize("game", NUMBERED)
def test_action_numbers_do_not_change(game: str) -> None:
    texts = AdapterTable.get(game).actions.texts
    assert (len(texts), hashlib.sha256("\n".join(texts).encode()).hexdigest()[:16]) == NUMBERED[game]


def test_an_illegal_action_is_refused_and_changes_nothing() -> None:
    start = AdapterTable.get("durak").start()
    with pytest.raises(IllegalMove):
        start.after(36)
    with pytest.raises(IllegalMove):
        start.after(3).after(3)
    position = played(AdapterTable.get("durak"), random.Random(3), most=36)[-1]
    wrong = next(action for action in range(1335) if action not in position.legal())
    before = position.record(), position.legal(), position.information(0)
    for action in (wrong, -1, 10**6):
        with pytest.raises(IllegalMove):
            position.after(action)
    assert (position.record(), position.legal(), position.information(0)) == before


def test_a_free_move_is_an_action_of_the_seat_on_turn_only() -> None:
    # Seat 1 leads. The card turned up has its 6 in one of the hands.
    table = AdapterTable.get("kryt", 2)
    pack = list(range(36))
    for holder in (0, 1):
        six_first = [0, *(place for place in pack[4:] if place % 4)]
        dealing = [*six_first[1 : 2 - holder], 0, *six_first[2 - holder : 6], 4]
        position = dealt(table, [*dealing, *(place for place in pack if place not in dealing)])
        assert position.to_move == 1
        texts = [position.text(action) for action in position.legal()]
        assert ("exchange" in texts) == (holder == 1)


# 2. Tables


def test_an_unsupported_table_is_refused() -> None:
    for game, seats, options, deals in [
        ("bridge", 4, {}, None),
        ("durak", 7, {}, None),
        ("durak", 2, {"batch_attacks": 1}, None),
        ("durak", True, {}, None),
        ("king", 4, {}, 3),
        ("svoi_kozyri", 2, {"trumps": "SSCD"}, None),
    ]:
        with pytest.raises(BadTable):
            AdapterTable.get(game, seats, options, deals)
    assert AdapterTable.get("durak", 2, {"batch_attacks": True}).actions.spelt


@everywhere
def test_scores_and_lengths_of_matches_stay_within_their_bounds(given: GivenTable) -> None:
    table = given.table
    line = played(table, random.Random(4))
    scores = line[-1].state.scores
    assert all(table.points.worst <= points <= table.points.best for points in scores)
    assert not table.game.zero_sum or sum(scores) == 0
    assert sum(position.to_move >= 0 for position in line) <= table.most_moves
    assert sum(position.to_move == CHANCE for position in line) == len(table.game.pack) * table.match.deals


# 3. Information of a seat


@here_and_there
def test_an_information_state_only_grows_and_determines_the_legal_actions(given: GivenTable) -> None:
    table = given.table
    may: dict[str, list[int]] = {}
    for seed in range(3 if table.match.deals == 1 else 1):
        previous = [""] * table.game.seats
        for position in played(table, random.Random(seed)):
            for seat in range(table.game.seats):
                now = position.information(seat)
                assert now.startswith(previous[seat])
                previous[seat] = now if not position.spelt else previous[seat]
            if position.to_move >= 0:
                assert (
                    may.setdefault(position.information(position.to_move), position.legal())
                    == position.legal()
                )


@everywhere
def test_cards_hidden_from_a_seat_can_be_swapped_unnoticed(given: GivenTable) -> None:
    table, rng = given.table, random.Random(5)
    size, others = len(table.game.pack), 0
    for now in played(table, rng, most=size + 25)[size::4]:
        seat = rng.randrange(table.game.seats)
        other = now.determinization(seat, rng.random)
        assert other.information(seat) == now.information(seat)
        assert other.observe(seat) == now.observe(seat)
        assert other.to_move == now.to_move
        assert now.to_move != seat or other.legal() == now.legal()
        others += other.history() != now.history()
    assert others or given.options.get("layout") == "besikovich"  # where all hands are open


@here_and_there
def test_a_position_can_be_copied_and_pickled(given: GivenTable) -> None:
    position = played(given.table, random.Random(6), most=len(given.table.game.pack) + 9)[-1]
    kept = pickle.loads(pickle.dumps(position))
    assert copy.deepcopy(position) is position
    assert kept.table is position.table
    assert (kept.history(), kept.record()) == (position.history(), position.record())
    assert [kept.information(seat) for seat in range(given.seats)] == [
        position.information(seat) for seat in range(given.seats)
    ]


def test_determinizations_cover_all_decks_that_agree() -> None:
    # At the start of a deal with fixed trumps, a seat knows only its three cards.
    position = dealt(AdapterTable.get("kryt", 2, {"trumps": "fixed"}), list(range(36)))
    rng = random.Random(7)
    first = [position.determinization(0, rng.random).state.deal.hands[1] for _ in range(200)]
    assert len(set(first)) > 150
    assert position.state.deal.hands[0] not in first

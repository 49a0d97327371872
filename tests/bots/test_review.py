"""Reviews of decisions: they read no hidden card, are the same everywhere, and work at every table."""

from __future__ import annotations

import random
from itertools import islice
from typing import Any

import orjson
import pytest

from bots.search.determinization import Determinizer
from bots.search.policies import POLICIES
from engine.game import Game, IllegalMove
from engine.match import deck_text
from engine.registry import GAMES
from records.endings.model import ExactEnding
from records.endings.sets import NAMES, endings_of
from records.reviews import exact, judge
from records.reviews.decisions import count, decisions, reviewed
from records.reviews.exact import exact_moves
from records.reviews.judge import ReviewSettings, advise, evaluate, lead_of, regret
from records.reviews.model import Decision, Regret, ReviewedMove, by_seat
from tests.engine.lines import covering_tables
from tests.support.records import greedy_record, record_of

TINY = ReviewSettings(2, (4, 6), 2)
EVERY_TABLE = [
    pytest.param(
        cls,
        seats,
        options,
        id=f"{name}-{label}",
        marks=[]
        if label in {f"seats-{min(cls.seat_counts)}", f"seats-{max(cls.seat_counts)}"}
        else pytest.mark.ci,
    )
    for name, cls in GAMES.items()
    for label, seats, options in covering_tables(cls)
]
"""All tables; `make check` tries the fewest and the most seats."""


def some_decisions(record: dict[str, Any], start: int = 3, step: int = 14, most: int = 2) -> list[Decision]:
    found = list(islice(decisions(record), start, start + step * most, step))
    assert found, "the record is too short"
    return found


@pytest.mark.parametrize(("cls", "seats", "options"), EVERY_TABLE)
def test_every_table_is_reviewed(cls: type[Game], seats: int, options: dict[str, Any]) -> None:
    game = cls.table(seats, options)
    for decision in some_decisions(greedy_record(game, random.Random(5), most=60)):
        found = regret(decision, random.Random(1), TINY)
        assert found is not None
        assert 0 <= found.low <= found.mean <= found.high
        assert found.best in [*decision.observation["legal_moves"], *decision.observation["free_moves"]]


@pytest.mark.parametrize(("cls", "seats", "options"), EVERY_TABLE)
def test_other_hidden_cards_change_nothing(cls: type[Game], seats: int, options: dict[str, Any]) -> None:
    """A match with other hidden cards, which looked the same to the seat, has the same review of its decision."""
    game, rng = cls.table(seats, options), random.Random(2)
    record = greedy_record(game, random.Random(8), most=60)
    for decision in some_decisions(record):
        other = with_other_cards(record, decision, rng)
        again = next(each for each in decisions(other) if each.move == decision.move)
        # The game is equal, but another object; the number counts the choices of others too.
        assert again._replace(game=game, number=0) == decision._replace(game=game, number=0)
        mine = reviewed(record, decision, tiny)
        assert reviewed(other, again, tiny) == mine


def tiny(decision: Decision, seed: str) -> Regret | None:
    return regret(decision, random.Random(seed), TINY)


def with_other_cards(record: dict[str, Any], decision: Decision, rng: random.Random) -> dict[str, Any]:
    """Return the record up to this decision of its first deal, with another deck that the seat can't tell apart."""
    game, seat = decision.game, decision.seat
    worlds = Determinizer(game, POLICIES[game.id].read, decision.observation, decision.history)
    moves = [(move["seat"], move["move"]) for move in record["moves"]]
    assert decision.deal == 1
    for _ in range(500):
        deck = worlds.decks.draw(rng)
        try:
            seen = game.observe(worlds.replay(deck), seat)
        except IllegalMove:
            continue
        if all(decision.observation[name] == value for name, value in seen.items()):
            break
    else:
        pytest.fail("no other deck was found")
    return record_of(game, record["deals"], [(None, deck_text(deck)), *moves[1 : decision.move + 1]])


@pytest.mark.parametrize("name", GAMES)
def test_a_review_split_between_jobs_is_the_same(name: str) -> None:
    game = GAMES[name].table(GAMES[name].seat_counts[-1], {})
    record = greedy_record(game, random.Random(4), most=30)
    whole = [reviewed(record, each, tiny) for each in islice(decisions(record), 4)]
    later = [reviewed(record, each, tiny) for each in islice(decisions(record, 2), 2)]
    assert later == whole[2:]
    assert ReviewedMove.from_json(orjson.loads(orjson.dumps(whole[0].to_json()))) == whole[0]


def test_a_thrown_away_win_is_a_mistake() -> None:
    """Take with a hand that wins at once, found by trying the moves of a played match."""
    game = GAMES["durak"].table(2, {})
    found = []
    for seed in range(1):
        for decision in list(decisions(greedy_record(game, random.Random(seed))))[-4:]:
            for text in decision.observation["legal_moves"]:
                verdict = evaluate(decision._replace(played=text), "seed")
                if verdict is not None and verdict.low > 1:
                    found.append((text, verdict))
    assert found
    assert all(verdict.mistake and verdict.best != text for text, verdict in found)
    for text, verdict in found:
        assert verdict.costs[text] == verdict.mean
        assert verdict.costs[verdict.best] == min(verdict.costs.values()) == 0
        assert verdict.value is not None
        assert verdict.value + verdict.mean <= 2


@pytest.mark.parametrize("name", [name for name in NAMES if name != "king-1"])
def test_a_decision_without_hidden_cards_has_its_exact_regret(name: str) -> None:
    for ending in endings_of(name)[::40]:
        for move in ending.values:
            (decision,) = list(decisions(record_of_ending(ending, move)))[-1:]
            lost = ending.regret(move)
            found = evaluate(decision, "seed")
            best = ending.best[0] if lost else move
            costs = {other: ending.regret(other) for other in ending.values} if lost else {}
            assert found == Regret(lost, lost, lost, best, lost > 0, 1, ending.values[move], 0.0, costs)


def test_a_decision_in_king_is_judged_by_play_and_not_by_sure_points() -> None:
    ending = endings_of("king-1")[0]
    (decision,) = list(decisions(record_of_ending(ending, ending.best[0])))[-1:]
    found = evaluate(decision, "seed")
    assert found is not None
    assert found.worlds > 1


@pytest.mark.parametrize("name", NAMES)
def test_the_regret_of_a_move_is_found_in_every_game_with_a_solver(name: str) -> None:
    for ending in endings_of(name)[::40]:
        worst = min(ending.values, key=ending.values.__getitem__)
        moves = list(exact_moves(record_of_ending(ending, worst), {ending.seat}))
        assert moves[-1].deal == ending.deal
        assert (moves[-1].played, moves[-1].critical) == (worst, True)
        assert (moves[-1].values, moves[-1].regret) == (ending.values, ending.regret(worst))


def record_of_ending(ending: ExactEnding, move: str) -> dict[str, Any]:
    """Return the record of a match up to this move in the ending."""
    entries = [entry for log in (*ending.earlier, ending.entries) for entry in log]
    before = [(None if entry.by_chance else entry.seat, entry.move) for entry in entries]
    deals = ending.table.fixed_deals or 1
    return record_of(ending.table, deals, [*before, (ending.seat, move)]) | {"dealer": ending.dealer}


def test_hints_are_exact_where_nothing_is_hidden() -> None:
    for ending in endings_of("durak")[::20]:
        (decision,) = list(decisions(record_of_ending(ending, ending.best[0])))[-1:]
        found = advise(decision, "seed")
        assert found is not None
        assert found.second is not None
        assert (ending.regret(found.best), ending.regret(found.second)) == (0, found.lead)
        assert found.lead == min(ending.regret(move) for move in ending.values if move != found.best)
        assert found.exact


def test_a_hint_names_the_better_move(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where a review of the same decision finds a mistake, no hint names the mistaken move."""
    monkeypatch.setattr(judge, "exact_values", lambda *_: None)
    checked = 0
    for decision in list(decisions(greedy_record(GAMES["durak"].table(2, {}), random.Random(0))))[-4:]:
        verdicts = {
            text: evaluate(decision._replace(played=text), "seed")
            for text in decision.observation["legal_moves"]
        }
        wrong = [text for text, verdict in verdicts.items() if verdict is not None and verdict.low > 1]
        found = advise(decision, "seed")
        assert found is not None
        assert found.best not in wrong
        assert not found.exact
        checked += len(wrong)
    assert checked


@pytest.mark.parametrize(("limit", "left"), [("MOST_SOLVED", 1), ("MOST_FAILED", 0)])
def test_a_long_match_is_solved_up_to_a_limit(limit: str, left: int, monkeypatch: pytest.MonkeyPatch) -> None:
    record = greedy_record(GAMES["durak"].table(2, {}), random.Random(6))
    whole = list(exact_moves(record, range(2)))
    assert len(whole) > 1
    monkeypatch.setattr(exact, limit, left)
    assert list(exact_moves(record, range(2))) == whole[len(whole) - left :]


def test_a_deal_is_solved_from_its_end_to_the_first_position_out_of_reach(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    record = greedy_record(GAMES["svoi_kozyri"].table(2, {"layout": "besikovich"}), random.Random(1))
    tried = []
    monkeypatch.setattr(exact, "solve", lambda game, state, nodes: tried.append(state.moves))
    assert list(exact_moves(record, range(2))) == []
    assert len(tried) == 1
    assert tried[0] > 1


def test_a_move_without_alternative_is_no_decision() -> None:
    game = GAMES["king"].table(4, {})
    record = greedy_record(game, random.Random(1))
    number, more = count(record)
    found = list(decisions(record))
    assert (number, more) == (len(found), False)
    assert all(
        len(each.observation["legal_moves"]) + len(each.observation["free_moves"]) > 1 for each in found
    )
    assert [each.number for each in found] == list(range(number))
    assert count(record, 10) == (10, True)


def test_moves_of_a_forfeited_seat_are_no_decisions() -> None:
    record = greedy_record(GAMES["durak"].table(2, {}), random.Random(1))
    record["moves"] = [{**move, "by": "forfeit"} if move["seat"] == 0 else move for move in record["moves"]]
    assert {decision.seat for decision in decisions(record)} == {1}


def test_a_few_equal_deals_are_no_certainty() -> None:
    lead = lead_of([1.0] * 20, [1.0] * 20, 1.0)
    assert lead.mean == 0
    assert lead.interval(0.95)[1] > 0.1
    assert lead_of([1.0] * 200, [1.0] * 200, 1.0).interval(0.95)[1] < 0.02


def test_the_interval_contains_the_true_lead_as_often_as_it_says() -> None:
    rng, inside = random.Random(11), 0
    for _ in range(400):
        one = [rng.choice([-1.0, 1.0]) for _ in range(96)]
        other = [rng.choice([-1.0, 1.0]) for _ in range(96)]
        low, high = lead_of(one, other, 1.0).interval(0.95)
        inside += low <= 0 <= high
    assert 370 <= inside <= 396


def test_sums_by_seat_count_mistakes_only() -> None:
    record = greedy_record(GAMES["durak"].table(2, {}), random.Random(1), most=24)
    moves = [reviewed(record, decision, tiny) for decision in decisions(record)]
    sums = by_seat(moves, 2)
    assert sum(line.decisions for line in sums) == len(moves)
    wrong = [move.regret.mean for move in moves if move.regret is not None and move.regret.mistake]
    assert sum(line.mistakes for line in sums) == len(wrong)
    assert sum(line.regret for line in sums) == pytest.approx(sum(wrong), abs=1e-3)

"""The house bots play legally and deterministically in every game, and `greedy` beats `random`."""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Iterator
from typing import Any

import pytest

from bots.house import HOUSE_BOTS
from bots.house.greedy import HEURISTICS, GreedyBot
from bots.house.greedy._bot import choose_in_any_game
from engine.game import Game
from engine.registry import GAMES
from tests.bots.strength import TABLES, measure, play
from tests.engine.lines import covering_tables, random_line

EVERY_TABLE = [
    pytest.param(cls, seats, options, id=f"{name}-{label}")
    for name, cls in GAMES.items()
    for label, seats, options in covering_tables(cls)
]
SLOW_TO_END = {"svoi_kozyri"}
"""Games that random players mostly play up to the turn limit."""
COSTLY = {("svoi_kozyri", 4), ("kryt", 11)}


def questions(game: Game, seed: int, most: int) -> Iterator[tuple[dict[str, Any], list[str]]]:
    """Yield the turns of a random deal, with their free moves."""
    rng = random.Random(seed)
    line = random_line(game, rng.randint(1, game.fixed_deals or 2), rng.randrange(game.seats), rng, most)
    for state, _ in zip(line.states, line.moves, strict=False):
        seat = state.to_move
        moves = (*state.legal, *game.free_moves(state, seat))
        yield game.observe(state, seat), [game.text(state, move) for move in moves]


def test_the_house_bots_are_random_and_greedy() -> None:
    assert {"random", "greedy"} <= HOUSE_BOTS.keys()
    assert all(bot.name == name and bot.version for name, bot in HOUSE_BOTS.items())


@pytest.mark.parametrize("name", HOUSE_BOTS)
@pytest.mark.parametrize(("cls", "seats", "options"), EVERY_TABLE)
def test_house_bots_choose_legal_moves(
    name: str, cls: type[Game], seats: int, options: dict[str, Any]
) -> None:
    game = cls.table(seats, options)
    for seed in range(2):
        for observation, legal in questions(game, seed, 120):
            assert HOUSE_BOTS[name].choose(game, observation, legal, random.Random(0)) in legal


@pytest.mark.parametrize("name", HOUSE_BOTS)
@pytest.mark.parametrize(("cls", "seats", "options"), EVERY_TABLE)
def test_house_bots_are_deterministic_for_the_same_observation_and_rng(
    name: str, cls: type[Game], seats: int, options: dict[str, Any]
) -> None:
    game = cls.table(seats, options)
    asked = list(questions(game, 5, 60))
    before = copy.deepcopy(asked)
    first = [HOUSE_BOTS[name].choose(game, seen, legal, random.Random(1)) for seen, legal in asked]
    assert asked == before
    sent = [(json.loads(json.dumps(seen)), legal) for seen, legal in reversed(asked)]
    again = [HOUSE_BOTS[name].choose(game, seen, legal, random.Random(1)) for seen, legal in sent]
    assert again[::-1] == first


def test_random_finds_every_legal_move() -> None:
    game = GAMES["durak"].table(2, {})
    rng = random.Random(2)
    seen = {HOUSE_BOTS["random"].choose(game, {}, ["take", "beat 6H 7H", "exchange"], rng) for _ in range(60)}
    assert seen == {"take", "beat 6H 7H", "exchange"}


def test_every_heuristic_belongs_to_a_game() -> None:
    assert HEURISTICS.keys() <= GAMES.keys()


@pytest.mark.parametrize("name", ["durak", "kryt"])
def test_greedy_exchanges_whenever_it_can(name: str) -> None:
    game = GAMES[name].table(2, {})
    assert (
        GreedyBot(HEURISTICS).choose(game, {}, ["pickup", "take", "exchange"], random.Random(0)) == "exchange"
    )


def test_greedy_transfers_a_cheap_card_and_keeps_its_trumps_while_there_is_a_talon() -> None:
    game = GAMES["durak"].table(3, {"transfer": True})
    moves = ["take", "beat 7C 9C", "transfer 7D", "transfer 7H"]
    seen = {
        "question": "defend",
        "trump": "H",
        "talon": 9,
        "hand": ["7D", "7H", "9C"],
        "pairs": [["7C", None]],
    }
    rng = random.Random(1)
    assert HOUSE_BOTS["greedy"].choose(game, seen, moves, rng) == "transfer 7D"
    assert HOUSE_BOTS["greedy"].choose(game, seen, moves[:2] + moves[3:], rng) == "beat 7C 9C"


def test_greedy_plays_a_single_move_without_its_heuristic() -> None:
    assert (
        GreedyBot(HEURISTICS).choose(GAMES["king"].table(4, {}), {}, ["play 7C"], random.Random(0))
        == "play 7C"
    )


@pytest.mark.parametrize(("cls", "seats", "options"), EVERY_TABLE)
def test_greedy_plays_legally_in_a_game_without_a_heuristic(
    cls: type[Game], seats: int, options: dict[str, Any]
) -> None:
    game = cls.table(seats, options)
    for observation, legal in questions(game, 6, 60):
        assert choose_in_any_game(game, observation, legal, random.Random(0)) in legal


def test_without_a_heuristic_the_lowest_card_is_played() -> None:
    game = GAMES["king"].table(4, {})
    moves = ["take", "beat 6H TH", "beat 6H 9H"]
    assert choose_in_any_game(game, {}, moves, random.Random(0)) == "beat 6H 9H"


@pytest.mark.parametrize(("cls", "seats", "options"), EVERY_TABLE)
def test_among_greedy_players_a_deal_ends_before_any_turn_limit(
    cls: type[Game], seats: int, options: dict[str, Any]
) -> None:
    game = cls.table(seats, {name: value for name, value in options.items() if name != "turn_limit"})
    greedy = [HOUSE_BOTS["greedy"]] * seats
    for seed in range(2):
        rng = random.Random(seed)
        over = play(
            game, rng.randint(1, game.fixed_deals or 2), rng.sample(game.pack, len(game.pack)), greedy, rng
        )
        assert game.observe(over, None).get("moves_made", 0) < 1000


@pytest.mark.parametrize(
    ("name", "seats", "options"),
    [
        pytest.param(
            *table,
            id="-".join(map(str, table)),
            marks=[pytest.mark.ci] if table[2] or table[:2] in COSTLY else [],
        )
        for table in TABLES
    ],
)
def test_greedy_is_plainly_better_than_random(name: str, seats: int, options: dict[str, Any]) -> None:
    """The confidence interval of its lead, over duplicate decks in every seat, is above zero."""
    found = measure(GAMES[name].table(seats, options), 24 if name in SLOW_TO_END else 100 // seats)
    assert found.lead - found.interval > 0


@pytest.mark.parametrize("number", range(1, 13))
def test_greedy_is_better_than_random_in_each_of_kings_deals(number: int) -> None:
    assert measure(GAMES["king"].table(4, {}), 60, number=number).lead > 0

"""The games pass OpenSpiel's own checks, and its algorithms run on them."""

from __future__ import annotations

import json
import random
import subprocess
import sys
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from typing import Any

import numpy as np
import pyspiel
import pytest
from open_spiel.python.algorithms import (
    ismcts,
    mcts,
)
from open_spiel.python.observation import make_observation

import adapters.open_spiel
from engine.cards import CARD_TEXT
from engine.registry import GAMES
from tests.adapters.tables import ALL, EVERYWHERE, SOME, GivenTable

TINY = "kozyr_svoi_kozyri(layout=besikovich,lowest_rank=T,turn_limit=50)"


@pytest.mark.parametrize("game", GAMES)
def test_a_state_asks_kaggle_to_keep_it_from_agents(game: str) -> None:
    assert pyspiel.load_game(f"kozyr_{game}").new_initial_state().hides_state_from_agents() is True


def load(given: GivenTable) -> Any:
    return pyspiel.load_game(f"kozyr_{given.game}", {"seats": given.seats, **given.options})


def begun(game: Any, seed: int = 0, moves: int = 0) -> Any:
    """Return a state after the deal and a few random moves."""
    rng, state = random.Random(seed), game.new_initial_state()
    while state.is_chance_node() or (moves := moves - 1) >= 0:
        state.apply_action(rng.choice(state.legal_actions()))
    return state


# 1. Loading


def test_every_registered_game_is_registered_with_open_spiel() -> None:
    for game, cls in GAMES.items():
        loaded = pyspiel.load_game(f"kozyr_{game}")
        assert isinstance(loaded, adapters.open_spiel.KozyrGame)
        assert loaded.num_players() == cls.seat_counts[0]
        assert {"seats", *cls.option_schemas} <= set(loaded.get_type().parameter_specification)


@EVERYWHERE
def test_a_game_passes_open_spiels_random_simulation(given: GivenTable) -> None:
    pyspiel.random_sim_test(load(given), num_sims=1, serialize=True, verbose=False)


def test_a_match_of_several_deals_passes_too() -> None:
    game = pyspiel.load_game("kozyr_durak(deals=3,dealer=1,batch_attacks=True,turn_limit=60)")
    assert game.min_utility() == -3
    pyspiel.random_sim_test(game, num_sims=1, serialize=True, verbose=False)


def test_a_process_that_has_loaded_a_game_exits_normally() -> None:
    program = "import pyspiel, adapters.open_spiel; pyspiel.load_game('kozyr_durak').new_initial_state()"
    subprocess.run([sys.executable, "-c", program], check=True, timeout=60)


# 2. States


def test_chance_deals_every_card_once_with_equal_probability() -> None:
    state = pyspiel.load_game("kozyr_king").new_initial_state()
    for left in range(32, 0, -1):
        outcomes = state.chance_outcomes()
        assert len(outcomes) == left
        assert {chance for _, chance in outcomes} == {1 / left}
        state.apply_action(outcomes[left // 2][0])
    assert not state.is_chance_node()
    assert sorted(str(state).split()[1:]) == sorted(
        CARD_TEXT[card] for card in GAMES["king"].table(4, {}).pack
    )


# 3. Observers


def test_the_tensor_of_an_observer_is_made_of_the_fields_of_the_observation() -> None:
    game = pyspiel.load_game("kozyr_durak")
    state, observation = begun(game, seed=3), make_observation(game)
    observation.set_from(state, 1)
    held = {
        CARD_TEXT[card]
        for card, there in zip(game.table.game.pack, observation.dict["hand"], strict=True)
        if there
    }
    assert held == set(state.position.observe(1)["hand"])
    assert np.array_equal(observation.tensor, state.observation_tensor(1))
    assert observation.string_from(state, 1) == state.observation_string(1)


def test_an_observer_of_private_information_alone_sees_what_a_spectator_does_not() -> None:
    game = pyspiel.load_game("kozyr_durak")
    alone = pyspiel.IIGObservationType(
        public_info=False, perfect_recall=False, private_info=pyspiel.PrivateInfoType.SINGLE_PLAYER
    )
    state, observation = begun(game, seed=4), make_observation(game, alone)
    observation.set_from(state, 1)
    private = json.loads(observation.string_from(state, 1))
    assert {**state.position.observe(None), **private} == state.position.observe(1)
    assert private["hand"] == state.position.observe(1)["hand"]
    assert "scores" not in private
    assert observation.dict["hand"].sum() == len(private["hand"])
    assert observation.tensor.sum() == sum(
        observation.dict[name].sum() for name in private if name in observation.dict
    )


@pytest.mark.parametrize(
    ("public", "private", "why"),
    [(True, "ALL_PLAYERS", "all players"), (False, "NONE", "without public information")],
)
def test_an_observer_of_too_much_or_of_nothing_is_refused(public: bool, private: str, why: str) -> None:
    kind = pyspiel.IIGObservationType(
        public_info=public, perfect_recall=False, private_info=getattr(pyspiel.PrivateInfoType, private)
    )
    with pytest.raises(ValueError, match=why):
        pyspiel.load_game("kozyr_durak").make_py_observer(kind)


def test_an_information_state_tensor_is_refused_with_what_to_take_instead() -> None:
    """An empty tensor gives networks without inputs, which train in silence."""
    game = pyspiel.load_game(TINY)
    assert not game.get_type().provides_information_state_tensor
    for state in (game.new_initial_state(), begun(game)):
        for arguments in ((), (0,)):
            with pytest.raises(ValueError, match="observation_tensor"):
                state.information_state_tensor(*arguments)


# 4. Tools and processes


def test_another_process_plays_on_with_a_game_and_a_state() -> None:
    """A new process has not imported the module that registers the games."""
    state = begun(pyspiel.load_game(TINY), seed=2)
    with ProcessPoolExecutor(1, get_context("spawn")) as others:
        assert others.submit(str, state.get_game()).result(60) == str(state.get_game())
        assert others.submit(str, state).result(60) == str(state)


# 5. Returns


@pytest.mark.parametrize("given", [each for each in SOME.values() if not GAMES[each.game].zero_sum])
def test_the_returns_of_a_zero_sum_game_are_the_scores_less_their_mean(given: GivenTable) -> None:
    game = pyspiel.load_game(f"kozyr_{given.game}", {"seats": given.seats, "zero_sum": True, **given.options})
    assert game.get_type().utility == pyspiel.GameType.Utility.ZERO_SUM
    assert game.utility_sum() == 0
    pyspiel.random_sim_test(game, num_sims=1, serialize=True, verbose=False)
    state, rng = game.new_initial_state(), random.Random(3)
    while not state.is_terminal():
        state.apply_action(rng.choice(state.legal_actions()))
    scores = state.position.state.scores
    assert state.returns() == [score - sum(scores) / len(scores) for score in scores]


# 6. Algorithms


@pytest.mark.parametrize("name", [f"kozyr_{game}" for game in GAMES])
def test_information_set_monte_carlo_plays_a_legal_move_in_every_game(name: str) -> None:
    limited = "turn_limit" in pyspiel.load_game(name).get_type().parameter_specification
    game = pyspiel.load_game(name, {"turn_limit": 50} if limited else {})
    evaluator = mcts.RandomRolloutEvaluator(n_rollouts=1, random_state=np.random.RandomState(1))
    bot = ismcts.ISMCTSBot(
        game=game,
        evaluator=evaluator,
        uct_c=2,
        max_simulations=4,
        random_state=np.random.RandomState(2),
    )
    state = begun(game, seed=7, moves=5)
    assert bot.step(state) in state.legal_actions()


@pytest.mark.parametrize("given", ALL.values(), ids=ALL.keys())
def test_a_resampled_state_looks_the_same_to_its_player(given: GivenTable) -> None:
    state = begun(load(given), seed=8, moves=3)
    player = state.current_player()
    other = state.resample_from_infostate(player, random.Random(9).random)
    assert other.information_state_string(player) == state.information_state_string(player)
    assert other.observation_tensor(player) == state.observation_tensor(player)
    assert other.legal_actions() == state.legal_actions()
    assert len(other.history()) == len(state.history())

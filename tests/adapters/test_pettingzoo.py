"""The games pass PettingZoo's own checks."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from pettingzoo.test import api_test, seed_test
from pettingzoo.test.render_test import collect_render_results

from adapters.pettingzoo import KozyrEnv, env
from engine.game import BadTable, IllegalMove
from engine.registry import GAMES
from tests.adapters.tables import EVERYWHERE, SOME, GivenTable

EXPECTED = (
    "Observation is not a NumPy array",
    "Observation space for each agent probably should be gymnasium.spaces.box",
)
"""The warning of `api_test` for every environment with a mask in its observations, except PettingZoo's own."""


def of(given: GivenTable, **more: object) -> object:
    return env(given.game, seats=given.seats, options=given.options, **more)


@EVERYWHERE
def test_a_game_passes_pettingzoos_api_test_without_another_warning(given: GivenTable) -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        api_test(of(given), num_cycles=40)
    assert not [one for one in caught if not str(one.message).startswith(EXPECTED)]


@pytest.mark.parametrize("given", SOME.values(), ids=SOME.keys())
def test_a_game_passes_pettingzoos_seed_test(given: GivenTable) -> None:
    seed_test(lambda: of(given), num_cycles=30)


@pytest.mark.parametrize("game", GAMES)
def test_the_rewards_of_a_match_are_its_scores(game: str) -> None:
    playing = env(game, render_mode="ansi")
    playing.reset(seed=1)
    match = playing.unwrapped
    sums = dict.fromkeys(match.possible_agents, 0.0)
    rng = np.random.default_rng(2)
    for agent in playing.agent_iter():
        seen, reward, terminated, truncated, _ = playing.last()
        sums[agent] += reward
        assert not truncated
        playing.step(None if terminated else int(rng.choice(np.flatnonzero(seen["action_mask"]))))
    assert list(sums.values()) == list(match.position.state.scores)
    assert match.position.state.number == (GAMES[game].fixed_deals or 1)


@pytest.mark.parametrize("game", GAMES)
def test_the_rewards_of_a_zero_sum_environment_sum_to_zero_after_each_step(game: str) -> None:
    playing = env(game, seats=max(GAMES[game].seat_counts), zero_sum=True)
    playing.reset(seed=1)
    match = playing.unwrapped
    sums = dict.fromkeys(match.possible_agents, 0.0)
    rng = np.random.default_rng(2)
    for _ in playing.agent_iter():
        seen, _, terminated, _, _ = playing.last()
        playing.step(None if terminated else int(rng.choice(np.flatnonzero(seen["action_mask"]))))
        if not terminated:
            assert sum(match.rewards.values()) == pytest.approx(0)
            for agent, reward in match.rewards.items():
                sums[agent] += reward
    scores = match.position.state.scores
    assert list(sums.values()) == pytest.approx([score - sum(scores) / len(scores) for score in scores])


def test_a_seed_repeats_the_decks_and_no_seed_deals_new_ones() -> None:
    one, other = KozyrEnv("durak"), KozyrEnv("durak")
    decks = []
    for playing, seed in (
        (one, 1),
        (other, 1),
        (one, None),
        (other, None),
        (one, 1),
        (KozyrEnv("durak"), None),
    ):
        playing.reset(seed=seed)
        decks.append(playing.position.record())
    assert decks[0] == decks[1] == decks[4]
    assert decks[2] == decks[3] != decks[0]
    assert decks[5] not in decks[:5]


def test_an_illegal_action_is_refused_and_changes_nothing() -> None:
    playing = env("kryt")
    playing.reset(seed=4)
    mask = playing.observe(playing.agent_selection)["action_mask"]
    before = playing.unwrapped.position
    with pytest.raises(IllegalMove):
        playing.step(int(np.flatnonzero(mask == 0)[0]))
    with pytest.raises(ValueError, match="must take an action"):
        playing.unwrapped.step(None)
    assert playing.unwrapped.position is before


@pytest.mark.parametrize("game", GAMES)
def test_a_game_is_rendered_as_text_that_shows_no_hand(game: str) -> None:
    texts = collect_render_results(env(game, render_mode="ansi"))
    assert len(texts) > 1
    assert all(isinstance(text, str) and "hand: []" in text for text in texts)


def test_an_unsupported_table_is_refused() -> None:
    for wrong in ({"seats": 9}, {"deals": 0}, {"dealer": 2}, {"options": {"teams": True}}):
        with pytest.raises(BadTable):
            env("durak", **wrong)
    with pytest.raises(ValueError, match="ansi"):
        env("durak", render_mode="human")

"""The search bot is deterministic, sees no hidden card, uses up its budget, and beats the other house bots."""

from __future__ import annotations

import json
import math
import random
from collections.abc import Iterator
from statistics import fmean, stdev
from typing import Any

import pytest

from bots.house import HOUSE_BOTS
from bots.house.greedy import HEURISTICS, GreedyBot
from bots.search import Iterations, SearchBot, Seconds
from bots.search.policies import POLICIES
from bots.search.policies._king import KingDeal
from bots.search.policies._open_piles import IN_PROGRESS
from bots.search.race import LONGEST, Playouts, Race, playout
from bots.solver import TooLong
from engine.game import NOBODY, Game
from engine.pile import PICKUP
from engine.registry import GAMES
from tests.bots.search_strength import PlayedDeal, measure, play, questions
from tests.bots.test_search_determinization import EVERY_TABLE, a_deal, determinized_events, determinizer_for

BOT = SearchBot("search", Iterations(12))


class CountingClock:
    """A clock that advances by one tick with each reading."""

    def __init__(self, tick: float) -> None:
        self.now, self.tick, self.rested = 100.0, tick, 0.0

    def __call__(self) -> float:
        self.now += self.tick
        return self.now

    def rest(self, seconds: float) -> None:
        self.rested += seconds
        self.now += seconds


def think(deal: PlayedDeal, bot: SearchBot = BOT, seed: int = 1) -> str:
    _, _, seen, legal, history = deal.asked(deal.state.to_move)
    return bot.think(deal.game, seen, legal, history, random.Random(seed))


def begun(name: str, seats: int, options: dict[str, Any] | None = None, seed: int = 1) -> PlayedDeal:
    game, rng = GAMES[name].table(seats, options or {}), random.Random(seed)
    return PlayedDeal(game, 2, 0, rng.sample(game.pack, len(game.pack)))


def test_every_game_has_a_policy_and_every_policy_a_game() -> None:
    assert POLICIES.keys() == GAMES.keys()


@pytest.mark.parametrize(("cls", "seats", "options"), EVERY_TABLE)
def test_the_choice_is_legal_and_deterministic_for_the_same_rng(
    cls: type[Game], seats: int, options: dict[str, Any]
) -> None:
    for step, deal in enumerate(a_deal(cls, seats, options, seed=6)):
        if step > 50:
            break
        if step % 40 == 5:
            _, _, seen, legal, history = deal.asked(deal.state.to_move)
            sent = json.loads(json.dumps([seen, legal, history]))
            answer = think(deal)
            assert answer in legal
            assert BOT.think(deal.game, *sent, random.Random(1)) == answer
            assert [seen, legal, history] == sent


@pytest.mark.parametrize("name", GAMES)
def test_hidden_cards_do_not_change_the_choice(name: str) -> None:
    """In two deals that differ only in cards hidden from the seat, the same `rng` leads to the same choice."""
    game = GAMES[name].table(4, {})
    rng = random.Random(3)
    different = 0
    for step, deal in enumerate(questions(game, 1, 0, rng.sample(game.pack, len(game.pack)), rng)):
        if step > 40 or (step > 24 and name == "king"):
            break
        if step % 6 == 2:
            seat = deal.state.to_move
            other = determinizer_for(deal, seat).draw(rng)
            different += other != deal.state
            seen = game.observe(other, seat)
            legal = [game.text(other, move) for move in (*other.legal, *game.free_moves(other, seat))]
            history = determinized_events(determinizer_for(deal, seat), deal.histories[seat], rng)
            assert BOT.think(game, seen, legal, history, random.Random(5)) == think(deal, seed=5)
    assert different >= 3


@pytest.mark.parametrize("name", GAMES)
def test_a_time_budget_is_always_used_up_and_exceeded_by_at_most_a_playout(
    name: str,
) -> None:
    deal = begun(name, 4)
    _, _, seen, legal, history = deal.asked(deal.state.to_move)
    for moves in (legal, legal[:1]):
        clock = CountingClock(0.001)
        bot = SearchBot("search", Seconds(0.1, clock, clock.rest))
        assert bot.think(deal.game, seen, moves, history, random.Random(1)) in moves
        assert clock.now - 100.0 == pytest.approx(0.1, abs=0.004)
        assert clock.rested < 0.02


def test_an_ending_that_takes_too_long_to_solve_does_not_exceed_the_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    clock, tried = CountingClock(0.0001), []

    def slow(game: Game, state: Any, nodes: int) -> dict[int, tuple[int, int]]:
        tried.append(nodes)
        clock.rest(nodes * 1e-5)
        raise TooLong

    monkeypatch.setattr("bots.search.bot.bounds", slow)
    deal = begun("durak", 2)
    _, _, seen, legal, history = deal.asked(deal.state.to_move)
    for seconds in (0.003, 0.05):
        began, clock.rested = clock.now, 0.0
        tried.clear()
        SearchBot("search", Seconds(seconds, clock, clock.rest)).think(
            deal.game, seen, legal, history, random.Random(1)
        )
        assert clock.now - began == pytest.approx(seconds, abs=0.001)
        assert min(tried) > 0
        assert sum(tried[1:]) * 1e-5 < 0.95 * seconds


def test_an_inconsistent_history_logs_a_warning_and_falls_back_to_greedy_within_the_budget(
    caplog: pytest.LogCaptureFixture,
) -> None:
    deal = begun("durak", 3)
    _, _, seen, legal, _ = deal.asked(deal.state.to_move)
    greedy = HOUSE_BOTS["greedy"].choose(deal.game, seen, legal, random.Random(1))
    clock = CountingClock(0.001)
    bot = SearchBot("search", Seconds(0.5, clock, clock.rest))
    assert bot.think(deal.game, seen, legal, [], random.Random(1)) == greedy
    assert "as greedy:" in caplog.text
    assert clock.now - 100.0 == pytest.approx(0.5, abs=0.004)


def test_a_game_without_a_policy_is_played_as_greedy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bots.search.bot.POLICIES", {})
    deal = begun("king", 4)
    _, _, seen, legal, _ = deal.asked(deal.state.to_move)
    assert think(deal) == HOUSE_BOTS["greedy"].choose(deal.game, seen, legal, random.Random(1))


def test_without_a_significant_lead_the_first_move_is_played() -> None:
    deal = begun("durak", 2)
    game, seat, rng = deal.game, deal.state.to_move, random.Random(1)
    moves = deal.state.legal
    playouts = Playouts(game, POLICIES["durak"], rng)
    worlds = determinizer_for(deal, seat)
    for first in (moves[0], moves[-1]):
        race = Race(game, seat, [first, *moves], playouts, dare=99.0)
        assert race.run(lambda: worlds.draw(rng), Iterations(40).start()) == first


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("seed", range(3))
def test_playout_policies_play_deals_to_the_end(name: str, seed: int) -> None:
    for seats in {min(GAMES[name].seat_counts), max(GAMES[name].seat_counts)}:
        deal = begun(name, seats, seed=seed)
        player = POLICIES[name].player(deal.game, random.Random(seed))
        over = playout(deal.game, deal.state, player, 1000)
        assert over.to_move == NOBODY
        playouts = Playouts(deal.game, POLICIES[name], random.Random(seed), depth=LONGEST)
        assert playouts.points(over) == deal.game.returns(over)
        assert sum(playouts.values(playouts.points(deal.state))) == pytest.approx(0.0)


def king_deals(decks: int) -> Iterator[Any]:
    """Yield deals of King after their declarations, each contract in turn."""
    game, rng = GAMES["king"].table(4, {}), random.Random(3)
    for number in range(decks):
        state = game.deal(number % 12 + 1, number % 4, rng.sample(game.pack, len(game.pack)))
        yield game.play(state, state.to_move, rng.choice(state.legal)) if state.terms.stock else state


def test_an_estimate_in_king_is_what_the_policy_gets() -> None:
    game, policy, rng = GAMES["king"].table(4, {}), POLICIES["king"], random.Random(4)
    for state in king_deals(60):
        for _ in range(rng.randrange(25)):
            state = game.play(state, state.to_move, rng.choice(state.legal))
        estimate = policy.estimate(game, state)
        while state.to_move != NOBODY:
            state = game.play(state, state.to_move, KingDeal(state, fitted=True).card())
        assert estimate is not None
        assert tuple(estimate) == game.returns(state)


def test_in_doubt_king_plays_by_the_fitted_weights() -> None:
    deal = begun("king", 4)
    while deal.state.to_move != NOBODY:
        chosen = deal.game.text(deal.state, KingDeal(deal.state, fitted=True).card())
        assert think(deal, SearchBot("search", Iterations(1))) == chosen
        deal.play(deal.state.to_move, random.Random(1).choice(deal.state.legal))


def test_the_fitted_weights_of_king_beat_those_of_greedy() -> None:
    game, gains = GAMES["king"].table(4, {}), []
    for begun in king_deals(240):
        own, points = begun.to_move, []
        for fitted in (True, False):
            state = begun
            while state.to_move != NOBODY:
                card = KingDeal(state, fitted and state.to_move == own).card()
                state = game.play(state, state.to_move, card)
            points.append(game.returns(state)[own])
        gains.append(points[0] - points[1])
    assert fmean(gains) > 2 * stdev(gains) / math.sqrt(len(gains))


def test_bold_throws_beat_those_of_greedy_in_teams() -> None:
    game, policy, rng = GAMES["durak"].table(4, {"teams": True}), POLICIES["durak"], random.Random(2)
    bold, thrifty, leads = policy.racer(game, rng), policy.player(game, rng), []
    for _ in range(80):
        deck, lead = rng.sample(game.pack, len(game.pack)), 0
        for side in (0, 1):
            state = game.deal(2, 0, deck)
            while state.to_move != NOBODY:
                player = bold if state.to_move % 2 == side else thrifty
                state = game.play(state, state.to_move, player(state))
            lead += game.returns(state)[side] - game.returns(state)[1 - side]
        leads.append(lead)
    assert fmean(leads) > 2 * stdev(leads) / math.sqrt(len(leads))


def test_in_doubt_durak_for_three_throws_boldly() -> None:
    deal = begun("durak", 3)
    while deal.state.bout.left:
        if len(deal.state.legal) > 1 and not deal.game.free_moves(deal.state, deal.state.to_move):
            chosen = POLICIES["durak"].default(deal.game, deal.state)
            assert think(deal, SearchBot("search", Iterations(1))) == deal.game.text(deal.state, chosen)
        deal.play(deal.state.to_move, random.Random(1).choice(deal.state.legal))


def test_a_playout_of_king_without_fitted_weights_plays_as_greedy() -> None:
    """Only ties are resolved differently, in a miser."""
    game, greedy, rng = GAMES["king"].table(4, {}), GreedyBot(HEURISTICS), random.Random(5)
    alike = []
    for state in king_deals(24):
        while state.to_move != NOBODY:
            seat, card = state.to_move, KingDeal(state, fitted=False).card()
            legal = [game.text(state, move) for move in state.legal]
            chosen = greedy.choose(game, game.observe(state, seat), legal, rng)
            alike.append(game.text(state, card) == chosen)
            state = game.play(state, seat, card)
    assert fmean(alike) > 0.97


@pytest.mark.parametrize(
    "options",
    [{"turn_limit": 50}, {"pickup": "whole_pile", "lowest_rank": "2"}, {"layout": "besikovich"}],
    ids=["modern", "whole_pile", "besikovich"],
)
def test_the_positions_of_the_tree_keep_to_the_rules(options: dict[str, Any]) -> None:
    game, rng, results = GAMES["svoi_kozyri"].table(2, options), random.Random(7), set()
    policy = POLICIES[game.id]
    for _ in range(20):
        state = game.deal(1, rng.randrange(2), rng.sample(game.pack, len(game.pack)))
        piles = policy.position(game, state, rng)
        assert piles is not None
        assert piles.play_on() in (-1, 0, 1)
        while state.to_move != NOBODY:
            seat, moves = state.to_move, piles.candidates()
            assert piles.count() == len(state.legal)
            assert len(moves) == len(set(moves))
            assert set(moves) <= set(state.legal)
            assert PICKUP in moves or PICKUP not in state.legal
            assert piles.result == IN_PROGRESS
            move = rng.choice(moves)
            state = game.play(state, seat, move)
            piles.play(move)
        points = game.returns(state)
        assert piles.result == points[seat] - points[1 - seat]
        results.add(piles.result)
    assert results >= {0, 1}


@pytest.mark.parametrize(
    ("name", "seats", "options"),
    [("durak", 2, {}), ("kryt", 2, {}), ("kryt", 3, {}), ("svoi_kozyri", 4, {})],
)
def test_estimates_foretell_who_loses(name: str, seats: int, options: dict[str, Any]) -> None:
    """Guessing all seats alike errs by some amount on average; the estimates of deals in progress err by less."""
    game, rng = GAMES[name].table(seats, options), random.Random(1)
    policy = POLICIES[name]
    player = policy.player(game, rng)
    gained = 0.0
    for _ in range(150):
        state, found = game.deal(2, 0, rng.sample(game.pack, len(game.pack))), []
        while state.to_move != NOBODY:
            found.append(policy.estimate(game, state))
            state = game.play(state, state.to_move, player(state))
        points = game.returns(state)
        losers = len(set(game.sides))
        for estimate in found[1:] if any(points) else ():
            if estimate is not None:
                assert all(-1 <= guess <= 0 for guess in estimate)
                for point, guess in zip(points, estimate, strict=True):
                    gained += (point + 1 / losers) ** 2 - (point - guess) ** 2
    assert gained > 0


@pytest.mark.parametrize(
    ("name", "seats", "options", "decks"),
    [
        ("durak", 2, {}, 3),
        ("kryt", 2, {}, 6),
        ("svoi_kozyri", 2, {}, 4),
        ("svoi_kozyri", 2, {"layout": "besikovich"}, 4),
        ("king", 4, {}, 12),
    ],
    ids=["durak", "kryt", "svoi_kozyri", "besikovich", "king"],
)
def test_with_a_few_playouts_search_clearly_beats_random(
    name: str, seats: int, options: dict[str, Any], decks: int
) -> None:
    found = measure(GAMES[name].table(seats, options), decks, Iterations(10), other="random")
    assert found.lead - found.interval > 0


@pytest.mark.soak
@pytest.mark.parametrize(("name", "decks"), [("durak", 24), ("svoi_kozyri", 20)])
def test_with_more_playouts_search_beats_greedy(name: str, decks: int) -> None:
    found = measure(GAMES[name].table(2, {}), decks, Iterations(64))
    assert found.lead - found.interval > 0


def test_search_bots_play_a_whole_deal() -> None:
    deal = begun("king", 4)
    over = play(deal, BOT, range(4), HOUSE_BOTS["greedy"], random.Random(1))
    assert over.to_move == NOBODY

"""House bots that move in the loop of the engine play as if they were asked move by move with whole views."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random
from typing import Any

import pytest

from bots.house import HOUSE_BOTS
from engine.game import Game, IllegalMove, NotAMove
from engine.match import Match, MatchState, PlayedMove
from engine.registry import GAMES
from tests.engine.lines import covering_tables

MOST = 120
EVERY_TABLE = [
    pytest.param(cls, seats, options, id=f"{name}-{label}")
    for name, cls in GAMES.items()
    for label, seats, options in covering_tables(cls)
]


def dealt(game: Game, seed: int) -> tuple[Match, MatchState]:
    """Return a match and its state after a random deal."""
    match, rng = Match(game, dealer=seed % game.seats), Random(seed)
    return match, match.deal(match.begin(), rng.sample(game.pack, len(game.pack)))


def one_by_one(
    match: Match, state: MatchState, names: Sequence[str], rng: Random
) -> tuple[MatchState, list[PlayedMove]]:
    """Play like `Match.play_on`, with whole views and by the text of each move."""
    played: list[PlayedMove] = []
    while state.deal is not None and not state.over and len(played) < MOST:
        seat = int(state.deal.to_move)
        seen = match.view(state, seat)
        text = HOUSE_BOTS[names[seat]].choose(match.game, seen, seen["legal_moves"], rng)
        move = match.parse(state, seat, text)
        played.append((seat, text, match.answers(state, seat, move)))
        state = match.play(state, seat, move)
    return state, played


@pytest.mark.parametrize(("cls", "seats", "options"), EVERY_TABLE)
def test_the_loop_and_single_moves_lead_to_the_same_state_by_the_same_moves(
    cls: type[Game], seats: int, options: dict[str, Any]
) -> None:
    game = cls.table(seats, options)
    for seed, order in enumerate([("greedy", "random"), ("random", "greedy"), ("greedy", "greedy")]):
        names = [order[seat % 2] for seat in range(seats)]
        match, state = dealt(game, seed)
        players = [HOUSE_BOTS[name] for name in names]
        assert match.play_on(state, players, Random(seed), MOST) == one_by_one(
            match, state, names, Random(seed)
        )


@pytest.mark.parametrize(("cls", "seats", "options"), EVERY_TABLE)
def test_a_glance_has_the_fields_of_the_observation_and_those_that_are_known(
    cls: type[Game], seats: int, options: dict[str, Any]
) -> None:
    game = cls.table(seats, options)
    match, state = dealt(game, 7)
    for most in (0, 5, 9, 20):
        after, _ = match.play_on(state, [HOUSE_BOTS["random"]] * seats, Random(most), most)
        for seat in (*range(seats), None) if after.deal is not None else ():
            glance = game.glance(after.deal, seat, {"legal_moves": ["take"]})
            assert dict(glance) == {**game.observe(after.deal, seat), "legal_moves": ["take"]}
            assert len(glance) == len(dict(glance))
            assert (glance.get("legal_moves"), glance.get("seat"), glance.get("x", 3)) == (["take"], seat, 3)


class Stubborn:
    """A player that always makes the same move, by its place or its text, and notes what it was shown."""

    def __init__(self, text: str = "", *, place: int | None = None) -> None:
        self.text, self.place = text, place
        self.offered: list[int] = []
        self.shown: list[set[str]] = []

    def pick(self, moves: int, rng: Random) -> int | None:
        self.offered.append(moves)
        return self.place

    def choose(
        self, game: Game, observation: Mapping[str, Any], legal_moves: Sequence[str], rng: Random
    ) -> str:
        self.shown.append(set(observation))
        return self.text or legal_moves[0]


def test_the_loop_stops_at_a_seat_without_a_player_and_after_the_given_number_of_moves() -> None:
    match, state = dealt(GAMES["durak"].table(2, {}), 1)
    first = state.to_move
    players: list[Stubborn | None] = [None, None]
    assert match.play_on(state, players, Random(0), 9) == (state, [])
    players[first] = Stubborn()
    after, played = match.play_on(state, players, Random(0), 9)
    assert (len(played), after.to_move) == (1, 1 - first)
    both = [Stubborn(), Stubborn()]
    assert len(match.play_on(state, both, Random(0), 3)[1]) == 3


def test_a_player_that_picks_a_place_is_shown_nothing_and_makes_that_move() -> None:
    match, state = dealt(GAMES["durak"].table(2, {}), 1)
    legal = match.legal_texts(state, state.to_move)
    for place, text in enumerate(legal):
        picks = Stubborn(place=place)
        assert match.play_on(state, [picks, picks], Random(0), 1)[1] == [(state.to_move, text, True)]
        assert (picks.offered, picks.shown) == ([len(legal)], [])
    chooses = Stubborn()
    match.play_on(state, [chooses, chooses], Random(0), 1)
    assert (chooses.offered, chooses.shown) == ([len(legal)], [set(match.view(state, state.to_move))])


def test_the_places_after_those_of_the_legal_moves_are_free_moves() -> None:
    dealt_cards = (dealt(GAMES["durak"].table(2, {}), seed) for seed in range(1000))
    match, state = next(each for each in dealt_cards if each[0].free(each[1], each[1].to_move))
    seat = state.to_move
    picks = Stubborn(place=len(match.legal(state, seat)))
    assert match.play_on(state, [picks, picks], Random(0), 1)[1] == [
        (seat, match.free_texts(state, seat)[0], False)
    ]


@pytest.mark.parametrize(("text", "error"), [("take", IllegalMove), ("nothing", NotAMove)])
def test_what_is_no_move_of_the_seat_is_refused(text: str, error: type[Exception]) -> None:
    match, state = dealt(GAMES["durak"].table(2, {}), 1)
    player = Stubborn(text)
    with pytest.raises(error):
        match.play_on(state, [player, player], Random(0), 1)

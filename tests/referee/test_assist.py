"""What a match shows of the legal moves: the same moves are legal, whatever it shows."""

from __future__ import annotations

import copy
from random import Random
from typing import Any

import pytest

from engine.cards import CARD_TEXT
from engine.registry import GAMES
from records.errors import MoveNotLegal, NotAMoveText
from records.match import views
from records.match.assist import ASSISTS, LIST, factored, shown_moves
from records.match.move_requests import MoveRequest
from records.match.session import match_of
from records.ratings.recompute import Recomputation
from records.results.group_result import played_of_record
from records.verify import verify
from records.words.turn import turn_text
from tests.referee.world import World, remote, short

OTHERS = [each for each in ASSISTS if each != LIST]


def legal(world: World, match: str) -> tuple[list[str], list[str]]:
    """Return the legal and free moves of the seat to move, by the rules."""
    loaded = world.look(match)
    rules = match_of(loaded.config, loaded.progress.first_dealer or 0)
    seat = loaded.progress.to_move
    assert seat is not None
    return rules.legal_texts(loaded.state, seat), rules.free_texts(loaded.state, seat)


def make(world: World, match: str, move: str, *, free: bool = False) -> None:
    loaded = world.look(match)
    turn, deal = (None, loaded.progress.number) if free else (loaded.progress.turn, None)
    world.referee.moves.move(f"bot-{loaded.progress.to_move}", MoveRequest(match, move, turn, deal))


def play_out(world: World, match: str, check: Any = lambda: None) -> dict[str, Any]:
    """Play a match to its end by the rules, and return its record."""
    rng = Random(4)
    while not world.look(match).finished:
        check()
        answers, free = legal(world, match)
        move = rng.choice([*answers, *free])
        make(world, match, move, free=move in free)
    return world.referee.record(world.look(match)).to_json()


def seen_by_mover(world: World, match: str) -> dict[str, Any]:
    loaded = world.look(match)
    assert loaded.progress.to_move is not None
    return views.turn_view(loaded, loaded.progress.to_move)["observation"]


@pytest.mark.parametrize("game", GAMES)
def test_factored_moves_are_exactly_the_legal_ones(world: World, game: str) -> None:
    match = world.match(min(GAMES[game].seat_counts), game, assist="factored", **short(game))

    def check() -> None:
        seen, (answers, free) = seen_by_mover(world, match), legal(world, match)
        stated = [move for form in shown_moves(seen) for move in form.expanded()]
        assert sorted(stated) == sorted(answers)
        assert (seen["legal_moves"], seen["free_moves"]) == ([], free)

    play_out(world, match, check)


@pytest.mark.parametrize("game", GAMES)
def test_a_match_without_assist_shows_no_move_anywhere(world: World, game: str) -> None:
    match = world.match(min(GAMES[game].seat_counts), game, assist="none", **short(game))
    read = [0]

    def check() -> None:
        loaded, (answers, free) = world.look(match), legal(world, match)
        seen = seen_by_mover(world, match)
        assert (seen["legal_moves"], seen["free_moves"]) == ([], [])
        assert "factored_moves" not in seen
        for frame in world.referee.frames(loaded, loaded.progress.to_move, read[0], 1000):
            read[0] = frame.number
            assert (frame.observation["legal_moves"], frame.observation["free_moves"]) == ([], [])
        for text, error in (("nonsense", NotAMoveText), (_of_the_game(game, answers, free), MoveNotLegal)):
            with pytest.raises(error) as refused:
                make(world, match, text)
            assert (refused.value.details["legal_moves"], refused.value.details["free_moves"]) == ([], [])

    play_out(world, match, check)


def _of_the_game(game: str, answers: list[str], free: list[str]) -> str:
    """Return a move of the game that is not legal now."""
    rules, pack = GAMES[game], GAMES[game].table(min(GAMES[game].seat_counts), {}).pack
    moves = [f"{verb} {CARD_TEXT[card]}" for verb in ("play", "attack", "lead", "take") for card in pack]
    return next(
        each for each in moves if each.partition(" ")[0] in rules.verbs and each not in [*answers, *free]
    )


@pytest.mark.parametrize("assist", ASSISTS)
def test_words_say_what_the_json_says(world: World, assist: str) -> None:
    hand = " ".join(f"{rank}C" for rank in "6789TJQKA")
    moves = [
        "pickup",
        *(f"beat {one} {other}" for one in hand.split() for other in hand.split() if one != other),
    ]
    match = world.match(2, "kryt", assist=assist)
    turn = views.turn_view(world.look(match), world.look(match).progress.to_move or 0)
    turn["observation"] |= {"legal_moves": moves if assist == LIST else [], "free_moves": []}
    if assist == "factored":
        turn["observation"]["factored_moves"] = [form.to_json() for form in factored(moves)]
    lines = turn_text(turn, {"game": "kryt", "seats": 2, "options": {}}, []).split("\n")
    if assist == "none":
        assert lines[-1] == "Answer with one move. This match lists none."
    else:
        assert lines[-3:] == [
            "Answer with one move:",
            "pickup",
            "beat X Y, X one of C 6789TJQKA, Y another card of C 6789TJQKA",
        ]


@pytest.mark.parametrize("assist", OTHERS)
def test_results_with_another_assist_are_rated_apart(world: World, assist: str) -> None:
    with Recomputation() as recount:
        for each in (LIST, assist):
            record = play_out(world, world.match([remote(0), remote(1)], assist=each))
            assert record.get("assist", LIST) == each
            assert verify(record) == []
            played = played_of_record(record)
            assert played is not None
            recount.add(played)
        assert recount.presets() == ["durak/2@blitz", f"durak/2@blitz@{assist}"]


def test_a_record_can_not_hide_its_assist(world: World) -> None:
    record = play_out(world, world.match(2, assist="none"))
    without = copy.deepcopy(record)
    del without["assist"]
    for tampered in (without, {**record, "assist": "factored"}, {**record, "preset": "durak/2"}):
        assert [found.where for found in verify(tampered)] == ["preset"]
    assert [found.where for found in verify({**record, "assist": LIST})] == ["assist"]

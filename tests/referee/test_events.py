"""Events: the same numbers without gaps for every viewer, with the fields that the viewer may see."""

from __future__ import annotations

from itertools import pairwise

import pytest

from engine.game import Move
from engine.match import Match, MatchState
from engine.registry import GAMES
from referee.errors import EventsNotReady
from referee.running import replays
from tests.referee.world import ManualClock, World, short

ALL = 1_000_000


def events(world: World, match: str, viewer: int | None, after: int = 0) -> list[dict[str, object]]:
    return world.referee.events(world.look(match), viewer, after, ALL)


@pytest.mark.parametrize("game", list(GAMES))
def test_event_numbers_have_no_gaps_and_are_the_same_for_everybody(world: World, game: str) -> None:
    seats = min(GAMES[game].seat_counts)
    match = world.match(seats, game=game, **short(game))
    world.play_out(match, 70)
    seen = [events(world, match, viewer) for viewer in (None, *range(seats))]
    for one in seen:
        assert [event["n"] for event in one] == list(range(1, len(seen[0]) + 1))
        assert [event["type"] for event in one] == [event["type"] for event in seen[0]]
    for spectators, own in zip(seen[0], seen[1], strict=True):
        assert {**own, **spectators} == own, "a seat sees everything that spectators see"


@pytest.mark.parametrize("game", list(GAMES))
def test_events_of_a_running_match_are_a_prefix_of_the_final_ones(world: World, game: str) -> None:
    match = world.match(min(GAMES[game].seat_counts), game=game, **short(game))
    parts: dict[int | None, list[dict[str, object]]] = {None: [], 0: [], 1: []}
    while not world.look(match).finished:
        world.play_out(match, 130)
        for viewer, known in parts.items():
            known += events(world, match, viewer, len(known))
    for viewer, known in parts.items():
        assert known == events(world, match, viewer)
        assert known[0]["type"] == "started"
        assert known[-1] == {
            "n": len(known),
            "type": "match_over",
            "ending": "rules",
            "scores": list(world.look(match).progress.scores),
        }


def test_a_move_event_has_its_turn_time_and_author(world: World, clock: ManualClock) -> None:
    match = world.match(3)
    clock.advance(70)
    move = world.act(match)
    clock.advance(5_000)
    world.look(match)
    moves = [event for event in events(world, match, None) if event["type"] == "move"]
    assert {**moves[0], "n": 0} == {
        "n": 0,
        "type": "move",
        "seat": move.seat,
        "turn": 1,
        "move": move.entry.move,
        "ms": 70,
    }
    assert (moves[1]["turn"], moves[1]["by"]) == (2, "timeout")


def test_events_read_while_the_match_ends_fit_the_loaded_match(world: World) -> None:
    match = world.match(2, deals=3)
    while world.look(match).progress.number < 2:
        world.play_out(match, 1)
    world.play_out(match, 5)
    loaded, before = world.look(match), events(world, match, 0)
    while world.look(match).progress.number < 3:
        world.play_out(match, 1)
    assert world.referee.events(loaded, 0, 0, ALL) == before
    world.play_out(match)
    assert world.referee.events(loaded, 0, 0, ALL) == before
    assert events(world, match, 0)[: len(before)] == before


def test_over_comes_with_the_last_event(world: World) -> None:
    match = world.match(2)
    world.play_out(match)
    whole = events(world, match, None)
    answer = world.turns.events(match, None, 0, 0.0, 5)
    assert (len(answer["events"]), answer["over"]) == (5, False)
    answer = world.turns.events(match, None, len(whole) - 5, 0.0, 5)
    assert (len(answer["events"]), answer["over"]) == (5, True)
    assert world.turns.events(match, None, len(whole), 30.0, 5) == {"events": [], "over": True}


def played(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Count the moves that are replayed from now on, in a list of one number."""
    count, play = [0], Match.play

    def counted(match: Match, state: MatchState, seat: int, move: Move) -> MatchState:
        count[0] += 1
        return play(match, state, seat, move)

    monkeypatch.setattr(Match, "play", counted)
    return count


def test_a_frame_page_from_the_middle_equals_the_tail(world: World) -> None:
    loaded = world.play_out(world.match(2, deals=3))
    whole = world.referee.frames(loaded, 0, 0, ALL)
    for place in (1, len(whole) // 2, len(whole) - 2, len(whole) - 1):
        assert world.referee.frames(loaded, 0, whole[place].number, ALL) == whole[place + 1 :]


@pytest.mark.parametrize("over", [False, True])
def test_a_later_page_replays_one_deal(world: World, monkeypatch: pytest.MonkeyPatch, over: bool) -> None:
    match = world.match(2, deals=8)
    while world.look(match).progress.number < 7:
        world.play_out(match, 20)
    loaded = world.play_out(match) if over else world.look(match)
    whole = world.referee.events(loaded, 0, 0, ALL)
    starts = [place for place, event in enumerate(whole) if event["type"] == "deal"]
    deal = max(end - start for start, end in pairwise([*starts, len(whole)]))
    count = played(monkeypatch)
    for after in (len(whole) - 3, len(whole) // 2, len(whole), len(whole) + 5):
        count[0] = 0
        assert world.referee.events(loaded, 0, after, 5) == whole[after : after + 5]
        assert count[0] <= deal + 5
    assert world.referee.events(loaded, 1, 0, 3)[2]["n"] == 3


def test_a_far_page_of_a_match_takes_bounded_steps(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    loaded = world.play_out(world.match(2, deals=8))
    whole = events(world, match=loaded.id, viewer=0)
    world.referee.replays.clear()
    monkeypatch.setattr(replays, "MOST_SKIPPED", 100)
    refused = 0
    while True:
        try:
            found = world.referee.events(loaded, 0, len(whole) - 2, ALL)
        except EventsNotReady:
            refused += 1
            assert refused < 8, "each request gets one deal further"
        else:
            break
    assert (found, refused > 1) == (whole[-2:], True)

"""Forfeits and resignations: who plays on, and the scores and places of the others."""

from __future__ import annotations

import pytest

from engine.game import NOBODY
from records.match.loaded_match import LoadedMatch
from records.match.session import Ending, Status, places
from referee.errors import NotYourMatch
from referee.storage.index import MatchFilter
from tests.referee.world import AN_ID, CLOCK, SECRET, ManualClock, World

LATE = 4_300


@pytest.mark.parametrize(
    ("scores", "forfeits", "expected"),
    [
        ([0, 0], [], [1, 1]),
        ([-1, 0], [], [2, 1]),
        ([-1, 0, 0], [], [3, 1, 1]),
        ([-2, -1, -1, 0], [], [4, 2, 2, 1]),
        ([5, 3, 1], [0], [3, 1, 2]),
        ([0, -3, -1], [0, 2], [2, 1, 3]),
        ([-1, -1], [0, 1], [1, 1]),
    ],
)
def test_places_count_higher_scores_and_rank_forfeited_seats_last(
    scores: list[int], forfeits: list[int], expected: list[int]
) -> None:
    assert places(scores, forfeits) == expected


def test_a_resignation_loses_and_ends_a_match_of_two(world: World) -> None:
    match = world.match(2, deals=4)
    world.play_out(match, 5)
    loaded = world.referee.resign(match, "bot-0")
    assert (loaded.progress.ending, loaded.progress.forfeits, loaded.progress.scores) == (
        Ending.RESIGNED,
        (0,),
        (-1, 0),
    )
    assert world.referee.resign(match, "bot-0") == world.look(match)
    assert world.referee.resign(match, "bot-1").progress.forfeits == (0,)
    with pytest.raises(NotYourMatch):
        world.referee.resign(match, "bot-2")
    record = world.referee.record(loaded).to_json()
    assert (record["places"], record["forfeits"], record["ending"]) == ([2, 1], [0], "resigned")


def test_two_of_three_play_on_while_the_third_makes_safe_moves(world: World) -> None:
    match = world.match(3)
    loaded = world.referee.resign(match, "bot-2")
    assert loaded.progress.status is Status.RUNNING
    assert loaded.progress.to_move != 2
    loaded = world.play_out(match)
    assert (loaded.progress.ending, loaded.progress.forfeits) == (Ending.RULES, (2,))
    own = [entry for entry in world.log(match) if entry.seat == 2 and entry.is_move]
    assert {(entry.by, entry.ms, entry.charged) for entry in own} <= {("f", 0, 0)}
    record = world.referee.record(loaded).to_json()
    assert record["places"][2] == 3
    assert all(entry.get("by") == "forfeit" for entry in record["moves"] if entry["seat"] == 2)


def test_the_match_ends_when_one_of_three_is_left(world: World) -> None:
    match = world.match(3)
    world.referee.resign(match, "bot-2")
    loaded = world.referee.resign(match, "bot-0")
    assert (loaded.progress.ending, loaded.progress.scores, loaded.progress.forfeits) == (
        Ending.RESIGNED,
        (-1, 0, -1),
        (2, 0),
    )
    assert world.referee.record(loaded).to_json()["forfeits"] == [0, 2]


def test_a_resignation_on_turn_gives_the_next_seat_a_fresh_clock(world: World, clock: ManualClock) -> None:
    match = world.match(3)
    clock.advance(700)
    before = world.look(match)
    loaded = world.referee.resign(match, f"bot-{before.progress.to_move}")
    assert loaded.progress.turn > before.progress.turn
    assert loaded.progress.to_move != before.progress.to_move
    assert loaded.deadline == clock.at + CLOCK.move_ms + CLOCK.bank_ms


def test_a_resignation_off_turn_leaves_the_running_clock_alone(world: World, clock: ManualClock) -> None:
    match = world.match(3)
    before = world.look(match)
    clock.advance(700)
    loaded = world.referee.resign(match, f"bot-{((before.progress.to_move or 0) + 1) % 3}")
    assert (loaded.progress.turn, loaded.asked, loaded.deadline) == (
        before.progress.turn,
        before.asked,
        before.deadline,
    )


def test_a_team_plays_on_with_one_seat(world: World) -> None:
    match = world.match(4, options={"teams": True})
    assert world.referee.resign(match, "bot-1").progress.status is Status.RUNNING
    assert world.referee.resign(match, "bot-2").progress.status is Status.RUNNING
    loaded = world.referee.resign(match, "bot-0")
    assert (loaded.progress.ending, loaded.progress.scores) == (Ending.RESIGNED, (-1, -1, -1, 0))
    assert places(loaded.progress.scores, loaded.progress.forfeits) == [2, 2, 2, 1]


def test_a_strike_that_forfeits_one_of_three_does_not_end_the_match(world: World, clock: ManualClock) -> None:
    match = world.match(3, clock=CLOCK._replace(strikes=1, increment_ms=0))
    first = world.look(match).progress.to_move
    clock.advance(LATE)
    loaded = world.look(match)
    assert loaded.progress.forfeits == (first,)
    assert loaded.progress.status is Status.RUNNING
    clock.advance(LATE)
    loaded = world.look(match)
    assert (loaded.progress.ending, len(loaded.progress.forfeits)) == (Ending.FORFEIT, 2)
    assert [entry.move for entry in world.log(match) if not entry.is_move] == ["forfeit", "forfeit"]


def test_voiding_ends_a_running_match(world: World) -> None:
    match = world.match(3)
    world.play_out(match, 5)
    played = world.log(match)
    loaded = world.referee.void(match, "a broken deck")
    assert (loaded.finished, loaded.progress.ending, loaded.void) == (True, Ending.VOID, True)
    assert [(note.what, note.reason) for note in loaded.annotations] == [("void", "a broken deck")]
    assert world.look(match)[3:] == loaded[3:]
    assert world.log(match) == played
    assert world.overdue() == []
    record = world.referee.record(loaded).to_json()
    assert (record["ending"], record["forfeits"]) == ("void", [])


def test_a_voided_finished_match_keeps_its_record(world: World) -> None:
    match = world.match(2)
    over = world.play_out(match)
    record = world.referee.record(over).to_json()
    loaded = world.referee.void(match, "collusion")
    assert (loaded.void, loaded.progress) == (True, over.progress)
    assert world.referee.record(world.look(match)).to_json() == record
    assert world.ids(MatchFilter(void=True)) == [match]
    assert world.ids(MatchFilter(void=False)) == []


def test_voiding_again_changes_nothing(world: World) -> None:
    match = world.match(2)
    first = world.referee.void(match, "first")
    assert world.referee.void(match, "second").annotations == first.annotations


def test_a_waiting_match_can_be_voided(world: World) -> None:
    match = world.match(2, present=False)
    loaded = world.referee.void(match, "a mistake")
    assert (loaded.progress.ending, loaded.progress.started, loaded.void) == (Ending.VOID, None, True)


def test_a_strike_whose_safe_move_closes_a_deal_forfeits_before_the_next(
    world: World, clock: ManualClock
) -> None:
    """The mark lies between two deals. Events and repeated moves still find both deals."""
    rules = CLOCK._replace(strikes=1, increment_ms=0)
    match = world.match(3, deals=2, clock=rules, secret=SECRET, match_id=AN_ID, dealer=0)
    first = world.act(match)
    while not _safe_move_closes(world.look(match)):
        world.play_out(match, 1)
        assert world.look(match).progress.number == 1
    seat = world.look(match).progress.to_move
    clock.advance(LATE)
    loaded = world.look(match)
    assert (loaded.progress.number, loaded.progress.forfeits) == (2, (seat,))
    running = world.referee.events(loaded, 0, 0, 100_000)
    kinds = [event["type"] for event in running]
    at = kinds.index("forfeited")
    assert kinds[at - 1 : at + 2] == ["deal_over", "forfeited", "deal"]
    world.play_out(match)
    whole = world.referee.events(world.look(match), 0, 0, 100_000)
    assert whole[: len(running)] == running
    assert world.act(match, first.entry.move, seat=first.seat, turn=1).entry == first.entry


def _safe_move_closes(loaded: LoadedMatch) -> bool:
    assert loaded.state is not None
    game, deal = loaded.config.table(), loaded.state.deal
    return bool(game.play(deal, deal.to_move, game.safe_move(deal)).to_move == NOBODY)

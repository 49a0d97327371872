"""House bots: the commit asks them, and a job asks the rest."""

from __future__ import annotations

import pytest

from records.errors import NotYourTurn
from records.match.log import BY_PLAYER
from records.match.move_requests import MoveRequest
from records.match.session import AUTOMATIC_MOVES, Ending, Seat, Status
from tests.referee.world import CLOCK, ManualClock, World, at_once, house, remote


def test_the_reply_of_a_house_bot_is_in_the_same_commit(world: World) -> None:
    match = world.match([remote(0), house("first")])
    version = world.look(match).version
    while not world.look(match).finished:
        assert world.look(match).progress.to_move == 0
        world.act(match)
        version += 1
        assert world.look(match).finished or world.look(match).version == version
    house_moves = [entry for entry in world.log(match) if entry.seat == 1 and entry.answers]
    assert house_moves
    assert {(entry.by, entry.ms) for entry in house_moves} == {(BY_PLAYER, 0)}


def test_a_commit_makes_at_most_32_house_moves_and_jobs_the_rest_in_batches(world: World) -> None:
    match = world.match([house("dice"), house("dice")], deals=3)
    assert len(world.log(match)) == 1 + AUTOMATIC_MOVES
    assert world.outbox(match) == [f"index {match} 1", f"house {match} 1"]
    assert world.referee.go_on(match, 0.0, batch=10) is True
    assert len(world.log(match)) == 1 + AUTOMATIC_MOVES + 10
    assert world.outbox(match)[-1] == f"house {match} 2"
    assert world.referee.go_on(match, 60.0) is False
    loaded = world.look(match)
    assert (loaded.progress.ending, loaded.progress.number) == (Ending.RULES, 3)


def test_a_job_without_house_moves_does_nothing(world: World) -> None:
    match = world.match(2)
    waiting = world.match(2, present=False)
    before = world.dump()
    for ident in (match, waiting, "00" + "a" * 26):
        assert world.referee.go_on(ident, 5.0) is False
    assert world.dump() == before


def test_two_jobs_on_one_match_are_harmless(world: World) -> None:
    match = world.match([house("dice"), house("dice")], deals=2)
    at_once(*[lambda: world.referee.go_on(match, 60.0, batch=7)] * 3)
    loaded = world.look(match)
    assert loaded.finished
    turns = [entry.turn for entry in world.log(match) if entry.answers]
    assert turns == sorted(set(turns))


def test_a_lost_job_is_queued_again_without_a_strike(world: World, clock: ManualClock) -> None:
    match = world.match([house("dice"), house("dice")])
    asked = world.outbox(match).count(f"house {match} 1")
    clock.advance(world.times.house_ms + CLOCK.grace_ms + 50)
    assert world.overdue() == [match]
    world.referee.apply_timeouts(match)
    assert world.overdue() == []
    assert asked == 1
    assert world.outbox(match)[-1] == f"house {match} 2"
    assert world.look(match).progress.strikes == (0, 0)


def test_a_thinking_house_bot_is_left_to_a_job(world: World) -> None:
    thinker = Seat("house/search", "house/search", "1", True)
    match = world.match([remote(0), thinker], options={"first_attacker": "dealer_left"}, dealer=0)
    loaded = world.look(match)
    assert (loaded.progress.to_move, loaded.progress.status) == (1, Status.RUNNING)
    assert world.outbox(match)[-1] == f"house {match} 1"
    before = world.dump()
    assert world.referee.go_on(match, 60.0) is False
    assert world.dump() == before


def test_nobody_can_move_for_a_house_bot(world: World) -> None:
    match = world.match([remote(0), house("first")])
    with pytest.raises(NotYourTurn):
        world.referee.moves.move("house/first", MoveRequest(match, "take", world.look(match).progress.turn))


def test_house_bots_finish_a_match_after_remote_bots_forfeit(world: World) -> None:
    match = world.match([remote(0), house("first"), house("dice")])
    loaded = world.referee.resign(match, "bot-0")
    while not loaded.finished:
        world.referee.go_on(match, 60.0)
        loaded = world.look(match)
    assert (loaded.progress.ending, loaded.progress.forfeits) == (Ending.RULES, (0,))


def test_a_house_bot_sees_what_its_seat_sees(world: World) -> None:
    seen = []

    class Curious:
        name, version = "curious", "1"

        def pick(self, moves: int, rng: object) -> int | None:
            return None

        def choose(self, game: object, observation: object, legal_moves: object, rng: object) -> str:
            seen.append((observation, list(legal_moves)))  # type: ignore[call-overload]  # texts
            return str(legal_moves[0])  # type: ignore[index]  # as above

    world.players["curious"] = Curious()
    match = world.match([remote(0), house("curious")], dealer=0, options={"first_attacker": "dealer_left"})
    observation, legal = seen[0]
    assert observation["seat"] == 1
    assert set(observation) == set(world.look(match).config.table().observation.__annotations__) | {
        "game",
        "deal",
        "deals",
        "dealer",
        "scores",
        "legal_moves",
        "free_moves",
    }
    assert observation["legal_moves"] == legal
    assert all(move.split()[0] in ("attack", "exchange") for move in legal)

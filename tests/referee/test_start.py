"""The start of a match: from its creation to the first question."""

from __future__ import annotations

import pytest

from engine.game import BadTable
from engine.registry import GAMES
from records.errors import MatchOver
from records.match import shuffle, views
from records.match.move_requests import MoveRequest
from records.match.session import AUTOMATIC_MOVES, Ending, Status
from redisio.connection import Redis
from referee.errors import (
    AlreadySeated,
    MatchNotRunning,
    NoSuchMatch,
    NotJoinable,
    NotYourMatch,
    RecordNotReady,
    SeatTaken,
)
from referee.timings import RefereeTimings
from tests.referee.world import AN_ID, CLOCK, SECRET, T0, ManualClock, World, at_once, house, remote


def test_a_match_waits_for_all_remote_bots_to_show_up(world: World, clock: ManualClock) -> None:
    match = world.match(3, present=False)
    assert world.look(match).progress.status is Status.WAITING
    clock.advance(10)
    for number in (2, 0):
        loaded = world.referee.show_up(match, f"bot-{number}")
        assert (loaded.progress.status, loaded.progress.to_move, loaded.state) == (Status.WAITING, None, None)
    clock.advance(10)
    loaded = world.referee.show_up(match, "bot-1")
    assert loaded.progress.status is Status.RUNNING
    assert loaded.progress.started == loaded.asked == T0 + 20
    assert loaded.progress.to_move is not None


def test_showing_up_again_or_without_a_seat_changes_nothing(world: World) -> None:
    match = world.match(2, present=False)
    world.referee.show_up(match, "bot-0")
    before = world.dump()
    for bot in ("bot-0", "bot-9", ""):
        assert world.referee.show_up(match, bot).progress.status is Status.WAITING
    assert world.dump() == before
    with pytest.raises(NoSuchMatch):
        world.referee.show_up(AN_ID, "bot-0")


def test_showing_up_does_not_extend_the_time_of_the_others(world: World, clock: ManualClock) -> None:
    match = world.match(3, present=False)
    clock.advance(50_000)
    assert world.referee.show_up(match, "bot-0").deadline == T0 + 60_000


def test_a_no_show_aborts_a_match(world: World, clock: ManualClock) -> None:
    match = world.match(2, present=False)
    world.referee.show_up(match, "bot-0")
    clock.advance(60_049)
    assert world.look(match).progress.status is Status.WAITING
    assert world.overdue() == []
    clock.advance(1)
    assert world.overdue() == [match]
    loaded = world.look(match)
    assert (loaded.progress.status, loaded.progress.ending, loaded.progress.ended) == (
        Status.FINISHED,
        Ending.ABORTED,
        T0 + 60_050,
    )
    assert (loaded.progress.scores, loaded.progress.forfeits) == ((0, 0), ())
    assert world.overdue() == []
    assert world.referee.show_up(match, "bot-1").progress.ending is Ending.ABORTED


def test_joining_takes_an_open_seat_and_then_the_match_waits(world: World, clock: ManualClock) -> None:
    match = world.match([remote(0), None, None], present=False)
    assert world.look(match).progress.status is Status.OPEN
    loaded = world.referee.join(match, remote(1), entropy="mine")
    assert (loaded.progress.status, loaded.config.seats[1], loaded.config.entropy) == (
        Status.OPEN,
        remote(1),
        (None, "mine", None),
    )
    clock.advance(100)
    loaded = world.referee.join(match, remote(2), 2)
    assert (loaded.progress.status, loaded.deadline) == (Status.WAITING, T0 + 100 + 60_000)


def test_joining_does_not_extend_the_time_for_the_other_seats(world: World, clock: ManualClock) -> None:
    match = world.match([remote(0), None, None], present=False)
    clock.advance(100)
    assert world.referee.join(match, remote(1)).deadline == T0 + RefereeTimings().open_ms


def test_one_of_many_concurrent_joins_gets_the_seat(world: World) -> None:
    match = world.match([remote(0), None], present=False)
    results = at_once(*[lambda nth=nth: world.referee.join(match, remote(nth)) for nth in range(1, 9)])
    refused = [result for result in results if isinstance(result, NotJoinable | SeatTaken)]
    assert len(refused) == 7
    assert world.look(match).progress.status is Status.WAITING


def test_showing_up_while_seats_are_open_does_not_count(world: World) -> None:
    match = world.match([remote(0), None], present=False)
    world.referee.show_up(match, "bot-0")
    world.referee.join(match, remote(1))
    assert world.look(match).progress.shown == ()


def test_house_bots_need_not_show_up(world: World) -> None:
    loaded = world.look(world.match([house("first"), house("dice")], present=False))
    assert loaded.progress.status is Status.RUNNING
    assert len(world.log(loaded.id)) == 1 + AUTOMATIC_MOVES


def test_a_match_with_house_bots_waits_for_its_remote_bot(world: World) -> None:
    match = world.match([house("first"), remote(1)], present=False)
    assert world.look(match).progress.status is Status.WAITING
    loaded = world.referee.show_up(match, "bot-1")
    assert loaded.progress.status is Status.RUNNING
    assert loaded.progress.to_move == 1


def test_entropy_given_at_joining_is_mixed_in(world: World) -> None:
    match = world.match([remote(0), None], present=False, secret=SECRET, entropy=["a", None], dealer=0)
    world.referee.join(match, remote(1), entropy="b")
    world.referee.show_up(match, "bot-0")
    world.referee.show_up(match, "bot-1")
    deck = shuffle.deck(SECRET, ["a", "b"], 1, GAMES["durak"].table(2, {}).pack)
    assert world.log(match)[0].move == "deal " + " ".join(_texts(deck))


def _texts(deck: tuple[int, ...]) -> list[str]:
    from engine.cards import CARD_TEXT

    return [CARD_TEXT[card] for card in deck]


def test_a_match_with_an_id_is_created_once(world: World) -> None:
    first = world.look(world.match(2, match_id=AN_ID))
    again = world.look(world.match(3, match_id=AN_ID))
    assert again == first
    world.play_out(AN_ID)
    assert world.look(world.match(2, match_id=AN_ID)).finished
    results = at_once(*[lambda: world.match(2, match_id="05" + AN_ID[2:])] * 6)
    assert results == ["05" + AN_ID[2:]] * 6
    assert world.look("05" + AN_ID[2:]).version == 1


def test_before_the_start_there_are_no_moves_and_no_record(world: World) -> None:
    match = world.match(2, present=False)
    before = world.dump()
    with pytest.raises(MatchNotRunning):
        world.referee.moves.move("bot-0", MoveRequest(match, "take", 1))
    with pytest.raises(MatchNotRunning):
        world.referee.moves.move("bot-0", MoveRequest(match, "exchange", deal=1))
    with pytest.raises(NotYourMatch):
        world.referee.moves.move("bot-9", MoveRequest(match, "take", 1))
    loaded = world.look(match)
    with pytest.raises(RecordNotReady):
        world.referee.record(loaded)
    assert world.referee.events(loaded, 0, 0, 10) == []
    assert views.match_view(loaded, 0, masked=False)["observation"] is None
    assert world.dump() == before


def test_resigning_before_the_start_aborts(world: World) -> None:
    match = world.match(2, present=False)
    with pytest.raises(NotYourMatch):
        world.referee.resign(match, "bot-9")
    loaded = world.referee.resign(match, "bot-1")
    assert (loaded.progress.ending, loaded.progress.forfeits, loaded.progress.scores) == (
        Ending.ABORTED,
        (),
        (0, 0),
    )
    assert world.referee.resign(match, "bot-1") == world.look(match)
    with pytest.raises(MatchOver):
        world.referee.moves.move("bot-0", MoveRequest(match, "exchange", deal=1))


def test_the_commitment_is_visible_from_the_start_and_never_changes(world: World) -> None:
    match = world.match(2, present=False, secret=SECRET)
    before = views.match_view(world.look(match), None, masked=False)["commitment"]
    assert before == shuffle.commitment(SECRET, match)
    world.referee.show_up(match, "bot-0")
    world.referee.show_up(match, "bot-1")
    assert views.match_view(world.look(match), 0, masked=False)["commitment"] == before
    world.play_out(match)
    assert world.referee.record(world.look(match)).to_json()["shuffle"] == {
        "algorithm": "kozyr-shuffle-1",
        "commitment": before,
        "secret": SECRET.hex(),
        "entropy": [None, None],
        "dealer": "drawn",
    }


def test_two_processes_start_a_match_once(redis: Redis) -> None:
    ManualClock(redis)
    worlds = [World(redis), World(Redis(redis.url))]
    match = worlds[0].match(2, present=False)
    bots = [(world, bot) for world in worlds for bot in ("bot-0", "bot-1")]
    at_once(*[lambda world=world, bot=bot: world.referee.show_up(match, bot) for world, bot in bots])
    log = worlds[0].log(match)
    assert [entry.by_chance for entry in log] == [True]
    assert worlds[0].look(match).config.clock == CLOCK


def test_a_bot_can_not_take_two_seats(world: World) -> None:
    match = world.match([remote(0), None], present=False)
    before = world.dump()
    with pytest.raises(AlreadySeated):
        world.referee.join(match, remote(0))
    with pytest.raises(AlreadySeated):
        world.referee.join(match, remote(0), 0)
    with pytest.raises(BadTable) as refused:
        world.match([remote(1), remote(1)])
    assert refused.value.field == "seats"
    assert world.dump() == before

"""The contract of the match store, on every kind of Redis."""

from __future__ import annotations

import pytest

from records.ids import CLUSTER_BUCKETS, buckets, derived_match_id, is_match_id, new_match_id, use_buckets
from records.match.clock import ClockRule
from records.match.loaded_match import LoadedMatch
from records.match.move_requests import MoveRequest
from records.match.session import Ending, MatchConfig, MatchProgress, Status
from redisio.connection import Redis
from referee.storage.packing import DAMAGE, pack, unpack
from referee.storage.redis import RedisMatchStore, keys_of
from referee.storage.store import Allowance, Commit, OutboxKind
from tests.referee.world import AN_ID, ANOTHER_ID, SECRET, T0, ManualClock, World, at_once, remote

SETUP = MatchConfig(
    AN_ID, "durak", {"teams": False}, 3, None, (remote(0), remote(1)), ("salt", None), ClockRule(), T0
)
HEAD = MatchProgress(Status.RUNNING, 1, 0, (0, 0), 1, 0, (30_000, 30_000), (0, 0), (), (0, 1), 0, T0)


@pytest.fixture
def store(any_redis: Redis) -> RedisMatchStore:
    ManualClock(any_redis)
    return RedisMatchStore(any_redis)


def commit(version: int, **more: object) -> Commit:
    step = Commit(
        match=AN_ID,
        version=version,
        config=SETUP,
        config_changed=version == 0,
        progress=HEAD,
        secret=SECRET,
        log="a\n",
        appended="a\n",
        closed=(),
        allowance=5_000,
    )
    return step._replace(**more)  # type: ignore[arg-type]  # fields of Commit


def made(store: RedisMatchStore, *steps: Commit) -> list[int | None]:
    """Commit these steps, one round trip each, and return the new versions."""
    return [each and each.version for step in steps for each in store.commit([step])]


def snapshot(store: RedisMatchStore) -> LoadedMatch:
    (found,) = store.read([AN_ID])
    assert found is not None
    return found


def test_a_read_returns_what_was_committed(store: RedisMatchStore) -> None:
    assert made(store, commit(0)) == [1]
    assert snapshot(store) == LoadedMatch(
        now=T0,
        version=1,
        config=SETUP,
        progress=HEAD,
        asked=T0,
        deadline=T0 + 5_000,
        secret=SECRET,
        log="a\n",
    )


def test_a_commit_against_another_version_changes_nothing(store: RedisMatchStore) -> None:
    made(store, commit(0), commit(1))
    world = World(store.redis)
    before = world.dump()
    assert made(store, commit(1), commit(0), commit(3)) == [None, None, None]
    assert world.dump() == before


def test_of_two_racing_writers_one_wins(store: RedisMatchStore) -> None:
    made(store, commit(0))
    results = at_once(*[lambda: store.commit([commit(1)])] * 8)
    assert sum(result != [None] for result in results) == 1
    assert snapshot(store).version == 2


def test_the_deadline_is_listed_with_its_grace_and_moves_with_the_question(store: RedisMatchStore) -> None:
    world = World(store.redis)
    made(store, commit(0, allowance=5_000))
    assert world.listed_until(AN_ID) == T0 + 5_000 + ClockRule().grace_ms
    ManualClock(store.redis, T0 + 100)
    made(store, commit(1, allowance=Allowance.KEEP))
    assert (snapshot(store).asked, snapshot(store).deadline) == (T0, T0 + 5_000)
    assert world.listed_until(AN_ID) == T0 + 5_250
    made(store, commit(2, allowance=7_000))
    assert (snapshot(store).asked, snapshot(store).deadline) == (T0 + 100, T0 + 7_100)
    assert world.listed_until(AN_ID) == T0 + 7_350
    made(store, commit(3, allowance=Allowance.NONE))
    assert snapshot(store).deadline is None
    assert world.listed_until(AN_ID) is None


def test_the_outbox_is_filled_by_the_commit_and_emptied_entry_by_entry(store: RedisMatchStore) -> None:
    made(store, commit(0, outbox=(OutboxKind.INDEX,)))
    made(store, commit(1, outbox=(OutboxKind.INDEX, OutboxKind.HOUSE)))
    entries = [entry for due in store.due(50, 10) for entry in due.outbox]
    assert entries == [f"index {AN_ID} 1", f"index {AN_ID} 2", f"house {AN_ID} 2"]
    store.done([entries[1]])
    store.done([entries[1]])
    store.done([])
    assert [entry for due in store.due(50, 10) for entry in due.outbox] == [entries[0], entries[2]]
    assert [entry for due in store.due(50, 1) for entry in due.outbox] == [entries[0]]


def test_the_end_removes_all_keys_of_the_running_match(store: RedisMatchStore) -> None:
    made(store, commit(0), commit(1, closed=("a\n",), log="b\n", appended="b\n"))
    over = HEAD._replace(status=Status.FINISHED, ending=Ending.RULES, ended=T0 + 1, to_move=None)
    last = commit(2, progress=over, log="a\nb\nc\n", finished=True, allowance=Allowance.NONE)
    assert made(store, last._replace(outbox=(OutboxKind.INDEX,))) == [3]
    world = World(store.redis)
    assert world.keys_with(AN_ID) == {keys_of(AN_ID)[6]}
    assert world.listed_until(AN_ID) is None
    assert snapshot(store) == LoadedMatch(
        now=T0,
        version=0,
        config=SETUP,
        progress=over,
        asked=None,
        deadline=None,
        secret=SECRET,
        log="a\nb\nc\n",
    )
    assert world.outbox(AN_ID) == [f"index {AN_ID} 3"]


def test_scripts_that_the_server_has_lost_are_loaded_again(store: RedisMatchStore) -> None:
    made(store, commit(0))
    World(store.redis).plain.script_flush()
    assert made(store, commit(1)) == [2]
    World(store.redis).plain.script_flush()
    other = commit(0, match=ANOTHER_ID, config=SETUP._replace(id=ANOTHER_ID))
    assert [each is not None for each in store.commit([commit(2), other])] == [True, True]
    assert snapshot(store).log == "a\na\na\n"


def test_two_hundred_writers_with_one_turn_number_make_one_move(any_redis: Redis) -> None:
    ManualClock(any_redis)
    worlds = [World(any_redis), World(Redis(any_redis.url)), World(Redis(any_redis.url))]
    match = worlds[0].match()
    seat = worlds[0].look(match).progress.to_move
    legal = worlds[0].legal(match)
    bot = f"bot-{seat}"

    def writer(nth: int) -> object:
        move = legal[nth % len(legal)]
        return worlds[nth % 3].referee.moves.move(bot, MoveRequest(match, move, 1))

    at_once(*[lambda nth=nth: writer(nth) for nth in range(200)])
    assert sum(entry.turn == 1 for entry in worlds[0].log(match)) == 1


def test_a_packed_format_of_the_future_is_refused() -> None:
    with pytest.raises(ValueError, match="format"):
        unpack(b"\x03" + pack(SETUP, HEAD, SECRET, "")[1:])


def test_every_changed_bit_of_a_packed_match_is_found() -> None:
    packed = pack(SETUP, HEAD, SECRET, "- 0 0 0 - deal 6H\n0 1 12 0 - attack 6H\n")
    for bit in range(8 * len(packed)):
        changed = bytearray(packed)
        changed[bit // 8] ^= 1 << bit % 8
        with pytest.raises(DAMAGE):
            unpack(bytes(changed))


@pytest.mark.parametrize("number", [1, CLUSTER_BUCKETS])
def test_ids_are_well_formed_and_use_all_buckets(number: int) -> None:
    use_buckets(number)
    assert len(buckets()) == number
    ids = [new_match_id() for _ in range(3_000)]
    assert all(map(is_match_id, ids))
    assert len(set(ids)) == 3_000
    assert {ident[:2] for ident in ids} == set(buckets())
    assert derived_match_id("a", 1) == derived_match_id("a", 1) != derived_match_id("a", 2)
    assert is_match_id(derived_match_id("a", 1))
    for made_up in ("", "17", AN_ID + "x", "64" + AN_ID[2:], AN_ID.upper(), AN_ID + "\n", "1７" + AN_ID[2:]):
        assert not is_match_id(made_up)


def test_a_finished_match_takes_no_commit(store: RedisMatchStore) -> None:
    over = HEAD._replace(status=Status.FINISHED, ending=Ending.RULES, ended=T0 + 1, to_move=None)
    made(store, commit(0), commit(1, progress=over, finished=True))
    world = World(store.redis)
    before = world.dump()
    assert made(store, commit(0), commit(1), commit(2), commit(2, progress=over, finished=True)) == [None] * 4
    assert world.dump() == before

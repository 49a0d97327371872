"""The archive: what was moved reads as before, wherever a process was killed."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import orjson
import pytest
import zstandard

from records.ids import new_match_id
from records.match import views
from records.match.new_match import NewMatch
from records.match.session import Status
from redisio.connection import Redis
from referee.archive.objects import ObjectStore
from referee.archive.reader import MISSING_S, ArchiveReader
from referee.archive.redis import RedisRegister, waiting
from referee.archive.segment import BadSegment, checked
from referee.archive_index import index as index_module
from referee.archive_index import parquet
from referee.archive_index.index import PARTIAL_MS, ArchiveIndex
from referee.errors import MatchUnreadable
from referee.object_store import ArchiveAway, Objects
from referee.proofs.redis import NUMBERS_KEY, RedisChain
from referee.storage.index import MatchFilter
from referee.storage.packing import pack
from referee.storage.redis import finished_key
from server.warnings import WarningWatch, damaged
from tests.referee.archived import ArchivedWorld
from tests.referee.world import ManualClock, at_once, house
from tests.support.kills import Killed, killed_at


@pytest.fixture
def archived(redis: Redis, clock: ManualClock, tmp_path: Path) -> ArchivedWorld:
    return ArchivedWorld(redis, tmp_path / "archive")


def test_an_archived_match_reads_as_before(archived: ArchivedWorld) -> None:
    ids = archived.played(5)
    before = archived.documents(ids)
    assert archived.moved() == 5
    assert all(archived.is_archived(match) for match in ids)
    assert archived.documents(ids) == before
    assert archived.findings() == []


def test_lists_of_matches_work_across_the_boundary(archived: ArchivedWorld) -> None:
    ids = archived.played(6)
    archived.moved(most=4)
    assert [archived.is_archived(match) for match in ids] == [True] * 4 + [False] * 2
    wanted = MatchFilter(game="durak", status=Status.FINISHED)
    other = archived.another_process()
    assert sorted(other.index.matches(wanted, None, 50).ids) == sorted(ids)
    first = other.index.ended(wanted, None, 3)
    assert sorted([*first.ids, *other.index.ended(wanted, first.cursor, 3).ids]) == sorted(ids)


@pytest.mark.parametrize("count", [2, 3, 5])
def test_unreadable_matches_in_a_row_do_not_stop_the_archive(archived: ArchivedWorld, count: int) -> None:
    """They fill a whole segment and more."""
    ids = archived.played(count + 3)
    damaged, others = ids[:count], ids[count:]
    for match in damaged:
        archived.redis.one("SET", finished_key(match), b"\x01nonsense")
    assert archived.archiver is not None
    assert archived.archiver.status().oldest == archived.look(others[0]).progress.ended
    assert [archived.moved(most=2) for _ in range(3)] in ([2, 1, 0], [1, 2, 0])
    assert all(archived.is_archived(match) for match in others)
    assert archived.findings() == []
    for match in damaged:
        assert archived.redis.one("GET", finished_key(match)) == b"\x01nonsense"


def test_matches_that_another_process_archives_meanwhile_hide_no_others() -> None:
    queue = ["bad", "first", "second", "third"]

    def ids(most: int) -> list[str]:
        answer = queue[:most]
        queue[:] = [match for match in queue if match != "first"]
        return answer

    register = SimpleNamespace(waiting=ids)
    store = SimpleNamespace(read=lambda matches: [None if match == "bad" else match for match in matches])
    found = [match for match, _ in waiting(register, store, 1)]  # type: ignore[arg-type]  # all that it uses
    assert found == ["bad", "second", "third"]


def test_what_a_killed_run_left_half_written_is_deleted_after_a_day(archived: ArchivedWorld) -> None:
    archived.played(2)
    archived.moved(most=1)
    (segment,) = archived.folder.rglob("*.zst")
    old, new = segment.with_name("x.zst#17"), segment.with_name("y.zst#18")
    for path in (old, new):
        path.write_bytes(b"half")
    os.utime(old, (0, 0))
    os.utime(segment, (0, 0))
    archived.moved(most=1)
    assert not old.exists()
    assert (new.exists(), segment.exists()) == (True, True)


@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
@pytest.mark.parametrize(
    ("part", "step"),
    [
        (ObjectStore, "create"),
        (ObjectStore, "read"),
        (RedisRegister, "append"),
        (RedisRegister, "remove"),
        (RedisRegister, "set_removed"),
    ],
)
def test_a_run_killed_at_any_step_is_finished_by_the_next(
    archived: ArchivedWorld, monkeypatch: pytest.MonkeyPatch, part: type, step: str, after: bool
) -> None:
    ids, method = archived.played(5), getattr(part, step)
    before = archived.documents(ids)

    def dies(*given: Any) -> None:
        if after:
            method(*given)
        raise Killed

    with monkeypatch.context() as patched:
        patched.setattr(part, step, dies)
        with pytest.raises(Killed):
            archived.moved()
    assert archived.documents(ids) == before
    archived.moved()
    assert archived.documents(ids) == before
    assert all(archived.is_archived(match) for match in ids)
    assert archived.findings() == []
    assert archived.archiver is not None
    status = archived.archiver.status()
    assert (status.segments, status.records, status.unfinished, status.orphans) == (1, 5, 0, ())


def test_concurrent_runs_write_each_record_once(archived: ArchivedWorld) -> None:
    ids = archived.played(12)
    at_once(*[lambda: archived.another_process().moved(most=4) for _ in range(6)])
    while archived.moved(most=4):
        pass
    assert all(archived.is_archived(match) for match in ids)
    entries = RedisRegister(archived.redis).segments()
    assert [(entry.first, entry.last) for entry in entries] == [(1, 4), (5, 8), (9, 12)]
    assert archived.findings() == []


def test_a_segment_is_plain_zstd_ndjson_with_a_checked_footer(archived: ArchivedWorld) -> None:
    ids = archived.played(70)
    archived.moved()
    (name,) = archived.required().names("segments/")
    data = archived.required().read(name)
    _, footer, matches = checked(name, data)
    assert [match.id for match in matches] == ids
    assert (footer.first, footer.last, len(footer.frames)) == (1, 70, 2)
    with zstandard.ZstdDecompressor().stream_reader(data, read_across_frames=True) as reader:
        lines = reader.read().splitlines()
    assert [orjson.loads(line)["record"]["id"] for line in lines] == ids
    for place in range(0, len(data), len(data) // 40):
        broken = data[:place] + bytes([data[place] ^ 1]) + data[place + 1 :]
        with pytest.raises(BadSegment):
            checked(name, broken)


def test_a_damaged_segment_is_found_and_its_matches_are_unreadable(archived: ArchivedWorld) -> None:
    ids = archived.played(3)
    archived.moved()
    (path,) = archived.folder.rglob("*.zst")
    data = path.read_bytes()
    path.write_bytes(b"\0" * 100 + data[100:])
    assert archived.findings() == ["the name does not follow from the content"]
    with pytest.raises(MatchUnreadable):
        archived.another_process().look(ids[0])
    path.unlink()
    with pytest.raises(ArchiveAway):
        archived.another_process().look(ids[0])
    path.write_bytes(data)
    assert archived.another_process().look(ids[0]).finished


def test_no_changed_byte_of_a_segment_is_read_as_another_record(archived: ArchivedWorld) -> None:
    (match,) = archived.played(1)
    archived.moved()
    before = archived.another_process().look(match)
    (path,) = archived.folder.rglob("*.zst")
    data = path.read_bytes()
    _, length = checked(f"segments/{path.name}", data).footer.frames[0]
    unreadable = 0
    for place in range(0, length, 5):
        path.write_bytes(data[:place] + bytes([data[place] ^ 1]) + data[place + 1 :])
        try:
            found = archived.another_process().look(match)
        except MatchUnreadable:
            unreadable += 1
        else:
            assert (found.config, found.progress, found.log) == (before.config, before.progress, before.log)
    assert unreadable > 0.9 * length / 5


def two_segments(archived: ArchivedWorld) -> tuple[list[str], Path]:
    """Archive four matches in two segments. Return their ids, and the first segment."""
    ids = archived.played(4)
    archived.moved(most=2)
    archived.moved(most=2)
    return ids, min(archived.folder.rglob("*.zst"))


@pytest.mark.parametrize("left", [None, 0, 300], ids=["missing", "empty", "truncated"])
def test_a_lost_segment_loses_only_its_own_matches(archived: ArchivedWorld, left: int | None) -> None:
    ids, path = two_segments(archived)
    data = path.read_bytes()
    path.unlink()
    if left is not None:
        path.write_bytes(data[:left])
    other = archived.another_process()
    for match in ids[:2]:
        with pytest.raises(MatchUnreadable):
            other.look(match)
    wanted = MatchFilter(game="durak", status=Status.FINISHED)
    listed = other.store.read(other.index.matches(wanted, None, 50).ids)
    assert {match.config.id for match in listed if match is not None} == set(ids[2:])
    path.write_bytes(data)
    assert archived.another_process().look(ids[0]).finished


def test_an_archive_that_lacks_all_segments_is_away(archived: ArchivedWorld) -> None:
    """Such as a folder that is not mounted."""
    ids, _ = two_segments(archived)
    for path in archived.folder.rglob("*.zst"):
        path.unlink()
    with pytest.raises(ArchiveAway):
        archived.another_process().look(ids[0])


def test_a_segment_that_is_back_is_read_after_a_moment(archived: ArchivedWorld) -> None:
    ids, path = two_segments(archived)
    data = path.read_bytes()
    path.unlink()
    now = 100.0
    reader = ArchiveReader(
        RedisRegister(archived.redis), archived.required(), archived.required_index(), monotonic=lambda: now
    )
    pointer = reader.pointers(ids)[ids[0]]
    for _ in range(2):
        with pytest.raises(LookupError, match="is missing from the archive"):
            reader.match(pointer)
    path.write_bytes(data)
    with pytest.raises(LookupError):
        reader.match(pointer)
    now += MISSING_S
    assert reader.match(pointer).config.id == ids[0]


def test_a_match_that_changed_meanwhile_stays_in_redis(archived: ArchivedWorld) -> None:
    first, second = archived.played(2)
    with killed_at(1, before=True, first=(RedisRegister, "remove")):
        archived.moved()
    other = archived.look(second)
    stored = pack(other.config, other.progress, other.secret, other.log + "0 99 1 0 - pass\n")
    archived.redis.one("SET", finished_key(second), stored)
    archived.moved()
    assert (archived.is_archived(first), archived.is_archived(second)) == (True, False)


@pytest.mark.parametrize("knows", [False, True], ids=["a new writer", "a writer that knows the end"])
def test_a_feed_that_loaded_a_match_before_its_removal_does_not_chain_it_again(
    archived: ArchivedWorld, knows: bool
) -> None:
    ids = archived.played(3)
    slow = archived.another_process()
    loaded_matches = [slow.look(match) for match in ids]
    archived.moved()
    last = archived.played(1)
    if knows:
        slow.chained(last)
    head = archived.chain.head()
    slow.feed([*loaded_matches, slow.look(last[0])])
    assert archived.chain.head() == head
    assert archived.redis.one("HKEYS", NUMBERS_KEY) == [last[0].encode()]


def test_a_match_that_stays_in_redis_is_not_chained_again(archived: ArchivedWorld) -> None:
    second = archived.played(2)[1]
    with killed_at(1, before=True, first=(RedisRegister, "remove")):
        archived.moved()
    other = archived.look(second)
    stored = pack(other.config, other.progress, other.secret, other.log + "0 99 1 0 - pass\n")
    archived.redis.one("SET", finished_key(second), stored)
    archived.moved()
    head = archived.chain.head()
    archived.chain.append({second: b"2" * 32}, 1 << 50)
    assert archived.chain.head() == head


@pytest.mark.parametrize("before", [True, False], ids=["before", "after"])
@pytest.mark.parametrize("trip", [1, 2])
def test_a_feed_amid_a_killed_removal_chains_none(archived: ArchivedWorld, trip: int, before: bool) -> None:
    ids = archived.played(3)
    loaded_matches = [archived.look(match) for match in ids]
    head = archived.chain.head()
    with killed_at(trip, before=before, first=(RedisChain, "forget")):
        archived.moved()
    archived.another_process().feed(loaded_matches)
    assert archived.chain.head() == head
    archived.moved()
    assert archived.chain.head() == head
    assert archived.redis.one("EXISTS", NUMBERS_KEY) == 0
    assert archived.findings() == []


@pytest.mark.parametrize("knows", [False, True], ids=["a new writer", "a writer that knows the count"])
def test_a_match_archived_while_its_creation_stalls_is_not_created_again(
    archived: ArchivedWorld, monkeypatch: pytest.MonkeyPatch, knows: bool
) -> None:
    new = NewMatch("durak", [house("dice"), house("dice")], {}, 1, id=new_match_id())
    slow = archived.another_process()
    if knows:
        archived.played(2)
        archived.moved()
        slow.referee.create_all([new._replace(id=new_match_id())])
    get, stalled = ArchiveIndex.get, True

    def stalls(index: ArchiveIndex, keys: Sequence[bytes]) -> list[bytes | None]:
        nonlocal stalled
        found = get(index, keys)
        if index is slow.archive_index and stalled:
            stalled = False
            archived.referee.create_all([new])
            while archived.referee.go_on(new.id or "", 1.0):
                pass
            archived.chained([new.id or ""])
            assert archived.moved() > 0
        return found

    monkeypatch.setattr(ArchiveIndex, "get", stalls)
    (made,) = slow.referee.create_all([new])
    assert made.archived
    assert archived.is_archived(new.id or "")


class CountingObjects:
    """An object store that counts the requests to it, by the folder of the object."""

    def __init__(self, target: Objects) -> None:
        self._target, self.requests = target, Counter[str]()

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._target, name)

        def counted(*args: Any) -> Any:
            self.requests[args[0].partition("/")[0]] += 1
            return found(*args)

        return counted if callable(found) else found


def test_a_page_of_archived_matches_takes_few_requests_and_reads_no_segment(
    archived: ArchivedWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Twelve segments, of which some are compacted, and rows of row groups that nothing has read."""
    monkeypatch.setattr(index_module, "_WHOLE", 0)
    monkeypatch.setattr(parquet, "GROUP_ROWS", 16)
    ids = archived.played(36)
    for _ in range(12):
        assert archived.moved(most=3)
        archived.required_index().compact()
    runs = len(archived.required_index().manifest.read().runs)
    objects = CountingObjects(archived.required())
    other = archived.another_process()
    other.options = replace(other.options, archive=lambda: objects)
    page = other.index.matches(MatchFilter(game="durak"), None, 10)
    rows = other.referee.look_at(page.ids, known=page.archived)
    assert [views.match_summary(row)["id"] for row in rows if row is not None] == page.ids
    assert set(page.ids) <= set(ids)
    assert len(page.ids) == 10
    assert set(objects.requests) == {"index"}, "no segment is read"
    assert runs <= 4
    assert objects.requests["index"] <= 12
    objects.requests.clear()
    assert other.look(ids[7]).finished
    assert sum(objects.requests.values()) <= 2 * runs + 1


def test_damage_shows_in_readiness_until_it_is_mended(archived: ArchivedWorld) -> None:
    ids, segment = two_segments(archived)
    manifest = archived.required_index().manifest
    data = segment.read_bytes()
    now = 100.0
    watch = WarningWatch(lambda: damaged(manifest), 5.0, lambda: now)

    def warnings() -> Sequence[str]:
        nonlocal now
        now += 5.0
        watch.look()
        return watch.warnings

    assert warnings() == []
    segment.write_bytes(data[:300])
    with pytest.raises(MatchUnreadable):
        archived.another_process().look(ids[0])
    assert warnings() == [f"archive: 1 objects are missing or damaged, such as segments/{segment.name}"]
    first = archived.folder / manifest.read().files()[0].name
    first.write_bytes(b"")
    listed = archived.another_process().index.matches(MatchFilter(game="durak"), None, 50).ids
    assert set(listed) == set(ids[2:])
    assert len(manifest.damaged()) == archived.load.load().archive_damaged == 2
    segment.write_bytes(data)
    assert archived.archiver is not None
    assert archived.archiver.rebuild() == []
    assert manifest.damaged() == [f"segments/{segment.name}"]
    archived.note_damaged([])
    assert warnings() == []
    assert set(archived.another_process().index.matches(MatchFilter(game="durak"), None, 50).ids) == set(ids)


def test_verification_reads_all_segments_beside_a_lost_index(archived: ArchivedWorld) -> None:
    _, segment = two_segments(archived)
    segment.write_bytes(b"")
    lost = sorted(archived.folder.glob("index/*"))
    for path in lost:
        path.unlink()
    other = archived.another_process()
    assert other.archiver is not None
    assert (
        {f"index/{path.name}" for path in lost} >= {fault.where for fault in other.archiver.faults()} != set()
    )
    first, second = [faults for _, faults in other.archiver.verify()]
    assert [fault.where for fault in first] == [f"segments/{segment.name}"]
    assert [fault.where for fault in second] == ["records 3 to 4"]
    assert other.archiver.rebuild() != []
    assert archived.another_process().findings() == [fault.wrong for fault in first]


def test_a_rebuild_names_the_segments_that_are_lost(archived: ArchivedWorld) -> None:
    ids, segment = two_segments(archived)
    segment.write_bytes(b"")
    for path in archived.folder.rglob("index/*"):
        path.unlink()
    assert archived.archiver is not None
    (lost,) = archived.archiver.rebuild()
    assert lost.where == f"segments/{segment.name}"
    other = archived.another_process()
    assert set(other.index.matches(MatchFilter(game="durak"), None, 50).ids) == set(ids[2:])
    assert other.look(ids[3]).finished


def test_twenty_kills_at_any_round_trip_lose_nothing(archived: ArchivedWorld) -> None:
    ids, before = list[str](), list[dict[str, Any]]()
    for trip in range(1, 21):
        new = archived.played(2)
        documents = archived.documents(new)
        ids, before = ids + new, before + documents
        with killed_at(trip, before=trip % 2 == 0):
            archived.moved()
            archived.required_index().compact()
        assert archived.documents(new) == documents
    while archived.moved():
        pass
    assert archived.documents(ids) == before
    assert all(archived.is_archived(match) for match in ids)
    assert archived.findings() == []


def test_only_old_matches_move_and_a_segment_waits_until_it_is_full(archived: ArchivedWorld) -> None:
    ids = archived.played(3)
    archived.now -= 1
    assert archived.moved() == 0
    archived.now += 1
    assert archived.moved(partial=False) == 0
    archived.now += PARTIAL_MS
    assert archived.moved(partial=False) == 3
    assert archived.moved() == 0
    more = archived.played(4)
    assert archived.moved(partial=False, most=4) == 4
    assert [archived.is_archived(match) for match in ids + more] == [True] * 7

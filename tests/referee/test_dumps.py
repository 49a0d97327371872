"""Monthly dumps: what is in them, wherever the process that wrote them was killed."""

from __future__ import annotations

import hashlib
import io
import json
import subprocess
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random
from typing import Any

import pyarrow.parquet as pq
import pytest
import yaml
import zstandard

from engine.game import NOBODY, Refusal
from engine.match import parse_deck
from engine.registry import GAMES
from records.instants import ms_of
from records.match.played import match_of_record
from records.verify import Neighbours, check_proof, verify
from redisio.connection import Redis
from referee.archive.objects import ObjectStore
from referee.archive.redis import RedisRegister
from referee.archive.segment import BadSegment
from referee.dumps import months, rows
from referee.dumps.columns import DECISIONS, MATCHES
from referee.dumps.redis import DumpReader, RedisDumps
from referee.dumps.store import Dump
from referee.dumps.writer import GRACE_MS, WORK, DumpWriter
from referee.object_store import ArchiveAway
from referee.storage.redis import finished_key
from tests.referee.archived import ArchivedWorld
from tests.referee.stories import Plot, played
from tests.referee.test_groups import come, finish, group
from tests.referee.world import ManualClock, at_once, house, short
from tests.support.kills import Killed

DAY_MS = 86_400_000
NOVEMBER, DECEMBER = months.start_of("2025-11"), months.start_of("2025-12")
Row = dict[str, Any]


class DumpWorld(ArchivedWorld):
    """An archive of which dumps are written."""

    def writer(self, **more: Any) -> DumpWriter:
        return DumpWriter(
            RedisRegister(self.redis),
            RedisDumps(self.redis),
            self.required(),
            self.store,
            lambda: self.now,
            **more,
        )

    def another_process(self) -> DumpWorld:
        other = DumpWorld(self.redis, self.folder)
        other.now = self.now
        return other

    def archive_all(self) -> None:
        while self.moved(most=5):
            pass

    def dumped(self, now: int, **more: Any) -> list[Dump]:
        """Archive everything, write the dumps that are due at this instant, and return all of them."""
        self.now = now
        self.archive_all()
        steps(self.writer(**more))
        return RedisDumps(self.redis).dumps()

    def content(self, dump: Dump, kind: str) -> list[bytes]:
        """Return the files of this kind."""
        reader = DumpReader(RedisDumps(self.redis), self.required())
        return [b"".join(reader.chunks(file, 0, file.size)) for file in dump.files if file.kind == kind]

    def records(self, dump: Dump) -> list[Row]:
        found = [
            zstandard.ZstdDecompressor().stream_reader(data).read() for data in self.content(dump, "records")
        ]
        return [json.loads(line) for data in found for line in data.splitlines()]

    def table(self, dump: Dump, kind: str) -> list[Row]:
        return [
            row for data in self.content(dump, kind) for row in pq.read_table(io.BytesIO(data)).to_pylist()
        ]


def steps(dumps: DumpWriter) -> int:
    """Step until nothing is left to do. Return the number of steps."""
    count = 0
    while dumps.step():
        count += 1
        assert count < 1000
    return count


@pytest.fixture
def world(redis: Redis, clock: ManualClock, tmp_path: Path) -> DumpWorld:
    return DumpWorld(redis, tmp_path / "archive")


def test_a_dump_has_every_match_of_its_month_in_all_games(world: DumpWorld, clock: ManualClock) -> None:
    records = [
        played(
            world,
            clock,
            Plot(
                name,
                max(GAMES[name].seat_counts),
                **short(name),
                late=0.02,
                leaving=0.002,
                house=frozenset({0}),
                seed=seed,
            ),
        )
        for seed, name in enumerate(sorted(GAMES))
    ]
    world.chained([record["id"] for record in records])
    (dump,) = world.dumped(DECEMBER + GRACE_MS)
    assert (dump.month, dump.matches, dump.late) == ("2025-11", len(records), 0)
    found = world.records(dump)
    assert [{name: value for name, value in record.items() if name != "proof"} for record in found] == records
    matches = world.table(dump, "matches")
    assert Counter(row["match"] for row in matches) == {each["id"]: len(each["seats"]) for each in records}
    by_seat = {(row["match"], row["seat"]): row for row in matches}
    for record, dumped in zip(records, found, strict=True):
        for seat, sitting in enumerate(record["seats"]):
            row = by_seat[record["id"], seat]
            own = [move for move in record["moves"] if move["seat"] == seat and "by" not in move]
            assert (row["bot"], row["bot_id"], row["version"]) == (
                sitting["bot"],
                sitting["id"],
                sitting["version"],
            )
            assert (row["score"], row["place"]) == (record["scores"][seat], record["places"][seat])
            assert (row["moves"], row["ms"]) == (len(own), sum(move.get("ms", 0) for move in own))
            assert row["forfeited"] == (seat in record["forfeits"])
            assert row["house"] == (seat == 0)
            assert row["ended"].timestamp() * 1000 == ms_of(record["ended"])
            assert (row["number"], row["link"]) == (dumped["proof"]["number"], dumped["proof"]["link"])
            assert json.loads(row["options"]) == record["options"]


def replayed(record: Row) -> Iterator[tuple[Row, list[int] | None]]:
    """Yield each move of a seat with what it saw, and what the deal returned, by the record alone."""
    match, state = match_of_record(record), None
    state, waiting, number = match.begin(), list[Row](), 0
    for move in record["moves"]:
        if move["seat"] is None:
            state, number = match.deal(state, parse_deck(move["move"])), 0
            continue
        number += 1
        seen = match.view(state, move["seat"])
        waiting.append({**move, "deal": state.number, "move_number": number, "seen": seen})
        scores = state.scores
        state = match.play(state, move["seat"], match.parse(state, move["seat"], move["move"]))
        if state.deal is None or state.to_move == NOBODY:
            returns = [after - before for before, after in zip(scores, state.scores, strict=True)]
            yield from ((each, returns) for each in waiting)
            waiting = []
    last = [after - before for before, after in zip(state.scores, record["scores"], strict=True)]
    yield from ((each, last) for each in waiting)


@pytest.mark.parametrize("game", sorted(GAMES))
def test_decisions_are_what_a_replay_of_the_record_shows_each_seat(
    world: DumpWorld, clock: ManualClock, game: str
) -> None:
    records = {}
    for seed in range(2):
        plot = Plot(
            game, min(GAMES[game].seat_counts), **short(game), late=0.03, leaving=0.003 * seed, seed=seed
        )
        record = played(world, clock, plot)
        records[record["id"]] = record
    world.chained(list(records))
    (dump,) = world.dumped(DECEMBER + GRACE_MS)
    decisions = world.table(dump, "decisions")
    assert len(decisions) == dump.decisions
    for match, record in records.items():
        own = [row for row in decisions if row["match"] == match]
        replay = list(replayed(record))
        assert len(own) == len(replay)
        for row, (move, returns) in zip(own, replay, strict=True):
            seen = json.loads(row["observation"])
            assert seen == move["seen"]
            assert (row["legal_moves"], row["free_moves"]) == (seen["legal_moves"], seen["free_moves"])
            assert row["move"] in seen["legal_moves"] + seen["free_moves"]
            assert {name: row[name] for name in ("deal", "move_number", "seat", "move")} == {
                name: move[name] for name in ("deal", "move_number", "seat", "move")
            }
            assert (row["ms"], row["made_by"]) == (move.get("ms", 0), move.get("by", "player"))
            assert (row["turn"] is None) == ("ms" not in move)
            assert (row["returns"], row["deal_return"]) == (returns, returns[row["seat"]])
            assert row["bot"] == record["seats"][row["seat"]]["bot"]


def test_a_deal_without_a_result_has_no_returns(world: DumpWorld) -> None:
    match = world.match(2)
    world.play(match, *world.legal(match)[:1])
    world.referee.void(match, "a power cut")
    aborted = world.match(2, present=False)
    world.referee.resign(aborted, "bot-0")
    world.chained([match, aborted])
    (dump,) = world.dumped(DECEMBER + GRACE_MS)
    (decision,) = world.table(dump, "decisions")
    assert (decision["match"], decision["returns"], decision["deal_return"]) == (match, None, None)
    found = {row["match"]: row for row in world.table(dump, "matches")}
    assert {match: (row["ending"], row["void"]) for match, row in found.items()} == {
        match: ("void", True),
        aborted: ("aborted", False),
    }


def test_moves_of_a_continued_match_are_in_the_dump_once(world: DumpWorld) -> None:
    record = world.referee.record(world.play_out(world.match(2)))
    repeated = record.log.replace(" - ", " c ").replace("- 0 0 0 c deal", "- 0 0 0 - deal")
    assert list(rows.decision_rows(record)) != []
    assert list(rows.decision_rows(record._replace(log=repeated))) == []


def test_a_running_group_is_hidden_and_its_matches_come_late(world: DumpWorld, clock: ManualClock) -> None:
    clock.set(DECEMBER - 3_600_000)
    tables = world.groups.matches(world.groups.create(group()))
    come(world, 0, 1)
    finish(world, tables[0])
    alone = world.match([house("dice"), house("dice")])
    while world.referee.go_on(alone, 1.0):
        pass
    world.chained([alone])
    clock.set(DECEMBER + 2 * DAY_MS)
    (dump,) = world.dumped(DECEMBER + 2 * DAY_MS + 1000)
    assert [record["id"] for record in world.records(dump)] == [alone]
    assert {row["match"] for kind in ("matches", "decisions") for row in world.table(dump, kind)} == {alone}

    come(world, 0, 1)
    finish(world, tables[1])
    world.chained(world.readable[-1])
    january = months.end_of("2025-12")
    first, second = world.dumped(january + GRACE_MS)
    assert first == dump
    assert [record["id"] for record in world.records(second)] == world.readable[-1]
    assert (second.month, second.matches, second.late) == ("2025-12", 2, 1)


def test_a_month_waits_for_its_last_record_and_a_day(world: DumpWorld, clock: ManualClock) -> None:
    clock.set(DECEMBER - 1000)
    world.played(2)
    world.now = DECEMBER - 1
    world.archive_all()
    assert not world.writer().step()
    clock.set(DECEMBER + GRACE_MS - 1)
    world.played(1)
    world.now = DECEMBER + GRACE_MS
    assert not world.writer().step(), "a record of the day after is not archived yet"
    (dump,) = world.dumped(DECEMBER + GRACE_MS + 1000)
    assert dump.matches == 2


def test_unreadable_matches_hide_no_record_that_its_month_waits_for(
    world: DumpWorld, clock: ManualClock
) -> None:
    clock.set(DECEMBER - 1000)
    world.played(2)
    world.now = DECEMBER + GRACE_MS
    world.archive_all()
    for match in world.played(20):
        world.redis.one("SET", finished_key(match), b"\x01nonsense")
    world.played(1)
    assert not world.writer().step(), "the last record of the month is not archived yet"
    (dump,) = world.dumped(DECEMBER + GRACE_MS)
    assert dump.matches == 3


def test_a_month_without_a_match_has_no_dump(world: DumpWorld, clock: ManualClock) -> None:
    world.played(1)
    clock.set(months.start_of("2026-03"))
    world.played(1)
    found = world.dumped(months.start_of("2026-05"))
    assert [dump.month for dump in found] == ["2025-11", "2026-03"]
    assert RedisDumps(world.redis).state().month == "2026-03"


def test_each_match_is_in_one_dump_whenever_it_was_archived(world: DumpWorld, clock: ManualClock) -> None:
    rng, ids, now = Random(3), list[str](), NOVEMBER
    for _ in range(30):
        now += rng.randrange(8 * DAY_MS)
        clock.set(now)
        ids += world.played(rng.randrange(3))
        world.now = now + 2000
        if rng.random() < 0.5:
            world.moved(most=rng.choice([1, 5]))
        if rng.random() < 0.3:
            steps(world.writer(piece_moves=rng.choice([1, 300])))
    found = world.dumped(now + 70 * DAY_MS)
    assert [record["id"] for dump in found for record in world.records(dump)] == ids
    assert [dump.month for dump in found] == sorted({dump.month for dump in found})
    for dump in found:
        ended = [months.month_of(ms_of(record["ended"])) for record in world.records(dump)]
        assert dump.late == sum(month < dump.month for month in ended)
        assert max(ended) == dump.month


def test_a_large_month_has_numbered_files(world: DumpWorld) -> None:
    ids = world.played(12)
    (dump,) = world.dumped(DECEMBER + GRACE_MS, piece_moves=50, part_bytes=20_000)
    names = [file.name for file in dump.files]
    decisions = [name for name in names if name.startswith("decisions")]
    assert decisions[:2] == ["decisions-2025-11-0000.parquet", "decisions-2025-11-0001.parquet"]
    assert names[-2:] == ["README.md", "SHA256SUMS"]
    assert [record["id"] for record in world.records(dump)] == ids
    found = world.table(dump, "decisions")
    assert list(dict.fromkeys(row["match"] for row in found)) == ids
    assert (
        sum(file.rows or 0 for file in dump.files if file.kind == "decisions") == len(found) == dump.decisions
    )


@contextmanager
def killed_after(call: int) -> Iterator[list[str]]:
    """Yield the calls of the objects, the register and the dumps. The process dies right after the one with this
    number."""
    calls = list[str]()

    def counted(method: Callable[..., Any]) -> Callable[..., Any]:
        def called(*given: Any, **named: Any) -> Any:
            calls.append(method.__name__)
            number, answer = len(calls), method(*given, **named)
            if number == call:
                raise Killed
            return answer

        return called

    with pytest.MonkeyPatch.context() as patched:
        for part in (ObjectStore, RedisRegister, RedisDumps):
            for name in (
                "create",
                "read",
                "read_part",
                "names",
                "delete",
                "replace",
                "segments",
                "annotations",
            ):
                if hasattr(part, name):
                    patched.setattr(part, name, counted(getattr(part, name)))
        yield calls


@pytest.mark.ci
def test_a_writer_killed_at_any_call_is_continued_by_the_next(world: DumpWorld) -> None:
    world.played(2)
    world.now = DECEMBER + GRACE_MS
    world.archive_all()
    sizes: dict[str, Any] = {"piece_moves": 60, "part_bytes": 10_000}
    with killed_after(0) as calls:
        steps(world.writer(**sizes))
    (whole,) = RedisDumps(world.redis).dumps()
    objects = world.required().names("dumps/")
    assert len(whole.files) > 5
    for at in range(1, len(calls) + 1):  # after this call, which is also before the next
        world.redis.run([("DEL", "kozyr:{chain}:dumping", "kozyr:{chain}:dumps")])
        for name in world.required().names("dumps/"):
            world.required().delete(name)
        with killed_after(at), pytest.raises(Killed):
            steps(world.writer(**sizes))
        steps(world.another_process().writer(**sizes))
        (dump,) = RedisDumps(world.redis).dumps()
        assert dump == whole
        assert [name for name in world.required().names("dumps/") if not name.startswith(WORK)] == objects


def test_several_writers_at_once_publish_one_dump(world: DumpWorld) -> None:
    ids = world.played(10)
    world.now = DECEMBER + GRACE_MS
    world.archive_all()
    results = at_once(*[lambda: steps(world.another_process().writer(piece_moves=200)) for _ in range(4)])
    assert all(isinstance(result, int) for result in results), results
    steps(world.writer())
    (dump,) = RedisDumps(world.redis).dumps()
    assert [record["id"] for record in world.records(dump)] == ids


def test_a_dump_whose_pieces_are_lost_starts_again(world: DumpWorld) -> None:
    ids = world.played(6)
    world.now = DECEMBER + GRACE_MS
    world.archive_all()
    dumps = world.writer(piece_moves=100)

    def step_until(has_pieces: bool) -> None:
        for _ in range(50):
            assert dumps.step()
            draft = RedisDumps(world.redis).state().draft
            if draft is not None and bool(draft.pieces) is has_pieces:
                return
        raise AssertionError("the dump did not get there in 50 steps")

    for damage in (Path.unlink, lambda path: path.write_bytes(b"nonsense")):
        step_until(has_pieces=True)
        damage(next((world.folder / WORK).rglob("records-*")))
        step_until(has_pieces=False)
    steps(dumps)
    (dump,) = RedisDumps(world.redis).dumps()
    assert [record["id"] for record in world.records(dump)] == ids
    assert world.required().names(WORK) == []


def test_an_archive_that_is_away_stops_the_dump_until_it_is_back(world: DumpWorld) -> None:
    world.played(3)
    world.now = DECEMBER + GRACE_MS
    world.archive_all()
    dumps = world.writer()
    assert dumps.step()
    (segment,) = world.folder.glob("segments/*")
    data = segment.read_bytes()
    segment.unlink()
    with pytest.raises(ArchiveAway):
        dumps.step()
    segment.write_bytes(data[:200] + bytes(200) + data[400:])
    with pytest.raises(BadSegment):
        dumps.step()
    segment.write_bytes(data)
    steps(dumps)
    assert len(RedisDumps(world.redis).dumps()) == 1


def test_a_void_match_is_marked(world: DumpWorld) -> None:
    first, second = world.played(2)
    world.now = DECEMBER
    world.archive_all()
    world.referee.void(first, "a cheat")
    (dump,) = world.dumped(DECEMBER + GRACE_MS)
    assert {row["match"]: row["void"] for row in world.table(dump, "matches")} == {first: True, second: False}
    found = {record["id"]: record.get("annotations") for record in world.records(dump)}
    assert [each["reason"] for each in found[first]] == ["a cheat"]
    assert found[second] is None


def test_the_records_of_a_dump_verify_with_their_place_in_the_chain(world: DumpWorld) -> None:
    world.played(5)
    (dump,) = world.dumped(DECEMBER + GRACE_MS)
    neighbours = Neighbours()
    for record in world.records(dump):
        assert verify(record) == []
        assert check_proof(record, []) == []
        assert [found.where for found in check_proof(record, ["ab" * 32])] == ["proof.signature"]
        assert neighbours.add(record) == []
    assert neighbours.gaps() == []
    head = world.chain.head()
    assert head is not None
    assert record["proof"]["link"] == head.link.hex()


@pytest.mark.parametrize("archived_before", [False, True])
def test_a_renamed_bot_has_its_new_name_in_later_dumps_and_all_its_matches_are_archived(
    world: DumpWorld, archived_before: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    ids = world.played(3)
    (seat,) = {
        seat for loaded in world.referee.look_at(ids) if loaded for seat in loaded.config.seats if seat
    }
    if archived_before:
        world.archive_all()
    monkeypatch.setattr("records.names._CURRENT", {seat.id: "gone-x/bot-1"})
    (dump,) = world.dumped(DECEMBER + GRACE_MS)
    assert all(found is not None and found.archived for found in world.store.read(ids))
    records = world.records(dump)
    assert len(records) == 3
    for record in records:
        assert {each["bot"] for each in record["seats"] if each["id"] == seat.id} == {"gone-x/bot-1"}
        assert check_proof(record, []) == []
    assert {row["bot"] for row in world.table(dump, "matches") if row["bot_id"] == seat.id} == {
        "gone-x/bot-1"
    }


def test_checksums_fit_and_the_card_describes_every_column(world: DumpWorld, tmp_path: Path) -> None:
    world.played(3)
    (dump,) = world.dumped(DECEMBER + GRACE_MS)
    reader = DumpReader(RedisDumps(world.redis), world.required())
    for file in dump.files:
        data = b"".join(reader.chunks(file, 0, file.size))
        assert (len(data), hashlib.sha256(data).hexdigest()) == (file.size, file.sha256)
        (tmp_path / file.name).write_bytes(data)
    done = subprocess.run(
        ["sha256sum", "--strict", "-c", "SHA256SUMS"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.count(": OK") == len(dump.files) - 1
    _, header, text = (tmp_path / "README.md").read_text().split("---\n", 2)
    known = yaml.safe_load(header)
    assert known["license"] == "cc0-1.0"
    for name, columns in (("matches", MATCHES), ("decisions", DECISIONS)):
        table = pq.read_table(tmp_path / f"{name}-2025-11.parquet")
        assert table.column_names == [column.name for column in columns]
        assert all(f"| `{column}` |" in text for column in table.column_names)
    paths = {each["config_name"]: each["data_files"][0]["path"] for each in known["configs"]}
    assert {name: [path.name for path in tmp_path.glob(glob)] for name, glob in paths.items()} == {
        "matches": ["matches-2025-11.parquet"],
        "decisions": ["decisions-2025-11.parquet"],
    }


def test_a_match_that_its_rules_no_longer_allow_has_a_record_but_no_decisions(
    world: DumpWorld, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    first, second = world.played(2)
    of_record = rows.decision_rows

    def changed(record: Any) -> Iterator[Row]:
        if record.config.id == first:
            raise Refusal("the rules have changed")
        yield from of_record(record)

    monkeypatch.setattr("referee.dumps.pieces.decision_rows", changed)
    (dump,) = world.dumped(DECEMBER + GRACE_MS)
    assert {row["match"] for row in world.table(dump, "decisions")} == {second}
    assert {row["match"] for row in world.table(dump, "matches")} == {first, second}
    assert f"no decisions of match {first}" in caplog.text

"""Forgetting an owner whose matches are archived: the index of the archive and its journal lose the name."""

from __future__ import annotations

import io
from pathlib import Path

import orjson
import pyarrow.parquet as pq
import pytest

from league.operators.audit import AuditActor
from redisio.connection import Redis
from referee.archive_index.index import RETIRED_MS, ArchiveIndex
from referee.object_store import ArchiveAway
from referee.storage.index import MatchFilter
from tests.league.test_archived_league import ArchivedLeague
from tests.league.test_arena import end
from tests.support.league import WallClock
from tests.support.stored import keys_that_contain

ADMIN = AuditActor("cli", "me")
NAMES = ("leokadia", "mephisto")


@pytest.fixture
def league(redis: Redis, clock: WallClock, tmp_path: Path) -> ArchivedLeague:
    return ArchivedLeague(redis, clock, tmp_path / "archive")


def index_of(league: ArchivedLeague) -> ArchiveIndex:
    assert league.archive_index is not None
    return league.archive_index


def files_that_name(league: ArchivedLeague, *words: str) -> set[str]:
    """Return the files of the index and the journal that contain one of these words, also as hexadecimal digits."""
    assert league.objects is not None
    found = set()
    for name in (*league.objects.names("index/"), *league.objects.names("journal/")):
        for row in pq.read_table(io.BytesIO(league.objects.read(name))).to_pylist():
            text = row["key"].encode() + (row["value"] or b"")
            if any(word.encode() in text or word.encode().hex().encode() in text for word in words):
                found.add(name)
    return found


def archived(league: ArchivedLeague) -> str:
    """Archive two rounds of duplicate matches of a ladder, one after the other. Return the ladder."""
    host, _ = league.bot("host", "own")
    _, bot = league.bot("leokadia", "mephisto")
    ladder = league.ladder("a1", owner=host.id, decks="rotated")
    league.ladders.enter(ladder.id, bot)
    for _ in range(2):
        league.finish(ladder.id, league.rounds.start(ladder.id).number)
        for _ in range(2):
            end(league, next(each for each in league.matches() if not each.finished))
        league.run(3)
        league.later()
        assert league.moved(100)
    return ladder.id


def compacted(league: ArchivedLeague) -> None:
    """Compact until nothing is left to do, and once more when nobody reads the replaced files."""
    for ms in (0, RETIRED_MS + 1):
        league.clock.ms += ms
        while index_of(league).compact():
            pass


def state(league: ArchivedLeague, ladder: str) -> object:
    """Return what must stay: standings, lists, rounds, matches and their links."""
    page = league.index.matches(MatchFilter(ladder=ladder), None, 50)
    matches = league.store.read(page.ids)
    rounds = league.ladders.store.rounds(ladder, [1, 2])
    return (
        league.ladders.store.standings(ladder, 1),
        page.ids,
        [(match.progress, match.log, match.secret) for match in matches if match is not None],
        [[entrant.id for entrant in each.entrants] for each in rounds if each is not None],
        league.chain.links(page.ids),
    )


def test_the_index_of_the_archive_and_its_journal_lose_the_name(league: ArchivedLeague) -> None:
    ladder = archived(league)
    before = state(league, ladder)
    assert {name.partition("/")[0] for name in files_that_name(league, *NAMES)} == {"index", "journal"}
    forgotten = league.administration.forget(ADMIN, "leokadia", "a request")
    compacted(league)
    assert files_that_name(league, *NAMES) == set()
    assert keys_that_contain(league.redis, *NAMES) == []
    fresh = league.fresh()
    assert state(fresh, ladder) == before
    assert not [fault for _, faults in fresh.required_archiver().verify() for fault in faults]
    assert not list(fresh.required_archiver().faults())
    assert fresh.required_archiver().status().orphans == ()
    assert fresh.required_archiver().rebuild() == []
    compacted(fresh)
    assert files_that_name(fresh, *NAMES) == set()
    assert state(fresh, ladder) == before
    assert files_that_name(fresh, f"{forgotten.name}/bot-1")


def test_an_interrupted_renewal_goes_on(league: ArchivedLeague, monkeypatch: pytest.MonkeyPatch) -> None:
    ladder = archived(league)
    before = state(league, ladder)
    index, owner = index_of(league), league.accounts.owner_by_name("leokadia").id
    with monkeypatch.context() as broken:
        broken.setattr(index, "renew", lambda: (_ for _ in ()).throw(ArchiveAway("away")))
        with pytest.raises(ArchiveAway):
            league.administration.forget(ADMIN, "leokadia", "a request")
    league.administration.forget(ADMIN, league.accounts.owner(owner).name, "again")
    index.compact()
    other = league.fresh()
    compacted(other)
    assert files_that_name(other, *NAMES) == set()
    assert state(other, ladder) == before


def test_a_result_loses_the_name_when_it_moves_to_the_archive(league: ArchivedLeague) -> None:
    _, bot = league.bot("leokadia", "mephisto")
    league.administration.forget(ADMIN, "leokadia", "a request")
    result = ["durak/2", "g1", 1, [[[[bot.id, bot.full_name, "1"]], 1, 0]]]
    index_of(league).write({b"=r durak/2 g1": orjson.dumps(result)})
    assert files_that_name(league, *NAMES) == set()
    assert files_that_name(league, bot.id)

"""Each kind of contradiction that a failover to an older replica leaves is found, mended, and gone afterwards."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from league.consistency.model import Contradiction, Kind
from league.ladders.redis_totals import key_of
from records.ids import derived_match_id
from records.match.clock import ClockRule
from records.match.session import Seat
from redisio.connection import Redis
from referee.groups.model import Group, GroupKind
from referee.proofs.redis import IDS, LINKS_KEY, NUMBERS_KEY
from referee.storage.redis import finished_key, keys_of, match_key
from referee.storage.redis_index import list_key
from tests.league.test_archived_league import ArchivedLeague
from tests.league.test_rounds import recomputed
from tests.support.league import LeagueWorld, WallClock
from tests.support.sums import kept

Harm = Callable[[LeagueWorld, str], None]


def kinds(league: LeagueWorld) -> set[Kind]:
    """Return the kinds of contradictions that a check finds."""
    return {finding.kind for finding in league.consistency.findings()}


def repaired(league: LeagueWorld) -> list[Contradiction]:
    """Repair the data, check that nothing is left, and return what was mended."""
    mended: list[Contradiction] = []
    assert league.consistency.repair(mended.append) == []
    assert kinds(league) == set()
    return mended


def played(league: LeagueWorld, *bots: str, **more: object) -> str:
    """Return a rated ladder of which one round has been played."""
    ladder = league.ladder(*(bots or ("a1", "a2", "a3")), rated=True, **more)
    league.finish(ladder.id, league.rounds.start(ladder.id).number)
    for preset in league.ratings.presets():
        league.ratings.catch_up(preset)
    return ladder.id


def matches(league: LeagueWorld) -> list[str]:
    return sorted(match.id for match in league.matches())


# What a failover loses or brings back


def lost_match(league: LeagueWorld, ladder: str) -> None:
    """The bucket is older than all else: a finished match is missing."""
    league.redis.one("DEL", finished_key(matches(league)[0]))


def lost_end(league: LeagueWorld, ladder: str) -> None:
    """The ladder is older than the bucket: it still waits for a match that is over."""
    match = matches(league)[0]
    (loaded,) = [each for each in league.matches() if each.id == match]
    tables = league.rounds.tables.by_id(league.ladders.get(ladder), league.ladders.round(ladder, 1))
    table = tables[loaded.config.group_id]
    league.redis.one("HSET", key_of(ladder, "open:1"), match, table)
    league.redis.one("HSET", key_of(ladder, "round:1"), "state", "running")
    league.redis.one("HINCRBY", key_of(ladder, "round:1"), "over", -1)
    league.redis.one("HDEL", key_of(ladder, "round:1"), "ended")
    league.redis.one("HSET", key_of(ladder, "rounds"), "running", 1)
    league.redis.one("DEL", key_of(ladder, "sums"))


def lost_waiting_match(league: LeagueWorld, ladder: str) -> None:
    """The bucket is older than the ladder, which waits for a match that is missing."""
    lost_end(league, ladder)
    lost_match(league, ladder)


def lost_table(league: LeagueWorld, ladder: str) -> None:
    """The ladder is older than the bucket: it does not know that a table has its match."""
    lost_end(league, ladder)
    ((_, table),) = league.ladders.store.open_matches(ladder, 1).items()
    league.redis.one("DEL", key_of(ladder, "open:1"))
    league.redis.one("SETBIT", key_of(ladder, "made:1"), table, 0)
    league.redis.one("HINCRBY", key_of(ladder, "round:1"), "made", -1)


def lost_round(league: LeagueWorld, ladder: str) -> None:
    """The ladder is older than the buckets, and has not opened the round."""
    league.redis.one("DEL", *(key_of(ladder, f"{each}:1") for each in ("round", "open", "made")))
    league.redis.one("DEL", key_of(ladder, "rounds"), key_of(ladder, "sums"))


def second_match(league: LeagueWorld, ladder: str) -> None:
    """The ladder has forgotten that a table was played again, and the match its annotation."""
    match = matches(league)[0]
    league.referee.void(match, "a test")
    league.rounds.rerun(match)
    league.finish(ladder, 1)
    league.redis.one("DEL", f"kozyr:{{{match[:2]}}}:annotations:{match}")


def lost_record(league: LeagueWorld, ladder: str) -> None:
    """The chain is older than the bucket."""
    match = league.redis.one("RPOP", IDS).decode()
    league.redis.one("HDEL", NUMBERS_KEY, match)
    links = league.redis.one("GET", LINKS_KEY)
    league.redis.one("SET", LINKS_KEY, links[:-32])


def lost_hole(league: LeagueWorld, ladder: str) -> None:
    """The chain is newer than the bucket of its first record."""
    league.redis.one("DEL", finished_key(league.redis.one("LINDEX", IDS, 0).decode()))


def lost_place_in_a_list(league: LeagueWorld, ladder: str) -> None:
    league.redis.one("ZREM", list_key("game:durak", "ended"), matches(league)[0])


def lost_end_in_a_list(league: LeagueWorld, ladder: str) -> None:
    match = matches(league)[0]
    league.redis.one("ZREM", list_key("all", "ended"), match)
    league.redis.one("ZADD", list_key("all", "live"), 1, match)


def list_of_a_lost_match(league: LeagueWorld, ladder: str) -> None:
    league.redis.one("ZADD", list_key("bot:house-a1", "live"), 1, derived_match_id("nothing"))
    league.redis.one("SADD", "kozyr:{bot:somebody}:active", derived_match_id("nothing"))
    league.redis.one("ZADD", "kozyr:{bot:somebody}:finished", 1, derived_match_id("nothing"))


def outbox_of_a_lost_match(league: LeagueWorld, ladder: str) -> None:
    match = derived_match_id("nothing")
    _, _, _, deadlines, outbox, _, _ = keys_of(match)
    league.redis.one("RPUSH", outbox, f"index {match} 3")
    league.redis.one("ZADD", deadlines, 1, match)


def lost_rating(league: LeagueWorld, ladder: str) -> None:
    """The ratings are older than the buckets."""
    (preset,) = league.ratings.presets()
    league.ratings.take_back(preset, next(iter(league.consistency._evidence.results(preset)))[0].id)


def lost_totals(league: LeagueWorld, ladder: str) -> None:
    bot = league.redis.one("HKEYS", key_of(ladder, "sums"))[0]
    league.redis.one("HDEL", key_of(ladder, "sums"), bot)


HARMS: dict[Harm, set[Kind]] = {
    lost_match: {Kind.LISTED, Kind.HOLE, Kind.RATING, Kind.STANDINGS},
    lost_end: {Kind.UNCOUNTED},
    lost_waiting_match: {Kind.ROUND, Kind.HOLE, Kind.LISTED, Kind.RATING},
    lost_table: {Kind.ROUND},
    lost_round: {Kind.ROUND, Kind.DOUBLE},
    second_match: {Kind.DOUBLE},
    lost_record: {Kind.UNCHAINED},
    lost_hole: {Kind.HOLE},
    lost_place_in_a_list: {Kind.UNLISTED},
    lost_end_in_a_list: {Kind.UNLISTED},
    list_of_a_lost_match: {Kind.LISTED},
    outbox_of_a_lost_match: {Kind.LEFT_OVER},
    lost_rating: {Kind.RATING},
    lost_totals: {Kind.STANDINGS},
}


@pytest.mark.parametrize("harm", HARMS, ids=lambda harm: harm.__name__)
def test_each_contradiction_is_found_and_repaired(league: LeagueWorld, harm: Harm) -> None:
    ladder = played(league)
    assert kinds(league) == set(), "whole data contradict nothing"
    harm(league, ladder)
    assert kinds(league) >= HARMS[harm]
    repaired(league)
    assert repaired(league) == [], "a second repair finds nothing"
    league.run()
    assert kept(league, ladder) == recomputed(
        league, ladder, [each for each in league.matches() if not each.void]
    )
    for number in league.ladders.store.rounds_under_way(ladder):
        league.finish(ladder, number)
    league.finish(ladder, league.rounds.start(ladder).number)
    assert kinds(league) == set()
    assert league.ladders.store.rounds_under_way(ladder) == []


def lost_group(league: LeagueWorld, ladder: str) -> None:
    """The group is older than the buckets of its matches."""
    league.redis.one("DEL", f"kozyr:{{group:{next(league.matches()).config.group_id}}}")


def lost_group_and_match(league: LeagueWorld, ladder: str) -> None:
    lost_group(league, ladder)
    lost_match(league, ladder)


def lost_group_and_round(league: LeagueWorld, ladder: str) -> None:
    lost_group(league, ladder)
    lost_round(league, ladder)


IN_GROUPS = (lost_match, lost_totals, lost_record, lost_rating, lost_end, lost_round)
OF_GROUPS = (lost_group, lost_group_and_match, lost_group_and_round)


@pytest.mark.parametrize("decks", ["rotated", "once_only"])
@pytest.mark.parametrize("harm", [*IN_GROUPS, *OF_GROUPS], ids=lambda harm: harm.__name__)
def test_contradictions_of_duplicate_groups_are_repaired(league: LeagueWorld, harm: Harm, decks: str) -> None:
    ladder = played(league, decks=decks)
    assert kinds(league) == set(), "whole data contradict nothing"
    harm(league, ladder)
    assert kinds(league)
    repaired(league)
    league.run()
    league.finish(ladder, league.rounds.start(ladder).number)
    assert kinds(league) == set()


@pytest.mark.parametrize("decks", ["independent", "rotated"])
def test_the_matches_of_a_ladder_that_is_missing_become_void(league: LeagueWorld, decks: str) -> None:
    ladder = played(league, decks=decks)
    for key in league.redis.one("KEYS", key_of(ladder, "*")):
        league.redis.one("DEL", key)
    assert Kind.DOUBLE in kinds(league)
    repaired(league)
    assert all(match.void for match in league.matches())
    assert all(not league.ratings.page(preset)[0] for preset in league.ratings.presets())


@pytest.mark.parametrize("lost", ["group", "match"])
def test_a_casual_group_that_lost_its_document_is_void_and_one_that_lost_a_match_plays_it(
    league: LeagueWorld, lost: str
) -> None:
    (_, ann), (_, bob) = league.bot("ann", "bot"), league.bot("bob", "bot")
    bots = tuple(Seat(f"{each.owner_name}/bot", each.id, "1", False) for each in (ann, bob))
    group = league.groups.create(
        Group(
            id="g" + derived_match_id("a group")[2:],
            kind=GroupKind.ROTATED,
            game="durak",
            options={},
            bots=bots,
            tables=((0, 1), (1, 0)),
            entropy=(None, None),
            clock=ClockRule(),
            dealer=None,
            secret=b"s" * 32,
            created=league.clock(),
        )
    )
    first, _ = league.groups.matches(group)
    league.run()
    assert kinds(league) == set()
    league.redis.one("DEL", f"kozyr:{{group:{group.id}}}" if lost == "group" else match_key(first))
    assert Kind.GROUP in kinds(league)
    repaired(league)
    both = [each for each in league.referee.look_at(league.groups.matches(group)) if each is not None]
    assert [each.void for each in both] == [lost == "group"] * 2


def test_archived_matches_contradict_nothing(redis: Redis, clock: WallClock, tmp_path: Path) -> None:
    league = ArchivedLeague(redis, clock, tmp_path / "archive")
    ladder = played(league, decks="rotated")
    assert league.referee.void(matches(league)[0], "a test")
    league.run()
    league.rated()
    league.later()
    archived = league.moved(5)
    league.play(ladder)
    assert archived
    assert league.fresh().consistency.repair(print) == []
    assert kinds(league.fresh()) == set()


def test_a_chain_that_is_older_than_the_archive_keeps_the_records_that_only_a_segment_has(
    redis: Redis, clock: WallClock, tmp_path: Path
) -> None:
    league = ArchivedLeague(redis, clock, tmp_path / "archive")
    played(league)
    league.later()
    before = {key: redis.one("DUMP", key) for key in redis.one("KEYS", "kozyr:{chain}:*")}
    assert league.moved(10)
    assert kinds(league.fresh()) == set()
    redis.one("DEL", *redis.one("KEYS", "kozyr:{chain}:*"))
    for key, value in before.items():
        redis.one("RESTORE", key, 0, value)
    found = list(league.fresh().consistency.findings())
    (segment,) = [each for each in found if each.kind is Kind.ARCHIVE]
    assert segment.mend is None
    holes = [each for each in found if each.kind is Kind.HOLE]
    assert {each.ids["match"] for each in holes} == set(str(segment.ids["matches"]).split())
    links = redis.one("GET", LINKS_KEY)
    assert segment.ids in [each.ids for each in league.fresh().consistency.repair(lambda _: None)]
    assert redis.one("GET", LINKS_KEY) == links, "the chain still has the records"

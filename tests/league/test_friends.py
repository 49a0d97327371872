"""Tables of friends: who sits where, what a table refuses, how many there are, and for how long."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from league.friends.model import FriendsTable, TableRefusal, TableRefused, friend_of
from league.friends.service import KEPT_S, MOST_OPEN, MOST_TABLES, WAITS_S, Friends
from league.people import MOST_GUEST_MATCHES, People, guest_of, person_of
from records.verify import verify
from redisio.connection import Redis
from tests.league.test_people import people, redis
from tests.support.league import LeagueWorld

__all__ = ["people", "redis"]

ANNA, BORIS, VERA = map(guest_of, ("anna", "boris", "vera"))
OWNER = person_of("o1", "olga")


@pytest.fixture
def friends(redis: Redis, people: People) -> Friends:
    return Friends(redis, people)


def table_for(seats: int = 3) -> FriendsTable:
    """Return a table where Anna waits in seat 0."""
    empty = [None] * (seats - 1)
    levels = ("a1",) * seats
    return FriendsTable("t", "durak", {}, 1, levels, "calm", ANNA.id, (friend_of(ANNA, "Anna"), *empty))


def names(table: FriendsTable | None) -> list[str | None]:
    assert table is not None
    return [each and each.name for each in table.seats]


def open_table(friends: Friends, person: Any = ANNA) -> FriendsTable:
    return friends.open(person, "Anna", "durak", opponents=["a1", "a2"], options={}, deals=1, clock="calm")


def refusal(call: Callable[[], object]) -> TableRefusal:
    with pytest.raises(TableRefused) as caught:
        call()
    return caught.value.reason


def test_a_person_sits_once_and_may_move_to_another_seat() -> None:
    table = table_for(4).sat(BORIS, "Boris").sat(BORIS, "Another")
    assert names(table) == ["Anna", "Boris", None, None]
    assert names(table.sat(BORIS, "", 3)) == ["Anna", None, None, "Boris"]
    for seat in (0, 4, -1):
        assert refusal(partial(table.sat, BORIS, "", seat)) is TableRefusal.SEAT
    assert refusal(lambda: table_for(2).sat(BORIS, "Boris").sat(VERA, "Vera")) is TableRefusal.FULL


@pytest.mark.parametrize(
    "name", ["", "x", "a" * 17, "<b>x</b>", "house", "H0use", "Hоuse", "аdmin", "Ho\u202euse", "😀😀", "a_b"]
)
def test_a_name_that_misleads_is_refused(name: str) -> None:
    assert refusal(lambda: table_for().sat(BORIS, name)) is TableRefusal.NAME


def test_no_two_at_a_table_have_one_name_and_owners_have_theirs() -> None:
    table = table_for().sat(OWNER, "Anna")
    assert names(table) == ["Anna", "olga", None]
    for name in ("ANNA", " anna ", "Olga", "a1"):
        assert refusal(partial(table.sat, BORIS, name)) is TableRefusal.NAME_TAKEN


def test_the_host_starts_and_not_alone_and_whoever_stays_becomes_the_host() -> None:
    table = table_for()
    assert refusal(lambda: table.begun(ANNA.id, "m1")) is TableRefusal.ALONE
    table = table.sat(BORIS, "Boris")
    assert refusal(lambda: table.begun(BORIS.id, "m1")) is TableRefusal.HOST
    left = table.left(ANNA.id)
    assert left is not None
    assert (left.host, names(left)) == (BORIS.id, [None, "Boris", None])
    assert left.left(BORIS.id) is None


def test_a_begun_table_stays_as_it_is() -> None:
    table = table_for().sat(BORIS, "Boris").begun(ANNA.id, "m1")
    assert table.begun(ANNA.id, "m2") is table
    for call in (
        lambda: table.sat(VERA, "Vera"),
        lambda: table.left(BORIS.id),
        lambda: table.again(VERA.id, "m0"),
    ):
        assert refusal(call) is TableRefusal.STARTED


def test_whoever_sits_down_again_or_starts_takes_part_in_the_rematch() -> None:
    table = table_for().sat(BORIS, "Boris").sat(VERA, "Vera").begun(ANNA.id, "m1")
    back = table.again(VERA.id, "m1").sat(BORIS, "")
    assert names(back.begun(VERA.id, "m2")) == ["Vera", None, "Boris"]
    left = back.left(VERA.id)
    assert left is not None
    assert (left.host, names(left)) == (BORIS.id, [None, "Anna", "Boris"]), "who is back becomes the host"
    assert names(left._replace(host=ANNA.id).begun(ANNA.id, "m2")) == [None, "Anna", "Boris"]


def test_guests_share_a_name_in_a_record_and_no_id(friends: Friends, league: LeagueWorld) -> None:
    table = open_table(friends)
    friends.sit(table.id, BORIS, "Boris")
    match = friends.begin(table.id, ANNA).id
    for person in (ANNA, BORIS):
        league.referee.resign(match, person.id)
    league.run()
    record = league.referee.record(league.referee.look(match)).to_json()
    assert verify(record) == []
    seats = record["seats"]
    one_person = {**record, "seats": [seats[0], seats[0], seats[2]]}
    assert "seats[1].id" in [finding.where for finding in verify(one_person)]
    bots = [{name: value for name, value in seat.items() if name != "person"} for seat in seats]
    assert "seats[1].bot" in [finding.where for finding in verify({**record, "seats": bots})]


def test_a_table_is_kept_for_half_an_hour_until_it_starts(friends: Friends, redis: Redis) -> None:
    table = open_table(friends)
    key = f"kozyr:{{friends}}:table:{table.id}"
    redis.one("EXPIRE", key, 60)
    friends.sit(table.id, BORIS, "Boris")
    assert 0 < redis.one("TTL", key) <= 60
    friends.begin(table.id, ANNA)
    assert WAITS_S < redis.one("TTL", key) <= KEPT_S
    assert all(redis.one("TTL", each) > 0 for each in redis.one("KEYS", "kozyr:{friends}*"))


def test_a_person_and_all_together_open_few_tables(friends: Friends, redis: Redis) -> None:
    tables = [open_table(friends) for _ in range(MOST_TABLES)]
    assert refusal(lambda: open_table(friends)) is TableRefusal.TABLES
    friends.leave(tables[0].id, ANNA)
    open_table(friends)
    far = 32_000_000_000_000
    redis.run([("ZADD", "kozyr:{friends}:open", far, f"t{number}") for number in range(MOST_OPEN)])
    assert refusal(lambda: open_table(friends, BORIS)) is TableRefusal.CROWDED


def test_a_friend_who_plays_too_much_stops_only_the_start(friends: Friends, people: People) -> None:
    table = open_table(friends)
    for _ in range(MOST_GUEST_MATCHES):
        people.start(BORIS, "durak", ["a1"], options={})
    friends.sit(table.id, BORIS, "Boris")
    assert refusal(lambda: friends.begin(table.id, ANNA)) is TableRefusal.BUSY
    friends.leave(table.id, BORIS)
    friends.sit(table.id, VERA, "Vera")
    friends.begin(table.id, ANNA)


def test_a_host_who_starts_again_gets_the_match_and_seats_nobody_anew(
    friends: Friends, people: People, league: LeagueWorld
) -> None:
    table = open_table(friends)
    friends.sit(table.id, BORIS, "Boris")
    match = friends.begin(table.id, ANNA)
    for person in (ANNA, BORIS):
        league.referee.resign(match.id, person.id)
    assert league.referee.look(match.id).finished
    for _ in range(MOST_GUEST_MATCHES):
        people.start(ANNA, "durak", ["a1"], options={})
    assert friends.begin(table.id, ANNA).id == match.id
    assert friends.find(table.id).match == match.id

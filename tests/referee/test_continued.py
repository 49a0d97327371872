"""Matches that begin at a position of another one, and seats of people."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from functools import partial
from random import Random
from typing import Any

import pytest

from engine.game import BadTable
from engine.registry import GAMES
from records.match import new_match
from records.match.clock import ClockRule
from records.match.loaded_match import LoadedMatch
from records.match.log import BY_CONTINUED
from records.match.new_match import NewMatch
from records.match.session import Seat
from records.verify import verify
from redisio.connection import Redis
from referee.errors import RecordNotReady
from tests.referee.conftest import emptied
from tests.referee.stories import Json
from tests.referee.test_groups import created, group
from tests.referee.world import World, house, short

PERSON = Seat("anna/person", "person-o1", "", person=True)
LONG = ClockRule(86_400_000, 0, 0, 5_000, 1)


@pytest.fixture(scope="module")
def redis(redis_url: str) -> Iterator[Redis]:
    """Return a plain Redis: the kind of server doesn't matter here."""
    yield from emptied(redis_url)


def source(world: World, game: str = "durak", seats: int | None = None, **more: Any) -> LoadedMatch:
    """Return a finished match."""
    options = {**short(game), **more}
    return world.play_out(world.match(seats or min(GAMES[game].seat_counts), game, **options))


def go_on(world: World, loaded: LoadedMatch, deal: int, move: int, seat: int = 0) -> LoadedMatch:
    """Return a match of a person against house bots from this position."""
    place = world.referee.position(loaded, deal, move)
    seats = [PERSON if number == seat else house("dice") for number in range(len(loaded.config.seats))]
    (made,) = world.referee.create_all(
        [
            NewMatch(
                game=loaded.config.game,
                seats=seats,
                options=loaded.config.options,
                deals=place.deals,
                dealer=loaded.progress.first_dealer,
                clock=LONG,
                continues=place.continues,
                repeated=place.repeated,
            )
        ]
    )
    return made


def moves_of(loaded: LoadedMatch, deal: int, world: World) -> list[tuple[int | None, str]]:
    """Return who moved what in a deal of a finished match."""
    found: list[list[tuple[int | None, str]]] = []
    for move in world.referee.record(loaded).to_json()["moves"]:
        if move["seat"] is None:
            found.append([])
        else:
            found[-1].append((move["seat"], move["move"]))
    return found[deal - 1]


@pytest.mark.parametrize("game", GAMES)
def test_a_continued_match_begins_exactly_there_and_its_record_verifies(world: World, game: str) -> None:
    old = source(world, game)
    before = world.referee.record(old).to_json()
    count = len(moves_of(old, 2, world))
    for move in (0, count - 1):
        seat = move % len(old.config.seats)
        new = go_on(world, old, 2, move, seat)
        repeated = [entry for entry in world.log(new.id) if entry.by == BY_CONTINUED]
        done = world.play_out(new.id, rng=Random(move))
        record = world.referee.record(done).to_json()
        assert verify(record) == []
        assert moves_of(done, 1, world) == moves_of(old, 1, world)
        assert moves_of(done, 2, world)[:move] == moves_of(old, 2, world)[:move]
        assert len(repeated) == len(moves_of(old, 1, world)) + move
        assert [each["move"] for each in record["moves"] if each["seat"] is None][:2] == [
            each["move"] for each in before["moves"] if each["seat"] is None
        ][:2]
        assert record["deals"] == (GAMES[game].fixed_deals or 2)
        assert record["continues"]["match"] == old.id
        assert (record["rated"], record["ladder"], record["group"]) == (False, None, None)
        assert [each.get("person", False) for each in record["seats"]] == [
            number == seat for number in range(len(old.config.seats))
        ]


def test_a_continued_match_of_a_group_keeps_its_suits(world: World) -> None:
    house_group = group("svoi_kozyri", 2, bots=(house("dice"), house("first")), tables=((0, 1), (1, 0)))
    matches = created(world, house_group)
    for match in matches:
        while world.referee.go_on(match, 1.0):
            pass
    assert len({world.look(match).config.group.suits for match in matches}) == 2  # type: ignore[union-attr]
    for loaded in map(world.look, matches):
        new = go_on(world, loaded, 1, 2)
        done = world.play_out(new.id)
        assert verify(world.referee.record(done).to_json()) == []
        assert moves_of(done, 1, world)[:2] == moves_of(loaded, 1, world)[:2]


def test_a_continued_match_can_be_continued(world: World) -> None:
    old = source(world, "king")
    second = world.play_out(go_on(world, old, 2, 5).id)
    for deal, move in ((1, 3), (2, 2), (2, 9), (4, 1)):
        third = world.play_out(go_on(world, second, deal, move, seat=2).id)
        record = world.referee.record(third).to_json()
        assert verify(record) == []
        assert record["continues"]["match"] == second.id
        assert [past["deals"] for past in record["continues"]["shuffles"]] == (
            [deal] if deal <= 2 else [2, deal]
        )


@pytest.mark.parametrize(
    ("deal", "move", "field"), [(0, 0, "deal"), (3, 0, "deal"), (1, -1, "move"), (1, 9999, "move")]
)
def test_a_position_outside_the_match_is_refused(world: World, deal: int, move: int, field: str) -> None:
    old = source(world)
    with pytest.raises(BadTable) as refused:
        go_on(world, old, deal, move)
    assert refused.value.field == field


def test_a_position_at_which_the_deal_is_over_is_refused(world: World) -> None:
    old = source(world)
    for deal in (1, 2):
        with pytest.raises(BadTable, match="before the end of the deal"):
            go_on(world, old, deal, len(moves_of(old, deal, world)))


def test_a_running_match_cannot_be_continued(world: World) -> None:
    match = world.match()
    with pytest.raises(RecordNotReady):
        world.referee.position(world.look(match), 1, 0)


def test_a_match_that_never_began_has_no_position(world: World) -> None:
    match = world.match(present=False)
    world.referee.resign(match, "bot-0")
    with pytest.raises(BadTable):
        world.referee.position(world.look(match), 1, 0)


def test_repeated_moves_cost_no_time_and_get_no_answer(world: World) -> None:
    old = source(world, clock=ClockRule(1_000, 3_000, 100, 250, 3))
    new = go_on(world, old, 1, 4)
    assert new.progress.bank == (0, 0)
    events = world.referee.events(new, None, 0, 1000)
    assert [event.get("by") for event in events if event["type"] == "move"][:4] == ["continued"] * 4
    assert new.progress.turn > 4 or new.finished


def test_a_forfeited_match_can_be_played_on(world: World) -> None:
    match = world.match(2)
    world.act(match)
    old = world.referee.resign(match, "bot-1")
    done = world.play_out(go_on(world, old, 1, 1).id)
    assert verify(world.referee.record(done).to_json()) == []


def test_a_person_that_resigns_leaves_a_valid_record(world: World) -> None:
    new = go_on(world, source(world), 1, 2)
    done = world.referee.resign(new.id, PERSON.id)
    assert verify(world.referee.record(done).to_json()) == []


def repeat_all(record: Json) -> None:
    record["continues"]["move"] = 100_000
    for move in record["moves"]:
        if move["seat"] is not None:
            move.update(by="continued", **({"ms": 0} if "ms" in move else {}))


def end_after(record: Json, moves: int) -> None:
    record.update(ending="void", moves=record["moves"][:moves], scores=[0, 0], places=[1, 1], forfeits=[])


@pytest.mark.parametrize(
    ("where", "change"),
    [
        ("rated", lambda record: record.update(rated=True)),
        ("ladder", lambda record: record.update(ladder="l1")),
        ("moves[1].by", lambda record: record["moves"][1].pop("by")),
        ("moves[1].ms", lambda record: record["moves"][1].update(ms=5)),
        ("moves[0].move", lambda record: record["continues"]["shuffles"][0].update(secret="00" * 32)),
        ("continues.shuffles", lambda record: record["continues"]["shuffles"][0].update(deals=1)),
        ("continues.move", lambda record: record["continues"].update(move=-1)),
        (".by", lambda record: record["continues"].update(move=2)),
        ("seats[0].person", lambda record: record["seats"][0].update(person=False)),
        ("continues", repeat_all),
        *(("continues", partial(end_after, moves=moves)) for moves in (0, 1, 4)),
    ],
)
def test_a_tampered_continuation_is_found(world: World, where: str, change: Any) -> None:
    done = world.play_out(go_on(world, source(world), 2, 3).id)
    record = copy.deepcopy(world.referee.record(done).to_json())
    change(record)
    assert any(finding.where.endswith(where) for finding in verify(record))


def test_a_position_after_too_many_moves_is_refused(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    old = source(world, deals=3)
    counts = [len(moves_of(old, deal, world)) for deal in (1, 2)]
    monkeypatch.setattr(new_match, "MOST_REPEATED", sum(counts) - 1)
    assert world.referee.position(old, 2, counts[1] - 1).deals == 2
    for deal, move in ((2, counts[1]), (3, 0)):
        with pytest.raises(BadTable, match=f"at most {sum(counts) - 1} moves"):
            world.referee.position(old, deal, move)


def test_a_match_under_other_rules_is_not_continued(world: World) -> None:
    old = source(world)
    former = old._replace(config=old.config._replace(rules="durak-0"))
    with pytest.raises(BadTable, match="a match under the rules durak-"):
        world.referee.position(former, 1, 0)

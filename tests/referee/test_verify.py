"""Verification of records: correct ones of every kind have no finding, tampered ones have one in the right place.

`test_the_documented_limits_of_verification` lists what only the signature shows.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Sequence
from itertools import product
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine.game import Game
from engine.registry import GAMES
from records.match.clock import ClockRule
from records.verify import Finding, verify
from redisio.connection import Redis
from tests.engine.lines import tables
from tests.referee.conftest import emptied
from tests.referee.stories import RULE, Json, Plot, grouped, played
from tests.referee.world import EXCHANGE, EXCHANGE_ON_TURN, TWO, ManualClock, World, short, stack

OTHER_ID = "63zzzzzzzzzzzzzzzzzzzzzzzzzz"
Path = tuple[str | int, ...]


@pytest.fixture(scope="module")
def redis(redis_url: str) -> Iterator[Redis]:
    """Return a plain Redis: the kind of server doesn't matter here."""
    yield from emptied(redis_url)


# Correct records


def plots(game: type[Game]) -> st.SearchStrategy[Plot]:
    """Draw any match of a game."""
    return tables(game).flatmap(
        lambda table: st.builds(
            Plot,
            game=st.just(game.id),
            seats=st.just(table.seats),
            options=st.just(table.options),
            deals=st.none() if game.fixed_deals else st.integers(1, 3),
            dealer=st.none() | st.integers(0, table.seats - 1),
            house=st.frozensets(st.integers(0, table.seats - 1), max_size=table.seats - 1),
            entropy=st.none() | st.tuples(*[st.none() | st.text("aé牌🂡", min_size=1)] * table.seats),
            clock=st.sampled_from([RULE, ClockRule(500, 0, 0, 0, 1), ClockRule(2_000, 100, 700, 250, 4)]),
            late=st.sampled_from([0.0, 0.05, 0.5]),
            leaving=st.sampled_from([0.0, 0.0, 0.01, 0.2]),
            seed=st.integers(0, 2**32),
        )
    )


@pytest.mark.parametrize("game", GAMES.values(), ids=GAMES)
@settings(max_examples=6, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_a_record_of_the_referee_has_no_finding(
    world: World, clock: ManualClock, game: type[Game], data: st.DataObject
) -> None:
    record = played(world, clock, data.draw(plots(game)))
    assert verify(record) == []


@pytest.mark.parametrize("game", GAMES.values(), ids=GAMES)
@settings(max_examples=4, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_a_record_of_a_duplicate_group_has_no_finding(
    world: World, clock: ManualClock, game: type[Game], data: st.DataObject
) -> None:
    plot = data.draw(plots(game))._replace(deals=None, dealer=0)
    base = game.table(plot.seats, plot.options)
    suits = data.draw(st.sampled_from(base.suit_symmetries()))
    record = grouped(world, clock, plot, suits, data.draw(st.integers(1, 7)))
    assert verify(record) == []


def test_a_match_that_never_began_has_no_finding(world: World) -> None:
    waiting = world.match(2, present=False)
    world.referee.resign(waiting, "bot-0")
    record = world.referee.record(world.look(waiting)).to_json()
    assert record["ending"] == "aborted"
    assert verify(record) == []


@pytest.mark.parametrize("does", list(product(["comes", "resigns", "stays away"], repeat=3)))
@pytest.mark.parametrize("seats", [2, pytest.param(3, marks=pytest.mark.ci)])
def test_resignations_and_no_shows_in_a_ladder_leave_no_finding(
    world: World, clock: ManualClock, seats: int, does: Sequence[str]
) -> None:
    match = world.match(seats, present=False, ladder="l1", round=1, rated=True)
    did = does[:seats]
    for number, each in enumerate(did):
        if each == "comes":
            world.referee.show_up(match, f"bot-{number}")
        elif each == "resigns" and not world.look(match).finished:
            world.referee.resign(match, f"bot-{number}")
    clock.advance(world.times.start_ms + 1_000)
    world.referee.apply_timeouts(match)
    while not world.look(match).finished:
        world.act(match)
    record = world.referee.record(world.look(match)).to_json()
    resigned = [number for number, each in enumerate(did) if each == "resigns"]
    if seats - len(resigned) <= 1:
        assert (record["ending"], record["forfeits"]) == ("resigned", resigned[: seats - 1])
    elif "stays away" in did:
        assert (record["ending"], record["forfeits"]) == ("aborted", [])
    else:
        assert (record["ending"], record["forfeits"]) == ("rules", resigned)
    assert verify(record) == []


@pytest.mark.parametrize("moves", [None, 0, 20, 100])
def test_a_void_match_has_no_finding(world: World, moves: int | None) -> None:
    match = world.match(3, deals=5, present=moves is not None)
    world.play_out(match, moves or 0)
    record = world.referee.record(world.referee.void(match, "our disk was full")).to_json()
    assert (record["ending"], record["started"] is None) == ("void", moves is None)
    assert verify(record) == []


@pytest.mark.parametrize(
    ("deck", "seat"), [(EXCHANGE, 0), (EXCHANGE_ON_TURN, 1)], ids=["off turn", "on turn"]
)
def test_a_free_exchange_has_no_finding(
    world: World, monkeypatch: pytest.MonkeyPatch, deck: tuple[int, ...], seat: int
) -> None:
    stack(monkeypatch, {1: deck})
    match = world.match(2, options=TWO["options"], dealer=0)
    world.act(match, "exchange", seat=seat, deal=1)
    world.play_out(match)
    record = world.referee.record(world.look(match)).to_json()
    assert verify(record) == []
    changed(record, ("moves", 1, "seat"), 1 - seat)
    assert [found.where for found in verify(record)] == ["moves[1].seat"]


# Tampered records


@pytest.fixture
def long(world: World, clock: ManualClock) -> Json:
    """Return the record of two complete deals with timeouts, a forfeited seat and a house bot."""
    plot = Plot("durak", 4, deals=2, house=frozenset({3}), clock=RULE._replace(strikes=3), late=0.03, seed=5)
    return _kept("long", world, clock, plot)


@pytest.fixture
def cut(world: World, clock: ManualClock) -> Json:
    """Return the record of a match that strikes ended."""
    return _kept("cut", world, clock, Plot("svoi_kozyri", 2, deals=2, late=0.4, seed=3))


@pytest.fixture
def resigned(world: World, clock: ManualClock) -> Json:
    """Return the record of a match that a resignation ended."""
    return _kept("resigned", world, clock, Plot("kryt", 2, deals=2, leaving=0.1, seed=1))


_KEPT: dict[str, Json] = {}


def _kept(name: str, world: World, clock: ManualClock, plot: Plot) -> Json:
    if name not in _KEPT:
        _KEPT[name] = played(world, clock, plot)
    return copy.deepcopy(_KEPT[name])


def test_the_records_to_be_tampered_with_have_every_field(long: Json, cut: Json, resigned: Json) -> None:
    assert (long["ending"], cut["ending"], resigned["ending"]) == ("rules", "forfeit", "resigned")
    assert {one.get("by") for one in long["moves"]} == {None, "timeout", "forfeit"}
    assert long["forfeits"]
    assert not verify(long) + verify(cut) + verify(resigned)


def leaves(value: Any, path: Path = ()) -> Iterator[Path]:
    """Yield the paths of all scalars and empty containers in a document."""
    parts = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for name, part in parts:
        yield from leaves(part, (*path, name))
    if not isinstance(value, dict | list) or not value:
        yield path


def inner(value: Any, path: Path = ()) -> Iterator[Path]:
    """Yield the paths of all objects and lists in a document."""
    if isinstance(value, dict | list):
        yield path
        for name, part in value.items() if isinstance(value, dict) else enumerate(value):
            yield from inner(part, (*path, name))


def at(document: Any, path: Path) -> Any:
    for name in path:
        document = document[name]
    return document


def changed(document: Json, path: Path, value: object) -> None:
    at(document, path[:-1])[path[-1]] = value


def written(path: Path) -> str:
    """Return a path in the notation of findings."""
    text = "".join(f"[{name}]" if isinstance(name, int) else f".{name}" for name in path)
    return text.removeprefix(".")


def places(record: Json) -> set[str]:
    return {found.where for found in verify(record)}


def sampled(paths: Iterator[Path]) -> Iterator[Path]:
    """Return all of these paths except for most moves: the first ones and a sample of the others."""
    for path in paths:
        if path[:1] != ("moves",) or len(path) < 2 or path[1] < 8 or path[1] % 9 == 0:  # type: ignore[operator]  # a number
            yield path


@pytest.mark.parametrize("wrong", [{}, [[]], 1.5, "\ud800"], ids=["object", "list", "fraction", "surrogate"])
def test_values_of_a_wrong_type_are_found(long: Json, wrong: object) -> None:
    for path in sampled(leaves(long)):
        tampered = copy.deepcopy(long)
        changed(tampered, path, wrong)
        assert places(tampered) == {written(path)}, path


def test_booleans_are_not_numbers_and_numbers_are_not_texts(long: Json) -> None:
    for path in sampled(leaves(long)):
        given = at(long, path)
        tampered = copy.deepcopy(long)
        changed(tampered, path, True if isinstance(given, int) and not isinstance(given, bool) else 7)
        found = places(tampered)
        if path == ("options", "turn_limit") or path[-1] != "seat":
            assert written(path) in found, path
        assert found, path


def test_missing_fields_are_found(long: Json) -> None:
    for path in sampled(inner(long)):
        whole = at(long, path)
        if not isinstance(whole, dict):
            continue
        for name in whole:
            tampered = copy.deepcopy(long)
            del at(tampered, path)[name]
            found = places(tampered)
            if name != "by" and name not in GAMES["durak"].later_options:
                assert written((*path, name)) in found, (path, name)


def test_unknown_fields_are_found(long: Json) -> None:
    for path in sampled(inner(long)):
        tampered = copy.deepcopy(long)
        whole = at(tampered, path)
        if isinstance(whole, dict):
            whole["more"] = 1
            assert written((*path, "more")) in places(tampered), path
        else:
            whole.append(whole[-1] if whole else 0)
            field = {"seats": "options", "entropy": "shuffle.entropy"}.get(str(path[-1]), written(path))
            assert any(where.startswith(field) for where in places(tampered)) or path == ("seats",), path
            assert verify(tampered), path


def from_move(found: list[Finding], number: int) -> bool:
    """Return whether there is a finding, and the first one among the moves is not before this move."""
    numbers = [int(one.where[6:].partition("]")[0]) for one in found if one.where.startswith("moves[")]
    return bool(found) and (not numbers or min(numbers) >= number)


@pytest.mark.parametrize("game", list(GAMES))
def test_moved_dropped_and_doubled_moves_are_found(world: World, clock: ManualClock, game: str) -> None:
    record = _kept(game, world, clock, Plot(game, min(GAMES[game].seat_counts), **short(game)))
    moves = record["moves"]
    for number in range(0, len(moves) - 1, max(1, len(moves) // 25)):
        one, other = pair = moves[number : number + 2]
        rest = moves[:number], moves[number + 2 :]
        for tampered in (pair[1:], [one, one, other]):
            assert from_move(verify({**record, "moves": [*rest[0], *tampered, *rest[1]]}), number), number
        if one != other:
            found = verify({**record, "moves": [*rest[0], other, one, *rest[1]]})
            # Two cards that one seat threw in may come in either order, and so may a free exchange.
            either_way = one["seat"] == other["seat"] or "exchange" in (one["move"], other["move"])
            assert from_move(found, number) or (either_way and not found), number
    assert "moves" in places({**record, "moves": moves[:-1]})


@pytest.mark.parametrize("game", list(GAMES))
def test_a_reordered_deck_alone_is_found(world: World, clock: ManualClock, game: str) -> None:
    record = _kept(game, world, clock, Plot(game, min(GAMES[game].seat_counts), **short(game)))
    deals = [number for number, move in enumerate(record["moves"]) if move["seat"] is None]
    for number in deals:
        tampered = copy.deepcopy(record)
        words = tampered["moves"][number]["move"].split()
        words[-1], words[-2] = words[-2], words[-1]
        tampered["moves"][number]["move"] = " ".join(words)
        (first, *_) = verify(tampered)
        assert first.where == f"moves[{number}].move"
        assert first.right == record["moves"][number]["move"]


@pytest.mark.parametrize(
    ("path", "value", "where"),
    [
        (("format",), 2, "format"),
        (("id",), OTHER_ID, "shuffle.commitment"),
        (("id",), "17short", "id"),
        (("game",), "kryt", "options.teams"),
        (("game",), "whist", "game"),
        (("options", "turn_limit"), 999, "preset"),
        (("options", "attackers"), "neighbours", "preset"),
        (("preset",), "durak/2", "preset"),
        (("rules",), "durak-0", "rules"),
        (("deals",), 1, "moves[*]"),
        (("deals",), 3, "moves"),
        (("deals",), 1001, "deals"),
        (("dealer",), None, "dealer"),
        (("dealer",), 4, "dealer"),
        (("seats", 0), None, "seats[0]"),
        (("seats", 0, "bot"), "nobody", "seats[0].bot"),
        (("seats", 0, "id"), "bot-1", "seats[1].id"),
        (("clock", "move_ms"), 900, "moves[*].ms"),
        (("clock", "bank_ms"), 2_900, "moves[*].ms"),
        (("clock", "increment_ms"), 99, "moves[*].ms"),
        (("clock", "strikes"), 1, "moves[*].by"),
        (("group",), "a-group", "deals"),
        (("started",), None, "started"),
        (("started",), "2030-01-01T00:00:00.000Z", "ended"),
        (("started",), "2025-11-21T00:00:00Z", "started"),
        (("ended",), "2020-01-01T00:00:00.000Z", "ended"),
        (("moves",), [], "moves"),
        (("scores", 0), 5, "scores[0]"),
        (("places", 0), 4, "places[0]"),
        (("forfeits",), [], "forfeits"),
        (("forfeits",), [0, 1, 2], "forfeits"),
        (("ending",), "forfeit", "ending"),
        (("ending",), "resigned", "ending"),
        (("ending",), "aborted", "moves"),
        (("ending",), "void", "ending"),
        (("ending",), "lost", "ending"),
        (("shuffle", "algorithm"), "kozyr-shuffle-2", "shuffle.algorithm"),
        (("shuffle", "commitment"), "00" * 32, "shuffle.commitment"),
        (("shuffle", "secret"), "00" * 32, "shuffle.commitment"),
        (("shuffle", "secret"), "AA" * 32, "shuffle.secret"),
        (("shuffle", "entropy", 0), "x", "moves[0].move"),
        (("shuffle", "entropy", 0), "", "shuffle.entropy[0]"),
        (("shuffle", "dealer"), "stolen", "shuffle.dealer"),
        (("shuffle", "suits"), "DCHS", "shuffle.suits"),
    ],
    ids=lambda value: str(value)[:40],
)
def test_every_change_is_found(long: Json, path: Path, value: object, where: str) -> None:
    changed(long, path, value)
    pattern = where.split("*")
    found = places(long)
    assert any(place.startswith(pattern[0]) and place.endswith(pattern[-1]) for place in found), found


def test_a_dealer_that_was_not_drawn_is_found(long: Json) -> None:
    long["dealer"] = (long["dealer"] + 1) % 4
    assert verify(long)[0].where == "dealer"


def own_moves(record: Json, by: str | None = None) -> list[int]:
    """Return the numbers of moves that remote bots made themselves, or that the referee made (`by`)."""
    found = [
        number
        for number, move in enumerate(record["moves"])
        if move["seat"] not in (None, 3) and move.get("by") == by and "ms" in move
    ]
    assert found, f"the record has none by {by}"
    return found


def test_a_decision_beyond_its_time_is_found_with_its_allowance(long: Json) -> None:
    for number in own_moves(long)[1::7]:
        tampered = copy.deepcopy(long)
        tampered["moves"][number]["ms"] += 100_000
        assert f"moves[{number}].ms" in places(tampered)
    first = own_moves(long)[0]
    long["moves"][first]["ms"] = 4_251
    assert verify(long)[0] == Finding(
        f"moves[{first}].ms", "it is 4251", "at most 4250: move, bank of 3000 and grace"
    )


@pytest.mark.parametrize("by", ["timeout", "forfeit"])
def test_the_referees_moves_take_their_exact_time_and_are_safe_moves(long: Json, by: str) -> None:
    for number in own_moves(long, by):
        for ms in (-1, 1):
            tampered = copy.deepcopy(long)
            tampered["moves"][number]["ms"] += ms
            assert f"moves[{number}].ms" in places(tampered)


def test_a_bots_move_attributed_to_the_referee_is_found(long: Json) -> None:
    (forfeited,) = long["forfeits"]
    for number in own_moves(long)[::7]:
        move = long["moves"][number]
        for by in ("timeout", "forfeit"):
            move["by"] = by
            found = {where.partition(".")[0] for where in places(long)}
            # A safe move without time may belong to a forfeited seat until that seat moves itself again.
            late = by == "forfeit" and move["seat"] == forfeited and move["ms"] == 0
            assert f"moves[{number}]" in found or (late and found), (number, by)
        del move["by"]


def test_a_timeout_of_a_house_bot_is_found(long: Json) -> None:
    number = next(number for number, move in enumerate(long["moves"]) if move["seat"] == 3)
    long["moves"][number]["by"] = "timeout"
    assert f"moves[{number}].by" in places(long)


def test_time_of_chance_and_free_moves_is_found(long: Json) -> None:
    long["moves"][0] |= {"ms": 1, "by": "timeout"}
    assert places(long) == {"moves[0].ms", "moves[0].by"}


@pytest.mark.parametrize("ending", ["rules", "aborted", "forfeit", "resigned", "void"])
def test_a_wrong_ending_of_a_match_cut_short_is_found(cut: Json, resigned: Json, ending: str) -> None:
    for record in (cut, resigned):
        if record["ending"] != ending:
            assert places({**record, "ending": ending}) & {"ending", "moves", "dealer"}


def test_wrong_scores_of_a_deal_cut_short_are_found(cut: Json, resigned: Json) -> None:
    for record in (cut, resigned):
        for seat in range(len(record["scores"])):
            tampered = copy.deepcopy(record)
            tampered["scores"][seat] += 1
            assert f"scores[{seat}]" in places(tampered)
        record["forfeits"] = [1 - record["forfeits"][0]]
        assert "scores[0]" in places(record) or "forfeits" in places(record)


def test_a_forfeit_of_a_seat_that_played_to_the_end_is_found(long: Json) -> None:
    last = next(move["seat"] for move in reversed(long["moves"]) if "by" not in move)
    long["forfeits"] = sorted({*long["forfeits"], last})
    assert verify(long)


def test_a_relabelling_against_the_rules_is_found(world: World, clock: ManualClock) -> None:
    record = grouped(world, clock, Plot("king", 4), (3, 1, 2, 0), 4)
    assert verify(record) == []
    for suits, where in (("HCDS", "shuffle.suits"), ("CCHS", "shuffle.suits"), ("CDHS", "moves[0].move")):
        tampered = copy.deepcopy(record)
        tampered["shuffle"]["suits"] = suits
        assert where in places(tampered)


@pytest.mark.parametrize("document", [None, [], "record", 3, {}, {"format": 1}])
def test_documents_that_are_no_records_are_found(document: Any) -> None:
    assert verify(document)


# The limits of verification


UNSEEN: dict[str, Callable[[Json], object]] = {
    "a bot's name": lambda record: changed(record, ("seats", 0, "bot"), "somebody/else"),
    "a bot's id": lambda record: changed(record, ("seats", 0, "id"), "another"),
    "a bot's version": lambda record: changed(record, ("seats", 0, "version"), "0"),
    "whether it is rated": lambda record: changed(record, ("rated",), True),
    "the ladder": lambda record: changed(record, ("ladder",), "another"),
    "an earlier start": lambda record: changed(record, ("started",), "2020-01-01T00:00:00.000Z"),
    "a later end": lambda record: changed(record, ("ended",), "2030-01-01T00:00:00.000Z"),
    "more strikes, as if the seat had resigned": lambda record: changed(record, ("clock", "strikes"), 9),
    "a longer grace": lambda record: changed(record, ("clock", "grace_ms"), 260),
    "a dealer recorded as given": lambda record: changed(record, ("shuffle", "dealer"), "given"),
    "a quicker decision of a bot that never lost time": lambda record: changed(
        record, ("moves", own_moves(record)[-1], "ms"), 0
    ),
    "what a bot of the house took": lambda record: changed(
        record, ("moves", next(n for n, move in enumerate(record["moves"]) if move["seat"] == 3), "ms"), 9_999
    ),
    "what stands beside it": lambda record: record.update(proof={}, annotations=["void"]),
}


@pytest.mark.parametrize("change", UNSEEN.values(), ids=UNSEEN)
def test_the_documented_limits_of_verification(long: Json, change: Callable[[Json], object]) -> None:
    change(long)
    assert verify(long) == []


def test_the_last_moves_before_a_resignation_can_be_cut_off(resigned: Json) -> None:
    """A record doesn't say when a seat resigned, and the score of a shedding game doesn't depend on it."""
    resigned["moves"].pop()
    assert verify(resigned) == []

"""Pairing formats: laws that hold for any number of entrants."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from itertools import combinations
from random import Random
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from league.errors import BadValue, NothingToPlay
from league.pairing.formats import format_of
from league.pairing.formats.arena import Arena
from league.pairing.formats.field import Field, Format, Meeting, Pairing, filled, most_tables
from league.pairing.formats.gauntlet import Gauntlet
from league.pairing.formats.knock_out import KnockOut
from league.pairing.formats.ranking import SeasonMeeting, SeasonRound
from league.pairing.formats.round_robin import PAIRS, RoundRobin
from league.pairing.formats.swiss import Swiss
from league.pairing.formats.versus import Versus
from league.pairing.plan import Entrant, rivals
from records.ratings.model import Rating
from records.results.group_result import GroupResult, ResultPlayer, SideResult

TEAMS = (0, 1, 0, 1)


def entrants(count: int, owners: int = 0) -> list[Entrant]:
    """Return `count` bots of `owners` owners in turn, by default each of its own."""
    return [
        Entrant(f"b{n:03}", f"o{n % owners if owners else n}/b{n}", f"o{n % owners if owners else n}", "1")
        for n in range(count)
    ]


def field(players: Sequence[Entrant], seats: int = 2, round_: int = 1, **more: Any) -> Field:
    more = {"first": players[0].id if players else None, **more}
    return Field(players, more.pop("sides", tuple(range(seats))), round_, f"seed {round_}", **more)


def outcome(table: Meeting, points: Sequence[int], ident: str = "g") -> GroupResult:
    sides = [
        SideResult((ResultPlayer(entrant.id, entrant.name, "1"),), score, False)
        for entrant, score in zip(table, points, strict=True)
    ]
    return GroupResult("durak", ident, 0, tuple(sides))


def by_strength(table: Meeting, rng: Random, draws: float = 0.0) -> GroupResult:
    """Return results in which lower numbers are stronger, with occasional draws of all."""
    if rng.random() < draws:
        return outcome(table, [0] * len(table))
    return outcome(table, [-int(entrant.id[1:]) for entrant in table])


def meetings(tables: Sequence[Meeting]) -> Counter[tuple[str, str]]:
    return Counter(tuple(sorted((a.id, b.id))) for table in tables for a, b in combinations(table, 2))


def seatings(tables: Sequence[Meeting]) -> Counter[str]:
    return Counter(entrant.id for table in tables for entrant in table)


# 1. Owners, and what can't be filled


SOME: dict[str, Callable[[], Format]] = {
    "round_robin": RoundRobin,
    "round_robin pairs": lambda: RoundRobin(1, PAIRS),
    "gauntlet": Gauntlet,
    "swiss": Swiss,
    "arena": Arena,
    "knock_out": KnockOut,
}


@pytest.mark.parametrize("name", SOME)
@given(count=st.integers(2, 10), owners=st.integers(1, 10), seats=st.integers(2, 5), house=st.booleans())
@settings(max_examples=40, deadline=None)
def test_bots_of_one_owner_never_share_a_table_and_all_tables_are_full(
    name: str, count: int, owners: int, seats: int, house: bool
) -> None:
    players = entrants(count, owners)
    if house:
        players += [Entrant(f"h{n}", f"house/h{n}", "house", "1", True) for n in range(2)]
    if most_tables(players, seats) == 0:
        with pytest.raises(NothingToPlay, match=str(seats)):
            SOME[name]().pair(field(players, seats))
        return
    try:
        found = SOME[name]().pair(field(players, seats))
    except NothingToPlay:
        assert name in ("gauntlet", "knock_out"), (
            "versus takes exact fields, and a gauntlet excludes bots of one owner"
        )
        return
    assert found.meetings
    for table in found.meetings:
        assert len({entrant.id for entrant in table}) == len(table) == seats
        assert not rivals(table)


@pytest.mark.parametrize("name", SOME)
def test_formats_are_deterministic(name: str) -> None:
    assert SOME[name]().pair(field(entrants(9), 3)) == SOME[name]().pair(field(entrants(9), 3))


@pytest.mark.parametrize("name", SOME)
@pytest.mark.parametrize(
    ("players", "expected"), [(entrants(3), "only 3|make a table"), (entrants(8, 3), "of 3 owners|only 3")]
)
def test_too_few_entrants_are_refused(name: str, players: Sequence[Entrant], expected: str) -> None:
    with pytest.raises(NothingToPlay, match=expected):
        SOME[name]().pair(field(players, 4))


@given(
    sizes=st.lists(st.integers(1, 6), min_size=1, max_size=7), seats=st.integers(2, 5), seed=st.integers(0, 9)
)
@settings(max_examples=60, deadline=None)
def test_as_many_tables_as_possible_are_filled(sizes: Sequence[int], seats: int, seed: int) -> None:
    """Compare `filling` with an exhaustive search."""
    assume(sum(sizes) <= 9)
    players = [Entrant(f"{p}{n}", "", f"o{p}", "1") for p, size in enumerate(sizes) for n in range(size)]
    rng = Random(seed)
    tables, out = filled(players, seats, lambda table, entrant: rng.random())
    assert len(tables) == most_tables(players, seats) == _most(tuple(sizes), seats)
    assert not any(rivals(table) for table in tables)
    assert sorted(each.id for table in [*tables, out] for each in table) == sorted(
        each.id for each in players
    )


def _most(sizes: tuple[int, ...], seats: int) -> int:
    best = 0
    for chosen in combinations([n for n, size in enumerate(sizes) if size], seats):
        best = max(best, 1 + _most(tuple(s - (n in chosen) for n, s in enumerate(sizes)), seats))
    return best


# 2. Round robin and gauntlet


@given(count=st.integers(2, 30), seats=st.integers(2, 6), repeats=st.integers(1, 3))
@settings(max_examples=30, deadline=None)
def test_with_pairs_meetings_differ_by_at_most_one(count: int, seats: int, repeats: int) -> None:
    assume(count >= seats)
    found = RoundRobin(repeats, PAIRS).pair(field(entrants(count), seats)).meetings
    met = meetings(found)
    assert len(met) == math.comb(count, 2)
    assert repeats <= min(met.values())
    assert max(met.values()) - min(met.values()) <= 1
    assert len(set(seatings(found).values())) == 1


@given(count=st.integers(2, 8), seats=st.integers(2, 5), repeats=st.integers(1, 2))
@settings(max_examples=40, deadline=None)
def test_with_sets_every_set_is_a_table(count: int, seats: int, repeats: int) -> None:
    assume(count >= seats)
    found = RoundRobin(repeats).pair(field(entrants(count), seats)).meetings
    assert set(Counter(frozenset(table) for table in found).values()) == {repeats}
    assert len(found) == math.comb(count, seats) * repeats


@given(count=st.integers(3, 16), owners=st.integers(3, 16), seats=st.integers(2, 4))
@settings(max_examples=40, deadline=None)
def test_with_rivals_all_permitted_pairs_meet(count: int, owners: int, seats: int) -> None:
    players = entrants(count, owners)
    assume(most_tables(players, seats))
    met = meetings(RoundRobin(1, PAIRS).pair(field(players, seats)).meetings)
    assert set(met) == {
        tuple(sorted((a.id, b.id))) for a, b in combinations(players, 2) if a.owner != b.owner
    }


def test_partners_change_until_each_bot_had_each_other() -> None:
    found = RoundRobin(3).pair(field(entrants(6), sides=TEAMS)).meetings
    partners = Counter(
        tuple(sorted((table[a].id, table[b].id))) for table in found for a, b in ((0, 2), (1, 3))
    )
    assert set(partners.values()) == {len(found) * 2 // math.comb(6, 2)}


def test_too_many_tables_are_refused_with_a_suggestion() -> None:
    with pytest.raises(NothingToPlay, match="pairs"):
        RoundRobin().pair(field(entrants(60), 5))


@given(count=st.integers(3, 20), seats=st.integers(2, 5), repeats=st.integers(1, 3))
@settings(max_examples=40, deadline=None)
def test_a_challenger_meets_all_others_equally_often(count: int, seats: int, repeats: int) -> None:
    assume(count >= seats)
    players = entrants(count)
    found = Gauntlet("o1/b1", repeats).pair(field(players, seats)).meetings
    sat = seatings(found)
    assert sat.pop("b001") == len(found)
    assert len(set(sat.values())) == 1
    assert min(sat.values()) >= repeats
    assert len(sat) == count - 1


def test_a_gauntlet_excludes_other_bots_of_the_challengers_owner() -> None:
    found = Gauntlet(None, 1).pair(field(entrants(6, 3)))
    assert found.excluded == 1
    assert "b003" not in seatings(found.meetings)


# 3. Swiss


def tournament(
    format_: Format, players: Sequence[Entrant], rounds: int, seats: int = 2, seed: int = 0
) -> list[Pairing]:
    """Play consecutive rounds with occasional draws."""
    rng, played = Random(seed), list[SeasonRound]()
    found = []
    for number in range(1, rounds + 1):
        outcomes = [meeting.result for each in played for meeting in each.meetings]
        pairing = format_.pair(field(players, seats, number, outcomes=outcomes, rounds=played))
        found.append(pairing)
        results = [by_strength(table, rng, 0.2) for table in pairing.meetings]
        played.append(round_of(number, players, pairing.meetings, results))
    return found


def round_of(
    number: int,
    players: Sequence[Entrant],
    tables: Sequence[Meeting],
    results: Sequence[GroupResult | None],
    **more: Any,
) -> SeasonRound:
    found = [
        SeasonMeeting(tuple(entrant.id for entrant in table), result)
        for table, result in zip(tables, results, strict=True)
    ]
    return SeasonRound(number, tuple(entrant.id for entrant in players), found, **more)


@given(count=st.integers(2, 12), extra=st.integers(0, 2), seed=st.integers(0, 5))
@settings(max_examples=60, deadline=None)
def test_swiss_has_no_avoidable_rematch(count: int, extra: int, seed: int) -> None:
    """Search all pairings for one without a rematch."""
    players = entrants(count)
    met: set[frozenset[str]] = set()
    for pairing in tournament(Swiss(99), players, count - 1 + extra, seed=seed):
        tables = {frozenset(entrant.id for entrant in table) for table in pairing.meetings}
        assert len(tables) == count // 2
        if tables & met:
            free = [{a.id, b.id} for a, b in combinations(players, 2) if frozenset((a.id, b.id)) not in met]
            assert not _pairable(frozenset(each.id for each in players), free, count % 2)
        met |= tables


def _pairable(left: frozenset[str], pairs: Sequence[set[str]], out: int) -> bool:
    if len(left) == out:
        return True
    first = min(left)
    if out and _pairable(left - {first}, pairs, out - 1):
        return True
    return any(_pairable(left - pair, pairs, out) for pair in pairs if first in pair and pair <= left)


@given(count=st.integers(7, 21), seats=st.integers(2, 4), seed=st.integers(0, 5))
@settings(max_examples=25, deadline=None)
def test_in_swiss_no_bot_gets_a_second_bye_before_all_had_one(count: int, seats: int, seed: int) -> None:
    assume(count >= seats)
    players = entrants(count)
    out: Counter[str] = Counter()
    for pairing in tournament(Swiss(99), players, 3, seats, seed):
        assert len(pairing.out) == count % seats
        out.update(entrant.id for entrant in pairing.out)
        counts = [out[entrant.id] for entrant in players]
        assert max(counts) - min(counts) <= 1


def test_swiss_pairs_the_upper_half_of_a_score_group_with_its_lower_half() -> None:
    players = entrants(8)
    first = Swiss().pair(field(players)).meetings
    assert {frozenset(each.id for each in table) for table in first} == {
        frozenset((f"b00{n}", f"b00{n + 4}")) for n in range(4)
    }
    outcomes = [by_strength(table, Random(0)) for table in first]
    rounds = [round_of(1, players, first, outcomes)]
    second = Swiss().pair(field(players, round_=2, outcomes=outcomes, rounds=rounds)).meetings
    assert {frozenset(each.id for each in table) for table in second} == {
        frozenset(pair) for pair in (("b000", "b002"), ("b001", "b003"), ("b004", "b006"), ("b005", "b007"))
    }


# 4. Arena


@given(count=st.integers(2, 12), seats=st.integers(2, 5), owners=st.integers(0, 6), seed=st.integers(0, 3))
@settings(max_examples=25, deadline=None)
def test_no_bot_starves_in_an_arena(count: int, seats: int, owners: int, seed: int) -> None:
    """A bot that stays sits out at most once in a row, and numbers of tables differ by at most one. With rivals, no
    bot waits for more rounds than there are bots."""
    players = entrants(count, owners)
    assume(most_tables(players, seats))
    rng, outcomes, last = Random(seed), list[GroupResult](), dict[str, int]()
    sat: Counter[str] = Counter()
    waits: Counter[str] = Counter()
    for number in range(1, 20):
        pairing = Arena().pair(field(players, seats, number, outcomes=outcomes, last_seated=last))
        assert len(pairing.meetings) == most_tables(players, seats)
        outcomes += [by_strength(table, rng) for table in pairing.meetings]
        here = set(seatings(pairing.meetings))
        sat.update(here)
        last |= dict.fromkeys(here, number)
        for entrant in players:
            waits[entrant.id] = 0 if entrant.id in here else waits[entrant.id] + 1
        if not rivals(players):
            assert max(waits.values()) <= 1
            counts = [sat[entrant.id] for entrant in players]
            assert max(counts) - min(counts) <= 1
        else:
            assert max(waits.values()) <= count


@given(count=st.integers(2, 9), seats=st.integers(2, 4), seed=st.integers(0, 9))
@settings(max_examples=25, deadline=None)
def test_with_matches_of_unequal_length_no_free_bot_of_an_arena_sits_out_twice(
    count: int, seats: int, seed: int
) -> None:
    players, rng = entrants(count), Random(seed)
    assume(count >= 2 * seats)
    outcomes, last = list[GroupResult](), dict[str, int]()
    waited: Counter[str] = Counter()
    busy: dict[str, int] = {}
    for number in range(1, 40):
        free = [entrant for entrant in players if busy.get(entrant.id, 0) < number]
        if len(free) < seats:
            continue
        pairing = Arena().pair(field(free, seats, number, outcomes=outcomes, last_seated=last, waited=waited))
        assert len(pairing.meetings) == len(free) // seats
        for table in pairing.meetings:
            outcomes.append(by_strength(table, rng))
            over = number + rng.choice((0, 0, 1, 5))
            for entrant in table:
                last[entrant.id], busy[entrant.id], waited[entrant.id] = number, over, 0
        waited.update(entrant.id for entrant in pairing.out)
        assert max(waited.values()) <= 1


def test_an_arena_pairs_bots_of_similar_strength() -> None:
    players = entrants(4)
    ratings = {f"b00{n}": Rating(mu, 50.0) for n, mu in enumerate((1200.0, 1800.0, 1220.0, 1780.0))}
    found = Arena().pair(field(players, ratings=ratings)).meetings
    assert {frozenset(each.id for each in table) for table in found} == {
        frozenset(("b000", "b002")),
        frozenset(("b001", "b003")),
    }


# 5. Knock-out


def knocked_out(count: int, seats: int, draws: float = 0.0, seed: int = 0) -> tuple[Entrant, int, int]:
    """Return the winner, and the numbers of stages and rounds."""
    players, rng, outcomes = entrants(count), Random(seed), list[GroupResult]()
    for number in range(1, 100):
        pairing = KnockOut(3).pair(field(players, seats, number, outcomes=outcomes))
        if pairing.winner is not None:
            stages = KnockOut(3).bracket(field(players, seats, number, outcomes=outcomes)).stages
            return pairing.winner, len(stages), number - 1
        outcomes += [by_strength(table, rng, draws) for table in pairing.meetings]
    raise AssertionError("no end")


@given(count=st.integers(2, 100))
@settings(max_examples=20, deadline=None)
def test_a_knock_out_of_any_size_has_one_winner_after_the_fewest_rounds(count: int) -> None:
    winner, stages, rounds = knocked_out(count, 2)
    assert winner.id == "b000"
    assert stages == rounds == math.ceil(math.log2(count))


@given(count=st.integers(3, 120), seats=st.integers(3, 6))
@settings(max_examples=25, deadline=None)
def test_with_more_seats_a_knock_out_takes_at_most_one_round_more(count: int, seats: int) -> None:
    assume(count >= seats)
    winner, stages, _ = knocked_out(count, seats)
    fewest = next(n for n in range(1, 20) if seats**n >= count)
    assert winner.id == "b000"
    assert fewest <= stages <= fewest + 1


@given(count=st.integers(2, 40), seed=st.integers(0, 3))
@settings(max_examples=20, deadline=None)
def test_ties_are_replayed_and_finally_the_better_seed_advances(count: int, seed: int) -> None:
    winner, stages, rounds = knocked_out(count, 2, draws=1.0, seed=seed)
    assert winner.id == "b000"
    assert rounds == 3 * stages


def test_a_knock_out_takes_the_best_seed_of_each_owner() -> None:
    found = KnockOut().pair(field(entrants(6, 2)))
    assert found.excluded == 4
    assert set(seatings(found.meetings)) == {"b000", "b001"}


def test_a_knock_out_of_teams_is_refused() -> None:
    with pytest.raises(NothingToPlay, match="teams"):
        KnockOut().pair(field(entrants(8), sides=TEAMS))


# 6. A against B


def test_versus_plays_until_the_test_has_a_verdict() -> None:
    players, outcomes = entrants(2), list[GroupResult]()
    for number in range(1, 99):
        pairing = Versus(5, low=0.0, high=0.5).pair(field(players, round_=number, outcomes=outcomes, deals=2))
        if pairing.over:
            break
        outcomes += [by_strength(meeting, Random(0)) for meeting in pairing.meetings]
    assert pairing.over == "o0/b0 makes 0.5 points a deal more than o1/b1 rather than 0, after 16 groups"
    assert len(outcomes) == 20


# 7. Parameters


@pytest.mark.parametrize(
    ("name", "parameters", "expected"),
    [
        ("bridge", {}, "one of round_robin"),
        ("swiss", {"rounds": 0}, "from 1 to 100"),
        ("swiss", {"rounds": True}, "from 1 to 100"),
        ("versus", {"low": 1}, "both of them given"),
        ("versus", {"low": 1, "high": "2"}, "a number from"),
        ("swiss", {"repeats": 2}, "a parameter of swiss: rounds"),
        ("arena", {"rounds": 2}, "arena has no parameters"),
        ("round_robin", {"meet": "often"}, "sets or pairs"),
        ("gauntlet", {"challenger": 3}, "owner/bot"),
    ],
)
def test_wrong_parameters_are_refused_with_what_is_expected(
    name: str, parameters: dict[str, Any], expected: str
) -> None:
    with pytest.raises(BadValue, match=expected):
        format_of(name, parameters)


def test_versus_of_teams_compares_the_points_of_a_single_bot() -> None:
    players, points = entrants(4), [3, -3, 3, -3]
    single = outcome(tuple(players), points)
    together = single._replace(
        sides=tuple(
            SideResult(
                tuple(ResultPlayer(each.id, each.name, "1") for each in players[at::2]),
                sum(points[at::2]),
                False,
            )
            for at in (0, 1)
        )
    )
    found = [
        Versus(5, low=4.0, high=9.0).pair(field(players, sides=TEAMS, outcomes=[each] * 20)).over
        for each in (single, together)
    ]
    assert found[0] == found[1]
    assert str(found[0]).startswith("o0/b0 makes 4 points a deal more than o1/b1 rather than 9")

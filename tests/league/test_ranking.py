"""How formats rank a season: scores, tie-breaks in order, places and winners."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from league.pairing.formats.arena import Arena
from league.pairing.formats.gauntlet import Gauntlet
from league.pairing.formats.knock_out import KnockOut
from league.pairing.formats.ranking import Rank, RoundLine, RoundLineKind, SeasonEntry, SeasonResults
from league.pairing.formats.round_robin import RoundRobin
from league.pairing.formats.swiss import Swiss, shares
from league.pairing.formats.versus import Versus
from records.results.group_result import GroupResult, ResultPlayer, SideResult
from tests.league.test_formats import entrants, field, outcome, round_of

PLAYERS = entrants(4)


def entries(
    points_per_deal: Sequence[float | None], out: Mapping[int, str] | None = None
) -> list[SeasonEntry]:
    return [
        SeasonEntry(f"b{n:03}", f"o{n}/b{n}", each, (out or {}).get(n))
        for n, each in enumerate(points_per_deal)
    ]


def places(ranks: Sequence[Rank]) -> dict[str, int | None]:
    return {rank.entry.bot: rank.place for rank in ranks}


def winners(ranks: Sequence[Rank]) -> list[str]:
    return [rank.entry.bot for rank in ranks if rank.won]


def swiss(
    *rounds: Sequence[tuple[int, int, int, int]], here: Sequence[int] = (), **more: Any
) -> SeasonResults:
    """Return a season of these rounds; a meeting is two bots with their points. `here` says by round from which bot on
    the bots had not entered yet."""
    found = []
    for number, meetings in enumerate(rounds, 1):
        present = entrants(here[number - 1] if here else 4)
        tables = [(PLAYERS[one], PLAYERS[other]) for one, other, *_ in meetings]
        results = [outcome(table, points) for table, (_, _, *points) in zip(tables, meetings, strict=True)]
        found.append(round_of(number, present, tables, results))
    return SeasonResults(rounds=found, **more)


def test_points_per_deal_decide_a_round_robin_a_gauntlet_and_an_arena() -> None:
    season = SeasonResults(entries([0.5, 2.0, None, 2.0]))
    for format_ in (RoundRobin(), Gauntlet(), Arena()):
        ranks = format_.rank(season)
        assert places(ranks) == {"b001": 1, "b003": 1, "b000": 3, "b002": 4}
        assert winners(ranks) == ["b001", "b003"]


def test_nobody_has_won_before_the_first_deal() -> None:
    for format_ in (RoundRobin(), Swiss(), KnockOut(), Versus()):
        assert winners(format_.rank(SeasonResults(entries([None, None])))) == []


def test_a_late_entry_with_one_great_win_does_not_win_a_swiss_tournament() -> None:
    """The bot that won most has the most points; points per deal are the last tie-break."""
    season = swiss(
        [(0, 1, 1, 0)],
        [(0, 2, 1, 0)],
        [(0, 1, 0, 1), (2, 3, 0, 900)],
        here=(3, 3, 4),
        entries=entries([0.1, 0.2, -300.0, 900.0]),
    )
    by_bot = {rank.entry.bot: rank for rank in Swiss(3).rank(season)}
    assert [(bot, rank.place, *rank.values[:2]) for bot, rank in by_bot.items()] == [
        ("b001", 1, 2, 6),
        ("b000", 2, 2, 5),
        ("b002", 3, 1, 4),
        ("b003", 4, 1, 1),
    ]
    assert winners([*by_bot.values()]) == ["b001"]
    assert [line.kind for line in by_bot["b003"].rounds] == [
        RoundLineKind.MISSED,
        RoundLineKind.MISSED,
        RoundLineKind.PLAYED,
    ]


def test_head_to_head_breaks_a_tie_of_points_and_buchholz() -> None:
    """Points per deal would order the two of each pair the other way round."""
    season = swiss(
        [(0, 1, 1, 0), (2, 3, 1, 0)],
        [(0, 2, 1, 0), (1, 3, 1, 0)],
        [(3, 0, 1, 0), (1, 2, 1, 0)],
        entries=entries([0.0, 5.0, 1.0, 2.0]),
    )
    assert [(rank.entry.bot, *rank.values) for rank in Swiss(3).rank(season)] == [
        ("b000", 2, 4, 1, 0.0),
        ("b001", 2, 4, 0, 5.0),
        ("b002", 1, 5, 1, 1.0),
        ("b003", 1, 5, 0, 2.0),
    ]


def test_a_bye_counts_for_buchholz_as_a_meeting_with_ones_like() -> None:
    season = swiss([(0, 1, 1, 0)], here=(3,), entries=entries([1.0, -1.0, None]))
    assert {rank.entry.bot: rank.values for rank in Swiss(1).rank(season)} == {
        "b000": (1, 0, None, 1.0),
        "b001": (0, 1, None, -1.0),
        "b002": (1, 1, None, None),
    }


def test_an_entry_that_is_out_has_no_place_and_the_others_move_up() -> None:
    season = swiss(
        [(0, 1, 1, 0), (2, 3, 1, 0)], entries=entries([9.0, -1.0, 3.0, -2.0], {0: "banned: collusion"})
    )
    ranks = Swiss(1).rank(season)
    assert places(ranks) == {"b002": 1, "b001": 2, "b003": 3, "b000": None}
    assert winners(ranks) == ["b002"]
    assert ranks[-1].entry.out == "banned: collusion"


def test_the_champion_of_a_knock_out_is_first_and_losers_of_a_stage_share_a_place() -> None:
    """Whatever their points per deal are."""
    results = [
        outcome((PLAYERS[0], PLAYERS[3]), [1, 0], "g1"),
        outcome((PLAYERS[1], PLAYERS[2]), [1, 0], "g2"),
        outcome((PLAYERS[0], PLAYERS[1]), [1, 0], "g3"),
    ]
    own = entries([0.1, 5.0, 9.0, 2.0])
    bracket = KnockOut(1).bracket(field(PLAYERS, outcomes=results))
    ranks = KnockOut(1).rank(SeasonResults(own, bracket=bracket))
    assert list(places(ranks).items()) == [("b000", 1), ("b001", 2), ("b002", 3), ("b003", 3)]
    assert winners(ranks) == ["b000"]
    undecided = KnockOut(1).bracket(field(PLAYERS, outcomes=results[:2]))
    ranks = KnockOut(1).rank(SeasonResults(own, bracket=undecided))
    assert places(ranks) == {"b001": 1, "b000": 1, "b002": 3, "b003": 3}
    assert winners(ranks) == []


def test_the_verdict_of_a_comparison_goes_before_points_per_deal() -> None:
    pair = (PLAYERS[0], PLAYERS[1])
    season = SeasonResults(entries([0.1, 9.0]), outcomes=[outcome(pair, [1, 0])] * 20)
    assert list(places(Versus(5, low=0.0, high=0.5).rank(season)).items()) == [("b000", 1), ("b001", 2)]
    assert list(places(Versus(5).rank(season)).items()) == [("b001", 1), ("b000", 2)], "there is no test"
    equal = season._replace(outcomes=[outcome(pair, [0, 0])] * 99)
    assert places(Versus(5, low=0.0, high=0.5).rank(equal)) == {"b000": 1, "b001": 1}
    worse = season._replace(outcomes=[outcome(pair, [0, 1])] * 20, entries=entries([9.0, 0.1]))
    assert list(places(Versus(5, low=-0.5, high=0.5).rank(worse)).items()) == [("b001", 1), ("b000", 2)]


def test_partners_score_together_and_are_no_opponents() -> None:
    """At a table of three sides a bot scores the share of the sides that it is ahead of."""
    players = entrants(6)
    bots = [ResultPlayer(each.id, each.name, "1") for each in players]
    sides = tuple(SideResult((bots[n], bots[n + 3]), points, False) for n, points in enumerate((5, 5, 0)))
    found = shares(GroupResult("durak", "g", 0, sides))
    assert found["b000"] == found["b003"] == (Fraction(3, 4), ("b001", "b004", "b002", "b005"))
    assert found["b002"] == (0, ("b000", "b003", "b001", "b004"))


def test_rounds_as_a_text_name_opponents_seats_and_why_there_was_no_play() -> None:
    names = {"b001": "o1/b1", "b002": "o2/b2"}
    lines = [
        RoundLine(1, RoundLineKind.PLAYED, Fraction(1, 2), ("b001", "b002"), 2),
        RoundLine(2, RoundLineKind.PLAYED, Fraction(1), ("b001",)),
        RoundLine(3, RoundLineKind.WALKOVER, Fraction(1), ("b001",)),
        RoundLine(4, RoundLineKind.BYE, Fraction(1)),
        RoundLine(5, RoundLineKind.MISSED),
    ]
    assert [line.text(names) for line in lines] == [
        "1 o1/b1 + o2/b2 (seat 2) 0.5",
        "2 o1/b1 1",
        "3 o1/b1 (walkover) 1",
        "4 bye 1",
        "5 missed 0",
    ]

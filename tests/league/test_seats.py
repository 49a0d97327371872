"""Seats and first dealers of matches with decks of their own, over the rounds of a season."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from league.errors import NothingToPlay
from league.pairing.formats.arena import Arena
from league.pairing.formats.field import Format
from league.pairing.formats.gauntlet import Gauntlet
from league.pairing.formats.knock_out import KnockOut
from league.pairing.formats.ranking import SeasonRound
from league.pairing.formats.round_robin import PAIRS, RoundRobin
from league.pairing.formats.seats import placed, seats_had
from league.pairing.formats.swiss import Swiss
from league.pairing.formats.versus import Versus
from tests.league.test_formats import entrants, field, outcome, round_of
from tests.support.league import LeagueWorld

FORMATS: dict[str, tuple[Callable[[int], Format], int]] = {
    "round_robin sets": (lambda repeats: RoundRobin(repeats), 1),
    "round_robin pairs": (lambda repeats: RoundRobin(repeats, PAIRS), 1),
    "versus": (lambda repeats: Versus(repeats, 1000), 1),
    "gauntlet": (lambda repeats: Gauntlet(repeats=repeats), 2),
    "swiss": (lambda repeats: Swiss(100), 2),
    "arena": (lambda repeats: Arena(), 2),
    "knock_out": (lambda repeats: KnockOut(3), 2),
}
"""By name, a format, and how much oftener a bot may have one seat than another."""


def worst(format_: Format, count: int, seats: int, seed: int, absent: float = 0.0) -> int:
    """Play rounds with random results. Return the greatest difference between the seats of a bot in any round."""
    rng, players, played = Random(seed), entrants(count), list[SeasonRound]()
    had: dict[str, list[int]] = {}
    waited: Counter[str] = Counter()
    sat: Counter[tuple[str, int]] = Counter()
    found = 0
    # In its last rounds a long Swiss tournament may have but one pairing without rematches.
    for number in range(1, 2 + count // 2 if isinstance(format_, Swiss) else 13):
        here = [each for each in players if rng.random() >= absent]
        outcomes = [meeting.result for each in played for meeting in each.meetings if meeting.result]
        now = field(here, seats, number, outcomes=outcomes, rounds=played, seats_had=had, waited=waited)
        now = now._replace(first=players[0].id)
        try:
            pairing = format_.pair(now)
        except NothingToPlay:
            continue
        if pairing.over is not None:
            break
        tables = placed(pairing.meetings, now)
        assert tables == placed(pairing.meetings, now)
        assert [{*table} for table in tables] == [{*meeting} for meeting in pairing.meetings]
        had = {bot: list(counts) for bot, counts in seats_had(had, tables, seats).items()}
        sat.update((each.id, seat) for table in tables for seat, each in enumerate(table))
        counts = [[sat[each.id, seat] for seat in range(seats)] for each in players]
        found = max(found, *(max(each) - min(each) for each in counts))
        results = [outcome(table, [rng.randrange(4) for _ in table], f"{number}") for table in tables]
        played.append(round_of(number, here, tables, results))
        waited.update(each.id for each in pairing.out)
        waited -= Counter({each.id: waited[each.id] for table in tables for each in table})
    return found


@pytest.mark.parametrize("name", FORMATS)
@given(extra=st.integers(0, 8), seats=st.integers(2, 4), repeats=st.integers(1, 3), seed=st.integers(0, 9999))
@settings(max_examples=15, deadline=None, derandomize=True)
def test_each_bot_has_all_seats_equally(name: str, extra: int, seats: int, repeats: int, seed: int) -> None:
    made, most = FORMATS[name]
    if name.startswith("round_robin") and seats > 2:
        extra = extra // 3
    count = seats if name == "versus" else seats + extra
    assert worst(made(repeats), count, seats, seed) <= most


@pytest.mark.parametrize("name", ["round_robin sets", "round_robin pairs", "gauntlet", "versus"])
@given(extra=st.integers(0, 3), seats=st.integers(2, 4), seed=st.integers(0, 9999))
@settings(max_examples=20, deadline=None, derandomize=True)
def test_absent_bots_move_the_seats_of_the_others_by_at_most_one_more(
    name: str, extra: int, seats: int, seed: int
) -> None:
    count = seats if name == "versus" else seats + extra
    assert worst(FORMATS[name][0](2), count, seats, seed, absent=0.2) <= 2


@pytest.mark.parametrize("seats", [6, *(pytest.param(seats, marks=pytest.mark.ci) for seats in (7, 11))])
def test_large_tables_are_even_too(seats: int) -> None:
    assert worst(Versus(5, 1000), seats, seats, 1) == 1


@pytest.mark.parametrize("format_", ["round_robin", "gauntlet", "arena", "knock_out"])
def test_the_matches_of_a_ladder_have_even_seats_and_dealers(league: LeagueWorld, format_: str) -> None:
    ladder = league.ladder("a1", "a2", "a3", "a4", format=format_, decks="independent")
    with suppress(NothingToPlay):
        for _ in range(4):
            number = league.rounds.start(ladder.id).number
            league.finish(ladder.id, number)
            league.run()
            league.finish(ladder.id, number)
            balance = Counter[tuple[str, str]]()
            for loaded in league.matches():
                bots, dealer = (
                    [seat.bot for seat in loaded.config.seats if seat],
                    loaded.progress.first_dealer,
                )
                for seat, bot in enumerate(bots):
                    balance["seat", bot] += 1 if seat == 0 else -1
                    balance["dealer", bot] += 1 if seat == dealer else -1
            assert all(abs(difference) <= 2 for difference in balance.values()), balance
    assert league.ladders.store.last_round(ladder.id) > 0

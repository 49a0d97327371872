"""Match policies, and ladder tables that respect them."""

from __future__ import annotations

from typing import Any

import pytest

from league.accounts.model import Bot, IneligibleReason, MatchKind, MatchPolicy, checked
from league.errors import BadValue
from records.match.clock import ClockRule
from tests.support.league import LeagueWorld

CLOCK = ClockRule(move_ms=1000, bank_ms=500)


@pytest.mark.parametrize(
    ("match_policy", "why"),
    [
        (MatchPolicy(), None),
        (MatchPolicy(games=("king",)), IneligibleReason.GAME),
        (MatchPolicy(min_move_ms=1000, min_bank_ms=500), None),
        (MatchPolicy(min_move_ms=1001), IneligibleReason.CLOCK),
        (MatchPolicy(min_bank_ms=501), IneligibleReason.CLOCK),
        (MatchPolicy(kinds=(MatchKind.LADDER,)), IneligibleReason.KIND),
        (MatchPolicy(owners=("ann", "ben")), None),
        (MatchPolicy(owners=("ann",)), IneligibleReason.OWNER),
        (MatchPolicy(owners=()), IneligibleReason.OWNER),
        (MatchPolicy(excluded_owners=("ben",)), IneligibleReason.OWNER),
    ],
)
def test_what_is_accepted(match_policy: MatchPolicy, why: IneligibleReason | None) -> None:
    assert match_policy.refuses("durak", CLOCK, MatchKind.CASUAL, ["ann", "ben"]) is why


def entered(league: LeagueWorld, *bots: Bot) -> str:
    ladder = league.ladder("a1")
    for bot in bots:
        league.ladders.enter(ladder.id, bot)
    return ladder.id


def tables(league: LeagueWorld) -> set[frozenset[str]]:
    return {frozenset(seat.bot for seat in loaded.config.seats if seat) for loaded in league.matches()}


def test_tables_that_a_bot_no_longer_accepts_are_dropped(
    league: LeagueWorld,
) -> None:
    _, ann = league.bot("ann", "one")
    _, ben = league.bot("ben", "two")
    ladder = entered(league, ann, ben)
    number = league.rounds.start(ladder).number
    league.accounts.update_bot(ben.id, match_policy=MatchPolicy(excluded_owners=("ann",)))
    league.finish(ladder, number)
    assert tables(league) == {frozenset({"ann/one", "house/a1"}), frozenset({"ben/two", "house/a1"})}
    assert league.ladders.round(ladder, number).dropped == 1


@pytest.mark.parametrize(
    "bad", [{"max_matches": 0}, {"min_move_ms": -1}, {"owners": ("No",)}, {"excluded_owners": ("a" * 99,)}]
)
def test_a_policy_out_of_range_is_refused(bad: dict[str, Any]) -> None:
    with pytest.raises(BadValue, match=next(iter(bad))):
        checked(MatchPolicy(**bad))

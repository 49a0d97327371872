"""Match policies, and ladder tables that respect them."""

from __future__ import annotations

import pytest

from league.accounts.eligibility import Eligibility
from league.accounts.model import Bot, IneligibleReason, MatchKind, MatchPolicy
from league.errors import BotUnavailable
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


class NoRoom:
    """Slots that are all taken for the second bot."""

    def __init__(self) -> None:
        self.taken: list[str] = []

    def reserve(self, bot_id: str, match: str, *, holder: str, max_matches: int) -> bool:
        self.taken.append(bot_id)
        return len(self.taken) < 2

    def release(self, bot_id: str, match: str, holder: str) -> None:
        self.taken.remove(bot_id)


def test_disabled_bots_and_bots_of_disabled_owners_get_no_seats(league: LeagueWorld) -> None:
    owner, bot = league.bot("ann", "fool")
    admission = Eligibility(league.accounts, NoRoom())

    def refused() -> bool:
        try:
            admission.check([bot], "durak", CLOCK)
        except BotUnavailable as refusal:
            return bool(refusal.details["reason"] == "disabled")
        return False

    assert not refused()
    league.accounts.set_bot_disabled(bot.id, "cheats")
    assert refused()
    assert league.accounts.update_bot(bot.id, disabled=False).disabled_reason == "cheats"
    assert refused(), "an owner can't enable a bot that the service disabled"
    league.accounts.set_bot_disabled(bot.id, None)
    assert not refused()
    league.accounts.set_owner_disabled(owner.id, disabled=True, reason="a nuisance")
    assert refused()
    league.accounts.set_owner_disabled(owner.id, disabled=False)
    assert not refused()


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

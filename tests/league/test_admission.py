"""Match policies, and ladder tables that respect them."""

from __future__ import annotations

from typing import Any

import pytest

from league.accounts.eligibility import Eligibility
from league.accounts.model import Bot, IneligibleReason, MatchKind, MatchPolicy, checked
from league.errors import BadValue, BotUnavailable, EntryRefused
from league.ladders.model import RoundState
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


def test_a_document_of_an_older_version_is_read() -> None:
    assert MatchPolicy.from_json({"games": ["durak"], "max_matches": 3}) == MatchPolicy(("durak",), 3)
    whole = MatchPolicy(("durak",), 3, 1, 2, (MatchKind.LADDER,), ("ann",), ("ben",))
    assert MatchPolicy.from_json(whole.to_json()) == whole


@pytest.mark.parametrize(
    "bad", [{"max_matches": 0}, {"min_move_ms": -1}, {"owners": ("No",)}, {"excluded_owners": ("a" * 99,)}]
)
def test_a_policy_out_of_range_is_refused(bad: dict[str, Any]) -> None:
    with pytest.raises(BadValue, match=next(iter(bad))):
        checked(MatchPolicy(**bad))


class NoRoom:
    """Slots that are all taken for the second bot."""

    def __init__(self) -> None:
        self.taken: list[str] = []

    def reserve(self, bot_id: str, match: str, *, holder: str, max_matches: int) -> bool:
        self.taken.append(bot_id)
        return len(self.taken) < 2

    def release(self, bot_id: str, match: str, holder: str) -> None:
        self.taken.remove(bot_id)


def test_reserved_slots_are_released_when_another_bot_has_none(league: LeagueWorld) -> None:
    places = NoRoom()
    admission = Eligibility(league.accounts, places)
    _, one = league.bot("ann", "one")
    _, two = league.bot("ben", "two")
    with (
        pytest.raises(BotUnavailable),
        admission.reserved("17", [one, league.accounts.bot("house", "a1"), two]),
    ):
        raise AssertionError("nobody comes here")
    assert places.taken == [two.id]


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


def test_a_bot_that_refuses_an_entered_bot_can_not_enter(league: LeagueWorld) -> None:
    _, ann = league.bot("ann", "one")
    _, ben = league.bot("ben", "two")
    ben = league.accounts.update_bot(ben.id, match_policy=MatchPolicy(excluded_owners=("ann",)))
    ladder = entered(league, ann)
    with pytest.raises(EntryRefused) as refused:
        league.ladders.enter(ladder, ben)
    assert refused.value.details["reason"] == "owner"


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


def test_a_round_does_not_seat_a_bot_that_refuses_its_clock(league: LeagueWorld) -> None:
    _, ann = league.bot("ann", "one")
    ladder = entered(league, ann)
    league.ladders.enter(ladder, league.accounts.bot("house", "a2"))
    number = league.rounds.start(ladder).number
    league.accounts.update_bot(ann.id, match_policy=MatchPolicy(min_move_ms=86_400_000))
    league.finish(ladder, number)
    assert tables(league) == {frozenset({"house/a1", "house/a2"})}
    done = league.ladders.round(ladder, number)
    assert (done.state, done.dropped, done.played) == (RoundState.DONE, 2, 1)
    (meeting,) = league.rounds.dry_run(ladder).meetings
    assert {entrant.name for entrant in meeting} == {"house/a1", "house/a2"}

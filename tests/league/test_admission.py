"""Match policies, and ladder tables that respect them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from typing import Any

import pytest

from league.accounts.model import Bot, IneligibleReason, MatchKind, MatchPolicy, checked
from league.errors import BadValue, BotUnavailable, Overtaken
from league.queue.model import MatchBatch
from records.ids import derived_match_id
from records.match.clock import ClockRule
from records.match.new_match import NewMatch
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


def test_tables_that_a_bot_no_longer_accepts_are_dropped(league: LeagueWorld) -> None:
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


# The slots of bots for matches, while several processes create matches of the same bots


MATCH = derived_match_id("batch", 0)


def remote(league: LeagueWorld, name: str, max_matches: int = 1) -> Bot:
    _, bot = league.bot(f"of-{name}", name)
    return league.accounts.update_bot(bot.id, match_policy=MatchPolicy(max_matches=max_matches))


@contextmanager
def refused(league: LeagueWorld, match: str, *bots: Bot) -> Iterator[None]:
    """Reserve slots for a match whose creation is refused at the end."""
    with suppress(Overtaken), league.eligibility.reserved(match, bots):
        yield
        raise Overtaken("refused")


def free_slots(league: LeagueWorld, bot: Bot) -> int:
    """Return how many more matches the bot could play now."""
    count = 0
    with suppress(BotUnavailable), ExitStack() as slots:
        while True:
            slots.enter_context(refused(league, f"another-match-{count}", bot))
            count += 1
    return count


def wish(*bots: Bot) -> NewMatch:
    return NewMatch(game="durak", seats=[bot.seat for bot in bots], options={}, deals=1, id=MATCH)


def test_processes_that_create_the_same_match_share_one_slot(league: LeagueWorld) -> None:
    other, bot = league.another_process(), remote(league, "one", max_matches=2)
    with refused(league, MATCH, bot):
        with refused(other, MATCH, bot):
            assert free_slots(league, bot) == 1
        assert free_slots(league, bot) == 1
    assert free_slots(league, bot) == 2


def test_a_refused_process_leaves_the_slots_to_another_that_creates_the_same_batch(
    league: LeagueWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One process has reserved the first bot's slot. Another one does the same and finds the second bot busy."""
    first, second = remote(league, "first"), remote(league, "second")
    other, batch = league.another_process(), MatchBatch("batch", (wish(first, second),))
    slots = league.eligibility._places
    reserve, found_busy = slots.reserve, False

    def overtaken(bot_id: str, match: str, **more: Any) -> bool:
        nonlocal found_busy
        if bot_id == second.id and not found_busy:
            with refused(other, "elsewhere", second), pytest.raises(BotUnavailable):
                other.batches.create(batch, [[first, second]], "of-first")
            found_busy = True
            assert free_slots(other, first) == 0
        return reserve(bot_id, match, **more)

    monkeypatch.setattr(slots, "reserve", overtaken)
    assert league.batches.create(batch, [[first, second]], "of-first") == [MATCH]
    assert found_busy
    assert len(list(league.matches())) == 1


def test_a_match_that_is_over_leaves_no_reservation(league: LeagueWorld) -> None:
    other, first, second = league.another_process(), remote(league, "first"), remote(league, "second")
    with league.eligibility.reserved(MATCH, [first, second]):
        with other.eligibility.reserved(MATCH, [first, second]):
            league.referee.create_all([wish(first, second)])
        assert free_slots(league, first) == free_slots(league, second) == 0
    league.referee.resign(MATCH, first.id)
    assert free_slots(league, first) == free_slots(league, second) == 1

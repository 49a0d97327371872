"""The slots of bots for matches, while several processes create matches of the same bots."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from typing import Any

import pytest

from league.accounts.model import Bot, MatchPolicy
from league.errors import BotUnavailable, Overtaken
from league.queue.model import MatchBatch
from records.ids import derived_match_id
from records.match.new_match import NewMatch
from tests.support.league import LeagueWorld

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

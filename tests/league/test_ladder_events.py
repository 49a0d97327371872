"""Events of ladders: entries, bans, byes, failed rounds and seasons that are over."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import orjson
import pytest

from league.accounts.model import Bot
from league.ladders.due import REPORTED_AGAIN_MS
from league.ladders.model import AccessVerdict, Ladder
from league.ladders.redis import RedisLadderStore
from league.ladders.schedule import Schedule
from league.notifications.model import EventType
from league.operators.audit import AuditActor
from league.operators.organisers import CorrectionAction
from tests.support.kills import killed_at, sweep
from tests.support.league import LeagueWorld, WallClock

URL = "https://hooks.example.com/kozyr"


def watched(league: LeagueWorld, *owners: str) -> None:
    for owner in owners:
        league.webhooks.create(owner, URL, [each for each in EventType if each is not EventType.TEST])


def told(league: LeagueWorld, owner: str, *types: EventType) -> list[dict[str, Any]]:
    """Return the data of the events of these types that an owner's webhook got, the oldest first."""
    (webhook,) = league.webhooks.of(owner)
    bodies = [orjson.loads(each.body) for each in reversed(league.webhooks.log(owner, webhook.id))]
    return [{"type": body["type"], **body["data"]} for body in bodies if body["type"] in types]


def hosted(league: LeagueWorld, **more: Any) -> tuple[Ladder, Bot]:
    """Return a ladder of `host`, and a bot of `guest`."""
    host, _ = league.bot("host", "own")
    _, bot = league.bot("guest", "fool")
    watched(league, "host", "guest")
    return league.ladder(owner=host.id, name="Cup", **more), bot


def test_entry_withdrawal_and_return_are_told_to_both_owners(league: LeagueWorld) -> None:
    ladder, bot = hosted(league)
    for _ in range(2):
        league.ladders.enter(ladder.id, bot)
    league.ladders.withdraw(ladder.id, bot.id)
    league.ladders.enter(ladder.id, bot)
    kinds = (EventType.ENTERED, EventType.WITHDRAWN)
    for owner in ("host", "guest"):
        events = told(league, owner, *kinds)
        assert sorted(event["type"] for event in events) == [
            "ladder.entered",
            "ladder.entered",
            "ladder.withdrawn",
        ]
        assert {(event["ladder"], event["name"], event["bot"]) for event in events} == {
            (ladder.id, "Cup", "guest/fool")
        }


def test_a_ban_is_told_with_its_reason(league: LeagueWorld) -> None:
    ladder, bot = hosted(league)
    league.ladders.enter(ladder.id, bot)
    league.ladders.set_rules(ladder.id, ["guest"], AccessVerdict.BANNED, "collusion")
    for owner in ("host", "guest"):
        (event,) = told(league, owner, EventType.BANNED, EventType.WITHDRAWN)
        assert (event["type"], event["bot"], event["reason"]) == ("ladder.banned", "guest/fool", "collusion")


def test_a_bye_is_told_to_the_bot_that_sits_out(league: LeagueWorld) -> None:
    ladder, guest = hosted(league, format_="swiss")
    bots = [guest, *(league.bot(name, "fool")[1] for name in ("alpha", "beta"))]
    watched(league, "alpha", "beta")
    for bot in bots:
        league.ladders.enter(ladder.id, bot)
    number = league.rounds.start(ladder.id).number
    league.finish(ladder.id, number)
    byes = {bot.owner_name: told(league, bot.owner_name, EventType.BYE) for bot in bots}
    (round_,) = league.ladders.store.rounds(ladder.id, [number])
    assert round_ is not None
    seated = {round_.entrants[at].name for meeting in round_.meetings or () for at in meeting}
    (out,) = {bot.full_name for bot in bots} - seated
    assert [event["bot"] for events in byes.values() for event in events] == [out]
    assert told(league, "host", EventType.BYE) == []


def test_a_failed_round_is_told_with_its_reason(league: LeagueWorld, monkeypatch: pytest.MonkeyPatch) -> None:
    ladder, bot = hosted(league, state="running", cron="* * * * *")
    for each in (bot, league.accounts.bot("house", "a1")):
        league.ladders.enter(ladder.id, each)
    monkeypatch.setattr("league.rounds.opening.plan", broken)
    for _ in range(2):  # the job may run again
        league.rounds.start_due(ladder.id, 60_000)
    (event,) = told(league, "host", EventType.ROUND_FAILED)
    assert (event["ladder"], event["round"]) == (ladder.id, 1)
    assert event["reason"] == "an unexpected error: RuntimeError"


def broken(*_: Any, **__: Any) -> Any:
    raise RuntimeError("no more room")


def test_a_correction_is_told_with_its_reason_and_the_winners_now(league: LeagueWorld) -> None:
    ladder, bot = over_and_unreported(league)
    league.seasons.end(ladder.id)
    disqualified(league, ladder.id)
    for owner in ("host", "guest"):
        (event,) = told(league, owner, EventType.CORRECTED)
        assert (event["season"], event["version"], event["complete"]) == (1, 2, True)
        assert (event["action"], event["reason"]) == ("disqualify", "it was ours")
        assert event["winners"] == [{"bot": "guest/fool", "id": bot.id}]


@pytest.mark.parametrize("when", ["before the last match", "after it"])
def test_a_ladder_that_closes_names_its_winners_once(league: LeagueWorld, when: str) -> None:
    ladder, bot = hosted(league)
    for each in (bot, league.accounts.bot("house", "a1")):
        league.ladders.enter(ladder.id, each)
    league.finish(ladder.id, league.rounds.start(ladder.id).number)
    if when == "before the last match":
        league.ladders.change(ladder.id, state="closing")
        assert told(league, "guest", EventType.SEASON) == []
    for loaded in list(league.matches()):
        league.referee.resign(loaded.id, bot.id)
    league.run()
    if when == "after it":
        assert told(league, "guest", EventType.SEASON) == []
        league.ladders.change(ladder.id, state="closing")
    for owner in ("host", "guest"):
        (event,) = told(league, owner, EventType.SEASON)
        assert (event["season"], event["winners"]) == (1, [{"bot": "house/a1", "id": "house-a1"}])


def over_and_unreported(league: LeagueWorld) -> tuple[Ladder, Bot]:
    """Return a ladder whose last match is counted, and its loser. Its season goes on."""
    ladder, bot = hosted(league)
    for each in (bot, league.accounts.bot("house", "a1")):
        league.ladders.enter(ladder.id, each)
    league.finish(ladder.id, league.rounds.start(ladder.id).number)
    for loaded in list(league.matches()):
        league.referee.resign(loaded.id, bot.id)
    league.run()
    return ladder, bot


def clock_passes(league: LeagueWorld, clock: WallClock) -> None:
    for _ in range(2):
        clock.ms += REPORTED_AGAIN_MS
        league.rounds.tick()
        league.published.tick()


def ended_by_schedule(league: LeagueWorld) -> None:
    league.clock.ms += 2 * 86_400_000
    league.seasons.tick()


def disqualified(league: LeagueWorld, ladder: str) -> None:
    by, action = AuditActor("t1", "host"), CorrectionAction.DISQUALIFY
    house = league.accounts.bot("house", "a1")
    league.organisers.correct(by, ladder, action, house, 1, "it was ours")


@pytest.mark.parametrize("at", sweep([2, 3, 5, 8, 11, 13]))
@pytest.mark.parametrize(
    "end",
    [
        lambda league, ladder: league.seasons.end(ladder),
        lambda league, ladder: ended_by_schedule(league),
        lambda league, ladder: league.ladders.change(ladder, state="closing"),
    ],
    ids=["a season ended by hand", "a season ended by schedule", "a ladder that closes"],
)
def test_a_kill_after_an_end_is_committed_loses_neither_its_event_nor_its_result(
    league: LeagueWorld, clock: WallClock, end: Callable[[LeagueWorld, str], object], at: int
) -> None:
    ladder, _ = over_and_unreported(league)
    league.ladders.change(ladder.id, {"season_schedule": Schedule("@daily", "UTC")})
    with killed_at(at, before=False, first=(RedisLadderStore, "change")):
        end(league, ladder.id)
    clock_passes(league, clock)
    assert [event["season"] for event in told(league, "guest", EventType.SEASON)] == [1]
    assert len(league.ladders.store.result_versions(ladder.id, 1, 10)) == 1


@pytest.mark.parametrize("at", sweep([1, 2, 3, 4]))
def test_a_kill_after_a_correction_is_stored_does_not_lose_its_event(
    league: LeagueWorld, clock: WallClock, at: int
) -> None:
    ladder, _ = over_and_unreported(league)
    league.seasons.end(ladder.id)
    clock_passes(league, clock)
    with killed_at(at, before=False, first=(RedisLadderStore, "add_result")):
        disqualified(league, ladder.id)
    clock_passes(league, clock)
    (event,) = told(league, "host", EventType.CORRECTED)
    assert (event["version"], event["reason"]) == (2, "it was ours")


@pytest.mark.parametrize("at", sweep(range(1, 8)))
def test_a_kill_before_a_correction_is_stored_leaves_no_old_result_published(
    league: LeagueWorld, clock: WallClock, at: int
) -> None:
    ladder, bot = over_and_unreported(league)
    league.seasons.end(ladder.id)
    with killed_at(at, before=False, first=(RedisLadderStore, "put_entry")):
        disqualified(league, ladder.id)
    clock_passes(league, clock)
    (event,) = told(league, "host", EventType.CORRECTED)
    assert event["winners"] == [{"bot": "guest/fool", "id": bot.id}]


def test_a_later_correction_hides_no_event_that_a_kill_left_behind(
    league: LeagueWorld, clock: WallClock
) -> None:
    ladder, _ = over_and_unreported(league)
    league.seasons.end(ladder.id)
    clock_passes(league, clock)
    with killed_at(1, before=False, first=(RedisLadderStore, "add_result")):
        disqualified(league, ladder.id)
    clock.ms += REPORTED_AGAIN_MS // 2
    house = league.accounts.bot("house", "a1")
    by, action = AuditActor("t1", "host"), CorrectionAction.REINSTATE
    league.organisers.correct(by, ladder.id, action, house, 1, "it was not ours")
    clock_passes(league, clock)
    assert sorted(event["version"] for event in told(league, "host", EventType.CORRECTED)) == [2, 3]

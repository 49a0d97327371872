"""The event logs of accounts: which events they have, once each, and for how long."""

from __future__ import annotations

from typing import Any

import orjson

from league.ladders.settings import LadderSettings
from league.notifications.account_streams import IDS, KEPT_MS, LOGGED
from league.notifications.model import Account, EventType, LeagueEvent
from records.match.session import Seat
from tests.support.league import LeagueWorld

HOUSE = Seat("house/a1", "house-a1", "1", True)
ALPHA = Account("owner", "alpha")


def logged(league: LeagueWorld, account: Account, after: int = 1) -> list[dict[str, Any]]:
    return [orjson.loads(event) for event in league.event_logs.read(account, after, 1000).events]


def event(number: int, *owners: str, bots: frozenset[str] = frozenset()) -> LeagueEvent:
    names = frozenset(owners or {"alpha"})
    return LeagueEvent(EventType.MATCH, f"m{number}", names, 0, f"match {number}", {"number": number}, bots)


def report(league: LeagueWorld, *events: LeagueEvent) -> None:
    league.event_logs.append(
        [
            (account, f"{each.type} {each.subject}", orjson.dumps(each.payload()))
            for each in events
            for account in each.accounts
        ]
    )


def test_a_log_keeps_the_last_events_and_numbers_them_without_holes(league: LeagueWorld) -> None:
    first = league.event_logs.follow(ALPHA)
    report(league, *map(event, range(LOGGED + 5)))
    found = league.event_logs.read(ALPHA, first + 5, LOGGED)
    assert (found.last, found.first, found.is_gap) == (first + LOGGED + 5, first + 6, False)
    assert [orjson.loads(each)["data"]["number"] for each in found.events] == list(range(5, LOGGED + 5))
    assert league.event_logs.read(ALPHA, first + 4, 1).is_gap
    assert not league.event_logs.read(ALPHA, found.last, 1).is_gap


def test_an_event_is_logged_once_even_after_the_log_has_dropped_it(league: LeagueWorld) -> None:
    league.event_logs.follow(ALPHA)
    report(league, *map(event, range(LOGGED + 1)))
    last = league.event_logs.follow(ALPHA)
    report(league, event(0), event(LOGGED))
    assert league.event_logs.follow(ALPHA) == last
    assert IDS >= 2 * LOGGED


def test_only_followed_accounts_have_a_log(league: LeagueWorld) -> None:
    assert not league.event_logs.has_listeners()
    league.event_logs.follow(ALPHA)
    assert league.event_logs.has_listeners()
    beta, bot = Account("owner", "beta"), Account("bot", "alpha")
    assert league.event_logs.followed([beta, ALPHA, bot]) == [ALPHA]
    report(league, event(1, "alpha", "beta"))
    assert logged(league, beta) == []
    assert len(logged(league, ALPHA)) == 1


def test_an_account_that_nobody_follows_any_more_leaves_the_set(league: LeagueWorld) -> None:
    league.event_logs.follow(ALPHA)
    league.clock.ms += 2 * KEPT_MS
    league.event_logs.follow(Account("owner", "beta"))
    assert league.event_logs.followed([ALPHA]) == []


def test_webhooks_and_streams_get_the_same_event(league: LeagueWorld) -> None:
    _, bot = league.bot("alpha", "one")
    league.webhooks.create("alpha", "https://hooks.example.com/kozyr", [EventType.MATCH])
    accounts = [ALPHA, Account("bot", bot.id)]
    for account in accounts:
        league.event_logs.follow(account)
    loaded = league.referee.create("durak", [bot.seat, HOUSE], {}, present=True)
    league.referee.resign(loaded.id, bot.id)
    bodies: list[bytes] = []

    def send(requests: Any) -> Any:
        bodies.extend(body for _, _, body in requests)
        return [(204, "", 1) for _ in requests]

    while league.webhooks.deliver(send):
        pass
    for account in accounts:
        (finished,) = [each for each in logged(league, account) if each["type"] == "match.finished"]
        assert [finished] == [orjson.loads(body) for body in bodies]
        assert finished["data"]["id"] == loaded.id


def test_events_that_are_reported_again_are_logged_once(league: LeagueWorld) -> None:
    _, bot = league.bot("alpha", "one")
    league.event_logs.follow(ALPHA)
    loaded = league.referee.create("durak", [bot.seat, HOUSE], {}, present=True)
    league.referee.resign(loaded.id, bot.id)
    before = logged(league, ALPHA)
    assert [each["type"] for each in before] == ["match.started", "match.finished"]
    again = league.referee.look(loaded.id)
    for _ in range(3):
        league.feed([again])
    assert logged(league, ALPHA) == before


def test_a_round_and_what_it_means_for_a_bot_are_logged_in_order(league: LeagueWorld) -> None:
    _, bot = league.bot("alpha", "one")
    account = Account("bot", bot.id)
    league.event_logs.follow(account)
    ladder = league.ladders.create(bot.owner, LadderSettings("Test", "durak", 2, decks="independent"))
    for each in (bot, league.accounts.bot("house", "a1")):
        league.ladders.enter(ladder.id, each)
    number = league.rounds.start(ladder.id).number
    league.finish(ladder.id, number)
    for loaded in list(league.matches()):
        league.referee.resign(loaded.id, bot.id)
    league.run()
    for preset in dict.fromkeys(league.recorded.unrated + league.ratings.tick()):
        league.ratings.catch_up(preset)
    found = logged(league, account)
    types = [each["type"] for each in found]
    assert types[:2] == ["ladder.entered", "round.started"]
    assert types.index("match.waiting") < types.index("match.finished") <= types.index("round.finished")
    assert (types.count("round.started"), types.count("round.finished")) == (1, 1)
    assert found[1]["data"] == {
        "ladder": ladder.id,
        "name": "Test",
        "round": number,
        "season": 1,
        "matches": types.count("match.waiting"),
    }

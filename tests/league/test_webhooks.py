"""Webhooks: events and their receivers, signatures, retries, and kills."""

from __future__ import annotations

import base64
import hashlib
import hmac
from collections.abc import Sequence
from typing import Any

import orjson
import pytest

from league.errors import BadValue, NoSuchWebhook
from league.fitness.health import Fitness
from league.fitness.model import HealthUpdate
from league.ladders.settings import LadderSettings
from league.notifications import redis
from league.notifications.model import (
    DEFAULT_EVENTS,
    EventType,
    LeagueEvent,
    MessageState,
    Webhook,
    WebhookFormat,
)
from league.notifications.service import JITTER, LEASE_MS, MOST_WEBHOOKS, OF_ONE, WAITS_S
from records.match.session import Seat
from records.results.group_result import GroupResult, ResultPlayer, SideResult
from tests.support.kills import Killed
from tests.support.league import LeagueWorld

URL = "https://hooks.example.com/kozyr"
HOUSE = Seat("house/a1", "house-a1", "1", True)


class Receivers:
    """Receivers that answer with a status, and keep what they got."""

    def __init__(self, status: int | None = 204) -> None:
        self.status = status
        self.got: list[tuple[str, dict[str, str], bytes]] = []

    def __call__(
        self, requests: Sequence[tuple[str, dict[str, str], bytes]]
    ) -> Sequence[tuple[int | None, str, int]]:
        self.got += requests
        return [(self.status, "" if self.status == 204 else "it failed", 1) for _ in requests]

    def events(self) -> list[str]:
        """Return the types of the messages."""
        return [orjson.loads(body)["type"] for _, _, body in self.got]


@pytest.fixture
def receivers() -> Receivers:
    return Receivers()


def hook(league: LeagueWorld, owner: str, *events: EventType, **more: Any) -> Webhook:
    return league.webhooks.create(owner, URL, events or DEFAULT_EVENTS, **more)


def send_all(league: LeagueWorld, receivers: Receivers) -> None:
    while league.webhooks.deliver(receivers):
        pass


def event(number: int = 1, *owners: str) -> LeagueEvent:
    names = frozenset(owners or {"alpha"})
    return LeagueEvent(EventType.MATCH, f"m{number}", names, 0, f"match {number}", {"number": number})


def test_a_finished_match_is_reported_to_its_owners(league: LeagueWorld, receivers: Receivers) -> None:
    _, bot = league.bot("alpha", "one")
    league.bot("beta", "two")
    hook(league, "alpha")
    hook(league, "beta")
    loaded = league.referee.create("durak", [bot.seat, HOUSE], {}, present=True)
    league.run()
    send_all(league, receivers)
    assert receivers.got == []
    league.referee.resign(loaded.id, bot.id)
    league.run()
    send_all(league, receivers)
    ((_, _, body),) = receivers.got
    document = orjson.loads(body)
    assert (document["type"], document["data"]["id"], document["data"]["ending"]) == (
        "match.finished",
        loaded.id,
        "resigned",
    )
    assert "observation" not in document["data"]
    assert "hand" not in body.decode()


def test_a_rating_is_reported_once_although_processes_die_before_it_is_stored(
    league: LeagueWorld, receivers: Receivers, monkeypatch: pytest.MonkeyPatch
) -> None:
    hook(league, "alpha", EventType.RATING)
    players = ResultPlayer("b1", "alpha/one", "1"), ResultPlayer("house-a1", "house/a1", "1")
    sides = tuple(
        SideResult((player,), points, False) for player, points in zip(players, (1, -1), strict=True)
    )
    league.ratings.store.add([GroupResult("durak/2", "g1", 1_000, sides)])

    def die(*_: Any) -> bool:
        raise Killed

    for _ in range(2):
        with monkeypatch.context() as dying:
            dying.setattr(league.ratings.store, "publish", die)
            with pytest.raises(Killed):
                league.ratings.catch_up("durak/2")
    league.ratings.catch_up("durak/2")
    send_all(league, receivers)
    ((_, _, body),) = receivers.got
    data = orjson.loads(body)["data"]
    assert (data["bot"], data["preset"], data["group"]) == ("alpha/one", "durak/2", "g1")
    assert data["rating"] == round(league.ratings.ratings("durak/2", ["b1"])["b1"].mu, 1)


def test_a_suspension_is_reported_once(league: LeagueWorld, receivers: Receivers) -> None:
    _, bot = league.bot("alpha", "one")
    hook(league, "alpha", EventType.SUSPENSION)
    ladder = league.ladders.create(bot.owner, LadderSettings("Test", "durak", 2, rated=False, repeats=2))
    for each in (bot, league.accounts.bot("house", "a1")):
        league.ladders.enter(ladder.id, each)
    league.finish(ladder.id, league.rounds.start(ladder.id).number)
    bad = [HealthUpdate(bot.id, f"m{ended}", ended, "did not show up") for ended in (1, 2, 3)]
    Fitness(league.redis).count(bad)
    for loaded in list(league.matches()):
        league.referee.resign(loaded.id, bot.id)
    league.run()
    send_all(league, receivers)
    ((_, _, body),) = receivers.got
    data = orjson.loads(body)["data"]
    assert data == {"bot": "alpha/one", "id": bot.id, "reason": data["reason"]}
    assert "did not show up" in data["reason"]


def test_signatures_follow_standard_webhooks(league: LeagueWorld, receivers: Receivers) -> None:
    webhook = hook(league, "alpha")
    league.webhooks.report([event()])
    send_all(league, receivers)
    ((url, headers, body),) = receivers.got
    secret = league.webhooks.signer.secret(webhook.id)
    key = base64.b64decode(secret.removeprefix("whsec_"))
    signed = f"{headers['webhook-id']}.{headers['webhook-timestamp']}.".encode() + body
    expected = base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()
    assert headers["webhook-signature"] == f"v1,{expected}"
    assert int(headers["webhook-timestamp"]) == league.clock.ms // 1000
    assert url == URL
    assert len(key) == 32
    assert secret not in str(league.redis.one("KEYS", "*"))


def test_discord_gets_a_text_that_pings_nobody(league: LeagueWorld, receivers: Receivers) -> None:
    hook(league, "alpha", format_=WebhookFormat.DISCORD)
    league.webhooks.report([event()])
    send_all(league, receivers)
    assert orjson.loads(receivers.got[0][2]) == {"content": "match 1", "allowed_mentions": {"parse": []}}


def test_an_event_found_out_again_is_sent_once(league: LeagueWorld, receivers: Receivers) -> None:
    hook(league, "alpha")
    for _ in range(3):
        league.webhooks.report([event()])
        send_all(league, receivers)
    assert len(receivers.got) == 1


def test_only_wanted_events_reach_enabled_webhooks(league: LeagueWorld, receivers: Receivers) -> None:
    hook(league, "alpha", EventType.ROUND)
    off = hook(league, "alpha")
    league.webhooks.change("alpha", off.id, enabled=False)
    league.webhooks.report([event()])
    send_all(league, receivers)
    assert receivers.got == []


def test_failed_attempts_are_repeated_at_growing_intervals_until_the_end(league: LeagueWorld) -> None:
    webhook, receivers = hook(league, "alpha"), Receivers(503)
    league.webhooks.report([event()])
    for wait_s in WAITS_S:
        assert league.webhooks.deliver(receivers)
        league.clock.ms += round(wait_s * 1000 * (1 - JITTER)) - 1
        assert not league.webhooks.deliver(receivers)
        league.clock.ms += round(wait_s * 1000 * 2 * JITTER) + 1
    assert league.webhooks.deliver(receivers)
    (message,) = league.webhooks.log("alpha", webhook.id)
    assert (message.state, len(message.attempts)) == (MessageState.DEAD, len(WAITS_S) + 1)
    assert {headers["webhook-id"] for _, headers, _ in receivers.got} == {message.id}
    league.clock.ms += 10**9
    receivers.status = 204
    assert not league.webhooks.deliver(receivers)


def test_a_kill_while_sending_loses_nothing_and_repeats_the_same_id(league: LeagueWorld) -> None:
    hook(league, "alpha")
    league.webhooks.report([event()])
    receivers = Receivers()

    def dies(requests: Any) -> Any:
        receivers(requests)
        raise Killed

    with pytest.raises(Killed):
        league.webhooks.deliver(dies)
    assert not league.webhooks.deliver(receivers)
    league.clock.ms += LEASE_MS
    assert league.webhooks.tick() == 1
    send_all(league, receivers)
    first, second = receivers.got
    assert (first[1]["webhook-id"], first[2]) == (second[1]["webhook-id"], second[2])


def test_a_receiver_that_is_gone_ends_all_messages_of_its_webhook(league: LeagueWorld) -> None:
    webhook, receivers = hook(league, "alpha"), Receivers(410)
    league.webhooks.report([event(number) for number in range(20)])
    send_all(league, receivers)
    assert len(receivers.got) == OF_ONE
    log = league.webhooks.log("alpha", webhook.id)
    assert {(each.state, len(each.attempts)) for each in log} == {(MessageState.DEAD, 1)}


def test_messages_to_a_webhook_disabled_meanwhile_are_no_failed_attempts(
    league: LeagueWorld, receivers: Receivers
) -> None:
    webhook, store = hook(league, "alpha"), league.webhooks.store
    league.webhooks.report([event(number) for number in range(20)])
    store.change("alpha", webhook.id, lambda found: found._replace(enabled=False))
    league.webhooks.deliver(receivers)
    store.change("alpha", webhook.id, lambda found: found._replace(enabled=True))
    league.webhooks.report([event(99)])
    send_all(league, receivers)
    assert [orjson.loads(body)["data"]["number"] for _, _, body in receivers.got] == [99]


def test_a_message_that_fails_while_its_webhook_is_disabled_does_not_return(
    league: LeagueWorld, receivers: Receivers
) -> None:
    webhook = hook(league, "alpha")
    league.webhooks.report([event()])

    def disabled_meanwhile(requests: Any) -> Any:
        league.webhooks.change("alpha", webhook.id, enabled=False)
        return Receivers(503)(requests)

    league.webhooks.deliver(disabled_meanwhile)
    league.webhooks.change("alpha", webhook.id, enabled=True)
    league.clock.ms += 86_400_000
    send_all(league, receivers)
    assert receivers.got == []
    (message,) = league.webhooks.log("alpha", webhook.id)
    assert (message.state, len(message.attempts)) == (MessageState.DEAD, 2)


def test_a_webhook_enabled_again_starts_afresh_at_once(league: LeagueWorld, receivers: Receivers) -> None:
    webhook, down = hook(league, "alpha"), Receivers(503)
    league.webhooks.report([event(number) for number in range(20)])
    for _ in range(10):
        league.webhooks.deliver(down)
        league.clock.ms += 10_000
    league.webhooks.change("alpha", webhook.id, enabled=False)
    assert {each.state for each in league.webhooks.log("alpha", webhook.id)} == {MessageState.DEAD}
    send_all(league, receivers)
    league.webhooks.change("alpha", webhook.id, enabled=True)
    league.webhooks.report([event(99)])
    send_all(league, receivers)
    assert [orjson.loads(body)["data"]["number"] for _, _, body in receivers.got] == [99]


def test_messages_of_a_removed_webhook_are_not_sent(league: LeagueWorld, receivers: Receivers) -> None:
    webhook = hook(league, "alpha")
    league.webhooks.report([event()])
    league.webhooks.remove("alpha", webhook.id)
    send_all(league, receivers)
    assert receivers.got == []
    with pytest.raises(NoSuchWebhook):
        league.webhooks.get("alpha", webhook.id)


def test_one_slow_webhook_leaves_room_for_others(league: LeagueWorld, receivers: Receivers) -> None:
    hook(league, "alpha")
    hook(league, "beta")
    league.webhooks.report([event(number) for number in range(10)])
    league.webhooks.report([event(99, "beta")])
    league.webhooks.deliver(receivers)
    assert len(receivers.got) == OF_ONE + 1


def test_webhooks_that_fail_pause_and_hardly_delay_others(league: LeagueWorld) -> None:
    for _ in range(MOST_WEBHOOKS):
        hook(league, "alpha")
    hook(league, "beta")
    sent = 0

    def send(requests: Sequence[tuple[str, dict[str, str], bytes]]) -> Any:
        nonlocal sent
        found = []
        for request in requests:
            to_beta = orjson.loads(request[2])["data"]["number"] >= 1000
            sent += not to_beta
            found += Receivers(204 if to_beta else None)([request])
        return found

    league.webhooks.report([event(number) for number in range(100)])
    for second in range(120):
        league.webhooks.report([event(1000 + second, "beta")])
        league.webhooks.deliver(send)
        league.clock.ms += 1000
    (of_beta,) = league.webhooks.of("beta")
    log = league.webhooks.log("beta", of_beta.id)
    late = [message for message in log if message.attempts[0].at - message.created > 5_000]
    assert {message.state for message in log} == {MessageState.DELIVERED}
    assert late == []
    assert sent < 20 * MOST_WEBHOOKS


def test_a_test_is_sent_at_once_although_its_webhook_pauses(league: LeagueWorld) -> None:
    webhook, receivers = hook(league, "alpha"), Receivers(503)
    league.webhooks.report([event(number) for number in range(20)])
    for _ in range(10):
        league.webhooks.deliver(receivers)
        league.clock.ms += 1_000
    receivers.got.clear()
    league.webhooks.test("alpha", webhook.id)
    league.webhooks.deliver(receivers)
    assert receivers.events() == ["test"]
    first = league.webhooks.log("alpha", webhook.id)[-1]
    league.webhooks.redeliver("alpha", webhook.id, first.id)
    receivers.got.clear()
    league.webhooks.deliver(receivers)
    assert [headers["webhook-id"] for _, headers, _ in receivers.got] == [first.id]


def test_messages_beyond_the_bound_of_a_webhook_are_dead_and_can_be_sent(
    league: LeagueWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(redis, "MOST_WAITING", 3)
    webhook, receivers = hook(league, "alpha"), Receivers()
    league.webhooks.report([event(number) for number in range(4)])
    dead = [each for each in league.webhooks.log("alpha", webhook.id) if each.state is MessageState.DEAD]
    ((_, _, why, _),) = dead[0].attempts
    assert (len(dead), "too many" in why) == (1, True)
    league.webhooks.redeliver("alpha", webhook.id, dead[0].id)
    send_all(league, receivers)
    assert len(receivers.got) == 4


def test_a_late_410_neither_restores_nor_changes_a_webhook(league: LeagueWorld) -> None:
    removed, moved = hook(league, "alpha"), hook(league, "alpha")
    league.webhooks.report([event()])

    def gone(requests: Sequence[Any]) -> Any:
        league.webhooks.remove("alpha", removed.id)
        league.webhooks.change("alpha", moved.id, url=URL + "/new")
        return Receivers(410)(requests)

    league.webhooks.deliver(gone)
    (left,) = league.webhooks.of("alpha")
    assert (left.id, left.url, left.enabled) == (moved.id, URL + "/new", True)


def test_changes_of_two_processes_are_both_kept(league: LeagueWorld) -> None:
    webhook, store = hook(league, "alpha"), league.webhooks.store
    changes = iter([True, False])

    def disable(found: Webhook) -> Webhook:
        if next(changes):  # another process changes the webhook after it was read
            league.webhooks.change("alpha", webhook.id, url=URL + "/new")
        return found._replace(enabled=False)

    changed = store.change("alpha", webhook.id, disable)
    assert changed == webhook._replace(url=URL + "/new", enabled=False)
    assert store.change("alpha", "w-none", disable) is None


def test_webhooks_of_an_owner_are_bounded_and_created_once(league: LeagueWorld) -> None:
    first = hook(league, "alpha", webhook_id="w1")
    assert hook(league, "alpha", webhook_id="w1") == first
    for _ in range(MOST_WEBHOOKS - 1):
        hook(league, "alpha")
    with pytest.raises(BadValue):
        hook(league, "alpha")
    with pytest.raises(BadValue):
        league.webhooks.change("alpha", "w1", url="https://127.0.0.1/")


def test_a_late_failure_does_not_send_a_delivered_message_again(
    league: LeagueWorld, receivers: Receivers
) -> None:
    webhook = hook(league, "alpha")
    league.webhooks.report([event()])

    def slow(requests: Any) -> Any:
        league.clock.ms += LEASE_MS
        send_all(league, receivers)
        return Receivers(503)(requests)

    league.webhooks.deliver(slow)
    league.clock.ms += 86_400_000
    send_all(league, receivers)
    assert len(receivers.got) == 1
    assert league.webhooks.log("alpha", webhook.id)[0].state is MessageState.DELIVERED

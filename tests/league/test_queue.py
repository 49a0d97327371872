"""The queue: who meets whom, exactly once, whatever dies."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Any

import pytest
from redis.exceptions import ConnectionError as LostConnection

from league.accounts.model import Bot, MatchPolicy
from league.errors import BotUnavailable, Overtaken
from league.queue import service
from league.queue.model import (
    ClaimResult,
    DropReason,
    EntryState,
    MatchBatch,
    MatchTerms,
    QueueEntry,
    RatingBand,
)
from league.queue.redis import DUE_MS
from league.queue.service import GONE_S, next_table
from records.ids import derived_match_id
from records.match.clock import ClockRule
from records.match.loaded_match import LoadedMatch
from records.match.new_match import NewMatch
from records.match.record import preset_of
from records.match.session import table_of
from records.ratings.model import Rating
from redisio.connection import Redis
from referee.service.state import ServiceState
from tests.support.kills import Killed, sweep
from tests.support.league import LeagueWorld


def terms(game: str = "durak", seats: int = 2, clock: ClockRule | None = None, **options: Any) -> MatchTerms:
    table = table_of(game, seats, options)
    clock = clock or ClockRule()
    return MatchTerms(game, seats, dict(table.options), 1, clock, preset_of(table, clock))


TERMS = terms()
ANY = RatingBand(None, 0)
MOST_TRIPS = 24
"""More round trips than joining takes."""


class QueueWorld(LeagueWorld):
    """A league whose monotonic clock is its wall clock, with chosen ratings."""

    chosen: dict[str, float]

    def __init__(self, *args: Any, **more: Any) -> None:
        super().__init__(*args, **more)
        self.chosen = {}
        self.match_queue._ratings = lambda _, bots: {
            bot: Rating(mu=self.chosen[bot]) for bot in bots if bot in self.chosen
        }
        self.match_queue._monotonic = lambda: self.clock() / 1000

    def remote(self, name: str, mu: float | None = None, owner: str | None = None, **policy: Any) -> Bot:
        """Create a bot, of an owner with the same name by default."""
        _, bot = self.bot(owner or f"of-{name}", name)
        if mu is not None:
            self.chosen[bot.id] = mu
        return self.accounts.update_bot(bot.id, match_policy=MatchPolicy(**policy)) if policy else bot

    def join(self, bot: Bot, wanted: MatchTerms = TERMS, band: RatingBand = ANY, **more: Any) -> QueueEntry:
        return self.match_queue.join(bot, wanted, band, **more)

    def state(self, bot: Bot) -> tuple[EntryState, DropReason | None]:
        entry = self.match_queue.last(bot)
        return entry.state, entry.reason

    def played(self, bot: Bot) -> list[str]:
        """Return the matches of a bot."""
        return [loaded.id for loaded in self.matches() if loaded.config.seat_of(bot.id) is not None]

    def seconds(self, count: int) -> None:
        """Let the clock process look once a second."""
        for _ in range(count):
            self.clock.ms += 1000
            self.match_queue.tick()


@pytest.fixture
def league(redis: Redis, clock: Any) -> QueueWorld:
    return QueueWorld(redis, clock)


@pytest.mark.parametrize(
    "other",
    [terms("svoi_kozyri"), terms(seats=3), terms(clock=ClockRule(move_ms=100)), TERMS._replace(deals=2)],
)
def test_bots_with_different_terms_never_meet(league: QueueWorld, other: MatchTerms) -> None:
    one, two = league.remote("one"), league.remote("two")
    league.join(one)
    league.join(two, other)
    league.seconds(3)
    assert list(league.matches()) == []


def test_a_table_of_four_waits_for_four_bots(league: QueueWorld) -> None:
    bots = [league.remote(f"bot-{number}") for number in range(4)]
    wanted = terms(seats=4)
    for bot in bots[:3]:
        assert league.join(bot, wanted).state is EntryState.WAITING
    match = league.join(bots[3], wanted).match
    assert {league.match_queue.last(bot).match for bot in bots} == {match}
    assert match is not None


def test_a_band_widens_until_both_ratings_fit(league: QueueWorld) -> None:
    strong, weak = league.remote("strong", 1800.0), league.remote("weak", 1500.0)
    league.join(strong, band=RatingBand(100, 20))
    league.join(weak, band=RatingBand(200, 50))
    league.seconds(9)
    assert league.state(strong) == (EntryState.WAITING, None)
    league.seconds(1)
    assert league.state(strong) == league.state(weak) == (EntryState.MATCHED, None)


@pytest.mark.parametrize("band", [ANY, RatingBand(0, 5)])
def test_bots_that_fit_nobody_do_not_keep_others_waiting(
    league: QueueWorld, monkeypatch: pytest.MonkeyPatch, band: RatingBand
) -> None:
    monkeypatch.setattr(service, "EXAMINED", 8)
    picky = [league.remote(f"p{number}", mu=1000 + 20 * number, owner="picky") for number in range(30)]
    for bot in picky:
        league.join(bot, band=RatingBand(0, 0))
    alice, bob = league.remote("alice", mu=1310), league.remote("bob", mu=1310.3)
    league.join(alice, band=band)
    league.join(bob, band=band)
    looks = 0
    while league.state(alice)[0] is not EntryState.MATCHED:
        league.seconds(1)
        looks += 1
        assert looks < 1000, "each look draws both with a probability of a twentieth"
    assert league.played(alice) == league.played(bob) != []
    assert {league.state(bot)[0] for bot in picky} == {EntryState.WAITING}


def test_entries_in_the_order_of_an_earlier_version_are_matched_and_may_leave(league: QueueWorld) -> None:
    """Earlier versions stored the entries of a pool by rating."""
    one, two, three = (league.remote(name) for name in ("one", "two", "three"))
    league.offline.update((one.id, two.id))
    pool = f"kozyr:{{queue}}:pool:{TERMS.pool}"
    for rating, bot in ((1437.25, one), (-12.5, two)):
        entry = league.join(bot)
        assert league.redis.one("ZADD", pool, "XX", "CH", rating, entry.id) == 1
    assert league.match_queue.leave(two).state is EntryState.LEFT
    league.offline.clear()
    assert league.join(three).state is EntryState.MATCHED
    assert league.played(one) == league.played(three) != []
    assert league.redis.one("EXISTS", pool) == 0


def test_a_bot_meets_the_nearest_rating_and_other_owners_first(league: QueueWorld) -> None:
    def entry(name: str, rating: float, owner: str) -> QueueEntry:
        return QueueEntry(name, name, owner, TERMS, ANY, rating)

    chooser, own = entry("a", 1500, "x"), entry("b", 1500, "x")
    far, near = entry("c", 1900, "y"), entry("d", 1400, "z")

    def opponent(*others: QueueEntry) -> str:
        table = next_table([chooser, *others], 0, lambda *_: True)
        assert table is not None
        return table[1].id

    assert opponent(own, far, near) == "d"
    assert opponent(own, far) == "c"
    assert opponent(own) == "b"


def test_bots_that_refuse_each_other_are_not_matched(league: QueueWorld) -> None:
    picky = league.remote("picky", excluded_owners=("of-bad",))
    bad, good = league.remote("bad"), league.remote("good")
    for bot in (bad, picky):
        league.join(bot)
    league.seconds(2)
    assert league.state(picky) == (EntryState.WAITING, None)
    match = league.join(good).match
    assert match is not None


def test_a_bot_without_a_free_slot_waits_and_others_are_matched(league: QueueWorld) -> None:
    busy = league.remote("busy", 1500.0, max_matches=1)
    league.referee.create("durak", [busy.seat, None], {})
    league.feed(list(league.matches()))
    near, far = league.remote("near", 1500.0), league.remote("far", 1900.0)
    for bot in (busy, near, far):
        league.join(bot)
    assert league.state(busy) == (EntryState.WAITING, None)
    assert league.match_queue.last(near).match == league.match_queue.last(far).match is not None


def test_a_bot_that_left_is_not_matched(league: QueueWorld) -> None:
    one, two = league.remote("one"), league.remote("two")
    league.join(one)
    assert league.match_queue.leave(one).state is EntryState.LEFT
    assert league.join(two).state is EntryState.WAITING
    assert league.match_queue.leave(one).state is EntryState.LEFT


def test_a_bot_that_is_gone_leaves_the_queue(league: QueueWorld) -> None:
    one, two = league.remote("one"), league.remote("two")
    league.join(one)
    league.offline.add(one.id)
    league.join(two)
    league.seconds(int(GONE_S))
    assert league.state(one) == (EntryState.WAITING, None)
    league.seconds(1)  # the first look found it offline after one second
    assert league.state(one) == (EntryState.DROPPED, DropReason.GONE)
    assert league.state(two) == (EntryState.WAITING, None)


def test_a_bot_that_comes_back_in_time_keeps_its_place(league: QueueWorld) -> None:
    bot = league.remote("bot")
    league.join(bot)
    for _ in range(3):
        league.offline.add(bot.id)
        league.seconds(int(GONE_S) - 1)
        league.offline.clear()
        league.seconds(1)
    assert league.state(bot) == (EntryState.WAITING, None)


def test_a_bot_that_joins_again_is_not_gone_because_of_its_earlier_entry(league: QueueWorld) -> None:
    bot = league.remote("bot")
    league.join(bot)
    league.offline.add(bot.id)
    league.seconds(1)
    league.match_queue.leave(bot)
    league.seconds(int(GONE_S))
    league.join(bot)
    league.seconds(1)
    assert league.state(bot) == (EntryState.WAITING, None)
    league.seconds(int(GONE_S))
    assert league.state(bot) == (EntryState.DROPPED, DropReason.GONE)


def test_disabled_bots_and_changed_policies_leave_the_queue(league: QueueWorld) -> None:
    one, two = league.remote("one"), league.remote("two", owner="other")
    league.join(one)
    league.accounts.set_bot_disabled(one.id, "a test")
    league.seconds(1)
    assert league.state(one) == (EntryState.DROPPED, DropReason.DISABLED)
    league.join(two)
    league.accounts.update_bot(two.id, match_policy=MatchPolicy(games=("king",)))
    league.seconds(1)
    assert league.state(two) == (EntryState.DROPPED, DropReason.POLICY)


def test_nobody_is_matched_while_the_service_drains(league: QueueWorld) -> None:
    one, two = league.remote("one"), league.remote("two")
    league.offline.add(one.id)
    league.join(one)
    league.join(two)
    league.offline.clear()
    league.service.change(ServiceState.DRAINING, "a test")
    league.seconds(3)
    assert league.state(one) == league.state(two) == (EntryState.WAITING, None)
    league.service.change(ServiceState.RUNNING, "a test")
    league.seconds(1)
    assert league.state(one) == league.state(two) == (EntryState.MATCHED, None)


def test_processes_that_look_at_the_same_time_match_each_bot_once(league: QueueWorld) -> None:
    bots = [league.remote(f"bot-{number}") for number in range(20)]
    league.offline.update(bot.id for bot in bots)
    for bot in bots:
        league.join(bot)
    league.offline.clear()
    with ThreadPoolExecutor(6) as threads:
        list(threads.map(lambda _: league.match_queue.tick(), range(12)))
    league.seconds(1)
    seated = [seat.id for loaded in league.matches() for seat in loaded.config.seats if seat]
    assert sorted(seated) == sorted(bot.id for bot in bots)


def dying_at(league: QueueWorld, monkeypatch: pytest.MonkeyPatch, trip: int) -> None:
    """Kill the process right after the round trip with this number."""
    run, left = league.redis.run, iter(range(trip, -1, -1))

    def counted(commands: Any, **how: Any) -> Any:
        answers = run(commands, **how)
        if next(left, 0) == 0:
            raise Killed
        return answers

    monkeypatch.setattr(league.redis, "run", counted)


@pytest.mark.parametrize("trip", sweep(range(MOST_TRIPS + 1)))
def test_a_kill_at_any_round_trip_loses_no_bot_and_pairs_none_twice(
    league: QueueWorld, monkeypatch: pytest.MonkeyPatch, trip: int
) -> None:
    one, two = league.remote("one"), league.remote("two")
    league.join(one)
    with monkeypatch.context() as dying:
        dying_at(league, dying, trip)
        survived = False
        with suppress(Killed):
            league.join(two, entry_id="e2")
            survived = True
        assert survived or trip < MOST_TRIPS, "a join takes more round trips: kill at those, too"
    # The same request again, to another process; the clock process runs all the time.
    league.clock.ms += DUE_MS
    league.match_queue.tick()
    league.join(two, entry_id="e2")
    league.seconds(1)
    assert league.state(one) == league.state(two) == (EntryState.MATCHED, None)
    assert len(list(league.matches())) == 1
    assert league.match_queue.store.pools() == []
    assert league.queue_store.due(10) == []


def losing_the_answer_of(store: Any, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let Redis carry out a call of the store, and lose its answer."""
    call = getattr(store, name)

    def lost(*given: Any) -> None:
        call(*given)
        raise LostConnection("the answer is lost")

    monkeypatch.setattr(store, name, lost)


def has_a_slot(league: QueueWorld, bot: Bot) -> bool:
    """Return whether the bot could play another match now."""
    try:
        with league.eligibility.reserved("another-match", [bot]):
            raise Overtaken("only to look")
    except BotUnavailable:
        return False
    except Overtaken:
        return True


def test_a_claim_whose_answer_is_lost_keeps_the_slots_of_its_match(
    league: QueueWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    one, two = league.remote("one", max_matches=1), league.remote("two", max_matches=1)
    league.join(one)
    with monkeypatch.context() as losing:
        losing_the_answer_of(league.queue_store, "claim", losing)
        with pytest.raises(LostConnection):
            league.join(two, entry_id="e2")
    assert not has_a_slot(league, one)
    assert not has_a_slot(league, two)
    league.clock.ms += DUE_MS
    league.match_queue.tick()
    assert league.join(two, entry_id="e2").state is EntryState.MATCHED
    assert len(league.played(one)) == len(league.played(two)) == 1


def test_a_claim_that_comes_too_late_releases_its_slots(
    league: QueueWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    one, two = league.remote("one", max_matches=1), league.remote("two", max_matches=1)
    league.join(one)
    with monkeypatch.context() as late:
        late.setattr(league.queue_store, "claim", lambda *_: ClaimResult.TAKEN)
        league.join(two)
    assert has_a_slot(league, one)
    assert has_a_slot(league, two)


@pytest.mark.parametrize("dies", [False, True], ids=["the answer is lost", "the process dies"])
def test_a_stored_batch_keeps_the_slots_of_its_matches_until_they_are_created(
    league: QueueWorld, monkeypatch: pytest.MonkeyPatch, dies: bool
) -> None:
    bot = league.remote("one", max_matches=2)
    seats: list[Bot | None] = [bot, league.accounts.bot("house", "a1")]
    wanted = [
        NewMatch(game="durak", seats=[each and each.seat for each in seats], options={}, deals=1, id=ident)
        for ident in (derived_match_id("batch", 0), derived_match_id("batch", 1))
    ]

    def die(*_: Any) -> None:
        raise Killed

    with monkeypatch.context() as losing:
        if dies:
            losing.setattr(league.batches, "finish", die)
        else:
            losing_the_answer_of(league.queue_store, "put", losing)
        with pytest.raises(Killed if dies else LostConnection):
            league.batches.create(MatchBatch("batch", tuple(wanted)), [seats, seats], "of-one")
    assert not has_a_slot(league, bot)
    league.clock.ms += DUE_MS
    assert league.batches.tick() == 1
    assert len(league.played(bot)) == 2


def test_a_batch_that_can_not_be_created_does_not_stop_the_others(
    league: QueueWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    bot = league.remote("one", max_matches=2)
    seats = [bot.seat, league.accounts.bot("house", "a1").seat]
    first, second = (
        MatchBatch(ident, (NewMatch(game="durak", seats=seats, options={}, deals=1, id=ident),))
        for ident in sorted(derived_match_id("batch", number) for number in range(2))
    )
    for batch in (first, second):
        league.queue_store.put(batch)
    create_all = league.referee.create_all

    def refuses(wanted: Sequence[NewMatch]) -> list[LoadedMatch]:
        if wanted == first.matches:
            raise KeyError("a game that this release does not have")
        return create_all(wanted)

    monkeypatch.setattr(league.referee, "create_all", refuses)
    league.clock.ms += DUE_MS
    with pytest.raises(KeyError):
        league.batches.tick()
    assert league.played(bot) == [second.matches[0].id]


def test_ended_entries_are_forgotten_after_a_day(league: QueueWorld) -> None:
    bot = league.remote("bot")
    league.join(bot)
    league.match_queue.leave(bot)
    keys = league.redis.one("KEYS", "kozyr:{queue}:*")
    assert keys
    assert all(0 < league.redis.one("PTTL", key) <= 86_400_000 for key in keys)

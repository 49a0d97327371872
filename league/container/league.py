"""The parts of the league: accounts, fitness, ladders, rounds, ratings and operators."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from league.accounts.eligibility import Eligibility
from league.accounts.idempotency import Idempotency
from league.accounts.presence import Presence
from league.accounts.redis import RedisAccountStore
from league.accounts.service import Accounts, HouseVersions
from league.consistency.check import Consistency
from league.consistency.model import ConsistencyServices
from league.consistency.redis import RedisEvidence
from league.container.options import Jobs
from league.container.referee import RefereeContainer, Subscribers
from league.fitness.checks import ConformanceChecks, RedisCheckStore
from league.fitness.facts import BotFacts
from league.fitness.health import Fitness
from league.fitness.regret import BotRegret
from league.fitness.statistics import BotStatistics
from league.following import Following
from league.friends.service import Friends
from league.hints import Hints
from league.ladders.model import Ladder, Round
from league.ladders.published import PublishedResults
from league.ladders.redis import RedisLadderStore, renewed_archived_round
from league.ladders.redis_archive import DAY_MS, ArchivedLadders
from league.ladders.seasons import Seasons
from league.ladders.service import Ladders
from league.ladders.standings import LadderStandings
from league.models import ModelBoard
from league.notifications.account_streams import AccountStreams, RedisEventLogStore
from league.notifications.events import EventReporter
from league.notifications.redis import RedisWebhookStore
from league.notifications.service import Webhooks, WebhookSigner
from league.operators.administration import Administration
from league.operators.audit import Audit
from league.operators.forgetting import Forgetting
from league.operators.organisers import Organisers
from league.people import People
from league.queue.batches import MatchBatches
from league.queue.redis import RedisQueueStore
from league.queue.service import MatchQueue
from league.ratings.book import RatingBook
from league.ratings.redis import RedisRatingStore
from league.recent import Recent
from league.reviews.redis import RedisReviewStore
from league.reviews.service import Reviews
from league.reviews.studies import Studies
from league.rounds import Rounds
from league.rounds.timing import DueInstants
from league.together import SharedReplays
from league.watching.service import RequestWatch
from records.names import renewed_result
from redisio.rate_counters import RedisRateCounters
from referee.after_commit import AfterCommitStep
from referee.archive_index.index import Renewals
from referee.feed import Feed
from referee.service.admission import admits
from referee.stored_names import renew_names

_RELEASED_AT_ONCE: Final = 50
"""How many groups are fed together when a freeze ends."""


@dataclass(eq=False)
class LeagueContainer(RefereeContainer):
    """Adds the league to the referee."""

    @cached_property
    def recent(self) -> Recent:
        """What this process keeps for some seconds."""
        return Recent(self.options.recent_s, self.options.monotonic)

    @cached_property
    def jobs(self) -> Jobs:
        """The job queue."""
        return self.options.jobs()

    # 1. Accounts

    @cached_property
    def accounts(self) -> Accounts:
        """Owners, bots and tokens."""
        options = self.options
        return Accounts(
            RedisAccountStore(self.redis),
            self.secret,
            HouseVersions(options.players, options.thinkers),
            by_invitation=options.by_invitation,
            admin_token=options.admin_token,
            now=options.now,
            declares=lambda bot: self.statistics.begin_totals(bot),
        )

    @cached_property
    def eligibility(self) -> Eligibility:
        """Decides which bots may be seated."""
        return Eligibility(
            self.accounts,
            self.index,
            quick=self.options.players,
            waiting_matches=lambda owner: self.jobs.waiting_matches(owner),
        )

    @cached_property
    def people(self) -> People:
        """Matches of people against bots."""
        return People(self.referee, self.accounts, self.eligibility)

    @cached_property
    def friends(self) -> Friends:
        """Tables to which a link invites friends."""
        return Friends(self.redis, self.people, self.options.store_now)

    @cached_property
    def idempotency(self) -> Idempotency:
        return Idempotency(self.redis, self.secret)

    @cached_property
    def presence(self) -> Presence:
        """Which bots are online."""
        return Presence(self.redis, self.options.monotonic, self.options.store_now)

    def online(self, bots: Sequence[str]) -> set[str]:
        """Return the ids of those of these remote bots that are online."""
        return self.presence.online(bots)

    def leaves(self, bot: str) -> bool:
        return bool(self.presence.leaving([bot]))

    # 2. Fitness

    @cached_property
    def regret(self) -> BotRegret:
        """What moves of bots lose in positions with exact values."""
        return BotRegret(
            self.redis, self.statistics, self.referee, self.options.exact, lambda: self.jobs.wake_regret()
        )

    @cached_property
    def statistics(self) -> BotStatistics:
        return BotStatistics(self.redis)

    @cached_property
    def facts(self) -> BotFacts:
        """What bots report about their moves."""
        return BotFacts(self.redis)

    @cached_property
    def watch(self) -> RequestWatch:
        """The requests of watched bots."""
        return RequestWatch(self.redis, self.options.now, self.accounts.bots_by_ids)

    @cached_property
    def checks(self) -> ConformanceChecks:
        return ConformanceChecks(
            RedisCheckStore(self.redis), self.accounts, self.referee, now=self.options.now
        )

    # 3. Ladders and rounds

    @cached_property
    def ladders(self) -> Ladders:
        return Ladders(
            RedisLadderStore(self.redis, self.options.store_now, self.archived_ladders),
            self.accounts,
            Fitness(self.redis),
            after_commit=self.referee.after_commit,
            bracket=lambda ladder, season: self.rounds.bracket(ladder, season),
            results=lambda ladder, season: self.rounds.results(ladder, season),
            report=lambda ladder, news: self.reporter.on_entries(ladder, news),
            over=lambda ladder: self.published.publish(ladder.id, ladder.season),
        )

    @cached_property
    def archived_ladders(self) -> ArchivedLadders | None:
        """The archived rounds."""
        return None if self.archive_index is None else ArchivedLadders(self.redis, self.archive_index)

    @cached_property
    def seasons(self) -> Seasons:
        return Seasons(
            self.ladders,
            report=lambda ladder, season: self.published.publish(ladder, season),
            ended_by_schedule=lambda ladder, season: self.organisers.note_end_of_season(ladder, season),
        )

    @cached_property
    def published(self) -> PublishedResults:
        """The results with which seasons ended, and their corrections."""
        return PublishedResults(
            self.ladders,
            self.seasons,
            report=lambda ladder, season, version: self.reporter.on_result(ladder, season, version),
        )

    @cached_property
    def due_instants(self) -> DueInstants:
        """What is due later than it can be."""
        return DueInstants(self.ladders.store)

    @cached_property
    def rounds(self) -> Rounds:
        return Rounds(
            self.ladders,
            self.referee,
            self.groups,
            self.jobs,
            running=self.index.running,
            service=self.service,
            ratings=self.ratings.ratings,
            online=self.online,
            leaving=self.presence.leaving,
            report=self._on_round_started,
            report_failed=lambda ladder, round_: self.reporter.on_round_failed(ladder, round_),
            run_in_thread=self.options.run_in_thread,
        )

    def _on_round_started(self, ladder: Ladder, round_: Round) -> None:
        after_commit = self.referee.after_commit
        after_commit.run(AfterCommitStep.ROUND, lambda: self.standings.on_round_started(ladder, round_), None)
        self.reporter.on_round_started(ladder, round_)

    # 4. Finding a game

    @cached_property
    def queue_store(self) -> RedisQueueStore:
        return RedisQueueStore(self.redis, self.options.store_now)

    @cached_property
    def batches(self) -> MatchBatches:
        """Casual matches that are created all or none."""
        return MatchBatches(self.queue_store, self.referee, self.eligibility)

    @cached_property
    def match_queue(self) -> MatchQueue:
        """Bots that look for a game."""
        return MatchQueue(
            self.queue_store,
            self.accounts,
            self.eligibility,
            self.batches,
            online=self.online,
            ratings=self.ratings.ratings,
            admits=lambda: admits(self.service),
            recorded=self.referee.recorded,
            monotonic=self.options.monotonic,
        )

    # 5. Results

    @cached_property
    def ratings(self) -> RatingBook:
        return RatingBook(self.rating_store, self.jobs.wake_ratings, report=self.reporter.on_rated)

    @cached_property
    def models(self) -> ModelBoard:
        """Leaderboards by language model."""
        return ModelBoard(self.accounts, self.statistics, self.ratings, self.recent)

    @cached_property
    def rating_store(self) -> RedisRatingStore:
        return RedisRatingStore(self.redis, self.archive_index)

    @cached_property
    def standings(self) -> LadderStandings:
        return LadderStandings(self.redis, self.ladders, self.ratings)

    @cached_property
    def reviews(self) -> Reviews:
        """Mistake reviews of finished matches."""
        store = RedisReviewStore(self.redis, self.options.store_now)
        return Reviews(store, self.referee, self.options.evaluate, self.jobs.wake_review)

    @cached_property
    def studies(self) -> Studies:
        """Exact values of positions of finished matches."""
        return Studies(self.redis, self.referee, self.jobs.wake_study)

    @cached_property
    def together(self) -> SharedReplays:
        """Replays that people look at together."""
        return SharedReplays(self.redis)

    @cached_property
    def following(self) -> Following:
        """The bots that owners follow on the site."""
        return Following(self.redis, self.options.now)

    @cached_property
    def hints(self) -> Hints:
        """Hints for people who play against bots."""
        return Hints(self.redis, self.referee, self.jobs.wake_hint)

    @cached_property
    def rate_counters(self) -> RedisRateCounters:
        """Count requests for the rate limits."""
        return RedisRateCounters(self.redis)

    # 6. Notifications

    @cached_property
    def webhooks(self) -> Webhooks:
        store = RedisWebhookStore(self.redis, self.options.store_now)
        return Webhooks(store, WebhookSigner(lambda: self.secret), self.jobs.wake_webhooks)

    @cached_property
    def reporter(self) -> EventReporter:
        """Reports events to webhooks and to the streams of accounts."""
        return EventReporter(self.webhooks, self.event_logs, self.ladders)

    @cached_property
    def event_logs(self) -> RedisEventLogStore:
        return RedisEventLogStore(self.redis, self.options.now)

    @cached_property
    def account_streams(self) -> AccountStreams:
        """Streams of bots and owners."""
        return AccountStreams(
            self.event_logs,
            self.turns,
            self.hub,
            self.presence,
            now=self.options.now,
            monotonic=self.options.monotonic,
        )

    def hold_groups(self, groups: Mapping[str, Collection[str]]) -> Collection[str]:
        return self.ladders.hold(groups)

    def release_results(self, ladder_id: str) -> None:
        """Feed the matches of the groups whose results a freeze of the ladder withheld. Safe to repeat."""
        held = self.ladders.store.held_groups(ladder_id)
        for first in range(0, len(held), _RELEASED_AT_ONCE):
            groups = held[first : first + _RELEASED_AT_ONCE]
            matches = [
                match for group in self.groups.known(groups).values() for match in self.groups.matches(group)
            ]
            found = self.referee.look_at(matches)
            self.feed([loaded for loaded in found if loaded is not None and loaded.finished])
            self.ladders.store.release_groups(ladder_id, groups)

    def subscribers(self) -> Subscribers:
        return Subscribers(
            readers=[
                self.statistics.on_readable,
                self.ladders.fitness.on_readable,
                self.rounds.on_readable,
                self.ratings.on_readable,
                self.published.on_readable,
                self.reporter.on_readable,
                self.chain_records,
            ],
            ended=[self.rounds.on_ended, self.reporter.on_ended],
            fed=[self.reporter.on_fed],
        )

    def renewals(self) -> Renewals:
        self.accounts.learn_names(at_once=True)
        results = dict.fromkeys((b"=r", b"~r"), renewed_result)
        return {**super().renewals(), **results, b"=o": renewed_archived_round}

    def leave_redis(self, until: int, has_time: Callable[[], bool], *, partial: bool) -> None:
        while has_time() and self.rating_store.archive(until, partial=partial):
            pass
        if self.archived_ladders is not None:
            # A due instant must not open its round again, so it stays for a day.
            store, until = self.ladders.store, min(until, self.ladders.store.now() - DAY_MS)
            self.archived_ladders.archive(store.listed, until, has_time, partial=partial)

    # 7. Operators

    @cached_property
    def consistency(self) -> Consistency:
        """Checks and repairs the stored data."""
        readers = [self.rounds.on_readable, self.ratings.on_readable, self.chain_records]
        services = ConsistencyServices(
            store=self.store,
            referee=self.referee,
            index=self.index,
            groups=self.groups,
            chain=self.chain,
            ladders=self.ladders,
            tables=self.rounds.tables,
            ratings=self.ratings,
            archiver=self.archiver,
            now=self.options.now,
            feed=Feed(self.referee, self.index, self.groups, readers, [self.rounds.on_ended]),
        )
        return Consistency(services, RedisEvidence(self.redis))

    @cached_property
    def audit(self) -> Audit:
        """The audit log of operators and organisers."""
        return Audit(self.redis, self.referee.after_commit)

    @cached_property
    def organisers(self) -> Organisers:
        """What organisers do to their ladders, with an audit log for each."""
        return Organisers(self.audit, self.ladders, self.seasons, self.published, self.release_results)

    def _renew_matches(self, bots: Collection[str]) -> None:
        renew_names(self.redis, bots)
        if self.archive_index is not None:
            self.archive_index.renew()

    @cached_property
    def administration(self) -> Administration:
        """What operators may do, with its audit log."""
        return Administration(
            self.audit,
            self.accounts,
            self.ladders,
            self.rounds,
            self.referee,
            self.service,
            self.published,
            Forgetting(
                *(self.accounts, self.ladders, self.published, self.rating_store, self.webhooks),
                *(self.event_logs, self.audit, self.facts, self.following, self._renew_matches),
            ),
        )

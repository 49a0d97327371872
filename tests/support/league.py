"""A league without processes: real Redis, a manual clock, house bots that play random moves."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from random import Random
from typing import Any

from engine.game import Game
from league.accounts.model import Bot, Owner
from league.container.league import LeagueContainer
from league.container.options import ContainerOptions, Jobs, WaitingMatches
from league.errors import LeagueError
from league.ladders.model import Ladder
from league.ladders.schedule import Schedule
from league.ladders.settings import SETTINGS, LadderSettings
from records.errors import RefereeError
from records.ids import buckets
from records.match.loaded_match import LoadedMatch
from records.match.players import HousePlayer, ThinkingPlayer
from redisio.connection import Redis
from referee.storage.redis import clock_key
from referee.timings import DEFAULT_TIMINGS
from workers.deadline_loop import DeadlineLoop, FeedRelay, HouseRelay


class WallClock:
    """A clock that tests set, in ms since 1970."""

    def __init__(self, ms: int = 1_763_683_200_000) -> None:
        self.ms = ms

    def __call__(self) -> int:
        return self.ms


class ServiceTime:
    """Service time, constant in every bucket until the test changes it."""

    def __init__(self, redis: Redis, ms: int = 1_763_683_200_000) -> None:
        self._redis = redis
        self.set(ms)

    def set(self, ms: int) -> None:
        self.ms = ms
        self._redis.run([("HSET", clock_key(bucket), "manual", ms) for bucket in buckets()])

    def go(self, ms: int) -> None:
        self.set(self.ms + ms)


class AtRandom:
    """A house bot that plays random legal and free moves."""

    version = "1"

    def __init__(self, name: str) -> None:
        self.name = name

    def pick(self, moves: int, rng: Random) -> int | None:
        return None

    def choose(
        self, game: Game, observation: Mapping[str, Any], legal_moves: Sequence[str], rng: Random
    ) -> str:
        return rng.choice([*legal_moves, *observation["free_moves"]])


class RecordedJobs:
    """A job queue that keeps its jobs in lists."""

    def __init__(self) -> None:
        self.rounds: list[tuple[str, int, int]] = []
        self.starts: list[tuple[str, int]] = []
        self.unrated: list[str] = []
        self.helpers: list[tuple[str, int, int]] = []
        self.pool = 1
        self.hints: list[tuple[str, int]] = []
        self.waiting: dict[str, int] = {}
        self.ahead: dict[str, int] = {}

    def waiting_matches(self, owner: str) -> int:
        return self.waiting.get(owner, 0)

    def waiting_by_owner(self) -> list[WaitingMatches]:
        return [
            WaitingMatches(owner, is_of_ladders=False, matches=count) for owner, count in self.waiting.items()
        ]

    def turns_ahead(self, match: str) -> int | None:
        return self.ahead.get(match)

    def wake_round(self, ladder: str, number: int, epoch: int) -> None:
        self.rounds.append((ladder, number, epoch))

    def start_due(self, ladder: str, due: int) -> None:
        self.starts.append((ladder, due))

    def wake_ratings(self, preset: str) -> None:
        self.unrated.append(preset)

    def workers(self) -> int:
        return self.pool

    def help_round(self, ladder: str, number: int, helpers: int) -> None:
        self.helpers.append((ladder, number, helpers))

    def wake_hint(self, match: str, turn: int) -> None:
        self.hints.append((match, turn))

    def ignore(self, *_: object) -> None:
        """Tests do this work by themselves."""

    wake_regret = wake_study = wake_review = wake_archive = wake_dump = wake_webhooks = ignore


class LeagueWorld(LeagueContainer):
    """The league of the composition root, with the jobs in plain lists."""

    def __init__(
        self,
        redis: Redis,
        clock: WallClock | None,
        house: Sequence[str] = ("a1", "a2", "a3", "a4"),
        *,
        start_ms: int | None = None,
        jobs: Jobs | None = None,
    ):
        """Without a `clock`, schedules follow Redis's own. `jobs` replaces the plain lists."""
        self.clock = clock or WallClock()
        self.recorded = RecordedJobs()
        timings = DEFAULT_TIMINGS._replace(settle_ms=0)
        self.players: dict[str, HousePlayer] = {name: AtRandom(name) for name in house}
        self.thinkers: dict[str, ThinkingPlayer] = {}
        super().__init__(
            ContainerOptions(
                connect=lambda: redis,
                secret="p" * 32,
                jobs=lambda: jobs or self.recorded,
                players=self.players,
                thinkers=self.thinkers,
                asks_thinkers=True,
                timings=timings if start_ms is None else timings._replace(start_ms=start_ms),
                rng=Random(7),
                now=self.clock,
                store_now=clock,
            )
        )
        self.house_jobs: list[tuple[str, int]] = []
        self.offline: set[str] = set()

    def another_process(self) -> LeagueWorld:
        """Return another process of this league. It shares the lists of jobs."""
        other = LeagueWorld(self.redis, None, list(self.options.players))
        other.options = replace(self.options, rng=Random(8))
        other.clock, other.recorded, other.offline = self.clock, self.recorded, self.offline
        return other

    @property
    def woken(self) -> list[tuple[str, int, int]]:
        """The rounds to work on: ladder, number, epoch."""
        return self.recorded.rounds

    @property
    def started(self) -> list[tuple[str, int]]:
        """The rounds to start: ladder, due instant."""
        return self.recorded.starts

    def online(self, bots: Sequence[str]) -> set[str]:
        return set(bots) - self.offline

    def start(self) -> int:
        """Start the rounds that are due, as the job does. Return how many jobs for rounds that enqueued."""
        due, before = list(dict.fromkeys(self.started)), len(self.woken)
        self.started.clear()
        for ladder, instant in due:
            with suppress(LeagueError, RefereeError):
                self.rounds.start_due(ladder, instant)
        return len(self.woken) - before

    def loop(self) -> DeadlineLoop:
        """Return a deadline loop that puts house jobs into `house_jobs`."""
        house = HouseRelay(
            self.referee.store, lambda turn, version: self.house_jobs.append((turn.match, version))
        )
        return DeadlineLoop(
            self.referee, {"index": FeedRelay(self.referee, self.feed), "house": house}, self.rounds.tick
        )

    def ladder(self, *bots: str, **more: Any) -> Ladder:
        """Create a ladder and enter these house bots. `more` are fields of `LadderSettings` and arguments of
        `Ladders.create`; cron expressions are `cron` and `season_cron`."""
        more = {"name": "Test", "game": "durak", "seats": 2, "deals": 1, "decks": "independent", **more}
        for short, name in (("format_", "format"), ("cron", "schedule"), ("season_cron", "season_schedule")):
            if short in more:
                value, is_cron = more.pop(short), short != "format_"
                more[name] = (
                    Schedule(value, more.pop("timezone", "UTC"))
                    if is_cron and isinstance(value, str)
                    else value
                )
        settings = LadderSettings(**{name: more.pop(name) for name in SETTINGS if name in more})
        ladder = self.ladders.create(more.pop("owner", "owner"), settings, **more)
        for bot in bots:
            self.ladders.enter(ladder.id, self.accounts.bot("house", bot))
        return ladder

    def bot(self, owner: str, name: str) -> tuple[Owner, Bot]:
        """Create a remote bot, and its owner if necessary."""
        found: Owner
        try:
            found = self.accounts.owner_by_name(owner)
        except Exception:
            found, _ = self.accounts.create_owner(owner)
        return found, self.accounts.create_bot(found.id, name)[0]

    def finish(self, ladder: str, number: int, budget_s: float = 60.0) -> None:
        """Work on the round until nothing is left to do now."""
        while self.rounds.work(ladder, number, budget_s):
            pass

    def run(self, passes: int = 50) -> None:
        """Run passes of the deadline loop and the jobs they enqueue, as the processes would."""
        loop = self.loop()
        for _ in range(passes):
            loop.tick()
            jobs, woken = self.house_jobs[:], list(dict.fromkeys(self.woken))
            self.house_jobs.clear()
            self.woken.clear()
            for match, _version in jobs:
                self.referee.go_on(match, 0.2)
            for ladder, number, _epoch in woken:
                while self.rounds.work(ladder, number, 0.2):
                    pass
            if not jobs and not woken and not loop.tick().relayed:
                return

    def matches(self) -> Iterator[LoadedMatch]:
        """Yield all matches."""
        for pattern in ("match", "finished"):
            keys = self.redis.one("KEYS", f"kozyr:*:{pattern}:*")
            for loaded in self.referee.look_at(sorted(key.decode().rpartition(":")[2] for key in keys)):
                assert loaded is not None
                yield loaded

"""A league with everything but the processes: real Redis, a clock that tests set, house bots that play at random."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from random import Random
from typing import Any

from bots.search import playout
from engine.game import Game
from league.accounts.redis import RedisAccountStore
from league.accounts.service import Accounts, Bot, Owner
from league.errors import LeagueError
from league.fitness.health import Fitness
from league.fitness.redis_health import RedisHealthStore
from league.ladders.adjusted_points import AdjustedPoints
from league.ladders.model import Ladder
from league.ladders.redis import RedisLadderStore
from league.ladders.redis_luck import RedisLuckStore
from league.ladders.seasons import Seasons
from league.ladders.service import Ladders
from league.results.luck import Baseline, Playout
from league.rounds import Rounds
from redisio.connection import Redis
from referee.errors import RefereeError
from referee.feed import Feed
from referee.groups.redis import RedisGroupStore
from referee.groups.service import Groups
from referee.match.loaded_match import LoadedMatch
from referee.match.players import HousePlayer, ThinkingPlayer
from referee.referee import Referee
from referee.service.redis import RedisService
from referee.storage.redis import RedisMatchStore
from referee.storage.redis_index import RedisMatchIndex
from referee.storage.store import OutboxKind
from workers.clock import DeadlineLoop, HouseRelay, OutboxEntry


class WallClock:
    """A clock that stands still until told otherwise; ms since 1970."""

    def __init__(self, ms: int = 1_763_683_200_000) -> None:
        self.ms = ms

    def __call__(self) -> int:
        return self.ms


class AtRandom:
    """A house bot that plays anything."""

    version = "1"

    def __init__(self, name: str) -> None:
        self.name = name

    def choose(
        self, game: Game, observation: Mapping[str, Any], legal_moves: Sequence[str], rng: Random
    ) -> str:
        return rng.choice([*legal_moves, *observation["free_moves"]])


class LeagueWorld:
    """The services, put together as the composition root does, with the jobs in plain lists."""

    def __init__(
        self,
        redis: Redis,
        clock: WallClock | None,
        house: Sequence[str] = ("a1", "a2", "a3", "a4"),
        start_ms: int = 60_000,
    ):
        """With no clock all goes by Redis's own."""
        self.redis, self.clock = redis, clock or WallClock()
        self.woken: list[tuple[str, int, int]] = []
        self.started: list[tuple[str, int]] = []
        self.house_jobs: list[tuple[str, int]] = []
        self.accounts = Accounts(
            RedisAccountStore(redis), "p" * 32, dict.fromkeys(house, "1"), now=self.clock
        )
        self.ladders = Ladders(
            RedisLadderStore(redis, clock), self.accounts, Fitness(RedisHealthStore(redis), start_ms)
        )
        self.players: dict[str, HousePlayer] = {name: AtRandom(name) for name in house}
        self.thinkers: dict[str, ThinkingPlayer] = {}
        store = RedisMatchStore(redis)
        groups = RedisGroupStore(redis)
        self.referee = Referee(
            store,
            self.players,
            rng=Random(7),
            thinkers=self.thinkers,
            groups=groups,
            changed=self._changed,
        )
        self.groups = Groups(groups, self.referee, self.clock)
        self.matches_index = RedisMatchIndex(redis, self.referee.store)
        self.service = RedisService(redis, store)
        self.offline: set[str] = set()
        self.rounds = self.more_rounds()
        self.seasons = Seasons(self.ladders, self.rounds.bracket)
        self.unlucky: list[str] = []
        self.adjusting = self.more_adjusting()
        self.feed = Feed(
            self.referee,
            self.matches_index,
            self.groups,
            readers=[self.ladders.fitness.on_readable, self.rounds.on_readable],
            ended=[self.rounds.on_ended],
        )

    def more_rounds(self) -> Rounds:
        """What another process would have."""
        return Rounds(
            self.ladders,
            self.referee,
            self.groups,
            self._wake,
            self._start,
            service=self.service,
            places=self,
            online=self.online,
        )

    def online(self, bots: Sequence[str]) -> set[str]:
        """Everybody but those who are said not to be."""
        return set(bots) - self.offline

    def before_start(self, ladder: str) -> int | None:
        """See `Places`: starts come before everything else here."""
        waiting = [each for each, _ in self.started]
        return waiting.index(ladder) if ladder in waiting else None

    def before_round(self, ladder: str, number: int) -> int | None:
        """See `Places`."""
        waiting = [(each, of) for each, of, _ in self.woken]
        return len(self.started) + waiting.index((ladder, number)) if (ladder, number) in waiting else None

    def start(self) -> int:
        """The starts that are due, as the job makes them. Returns how many rounds came of them."""
        due, before = list(dict.fromkeys(self.started)), len(self.woken)
        self.started.clear()
        for ladder, instant in due:
            with suppress(LeagueError, RefereeError):
                self.rounds.start(ladder, instant)
        return len(self.woken) - before

    def more_adjusting(self, playing: Playout = playout) -> AdjustedPoints:
        """The same; from a few playouts of a few decks."""
        return AdjustedPoints(
            RedisLuckStore(self.redis),
            self.ladders.store,
            self.referee,
            self.groups,
            Baseline(playing, 2, decks=50),
            "1",
            self.unlucky.append,
        )

    def _changed(self, changed: Sequence[tuple[LoadedMatch, tuple[OutboxKind, ...]]]) -> None:
        self.feed([live for live, kinds in changed if OutboxKind.INDEX in kinds])

    def _wake(self, ladder: str, number: int, epoch: int) -> None:
        self.woken.append((ladder, number, epoch))

    def _start(self, ladder: str, due: int) -> None:
        self.started.append((ladder, due))

    def loop(self) -> DeadlineLoop:
        """A deadline loop, whose jobs go into the lists."""
        house = HouseRelay(
            self.referee.store, lambda match, version: self.house_jobs.append((match, version))
        )
        return DeadlineLoop(
            self.referee, {"index": self.index, "house": house}, self.rounds.tick, settle_ms=0
        )

    def index(self, entries: Sequence[OutboxEntry]) -> None:
        matches = [entry.match for entry in entries]
        self.feed([live for live in self.referee.look_at(matches) if live is not None])

    def ladder(self, *bots: str, **more: Any) -> Ladder:
        """A ladder of these house bots."""
        more = {"game": "durak", "seats": 2, "deals": 1, "decks": "independent", **more}
        ladder = self.ladders.create("owner", "Test", **more)
        for bot in bots:
            self.ladders.enter(ladder.id, self.accounts.bot("house", bot))
        return ladder

    def bot(self, owner: str, name: str) -> tuple[Owner, Bot]:
        """A bot of somebody's own."""
        found: Owner
        try:
            found = self.accounts.owner_by_name(owner)
        except Exception:
            found, _ = self.accounts.create_owner(owner)
        return found, self.accounts.create_bot(found.id, name)[0]

    def finish(self, ladder: str, number: int, budget_s: float = 60.0) -> None:
        """Work on the round until there is nothing more to do at once."""
        while self.rounds.work(ladder, number, budget_s):
            pass

    def run(self, passes: int = 50) -> None:
        """Passes of the deadline loop with the jobs that they bring, as the processes would make them."""
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
        """All matches there are."""
        for pattern in ("match", "finished"):
            keys = self.redis.one("KEYS", f"kozyr:*:{pattern}:*")
            for live in self.referee.look_at(sorted(key.decode().rpartition(":")[2] for key in keys)):
                assert live is not None
                yield live

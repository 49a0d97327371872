"""A seeded run: many matches of all games between bots of all kinds, through a network that cuts, delays, doubles and
reorders, while processes behind the API are killed, frozen and ended in the middle of moves. The faults of a run follow
from its seed; what meets what does not, for that is the machine's.
"""

from __future__ import annotations

import random
import time
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Final

from bots.client import Client
from tests.live.law import Evidence, Verdict, judge
from tests.live.league import League
from tests.live.soak_bots import AsyncClientBot, BatchBot, ClientBot, SingleMoveBot, SoakBot
from tests.live.trouble import Trouble
from tests.support.fault_proxy import FaultProxy
from tests.support.live import LiveService
from tests.support.waiting import eventually

KINDS: Final[Mapping[str, type[SoakBot]]] = {
    "sync": ClientBot,
    "async": AsyncClientBot,
    "single": SingleMoveBot,
    "batch": BatchBot,
}
CLOCKS: Final = (
    {"move_ms": 60_000, "bank_ms": 0, "grace_ms": 250, "strikes": 3},
    {"move_ms": 3_000, "bank_ms": 3_000, "increment_ms": 50, "grace_ms": 250, "strikes": 5},
    {"move_ms": 500, "bank_ms": 1_000, "increment_ms": 20, "grace_ms": 100, "strikes": 20},
)
"""Of the matches. By the last some decisions come too late, most of them for what the proxy does."""
SETTINGS: Final = {
    "KOZYR_APPENDFSYNC": "always",
    "KOZYR_TICK_MS": "20",
    "KOZYR_API_WORKERS": "2",
    "KOZYR_LOG_LEVEL": "warning",
}
DECKS: Final = {"durak": 12, "kryt": 4, "svoi_kozyri": 4, "king": 1}
"""How often each game is played."""


class Soak:
    """A run: its service, its network, its bots, and what is found."""

    def __init__(
        self, service: LiveService, proxy: FaultProxy, seed: int, kinds: Collection[str] | None = None
    ) -> None:
        """`kinds` are those of `Trouble`."""
        self.service, self.proxy = service, proxy
        self.seed, self.rng = seed, random.Random(seed)
        self.league = League(service)
        self.owner = Client(service.url, self.league.token)
        self.trouble = Trouble(service, self.rng, kinds)
        self.bots: list[SoakBot] = []
        for name, kind in KINDS.items():
            bot = self.league.bot(name)
            proxy.name(bot.token, bot.name)
            self.bots.append(kind(proxy.url, bot, str(seed)))
        self.created: dict[str, float] = {}
        self.verdicts: list[Verdict] = []

    @contextmanager
    def playing(self) -> Iterator[None]:
        """The bots play while the block lasts."""
        for bot in self.bots:
            bot.start()
        try:
            yield
        finally:
            for bot in self.bots:
                bot.stop()
        for bot in self.bots:
            bot.join(30)

    def round(self, matches: int, strikes: int) -> None:
        """So many matches at once, and trouble struck so many times; then all are over, and as they should be."""
        seated = self.seat(matches)
        for _ in range(strikes):
            already = len(self.proxy.journal) + self.rng.randrange(20, 150)
            eventually(lambda: len(self.proxy.journal) >= already or self.over(seated), 60, "they play")  # noqa: B023
            if self.over(seated):
                break
            self.trouble.strike()
        eventually(lambda: self.over(seated), 300, "every match is told to be over to all who played it")
        evidence = Evidence(self.proxy.journal)
        for match in seated:
            record = self.owner.record(match)
            self.verdicts.append(judge(record, evidence, self.created[match], self.trouble.outages))

    def seat(self, matches: int) -> dict[str, list[SoakBot]]:
        """So many new matches, each with the bots that play in it."""
        return dict(self._match() for _ in range(matches))

    def over(self, seated: Mapping[str, list[SoakBot]]) -> bool:
        """Whether each of these matches was told to be over to all who play it. Raises what went wrong in a bot."""
        for bot in self.bots:
            bot.check()
        return all(bot.finished[match] for match, bots in seated.items() for bot in bots)

    def report(self) -> str:
        """What happened."""
        network, behind = Counter(self.proxy.counts), self.trouble.counts
        lines = [
            f"KOZYR_SOAK_SEED={self.seed}",
            f"{len(self.verdicts)} matches, {sum(each.moves for each in self.verdicts)} moves of bots, "
            f"{sum(each.exchanges for each in self.verdicts)} of them exchanges, "
            f"{sum(each.acknowledged for each in self.verdicts)} acknowledgements, "
            f"{sum(each.timeouts for each in self.verdicts)} timeouts, "
            f"{max(each.longest_ms for each in self.verdicts)} ms at most",
            f"{network.total()} faults on the way: "
            + ", ".join(f"{n} {kind}" for kind, n in sorted(network.items())),
            f"{behind.total()} behind the API: "
            + ", ".join(f"{n} {kind}" for kind, n in sorted(behind.items())),
        ]
        return "\n".join(lines)

    def _match(self) -> tuple[str, list[SoakBot]]:
        game = self.rng.choices(list(DECKS), list(DECKS.values()))[0]
        seats = 4 if game == "king" else self.rng.choice((2, 2, 3, 4))
        remote = self.rng.sample(self.bots, self.rng.randint(1, min(seats, len(self.bots))))
        names: list[str | None] = [bot.bot.name for bot in remote]
        names += [self.rng.choice(("house/random", "house/greedy")) for _ in range(seats - len(remote))]
        self.rng.shuffle(names)
        more: dict[str, Any] = {}
        if game != "king":
            more = {"options": {"turn_limit": 80}, "deals": self.rng.choice((1, 1, 1, 2))}
        clock = self.rng.choice(CLOCKS)
        began = time.monotonic()
        made = self.owner.create_match(game, names, clock=clock, **more)
        self.created[made["id"]] = began
        return made["id"], remote


def soak(
    service: LiveService,
    seed: int,
    *,
    rounds: int,
    matches: int,
    strikes: int,
    rate: float,
    kinds: Collection[str] | None = None,
) -> Soak:
    """A whole run, which kept every promise of `tests.live.law`."""
    print(f"KOZYR_SOAK_SEED={seed}")  # shown with a failure
    with FaultProxy(service.port, seed=seed, rate=rate) as proxy:
        run = Soak(service, proxy, seed, kinds)
        with run.playing():
            for _ in range(rounds):
                run.round(matches, strikes)
    for bot in run.bots:
        if isinstance(bot, ClientBot):
            assert set(bot.finished.values()) <= {1}, "our client tells of the end of a match once"
    return run

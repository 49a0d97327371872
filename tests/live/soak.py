"""A seeded soak run: matches of all games, duplicate groups and ladder rounds between bots of all kinds.

The network cuts, delays, doubles and reorders requests. Meanwhile processes behind the API are killed, frozen and ended
in the middle of moves. The faults of a run follow from its seed. Which moves they hit depends on the machine.
"""

from __future__ import annotations

import random
import secrets
import time
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Final

from kozyr_client import Client
from tests.live.law import Evidence, LawVerdict, judge
from tests.live.league import LiveLeague
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
"""The clocks of matches. The last one makes some moves late, mostly because of faults in the proxy."""
SETTINGS: Final = {
    "KOZYR_TICK_MS": "20",
    "KOZYR_API_WORKERS": "2",
    "KOZYR_LOG_LEVEL": "warning",
}
DECKS: Final = {"durak": 12, "kryt": 4, "svoi_kozyri": 4, "king": 1}
"""The weight of each game in the random choice."""


class Soak:
    """A run, with its service, its network, its bots and the verdicts on its matches."""

    def __init__(
        self,
        service: LiveService,
        proxy: FaultProxy,
        seed: int,
        kinds: Collection[str] | None = None,
        *,
        dirty_reads: bool = False,
    ) -> None:
        """Set up the bots. `kinds` restricts the faults behind the API (see `Trouble`). With `dirty_reads`, bots may
        see positions that are lost."""
        self.service, self.proxy = service, proxy
        self.seed, self.rng = seed, random.Random(seed)
        self.league = LiveLeague(service)
        self.owner = Client(service.url, self.league.token)
        self.trouble = Trouble(service, self.rng, kinds)
        self.bots: list[SoakBot] = []
        for name, kind in KINDS.items():
            bot = self.league.bot(name)
            proxy.name(bot.token, bot.name)
            self.bots.append(kind(proxy.url, bot, str(seed)))
            self.bots[-1].on_illegal = "first" if dirty_reads else "raise"
        self.created: dict[str, float] = {}
        self.verdicts: list[LawVerdict] = []

    @contextmanager
    def playing(self) -> Iterator[None]:
        """Let the bots play during the block."""
        for bot in self.bots:
            bot.start()
        try:
            yield
        finally:
            for bot in self.bots:
                bot.stop()
        for bot in self.bots:
            bot.join(60)

    def round(self, matches: int, strikes: int) -> None:
        """Play `matches` matches at once while `strikes` faults occur, and judge the finished matches.

        If all matches are over before the last fault, as many again begin, so that every fault has moves to hit.

        Every six matches add a duplicate group; twelve or more add a ladder round.
        """
        seated = self.seat(matches)
        groups = [self._group() for _ in range(matches // 6)]
        ladder = self._ladder_round() if matches >= 12 else None
        for _ in range(strikes):
            already = len(self.proxy.journal) + self.rng.randrange(20, 150)
            eventually(lambda: len(self.proxy.journal) >= already or self.over(seated), "bots play")  # noqa: B023
            if self.over(seated):
                seated.update(self.seat(matches))
            self.trouble.strike()
        eventually(lambda: self.over(seated), "every bot hears that its matches are over")
        for group in groups:
            seated.update(self._opened(group))
        if ladder is not None:
            seated.update(self._counted(*ladder))
        eventually(lambda: self.over(seated), "every bot hears that its group and ladder matches are over")
        evidence = Evidence(self.proxy.journal)
        for match in seated:
            record = self.owner.record(match)
            self.verdicts.append(judge(record, evidence, self.created[match], self.trouble.outages))

    def seat(self, matches: int) -> dict[str, list[SoakBot]]:
        """Create matches and return the remote bots of each."""
        return dict(self._match() for _ in range(matches))

    def over(self, seated: Mapping[str, list[SoakBot]]) -> bool:
        """Return whether every bot has heard that its matches are over. Raise the error of a bot that failed."""
        for bot in self.bots:
            bot.check()
        return all(bot.finished[match] for match, bots in seated.items() for bot in bots)

    def _group(self) -> str:
        """Create a duplicate group of Durak, rotated or once-only, and return its id."""
        first, second = self.rng.sample(self.bots, 2)
        body: dict[str, Any] = {"bots": [first.bot.name, second.bot.name], "options": {"turn_limit": 80}}
        if self.rng.random() < 0.5:
            body = {**body, "kind": "once_only", "seat": 0, "against": ["house/greedy"]}
        body = {"game": "durak", "kind": "rotated", "clock": self.rng.choice(CLOCKS), **body}
        began = time.monotonic()
        made: str = self._post("/v1/groups", body)["id"]
        self.created[made] = began
        return made

    def _opened(self, group: str) -> dict[str, list[SoakBot]]:
        """Wait for the end of a group and return the bots of each match.

        Assert that the result of the group follows from the records.
        """

        def look() -> dict[str, Any] | None:
            view: dict[str, Any] = self.owner.request("GET", f"/v1/groups/{group}")
            return None if view["status"] == "running" else view

        view = eventually(look, "every group is over")
        assert view["status"] == "over", f"{group} is {view['status']}, although all of its bots play"
        points: Counter[str] = Counter()
        seated: dict[str, list[SoakBot]] = {}
        for match in view["matches"]:
            record = self.owner.record(match)
            assert record["group"] == group
            names = [sitting["bot"] for sitting in record["seats"]]
            points.update(dict(zip(names, record["scores"], strict=True)))
            seated[match] = [bot for bot in self.bots if bot.bot.name in names]
            self.created[match] = self.created[group]
        assert len(seated) == 2, "each table is played once"
        for line in view["result"]["bots"]:
            assert line["points"] == points[line["bot"]], "the result follows from the records"
        return seated

    def _ladder_round(self) -> tuple[str, int]:
        """Create a ladder of two bots and two house bots, and start a round. Return the id and the round number."""
        body = {
            "name": "Soak",
            "game": "durak",
            "seats": 2,
            "options": {"turn_limit": 80},
            "clock": CLOCKS[0],
        }
        began = time.monotonic()
        ladder = self._post("/v1/ladders", {**body, "rated": False, "decks": "rotated"})["id"]
        self.created[ladder] = began
        entered = [bot.bot.name for bot in self.rng.sample(self.bots, 2)]
        for name in (*entered, "house/greedy", "house/random"):
            self.owner.request("POST", f"/v1/ladders/{ladder}/entries", body={"bot": name})
        return ladder, self._post(f"/v1/ladders/{ladder}/rounds")["number"]

    def _counted(self, ladder: str, number: int) -> dict[str, list[SoakBot]]:
        """Wait for the end of a ladder round and return the bots of each match.

        Assert that all matches were played and that the standings count each of them once.
        """
        at = f"/v1/ladders/{ladder}"
        eventually(
            lambda: self.owner.request("GET", f"{at}/rounds/{number}")["state"] == "done",
            "the round ends",
        )
        done = self.owner.request("GET", f"{at}/rounds/{number}")
        records = list(self.owner.records(ladder=ladder))
        assert done["planned"] == done["finished"] == len(records) == 10, "five pairs, at two tables each"
        made: Counter[tuple[str, str]] = Counter()
        seated: dict[str, list[SoakBot]] = {}
        for record in records:
            names = [sitting["bot"] for sitting in record["seats"]]
            seated[record["id"]] = [bot for bot in self.bots if bot.bot.name in names]
            self.created[record["id"]] = self.created[ladder]
            for name, points in zip(names, record["scores"], strict=True):
                made.update({(name, "matches"): 1, (name, "points"): points})
        for line in self.owner.standings(ladder)["standings"]:
            for what in ("matches", "points"):
                assert line[what] == made[line["bot"], what], "the standings follow from the records"
        return seated

    def _post(self, path: str, body: Any = None) -> dict[str, Any]:
        """Send a POST request with an idempotency key and return the response."""
        made: dict[str, Any] = self.owner.request("POST", path, body=body, key=secrets.token_hex(8))
        return made

    def report(self) -> str:
        """Return a summary of the run."""
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
    """Run the soak test. Assert that every match obeys the rules of `tests.live.law`."""
    print(f"KOZYR_SOAK_SEED={seed}")  # pytest shows this with a failure
    with FaultProxy(service.port, seed=seed, rate=rate) as proxy:
        run = Soak(service, proxy, seed, kinds)
        with run.playing():
            for _ in range(rounds):
                run.round(matches, strikes)
    for bot in run.bots:
        if isinstance(bot, ClientBot):
            assert set(bot.finished.values()) <= {1}, "the client reports the end of a match once"
    return run

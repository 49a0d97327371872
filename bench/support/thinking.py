"""The lead of `search` with a second of thinking time per move, over `greedy` or over `search` with less time.

    python -m bench.support.thinking RESULTS --minutes 60 [GAME ...]   plays for an hour and appends to the file RESULTS
    python -m bench.support.thinking RESULTS                           prints the table of `docs/house-bots.md`

`--seconds 0.1` sets the time per move. With `--rival-seconds 0.06` the rival is `search` with that time: so two speeds
of the rules can be compared in points per deal.

A group is one deck with one dealer, played once for every side of the table: `search` plays that side, the rival all
others. The tables take turns, one group each, until the time is over. So the time determines the number of groups, not
their results. The interval is 95 % by Student's t over groups, which are few and independent.

The time is processor time of the thread, so other work on the machine takes nothing from the bot. The bot doesn't
think about a forced move; this changes no result. Each group is one line of the file and depends only on its number and
the speed of the machine. Several processes may append different games to one file.
"""

from __future__ import annotations

import argparse
import json
import math
import random
import statistics
import time
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any, NamedTuple

from bots.house import HOUSE_BOTS, HouseBot
from bots.search import SearchBot, Seconds
from bots.search.budget import Meter
from engine.game import Game
from engine.registry import GAMES
from league.results.group_statistics import CONFIDENCE, student
from tests.bots.search_strength import PlayedDeal, lead, options_text

TABLES: tuple[tuple[str, int, dict[str, Any]], ...] = (
    ("durak", 2, {}),
    ("kryt", 2, {}),
    ("svoi_kozyri", 2, {}),
    ("svoi_kozyri", 2, {"layout": "besikovich"}),
    ("king", 4, {}),
)


class CountedMoves(NamedTuple):
    """A meter that counts playouts."""

    meter: Meter
    playouts: list[int]

    def more(self) -> bool:
        going_on = self.meter.more()
        self.playouts[-1] += going_on
        return going_on

    def finish(self) -> None:
        self.meter.finish()


class CpuSeconds:
    """A budget in seconds of thread time. `playouts` has the number of playouts of each move."""

    def __init__(self, seconds: float) -> None:
        self._budget = Seconds(seconds, time.thread_time, lambda _: None)
        self.playouts: list[int] = []

    def start(self) -> Meter:
        self.playouts.append(0)
        return CountedMoves(self._budget.start(), self.playouts)


class Unforced(SearchBot):
    """`search` that does not think about a forced move."""

    def think(
        self,
        game: Game,
        observation: Mapping[str, Any],
        legal_moves: Sequence[str],
        history: Sequence[Mapping[str, Any]],
        rng: random.Random,
    ) -> str:
        if len(legal_moves) == 1 and not observation.get("free_moves"):
            return legal_moves[0]
        return super().think(game, observation, legal_moves, history, rng)


class Duel(NamedTuple):
    """The seconds per move of `search`, and of its rival: 0 is `greedy`."""

    seconds: float = 1.0
    rival_seconds: float = 0.0

    @property
    def rival(self) -> HouseBot | SearchBot:
        """The bot in the other seats."""
        return (
            Unforced("rival", CpuSeconds(self.rival_seconds)) if self.rival_seconds else HOUSE_BOTS["greedy"]
        )


def group(game: Game, table: str, number: int, duel: Duel) -> dict[str, Any]:
    """Play one deck from every seat. King cycles through its twelve deals, other games through two deal numbers."""
    rng = random.Random(f"{table} {number}")
    deck, dealer = rng.sample(game.pack, len(game.pack)), rng.randrange(game.seats)
    deal = partial(PlayedDeal, game, number % (game.fixed_deals or 2) + 1, dealer, deck)
    budget = CpuSeconds(duel.seconds)
    found = lead(deal, Unforced("search", budget), duel.rival, rng)
    thought = budget.playouts
    return {"table": table, "group": number, "lead": found, "moves": len(thought), "playouts": sum(thought)}


def play_on(results: Path, minutes: float, games: Sequence[str], duel: Duel) -> None:
    """Play groups that are not in the file, cycling through the tables, until the time is up."""
    done = {(line["table"], line["group"]) for line in read(results)}
    until = time.monotonic() + 60 * minutes
    for number in count():
        for name, seats, options in TABLES:
            table = f"{name} | {seats} | {options_text(options)}"
            if name not in games or (table, number) in done:
                continue
            if time.monotonic() >= until:
                return
            line = group(GAMES[name].table(seats, options), table, number, duel)
            with results.open("a") as file:
                file.write(json.dumps(line) + "\n")


def read(results: Path) -> list[dict[str, Any]]:
    """Return the groups in a file of results."""
    return [json.loads(line) for line in results.read_text().splitlines()] if results.exists() else []


def report(results: Path) -> Iterator[str]:
    """Return the table as Markdown."""
    yield "| game | players | options | playouts a move | decks | lead, 95 % |"
    yield "| --- | --- | --- | --- | --- | --- |"
    tables = defaultdict(list)
    for line in read(results):
        tables[line["table"]].append(line)
    for name, lines in tables.items():
        leads = [line["lead"] for line in lines]
        interval = math.inf
        if len(leads) > 1:
            quantile = student((1 + CONFIDENCE) / 2, len(leads) - 1)
            interval = quantile * statistics.stdev(leads) / math.sqrt(len(leads))
        playouts = sum(line["playouts"] for line in lines) / sum(line["moves"] for line in lines)
        yield f"| {name} | {playouts:.0f} | {len(leads)} | {statistics.fmean(leads):+.3f} ± {interval:.3f} |"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("results", type=Path)
    parser.add_argument("games", nargs="*", metavar="GAME", default=list(GAMES))
    parser.add_argument("--minutes", type=float, default=0.0)
    parser.add_argument("--seconds", type=float, default=1.0)
    parser.add_argument("--rival-seconds", type=float, default=0.0)
    given = parser.parse_intermixed_args()
    if given.minutes:
        play_on(given.results, given.minutes, given.games, Duel(given.seconds, given.rival_seconds))
    else:
        print("\n".join(report(given.results)))


if __name__ == "__main__":
    main()

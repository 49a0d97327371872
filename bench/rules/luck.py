"""How many deals separate two bots: independent deals, duplicates, adjusted points, and both (docs/luck.md).

    python -m bench luck

plays the matches that are missing in `var/luck` and keeps their records there, so a stopped run can continue. Seeds
and playouts are fixed, so every machine gets the same records. The table is computed from the records alone.

Each match or group is one observation of the lead, in points per deal. Suppose a method's observations have variance v
for the cost of one deal. It then needs about 1.96² v / lead² deals until half of all runs have a 95 % interval without
zero. For nine runs of ten it needs 2.7 times as many.
"""

from __future__ import annotations

import math
import statistics
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

from bots.search import playout
from engine.registry import GAMES
from kozyr.local.bots import bot
from kozyr.local.plan import LocalPlan
from kozyr.local.run import Tournament
from kozyr.records.file import RecordFile
from league.results.luck import Adjusted, Baseline
from league.results.points import Tally

FOLDER = Path("var/luck")
SEED = 7
JOBS = 2
REPLICATES = 1000


class BenchPairing(NamedTuple):
    """Two bots to compare and the number of deals. `greedy` fills the other seats."""

    game: str
    better: str
    other: str
    deals: int


PAIRINGS = (
    *(BenchPairing(game, "greedy", "random", 1000) for game in ("durak", "kryt", "svoi_kozyri")),
    BenchPairing("king", "greedy", "random", 2400),
    *(BenchPairing(game, "search:20", "greedy", 400) for game in ("durak", "kryt", "svoi_kozyri")),
    BenchPairing("king", "search:20", "greedy", 1920),
)


def report() -> list[str]:
    """Return the lines of the table, and print each as it is ready."""
    lines = [
        "| game | players | better | other | lead, 95 % | deals: independent | adjusted | duplicates | both |"
        " variance: adjusted | duplicates | both |",
        "| --- " * 12 + "|",
    ]
    baseline = Baseline(playout)
    for pairing in PAIRINGS:
        lines.append(_row(pairing, baseline))
        print(lines[-1], flush=True)
    return lines


def records(pairing: BenchPairing) -> list[dict[str, Any]]:
    """Return the records of a pairing. Play the missing matches."""
    playing = [bot(pairing.better), bot(pairing.other)]
    fill = bot("greedy")
    plan = LocalPlan.checked(
        game=pairing.game,
        options={},
        seats=GAMES[pairing.game].seat_counts[0],
        bots=tuple(one.seat for one in playing),
        deals=pairing.deals,
        seed=SEED,
        fill=fill.seat,
    )
    FOLDER.mkdir(parents=True, exist_ok=True)
    name = f"{pairing.game}-{pairing.better}-{pairing.other}.ndjson".replace(":", "")
    book = RecordFile(FOLDER / name, resume=True)
    try:
        Tournament(plan, book).play([*playing, fill], JOBS, FOLDER, lambda: None, lambda: False)
        return [dict(record) for record in book.records()]
    finally:
        book.close()


class Deck(NamedTuple):
    """The leads in one group: per match and in total, plain and adjusted."""

    apart: list[float]
    apart_adjusted: list[float]
    together: float
    together_adjusted: float


def _row(pairing: BenchPairing, baseline: Baseline) -> str:
    found = records(pairing)
    one, other = (bot(text).seat.id for text in (pairing.better, pairing.other))
    decks = _decks(found, one, other, baseline)
    price = found[0]["deals"]
    variances = _variances(decks, price)
    lead = statistics.fmean(deck.together for deck in decks)
    error = 1.96 * math.sqrt(_variance([deck.together for deck in decks]) / len(decks))
    needed = [1.96**2 * variance / lead**2 for variance in variances]
    rng = Random(1)
    again = [_variances(rng.choices(decks, k=len(decks)), price) for _ in range(REPLICATES)]
    again = [drawn for drawn in again if drawn[0]]  # equal winners carry no information on ratios
    ratios = []
    for way in range(1, len(variances)):
        spread = sorted(drawn[way] / drawn[0] for drawn in again)
        low, high = spread[int(0.025 * len(spread))], spread[int(0.975 * len(spread))]
        ratios.append(f"{variances[way] / variances[0]:.2f} ({low:.2f} to {high:.2f})")
    cells = [
        pairing.game,
        str(len(found[0]["seats"])),
        pairing.better,
        pairing.other,
        f"{lead:+.3f} ± {error:.3f}",
        *(f"{deals:.1f}" if deals < 10 else f"{deals:.0f}" for deals in needed),
        *ratios,
    ]
    return "| " + " | ".join(cells) + " |"


def _decks(found: Sequence[dict[str, Any]], one: str, other: str, baseline: Baseline) -> list[Deck]:
    """Return the leads by deck. A single match of a group serves as an independent deal."""
    tallies = []
    for records in ([{**record, "group": None} for record in found], found):
        plain, adjusted = Tally(), Adjusted(baseline)
        for record in records:
            plain.add(record)
            adjusted.add(record)
        tallies.append((plain, adjusted.tally()))
    matches: dict[str, list[str]] = defaultdict(list)
    for record in found:
        matches[record["group"]].append(record["id"])
    (apart, apart_adjusted), (together, together_adjusted) = tallies
    return [
        Deck(
            [apart.lead(match, one, other) for match in its],
            [apart_adjusted.lead(match, one, other) for match in its],
            together.lead(group, one, other),
            together_adjusted.lead(group, one, other),
        )
        for group, its in matches.items()
    ]


def _variances(decks: Sequence[Deck], price: int) -> list[float]:
    """Return the variance for the cost of one deal: independent, adjusted, duplicates, both. A match costs `price`
    deals, a group one match per table."""
    tables = len(decks[0].apart)
    return [
        price * _variance([lead for deck in decks for lead in deck.apart]),
        price * _variance([lead for deck in decks for lead in deck.apart_adjusted]),
        price * tables * _variance([deck.together for deck in decks]),
        price * tables * _variance([deck.together_adjusted for deck in decks]),
    ]


def _variance(values: Sequence[float]) -> float:
    mean = sum(values) / len(values)
    return sum([(value - mean) ** 2 for value in values]) / (len(values) - 1)

"""How well mistake reviews find blunders: detected planted blunders, and false alarms.

The judge is independent of the reviewer. It plays sampled deals to the end with `greedy` itself, which shares no code
with the playout policies of `search`; it has dice of its own and several times as many deals.

* A **planted blunder** replaces the move of `greedy` at a random decision of a match among house bots. It is drawn from
  the legal moves that the judge's screening finds `CLEAR` behind, and counts if fresh deals confirm this: the lower end
  of the judge's interval is above `CLEAR`. A review of a decision reads only what came before it, so replacing the
  move changes nothing else.
* An **alarm** is a mark on a move that `greedy` played. It is false unless fresh deals of the judge confirm that the
  move which the review prefers is better: the lower end of the judge's interval is above 0. Rates are stated per move
  reviewed, and per alarm.
"""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Iterator, Sequence
from itertools import count
from random import Random
from typing import Any, Final, NamedTuple

from bots.house.greedy import HEURISTICS, GreedyBot
from bots.review import Lead, evaluate, lead_of
from bots.search.determinization import Determinizer
from bots.search.policies import POLICIES
from bots.search.score import Score
from engine.game import CHANCE, NOBODY, Game
from engine.match import Match, deck_text
from engine.registry import GAMES
from league.reviews.decisions import decisions
from league.reviews.model import Decision, Effort

TABLES: Final[Sequence[tuple[str, int]]] = (
    ("king", 4), ("kryt", 3), ("svoi_kozyri", 2), ("durak", 2), ("durak", 4), ("kryt", 2), ("svoi_kozyri", 3),
)  # fmt: skip
CLEAR: Final = 0.25
"""How far behind a blunder is at least, as a share of the range of a seat's points in the deal."""
SCREENED: Final = 12
"""The deals of the judge's screening."""
MOST: Final = 6
"""How many random moves the screening looks at."""
LOOKS: Final = (64, 128, 256, 512)
"""After how many fresh deals the judge may stop; its intervals share the 5 % (Bonferroni)."""
EVERY: Final = 6
"""Every sixth decision is drawn on average, since neighbours resemble each other."""
TABLE_S: Final = 80.0
"""Processor time for each table."""


class Judge:
    """An evaluation of moves by playouts of `greedy`."""

    def __init__(self, decision: Decision, rng: Random) -> None:
        self.game, self.seat, self._rng = decision.game, decision.seat, rng
        read = POLICIES[self.game.id].read
        self._worlds = Determinizer(self.game, read, decision.observation, decision.history)
        self._score, self._greedy = Score(self.game), GreedyBot(HEURISTICS)
        low, high = self.game.deal_points(decision.deal)
        self.span = high - low

    def values(self, moves: Sequence[str], deals: int) -> list[list[float]]:
        """Return the values of each move, in the same deals."""
        found: list[list[float]] = [[] for _ in moves]
        for _ in range(deals):
            world = self._worlds.draw(self._rng)
            for values, text in zip(found, moves, strict=True):
                move = self.game.parse(world, self.seat, text)
                values.append(self._played_out(self.game.play(world, self.seat, move)))
        return found

    def lead(self, one: str, other: str, above: float) -> tuple[Lead, float]:
        """Return the lead of a move over another in fresh deals, and the lower end of its interval. Stop as soon as the
        interval lies on one side of `above`."""
        values: list[list[float]] = [[], []]
        for look in LOOKS:
            for known, more in zip(values, self.values([one, other], look - len(values[0])), strict=True):
                known += more
            lead = lead_of(values[0], values[1], self.span)
            low, high = lead.interval(1 - 0.05 / len(LOOKS))
            if low > above or high <= above:
                break
        return lead, low

    def _played_out(self, state: Any) -> float:
        game = self.game
        while (seat := state.to_move) != NOBODY:
            move = state.legal[0]
            if len(state.legal) > 1:
                texts = [game.text(state, each) for each in state.legal]
                seen = {**game.observe(state, seat), "legal_moves": texts}
                move = state.legal[texts.index(self._greedy.choose(game, seen, texts, self._rng))]
            state = game.play(state, seat, move)
        return self._score.value(state, self.seat)


class Share(NamedTuple):
    """A share of cases."""

    cases: int = 0
    hits: int = 0

    def plus(self, hit: bool) -> Share:
        """Return the share with one more case."""
        return Share(self.cases + 1, self.hits + hit)

    def text(self) -> str:
        """Return the share with its 95 % Wilson interval."""
        if not self.cases:
            return "–"
        z, n, share = 1.96, self.cases, self.hits / self.cases
        middle = (share + z * z / (2 * n)) / (1 + z * z / n)
        wide = z / (1 + z * z / n) * math.sqrt(share * (1 - share) / n + z * z / (4 * n * n))
        low, high = max(0.0, middle - wide), min(1.0, middle + wide)
        return f"{self.hits} of {n}: {share:.1%} ({low:.1%} to {high:.1%})"


class Counts(NamedTuple):
    """The figures of a table."""

    found: Share = Share()
    """Planted blunders, and those marked."""
    false: Share = Share()
    """Moves of `greedy`, and false alarms."""
    alarms: Share = Share()
    """Alarms, and the false ones."""


def report(seconds: float = TABLE_S) -> Iterator[str]:
    """Yield the lines of the table."""
    yield "| table | planted blunders found | false alarms per move | per alarm |"
    yield "| --- | --- | --- | --- |"
    for name, seats in TABLES:
        found, false, alarms = measured(name, seats, seconds)
        yield f"| {name}, {seats} seats | {found.text()} | {false.text()} | {alarms.text()} |"


def measured(name: str, seats: int, seconds: float) -> Counts:
    """Return the counts of a table, from drawn decisions of matches of `greedy` for about this processor time."""
    rng, counts = Random(f"{name} {seats}"), Counts()
    until = time.process_time() + seconds
    for decision in drawn(GAMES[name].table(seats, {}), rng):
        counts = _tried(decision, rng, counts)
        if time.process_time() >= until:
            break
    return counts


def drawn(game: Game, rng: Random) -> Iterator[Decision]:
    """Yield random decisions of matches of `greedy`, without end."""
    for number in count():
        for decision in decisions(played(game, rng, f"bench-{number}")):
            if rng.randrange(EVERY) == 0:
                yield decision


def played(game: Game, rng: Random, ident: str) -> dict[str, Any]:
    """Return what `decisions` reads of the record of a match of `greedy` in all seats."""
    match, bot = Match(game), GreedyBot(HEURISTICS)
    state, moves = match.begin(), list[dict[str, Any]]()
    while (seat := state.to_move) != NOBODY:
        if seat == CHANCE:
            deck = rng.sample(game.pack, len(game.pack))
            moves.append({"seat": None, "move": deck_text(deck)})
            state = match.deal(state, deck)
            continue
        seen = match.view(state, seat)
        text = bot.choose(game, seen, seen["legal_moves"], rng)
        moves.append({"seat": seat, "move": text, "ms": 0})
        state = match.play(state, seat, match.parse(state, seat, text))
    sitting = [{"bot": "house/greedy"}] * game.seats
    return {
        "id": ident,
        "game": game.id,
        "options": game.options,
        "deals": match.deals,
        "dealer": 0,
        "seats": sitting,
        "moves": moves,
    }


def _tried(decision: Decision, rng: Random, counts: Counts) -> Counts:
    judge, seed = Judge(decision, rng), str(rng.random())
    verdict = evaluate(decision, seed, Effort.STANDARD)
    assert verdict is not None
    alarm = verdict.mistake
    wrong = alarm and judge.lead(verdict.best, decision.played, 0.0)[1] <= 0
    counts = counts._replace(false=counts.false.plus(wrong))
    if alarm:
        counts = counts._replace(alarms=counts.alarms.plus(wrong))
    planted = _blunder(decision, judge, rng)
    if planted is not None:
        marked = evaluate(decision._replace(played=planted), seed, Effort.STANDARD)
        counts = counts._replace(found=counts.found.plus(marked is not None and marked.mistake))
    return counts


def _blunder(decision: Decision, judge: Judge, rng: Random) -> str | None:
    """Return a random move that is clearly worse than another, by the judge; `None` if it finds none."""
    moves = list(decision.observation["legal_moves"])
    moves = rng.sample(moves, min(len(moves), MOST))
    means = [sum(values) / SCREENED for values in judge.values(moves, SCREENED)]
    best, behind = max(means), CLEAR * judge.span
    worse = [move for move, mean in zip(moves, means, strict=True) if best - mean > behind]
    if not worse:
        return None
    planted = rng.choice(worse)
    _, low = judge.lead(moves[means.index(best)], planted, behind)
    return planted if low > behind else None


def main(seconds: float = TABLE_S) -> None:
    """Print the table, each line when it is measured."""
    for line in report(seconds):
        print(line, flush=True)


if __name__ == "__main__":
    main(*map(float, sys.argv[1:]))

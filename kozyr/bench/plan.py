"""What a bench plays: the endgame set, then the same decks against each anchor.

Everything follows from the plan, so an interrupted bench goes on where it stopped, with the same result.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from random import Random
from typing import Any, NamedTuple

from engine.game import Game
from engine.relabelling import ALL_RELABELLINGS, Suits
from kozyr.local.bots import LocalBot
from kozyr.local.plan import Fixture, LocalPlan
from records.endings.model import ExactEnding
from records.endings.sets import endings_of
from records.match.clock import ClockRule

FORMAT = 1
"""The version of the set: the decks of a seed, and what is written."""


class BenchMatch(NamedTuple):
    """A match against an anchor."""

    anchor: LocalBot
    plan: LocalPlan
    fixture: Fixture


class _BenchPlanFields(NamedTuple):
    agent: LocalBot
    anchors: tuple[LocalBot, ...]
    game: str
    options: dict[str, Any]
    seats: int
    groups: int
    """How many groups are played against each anchor. A group is one deck, played from each side."""
    seed: int
    clock: ClockRule
    relabel: int | None = None
    """The seed of the suits that the agent sees; `None` for those of the decks."""


class BenchPlan(_BenchPlanFields):
    """The plan of a bench."""

    @cached_property
    def plans(self) -> list[tuple[LocalBot, LocalPlan]]:
        """The tournament against each anchor. Raises `BadTable`. The decks do not depend on the bots."""
        found = []
        for anchor in self.anchors:
            plan = LocalPlan.checked(
                game=self.game,
                options=self.options,
                seats=self.seats,
                bots=(self.agent.seat,),
                deals=1,
                seed=self.seed,
                fill=anchor.seat,
                clock=self.clock,
            )
            deals = self.groups * plan.tables_of_group * plan.deals_of_match
            found.append((anchor, plan._replace(deals=deals)))
        return found

    @cached_property
    def endings(self) -> Sequence[ExactEnding]:
        """The endgame set with the rules of the table; empty if there is none."""
        table = self.plans[0][1].table
        return [
            each
            for each in endings_of(self.game)
            if each.seats == self.seats and each.table.options == table.options
        ]

    def matches(self) -> Iterator[BenchMatch]:
        """Yield the matches. A group is played against every anchor before the next one begins."""
        for group in range(self.groups):
            for anchor, plan in self.plans:
                first = group * plan.tables_of_group
                for number in range(first, first + plan.tables_of_group):
                    yield BenchMatch(anchor, plan, plan.fixture(number))

    @property
    def total(self) -> int:
        """How many endings and matches there are."""
        return len(self.endings) + sum(plan.matches for _, plan in self.plans)

    def suits(self, game: Game, what: str) -> Suits:
        """Return the suits that the agent sees in a group or an ending."""
        if self.relabel is None:
            return ALL_RELABELLINGS[0]
        return Random(f"{self.relabel} {what}").choice(game.suit_symmetries())

    def header(self) -> dict[str, Any]:
        """Return what a file of results begins with. Two benches with the same header give the same result."""
        return {
            "bench": FORMAT,
            "agent": self.agent.seat.bot,
            "version": self.agent.seat.version,
            "words": list(self.agent.words),
            "game": self.game,
            "options": dict(self.plans[0][1].table.options),
            "seats": self.seats,
            "anchors": [[each.seat.bot, each.seat.version] for each in self.anchors],
            "groups": self.groups,
            "seed": self.seed,
            "relabel": self.relabel,
            "clock": self.clock.to_json(),
            "set": self.endings[0].set if self.endings else None,
        }

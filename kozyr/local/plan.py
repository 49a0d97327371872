"""A tournament played here and now, without a service: what is played (`kozyr.local.match` plays one match of it).

Everything follows from the plan: who sits where, the secrets of the shuffles, the ids. So any match of it can be
played at any time, by any process, and one plan always gives the same matches. Of the seed, the table and the number
of line-ups follow the decks: two such tournaments meet the same ones, whoever plays.

A **line-up** is as many bots as the table has sides. Each plays the same number of deals, by default in duplicate
groups: one deck, one dealer, and the bots go round through the sides, so that each plays each hand once. Without
duplicates each match has a deck of its own, and the bots go round from match to match.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from functools import cached_property
from itertools import combinations
from typing import Any, Final, NamedTuple

from engine.game import BadTable, Game
from engine.match import checked_deals
from engine.registry import GAMES
from referee.ids import derived_match_id
from referee.match.clock import ClockRule
from referee.match.session import Seat, table_of

CLOCK: Final = ClockRule(move_ms=5_000, bank_ms=0, increment_ms=0, grace_ms=0, strikes=3)
"""The clock of a local match unless another is named."""


class _PlanFields(NamedTuple):
    game: str
    options: dict[str, Any]
    seats: int
    bots: tuple[Seat, ...]
    deals: int
    """How many deals each line-up plays at least; whole groups of whole matches are played."""
    seed: int
    fill: Seat | None = None
    """Who takes the sides for which there are too few bots."""
    duplicate: bool = True
    gauntlet: bool = False
    """Whether the first bot plays at every table; else everybody meets everybody."""
    clock: ClockRule = CLOCK


class Fixture(NamedTuple):
    """One match of a plan."""

    number: int
    """Its place in the plan, from 0."""
    id: str
    group: str | None
    seats: tuple[Seat, ...]
    secret: bytes
    """Of the shuffle; the dealer follows from it too."""


class LocalPlan(_PlanFields):
    """What is played. `options` may be incomplete. See the module."""

    @classmethod
    def checked(cls, **fields: Any) -> LocalPlan:
        """A plan that can be played. Raises `BadTable`, which says what would be right."""
        plan = cls(**fields)
        if plan.game not in GAMES:
            raise BadTable("game", plan.game, "one of " + ", ".join(GAMES))
        if plan.deals < 1:
            raise BadTable("deals", plan.deals, "a whole number from 1")
        names = [bot.bot for bot in plan.bots]
        if len({bot.id for bot in plan.bots}) < len(names):
            raise BadTable("bots", names, "each bot once, a second one under another name")
        sides = plan.sides
        fewest = sides if plan.fill is None else 1
        if len(names) < fewest:
            raise BadTable(
                "bots", names, f"at least {fewest} at this table, or a bot that fills the other seats"
            )
        return plan

    def __reduce__(self) -> tuple[type[LocalPlan], tuple[Any, ...]]:
        """For another process: what follows from the fields is reckoned there again."""
        return type(self), tuple(self)

    @cached_property
    def table(self) -> Game:
        """The game at this table. Raises `BadTable` for a number of seats or options that it does not have."""
        return table_of(self.game, self.seats, self.options)

    @property
    def sides(self) -> int:
        """How many bots play at a table."""
        return len(set(self.table.sides))

    @property
    def deals_of_match(self) -> int:
        """One, or what the rules fix."""
        return checked_deals(type(self.table), None)

    @cached_property
    def lineups(self) -> list[tuple[Seat, ...]]:
        """Who plays together: every choice of as many bots as there are sides, filled up where there are too few."""
        missing = self.sides - len(self.bots)
        if missing > 0:
            assert self.fill is not None
            return [(*self.bots, *(self.fill,) * missing)]
        chosen = list(combinations(self.bots, self.sides))
        return [lineup for lineup in chosen if self.bots[0] in lineup] if self.gauntlet else chosen

    @property
    def tables_of_group(self) -> int:
        """How many matches are played with one deck."""
        return self.sides if self.duplicate else 1

    @property
    def groups(self) -> int:
        """How many groups each line-up plays; without duplicates, matches."""
        return -(-self.deals // (self.tables_of_group * self.deals_of_match))

    @property
    def matches(self) -> int:
        """How many matches there are in all."""
        return self.groups * self.tables_of_group * len(self.lineups)

    @cached_property
    def name(self) -> str:
        """Names the plan by everything that its records depend on."""
        said = [
            self.game,
            sorted(self.table.options.items()),
            self.seats,
            [list(bot) for bot in self.bots],
            self.fill and list(self.fill),
            self.seed,
            self.duplicate,
            self.gauntlet,
            self.clock.to_json(),
        ]
        return hashlib.sha256(json.dumps(said).encode()).hexdigest()

    def fixture(self, number: int) -> Fixture:
        """The match of this number. All line-ups have played a group before any begins its next one."""
        group, rotation = divmod(number, self.tables_of_group)
        turn, lineup = divmod(group, len(self.lineups))
        # Nobody's cards may be told from another tournament's: the table is in the secret, the bots are not.
        decks = [self.seed, self.game, sorted(self.table.options.items()), self.seats, lineup, turn]
        secret = hashlib.sha256(json.dumps(["kozyr-local", *decks]).encode()).digest()
        bots = self.lineups[lineup]
        shift = rotation if self.duplicate else turn
        return Fixture(
            number,
            derived_match_id("local", self.name, group, rotation),
            derived_match_id("local group", self.name, group) if self.duplicate else None,
            tuple(bots[(side + shift) % len(bots)] for side in self.table.sides),
            secret,
        )

    def fixtures(self) -> Iterator[Fixture]:
        """All matches in the order of the plan."""
        return map(self.fixture, range(self.matches))

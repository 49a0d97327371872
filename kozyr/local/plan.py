"""The plan of a local tournament; `kozyr.local.match` plays one match of it.

The plan determines seats, shuffle secrets and ids, so any process can play any match at any time, with the same result.
Decks depend only on the seed, the game with its seats and options, and the number of line-ups. Two tournaments that
share these have the same decks, whichever bots play.

A **line-up** has one bot per side. Each line-up plays the same number of deals, by default in duplicate groups: one
deck and one dealer, with the bots rotating through the sides, so that each bot plays each hand once. Without
duplicates each match has its own deck, and the bots rotate from match to match.
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
from records.ids import derived_match_id
from records.match.clock import ClockRule
from records.match.session import Seat, table_of

CLOCK: Final = ClockRule(move_ms=5_000, bank_ms=0, increment_ms=0, grace_ms=0, strikes=3)
"""The default clock of a local match."""


class _PlanFields(NamedTuple):
    game: str
    options: dict[str, Any]
    seats: int
    bots: tuple[Seat, ...]
    deals: int
    """The minimum number of deals of each line-up; complete groups of complete matches are played."""
    seed: int
    fill: Seat | None = None
    """The bot for sides that are left over."""
    duplicate: bool = True
    gauntlet: bool = False
    """Whether the first bot plays in every match; otherwise all bots meet each other."""
    clock: ClockRule = CLOCK


class Fixture(NamedTuple):
    """One match of a plan."""

    number: int
    """The position in the plan, from 0."""
    id: str
    group: str | None
    seats: tuple[Seat, ...]
    secret: bytes
    """The secret of the shuffle, which also determines the dealer."""


class LocalPlan(_PlanFields):
    """The plan of a tournament. `options` may be incomplete."""

    @classmethod
    def checked(cls, **fields: Any) -> LocalPlan:
        """Return a valid plan. Raise `BadTable`, which says what is allowed."""
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
        """Pickle the fields only; other processes compute the rest."""
        return type(self), tuple(self)

    @cached_property
    def table(self) -> Game:
        """The game with these seats and options. Raises `BadTable` if the game does not have them."""
        return table_of(self.game, self.seats, self.options)

    @cached_property
    def sides(self) -> int:
        """The number of bots in a match."""
        return len(set(self.table.sides))

    @cached_property
    def deals_of_match(self) -> int:
        """The deals of a match: one, or the number that the rules fix."""
        return checked_deals(type(self.table), None)

    @cached_property
    def lineups(self) -> list[tuple[Seat, ...]]:
        """The sets of bots that meet, one bot per side, filled up with `fill`."""
        missing = self.sides - len(self.bots)
        if missing > 0:
            assert self.fill is not None
            return [(*self.bots, *(self.fill,) * missing)]
        chosen = list(combinations(self.bots, self.sides))
        return [lineup for lineup in chosen if self.bots[0] in lineup] if self.gauntlet else chosen

    @property
    def tables_of_group(self) -> int:
        """The number of matches with the same deck."""
        return self.sides if self.duplicate else 1

    @property
    def groups(self) -> int:
        """The number of groups of each line-up, or of matches without duplicates."""
        return -(-self.deals // (self.tables_of_group * self.deals_of_match))

    @property
    def matches(self) -> int:
        """The total number of matches."""
        return self.groups * self.tables_of_group * len(self.lineups)

    @cached_property
    def name(self) -> str:
        """A digest of everything that the records depend on."""
        facts = [
            self.game,
            self._options,
            self.seats,
            [_named(bot) for bot in self.bots],
            self.fill and _named(self.fill),
            self.seed,
            self.duplicate,
            self.gauntlet,
            self.clock.to_json(),
        ]
        return hashlib.sha256(json.dumps(facts).encode()).hexdigest()

    @cached_property
    def _decks(self) -> str:
        """The beginning of the JSON text that the secrets follow from.

        Tournaments of other games must not reveal cards, so it has the table. It does not have the bots.
        """
        return json.dumps(["kozyr-local", self.seed, self.game, self._options, self.seats])[:-1]

    @property
    def _options(self) -> list[tuple[str, Any]]:
        """The options, without the later ones that have their defaults: the decks of a seed stay as they were."""
        later, schemas = self.table.later_options, self.table.option_schemas
        return sorted(
            (name, value)
            for name, value in self.table.options.items()
            if name not in later or value != schemas[name]["default"]
        )

    def fixture(self, number: int) -> Fixture:
        """Return the match with this number. All line-ups play a group before any starts its next one."""
        group, rotation = divmod(number, self.tables_of_group)
        turn, lineup = divmod(group, len(self.lineups))
        secret = hashlib.sha256(f"{self._decks}, {lineup}, {turn}]".encode()).digest()
        bots, sides = self.lineups[lineup], self.table.sides
        shift = rotation if self.duplicate else turn
        return Fixture(
            number,
            derived_match_id("local", self.name, group, rotation),
            derived_match_id("local group", self.name, group) if self.duplicate else None,
            tuple([bots[(side + shift) % len(bots)] for side in sides]),
            secret,
        )

    def fixtures(self) -> Iterator[Fixture]:
        """Return all matches in the order of the plan."""
        return map(self.fixture, range(self.matches))


def _named(bot: Seat) -> list[object]:
    """Return what tells a bot from others. It never changes, or files of earlier releases could not be continued."""
    return [bot.bot, bot.id, bot.version, bot.house]

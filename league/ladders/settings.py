"""The settings of a ladder: what its organisers decide, what is accepted, and what may change when. Pure."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any, Final

from engine.game import BadTable
from engine.match import Match
from engine.registry import GAMES
from league.accounts.model import is_blank
from league.errors import BadValue
from league.ladders.schedule import Schedule, When, checked_schedule
from league.pairing.formats import DEFAULT_FORMAT, format_of
from league.pairing.plan import DeckMode
from records.match.assist import ASSISTS, LIST, Assist
from records.match.clock import CLOCK_LIMITS, ClockRule

MOST_REPEATS: Final = 1000
MOST_MINIMUM: Final = 1_000_000
MOST_ORGANISERS: Final = 20
MOST_DESCRIPTION: Final = 4000
"""Characters."""


LEAST_START_MS: Final = 1_000
MOST_START_MS: Final = 86_400_000


class LadderAccess(enum.StrEnum):
    """Who may enter bots, besides the ladder's organisers."""

    OPEN = "open"
    """Every owner who is not banned."""
    INVITATION = "invitation"
    """Invited owners, and owners of invited bots."""
    CLOSED = "closed"
    """Nobody."""


@dataclass(frozen=True)
class LadderSettings:
    """The settings of a ladder, as a request creates, changes, exports and imports them."""

    name: str
    game: str
    seats: int
    options: Mapping[str, Any] = field(default_factory=dict)
    deals: int | None = None
    clock: ClockRule = field(default_factory=ClockRule)
    schedule: When | None = None
    """When rounds start by themselves; `None`: by hand alone."""
    season_schedule: Schedule | None = None
    """When seasons end by themselves; `None`: by hand alone."""
    repeats: int = 1
    rated: bool = True
    decks: str | None = None
    """`None`: `rotated` for rated and `independent` for casual play."""
    format: str = DEFAULT_FORMAT
    parameters: Mapping[str, Any] = field(default_factory=dict)
    check: bool | None = False
    """`None`: in rated play."""
    access: LadderAccess = LadderAccess.OPEN
    description: str = ""
    minimum_groups: int = 0
    """How many groups a bot must have played in a season to have a place; a match without a group counts as one."""
    start_ms: int | None = None
    """How long a match waits for its bots to show up; `None`: as long as the service says."""
    assist: Assist = LIST
    """What its matches show of the legal moves."""

    def checked(self, now: int) -> LadderSettings:
        """Return the settings with the defaults of its game and play filled in.

        Raise `BadTable` for a game, seats, options or deals that do not fit, `BadValue` for other values.
        """
        if self.game not in GAMES:
            raise BadTable("game", self.game, "one of " + ", ".join(GAMES))
        rules = Match(GAMES[self.game].table(self.seats, dict(self.options)), self.deals)
        _check_texts(self.name, self.description)
        if self.start_ms is not None and not LEAST_START_MS <= self.start_ms <= MOST_START_MS:
            raise BadValue("start_ms", self.start_ms, f"from {LEAST_START_MS} to {MOST_START_MS}")
        _check_clock(self.clock)
        if self.assist not in ASSISTS:
            raise BadValue("assist", self.assist, "one of " + ", ".join(ASSISTS))
        decks = _decks(self)
        _check_format(self, decks, teams=len(set(rules.game.sides)) < self.seats)
        for name, schedule in (("schedule", self.schedule), ("season_schedule", self.season_schedule)):
            if isinstance(schedule, Schedule):
                checked_schedule(schedule.cron, schedule.timezone, now, name)
        return replace(
            self,
            options=dict(rules.game.options),
            deals=rules.deals,
            decks=decks,
            check=self.rated if self.check is None else self.check,
            parameters=dict(self.parameters),
        )


SETTINGS: Final = tuple(each.name for each in fields(LadderSettings))
"""Their names."""
WHILE_OPEN: Final = frozenset({"minimum_groups", "schedule", "season_schedule"})
"""Settings that change until the ladder is closing."""
BETWEEN_ROUNDS: Final = frozenset({"clock", "start_ms", "repeats", "check", "parameters"})
"""Settings that also need that no round is under way: they are those of the next rounds. Of the parameters, some are
fixed with the first round (`Format.adjustable`)."""
BEFORE_PLAY: Final = frozenset({"game", "seats", "options", "deals", "rated", "decks", "format", "assist"})
"""Settings that are fixed with the first round, since standings compare all that is played. All other settings can
always change."""


def _check_texts(name: str, description: str) -> None:
    if not 1 <= len(name) <= 100 or not name.isprintable() or is_blank(name):
        raise BadValue("name", name, "1 to 100 printable characters, not all blank")
    if len(description) > MOST_DESCRIPTION or not description.replace("\n", "").isprintable():
        expected = f"at most {MOST_DESCRIPTION} printable characters and line breaks"
        raise BadValue("description", description, expected)


def _check_clock(clock: ClockRule) -> None:
    for name, (least, most) in CLOCK_LIMITS.items():
        if not least <= getattr(clock, name) <= most:
            raise BadValue(f"clock.{name}", getattr(clock, name), f"a whole number from {least} to {most}")


def _decks(settings: LadderSettings) -> DeckMode:
    """Return which tables share a deck. A match of a duplicate group is one deal (King: its twelve)."""
    if settings.decks is None:
        mode = DeckMode.ROTATED if settings.rated else DeckMode.INDEPENDENT
    elif settings.decks in list(DeckMode):
        mode = DeckMode(settings.decks)
    else:
        raise BadValue("decks", settings.decks, "one of " + ", ".join(DeckMode))
    if mode is not DeckMode.INDEPENDENT and settings.deals not in (None, 1):
        raise BadValue(
            "deals", settings.deals, f"1 where decks are {mode}; `repeats` says how many are played"
        )
    return mode


def _check_format(settings: LadderSettings, decks: DeckMode, *, teams: bool) -> None:
    if not 1 <= settings.repeats <= MOST_REPEATS:
        raise BadValue("repeats", settings.repeats, f"a whole number from 1 to {MOST_REPEATS}")
    if "repeats" in settings.parameters:
        raise BadValue(
            "repeats", settings.parameters["repeats"], "left out here; it is a setting of the ladder"
        )
    name, format_ = settings.format, format_of(settings.format, settings.parameters)
    if settings.repeats != 1 and not format_.has_repeats:
        raise BadValue("repeats", settings.repeats, f"1 where the format is {name}, which has no repeats")
    if decks is DeckMode.ONCE_ONLY and not format_.allows_once_only:
        raise BadValue(
            "format", name, "round_robin where decks are once_only, since every bot plays the house"
        )
    if settings.minimum_groups and format_.has_bracket:
        raise BadValue("minimum_groups", settings.minimum_groups, f"0 in a {name}, where losers play no more")
    if not 0 <= settings.minimum_groups <= MOST_MINIMUM:
        raise BadValue("minimum_groups", settings.minimum_groups, f"a whole number from 0 to {MOST_MINIMUM}")
    if teams and not format_.allows_teams:
        raise BadValue("format", name, "a format for team games, since this table has teams")

"""The values of ladders: settings, entries, rounds, seasons, standings.

A ladder's settings are one document. Its state says what may happen:

    draft    in preparation: entries, no rounds
    open     entries; rounds by hand only
    running  rounds by schedule and by hand
    paused   no new rounds; the round under way is played to its end
    closing  no new rounds, no entries; closed when the round under way ends
    closed   read-only
"""

from __future__ import annotations

import enum
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import cached_property
from operator import add
from typing import Any, Final, NamedTuple

from engine.registry import GAMES
from league.ladders.schedule import schedule_of
from league.ladders.settings import SETTINGS, LadderAccess, LadderSettings
from league.pairing.formats import FORMATS, format_of
from league.pairing.formats.field import Format, MeetingReason, Walkovers
from league.pairing.formats.ranking import Rank, ordering
from league.pairing.plan import DeckMode, Entrant
from records.decoding import decoded
from records.match.clock import ClockRule
from records.match.record import preset_of
from records.match.session import table_of
from records.results.group_statistics import NO_GROUPS, Estimate, GroupStatistics, per_deal


@dataclass(frozen=True)
class Totals:
    """A line of sums: of a bot in a season, or of a bot against another one.

    Each unit (`LadderResult`) adds a line, and subtracts it again if it becomes void. `sums` are those over groups
    (`records.results.group_statistics`); a match outside groups is a group of its own. So mean and interval follow from
    the line.
    """

    matches: int = 0
    wins: int = 0
    """In standings, first places, shared ones included; in the cross table, better places than the opponent."""
    second: int = 0
    """In standings, forfeits; in the cross table, equal places."""
    sums: GroupStatistics = NO_GROUPS

    @property
    def numbers(self) -> list[int]:
        """The nine numbers that are stored (lua/totals.lua)."""
        return [self.matches, self.wins, self.second, *map(int, self.sums)]

    def plus(self, other: Totals) -> Totals:
        """Return the line of both."""
        matches, wins, second, *sums = map(add, self.numbers, other.numbers)
        return Totals(matches, wins, second, GroupStatistics(*sums))

    @property
    def deals(self) -> int:
        return int(self.sums.deals)

    @property
    def points(self) -> int:
        return int(self.sums.points)

    @cached_property
    def estimate(self) -> Estimate | None:
        """Points per deal with the interval; `None` before the first deal."""
        return per_deal(self.sums)

    @property
    def points_per_deal(self) -> float | None:
        """The mean alone; `None` before the first deal."""
        return self.estimate and self.estimate.mean


class AccessVerdict(enum.StrEnum):
    """What a rule says of an owner or a bot."""

    INVITED = "invited"
    BANNED = "banned"


class AccessRule(NamedTuple):
    name: str
    """An owner, or `owner/bot`."""
    verdict: AccessVerdict
    reason: str
    since: int
    """In ms since 1970."""
    about: str = ""
    """The id of the owner or bot, whose name may change."""


class LadderState(enum.StrEnum):
    DRAFT = "draft"
    OPEN = "open"
    RUNNING = "running"
    PAUSED = "paused"
    CLOSING = "closing"
    CLOSED = "closed"


NEXT_STATES: Final[Mapping[LadderState, frozenset[LadderState]]] = {
    LadderState.DRAFT: frozenset({LadderState.OPEN, LadderState.RUNNING, LadderState.CLOSED}),
    LadderState.OPEN: frozenset({LadderState.RUNNING, LadderState.PAUSED, LadderState.CLOSING}),
    LadderState.RUNNING: frozenset({LadderState.OPEN, LadderState.PAUSED, LadderState.CLOSING}),
    LadderState.PAUSED: frozenset({LadderState.OPEN, LadderState.RUNNING, LadderState.CLOSING}),
    LadderState.CLOSING: frozenset({LadderState.CLOSED}),
    LadderState.CLOSED: frozenset(),
}
"""The states that a ladder can change to. Only a draft is closed by request; a closing ladder closes itself."""

TAKES_ENTRIES: Final = frozenset(
    {LadderState.DRAFT, LadderState.OPEN, LadderState.RUNNING, LadderState.PAUSED}
)

STARTS_ROUNDS: Final = frozenset({LadderState.OPEN, LadderState.RUNNING})

HAS_SEASONS: Final = TAKES_ENTRIES - {LadderState.DRAFT}
"""The states in which seasons can end."""


@dataclass(frozen=True, kw_only=True)
class Ladder(LadderSettings):
    """A ladder: its settings with all defaults filled in, and its state. Instants are ms since 1970."""

    id: str
    owner: str
    """The id of the ladder's owner."""
    deals: int = field()  # required: without `field`, the default of `LadderSettings` would hold
    decks: DeckMode = DeckMode.INDEPENDENT
    check: bool = False
    state: LadderState
    created: int
    secret: str
    """Salt for the ids of its matches; never shown."""
    season: int = 1
    """The current season, in which new rounds count."""
    season_began: int | None = None
    """`None` for the ladder's creation."""
    season_first: int = 1
    """The number of the first round that the season has or will have."""
    freeze: int | None = None
    """From when on results of groups are withheld, until it is `None` again."""
    organisers: tuple[str, ...] = ()
    """The ids of its co-organisers, who may do what its owner may."""
    revision: int = 0
    """How often settings changed that rounds depend on. A round opens only for the revision that it was planned for."""
    walkovers: Walkovers | None = None
    """The walkovers of its last season's bracket when it closed (`Season.walkovers`)."""

    def is_frozen(self, now: int) -> bool:
        """Return whether results of groups that end now are withheld."""
        return self.freeze is not None and now >= self.freeze

    def is_run_by(self, owner: str | None) -> bool:
        """Return whether the owner with this id is one of its organisers."""
        return owner == self.owner or owner in self.organisers

    def short_of_minimum(self, line: Totals) -> str | None:
        """Return why a bot with these totals has too few groups for a place; `None` if it has enough."""
        groups = line.sums.groups
        return (
            None
            if groups >= self.minimum_groups
            else f"played {groups} of at least {self.minimum_groups} groups"
        )

    @property
    def preset(self) -> str:
        """The preset in which its groups are rated."""
        return preset_of(table_of(self.game, self.seats, self.options), self.clock, self.assist)

    @property
    def group_deals(self) -> int:
        """How many deals a bot plays in a duplicate group, or in a match outside groups."""
        return self.deals * (self.seats if self.decks is DeckMode.ROTATED else 1)

    @property
    def hides_pairings(self) -> bool:
        """Whether pairings stay secret until their matches are over: in duplicate groups, whose tables hide names, if
        the format's pairings would reveal them."""
        return self.decks is not DeckMode.INDEPENDENT and self.format_class.hides_pairings

    def shows_pairing(self, round_: Round) -> bool:
        """Whether everybody may see who met in this round of the ladder. Matches of a failed round may still run."""
        return round_.state is RoundState.DONE or not self.hides_pairings

    def byes(self, round_: Round) -> Sequence[Entrant]:
        """Return the entrants that advance or score in this round without a match."""
        gives_byes = self.format_class.has_bracket or self.format_class.ranks_meetings
        return (round_.sitting_out or ()) if gives_byes else ()

    def hides_entrants(self, round_: Round) -> bool:
        """Whether the entrants of this round of the ladder stay secret. Matches of a failed round may still run."""
        return (
            round_.state is not RoundState.DONE and self.format_class.overlaps_rounds and self.hides_pairings
        )

    def shows_meeting(self, *, decided: bool) -> bool:
        """Whether everybody may see the bots of a meeting of the ladder's bracket."""
        return decided or not self.hides_pairings

    @property
    def format_class(self) -> type[Format]:
        """The class of the ladder's format, whose attributes say how its rounds are run."""
        return FORMATS[self.format]

    def pairing_format(self) -> Format:
        repeats = {"repeats": self.repeats} if self.format_class.has_repeats else {}
        return format_of(self.format, {**self.parameters, **repeats})

    @property
    def settings(self) -> LadderSettings:
        """Its settings alone. Deals that the game fixes are left to it."""
        found = {name: getattr(self, name) for name in SETTINGS}
        return LadderSettings(**found if GAMES[self.game].fixed_deals is None else {**found, "deals": None})

    def to_json(self) -> dict[str, Any]:
        return {
            **vars(self),
            "clock": self.clock.to_json(),
            "schedule": self.schedule and self.schedule.to_json(),
            "season_schedule": self.season_schedule and self.season_schedule.to_json(),
            "walkovers": None if self.walkovers is None else stored_walkovers(self.walkovers),
        }

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Ladder:
        data["clock"] = ClockRule.from_json(data["clock"])
        data["schedule"] = schedule_of(data["schedule"])
        data["season_schedule"] = schedule_of(data.get("season_schedule"))
        data["state"] = LadderState(data["state"])
        data["organisers"] = tuple(data.get("organisers", ()))
        data["access"] = LadderAccess(data.get("access", LadderAccess.OPEN))
        data["decks"] = DeckMode(data.get("decks", DeckMode.INDEPENDENT))
        stored = data.get("walkovers")
        data["walkovers"] = None if stored is None else walkovers_of(stored)
        known = (each.name for each in fields(cls))
        return cls(**{name: data[name] for name in known if name in data})


class Disqualification(NamedTuple):
    """Why an entry has no place in a season."""

    season: int
    reason: str
    at: int
    rule: str | None = None
    """The id of the bot or owner whose ban caused it. It ends with the ban."""


class LadderEntry(NamedTuple):
    """A bot in a ladder. A withdrawn bot stays listed with its results."""

    bot: str
    name: str
    owner: str
    entered: int
    withdrawn: int | None = None
    entropy: str | None = None
    """What the bot adds to the shuffles of its matches from the next round on."""
    disqualified: tuple[Disqualification, ...] = ()

    def out_of(self, season: int) -> str | None:
        """Return why the entry has no place in the season; `None` if it has one."""
        return next((each.reason for each in self.disqualified if each.season == season), None)

    def disqualify(self, *new: Disqualification) -> LadderEntry:
        """Return the entry out of the places of these seasons too."""
        others = [each for each in self.disqualified if each.season not in {one.season for one in new}]
        return self._replace(disqualified=tuple(sorted([*others, *new])))


class EntryChange(enum.StrEnum):
    """What happened to an entry."""

    ENTERED = "entered"
    WITHDRAWN = "withdrawn"
    BANNED = "banned"
    """Banned by the organiser, and so withdrawn."""


class EntryNews(NamedTuple):
    """A change of an entry, for those concerned."""

    entry: LadderEntry
    change: EntryChange
    occasion: int
    """An instant that tells the changes of one entry apart."""
    at: int
    reason: str = ""


class RoundState(enum.StrEnum):
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    """It could not be played as planned: `Round.reason` says why. Its existing matches are played and count."""


class Round(NamedTuple):
    """A round. `made` of its `planned` tables have been handled; `over` of these have ended.

    A table has ended when its match was played, was aborted (which does not count), or was dropped: never played,
    since a bot was withdrawn or disabled or does not accept the table.
    """

    ladder: str
    number: int
    due: int | None
    """The instant of the schedule that started it; `None` if started by hand."""
    started: int
    entrants: tuple[Entrant, ...]
    repeats: int
    excluded: int
    """How many sets of entrants make no table, because two of them have one owner."""
    planned: int
    state: RoundState = RoundState.RUNNING
    made: int = 0
    over: int = 0
    aborted: int = 0
    dropped: int = 0
    ended: int | None = None
    """When its last match ended, or it failed."""
    epoch: int = 0
    """How often its lease has changed hands."""
    meetings: tuple[tuple[int, ...], ...] | None = None
    """Indexes of the entrants of each meeting, with independent decks by seat. `None` with once-only decks."""
    season: int = 1
    """The season in which it was opened and counts."""
    reason: str | None = None
    """Why it failed."""
    since: int | None = None
    """How many records there were when it was opened (`referee.storage.store.Commit`); `None` if unknown."""
    walkovers: Mapping[frozenset[str], frozenset[str]] = {}
    """The walkovers of its season's bracket when it was opened (`Walkovers`)."""
    group_reruns: Mapping[int, int] = {}
    """How often its duplicate groups were played again, by their numbers in its plan."""
    reasons: Sequence[MeetingReason] | None = None
    """By meeting, why its bots met; `None` if the format alone is the reason."""
    out: tuple[int, ...] | None = None
    """Indexes of the entrants that the format let sit out; `None` with once-only decks."""
    seats_had: Mapping[str, Sequence[int]] = {}
    """The seats that bots had in earlier rounds of its season, with independent decks (`SeatsHad`)."""

    @property
    def came_to_nothing(self) -> bool:
        """Whether it failed before a match counted. Formats ignore such a round and pair it again."""
        return self.state is RoundState.FAILED and not self.played

    @property
    def tables(self) -> list[tuple[Entrant, ...]] | None:
        """The bots of each meeting; `None` with once-only decks."""
        if self.meetings is None:
            return None
        return [tuple(self.entrants[at] for at in meeting) for meeting in self.meetings]

    @property
    def sitting_out(self) -> list[Entrant] | None:
        """The entrants without a meeting; in a bracket those with a bye. `None` with once-only decks."""
        return None if self.out is None else [self.entrants[at] for at in self.out]

    @property
    def played(self) -> int:
        """Matches that count."""
        return self.over - self.aborted - self.dropped


class Season(NamedTuple):
    """A season of a ladder: its rounds have standings, a cross table and pairings of their own."""

    ladder: str
    number: int
    """From 1."""
    began: int
    first_round: int
    """The number of its first round."""
    ended: int | None = None
    """`None`: it is the present one."""
    last_round: int | None = None
    """`None` likewise."""
    walkovers: Walkovers | None = None
    """The walkovers of its bracket when it ended or its ladder closed; `None` without a bracket, or before that."""

    def to_json(self) -> dict[str, Any]:
        return {
            **self._asdict(),
            "walkovers": None if self.walkovers is None else stored_walkovers(self.walkovers),
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Season:
        stored = data.get("walkovers")
        return decoded(cls, {**data, "walkovers": None if stored is None else walkovers_of(stored)})


def stored_walkovers(walkovers: Walkovers) -> list[Sequence[Sequence[str]]]:
    return [(sorted(table), sorted(lost)) for table, lost in walkovers.items()]


def walkovers_of(stored: Sequence[Sequence[Sequence[str]]]) -> Walkovers:
    return {frozenset(table): frozenset(lost) for table, lost in stored}


class StandingPosition(NamedTuple):
    """By what standings are ordered."""

    out: bool
    values: Sequence[float | None]
    points_per_deal: float | None
    name: str

    @property
    def key(self) -> Any:
        return ordering(*self)


class Standing(NamedTuple):
    """A bot in the standings of a ladder."""

    rank: Rank
    withdrawn: bool
    line: Totals

    @property
    def bot(self) -> str:
        """The bot's id."""
        return self.rank.entry.bot

    @property
    def name(self) -> str:
        return self.rank.entry.name

    @property
    def place(self) -> int | None:
        """`None` for a bot that is out of the places."""
        return self.rank.place

    @property
    def position(self) -> StandingPosition:
        return StandingPosition(
            self.rank.entry.out is not None, self.rank.values, self.line.points_per_deal, self.name
        )


class CrossTableCell(NamedTuple):
    """A bot's sums in the matches in which this other bot sat against it."""

    bot: str
    opponent: str
    line: Totals


class LadderResult(NamedTuple):
    """What a unit adds to the totals of its ladder: a duplicate group in which all bots meet, or else a match. It
    counts as a whole or not at all."""

    ladder: str
    round: int
    matches: tuple[str, ...]
    """The match keys of its matches."""
    lines: Mapping[str, Mapping[str, Totals]]
    """What each bot gains in the standings (`sums`), and from each opponent in its row of the cross table
    (`sums:BOT`). A unit that does not count adds nothing, but ends its tables."""
    season: int = 1
    """The season in which it counts."""

    @property
    def counts(self) -> bool:
        """Whether it adds anything."""
        return bool(self.lines)


class RoundOpened(NamedTuple):
    """The result of opening a round, and the number of the round that it concerns.

    `what` is `opened`, `exists` (this due instant has its round), `running` (another round is under way), `state`
    (the ladder's state forbids it) or `again` (another writer was faster).
    """

    what: str
    number: int


class Lease(NamedTuple):
    """The lease of a round. `held`: the caller has it. `clean`: no worker or helper before left work unfinished."""

    held: bool
    clean: bool
    epoch: int
    in_hand: int = 0
    """How many tables helpers are playing now."""


class ResultCounted(NamedTuple):
    """The result of counting a unit or holding a match. `new`: it had not been counted or held before."""

    new: bool
    done: bool = False
    """Whether it ended the round."""
    wants_more: bool = False
    """Whether the round has tables left to make."""
    epoch: int = 0
    leased: bool = False
    """Whether a worker holds its lease."""


SCHEDULES: Final = "schedules"

ROUNDS: Final = "rounds"

SEASONS: Final = "seasons"

RESULTS: Final = "results"

DUE: Final = (SCHEDULES, ROUNDS, SEASONS, RESULTS)
"""What ladders are checked for: a due round, a round under way, a due season end, the result of a season that is
reported again in case a process died."""

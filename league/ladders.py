"""Ladders: what is played, by whom, when, and what came of it. The rounds themselves are run by `league.rounds`.

A ladder's settings are one document; its state says what may happen to it:

    draft    being made ready: entries, no rounds
    open     entries; rounds only by hand
    running  rounds by schedule and by hand
    paused   no new rounds; the round under way is played out
    closing  no new rounds, no entries; closed when the round under way is over
    closed   to be read only
"""

from __future__ import annotations

import enum
from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from operator import itemgetter
from typing import Any, Final, NamedTuple, Protocol

from engine.game import BadTable
from engine.match import Match
from engine.registry import GAMES
from league.accepts import Occasion
from league.accounts import Accounts, Bot
from league.admission import check_seats
from league.errors import (
    BadValue,
    BotUnavailable,
    EntryRefused,
    NoSuchLadder,
    NoSuchRound,
    NoSuchSeason,
    Overtaken,
    WrongLadderState,
)
from league.formats import REPEATED, format_of
from league.formats.field import Format
from league.health import Fitness, Health
from league.outcomes import Outcome
from league.pairing import MOST_TABLES, Decks, Entrant, size
from league.schedule import Continuous, Schedule, When, checked_schedule, schedule_of
from league.sums import Line, Made
from referee.clock import ClockRule
from referee.ids import random_text

MOST_REPEATS: Final = 1000
_NOTHING: Final = Line()
MOST_CELLS: Final = 4_000
"""Cells of the cross table that one page comes to: 1 MB, and some 20 ms of a process that serves moves too."""
_HOW: Final = "`kozyr check`, or `POST /v1/checks` with its token"
_ATTEMPTS: Final = 16


class LadderState(enum.StrEnum):
    """See the module."""

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
"""What a ladder can become. Nobody asks for `closed` but of a draft: a closing ladder closes by itself."""
TAKES_ENTRIES: Final = frozenset(
    {LadderState.DRAFT, LadderState.OPEN, LadderState.RUNNING, LadderState.PAUSED}
)
STARTS_ROUNDS: Final = frozenset({LadderState.OPEN, LadderState.RUNNING})
HAS_SEASONS: Final = TAKES_ENTRIES - {LadderState.DRAFT}
"""In which seasons end and begin."""


class Ladder(NamedTuple):
    """A ladder's settings and state. Instants are ms since 1970."""

    id: str
    owner: str
    """The id of the owner whose ladder it is."""
    name: str
    game: str
    options: dict[str, Any]
    """Every option that applies, with its value."""
    seats: int
    deals: int
    clock: ClockRule
    schedule: When | None
    repeats: int
    """How often each pairing meets in a round."""
    state: LadderState
    created: int
    secret: str
    """What the ids of its matches follow from besides; shown to nobody."""
    rated: bool = True
    decks: Decks = Decks.INDEPENDENT
    """Which tables of a round have the same decks."""
    format: str = "round_robin"
    """Who plays whom in a round (`league.formats`)."""
    parameters: Mapping[str, Any] = {}
    """The format's own, without `repeats`."""
    check: bool = False
    """Whether a bot enters only after it has passed a check."""
    season: int = 1
    """The season in which rounds are opened now."""
    season_began: int | None = None
    """`None`: when the ladder was made."""
    season_first: int = 1
    """The number of the first round that it has or will have."""
    season_schedule: Schedule | None = None
    """When seasons end by themselves."""

    @property
    def overlaps(self) -> bool:
        """Whether a round may begin while others are under way."""
        return self.format == "arena"

    @property
    def hides_pairings(self) -> bool:
        """Whether nobody is to know who meets whom before they have: names at tables of groups are hidden, and where
        not everybody meets everybody the pairing would tell them."""
        return self.decks is not Decks.INDEPENDENT and self.format not in REPEATED

    def pairs_by(self) -> Format:
        """Its format."""
        repeats = {"repeats": self.repeats} if self.format in REPEATED else {}
        return format_of(self.format, {**self.parameters, **repeats})

    def to_json(self) -> dict[str, Any]:
        """For the store."""
        return {
            **self._asdict(),
            "clock": self.clock.to_json(),
            "schedule": self.schedule and self.schedule.to_json(),
            "season_schedule": self.season_schedule and self.season_schedule.to_json(),
        }

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Ladder:
        """From the store."""
        data["clock"] = ClockRule(**data["clock"])
        data["schedule"] = schedule_of(data["schedule"])
        data["season_schedule"] = schedule_of(data.get("season_schedule"))
        data["state"] = LadderState(data["state"])
        data["decks"] = Decks(data.get("decks", Decks.INDEPENDENT))
        return cls(**data)


class LadderEntry(NamedTuple):
    """A bot in a ladder. It stays listed when it is withdrawn, since its results do."""

    bot: str
    name: str
    owner: str
    entered: int
    withdrawn: int | None = None
    entropy: str | None = None
    """What the bot puts into the shuffles of its matches, from the next round on."""


class RoundState(enum.StrEnum):
    """Where a round is in its life."""

    RUNNING = "running"
    DONE = "done"


class Round(NamedTuple):
    """A round. `planned` = tables; `made` of them have been dealt with, `over` of these are over: played, aborted
    (counts as not played) or dropped (not played, because a bot was withdrawn or disabled meanwhile, or does not accept
    the table)."""

    ladder: str
    number: int
    due: int | None
    """The instant of the schedule for which it was started; `None`: by hand."""
    started: int
    entrants: tuple[Entrant, ...]
    repeats: int
    left_out: int
    """Sets of entrants that make no table, because one owner has two of them."""
    planned: int
    state: RoundState = RoundState.RUNNING
    made: int = 0
    over: int = 0
    aborted: int = 0
    dropped: int = 0
    ended: int | None = None
    epoch: int = 0
    """How often its lease has changed hands."""
    meetings: tuple[tuple[int, ...], ...] | None = None
    """The numbers of the entrants of each meeting, where they do not follow from the entrants alone."""
    season: int = 1
    """The season in which it was opened, and counts."""

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


class Position(NamedTuple):
    """By what standings are ordered."""

    points_per_deal: float | None
    name: str

    @property
    def key(self) -> tuple[bool, float, str]:
        """The best first, those without a deal last, equals by name."""
        return (self.points_per_deal is None, -(self.points_per_deal or 0.0), self.name)


class Standing(NamedTuple):
    """A bot's place in a ladder."""

    place: int
    """1 + the number of bots with more points per deal."""
    bot: str
    name: str
    withdrawn: bool
    line: Line

    @property
    def position(self) -> Position:
        """Where it stands."""
        return Position(self.line.points_per_deal, self.name)


class CrossCell(NamedTuple):
    """A bot's sums in the matches in which this other bot sat against it."""

    bot: str
    opponent: str
    line: Line


class Result(NamedTuple):
    """What a match adds to its ladder's sums."""

    ladder: str
    round: int
    match: str
    played: bool
    aborted: bool
    sums: Mapping[str, Made]
    """By bot id, what its standing grows by."""
    cross: Mapping[str, Mapping[str, Made]]
    """By bot id and opponent's id, what the cell grows by."""
    group: str | None = None
    """The id of its duplicate group."""
    season: int = 1
    """Whose sums these are."""


class Opened(NamedTuple):
    """What became of opening a round: `opened`, `exists` (for this due instant), `running` (another one),
    `state` (the ladder's forbids it) or `again` (somebody else was faster); and the round's number."""

    what: str
    number: int


class Lease(NamedTuple):
    """A round's lease. `held`: it is ours now. `clean`: whoever had it before gave it back in good order."""

    held: bool
    clean: bool
    epoch: int


class Counted(NamedTuple):
    """What became of counting or holding a match. `new`: it had not been counted, or held."""

    new: bool
    done: bool = False
    """Whether the round is done with it."""
    wants_more: bool = False
    """Whether the round has tables left to make."""
    epoch: int = 0
    leased: bool = False
    """Whether a worker has its lease."""


class LadderStore(Protocol):
    """What ladders and rounds need of a store: the port. `league.redis_ladders` is its Redis form. It knows what
    time it is (`now`), and every method that needs to know uses that same clock."""

    def now(self) -> int:
        """Ms since 1970."""

    # Ladders
    def add(self, ladder: Ladder) -> None:
        """A new ladder; nothing if there is one of this id."""

    def ladder(self, ladder: str) -> Ladder | None:
        """The ladder of this id."""

    def change(self, before: Ladder, after: Ladder) -> bool:
        """Put `after` in the place of `before`; false, and nothing done, if that is not what stands there."""

    def listed(self, before: str | None, limit: int) -> list[tuple[str, str]]:
        """Cursors and ids of ladders, the newest first, after this cursor."""

    def entries(self, ladder: str) -> list[LadderEntry]:
        """All that ever entered."""

    def put_entry(self, ladder: str, entry: LadderEntry) -> None:
        """The entry as it is now."""

    # Rounds
    def open_round(self, new: Round, states: Sequence[str], at_a_time: int = 1) -> Opened:
        """The round, if it is the ladder's next and of its present season, fewer than so many are under way, none was
        opened for its due instant, and the ladder is in one of these states."""

    def rounds(self, ladder: str, numbers: Sequence[int]) -> list[Round | None]:
        """These rounds."""

    def last_round(self, ladder: str) -> int:
        """The number of the last round, 0 if there is none."""

    def rounds_under_way(self, ladder: str) -> list[int]:
        """Their numbers, rising."""

    def take_lease(self, ladder: str, number: int, worker: str, lease_ms: int) -> Lease:
        """The lease, if nobody has it or it has run out, and the round is not done."""

    def give_lease(self, ladder: str, number: int, worker: str, clean: bool) -> None:
        """It is free again, if it is this worker's."""

    def made(self, ladder: str, number: int, planned: int) -> list[bool]:
        """By table, whether it has been dealt with."""

    def open_matches(self, ladder: str, number: int) -> dict[str, int]:
        """Matches of the round that are not over, with their tables; in a group their first attempts stand for them."""

    def unsettled(self, rounds: Sequence[Round]) -> list[set[int]]:
        """By round, its tables that were not dealt with, whose matches are not over, or over in groups that are not."""

    def make(
        self,
        of: Round,
        worker: str,
        lease_ms: int,
        tables: Mapping[int, str | None],
    ) -> list[int] | None:
        """Deal with these tables, each once: a match id puts it among the open matches, `None` drops it. Renews the
        lease. Returns the tables that had not been dealt with, or `None`, and nothing done, if the lease is lost."""

    def hold(self, held: Sequence[tuple[str, int, str]]) -> list[Counted]:
        """These matches (ladder, round, match) are over, but their groups are not: their bots have room for others, and
        they are counted later. In one round trip."""

    def count(self, results: Sequence[Result]) -> list[Counted]:
        """Add the results of matches to the sums, each once; a round is done with its last. In one round trip."""

    def take_back(self, results: Sequence[Result]) -> None:
        """Take the results of matches from the sums again, each once, if they were counted; they count as aborted from
        now on. In one round trip."""

    def rerun(self, ladder: str, number: int, match: str, again: str, table: int) -> str:
        """The match `again` takes the place of a match of this table that did not count, once. Returns the id of the
        match that has the place."""

    def reruns(self, ladder: str, number: int) -> dict[str, str]:
        """Matches of the round that were played again, and by which."""

    def put_outcome(self, ladder: str, season: int, outcome: Outcome, most: int | None = None) -> None:
        """What a group of the ladder came to; of the season's the last `most` are kept, or all."""

    def drop_outcome(self, ladder: str, season: int, group: str) -> None:
        """The group is void."""

    def outcomes(self, ladder: str, season: int) -> list[Outcome]:
        """What the groups of a season came to, in the order (ended, id)."""

    # Seasons
    def end_season(self, before: Ladder, after: Ladder, ended: Season) -> bool:
        """Keep the season that ended and put `after` in the place of `before`; false, and nothing done, if that is
        not what stands there or a round after the season's last was opened."""

    def seasons(self, ladder: str, numbers: Sequence[int]) -> list[Season | None]:
        """These seasons, of those that ended."""

    # Sums
    def standings(self, ladder: str, season: int) -> dict[str, Line]:
        """By bot id."""

    def cross(self, ladder: str, season: int, bots: Sequence[str]) -> dict[str, dict[str, Line]]:
        """By bot id and opponent's id."""

    # What is due
    def set_due(self, what: str, ladder: str, at: int | None) -> None:
        """In the list `what` (see `DUE`), when to look at the ladder; `None`: never."""

    def move_due(self, what: str, ladder: str, seen: int, at: int | None) -> bool:
        """The same if it is still due when we saw it to be."""

    def due(self, what: str, most: int) -> tuple[int, list[tuple[str, int]]]:
        """Now, and the ladders to be looked at with the instant since which they are due, the earliest first."""

    def due_at(self, what: str, ladder: str) -> int | None:
        """When to look at the ladder."""


SCHEDULES: Final = "schedules"
ROUNDS: Final = "rounds"
SEASONS: Final = "seasons"
LUCK: Final = "luck"
DUE: Final = (SCHEDULES, ROUNDS, SEASONS, LUCK)
"""What ladders are looked at for: a round that is due, a round under way, a season that is due to end, luck that is to
be reckoned."""


class Ladders:
    """Ladders, entries and what is read of them. Safe to share between greenlets and threads."""

    def __init__(self, store: LadderStore, accounts: Accounts, fitness: Fitness) -> None:
        self.store = store
        self.accounts = accounts
        self.fitness = fitness

    # 1. Ladders

    def create(
        self,
        owner: str,
        name: str,
        game: str,
        seats: int,
        options: Mapping[str, Any] | None = None,
        *,
        deals: int | None = None,
        clock: ClockRule | None = None,
        cron: str | Continuous | None = None,
        timezone: str = "UTC",
        season_cron: str | None = None,
        season_timezone: str = "UTC",
        repeats: int = 1,
        rated: bool = True,
        decks: str | None = None,
        format_: str = "round_robin",
        parameters: Mapping[str, Any] | None = None,
        state: str = LadderState.OPEN,
        check: bool = False,
        ladder_id: str | None = None,
    ) -> Ladder:
        """A new ladder. `cron` may say that rounds follow one another. `ladder_id` makes it at most once: an
        existing ladder is returned as it is. Rated play is in rotated groups where `decks` says nothing else; a match
        of a group is one deal (King: its twelve).

        Raises `BadTable` for a game, seats, options or deals that do not fit, `BadValue` for the rest.
        """
        now = self.store.now()
        if game not in GAMES:
            raise BadTable("game", game, "one of " + ", ".join(GAMES))
        rules = Match(GAMES[game].table(seats, dict(options or {})), deals)
        if not 1 <= len(name) <= 100 or not name.isprintable():
            raise BadValue("name", name, "1 to 100 printable characters")
        if not 1 <= repeats <= MOST_REPEATS:
            raise BadValue("repeats", repeats, f"a whole number from 1 to {MOST_REPEATS}")
        of = Decks.ROTATED if rated else Decks.INDEPENDENT
        if decks is not None:
            if decks not in list(Decks):
                raise BadValue("decks", decks, "one of " + ", ".join(Decks))
            of = Decks(decks)
        if of is not Decks.INDEPENDENT and deals not in (None, 1):
            raise BadValue("deals", deals, f"1 where decks are {of}; `repeats` says how many are played")
        if state not in (LadderState.DRAFT, LadderState.OPEN, LadderState.RUNNING):
            raise BadValue("state", state, "draft, open or running")
        if "repeats" in (parameters or {}):
            raise BadValue("repeats", (parameters or {})["repeats"], "left out here: it is the ladder's own")
        format_of(format_, parameters or {})
        if of is Decks.ONCE_ONLY and format_ != "round_robin":
            raise BadValue(
                "format", format_, "round_robin where decks are once_only: everybody plays the house"
            )
        if format_ == "knock_out" and len(set(rules.game.sides)) < seats:
            raise BadValue(
                "format", format_, "one in which partners need not go on together: this table has teams"
            )
        ladder = Ladder(
            ladder_id or "l" + random_text(16),
            owner,
            name,
            game,
            dict(rules.game.options),
            seats,
            rules.deals,
            clock or ClockRule(),
            _rounds_by(cron, timezone, now),
            repeats,
            LadderState(state),
            now,
            random_text(26),
            rated,
            of,
            format_,
            dict(parameters or {}),
            check,
            season_schedule=None
            if season_cron is None
            else checked_schedule(season_cron, season_timezone, now, "season_schedule"),
        )
        self.store.add(ladder)
        made = self.get(ladder.id)
        if made == ladder:
            self._put_due(ladder, self._due(ladder))
        return made

    def get(self, ladder_id: str) -> Ladder:
        """The ladder. Raises `NoSuchLadder`."""
        ladder = self.store.ladder(ladder_id)
        if ladder is None:
            raise NoSuchLadder(f"there is no ladder {ladder_id!r}")
        return ladder

    def page(self, cursor: str | None = None, limit: int = 50) -> tuple[list[Ladder], str | None]:
        """Ladders, the newest first, and the cursor that goes on after them (`None` at the end)."""
        found = self.store.listed(cursor, limit + 1)
        ladders = [self.store.ladder(ladder_id) for _, ladder_id in found[:limit]]
        after = found[limit - 1][0] if len(found) > limit else None
        return [ladder for ladder in ladders if ladder is not None], after

    def set_state(self, ladder_id: str, state: str) -> Ladder:
        """The ladder in its new state; `closing` becomes `closed` at once if no round is under way. The same
        state again is no change. Raises `WrongLadderState`, `BadValue`."""
        if state not in list(LadderState):
            raise BadValue("state", state, "one of " + ", ".join(LadderState))

        def step(ladder: Ladder) -> Ladder:
            if ladder.state == state or (state, ladder.state) == (LadderState.CLOSING, LadderState.CLOSED):
                return ladder
            possible = NEXT_STATES[ladder.state]
            if state not in possible or (state == LadderState.CLOSED and ladder.state is LadderState.CLOSING):
                said = ", ".join(sorted(possible)) or "nothing else any more"
                raise WrongLadderState(
                    f"a ladder that is {ladder.state} can become {said}", state=ladder.state.value
                )
            return ladder._replace(state=LadderState(state))

        ladder = self._change(ladder_id, step)
        return self.close_if_done(ladder_id) if ladder.state is LadderState.CLOSING else ladder

    def set_schedule(self, ladder_id: str, cron: str | Continuous | None, timezone: str = "UTC") -> Ladder:
        """The ladder with another schedule, or with none. Raises `BadValue`, `WrongLadderState`."""
        schedule = _rounds_by(cron, timezone, self.store.now())

        def step(ladder: Ladder) -> Ladder:
            if ladder.state not in TAKES_ENTRIES:
                raise WrongLadderState(f"the ladder is {ladder.state}", state=ladder.state.value)
            return ladder._replace(schedule=schedule)

        return self._change(ladder_id, step)

    def set_season_schedule(self, ladder_id: str, cron: str | None, timezone: str = "UTC") -> Ladder:
        """The ladder with seasons that end at other times, or by hand alone. Raises `BadValue`, `WrongLadderState`."""
        schedule = (
            None if cron is None else checked_schedule(cron, timezone, self.store.now(), "season_schedule")
        )

        def step(ladder: Ladder) -> Ladder:
            if ladder.state not in TAKES_ENTRIES:
                raise WrongLadderState(f"the ladder is {ladder.state}", state=ladder.state.value)
            return ladder._replace(season_schedule=schedule)

        return self._change(ladder_id, step)

    def close_if_done(self, ladder_id: str) -> Ladder:
        """A closing ladder without a round under way is closed."""

        def step(ladder: Ladder) -> Ladder:
            if ladder.state is not LadderState.CLOSING or self.store.rounds_under_way(ladder.id):
                return ladder
            return ladder._replace(state=LadderState.CLOSED)

        return self._change(ladder_id, step)

    def next_rounds(self, ladder_id: str, count: int = 5) -> list[int]:
        """The next instants at which rounds are due, in ms since 1970; none unless the ladder is running, and none of
        rounds that follow one another."""
        ladder = self.get(ladder_id)
        if ladder.schedule is None or ladder.state is not LadderState.RUNNING:
            return []
        return ladder.schedule.after(self.store.now(), count)

    # 2. Entries

    def enter(self, ladder_id: str, bot: Bot, entropy: str | None = None) -> LadderEntry:
        """The bot takes part from the next round on, `entropy` of its own in the shuffles of its matches. Entering
        twice is entering once, with the entropy that was given last. Raises `EntryRefused`, `WrongLadderState`."""
        ladder = self._taking_entries(ladder_id)
        entries = {entry.bot: entry for entry in self.store.entries(ladder_id)}
        self._check_accepts(ladder, bot, entries.values())
        known = entries.get(bot.id)
        if known is not None and known.withdrawn is None and entropy in (None, known.entropy):
            return known
        others = [entry for entry in entries.values() if entry.bot != bot.id]
        count = 1 + sum(entry.withdrawn is None for entry in others)
        everybody = ladder.format == "round_robin" and not ladder.parameters
        if everybody and size(count, ladder.seats, ladder.repeats, ladder.decks) > MOST_TABLES:
            raise EntryRefused(f"with {count} entries a round would have more than {MOST_TABLES} matches")
        entered = self.store.now() if known is None or known.withdrawn is not None else known.entered
        entry = LadderEntry(bot.id, bot.full_name, bot.owner, entered, entropy=entropy)
        self.store.put_entry(ladder_id, entry)
        if isinstance(ladder.schedule, Continuous):
            # It may be the one for whom the others wait.
            self._put_due(ladder, {SCHEDULES: self._due(ladder)[SCHEDULES]})
        return entry

    def withdraw(self, ladder_id: str, bot_id: str) -> LadderEntry:
        """The bot gets no further matches; those under way are played out, and its results stay. Raises
        `EntryRefused`, `WrongLadderState`."""
        self._taking_entries(ladder_id)
        for entry in self.store.entries(ladder_id):
            if entry.bot == bot_id:
                if entry.withdrawn is None:
                    entry = entry._replace(withdrawn=self.store.now())
                    self.store.put_entry(ladder_id, entry)
                return entry
        raise EntryRefused("this bot is not entered in this ladder")

    def entries(self, ladder_id: str, *, withdrawn: bool = False) -> list[LadderEntry]:
        """The entries in the order of their names, withdrawn ones only on request. Raises `NoSuchLadder`."""
        self.get(ladder_id)
        found = [entry for entry in self.store.entries(ladder_id) if withdrawn or entry.withdrawn is None]
        return sorted(found, key=lambda entry: entry.name)

    def entries_page(
        self, ladder_id: str, after: str | None, limit: int, *, withdrawn: bool = False
    ) -> tuple[Sequence[LadderEntry], str | None]:
        """The same after this name, at most `limit`, and the name after which to go on (`None` at the end)."""
        found = [each for each in self.entries(ladder_id, withdrawn=withdrawn) if each.name > (after or "")]
        shown = found[:limit]
        return shown, shown[-1].name if len(found) > limit else None

    # 3. What came of it

    def round(self, ladder_id: str, number: int) -> Round:
        """Raises `NoSuchLadder`, `NoSuchRound`."""
        self.get(ladder_id)
        (found,) = self.store.rounds(ladder_id, [number])
        if found is None:
            raise NoSuchRound(f"the ladder has no round {number}")
        return found

    def rounds(
        self, ladder_id: str, before: int | None = None, limit: int = 50
    ) -> tuple[Sequence[Round], int | None]:
        """Rounds, the last first, and the number before which to go on (`None` at the end)."""
        self.get(ladder_id)
        last = self.store.last_round(ladder_id) if before is None else before - 1
        numbers = range(last, max(last - limit, 0), -1)
        found = [each for each in self.store.rounds(ladder_id, numbers) if each is not None]
        return found, numbers[-1] if numbers and numbers[-1] > 1 else None

    def standings(self, ladder_id: str, season: int | None = None) -> Sequence[Standing]:
        """The best first: by points per deal, then by name; who has not played last, and in a season that has ended not
        at all. From sums that are kept. Raises `NoSuchLadder`, `NoSuchSeason`."""
        ladder, season = self._in_season(ladder_id, season)
        lines = self.store.standings(ladder_id, season)
        found = []
        for entry in self.store.entries(ladder_id):
            line = lines.get(entry.bot, _NOTHING)
            if line.matches or (entry.withdrawn is None and season == ladder.season):
                found.append((Position(line.points_per_deal, entry.name).key, entry, line))
        found.sort(key=itemgetter(0))
        places: dict[tuple[bool, float], int] = {}
        return [
            Standing(
                places.setdefault(key[:2], number), entry.bot, entry.name, entry.withdrawn is not None, line
            )
            for number, (key, entry, line) in enumerate(found, 1)
        ]

    def standings_page(
        self, ladder_id: str, after: Position | None, limit: int, season: int | None = None
    ) -> tuple[Sequence[Standing], Position | None]:
        """Of the standings at most `limit` that come after this position, whoever stood there, and the position after
        which to go on (`None` at the end)."""
        found = self.standings(ladder_id, season)
        first = 0 if after is None else bisect_right(found, after.key, key=lambda each: each.position.key)
        page = found[first : first + limit]
        return page, page[-1].position if len(found) > first + limit else None

    def cross_table(
        self, ladder_id: str, bots: Sequence[str] | None = None, season: int | None = None
    ) -> Sequence[CrossCell]:
        """How each bot (of these) did against each other, in the order of the standings' ids. From sums that are
        kept."""
        _, season = self._in_season(ladder_id, season)
        wanted = sorted(self.store.standings(ladder_id, season)) if bots is None else bots
        return [
            CrossCell(bot, opponent, line)
            for bot, row in self.store.cross(ladder_id, season, wanted).items()
            for opponent, line in sorted(row.items())
            if line.matches
        ]

    def cross_page(
        self, ladder_id: str, after: str | None, limit: int, season: int | None = None
    ) -> tuple[Sequence[CrossCell], str | None]:
        """At most `limit` whole rows of the cross table after the row of the bot with this id, and the id after which
        to go on (`None` at the end). By ids, which stay while places in the standings change; where rows are long
        there are fewer on a page, but one."""
        _, season = self._in_season(ladder_id, season)
        bots = sorted(self.store.standings(ladder_id, season))
        wanted = [bot for bot in bots if bot > (after or "")]
        shown = wanted[: max(1, min(limit, MOST_CELLS // max(1, len(bots))))]
        return self.cross_table(ladder_id, shown, season), shown[-1] if len(wanted) > len(shown) else None

    # Inside

    def _in_season(self, ladder_id: str, season: int | None) -> tuple[Ladder, int]:
        """The ladder, and the number of this season or the present one. Raises `NoSuchLadder`, `NoSuchSeason`."""
        ladder = self.get(ladder_id)
        if season is not None and not 1 <= season <= ladder.season:
            raise NoSuchSeason(f"the ladder has no season {season}; the present one is {ladder.season}")
        return ladder, season or ladder.season

    def _check_accepts(self, ladder: Ladder, bot: Bot, entries: Iterable[LadderEntry]) -> None:
        """Raises `EntryRefused` for a bot that would not play in this ladder, with these entries."""
        owners = {entry.name.partition("/")[0] for entry in entries if entry.withdrawn is None}
        try:
            check_seats([bot], self.accounts, ladder.game, ladder.clock, Occasion.LADDER, owners)
        except BotUnavailable as refusal:
            raise EntryRefused(str(refusal), **refusal.details) from None
        health = Health() if bot.house else self.fitness.of([bot.id])[bot.id]
        if health.suspended is not None:
            raise EntryRefused(
                f"{bot.full_name} is suspended ({health.suspended.reason}); passing a check brings "
                f"it back: {_HOW}"
            )
        if ladder.check and not bot.house and health.passed is None:
            raise EntryRefused(
                f"{bot.full_name} has not passed a check, which this ladder asks of those who enter: {_HOW}"
            )

    def _taking_entries(self, ladder_id: str) -> Ladder:
        ladder = self.get(ladder_id)
        if ladder.state not in TAKES_ENTRIES:
            raise WrongLadderState(
                f"the ladder is {ladder.state}: its entries stay as they are", state=ladder.state.value
            )
        return ladder

    def _change(self, ladder_id: str, step: Any) -> Ladder:
        for _ in range(_ATTEMPTS):
            before = self.get(ladder_id)
            after: Ladder = step(before)
            if after == before:
                return before
            # Before the change: dying in between leaves a due time that is found to be wrong when it comes.
            due = self._due(after)
            self._put_due(after, {what: at for what, at in due.items() if at is not None})
            if self.store.change(before, after):
                self._put_due(after, {what: at for what, at in due.items() if at is None})
                return after
        raise Overtaken("the ladder changed too many times meanwhile; send the request again")

    def _due(self, ladder: Ladder) -> dict[str, int | None]:
        """When the ladder is to be looked at by its schedules."""
        now = self.store.now()
        plays, has_seasons = ladder.state is LadderState.RUNNING, ladder.state in HAS_SEASONS
        return {
            SCHEDULES: ladder.schedule.look(now) if ladder.schedule and plays else None,
            SEASONS: ladder.season_schedule.look(now) if ladder.season_schedule and has_seasons else None,
        }

    def _put_due(self, ladder: Ladder, due: Mapping[str, int | None]) -> None:
        for what, at in due.items():
            self.store.set_due(what, ladder.id, at)


def _rounds_by(cron: str | Continuous | None, timezone: str, now: int) -> When | None:
    return checked_schedule(cron, timezone, now) if isinstance(cron, str) else cron

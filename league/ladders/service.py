"""Ladders: their settings, entries and standings. `league.rounds` runs their rounds."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import reduce
from operator import attrgetter
from typing import Any, Final

from engine.quoting import quoted
from league.accounts.eligibility import check_seats
from league.accounts.model import Bot, MatchKind
from league.accounts.service import Accounts
from league.errors import (
    BadValue,
    BotUnavailable,
    EntryReason,
    EntryRefused,
    NoSuchLadder,
    NoSuchRound,
    NoSuchSeason,
    Overtaken,
    WrongLadderState,
)
from league.fitness.health import Fitness
from league.fitness.model import Health
from league.ladders.access import LadderAccessControl
from league.ladders.changes import (
    LadderStep,
    PlayedRounds,
    freeze_step,
    organisers_step,
    settings_step,
    state_step,
)
from league.ladders.model import (
    HAS_SEASONS,
    ROUNDS,
    SCHEDULES,
    SEASONS,
    TAKES_ENTRIES,
    AccessRule,
    AccessVerdict,
    CrossTableCell,
    Disqualification,
    EntryChange,
    EntryNews,
    Ladder,
    LadderEntry,
    LadderState,
    Round,
    Season,
    Standing,
    Totals,
)
from league.ladders.redis import RedisLadderStore
from league.ladders.schedule import Continuous
from league.ladders.settings import LadderSettings
from league.pairing.formats.bracket import Bracket
from league.pairing.formats.field import Walkovers
from league.pairing.formats.ranking import SeasonEntry, SeasonResults
from league.pairing.plan import MOST_TABLES, size
from records.ids import random_text
from referee.after_commit import AfterCommit, AfterCommitStep
from referee.storage import paging

_NOTHING: Final = Totals()
MOST_CELLS: Final = 4_000
"""The maximum number of cross table cells on a page: about 1 MB, and 20 ms of a process that also serves moves."""
_CHECK_COMMANDS: Final = "`kozyr check`, or `POST /v1/checks` with its token"
_ATTEMPTS: Final = 16


class Ladders:
    """Ladders, entries and standings. Safe to share between greenlets and threads."""

    def __init__(
        self,
        store: RedisLadderStore,
        accounts: Accounts,
        fitness: Fitness,
        *,
        after_commit: AfterCommit,
        bracket: Callable[[str, int], Bracket],
        results: Callable[[Ladder, int], SeasonResults],
        report: Callable[[Ladder, Sequence[EntryNews]], None],
        over: Callable[[Ladder], None],
    ) -> None:
        """`after_commit` guards what runs after a commit. `bracket` returns the bracket of a knock-out ladder in a
        season, and `results` what the rounds of a season hold (`league.rounds` has both). `report` takes changes of
        entries that are about to be stored, maybe more than once; `over`, likewise, takes ladders whose present season
        may be over."""
        self.after_commit, self._bracket, self._results = after_commit, bracket, results
        self._report, self._over = report, over
        self.store = store
        self.accounts = accounts
        self.fitness = fitness
        self.access = LadderAccessControl(store)

    # 1. Ladders

    def create(
        self,
        owner: str,
        settings: LadderSettings,
        *,
        state: str = LadderState.OPEN,
        ladder_id: str | None = None,
    ) -> Ladder:
        """Create a ladder and return it. With `ladder_id`, return the existing ladder of this id if there is one.

        Raise `BadTable` or `BadValue`.
        """
        now = self.store.now()
        if state not in (LadderState.DRAFT, LadderState.OPEN, LadderState.RUNNING):
            raise BadValue("state", state, "draft, open or running")
        ladder = Ladder(
            **vars(settings.checked(now)),
            id=ladder_id or "l" + random_text(16),
            owner=owner,
            state=LadderState(state),
            created=now,
            secret=random_text(26),
        )
        return self._added(ladder)

    def _added(self, ladder: Ladder) -> Ladder:
        """Store a new ladder. Return it, or the ladder that has its id already."""
        existing = self.store.ladder(ladder.id)
        if existing is not None:
            return existing
        # Due times before the commit, since a crash in between leaves only a check without effect. And after it, since
        # that check may have come before the commit.
        due = self._due(ladder)
        self._put_due(ladder, due)
        if not self.store.add(ladder):
            return self.get(ladder.id)
        self.after_commit.run(AfterCommitStep.ROUND, lambda: self._put_due(ladder, due), None)
        return ladder

    def get(self, ladder_id: str) -> Ladder:
        """Return a ladder. Raise `NoSuchLadder`."""
        ladder = self.store.ladder(ladder_id)
        if ladder is None:
            raise NoSuchLadder(f"there is no ladder {quoted(ladder_id)}")
        return ladder

    def page(
        self, cursor: str | None = None, limit: int = paging.PAGE_LIMIT
    ) -> tuple[list[Ladder], str | None]:
        """Return ladders, the newest first, and the cursor of the next page (`None` at the end)."""
        found = self.store.listed(cursor, limit + 1)
        ladders = [self.store.ladder(ladder_id) for _, ladder_id in found[:limit]]
        after = found[limit - 1][0] if len(found) > limit else None
        return [ladder for ladder in ladders if ladder is not None], after

    def change(
        self,
        ladder_id: str,
        changes: Mapping[str, Any] | None = None,
        *,
        organisers: Collection[str] | None = None,
        state: str | None = None,
    ) -> Ladder:
        """Change settings of a ladder (fields of `LadderSettings`), its co-organisers (ids of owners) and its state,
        all that is given or nothing. Return the ladder.

        `closing` becomes `closed` at once if no round is under way. Raise `NoSuchLadder`, `BadTable`, `BadValue`,
        `RoundRunning` or `WrongLadderState`.
        """
        now = self.store.now()
        steps = [settings_step(changes, now)] if changes else []
        if organisers is not None:
            steps.append(organisers_step(organisers))
        if state is not None:
            steps.append(state_step(state))
        if state == LadderState.CLOSING:
            # The clock closes the ladder if this process can't.
            self.store.set_due(ROUNDS, self.get(ladder_id).id, now)

        def change(ladder: Ladder, played: PlayedRounds) -> Ladder:
            after = reduce(lambda at, step: step(at, played), steps, ladder)
            if after.revision != ladder.revision:
                self._check_room(after)
            return after

        ladder = self._change(ladder_id, change)
        if state is None or ladder.state is not LadderState.CLOSING:
            return ladder
        return self.after_commit.run(AfterCommitStep.ROUND, lambda: self.close_if_done(ladder_id), ladder)

    def freeze(self, ladder_id: str, at: int | None) -> Ladder:
        """Withhold the results of groups that end from this instant on, by default from now on. Raise `NoSuchLadder`,
        `BadValue` or `WrongLadderState`."""
        now = self.store.now()
        return self._change(ladder_id, freeze_step(now if at is None else at, now))

    def unfreeze(self, ladder_id: str) -> Ladder:
        """Withhold no more results. `LeagueContainer.release_results` publishes the withheld ones."""
        return self._change(ladder_id, freeze_step(None, 0))

    def hold(self, groups: Mapping[str, Collection[str]]) -> set[str]:
        """Note that a match of these groups, by ladder, has ended. Return the ladders that withhold their results."""
        held = set()
        for ladder_id, ids in groups.items():
            if self._is_frozen(ladder_id):
                self.store.hold_groups(ladder_id, ids)
                # A release that did not see these groups came before, so the ladder is no longer frozen.
                held |= {ladder_id} if self._is_frozen(ladder_id) else set()
        return held

    def frozen_since(self, ladder: Ladder) -> int | None:
        """Return since when the ladder withholds results; `None` if it does not, or not yet."""
        return ladder.freeze if ladder.freeze is not None and ladder.is_frozen(self.store.now()) else None

    def _is_frozen(self, ladder_id: str) -> bool:
        ladder = self.store.ladder(ladder_id)
        return ladder is not None and self.frozen_since(ladder) is not None

    def close_if_done(self, ladder_id: str) -> Ladder:
        """Close a closing ladder without a round under way, and report that it may be over. Its bracket stays as it is
        then."""

        def step(ladder: Ladder, played: PlayedRounds) -> Ladder:
            if ladder.state is not LadderState.CLOSING or played.under_way is not None:
                return ladder
            bracket = self.bracket(ladder, ladder.season)
            walkovers = None if bracket is None else bracket.walkovers
            return replace(ladder, state=LadderState.CLOSED, walkovers=walkovers)

        ladder = self._change(ladder_id, step)
        if ladder.state is LadderState.CLOSED or ladder.format_class.ends:
            self.after_commit.run(AfterCommitStep.ROUND, lambda: self._over(ladder), None)
        return ladder

    def set_walkovers(self, ladder_id: str, walkovers: Walkovers) -> None:
        """Store the walkovers of a closed ladder's last bracket."""
        self._change(ladder_id, lambda ladder, _: replace(ladder, walkovers=walkovers))

    def next_rounds(self, ladder_id: str, count: int = 5) -> list[int]:
        """Return the next due instants of rounds, in ms since 1970. There are none unless the ladder is running, nor
        with `Continuous`."""
        ladder = self.get(ladder_id)
        if ladder.schedule is None or ladder.state is not LadderState.RUNNING:
            return []
        return ladder.schedule.after(self.store.now(), count)

    # 2. Entries

    def enter(self, ladder_id: str, bot: Bot, entropy: str | None = None) -> LadderEntry:
        """Enter a bot from the next round on. `entropy` goes into the shuffles of its matches. Entering again only
        updates the entropy. Raise `EntryRefused` or `WrongLadderState`."""
        ladder = self._taking_entries(ladder_id)
        entries = {entry.bot: entry for entry in self.store.entries(ladder_id)}
        self._check_accepts(ladder, bot, entries.values())
        known = entries.get(bot.id)
        if known is None or known.withdrawn is not None:
            self.access.check(ladder, bot)
        if known is None and len(entries) >= paging.MOST_EXAMINED:
            raise EntryRefused(
                f"the ladder is full: it takes {paging.MOST_EXAMINED} entries, withdrawn ones included",
                reason=EntryReason.FULL,
            )
        if known is not None and known.withdrawn is None and entropy in (None, known.entropy):
            return known
        others = [entry for entry in entries.values() if entry.bot != bot.id and entry.withdrawn is None]
        count = 1 + len(others)
        if ladder.format_class.single_table:
            _check_single_table(ladder, bot, others)
        if _is_too_large(ladder, count):
            raise EntryRefused(
                f"with {count} entries a round would have more than {MOST_TABLES} matches",
                reason=EntryReason.FULL,
            )
        # A returning bot keeps its first instant of entry, which formats use.
        entered = self.store.now() if known is None else known.entered
        disqualified = () if known is None else known.disqualified
        entry = LadderEntry(
            bot.id, bot.full_name, bot.owner, entered, entropy=entropy, disqualified=disqualified
        )
        if known is None or known.withdrawn is not None:
            returned = 0 if known is None else known.withdrawn or 0
            self._report(ladder, [EntryNews(entry, EntryChange.ENTERED, returned, self.store.now())])
        self.store.put_entry(ladder_id, entry)
        if isinstance(ladder.schedule, Continuous):
            # The others may have waited for this bot. If the ladder does not run, the clock removes it from the list.
            self.after_commit.run(
                AfterCommitStep.ROUND,
                lambda: self.store.set_due(SCHEDULES, ladder_id, self.store.now()),
                None,
            )
        return entry

    def withdraw(self, ladder_id: str, bot_id: str, reason: str = "") -> LadderEntry:
        """Withdraw a bot. It gets no further matches, and its results stay. Those concerned learn the reason. Raise
        `EntryRefused` or `WrongLadderState`."""
        ladder = self._taking_entries(ladder_id)
        for entry in self.store.entries(ladder_id):
            if entry.bot == bot_id:
                if entry.withdrawn is None:
                    (entry,) = self._withdrawn(ladder, [entry], EntryChange.WITHDRAWN, reason)
                return entry
        raise EntryRefused("this bot is not entered in this ladder", reason=EntryReason.NOT_ENTERED)

    def set_rules(
        self, ladder_id: str, names: Sequence[str], verdict: AccessVerdict | None, reason: str = ""
    ) -> Sequence[AccessRule]:
        """Set the ladder's rules for these owners and bots (`owner/bot`), or with `None` remove them, all or none.
        Return all rules.

        A ban also withdraws the bots that it names, and takes them out of the places of the present season; while
        nothing was played in it, of the last one too. They are back in these places when the ban is removed. Nobody
        bans the ladder's owner. Raise `NoSuchLadder`, `NoSuchOwner`, `NoSuchBot` or `BadValue`.
        """
        ladder = self.get(ladder_id)
        named = [self._named(name) for name in names]
        if verdict is AccessVerdict.BANNED and ladder.owner in {owner for _, _, owner in named}:
            raise BadValue("name", ", ".join(names), "another owner than the ladder's, or one of their bots")
        ids = {name: ident for name, ident, _ in named}
        rules = self.access.set_rules(ladder_id, ids, verdict, reason)
        entries = self._judged(ladder, ids.values(), verdict, reason)
        if verdict is AccessVerdict.BANNED:
            left = [entry for entry in entries if entry.withdrawn is None]
            self._withdrawn(ladder, left, EntryChange.BANNED, reason)
        return rules

    def _named(self, name: str) -> tuple[str, str, str]:
        """Return the present name and the id of the owner or bot that has or had this name, and the id of its owner."""
        owner, slash, own = name.partition("/")
        if slash:
            bot = self.accounts.bot(owner, own)
            return bot.full_name, bot.id, bot.owner
        found = self.accounts.owner_by_name(owner)
        return found.name, found.id, found.id

    def _judged(
        self, ladder: Ladder, ids: Collection[str], verdict: AccessVerdict | None, reason: str
    ) -> Sequence[LadderEntry]:
        """Take the entries of these bots and owners out of the places, or back into them. Return these entries."""
        seasons, now = [ladder.season], self.store.now()
        if ladder.season > 1 and self.store.last_round(ladder.id) < ladder.season_first:
            seasons.append(ladder.season - 1)
        found = []
        for entry in self.store.entries(ladder.id):
            rule = next((each for each in (entry.bot, entry.owner) if each in ids), None)
            if rule is None:
                continue
            if verdict is AccessVerdict.BANNED:
                why = f"banned: {reason}" if reason else "banned"
                after = entry.disqualify(*(Disqualification(season, why, now, rule) for season in seasons))
            else:
                kept = (each for each in entry.disqualified if each.rule not in ids)
                after = entry._replace(disqualified=tuple(kept))
            if after != entry:
                self.store.put_entry(ladder.id, after)
            found.append(after)
        return found

    def disqualify(self, ladder_id: str, bot: Bot, season: int | None, reason: str | None) -> LadderEntry:
        """Take an entry out of the places of a season, by default the present one, or without a reason back into them.
        Raise `EntryRefused`, `NoSuchSeason` or `NoSuchLadder`."""
        ladder, number = self.in_season(ladder_id, season)
        for entry in self.store.entries(ladder.id):
            if entry.bot == bot.id:
                others = (each for each in entry.disqualified if each.season != number)
                after = entry._replace(disqualified=tuple(others))
                if reason is not None:
                    after = after.disqualify(Disqualification(number, reason, self.store.now()))
                self.store.put_entry(ladder.id, after)
                return after
        raise EntryRefused(f"{bot.full_name} is not entered in this ladder", reason=EntryReason.NOT_ENTERED)

    def _withdrawn(
        self, ladder: Ladder, entries: Sequence[LadderEntry], change: EntryChange, reason: str
    ) -> Sequence[LadderEntry]:
        """Withdraw these entries and return them."""
        now = self.store.now()
        after = [entry._replace(withdrawn=now) for entry in entries]
        self._report(ladder, [EntryNews(entry, change, now, now, reason) for entry in after])
        for entry in after:
            self.store.put_entry(ladder.id, entry)
        return after

    def entries(self, ladder_id: str, *, withdrawn: bool = False) -> list[LadderEntry]:
        """Return the entries by name; `withdrawn` includes withdrawn bots. Raise `NoSuchLadder`."""
        self.get(ladder_id)
        found = [entry for entry in self.store.entries(ladder_id) if withdrawn or entry.withdrawn is None]
        return sorted(found, key=lambda entry: entry.name)

    def real_names(self, ladder: Ladder) -> dict[str, str]:
        """Return by bot the real names that its owners gave for the organisers of this ladder's owner. Nobody but the
        ladder's organisers may see them."""
        owners = {entry.bot: entry.owner for entry in self.store.entries(ladder.id)}
        names = self.accounts.real_names(ladder.owner, {*owners.values()})
        return {bot: names[owner] for bot, owner in owners.items() if owner in names}

    def entries_page(
        self, ladder_id: str, after: str | None, limit: int, *, withdrawn: bool = False
    ) -> tuple[Sequence[LadderEntry], str | None]:
        """Return at most `limit` entries after this name, and the name for the next page (`None` at the end)."""
        found = [each for each in self.entries(ladder_id, withdrawn=withdrawn) if each.name > (after or "")]
        shown = found[:limit]
        return shown, shown[-1].name if len(found) > limit else None

    # 3. Results

    def in_season(self, ladder_id: str, season: int | None) -> tuple[Ladder, int]:
        """Return the ladder and this or its current season. Raise `NoSuchLadder` or `NoSuchSeason`."""
        ladder = self.get(ladder_id)
        return ladder, ladder.season if season is None else self.season(ladder, season).number

    def season(self, ladder: Ladder, number: int) -> Season:
        """Return a season, the current one too. Raise `NoSuchSeason`."""
        if number == ladder.season:
            began = ladder.created if ladder.season_began is None else ladder.season_began
            return Season(ladder.id, number, began, ladder.season_first, walkovers=ladder.walkovers)
        (found,) = self.store.seasons(ladder.id, [number])
        if found is None:
            raise NoSuchSeason(f"the ladder has no season {number}; the current one is {ladder.season}")
        return found

    def rounds_of(self, season: Season) -> range:
        """Return the numbers of the rounds that a season has so far."""
        last = self.store.last_round(season.ladder) if season.last_round is None else season.last_round
        return range(season.first_round, last + 1)

    def round(self, ladder_id: str, number: int) -> Round:
        """Return a round. Raise `NoSuchLadder` or `NoSuchRound`."""
        self.get(ladder_id)
        (found,) = self.store.rounds(ladder_id, [number])
        if found is None:
            raise NoSuchRound(f"the ladder has no round {number}")
        return found

    def rounds(
        self, ladder_id: str, before: int | None = None, limit: int = paging.PAGE_LIMIT
    ) -> tuple[Sequence[Round], int | None]:
        """Return rounds before this number, the latest first, and the number for the next page (`None` at the end).

        Each entrant counts as an examined entry, so a page may hold fewer than `limit` rounds, but at least one.
        """
        self.get(ladder_id)
        last = self.store.last_round(ladder_id) if before is None else before - 1
        numbers = range(last, max(last - limit, 0), -1)
        found: list[Round] = []
        left, each_costs = paging.MOST_EXAMINED, paging.MOST_EXAMINED
        while numbers:
            size = max(1, min(paging.AT_ONCE, left // each_costs))
            for number, round_ in zip(
                numbers[:size], self.store.rounds(ladder_id, numbers[:size]), strict=True
            ):
                each_costs = 1 if round_ is None else 1 + len(round_.entrants)
                left -= each_costs
                if left < 0 and found:
                    return found, number + 1
                found += [] if round_ is None else [round_]
            last, numbers = numbers[:size][-1], numbers[size:]
        return found, last if last > 1 else None

    def standings(
        self, ladder_id: str, season: int | None = None, *, with_idle: bool = True
    ) -> Sequence[Standing]:
        """Return the standings, as the ladder's format ranks them (`Format.rank`). Bots without a round come last; past
        seasons omit them, and so does the present one without `with_idle`.

        Raise `NoSuchLadder` or `NoSuchSeason`.
        """
        ladder, season = self.in_season(ladder_id, season)
        results = self._results(ladder, season)
        lines = self.store.standings(ladder_id, season)
        took_part = {bot for round_ in results.rounds for bot in round_.entrants}
        took_part |= {bot for bot, line in lines.items() if line.matches}
        took_part |= set(results.bracket.reached if results.bracket is not None else ())
        entries = {
            entry.bot: entry
            for entry in sorted(self.store.entries(ladder_id), key=attrgetter("entered", "name"))
            if entry.bot in took_part or (with_idle and entry.withdrawn is None and season == ladder.season)
        }
        ranked = [
            SeasonEntry(
                *(entry.bot, entry.name, line.points_per_deal),
                entry.out_of(season) or ladder.short_of_minimum(line),
            )
            for entry in entries.values()
            for line in [lines.get(entry.bot, _NOTHING)]
        ]
        return [
            Standing(rank, entries[bot].withdrawn is not None, lines.get(bot, _NOTHING))
            for rank in ladder.pairing_format().rank(results._replace(entries=ranked))
            for bot in [rank.entry.bot]
        ]

    def is_complete(self, ladder: Ladder) -> bool:
        """Return whether nothing is left to play in the present season, which has no round under way."""
        if not ladder.format_class.ends:
            return False
        entries = sorted(self.store.entries(ladder.id), key=attrgetter("entered", "name"))
        results = self._results(ladder, ladder.season)
        known = [SeasonEntry(each.bot, each.name, None) for each in entries]
        return ladder.pairing_format().is_complete(results._replace(entries=known))

    def bracket(self, ladder: Ladder, season: int) -> Bracket | None:
        """Return the bracket of a season of a knock-out ladder; `None` for other formats."""
        return self._bracket(ladder.id, season) if ladder.format_class.has_bracket else None

    def cross_table(
        self, ladder_id: str, bots: Sequence[str] | None = None, season: int | None = None
    ) -> Sequence[CrossTableCell]:
        """Return the results of each bot, or of `bots`, against each other bot, ordered by ids."""
        _, season = self.in_season(ladder_id, season)
        wanted = sorted(self.store.standings(ladder_id, season)) if bots is None else bots
        return [
            CrossTableCell(bot, opponent, line)
            for bot, row in self.store.cross(ladder_id, season, wanted).items()
            for opponent, line in sorted(row.items())
            if line.matches
        ]

    def cross_page(
        self, ladder_id: str, after: str | None, limit: int, season: int | None = None
    ) -> tuple[Sequence[CrossTableCell], str | None]:
        """Return at most `limit` rows of the cross table after this bot id, and the id for the next page (`None` at
        the end).

        Pages follow ids, which stay fixed while places change. A page of long rows holds fewer than `limit` rows, but
        at least one.
        """
        _, season = self.in_season(ladder_id, season)
        bots = sorted(self.store.standings(ladder_id, season))
        wanted = [bot for bot in bots if bot > (after or "")]
        shown = wanted[: max(1, min(limit, MOST_CELLS // max(1, len(bots))))]
        return self.cross_table(ladder_id, shown, season), shown[-1] if len(wanted) > len(shown) else None

    # Inside

    def _check_accepts(self, ladder: Ladder, bot: Bot, entries: Iterable[LadderEntry]) -> None:
        """Raise `EntryRefused` for a bot that would not play in this ladder with these entries."""
        owners = {entry.name.partition("/")[0] for entry in entries if entry.withdrawn is None}
        try:
            check_seats([bot], self.accounts, ladder.game, ladder.clock, MatchKind.LADDER, owners)
        except BotUnavailable as refusal:
            raise EntryRefused(str(refusal), **refusal.details) from None
        health = Health() if bot.house else self.fitness.of([bot.id])[bot.id]
        if health.suspended is not None:
            raise EntryRefused(
                f"{bot.full_name} is suspended ({health.suspended.reason}); passing a conformance check "
                f"ends the suspension: {_CHECK_COMMANDS}",
                reason=EntryReason.SUSPENDED,
            )
        if ladder.check and not bot.house and health.passed is None:
            raise EntryRefused(
                f"{bot.full_name} has not passed a conformance check, which this ladder requires: {_CHECK_COMMANDS}",
                reason=EntryReason.UNCHECKED,
            )

    def _check_room(self, ladder: Ladder) -> None:
        """Raise `BadValue` for settings with which the entries don't fit."""
        count = len(self.entries(ladder.id))
        if ladder.format_class.single_table and count > ladder.seats:
            raise BadValue(
                "format", ladder.format, f"a format for more than one table, since {count} bots are entered"
            )
        if _is_too_large(ladder, count):
            expected = f"settings with which {count} entries play at most {MOST_TABLES} matches a round"
            raise BadValue("repeats", ladder.repeats, expected)

    def _taking_entries(self, ladder_id: str) -> Ladder:
        ladder = self.get(ladder_id)
        if ladder.state not in TAKES_ENTRIES:
            raise WrongLadderState(
                f"the ladder is {ladder.state}: its entries can't change", state=ladder.state.value
            )
        return ladder

    def _change(self, ladder_id: str, step: LadderStep) -> Ladder:
        for _ in range(_ATTEMPTS):
            before = self.get(ladder_id)
            under_way = self.store.rounds_under_way(ladder_id)
            played = PlayedRounds(self.store.last_round(ladder_id), under_way[-1] if under_way else None)
            after = step(before, played)
            if after == before:
                return before
            # Before the commit, since a crash in between leaves only a check without effect. And after it, since that
            # check may have come before the commit.
            due = self._due(after)
            self._put_due(after, {what: at for what, at in due.items() if at is not None})
            last_round = None if after.revision == before.revision else played.last
            if self.store.change(before, after, last_round):
                self.after_commit.run(AfterCommitStep.ROUND, lambda: self._put_due(after, due), None)  # noqa: B023 -- called at once
                return after
        raise Overtaken("the ladder changed too many times; retry the request")

    def _due(self, ladder: Ladder) -> dict[str, int | None]:
        now = self.store.now()
        plays, has_seasons = ladder.state is LadderState.RUNNING, ladder.state in HAS_SEASONS
        return {
            SCHEDULES: ladder.schedule.look(now) if ladder.schedule and plays else None,
            SEASONS: ladder.season_schedule.look(now) if ladder.season_schedule and has_seasons else None,
        }

    def _put_due(self, ladder: Ladder, due: Mapping[str, int | None]) -> None:
        for what, at in due.items():
            self.store.set_due(what, ladder.id, at)


def _is_too_large(ladder: Ladder, entries: int) -> bool:
    """Return whether a round with this number of entries would have too many tables."""
    return (
        ladder.pairing_format().plays_every_set(ladder.seats)
        and size(entries, ladder.seats, ladder.repeats, ladder.decks) > MOST_TABLES
    )


def _check_single_table(ladder: Ladder, bot: Bot, others: Sequence[LadderEntry]) -> None:
    """Raise `EntryRefused` for a bot that cannot share the ladder's one table with these entries."""
    rival = next((entry for entry in others if entry.owner == bot.owner and not bot.house), None)
    if rival is not None:
        raise EntryRefused(
            f"{bot.full_name} and {rival.name} have the same owner, and bots of one owner never share a table; "
            f"a {ladder.format} ladder seats all its entries at one table",
            reason=EntryReason.SAME_OWNER,
        )
    if len(others) >= ladder.seats:
        raise EntryRefused(
            f"a {ladder.format} ladder has one table, and its {ladder.seats} seats are taken; withdraw an entry first",
            reason=EntryReason.FULL,
        )

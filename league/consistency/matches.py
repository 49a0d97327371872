"""The checks of each stored match: what follows from it in lists, groups, chain, rounds and ratings."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, Final, NamedTuple

from league.consistency.groups import GroupChecks
from league.consistency.model import ConsistencyServices, Contradiction, Kind
from league.consistency.redis import RedisEvidence
from league.ladders.model import LadderState, Round
from records.match.loaded_match import LoadedMatch
from records.match.record import preset_of_match
from records.results.group_result import group_result_of, played_among
from referee.duplicate_groups import GroupState
from referee.groups.model import GroupStatus

LOST: Final = "lost in a failover"
"""Why a round failed that was missing."""
_ANY: Final = 1 << 30
_ROUNDS_KEPT: Final = 8
"""How many rounds are remembered."""

Feed = Callable[[Sequence[str]], None]
"""Feeds matches to the indexes again."""


class KnownRound(NamedTuple):
    """What a round says of its matches."""

    tables: Mapping[str, int]
    """By the ids of their matches, and by those of their groups a table of each."""
    plan: Sequence[Sequence[str]]
    """The ids of the bots at each table."""
    waits: Mapping[str, int]
    reruns: Mapping[str, str]


class MatchChecks:
    def __init__(
        self, services: ConsistencyServices, evidence: RedisEvidence, of_groups: GroupChecks, feed: Feed
    ) -> None:
        self._services, self._evidence, self._feed = services, evidence, feed
        self._of_groups = of_groups
        self._missing: set[tuple[str, int]] = set()
        self._rated: set[str] = set()
        """The groups whose result was looked at."""
        self._rounds: OrderedDict[tuple[str, int], KnownRound | None] = OrderedDict()

    def forget(self) -> None:
        """Forget the rounds, since a repair may have changed them."""
        self._rounds.clear()
        self._missing.clear()
        self._rated.clear()
        self._of_groups.forget()

    def findings(self, matches: Sequence[str]) -> Iterator[Contradiction]:
        """Yield what contradicts these matches."""
        snapshots = self._services.store.read(matches)
        found = [each for each in snapshots if each is not None and not each.archived]
        groups = self._services.groups.states(each.config.group.id for each in found if each.config.group)
        links = self._services.chain.links([loaded.id for loaded in found])
        for loaded, link in zip(found, links, strict=True):
            ids: dict[str, Any] = {"match": loaded.id}
            config = loaded.config
            group = None if config.group is None else groups.get(config.group.id)
            if config.ladder is not None:
                ids |= {"ladder": config.ladder, "round": config.round}
                yield from self._missing_round(config.ladder, config.round or 0)
            if config.group is not None:
                ids["group"] = config.group.id
                if group is None:
                    self._of_groups.note_orphan(loaded)
                    continue
                yield from self._of_groups.incomplete(group)
                if loaded.finished and _is_unsettled(loaded, group):
                    yield self._fed(Kind.GROUP, ids, "it is over, and its duplicate group does not know")
            if config.ladder is not None and not loaded.void:
                yield from self._misplaced(loaded, ids)
            listed = group is None or group.progress.status is not GroupStatus.RUNNING
            for key in self._evidence.unlisted(config, over=loaded.finished, listed=listed):
                yield self._relisted(loaded, ids, f"{key} is wrong about it")
            if loaded.finished and listed:
                if link is None:
                    yield self._fed(Kind.UNCHAINED, ids, "the chain lacks its record")
                yield from self._readable(loaded, group, ids)

    def together(self, loaded: LoadedMatch, group: GroupState | None) -> list[LoadedMatch]:
        """Return the finished matches that are read together with this one."""
        if group is None or group.progress.status is not GroupStatus.OVER:
            return [loaded]
        snapshots = self._services.store.read(group.matches())
        loaded_matches = [each for each in snapshots if each is not None]
        return [each for each in loaded_matches if each.finished]

    def _readable(
        self, loaded: LoadedMatch, group: GroupState | None, ids: Mapping[str, Any]
    ) -> Iterator[Contradiction]:
        """Yield what contradicts a record that may be read."""
        if loaded.config.ladder is not None:
            yield from self._of_ladder(loaded, group, ids)
        if loaded.config.rated and loaded.config.group_id not in self._rated:
            if group is not None:
                self._rated.add(group.group.id)
            outcome = group_result_of(played_among(self.together(loaded, group)))
            preset = preset_of_match(loaded.config)
            if not self._evidence.has_result(preset, loaded.config.group_id, outcome):
                yield self._fed(Kind.RATING, ids, "the ratings have another result, or lack it")

    def _of_ladder(
        self, loaded: LoadedMatch, group: GroupState | None, ids: Mapping[str, Any]
    ) -> Iterator[Contradiction]:
        ladder, number = loaded.config.ladder or "", loaded.config.round or 0
        known = self._round(ladder, number)
        if known is not None and match_key_of(loaded, group) in known.waits:
            yield self._fed(Kind.UNCOUNTED, ids, "its round waits for it, though it is over")

    def _missing_round(self, ladder: str, number: int) -> Iterator[Contradiction]:
        """Yield a round that is missing, although it has a match, once in a check."""
        if (ladder, number) in self._missing or self._round(ladder, number) is not None:
            return
        self._missing.add((ladder, number))
        if self._services.ladders.store.ladder(ladder) is None:
            return  # nothing to put the round into
        lost = partial(self._lost_round, ladder, number)
        about = {"ladder": ladder, "round": number}
        yield Contradiction(Kind.ROUND, about, "the round is missing, and its matches exist", lost)

    def _misplaced(self, loaded: LoadedMatch, ids: Mapping[str, Any]) -> Iterator[Contradiction]:
        """Yield a match that counts and does not belong to its round."""
        if wrong := self._why_misplaced(loaded, loaded.config.ladder or "", loaded.config.round or 0):
            void = partial(self._void, loaded.id, f"{wrong} after a failover")
            yield Contradiction(Kind.DOUBLE, ids, wrong, void)

    def _why_misplaced(self, loaded: LoadedMatch, ladder: str, number: int) -> str:
        """Return why a match does not belong to its round, or `""`."""
        known = self._round(ladder, number)
        if known is None:
            return "its round does not exist"
        table = known.tables.get(loaded.config.group_id)
        if table is None:
            return "it belongs to no table of its round"
        if loaded.config.group is not None:
            return ""
        if loaded.id in known.reruns:
            return "its table was played again"
        seats = [seat.id for seat in loaded.config.seats if seat is not None]
        return "" if seats == known.plan[table] else "other bots play at its table"

    def _round(self, ladder_id: str, number: int) -> KnownRound | None:
        key = (ladder_id, number)
        if key not in self._rounds:
            store, tables = self._services.ladders.store, self._services.tables
            ladder, (round_,) = store.ladder(ladder_id), store.rounds(ladder_id, [number])
            found = None
            if ladder is not None and round_ is not None:
                plan = [[bot.id for bot in table.entrants] for table in tables.plan(ladder, round_).tables]
                waits = self._evidence.waits(ladder_id, number)
                found = KnownRound(tables.by_id(ladder, round_), plan, waits, store.reruns(ladder_id, number))
            self._rounds[key] = found
            if len(self._rounds) > _ROUNDS_KEPT:
                self._rounds.popitem(last=False)
        return self._rounds[key]

    def _fed(self, kind: Kind, ids: Mapping[str, Any], says: str) -> Contradiction:
        return Contradiction(kind, ids, says, partial(self._feed, [ids["match"]]))

    def _relisted(self, loaded: LoadedMatch, ids: Mapping[str, Any], says: str) -> Contradiction:
        def relist() -> None:
            if not loaded.finished:
                self._evidence.begin_again(loaded.config)
            self._feed([loaded.id])

        return Contradiction(Kind.UNLISTED, ids, says, relist)

    def _lost_round(self, ladder_id: str, number: int) -> None:
        """Open the rounds up to this one as failed, so that no new round has its number and its matches."""
        store = self._services.ladders.store
        while (ladder := store.ladder(ladder_id)) is not None and store.last_round(ladder_id) < number:
            now = store.now()
            lost = Round(
                ladder=ladder_id,
                number=store.last_round(ladder_id) + 1,
                due=None,
                started=now,
                entrants=(),
                repeats=1,
                excluded=0,
                planned=0,
                ended=now,
                season=ladder.season,
                reason=LOST,
            )
            if store.open_round(lost, list(LadderState), _ANY).what != "opened":
                return

    def _void(self, match: str, why: str) -> None:
        self._services.referee.void(match, why)


def match_key_of(loaded: LoadedMatch, group: GroupState | None) -> str:
    """Return the id that represents a match in its round: in a group that of the first attempt."""
    if group is None or loaded.config.group is None:
        return loaded.id
    return group.group.match_id(loaded.config.group.slot, 0)


def _is_unsettled(loaded: LoadedMatch, group: GroupState) -> bool:
    """Return whether a finished match is the current one of its table and the group still waits for it."""
    seating = loaded.config.group
    assert seating is not None
    progress = group.progress
    if progress.status is not GroupStatus.RUNNING or seating.slot in progress.over:
        return False
    return group.matches()[seating.slot] == loaded.id

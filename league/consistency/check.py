"""The check of the stored data, and their repair.

A Redis Cluster or a failover may bring back a part of the data as it was some time ago, while other parts are newer.
Then matches, which are the truth, and what follows from them contradict one another. The check reads everything in
bounded pieces and changes nothing. Each finding has what mends it. A repair mends what the check finds and checks
again, until nothing is left, since one repair may uncover another contradiction.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Final

from league.consistency.groups import GroupChecks
from league.consistency.ladders import LadderChecks
from league.consistency.matches import MatchChecks
from league.consistency.model import ConsistencyServices, Contradiction, Kind
from league.consistency.redis import AT_ONCE, MatchList, RedisEvidence
from records.chain import leads_to
from records.match.record import Record
from records.match.session import Status

MOST_PASSES: Final = 8
"""How often a repair checks again."""

Report = Callable[[Contradiction], None]


class Consistency:
    """Checks and repairs the data. A repair requires that nothing else writes."""

    def __init__(self, services: ConsistencyServices, evidence: RedisEvidence) -> None:
        self._services, self._evidence = services, evidence
        self._kept: set[str] = set()
        """Matches that only an unknown segment has."""
        self._groups = GroupChecks(services)
        self._matches = MatchChecks(services, evidence, self._groups, self._feed)
        self._ladders = LadderChecks(services, evidence, self._matches)

    def findings(self) -> Iterator[Contradiction]:
        """Yield all contradictions. A match may come more than once."""
        self._matches.forget()
        yield from self._unknown_segments()
        yield from self._ladders.rounds()
        for matches in self._evidence.stored():
            yield from self._matches.findings(matches)
        yield from self._groups.findings()
        for found in self._evidence.lists():
            yield from self._listed(found)
        for key, match, command in self._evidence.left_over():
            remove = partial(self._evidence.run, command)
            yield Contradiction(Kind.LEFT_OVER, {"match": match, "key": key}, "the match is missing", remove)
        yield from self._holes()
        yield from self._results()
        yield from self._ladders.standings()
        yield from self._archive()

    def repair(self, report: Report) -> list[Contradiction]:
        """Mend what the check finds, and report each. Return what is left, which nothing here mends."""
        for _ in range(MOST_PASSES):
            left, mended = list[Contradiction](), 0
            for finding in self.findings():
                if finding.mend is None:
                    left.append(finding)
                    continue
                report(finding)
                finding.mend()
                mended += 1
            if not mended:
                break
        for preset in self._services.ratings.presets():
            self._services.ratings.catch_up(preset)
        return left if not mended else [*self.findings()]

    def _feed(self, matches: Sequence[str]) -> None:
        """Feed these matches, except those whose groups are missing."""
        loaded = [match for match in self._services.referee.look_at(matches) if match is not None]
        groups = self._services.groups.states(each.config.group.id for each in loaded if each.config.group)
        self._services.feed(
            [match for match in loaded if match.config.group is None or match.config.group.id in groups]
        )

    def _gone(self, matches: Sequence[str]) -> list[str]:
        """Return those of these matches that are neither in Redis nor in the archive."""
        missing = self._evidence.missing(matches)
        if not missing:
            return []
        found = zip(missing, self._services.store.read(missing), strict=True)
        return [
            match
            for match, snapshot in found
            if snapshot is None and match not in self._services.store.unreadable
        ]

    def _unknown_segments(self) -> Iterator[Contradiction]:
        """Yield the segments that hold matches which are nowhere else. Nothing that names these is removed."""
        self._kept.clear()
        archiver = self._services.archiver
        for name, matches in archiver.unknown_segments() if archiver is not None else ():
            if gone := self._gone(matches):
                self._kept.update(gone)
                ids = {"object": name, "matches": " ".join(gone)}
                yield Contradiction(
                    Kind.ARCHIVE, ids, "only this segment has the matches, and nothing names it"
                )

    def _archive(self) -> Iterator[Contradiction]:
        """Yield the faults of the archive, also against the chain."""
        archiver = self._services.archiver
        if archiver is None:
            return
        for faults in (archiver.faults(), *(each for _, each in archiver.verify())):
            for fault in faults:
                yield Contradiction(Kind.ARCHIVE, {"object": str(fault.where)}, str(fault.wrong))

    def _listed(self, found: MatchList) -> Iterator[Contradiction]:
        for matches in self._evidence.members(found):
            for match in self._gone(matches):
                remove = None if match in self._kept else partial(self._evidence.unlist, found, match)
                ids = {"match": match, "key": found.key}
                yield Contradiction(Kind.LISTED, ids, "the list names a match that is missing", remove)

    def _holes(self) -> Iterator[Contradiction]:
        """Yield the links of the chain that follow from no record."""
        for page in self._evidence.chained():
            unproven = self._unproven([match for _, match in page])
            for number, match in page:
                if match in unproven:
                    says = "the chain has another record than this match, or the match is missing"
                    relink = None if self._kept else partial(self._relink, number)
                    yield Contradiction(Kind.HOLE, {"record": number, "match": match}, says, relink)

    def _relink(self, first: int) -> None:
        """Take the records from this number on out of the chain, and append those that exist again in their order."""
        after = [match for page in self._evidence.chained(first) for _, match in page]
        if not self._unproven(after[:1]):
            return  # mended with an earlier hole
        self._evidence.cut_chain(first)
        for start in range(0, len(after), AT_ONCE):
            self._feed(after[start : start + AT_ONCE])

    def _unproven(self, matches: Sequence[str]) -> set[str]:
        """Return the matches whose links don't follow from their records. Unreadable matches are left out."""
        found = set[str]()
        links = self._services.chain.links(matches)
        for match, link, snapshot in zip(matches, links, self._services.store.read(matches), strict=True):
            if link is None or match in self._services.store.unreadable:
                continue
            if snapshot is None or snapshot.progress.status is not Status.FINISHED:
                found.add(match)
                continue
            record = Record(snapshot.config, snapshot.progress, snapshot.secret, snapshot.log)
            if not leads_to(link.previous, record.to_json(), link.link):
                found.add(match)
        return found

    def _results(self) -> Iterator[Contradiction]:
        """Yield the results in ratings of which no match is over."""
        for preset in self._services.ratings.presets():
            for results in self._evidence.results(preset):
                for group in self._lost([result.id for result in results]):
                    ids = {"group": group, "preset": preset}
                    forget = partial(self._services.ratings.take_back, preset, group)
                    yield Contradiction(Kind.RATING, ids, "none of its matches is over", forget)

    def _lost(self, groups: Sequence[str]) -> Iterator[str]:
        """Yield those of these groups, or matches outside groups, of which no match is over."""
        states = self._services.groups.states(groups)
        matches = {ident: states[ident].matches() if ident in states else [ident] for ident in groups}
        over = self._over([match for each in matches.values() for match in each])
        yield from (ident for ident, each in matches.items() if over.isdisjoint(each))

    def _over(self, matches: Sequence[str]) -> set[str]:
        """Return those of these matches that are over, or can't be read."""
        store = self._services.store
        return {
            match
            for match, snapshot in zip(matches, store.read(matches), strict=True)
            if (
                match in store.unreadable if snapshot is None else snapshot.progress.status is Status.FINISHED
            )
        }

"""The feed from committed steps to the indexes, and from matches that became readable to their readers.

It runs after commits and from the outboxes, once or more often and in any order, and is safe to repeat.

A match of no duplicate group is readable when it is over. The matches of a group become readable together, when the
last one is over. After a later annotation readers get the whole group again, because a group result depends
on the whole group.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from records.match.loaded_match import LoadedMatch
from referee.duplicate_groups import Groups, GroupState
from referee.groups.model import GroupStatus
from referee.referee import Referee
from referee.storage.index import ListedMatch
from referee.storage.redis_index import RedisMatchIndex

Reader = Callable[[Sequence[Sequence[LoadedMatch]]], None]
"""Takes matches that became readable: those of a group together, others alone. May get them more than once."""

MatchReader = Callable[[Sequence[LoadedMatch]], None]
"""Takes matches. May get them more than once."""


class Feed:
    """Feeds the index and the readers. Safe to share between greenlets and threads."""

    def __init__(
        self,
        referee: Referee,
        index: RedisMatchIndex,
        groups: Groups,
        readers: Sequence[Reader] = (),
        ended: Sequence[MatchReader] = (),
        fed: Sequence[MatchReader] = (),
    ) -> None:
        """`ended` take finished matches that aren't readable yet because their groups aren't over. `fed` take all
        matches, also those that were created or started, before the others take them."""
        self._referee, self._index, self._groups = referee, index, groups
        self._readers, self._ended, self._fed = readers, ended, fed

    def __call__(self, loaded_matches: Sequence[LoadedMatch]) -> None:
        """Take in these matches, in a number of round trips that doesn't grow with theirs."""
        over = [loaded for loaded in loaded_matches if loaded.finished]
        listed, readable = self._sorted(loaded_matches, over)
        self._index.feed(listed)
        for take in self._fed:
            take(loaded_matches)
        if not over:
            return
        finished = [[loaded for loaded in together if loaded.finished] for together in readable]
        finished = [together for together in finished if together]
        readable_ids = {loaded.id for together in finished for loaded in together}
        waiting = [loaded for loaded in over if loaded.id not in readable_ids]
        for take_ended in self._ended if waiting else ():
            take_ended(waiting)
        if finished:
            for reader in self._readers:
                reader(finished)
            self._feed_annotated([loaded for together in finished for loaded in together])

    def _feed_annotated(self, fed: Sequence[LoadedMatch]) -> None:
        """Feed these matches again as they are now, if they were annotated since they were read.

        The process that annotated a match may have fed it before this one, which then has overwritten what it did.
        """
        annotations = self._referee.store.annotations([loaded.id for loaded in fed])
        late = [loaded.id for loaded, now in zip(fed, annotations, strict=True) if now != loaded.annotations]
        if late:
            self([loaded for loaded in self._referee.look_at(late) if loaded is not None])

    def _sorted(
        self, loaded_matches: Sequence[LoadedMatch], over: Sequence[LoadedMatch]
    ) -> tuple[list[ListedMatch], list[list[LoadedMatch]]]:
        """Return the matches as the index takes them, and by group those that may be read when they are finished."""
        groups = self._groups.on_finished(over)
        listed: list[ListedMatch] = []
        readable: list[list[LoadedMatch]] = []
        whole: dict[str, GroupState] = {}
        for loaded in loaded_matches:
            seating, match = loaded.config.group, ListedMatch.of(loaded)
            if seating is None:
                listed.append(match)
                readable.append([loaded])
                continue
            group = groups[seating.id].progress if loaded.finished else None
            if group is None or group.status is GroupStatus.RUNNING:
                listed.append(match._replace(listed=False))
            elif group.status is GroupStatus.OVER or group.ended_by == seating.slot:
                whole[seating.id] = groups[seating.id]
            else:
                # Another match has broken off its group.
                listed.append(match)
                readable.append([loaded])
        matches = self._existing(over, whole.values())
        for state in whole.values():
            readable.append([matches[ident] for ident in state.matches() if ident in matches])
            listed += [ListedMatch.of(matches[ident]) for ident in state.all_matches() if ident in matches]
        return listed, readable

    def _existing(self, over: Sequence[LoadedMatch], groups: Iterable[GroupState]) -> dict[str, LoadedMatch]:
        """Return the existing matches of these groups by id.

        Reads none of those in `over`, unless their group was broken off: its matches may have become void meanwhile.
        """
        finished = {loaded.id: loaded for loaded in over}
        existing: dict[str, LoadedMatch] = {}
        unread = []
        for group in groups:
            for match in group.all_matches():
                if match in finished and group.progress.status is GroupStatus.OVER:
                    existing[match] = finished[match]
                else:
                    unread.append(match)
        loaded_matches = self._referee.look_at(unread) if unread else []
        return existing | {loaded.id: loaded for loaded in loaded_matches if loaded is not None}

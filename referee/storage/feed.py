"""What follows from a step of a match once it is committed: the indexes take it in, and what has become readable goes
to those who wait for it. Fed from the outboxes, once or more often and in any order; safe to repeat.

A match of no duplicate group may be read when it is over; those of a group all at once, when the last of them is, and
again all of them when something is said of one later: what a group came to is known from the whole of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from referee.groups.model import GroupStatus
from referee.groups.service import Groups, GroupState
from referee.match.loaded_match import LoadedMatch
from referee.referee import Referee
from referee.storage.index import ListedMatch, MatchIndex

Reader = Callable[[Sequence[Sequence[LoadedMatch]]], None]
"""Takes finished matches that may be read from now on, those of a group together, others alone. Told again when fed
again."""


class Feed:
    """See the module. Safe to share between greenlets and threads."""

    def __init__(
        self,
        referee: Referee,
        index: MatchIndex,
        groups: Groups,
        readers: Sequence[Reader] = (),
        ended: Sequence[Callable[[Sequence[LoadedMatch]], None]] = (),
    ) -> None:
        """`ended` are told of matches that are over before their groups are, and so may not be read yet."""
        self._referee, self._index, self._groups = referee, index, groups
        self._readers, self._ended = readers, ended

    def __call__(self, lives: Sequence[LoadedMatch]) -> None:
        """Take in how these matches stand, in a number of round trips that does not grow with theirs."""
        over = [live for live in lives if live.finished]
        groups = self._groups.on_finished(over)
        shown: list[ListedMatch] = []
        readable: list[list[LoadedMatch]] = []
        whole: dict[str, GroupState] = {}
        for live in lives:
            of = live.config.group
            standing = None if of is None or not live.finished else groups[of.id]
            if of is not None and (standing is None or standing.progress.status is GroupStatus.RUNNING):
                shown.append(ListedMatch(live.config, live.progress, listed=False))
            elif (
                of is None
                or standing is None
                or (
                    standing.progress.status is not GroupStatus.OVER and standing.progress.ended_by != of.slot
                )
            ):
                # Of no group, or one of many that are broken off with theirs: each speaks for itself.
                shown.append(ListedMatch(live.config, live.progress))
                readable.append([live])
            else:
                whole[of.id] = standing
        known = self._existing(over, whole.values())
        for each in whole.values():
            readable.append([known[match] for match in each.matches() if match in known])
            shown += [
                ListedMatch(known[match].config, known[match].progress)
                for match in each.all_matches()
                if match in known
            ]
        self._index.feed(shown)
        if not over:
            return
        finished = [[live for live in together if live.finished] for together in readable]
        finished = [together for together in finished if together]
        may_be_read = {live.id for together in finished for live in together}
        waiting = [live for live in over if live.id not in may_be_read]
        for told in self._ended if waiting else ():
            told(waiting)
        for reader in self._readers if finished else ():
            reader(finished)

    def _existing(self, over: Sequence[LoadedMatch], groups: Iterable[GroupState]) -> dict[str, LoadedMatch]:
        """By id, the matches that there are of these groups, without a look at those known to be over; but of groups
        that were broken off, whose matches may have been made void this very moment."""
        known = {live.id: live for live in over}
        found: dict[str, LoadedMatch] = {}
        wanted = []
        for each in groups:
            for match in each.all_matches():
                if match in known and each.progress.status is GroupStatus.OVER:
                    found[match] = known[match]
                else:
                    wanted.append(match)
        looked = self._referee.look_at(wanted) if wanted else []
        return found | {live.id: live for live in looked if live is not None}

"""What follows from a step of a match once it is committed: the indexes take it in, and what has become readable goes
to those who wait for it. Fed from the outboxes, once or more often and in any order; safe to repeat.

A match of no duplicate group may be read when it is over; those of a group all at once, when the last of them is, and
again all of them when something is said of one later: what a group came to is known from the whole of it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from referee.group import GroupStatus
from referee.groups import Groups
from referee.index import MatchIndex
from referee.referee import Live, Referee

Reader = Callable[[Sequence[Live]], None]
"""Takes finished matches that may be read from now on: one, or all of a group's. Called again when fed again."""


class Feed:
    """See the module. Safe to share between greenlets and threads."""

    def __init__(
        self,
        referee: Referee,
        index: MatchIndex,
        groups: Groups,
        readers: Sequence[Reader] = (),
        ended: Sequence[Callable[[Live], None]] = (),
    ) -> None:
        """`ended` are told of each match that is over, whether it may be read or not."""
        self._referee, self._index, self._groups = referee, index, groups
        self._readers, self._ended = readers, ended

    def __call__(self, live: Live) -> None:
        """Take in how this match stands."""
        of = live.setup.group
        readable = [live]
        if of is None:
            self._index.feed(live.setup, live.head)
        else:
            progress = self._groups.on_finished(live.setup, live.head.ending, live.head.ended)
            if progress is None or progress.status is GroupStatus.RUNNING:
                self._index.feed(live.setup, live.head, listed=False)
                readable = []
            elif progress.status is GroupStatus.OVER or progress.ended_by == of.slot:
                group = self._groups.get(of.id)
                readable = self._existing(self._groups.matches(group))
                for each in (*readable, *self._existing(self._groups.played_again(group))):
                    self._index.feed(each.setup, each.head)
            else:
                # One of many that are broken off with the group: each speaks for itself.
                self._index.feed(live.setup, live.head)
        if not live.finished:
            return
        for told in self._ended:
            told(live)
        finished = [each for each in readable if each.finished]
        for reader in self._readers if finished else ():
            reader(finished)

    def _existing(self, matches: Sequence[str]) -> list[Live]:
        return [live for live in self._referee.look_at(matches) if live is not None]

"""Matches that have not started: they wait, start or are aborted. Asks the group gate, stores nothing else."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Final

from records.match.clock import PACES, pace_of
from records.match.continuation import Continuation
from records.match.loaded_match import LoadedMatch
from records.match.log import Entry
from records.match.session import MatchConfig, MatchSession, Status
from referee.greenlets import with_pauses
from referee.groups.gate import GroupGate
from referee.groups.model import Phase
from referee.running import steps
from referee.running.sessions import Sessions
from referee.storage.store import Allowance, Commit

BATCH: Final = 400
"""How many moves house bots make between two looks at the clock."""
REPEATED_AT_ONCE: Final = 500
"""How many moves a match repeats of another one before other requests run."""


class MatchStarter:
    """Decides whether a match that has not started waits on, starts or is aborted."""

    def __init__(self, sessions: Sessions, gate: GroupGate) -> None:
        self._sessions, self._gate, self._timings = sessions, gate, sessions.timings

    def seated(
        self,
        snapshot: LoadedMatch,
        *,
        keep_deadline: bool = False,
        played: MatchSession | None = None,
        dealt: Collection[str] | None = None,
    ) -> Commit:
        """Return the commit of a match whose seats or presence changed: it waits on, or it starts.

        `played` is a session that has played the match from its start already. `dealt` is what `announce_deals`
        returned, if it was called.
        """
        if None in snapshot.config.seats:
            is_new = snapshot.version == 0
            return steps.waiting(snapshot, Status.OPEN, self._timings.open_ms if is_new else Allowance.KEEP)
        if steps.starts(snapshot):
            return self._started(snapshot, played, dealt)
        pace = PACES[pace_of(snapshot.config.clock)]
        start_ms = snapshot.config.start_ms or max(pace.start_ms, self._timings.start_ms)
        allowance = Allowance.KEEP if keep_deadline else start_ms
        return steps.waiting(snapshot, Status.WAITING, allowance)

    def resigned(self, snapshot: LoadedMatch, seat: int) -> Commit:
        """Return the commit of a resignation before the start.

        The match is aborted, unless it belongs to a ladder, where nobody chooses opponents, or to a group whose deck
        may have been seen. There the other seats play on without this one.
        """
        if snapshot.config.ladder is None and not self._must_be_played(snapshot.config):
            return steps.aborted(snapshot)
        forfeits = tuple(sorted({*snapshot.progress.forfeits, seat}))
        left = steps.shown_up(snapshot, seat)
        left = left._replace(progress=left.progress._replace(forfeits=forfeits))
        sides = snapshot.config.table().sides
        if len({side for number, side in enumerate(sides) if number not in forfeits}) > 1:
            return self.seated(left, keep_deadline=True)
        # No opponent is left to wait for.
        everyone = left.progress._replace(shown=tuple(range(len(sides))))
        return self._started(left._replace(progress=everyone))

    def no_show(self, snapshot: LoadedMatch) -> Commit:
        """Return the commit of a match whose seats did not all show up in time."""
        if None in snapshot.config.seats:
            return steps.aborted(snapshot)
        snapshot = steps.waited(snapshot)
        if not self._must_be_played(snapshot.config):
            return steps.aborted(snapshot)
        return self._started(snapshot)

    def play_draft(
        self, draft: LoadedMatch, until: float, monotonic: Callable[[], float]
    ) -> MatchSession | None:
        """Play a match that is not stored yet until it ends or `monotonic` reaches `until`, at least `BATCH` moves.

        `None` if a seat isn't a house bot that answers at once.
        """
        seats, players = draft.config.seats, self._sessions.players
        if not all(seat is not None and seat.house and seat.name in players for seat in seats):
            return None
        session = self._sessions.open(steps.begun(draft))
        while True:
            session.carry_on(BATCH)
            if not session.unfinished or monotonic() >= until:
                return session
            session.unfinished = False

    def begin_at(self, draft: LoadedMatch, position: Continuation, repeated: Sequence[Entry]) -> MatchSession:
        """Begin a match that is not stored yet at a position of another one. Raises `BadTable` if nobody is to move
        there."""
        session = self._sessions.open(steps.begun(draft))
        session.begin_at(position, with_pauses(repeated, REPEATED_AT_ONCE))
        session.carry_on()
        return session

    def announce_deals(self, drafts: Sequence[LoadedMatch]) -> Collection[str]:
        """Record in one round trip that the decks of these drafts' groups may be seen, where they start. Return the
        groups of which they may."""
        groups = {
            draft.config.group.id
            for draft in drafts
            if draft.config.group is not None and steps.starts(draft)
        }
        return self._gate.dealt(sorted(groups)) if groups else ()

    def _started(
        self,
        snapshot: LoadedMatch,
        played: MatchSession | None = None,
        dealt: Collection[str] | None = None,
    ) -> Commit:
        """Return the commit of the start, or of an abort if the match's group was aborted or void before."""
        group = snapshot.config.group
        if group is not None and group.id not in (self._gate.dealt([group.id]) if dealt is None else dealt):
            return steps.aborted(snapshot)
        if played is not None:
            progress = played.progress._replace(started=snapshot.now)
            return steps.played(snapshot._replace(progress=progress), played, self._timings)
        begun = steps.begun(snapshot)
        return steps.started(snapshot, begun, self._sessions.open(begun), self._timings)

    def _must_be_played(self, config: MatchConfig) -> bool:
        """Return whether a deck of the match's group may have been seen. If not, the group is aborted now."""
        if config.group is None:
            return False
        (phase,) = self._gate.store.decide([config.group.id], Phase.ABORTED)
        return phase is Phase.DEALT

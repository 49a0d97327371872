"""The life cycle of matches: create, join, show up, note a hint, resign, void, abort."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Sequence

from records.ids import new_match_id
from records.match.loaded_match import LoadedMatch
from records.match.new_match import NewMatch, drafted
from records.match.session import Ending, MatchConfig, MatchSession, Seat, Status
from records.match.snapshot import VOID
from referee.errors import NoSuchMatch
from referee.running import steps
from referee.running.moves import own_seat
from referee.running.timeouts import TimeoutApplier
from referee.storage.store import Commit, OutboxKind


class LifeCycle:
    """Makes matches, seats bots and ends matches."""

    def __init__(self, timeouts: TimeoutApplier) -> None:
        self._timeouts, self._writer = timeouts, timeouts.writer
        self._starter, self._sessions = timeouts.starter, timeouts.sessions

    def create_all(self, new: Sequence[NewMatch], until: float | None = None) -> list[LoadedMatch]:
        """Create matches, in a number of round trips that doesn't grow with theirs. A match starts when every seat is
        taken and every remote bot has shown up. One that exists under its id is returned unchanged.

        With `until`, an instant of the referee's monotonic clock, matches among house bots that answer at once are
        played before they are stored and committed once (docs/adr/0013). What isn't over by then is stored as far as it
        was played, and goes on like any match. Raises `BadTable` before anything is stored.
        """
        drafts = [
            drafted(each, each.id or new_match_id(), each.secret or secrets.token_bytes(32)) for each in new
        ]
        played = [self._begun(each, draft, until) for each, draft in zip(new, drafts, strict=True)]
        ids = [draft.config.id for draft in drafts]
        drafts = [
            draft._replace(now=now, config=draft.config.made_at(now))
            for draft, now in zip(drafts, self._writer.store.times(ids), strict=True)
        ]
        dealt = self._starter.announce_deals(drafts)
        made = self._writer.commit(
            [
                self._starter.seated(draft, played=session, dealt=dealt)._replace(since=each.since)
                for each, draft, session in zip(new, drafts, played, strict=True)
            ]
        )
        matches = {loaded.id: loaded for loaded in made if loaded is not None}
        existing = [ident for ident in ids if ident not in matches]
        if existing:
            matches |= {
                loaded.id: loaded for loaded in self._timeouts.look_at(existing) if loaded is not None
            }
        for ident in ids:
            if ident not in matches:
                raise self._writer.missing(ident)
        return [matches[ident] for ident in ids]

    def _begun(self, new: NewMatch, draft: LoadedMatch, until: float | None) -> MatchSession | None:
        """Return a new match at the position that it continues, or played as far as house bots get until then."""
        if new.continues is not None:
            return self._starter.begin_at(draft, new.continues, new.repeated)
        return None if until is None else self._starter.play_draft(draft, until, self._sessions.monotonic)

    def join(
        self,
        match: str,
        seat: Seat,
        number: int | None = None,
        entropy: str | None = None,
        admit: Callable[[MatchConfig], None] = lambda _: None,
    ) -> LoadedMatch:
        """Take an open seat, `number` or the first one. `admit` may raise to refuse the match as it is then. Raises
        `NotJoinable`, `SeatTaken` or `AlreadySeated`."""

        def step(snapshot: LoadedMatch) -> Commit:
            chosen = steps.seat_to_join(snapshot, seat, number)
            admit(snapshot.config)
            return self._starter.seated(steps.joined(snapshot, chosen, seat, entropy))

        return self._timeouts.change(match, step)

    def show_up(self, match: str, bot_id: str) -> LoadedMatch:
        """Note that the bot is present. The match starts when the last one is; otherwise nothing changes."""

        def step(snapshot: LoadedMatch) -> Commit | None:
            seat, progress = snapshot.config.seat_of(bot_id), snapshot.progress
            if seat is None or progress.status is not Status.WAITING or seat in progress.shown:
                return None
            return self._starter.seated(steps.shown_up(snapshot, seat), keep_deadline=True)

        return self._timeouts.change(match, step)

    def resign(self, match: str, bot_id: str) -> LoadedMatch:
        """Give up the bot's seat. Resigning twice has no further effect.

        In a running match the seat is forfeited and others may play on. A match that has not started is aborted. In a
        ladder it is forfeited instead: it starts when the others are there, or at once if no opponent is left. Raises
        `NotYourMatch`.
        """

        def step(snapshot: LoadedMatch) -> Commit | None:
            seat = own_seat(snapshot.config, bot_id)
            if snapshot.finished or seat in snapshot.progress.forfeits:
                return None
            if snapshot.progress.status is not Status.RUNNING:
                return self._starter.resigned(snapshot, seat)
            session = self._sessions.open(snapshot)
            return steps.resigned(snapshot, session, self._sessions.timings, seat)

        return self._timeouts.change(match, step)

    def note_hint(self, match: str, turn: int) -> bool:
        """Note that a person gets a hint for the open question of this number. Return whether it still is open."""

        def step(snapshot: LoadedMatch) -> Commit | None:
            progress = snapshot.progress
            is_open = progress.status is Status.RUNNING and progress.turn == turn
            if not is_open or turn in progress.hints:
                return None
            return steps.hinted(snapshot, self._sessions.open(snapshot), self._sessions.timings)

        loaded = self._timeouts.change(match, step)
        return loaded.progress.turn == turn and turn in loaded.progress.hints

    def void(self, match: str, reason: str) -> LoadedMatch:
        """Make a match not count: end it if it isn't over, else annotate it. Its record stays as it is.

        Voiding twice has no further effect; the first reason stays.
        """

        def step(snapshot: LoadedMatch) -> Commit | None:
            return None if snapshot.finished else steps.aborted(snapshot, Ending.VOID)

        loaded = self._timeouts.change(match, step)
        loaded = loaded._replace(annotations=self._writer.store.annotate(match, VOID, reason) or ())
        self._writer.feed([(loaded, (OutboxKind.INDEX,))])
        return loaded

    def abort(self, match: str) -> LoadedMatch | None:
        """End a match that has not started. Any other stays as it is; `None` for an id that no match has."""

        def step(snapshot: LoadedMatch) -> Commit | None:
            started = snapshot.finished or snapshot.progress.status is Status.RUNNING
            return None if started else steps.aborted(snapshot)

        try:
            return self._timeouts.change(match, step)
        except NoSuchMatch:
            return None

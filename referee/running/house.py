"""House bots that a job asks: many quick moves in a batch, or one move that takes thought."""

from __future__ import annotations

from records.match import events
from records.match.loaded_match import LoadedMatch
from records.match.players import Thinkers
from records.match.session import MatchSession, Status
from referee.running import steps
from referee.running.sessions import Sessions
from referee.running.starting import BATCH
from referee.running.writer import MatchWriter


class HouseMoves:
    """Makes the moves of house bots and forfeited seats outside requests."""

    def __init__(self, writer: MatchWriter, sessions: Sessions, thinkers: Thinkers) -> None:
        self._writer, self._sessions, self._thinkers = writer, sessions, thinkers
        self._timings, self._rng, self._monotonic = sessions.timings, sessions.rng, sessions.monotonic

    def go_on(self, match: str, budget_s: float, batch: int = BATCH) -> bool:
        """Make the moves of house bots for about `budget_s` seconds, committed in batches of at most `batch`. Return
        whether house bots have more to do.

        A thinker decides before its move is committed; if another writer changes the match meanwhile, the move is
        dropped.
        """
        until = self._monotonic() + budget_s
        while True:
            (snapshot,) = self._writer.store.read([match])
            if snapshot is None or snapshot.progress.status is not Status.RUNNING:
                return False
            seat = snapshot.progress.to_move
            if seat is None or not (snapshot.config.is_house(seat) or seat in snapshot.progress.forfeits):
                return False
            session = self._sessions.open(snapshot)
            if seat not in snapshot.progress.forfeits:
                self._think(snapshot, session, seat)
            session.carry_on(batch)
            if not (session.lines or session.closed):
                return False  # the seat needs a thinker that this process doesn't have
            more = self._monotonic() < until
            commit = steps.after(snapshot, session, self._timings, relay=not more)
            loaded = self._writer.commit_one(commit)
            if loaded is not None and not (more and session.unfinished):
                return session.unfinished

    def _think(self, snapshot: LoadedMatch, session: MatchSession, seat: int) -> None:
        """Make the move of the house bot on this seat, if it is a thinker."""
        sitting = snapshot.config.seats[seat]
        thinker = self._thinkers.get(sitting.name) if sitting is not None else None
        if thinker is None:
            return
        match = session.match
        history = events.seen_in_deal(match, snapshot.progress, snapshot.log, seat)
        seen = match.view(session.state, seat)
        began = self._monotonic()
        text = thinker.think(match.game, seen, seen["legal_moves"], history, self._rng)
        session.house_move(seat, text, int((self._monotonic() - began) * 1000))

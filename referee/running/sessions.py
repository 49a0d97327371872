"""Match sessions with the house bots, the random numbers and the cached states of one process."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from engine.match import MatchState
from referee.match.players import Players
from referee.match.session import MatchSession
from referee.match.snapshot import Snapshot
from referee.running.states import StateCache


class Sessions:
    """Opens match sessions on snapshots."""

    def __init__(self, players: Players, rng: Random, states: StateCache) -> None:
        self.players = players
        self._rng = rng
        self._states = states

    def open(self, snapshot: Snapshot, state: MatchState | None = None) -> MatchSession:
        """Return a working copy of a running match. `state` is that after its log, if it is known."""
        config = snapshot.config

        def deck(number: int) -> Sequence[int]:
            return config.deck(snapshot.secret, number)

        return MatchSession(
            config,
            snapshot.progress,
            self._states.state(snapshot) if state is None else state,
            log=snapshot.log,
            deck=deck,
            players=self.players,
            rng=self._rng,
        )

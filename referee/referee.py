"""The referee: the only way to change a match and the only way to read one.

Every change is a step that the store commits whole, against the version that was read. A writer that another one
overtakes reads again and decides again. Every read applies expired deadlines first, so nothing depends on who looks.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import islice
from random import Random
from typing import Any

from engine.match import checked_deals
from records.match import events, frames
from records.match.events import Steps
from records.match.loaded_match import LoadedMatch
from records.match.new_match import MatchPosition, NewMatch, game_named, position_of
from records.match.players import Players, Thinkers
from records.match.record import Record
from records.match.session import Seat
from referee.after_commit import AfterCommit
from referee.errors import RecordNotReady
from referee.groups.gate import GroupGate
from referee.groups.redis import RedisGroupStore
from referee.running.house import HouseMoves
from referee.running.life_cycle import LifeCycle
from referee.running.moves import Moves
from referee.running.replays import Replays
from referee.running.sessions import Sessions
from referee.running.starting import MatchStarter
from referee.running.timeouts import TimeoutApplier
from referee.running.writer import Changed, MatchWriter
from referee.storage.redis import RedisMatchStore
from referee.timings import RefereeTimings


class Referee:
    """Runs matches: the operations of its parts, in one place. Safe to share between greenlets and threads; several
    processes may each have one."""

    def __init__(
        self,
        store: RedisMatchStore,
        groups: RedisGroupStore,
        players: Players,
        thinkers: Thinkers,
        times: RefereeTimings,
        *,
        rng: Random,
        monotonic: Callable[[], float],
        changed: Changed,
    ) -> None:
        """Compose the parts of a referee.

        `players` answer inside a commit, `thinkers` only in `go_on`. The referee calls `changed` after commits that
        fill an outbox, so that indexes need not wait for the deadline loop. It must be safe to call twice;
        `after_commit` logs and counts what it raises.
        """
        self.store, self.players, self.thinkers, self.times = store, players, thinkers, times
        self.after_commit = AfterCommit()
        self._gate = GroupGate(groups)
        sessions = Sessions(players, rng, times, monotonic)
        starter = MatchStarter(sessions, self._gate)
        writer = MatchWriter(store, sessions.known, self.after_commit, changed)
        self.replays, self._known = Replays(writer), sessions.known
        timeouts = TimeoutApplier(writer, sessions, starter)
        cycle = LifeCycle(timeouts)
        house, self.moves = HouseMoves(writer, sessions, self.thinkers), Moves(timeouts)
        self.create_all, self.join, self.show_up = cycle.create_all, cycle.join, cycle.show_up
        self.resign, self.void, self.abort = cycle.resign, cycle.void, cycle.abort
        self.note_hint = cycle.note_hint
        self.look, self.look_at = timeouts.look, timeouts.look_at
        self.apply_timeouts, self.apply_all_timeouts = timeouts.apply_timeouts, timeouts.apply_all
        self.go_on, self.recorded = house.go_on, store.recorded

    def forget(self) -> None:
        """Forget the matches that this process remembers, because the store may have lost commits."""
        self.replays.clear()
        self._known.clear()

    def create(
        self,
        game: str,
        seats: Sequence[Seat | None],
        options: Mapping[str, Any],
        *,
        deals: int | None = None,
        match_id: str | None = None,
        **more: Any,
    ) -> LoadedMatch:
        """Create a match (`LifeCycle.create_all`). `more` are other fields of `NewMatch`."""
        checked = checked_deals(game_named(game), deals)
        new = NewMatch(game=game, seats=seats, options=options, deals=checked, id=match_id, **more)
        (made,) = self.create_all([new])
        return made

    def events(self, loaded: LoadedMatch, viewer: int | None, after: int, most: int) -> list[dict[str, Any]]:
        """Return at most `most` events with numbers above `after`, as seat `viewer` (`None`: the public) sees them.

        Raises `EventsNotReady` if the match was not yet replayed that far.
        """
        numbered = events.of_match(loaded.config, loaded.progress, self._steps(loaded), viewer, after)
        return list(islice(numbered, most))

    def frames(
        self, loaded: LoadedMatch, viewer: frames.Viewer, after: int, most: int, *, deal: int | None = None
    ) -> list[frames.Frame]:
        """Return at most `most` frames with numbers above `after`, or only of one deal. For any viewer but a seat of
        the match and the public, call `record` first, which raises unless everything may be read. Raises
        `EventsNotReady`."""
        if deal is not None:
            after = self.replays.before_deal(loaded, deal)
        found = frames.of_match(loaded.config, loaded.progress, self._steps(loaded), viewer, after, deal=deal)
        return list(islice(found, most))

    def _steps(self, loaded: LoadedMatch) -> Steps:
        return lambda after: self.replays.steps(loaded, after)

    def record(self, loaded: LoadedMatch) -> Record:
        """Return the record of a match. Raises `RecordNotReady` before its end, `GroupRunning` before its group's."""
        (record,) = self.records([loaded])
        return record

    def records(self, loaded_matches: Sequence[LoadedMatch]) -> list[Record]:
        """Return the records of several matches in one round trip. Raises what `record` raises."""
        self._gate.check([loaded.config for loaded in loaded_matches])
        for loaded in loaded_matches:
            if not loaded.finished:
                raise RecordNotReady(
                    f"match {loaded.id} is {loaded.progress.status}; its record can be read when it is over"
                )
        return [loaded.record for loaded in loaded_matches]

    def position(self, loaded: LoadedMatch, deal: int, move: int) -> MatchPosition:
        """Return the position of a match after `move` moves of a deal, from which `create_all` can go on.

        Raises what `record` raises, and `BadTable` for a position that the match does not have.
        """
        self.record(loaded)
        return position_of(loaded, deal, move)

    def is_masked(self, loaded: LoadedMatch) -> bool:
        """Return whether the match is visible to its seats only, because its duplicate group isn't over."""
        return self._gate.is_masked(loaded.config)

    def check_open(self, loaded: LoadedMatch) -> None:
        """Raise `GroupRunning` for a masked match."""
        self._gate.check([loaded.config])

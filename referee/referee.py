"""The referee: the only way to change a match and the only way to read one.

Every change is a step that the store commits whole, against the version that was read. A writer that another one
overtakes reads again and decides again. Every read applies expired deadlines first, so nothing depends on who looks.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Mapping, Sequence
from itertools import islice
from random import Random
from typing import Any

from engine.match import checked_deals
from records.match import events, frames
from records.match.clock import ClockRule
from records.match.events import Steps
from records.match.loaded_match import LoadedMatch
from records.match.new_match import MatchPosition, NewMatch, game_named, position_of
from records.match.players import Players, Thinkers
from records.match.record import Record
from records.match.session import GroupSeating, MatchConfig, Seat
from records.match.snapshot import Snapshot
from referee.after_commit import AfterCommit
from referee.errors import RecordNotReady
from referee.groups.gate import GroupGate, required
from referee.groups.redis import RedisGroupStore
from referee.running.house import HouseMoves
from referee.running.life_cycle import LifeCycle
from referee.running.moves import Moves
from referee.running.recent import RecentMatches
from referee.running.replays import Replays
from referee.running.sessions import Sessions, StateCache
from referee.running.starting import BATCH, MatchStarter
from referee.running.timeouts import TimeoutApplier
from referee.running.writer import Changed, MatchWriter
from referee.storage.redis import RedisMatchStore
from referee.timings import DEFAULT_TIMINGS, RefereeTimings


class Referee:
    """Runs matches. Safe to share between greenlets and threads; several processes may each have one."""

    def __init__(
        self,
        store: RedisMatchStore,
        players: Players,
        times: RefereeTimings | None = None,
        *,
        rng: Random | None = None,
        new_secret: Callable[[], bytes] | None = None,
        changed: Changed | None = None,
        thinkers: Thinkers | None = None,
        groups: RedisGroupStore | None = None,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        """Compose the parts of a referee.

        `players` answer inside a commit, `thinkers` only in `go_on`. The referee calls `changed` after commits that
        fill an outbox, so that indexes need not wait for the deadline loop. It must be safe to call twice; `after` logs
        and counts what it raises. `groups` is needed for matches of duplicate groups. `monotonic` measures the time
        that moves and house bots take, in seconds.
        """
        self.store = store
        self.players = players
        self.thinkers: Thinkers = {} if thinkers is None else thinkers
        self.times = times or DEFAULT_TIMINGS
        self.after = AfterCommit()
        self._gate = None if groups is None else GroupGate(groups)
        rng = rng or Random()
        states = StateCache(monotonic)
        sessions = Sessions(players, rng, states)
        starter = MatchStarter(sessions, self._gate, self.times)
        self._writer = MatchWriter(store, states, RecentMatches(monotonic), self.after, changed)
        self.replays = Replays(self._writer)
        self._timeouts = TimeoutApplier(self._writer, sessions, starter, self.times)
        self._life_cycle = LifeCycle(
            self._writer,
            sessions,
            starter,
            self._timeouts,
            timings=self.times,
            new_secret=new_secret or (lambda: secrets.token_bytes(32)),
            monotonic=monotonic,
        )
        self.moves = Moves(self._writer, sessions, self._timeouts, timings=self.times, monotonic=monotonic)
        self._house = HouseMoves(
            self._writer, sessions, self.thinkers, timings=self.times, rng=rng, monotonic=monotonic
        )

    def forget(self) -> None:
        """Forget the matches and records that this process remembers, because the store may have lost commits.

        The states of deals are kept: each use compares them with the stored match.
        """
        self.replays.clear()
        self._writer.recent.clear()

    # Life cycle

    def create(
        self,
        game: str,
        seats: Sequence[Seat | None],
        options: Mapping[str, Any],
        *,
        deals: int | None = None,
        dealer: int | None = None,
        clock: ClockRule | None = None,
        entropy: Sequence[str | None] | None = None,
        rated: bool = False,
        ladder: str | None = None,
        round: int | None = None,  # noqa: A002 -- the field's name in the match
        season: int | None = None,
        match_id: str | None = None,
        secret: bytes | None = None,
        group: GroupSeating | None = None,
        present: bool = False,
        since: int | None = None,
        requested_by: str = "",
    ) -> LoadedMatch:
        """Create a match. It starts when every seat is taken and every remote bot has shown up.

        With `present` it starts at once, as if they had. With `match_id` it is created at most once: an existing match
        is returned unchanged. Raises `BadTable` if game, seats, options, deals or dealer don't fit, or if a bot has two
        seats.
        """
        (made,) = self.create_all(
            [
                NewMatch(
                    game=game,
                    seats=seats,
                    options=options,
                    deals=checked_deals(game_named(game), deals),
                    dealer=dealer,
                    clock=clock,
                    entropy=entropy,
                    rated=rated,
                    ladder=ladder,
                    round=round,
                    season=season,
                    id=match_id,
                    secret=secret,
                    group=group,
                    present=present,
                    since=since,
                    requested_by=requested_by,
                )
            ]
        )
        return made

    def create_all(self, new: Sequence[NewMatch], until: float | None = None) -> list[LoadedMatch]:
        """Create matches like `create`, in a number of round trips that doesn't grow with theirs.

        With `until`, an instant of the referee's monotonic clock, matches among house bots that answer at once are
        played before they are stored and committed once (docs/adr/0013). What isn't over by then is stored as far as it
        was played, and goes on like any match. Raises `BadTable` before anything is stored.
        """
        return self._life_cycle.create_all(new, until)

    def join(
        self,
        match: str,
        seat: Seat,
        number: int | None = None,
        entropy: str | None = None,
        admit: Callable[[MatchConfig], None] = lambda _: None,
    ) -> LoadedMatch:
        """Take an open seat, `number` or the first one. `admit` may raise to refuse the match as it is then.

        Raises `NotJoinable`, `SeatTaken` or `AlreadySeated`.
        """
        return self._life_cycle.join(match, seat, number, entropy, admit)

    def show_up(self, match: str, bot_id: str) -> LoadedMatch:
        """Note that the bot is present. The match starts when the last one is; otherwise nothing changes."""
        return self._life_cycle.show_up(match, bot_id)

    def resign(self, match: str, bot_id: str) -> LoadedMatch:
        """Give up the bot's seat. Resigning twice has no further effect.

        In a running match the seat is forfeited and others may play on. A match that has not started is aborted. In a
        ladder it is forfeited instead: it starts when the others are there, or at once if no opponent is left. Raises
        `NotYourMatch`.
        """
        return self._life_cycle.resign(match, bot_id)

    def void(self, match: str, reason: str) -> LoadedMatch:
        """Make a match not count: end it if it isn't over, else annotate it. Its record stays as it is.

        Voiding twice has no further effect; the first reason stays.
        """
        return self._life_cycle.void(match, reason)

    def abort(self, match: str) -> LoadedMatch | None:
        """End a match that has not started; any other stays as it is. `None` for an id that no match has."""
        return self._life_cycle.abort(match)

    # Deadlines

    def apply_timeouts(self, match: str) -> LoadedMatch | None:
        """Apply the match's expired deadlines, if any: a timeout, an abort, or the next job for house bots.

        Safe to call from anywhere, any number of times. `None` for an id that no match has.
        """
        return self._timeouts.apply_timeouts(match)

    def apply_all_timeouts(self, matches: Sequence[str]) -> list[LoadedMatch | None]:
        """Apply the expired deadlines of several matches like `apply_timeouts`, in two round trips unless other writers
        overtake them. Where `apply_timeouts` would raise for one of them, all may be left as they are."""
        return self._timeouts.apply_all(matches)

    def go_on(self, match: str, budget_s: float, batch: int = BATCH) -> bool:
        """Make the moves of house bots for about `budget_s` seconds, committed in batches of at most `batch`.

        Returns whether house bots have more to do. A thinker decides before its move is committed; if another writer
        changes the match meanwhile, the move is dropped.
        """
        return self._house.go_on(match, budget_s, batch)

    # Reads

    def look(self, match: str, seen: Snapshot | None = None) -> LoadedMatch:
        """Return the match after applying expired deadlines. Raises `NoSuchMatch` or `MatchUnreadable`."""
        return self._timeouts.look(match, seen)

    def look_at(self, matches: Sequence[str], since: int | None = None) -> list[LoadedMatch | None]:
        """Return several matches like `look`, in one round trip; `None` where `look` would raise. `since` is that of
        `RedisMatchStore.read`."""
        return self._timeouts.look_at(matches, since)

    def recorded(self) -> int | None:
        """Return how many records there are, for `NewMatch.since`."""
        return self.store.recorded()

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
        grouped = [loaded.config for loaded in loaded_matches if loaded.config.group is not None]
        if grouped:
            required(self._gate).check(grouped)
        for loaded in loaded_matches:
            if not loaded.finished:
                raise RecordNotReady(
                    f"match {loaded.id} is {loaded.progress.status}; its record can be read when it is over"
                )
        return [
            Record(loaded.config, loaded.progress, loaded.secret, loaded.log) for loaded in loaded_matches
        ]

    def position(self, loaded: LoadedMatch, deal: int, move: int) -> MatchPosition:
        """Return the position of a match after `move` moves of a deal, from which `create_all` can go on.

        Raises what `record` raises, and `BadTable` for a position that the match does not have.
        """
        self.record(loaded)
        return position_of(loaded, deal, move)

    def is_masked(self, loaded: LoadedMatch) -> bool:
        """Return whether the match is visible to its seats only, because its duplicate group isn't over."""
        return loaded.config.group is not None and required(self._gate).is_masked(loaded.config)

    def check_open(self, loaded: LoadedMatch) -> None:
        """Raise `GroupRunning` for a masked match."""
        if loaded.config.group is not None:
            required(self._gate).check([loaded.config])

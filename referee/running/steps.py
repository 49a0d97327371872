"""The steps of a match: functions from a snapshot, and a session where cards are out, to a commit. No I/O.

A step that ends a match leaves the logs of earlier deals to the writer, which has to read them
(`Commit.deals_before`).
"""

from __future__ import annotations

from typing import Any

from records.match import shuffle
from records.match.loaded_match import LoadedMatch
from records.match.session import Ending, MatchProgress, MatchSession, Seat, Status
from referee.errors import AlreadySeated, NotJoinable, SeatTaken
from referee.storage.store import Allowance, Commit, OutboxKind
from referee.timings import RefereeTimings

# Before the start


def starts(snapshot: LoadedMatch) -> bool:
    """Return whether every seat is taken and every remote bot has shown up."""
    shown = snapshot.progress.shown
    return all(
        seat is not None and (seat.house or number in shown)
        for number, seat in enumerate(snapshot.config.seats)
    )


def seat_to_join(snapshot: LoadedMatch, seat: Seat, number: int | None) -> int:
    """Return the open seat that this bot takes: `number`, or the first one.

    Raises `AlreadySeated`, `NotJoinable` or `SeatTaken`.
    """
    config = snapshot.config
    if config.seat_of(seat.id) is not None:
        raise AlreadySeated(f"{seat.bot} already has seat {config.seat_of(seat.id)} of this match")
    free = [index for index, sitting in enumerate(config.seats) if sitting is None]
    if snapshot.progress.status is not Status.OPEN:
        raise NotJoinable(f"the match is {snapshot.progress.status}, it has no open seat", open_seats=free)
    chosen = free[0] if number is None else number
    if chosen not in free:
        raise SeatTaken(f"seat {chosen} is not open", open_seats=free)
    return chosen


def joined(snapshot: LoadedMatch, number: int, seat: Seat, entropy: str | None) -> LoadedMatch:
    seats, texts = list(snapshot.config.seats), list(snapshot.config.entropy)
    seats[number], texts[number] = seat, entropy
    return snapshot._replace(config=snapshot.config._replace(seats=tuple(seats), entropy=tuple(texts)))


def shown_up(snapshot: LoadedMatch, seat: int) -> LoadedMatch:
    shown = tuple(sorted({*snapshot.progress.shown, seat}))
    return snapshot._replace(progress=snapshot.progress._replace(shown=shown))


def waited(snapshot: LoadedMatch) -> LoadedMatch:
    """Return a match that has waited long enough. Bots that have not shown up are absent."""
    absent = tuple(
        number
        for number, seat in enumerate(snapshot.config.seats)
        if not (seat is None or seat.house or number in snapshot.progress.shown)
    )
    return snapshot._replace(progress=snapshot.progress._replace(absent=absent))


def waiting(snapshot: LoadedMatch, status: Status, allowance: int | Allowance) -> Commit:
    """Return the commit of a match that waits on for seats to be taken or for bots to show up."""
    progress = snapshot.progress._replace(status=status)
    return _unplayed(snapshot, progress, config_changed=True, allowance=allowance)


def _unplayed(snapshot: LoadedMatch, progress: MatchProgress, **more: Any) -> Commit:
    """Return a commit that plays nothing. `more` are fields that differ from those of a match without a deal."""
    config = snapshot.config
    same = {"log": "", "appended": "", "closed": (), "outbox": (OutboxKind.INDEX,), "secret": snapshot.secret}
    return Commit(
        match=config.id, version=snapshot.version, config=config, progress=progress, **{**same, **more}
    )


# The start


def begun(snapshot: LoadedMatch) -> LoadedMatch:
    """Return the match as it is right before its first deck."""
    config, dealer = snapshot.config, snapshot.config.dealer
    if dealer is None:
        dealer = shuffle.first_dealer(snapshot.secret, config.entropy, len(config.seats))
    progress = snapshot.progress._replace(
        status=Status.RUNNING, dealer=dealer, first_dealer=dealer, started=snapshot.now, forfeits=()
    )
    return snapshot._replace(progress=progress)


def started(
    waited: LoadedMatch, snapshot: LoadedMatch, session: MatchSession, timings: RefereeTimings
) -> Commit:
    """Return the commit of the start. Seats that resigned or haven't shown up are forfeited with it.

    `waited` is the match before the start, `snapshot` the match that `session` works on.
    """
    resigned = waited.progress.forfeits
    gone = sorted({*resigned, *waited.progress.absent})
    if gone:
        session.begin_without(gone, Ending.RESIGNED if set(gone) <= set(resigned) else Ending.FORFEIT)
    session.carry_on()
    return played(snapshot, session, timings)


def played(snapshot: LoadedMatch, session: MatchSession, timings: RefereeTimings) -> Commit:
    """Return the commit of a start together with everything that `session` played since."""
    commit = after(snapshot, session, timings, config_changed=True)
    return commit._replace(outbox=tuple(dict.fromkeys((OutboxKind.INDEX, *commit.outbox))))


# While it runs, and the end


def after(
    snapshot: LoadedMatch,
    session: MatchSession,
    timings: RefereeTimings,
    *,
    asked_before: int | None = None,
    config_changed: bool = False,
    relay: bool = True,
) -> Commit:
    """Return the commit of what a session did.

    `asked_before` is the seat that had to answer, if the step answered no question: if it still has to, its clock runs
    on. `relay` leaves an outbox entry where house bots are still to be asked.
    """
    progress = session.result(snapshot.progress.started)
    allowance: int | Allowance = Allowance.NONE
    outbox: tuple[OutboxKind, ...] = ()
    log = session.current_log
    if session.ending:
        progress = progress._replace(ended=snapshot.now, to_move=None)
        log = "".join([*session.closed, *session.lines])
        outbox = (OutboxKind.INDEX,)
    elif session.unfinished:
        allowance = timings.house_ms
        outbox = (OutboxKind.HOUSE,) if relay else ()
    elif asked_before is not None and session.still_asked and progress.to_move == asked_before:
        allowance = Allowance.KEEP
    else:
        allowance = session.allowance() or Allowance.NONE
    # In the order of the fields: keywords would take twice as long.
    return Commit(
        snapshot.config.id,
        snapshot.version,
        snapshot.config,
        config_changed,
        progress,
        snapshot.secret,
        log,
        "".join(session.lines),
        tuple(session.closed),
        allowance,
        outbox,
        bool(session.ending),
        snapshot.progress.number - 1,
        session.state,
    )


def moved(snapshot: LoadedMatch, session: MatchSession, timings: RefereeTimings, *, answers: bool) -> Commit:
    """Return the commit of a move that `session` has made. `answers`: it was no free move."""
    session.carry_on()
    asked_before = None if answers else snapshot.progress.to_move
    return after(snapshot, session, timings, asked_before=asked_before)


def resigned(snapshot: LoadedMatch, session: MatchSession, timings: RefereeTimings, seat: int) -> Commit:
    """Return the commit of a resignation from a running match."""
    session.forfeit([seat], Ending.RESIGNED)
    session.carry_on()
    return after(snapshot, session, timings, asked_before=snapshot.progress.to_move)


def hinted(snapshot: LoadedMatch, session: MatchSession, timings: RefereeTimings) -> Commit:
    """Return the commit that notes a hint for the open question, whose clock runs on."""
    commit = after(snapshot, session, timings, asked_before=snapshot.progress.to_move)
    hints = (*snapshot.progress.hints, snapshot.progress.turn)
    return commit._replace(progress=commit.progress._replace(hints=hints))


def timed_out(snapshot: LoadedMatch, session: MatchSession, timings: RefereeTimings) -> Commit:
    """Return the commit of the safe move for a seat whose time is up."""
    session.time_out()
    session.carry_on()
    return after(snapshot, session, timings)


def house_asked_again(snapshot: LoadedMatch, session: MatchSession, timings: RefereeTimings) -> Commit:
    """Return the commit that queues another job for house bots, because the last one hasn't made their moves."""
    session.unfinished = True
    return after(snapshot, session, timings)


def aborted(snapshot: LoadedMatch, ending: Ending = Ending.ABORTED) -> Commit:
    """Return the commit that ends a match at once. A match that never started has no forfeited seats."""
    progress = snapshot.progress._replace(
        status=Status.FINISHED, ending=ending, ended=snapshot.now, to_move=None
    )
    if progress.started is None:
        progress = progress._replace(forfeits=())
    ended = {"allowance": Allowance.NONE, "finished": True, "deals_before": snapshot.progress.number - 1}
    return _unplayed(snapshot, progress, config_changed=False, log=snapshot.log, **ended)

"""Plays one match of a local tournament and returns its record.

It uses a `records.match.session.MatchSession`, so rules, strikes, forfeits and the record are those of the service.
Each bot has `move_ms` for an answer. A missing, late or illegal answer costs a strike, and the safe move is played; the
last strike forfeits. Instants in the record are artificial: match n starts at hour n of 1970 and lasts as long as its
bots think. So bots that take no time have reproducible records.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from random import Random
from types import MappingProxyType
from typing import Any, Final, NamedTuple, Protocol

from engine.game import Game
from engine.match import Match
from engine.relabelling import Suits
from kozyr.lines.protocol import illegal
from kozyr.local.plan import Fixture, LocalPlan
from records.errors import MoveNotLegal, NotAMoveText
from records.match import events, shuffle, views
from records.match.loaded_match import LoadedMatch
from records.match.log import time_in
from records.match.players import Players
from records.match.record import Record, preset_of
from records.match.relabelled import relabelled_session
from records.match.session import (
    GroupSeating,
    MatchConfig,
    MatchProgress,
    MatchSession,
    Status,
    match_of,
)

HOUR_MS: Final = 3_600_000
_EVERYTHING: Final = 1_000_000
"""An upper bound for consecutive automatic moves."""


class NoAnswer(Exception):
    """A bot gave no answer, because it failed or its time was up. The text says why."""


class WorkerDied(Exception):
    """A worker died during a match. The text names the match and the exit status."""


class BotAnswer(NamedTuple):
    """The text of a move and its thinking time in ms."""

    move: str
    ms: int = 0
    facts: Mapping[str, Any] = MappingProxyType({})
    """What the bot reports about the move beside it."""


class Chair(Protocol):
    """A bot that is not a house bot."""

    def answer(self, question: BotQuestion) -> BotAnswer:
        """Return one of the legal or free moves. Raise `NoAnswer`."""


class Failure(NamedTuple):
    """A missing, late or illegal answer."""

    bot: str
    reason: str


class LocalResult(NamedTuple):
    """A finished match."""

    record: dict[str, Any]
    failures: list[Failure]
    answered: frozenset[str] = frozenset()
    """The bots that gave at least one usable answer. House bots that answer at once are not listed."""


class BotQuestion:
    """A turn of a seat, in each form in which bots receive it."""

    def __init__(self, table: MatchSession, seat: int, witness: Witness, secret: bytes, rng: Random) -> None:
        self._table, self._witness, self._secret = table, witness, secret
        self.seat = seat
        self.rng = rng
        """Random numbers that are the same whenever the match is replayed."""

    def relabelled(self, suits: Suits) -> BotQuestion:
        """Return the same question with other suits."""
        table = relabelled_session(self._table, suits)
        return BotQuestion(table, self.seat, Witness(table.match), self._secret, self.rng)

    @property
    def match(self) -> str:
        """The id of the match."""
        return self._table.config.id

    @property
    def game(self) -> Game:
        return self._table.match.game

    @property
    def move_ms(self) -> int:
        """How long the answer may take, in ms."""
        return self._table.config.clock.move_ms

    def observation(self) -> dict[str, Any]:
        """Return the observation of the seat."""
        return self._table.match.view(self._table.state, self.seat)

    def legal_moves(self) -> list[str]:
        """Return the legal moves. Free moves are in the observation, as `free_moves`."""
        return self._table.match.legal_texts(self._table.state, self.seat)

    def history(self) -> list[dict[str, Any]]:
        """Return the events of the current deal as the seat sees them, without numbers."""
        return self._witness.deal(self._table, self.seat)

    def turn(self, now: int) -> dict[str, Any]:
        """Return the turn as `GET /v1/turns` would send it at `now`."""
        return views.turn_view(self.loaded(now), self.seat)

    def loaded(self, now: int) -> LoadedMatch:
        """Return the match as the views take it, with a question that was asked at `now`."""
        table = self._table
        deadline = now + table.config.clock.move_ms
        return LoadedMatch(
            now=now,
            version=0,
            config=table.config,
            progress=table.result(),
            asked=now,
            deadline=deadline,
            secret=self._secret,
            log="",
            state=table.state,
        )

    def events(self, after: int) -> list[dict[str, Any]]:
        """Return the numbered events after `after`, as `GET /v1/matches/{id}/events` shows them to the seat."""
        return self._witness.numbered(self._table, self.seat, after)


class Witness:
    """The events of a match, computed on demand and once per move."""

    def __init__(self, match: Match) -> None:
        self._match, self._state = match, match.begin()
        self._events = [events.started(match)]
        self._closed = self._lines = 0
        self._deal = 1

    def deal(self, table: MatchSession, seat: int) -> list[dict[str, Any]]:
        """Return the events of the current deal as this seat saw them."""
        self._catch_up(table)
        return [event.view(seat) for event in self._events[self._deal :]]

    def numbered(self, table: MatchSession, seat: int, after: int) -> list[dict[str, Any]]:
        """Return all events after `after` as this seat saw them."""
        self._catch_up(table)
        return list(events.numbered(self._events[after:], after + 1, seat))

    def _catch_up(self, table: MatchSession) -> None:
        for log in table.closed[self._closed :]:
            lines = log.splitlines(keepends=True)
            self._take(lines[self._lines :])
            self._lines, self._deal = 0, len(self._events)
        self._closed = len(table.closed)
        self._take(table.lines[self._lines :])
        self._lines = len(table.lines)

    def _take(self, lines: list[str]) -> None:
        found, self._state = events.of_deal(self._match, self._state, "".join(lines))
        self._events += found


def play(plan: LocalPlan, fixture: Fixture, players: Players, chairs: Mapping[str, Chair]) -> LocalResult:
    """Play the whole match. House bots in `players`, by name, answer inside the session and take no time. All others
    answer through `chairs`, by bot id."""
    started = (fixture.number + 1) * HOUR_MS
    config = _setup(plan, fixture, started)
    progress = _begun(config, fixture.secret, started)
    table = _opened(config, progress, fixture.secret, players)
    table.carry_on(_EVERYTHING)
    failures, answered = ([], set[str]()) if table.ending else _ask_all(table, fixture, chairs)
    log = "".join([*table.closed, *table.lines])
    progress = table.result()._replace(ended=started + time_in(log), to_move=None)
    return LocalResult(Record(config, progress, fixture.secret, log).to_json(), failures, frozenset(answered))


def _ask_all(
    table: MatchSession, fixture: Fixture, chairs: Mapping[str, Chair]
) -> tuple[list[Failure], set[str]]:
    """Play on with the bots in `chairs` until the match is over. Return their failures, and who gave an answer."""
    witness = Witness(table.match)
    rngs = [Random(f"{fixture.id} {seat}") for seat in range(len(fixture.seats))]
    failures: list[Failure] = []
    answered: set[str] = set()
    while not table.ending:
        seat = table.state.to_move
        sitting = fixture.seats[seat]
        question = BotQuestion(table, seat, witness, fixture.secret, rngs[seat])
        try:
            _ask(table, seat, chairs[sitting.id], question)
        except NoAnswer as why:
            failures.append(Failure(sitting.bot, str(why)))
            table.time_out()
        else:
            answered.add(sitting.bot)
        table.carry_on(_EVERYTHING)
    return failures, answered


def _ask(table: MatchSession, seat: int, chair: Chair, question: BotQuestion) -> None:
    answer = chair.answer(question)
    if table.config.is_house(seat):
        table.house_move(seat, answer.move, answer.ms)
        return
    if not table.config.clock.in_time(answer.ms, table.bank[seat]):
        raise NoAnswer(f"the answer took {answer.ms} ms, and {question.move_ms} were allowed")
    try:
        table.move(seat, answer.move, answer.ms)
    except (NotAMoveText, MoveNotLegal) as why:
        raise NoAnswer(illegal(answer.move)) from why


def _setup(plan: LocalPlan, fixture: Fixture, started: int) -> MatchConfig:
    return MatchConfig(
        id=fixture.id,
        game=plan.game,
        options=dict(plan.table.options),
        deals=plan.deals_of_match,
        dealer=None,
        seats=fixture.seats,
        entropy=(None,) * plan.seats,
        clock=plan.clock,
        created=started,
        preset=preset_of(plan.table, plan.clock),
        group=None if fixture.group is None else _place(plan, fixture.group, fixture.number),
    )


def _place(plan: LocalPlan, group: str, number: int) -> GroupSeating:
    """Return the place of a match in its group. Suits are not permuted, since the bots remember no deck."""
    return GroupSeating(group, number % plan.tables_of_group, (0, 1, 2, 3), tuple(range(plan.seats)))


def _begun(config: MatchConfig, secret: bytes, started: int) -> MatchProgress:
    count = len(config.seats)
    dealer = shuffle.first_dealer(secret, config.entropy, count)
    return MatchProgress(
        status=Status.RUNNING,
        number=1,
        dealer=dealer,
        scores=(0,) * count,
        turn=1,
        to_move=None,
        bank=(config.clock.bank_ms,) * count,
        strikes=(0,) * count,
        forfeits=(),
        shown=tuple(range(count)),
        first_dealer=dealer,
        started=started,
    )


def _opened(config: MatchConfig, progress: MatchProgress, secret: bytes, players: Players) -> MatchSession:
    state, rng = match_of(config, progress.dealer).begin(), Random(f"{config.id} house")
    return MatchSession(config, progress, state, "", partial(config.deck, secret), players, rng)

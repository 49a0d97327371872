"""A match as a value: the rules with seats, turns, clocks, strikes, forfeits and endings. No storage, no wire format.

`MatchConfig` is what is agreed before the first deal, `MatchProgress` what changes with every move. A `MatchSession` is
one writer's working copy of a match. It is opened on a snapshot and takes one step: a move, a timeout or a resignation.
Then it carries on as long as no remote bot has to answer: it deals, asks house bots and moves for forfeited seats. Its
results are in `lines` and `closed`; they count once the store has committed them.
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property, lru_cache
from random import Random
from typing import Any, Final, NamedTuple, Self

from engine.game import CHANCE, NOBODY, BadTable, Game, IllegalMove, NotAMove, Refusal
from engine.match import Match, MatchState, deck_text, parse_deck
from engine.registry import GAMES
from engine.relabelling import Suits, relabelled, undone
from records.decoding import decoded
from records.errors import MoveNotLegal, NotAMoveText
from records.match import shuffle
from records.match.assist import LIST, Assist, assisted
from records.match.clock import ClockRule, SeatClocks
from records.match.continuation import Continuation
from records.match.log import (
    BY_CONTINUED,
    BY_FORFEIT,
    BY_PLAYER,
    BY_TIMEOUT,
    Entry,
    chance,
    forfeited,
    house_lines,
    parse_log,
)
from records.match.players import Players
from records.names import current_name

AUTOMATIC_MOVES: Final = 32
"""How many moves of house bots and forfeited seats one commit makes. A job makes the rest."""


class Status(enum.StrEnum):
    """The status of a match."""

    OPEN = "open"
    WAITING = "waiting"
    RUNNING = "running"
    FINISHED = "finished"


class Ending(enum.StrEnum):
    """How a match ended."""

    RULES = "rules"
    FORFEIT = "forfeit"
    RESIGNED = "resigned"
    ABORTED = "aborted"
    VOID = "void"


GUEST: Final = "anonymous"
"""The owner's name on the seats of people who have not signed in. It is reserved."""


class Seat(NamedTuple):
    """The bot or person on a seat. `house` means that the referee asks it itself."""

    stored: str
    """`owner/bot`, as it was when the match was created."""
    id: str
    version: str
    house: bool = False
    person: bool = False
    """Whether a person plays, on the web site. No rating or standing counts such a match."""

    @property
    def bot(self) -> str:
        """`owner/bot`, as the bot is called now."""
        return current_name(self.id, self.stored)

    @property
    def name(self) -> str:
        """The bot's name without its owner."""
        return self.bot.partition("/")[2]

    def to_json(self) -> dict[str, Any]:
        """Return the stored form."""
        rest = self._asdict()
        del rest["stored"]
        return {"bot": self.bot, **rest}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Seat:
        """Return the value of its stored form."""
        return decoded(cls, {**data, "stored": data["bot"]})


class GroupSeating(NamedTuple):
    """A match's place in its duplicate group (`referee.groups.model`). Nobody may see it before the group is over."""

    id: str
    slot: int
    """The number of its table in the group, from 0."""
    suits: Suits
    """By suit, its new suit at this table."""
    members: tuple[int, ...]
    """By seat, the number of the group's bot that sits there."""
    compared: int | None = None
    """The only seat that counts, if the group compares bots against the same house bots."""


class _MatchConfigFields(NamedTuple):
    id: str
    game: str
    options: dict[str, Any]
    deals: int
    dealer: int | None
    """The first dealer if the match names one; else it is drawn from the shuffle seed."""
    seats: tuple[Seat | None, ...]
    entropy: tuple[str | None, ...]
    """By seat; in a duplicate group by the group's bots."""
    clock: ClockRule
    created: int
    rated: bool = False
    ladder: str | None = None
    round: int | None = None
    group: GroupSeating | None = None
    rules: str = ""
    """The rules it was created under, as in `durak-1`; empty in data older than this field."""
    preset: str = ""
    """The preset before suits were relabelled; empty in data older than this field."""
    season: int | None = None
    """The season of the ladder; `None` also in data older than this field."""
    continues: Continuation | None = None
    """The position of another match at which it began."""
    requested_by: str = ""
    """The owner who requested it, in a ladder its owner: whose share of the workers its house bots use. Empty if
    unknown."""
    start_ms: int | None = None
    """How long its bots have to show up; `None` for the default of the service."""
    assist: Assist = LIST
    """How its turns list the legal moves."""


class MatchConfig(_MatchConfigFields):
    """What is agreed before the first deal. `seats` has `None` for an open seat. Immutable."""

    def table(self) -> Game:
        """Return the game with this match's seats and options."""
        return self._table

    @cached_property
    def _table(self) -> Game:
        return table_of(self.game, len(self.seats), self.options)

    @property
    def base(self) -> Game:
        """The game before suits were relabelled. It defines the preset and the pack that is shuffled."""
        return self._table if self.group is None else table_relabelled(self._table, undone(self.group.suits))

    def made_at(self, now: int) -> Self:
        """Return a copy created at this instant, with the same cached properties."""
        made = self._replace(created=now)
        made.__dict__.update(self.__dict__)
        return made

    def deck(self, secret: bytes, number: int) -> tuple[int, ...]:
        """Return the deck of deal `number`, in the order in which the cards leave it."""
        repeated = self.continues and self.continues.deck(self._table, number)
        if repeated:
            return repeated
        cards = shuffle.deck(secret, self.entropy, number, self.base.pack)
        return cards if self.group is None else relabelled(cards, self.group.suits)

    @property
    def group_id(self) -> str:
        """The id of its duplicate group; its own id if it has none, as a group of one."""
        return self.id if self.group is None else self.group.id

    def registered(self) -> list[bool]:
        """Return by seat whether its bot has registered entropy."""
        if self.group is None:
            return [text is not None for text in self.entropy]
        return [self.entropy[member] is not None for member in self.group.members]

    def seat_of(self, bot_id: str | None) -> int | None:
        """Return the seat of a bot, or `None`."""
        for number, seat in enumerate(self.seats):
            if seat is not None and seat.id == bot_id:
                return number
        return None

    def clocks(self) -> SeatClocks:
        """Return the clocks before the first move."""
        return SeatClocks.begun(self.clock, [self.is_house(seat) for seat in range(len(self.seats))])

    @property
    def has_person(self) -> bool:
        """Whether a person has a seat."""
        return any(seat is not None and seat.person for seat in self.seats)

    @property
    def has_company(self) -> bool:
        """Whether several people have seats."""
        return sum(seat is not None and seat.person for seat in self.seats) > 1

    def is_house(self, seat: int) -> bool:
        """Return whether a house bot sits there."""
        sitting = self.seats[seat]
        return sitting is not None and sitting.house

    def to_json(self) -> dict[str, Any]:
        """Return the stored form."""
        data = self._asdict()
        data["seats"] = [seat and seat.to_json() for seat in self.seats]
        data["clock"] = self.clock.to_json()
        data["group"] = self.group and self.group._asdict()
        data["continues"] = self.continues and self.continues.to_json()
        return data

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> MatchConfig:
        """Return the value of its stored form."""
        data = dict(data)
        data["seats"] = tuple(seat and Seat.from_json(seat) for seat in data["seats"])
        data["entropy"] = tuple(data["entropy"])
        data["clock"] = ClockRule.from_json(data["clock"])
        if data["group"] is not None:
            grouped = dict(data["group"])
            for field in ("suits", "members"):
                grouped[field] = tuple(grouped[field])
            data["group"] = decoded(GroupSeating, grouped)
        if data.get("continues") is not None:
            data["continues"] = Continuation.from_json(data["continues"])
        return decoded(cls, data)


class MatchProgress(NamedTuple):
    """What changes with every step. Instants are service time in ms since 1970."""

    status: Status
    number: int
    """The deal in progress, from 1."""
    dealer: int
    """The dealer of that deal."""
    scores: tuple[int, ...]
    """The scores of the deals before it; of the whole match when it is over."""
    turn: int
    """The number of the open question, from 1, or of the next one if none is open."""
    to_move: int | None
    """The seat that has to answer, or `None`."""
    bank: tuple[int, ...]
    strikes: tuple[int, ...]
    forfeits: tuple[int, ...]
    """Forfeited seats, in the order of the forfeits."""
    shown: tuple[int, ...]
    """Seats whose remote bots have shown up."""
    first_dealer: int | None = None
    started: int | None = None
    ended: int | None = None
    ending: Ending | None = None
    absent: tuple[int, ...] = ()
    """Seats whose remote bots did not show up in time."""
    hints: tuple[int, ...] = ()
    """Turns for which a person got a hint."""

    def to_json(self) -> dict[str, Any]:
        """Return the stored form."""
        return self._asdict()

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> MatchProgress:
        """Return the value of its stored form."""
        for field in ("scores", "bank", "strikes", "forfeits", "shown", "absent", "hints"):
            data[field] = tuple(data.get(field, ()))
        data["status"] = Status(data["status"])
        if data["ending"] is not None:
            data["ending"] = Ending(data["ending"])
        return decoded(cls, data)


_TABLES: dict[tuple[str, int, str], Game] = {}


def table_of(game: str, seats: int, options: Mapping[str, Any]) -> Game:
    """Return the game with these seats and options, from a cache. Raises `BadTable` (`Game.table`)."""
    # `repr` because `True` equals 1, but only one of the two is valid.
    key = (game, seats, repr(options))
    table = _TABLES.get(key)
    if table is None:
        if len(_TABLES) > 500:
            _TABLES.clear()
        table = _TABLES[key] = GAMES[game].table(seats, dict(options))
    return table


@lru_cache(maxsize=1024)
def table_relabelled(game: Game, suits: Suits) -> Game:
    """Return the game that the relabelled deal is played with (`Game.relabelled`), from a cache."""
    relabelled_game = game.relabelled(suits)
    return table_of(relabelled_game.id, relabelled_game.seats, relabelled_game.options)


def match_of(config: MatchConfig, first_dealer: int) -> Match:
    """Return the rules of a match with this first dealer."""
    return _agreed(config.table(), config.deals, first_dealer)


_agreed = lru_cache(maxsize=1024)(Match.agreed)


def places(scores: Sequence[int], forfeits: Sequence[int]) -> list[int]:
    """Return by seat 1 + the number of seats with a higher score. Forfeited seats come after all others."""
    keys = [(seat not in forfeits, score) for seat, score in enumerate(scores)]
    return [1 + sum([other > key for other in keys]) for key in keys]


def is_won(place: int) -> bool:
    """Return whether a seat with this place has won its match. A shared first place is a win."""
    return place == 1


def resume(match: Match, progress: MatchProgress, log: str) -> MatchState:
    """Return the state after the log of the deal in progress. Raises the rules' refusal of a corrupt log."""
    state = MatchState(progress.number, progress.dealer, progress.scores, None, False)
    return replay(match, state, parse_log(log))


def replay(match: Match, state: MatchState, entries: Sequence[Entry]) -> MatchState:
    """Return the state after these moves. Raises the rules' refusal of an illegal one."""
    for entry in entries:
        if entry.by_chance:
            state = match.deal(state, parse_deck(entry.move))
        elif entry.is_move:
            state = match.play(state, entry.seat, match.parse(state, entry.seat, entry.move))
    return state


class MatchSession:
    """One writer's working copy of a running match."""

    def __init__(
        self,
        config: MatchConfig,
        progress: MatchProgress,
        state: MatchState,
        log: str,
        deck: Callable[[int], Sequence[int]],
        players: Players,
        rng: Random,
    ) -> None:
        """`deck(n)` returns the deck of deal n. `state` is the state after `log`, the log of the deal in progress."""
        self.config = config
        self.progress = progress
        self.match = match_of(config, progress.first_dealer or 0)
        self.state = state
        self.log = log
        self.lines: list[str] = []
        """The lines that this step adds to the log of the deal in progress."""
        self.closed: list[str] = []
        """The whole logs of the deals that this step closed, in order."""
        self.bank = list(progress.bank)
        self.strikes = list(progress.strikes)
        self.forfeits = list(progress.forfeits)
        self.turn = progress.turn
        self.ending: Ending | None = None
        self.still_asked = True
        """Whether the question from before the step is still open, even if its legal moves have changed."""
        self.unfinished = False
        """Whether a job has to ask house bots."""
        self._deck, self._rng = deck, rng
        self._house = [
            players.get(seat.name) if seat is not None and seat.house else None for seat in config.seats
        ]
        """By seat, the house bot that answers at once."""

    # Steps

    def begin_without(self, absent: Sequence[int], reason: Ending) -> None:
        """Deal, and forfeit seats that resigned before the start or did not show up."""
        self._deal()
        self.forfeit(absent, reason)

    def begin_at(self, position: Continuation, repeated: Iterable[Entry]) -> None:
        """Deal and repeat the moves of the match that this one continues. They cost no time.

        Raises `BadTable` if nobody is to move at the position, and the rules' refusal of moves that can't be made.
        """
        for entry in repeated:
            if self.state.to_move == CHANCE:
                self._deal()
            seat, move = entry.seat, self.match.parse(self.state, entry.seat, entry.move)
            turn = self.turn if self.match.answers(self.state, seat, move) else 0
            self._write(Entry(seat, turn, 0, 0, BY_CONTINUED, entry.move), move)
        if self.state.to_move == CHANCE and self.state.number == position.deal:
            self._deal()
        if self.state.over or self.state.number != position.deal:
            raise BadTable("move", position.move, "a position before the end of the deal")

    def move(self, seat: int, text: str, taken: int, *, note: str = "") -> Entry:
        """Make the move of a seat: an answer that took `taken` ms, or a free move, with the bot's note on it.

        Raises `NotAMoveText` or `MoveNotLegal` without changing anything.
        """
        try:
            move = self.match.parse(self.state, seat, text)
        except NotAMove as error:
            raise NotAMoveText(str(error), **self._moves(seat)) from error
        except IllegalMove as error:
            raise MoveNotLegal(str(error), **self._moves(seat)) from error
        return self._play(seat, move, text, taken, note)

    def house_move(self, seat: int, text: str, taken: int) -> Entry:
        """Make the move of a thinking house bot that took `taken` ms. No clock runs against it. An answer that
        is no move is a defect."""
        try:
            move = self.match.parse(self.state, seat, text)
        except Refusal as error:
            why = f"the house bot on seat {seat} answered {text!r}: {error}; {self._moves(seat)}"
            raise AssertionError(why) from error
        answers = self.match.answers(self.state, seat, move)
        turn, ms = (self.turn, taken) if answers else (0, 0)
        return self._write(Entry(seat, turn, ms, 0, BY_PLAYER, text), move)

    def time_out(self) -> Entry:
        """Apply a timeout: the safe move, a strike, and after the last strike the forfeit of the seat."""
        seat = self.state.to_move
        bank = self.bank[seat]
        entry = self._safe(BY_TIMEOUT, self.config.clock.allowance(bank), bank)
        self.bank[seat] = 0
        self.strikes[seat] += 1
        if self.strikes[seat] >= self.config.clock.strikes:
            self.forfeit([seat], Ending.FORFEIT)
        return entry

    def forfeit(self, seats: Sequence[int], reason: Ending) -> None:
        """Forfeit these seats. The match ends if at most one side has a seat left that isn't forfeited."""
        for seat in seats:
            if seat not in self.forfeits:
                self.forfeits.append(seat)
                # If the last move closed the deal, its log is closed too, and the mark goes into the next one.
                self.lines.append(forfeited(seat, reason).line())
        if not self.state.over and len(self._sides_alive()) <= 1:
            self.state = self.match.cut_short(self.state, self.forfeits)
            self._close()
            self.ending = reason

    def carry_on(self, most: int = AUTOMATIC_MOVES) -> None:
        """Deal, ask house bots and move for forfeited seats.

        Stops when a remote bot or a thinker has to answer, when the match is over, or after `most` such moves.
        """
        made = 0
        while True:
            seat = self.state.to_move
            if seat == NOBODY:
                self.ending = self.ending or Ending.RULES
                return
            if seat == CHANCE:
                self._deal()
                continue
            forfeited, asked_here = seat in self.forfeits, self._house[seat] is not None
            if not (forfeited or asked_here or self.config.is_house(seat)):
                return
            if made >= most or not (forfeited or asked_here):
                self.unfinished = True
                return
            if forfeited:
                self._safe(BY_FORFEIT, 0, 0)
                made += 1
            else:
                made += self._ask_house(most - made)

    # Results

    def result(self, started: int | None = None) -> MatchProgress:
        """Return the progress after the step. `started` is when the match started, if the session does not know it.
        The caller, who knows the time, sets `ended`."""
        before, state, to_move = self.progress, self.state, self.state.to_move
        return MatchProgress(
            status=Status.FINISHED if self.ending else before.status,
            number=state.number,
            dealer=state.dealer,
            scores=state.scores,
            turn=self.turn,
            to_move=None if to_move == NOBODY else to_move,
            bank=tuple(self.bank),
            strikes=tuple(self.strikes),
            forfeits=tuple(self.forfeits),
            shown=before.shown,
            first_dealer=before.first_dealer,
            started=before.started if started is None else started,
            ended=before.ended,
            ending=self.ending,
            absent=before.absent,
            hints=before.hints,
        )

    @property
    def current_log(self) -> str:
        """The log of the deal in progress after the step."""
        return ("" if self.closed else self.log) + "".join(self.lines)

    def allowance(self) -> int | None:
        """Return the ms that the seat to move has, or `None` if no clock runs."""
        seat = self.state.to_move
        if seat < 0 or self.config.is_house(seat) or seat in self.forfeits:
            return None
        return self.config.clock.allowance(self.bank[seat])

    # Inside

    def _sides_alive(self) -> set[int]:
        sides = self.match.game.sides
        return {sides[seat] for seat in range(len(sides)) if seat not in self.forfeits}

    def _deal(self) -> None:
        deck = self._deck(self.state.number)
        self.state = self.match.deal(self.state, deck)
        self.lines.append(chance(deck_text(deck)).line())

    def _safe(self, by: str, ms: int, charged: int) -> Entry:
        move = self.match.game.safe_move(self.state.deal)
        text = self.match.text(self.state, move)
        return self._write(Entry(self.state.to_move, self.turn, ms, charged, by, text), move)

    def _ask_house(self, most: int) -> int:
        """Let house bots move, at least once and at most `most` times. Return how many moves they made.

        No clock runs against them, and they always move on turn, so each of their moves opens another question. A house
        bot that answers with anything but a move is a defect.
        """
        players = [None if seat in self.forfeits else player for seat, player in enumerate(self._house)]
        try:
            self.state, played = self.match.play_on(self.state, players, self._rng, most)
        except Refusal as error:
            raise AssertionError(f"a house bot made an illegal move: {error}") from error
        self.lines += house_lines(played, self.turn)
        self.turn += len(played)
        closed = self.state.deal is None or self.state.over
        if closed or any(answers for _, _, answers in played):
            self.still_asked = False
        if closed:
            self._close()
        return len(played)

    def _play(self, seat: int, move: int, text: str, taken: int, note: str = "") -> Entry:
        """Write a legal move, and charge an answer to the clock of its seat."""
        if not self.match.answers(self.state, seat, move):
            return self._write(Entry(seat, 0, 0, 0, BY_PLAYER, text, note), move)
        clock, bank = self.config.clock, self.bank[seat]
        entry = Entry(seat, self.turn, taken, clock.charged(taken, bank), BY_PLAYER, text, note)
        self.bank[seat] = clock.after_decision(taken, bank)
        return self._write(entry, move)

    def _moves(self, seat: int) -> dict[str, Any]:
        """Return the moves that the seat may make now, as a refusal lists them."""
        moves = {
            "legal_moves": self.match.legal_texts(self.state, seat),
            "free_moves": self.match.free_texts(self.state, seat),
        }
        return assisted(moves, self.config.assist)

    def _write(self, entry: Entry, move: int) -> Entry:
        before, answers = self.state, entry.turn > 0
        self.state = after = self.match.play(before, entry.seat, move)
        self.lines.append(entry.line())
        closed = after.deal is None or after.over
        if answers or closed:
            self.still_asked = False
        # A free move of the seat to move changes its legal moves, and one that ends the deal (by the turn limit)
        # withdraws the open question. Both get a new number, so that a number never stands for two questions.
        if answers or closed or entry.seat == before.to_move:
            self.turn += 1
        if closed:
            self._close()
        return entry

    def _close(self) -> None:
        self.closed.append(("" if self.closed else self.log) + "".join(self.lines))
        self.lines = []

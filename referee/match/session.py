"""A match round the rules, as a value: seats, turns, clocks, strikes, forfeits, endings. No storage, no wire.

`MatchConfig` is what is agreed before the first deal, `MatchProgress` what changes with every move, and a
`MatchSession` is one writer's working copy of a match: it is made from a snapshot, takes one step (a move, a timeout,
a resignation) and carries on by itself as far as nobody outside has to be asked (decks, house bots, forfeited seats).
What it did stands in `lines` and `closed`; nothing is true before the store has committed it.
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property, lru_cache
from random import Random
from typing import Any, Final, NamedTuple, Self

from engine.game import CHANCE, NOBODY, Game, IllegalMove, NotAMove
from engine.match import Match, MatchState, deck_text, parse_deck
from engine.registry import GAMES
from engine.relabelling import Suits, relabelled, undone
from referee.errors import MoveNotLegal, NotAMoveText
from referee.match import shuffle
from referee.match.clock import ClockRule
from referee.match.log import BY_FORFEIT, BY_PLAYER, BY_TIMEOUT, Entry, chance, forfeited, parse_log
from referee.match.players import Players
from referee.storage.decoding import decoded

AUTOMATIC_MOVES: Final = 32
"""How many moves of house bots and forfeited seats one commit makes; a job goes on from there."""


class Status(enum.StrEnum):
    """Where a match is in its life."""

    OPEN = "open"
    WAITING = "waiting"
    RUNNING = "running"
    FINISHED = "finished"


class Ending(enum.StrEnum):
    """How a match ended; the closed list of the design page."""

    RULES = "rules"
    FORFEIT = "forfeit"
    RESIGNED = "resigned"
    ABORTED = "aborted"
    VOID = "void"


class Seat(NamedTuple):
    """Who sits on a chair. `house` says that the referee itself asks the player."""

    bot: str
    """`owner/bot`."""
    id: str
    version: str
    house: bool = False

    @property
    def name(self) -> str:
        """The bot's name without its owner."""
        return self.bot.partition("/")[2]


class GroupSeating(NamedTuple):
    """A match's place in its duplicate group (`referee.groups.model`). It says nothing of the cards but how their
    suits are relabelled here, and goes to nobody before the group is over."""

    id: str
    slot: int
    """Which of the group's tables this is, from 0."""
    suits: Suits
    """By suit, what it becomes at this table."""
    members: tuple[int, ...]
    """By seat, which of the group's bots sits there."""
    compared: int | None = None
    """The one seat that counts, where a group compares what each bot made of it against the same house bots."""


class _MatchConfigFields(NamedTuple):
    id: str
    game: str
    options: dict[str, Any]
    deals: int
    dealer: int | None
    """The first dealer where the match names one; else it is drawn from the shuffle seed."""
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
    """The rules it was made under, as in `durak-1`; empty in what was stored before they were noted."""
    preset: str = ""
    """What it is rated with, named before its suits were relabelled; empty likewise."""
    season: int | None = None
    """The season of the ladder; `None` likewise."""


class MatchConfig(_MatchConfigFields):
    """What is agreed before the first deal. `seats` has `None` for an open seat. Never changed once made."""

    def table(self) -> Game:
        """The game at this match's table."""
        return self._table

    @cached_property
    def _table(self) -> Game:
        return table_of(self.game, len(self.seats), self.options)

    @property
    def base(self) -> Game:
        """The table before its suits were relabelled, which names the preset and whose pack is shuffled."""
        return self._table if self.group is None else table_relabelled(self._table, undone(self.group.suits))

    def made_at(self, now: int) -> Self:
        """The same, created then, with what is known to follow from the rest."""
        made = self._replace(created=now)
        made.__dict__.update(self.__dict__)
        return made

    def deck(self, secret: bytes, number: int) -> tuple[int, ...]:
        """The deck of deal `number`, in the order in which the cards leave it (`referee.match.shuffle`)."""
        cards = shuffle.deck(secret, self.entropy, number, self.base.pack)
        return cards if self.group is None else relabelled(cards, self.group.suits)

    @property
    def group_id(self) -> str:
        """The id of its duplicate group; its own where it has none, as of a group of one."""
        return self.id if self.group is None else self.group.id

    def registered(self) -> list[bool]:
        """By seat, whether its bot has registered entropy of its own."""
        if self.group is None:
            return [text is not None for text in self.entropy]
        return [self.entropy[member] is not None for member in self.group.members]

    @cached_property
    def matches(self) -> dict[int, Match]:
        """The rules of this match by first dealer, as far as they were asked for."""
        return {}

    def seat_of(self, bot_id: str | None) -> int | None:
        """The seat of a bot, or `None`."""
        for number, seat in enumerate(self.seats):
            if seat is not None and seat.id == bot_id:
                return number
        return None

    def is_house(self, seat: int) -> bool:
        """Whether the referee asks this seat itself."""
        sitting = self.seats[seat]
        return sitting is not None and sitting.house

    def to_json(self) -> dict[str, Any]:
        """For the store."""
        said = self._asdict()
        said["seats"] = [seat and seat._asdict() for seat in self.seats]
        said["clock"] = self.clock.to_json()
        said["group"] = self.group and self.group._asdict()
        return said

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> MatchConfig:
        """From the store."""
        data = dict(data)
        data["seats"] = tuple(seat and decoded(Seat, seat) for seat in data["seats"])
        data["entropy"] = tuple(data["entropy"])
        data["clock"] = ClockRule.from_json(data["clock"])
        if data["group"] is not None:
            grouped = dict(data["group"])
            for field in ("suits", "members"):
                grouped[field] = tuple(grouped[field])
            data["group"] = decoded(GroupSeating, grouped)
        return decoded(cls, data)


class MatchProgress(NamedTuple):
    """What changes with every step. Instants are service time in ms since 1970."""

    status: Status
    number: int
    """The deal in progress, from 1."""
    dealer: int
    """Its dealer."""
    scores: tuple[int, ...]
    """The scores of the deals before it; of the match when it is over."""
    turn: int
    """The number of the question now asked, from 1; when nobody is asked, of the next one."""
    to_move: int | None
    """The seat asked, or `None`."""
    bank: tuple[int, ...]
    strikes: tuple[int, ...]
    forfeits: tuple[int, ...]
    """Forfeited seats in the order in which it happened."""
    shown: tuple[int, ...]
    """Remote seats that have shown up."""
    first_dealer: int | None = None
    started: int | None = None
    ended: int | None = None
    ending: Ending | None = None

    def to_json(self) -> dict[str, Any]:
        """For the store."""
        return self._asdict()

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> MatchProgress:
        """From the store."""
        for field in ("scores", "bank", "strikes", "forfeits", "shown"):
            data[field] = tuple(data[field])
        data["status"] = Status(data["status"])
        if data["ending"] is not None:
            data["ending"] = Ending(data["ending"])
        return decoded(cls, data)


_TABLES: dict[tuple[str, int, str], Game] = {}


def table_of(game: str, seats: int, options: Mapping[str, Any]) -> Game:
    """The game at a table; tables are immutable and kept. Raises `BadTable` (`Game.table`)."""
    # By how the options are written: `True` equals 1, and only one of them is right.
    key = (game, seats, repr(options))
    found = _TABLES.get(key)
    if found is None:
        if len(_TABLES) > 500:
            _TABLES.clear()
        found = _TABLES[key] = GAMES[game].table(seats, dict(options))
    return found


@lru_cache(maxsize=1024)
def table_relabelled(game: Game, suits: Suits) -> Game:
    """The table at which the relabelled deal is played (`Game.relabelled`), kept likewise."""
    there = game.relabelled(suits)
    return table_of(there.id, there.seats, there.options)


def match_of(config: MatchConfig, first_dealer: int) -> Match:
    """The rules of a match."""
    known = config.matches.get(first_dealer)
    if known is None:
        known = config.matches[first_dealer] = Match.agreed(config.table(), config.deals, first_dealer)
    return known


def places(scores: Sequence[int], forfeits: Sequence[int]) -> list[int]:
    """1 + the number of seats with a higher score; forfeited seats after all others whatever their score."""
    keys = [(seat not in forfeits, score) for seat, score in enumerate(scores)]
    return [1 + sum([other > key for other in keys]) for key in keys]


def resume(match: Match, progress: MatchProgress, log: str) -> MatchState:
    """The state after the log of the deal in progress. Raises whatever the rules refuse: a log that does not
    replay is a broken record."""
    state = MatchState(progress.number, progress.dealer, progress.scores, None, False)
    return replay(match, state, parse_log(log))


def replay(match: Match, state: MatchState, entries: Sequence[Entry]) -> MatchState:
    """The state after these moves. Raises whatever the rules refuse."""
    for entry in entries:
        if entry.by_chance:
            state = match.deal(state, parse_deck(entry.move))
        elif entry.is_move:
            state = match.play(state, entry.seat, match.parse(state, entry.seat, entry.move))
    return state


class MatchSession:
    """One writer's working copy of a running match. See the module."""

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
        """`deck(n)` gives the deck of deal n; `state` is the state after `log`, the log of the deal in
        progress."""
        self.config = config
        self.progress = progress
        self.match = match_of(config, progress.first_dealer or 0)
        self.state = state
        self.log = log
        self.lines: list[str] = []
        """What this step adds to the log of the deal in progress."""
        self.closed: list[str] = []
        """The whole logs of the deals that this step closed, in order."""
        self.bank = list(progress.bank)
        self.strikes = list(progress.strikes)
        self.forfeits = list(progress.forfeits)
        self.turn = progress.turn
        self.ending: Ending | None = None
        self.still_asked = True
        """Whether the question asked before the step still waits for its answer, with legal moves old or new."""
        self.unfinished = False
        """Whether a house bot is still to be asked, by a job."""
        self._deck, self._players, self._rng = deck, players, rng

    # Steps

    def begin_without(self, absent: Sequence[int], reason: Ending) -> None:
        """Deal, and forfeit these seats at once: nobody came, or they resigned before."""
        self._deal()
        self.forfeit(absent, reason)

    def move(self, seat: int, text: str, taken: int) -> Entry:
        """`seat` answers the question now asked, having taken `taken` ms, or makes a free move.

        Raises `NotAMoveText` or `MoveNotLegal`; nothing has changed then.
        """
        try:
            move = self.match.parse(self.state, seat, text)
        except NotAMove as error:
            raise NotAMoveText(str(error), **self._moves(seat)) from error
        except IllegalMove as error:
            raise MoveNotLegal(str(error), **self._moves(seat)) from error
        if not self.match.answers(self.state, seat, move):
            return self._write(Entry(seat, 0, 0, 0, BY_PLAYER, text), move)
        clock, bank = self.config.clock, self.bank[seat]
        entry = Entry(seat, self.turn, taken, clock.charged(taken, bank), BY_PLAYER, text)
        self.bank[seat] = clock.after_decision(taken, bank)
        return self._write(entry, move)

    def house_move(self, seat: int, text: str, taken: int) -> Entry:
        """The house bot on `seat` does what it was asked outside, having taken `taken` ms. No clock runs against it."""
        self._check_house(seat, text, self._moves(seat))
        move = self.match.parse(self.state, seat, text)
        answers = self.match.answers(self.state, seat, move)
        turn, ms = (self.turn, taken) if answers else (0, 0)
        return self._write(Entry(seat, turn, ms, 0, BY_PLAYER, text), move)

    def time_out(self) -> Entry:
        """The seat asked is out of time: the safe move, a strike, and at the last strike the forfeit."""
        seat = self.state.to_move
        bank = self.bank[seat]
        entry = self._safe(BY_TIMEOUT, self.config.clock.allowance(bank), bank)
        self.bank[seat] = 0
        self.strikes[seat] += 1
        if self.strikes[seat] >= self.config.clock.strikes:
            self.forfeit([seat], Ending.FORFEIT)
        return entry

    def forfeit(self, seats: Sequence[int], reason: Ending) -> None:
        """The seats are forfeited; the match ends if at most one side has a player of its own left."""
        for seat in seats:
            if seat not in self.forfeits:
                self.forfeits.append(seat)
                # A deal that the last move closed has its log closed too: the mark goes to the next one.
                self.lines.append(forfeited(seat, reason).line())
        if not self.state.over and len(self._sides_alive()) <= 1:
            self.state = self.match.cut_short(self.state, self.forfeits)
            self._close()
            self.ending = reason

    def carry_on(self, most: int = AUTOMATIC_MOVES) -> None:
        """Deal, ask house bots and move for forfeited seats until somebody outside has to be asked, the match
        is over, or `most` such moves are made."""
        made = 0
        while True:
            seat = self.state.to_move
            if seat == NOBODY:
                self.ending = self.ending or Ending.RULES
                return
            if seat == CHANCE:
                self._deal()
                continue
            forfeited = seat in self.forfeits
            if not forfeited and not self.config.is_house(seat):
                return
            if made >= most or not (forfeited or self._answers_at_once(seat)):
                self.unfinished = True
                return
            made += 1
            if forfeited:
                self._safe(BY_FORFEIT, 0, 0)
            else:
                self._ask_house(seat)

    # What came of it

    def result(self) -> MatchProgress:
        """The head after the step; `started` and `ended` are for the caller, who knows the time."""
        to_move = None if self.state.to_move == NOBODY else self.state.to_move
        return self.progress._replace(
            number=self.state.number,
            dealer=self.state.dealer,
            scores=self.state.scores,
            turn=self.turn,
            to_move=to_move,
            bank=tuple(self.bank),
            strikes=tuple(self.strikes),
            forfeits=tuple(self.forfeits),
            status=Status.FINISHED if self.ending else self.progress.status,
            ending=self.ending,
        )

    @property
    def current_log(self) -> str:
        """The log of the deal in progress after the step."""
        return ("" if self.closed else self.log) + "".join(self.lines)

    def allowance(self) -> int | None:
        """How long the seat now asked has, or `None` where no clock runs."""
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

    def _answers_at_once(self, seat: int) -> bool:
        sitting = self.config.seats[seat]
        return sitting is not None and sitting.name in self._players

    def _ask_house(self, seat: int) -> None:
        sitting = self.config.seats[seat]
        assert sitting is not None
        seen = self.match.view(self.state, seat)
        text = self._players[sitting.name].choose(self.match.game, seen, seen["legal_moves"], self._rng)
        self._check_house(seat, text, seen)
        self.move(seat, text, 0)

    @staticmethod
    def _check_house(seat: int, text: str, seen: Mapping[str, Any]) -> None:
        legal, free = seen["legal_moves"], seen["free_moves"]
        if text not in legal and text not in free:
            raise AssertionError(
                f"the house bot on seat {seat} answered {text!r} to {legal}, or {free} freely"
            )

    def _moves(self, seat: int) -> dict[str, list[str]]:
        """What the seat may do now, as a refusal lists it."""
        return {
            "legal_moves": self.match.legal_texts(self.state, seat),
            "free_moves": self.match.free_texts(self.state, seat),
        }

    def _write(self, entry: Entry, move: int) -> Entry:
        on_turn = entry.seat == self.state.to_move
        self.state = self.match.play(self.state, entry.seat, move)
        self.lines.append(entry.line())
        closed = self.state.deal is None or self.state.over
        self.still_asked = self.still_asked and not entry.answers and not closed
        # A free move of the seat on turn changes its legal moves, and one that ends the deal (the turn limit) takes the
        # open question with it: the number that was asked is withdrawn, so that it never means two questions.
        if entry.answers or closed or on_turn:
            self.turn += 1
        if closed:
            self._close()
        return entry

    def _close(self) -> None:
        self.closed.append(("" if self.closed else self.log) + "".join(self.lines))
        self.lines = []

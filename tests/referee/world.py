"""A referee with its surroundings, a clock that tests set, and stacked decks."""

from __future__ import annotations

import threading
from collections.abc import Callable, Generator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from random import Random
from typing import Any, TypeVar

import orjson
import redis as redis_py

from engine.cards import CARD_OF_TEXT, CARD_TEXT
from engine.game import Game
from engine.games.durak import PACK
from engine.registry import GAMES
from league.container.options import ContainerOptions
from league.container.referee import RefereeContainer, Subscribers
from records.ids import buckets
from records.match import shuffle, views
from records.match.clock import ClockRule
from records.match.loaded_match import LoadedMatch, MoveResult
from records.match.log import Entry, parse_log
from records.match.move_requests import MoveRequest
from records.match.players import HousePlayer, ThinkingPlayer
from records.match.session import Seat, Status
from redisio.connection import Redis
from referee.polling.turns import Turns
from referee.polling.waiter import Pause
from referee.storage.index import MatchFilter
from referee.storage.redis import clock_key, keys_of
from referee.storage.store import OutboxKind
from referee.timings import DEFAULT_TIMINGS, RefereeTimings
from tests.support.league import AtRandom

T = TypeVar("T")
T0 = 1_763_683_200_000
CLOCK = ClockRule(move_ms=1_000, bank_ms=3_000, increment_ms=100, grace_ms=250, strikes=3)
SECRET = bytes(range(32))
AN_ID = "00abcdefghijkmnpqrstuvwxyz23"
ANOTHER_ID = "00zbcdefghijkmnpqrstuvwxyz23"


def wait_out(steps: Generator[Pause, None, T]) -> T:
    """Return the result of these steps. Wait at their pauses."""
    while True:
        try:
            pause = next(steps)
        except StopIteration as end:
            result: T = end.value
            return result
        pause.waiter.wait(pause.seconds)


class First:
    """A house bot that takes the first of its legal moves."""

    name = "first"
    version = "1"

    def pick(self, moves: int, rng: Random) -> int | None:
        return None

    def choose(
        self, game: Game, observation: Mapping[str, Any], legal_moves: Sequence[str], rng: Random
    ) -> str:
        return legal_moves[0]


class ManualClock:
    """The service time of all buckets, set by tests."""

    def __init__(self, redis: Redis, at: int = T0) -> None:
        self.redis = redis
        self.set(at)

    def set(self, at: int) -> None:
        self.at = at
        self.redis.run([("HSET", clock_key(bucket), "manual", at) for bucket in buckets()])

    def advance(self, ms: int) -> None:
        self.set(self.at + ms)

    def release(self) -> None:
        """Use the time of Redis from now on."""
        self.redis.run([("HDEL", clock_key(bucket), "manual") for bucket in buckets()])


def short(game: str) -> dict[str, Any]:
    """Return options for two deals of at most 150 moves, where the game has such options."""
    limited = "turn_limit" in GAMES[game].option_schemas
    return {
        "options": {"turn_limit": 150} if limited else {},
        "deals": None if GAMES[game].fixed_deals else 2,
    }


def remote(number: int) -> Seat:
    """Return a seat with a remote bot."""
    return Seat(f"owner{number}/bot", f"bot-{number}", "1.0")


def house(name: str = "first") -> Seat:
    """Return a seat with a house bot."""
    return Seat(f"house/{name}", f"house/{name}", "1", True)


ARRIVAL = 1_000_000.0
"""The instant at which the referee's monotonic clock stands still in tests, so that the cost of a move is exact."""


def seconds_ago(seconds: float) -> float:
    """Return the arrival of a move that the referee decides this many seconds later."""
    return ARRIVAL - seconds


class World(RefereeContainer):
    """One process: referee, index, hub and turns. Several worlds may share a Redis."""

    def __init__(
        self,
        redis: Redis,
        *,
        times: RefereeTimings | None = None,
        feeds: bool = True,
        seed: int = 1,
        monotonic: Callable[[], float] = lambda: ARRIVAL,
    ) -> None:
        """With `feeds` false nothing follows from a commit until the test feeds it."""
        self.players: dict[str, HousePlayer] = {"first": First(), "dice": AtRandom("dice")}
        self.thinkers: dict[str, ThinkingPlayer] = {}
        super().__init__(
            ContainerOptions(
                connect=lambda: redis,
                secret="key",
                players=self.players,
                thinkers=self.thinkers,
                asks_thinkers=True,
                timings=times or DEFAULT_TIMINGS,
                rng=Random(seed),
                now=lambda: T0,
                monotonic=monotonic,
            )
        )
        self.plain = redis_py.Redis.from_url(redis.url, protocol=2)
        self.times = self.options.timings
        self.readable: list[list[str]] = []
        self.random = Random(seed)
        self._feeds = feeds

    @cached_property
    def turns(self) -> Turns:
        """The polls, which wait in real time while the referee's clock stands still."""
        return Turns(self.referee, self.index, self.hub, self.group_store, self.secret.encode())

    def poll(self, *args: Any, **more: Any) -> dict[str, Any]:
        """Return the response of `Turns.poll` after its pauses."""
        return wait_out(self.turns.poll(*args, **more))

    def after_move(self, *args: Any) -> dict[str, Any]:
        """Return the response of `Turns.after_move` after its pauses."""
        return wait_out(self.turns.after_move(*args))

    def subscribers(self) -> Subscribers:
        def note(groups: Sequence[Sequence[LoadedMatch]]) -> None:
            self.readable.extend([loaded.id for loaded in loaded_matches] for loaded_matches in groups)

        return Subscribers(readers=[note])

    def on_changed(self, changed: Sequence[tuple[LoadedMatch, tuple[OutboxKind, ...]]]) -> None:
        """Feed committed matches, but leave their entries in the outboxes, where tests look for them."""
        if self._feeds:
            self.feed([loaded for loaded, kinds in changed if OutboxKind.INDEX in kinds])

    # Creating and moving

    def match(
        self, seats: int | Sequence[Seat | None] = 2, game: str = "durak", present: bool = True, **more: Any
    ) -> str:
        """Create a match, which runs at once unless `present` is false. Returns its id."""
        sitting = [remote(number) for number in range(seats)] if isinstance(seats, int) else seats
        more.setdefault("clock", CLOCK)
        return self.referee.create(game, sitting, more.pop("options", {}), present=present, **more).id

    def look(self, match: str) -> LoadedMatch:
        return self.referee.look(match)

    def legal(self, match: str, seat: int | None = None) -> list[str]:
        """Return the legal moves of a seat, by default of the seat to move."""
        loaded = self.look(match)
        at = loaded.progress.to_move if seat is None else seat
        seen = views.observation(loaded, at)
        assert seen is not None
        return list(seen["legal_moves"])

    def free(self, match: str, seat: int) -> list[str]:
        """Return the free moves of a seat."""
        seen = views.observation(self.look(match), seat)
        assert seen is not None
        return list(seen["free_moves"])

    def act(
        self,
        match: str,
        move: str | None = None,
        *,
        seat: int | None = None,
        turn: int | None = None,
        deal: int | None = None,
        note: str = "",
        arrived: float | None = None,
    ) -> MoveResult:
        """Make a move: by default the first legal move of the seat to move, for the open turn."""
        loaded = self.look(match)
        at = loaded.progress.to_move if seat is None else seat
        assert at is not None
        text = self.legal(match, at)[0] if move is None else move
        if deal is None and turn is None:
            turn = loaded.progress.turn
        sitting = loaded.config.seats[at]
        assert sitting is not None
        return self.referee.moves.move(sitting.id, MoveRequest(match, text, turn, deal, note), arrived)

    def act_unlooked(self, match: str, seat: int, request: MoveRequest, age_s: float) -> MoveResult:
        """Make a move that arrived `age_s` seconds ago, without a look at the match before it."""
        return self.referee.moves.move(f"bot-{seat}", request, seconds_ago(age_s))

    def play(self, match: str, *moves: str) -> None:
        """Make these moves, each by the seat to move."""
        for move in moves:
            self.act(match, move)

    def play_out(self, match: str, most: int = 100_000, rng: Random | None = None) -> LoadedMatch:
        """Make random moves to the end of the match, at most `most` of them."""
        chooser = rng or self.random
        for _ in range(most):
            loaded = self.look(match)
            if loaded.progress.status is not Status.RUNNING:
                break
            progress, seen = loaded.progress, views.observation(loaded, loaded.progress.to_move)
            assert seen is not None
            assert progress.to_move is not None
            sitting = loaded.config.seats[progress.to_move]
            assert sitting is not None
            move = chooser.choice([*seen["legal_moves"], *seen["free_moves"]])
            turn, deal = (None, progress.number) if move in seen["free_moves"] else (progress.turn, None)
            self.referee.moves.move(sitting.id, MoveRequest(match, move, turn, deal, ""))
        return self.look(match)

    # Looks past the referee

    def log(self, match: str) -> list[Entry]:
        """Return the entries of all deals so far."""
        loaded = self.look(match)
        return parse_log("".join([*([] if loaded.finished else self.store.past(match)), loaded.log]))

    def dump(self) -> dict[str, object]:
        """Return the whole content of Redis."""
        plain: Any = self.plain
        looks = {
            b"string": plain.get,
            b"hash": plain.hgetall,
            b"list": lambda key: plain.lrange(key, 0, -1),
            b"set": plain.smembers,
            b"zset": lambda key: plain.zrange(key, 0, -1, withscores=True),
        }
        return {key.decode(): looks[plain.type(key)](key) for key in plain.keys("*")}

    def keys_with(self, match: str) -> set[str]:
        """Return the keys that contain this match's id."""
        return {key.decode() for key in self.plain.keys(f"*{match}*")}  # type: ignore[union-attr]  # as above

    def outbox(self, match: str) -> list[str]:
        return [entry.decode() for entry in self.redis.one("LRANGE", keys_of(match)[4], 0, -1)]

    def listed_until(self, match: str) -> int | None:
        """Return the score of the match in the deadlines of its bucket."""
        score = self.redis.one("ZSCORE", keys_of(match)[3], match)
        return None if score is None else int(score)

    def overdue(self) -> list[str]:
        """Return the matches that are due now."""
        return [match for due in self.store.due(self.times.settle_ms, 100) for match in due.matches]

    def ids(self, wanted: MatchFilter | None = None, most: int = 1000) -> list[str]:
        return self.index.matches(wanted or MatchFilter(), None, most).ids


# Decks


def cards(text: str) -> list[int]:
    """Return a text like `6H TD` as cards."""
    return [CARD_OF_TEXT[word] for word in text.split()]


def texts(found: Sequence[int]) -> str:
    return " ".join(CARD_TEXT[card] for card in found)


def durak_deck(
    dealer: int, hands: Mapping[int, str], seats: int, turned_up: str, talon: str = "", last: str = ""
) -> tuple[int, ...]:
    """Return a deck of Durak that deals these hands, each of them whole. `talon` begins the talon, `last` ends it.

    The other cards go to the other hands and then into the talon, high cards first.
    """
    named = [card for hand in hands.values() for card in cards(hand)]
    late = cards(last)
    fixed = {*named, *cards(turned_up), *cards(talon), *late}
    rest = [card for card in sorted(PACK, reverse=True) if card not in fixed]
    whole: dict[int, list[int]] = {seat: cards(hand) for seat, hand in hands.items()}
    for seat in range(seats):
        if seat not in whole:
            whole[seat], rest = rest[:6], rest[6:]
        assert len(whole[seat]) == 6
    order = [(dealer + 1 + step) % seats for step in range(seats)]
    dealt = [whole[seat][nth] for nth in range(6) for seat in order]
    deck = (*dealt, *cards(turned_up), *cards(talon), *rest, *late)
    assert sorted(deck) == list(PACK)
    return deck


def stack(monkeypatch: Any, decks: Mapping[int, Sequence[int]]) -> None:
    """Use these decks, by deal, in every match from now on. Other deals are shuffled as usual."""
    shuffled = shuffle.deck

    def deck(
        secret: bytes, entropy: Sequence[str | None], number: int, pack: Sequence[int]
    ) -> tuple[int, ...]:
        return tuple(decks[number]) if number in decks else shuffled(secret, entropy, number, pack)

    monkeypatch.setattr("records.match.shuffle.deck", deck)


TWO = {"options": {"first_attacker": "dealer_left"}, "dealer": 0}
"""Options for two players, where seat 1 attacks first."""
EXCHANGE = durak_deck(0, {0: "6H 8C 9C TC JC QC", 1: "7H 8D 9D TD JD QD"}, 2, "AH", "6C 6D 6S 7C 7D 7S")
"""A deck for `TWO`: trumps are hearts, and seat 0 may exchange the 6 for the ace, at first off turn."""
EXCHANGE_ON_TURN = durak_deck(
    0, {1: "6H 8C 9C TC JC QC", 0: "7H 8D 9D TD JD QD"}, 2, "AH", "6C 6D 6S 7C 7D 7S"
)
"""A deck like `EXCHANGE` for seat 1, at first on turn."""

FIVE = {"options": {"first_attacker": "dealer_left", "attackers": "all"}, "dealer": 4}
LAST_DRAW = durak_deck(
    4,
    {
        0: "7C 7D 7S 8D AC AD",
        1: "8C TC TD TH TS 9C",
        2: "8S JC JD JH JS 9D",
        3: "8H QC QD QH QS 9H",
        4: "KC KD KH KS 9S 6C",
    },
    5,
    "AH",
    "6D 6S 7H AS 6H",
)
"""A deck for `FIVE`: after `UNTIL_THE_LAST_DRAW` seats 0 and 2 have to answer, and seat 2 may exchange with seat 3."""
UNTIL_THE_LAST_DRAW = (
    "attack 7C",
    "beat 7C 8C",
    "throw 7D",
    "take",
    "throw 7S",
    "throw 8D",
    "pass",
    "throw 8S",
    "pass",
    "throw 8H",
)


def as_bytes(value: object) -> bytes:
    """Return a JSON value as bytes, for exact comparison."""
    return orjson.dumps(value)


def at_once(*tasks: Callable[[], object]) -> list[object]:
    """Run these tasks at the same moment in separate threads. Returns their results or exceptions."""
    barrier = threading.Barrier(len(tasks))

    def run(task: Callable[[], object]) -> object:
        barrier.wait()
        try:
            return task()
        except Exception as error:
            return error

    with ThreadPoolExecutor(len(tasks)) as threads:
        return list(threads.map(run, tasks))

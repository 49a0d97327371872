"""What bots report about their moves, and how often each seat was refused: facts beside the record.

Facts are kept by bot and match for `KEPT_DAYS`. They share the hash tag of the bot's statistics
(`league.fitness.statistics`), and no Redis command of a move that sends none.

    kozyr:{statistics:BOT}:facts:MATCH     hash    `move:MOVE` -> facts (JSON); `thoughts:MOVE` -> text; `refused:CODE`
                                                   and `mended:NAME` -> count; mended, told: moves with mendings and
                                                   with figures; the sums of these; dropped: moves beyond a budget;
                                                   bytes: of the others; last: the last move that was
                                                   dropped; preset: once the totals have the match
    kozyr:{statistics:BOT}:thoughts:DAY    string  the bytes of facts that the bot sent on this day (UTC)
    kozyr:{statistics:BOT}:with-facts      zset    matches with facts by day

A MOVE is `t TURN`, or `d DEAL MOVE` for a free move. Facts have budgets of their own, by match and by day, so a bot
can't fill the memory with them; facts are not stored at all while memory is scarce.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import orjson

from league.fitness.model import DAY_S, KEPT_DAYS
from records.match.move_requests import MoveFacts
from redisio.connection import Redis
from redisio.scripts import Command, Script

ADD: Final = Script("league.fitness", "facts_add.lua")
MATCH_BUDGET: Final = 256 * 1024
"""How many bytes of facts are kept of a bot in a match."""
DAY_BUDGET: Final = 1024 * 1024
"""How many bytes of facts are kept of a bot in a day."""


@dataclass
class ToldMove:
    """A move with what was reported about it."""

    turn: int | None
    """The turn that it answered; `None` for a free move."""
    deal: int | None
    """The deal of a free move, else `None`."""
    move: str
    facts: MoveFacts


@dataclass
class SeatFacts:
    """The facts of a bot in a match."""

    moves: list[ToldMove] = field(default_factory=list)
    """In the order of turns, free moves last."""
    refused: Counter[str] = field(default_factory=Counter)
    """Refused moves by the code of the problem."""
    mended: Counter[str] = field(default_factory=Counter)
    """Mendings by name."""
    sums: Counter[str] = field(default_factory=Counter)
    """The sums of figures; the moves with figures (`told`), with mendings (`mended`), and with facts that exceeded a
    budget (`dropped`)."""


class BotFacts:
    """The facts of bots in matches. Safe to share between greenlets and threads."""

    def __init__(self, redis: Redis) -> None:
        self._redis = redis

    def add(self, bot: str, told: Sequence[tuple[str, ToldMove]]) -> None:
        """Add what a bot reports about moves that it made, each with its match. A move keeps its first facts. Takes one
        round trip."""
        day = int(time.time() // DAY_S)
        self._redis.all([_adding(bot, day, match, each) for match, each in told])

    def of(self, bots: Sequence[str], match: str) -> list[SeatFacts]:
        """Return the facts of each of these bots in a match. Takes one round trip."""
        answers = self._redis.all([("HGETALL", facts_key(bot, match)) for bot in bots])
        return [_read(flat) for flat in answers]

    def forget(self, bot: str) -> None:
        """Delete all that a bot has reported."""
        matches = self._redis.one("ZRANGE", _matches_key(bot), 0, -1)
        keys = [facts_key(bot, raw.decode()) for raw in matches]
        self._redis.all([("DEL", key) for key in (*keys, _matches_key(bot))])


def facts_key(bot: str, match: str) -> str:
    return f"kozyr:{{statistics:{bot}}}:facts:{match}"


def totals_key(bot: str) -> str:
    return f"kozyr:{{statistics:{bot}}}:totals"


def _matches_key(bot: str) -> str:
    return f"kozyr:{{statistics:{bot}}}:with-facts"


def _adding(bot: str, day: int, match: str, told: ToldMove) -> Command:
    facts = told.facts
    name = f"t {told.turn}" if told.deal is None else f"d {told.deal} {told.move}"
    document = {"move": told.move, **facts.usage, **({"mended": facts.mended} if facts.mended else {})}
    counts = {**facts.usage, **{f"mended:{each}": 1 for each in facts.mended}}
    counts |= {"told": 1} if facts.usage else {}
    counts |= {"mended": 1} if facts.mended else {}
    return ADD.call(
        (
            facts_key(bot, match),
            f"kozyr:{{statistics:{bot}}}:thoughts:{day}",
            _matches_key(bot),
            totals_key(bot),
        ),
        *(match, day, name, orjson.dumps(document), facts.thoughts),
        *(MATCH_BUDGET, DAY_BUDGET, KEPT_DAYS),
        *(part for pair in counts.items() for part in pair),
    )


def _read(flat: Sequence[bytes]) -> SeatFacts:
    fields = {name.decode(): value for name, value in zip(flat[::2], flat[1::2], strict=True)}
    found = SeatFacts(moves=sorted(_moves(fields), key=_order))
    for name, value in fields.items():
        kind, _, what = name.partition(":")
        if kind == "refused":
            found.refused[what] = int(value)
        elif kind == "mended" and what:
            found.mended[what] = int(value)
        elif not what and name not in ("bytes", "last", "preset"):
            found.sums[name] = int(value)
    return found


def _moves(fields: Mapping[str, bytes]) -> Iterator[ToldMove]:
    for name, value in fields.items():
        kind, _, which = name.partition(":")
        if kind == "move":
            document: dict[str, Any] = orjson.loads(value)
            move = document.pop("move")
            mended = tuple(document.pop("mended", ()))
            thoughts = fields.get(f"thoughts:{which}", b"").decode()
            where, number = which.split(" ")[:2]
            turn, deal = (int(number), None) if where == "t" else (None, int(number))
            yield ToldMove(turn, deal, move, MoveFacts(**document, mended=mended, thoughts=thoughts))


def _order(told: ToldMove) -> tuple[bool, int, str]:
    return told.turn is None, told.turn or told.deal or 0, told.move

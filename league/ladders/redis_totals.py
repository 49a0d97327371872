"""Totals of a ladder in Redis: their stored form, and the commands that add and subtract results."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from struct import Struct
from typing import Any, Final

import orjson

from league.ladders.model import LadderResult, Totals
from records.results.group_statistics import GroupStatistics
from redisio.scripts import Command, Script

REMEMBERED: Final = 16_384
"""How many entries, and how many lines of totals, a process caches by their bytes."""
_LINE: Final = Struct(">9q")
"""As in lua/totals.lua."""


def key_of(ladder: str, what: str) -> str:
    return f"kozyr:{{ladder:{ladder}}}:{what}"


def season_key(ladder: str, season: int, what: str) -> str:
    """Return a key of a season. The first season's keys have no season in their names."""
    return key_of(ladder, what if season == 1 else f"season:{season}:{what}")


def round_keys(ladder: str, number: int) -> tuple[str, str, str]:
    """Return the keys of a round, of its open matches and of the ladder's rounds."""
    return key_of(ladder, f"round:{number}"), key_of(ladder, f"open:{number}"), key_of(ladder, "rounds")


def version_key(ladder: str) -> str:
    """Return the key of the version of the standings: each change of entries, results or totals raises it."""
    return key_of(ladder, "version")


def rounds_command(ladder: str) -> Command:
    """Return the command that reads the number of the last round and the numbers of the rounds under way."""
    return ("HMGET", key_of(ladder, "rounds"), "last", "running")


def packed(totals: Totals) -> bytes:
    return _LINE.pack(*totals.numbers)


@lru_cache(maxsize=REMEMBERED)
def unpacked(line: bytes) -> Totals:
    matches, wins, second, *sums = _LINE.unpack(line)
    return Totals(matches, wins, second, GroupStatistics(*sums))


COUNT: Final = Script("league.ladders", "redisio:time.lua", "totals.lua", "under_way.lua", "round_count.lua")

TAKE_BACK: Final = Script("league.ladders", "totals.lua", "round_take_back.lua")

MOST_LINES: Final = 500
"""How many lines of totals one script call changes at most, unless a single unit has more. Other clients wait
for a script to end."""


def in_batches(results: Sequence[LadderResult]) -> Iterator[list[LadderResult]]:
    """Yield the results grouped by round and season, in batches that one script may count (`MOST_LINES`)."""
    rounds: dict[tuple[str, int, int], list[LadderResult]] = {}
    for result in results:
        rounds.setdefault((result.ladder, result.round, result.season), []).append(result)
    for in_round in rounds.values():
        count = 0
        batch: list[LadderResult] = []
        for result in in_round:
            more = sum(map(len, result.lines.values()))
            if batch and count + more > MOST_LINES:
                yield batch
                count, batch = 0, []
            count += more
            batch.append(result)
        yield batch


def counting(results: Sequence[LadderResult], now: int | str) -> tuple[Any, ...]:
    """Return the command that counts these results, all of one round and season. `now` is '' for Redis's clock."""
    first = results[0]
    keys = _KeyIndexes(
        *round_keys(first.ladder, first.round),
        key_of(first.ladder, f"held:{first.round}"),
        version_key(first.ladder),
    )
    units = [[result.matches, _lines(result, keys)] for result in results]
    return COUNT.call(list(keys), now, orjson.dumps(units))


def taking_back(result: LadderResult) -> tuple[Any, ...]:
    """Return the command that subtracts a counted unit from the totals."""
    keys = _KeyIndexes(
        *round_keys(result.ladder, result.round)[:2],
        key_of(result.ladder, f"void:{result.round}"),
        version_key(result.ladder),
    )
    unit = [result.matches, _lines(result, keys)]
    return TAKE_BACK.call(list(keys), orjson.dumps(unit))


class _KeyIndexes(dict[str, int]):
    """The keys of a script call with their indexes in `KEYS`, from 1."""

    def __init__(self, *keys: str) -> None:
        super().__init__(zip(keys, range(1, len(keys) + 1), strict=True))

    def index(self, key: str) -> int:
        """Return the index of a key, added at the end if it is new."""
        return self.setdefault(key, len(self) + 1)


def _lines(result: LadderResult, keys: _KeyIndexes) -> list[list[Any]]:
    """Return the lines of a unit as the scripts read them. Adds the keys that they need."""
    return [
        [keys.index(season_key(result.ladder, result.season, row)), line, *totals.numbers]
        for row, lines in result.lines.items()
        for line, totals in lines.items()
    ]

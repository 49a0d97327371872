"""The Redis commands that add matches to the totals of a ladder, and that subtract them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

import orjson

from league.ladders.model import LadderResult
from redisio.scripts import Command, Script


def key_of(ladder: str, what: str) -> str:
    return f"kozyr:{{ladder:{ladder}}}:{what}"


def season_key(ladder: str, season: int, what: str) -> str:
    """Return a key of a season. The first season's keys have no season in their names."""
    return key_of(ladder, what if season == 1 else f"season:{season}:{what}")


def round_keys(ladder: str, number: int) -> tuple[str, str, str]:
    """Return the keys of a round, of its open matches and of the ladder's rounds."""
    return key_of(ladder, f"round:{number}"), key_of(ladder, f"open:{number}"), key_of(ladder, "rounds")


def changed_key(ladder: str) -> str:
    """Return the key of the units with matches taken back, whose shares stay in Redis."""
    return key_of(ladder, "units:changed")


def version_key(ladder: str) -> str:
    """Return the key of the version of the standings: each change of entries, results or totals raises it."""
    return key_of(ladder, "version")


def rounds_command(ladder: str) -> Command:
    """Return the command that reads the number of the last round and the numbers of the rounds under way."""
    return ("HMGET", key_of(ladder, "rounds"), "last", "running")


COUNT: Final = Script("league.ladders", "redisio:time.lua", "totals.lua", "under_way.lua", "round_count.lua")

TAKE_BACK: Final = Script("league.ladders", "totals.lua", "round_take_back.lua")

MOST_LINES: Final = 500
"""How many lines of totals one script call changes at most, unless a single match has more. Other clients wait
for a script to end."""


def in_batches(results: Sequence[LadderResult]) -> Iterator[list[LadderResult]]:
    """Yield the results grouped by round and season, in batches that one script may count (`MOST_LINES`)."""
    rounds: dict[tuple[str, int, int], list[LadderResult]] = {}
    for result in results:
        rounds.setdefault((result.ladder, result.round, result.season), []).append(result)
    for in_round in rounds.values():
        lines = 0
        batch: list[LadderResult] = []
        for result in in_round:
            if batch and lines + _line_count(result) > MOST_LINES:
                yield batch
                lines, batch = 0, []
            lines += _line_count(result)
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
    matches = [[result.match, result.played, *_changes(result, keys)] for result in results]
    return COUNT.call(list(keys), now, orjson.dumps(matches))


def taking_back(result: LadderResult) -> tuple[Any, ...]:
    """Return the command that subtracts a counted match from the totals."""
    keys = _KeyIndexes(
        *round_keys(result.ladder, result.round)[:2],
        key_of(result.ladder, f"void:{result.round}"),
        changed_key(result.ladder),
        version_key(result.ladder),
    )
    changes = orjson.dumps([result.group or result.match, *_changes(result, keys)])
    return TAKE_BACK.call(list(keys), result.match, changes)


class _KeyIndexes(dict[str, int]):
    """The keys of a script call with their indexes in `KEYS`, from 1."""

    def __init__(self, *keys: str) -> None:
        super().__init__(zip(keys, range(1, len(keys) + 1), strict=True))

    def index(self, key: str) -> int:
        """Return the index of a key, added at the end if it is new."""
        return self.setdefault(key, len(self) + 1)


def _changes(result: LadderResult, keys: _KeyIndexes) -> list[Any]:
    """Return the changes that a match makes, as the scripts read them: the index of its group's key or 0, and its
    lines. Adds the keys that they need."""
    group = keys.index(key_of(result.ladder, f"group:{result.group}")) if result.group else 0
    rows = {"sums": result.sums} | {f"sums:{bot}": row for bot, row in result.cross.items()}
    lines: list[Any] = []
    for name, row in rows.items():
        index = keys.index(season_key(result.ladder, result.season, name))
        lines += ([index, line, *delta] for line, delta in row.items())
    return [group, lines]


def _line_count(result: LadderResult) -> int:
    return len(result.sums) + sum(map(len, result.cross.values()))

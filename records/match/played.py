"""Replay a record: the rules of its match, and its moves as entries of a log."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from engine.game import Refusal
from engine.match import Match
from engine.registry import GAMES
from records.match import log
from records.match.clock import ClockRule, SeatClocks
from records.match.log import Entry

_BY_CODE: Final = {"timeout": log.BY_TIMEOUT, "forfeit": log.BY_FORFEIT, "continued": log.BY_CONTINUED}


def match_of_record(record: Mapping[str, Any]) -> Match:
    """Return the rules of a record's match. Raises `engine.game.Refusal` for a table that no game has."""
    if record["game"] not in GAMES:
        raise Refusal(f"there is no game {record['game']}")
    game = GAMES[record["game"]].table(len(record["seats"]), record["options"])
    return Match.agreed(game, record["deals"], record["dealer"] or 0)


def clocks_of_record(record: Mapping[str, Any]) -> SeatClocks:
    """Return the clocks of a record's match before its first move."""
    house = [seat is not None and seat["bot"].startswith("house/") for seat in record["seats"]]
    return SeatClocks.begun(ClockRule.from_json(record["clock"]), house)


def entries_of_record(record: Mapping[str, Any]) -> Iterator[Entry]:
    """Yield the moves of a record as entries of a log.

    A record holds no turn numbers, charges and marks of forfeits: every answer has turn 1, and is charged 0.
    """
    for move in record["moves"]:
        if move["seat"] is None:
            yield log.chance(move["move"])
            continue
        by = _BY_CODE[move["by"]] if "by" in move else log.BY_PLAYER
        yield Entry(
            move["seat"], int("ms" in move), move.get("ms", 0), 0, by, move["move"], move.get("note", "")
        )

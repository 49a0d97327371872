"""The totals of a ladder, as stored and as computed from the records alone."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from engine.registry import GAMES
from league.ladders.model import Totals
from records.results.group_statistics import GroupStatistics
from tests.support.league import LeagueWorld

Record = Mapping[str, Any]


class Sums(NamedTuple):
    """The lines with matches: by bot, and by bot and opponent."""

    standings: dict[str, Totals]
    cross: dict[tuple[str, str], Totals]


def kept(league: LeagueWorld, ladder: str) -> Sums:
    """Return the stored totals of a ladder."""
    cells = league.ladders.cross_table(ladder)
    return Sums(
        {each.bot: each.line for each in league.ladders.standings(ladder) if each.line.matches},
        {(cell.bot, cell.opponent): cell.line for cell in cells if cell.line.matches},
    )


def of_records(records: Iterable[Record]) -> Sums:
    """Compute the totals from records. All of them count."""
    groups: dict[str, list[Record]] = defaultdict(list)
    for record in records:
        groups[record["group"] or record["id"]].append(record)
    standings: dict[str, list[list[tuple[int, ...]]]] = defaultdict(list)
    cross: dict[tuple[str, str], list[list[tuple[int, ...]]]] = defaultdict(list)
    for matches in groups.values():
        alone: dict[str, list[tuple[int, ...]]] = defaultdict(list)
        against: dict[tuple[str, str], list[tuple[int, ...]]] = defaultdict(list)
        for record in matches:
            sides = GAMES[record["game"]].table(len(record["seats"]), record["options"]).sides
            deals = sum(move["seat"] is None for move in record["moves"])
            bots, places = [seat["id"] for seat in record["seats"]], record["places"]
            for seat in _compared(matches):
                made = (deals, record["scores"][seat])
                forfeit = seat in record["forfeits"]
                alone[bots[seat]].append((int(places[seat] == 1), int(forfeit), *made))
                for other, opponent in enumerate(bots):
                    if sides[other] != sides[seat]:
                        ranks = (int(places[seat] < places[other]), int(places[seat] == places[other]))
                        against[bots[seat], opponent].append((*ranks, *made))
        for bot, lines in alone.items():
            standings[bot].append(lines)
        for pair, lines in against.items():
            cross[pair].append(lines)
    return Sums(
        {bot: _line(lines) for bot, lines in standings.items()},
        {pair: _line(lines) for pair, lines in cross.items()},
    )


def _compared(matches: Sequence[Record]) -> list[int]:
    """Return the seats that count: all, or in a once-only group the seat whose bot changes from table to table."""
    bots = [[seat["id"] for seat in record["seats"]] for record in matches]
    changing = [seat for seat in range(len(bots[0])) if len({each[seat] for each in bots}) > 1]
    return changing if len(changing) == 1 else list(range(len(bots[0])))


def _line(groups: Sequence[Sequence[tuple[int, ...]]]) -> Totals:
    matches = [match for group in groups for match in group]
    figures = [(sum(match[2] for match in group), sum(match[3] for match in group)) for group in groups]
    counts = (len(matches), sum(match[0] for match in matches), sum(match[1] for match in matches))
    return Totals(*counts, GroupStatistics.of(figures))

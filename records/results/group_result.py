"""The result of a group, as ratings and formats use it: the summed points and places of its sides. Pure.

A **group** consists of the matches that share a `group` id; a match outside groups is a group of its own. It ends
with its last match. The seats alone tell its kind, so that records need nothing else:

* a match outside groups: its sides are compared;
* **rotated**: every match seats the same bots. Each bot must have had every seat equally often; otherwise the group
  is incomplete and has no result. Bots that were partners in every match form a side. Where partners changed, or a bot
  sat on two sides, each bot is a side of its own;
* **once-only**: one seat has another bot in every match, and the other seats are the same throughout. Only the bots in
  that one seat are compared.

Aborted and void matches do not count; the caller leaves them out.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from typing import Any, NamedTuple

from engine.registry import GAMES
from records.decoding import decoded_row
from records.instants import ms_of
from records.match.loaded_match import LoadedMatch
from records.match.record import preset_of_match
from records.match.session import Ending
from records.results.record_fields import Record, group_of, happened


class ResultPlayer(NamedTuple):
    """A bot at a table, with its version then."""

    id: str
    name: str
    """`owner/bot`."""
    version: str


class PlayedMatch(NamedTuple):
    """A match that counts."""

    id: str
    group: str
    """The id of its group, or its own id outside groups."""
    preset: str
    ended: int
    """In ms since 1970."""
    seats: tuple[ResultPlayer, ...]
    sides: tuple[int, ...]
    """By seat, the number of its side."""
    scores: tuple[int, ...]
    forfeits: tuple[int, ...]
    """Forfeited seats."""


class SideResult(NamedTuple):
    """The result of one bot, or of constant partners together."""

    bots: tuple[ResultPlayer, ...]
    """In the order of their ids."""
    points: int
    forfeited: bool
    """Whether each of them forfeited a match of the group."""


class GroupResult(NamedTuple):
    """The result of a group. `sides` are in the order of their first bots' ids."""

    preset: str
    id: str
    ended: int
    sides: tuple[SideResult, ...]
    played: bool = True
    """Whether it was played. If not, bots did not show up: their sides are forfeited."""

    @property
    def players(self) -> tuple[ResultPlayer, ...]:
        """All its bots."""
        return tuple(player for side in self.sides for player in side.bots)

    def places(self) -> list[int]:
        """Return by side 1 + the number of better sides: by points, after sides that did not forfeit."""
        keys = [(not side.forfeited, side.points) for side in self.sides]
        return [1 + sum(other > key for other in keys) for key in keys]

    def to_json(self) -> list[Any]:
        """Return the result as stored."""
        sides = [[[list(bot) for bot in side.bots], side.points, int(side.forfeited)] for side in self.sides]
        return [self.preset, self.id, self.ended, sides, *([] if self.played else [0])]

    @classmethod
    def from_json(cls, data: Sequence[Any]) -> GroupResult:
        """Return a stored result."""
        (preset, ident, ended, sides), played = data[:4], data[4:5]
        return cls(
            preset,
            ident,
            ended,
            tuple(
                SideResult(tuple(decoded_row(ResultPlayer, bot) for bot in bots), points, bool(forfeited))
                for bots, points, forfeited, *_ in sides
            ),
            not played or bool(played[0]),
        )


def played_of_record(record: Record) -> PlayedMatch | None:
    """Return the match of a record, or `None` if it does not count. The caller has checked the forms of seats and
    scores. Raise `KeyError`, `TypeError` or `ValueError` for a document that is no record."""
    if not happened(record):
        return None
    seats, forfeits = record["seats"], tuple(record["forfeits"])
    if not {*forfeits} <= {*range(len(seats))}:
        raise ValueError("forfeits: numbers of seats are expected")
    return PlayedMatch(
        record["id"],
        group_of(record),
        record["preset"],
        ms_of(record["ended"]),
        tuple(ResultPlayer(seat["id"], seat["bot"], str(seat["version"])) for seat in seats),
        GAMES[record["game"]].table(len(seats), record["options"]).sides,
        tuple(record["scores"]),
        forfeits,
    )


def played_of(loaded: LoadedMatch) -> PlayedMatch | None:
    """Return a loaded match, or `None` if it does not count or has not ended."""
    config, progress = loaded.config, loaded.progress
    if not loaded.finished or loaded.void or progress.ending is Ending.ABORTED:
        return None
    if config.has_person or config.continues is not None:
        return None
    return PlayedMatch(
        config.id,
        config.group_id,
        preset_of_match(config),
        progress.ended or 0,
        tuple(ResultPlayer(seat.id, seat.bot, seat.version) for seat in config.seats if seat is not None),
        config.table().sides,
        progress.scores,
        tuple(sorted(progress.forfeits)),
    )


def played_among(matches: Sequence[LoadedMatch]) -> list[PlayedMatch]:
    """Return the matches that count."""
    return [played for played in map(played_of, matches) if played is not None]


def is_spoilt(matches: Sequence[LoadedMatch]) -> bool:
    """Return whether void matches leave a group without a result, so that none of it counts."""
    return any(match.void for match in matches) and group_result_of(played_among(matches)) is None


def group_result_of(matches: Sequence[PlayedMatch]) -> GroupResult | None:
    """Return the result of a group from its matches that count, in any order. Return `None` if there are none, or the
    group is incomplete or of no known kind."""
    if not matches:
        return None
    first, *others = sorted(matches, key=lambda match: match.id)
    preset, ident, ended = first.preset, first.group, max(match.ended for match in matches)
    tables = [[player.id for player in match.seats] for match in (first, *others)]
    if ident != first.id and not is_complete(tables):
        return None
    sides = _rotated([first, *others]) if _all_alike(tables) else _once_only([first, *others])
    if len(sides) < 2:
        return None
    return GroupResult(preset, ident, ended, tuple(sorted(sides, key=lambda side: side.bots[0].id)))


def no_show_of(matches: Sequence[LoadedMatch]) -> GroupResult | None:
    """Return the result of a group that was aborted because bots did not show up. Return `None` if nobody was absent,
    or a match is void."""
    missed = next((match for match in matches if match.progress.absent), None)
    if missed is None or missed.progress.started is not None or any(match.void for match in matches):
        return None
    config, progress = missed.config, missed.progress
    seats = [ResultPlayer(each.id, each.bot, each.version) for each in config.seats if each is not None]
    preset, sides = preset_of_match(config), config.table().sides
    return no_show(preset, config.group_id, progress.ended or 0, seats, sides, progress.absent)


def no_show(
    preset: str,
    ident: str,
    ended: int,
    seats: Sequence[ResultPlayer],
    sides: Sequence[int],
    absent: Collection[int],
) -> GroupResult:
    """Return the result of a group that was not played: no points, and sides with an absent seat are forfeited."""
    by_side: dict[int, list[int]] = {}
    for seat, side in enumerate(sides):
        by_side.setdefault(side, []).append(seat)
    found = [
        SideResult(tuple(sorted(seats[seat] for seat in members)), 0, any(seat in absent for seat in members))
        for members in by_side.values()
    ]
    found.sort(key=lambda side: side.bots[0].id)
    return GroupResult(preset, ident, ended, tuple(found), False)


def is_complete(tables: Sequence[Sequence[str]]) -> bool:
    """Return whether the matches of a duplicate group, given by the bot ids at each table, are complete: each bot in
    each seat equally often, or one seat with another bot at every table."""
    if len(tables) < 2:
        return False
    if _all_alike(tables):
        sat = Counter((seat, bot) for table in tables for seat, bot in enumerate(table))
        return all(len({sat[seat, bot] for seat in range(len(tables[0]))}) == 1 for bot in tables[0])
    return len({len(table) for table in tables}) == 1 and len(_changing(tables)) == 1


def _all_alike(tables: Sequence[Sequence[str]]) -> bool:
    """Return whether the same bots sit at all tables."""
    return len({frozenset(table) for table in tables}) == 1


def _changing(tables: Sequence[Sequence[str]]) -> list[int]:
    """Return the seats that change bots, if each of them has another bot at every table."""
    sitting = [set(bots) for bots in zip(*tables, strict=True)]
    changing = [seat for seat, bots in enumerate(sitting) if len(bots) > 1]
    return changing if all(len(sitting[seat]) == len(tables) for seat in changing) else []


def _rotated(matches: Sequence[PlayedMatch]) -> list[SideResult]:
    last = max(matches, key=lambda match: (match.ended, match.id))
    players = {player.id: player for player in last.seats}
    teams = {_teams(match) for match in matches}
    together = teams.pop() if len(teams) == 1 else frozenset()
    if sum(map(len, together)) != len(players):
        together = frozenset(frozenset([bot]) for bot in players)
    points: Counter[str] = Counter()
    forfeited: set[str] = set()
    for match in matches:
        for seat, player in enumerate(match.seats):
            points[player.id] += match.scores[seat]
            if seat in match.forfeits:
                forfeited.add(player.id)
    return [
        SideResult(
            tuple(players[bot] for bot in sorted(team)),
            sum(points[bot] for bot in team),
            team <= forfeited,
        )
        for team in together
    ]


def _once_only(matches: Sequence[PlayedMatch]) -> list[SideResult]:
    (seat,) = _changing([[player.id for player in match.seats] for match in matches])
    return [SideResult((match.seats[seat],), match.scores[seat], seat in match.forfeits) for match in matches]


def _teams(match: PlayedMatch) -> frozenset[frozenset[str]]:
    """Return the bots of each side."""
    sides: dict[int, set[str]] = {}
    for seat, player in enumerate(match.seats):
        sides.setdefault(match.sides[seat], set()).add(player.id)
    return frozenset(frozenset(bots) for bots in sides.values())

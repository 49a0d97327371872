"""The result of each bot in a group, in points per deal, for readers. Pure, from records alone. Ratings use
`records.results.group_result` instead.

A bot's **deal** is a deal played from one seat: a bot with two seats of a table plays two.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from records.results.record_fields import Record, dealt, group_of


class BotReport(NamedTuple):
    """The result of a bot in a group."""

    bot: str
    id: str
    version: str
    points: int
    deals: int
    """The number of deals over all its seats."""
    advantage: float
    """The mean over its deals of its points minus the average of the same seat with the same deck over all tables of
    the group. This removes the luck of deck and seat."""
    forfeits: int
    """How many of its seats were forfeited."""

    @property
    def points_per_deal(self) -> float:
        """The mean over its deals."""
        return self.points / self.deals


class GroupReport(NamedTuple):
    """The report of a group."""

    group: str
    preset: str
    ended: str
    """The end of its last match, RFC 3339."""
    deals: int
    """The number of deals at all tables."""
    bots: tuple[BotReport, ...]
    """By id, ascending."""


def group_report(records: Sequence[Record]) -> GroupReport:
    """Return the report of a group from the records of its matches that count, in any order."""
    tables = len(records)
    by_seat = [sum(seat) for seat in zip(*(record["scores"] for record in records), strict=True)]
    lines: dict[str, list[int]] = {}
    names: dict[str, tuple[str, str]] = {}
    for record in records:
        for seat, sitting in enumerate(record["seats"]):
            line = lines.setdefault(sitting["id"], [0, 0, 0, 0])
            # The greatest name and version of its tables is reported.
            named = (sitting["bot"], sitting["version"])
            names[sitting["id"]] = max(names.get(sitting["id"], named), named)
            line[0] += record["scores"][seat]
            line[1] += dealt(record)
            # Whole numbers: the order of the records must not change the last bit.
            line[2] += tables * record["scores"][seat] - by_seat[seat]
            line[3] += seat in record["forfeits"]
    return GroupReport(
        group_of(records[0]),
        records[0]["preset"],
        max(record["ended"] for record in records),
        sum(map(dealt, records)),
        tuple(
            BotReport(names[bot][0], bot, names[bot][1], points, played, above / (tables * played), forfeits)
            for bot, (points, played, above, forfeits) in sorted(lines.items())
        ),
    )

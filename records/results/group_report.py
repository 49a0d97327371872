"""The result of each bot in a group, in points per deal, for readers. Pure, from records alone. Ratings use
`records.results.group_result` instead.

A bot's **deal** is a deal played from one seat: a bot with two seats of a table plays two.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from records.results.record_fields import Record, dealt, group_of, happened


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


def group_report(records: Iterable[Record]) -> GroupReport:
    """Return the report of a group from the records of its matches, in any order. Matches that do not count are
    skipped.

    Raise `ValueError` if no record counts, or if records differ in group, preset or number of deals.
    """
    counted = [record for record in records if happened(record)]
    if not counted:
        raise ValueError("a group's result needs at least one match that was played")
    groups = {(group_of(record), record["preset"], record["deals"]) for record in counted}
    if len(groups) > 1:
        raise ValueError(f"these are not matches of one group, preset and number of deals: {sorted(groups)}")
    ((group, preset, _),) = groups
    tables = len(counted)
    by_seat = [sum(seat) for seat in zip(*(record["scores"] for record in counted), strict=True)]
    lines: dict[str, list[int]] = {}
    names: dict[str, tuple[str, str]] = {}
    for record in counted:
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
        group,
        preset,
        max(record["ended"] for record in counted),
        sum(map(dealt, counted)),
        tuple(
            BotReport(names[bot][0], bot, names[bot][1], points, played, above / (tables * played), forfeits)
            for bot, (points, played, above, forfeits) in sorted(lines.items())
        ),
    )

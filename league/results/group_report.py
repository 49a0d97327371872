"""What each bot made in one group, by its points per deal: for people to read. Pure, from records alone. How a group is
rated is another matter (`league.results.group_report`).

A bot's **deal** is one deal from one seat that was dealt: a bot that has two seats of a table plays two.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

from league.results.record_fields import Record, dealt, group_of, happened


class BotReport(NamedTuple):
    """What one bot made in one group."""

    bot: str
    id: str
    version: str
    points: int
    deals: int
    """From how many seats it played how many deals, all together."""
    advantage: float
    """The mean over its deals of its points less what that seat made with that deck on an average over all
    tables of the group: luck of the deck and of the seat is taken out."""
    forfeits: int
    """How many of its seats were forfeited."""

    @property
    def points_per_deal(self) -> float:
        """The mean over its deals."""
        return self.points / self.deals

    def to_json(self) -> dict[str, Any]:
        """The line in a group's result."""
        return {
            "bot": self.bot,
            "id": self.id,
            "version": self.version,
            "points": self.points,
            "deals": self.deals,
            "points_per_deal": self.points_per_deal,
            "advantage": self.advantage,
            "forfeits": self.forfeits,
        }


class GroupReport(NamedTuple):
    """What came of one group."""

    group: str
    preset: str
    ended: str
    """When its last match ended, RFC 3339."""
    deals: int
    """Of all its tables together."""
    bots: tuple[BotReport, ...]
    """By id, ascending."""

    def to_json(self) -> dict[str, Any]:
        """The group's line among the results."""
        return {**self._asdict(), "bots": [line.to_json() for line in self.bots]}


def group_report(records: Iterable[Record]) -> GroupReport:
    """The result of one group from the records of all its matches, in any order; those that never happened are
    left out.

    Raises `ValueError` for no record that counts, and for records of different groups, presets or numbers of deals.
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
            # Of tables of one group those with the latest version give its name.
            told = (sitting["bot"], sitting["version"])
            names[sitting["id"]] = max(names.get(sitting["id"], told), told)
            line[0] += record["scores"][seat]
            line[1] += dealt(record)
            # Whole numbers, so that no order of the records changes the last bit.
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

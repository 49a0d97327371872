"""Who meets whom in the queue. Pure.

Two entries of a pool fit if each rating lies in the other's band and both bots accept each other. The bot that has
waited longest chooses first: bots of other owners before those of its own, then the nearest rating.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from league.queue.model import QueueEntry

Accepts = Callable[[QueueEntry, QueueEntry], bool]
"""Whether the bots of two entries accept each other."""


def fits(one: QueueEntry, other: QueueEntry, now: int) -> bool:
    """Return whether each rating lies in the other's band."""
    return abs(one.rating - other.rating) <= min(one.width(now), other.width(now))


def next_table(
    entries: Sequence[QueueEntry], now: int, accepts: Accepts, first: str | None = None
) -> list[QueueEntry] | None:
    """Return entries that fill a table, or `None`. `entries` have equal terms and are sorted by waiting time. With
    `first`, the id of an entry, only a table with this entry counts."""
    for chooser in entries:
        if first is not None and chooser.id != first:
            continue
        table = [chooser]
        others = [entry for entry in entries if entry.bot != chooser.bot and fits(chooser, entry, now)]
        others.sort(key=lambda entry: _distance(chooser, entry))
        for entry in others:
            if len(table) == chooser.terms.seats:
                break
            if all(fits(seated, entry, now) and accepts(seated, entry) for seated in table):
                table.append(entry)
        if len(table) == chooser.terms.seats:
            return table
    return None


def _distance(chooser: QueueEntry, other: QueueEntry) -> tuple[bool, float]:
    return chooser.owner == other.owner, abs(chooser.rating - other.rating)

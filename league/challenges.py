"""Casual duplicate groups, created at the request of an owner or a bot."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack

from engine.game import BadTable
from league.accounts.eligibility import Eligibility
from league.accounts.model import Bot
from league.pairing.plan import once_only, rotated
from referee.duplicate_groups import Groups
from referee.groups.model import Group, GroupKind


def create_group(new: Group, bots: Sequence[Bot], eligibility: Eligibility, groups: Groups) -> Group:
    """Create a group of these bots with all of its matches.

    Raise `BadTable` if it does not fit the game, and `BotUnavailable` if a bot does not accept it.
    """
    for numbers in {frozenset(table) for table in new.tables}:
        company = [bots[number] for number in sorted(numbers)]
        eligibility.check(company, new.game, new.clock, new.requested_by, new.assist)
    with ExitStack() as slots:
        for slot, table in enumerate(new.tables):
            company = [bots[number] for number in table]
            slots.enter_context(eligibility.reserved(new.match_id(slot, 0), company))
        return groups.create(new)


def group_tables(
    kind: GroupKind, bots: Sequence[Bot], against: Sequence[Bot], orders: int, seat: int
) -> tuple[tuple[int, ...], ...]:
    """Return the numbers of the compared bots, and of the house bots `against` them, by table and seat: in this many
    circular orders, or in a once-only group with the compared bot in this seat. Raise `BadTable` if the bots don't fit
    the kind of group."""
    if kind is GroupKind.ROTATED and against:
        raise BadTable("against", _names(against), "nothing where the kind is rotated")
    if kind is not GroupKind.ROTATED and not all(bot.house for bot in against):
        raise BadTable("against", _names(against), "house bots")
    if len({bot.id for bot in bots}) != len(bots):
        raise BadTable("bots", _names(bots), "different bots")
    return (
        rotated(len(bots), orders) if kind is GroupKind.ROTATED else once_only(len(bots), seat, len(against))
    )


def _names(bots: Sequence[Bot]) -> list[str]:
    return [bot.full_name for bot in bots]

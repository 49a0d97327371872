"""Casual duplicate groups, created at the request of an owner or a bot."""

from __future__ import annotations

import secrets
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from typing import Any, NamedTuple

from engine.game import BadTable
from league.accounts.eligibility import Eligibility
from league.accounts.model import Bot
from league.pairing.plan import once_only, rotated
from records.match.assist import Assist
from records.match.clock import ClockRule
from referee.duplicate_groups import Groups
from referee.groups.model import Group, GroupKind

Tables = tuple[tuple[int, ...], ...]


class GroupChallenge(NamedTuple):
    """A request for a casual duplicate group."""

    id: str
    kind: GroupKind
    game: str
    options: Mapping[str, Any]
    bots: Sequence[Bot]
    """The bots that are compared."""
    against: Sequence[Bot]
    """The house bots on the other seats of a once-only group."""
    orders: int
    """The number of circular orders of a rotated group."""
    seat: int
    """The seat of the compared bot in a once-only group."""
    clock: ClockRule
    assist: Assist
    dealer: int | None
    entropy: str | None
    entropy_bot: int | None
    """The bot, by its place in `bots` and then `against`, that the entropy is attributed to."""
    since: int | None
    """How many records there were before anybody used the id (`Group.since`)."""

    @property
    def all_bots(self) -> Sequence[Bot]:
        """The compared bots, then their opponents."""
        return [*self.bots, *self.against]


def create_group(
    challenge: GroupChallenge, *, challenger: str, eligibility: Eligibility, groups: Groups
) -> Group:
    """Create the group with all of its matches. `challenger` is the name of the caller's owner.

    Raise `BadTable` if the bots don't fit the group or the game, and `BotUnavailable` if a bot does not accept it.
    """
    bots, tables = challenge.all_bots, group_tables(challenge)
    for numbers in {frozenset(table) for table in tables}:
        company = [bots[number] for number in sorted(numbers)]
        eligibility.check(company, challenge.game, challenge.clock, challenger, challenge.assist)
    group = Group(
        id=challenge.id,
        kind=challenge.kind,
        game=challenge.game,
        options=dict(challenge.options),
        bots=tuple(bot.seat for bot in bots),
        tables=tables,
        entropy=tuple(_entropy(challenge)),
        clock=challenge.clock,
        assist=challenge.assist,
        dealer=challenge.dealer,
        secret=secrets.token_bytes(32),
        created=groups.now(),
        since=challenge.since,
        requested_by=challenger,
    )
    with ExitStack() as slots:
        for slot, table in enumerate(tables):
            company = [bots[number] for number in table]
            slots.enter_context(eligibility.reserved(group.match_id(slot, 0), company))
        return groups.create(group)


def group_tables(challenge: GroupChallenge) -> Tables:
    """Return the numbers of the bots by table and seat. Raise `BadTable` if the bots don't fit the kind of group."""
    bots, against = challenge.bots, challenge.against
    is_rotated = challenge.kind is GroupKind.ROTATED
    if is_rotated and against:
        raise BadTable("against", _names(against), "nothing where the kind is rotated")
    if not is_rotated and not all(bot.house for bot in against):
        raise BadTable("against", _names(against), "house bots")
    if len({bot.id for bot in bots}) != len(bots):
        raise BadTable("bots", _names(bots), "different bots")
    if is_rotated:
        return rotated(len(bots), challenge.orders)
    return once_only(len(bots), challenge.seat, len(against))


def _entropy(challenge: GroupChallenge) -> Iterator[str | None]:
    for number in range(len(challenge.all_bots)):
        yield challenge.entropy if number == challenge.entropy_bot else None


def _names(bots: Sequence[Bot]) -> list[str]:
    return [bot.full_name for bot in bots]

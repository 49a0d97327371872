"""The checks of duplicate groups: groups that are missing, and running groups that lack a match."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

from league.consistency.model import ConsistencyServices, Contradiction, Kind
from records.match.loaded_match import LoadedMatch
from records.match.session import MatchConfig
from referee.duplicate_groups import GroupState
from referee.groups.model import Group, GroupKind, GroupStatus


class GroupChecks:
    def __init__(self, services: ConsistencyServices) -> None:
        self._services = services
        self._orphans: dict[str, list[LoadedMatch]] = {}
        self._seen: set[str] = set()

    def forget(self) -> None:
        """Forget what was seen, before the next check."""
        self._orphans.clear()
        self._seen.clear()

    def note_orphan(self, loaded: LoadedMatch) -> None:
        """Keep a match whose group is missing."""
        self._orphans.setdefault(loaded.config.group_id, []).append(loaded._replace(log=""))

    def incomplete(self, state: GroupState) -> Iterator[Contradiction]:
        """Yield a running group outside ladders that lacks a match. Rounds look after their own."""
        group, progress = state
        if group.ladder is not None or progress.status is not GroupStatus.RUNNING or group.id in self._seen:
            return
        self._seen.add(group.id)
        matches = [match for slot, match in enumerate(state.matches()) if slot not in progress.over]
        store = self._services.store
        for match, snapshot in zip(matches, store.read(matches), strict=True):
            if snapshot is None and match not in store.unreadable:
                ids = {"group": group.id, "match": match}
                create = partial(self._complete, group.id)
                yield Contradiction(Kind.GROUP, ids, "the group waits for a match that is missing", create)

    def findings(self) -> Iterator[Contradiction]:
        """Yield the groups that are missing, once all matches were seen."""
        for ident, matches in self._orphans.items():
            ids = {"group": ident, "matches": " ".join(match.id for match in matches)}
            restore = partial(self._restore, matches)
            yield Contradiction(Kind.GROUP, ids, "the group of these matches is missing", restore)

    def _complete(self, group: str) -> None:
        self._services.groups.store.looked(group, 0)
        self._services.groups.tick(after_ms=0)

    def _restore(self, matches: Sequence[LoadedMatch]) -> None:
        """Store a group again as its round planned it. One without a round can't be whole, so it becomes void."""
        config = matches[0].config
        services = self._services
        ladder = services.ladders.store.ladder(config.ladder or "")
        (round_,) = services.ladders.store.rounds(config.ladder or "", [config.round or 0])
        if ladder is not None and round_ is not None:
            table = services.tables.by_id(ladder, round_).get(config.group_id)
            if table is not None:
                services.tables.restore_group(ladder, round_, table, matches[0].secret, config.group_id)
                services.groups.store.looked(config.group_id, services.now())
                return
        group = _known_part([match.config for match in matches], matches[0].secret)
        services.groups.store.add([group])
        services.groups.void([group.id])


def _known_part(configs: Sequence[MatchConfig], secret: bytes) -> Group:
    """Return the group of these matches with the tables that they tell. Others seat the same bots."""
    first = configs[0]
    seatings = {config.group.slot: config.group for config in configs if config.group is not None}
    known = next(iter(seatings.values()))
    bots = {
        member: seat
        for config in configs
        if config.group is not None
        for member, seat in zip(config.group.members, config.seats, strict=True)
        if seat is not None
    }
    some = next(iter(bots.values()))
    return Group(
        id=known.id,
        kind=GroupKind.ROTATED if known.compared is None else GroupKind.ONCE_ONLY,
        game=first.game,
        options=first.options,
        bots=tuple(bots.get(member, some) for member in range(max(bots) + 1)),
        tables=tuple(seatings.get(slot, known).members for slot in range(max(seatings) + 1)),
        entropy=first.entropy,
        clock=first.clock,
        dealer=first.dealer,
        secret=secret,
        created=first.created,
        rated=first.rated,
        ladder=first.ladder,
        round=first.round,
        season=first.season,
    )

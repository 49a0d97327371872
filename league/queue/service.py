"""The queue: bots that look for a game are matched with bots that want the same.

A bot joins with its terms. At once, and then every second, the queue looks for entries that fit and claims them with
the match's id in one script. From then on the match is certain: it is a batch of one match (`league.queue.batches`).
The match's id derives from the entries, so processes that find the same table at the same time create one match.

A bot must accept the match when the entries are claimed, and has a slot reserved for it. A bot that stays offline for
`GONE_S` leaves the queue.

Two entries of a pool fit if each rating lies in the other's band and both bots accept each other. The bot that has
waited longest chooses first: bots of other owners before those of its own, then the nearest rating.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from typing import Final

from league.accounts.eligibility import Eligibility, check_seats
from league.accounts.model import Bot, MatchKind
from league.accounts.service import Accounts
from league.errors import AlreadyQueued, BotUnavailable, NotQueued, Overtaken
from league.queue.batches import MatchBatches
from league.queue.model import (
    ClaimResult,
    DropReason,
    EntryState,
    MatchBatch,
    MatchTerms,
    QueueEntry,
    RatingBand,
)
from league.queue.redis import RedisQueueStore
from records.ids import derived_match_id, random_text
from records.match.new_match import NewMatch
from records.ratings.model import MU, Rating

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


EXAMINED: Final = 300
"""How many entries of a pool one look examines. In a larger pool they are drawn by lot, so any two entries are examined
together at last."""
GONE_S: Final = 10.0
"""How long a process must see a waiting bot offline before it drops it. After an outage, bots need some seconds to
come back."""
KEPT_S: Final = 600.0
"""How long a process remembers that it saw a bot offline."""


class _EntryTaken(Overtaken):
    """Another process took one of the entries."""


RatingLookup = Callable[[str, Sequence[str]], Mapping[str, Rating]]
"""Returns the ratings of bots in a preset, by id. Unrated bots are missing."""


class MatchQueue:
    """The queue. Safe to share between greenlets and threads; every process may have one."""

    def __init__(
        self,
        store: RedisQueueStore,
        accounts: Accounts,
        eligibility: Eligibility,
        batches: MatchBatches,
        *,
        online: Callable[[Sequence[str]], set[str]],
        ratings: RatingLookup,
        admits: Callable[[], bool],
        recorded: Callable[[], int | None],
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        """`online` returns those of some bots that are online. `admits` says whether the service creates matches,
        `recorded` how many records there are (`NewMatch.since`)."""
        self.store, self._accounts, self._eligibility, self._batches = store, accounts, eligibility, batches
        self._online, self._ratings, self._admits = online, ratings, admits
        self._recorded, self._monotonic = recorded, monotonic
        self._offline_since: dict[str, float] = {}
        """By entry, when its bot was first seen offline. A bot that joins again has a new entry."""

    # 1. For bots

    def join(
        self,
        bot: Bot,
        terms: MatchTerms,
        band: RatingBand,
        *,
        entropy: str | None = None,
        entry_id: str | None = None,
    ) -> QueueEntry:
        """Add the bot to the queue and return its entry, which may have a match already.

        With `entry_id` the entry is added once. The same wish again returns the entry that waits. Raise
        `AlreadyQueued` if the bot waits for other terms, and `BotUnavailable` if it does not accept its own.
        """
        check_seats([bot], self._accounts, terms.game, terms.clock, MatchKind.CASUAL)
        rating = self._ratings(terms.preset, [bot.id]).get(bot.id)
        wanted = QueueEntry(
            entry_id or random_text(28),
            bot.id,
            bot.owner,
            terms,
            band,
            MU if rating is None else rating.mu,
            entropy,
        )
        entry = self.store.join(wanted)
        if entry.id != wanted.id and (entry.terms, entry.band) != (terms, band):
            raise AlreadyQueued(
                f"{bot.full_name} waits for another match; leave the queue first (`DELETE /v1/queue`)",
                entry=entry.id,
            )
        if entry.state is EntryState.WAITING:
            self._match(terms.pool, entry)
        return self.last(bot)

    def last(self, bot: Bot) -> QueueEntry:
        """Return the bot's last entry, up to a day after its end. Raise `NotQueued`."""
        entry = self.store.last(bot.id)
        if entry is None:
            raise NotQueued(f"{bot.full_name} has not joined the queue")
        if entry.state is EntryState.CLAIMED and entry.match is not None and self._admits():
            batch = self.store.unfinished(entry.match)
            if batch is not None:
                self._batches.finish(batch)
            return self.store.last(bot.id) or entry
        return entry

    def leave(self, bot: Bot) -> QueueEntry:
        """Take the bot out of the queue and return its last entry. A bot that was matched meanwhile keeps its match.
        Raise `NotQueued`."""
        entry = self.last(bot)
        self.store.end(entry, EntryState.LEFT)
        return self.last(bot)

    # 2. For the clock process

    def tick(self) -> int:
        """Finish what dead processes left, drop entries that can't be matched, and match the others. Return how many
        entries and batches were looked at. Several processes may call it at once."""
        if not self._admits():
            return 0
        looked = self._batches.tick()
        looked += sum(map(self._match, self.store.pools()))
        forgotten = self._monotonic() - KEPT_S
        self._offline_since = {entry: at for entry, at in self._offline_since.items() if at > forgotten}
        return looked

    # Inside

    def _match(self, pool: str, first: QueueEntry | None = None) -> int:
        """Match entries of a pool, or only `first`. Return how many were examined."""
        now, entries = self.store.waiting(pool, EXAMINED)
        if first is not None:
            entries = [first, *(entry for entry in entries if entry.id != first.id)]
        present, bots = self._present(entries, drop=first is None)
        while (table := next_table(present, now, _acceptance(bots), first and first.id)) is not None:
            seated = {entry.id for entry in table}
            try:
                self._seat(pool, table, [bots[entry.bot] for entry in table])
            except BotUnavailable as refusal:  # one of them has no free slot now
                busy = refusal.details["bot"]
                present = [entry for entry in present if bots[entry.bot].full_name != busy]
            except _EntryTaken:
                # Which entry was taken is unknown; the next look reads the pool again.
                present = [entry for entry in present if entry.id not in seated]
            else:
                present = [entry for entry in present if entry.id not in seated]
        return len(entries)

    def _seat(self, pool: str, table: Sequence[QueueEntry], bots: Sequence[Bot]) -> None:
        """Claim the entries and create their match. Raise `BotUnavailable` or `_EntryTaken`, without effect."""
        # Entry ids are random, so their order draws the seats by lot.
        seats = sorted(zip(table, bots, strict=True), key=lambda pair: pair[0].id)
        terms, match = table[0].terms, derived_match_id("queue", *(entry.id for entry, _ in seats))
        wanted = NewMatch(
            game=terms.game,
            seats=[bot.seat for _, bot in seats],
            options=terms.options,
            deals=terms.deals,
            clock=terms.clock,
            assist=terms.assist,
            entropy=[entry.entropy for entry, _ in seats],
            id=match,
            since=self._recorded(),
        )
        batch = MatchBatch(match, (wanted,), tuple((entry.id, entry.bot) for entry, _ in seats))
        with self._eligibility.reserved(match, bots):
            claim = self.store.claim(pool, batch)
            if claim is ClaimResult.TAKEN:
                raise _EntryTaken("another process took one of the entries")
            if claim is ClaimResult.REPEATED:  # another process may have used the id long ago
                batch = batch._replace(matches=(wanted._replace(since=None),))
        self._batches.finish(batch)

    def _present(
        self, entries: Sequence[QueueEntry], *, drop: bool
    ) -> tuple[list[QueueEntry], dict[str, Bot]]:
        """Return the entries whose bots are online and accept their terms, and their bots by id. With `drop`, end the
        entries of bots that are gone, disabled or no longer accept the terms."""
        ids = [entry.bot for entry in entries]
        bots = {bot.id: bot for bot in self._accounts.bots_by_ids(ids) if bot is not None}
        disabled = self._accounts.unavailable(list(bots.values()))
        online = self._online(ids)
        present = []
        for entry in entries:
            reason = _refusal(entry, bots.get(entry.bot), disabled)
            if reason is None and entry.bot in online:
                present.append(entry)
            if not drop:
                continue
            reason = reason or self._gone(entry, online)
            if reason is not None:
                self._offline_since.pop(entry.id, None)
                self.store.end(entry, EntryState.DROPPED, reason)
        return present, bots

    def _gone(self, entry: QueueEntry, online: set[str]) -> DropReason | None:
        """Return `GONE` for an entry whose bot has been offline for `GONE_S`."""
        if entry.bot in online:
            self._offline_since.pop(entry.id, None)
            return None
        since = self._offline_since.setdefault(entry.id, self._monotonic())
        return DropReason.GONE if self._monotonic() - since >= GONE_S else None


def _refusal(entry: QueueEntry, bot: Bot | None, disabled: set[str]) -> DropReason | None:
    """Return why a bot can't play on the terms of its entry; `None` if it can."""
    if bot is None or bot.id in disabled:
        return DropReason.DISABLED
    refused = bot.match_policy.refuses(entry.terms.game, entry.terms.clock, MatchKind.CASUAL)
    return None if refused is None else DropReason.POLICY


def _acceptance(bots: Mapping[str, Bot]) -> Callable[[QueueEntry, QueueEntry], bool]:
    """Return whether the bots of two entries accept each other's owners."""

    def accepts(one: QueueEntry, other: QueueEntry) -> bool:
        first, second = bots[one.bot], bots[other.bot]
        return first.owner == second.owner or (
            first.match_policy.owner(second.owner_name) and second.match_policy.owner(first.owner_name)
        )

    return accepts

"""The rating book: ratings kept up to date while the league plays.

Each preset has a log of group results. After a change of the log, a job fits the ratings to all its groups
(`records.ratings.fit`) within a second or two, and publishes them. A long fit is repeated more rarely: it takes a
twentieth of the time. So whatever the order and number of deliveries, the published ratings equal what
`records.ratings.recompute` computes from the records.

Every operation may be repeated, run concurrently or stop anywhere. Ratings are published for a version of the log, in
one script that does nothing if newer ones are published.

The **history** of a bot has, for each of its groups, the bot's rating as published when the group was new.
"""

from __future__ import annotations

import math
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Final, NamedTuple

from league.ratings.redis import Rated, RedisRatingStore
from records.match.loaded_match import LoadedMatch
from records.match.record import preset_of_match
from records.ratings.fit import Results
from records.ratings.model import PastRating, Rating, Z, preset_id
from records.results.group_result import GroupResult, group_result_of, played_among
from referee.storage.paging import PAGE_LIMIT

LOOKED_AT: Final = 1000
"""How many of a bot's last groups a head-to-head covers."""
SHORT_S: Final = 0.05
"""Fits that take no longer follow each other at once."""
REST: Final = 20
"""How many times its duration a longer fit waits for the next one."""


Wake = Callable[[str], None]
"""Enqueues a job that calls `catch_up` for a preset soon. A call may be dropped while a job for it waits."""


Report = Callable[[str, Sequence[tuple[GroupResult, Mapping[str, Rating]]]], None]
"""Takes new groups of a preset, with the ratings that they lead to."""


class HeadToHead(NamedTuple):
    """The results of a bot against another in groups that they played on different sides."""

    wins: int
    """Groups with more points, or with the better place because the other forfeited."""
    ties: int
    losses: int

    @property
    def groups(self) -> int:
        return self.wins + self.ties + self.losses

    @property
    def share(self) -> float | None:
        """The bot's share of the groups, ties half; `None` without groups."""
        return (self.wins + self.ties / 2) / self.groups if self.groups else None

    @property
    def interval(self) -> tuple[float, float] | None:
        """The 95 % interval of the share by E. B. Wilson (JASA 22, 1927). It treats each group as won or lost, so it
        is rather too wide with many ties."""
        if self.share is None:
            return None
        n, square = self.groups, Z * Z
        middle = (self.share + square / (2 * n)) / (1 + square / n)
        reach = Z / (1 + square / n) * math.sqrt(self.share * (1 - self.share) / n + square / (4 * n * n))
        return max(0.0, middle - reach), min(1.0, middle + reach)


class VersionRating(NamedTuple):
    """A bot's rating after the last group of one of its versions."""

    rating: Rating
    groups: int
    """How many groups the version played."""
    first_ended: int
    """When the first of them ended, in ms since 1970."""
    last_ended: int


class RatingBook:
    """Ratings by preset. Safe to share between greenlets and threads."""

    def __init__(
        self,
        store: RedisRatingStore,
        wake: Wake | None = None,
        now_ms: Callable[[], int] = lambda: time.time_ns() // 1_000_000,
        report: Report = lambda preset, after: None,
    ) -> None:
        """`report` takes ratings before they are published, perhaps more than once."""
        self.store, self._now_ms, self._report = store, now_ms, report
        self._wake = wake or (lambda preset: None)

    # 1. Adding results

    def on_readable(self, groups: Sequence[Sequence[LoadedMatch]]) -> None:
        """Add rated groups whose matches have become readable; remove void ones."""
        outcomes = []
        for loaded_matches in groups:
            config = loaded_matches[0].config
            if config.rated:
                outcome = group_result_of(played_among(loaded_matches))
                if outcome is None:
                    self.take_back(preset_of_match(config), config.group_id)
                else:
                    outcomes.append(outcome)
        self.store.add(outcomes)

    def take_back(self, preset: str, group: str) -> bool:
        """Remove a void group. Return whether it was there."""
        return self.store.remove(preset, group)

    def catch_up(self, preset: str) -> bool:
        """Fit and publish the ratings of a preset, if its log has changed and the last fit is long enough ago. Return
        whether that was so."""
        state = self.store.state(preset)
        if state.fitted or state.due > self._now_ms():
            return False
        results, new, ids = Results(), list[GroupResult](), set(state.new)
        for outcome in self.store.results(preset):
            results.add(outcome)
            if outcome.id in ids:
                new.append(outcome)
        pause = int(1000 * REST * results.work) if results.work > SHORT_S else 0
        if pause:  # no other worker fits them meanwhile, nor at once after one that died
            self.store.postpone(preset, self._now_ms() + pause)
        fit = results.fitted()
        new.sort(key=lambda outcome: (outcome.ended, outcome.id))
        self._report(preset, [(outcome, fit.ratings) for outcome in new])
        self.store.publish(preset, state.version, fit, new, self._now_ms() + pause)
        return True

    def tick(self) -> list[str]:
        """Wake a job for each preset that is to be fitted. Several processes may call it at once."""
        behind = self.store.behind(self.store.presets(), self._now_ms())
        for preset in behind:
            self._wake(preset)
        return behind

    # 2. Reading

    def presets(self) -> list[str]:
        return self.store.presets()

    def preset(self, text: str) -> str | None:
        """Return the name of the preset with this name or id; `None` if it has no ratings."""
        return next((name for name in self.presets() if text in (name, preset_id(name))), None)

    def page(
        self, preset: str, after: tuple[float, str] | None = None, limit: int = PAGE_LIMIT
    ) -> tuple[list[Rated], tuple[float, str] | None]:
        """Return the bots of a preset after this mu and id, the highest first, and the position of the next page, if
        any."""
        found = self.store.page(preset, after, limit + 1)
        rated = found[:limit]
        return rated, (rated[-1].rating.mu, rated[-1].bot) if len(found) > limit else None

    def ratings(self, preset: str, bots: Sequence[str]) -> dict[str, Rating]:
        """Return the ratings of these bots by id. Bots that have not played are missing."""
        found = zip(bots, self.store.of_bots(preset, bots), strict=True)
        return {bot: rating for bot, rating in found if rating is not None}

    def of_bot(self, bot: str) -> dict[str, Rating]:
        """Return a bot's ratings by preset."""
        presets = self.presets()
        found = zip(presets, self.store.of_bot(presets, bot), strict=True)
        return {preset: rating for preset, rating in found if rating is not None}

    def deviations(self, preset: str, groups: Sequence[Sequence[str]]) -> dict[tuple[str, str], float]:
        """Return the standard deviations of the differences of ratings in each of these groups of bots, where they are
        comparable."""
        return self.store.deviations(preset, groups)

    def difference(self, preset: str, bot: str, other: str) -> tuple[float, float, float] | None:
        """Return by how much a bot is rated higher than another, with the 95 % interval; `None` if one isn't rated or
        they aren't comparable."""
        ratings = self.ratings(preset, [bot, other])
        deviation = self.deviations(preset, [[bot, other]]).get((bot, other))
        if deviation is None or len(ratings) < 2:
            return None
        apart, reach = ratings[bot].mu - ratings[other].mu, Z * deviation
        return apart, apart - reach, apart + reach

    def history(
        self, preset: str, bot: str, before: tuple[int, str] | None = None, limit: int = PAGE_LIMIT
    ) -> tuple[list[PastRating], tuple[int, str] | None]:
        """Return a bot's published ratings by group, the latest first, and the position of the next page, if any."""
        return self.store.history(preset, bot, before, limit)

    def versions(self, preset: str, bot: str) -> list[VersionRating]:
        """Return the published ratings of a bot's versions in its last `LOOKED_AT` groups, the latest version first."""
        found: dict[str | None, VersionRating] = {}
        for past in self.history(preset, bot, None, LOOKED_AT)[0]:
            found.setdefault(past.rating.version, VersionRating(past.rating, 0, past.ended, past.ended))
        for outcome in self.store.last(preset, bot, LOOKED_AT):
            version = next(player.version for player in outcome.players if player.id == bot)
            if version in found:
                known = found[version]
                first, last = min(known.first_ended, outcome.ended), max(known.last_ended, outcome.ended)
                found[version] = VersionRating(known.rating, known.groups + 1, first, last)
        return list(found.values())

    def head_to_head(
        self,
        preset: str,
        bot: str,
        other: str,
        *,
        version: str | None = None,
        other_version: str | None = None,
    ) -> HeadToHead:
        """Return a bot's results against another in its last `LOOKED_AT` groups, of one version each or of all."""
        counts = Counter[int]()
        for outcome in self.store.last(preset, bot, LOOKED_AT):
            places = {
                player.id: (place, side)
                for side, place in zip(outcome.sides, outcome.places(), strict=True)
                for player in side.bots
            }
            played = {player.id: player.version for side in outcome.sides for player in side.bots}
            if version not in (None, played.get(bot)) or other_version not in (None, played.get(other)):
                continue
            if other in places and places[other][1] != places[bot][1]:
                gap = places[other][0] - places[bot][0]
                counts[(gap > 0) - (gap < 0)] += 1
        return HeadToHead(counts[1], counts[0], counts[-1])

"""The rating book: ratings kept up to date while the league plays.

Each preset has a log of group results in the order (ended, id), of which a prefix is rated. A new group usually comes
last, and a job rates it within a second or two from the ratings of its bots. A late group is inserted at its place,
and the groups after it are rated again. So whatever the order and number of deliveries, the book equals what
`records.ratings.recompute` computes from the records.

Every operation may be repeated, run concurrently or stop anywhere: a step is one script, made against the version of
the log that was read. While older groups are rated again, each bot keeps its last rating until its own last group is
reached.
"""

from __future__ import annotations

import math
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Final, NamedTuple

from league.ratings.redis import RedisRatingStore
from records.match.loaded_match import LoadedMatch
from records.match.record import preset_of_match
from records.ratings.anchors import mark as anchors_mark
from records.ratings.model import MODEL, PastRating, Rating, Z, preset_id, updated
from records.results.group_result import GroupResult, PlayedMatch, group_result_of, played_among
from referee.storage.paging import PAGE_LIMIT

LOOKED_AT: Final = 1000
"""How many of a bot's last groups a head-to-head covers."""
AT_ONCE: Final = 64
"""How many groups a step rates."""


Wake = Callable[[str], None]
"""Enqueues a job that calls `catch_up` for a preset soon. A call may be dropped while a job for it waits."""


Report = Callable[[str, Sequence[tuple[GroupResult, Mapping[str, Rating]]]], None]
"""Takes ratings of a preset after groups."""


class Rated(NamedTuple):
    """A bot's rating in a preset, for pages."""

    bot: str
    """Its id."""
    name: str
    rating: Rating


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
        monotonic: Callable[[], float] = time.monotonic,
        report: Report = lambda preset, after: None,
    ) -> None:
        """`report` takes ratings before they are stored, perhaps more than once."""
        self.store, self._monotonic, self._report = store, monotonic, report
        self._wake = wake or (lambda preset: None)

    # 1. Adding results

    def take(self, matches: Sequence[PlayedMatch]) -> bool:
        """Add the matches of a group that count, once it has ended. `catch_up` rates it. Safe to repeat.

        Return whether the group is complete. An incomplete group does not count, and is removed if it did before.
        """
        outcome = group_result_of(matches)
        if outcome is None:
            self.take_back(matches[0].preset, matches[0].group)
            return False
        self.store.add([outcome])
        return True

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

    def catch_up(self, preset: str, most: int = AT_ONCE, budget_s: float = math.inf) -> int:
        """Rate at most `most` waiting groups of a preset for about `budget_s`, or a batch of archived ones. Return how
        many were rated. Fewer than `most` means that none wait or that the budget ended."""
        done, mark, until = 0, mark_of(preset), self._monotonic() + budget_s
        while done < most:
            wanted = min(AT_ONCE, most - done)
            log = self.store.log(preset, mark, wanted)
            if not log.waiting:
                break
            known: dict[str, Rating] = {}
            steps = []
            for outcome in log.waiting:
                if any(player.id not in known for player in outcome.players):
                    known = {**self.store.before(outcome), **known}
                after = updated(outcome, known)
                known.update(after)
                steps.append((outcome, after))
                if self._monotonic() >= until:
                    break
            self._report(preset, steps)
            if self.store.step(preset, log, mark, steps):
                done += len(steps)
                ended = len(steps) < len(log.waiting)
                if ended or (len(log.waiting) < wanted and not log.archived):
                    break
        return done

    def tick(self) -> list[str]:
        """Wake a job for each preset with waiting groups. Several processes may call it at once."""
        presets = self.store.presets()
        behind = self.store.behind(presets, [mark_of(preset) for preset in presets])
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
        rated = [Rated(*each) for each in found[:limit]]
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

    def history(
        self, preset: str, bot: str, before: tuple[int, str] | None = None, limit: int = PAGE_LIMIT
    ) -> tuple[list[PastRating], tuple[int, str] | None]:
        """Return a bot's ratings after each of its groups, the latest first, and the position of the next page, if
        any."""
        return self.store.history(preset, bot, before, limit)

    def versions(self, preset: str, bot: str) -> list[VersionRating]:
        """Return the ratings of a bot's versions in its last `LOOKED_AT` groups, the latest version first."""
        found: dict[str | None, VersionRating] = {}
        for past in self.history(preset, bot, None, LOOKED_AT)[0]:
            version = past.rating.version
            last = found.get(version) or VersionRating(past.rating, 0, past.ended, past.ended)
            found[version] = last._replace(groups=last.groups + 1, first_ended=past.ended)
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


def mark_of(preset: str) -> str:
    """Return a mark that changes whenever the same groups of this preset could give other ratings."""
    return f"{MODEL} {anchors_mark(preset)}"

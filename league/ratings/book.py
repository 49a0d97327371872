"""Ratings kept up to date while the league plays: the book.

For each preset a log of groups' outcomes lies in the order (ended, id), of which so many of the first are
rated. Usually one comes last and is rated within a second or two, by a job, from its bots' ratings alone. One
that comes late, because its news took longer than those of a group that ended after it, takes its place in the
log, and what stands after it is rated again. So however often and in whatever order outcomes are fed, the book
says what `league.ratings.recompute` reckons from the records.

Everything may be done twice, by several at once, or be broken off anywhere: a step is one script, made against
the log that was read. While older groups are rated again each bot keeps its last rating until its own last
group is reached.
"""

from __future__ import annotations

import math
import time
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

from league.ratings.anchors import mark
from league.ratings.model import MODEL, Rating, Z, updated
from league.ratings.store import PastRating, RatingStore
from league.results.group_result import PlayedMatch, group_result_of, played_among
from referee.match.loaded_match import LoadedMatch
from referee.match.record import preset_of_match

LOOKED_AT: Final = 1000
"""Of so many of a bot's last groups it is told how it did against another."""
AT_ONCE: Final = 64
"""How many groups are rated in one step."""


Wake = Callable[[str], None]
"""Have `catch_up` done for a preset soon. A wake-up for the same one may be left out while one waits."""


class Rated(NamedTuple):
    """A bot's rating in a preset as it is shown."""

    bot: str
    """Its id."""
    name: str
    rating: Rating


class HeadToHead(NamedTuple):
    """How a bot did against another in groups that both played on different sides."""

    wins: int
    """In so many it had more points, or the better place by the other's forfeit."""
    ties: int
    losses: int

    @property
    def groups(self) -> int:
        """All of them."""
        return self.wins + self.ties + self.losses

    @property
    def share(self) -> float | None:
        """Its share of them, level ones half; `None` of none."""
        return (self.wins + self.ties / 2) / self.groups if self.groups else None

    @property
    def interval(self) -> tuple[float, float] | None:
        """The share's 95 % interval by E. B. Wilson (JASA 22, 1927), which takes each group for won or lost and so is
        rather too wide where many are level."""
        if self.share is None:
            return None
        n, square = self.groups, Z * Z
        middle = (self.share + square / (2 * n)) / (1 + square / n)
        reach = Z / (1 + square / n) * math.sqrt(self.share * (1 - self.share) / n + square / (4 * n * n))
        return max(0.0, middle - reach), min(1.0, middle + reach)


class RatingBook:
    """See the module. Safe to share between greenlets and threads."""

    def __init__(
        self, store: RatingStore, wake: Wake | None = None, monotonic: Callable[[], float] = time.monotonic
    ) -> None:
        self.store, self._monotonic = store, monotonic
        self._wake = wake or (lambda preset: None)

    # 1. Taking in

    def take(self, matches: Sequence[PlayedMatch]) -> bool:
        """Take in the matches of one group, all that count, once it is over; `catch_up` rates it. Safe to repeat.

        Returns whether the group is whole: one that is not counts for nothing, and is taken back if it did before.
        """
        outcome = group_result_of(matches)
        if outcome is None:
            self.take_back(matches[0].preset, matches[0].group)
            return False
        self.store.add([outcome])
        return True

    def on_readable(self, groups: Sequence[Sequence[LoadedMatch]]) -> None:
        """Take in groups whose matches may be read from now on, if they were played to be rated; take back what is void
        after all."""
        outcomes = []
        for lives in groups:
            config = lives[0].config
            if config.rated:
                outcome = group_result_of(played_among(lives))
                if outcome is None:
                    self.take_back(preset_of_match(config), config.group_id)
                else:
                    outcomes.append(outcome)
        self.store.add(outcomes)

    def take_back(self, preset: str, group: str) -> bool:
        """A group that was taken in is void after all. Returns whether it was there."""
        return self.store.remove(preset, group)

    def catch_up(self, preset: str, most: int = AT_ONCE, budget_s: float = math.inf) -> int:
        """Rate what waits in a preset, `most` groups at most, for about so long. Returns how many were rated; fewer
        than `most` means that nothing waited any more, or that time was up."""
        done, by, until = 0, mark_of(preset), self._monotonic() + budget_s
        while done < most:
            wanted = min(AT_ONCE, most - done)
            of = self.store.log(preset, by, wanted)
            if not of.waiting:
                break
            known: dict[str, Rating] = {}
            steps = []
            for outcome in of.waiting:
                if any(player.id not in known for player in outcome.players):
                    known = {**self.store.before(outcome), **known}
                after = updated(outcome, known)
                known.update(after)
                steps.append((outcome, after))
                if self._monotonic() >= until:
                    break
            if self.store.step(preset, of, by, steps):
                done += len(steps)
                if len(steps) < wanted:
                    break
        return done

    def tick(self) -> list[str]:
        """Have somebody catch up with each preset in which groups wait; safe to do by several at once."""
        presets = self.store.presets()
        behind = self.store.behind(presets, [mark_of(preset) for preset in presets])
        for preset in behind:
            self._wake(preset)
        return behind

    # 2. Reading

    def presets(self) -> list[str]:
        """The names of the presets that have ratings."""
        return self.store.presets()

    def page(
        self, preset: str, after: tuple[float, str] | None = None, limit: int = 50
    ) -> tuple[list[Rated], tuple[float, str] | None]:
        """The bots of a preset, the highest rating first, and after which mu and id to go on (`None` at the end)."""
        found = self.store.page(preset, after, limit + 1)
        rated = [Rated(*each) for each in found[:limit]]
        return rated, (rated[-1].rating.mu, rated[-1].bot) if len(found) > limit else None

    def ratings(self, preset: str, bots: Sequence[str]) -> dict[str, Rating]:
        """The ratings of these bots, by id; those that have played nothing are left out."""
        found = zip(bots, self.store.of_bots(preset, bots), strict=True)
        return {bot: rating for bot, rating in found if rating is not None}

    def of_bot(self, bot: str) -> dict[str, Rating]:
        """A bot's ratings by preset."""
        presets = self.presets()
        found = zip(presets, self.store.of_bot(presets, bot), strict=True)
        return {preset: rating for preset, rating in found if rating is not None}

    def history(
        self, preset: str, bot: str, before: tuple[int, str] | None = None, limit: int = 50
    ) -> tuple[list[PastRating], tuple[int, str] | None]:
        """What a bot's rating was after each of its groups, the last first, and before which to go on."""
        return self.store.history(preset, bot, before, limit)

    def head_to_head(self, preset: str, bot: str, other: str) -> HeadToHead:
        """How a bot did against another, in its last `LOOKED_AT` groups."""
        counts = Counter[int]()
        for outcome in self.store.last(preset, bot, LOOKED_AT):
            places = {
                player.id: (place, side)
                for side, place in zip(outcome.sides, outcome.places(), strict=True)
                for player in side.bots
            }
            if other in places and places[other][1] != places[bot][1]:
                gap = places[other][0] - places[bot][0]
                counts[(gap > 0) - (gap < 0)] += 1
        return HeadToHead(counts[1], counts[0], counts[-1])


def mark_of(preset: str) -> str:
    """What changes whenever the same groups of this preset could come to other ratings."""
    return f"{MODEL} {mark(preset)}"

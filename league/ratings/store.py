"""The store of the rating book. `league.ratings.redis` implements it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple, Protocol

from league.ratings.model import Rating
from league.results.group_result import GroupResult


class PastRating(NamedTuple):
    """A bot's rating after a group."""

    group: str
    ended: int
    rating: Rating


class RatingLog(NamedTuple):
    """The position of a preset's log."""

    version: int
    """Changes with every write."""
    rated: int
    """How many of the first groups are rated by the requested model."""
    waiting: Sequence[GroupResult]
    """The next groups to rate."""
    archived: bool = False
    """Whether these are archived groups, which are rated again."""


class RatingStore(Protocol):
    """The store of logs and ratings by preset."""

    def add(self, outcomes: Sequence[GroupResult]) -> None:
        """Add each result to its preset's log; groups after it are no longer rated. A stored result is skipped;
        another result of the same group replaces it. Takes one round trip, except for replacements."""

    def remove(self, preset: str, group: str) -> bool:
        """Remove a group from its preset's log. Return whether it was there."""

    def log(self, preset: str, mark: str, most: int) -> RatingLog:
        """Return the position of the log and the next groups to rate; at most `most`, unless they are archived. Ratings
        of a model with another mark do not count."""

    def before(self, outcome: GroupResult) -> dict[str, Rating]:
        """Return the ratings of the group's bots before it. Bots that had not played are missing."""

    def step(
        self,
        preset: str,
        position: RatingLog,
        mark: str,
        after: Sequence[tuple[GroupResult, Mapping[str, Rating]]],
    ) -> bool:
        """Store the ratings after the log's next groups. Return false, without effect, if the log is no longer
        `position`."""

    def presets(self) -> list[str]:
        """Return the names of the presets that have a log, sorted."""

    def behind(self, presets: Sequence[str], marks: Sequence[str]) -> list[str]:
        """Return those of the presets that have groups to rate."""

    def page(self, preset: str, after: tuple[float, str] | None, limit: int) -> list[tuple[str, str, Rating]]:
        """Return ids, names and ratings after this mu and id, by descending mu, then descending id."""

    def of_bots(self, preset: str, bots: Sequence[str]) -> list[Rating | None]:
        """Return the ratings of these bots."""

    def of_bot(self, presets: Sequence[str], bot: str) -> list[Rating | None]:
        """Return a bot's ratings in these presets."""

    def history(
        self, preset: str, bot: str, before: tuple[int, str] | None, limit: int
    ) -> tuple[list[PastRating], tuple[int, str] | None]:
        """Return a bot's groups and ratings before this end and group, the latest first, and the position of the next
        page. Unrated groups are skipped, so there may be fewer."""

    def last(self, preset: str, bot: str, most: int) -> list[GroupResult]:
        """Return the results of a bot's last groups."""

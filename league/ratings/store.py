"""The store of the rating book."""

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
    """Where the log of a preset stands."""

    version: int
    """Changes with everything that is written."""
    rated: int
    """So many of the first groups are rated, by the model that was asked for."""
    waiting: Sequence[GroupResult]
    """The next ones."""


class RatingStore(Protocol):
    """What the book needs of a store: the port. `league.ratings.redis` is its Redis form."""

    def add(self, outcomes: Sequence[GroupResult]) -> None:
        """Each outcome enters its preset's log, and what stands after it there is not rated any more; nothing is done
        for one that is there, and another one of the same group leaves the log. In one round trip, but for these."""

    def remove(self, preset: str, group: str) -> bool:
        """The group leaves its preset's log, as if it had never been; false, and nothing done, if it is not there."""

    def log(self, preset: str, mark: str, most: int) -> RatingLog:
        """Where the log stands, and the next groups to be rated; from the first one on if what is rated was by a
        model of another mark."""

    def before(self, outcome: GroupResult) -> dict[str, Rating]:
        """The ratings of its bots before it; those that had played nothing are left out."""

    def step(
        self, preset: str, of: RatingLog, mark: str, after: Sequence[tuple[GroupResult, Mapping[str, Rating]]]
    ) -> bool:
        """These groups, the log's next, are rated; false, and nothing done, if the log is another than `of`."""

    def presets(self) -> list[str]:
        """The names of the presets that have a log, sorted."""

    def behind(self, presets: Sequence[str], marks: Sequence[str]) -> list[str]:
        """Those of them that have groups to be rated."""

    def page(self, preset: str, after: tuple[float, str] | None, limit: int) -> list[tuple[str, str, Rating]]:
        """Ids, names and ratings, the highest first, among equals by id from the last, after this mu and id."""

    def of_bots(self, preset: str, bots: Sequence[str]) -> list[Rating | None]:
        """The ratings of these bots."""

    def of_bot(self, presets: Sequence[str], bot: str) -> list[Rating | None]:
        """A bot's ratings in these presets."""

    def history(
        self, preset: str, bot: str, before: tuple[int, str] | None, limit: int
    ) -> tuple[list[PastRating], tuple[int, str] | None]:
        """A bot's groups and ratings, the last first, before this end and group, and before which to go on. Groups that
        are not rated yet are left out, so there may be fewer."""

    def last(self, preset: str, bot: str, most: int) -> list[GroupResult]:
        """What the last groups of a bot came to."""

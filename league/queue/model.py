"""Entries of the queue, and batches of matches that must be created."""

from __future__ import annotations

import enum
import hashlib
import math
from collections.abc import Mapping
from typing import Any, Final, NamedTuple

import orjson

from records.decoding import decoded
from records.match.assist import LIST, Assist
from records.match.clock import ClockRule
from records.match.new_match import NewMatch
from records.match.session import Seat

BAND: Final = 200
"""The default rating band, in rating points."""
GROWTH: Final = 20
"""By how many rating points a band widens each second, by default."""


class EntryState(enum.StrEnum):
    WAITING = "waiting"
    CLAIMED = "claimed"
    """Its match is being created. Bots see it as `waiting`."""
    MATCHED = "matched"
    LEFT = "left"
    """The bot left the queue."""
    DROPPED = "dropped"
    """The service removed it, for a `DropReason`."""


class DropReason(enum.StrEnum):
    """Why the service removed an entry."""

    GONE = "gone"
    """The bot was offline."""
    DISABLED = "disabled"
    """The bot or its owner was disabled."""
    POLICY = "policy"
    """The bot's match policy no longer accepts these terms."""
    FAILED = "failed"
    """The match could not be created."""


class MatchTerms(NamedTuple):
    """What a bot wants to play. Only entries with equal terms meet."""

    game: str
    seats: int
    options: Mapping[str, Any]
    """All options that apply, defaults included."""
    deals: int
    clock: ClockRule
    preset: str
    assist: Assist = LIST

    @property
    def pool(self) -> str:
        """An id that equal terms share."""
        wanted = [self.preset, self.deals, self.clock.to_json()]
        return hashlib.sha256(orjson.dumps(wanted, option=orjson.OPT_SORT_KEYS)).hexdigest()[:24]

    def to_json(self) -> dict[str, Any]:
        return {**self._asdict(), "options": dict(self.options), "clock": self.clock.to_json()}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> MatchTerms:
        return decoded(cls, {**data, "clock": ClockRule.from_json(data["clock"])})


class RatingBand(NamedTuple):
    """How far the ratings of opponents may lie from the bot's own, in rating points."""

    start: int | None = BAND
    """Its width on each side at first; `None` accepts any rating."""
    growth: int = GROWTH
    """By how much it widens each second."""

    def width(self, waited_ms: int) -> float:
        """Return the width on each side after waiting for this long."""
        return math.inf if self.start is None else self.start + self.growth * max(0, waited_ms) / 1000


class QueueEntry(NamedTuple):
    """A bot's wish for one match."""

    id: str
    bot: str
    owner: str
    """The id of the bot's owner."""
    terms: MatchTerms
    band: RatingBand
    rating: float
    """The bot's rating when it joined."""
    entropy: str | None = None
    joined: int = 0
    """In ms since 1970."""
    state: EntryState = EntryState.WAITING
    match: str | None = None
    reason: DropReason | None = None
    ended: int | None = None
    """When it was matched, left or was dropped."""

    def width(self, now: int) -> float:
        """Return the width of its rating band at this instant."""
        return self.band.width(now - self.joined)

    def to_json(self) -> dict[str, Any]:
        wish = {name: getattr(self, name) for name in ("id", "bot", "owner", "rating", "entropy")}
        return {**wish, "terms": self.terms.to_json(), "band": list(self.band)}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> QueueEntry:
        """Return a waiting entry that joined at 0."""
        terms, band = MatchTerms.from_json(data["terms"]), RatingBand(*data["band"])
        return decoded(cls, {**data, "terms": terms, "band": band})


class MatchBatch(NamedTuple):
    """Matches that are created all, once it is stored. Each has an id, so that it is created once."""

    id: str
    matches: tuple[NewMatch, ...]
    entries: tuple[tuple[str, str], ...] = ()
    """The queue entries that it answers, with their bots."""

    def to_json(self) -> dict[str, Any]:
        """Return the batch as stored. Secrets of shuffles are drawn when the matches are created."""
        return {
            "id": self.id,
            "matches": [_stored(match) for match in self.matches],
            "entries": [list(entry) for entry in self.entries],
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> MatchBatch:
        entries = tuple((entry, bot) for entry, bot in data["entries"])
        return cls(data["id"], tuple(map(_loaded, data["matches"])), entries)


_STORED: Final = ("id", "game", "options", "deals", "dealer", "entropy", "since", "requested_by", "assist")


def _stored(match: NewMatch) -> dict[str, Any]:
    seats = [None if seat is None else list(seat) for seat in match.seats]
    clock = match.clock and match.clock.to_json()
    return {**{name: getattr(match, name) for name in _STORED}, "seats": seats, "clock": clock}


def _loaded(data: Mapping[str, Any]) -> NewMatch:
    seats = [None if seat is None else Seat(*seat) for seat in data["seats"]]
    clock = data["clock"] and ClockRule.from_json(data["clock"])
    return decoded(NewMatch, {**data, "seats": seats, "clock": clock})


class ClaimResult(enum.IntEnum):
    """The result of claiming entries for a match."""

    TAKEN = 0
    """One of them no longer waits, and nothing has changed."""
    CLAIMED = 1
    REPEATED = 2
    """They were claimed for this match before."""

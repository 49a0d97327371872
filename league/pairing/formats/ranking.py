"""What a season holds, and how formats rank it. Pure.

A format names its **criteria**: first its score, then its tie-breaks in order. Of each the higher value is better, and
a bot without a value comes after those that have one. A **place** is 1 + the number of bots that are better by these;
bots that are equal in all of them share it. An entry that is `out` has no place and counts for nobody else's.
"""

from __future__ import annotations

import enum
from collections.abc import Collection, Mapping, Sequence
from fractions import Fraction
from typing import NamedTuple

from league.pairing.formats.bracket import Bracket
from records.results.group_result import GroupResult


class Criterion(enum.StrEnum):
    """What places depend on."""

    POINTS_PER_DEAL = "points_per_deal"
    SWISS_POINTS = "swiss_points"
    """The points of a Swiss tournament: 1 for a win, a walkover or a bye, ½ for a tie or a meeting of which nothing
    counts."""
    BUCHHOLZ = "buchholz"
    """The points of the opponents, summed over the rounds."""
    HEAD_TO_HEAD = "head_to_head"
    """The points from meetings with the bots that are equal by all criteria before, if all of them have met."""
    STAGE = "stage"
    """The stage of a bracket that a bot reached; for the winner one more than there are."""
    VERDICT = "verdict"
    """What a comparison found: 1 for the better bot, 0 for the other, ½ for both if it found no difference."""


class SeasonEntry(NamedTuple):
    """An entry of a ladder, with its result in a season."""

    bot: str
    name: str
    points_per_deal: float | None
    """`None` before its first deal."""
    out: str | None = None
    """Why it has no place; `None` if it has one."""


class SeasonMeeting(NamedTuple):
    """A meeting of a round. Without a result nothing of it counts, or it is not over."""

    bots: tuple[str, ...]
    """By seat at a single match; in circular order for a group."""
    result: GroupResult | None
    single: bool = False
    """Whether it is a single match rather than a group."""


class SeasonRound(NamedTuple):
    number: int
    entrants: tuple[str, ...]
    """The ids of the bots that could play, in the order of the format's seeds."""
    meetings: Sequence[SeasonMeeting]
    over: bool = True

    @property
    def byes(self) -> list[str]:
        """The entrants without a meeting."""
        seated = {bot for meeting in self.meetings for bot in meeting.bots}
        return [bot for bot in self.entrants if bot not in seated]


class SeasonResults(NamedTuple):
    """What a season holds. A part that the format does not use is empty."""

    entries: Sequence[SeasonEntry] = ()
    """In the order of entry."""
    rounds: Sequence[SeasonRound] = ()
    """Without rounds that came to nothing."""
    outcomes: Sequence[GroupResult] = ()
    """The results of groups, in the order (ended, id)."""
    bracket: Bracket | None = None
    deals: int = 1
    """How many deals a bot plays in a group."""


class RoundLineKind(enum.StrEnum):
    """What a bot did in a round."""

    PLAYED = "played"
    UNPLAYED = "unplayed"
    """It had a meeting of which nothing counts."""
    WALKOVER = "walkover"
    """It had a meeting for which others did not show up."""
    NO_SHOW = "no_show"
    """It did not show up for its meeting."""
    BYE = "bye"
    MISSED = "missed"
    """It was no entrant: it entered later, or could not play."""


class RoundLine(NamedTuple):
    """What a bot did in a round, and what it scored."""

    round: int
    kind: RoundLineKind
    points: Fraction = Fraction(0)
    opponents: tuple[str, ...] = ()
    """The ids of the bots of its meeting that were not its partners."""
    seat: int | None = None
    """Its seat from 0 at a single match; `None` in a group, where every bot has every seat."""

    def text(self, names: Mapping[str, str]) -> str:
        """Return it as a text for tables. `names` are those of the bots by id."""
        played = self.kind is RoundLineKind.PLAYED
        detail = ("" if self.seat is None else f" (seat {self.seat})") if played else f" ({self.kind})"
        opponents = " + ".join(names[bot] for bot in self.opponents)
        return f"{self.round} {opponents + detail if opponents else self.kind} {float(self.points):g}"


class Rank(NamedTuple):
    """The result of an entry."""

    entry: SeasonEntry
    place: int | None
    """`None` for an entry that is out."""
    values: tuple[float | None, ...]
    """By criterion of the format; the first is the score."""
    won: bool
    """Whether it is in first place; in a bracket, whether it is the last bot left."""
    rounds: tuple[RoundLine, ...] | None = None
    """`None` unless the format is ranked by meetings."""

    def rounds_text(self, names: Mapping[str, str]) -> str | None:
        """Return the rounds as a text for tables, such as `1 mira/fool (seat 0) 1; 2 bye 1; 3 missed 0`; `None` unless
        the format is ranked by meetings. `names` are those of the bots by id."""
        return None if self.rounds is None else "; ".join(line.text(names) for line in self.rounds)

    def times(self, kind: RoundLineKind) -> int | None:
        """Return in how many rounds the bot did this; `None` unless the format is ranked by meetings."""
        return None if self.rounds is None else sum(line.kind is kind for line in self.rounds)


Values = Mapping[str, tuple[float | None, ...]]
"""By bot id, the values of a format's criteria."""


def ranked(
    entries: Sequence[SeasonEntry],
    values: Values,
    *,
    winners: Collection[str] | None = None,
    lines: Mapping[str, Sequence[RoundLine]] | None = None,
) -> list[Rank]:
    """Return the entries by these values, the best first; equals by points per deal, then by name.

    Without `winners` the bots in first place have won, as soon as they have a score.
    """
    order = sorted(
        entries,
        key=lambda each: ordering(each.out is not None, values[each.bot], each.points_per_deal, each.name),
    )
    places: dict[tuple[float | None, ...], int] = {}
    found = []
    for number, entry in enumerate(order, 1):
        own = values[entry.bot]
        place = None if entry.out is not None else places.setdefault(own, number)
        won = (
            place == 1 and own[0] is not None
            if winners is None
            else place is not None and entry.bot in winners
        )
        found.append(Rank(entry, place, own, won, None if lines is None else tuple(lines[entry.bot])))
    return found


def ordering(
    out: bool, values: Sequence[float | None], points_per_deal: float | None, name: str
) -> tuple[bool, tuple[tuple[bool, float], ...], str]:
    """Return the key by which standings are sorted."""
    return out, tuple((each is None, -(each or 0.0)) for each in (*values, points_per_deal)), name

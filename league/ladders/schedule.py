"""Schedules of rounds: cron expressions with a time zone, or continuous play. Pure; time is an argument."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final, NamedTuple
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from league.errors import BadValue
from records.decoding import decoded

_WORD: Final = re.compile(r"[^\W\d_]+")
_WORDS: Final = {"mon", "tue", "wed", "thu", "fri", "sat", "sun", "l"} | {
    *("jan", "feb", "mar", "apr", "may", "jun"),
    *("jul", "aug", "sep", "oct", "nov", "dec"),
}
_SHORTHANDS: Final = frozenset(
    {"@hourly", "@daily", "@midnight", "@weekly", "@monthly", "@yearly", "@annually"}
)


CONTINUOUS: Final = "continuous"
LEAST_WAIT_MS: Final = 1_000
MOST_WAIT_MS: Final = 15_000
"""The shortest and the longest delay before the next attempt after one that found nothing to play."""


@dataclass(frozen=True, slots=True)
class Continuous:
    """The next round starts as soon as the previous one has ended and something can be played."""

    def after(self, instant: int, count: int = 1) -> list[int]:
        """Return no instants, since the end of a round is unknown."""
        return []

    def look(self, now: int) -> int:
        """Return when to check whether a round can start."""
        return now

    def look_again(self, now: int, since: int | None) -> int:
        """Return when to check again after a check that found nothing to play. The delay grows with the time since
        the last round, which ended at `since`, if any."""
        wait = MOST_WAIT_MS if since is None else (now - since) // 2
        return now + max(LEAST_WAIT_MS, min(wait, MOST_WAIT_MS))

    def to_json(self) -> str:
        return CONTINUOUS


class Schedule(NamedTuple):
    """A cron expression of five fields (or `@hourly` and the like) in a time zone.

    A start in an hour that the zone skips is due after the skip. Where an hour occurs twice, a start at a fixed hour
    is due the first time, a start in every hour both times.
    """

    cron: str
    timezone: str = "UTC"

    def after(self, instant: int, count: int = 1) -> list[int]:
        """Return the next instants after this one, in ms since 1970."""
        from croniter import croniter  # slow to import, and few ladders have a cron expression

        zone = ZoneInfo(self.timezone)
        each = croniter(self.cron, datetime.fromtimestamp(instant / 1000, zone), ret_type=datetime)
        every_hour = each.expanded[1] == ["*"]  # croniter writes all 24 hours so, however they are given
        found: list[int] = []
        while len(found) < count:
            at = round(each.get_next(datetime).timestamp() * 1000)
            if every_hour or not datetime.fromtimestamp(at / 1000, zone).fold:
                found.append(at)
        return found

    def look(self, now: int) -> int:
        return self.after(now)[0]

    def to_json(self) -> dict[str, str]:
        return self._asdict()


When = Schedule | Continuous


def schedule_of(data: Any) -> When | None:
    if data == CONTINUOUS:
        return Continuous()
    return decoded(Schedule, data) if data else None


def checked_schedule(cron: str, timezone: str, now: int, field: str = "schedule") -> Schedule:
    """Return the schedule. Raise `BadValue`, with the field, for an invalid expression or zone, or one that never
    fires."""
    if timezone.startswith(("/", ".")):
        raise BadValue(f"{field}.timezone", timezone, "an IANA name such as Europe/Moscow")
    try:
        ZoneInfo(timezone)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise BadValue(f"{field}.timezone", timezone, "an IANA name such as Europe/Moscow") from None
    if not (cron in _SHORTHANDS or (len(cron.split()) == 5 and set(_WORD.findall(cron.lower())) <= _WORDS)):
        raise BadValue(f"{field}.cron", cron, "five fields: minute, hour, day of month, month, day of week")
    from croniter import CroniterBadDateError, CroniterError  # see `Schedule.after`

    schedule = Schedule(cron, timezone)
    try:
        schedule.after(now)
    except CroniterBadDateError:
        raise BadValue(f"{field}.cron", cron, "an expression that fires some day") from None
    except (CroniterError, ValueError, KeyError):
        raise BadValue(
            f"{field}.cron", cron, "five fields that croniter reads, such as */5 * * * * or 0 20 * * fri"
        ) from None
    return schedule

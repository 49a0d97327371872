"""When rounds are due: cron expressions with a time zone, or one round after the other. Pure; time is an argument."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final, NamedTuple
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from croniter import croniter
from croniter.croniter import CroniterBadDateError, CroniterError

from league.errors import BadValue
from referee.decoding import decoded

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
"""How long after a look at which there was nothing to play the next one comes."""


@dataclass(frozen=True, slots=True)
class Continuous:
    """The next round starts as soon as the one before is over and something can be played."""

    def after(self, instant: int, count: int = 1) -> list[int]:
        """No instants: nobody knows when a round will be over."""
        return []

    def look(self, now: int) -> int:
        """When to look whether a round can start."""
        return now

    def look_again(self, now: int, since: int | None) -> int:
        """The same, where at this look none could. The longer ago it is that something was played, the longer it
        takes; `None`: nothing was."""
        wait = MOST_WAIT_MS if since is None else (now - since) // 2
        return now + max(LEAST_WAIT_MS, min(wait, MOST_WAIT_MS))

    def to_json(self) -> str:
        """On the wire and in the store."""
        return CONTINUOUS


class Schedule(NamedTuple):
    """A cron expression of five fields (or `@hourly` and its like), reckoned in a time zone.

    A start that falls into an hour that the zone leaves out is due when the clocks have gone on. One at a set hour that
    the zone has twice is due the first time; one that goes by minutes alone, both times.
    """

    cron: str
    timezone: str = "UTC"

    def after(self, instant: int, count: int = 1) -> list[int]:
        """The next instants after this one, in ms since 1970."""
        zone = ZoneInfo(self.timezone)
        each = croniter(self.cron, datetime.fromtimestamp(instant / 1000, zone), ret_type=datetime)
        every_hour = self.cron == "@hourly" or self.cron.split()[1:2] == ["*"]
        found: list[int] = []
        while len(found) < count:
            at = round(each.get_next(datetime).timestamp() * 1000)
            if every_hour or not datetime.fromtimestamp(at / 1000, zone).fold:
                found.append(at)
        return found

    def look(self, now: int) -> int:
        """The next of them."""
        return self.after(now)[0]

    def to_json(self) -> dict[str, str]:
        """On the wire and in the store."""
        return self._asdict()


When = Schedule | Continuous


def schedule_of(data: Any) -> When | None:
    """From the store."""
    if data == CONTINUOUS:
        return Continuous()
    return decoded(Schedule, data) if data else None


def checked_schedule(cron: str, timezone: str, now: int, field: str = "schedule") -> Schedule:
    """The schedule. Raises `BadValue`, naming the field, for an expression or a zone that there is not, and for one
    that never fires."""
    if timezone.startswith(("/", ".")):
        raise BadValue(f"{field}.timezone", timezone, "an IANA name such as Europe/Moscow")
    try:
        ZoneInfo(timezone)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise BadValue(f"{field}.timezone", timezone, "an IANA name such as Europe/Moscow") from None
    if not (cron in _SHORTHANDS or (len(cron.split()) == 5 and set(_WORD.findall(cron.lower())) <= _WORDS)):
        raise BadValue(f"{field}.cron", cron, "five fields: minute, hour, day of month, month, day of week")
    schedule = Schedule(cron, timezone)
    try:
        schedule.after(now)
    except CroniterBadDateError:
        raise BadValue(f"{field}.cron", cron, "an expression that is due at some day or other") from None
    except (CroniterError, ValueError, KeyError):
        raise BadValue(
            f"{field}.cron", cron, "five fields that croniter reads, such as */5 * * * * or 0 20 * * fri"
        ) from None
    return schedule

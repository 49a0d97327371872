"""Schedules in words."""

from __future__ import annotations

import re
from collections.abc import Callable
from types import MappingProxyType
from typing import Final

from league.ladders.schedule import Schedule

_WEEK: Final = ("Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
DAYS: Final = MappingProxyType(
    {"*": "each day", "1-5": "each working day", "mon-fri": "each working day"}
    | {str(number): f"each {day}" for number, day in enumerate(_WEEK)}
    | {day[:3].lower(): f"each {day}" for day in _WEEK}
)
"""What a field for days of the week means, in English; the catalogues translate it."""
_SAME: Final = {"@hourly": "0 * * * *", "@daily": "0 0 * * *", "@weekly": "0 0 * * 0"}
_TIMED: Final = re.compile(r"(\d\d?) (\d\d?|\*) \* \* (\S+)")


def in_words(schedule: Schedule, gettext: Callable[[str], str]) -> str | None:
    """Return when a schedule fires; `None` unless it is each minute, or at one minute of each hour or of certain
    days of the week."""
    cron = " ".join(_SAME.get(schedule.cron, schedule.cron).lower().split())
    if cron == "* * * * *":
        return gettext("each minute")
    found = _TIMED.fullmatch(cron)
    if found is None or found[3] not in DAYS or (found[2] == "*" and found[3] != "*"):
        return None
    minute, hour = f"{int(found[1]):02}", found[2]
    days, time = ("each hour", f":{minute}") if hour == "*" else (DAYS[found[3]], f"{int(hour):02}:{minute}")
    return gettext("%(days)s at %(time)s") % {"days": gettext(days), "time": f"{time} {schedule.timezone}"}

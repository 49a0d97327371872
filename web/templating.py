"""The templates of the site."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache, partial
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

from engine.registry import GAMES
from league.ladders.schedule import Schedule
from records.match.clock import PACES
from records.page.templating import IMPORTED, environment
from referee.greenlets import with_pauses
from web.assets import assets
from web.languages import languages

if TYPE_CHECKING:
    from jinja2 import Environment

    from records.page.language import Language


_PAUSE_EVERY: Final = 500
"""After how many pieces of a page other requests run. A table of moves may have a hundred thousand."""


def render(template: str, language: Language, /, root: str = "", **context: Any) -> str:
    """Return a rendered template in this language. `root` is the path prefix of the site."""
    made = _environment(language.code, root).get_template(template).generate(context)
    return "".join(with_pauses(made, _PAUSE_EVERY))


@lru_cache(maxsize=8)
def _environment(code: str, root: str) -> Environment:
    """Return the templates of a language and a path prefix."""
    templates = environment(languages()[code], "web")
    templates.globals.update(
        asset=lambda path: root + assets().address(path),
        in_words=partial(in_words, gettext=languages()[code].messages.gettext),
        languages=languages(),
        paces=PACES,
        root=root,
        table_modules=IMPORTED,
        titles=partial(_title, code),
    )
    return templates


def _title(code: str, game: str) -> str:
    """Return the name of a game; its id if this release does not have it."""
    return GAMES[game].title[code] if game in GAMES else game


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

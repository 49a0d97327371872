"""A ladder as a file: its settings, entries and rules, to create it again here or on another server.

Without entries and rules it is a template. What has been played stays where it was.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

from league.errors import BadValue, LeagueError
from league.ladders.model import AccessRule, AccessVerdict, Ladder, LadderAccess, LadderEntry
from league.ladders.schedule import schedule_of
from league.ladders.service import Ladders
from league.ladders.settings import LadderSettings, settings_of
from records.match.clock import ClockRule

VERSION: Final = 1
_FIELDS: Final = {"kozyr_ladder", "settings", "entries", "access"}
_TYPES: Final[Mapping[str, tuple[type, ...]]] = {
    "name": (str,),
    "game": (str,),
    "seats": (int,),
    "options": (dict,),
    "deals": (int, type(None)),
    "clock": (dict,),
    "schedule": (dict, str, type(None)),
    "season_schedule": (dict, type(None)),
    "repeats": (int,),
    "rated": (bool,),
    "decks": (str, type(None)),
    "format": (str,),
    "parameters": (dict,),
    "check": (bool, type(None)),
    "access": (str,),
    "description": (str,),
    "minimum_groups": (int,),
    "start_ms": (int, type(None)),
    "assist": (str,),
}


class FileRule(NamedTuple):
    name: str
    verdict: AccessVerdict
    reason: str = ""


class LadderFile(NamedTuple):
    """What a file says."""

    settings: LadderSettings
    entries: Sequence[str] = ()
    """As `owner/bot`."""
    rules: Sequence[FileRule] = ()


class LeftOut(NamedTuple):
    """An entry or a rule of a file that could not be taken over."""

    name: str
    reason: str


class ImportedLadder(NamedTuple):
    """A ladder that was created from a file."""

    ladder: Ladder
    entered: Sequence[str]
    left_out: Sequence[LeftOut]


def import_file(
    ladders: Ladders, owner: str, file: LadderFile, ladder_id: str | None = None
) -> ImportedLadder:
    """Create a ladder for an owner, with the rules and entries of a file as far as their owners and bots exist here.

    The owner's own bots and house bots enter. Others enter their bots themselves: where that needs an invitation, the
    bots of the file get one. Raise what `Ladders.create` raises, before anything has changed.
    """
    ladder = ladders.create(owner, file.settings, ladder_id=ladder_id)
    entered, left_out = [], []
    for rule in file.rules:
        try:
            ladders.set_rules(ladder.id, [rule.name], rule.verdict, rule.reason)
        except LeagueError as refusal:
            left_out.append(LeftOut(rule.name, str(refusal)))
    for name in file.entries:
        try:
            bot = ladders.accounts.bot(*name.split("/"))
            if bot.owner == owner or bot.house:
                ladders.enter(ladder.id, bot)
                entered.append(name)
                continue
            if ladder.access is LadderAccess.INVITATION:
                ladders.set_rules(ladder.id, [name], AccessVerdict.INVITED)
            left_out.append(LeftOut(name, "its owner enters it"))
        except LeagueError as refusal:
            left_out.append(LeftOut(name, str(refusal)))
    return ImportedLadder(ladder, entered, left_out)


def file_of(
    ladder: Ladder, entries: Sequence[LadderEntry] = (), rules: Sequence[AccessRule] = ()
) -> dict[str, Any]:
    """Return a ladder as the JSON document of its file."""
    stored = ladder.to_json() | {"deals": settings_of(ladder).deals}
    return {
        "kozyr_ladder": VERSION,
        "settings": {name: stored[name] for name in LadderSettings._fields},
        "entries": [entry.name for entry in entries],
        "access": [{"name": rule.name, "rule": rule.verdict, "reason": rule.reason} for rule in rules],
    }


def read_file(data: Any) -> LadderFile:
    """Return what the JSON document of a file says. Its texts and numbers are checked when the ladder is created.
    Raise `BadValue`."""
    if not isinstance(data, dict) or data.get("kozyr_ladder") != VERSION or data.keys() - _FIELDS:
        raise BadValue("file", data, f"what `kozyr ladder export` writes, version {VERSION}")
    given = data.get("settings")
    if not isinstance(given, dict) or not given.keys() >= {"name", "game", "seats"}:
        raise BadValue("settings", given, "an object with at least name, game and seats")
    for name, value in given.items():
        if name not in _TYPES:
            raise BadValue(name, value, "left out: there is no such setting")
        if not isinstance(value, _TYPES[name]) or (isinstance(value, bool) and bool not in _TYPES[name]):
            raise BadValue(name, value, " or ".join(each.__name__ for each in _TYPES[name]))
    entries, access = data.get("entries", []), data.get("access", [])
    if not isinstance(entries, list) or not all(
        isinstance(each, str) and each.count("/") == 1 for each in entries
    ):
        raise BadValue("entries", entries, "an array of bots, as owner/bot")
    return LadderFile(_settings(given), entries, _rules(access))


def _settings(given: Mapping[str, Any]) -> LadderSettings:
    found = dict(given)
    clock = found.pop("clock", {})
    if clock.keys() - set(ClockRule._fields) or not all(type(each) is int for each in clock.values()):
        raise BadValue("clock", clock, "numbers for " + ", ".join(ClockRule._fields))
    found["clock"] = ClockRule(**clock)
    for name in ("schedule", "season_schedule"):
        given_schedule = found.get(name)
        if isinstance(given_schedule, dict) and not all(
            isinstance(each, str) for each in given_schedule.values()
        ):
            raise BadValue(name, given_schedule, "an object with cron and timezone")
        try:
            found[name] = schedule_of(given_schedule)
        except (TypeError, AttributeError):
            raise BadValue(name, given_schedule, "an object with cron and timezone") from None
    try:
        found["access"] = LadderAccess(found.get("access", LadderAccess.OPEN))
    except ValueError:
        raise BadValue("access", found["access"], "one of " + ", ".join(LadderAccess)) from None
    return LadderSettings(**found)


def _rules(access: Any) -> Sequence[FileRule]:
    rules = []
    for each in access if isinstance(access, list) else [access]:
        try:
            rules.append(
                FileRule(str(each["name"]), AccessVerdict(each["rule"]), str(each.get("reason", "")))
            )
        except (TypeError, KeyError, ValueError, AttributeError):
            raise BadValue("access", each, "an array of objects with name, rule and reason") from None
    return rules

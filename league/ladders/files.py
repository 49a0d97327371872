"""A ladder as a file: its settings, entries and rules, to create it again here or on another server.

Without entries and rules it is a template. What has been played stays where it was.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

from league.errors import LeagueError
from league.ladders.model import AccessRule, AccessVerdict, Ladder, LadderEntry
from league.ladders.service import Ladders
from league.ladders.settings import SETTINGS, LadderAccess, LadderSettings

VERSION: Final = 1


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
    stored = ladder.to_json() | {"deals": ladder.settings.deals}
    return {
        "kozyr_ladder": VERSION,
        "settings": {name: stored[name] for name in SETTINGS},
        "entries": [entry.name for entry in entries],
        "access": [{"name": rule.name, "rule": rule.verdict, "reason": rule.reason} for rule in rules],
    }

"""What organisers and operators change over the API, they can change on the command line and on the site."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import click
import yaml
from flask import Flask

from api.services import Services
from kozyr.cli.groups import DeferredCommand
from tests.support.commands import COMMANDS

ROOT: Final = Path(__file__).parents[2]
WAYS: Final[Mapping[str, tuple[str, str]]] = {
    "changeMe": ("rename", "/me/name"),
    "changeBot": ("bot set", "/me/bots/<name>"),
    "createLadder": ("ladder create", "/new-ladder"),
    "importLadder": ("ladder import", "/import-ladder"),
    "exportLadder": ("ladder export", "/ladders/<ladder_id>/export.json"),
    "changeLadder": ("ladder change", "/ladders/<ladder_id>/play"),
    "setAccessRule": ("ladder access", "/ladders/<ladder_id>/rules"),
    "correctResult": ("ladder correct", "/ladders/<ladder_id>/corrections"),
    "listResults": ("ladder results", "/ladders/<ladder_id>/seasons/<int(max=999999999):number>/results"),
    "enterBot": ("ladder enter", "/ladders/<ladder_id>/enter"),
    "withdrawBot": ("ladder withdraw", "/ladders/<ladder_id>/leave"),
    "freezeLadder": ("ladder freeze", "/ladders/<ladder_id>/freeze"),
    "releaseLadder": ("ladder release", "/ladders/<ladder_id>/release"),
    "startRound": ("ladder start", "/ladders/<ladder_id>/rounds"),
    "previewRound": ("ladder start", "/ladders/<ladder_id>/schedule"),
    "endSeason": ("ladder seasons", "/ladders/<ladder_id>/seasons"),
    "listRealNames": ("ladder names", "/ladders/<ladder_id>/names.csv"),
    "createInvitation": ("admin invite", "/invitations"),
    "listInvitations": ("admin invitations", "/invitations.csv"),
    "setLadderState": ("admin ladder-state", "/admin/ladder-state"),
    "withdrawAnyBot": ("admin withdraw", "/admin/withdraw"),
    "forgetOwner": ("admin forget", "/admin/forget"),
    "voidMatch": ("void", "/admin/void"),
    "rerunMatch": ("rerun", "/admin/rerun"),
    "disableOrEnableBot": ("disable", "/admin/disabled"),
    "disableOrEnableOwner": ("enable", "/admin/disabled"),
    "changeService": ("pause", "/admin/service"),
    "announce": ("announce", "/admin/announcement"),
    "listAudit": ("audit", "/admin/log"),
}
"""By operation of the API, the command and the address of the form or page."""
OF_ORGANISERS: Final[Mapping[str, tuple[str, str]]] = {
    "voidMatch": ("ladder void", "/ladders/<ladder_id>/void"),
    "rerunMatch": ("ladder rerun", "/ladders/<ladder_id>/rerun"),
    "listAudit": ("ladder audit", "/ladders/<ladder_id>/log"),
}
"""The same of operations that organisers share with operators."""
API_ALONE: Final = frozenset({"createLadderFor"})
"""What admins do for another owner. On the site and the command line owners create their ladders themselves."""


def operations() -> dict[str, tuple[str, str]]:
    """Return the operations of the API: by id, method and path."""
    document: Any = yaml.load((ROOT / "openapi.yaml").read_text(), yaml.CSafeLoader)
    return {
        operation["operationId"]: (method, path)
        for path, methods in document["paths"].items()
        for method, operation in methods.items()
        if isinstance(operation, dict) and "operationId" in operation
    }


def test_each_has_a_command_and_a_place_on_the_site(site: tuple[Flask, Services]) -> None:
    rules = {rule.rule for rule in site[0].url_map.iter_rules()}
    known = operations()
    for operation, (words, address) in [*WAYS.items(), *OF_ORGANISERS.items()]:
        assert operation in known, operation
        assert address in rules, address
        name, _, sub = words.partition(" ")
        command = COMMANDS[name]
        loaded = command.load() if isinstance(command, DeferredCommand) else command
        assert not sub or (isinstance(loaded, click.Group) and sub in loaded.commands), words


def test_no_change_of_a_ladder_is_left_out() -> None:
    changes = {
        operation
        for operation, (method, path) in operations().items()
        if method != "get" and (path.startswith("/v1/ladders") or path.endswith("/ladders"))
    }
    assert changes - API_ALONE <= WAYS.keys()
    assert changes >= API_ALONE

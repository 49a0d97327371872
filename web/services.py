"""What pages use besides the services of the API (`api.services`)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from flask import current_app

from web.compare import ComparedTables


class Starter(NamedTuple):
    """A project with a bot."""

    title: str
    """The name of its language for people."""
    commands: str
    """What writes it and runs its bot, a command a line."""


class ErrorPage(NamedTuple):
    """A refusal or failure as an error page shows it."""

    status: int
    code: str
    title: str
    """What all refusals with this code have in common, in English; the catalogues translate it."""
    detail: str
    """What is wrong with this request."""
    retry_s: int | None = None
    details: Mapping[str, Any] = {}
    """The other members of the problem."""
    language: str = "en"
    """The language of `detail`."""


@dataclass(slots=True)
class Site:
    """What pages need besides the services."""

    starters: Mapping[str, Starter]
    """The projects that `kozyr new-bot` writes, by the names of their languages."""
    compared: ComparedTables = field(default_factory=ComparedTables)


def site() -> Site:
    """Return what the pages of the current application need besides its services."""
    current: Site = current_app.extensions["kozyr-site"]
    return current

"""The site in the process of the API."""

from __future__ import annotations

from kozyr.starters.writing import STARTERS, commands_to_run
from web.services import Site, Starter


def new_site() -> Site:
    """Return what the pages need besides the services of the API."""
    return Site({name: Starter(each.title, commands_to_run(name)) for name, each in STARTERS.items()})

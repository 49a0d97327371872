"""`kozyr profile`: list, choose and remove the profiles that keep addresses and tokens."""

from __future__ import annotations

from typing import Final

import click

from kozyr.cli.author.profiles import Profiles
from kozyr.cli.errors import one_sentence
from kozyr.cli.groups import SuggestingGroup
from kozyr.cli.output import as_json, show
from kozyr.terminal import echo

COLUMNS: Final = ("profile", "in_use", "url", "owner", "bots")


@click.group(cls=SuggestingGroup)
def profile() -> None:
    """List, choose and remove profiles."""


@profile.command(name="list")
@as_json
def list_() -> None:
    """List profiles, without their tokens."""
    from kozyr.cli.author.columns import table

    with one_sentence():
        profiles = Profiles()
    rows = [
        {
            "profile": name,
            "in_use": name == profiles.current,
            "url": each.url,
            "owner": each.owner,
            "bots": sorted(each.bots),
        }
        for name, each in sorted(profiles.known.items())
    ]
    none = "no profiles; create one with `kozyr register` or `kozyr login`"
    show(rows, table(rows, COLUMNS, none=none))


@profile.command()
@click.argument("name")
@as_json
def use(name: str) -> None:
    """Use the profile NAME when a command names none."""
    with one_sentence():
        Profiles().use(name)
        show({"in_use": name}, f"{name} is in use now")


@profile.command()
@click.argument("name")
@as_json
def remove(name: str) -> None:
    """Forget the profile NAME with its tokens.

    The service still accepts the tokens. `kozyr token revoke` ends them.
    """
    with one_sentence():
        profiles = Profiles()
        before = profiles.current
        profiles.remove(name)
        now = profiles.current if profiles.known else None
        also = f"; {now} is in use now" if now is not None and now != before else ""
        show({"removed": name, "in_use": now}, f"profile {name} is removed{also}")
        echo("its tokens stay valid until they are revoked", err=True)

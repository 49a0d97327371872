"""`kozyr admin`: tokens of admins with names, so that the audit log tells who did what."""

from __future__ import annotations

import time

import click

from kozyr.cli.commands.operator import by, parts, plainly, reason


@click.group()
def admin() -> None:
    """Issue, list and revoke tokens of admins, each with a name that the audit log tells."""


@admin.command()
@click.argument("name")
@click.option("--days", type=click.IntRange(min=1), help="For so long it is good.  [default: for ever]")
@click.option("--note", default="", metavar="TEXT", help="For yourselves, as in `her laptop`.")
@reason
@plainly
def issue(name: str, days: int | None, note: str, reason: str) -> None:
    """Issue a token of the admin NAME. Its text is printed, this once; its id is what it is revoked by."""
    expires = None if days is None else int((time.time() + days * 86_400) * 1000)
    token, text = parts().administration.issue_admin(by(), name, expires, note, reason)
    click.echo(text)
    click.echo(f"the token {token.id} of the admin {name}; it is shown this once", err=True)


@admin.command(name="list")
@plainly
def list_() -> None:
    """List the living tokens of admins, the oldest first. The one in the settings is not among them."""
    from referee.instants import text_of

    for token in parts().administration.admins():
        until = "for ever" if token.expires is None else f"until {text_of(token.expires)}"
        click.echo(
            f"{token.id}  {token.name}  since {text_of(token.created)}, {until}  {token.note}".rstrip()
        )


@admin.command()
@click.argument("token", metavar="ID")
@reason
@plainly
def revoke(token: str, reason: str) -> None:
    """Revoke the token with this ID, of an admin or of anybody."""
    parts().administration.revoke(by(), token, reason)
    click.echo(f"the token {token} is revoked")

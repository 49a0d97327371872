"""`kozyr admin`: named admin tokens, so that the audit log shows who did what."""

from __future__ import annotations

import time

import click

from kozyr.cli.commands.operator import by, parts, plainly, reason


@click.group()
def admin() -> None:
    """Issue, list and revoke admin tokens.

    Each token has a name, which the audit log shows.
    """


@admin.command()
@click.argument("name")
@click.option("--days", type=click.IntRange(min=1), help="Days until the token expires.  [default: never]")
@click.option("--note", default="", metavar="TEXT", help='A note to tell tokens apart, such as "her laptop".')
@reason
@plainly
def issue(name: str, days: int | None, note: str, reason: str) -> None:
    """Issue a token for the admin NAME.

    Prints the token on standard output, only this once, and its id on standard error. The id revokes it.
    """
    expires = None if days is None else int((time.time() + days * 86_400) * 1000)
    token, text = parts().administration.issue_admin(by(), name, expires, note, reason)
    click.echo(text)
    click.echo(f"token {token.id} of the admin {name}; its text is not shown again", err=True)


@admin.command(name="list")
@plainly
def list_() -> None:
    """List valid admin tokens, oldest first.

    KOZYR_ADMIN_TOKEN is not listed.
    """
    from referee.instants import text_of

    for token in parts().administration.admins():
        until = "never expires" if token.expires is None else f"until {text_of(token.expires)}"
        click.echo(
            f"{token.id}  {token.name}  since {text_of(token.created)}, {until}  {token.note}".rstrip()
        )


@admin.command()
@click.argument("token", metavar="ID")
@reason
@plainly
def revoke(token: str, reason: str) -> None:
    """Revoke the token with this ID.

    It may be the token of an admin, an owner or a bot.
    """
    parts().administration.revoke(by(), token, reason)
    click.echo(f"token {token} is revoked")

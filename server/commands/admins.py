"""`kozyr admin`: named admin tokens, so that the audit log shows who did what."""

from __future__ import annotations

import json
import time

import click

from kozyr.cli.groups import SuggestingGroup
from kozyr.cli.options import as_json, show
from kozyr.terminal import echo
from league.accounts.tokens import INVITATION_S
from server.commands.shared import by, container, plainly, reason


@click.group(cls=SuggestingGroup)
def admin() -> None:
    """Issue, list and revoke admin tokens.

    Each token has a name, which the audit log shows.
    """


@admin.command()
@click.argument("name")
@click.option("--days", type=click.IntRange(min=1), help="Days until the token expires.  [default: never]")
@click.option("--note", default="", metavar="TEXT", help='A note to tell tokens apart, such as "her laptop".')
@reason
@as_json
@plainly
def issue(name: str, days: int | None, note: str, reason: str, as_json: bool) -> None:
    """Issue a token for the admin NAME.

    Prints the token on standard output, only this once, and its id on standard error. The id revokes it.
    """
    expires = None if days is None else int((time.time() + days * 86_400) * 1000)
    token, text = container().administration.issue_admin(by(), name, expires, note, reason)
    show({"id": token.id, "name": name, "token": text}, text, as_json=as_json)
    echo(f"token {token.id} of the admin {name}; its text is not shown again", err=True)


@admin.command(name="list")
@as_json
@plainly
def list_(as_json: bool) -> None:
    """List valid admin tokens, oldest first.

    KOZYR_ADMIN_TOKEN is not listed.
    """
    from records.instants import text_of

    admins = container().administration.admins()
    if as_json:
        listed = [
            {
                "id": token.id,
                "name": token.name,
                "note": token.note,
                "created": text_of(token.created),
                "expires": None if token.expires is None else text_of(token.expires),
            }
            for token in admins
        ]
        echo(json.dumps(listed, ensure_ascii=False))
        return
    for token in admins:
        until = "never expires" if token.expires is None else f"until {text_of(token.expires)}"
        echo(f"{token.id}  {token.name}  since {text_of(token.created)}, {until}  {token.note}".rstrip())


@admin.command()
@click.option("--count", type=click.IntRange(1, 500), default=1, show_default=True, help="How many.")
@click.option(
    "--days",
    type=click.IntRange(1, 365),
    default=INVITATION_S // 86_400,
    show_default=True,
    help="Days until they expire.",
)
@reason
@as_json
@plainly
def invite(count: int, days: int, reason: str, as_json: bool) -> None:
    """Create invitations, each for one new owner.

    Prints a code per line, only this once. An owner registers with `kozyr register URL NAME --invitation CODE`.
    """
    codes = container().administration.invite(by(), days * 86_400, reason, count=count)
    echo(*([json.dumps(codes)] if as_json else codes))


@admin.command(name="replace-token")
@click.argument("owner")
@reason
@as_json
@plainly
def replace_token(owner: str, reason: str, as_json: bool) -> None:
    """Replace the lost token of OWNER.

    Prints the token, only this once. The owner's other tokens are revoked; those of its bots stay valid. Requires
    --reason.
    """
    token, text = container().administration.replace_owner_token(by(), owner, reason)
    show({"id": token.id, "name": owner, "token": text}, text, as_json=as_json)
    echo(f"token {token.id} of the owner {owner}; its text is not shown again", err=True)


@admin.command()
@click.argument("owner")
@reason
@as_json
@plainly
def forget(owner: str, reason: str, as_json: bool) -> None:
    """Forget OWNER: a pseudonym replaces its name and those of its bots.

    Its tokens, webhooks and event logs are deleted, and its bots are disabled. Records and results stay under the
    pseudonym. This can't be undone. Requires --reason.
    """
    found = container().administration.forget(by(), owner, reason)
    show({"name": found.name}, f"{owner} is forgotten: the name is {found.name} now", as_json=as_json)


@admin.command()
@click.argument("token", metavar="ID")
@reason
@as_json
@plainly
def revoke(token: str, reason: str, as_json: bool) -> None:
    """Revoke the token with this ID.

    It may be the token of an admin, an owner or a bot.
    """
    container().administration.revoke(by(), token, reason)
    show({"id": token, "revoked": True}, f"token {token} is revoked", as_json=as_json)

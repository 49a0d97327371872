"""`kozyr admin`: named admin tokens, so that the audit log shows who did what."""

from __future__ import annotations

import time
from collections.abc import Sequence
from itertools import zip_longest
from pathlib import Path
from typing import Final

import click

from kozyr.cli.groups import SuggestingGroup
from kozyr.cli.output import show
from kozyr.terminal import echo
from league.accounts.invitations import COLUMNS, csv_of, row_of
from league.accounts.tokens import INVITATION_S
from server.commands.shared import by, container, intervention, prints_result

ADMIN_COLUMNS: Final = ("id", "name", "note", "created", "expires")


@click.group(cls=SuggestingGroup)
def admin() -> None:
    """Issue, list and revoke admin tokens.

    Each token has a name, which the audit log shows.
    """


@admin.command()
@click.argument("name")
@click.option("--days", type=click.IntRange(min=1), help="Days until the token expires.  [default: never]")
@click.option("--note", default="", metavar="TEXT", help='A note to tell tokens apart, such as "her laptop".')
@intervention
def issue(name: str, days: int | None, note: str, reason: str) -> None:
    """Issue a token for the admin NAME.

    Prints the token on standard output, only this once, and its id on standard error. The id revokes it.
    """
    expires = None if days is None else int((time.time() + days * 86_400) * 1000)
    token, text = container().administration.issue_admin(by(), name, expires, note, reason)
    show({"id": token.id, "name": name, "token": text}, text)
    echo(f"token {token.id} of the admin {name}; its text is not shown again", err=True)


@admin.command(name="list")
@prints_result
def list_() -> None:
    """List valid admin tokens, oldest first.

    KOZYR_ADMIN_TOKEN is not listed.
    """
    from kozyr.cli.author.columns import table
    from records.instants import text_of

    listed = [
        {
            "id": token.id,
            "name": token.name,
            "note": token.note,
            "created": text_of(token.created),
            "expires": None if token.expires is None else text_of(token.expires),
        }
        for token in container().administration.admins()
    ]
    show(listed, table(listed, ADMIN_COLUMNS, none="no admin tokens"))


@admin.command()
@click.option("--count", type=click.IntRange(1, 500), default=1, show_default=True, help="How many.")
@click.option("--name", "names", multiple=True, help="For whom one is, instead of --count. May be repeated.")
@click.option("--note", default="", help="A note for all of them, such as class 10b.")
@click.option(
    "--names-for",
    metavar="OWNER",
    help="Ask for a real name, which only the organisers of this owner's ladders see.",
)
@click.option(
    "--qr",
    "folder",
    type=click.Path(file_okay=False, path_type=Path),
    help="Also write a QR code for each into this folder, as SVG. Needs --url.",
)
@click.option("--url", help="Address of the site, for QR codes.")
@click.option(
    "--days",
    type=click.IntRange(1, 365),
    default=INVITATION_S // 86_400,
    show_default=True,
    help="Days until they expire.",
)
@intervention
def invite(
    count: int,
    names: tuple[str, ...],
    note: str,
    names_for: str | None,
    folder: Path | None,
    url: str | None,
    days: int,
    reason: str,
) -> None:
    """Create invitations, each for one new owner.

    Prints a code per line, only this once, with the name behind it. An owner registers with `kozyr register URL NAME
    --invitation CODE`, or on the site with the QR code.
    """
    if (folder is None) != (url is None):
        raise click.UsageError("--qr needs --url, and --url needs --qr")
    administration = container().administration
    codes = administration.invite(
        by(), days * 86_400, reason, count=count, names=names, note=note, names_for=names_for
    )
    if folder is not None and url is not None:
        _write_qr(folder, url, codes)
    lines = ["\t".join(filter(None, pair)) for pair in zip_longest(codes, names)]
    show(codes, lines)


def _write_qr(folder: Path, url: str, codes: Sequence[str]) -> None:
    """Write a QR code of the page on which each of these invitations is used."""
    import segno

    folder.mkdir(parents=True, exist_ok=True)
    for number, code in enumerate(codes, 1):
        address = f"{url.rstrip('/')}/sign-up?invitation={code}"
        segno.make(address, error="m").save(str(folder / f"{number:03d}.svg"), scale=6)


@admin.command()
@click.option("--csv", "as_csv", is_flag=True, help="Print CSV.")
@prints_result
def invitations(as_csv: bool) -> None:
    """List the invitations, newest first, with who used which."""
    from kozyr.cli.author.columns import table

    found, cursor = container().accounts.invitations()
    while cursor is not None:
        page, cursor = container().accounts.invitations(cursor)
        found += page
    rows = [dict(zip(COLUMNS, row_of(each), strict=True)) for each in found]
    show(rows, csv_of(found).splitlines() if as_csv else table(rows, COLUMNS, none="no invitations"))


@admin.command(name="replace-token")
@click.argument("owner")
@intervention
def replace_token(owner: str, reason: str) -> None:
    """Replace the lost token of OWNER.

    Prints the token, only this once. The owner's other tokens are revoked; those of its bots stay valid. Requires
    --reason.
    """
    token, text = container().administration.replace_owner_token(by(), owner, reason)
    show({"id": token.id, "name": owner, "token": text}, text)
    echo(f"token {token.id} of the owner {owner}; its text is not shown again", err=True)


@admin.command(name="ladder-state")
@click.argument("ladder")
@click.argument("state")
@intervention
def ladder_state(ladder: str, state: str, reason: str) -> None:
    """Change the state of any LADDER to STATE, such as paused or closing."""
    found = container().organisers.change(by(), ladder, state=state, reason=reason)
    show({"id": found.id, "state": found.state}, f"{found.id} is {found.state}")


@admin.command()
@click.argument("ladder")
@click.argument("bot", metavar="OWNER/BOT")
@intervention
def withdraw(ladder: str, bot: str, reason: str) -> None:
    """Withdraw any bot from any LADDER."""
    owner, _, name = bot.partition("/")
    entry = container().organisers.withdraw(by(), ladder, container().accounts.bot(owner, name), reason)
    show({"bot": entry.name, "withdrawn": True}, f"{entry.name} was withdrawn")


@admin.command()
@click.argument("owner")
@intervention
def forget(owner: str, reason: str) -> None:
    """Forget OWNER: a pseudonym replaces its name and those of its bots.

    Its tokens, webhooks and event logs are deleted, and its bots are disabled. Records and results stay under the
    pseudonym. This can't be undone. Requires --reason.
    """
    found = container().administration.forget(by(), owner, reason)
    show({"name": found.name}, f"{owner} is forgotten: the name is {found.name} now")


@admin.command()
@click.argument("token", metavar="ID")
@intervention
def revoke(token: str, reason: str) -> None:
    """Revoke the token with this ID.

    It may be the token of an admin, an owner or a bot.
    """
    container().administration.revoke(by(), token, reason)
    show({"id": token, "revoked": True}, f"token {token} is revoked")

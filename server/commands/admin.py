"""`kozyr void`, `rerun`, `disable`, `enable` and `audit`: interventions of operators and their log."""

from __future__ import annotations

import json

import click

from kozyr.cli.output import show
from kozyr.terminal import echo
from referee.storage.paging import PAGE_LIMIT
from server.commands.shared import by, container, intervention, plainly


@click.command()
@click.argument("match")
@intervention
def void(match: str, reason: str) -> None:
    """Declare that MATCH does not count.

    A running match ends at once. The record of a finished match is annotated, and results and ratings are corrected.
    """
    loaded = container().administration.void(by(), match, reason)
    show({"match": loaded.id, "void": True}, f"match {loaded.id} is void")


@click.command()
@click.argument("match")
@intervention
def rerun(match: str, reason: str) -> None:
    """Play the void MATCH of a ladder again.

    Prints the id of the new match, which replaces the old one in its round. A duplicate group is played again as a
    whole, with a new deck; then it prints the id of the new group.
    """
    again = container().administration.rerun(by(), match, reason)
    what = "group" if again.is_group else "match"
    show({what: again.id, "replaces": match}, again.id)


@click.command()
@click.argument("name", metavar="OWNER[/BOT]")
@intervention
def disable(name: str, reason: str) -> None:
    """Disable a bot, or an owner with all of its bots.

    Disabled bots are not seated in new matches. Requires --reason.
    """
    _able(name, True, reason)


@click.command()
@click.argument("name", metavar="OWNER[/BOT]")
@intervention
def enable(name: str, reason: str) -> None:
    """Enable a disabled bot or owner."""
    _able(name, False, reason)


@click.command()
@click.option("--action", help="Show only this action, such as void.")
@click.option("--target", help='Show only this target, such as "match ID" or "bot OWNER/BOT".')
@click.option("--ladder", metavar="ID", help="Show only what concerns this ladder.")
@click.option(
    "--limit",
    type=click.IntRange(min=1),
    default=PAGE_LIMIT,
    show_default=True,
    help="Show at most this many entries.",
)
@plainly
def audit(action: str | None, target: str | None, ladder: str | None, limit: int) -> None:
    """Print the audit log as NDJSON, newest first."""
    from league.operators.audit import AuditFilter
    from records.instants import text_of

    lines, _ = container().administration.audit.page(AuditFilter(action, target, ladder=ladder), None, limit)
    for line in lines:
        document = {**line._asdict(), "at": text_of(line.at), "by": line.by._asdict()}
        echo(json.dumps(document, ensure_ascii=False))


def _able(name: str, disabled: bool, reason: str) -> None:
    administration = container().administration
    owner, slash, bot = name.partition("/")
    if slash:
        administration.set_bot_disabled(by(), owner, bot, disabled=disabled, reason=reason)
    else:
        administration.set_owner_disabled(by(), owner, disabled=disabled, reason=reason)
    line = f"{name} is {'disabled' if disabled else 'enabled'}"
    show({"name": name, "disabled": disabled}, line)

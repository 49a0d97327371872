"""`kozyr void`, `rerun`, `disable`, `enable` and `audit`: interventions, and the log of them."""

from __future__ import annotations

import json

import click

from kozyr.cli.commands.operator import by, parts, plainly, reason


@click.command()
@click.argument("match")
@reason
@plainly
def void(match: str, reason: str) -> None:
    """A MATCH does not count: a running one ends, of a finished one it is said beside its record."""
    live = parts().administration.void(by(), match, reason)
    click.echo(f"match {live.id} is void")


@click.command()
@click.argument("match")
@reason
@plainly
def rerun(match: str, reason: str) -> None:
    """Play a void MATCH of a ladder again, in its place."""
    click.echo(parts().administration.rerun(by(), match, reason).id)


@click.command()
@click.argument("name", metavar="OWNER[/BOT]")
@reason
@plainly
def disable(name: str, reason: str) -> None:
    """Disable a bot, or an owner with all of its bots; a reason is needed."""
    _able(name, True, reason)


@click.command()
@click.argument("name", metavar="OWNER[/BOT]")
@reason
@plainly
def enable(name: str, reason: str) -> None:
    """Take back that a bot or an owner was disabled."""
    _able(name, False, reason)


@click.command()
@click.option("--action", help="Only this action, as in `void`.")
@click.option("--target", help="Only this target, as in `match ID` or `bot owner/bot`.")
@click.option(
    "--limit", type=click.IntRange(min=1), default=50, show_default=True, help="So many lines at most."
)
@plainly
def audit(action: str | None, target: str | None, limit: int) -> None:
    """What admins did, the youngest first, as NDJSON."""
    from league.operators.audit import AuditFilter
    from referee.instants import text_of

    lines, _ = parts().administration.audit.page(AuditFilter(action, target), None, limit)
    for line in lines:
        said = {**line._asdict(), "at": text_of(line.at), "by": line.by._asdict()}
        click.echo(json.dumps(said, ensure_ascii=False))


def _able(name: str, disabled: bool, reason: str) -> None:
    administration = parts().administration
    owner, slash, bot = name.partition("/")
    if slash:
        administration.bar_bot(by(), owner, bot, disabled, reason)
    else:
        administration.disable_owner(by(), owner, disabled, reason)
    click.echo(f"{name} is {'disabled' if disabled else 'enabled'}")

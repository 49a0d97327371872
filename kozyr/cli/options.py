"""Options that several commands share."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

import click


def _named(_: click.Context, __: click.Parameter, given: Sequence[str]) -> dict[str, Any]:
    """Parse `NAME=VALUE` options. A value that is valid JSON (`3`, `0.5`, `true`) is decoded; any other is a string."""
    values = {}
    for each in given:
        name, equals, value = each.partition("=")
        if not name or not equals:
            raise click.BadParameter(f"{each!r} is not of the form NAME=VALUE")
        try:
            values[name] = json.loads(value)
        except ValueError:
            values[name] = value
    return values


def named(*names: str, help: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:  # noqa: A002 -- as click has it
    """Return a repeatable option of the form `NAME=VALUE`."""
    return click.option(*names, metavar="NAME=VALUE", multiple=True, callback=_named, help=help)


def is_address(text: str) -> bool:
    """Return whether a text may be the address of a service."""
    return text.startswith(("http://", "https://"))


def not_an_address(text: str) -> str:
    """Return what a command says of a text that is no address."""
    return f"{text!r} is not an address: begin it with http:// or https://"


def _http(_: click.Context, __: click.Parameter, given: str) -> str:
    if not is_address(given):
        raise click.BadParameter(not_an_address(given))
    return given


service_url = click.argument("url", callback=_http)
"""The argument URL of commands that begin with the address of a service."""
as_json = click.option("--json", "as_json", is_flag=True, help="Print a JSON document in one line.")
"""The option `--json` of every command that prints a result."""


def show(document: Any, line: str, *, as_json: bool) -> None:
    """Print a document as JSON, or the line that says the same for people."""
    click.echo(json.dumps(document, ensure_ascii=False) if as_json else line)

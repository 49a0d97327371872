"""Options that several commands share."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import click
from click.core import ParameterSource

from engine.registry import GAMES
from kozyr.cli.output import Option, together
from kozyr.terminal import echo
from records.match.assist import ASSISTS
from records.results.sprt import ERROR_RATE, Hypotheses, hypotheses

_TEXTS: Final = {
    name
    for game in GAMES.values()
    for name, schema in game.option_schemas.items()
    if schema["type"] == "string"
}
"""The options of games whose values are texts, also those that look like a number (`lowest_rank=9`)."""


def _named(_: click.Context, __: click.Parameter, given: Sequence[str]) -> dict[str, Any]:
    """Parse `NAME=VALUE` options. A value that is valid JSON (`3`, `0.5`, `true`) is decoded; any other is a string."""
    values = {}
    for each in given:
        name, equals, value = each.partition("=")
        if not name or not equals:
            raise click.BadParameter(f"{each!r} is not of the form NAME=VALUE")
        try:
            values[name] = value if name in _TEXTS else json.loads(value)
        except ValueError:
            values[name] = value
    return values


def named(*names: str, help: str) -> Option:  # noqa: A002 -- as click has it
    """Return a repeatable option of the form `NAME=VALUE`."""
    return click.option(*names, metavar="NAME=VALUE", multiple=True, callback=_named, help=help)


assist_option = click.option(
    "--assist",
    type=click.Choice(ASSISTS),
    help="What turns show of the legal moves: all, products of cards, or none.  [default: list]",
)
"""The option `--assist` of every command that creates matches."""

records_option = click.option(
    "--from",
    "source",
    required=True,
    type=click.File("rb"),
    metavar="FILE",
    help="Records as `GET /v1/records` gives them, one a line, in any order; - for standard input.",
)
"""The option `--from` of commands that compute something from records."""

SEED: Final = click.IntRange(0, 2**63 - 1)
"""Larger numbers have no place in files."""

local_table = together(
    click.option("--game", required=True, help="Game id, such as durak."),
    named("--option", "options", help="Option of the game. May be repeated."),
    click.option("--seats", type=int, help="Number of seats at a table.  [default: the fewest of the game]"),
    click.option(
        "--seed",
        type=SEED,
        default=0,
        show_default=True,
        help="Seed of the decks and the bots' random numbers.",
    ),
    click.option(
        "--logs",
        type=click.Path(path_type=Path, file_okay=False),
        help="Folder for the standard error of your programs.  [default: a new temporary folder]",
    ),
)
"""The options of a command that deals on this machine."""


def seats_of(game: str, seats: int | None) -> int:
    """Return the number of seats that was given, by default the fewest of the game; 0 for an unknown game."""
    return seats or (GAMES[game].seat_counts[0] if game in GAMES else 0)


sprt_options = together(
    click.option(
        "--sprt",
        metavar="LOW,HIGH",
        help="Stop when a sequential test accepts one of two leads of the first bot, in points per deal.",
    ),
    click.option(
        "--alpha",
        default=ERROR_RATE,
        show_default=True,
        help="Probability of accepting HIGH when LOW is true. For --sprt.",
    ),
    click.option(
        "--beta",
        default=ERROR_RATE,
        show_default=True,
        help="Probability of accepting LOW when HIGH is true. For --sprt.",
    ),
)
"""The options of a sequential test."""


def hypotheses_of(sprt: str | None, alpha: float, beta: float) -> Hypotheses | None:
    """Return the hypotheses of `--sprt`, if it was given. Raise `ValueError` with a text for the user."""
    if sprt is None:
        return None
    try:
        low, high = map(float, sprt.split(","))
    except ValueError:
        raise ValueError(f"--sprt {sprt}: expected two numbers, as in --sprt 0,0.1") from None
    return hypotheses(low, high, alpha, beta)


def address_fault(text: str) -> str | None:
    """Return what is wrong with the address of a service, in a sentence that shows no password, or `None`."""
    if "@" in text:
        return "the address has a user name or a password: leave them out, and give a token with KOZYR_TOKEN"
    if not text.startswith(("http://", "https://")):
        return f"{text!r} is not an address: begin it with http:// or https://"
    return None


def _http(_: click.Context, __: click.Parameter, given: str) -> str:
    if fault := address_fault(given):
        raise click.BadParameter(fault)
    return given


service_url = click.argument("url", callback=_http)
"""The argument URL of commands that begin with the address of a service."""


def token_text(given: str) -> str:
    """Return a token without the blanks around it. Raise `click.BadParameter` for what no token can be."""
    token = given.strip()
    if not (token.isascii() and token.isprintable() and " " not in token):
        raise click.BadParameter("the token has characters that no token has: copy it again")
    return token


def _token(ctx: click.Context, param: click.Parameter, given: str | None) -> str | None:
    """Check a token, and warn of one in the command line."""
    assert param.name is not None
    if ctx.get_parameter_source(param.name) is ParameterSource.COMMANDLINE:
        echo("kozyr: other users of this machine can see --token: better set KOZYR_TOKEN", err=True)
    return given and token_text(given)


def token_option(meaning: str) -> Option:
    """Return the option `--token`."""
    return click.option("--token", envvar="KOZYR_TOKEN", callback=_token, help=meaning)

"""`kozyr mcp`: the tools of language models over standard input and output."""

from __future__ import annotations

import click

from kozyr.cli.author.service import bot_at, with_options
from kozyr.cli.errors import AWAY, fail, one_sentence


@click.command()
@click.argument("at", required=False, metavar="[URL]")
@click.option("--lang", type=click.Choice(["en", "ru"]), default="en", help="Language of turns and rules.")
@with_options(with_bot=True)
def mcp(
    at: str | None,
    lang: str,
    url: str | None,
    token: str | None,
    profile: str | None,
    bot_name: str | None,
) -> None:
    """Serve matches at URL as tools to a language model.

    An MCP client starts this command and talks to it over standard input and output (docs/agents.md). It needs
    `pip install "kozyr[mcp]"`.

    \b
    Example:
      kozyr mcp https://kozyr.example.org --bot fool
    """
    try:
        from kozyr.mcp.stdio import serve
    except ImportError:
        fail('the MCP SDK is not installed: pip install "kozyr[mcp]"', AWAY)
    from kozyr.mcp.tools import PATIENCE_S, Tools
    from kozyr_client import Client

    with one_sentence() as where:
        found, _ = bot_at(where, url=at or url, token=token, profile=profile, bot=bot_name)
        with Client(found.url, found.token, patience_s=PATIENCE_S) as service:
            serve(Tools(service, lang))

"""`kozyr mcp`: the tools of language models over standard input and output."""

from __future__ import annotations

import click

from kozyr.cli.author.service import Address, plays_at_service
from kozyr.cli.errors import AWAY, fail


@click.command()
@click.option("--lang", type=click.Choice(["en", "ru"]), default="en", help="Language of turns and rules.")
@plays_at_service
def mcp(at: Address, _: str, lang: str) -> None:
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

    with Client(at.url, at.token, patience_s=PATIENCE_S) as service:
        serve(Tools(service, lang))

"""`kozyr mcp`: the tools of language models over standard input and output."""

from __future__ import annotations

import click

from kozyr.cli.author.service import address, check_version, with_options
from kozyr.cli.errors import AWAY, PATIENCE_S, fail, one_sentence


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
    as_json: bool,
) -> None:
    """Serve matches at URL as tools to a language model.

    An MCP client starts this command and talks to it over standard input and output (docs/agents.md). It needs
    `pip install "kozyr[mcp]"`.

    \b
    Example:
      kozyr mcp https://kozyr.example.org --bot fool
    """
    from kozyr.cli.author.profiles import Profiles
    from kozyr_client import Client

    try:
        from kozyr.mcp.stdio import serve
    except ImportError:
        fail('the MCP SDK is not installed: pip install "kozyr[mcp]"', AWAY)
    from kozyr.mcp.service import ToolService
    from kozyr.mcp.tools import Tools

    with one_sentence() as where:
        found = address(Profiles(), url=at or url, token=token, name=profile, bot=bot_name, role="bot")
        where.append(found.url)
        with Client(found.url, found.token, patience_s=PATIENCE_S, fail_fast=True) as client:
            check_version(client, found.url)
            about = client.request("GET", "/v1/token")
        if about["kind"] != "bot":
            fail(f"the token is that of an {about['kind']}: create a bot with `kozyr bot create NAME`", AWAY)
        with ToolService(found.url, found.token or "", lang) as service:
            serve(Tools(service, lang))

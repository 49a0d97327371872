"""docs/agents.md has the tools, the paces and the mendings as they are."""

from __future__ import annotations

import json
import re
from pathlib import Path

from kozyr.cli.author.mcp import mcp
from kozyr.mcp.definitions import DEFAULT_PACE, TOOLS
from records.match.clock import PACES
from records.words.reading import MENDINGS
from referee.timings import DEFAULT_TIMINGS
from server.mcp import HANDSHAKE, MODERN
from tests.support.tokens import estimated_tokens

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "agents.md").read_text(encoding="utf-8")


def rows(head: str) -> list[list[str]]:
    """Return the cells of the table that begins with this cell."""
    table = PAGE.split(f"| {head} |", 1)[1].split("\n\n", 1)[0]
    return [line.strip("| ").split(" | ") for line in table.splitlines()[2:]]


def test_the_mendings_are_those_of_the_code() -> None:
    assert {name.strip("`"): what for name, what in rows("mending")} == MENDINGS


def test_the_configuration_names_the_bot_that_the_page_creates() -> None:
    first = next(block for block in PAGE.split("```json\n")[1:] if "mcpServers" in block).split("```")[0]
    command, *arguments = json.loads(first)["mcpServers"]["kozyr"]["args"]
    made = re.search(r"^kozyr bot create (\w+)$", PAGE, re.MULTILINE)
    assert made is not None
    assert command == "mcp"
    assert mcp.make_context("mcp", arguments).params["bot_name"] == made[1]


def test_the_tools_are_those_of_the_code() -> None:
    assert [name.strip("`") for name, _ in rows("tool")] == [tool["name"] for tool in TOOLS]


def test_the_paces_are_those_of_the_code() -> None:
    told = {
        re.findall(r"`(\w+)`", name)[0]: [
            86_400_000 if text == "1 day" else 1000 * int(text.removesuffix(" s"))
            for text in (move, bank, start)
        ]
        for name, move, bank, start in rows("pace")
    }
    assert told == {
        name: [pace.clock.move_ms, pace.clock.bank_ms, pace.start_ms or DEFAULT_TIMINGS.start_ms]
        for name, pace in PACES.items()
    }
    assert f"`{DEFAULT_PACE}` (default)" in PAGE


def test_the_tokens_of_the_openapi_documents_are_those_of_the_files() -> None:
    told = [int(number.replace(",", "")) for number in re.findall(r"has ([\d,]+)(?: tokens)?[.;]", PAGE)]
    files = [estimated_tokens((ROOT / name).read_text()) for name in ("openapi-bot.yaml", "openapi.yaml")]
    assert told == [round(tokens, -4) for tokens in files]


def test_the_protocol_versions_are_those_of_the_code() -> None:
    assert all(f"`{each}`" in PAGE for each in (*MODERN, *HANDSHAKE))

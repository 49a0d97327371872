"""A scripted model behind a real MCP client: `python mcp_agent.py CONFIG SPELLING MATCHES`.

It plays the first listed move of each turn, and ends after MATCHES matches. SPELLING says how it writes moves.
"""

from __future__ import annotations

import asyncio
import json
import re
import sys
from pathlib import Path

from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client


async def main(config: str, spelling: str, matches: int) -> None:
    """Play through the server that the configuration names."""
    server = json.loads(Path(config).read_text("utf-8"))["mcpServers"]["kozyr"]
    async with Client(stdio_client(StdioServerParameters(**server)), mode="auto") as client:
        rules = await client.call_tool("rules", {"game": "durak"})
        assert not rules.is_error
        text = (await client.call_tool("wait", {})).content[0].text
        while matches:
            if "Answer with one move:" not in text:
                matches -= "is over (" in text
                if matches:
                    text = (await client.call_tool("wait", {})).content[0].text
                continue
            head = re.search(r"match (\w+), turn (\d+)", text)
            listed = re.search(r"Answer with one move:\n([^|\n]+)", text)
            assert head
            assert listed
            move = spelling.format(listed[1].strip())
            found = await client.call_tool("play", {"match": head[1], "turn": int(head[2]), "move": move})
            if found.is_error:
                assert "Your move was not made" in found.content[0].text
                spelling = "{}"
                continue
            text = found.content[0].text


asyncio.run(main(sys.argv[1], sys.argv[2], int(sys.argv[3])))

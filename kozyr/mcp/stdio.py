"""The tools over standard input and output, with the official SDK."""

from __future__ import annotations

from importlib.metadata import version
from typing import Any

import anyio
from anyio import to_thread
from mcp import types
from mcp.server import Server, ServerRequestContext
from mcp.server.stdio import stdio_server

from kozyr.mcp.definitions import INSTRUCTIONS, TOOLS
from kozyr.mcp.tools import Steps, ToolResult, Tools


def serve(tools: Tools) -> None:
    """Serve the tools until standard input ends."""
    anyio.run(_serve, tools)


async def _serve(tools: Tools) -> None:
    async with anyio.create_task_group() as group:

        async def call_tool(
            ctx: ServerRequestContext[Any], params: types.CallToolRequestParams
        ) -> types.CallToolResult:
            steps, number = tools.call(params.name, params.arguments or {}), 0
            while True:
                found = await to_thread.run_sync(_next, steps, abandon_on_cancel=True)
                if isinstance(found, ToolResult):
                    break
                number += 1
                await ctx.session.report_progress(number, message=found)
            if found.waits:
                group.start_soon(_stay, tools)
            content = types.TextContent(type="text", text=found.text)
            return types.CallToolResult(content=[content], is_error=found.is_error)

        server = server_of(call_tool)
        async with stdio_server() as (source, to):
            await server.run(source, to, server.create_initialization_options())
        group.cancel_scope.cancel()


def server_of(call_tool: Any) -> Server[Any]:
    """Return a server of the SDK with the tools."""

    async def list_tools(
        ctx: ServerRequestContext[Any], params: types.PaginatedRequestParams | None
    ) -> types.ListToolsResult:
        tools = [types.Tool.model_validate(tool) for tool in TOOLS]
        return types.ListToolsResult(tools=tools, ttl_ms=3_600_000, cache_scope="public")

    return Server(
        "kozyr",
        version=version("kozyr"),
        instructions=INSTRUCTIONS,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
    )


async def _stay(tools: Tools) -> None:
    await to_thread.run_sync(tools.stay, abandon_on_cancel=True)


def _next(steps: Steps) -> str | ToolResult:
    """Return the next progress of a call, or its result."""
    try:
        return next(steps)
    except StopIteration as end:
        result: ToolResult = end.value
        return result

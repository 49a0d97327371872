"""The tools over HTTP and over standard input and output, used by the client of the official SDK."""

from __future__ import annotations

import asyncio
import os
import sys
import threading
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any, NamedTuple

import httpx
import pytest
from werkzeug.serving import make_server

from kozyr.mcp import tools as tools_module
from kozyr.mcp.definitions import TOOLS
from server import mcp as endpoint
from tests.api.conftest import ApiWorld, Person
from tests.api.test_mcp import Agent

if TYPE_CHECKING:
    from mcp import Client  # each process that collects tests would import the SDK for a second

MODES = ["auto", "legacy", "2026-07-28"]


class Served(NamedTuple):
    """A service on a port, and a bot."""

    world: ApiWorld
    url: str
    bot: Person


@pytest.fixture
def served(composed_long: ApiWorld) -> Iterator[Served]:
    world = composed_long
    endpoint.install(world.app)
    server = make_server("127.0.0.1", 0, world.app, threaded=True)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield Served(world, f"http://127.0.0.1:{server.port}", world.bot(world.owner()))
    world.services.hub.close()
    server.shutdown()
    thread.join()


@asynccontextmanager
async def over_http(served: Served, bot: Person, mode: str) -> AsyncIterator[Client]:
    import httpx2
    from mcp import Client
    from mcp.client.streamable_http import streamable_http_client

    headers = {"Authorization": f"Bearer {bot.token}"}
    async with httpx2.AsyncClient(headers=headers, timeout=60) as http:
        transport = streamable_http_client(f"{served.url}/mcp", http_client=http)
        async with Client(transport, mode=mode) as client:
            yield client


@asynccontextmanager
async def over_stdio(served: Served, bot: Person, mode: str) -> AsyncIterator[Client]:
    from mcp import Client, StdioServerParameters
    from mcp.client.stdio import stdio_client

    command = StdioServerParameters(
        command=sys.executable,
        args=["-m", "kozyr", "mcp", served.url],
        env={**os.environ, "KOZYR_TOKEN": bot.token},
    )
    async with Client(stdio_client(command), mode=mode) as client:
        yield client


TRANSPORTS = {"http": over_http, "stdio": over_stdio}


def text_of(result: Any) -> str:
    (content,) = result.content
    return str(content.text)


def run(work: Callable[[], Awaitable[None]]) -> None:
    asyncio.run(work())  # type: ignore[arg-type]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("transport", "mode"),
    [
        *[("http", mode) for mode in MODES],
        ("stdio", "auto"),
        *[pytest.param("stdio", mode, marks=pytest.mark.ci) for mode in MODES if mode != "auto"],
    ],
)
def test_the_official_client_plays_a_match(served: Served, transport: str, mode: str) -> None:
    async def play() -> None:
        async with TRANSPORTS[transport](served, served.bot, mode) as client:
            listed = (await client.list_tools()).tools
            assert [tool.name for tool in listed] == [tool["name"] for tool in TOOLS]
            text = text_of(await client.call_tool("start_match", {"game": "durak"}))
            while "Answer with one move:" in text:
                agent = Agent(text)
                move = {"match": agent.match, "turn": agent.turn, "move": agent.moves[0]}
                result = await client.call_tool("play", move)
                assert not result.is_error
                text = text_of(result)
            assert "is over (played to the end)" in text
            refused = await client.call_tool("play", {"match": "none", "turn": 1, "move": "take"})
            assert refused.is_error

    run(play)


@pytest.mark.parametrize(("transport", "mode"), [*[("http", mode) for mode in MODES], ("stdio", "auto")])
def test_a_call_that_waits_reports_progress_and_ends_with_the_others_move(
    served: Served, transport: str, mode: str
) -> None:
    world = served.world
    other = world.bot(world.owner())

    async def play() -> None:
        heard = asyncio.Event()

        async def progress(number: float, total: float | None, message: str | None) -> None:
            heard.set()

        async with TRANSPORTS[transport](served, served.bot, mode) as client:
            search = asyncio.create_task(
                client.call_tool("find_opponent", {"game": "durak"}, progress_callback=progress)
            )
            await asyncio.wait_for(heard.wait(), 30)
            clock = {"move_ms": 120_000, "bank_ms": 600_000}
            await asyncio.to_thread(other, "POST", "/v1/queue", {"game": "durak", "clock": clock})
            moved = asyncio.create_task(asyncio.to_thread(play_first_turn, other))
            text = text_of(await asyncio.wait_for(search, 60))
            await asyncio.wait_for(moved, 60)
            assert "Answer with one move:" in text

    run(play)


def play_first_turn(bot: Person) -> None:
    """Show up, and answer a turn if the bot has the first one."""
    for _ in range(3):
        for turn in bot("POST", "/v1/turns", {"moves": [], "wait": 0.5}).json["turns"]:
            bot.move(turn)
            return


def post(served: Served, body: Any, **headers: str) -> httpx.Response:
    headers = {"Authorization": f"Bearer {served.bot.token}", **headers}
    return httpx.post(f"{served.url}/mcp", json=body, headers=headers)


def test_a_request_is_a_post_with_a_bots_token(served: Served) -> None:
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
    assert post(served, body, Authorization="").status_code == 401
    assert post(served, body, Authorization="Bearer kozyr_wrong").status_code == 401
    owner = served.world.owner()
    assert post(served, body, Authorization=f"Bearer {owner.token}").status_code == 403
    assert post(served, body).json()["result"]["tools"]
    assert post(served, {"jsonrpc": "2.0", "method": "notifications/initialized"}).status_code == 202
    for method in ("GET", "DELETE"):
        response = httpx.request(method, f"{served.url}/mcp")
        assert (response.status_code, "POST" in response.headers["Allow"]) == (405, True)


@pytest.mark.parametrize(
    ("body", "headers", "status", "code"),
    [
        ([], {}, 400, -32600),
        ({"id": 1}, {}, 400, -32600),
        ({"id": None, "method": "tools/list"}, {}, 400, -32600),
        ({"id": {}, "method": "tools/list"}, {}, 400, -32600),
        ({"id": True, "method": "tools/list"}, {}, 400, -32600),
        ({"id": 1, "method": "tools/call"}, {}, 400, -32602),
        ({"id": 1, "method": "tools/call", "params": []}, {}, 400, -32602),
        ({"id": 1, "method": "tools/call", "params": {"name": "rules", "arguments": []}}, {}, 400, -32602),
        ({"id": 1, "method": "tools/call", "params": {"name": 7, "_meta": []}}, {}, 400, -32602),
        ({"id": 1, "method": "prompts/list"}, {}, 404, -32601),
        ({"id": 1, "method": "tools/list"}, {"MCP-Protocol-Version": "2020-01-01"}, 400, -32022),
        ({"id": 1, "method": "tools/list"}, {"MCP-Protocol-Version": "2026-07-28"}, 400, -32020),
    ],
)
def test_malformed_messages_get_errors_of_json_rpc(
    served: Served, body: Any, headers: dict[str, str], status: int, code: int
) -> None:
    response = post(served, body, **headers)
    assert (response.status_code, response.json()["error"]["code"]) == (status, code)


@pytest.mark.parametrize("asked", ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "1999-01-01"])
def test_older_versions_are_agreed_on(served: Served, asked: str) -> None:
    body = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": asked}}
    agreed = post(served, body).json()["result"]["protocolVersion"]
    assert agreed == (asked if asked != "1999-01-01" else "2025-11-25")


def test_a_bot_stays_present_while_its_model_thinks(served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tools_module, "WAIT_S", 0.0)
    stays: list[str] = []
    stayed = threading.Event()

    def stay(tools: Any) -> None:
        stays.append("once")
        stayed.set()

    monkeypatch.setattr(tools_module.Tools, "stay", stay)
    arguments = {"name": "find_opponent", "arguments": {"game": "durak"}}
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": arguments}
    assert "you stay in the queue" in post(served, body).text
    assert stayed.wait(30)
    assert stays == ["once"]

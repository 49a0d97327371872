"""A faulty model at the tools of a live service: it misspells, repeats, is late, hangs up, and the service restarts.

It loses no move and gets no strike, except those that it earns by its silence.
"""

from __future__ import annotations

import asyncio
import contextlib
import secrets
from collections.abc import Callable
from typing import Any

import pytest
from mcp import Client, MCPError

from tests.api.test_mcp import Agent
from tests.api.test_mcp_clients import TRANSPORTS, Served, text_of
from tests.live.league import LiveBot, LiveLeague, LivePlayer
from tests.support.live import LiveService
from tests.support.waiting import PATIENCE_S

pytestmark = [pytest.mark.ci, pytest.mark.live]
OVER = pytest.mark.parametrize("transport", TRANSPORTS)

ASK = "Answer with one move:"
AWAY = "The service does not answer. Call the same tool again."


@pytest.fixture
def league(service: LiveService) -> LiveLeague:
    return LiveLeague(service, f"faulty-{secrets.token_hex(4)}")


def connected(league: LiveLeague, bot: LiveBot, transport: str) -> Any:
    """Return a client of the tools, as a context."""
    served = Served(None, league.service.url, bot)  # type: ignore[arg-type]
    return TRANSPORTS[transport](served, bot, "auto")


async def call(client: Client, name: str, **arguments: Any) -> tuple[str, bool]:
    """Return the text of a result, and whether it is an error."""
    result = await client.call_tool(name, arguments)
    return text_of(result), bool(result.is_error)


def strikes(league: LiveLeague, match: str) -> list[int]:
    return [clock["strikes"] for clock in league.get(f"/v1/matches/{match}")["clocks"]]


def run(work: Callable[[], Any]) -> None:
    asyncio.run(asyncio.wait_for(work(), PATIENCE_S))


@OVER
def test_a_restart_in_mid_wait_loses_neither_the_place_in_the_queue_nor_a_turn(
    live_service: Callable[..., LiveService], transport: str
) -> None:
    service = live_service(settings={"KOZYR_TICK_MS": "20", "KOZYR_START_MS": "600000"})
    league = LiveLeague(service)
    bot = league.bot("patient")

    async def wait_through(client: Client) -> None:
        waits = asyncio.Event()

        async def heard(number: float, total: float | None, message: str | None) -> None:
            waits.set()

        search = asyncio.create_task(
            client.call_tool("find_opponent", {"game": "durak"}, progress_callback=heard)
        )
        await waits.wait()
        await asyncio.to_thread(service.restart, "api")
        try:
            text = text_of(await search)
        except MCPError:
            assert transport == "http", "kozyr mcp repeats its requests"
        else:
            assert transport == "stdio"
            assert "you stay in the queue" in text or text == AWAY

    async def play() -> None:
        with contextlib.suppress(*([] if transport == "stdio" else [Exception])):
            async with connected(league, bot, transport) as client:
                await wait_through(client)
        async with connected(league, bot, transport) as client:
            await meet(league, client)

    run(play)


async def meet(league: LiveLeague, client: Client) -> None:
    """Let another bot join the queue, and play the match that begins to its end, without a strike."""
    other = league.bot(f"other-{secrets.token_hex(3)}")
    entry = league.post("/v1/queue", {"game": "durak", "clock": {"pace": "reasoning"}}, other.token)
    assert entry["match"], "the first bot has left the queue"
    player = LivePlayer(league.service, other)
    player.start([entry["match"]])
    text = ""
    while "is over (" not in text:
        if ASK in text:
            agent = Agent(text)
            given = {"match": agent.match, "turn": agent.turn, "move": agent.moves[0]}
            text, is_error = await call(client, "play", **given)
        else:
            text, is_error = await call(client, "wait", match=entry["match"])
        assert not is_error or text == AWAY, text
    player.join(PATIENCE_S)
    assert strikes(league, entry["match"]) == [0, 0]

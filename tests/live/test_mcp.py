"""The tools of language models at a real service, over HTTP and through `kozyr mcp`."""

from __future__ import annotations

import asyncio
import secrets

import pytest

from tests.api.test_mcp import Agent
from tests.api.test_mcp_clients import TRANSPORTS, Served, text_of
from tests.live.league import LiveBot, LiveLeague
from tests.support.live import LiveService

pytestmark = pytest.mark.live


@pytest.fixture(scope="module")
def league(service: LiveService) -> LiveLeague:
    return LiveLeague(service, f"models-{secrets.token_hex(4)}")


@pytest.mark.parametrize("transport", ["http", pytest.param("stdio", marks=pytest.mark.ci)])
def test_two_models_find_each_other_and_play_to_the_end(league: LiveLeague, transport: str) -> None:
    bots = [league.bot(f"model-{secrets.token_hex(4)}") for _ in range(2)]

    async def play(bot: LiveBot) -> tuple[str, int]:
        progress: list[float] = []

        async def heard(number: float, total: float | None, message: str | None) -> None:
            progress.append(number)

        served = Served(None, league.service.url, bot)  # type: ignore[arg-type]
        async with TRANSPORTS[transport](served, bot, "auto") as client:
            result = await client.call_tool("find_opponent", {"game": "durak"}, progress_callback=heard)
            while "is over (" not in (text := text_of(result)):
                assert not result.is_error, text
                if "Answer with one move:" not in text:
                    result = await client.call_tool("wait", progress_callback=heard)
                    continue
                agent = Agent(text)
                move = {"match": agent.match, "turn": agent.turn, "move": agent.moves[0].lower()}
                result = await client.call_tool("play", move, progress_callback=heard)
        return text, len(progress)

    async def both() -> list[tuple[str, int]]:
        return await asyncio.wait_for(asyncio.gather(*map(play, bots)), 300)

    ends = asyncio.run(both())
    assert all("(played to the end)" in text for text, _ in ends)
    assert sum(heard for _, heard in ends) > 0

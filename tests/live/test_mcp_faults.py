"""A faulty model at the tools of a live service: it misspells, repeats, is late, hangs up, and the service restarts.

It loses no move and gets no strike, except those that it earns by its silence.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import re
import secrets
from collections.abc import Callable
from typing import Any

import pytest
from mcp import Client, MCPError

from tests.api.test_mcp import Agent
from tests.api.test_mcp_clients import TRANSPORTS, Served, text_of
from tests.live.league import LiveBot, LiveLeague, LivePlayer
from tests.support.live import LiveService
from tests.support.waiting import PATIENCE_S, eventually

pytestmark = [pytest.mark.ci, pytest.mark.live]
OVER = pytest.mark.parametrize("transport", TRANSPORTS)

ASK = "Answer with one move:"
AWAY = "The service does not answer. Call the same tool again."
CARD = r"\b([2-9TJQKA])([CDHS])\b"
SUIT = {"C": "clubs", "D": "diamonds", "H": "hearts", "S": "spades"}
SPELLINGS: dict[str, Callable[[str], str]] = {
    "fence": lambda move: f"```\n{move}\n```",
    "json": lambda move: json.dumps({"move": move}),
    "lower case": str.lower,
    "upper case": str.upper,
    "full stop": lambda move: f"{move}.",
    "line break": lambda move: f"{move}\n",
    "two blanks": lambda move: move.replace(" ", "  "),
    "quotes": lambda move: f'"{move}"',
    "sign": lambda move: move.translate(str.maketrans("CDHS", "♣♦♥♠")),
    "words": lambda move: re.sub(CARD, lambda card: f"{card[1]} of {SUIT[card[2]]}".replace("T", "10"), move),
    "order": lambda move: re.sub(CARD, r"\2\1", move),
    "ten": lambda move: re.sub(CARD, lambda card: card[0].replace("T", "10"), move),
    "Cyrillic": lambda move: move.translate(str.maketrans("CTKA", "СТКА")),
}
"""What is read, for a move. Two more spellings are refused: a card alone, and an index."""


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
def test_fifteen_spellings_cost_no_strike_and_stale_turns_change_nothing(
    league: LiveLeague, transport: str
) -> None:
    async def play() -> None:
        bot = league.bot("speller")
        left = dict(SPELLINGS)
        async with connected(league, bot, transport) as client:
            while left:
                text, _ = await call(client, "start_match", game="durak")
                match = Agent(text).match
                while ASK in text:
                    agent = Agent(text)
                    move = agent.moves[-1]
                    for wrong in ("1", move.split()[-1] if " " in move else "2"):
                        refused = await call(client, "play", match=match, turn=agent.turn, move=wrong)
                        assert refused[1], refused
                        assert move in Agent(refused[0]).moves
                    spelling = left.pop(next(iter(left), ""), str)
                    written = spelling(move)
                    text, is_error = await call(client, "play", match=match, turn=agent.turn, move=written)
                    assert not is_error, (written, text)
                    assert text.startswith(f"You played {move}"), (written, text)
                    stale, is_error = await call(
                        client, "play", match=match, turn=agent.turn, move="attack 2C"
                    )
                    assert is_error
                    assert "is not the current one" in stale or "is over" in stale
                    if ASK in text:
                        assert Agent(stale).turn == Agent(text).turn
                assert strikes(league, match) == [0, 0]

    run(play)


@OVER
def test_two_calls_at_once_and_two_sessions_make_one_move_a_turn(league: LiveLeague, transport: str) -> None:
    async def play() -> None:
        bot = league.bot("double")
        async with connected(league, bot, transport) as one, connected(league, bot, transport) as other:
            text, _ = await call(one, "start_match", game="durak")
            match, turns = Agent(text).match, 0
            while ASK in text:
                agent = Agent(text)
                given = {"match": match, "turn": agent.turn}
                twice = await asyncio.gather(
                    call(one, "play", **given, move=agent.moves[0]),
                    call(other, "play", **given, move=agent.moves[-1]),
                )
                assert any(not is_error for _, is_error in twice)
                text, _ = await call(other, "wait", match=match)
                turns += 1
        record = league.record(match)
        seats = [number for number, seat in enumerate(record["seats"]) if seat["bot"] == bot.name]
        own = [move for move in record["moves"] if move["seat"] in seats]
        assert len(own) == turns
        assert (record["ending"], strikes(league, match)) == ("rules", [0, 0])

    run(play)


@OVER
def test_a_silent_model_gets_its_strikes_and_plays_on_with_the_next_turn(
    league: LiveLeague, transport: str
) -> None:
    async def play() -> None:
        bot = league.bot("silent")
        clock = {"move_ms": 1000, "bank_ms": 0, "grace_ms": 0, "strikes": 1000}
        async with connected(league, bot, transport) as client:
            match = league.match([bot, "house/greedy"], clock=clock, deals=20)
            text, _ = await call(client, "wait", match=match)
            late, before = Agent(text), sum(strikes(league, match))
            await asyncio.to_thread(eventually, lambda: sum(strikes(league, match)) > before, "a strike")
            text, is_error = await call(client, "play", match=match, turn=late.turn, move=late.moves[-1])
            assert is_error
            assert "is not the current one" in text or "is over" in text
            text, _ = await call(client, "resign", match=match)
            assert "is over (resignation)" in text or "is over (played to the end)" in text

    run(play)


@OVER
def test_a_client_that_gives_up_a_call_is_found_by_an_opponent_and_plays(
    league: LiveLeague, transport: str
) -> None:
    async def play() -> None:
        bot = league.bot("hasty")
        async with connected(league, bot, transport) as client:
            with pytest.raises(MCPError):
                await client.call_tool("find_opponent", {"game": "durak"}, read_timeout_seconds=1)
            await meet(league, client)

    run(play)


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

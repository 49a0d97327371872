"""Scripted models play many matches through the tools, in all games and formats, and none forfeits."""

from __future__ import annotations

import asyncio
import itertools
import json
import secrets
from collections import Counter
from collections.abc import Iterator
from random import Random
from typing import Any

import pytest

from engine.registry import GAMES
from tests.adapters.tables import ALL
from tests.api.test_mcp import Agent
from tests.api.test_mcp_clients import TRANSPORTS, Served, text_of
from tests.live.league import LiveBot, LiveLeague
from tests.support.live import LiveService

pytestmark = pytest.mark.live

MODES = ("auto", "legacy")
SPELLINGS = (
    str,
    str.upper,
    "`{}`".format,
    "{}.".format,
    " {}\n".format,
    lambda move: json.dumps({"move": move}),
)
"""How the models write a move."""


class ScriptedModel:
    """Plays by texts alone, in changing spellings."""

    def __init__(self, client: Any, seed: str) -> None:
        self.client, self.rng = client, Random(seed)

    async def call(self, name: str, **arguments: Any) -> str:
        """Return the text of a tool's result, which must be no refusal."""
        result = await self.client.call_tool(name, arguments)
        text = text_of(result)
        assert not result.is_error, text
        return text

    async def play(self, text: str) -> str:
        """Play from the first result of a match to its end. Return the match."""
        while "Answer with one move:" not in text:
            text = await self.call("wait")
        match = Agent(text).match
        while f"Match {match} is over" not in text:
            if "Answer with one move:" in text:
                agent = Agent(text)
                move = self.rng.choice(SPELLINGS)(self.rng.choice(agent.moves))
                text = await self.call("play", match=match, turn=agent.turn, move=move)
            else:
                text = await self.call("wait", match=match)
        return match


@pytest.fixture(scope="module")
def league(service: LiveService) -> LiveLeague:
    return LiveLeague(service, f"many-{secrets.token_hex(4)}")


def tables() -> Iterator[dict[str, Any]]:
    """Yield tables for ever, of each game in turn, with all seats and options, against each quick house bot."""
    by_game = {game: [table for table in ALL.values() if table.game == game] for game in GAMES}
    for number in itertools.count():
        for game, known in by_game.items():
            table = known[number % len(known)]
            opponent = ("house/greedy", "house/random")[number % 2]
            yield {"game": game, "players": table.seats, "options": table.options, "opponent": opponent}


async def play_all(league: LiveLeague, matches: int) -> list[str]:
    """Play matches with four models: over each transport, with the newest protocol and the oldest."""
    wanted = itertools.islice(tables(), matches)

    async def play(transport: str, mode: str) -> list[str]:
        bot = league.bot(f"{transport}-{mode}-{secrets.token_hex(3)}")
        served = Served(None, league.service.url, bot)  # type: ignore[arg-type]
        async with TRANSPORTS[transport](served, bot, mode) as client:
            model = ScriptedModel(client, f"{transport} {mode}")
            return [await model.play(await model.call("start_match", **table)) for table in wanted]

    found = await asyncio.gather(*(play(transport, mode) for transport in TRANSPORTS for mode in MODES))
    return [match for played in found for match in played]


async def find_and_play(league: LiveLeague, games: list[str]) -> list[str]:
    """Play matches of two models that find each other. Each is listed once for each model."""
    bots = [league.bot(f"finder-{secrets.token_hex(3)}") for _ in TRANSPORTS]

    async def play(transport: str, bot: LiveBot) -> list[str]:
        served = Served(None, league.service.url, bot)  # type: ignore[arg-type]
        async with TRANSPORTS[transport](served, bot, "auto") as client:
            model = ScriptedModel(client, transport)
            return [await model.play(await model.call("find_opponent", game=game)) for game in games]

    found = await asyncio.gather(*map(play, TRANSPORTS, bots))
    return [match for played in found for match in played]


def assert_nobody_forfeited(league: LiveLeague, matches: list[str]) -> None:
    faults = []
    for match in matches:
        view = league.get(f"/v1/matches/{match}")
        strikes = [clock["strikes"] for clock in view["clocks"]]
        if (view["ending"], view["forfeits"], any(strikes)) != ("rules", [], False):
            faults.append((match, view["game"], view["ending"], view["forfeits"], strikes))
    assert faults == []


@pytest.mark.parametrize(
    ("matches", "found"),
    [
        pytest.param(12, ["durak"], marks=pytest.mark.ci),
        pytest.param(96, ["durak", "svoi_kozyri", "kryt", "durak"], marks=pytest.mark.soak),
    ],
)
def test_models_play_all_games_and_formats_without_a_forfeit(
    league: LiveLeague, matches: int, found: list[str]
) -> None:
    played = asyncio.run(play_all(league, matches))
    assert len(played) == matches
    met = asyncio.run(find_and_play(league, found))
    assert set(Counter(met).values()) == {2}
    assert_nobody_forfeited(league, [*played, *met])
    games = {league.get(f"/v1/matches/{match}")["game"] for match in played}
    assert games == GAMES.keys()

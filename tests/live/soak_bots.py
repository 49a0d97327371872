"""Bots for runs with faults: our clients, and crude ones that know nothing but to send the same bytes again.

Each plays at random in a thread of its own, takes the exchange wherever it can, and keeps `finished`: the matches that
a list of finished matches, handed to it, has named.
"""

from __future__ import annotations

import asyncio
import http.client
import random
import threading
import time
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Mapping
from typing import Any, Final
from urllib.parse import urlsplit

import orjson

from bots.client import AsyncClient, Client, Finished, Turn
from tests.live.league import Bot

WAIT_S: Final = 1.0
PATIENCE_S: Final = 10.0
"""How long a crude bot waits for an answer before it sends the same again."""
RETRIED: Final = (429, 500, 502, 503)


class SoakBot(ABC):
    """A bot that plays until it is stopped."""

    def __init__(self, url: str, bot: Bot, seed: str) -> None:
        self.url, self.bot = url, bot
        self.finished: Counter[str] = Counter()
        """How often each match was told to be over."""
        self.error: BaseException | None = None
        self.stopping = threading.Event()
        self.rng = random.Random(f"{seed} {bot.name}")
        self._thread = threading.Thread(target=self._run, name=bot.name, daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        """End soon: when the poll under way is answered."""
        self.stopping.set()

    def join(self, within: float) -> None:
        """Wait for the end. Raises what went wrong in the thread."""
        self._thread.join(within)
        self.check()
        assert not self._thread.is_alive(), f"{self.bot.name} still plays after {within} s"

    def check(self) -> None:
        """Raises what went wrong in the thread so far."""
        if self.error is not None:
            raise self.error

    @abstractmethod
    def play(self) -> None:
        """The bot's whole life."""

    def choose(self, observation: Mapping[str, Any]) -> str:
        """A free move if there is one, else a legal move, the exchange if it is one."""
        free, legal = observation["free_moves"], observation["legal_moves"]
        return "exchange" if "exchange" in [*free, *legal] else self.rng.choice(legal)

    def body(self, turn: Mapping[str, Any]) -> dict[str, Any]:
        """A move for the turn, or instead of it."""
        move = self.choose(turn["observation"])
        key = "deal" if move in turn["observation"]["free_moves"] else "turn"
        return {key: turn[key], "move": move}

    def _run(self) -> None:
        try:
            self.play()
        except BaseException as error:
            self.error = error


# Ours


class ClientBot(SoakBot):
    """Plays with `Client`."""

    def play(self) -> None:
        with Client(self.url, self.bot.token, wait=WAIT_S) as self._client:
            self._client.play(self._answer, on_finished=self._over)

    def stop(self) -> None:
        super().stop()
        self._client.stop()

    def _answer(self, turn: Turn) -> str:
        return self.choose(turn.observation)

    def _over(self, finished: Finished) -> None:
        self.finished[finished.match] += 1


class AsyncClientBot(ClientBot):
    """Plays with `AsyncClient`: a poll and a delivery beside each other."""

    def play(self) -> None:
        asyncio.run(self._play())

    def stop(self) -> None:
        SoakBot.stop(self)
        self._loop.call_soon_threadsafe(self._async_client.stop)

    async def _play(self) -> None:
        self._loop = asyncio.get_running_loop()
        async with AsyncClient(self.url, self.bot.token, wait=WAIT_S) as self._async_client:
            await self._async_client.play(self._slowly, on_finished=self._over)

    async def _slowly(self, turn: Turn) -> str:
        await asyncio.sleep(self.rng.random() * 0.01)
        return self._answer(turn)


# Crude ones


class Line:
    """A connection that sends the same bytes until they are answered."""

    def __init__(self, url: str, token: str, stopping: threading.Event) -> None:
        self._address, self._token = urlsplit(url), token
        self._stopping = stopping
        self._connection: http.client.HTTPConnection | None = None

    def ask(self, method: str, path: str, body: Any = None) -> tuple[int, Any]:
        """The status and the answer; (0, None) when the bot is told to stop before there is one."""
        while not self._stopping.is_set():
            try:
                status, said = self.once(self._connected(), self._token, method, path, body)
            except (OSError, http.client.HTTPException, ValueError):
                self.close()
                time.sleep(0.02)
                continue
            if status not in RETRIED:
                return status, said
            time.sleep(0.05)
        return 0, None

    @staticmethod
    def once(
        connection: http.client.HTTPConnection, token: str, method: str, path: str, body: Any
    ) -> tuple[int, Any]:
        """The status and the answer. Raises `OSError`, `HTTPException` or `ValueError` when none comes whole."""
        headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
        connection.request(method, path, None if body is None else orjson.dumps(body), headers)
        answer = connection.getresponse()
        return answer.status, orjson.loads(answer.read())

    def close(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _connected(self) -> http.client.HTTPConnection:
        if self._connection is None:
            host, port = str(self._address.hostname), self._address.port
            self._connection = http.client.HTTPConnection(host, port, timeout=PATIENCE_S)
        return self._connection


class SingleMoveBot(SoakBot):
    """One move a request, with `wait`; every match in a thread of its own, so that requests overtake each other."""

    def play(self) -> None:
        self._lock = threading.Lock()
        self._playing: dict[str, threading.Thread] = {}
        line = Line(self.url, self.bot.token, self.stopping)
        since = ""
        while not self.stopping.is_set():
            status, said = line.ask("GET", f"/v1/turns?wait={WAIT_S}{since}")
            if status != 200:
                since = ""
                continue
            since = f"&since={said['since']}"
            for over in said["finished"]:
                self.finished[over["match"]] += 1
            for turn in said["turns"]:
                self._begin(turn)
        for thread in list(self._playing.values()):
            thread.join(PATIENCE_S)

    def _begin(self, turn: dict[str, Any]) -> None:
        """Take up a turn, unless its match is being played: then that thread gets it by itself."""
        with self._lock:
            known = self._playing.get(turn["match"])
            if known is not None and known.is_alive():
                return
            thread = threading.Thread(target=self._match, args=(turn,), daemon=True)
            self._playing[turn["match"]] = thread
            thread.start()

    def _match(self, turn: dict[str, Any]) -> None:
        try:
            line = Line(self.url, self.bot.token, self.stopping)
            self._play_match(line, turn)
            line.close()
        except BaseException as error:
            self.error = error

    def _play_match(self, line: Line, turn: dict[str, Any] | None) -> None:
        path = f"/v1/matches/{turn['match']}" if turn is not None else ""
        while not self.stopping.is_set():
            if turn is None:
                status, view = line.ask("GET", path)
                if status != 200 or view["status"] != "running":
                    return
                if view["observation"]["free_moves"]:
                    # On turn or off.
                    line.ask("POST", f"{path}/moves", {"deal": view["deal"], "move": "exchange"})
                    continue
                if not view["observation"]["legal_moves"]:
                    time.sleep(0.05)
                    continue
                turn = {**view, "match": view["id"]}
            status, said = line.ask("POST", f"{path}/moves?wait={WAIT_S}", self.body(turn))
            turn = said.get("next") if status == 200 else None


class BatchBot(SoakBot):
    """All moves and the poll in one request, sent again as it is until it is answered."""

    def play(self) -> None:
        line = Line(self.url, self.bot.token, self.stopping)
        moves: list[dict[str, Any]] = []
        since: dict[str, str] = {}
        while not self.stopping.is_set():
            status, said = line.ask("POST", "/v1/turns", {"moves": moves, "wait": WAIT_S, **since})
            if status != 200:
                moves, since = [], {}
                continue
            for over in said["finished"]:
                self.finished[over["match"]] += 1
            # A free move leaves its turn open, a refusal may mean anything: ask for all that is open then.
            fresh = any("problem" in each or each["turn"] is None for each in said["results"])
            since = {} if fresh else {"since": said["since"]}
            moves = [{"match": turn["match"], **self.body(turn)} for turn in said["turns"]]
        line.close()

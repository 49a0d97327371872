"""Bots for runs with faults: the project's clients, and crude ones that only repeat the same bytes.

Each plays at random in its own thread and exchanges whenever it can. `finished` counts how often the service reported
the end of each match.
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

from kozyr_client import AsyncClient, Client, Finished, Turn
from kozyr_client.loop import OnIllegal
from tests.live.league import LiveBot

WAIT_S: Final = 1.0
PATIENCE_S: Final = 10.0
"""The timeout after which a crude bot repeats its request."""
RETRIED: Final = (429, 500, 502, 503)


class SoakBot(ABC):
    """A bot that plays until stopped."""

    on_illegal: OnIllegal = "raise"
    """`first` where a failover may lose positions that were shown, so that a choice is legal no more."""

    def __init__(self, url: str, bot: LiveBot, seed: str) -> None:
        self.url, self.bot = url, bot
        self.finished: Counter[str] = Counter()
        """By match, how often the service has reported its end."""
        self.error: BaseException | None = None
        self.stopping = threading.Event()
        self.rng = random.Random(f"{seed} {bot.name}")
        self._thread = threading.Thread(target=self._run, name=bot.name, daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        """Ask the bot to end after the pending poll."""
        self.stopping.set()

    def join(self, within: float) -> None:
        """Wait for the end. Raise any error from the thread."""
        self._thread.join(within)
        self.check()
        assert not self._thread.is_alive(), f"{self.bot.name} still plays after {within} s"

    def check(self) -> None:
        """Raise any error from the thread so far."""
        if self.error is not None:
            raise self.error

    @abstractmethod
    def play(self) -> None:
        """Play until stopped."""

    def choose(self, observation: Mapping[str, Any]) -> str:
        """Return an exchange if one is legal, else a random legal move."""
        free, legal = observation["free_moves"], observation["legal_moves"]
        return "exchange" if "exchange" in [*free, *legal] else self.rng.choice(legal)

    def body(self, turn: Mapping[str, Any]) -> dict[str, Any]:
        """Return the JSON of a move, for the turn or free for the deal."""
        move = self.choose(turn["observation"])
        key = "deal" if move in turn["observation"]["free_moves"] else "turn"
        return {key: turn[key], "move": move}

    def _run(self) -> None:
        try:
            self.play()
        except BaseException as error:
            self.error = error


# The project's clients


class ClientBot(SoakBot):
    """Play with `Client`."""

    def play(self) -> None:
        with Client(self.url, self.bot.token, wait=WAIT_S) as self._client:
            self._client.play(self._answer, on_finished=self._over, on_illegal=self.on_illegal)

    def stop(self) -> None:
        super().stop()
        self._client.stop()

    def _answer(self, turn: Turn) -> str:
        return self.choose(turn.observation)

    def _over(self, finished: Finished) -> None:
        self.finished[finished.match] += 1


class AsyncClientBot(ClientBot):
    """Play with `AsyncClient`, which polls and sends moves concurrently."""

    def play(self) -> None:
        asyncio.run(self._play())

    def stop(self) -> None:
        SoakBot.stop(self)
        self._loop.call_soon_threadsafe(self._async_client.stop)

    async def _play(self) -> None:
        self._loop = asyncio.get_running_loop()
        async with AsyncClient(self.url, self.bot.token, wait=WAIT_S) as self._async_client:
            await self._async_client.play(self._slowly, on_finished=self._over, on_illegal=self.on_illegal)

    async def _slowly(self, turn: Turn) -> str:
        await asyncio.sleep(self.rng.random() * 0.01)
        return self._answer(turn)


# Crude bots


class JournalLine:
    """A connection that repeats the same bytes until it gets a response."""

    def __init__(self, url: str, token: str, stopping: threading.Event) -> None:
        self._address, self._token = urlsplit(url), token
        self._stopping = stopping
        self._connection: http.client.HTTPConnection | None = None

    def ask(self, method: str, path: str, body: Any = None) -> tuple[int, Any]:
        """Return the status and the JSON of the response, or (0, None) if the bot stops first."""
        while not self._stopping.is_set():
            try:
                status, payload = self.once(self._connected(), self._token, method, path, body)
            except (OSError, http.client.HTTPException, ValueError):
                self.close()
                time.sleep(0.02)
                continue
            if status not in RETRIED:
                return status, payload
            time.sleep(0.05)
        return 0, None

    @staticmethod
    def once(
        connection: http.client.HTTPConnection, token: str, method: str, path: str, body: Any
    ) -> tuple[int, Any]:
        """Return the status and the JSON of the response. Raise `OSError`, `HTTPException` or `ValueError`."""
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
    """Send one move per request, with `wait`. Each match has its own thread, so that requests overtake each other."""

    def play(self) -> None:
        self._lock = threading.Lock()
        self._playing: dict[str, threading.Thread] = {}
        line = JournalLine(self.url, self.bot.token, self.stopping)
        since = ""
        while not self.stopping.is_set():
            status, payload = line.ask("GET", f"/v1/turns?wait={WAIT_S}{since}")
            if status != 200:
                since = ""
                continue
            since = f"&since={payload['since']}"
            for over in payload["finished"]:
                self.finished[over["match"]] += 1
            for turn in payload["turns"]:
                self._begin(turn)
        for thread in list(self._playing.values()):
            thread.join(PATIENCE_S)

    def _begin(self, turn: dict[str, Any]) -> None:
        """Start a thread for a turn, unless its match already has one, which will receive the turn itself."""
        with self._lock:
            known = self._playing.get(turn["match"])
            if known is not None and known.is_alive():
                return
            thread = threading.Thread(target=self._match, args=(turn,), daemon=True)
            self._playing[turn["match"]] = thread
            thread.start()

    def _match(self, turn: dict[str, Any]) -> None:
        try:
            line = JournalLine(self.url, self.bot.token, self.stopping)
            self._play_match(line, turn)
            line.close()
        except BaseException as error:
            self.error = error

    def _play_match(self, line: JournalLine, turn: dict[str, Any] | None) -> None:
        path = f"/v1/matches/{turn['match']}" if turn is not None else ""
        while not self.stopping.is_set():
            if turn is None:
                status, view = line.ask("GET", path)
                if status != 200 or view["status"] != "running":
                    return
                if view["observation"]["free_moves"]:
                    # The bot may be on turn or off.
                    line.ask("POST", f"{path}/moves", {"deal": view["deal"], "move": "exchange"})
                    continue
                if not view["observation"]["legal_moves"]:
                    time.sleep(0.05)
                    continue
                turn = {**view, "match": view["id"]}
            status, payload = line.ask("POST", f"{path}/moves?wait={WAIT_S}", self.body(turn))
            turn = payload.get("next") if status == 200 else None


class BatchBot(SoakBot):
    """Send all moves and the poll in one request, and repeat it unchanged until it gets a response."""

    def play(self) -> None:
        line = JournalLine(self.url, self.bot.token, self.stopping)
        moves: list[dict[str, Any]] = []
        since: dict[str, str] = {}
        while not self.stopping.is_set():
            status, payload = line.ask("POST", "/v1/turns", {"moves": moves, "wait": WAIT_S, **since})
            if status != 200:
                moves, since = [], {}
                continue
            for over in payload["finished"]:
                self.finished[over["match"]] += 1
            # A free move leaves its turn open, and a refusal may mean anything: poll for all open turns.
            fresh = any("problem" in each or each["turn"] is None for each in payload["results"])
            since = {} if fresh else {"since": payload["since"]}
            moves = [{"match": turn["match"], **self.body(turn)} for turn in payload["turns"]]
        line.close()

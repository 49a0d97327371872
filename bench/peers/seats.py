"""Seats on each of the measured servers, which speak its protocol.

Those on Kozyr and on the student's server play Durak over HTTP. Those on boardgame.io and Colyseus play `tricks.js`
over WebSockets. Everywhere the opponent replies at random within the move, so the answer to a move is the next turn.
"""

from __future__ import annotations

import random
import time
from abc import abstractmethod
from collections.abc import Callable
from contextlib import closing
from typing import Any

import httpx
import msgpack
import orjson
import redis

from bench.peers.load import LoadSeat
from bench.peers.websocket import BINARY, TEXT, WebSocket
from bench.support.load import connect, request
from bench.support.tables import BenchTables


class HttpSeat(LoadSeat):
    """A seat that makes random legal moves over HTTP, from the `first` turn on."""

    def __init__(
        self, port: int, path: str, token: str, first: dict[str, Any], seed: int, stored: Callable[[], int]
    ) -> None:
        super().__init__(connect(port), self._next)
        self.turn = first["turn"]
        self._path, self._token, self._stored = path, token, stored
        self._legal = first["observation"]["legal_moves"]
        self._rng = random.Random(seed)

    def receive(self) -> bool:
        """Read available bytes. Return whether the next turn has come."""
        if not super().receive():
            return False
        assert self._body is not None
        turn = orjson.loads(self._body)["next"]
        self.turn, self._legal = turn["turn"], turn["observation"]["legal_moves"]
        return True

    def stored_turn(self) -> int:
        """Return the turn that the server has stored as open in this match, 0 if it has no such match."""
        return self._stored()

    def _next(self, body: bytes | None) -> bytes:
        move = {"turn": self.turn, "move": self._rng.choice(self._legal)}
        return request("POST", self._path, self._token, orjson.dumps(move))


def kozyr_seat(tables: BenchTables, port: int, seed: int) -> HttpSeat:
    """Return a seat in a new match against `house/random`."""
    token, match = tables.against_random(f"peer-{seed}", 1)

    def stored() -> int:
        turns = tables.turns(token, 5)
        return int(turns[0]["turn"]) if turns else 0

    first = tables.turns(token, 5)[0]
    return HttpSeat(port, f"/v1/matches/{match}/moves?wait=5", token, first, seed, stored)


def student_seat(client: httpx.Client, database: Callable[[], redis.Redis], port: int, seed: int) -> HttpSeat:
    """Return a seat in a new match on the student's server, which stores matches in the database."""
    made = client.post("/matches").raise_for_status().json()

    def stored() -> int:
        with closing(database()) as opened:
            text = opened.get(f"match:{made['id']}")
        return 0 if text is None else int(orjson.loads(text)["turn"])

    return HttpSeat(port, f"/matches/{made['id']}/moves", made["token"], made["next"], seed, stored)


class WebSocketSeat(LoadSeat):
    """A seat that makes random legal moves over a WebSocket."""

    def __init__(self, channel: WebSocket, seed: int) -> None:
        self.sock, self.channel = channel.sock, channel
        self.sent = 0.0
        self.turn = 0
        self._legal: list[str] = []
        self._rng = random.Random(seed)

    def send(self) -> None:
        """Send a random legal move."""
        self.sent = time.perf_counter()
        self.channel.send(self.move(self._rng.choice(self._legal)))

    def receive(self) -> bool:
        """Read available messages. Return whether the next turn has come. Raise `RuntimeError` for a refusal."""
        found = False
        for message in self.channel.available():
            turn = self.heard(message)
            if turn is not None:
                if turn["turn"] <= self.turn:
                    raise RuntimeError(f"the move of turn {self.turn} was refused")
                self.turn, self._legal, found = turn["turn"], turn["legal_moves"], True
        return found

    def wait(self) -> None:
        """Wait for the first turn."""
        while not self.receive():
            pass

    @abstractmethod
    def move(self, card: str) -> bytes:
        """Return the message that plays a card."""

    @abstractmethod
    def heard(self, message: bytes) -> dict[str, Any] | None:
        """Return the turn in a message, if there is one. Reply to what asks for a reply."""


class BoardgameSeat(WebSocketSeat):
    """A seat on boardgame.io: JSON in Socket.IO packets over a WebSocket."""

    def __init__(self, client: httpx.Client, seed: int, match: str = "", credentials: str = "") -> None:
        """Take the seat in a match, which is a new one if none is named."""
        self._client, self._match, self._credentials = client, match, credentials
        if not match:
            self._match = _post(client, "/games/tricks/create", {"numPlayers": 2})["matchID"]
            joining = {"playerID": "0", "playerName": "bench"}
            joined = _post(client, f"/games/tricks/{self._match}/join", joining)
            self._credentials = joined["playerCredentials"]
        path = "/socket.io/?EIO=4&transport=websocket"
        super().__init__(WebSocket(port_of(client), path, TEXT), seed)
        self._state_id = 0
        self.wait()

    def stored_turn(self) -> int:
        """Return the turn that the server has stored as open in this match, 0 if it has no such match."""
        if self._client.get(f"/games/tricks/{self._match}").status_code == httpx.codes.NOT_FOUND:
            return 0
        again = BoardgameSeat(self._client, 0, self._match, self._credentials)
        again.channel.close()
        return again.turn

    def move(self, card: str) -> bytes:
        """Return the message that plays a card."""
        payload = {"type": "play", "args": [card], "playerID": "0", "credentials": self._credentials}
        action = {"type": "MAKE_MOVE", "payload": payload}
        return _event("update", action, self._state_id, self._match, "0")

    def heard(self, message: bytes) -> dict[str, Any] | None:
        """Return the turn in a message, if there is one. Reply to the packets of the handshake and to pings."""
        if message.startswith(b"0"):
            self.channel.send(b"40/tricks,")
        elif message.startswith(b"40/tricks,"):
            self.channel.send(_event("sync", self._match, "0", self._credentials, 2))
        elif message == b"2":
            self.channel.send(b"3")
        elif message.startswith(b"42/tricks,"):
            name, *arguments = orjson.loads(message.removeprefix(b"42/tricks,"))
            if name in ("sync", "update"):
                state = arguments[1]["state"] if name == "sync" else arguments[1]
                self._state_id = state["_stateID"]
                turn: dict[str, Any] = state["G"]
                return turn
        return None


class ColyseusSeat(WebSocketSeat):
    """A seat on Colyseus: MessagePack in binary messages over a WebSocket."""

    JOIN_ROOM = 10
    ROOM_DATA = 13

    def __init__(self, client: httpx.Client, seed: int) -> None:
        """Take the seat in a new room."""
        made = _post(client, "/matchmake/create/tricks", {})
        room = made["room"]
        self._client, self._room = client, room["roomId"]
        path = f"/{room['processId']}/{self._room}?sessionId={made['sessionId']}"
        super().__init__(WebSocket(port_of(client), path, BINARY), seed)
        self.wait()

    def stored_turn(self) -> int:
        """Return the turn that the server has stored as open in this match, 0 if it has no such match.

        The match of a room that exists is in its memory, so no move is lost.
        """
        found = _post(self._client, f"/matchmake/joinById/{self._room}", {})
        return 0 if "not found" in found.get("error", "") else self.turn

    def move(self, card: str) -> bytes:
        """Return the message that plays a card."""
        message: bytes = msgpack.packb("play") + msgpack.packb({"turn": self.turn, "card": card})
        return bytes([self.ROOM_DATA]) + message

    def heard(self, message: bytes) -> dict[str, Any] | None:
        """Return the turn in a message, if there is one. Confirm that the room has been joined."""
        if message[0] == self.JOIN_ROOM:
            self.channel.send(bytes([self.JOIN_ROOM]))
        elif message[0] == self.ROOM_DATA:
            unpacker = msgpack.Unpacker()
            unpacker.feed(message[1:])
            kind, turn = unpacker.unpack(), unpacker.unpack()
            if kind != "turn":
                raise RuntimeError(f"the server sends {kind}: {turn}")
            found: dict[str, Any] = turn
            return found
        return None


def _event(*arguments: Any) -> bytes:
    """Return the Socket.IO packet of an event in the namespace of the game."""
    return b"42/tricks," + orjson.dumps(arguments)


def port_of(client: httpx.Client) -> int:
    """Return the port of a client's server."""
    port = client.base_url.port
    assert port is not None
    return port


def _post(client: httpx.Client, path: str, body: dict[str, Any]) -> Any:
    return client.post(path, json=body).raise_for_status().json()

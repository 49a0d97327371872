"""The servers that `make bench-peers` measures answer the protocols of its load generator."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from contextlib import ExitStack, closing
from pathlib import Path

import pytest

pytest.importorskip("msgpack", reason="`make bench-peers` installs it")

from bench.peers import servers, websocket
from bench.peers.load import SeatsLoad
from bench.peers.seats import WebSocketSeat

ON_NODE = ("boardgame.io, in memory", "boardgame.io, FlatFile", "Colyseus")
LOCKS = sorted(servers.HERE.glob("*/package-lock.json"))
TWO_DEALS = 36
"""A seat plays 18 cards in a deal."""


@pytest.fixture(params=ON_NODE)
def load(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[SeatsLoad]:
    with ExitStack() as stack:
        try:
            peer = servers.STARTS[request.param](tmp_path / "peer", stack)
        except servers.Absent as why:
            pytest.skip(str(why))
        yield stack.enter_context(closing(peer.load(connections=2)))


def played(seat: WebSocketSeat, move: bytes) -> None:
    seat.channel.send(move)
    while not seat.receive():
        pass


def test_every_legal_move_is_answered_with_the_next_turn_over_several_deals(load: SeatsLoad) -> None:
    seat, other = load.seats
    for number in range(TWO_DEALS):
        assert seat.turn == number + 1
        seat.send()
        while not seat.receive():
            pass
    assert other.turn == 1


@pytest.mark.parametrize("card", ["S1", None])
def test_an_illegal_move_is_refused(load: SeatsLoad, card: str | None) -> None:
    seat = load.seats[0]
    assert isinstance(seat, WebSocketSeat)
    with pytest.raises(RuntimeError):
        played(seat, seat.move(card))  # type: ignore[arg-type]  # no card at all
    assert seat.turn == 1


def test_a_fixed_rate_offers_every_move(load: SeatsLoad) -> None:
    found = load.offer(rate=500, seconds=0.1)
    assert len(found.latencies) == 50
    assert sum(seat.turn - 1 for seat in load.seats) >= 50 - found.unanswered


def test_a_running_server_has_the_match_of_a_seat(load: SeatsLoad) -> None:
    assert load.seats[0].stored_turn() == 1


def test_without_node_a_peer_is_absent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(servers.Absent, match=r"Node\.js is absent"):
        servers.node_command("boardgame")


@pytest.mark.parametrize("lock", LOCKS, ids=lambda lock: lock.parent.name)
def test_a_lock_file_holds_hashes_and_no_address_of_a_registry(lock: Path) -> None:
    packages = json.loads(lock.read_text())["packages"]
    assert len(packages) > 1
    for name, package in packages.items():
        assert "resolved" not in package
        assert not name or package["integrity"].startswith("sha512-"), name


@pytest.mark.parametrize("length", [0, 125, 126, 65_535, 65_536])
def test_a_frame_is_read_once_all_of_its_bytes_are_there(length: int) -> None:
    payload = random.Random(length).randbytes(length)
    sent = websocket.frame(websocket.BINARY, payload)
    head = sent[: len(sent) - length - len(websocket.NO_MASK)]
    # A server's frame is a client's without the mask and its mark.
    frame = bytes([head[0], head[1] & 0x7F]) + head[2:] + payload
    assert websocket.first_frame(frame + b"rest") == (websocket.BINARY, payload, b"rest")
    assert websocket.first_frame(frame[:-1]) is None

"""Hidden cards change no response of the live service: real processes, real Redis, real HTTP."""

from __future__ import annotations

import re
import socket
import zlib
from collections.abc import Iterator
from typing import Any

import pytest

from engine.registry import GAMES
from tests.engine.lines import covering_tables
from tests.live.leaks.plays import twins
from tests.live.leaks.viewer import NO_MATCH, TRIED, ViewedTable
from tests.live.leaks.worlds import TwinWorlds

pytestmark = pytest.mark.live

TABLES: list[Any] = [
    pytest.param("durak", 2, 0, {}, marks=pytest.mark.ci),
    pytest.param("durak", 3, None, {"batch_attacks": True}, marks=pytest.mark.soak),
    ("durak", 6, 5, {"teams": True}),
    pytest.param("kryt", 3, 1, {}, marks=pytest.mark.soak),
    ("kryt", 2, None, {"trumps": "fixed"}),
    pytest.param("svoi_kozyri", 3, 1, {}, marks=pytest.mark.soak),
    ("svoi_kozyri", 2, 0, {"layout": "besikovich"}),
    ("king", 4, 2, {}),
]
"""Tables and viewers. Those marked are compared in `make test-ci` or `make soak` alone."""
SEEDS = 3
"""The number of plays that the long run compares for each table and viewer."""


@pytest.fixture(scope="module")
def worlds(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TwinWorlds]:
    with TwinWorlds(tmp_path_factory.mktemp("leaks"), parts=("redis", "api", "clock")) as both:
        yield both


def compare(
    worlds: TwinWorlds, game: str, seats: int, viewer: int | None, options: dict[str, Any], seed: int, most: int,
    *, thorough: bool = False, deals: int | None = None,
) -> None:  # fmt: skip
    """Run a twin match from creation to end, as this viewer sees it."""
    play = twins(game, seats, viewer, seed, options, most=most, deals=deals)
    seen_by = "all" if viewer is None else viewer
    name = f"{game.replace('_', '-')}-{seats}-{seen_by}-{number_of(options)}-{most}-{seed}"
    table = ViewedTable(worlds, play, name)
    table.sit_down()
    table.play_on()
    table.look_around(thorough=thorough)
    secrets = [world.behind(table.match).secret.hex() for world in worlds.both]
    if seats == 2:
        table.resign()
        table.look_around(finished=True)
    worlds.check_metrics()
    worlds.check_logs()
    worlds.check_secrets(secrets)


def number_of(options: dict[str, Any]) -> int:
    """Return a short number that identifies the options."""
    return zlib.crc32(str(sorted(options.items())).encode()) % 1000


@pytest.mark.parametrize(("game", "seats", "viewer", "options"), TABLES)
def test_cards_hidden_from_a_viewer_change_nothing_that_it_can_read(
    worlds: TwinWorlds, game: str, seats: int, viewer: int | None, options: dict[str, Any]
) -> None:
    compare(worlds, game, seats, viewer, options, 1, 8, thorough=(game, seats) == ("durak", 2))


def test_every_operation_is_compared_or_concerns_no_match(worlds: TwinWorlds) -> None:
    operations = {
        (method, path)
        for path, methods in worlds.document()["paths"].items()
        for method in set(methods) & {"put", "post", "patch", "delete"}
    }
    forgotten = {(method, path) for method, path in operations - TRIED if NO_MATCH.fullmatch(path) is None}
    assert not forgotten, f"add these operations to viewer.py: {forgotten}"


def test_refusals_by_gunicorn_are_identical_in_both_worlds(worlds: TwinWorlds) -> None:
    rubbish = [b"GET\r\n\r\n", b"GET / HTTP/9.9\r\n\r\n", b"GET / HTTP/1.1\r\nno colon\r\n\r\n"]
    rubbish += [
        b"GET /" + b"a" * 9000 + b" HTTP/1.1\r\n\r\n",
        b"GET / HTTP/1.1\r\n" + b"A: b\r\n" * 99 + b"\r\n",
    ]
    rubbish += [b"POST /v1/turns HTTP/1.1\r\nContent-Length: x\r\n\r\n"]
    for sent in rubbish:
        answers = [exchange(world.service.port, sent) for world in worlds.both]
        one, other = (re.sub(rb"\b[0-9a-f]{20}\b", b"<request id>", answer) for answer in answers)
        assert one == other
        assert one.split(b" ")[1].startswith(b"4"), one
    worlds.check_logs()


def exchange(port: int, sent: bytes) -> bytes:
    """Return the response to these bytes, until the connection closes."""
    with socket.create_connection(("127.0.0.1", port), timeout=60) as link:
        link.sendall(sent)
        link.shutdown(socket.SHUT_WR)
        return b"".join(iter(lambda: link.recv(65536), b""))


@pytest.mark.soak
@pytest.mark.parametrize("game", GAMES)
def test_cards_hidden_from_any_viewer_at_any_table_change_nothing(worlds: TwinWorlds, game: str) -> None:
    for _, seats, options in covering_tables(GAMES[game]):
        for seed in range(SEEDS):
            for viewer in dict.fromkeys((None, seed % seats, seats - 1 - seed % seats)):
                compare(worlds, game, seats, viewer, options, seed, 60)


@pytest.mark.soak
@pytest.mark.parametrize("game", GAMES)
def test_cards_hidden_in_earlier_deals_stay_hidden(worlds: TwinWorlds, game: str) -> None:
    rules = GAMES[game]
    seats = min(rules.seat_counts)
    for viewer in (None, *range(seats)):
        compare(worlds, game, seats, viewer, {}, 1, 400, deals=None if rules.fixed_deals else 3)

"""Free moves over HTTP, with a client written from the contract alone."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import pytest

from tests.live.league import LiveBot, LiveLeague
from tests.support.live import LiveService

pytestmark = [pytest.mark.ci, pytest.mark.live]

MATCHES = 12
"""Matches of each game. In about a third of them a seat on turn may exchange."""


class ByNumber:
    """A client that identifies turns by match and number and answers none twice. It makes free moves at random."""

    def __init__(self, service: LiveService, bot: LiveBot, seed: int) -> None:
        self._http, self._rng = service.http(), random.Random(seed)
        self._headers = {"Authorization": f"Bearer {bot.token}"}
        self._since: str | None = None
        self._moves: list[dict[str, Any]] = []
        self._questions: dict[tuple[str, int], list[str]] = {}
        self.finished: set[str] = set()
        self.free = 0

    def step(self) -> None:
        """Send the chosen moves, and choose for the turns received."""
        body = {"moves": self._moves, "since": self._since, "wait": 0.05}
        answer = self._http.post("/v1/turns", json=body, headers=self._headers)
        assert answer.status_code == 200, answer.text
        payload = answer.json()
        for move, result in zip(self._moves, payload["results"], strict=True):
            problem = result.get("problem", {})
            assert problem.get("code") == ("free_move_with_turn" if self._is_wrong(move) else None), result
            assert "deal" in problem or not problem
        self._since, self._moves = payload["since"], []
        self.finished |= {match["match"] for match in payload["finished"]}
        for turn in payload["turns"]:
            seen, key = turn["observation"], (turn["match"], turn["turn"])
            assert self._questions.get(key, seen["legal_moves"]) == seen["legal_moves"]
            if key not in self._questions:
                self._questions[key] = seen["legal_moves"]
                self._moves += [{"match": turn["match"], **move} for move in self._chosen(turn)]

    def _chosen(self, turn: dict[str, Any]) -> list[dict[str, Any]]:
        """Return a move. Send a free move with the turn first, which the service must refuse."""
        free, number = turn["observation"]["free_moves"], turn["turn"]
        if not free or self._rng.random() < 0.3:
            return [{"turn": number, "move": self._rng.choice(turn["observation"]["legal_moves"])}]
        self.free += 1
        move = self._rng.choice(free)
        return [{"turn": number, "move": move}, {"deal": turn["deal"], "move": move}]

    def _is_wrong(self, move: dict[str, Any]) -> bool:
        question = self._questions.get((move["match"], move.get("turn", 0)))
        return question is not None and move["move"] not in question


def test_a_client_that_identifies_turns_by_number_can_make_free_moves(
    live_service: Callable[..., LiveService],
) -> None:
    service = live_service(("redis", "api", "clock"))
    league = LiveLeague(service)
    bots = [league.bot("ann"), league.bot("bob")]
    for bot in bots:
        accepts = {"match_policy": {"max_matches": 100}}
        headers = {"Authorization": f"Bearer {league.token}"}
        assert league.http.patch(f"/v1/bots/{bot.name}", json=accepts, headers=headers).is_success
    clock = {"move_ms": 60_000, "bank_ms": 0, "increment_ms": 0, "grace_ms": 0, "strikes": 1}
    options = {"turn_limit": 200}
    matches = {
        league.match(bots, game=game, clock=clock, options=options, deals=2)
        for game in ("durak", "kryt")
        for _ in range(MATCHES)
    }
    clients = [ByNumber(service, bot, seed) for seed, bot in enumerate(bots)]
    for _ in range(3000):
        for client in clients:
            client.step()
        if all(client.finished >= matches for client in clients):
            break
    assert all(client.finished >= matches for client in clients)
    assert sum(client.free for client in clients) >= 3
    for match in matches:
        record = league.record(match)
        assert record["ending"] == "rules"
        assert not [move for move in record["moves"] if "by" in move]

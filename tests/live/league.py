"""Owners, bots and matches of a live service, created over HTTP, and bots that play in threads."""

from __future__ import annotations

import random
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import count
from typing import Any, NamedTuple

from kozyr_client import Client, Turn
from tests.live.law import replay
from tests.support.live import LiveService

QUICK = {"move_ms": 60_000, "bank_ms": 0, "grace_ms": 250, "strikes": 3}


class LiveBot(NamedTuple):
    """A registered bot."""

    name: str
    """`owner/bot`."""
    id: str
    token: str


class LiveLeague:
    """An owner at a live service, who creates bots and matches."""

    def __init__(self, service: LiveService, name: str = "tester") -> None:
        self.service, self.name = service, name
        self.http = service.http()
        self.token: str = self.post("/v1/owners", {"name": name}, None)["token"]

    def post(self, path: str, body: Any, token: str | None, **more: Any) -> Any:
        """Return the JSON of a POST, which must succeed."""
        headers = {} if token is None else {"Authorization": f"Bearer {token}"}
        answer = self.http.post(path, json=body, headers=headers, **more)
        assert answer.is_success, answer.text
        return answer.json()

    def get(self, path: str, token: str | None = None, **more: Any) -> Any:
        """Return the JSON of a GET, which must succeed."""
        headers = {} if token is None else {"Authorization": f"Bearer {token}"}
        answer = self.http.get(path, headers=headers, **more)
        assert answer.is_success, answer.text
        return answer.json()

    def bot(self, name: str) -> LiveBot:
        """Create a bot."""
        made = self.post("/v1/bots", {"name": name, "version": "1"}, self.token)
        return LiveBot(f"{self.name}/{name}", made["bot"]["id"], made["token"])

    def match(self, seats: Sequence[LiveBot | str | None], **more: Any) -> str:
        """Create a match. Seats are bots, names, or open."""
        names = [seat.name if isinstance(seat, LiveBot) else seat for seat in seats]
        token = next((seat.token for seat in seats if isinstance(seat, LiveBot)), self.token)
        body = {"game": "durak", "seats": names, "clock": QUICK, **more}
        made: str = self.post("/v1/matches", body, token)["id"]
        return made

    def record(self, match: str) -> Any:
        """Return the record of a finished match."""
        return self.get(f"/v1/matches/{match}/record")


class SentMove(NamedTuple):
    """A move that a bot chose in a turn."""

    match: str
    turn: int
    move: str


class LivePlayer:
    """A bot in its own thread that plays at random and logs its choices."""

    def __init__(self, service: LiveService, bot: LiveBot, seed: int = 0) -> None:
        self.bot = bot
        self.sent: list[SentMove] = []
        self.error: BaseException | None = None
        self._rng = random.Random(seed)
        self._client = Client(service.url, bot.token)
        self._thread = threading.Thread(target=self._run, daemon=True)

    @property
    def ended(self) -> bool:
        """Whether all its matches are over."""
        return not self._thread.is_alive()

    def start(self, matches: Sequence[str]) -> None:
        """Play until these matches are over."""
        self._matches = list(matches)
        self._thread.start()

    def join(self, within: float) -> None:
        """Wait for the end. Raise any error from the thread."""
        self._thread.join(within)
        if self.error is not None:
            raise self.error
        assert not self._thread.is_alive(), f"{self.bot.name} still plays after {within} s"

    def stop(self) -> None:
        """Ask the thread to end."""
        self._client.stop()

    def _run(self) -> None:
        try:
            self._client.play(self._choose, until_finished=self._matches)
        except BaseException as error:
            self.error = error

    def _choose(self, turn: Turn) -> str:
        move = self._rng.choice(turn.legal_moves + turn.free_moves)
        self.sent.append(SentMove(turn.match, turn.number, move))
        return move


@contextmanager
def players(
    service: LiveService, bots: Sequence[LiveBot], matches: Sequence[str]
) -> Iterator[list[LivePlayer]]:
    """Run bots that play these matches to the end, and stop them when the block exits."""
    playing = [LivePlayer(service, bot, seed) for seed, bot in enumerate(bots)]
    for player in playing:
        player.start(matches)
    try:
        yield playing
    finally:
        for player in playing:
            player.stop()


def play_out(
    service: LiveService, bots: Sequence[LiveBot], matches: Sequence[str], within: float = 90.0
) -> list[LivePlayer]:
    """Run bots that play these matches to the end, and return them."""
    with players(service, bots, matches) as playing:
        for player in playing:
            player.join(within)
    return playing


def check(league: LiveLeague, matches: list[str], playing: list[LivePlayer]) -> None:
    """Assert that every record replays and holds exactly the moves that the bots chose, each once."""
    for match in matches:
        record = league.record(match)
        assert record["ending"] == "rules", record["ending"]
        replay(record)
        for player in playing:
            seats = [number for number, seat in enumerate(record["seats"]) if seat["bot"] == player.bot.name]
            made = [move for move in record["moves"] if move["seat"] in seats]
            assert all("by" not in move for move in made), "the outage cost no bot a move"
            chosen: dict[Any, str] = {}
            free = count()
            for sent in player.sent:
                if sent.match == match:
                    # After a crash a turn may be open again and answered differently. The last answer counts.
                    chosen[("free", next(free)) if sent.move == "exchange" else sent.turn] = sent.move
            answers = [move["move"] for move in made if move["move"] != "exchange"]
            assert len(answers) == len([key for key in chosen if not isinstance(key, tuple)])


def two_bots(league: LiveLeague, **more: Any) -> tuple[list[LiveBot], list[str]]:
    """Start several concurrent matches of several deals between two bots."""
    bots = [league.bot("ann"), league.bot("ben")]
    return bots, [league.match([bots[n % 2], bots[1 - n % 2]], deals=2, **more) for n in range(6)]

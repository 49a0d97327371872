"""Write the data folder with which `tests/live/test_stored_data.py` tests the next release.

    python -m tests.data.write_data_folder tests/data/release-0.1.0

Run it with the code of the release whose data to keep. `expected.json` holds the responses of that release.
"""

from __future__ import annotations

import json
import shutil
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from kozyr_client import Client
from tests.live.league import LiveBot, LiveLeague, players
from tests.support.live import LiveService
from tests.support.waiting import eventually

SECRET: Final = "0123456789abcdef" * 4
SETTINGS: Final = {
    "KOZYR_SECRET": SECRET,
    "KOZYR_SIGNING_KEY": "fedcba9876543210" * 4,
    "KOZYR_ADMIN_TOKEN": "admin-of-the-kept-data-folder-0123456789",
    "KOZYR_TICK_MS": "20",
}
GAMES: Final = {"durak": 2, "kryt": 2, "svoi_kozyri": 2, "king": 4}
SLOW: Final = {"move_ms": 86_400_000, "bank_ms": 0, "grace_ms": 250, "strikes": 3}


def main(target: Path) -> None:
    """Play a small league, stop it, and keep its files."""
    with tempfile.TemporaryDirectory(prefix="kozyr-data-") as folder:
        with LiveService(Path(folder), settings=SETTINGS) as service:
            expected = _played(service)
            with service.redis() as redis:
                redis.bgrewriteaof()
                eventually(
                    lambda: redis.info("persistence")["aof_rewrite_in_progress"] == 0, "the file is rewritten"
                )
        target.mkdir(parents=True, exist_ok=True)
        for name in ("appendonly.aof", "server-version"):
            shutil.copy(service.var / "redis" / name, target / name)
        text = json.dumps(expected, indent=1, ensure_ascii=False, sort_keys=True)
        (target / "expected.json").write_text(text + "\n")


def _played(service: LiveService) -> Any:
    league, other = LiveLeague(service, "anna"), LiveLeague(service, "boris")
    one, two = league.bot("one"), other.bot("two")
    finished = [
        league.match([one, *["house/random"] * (seats - 1)], game=game, entropy="salt")
        for game, seats in GAMES.items()
    ]
    ladder = _ladder(league, other, one, two)
    with players(service, [one, two], finished) as playing:
        for player in playing:
            player.join(within=120)
    _rounds(service, league, ladder, [one, two])
    void = league.match(["house/random", "house/greedy"], options={"turn_limit": 50})
    eventually(lambda: league.get(f"/v1/matches/{void}")["status"] == "finished", "a match is over")
    league.post(f"/v1/matches/{void}/void", {"reason": "a test"}, SETTINGS["KOZYR_ADMIN_TOKEN"])
    running = league.match([one, two], game="durak", clock=SLOW)
    _begin(service, running, [one, two])
    with service.http() as http:
        return {
            "settings": SETTINGS,
            "finished": finished,
            "void": void,
            "running": {"match": running, "turn": league.get(f"/v1/matches/{running}")["turn"]},
            "bots": {bot.name: bot._asdict() for bot in (one, two)},
            "owners": {each.name: each.token for each in (league, other)},
            "ladder": ladder,
            "matches": sorted(match["id"] for match in http.get("/v1/matches?limit=200").json()["matches"]),
            "records": {
                record["id"]: {name: record[name] for name in ("game", "ending", "scores", "proof")}
                for record in map(json.loads, http.get("/v1/records").text.splitlines())
            },
            "standings": http.get(f"/v1/ladders/{ladder}/standings").json(),
            "seasons": http.get(f"/v1/ladders/{ladder}/seasons").json(),
            "rounds": http.get(f"/v1/ladders/{ladder}/rounds").json(),
            "ratings": http.get("/v1/ratings?preset=durak/2").json(),
        }


def _ladder(league: LiveLeague, other: LiveLeague, one: LiveBot, two: LiveBot) -> str:
    body = {"name": "Kept", "game": "durak", "seats": 2, "check": False, "repeats": 1, "rated": True}
    ladder: str = league.post("/v1/ladders", body, league.token)["id"]
    for owner, bot in (
        (league, one.name),
        (other, two.name),
        (league, "house/random"),
        (league, "house/greedy"),
    ):
        owner.post(f"/v1/ladders/{ladder}/entries", {"bot": bot}, owner.token)
    return ladder


def _rounds(service: LiveService, league: LiveLeague, ladder: str, bots: list[LiveBot]) -> None:
    """Play two rounds in separate seasons, with ratings."""
    with _playing(service, bots):
        for number in (1, 2):
            league.post(f"/v1/ladders/{ladder}/rounds", None, league.token)
            address = f"/v1/ladders/{ladder}/rounds/{number}"
            eventually(lambda at=address: league.get(at)["state"] != "running", "a round is over")
            if number == 1:
                league.post(f"/v1/ladders/{ladder}/seasons", None, league.token)
        rated: list[Any] = []
        for _ in range(100):
            before, rated = rated, league.get("/v1/ratings?preset=durak/2")["ratings"]
            if len(rated) == 4 and rated == before:
                return
            time.sleep(2)
        raise AssertionError(f"the ratings do not come to rest: {rated}")


@contextmanager
def _playing(service: LiveService, bots: list[LiveBot]) -> Iterator[None]:
    """Let these bots answer every turn with the first legal move."""
    clients = [Client(service.url, bot.token) for bot in bots]
    for client in clients:
        threading.Thread(target=client.play, args=(lambda turn: turn.legal_moves[0],), daemon=True).start()
    try:
        yield
    finally:
        for client in clients:
            client.stop()


def _begin(service: LiveService, match: str, bots: list[LiveBot]) -> None:
    """Make the first five moves."""
    for _ in range(8):
        for bot in bots:
            with Client(service.url, bot.token) as client:
                turns = [turn for turn in client.turns()["turns"] if turn["match"] == match]
                moves = [
                    {"match": match, "turn": turn["turn"], "move": turn["observation"]["legal_moves"][0]}
                    for turn in turns
                    if turn["turn"] <= 5
                ]
                if moves:
                    client.turns(moves)


if __name__ == "__main__":
    main(Path(sys.argv[1]))

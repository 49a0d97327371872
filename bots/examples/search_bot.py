"""The search bot on your side: python bots/examples/search_bot.py URL TOKEN [SECONDS]

It plays every game with what comes over HTTP alone: the observation and the legal moves of the turn, and the events of
the match, which it asks for as far as it has not got them yet. It thinks for a second about each move (or so many
SECONDS), or for a third of the time left if that is less.
"""

from __future__ import annotations

import logging
import signal
import sys
import time
from random import Random
from typing import Any

from bots.client import Client, Finished, Turn
from bots.search import SearchBot, Seconds, table


class DealMemory:
    """The events and tables of the matches that are being played."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self._events: dict[str, list[dict[str, Any]]] = {}
        self._tables: dict[str, Any] = {}

    def history(self, match: str) -> list[dict[str, Any]]:
        """All that my seat has seen of a match."""
        known = self._events.setdefault(match, [])
        while True:
            after = known[-1]["n"] if known else 0
            new = self._client.events(match, after)["events"]
            if not new:
                return known
            known += new

    def table(self, match: str) -> Any:
        """The rules of a match."""
        if match not in self._tables:
            view = self._client.match(match)
            self._tables[match] = table(view["game"], len(view["seats"]), view["options"])
        return self._tables[match]

    def forget(self, finished: Finished) -> None:
        """The match is over."""
        self._events.pop(finished.match, None)
        self._tables.pop(finished.match, None)
        print(
            f"{finished.match}: place {finished.places[finished.seat]}, scores {finished.scores}", flush=True
        )


def main() -> None:
    """Plays until it is interrupted or terminated."""
    logging.basicConfig(format="%(asctime)s %(message)s")
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    rng = Random()
    thinking = float(sys.argv[3]) if len(sys.argv) > 3 else 1.0
    try:
        with Client(*sys.argv[1:3]) as client:
            memory = DealMemory(client)

            def choose(turn: Turn) -> str:
                seconds = max(0.0, min(thinking, turn.seconds_left / 3))
                bot = SearchBot("search", Seconds(seconds, time.monotonic, time.sleep))
                match = turn.match
                history, game = memory.history(match), memory.table(match)
                return bot.think(game, turn.observation, turn.legal_moves, history, rng)

            client.play(choose, on_finished=memory.forget, on_illegal="first")
    except KeyboardInterrupt:
        print("stopped")


if __name__ == "__main__":
    main()

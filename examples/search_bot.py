"""Run the search bot on your machine: python examples/search_bot.py [SECONDS]

It plays every game using only data from HTTP: the observation and the legal moves of a turn, and the events of the
match. It thinks for SECONDS (default 1) about each move, or for a third of the time left if that is less.
"""

from __future__ import annotations

import logging
import sys
import time
from random import Random
from typing import Any

from bots.search import SearchBot, Seconds, table
from kozyr_client import Client, Finished, Turn


class DealMemory:
    """A cache of the events and tables of the running matches."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self._events: dict[str, list[dict[str, Any]]] = {}
        self._tables: dict[str, Any] = {}

    def history(self, match: str) -> list[dict[str, Any]]:
        """Return all events of a match that this bot's seat may see, fetching the new ones."""
        known = self._events.setdefault(match, [])
        while True:
            after = known[-1]["n"] if known else 0
            new = self._client.events(match, after)["events"]
            if not new:
                return known
            known += new

    def table(self, match: str) -> Any:
        """Return the table of a match."""
        if match not in self._tables:
            view = self._client.match(match)
            self._tables[match] = table(view["game"], len(view["seats"]), view["options"])
        return self._tables[match]

    def forget(self, finished: Finished) -> None:
        """Drop the data of a finished match, and print a line about it."""
        self._events.pop(finished.match, None)
        self._tables.pop(finished.match, None)
        print(
            f"{finished.match}: place {finished.places[finished.seat]}, scores {finished.scores}", flush=True
        )


def main() -> None:
    """Play until Ctrl-C or SIGTERM, and then to the end of the running matches."""
    logging.basicConfig(format="%(asctime)s %(message)s")
    rng = Random()
    thinking = float(sys.argv[1]) if len(sys.argv) > 1 else 1.0
    with Client() as client:
        memory = DealMemory(client)
        client.finish_on_signals()

        def choose(turn: Turn) -> str:
            seconds = max(0.0, min(thinking, turn.seconds_left / 3))
            bot = SearchBot("search", Seconds(seconds, time.monotonic, time.sleep))
            match = turn.match
            history, game = memory.history(match), memory.table(match)
            return bot.think(game, turn.observation, turn.legal_moves, history, rng)

        client.play(choose, on_finished=memory.forget, on_illegal="first")
    print("stopped")


if __name__ == "__main__":
    main()

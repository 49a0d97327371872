"""Kozyr beside its peers: game servers over a network, and libraries of card games in Python."""

from __future__ import annotations

import os

from bench.peers import libraries, servers

NOT_COMPARABLE = """\
What the tables don't show:

- Kozyr alone has deadlines, records, retries, rate limits and logs. The student's server stores each match as
  one JSON text in a Redis that flushes every commit to disk, as ours does. boardgame.io keeps a log of moves, and
  no clocks. The room on Colyseus keeps nothing but the state.
- Kozyr and the student's server play Durak over HTTP. boardgame.io and Colyseus play a simpler game of tricks
  over WebSockets (`bench/peers/tricks.js`), so their figures leave out HTTP and the rules of Durak. At the rate
  of Colyseus the load takes some 0.7 of the processor time that the server takes, so it is near its own limit.
- boardgame.io and Colyseus run on V8, which compiles. The student's server uses our rules.
- boardgame.io answers a move before it stores it. Each run has new matches: FlatFile rewrites the log of a match
  with each move, and gets slower as the match gets longer.
- Colyseus answers by a message. Its synchronised state, which most games use, comes 20 times a second at most.
- kill -9 leaves what the system has in its caches. It says nothing of a power failure.
- Hearts, Uno and hold'em are other games: their moves/s show what rules driven from Python cost. RLCard makes
  an observation with each move, and PokerKit has no list of legal moves.
""".splitlines()


def report() -> list[str]:
    """Return the lines of the tables."""
    load = ", ".join(f"{average:.1f}" for average in os.getloadavg())
    begun = f"Load averages at the start, before any of this: {load}."
    return [begun, "", *servers.report(), "", *libraries.report(), "", *NOT_COMPARABLE]

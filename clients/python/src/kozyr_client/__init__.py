"""A client for bots of the Kozyr league server.

    from kozyr_client import Client

    Client("http://127.0.0.1:8000", token).play(lambda turn: turn.legal_moves[0])

`play` is the main loop of a bot. It polls for turns, calls `choose` for each, and sends the moves, for any number
of matches at once with one request at a time. `AsyncClient` does the same and chooses for many turns concurrently.

1. Guarantees
   No move is lost and none is made twice. After a timeout, a broken connection or a 502, the client cannot know
   whether a move was made. It sends the same moves again with the same turn numbers, and the service answers
   `replayed` for those it had made. `choose` is called once for each turn.
   A refusal never causes a loop. After a 409 the client drops the turn and polls without a cursor, which lists all
   open turns. An illegal move raises an error; with `on_illegal="first"` it logs a warning and sends the first
   legal move.
   A move from `turn.free_moves` (`exchange`) answers no turn. The client sends it for the deal, and then calls
   `choose` again with the updated turn.
   After a 429 or 5xx the client waits as long as `Retry-After` says, and at least for its own growing backoff. Once
   the service has answered, so it does after every response that is not the service's own, such as a proxy's page.

2. Time
   The client notices a lost response while the clock leaves time to send the move again.
   A monotonic clock counts `turn.seconds_left` down from the arrival of the turn, so the date of your machine may
   be wrong. It does not include network latency: keep a margin.
   `Client` chooses for one turn after another, the most urgent first, and sends the moves so far after `BATCH_S`
   seconds. A single slow `choose` still delays all other matches of the bot. With slow search in many matches, use
   `AsyncClient` with `asyncio.to_thread` or a process pool.
"""

from __future__ import annotations

from kozyr_client.async_client import AsyncClient
from kozyr_client.client import Client
from kozyr_client.errors import KozyrError, MoveRefused
from kozyr_client.http import retry_after
from kozyr_client.turns import Finished, Turn
from kozyr_client.version import __version__

__all__ = [
    "AsyncClient",
    "Client",
    "Finished",
    "KozyrError",
    "MoveRefused",
    "Turn",
    "__version__",
    "retry_after",
]

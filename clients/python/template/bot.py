"""Plays all matches of your bot until you press Ctrl-C. It takes KOZYR_URL and KOZYR_TOKEN from the environment."""

import asyncio
import signal

from choose import choose
from kozyr_client import AsyncClient, Finished


def show(match: Finished) -> None:
    """Print the place of the bot in a finished match."""
    print(f"{match.match}: place {match.places[match.seat]}", flush=True)


async def main() -> None:
    """Play until SIGINT or SIGTERM. The moves that are chosen by then are sent."""
    async with AsyncClient() as client:
        for number in (signal.SIGINT, signal.SIGTERM):
            asyncio.get_running_loop().add_signal_handler(number, client.stop)
        await client.play(choose, on_finished=show, on_illegal="first")


if __name__ == "__main__":
    asyncio.run(main())

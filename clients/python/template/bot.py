"""Plays all matches of your bot until you press Ctrl-C. It takes KOZYR_URL and KOZYR_TOKEN from the environment."""

import asyncio
import sys

from choose import choose
from kozyr_client import AsyncClient, Finished, KozyrError


def show(match: Finished) -> None:
    """Print the place of the bot in a finished match."""
    print(f"{match.match}: place {match.places[match.seat]}", flush=True)


async def main() -> None:
    """Play until SIGINT or SIGTERM. The first one finishes the running matches, the second one ends the bot at once."""
    async with AsyncClient() as client:
        client.finish_on_signals()
        await client.play(choose, on_finished=show, on_illegal="first")


if __name__ == "__main__":
    try:
        asyncio.run(main())
    except KozyrError as error:
        sys.exit(f"kozyr: {error}")

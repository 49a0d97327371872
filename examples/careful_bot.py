"""A bot that plays Durak with some care: python examples/careful_bot.py

Without arguments, the environment variables KOZYR_URL and KOZYR_TOKEN give the address and the token.

The bot needs no knowledge of the rules beyond its legal moves. It plays its cheapest cards first and beats as
cheaply as it can. While the talon lasts, it prefers to take a card or two over spending a high trump. In other games
it plays the first legal move.
"""

from __future__ import annotations

import logging
from typing import Any

from kozyr_client import Client, Finished, Turn

RANKS = "6789TJQKA"
TRUMP = 12
"""What a trump costs more than the same rank in another suit."""
DEAR = TRUMP + RANKS.index("T")
"""The price from which a card is too expensive to beat a single card with."""
HIGH = RANKS.index("Q")
"""The price from which a card is too expensive to throw in while there is a talon."""


def choose(turn: Turn) -> str:
    """Return this bot's move."""
    moves, seen = turn.legal_moves, turn.observation
    if "exchange" in [*turn.free_moves, *moves]:
        return "exchange"
    if len(moves) == 1 or seen["game"] != "durak":
        return moves[0]
    if seen["question"] == "defend":
        return defend(moves, seen)
    if seen["question"] == "attack":
        return min(moves, key=lambda move: attack_cost(move, seen))
    return throw(moves, seen)


def defend(moves: list[str], seen: dict[str, Any]) -> str:
    """Beat as cheaply as possible. Take instead if that is expensive, the bout is small and the talon is large."""
    best = min((move for move in moves if move != "take"), key=lambda move: spent(move, seen))
    on_table = sum(1 if pair[1] is None else 2 for pair in seen["pairs"])
    if spent(best, seen) >= DEAR and on_table <= 2 and seen["talon"] > 6:
        return "take"
    return best


def attack_cost(move: str, seen: dict[str, Any]) -> float:
    """Return the cost of an opening attack: its most expensive card, less a bonus for others of its rank."""
    rank, hand = cards_of(move)[0][0], list[str](seen["hand"])
    followers = sum(card[0] == rank and not is_trump(card, seen) for card in hand)
    return spent(move, seen) - 0.4 * followers


def throw(moves: list[str], seen: dict[str, Any]) -> str:
    """Throw in the cheapest card unless it is too expensive. Without a talon, throw in any card."""
    throws = [move for move in moves if move != "pass"]
    best = min(throws, key=lambda move: spent(move, seen))
    if seen["talon"] and spent(best, seen) >= (TRUMP if seen["taking"] else HIGH):
        return "pass"
    return best


def spent(move: str, seen: dict[str, Any]) -> int:
    """Return the price of the most expensive card that the move plays from the hand."""
    mine = [card for card in cards_of(move) if card in seen["hand"]]
    return max((worth(card, seen) for card in mine), default=0)


def worth(card: str, seen: dict[str, Any]) -> int:
    """Return the price of a card: its rank, and more for a trump."""
    return RANKS.find(card[0]) + (TRUMP if is_trump(card, seen) else 0)


def is_trump(card: str, seen: dict[str, Any]) -> bool:
    """Return whether the card is a trump."""
    return bool(card[1] == seen["trump"])


def cards_of(move: str) -> list[str]:
    """Return the cards in a move."""
    return move.split()[1:]


def report(finished: Finished) -> None:
    """Print a line for each finished match."""
    place = finished.places[finished.seat]
    print(f"{finished.match}: place {place}, scores {finished.scores} ({finished.ending})", flush=True)


def main() -> None:
    """Play until Ctrl-C or SIGTERM, and then to the end of the running matches."""
    logging.basicConfig(format="%(asctime)s %(message)s")
    with Client() as client:
        client.finish_on_signals()
        client.play(choose, on_finished=report, on_illegal="first")
    print("stopped")


if __name__ == "__main__":
    main()

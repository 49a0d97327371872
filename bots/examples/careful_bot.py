"""A bot that plays Durak with some care: python bots/examples/careful_bot.py URL TOKEN

Without arguments, KOZYR_URL and KOZYR_TOKEN in the environment say where and who.

It looks at its legal moves and nothing else of the rules: what is not among them need not be thought about. It gives
away its cheapest cards first, beats as cheaply as it can, and would rather take a card or two than spend a high trump
while there is something left to draw. At other games it plays the first legal move.
"""

from __future__ import annotations

import logging
import signal
import sys
from typing import Any

from bots.client import Client, Finished, Turn

RANKS = "6789TJQKA"
TRUMP = 12
"""How much dearer a trump is than the same rank in another suit."""
DEAR = TRUMP + RANKS.index("T")
"""From here on a card is too dear to be spent on beating a single one."""
HIGH = RANKS.index("Q")
"""From here on a card is too dear to be thrown in while there is something left to draw."""


def choose(turn: Turn) -> str:
    """The best legal move, as far as this bot can tell."""
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
    """Beats as cheaply as possible, or takes if that is dear, there is little to take and much to draw."""
    best = min((move for move in moves if move != "take"), key=lambda move: spent(move, seen))
    on_table = sum(1 if pair[1] is None else 2 for pair in seen["pairs"])
    if spent(best, seen) >= DEAR and on_table <= 2 and seen["talon"] > 6:
        return "take"
    return best


def attack_cost(move: str, seen: dict[str, Any]) -> float:
    """What an opening attack costs: its dearest card, a little less if others of its rank can follow."""
    rank, hand = cards_of(move)[0][0], list[str](seen["hand"])
    followers = sum(card[0] == rank and not is_trump(card, seen) for card in hand)
    return spent(move, seen) - 0.4 * followers


def throw(moves: list[str], seen: dict[str, Any]) -> str:
    """Throws in the cheapest, unless it is too dear; at the end, when nothing is left to draw, whatever it can."""
    throws = [move for move in moves if move != "pass"]
    best = min(throws, key=lambda move: spent(move, seen))
    if seen["talon"] and spent(best, seen) >= (TRUMP if seen["taking"] else HIGH):
        return "pass"
    return best


def spent(move: str, seen: dict[str, Any]) -> int:
    """The worth of the dearest card that the move takes out of the hand."""
    mine = [card for card in cards_of(move) if card in seen["hand"]]
    return max((worth(card, seen) for card in mine), default=0)


def worth(card: str, seen: dict[str, Any]) -> int:
    """How much this bot likes to keep a card."""
    return RANKS.index(card[0]) + (TRUMP if is_trump(card, seen) else 0)


def is_trump(card: str, seen: dict[str, Any]) -> bool:
    """Whether the card is of the trump suit."""
    return bool(card[1] == seen["trump"])


def cards_of(move: str) -> list[str]:
    """The cards that a move names."""
    return move.split()[1:]


def tell(finished: Finished) -> None:
    """A line for each match that ends."""
    place = finished.places[finished.seat]
    print(f"{finished.match}: place {place}, scores {finished.scores} ({finished.ending})", flush=True)


def main() -> None:
    """Plays until it is interrupted or terminated."""
    logging.basicConfig(format="%(asctime)s %(message)s")
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        with Client(*sys.argv[1:]) as client:
            client.play(choose, on_finished=tell, on_illegal="first")
    except KeyboardInterrupt:
        print("stopped")


if __name__ == "__main__":
    main()

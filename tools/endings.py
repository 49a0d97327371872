"""Write an endgame set: `python -m tools.endings durak > records/endings/sets/durak-1.ndjson`.

Two players play deals; each makes a random move one time in five and `greedy`'s otherwise. A deal gives at most one
position. The solver settles it, its moves differ in value, and the set has too few of its kind. A kind is the number
of cards in the hands, the question, and whether the seat can still win, so that small and large endings, attacks and
defences are equally frequent. The random numbers of deal n follow from the set and n alone: the same arguments give
the same set. A published set never changes; a better one gets the next version.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Iterator
from itertools import count
from random import Random
from typing import Any, Final

from bots.house import HOUSE_BOTS
from bots.solver import Unsolvable, solve
from engine.game import NOBODY, Game
from engine.match import Match, deck_text
from records.endings.model import ExactEnding
from records.match.session import table_of

VERSION: Final = 1
POSITIONS: Final = 120
OF_A_KIND: Final = 3
"""How many positions of a kind there are at most."""
MOST_CARDS: Final = 12
"""How many cards may be left in the deal, so that a set is verified within a minute."""
BLUNDERS: Final = 0.2
"""The share of random moves."""


def main() -> None:
    """Print a set, a line for each position."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("game")
    parser.add_argument("--positions", type=int, default=POSITIONS)
    given = parser.parse_args()
    for ending in made(given.game, given.positions):
        print(json.dumps(ending.to_json(), separators=(",", ":")), flush=True)


def made(game: str, most: int) -> Iterator[ExactEnding]:
    """Yield the endings of a set in order."""
    kinds: Counter[Any] = Counter()
    done = 0
    for number in count():
        rng = Random(f"endings {game} {VERSION} {number}")
        found = [(kind, ending) for kind, ending in critical(game, rng) if kinds[kind] < OF_A_KIND]
        if found:
            kind, ending = rng.choice(found)
            kinds[kind] += 1
            done += 1
            yield ending._replace(id=f"{game}-{VERSION}-{done:03}")
            if done == most:
                return


def critical(game: str, rng: Random) -> Iterator[tuple[Any, ExactEnding]]:
    """Yield the critical positions of a deal with their kinds."""
    table, greedy = table_of(game, 2, {}), HOUSE_BOTS["greedy"]
    match = Match(table, None, rng.randrange(2))
    deck, moves = rng.sample(table.pack, len(table.pack)), list[str]()
    state = match.deal(match.begin(), deck)
    while state.deal is not None and state.to_move != NOBODY:
        seat, seen = state.to_move, match.view(state, state.to_move)
        legal = seen["legal_moves"]
        left = len(table.pack) - seen["discard"] - seen["talon"]
        found = _values(table, state.deal) if len(legal) > 1 and left <= MOST_CARDS else {}
        if len(set(found.values())) > 1:
            kind = sum(seen["hand_sizes"]), seen["question"], max(found.values())
            ending = ExactEnding("", game, 2, {}, match.dealer, deck_text(deck), tuple(moves), seat, found)
            yield kind, ending
        text = rng.choice(legal) if rng.random() < BLUNDERS else greedy.choose(table, seen, legal, rng)
        state = match.play(state, seat, match.parse(state, seat, text))
        moves.append(text)


def _values(table: Game, deal: Any) -> dict[str, int]:
    """Return the values of the moves by text; nothing for a position without a solution."""
    try:
        solution = solve(table, deal)
    except Unsolvable:
        return {}
    return (
        {} if solution is None else {table.text(deal, move): worth for move, worth in solution.values.items()}
    )


if __name__ == "__main__":
    main()

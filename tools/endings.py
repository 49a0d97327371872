"""Write an endgame set: `python -m tools.endings kryt > records/endings/sets/kryt-1.ndjson`.

The seats play deals; each makes a random move one time in five and `greedy`'s otherwise. A deal gives at most one
position. The solver settles it, its moves differ in value, and the set has too few of its kind. A kind is the number
of cards in the hands, the question, the value, and in King the deal, so that small and large endings, attacks and
defences are equally frequent. The random numbers of deal n follow from the set and n alone: the same arguments give
the same set. A published set never changes; a better one gets the next version.

`python -m tools.endings --lines kryt-1 > records/endings/lines/kryt-1.ndjson` writes what the site shows beside a set.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from itertools import count
from random import Random
from typing import Any, Final, NamedTuple

from bots.house import HOUSE_BOTS
from bots.solver import MOST_NODES, Unsolvable, solve
from engine.game import NOBODY, Game
from engine.match import Match, deck_text
from records.endings.lines import EndingLines
from records.endings.model import ExactEnding
from records.endings.sets import NAMES, endings_of
from records.endings.study import solved
from records.match.session import table_of

VERSION: Final = 1
POSITIONS: Final = 120
BLUNDERS: Final = 0.2
"""The share of random moves."""


class Recipe(NamedTuple):
    """What a set is made of."""

    game: str
    near: Callable[[Mapping[str, Any], Game], bool]
    """Whether an observation is near enough to the end of its deal, so that a set is verified within minutes."""
    options: Mapping[str, Any] = {}
    seats: int = 2
    nodes: int = 5_000
    of_a_kind: int = 6
    """How many positions of a kind there are at most."""
    most_moves: int = 100
    """How many moves a deal may have, so that a set takes little space."""


def _few_left(seen: Mapping[str, Any], table: Game) -> bool:
    """Return whether a deal of Durak has at most twelve cards left."""
    return len(table.pack) - int(seen["discard"]) - int(seen["talon"]) <= 12


def _almost_out(seen: Mapping[str, Any], table: Game) -> bool:
    """Return whether a player of a pile game has at most two cards, and no stock is left. Others are out of reach."""
    return not seen.get("stock") and min(seen["hand_sizes"]) <= 2


def _last_tricks(seen: Mapping[str, Any], table: Game) -> bool:
    """Return whether at most four tricks of King are not complete."""
    return sum(seen["hand_sizes"]) <= 16


RECIPES: Final = {
    "durak": Recipe("durak", _few_left, nodes=1_000_000, of_a_kind=3, most_moves=1000),
    "durak-transfer": Recipe("durak", _few_left, {"transfer": True}),
    "durak-teams": Recipe("durak", _few_left, {"teams": True}, seats=4),
    "kryt": Recipe("kryt", _almost_out, nodes=300, of_a_kind=20),
    "svoi_kozyri": Recipe("svoi_kozyri", _almost_out, nodes=300, of_a_kind=20),
    "besikovich": Recipe("svoi_kozyri", _almost_out, {"layout": "besikovich"}, nodes=300, of_a_kind=100),
    "king": Recipe("king", _last_tricks, seats=4, of_a_kind=3),
}
"""By set."""


def main() -> None:
    """Print a set, a line for each position."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("set", choices=(*RECIPES, *NAMES))
    parser.add_argument("--positions", type=int, default=POSITIONS)
    parser.add_argument("--lines", action="store_true", help="write the lines of a set that has been made")
    given = parser.parse_args()
    written = map(explained, endings_of(given.set)) if given.lines else made(given.set, given.positions)
    for each in written:
        print(json.dumps(each.to_json(), separators=(",", ":")), flush=True)


def made(name: str, most: int) -> Iterator[ExactEnding]:
    """Yield the endings of a set in order."""
    recipe, kinds, done = RECIPES[name], Counter[Any](), 0
    for number in count():
        rng = Random(f"endings {name} {VERSION} {number}")
        found = [
            (kind, ending) for kind, ending in critical(recipe, number, rng) if kinds[kind] < recipe.of_a_kind
        ]
        if found:
            kind, ending = rng.choice(found)
            kinds[kind] += 1
            done += 1
            yield ending._replace(id=f"{name}-{VERSION}-{done:03}")
            if done == most:
                return


def explained(ending: ExactEnding) -> EndingLines:
    """Return best play from an ending, and the move of `greedy`."""
    table, match, state = ending.table, ending.match, ending.state
    seen = match.view(state, ending.seat)
    choice = HOUSE_BOTS["greedy"].choose(table, seen, seen["legal_moves"], Random(0))
    found = solved(table, state.deal, MOST_NODES)
    assert found is not None
    return EndingLines(ending.id, choice, found.lines)


def critical(recipe: Recipe, number: int, rng: Random) -> Iterator[tuple[Any, ExactEnding]]:
    """Yield the critical positions of a deal with their kinds."""
    table, greedy = table_of(recipe.game, recipe.seats, recipe.options), HOUSE_BOTS["greedy"]
    deal = 1 + number % (table.fixed_deals or 1)
    match = Match(table, None, rng.randrange(recipe.seats))
    deck, moves = rng.sample(table.pack, len(table.pack)), list[str]()
    ending = ExactEnding(
        "", recipe.game, recipe.seats, dict(recipe.options), match.dealer, deck_text(deck), (), 0, {}, deal
    )
    state = ending.state
    while state.number == deal and state.to_move != NOBODY and len(moves) <= recipe.most_moves:
        seat, seen = state.to_move, match.view(state, state.to_move)
        legal = seen["legal_moves"]
        near = len(legal) > 1 and recipe.near(seen, table)
        found = _values(table, state.deal, recipe.nodes) if near else {}
        if len(set(found.values())) > 1:
            kind = deal, sum(seen["hand_sizes"]), seen.get("question"), max(found.values())
            yield kind, ending._replace(moves=tuple(moves), seat=seat, values=found)
        text = rng.choice(legal) if rng.random() < BLUNDERS else greedy.choose(table, seen, legal, rng)
        state = match.play(state, seat, match.parse(state, seat, text))
        moves.append(text)


def _values(table: Game, deal: Any, nodes: int) -> dict[str, int]:
    """Return the values of the moves by text; nothing for a position without a solution."""
    try:
        solution = solve(table, deal, nodes)
    except Unsolvable:
        return {}
    return (
        {} if solution is None else {table.text(deal, move): worth for move, worth in solution.values.items()}
    )


if __name__ == "__main__":
    main()

"""Node counts (perft): the number of sequences of moves from fixed positions, by ply.

A sequence consists of answers of the seat to move and of free moves of any seat. Each file describes a table and
positions on it: a deck, the moves that lead there, and the counts. The test repeats the count from the file.
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from engine.game import NOBODY, Game
from engine.match import deck_text, parse_deck
from engine.registry import GAMES
from tests.engine.lines import covering_tables, transcript_deck

FOLDER = Path(__file__).with_name("perft")
MOST = 3000
"""The highest possible number of sequences in a ply to count, so that all files together take seconds."""
DEEPEST = 6
HEAD = """\
# Node counts, written by `python -m tests.engine.write_node_counts`. To be read, not to be edited.
# `plies`: for each number of moves, how many sequences there are from here and how many of them end the deal.
"""


class Count(NamedTuple):
    """The number of sequences of one length, and of those among them whose last move ends the deal."""

    sequences: int
    ended: int


class TreePlace(NamedTuple):
    """A position: a deal, its deck, and the moves so far, each as in `1: beat 7H TH`."""

    number: int
    dealer: int
    deck: str
    moves: tuple[str, ...]

    def state(self, game: Game) -> Any:
        state = game.deal(self.number, self.dealer, parse_deck(self.deck))
        for line in self.moves:
            seat, _, text = line.partition(": ")
            state = game.play(state, int(seat), game.parse(state, int(seat), text))
        return state


# 1. Counting


def following(game: Game, states: list[Any]) -> Iterator[Any]:
    """Yield the states one move later, one for each way to reach them."""
    for state in states:
        for move in state.legal:
            yield game.play(state, state.to_move, move)
        for seat in range(game.seats):
            for move in game.free_moves(state, seat):
                yield game.play(state, seat, move)


def counts(game: Game, state: Any, plies: int, most: int = 10**9) -> list[Count]:
    """Return the counts of sequences from this state by ply, until a ply has none or could have more than `most`."""
    found: list[Count] = []
    states = [state]
    while len(found) < plies and 0 < sum(_ways_on(game, one) for one in states) <= most:
        states = list(following(game, states))
        found.append(Count(len(states), sum(after.to_move == NOBODY for after in states)))
    return found


def _ways_on(game: Game, state: Any) -> int:
    return len(state.legal) + sum(len(game.free_moves(state, seat)) for seat in range(game.seats))


# 2. The expected files


def wanted() -> Iterator[tuple[Path, Game]]:
    """Yield the files with their tables: every number of seats, and every value of every option, of every game."""
    known = set()
    for cls in GAMES.values():
        for name, seats, options in covering_tables(cls):
            game = cls.table(seats, options)
            table = table_text(game)
            if table not in known:
                known.add(table)
                yield FOLDER / f"{cls.id}.{name}.txt", game


def table_text(game: Game) -> str:
    return json.dumps({"game": game.id, "seats": game.seats, "options": dict(game.options)})


# 3. Writing


def written(game: Game, seed: str) -> str:
    """Return the text of a file: positions at the start, middle and end of a deal (of each in King), with counts."""
    lines = [f"{HEAD}table {table_text(game)}"]
    for number in range(1, (game.fixed_deals or 1) + 1):
        for place in _places(game, number, f"{seed} {number}"):
            lines += ["", f"deal {number}, dealer {place.dealer}", place.deck]
            lines += [f"after {'; '.join(place.moves)}"] if place.moves else []
            found = counts(game, place.state(game), DEEPEST, MOST)
            lines += [_count_text(ply, count) for ply, count in enumerate(found, start=1)]
    return "\n".join(lines) + "\n"


def _count_text(ply: int, count: Count) -> str:
    return f"plies {ply}: {count.sequences}" + (f", {count.ended} end the deal" if count.ended else "")


def _places(game: Game, number: int, seed: str) -> list[TreePlace]:
    rng = random.Random(seed)
    dealer = int(rng.random() * game.seats)
    deck = deck_text(transcript_deck(game, seed))
    moves = min([_deal_played(game, TreePlace(number, dealer, deck, ()), rng) for _ in range(5)], key=len)
    last = len(moves) - 1
    return [TreePlace(number, dealer, deck, tuple(moves[:until])) for until in (0, last // 2, last - 2, last)]


def _deal_played(game: Game, place: TreePlace, rng: random.Random) -> list[str]:
    """Return a short deal: the dealer collects cards, and all others get rid of theirs."""
    state, texts = place.state(game), []
    while state.to_move != NOBODY:
        seat = state.to_move
        wish = -1 if seat == place.dealer else 1
        left = {
            move: wish * len(game.observe(game.play(state, seat, move), seat)["hand"]) for move in state.legal
        }
        moves = [move for move in state.legal if left[move] == min(left.values())]
        move = moves[int(rng.random() * len(moves))]
        texts.append(f"{seat}: {game.text(state, move)}")
        state = game.play(state, seat, move)
    return texts


# 4. Reading


class NodeCountFile(NamedTuple):
    """The contents of a file."""

    table: str
    places: list[tuple[TreePlace, list[Count]]]


def read(text: str) -> NodeCountFile:
    """Parse a file that `written` has produced."""
    table, *blocks = "\n".join(line for line in text.splitlines() if not line.startswith("#")).split("\n\n")
    return NodeCountFile(table.removeprefix("table "), [_block(block.splitlines()) for block in blocks])


def _block(lines: list[str]) -> tuple[TreePlace, list[Count]]:
    head, deck, *rest = lines
    number, dealer = map(int, re.findall(r"\d+", head))
    moves: tuple[str, ...] = ()
    if rest and rest[0].startswith("after "):
        moves = tuple(rest.pop(0).removeprefix("after ").split("; "))
    found = [list(map(int, re.findall(r"\d+", line))) for line in rest]
    assert [ply for ply, *_ in found] == list(range(1, len(found) + 1))
    return TreePlace(number, dealer, deck, moves), [Count(*(*numbers, 0)[:2]) for _, *numbers in found]

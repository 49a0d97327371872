"""Records of matches that are played on the spot, with the fields that a replay reads."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random
from typing import Any

from bots.house.greedy import HEURISTICS, GreedyBot
from engine.game import CHANCE, NOBODY, Game
from engine.match import Match, deck_text


def greedy_record(game: Game, rng: Random, ident: str = "m-1", most: int = 10_000) -> dict[str, Any]:
    """Return the record of a match of `greedy` in all seats, cut off after `most` moves."""
    match, bot = Match(game), GreedyBot(HEURISTICS)
    state, moves = match.begin(), list[tuple[int | None, str]]()
    while (seat := state.to_move) != NOBODY and len(moves) < most:
        if seat == CHANCE:
            deck = rng.sample(game.pack, len(game.pack))
            moves.append((None, deck_text(deck)))
            state = match.deal(state, deck)
        else:
            seen = match.view(state, seat)
            text = bot.choose(game, seen, seen["legal_moves"], rng)
            moves.append((seat, text))
            state = match.play(state, seat, match.parse(state, seat, text))
    return record_of(game, match.deals, moves, ident)


def record_of(
    game: Game, deals: int, moves: Sequence[tuple[int | None, str]], ident: str = "m-1"
) -> dict[str, Any]:
    """Return what a replay reads of the record of these moves. Chance moves have seat `None`."""
    played: list[Mapping[str, Any]] = [
        {"seat": seat, "move": move, **({} if seat is None else {"ms": 0})} for seat, move in moves
    ]
    return {
        "id": ident,
        "game": game.id,
        "options": dict(game.options),
        "deals": deals,
        "dealer": 0,
        "seats": [{"bot": f"house/greedy{seat}"} for seat in range(game.seats)],
        "moves": played,
    }

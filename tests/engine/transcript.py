"""Golden playthroughs: deals written out move by move with all observations, for people and for a test.

A transcript prints what each move changes, so that its diff shows the effect of a change of the rules.
"""

from __future__ import annotations

import hashlib
import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from engine.game import NOBODY, Game
from engine.match import deck_text
from engine.registry import GAMES
from tests.engine.lines import covering_tables, legal_texts, transcript_deck

FOLDER = Path(__file__).with_name("playthroughs")
STATES_IN_FULL = 40
"""The number of states written out in a file. Later moves have only their text, and a digest of the rest."""


def wanted() -> Iterator[tuple[Path, Game, str]]:
    """Yield the expected files with their tables and seeds: the most seats, and the last value of each option."""
    for cls in GAMES.values():
        chosen: dict[str, tuple[str, Game]] = {}
        for name, seats, options in covering_tables(cls):
            game = cls.table(seats, options)
            if not options or game.options != cls.table(seats, {}).options:
                chosen[name.partition("-")[0]] = name, game
        for name, game in chosen.values():
            yield FOLDER / f"{cls.id}.{name}.txt", game, f"{cls.id} {name}"


def transcript(game: Game, seed: str) -> str:
    """Return the transcript of a match (King: twelve deals, else one) with seeded decks and moves."""
    table = {"game": game.id, "seats": game.seats, "options": dict(game.options)}
    lines = [
        "# A playthrough, written by `python -m tests.engine.write_playthroughs`. To be read, not to be edited.",
        "# `sees`: what everybody sees, in full, then what has changed; `seat n`: what this seat sees besides.",
        f"table {_json(table)}",
    ]
    rng = random.Random(seed)
    deals = game.fixed_deals or 1
    dealer = 0
    for number in range(1, deals + 1):
        deck = transcript_deck(game, f"{seed} {number}")
        deal_lines, dealer = _deal(game, number, dealer, deck, rng, STATES_IN_FULL // deals)
        lines += ["", *deal_lines]
    return "\n".join(lines) + "\n"


def _deal(
    game: Game, number: int, dealer: int, deck: list[int], rng: random.Random, in_full: int
) -> tuple[list[str], int]:
    state = game.deal(number, dealer, deck)
    seen: dict[Any, dict[str, Any]] = {}
    lines = [f"deal {number}, dealer {dealer}", deck_text(deck), *_events(game, game.deal_events(state))]
    lines += _sights(game, state, seen)
    left_out: list[str] = []
    count = 0
    while state.to_move != NOBODY:
        free = [(seat, move) for seat in range(game.seats) for move in game.free_moves(state, seat)]
        seat, move = state.to_move, state.legal[int(rng.random() * len(state.legal))]
        if free and rng.random() < 0.1:
            seat, move = free[int(rng.random() * len(free))]
        before, state = state, game.play(state, seat, move)
        count += 1
        if count == in_full:
            lines += ["", "From here on only the moves.", ""]
        spoken = f"{count}. {seat}: {game.text(before, move)}"
        details = [*_events(game, game.events(before, seat, move, state)), *_sights(game, state, seen)]
        if count < in_full:
            lines += ["", spoken, *details]
        else:
            lines.append(spoken)
            left_out += details
    if left_out:
        digest = hashlib.sha256("\n".join(left_out).encode()).hexdigest()
        lines += ["", f"digest of the sights and events left out: {digest}"]
    following = game.next_dealer(state)
    lines += ["", f"returns {_json(list(game.returns(state)))}, next dealer {following}"]
    return lines, following


def _events(game: Game, events: list[Any]) -> Iterator[str]:
    for event in events:
        yield f"  event {_json(event.public)}"
        for seat in range(game.seats):
            if event.private.get(seat):
                yield f"    seat {seat} {_json(event.private[seat])}"


def _sights(game: Game, state: Any, seen: dict[Any, dict[str, Any]]) -> Iterator[str]:
    """Return the changed observations and the legal moves."""
    public = game.observe(state, None)
    yield f"  sees {_json(_changed(public, seen.get(None, {})))}"
    seen[None] = public
    for seat in range(game.seats):
        own = {name: value for name, value in game.observe(state, seat).items() if value != public[name]}
        own.pop("seat")
        if own != seen.get(seat):
            yield f"  seat {seat} {_json(own)}"
        seen[seat] = own
    for seat in range(game.seats):
        if texts := legal_texts(game, state, seat):
            yield f"  seat {seat} may {', '.join(texts)}"


def _changed(now: dict[str, Any], before: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in now.items() if name not in before or before[name] != value}


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)

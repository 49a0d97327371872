"""`kozyr endings`: print and verify positions whose moves have exact values."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from kozyr.cli.errors import REFUSED, CommandError, fail, one_sentence
from kozyr.cli.output import json_option, show
from kozyr.terminal import echo

if TYPE_CHECKING:
    from records.endings.model import ExactEnding


@click.command()
@click.argument("game", metavar="GAME|SET")
@click.option("--id", "only", metavar="ID", help="Print this position alone.")
@json_option("Print each position as a line of JSON.")
@click.option("--verify", is_flag=True, help="Solve each position again, and print what differs.")
@click.option(
    "--from",
    "source",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    help="File with a set of your own.  [default: the set in this package]",
)
@click.option(
    "--packs-to",
    type=click.Choice(["A", "K", "Q", "J", "T"]),
    help="Besikovich's game only: solve all deals of the packs from the ace down to this rank. Q takes a second, J a "
    "minute, and T hours.",
)
def endings(game: str, only: str | None, verify: bool, source: Path | None, packs_to: str | None) -> None:
    """Print the endgame sets of a game, or one of them: positions with the exact value of each move.

    Nothing is hidden in these positions: the seat to move knows all hands. A value is its lead in points if everybody
    plays best from there; in King, the points of the deal that it gets whatever the others play. Exits with status 1
    if --verify finds a wrong position, and 2 for a game without a set.

    \b
    Examples:
      kozyr endings durak --id durak-1-007
      kozyr endings durak --json > positions.ndjson
      kozyr endings besikovich-1 --verify
      kozyr endings besikovich --packs-to Q
    """
    if packs_to is not None:
        if game != "besikovich":
            raise click.UsageError("--packs-to is for besikovich")
        _solve_packs(packs_to)
        return
    with one_sentence():
        found = [each for each in _set(game, source) if only in (None, each.id)]
        if not found:
            raise CommandError(f"the set has no position {only}")
        if verify:
            _verify(found)
            return
        for each in found:
            show(each.document(), lines(each))


def _solve_packs(lowest: str) -> None:
    """Print how deals of Besikovich's game end with best play, a pack at a time."""
    from bots.solver.besikovich import pack_value

    for ranks, rank in enumerate("AKQJT", 1):
        found = pack_value(ranks)
        shares = {"first": found.first, "draw": found.draw, "second": found.second, "value": found.value}
        document = {"lowest_rank": rank, **{name: str(share) for name, share in shares.items()}}
        show(
            document, f"{rank}  " + "  ".join(f"{name} {float(share):.4f}" for name, share in shares.items())
        )
        if rank == lowest:
            return


def _set(game: str, source: Path | None) -> tuple[ExactEnding, ...]:
    """Return the endings of the game's sets, of a set, or of a file. Raise `CommandError`."""
    from records.endings.sets import NAMES, SETS, endings_of, parsed

    if source is not None:
        try:
            return tuple(each for each in parsed(source.read_text(encoding="utf-8")) if each.game == game)
        except (OSError, ValueError) as why:
            raise CommandError(f"{source} can't be read: {why}") from why
    found = endings_of(game)
    if not found:
        raise CommandError(
            f"{game!r} has no endgame set: choose {', '.join(SETS)}, or a set: {', '.join(NAMES)}"
        )
    return found


def _verify(found: list[ExactEnding]) -> None:
    from engine.game import Refusal

    wrong = 0
    for each in found:
        try:
            fault = each.fault()
        except (Refusal, ValueError) as why:
            fault = f"the rules refuse it: {why}"
        if fault is not None:
            wrong += 1
            echo(f"{each.id}: {fault}")
    if wrong:
        fail(f"{wrong} of {len(found)} positions are wrong", REFUSED)
    echo(f"{len(found)} positions are right")


def lines(ending: ExactEnding) -> list[str]:
    """Return a position in words, with the values of its moves, and an empty line."""
    from records.words.turn import turn_text

    seen = ending.document()
    turn = {
        "match": ending.id,
        "turn": len(ending.entries),
        "seat": ending.seat,
        "observation": seen["observation"],
        "clocks": [{"bank_ms": 0, "strikes": 0}] * ending.seats,
        "deadline": None,
    }
    values = [f"  {value:+d}  {move}" for move, value in ending.values.items()]
    return [*turn_text(turn, seen, seen["events"]).splitlines(), "Values:", *values, ""]

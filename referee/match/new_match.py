"""New matches: what they are created from, and their first snapshot, which is not stored yet."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from engine.game import BadTable, Game
from engine.match import Match
from engine.registry import GAMES
from engine.relabelling import undone
from referee.match.clock import ClockRule
from referee.match.record import preset_of, rules_of
from referee.match.session import (
    GroupSeating,
    MatchConfig,
    MatchProgress,
    Seat,
    Status,
    table_of,
    table_relabelled,
)
from referee.match.snapshot import Snapshot


class NewMatch(NamedTuple):
    """What a match is created from. With an `id` it is created at most once."""

    game: str
    seats: Sequence[Seat | None]
    options: Mapping[str, Any]
    deals: int
    """The number of deals, as `engine.match.checked_deals` returned it."""
    dealer: int | None = None
    clock: ClockRule | None = None
    entropy: Sequence[str | None] | None = None
    rated: bool = False
    ladder: str | None = None
    round: int | None = None
    season: int | None = None
    id: str | None = None
    secret: bytes | None = None
    group: GroupSeating | None = None
    present: bool = False
    """Whether it starts at once, as if every remote bot had shown up."""


def game_named(name: str) -> type[Game]:
    """Return the game with this id. Raises `BadTable`."""
    if name not in GAMES:
        raise BadTable("game", name, "one of " + ", ".join(GAMES))
    return GAMES[name]


def drafted(new: NewMatch, ident: str, secret: bytes) -> Snapshot:
    """Return the match before its first commit, with no instants set.

    Raises `BadTable` if game, seats, options, deals or dealer don't fit, or if a bot has two seats.
    """
    game_named(new.game)
    rules = Match.agreed(table_of(new.game, len(new.seats), new.options), new.deals, new.dealer or 0)
    taken = [seat.id for seat in new.seats if seat is not None and not seat.house]
    if len(set(taken)) != len(taken):
        raise BadTable("seats", [seat and seat.bot for seat in new.seats], "a different bot on every seat")
    count = len(new.seats)
    base = rules.game if new.group is None else table_relabelled(rules.game, undone(new.group.suits))
    config = MatchConfig(
        id=ident,
        game=new.game,
        options=dict(rules.game.options),
        deals=rules.deals,
        dealer=new.dealer,
        seats=tuple(new.seats),
        entropy=tuple(new.entropy or (None,) * count),
        clock=new.clock or ClockRule(),
        created=0,
        rated=new.rated,
        ladder=new.ladder,
        round=new.round,
        season=new.season,
        group=new.group,
        rules=rules_of(new.game),
        preset=preset_of(base),
    )
    progress = MatchProgress(
        status=Status.OPEN,
        number=1,
        dealer=0,
        scores=(0,) * count,
        turn=1,
        to_move=None,
        bank=(config.clock.bank_ms,) * count,
        strikes=(0,) * count,
        forfeits=(),
        shown=tuple(range(count)) if new.present else (),
    )
    return Snapshot(
        now=0,
        version=0,
        config=config,
        progress=progress,
        asked=None,
        deadline=None,
        secret=secret,
        log="",
    )

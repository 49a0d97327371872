"""New matches: what they are created from, and their first snapshot, which is not stored yet."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

from engine.game import BadTable, Game
from engine.match import Match
from engine.registry import GAMES
from engine.relabelling import ALL_RELABELLINGS, undone
from records.match import events
from records.match.assist import LIST, Assist
from records.match.clock import ClockRule
from records.match.continuation import Continuation, PastShuffle
from records.match.loaded_match import LoadedMatch
from records.match.log import Entry, parse_log
from records.match.record import preset_of, rules_of, rules_of_match
from records.match.session import (
    GroupSeating,
    MatchConfig,
    MatchProgress,
    Seat,
    Status,
    table_of,
    table_relabelled,
)

MOST_REPEATED: Final = 20_000
"""The most moves that a match may repeat of another one."""


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
    continues: Continuation | None = None
    """The position at which it begins, after the moves `repeated`. It has no open seats and starts at once."""
    repeated: Sequence[Entry] = ()
    since: int | None = None
    """How many records there were before anybody used the id (`referee.storage.store.Commit`); `None` if unknown."""
    requested_by: str = ""
    """The owner whose share of the workers its house bots use (`MatchConfig.requested_by`)."""
    start_ms: int | None = None
    """How long its bots have to show up; `None` for the default of the service."""
    assist: Assist = LIST


class MatchPosition(NamedTuple):
    """A position of a finished match, from which another one can go on."""

    continues: Continuation
    repeated: Sequence[Entry]
    """The moves before it."""
    deals: int
    """The number of deals of a match that goes on there: it ends with the deal, unless the rules fix the number."""


def position_of(loaded: LoadedMatch, deal: int, move: int) -> MatchPosition:
    """Return the position of a finished match after `move` moves of a deal.

    The caller checks that its viewer may read the record. Raises `BadTable` for a position that the match does not
    have, for one after more than `MOST_REPEATED` moves, and for a match under other rules than today's.
    """
    rules = rules_of(loaded.config.game)
    if rules_of_match(loaded.config) != rules:
        raise BadTable("rules", rules_of_match(loaded.config), f"a match under the rules {rules}")
    logs = events.deals_of(loaded.log)
    if not 1 <= deal <= len(logs):
        raise BadTable(
            "deal", deal, f"a deal that was played: 1 to {len(logs)}" if logs else "a deal that was played"
        )
    repeated: list[Entry] = []
    for log in logs[: deal - 1]:
        repeated += _moves_of(log)
        if len(repeated) > MOST_REPEATED:
            raise _too_late(deal)
    current = _moves_of(logs[deal - 1])
    if not 0 <= move <= len(current):
        raise BadTable("move", move, f"a number from 0 to {len(current)}")
    repeated += current[:move]
    if len(repeated) > MOST_REPEATED:
        raise _too_late(deal)
    config = loaded.config
    fixed = GAMES[config.game].fixed_deals
    earlier = () if config.continues is None else config.continues.shuffles
    own = PastShuffle(
        config.id,
        deal,
        loaded.secret.hex(),
        config.entropy,
        config.group.suits if config.group is not None else ALL_RELABELLINGS[0],
    )
    known = [past._replace(deals=min(past.deals, deal)) for past in earlier]
    past = [each for at, each in enumerate(known) if at == 0 or known[at - 1].deals < deal]
    shuffles = past if past and past[-1].deals == deal else [*past, own]
    return MatchPosition(Continuation(config.id, deal, move, tuple(shuffles)), repeated, fixed or deal)


def game_named(name: str) -> type[Game]:
    """Return the game with this id. Raises `BadTable`."""
    if name not in GAMES:
        raise BadTable("game", name, "one of " + ", ".join(GAMES))
    return GAMES[name]


def drafted(new: NewMatch, ident: str, secret: bytes) -> LoadedMatch:
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
    clock = new.clock or ClockRule()
    config = MatchConfig(
        id=ident,
        game=new.game,
        options=dict(rules.game.options),
        deals=rules.deals,
        dealer=new.dealer,
        seats=tuple(new.seats),
        entropy=tuple(new.entropy or (None,) * count),
        clock=clock,
        created=0,
        rated=new.rated,
        ladder=new.ladder,
        round=new.round,
        season=new.season,
        group=new.group,
        continues=new.continues,
        rules=rules_of(new.game),
        preset=preset_of(base, clock, new.assist),
        requested_by=new.requested_by,
        start_ms=new.start_ms,
        assist=new.assist,
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
        shown=tuple(range(count)) if new.present or new.continues else (),
    )
    return LoadedMatch(
        now=0,
        version=0,
        config=config,
        progress=progress,
        asked=None,
        deadline=None,
        secret=secret,
        log="",
    )


def _moves_of(log: str) -> list[Entry]:
    """Return the players' moves of a deal."""
    return [entry for entry in parse_log(log) if entry.is_move and not entry.by_chance]


def _too_late(deal: int) -> BadTable:
    return BadTable("deal", deal, f"a position after at most {MOST_REPEATED} moves")

"""The record of a finished match: one JSON document, stable and versioned."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Final, NamedTuple

from engine.game import Game
from engine.registry import GAMES
from engine.relabelling import suits_text
from records.instants import text_of
from records.match import shuffle
from records.match.assist import LIST, Assist
from records.match.clock import STANDARD, ClockRule, pace_of
from records.match.log import record_moves
from records.match.session import MatchConfig, MatchProgress, Seat, places, table_of

FORMAT: Final = 1
BESIDE: Final = frozenset({"proof", "annotations"})
"""Fields that accompany a record when it is read and aren't part of it."""


class Record(NamedTuple):
    """A finished match."""

    config: MatchConfig
    progress: MatchProgress
    secret: bytes
    log: str

    def to_json(self) -> dict[str, Any]:
        """Return the document."""
        return record_of(self.config, self.progress, self.secret, record_moves(self.log))


def record_of(
    config: MatchConfig, progress: MatchProgress, secret: bytes, moves: list[dict[str, Any]]
) -> dict[str, Any]:
    """Return the document of a finished match with these moves, in the form of `record_moves`."""
    return {
        "format": FORMAT,
        "id": config.id,
        "game": config.game,
        "options": config.options,
        "preset": preset_of_match(config),
        "rules": rules_of_match(config),
        "deals": config.deals,
        "dealer": progress.first_dealer,
        "seats": [seat and recorded_seat(seat) for seat in config.seats],
        "clock": config.clock.to_json(),
        **({} if config.assist == LIST else {"assist": config.assist}),
        "rated": config.rated,
        "ladder": config.ladder,
        **({} if config.season is None else {"round": config.round, "season": config.season}),
        "group": config.group and config.group.id,
        **({} if config.continues is None else {"continues": config.continues.to_json()}),
        "started": progress.started and text_of(progress.started),
        "ended": text_of(progress.ended or 0),
        "moves": moves,
        "scores": list(progress.scores),
        "places": places(progress.scores, progress.forfeits),
        "forfeits": sorted(progress.forfeits),
        **({"absent": list(progress.absent)} if progress.absent and progress.started is None else {}),
        **({"hints": list(progress.hints)} if progress.hints else {}),
        "ending": progress.ending,
        "shuffle": _shuffle(config, secret),
    }


def _shuffle(config: MatchConfig, secret: bytes) -> dict[str, Any]:
    document = {
        "algorithm": shuffle.ALGORITHM,
        "commitment": shuffle.commitment(secret, config.id),
        "secret": secret.hex(),
        "entropy": list(config.entropy),
        "dealer": "drawn" if config.dealer is None else "given",
    }
    if config.group is not None:
        document["suits"] = suits_text(config.group.suits)
    return document


def recorded_seat(seat: Seat) -> dict[str, Any]:
    """Return who sits on a seat. Only a person's seat has `person`, which is true."""
    document: dict[str, Any] = {"bot": seat.bot, "id": seat.id, "version": seat.version}
    return {**document, "person": True} if seat.person else document


def rules_of(game: str) -> str:
    """Return the version of a game's rules, as in `durak-1`."""
    return f"{game}-{GAMES[game].rules_version}"


def rules_of_match(config: MatchConfig) -> str:
    """Return the rules that the match was created under. They never change in its record."""
    return config.rules or rules_of(config.game)


def preset_of_match(config: MatchConfig) -> str:
    """Return the preset that the match was created with."""
    return config.preset or plain_preset_of(config.base)


def preset_of(game: Game, clock: ClockRule, assist: Assist = LIST) -> str:
    """Return the preset of a table, which is rated separately: game, seats, options that aren't defaults, the pace of
    the clock if it isn't `standard`, and the assist if it isn't `list`."""
    special = [f"@{name}" for name in (pace_of(clock), assist) if name not in (STANDARD, LIST)]
    return "".join([plain_preset_of(game), *special])


@lru_cache(maxsize=1024)
def plain_preset_of(game: Game) -> str:
    """Return the preset without pace and assist. Matches of earlier releases have it whatever their clock."""
    usual = table_of(game.id, game.seats, {}).options
    special = [
        f"{name}={_plain(value)}" for name, value in sorted(game.options.items()) if usual.get(name) != value
    ]
    return "/".join([game.id, str(game.seats), *special])


def _plain(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)

"""Train the zstd dictionary of stored matches (`referee/storage/packing.py`).

python tools/match_dictionary.py PATH

The samples are finished matches of all games, with few and many seats, of house bots and of remote bots, alone and in
the groups of ladders. They are drawn from a seed, so each run writes the same dictionary. Matches that are stored need
the dictionary with which they were stored: never replace the file of a format that a release has written.
"""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path
from random import Random
from typing import Final

import zstandard

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from bots.house import HOUSE_BOTS
from engine.registry import GAMES
from referee.ids import derived_match_id
from referee.match.clock import ClockRule
from referee.match.log import parse_log
from referee.match.session import (
    GroupSeating,
    MatchConfig,
    MatchProgress,
    MatchSession,
    Seat,
    Status,
    match_of,
)
from referee.storage.packing import LEVEL, text_of_match

BYTES: Final = 16_384
"""The size of the dictionary. One of 64 KB saves another 3 %."""
SAMPLES: Final = 3_000
SPEEDS: Final = (3, 30, 300)
"""Typical times of a remote bot's move, in ms."""
YEARS_MS: Final = (1_760_000_000_000, 1_860_000_000_000)
"""The matches began between these instants."""


def text(number: int) -> bytes:
    """Return the text of a finished match: the sample with this number."""
    rng = Random(number)
    config, secret = _config(rng), rng.randbytes(32)
    progress, log = _played(config, secret, rng)
    if not config.is_house(0):
        log = _timed(log, rng.choice(SPEEDS), rng)
    return text_of_match(config, progress, secret, log)


def _config(rng: Random) -> MatchConfig:
    rules = rng.choice(list(GAMES.values()))
    seats = rng.choice([rules.seat_counts[0], rng.choice(rules.seat_counts)])
    table = rules.table(seats, {})
    house, in_ladder, in_group = rng.random() < 0.5, rng.random() < 0.75, rng.random() < 0.5
    suits = rng.choice(table.suit_symmetries())
    members = tuple(rng.sample(range(seats), seats))
    group = GroupSeating(f"g{_id(rng)}", rng.randrange(seats), suits, members)
    return MatchConfig(
        id=derived_match_id("sample", rng.random()),
        game=rules.id,
        options=dict((table.relabelled(suits) if in_group else table).options),
        deals=rules.fixed_deals or rng.choice([1, 1, 1, 5]),
        dealer=None,
        seats=tuple(_seat(number, rng, house=house) for number in range(seats)),
        entropy=(None,) * seats,
        clock=ClockRule(),
        created=rng.randrange(*YEARS_MS),
        rated=in_ladder,
        ladder=f"l{_id(rng)}" if in_ladder else None,
        round=rng.randrange(1, 500) if in_ladder else None,
        group=group if in_group else None,
        rules=f"{rules.id}-{rules.rules_version}",
        preset=f"{rules.id}/{seats}",
        season=1 if in_ladder else None,
    )


def _seat(number: int, rng: Random, *, house: bool) -> Seat:
    if house:
        bot = list(HOUSE_BOTS.values())[number % len(HOUSE_BOTS)]
        return Seat(f"house/{bot.name}", f"house-{bot.name}", bot.version, True)
    return Seat(
        f"owner-{rng.randrange(100)}/bot-{rng.randrange(100)}", f"b{_id(rng)}", f"1.{rng.randrange(9)}"
    )


def _id(rng: Random) -> str:
    return derived_match_id("sample", rng.random())[2:]


def _played(config: MatchConfig, secret: bytes, rng: Random) -> tuple[MatchProgress, str]:
    """Return the end of the match and its log, as house bots play it."""
    dealer, zeros = rng.randrange(len(config.seats)), (0,) * len(config.seats)
    bank = (config.clock.bank_ms,) * len(config.seats)
    started = config.created + rng.randrange(2)
    progress = MatchProgress(Status.RUNNING, 1, dealer, zeros, 1, None, bank, zeros, (), (), dealer, started)
    bots = list(HOUSE_BOTS.values())
    seats = [bots[number % len(bots)] for number in range(len(config.seats))]
    at_house = config._replace(seats=tuple(Seat(f"house/{bot.name}", bot.name, "1", True) for bot in seats))
    state, deck = match_of(config, dealer).begin(), partial(config.deck, secret)
    session = MatchSession(at_house, progress, state, "", deck, HOUSE_BOTS, rng)
    session.carry_on(1_000_000)
    ended = started + rng.randrange(100_000)
    return session.result(started)._replace(ended=ended, to_move=None), "".join(session.closed)


def _timed(log: str, typical_ms: int, rng: Random) -> str:
    """Return the log with the times of a remote bot."""
    lines = []
    for entry in parse_log(log):
        ms = int(typical_ms * rng.lognormvariate(0, 1)) if entry.answers else 0
        lines.append(entry._replace(ms=ms).line())
    return "".join(lines)


def main() -> None:
    """Write the dictionary to the path on the command line."""
    samples = [text(number) for number in range(SAMPLES)]
    dictionary = zstandard.train_dictionary(BYTES, samples, level=LEVEL, dict_id=1 << 15)
    Path(sys.argv[1]).write_bytes(dictionary.as_bytes())


if __name__ == "__main__":
    main()

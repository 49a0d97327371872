"""Finished matches stored by earlier releases. Their records stay the same to the last byte, or signatures would break.

python -m tests.referee.test_stored NAME    stores another match of this release and overwrites none
"""

from __future__ import annotations

import base64
import sys
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

import orjson
import pytest

from engine.registry import GAMES
from records.match import shuffle
from records.match.clock import ClockRule
from records.match.record import Record
from records.match.session import (
    GroupSeating,
    MatchConfig,
    MatchProgress,
    MatchSession,
    Seat,
    Status,
    match_of,
)
from records.verify import verify
from referee.storage.packing import pack, unpack
from tests.support.league import AtRandom

STORED = Path(__file__).parent / "stored"
NAMES = sorted(path.stem for path in STORED.glob("*.match"))


def test_every_game_has_a_stored_match() -> None:
    assert {name.partition("-")[0] for name in NAMES} >= set(GAMES)


@pytest.mark.parametrize("name", NAMES)
def test_a_stored_match_still_gives_the_same_record(name: str) -> None:
    packed = base64.b64decode((STORED / f"{name}.match").read_text())
    record = Record(*unpack(packed)).to_json()
    assert orjson.dumps(record, option=orjson.OPT_SORT_KEYS) == (STORED / f"{name}.json").read_bytes().rstrip(
        b"\n"
    )
    assert verify(record) == []


def _store(name: str) -> None:
    for game, cls in GAMES.items():
        seats = cls.seat_counts[0]
        table = cls.table(seats, {})
        suits = table.suit_symmetries()[1]
        config = MatchConfig(
            id=f"17{game[0] * 26}",
            game=game,
            options=dict(table.relabelled(suits).options),
            deals=cls.fixed_deals or 1,
            dealer=None,
            seats=tuple(Seat("house/random", "house-random", "1", True) for _ in range(seats)),
            entropy=("свой шум", *[None] * (seats - 1)),
            clock=ClockRule(),
            created=1_763_683_200_000,
            rated=True,
            group=GroupSeating("g" + "7" * 26, 0, suits, tuple(range(seats))),
            rules=f"{game}-{cls.rules_version}",
            preset=f"{game}/{seats}",
        )
        secret = bytes(range(32))
        nothing = (0,) * seats
        dealer = shuffle.first_dealer(secret, config.entropy, seats)
        bank = (config.clock.bank_ms,) * seats
        progress = MatchProgress(
            Status.RUNNING, 1, dealer, nothing, 1, None, bank, nothing, (), (), dealer, config.created
        )
        players: Any = {"random": AtRandom("random")}
        state, deck = match_of(config, dealer).begin(), partial(config.deck, secret)
        play = MatchSession(config, progress, state, "", deck, players, Random(7))
        play.carry_on(1_000_000)
        over = play.result()._replace(ended=config.created + 60_000, to_move=None)
        log = "".join([*play.closed, *play.lines])
        path = STORED / f"{game}-{name}.match"
        assert not path.exists(), "stored matches are never overwritten"
        path.write_text(base64.b64encode(pack(config, over, secret, log)).decode() + "\n")
        document = Record(config, over, secret, log).to_json()
        path.with_suffix(".json").write_bytes(orjson.dumps(document, option=orjson.OPT_SORT_KEYS) + b"\n")


if __name__ == "__main__":
    _store(sys.argv[1])

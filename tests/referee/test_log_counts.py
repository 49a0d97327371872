"""Counts that are taken from the text of a log, without parsing its lines."""

from __future__ import annotations

from random import Random

from records.match.log import Entry, chance, forfeited, moves_in, record_moves


def test_moves_are_counted_as_the_record_has_them() -> None:
    rng = Random(1)
    for _ in range(200):
        kinds = [
            chance("6♠ 7♠"),
            Entry(rng.randrange(4), 3, 120, 0, "-", "play 6♠", rng.choice(("", "what ! a note"))),
            Entry(1, 0, 0, 0, "-", "pass"),
            Entry(2, 9, 5, 5, "t", "take"),
            forfeited(2, "a reason"),
        ]
        entries = rng.choices(kinds, weights=(1, 5, 1, 1, rng.choice((0, 1))), k=rng.randrange(9))
        text = "".join(entry.line() for entry in entries)
        assert moves_in(text) == sum(move["seat"] is not None for move in record_moves(text))

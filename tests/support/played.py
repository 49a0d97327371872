"""Synthetic matches for ratings: groups of bots with skills, as records or as played matches."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from random import Random
from typing import Any

from league.ratings.book import RatingBook
from records.instants import text_of
from records.results.group_result import PlayedMatch, group_result_of, played_of_record

START = 1_763_683_200_000
BOTS = ["zero/none", "house/greedy", "a/one", "b/two", "c/three", "d/four", "e/five"]


def record(
    bots: Sequence[str],
    scores: Sequence[int],
    *,
    ident: str,
    ended: int = 0,
    group: str | None = None,
    ending: str = "rules",
    forfeits: Sequence[int] = (),
    versions: Sequence[str] | None = None,
    preset: str | None = None,
    options: dict[str, Any] | None = None,
    rated: bool = True,
) -> dict[str, Any]:
    """Return the fields of a Durak record that ratings use; `ended` is in seconds after the start."""
    return {
        "id": ident,
        "game": "durak",
        "options": options or {},
        "preset": preset or f"durak/{len(bots)}",
        "rated": rated,
        "group": group,
        "seats": [
            {"bot": bot, "id": bot.replace("/", "-"), "version": version}
            for bot, version in zip(bots, versions or ["1"] * len(bots), strict=True)
        ],
        "ended": text_of(START + 1000 * ended),
        "scores": list(scores),
        "forfeits": list(forfeits),
        "ending": ending,
    }


def played(*args: Any, **more: Any) -> PlayedMatch:
    """Return such a record as a played match."""
    found = played_of_record(record(*args, **more))
    assert found is not None
    return found


def season(groups: int, seed: int, bots: Sequence[str] = BOTS) -> Iterator[dict[str, Any]]:
    """Return records of rotated groups of two and three, with some single matches, void matches and forfeits. Later
    bots in `bots` are stronger. Some matches end at the same instant."""
    rng = Random(seed)
    for number in range(groups):
        seats = rng.choice([2, 2, 3])
        table = rng.sample(list(bots), seats)
        single, void = rng.random() < 0.2, rng.random() < 0.05
        group = None if single else f"g{rng.getrandbits(20):05x}-{number}"
        for turn in range(1 if single else seats):
            here = table[turn:] + table[:turn]
            best = max(range(seats), key=lambda seat: bots.index(here[seat]) + rng.gauss(0, 3))
            yield record(
                here,
                [0 if seat == best else -1 for seat in range(seats)],
                ident=f"{rng.getrandbits(40):010x}-{number}",
                ended=number // 2 + rng.randrange(4),
                group=group,
                ending="void" if void and turn == 0 else "rules",
                forfeits=[rng.randrange(seats)] if rng.random() < 0.05 else [],
                versions=["2" if number > groups / 2 and bot == "a/one" else "1" for bot in here],
            )


def take(book: RatingBook, matches: Sequence[PlayedMatch]) -> None:
    """Add the matches of a group that count, or remove the group if it is incomplete."""
    outcome = group_result_of(matches)
    if outcome is None:
        book.take_back(matches[0].preset, matches[0].group)
    else:
        book.store.add([outcome])
